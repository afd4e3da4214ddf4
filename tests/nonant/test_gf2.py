"""`nonant magic` and `nonant lights` as their users meet them: forms, JSON, exit codes, bad input, pictures."""

from __future__ import annotations

import csv
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nonant.models.lights.games import Game, after, rectangle
from nonant.models.magic import MAGIC
from tests.support.files import ROOT, shared_file

CORNER = "1" + 24 * "0"  # 5x5 with one corner lit: unsolvable
JSON_KEYS = ["solvable", "nullity", "solutions", "presses", "weight", "optimal", "lower_bound"]


def nonant(*arguments: str, stdin: str | bytes = "") -> subprocess.CompletedProcess[str]:
    text = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [sys.executable, "-m", "nonant", *arguments], input=text, capture_output=True, timeout=120, cwd=ROOT
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace")
    )


def record(*arguments: str, stdin: str = "") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(nonant(*arguments, "--json", stdin=stdin).stdout)
    return found


def solves(game: Game, lights: Any, line: str) -> bool:
    return not any(after(game, lights, [int(digit) for digit in line]))


# -- magic -------------------------------------------------------------------------------------------------------------


def test_magic_takes_every_form_of_a_state() -> None:
    forms: list[tuple[str, ...]] = [("32",), ("000100000",), ("000", "100", "000"), ("000 100 000",)]
    forms += [("000\n100\n000",), ("0 0 0", "1 0 0", "0 0 0")]
    for form in forms:
        done = nonant("magic", *form)
        assert (done.returncode, done.stdout, done.stderr) == (0, "0 5 6\n", ""), form
    assert nonant("magic", "-", stdin="000\n100\n000\n").stdout == "0 5 6\n"
    assert nonant("magic", "495").stdout == "\n"
    assert nonant("magic", "100").stdout != nonant("magic", "000000100").stdout


def test_magic_json() -> None:
    done = nonant("magic", "186", "--json")
    found = json.loads(done.stdout)
    assert list(found) == ["state", "distance", "keys", "right_keys", "trace"]
    assert found["state"] == 186
    assert found["distance"] == 9
    assert found["keys"] == found["right_keys"] == list(range(9))
    article = [[0, 266], [1, 202], [2, 18], [3, 310], [4, 396], [5, 453], [6, 499], [7, 500], [8, 495]]
    assert found["trace"] == article
    won = record("magic", "495")
    assert won == {"state": 495, "distance": 0, "keys": [], "right_keys": [], "trace": []}


def test_magic_rule() -> None:
    done = nonant("magic", "--rule")
    assert done.returncode == 0
    assert done.stdout == MAGIC.rule_in_words() + "\n"
    assert "M^4 = I" in done.stdout


@pytest.mark.parametrize(
    "arguments", [(), ("512",), ("-1",), ("9", "9"), ("1012",), ("abc",), ("00010000x",), ("32", "--rule"), ("",)]
)
def test_magic_misuse_is_one_line_and_exit_code_2(arguments: tuple[str, ...]) -> None:
    check_misuse("magic", *arguments)


# -- lights: forms of a board ------------------------------------------------------------------------------------------


def test_lights_takes_every_form_of_a_board(tmp_path: Path) -> None:
    rows, game = ["110", "101", "011"], rectangle(3, 3)
    line = "".join(rows)
    wanted = nonant("lights", line).stdout
    assert solves(game, line, wanted.strip())
    text, spaced = "\n".join(rows) + "\n", "\n".join(" ".join(row) for row in rows)
    file, packed = tmp_path / "board.txt", tmp_path / "board.txt.gz"
    file.write_text(f"# a board\n{text}")
    with gzip.open(packed, "wt") as out:
        out.write(text)
    for form in (text, spaced, " ".join(rows), str(file), str(packed)):
        assert nonant("lights", form).stdout == wanted, form
        assert nonant("lights", form, "--size", "3x3").stdout == wanted, form
    assert nonant("lights", "-", stdin=text.replace("\n", "\r\n")).stdout == wanted
    flat = nonant("lights", "11010110", "--size", "2x4").stdout.strip()
    assert solves(rectangle(2, 4), "11010110", flat)
    assert nonant("lights", "1101 0110").stdout.strip() == flat


def test_all_lit_and_fewest() -> None:
    done = nonant("lights", "--size", "9x9", "--lit", "all")
    assert done.returncode == 0
    assert solves(rectangle(9, 9), "all", done.stdout.strip())
    best = record("lights", "--size", "5x5", "--lit", "all", "--fewest")
    assert list(best) == JSON_KEYS
    assert (best["nullity"], best["solutions"], best["weight"], best["lower_bound"]) == (2, 4, 15, 15)
    assert best["optimal"] is True
    assert best["presses"].count("1") == 15
    hurried = record("lights", "--size", "34x34", "--lit", "all", "--fewest", "--seconds", "0")
    assert hurried["lower_bound"] <= hurried["weight"]
    assert hurried["solvable"]


def test_every_rule() -> None:
    for options, game in (
        (("--torus",), rectangle(4, 5, torus=True)),
        (("--king",), rectangle(4, 5, neighbours="king")),
        (("--rule", "sigma"), rectangle(4, 5, "sigma")),
        (("--torus", "--king", "--rule", "sigma"), rectangle(4, 5, "sigma", "king", True)),
        (("--states", "3"), rectangle(4, 5, states=3)),
        (("--states", "5", "--torus"), rectangle(4, 5, states=5, torus=True)),
    ):
        presses = [at * at % game.states for at in range(20)]
        lights = after(game, "none", [-times % game.states for times in presses])
        found = record("lights", "".join(map(str, lights)), "--size", "4x5", *options)
        assert found["nullity"] == game.nullity
        assert found["solutions"] == game.states**game.nullity
        assert solves(game, lights, found["presses"]), options
        assert found["weight"] == sum(map(int, found["presses"]))


def test_unsolvable_boards_name_the_witness() -> None:
    done = nonant("lights", CORNER)
    assert done.returncode == 4
    assert done.stdout.startswith("none: every press changes an even number of the lights r1c1, ")
    assert done.stdout.count("\n") == 1
    found = record("lights", CORNER)
    assert list(found) == [*JSON_KEYS, "witness"]
    assert (found["solvable"], found["solutions"], found["presses"], found["weight"]) == (False, 0, None, None)
    witness, game = set(found["witness"]), rectangle(5, 5)
    assert "r1c1" in witness
    for reached in game.reach:
        assert len(witness & {game.names[light] for light in reached}) % 2 == 0
    three = nonant("lights", "12", "--size", "1x2", "--states", "3", "--json")
    assert three.returncode == 4
    assert json.loads(three.stdout)["witness"] == ["r1c1", "r1c2"]


def test_all_keys() -> None:
    lines = nonant("lights", "--size", "4x4", "--lit", "all", "--all-keys").stdout.split()
    assert len(lines) == len(set(lines)) == 16
    assert all(solves(rectangle(4, 4), "all", line) for line in lines)
    weights = [line.count("1") for line in lines]
    assert weights == sorted(weights)
    shortest = nonant("lights", "--size", "4x4", "--lit", "all", "--all-keys", "--fewest").stdout.split()
    assert shortest == [line for line in lines if line.count("1") == weights[0]]
    found = record("lights", "--size", "4x4", "--lit", "all", "--all-keys")
    assert list(found) == [*JSON_KEYS, "all_presses", "complete"]
    assert (found["all_presses"], found["complete"], found["presses"]) == (lines, True, lines[0])
    assert found["optimal"] is True
    capped = nonant("lights", "--size", "19x19", "--lit", "all", "--all-keys")
    assert len(capped.stdout.split()) == 1000
    assert "1000 of 65536" in capped.stderr
    endless = nonant("lights", "--size", "39x39", "--lit", "all", "--all-keys")
    assert len(set(endless.stdout.split())) == 1000
    assert "2^32" in endless.stderr
    three = nonant("lights", "00", "--size", "1x2", "--states", "3", "--all-keys")
    assert three.stdout.split() == ["00", "12", "21"]


def test_boards_with_known_answers() -> None:
    with shared_file("lightsout/random_boards.csv").open() as file:
        rows = list(csv.DictReader(file))
    for row in rows[:: len(rows) // 6]:
        size = f"{row['n']}x{row['n']}"
        done = nonant("lights", row["board"], "--size", size, "--fewest", "--json")
        found = json.loads(done.stdout)
        assert found["solvable"] == (row["solvable"] == "1")
        assert found["nullity"] == int(row["nullity"])
        assert done.returncode == (0 if found["solvable"] else 4)
        if found["solvable"] and row["min_presses"]:
            assert (found["weight"], found["optimal"]) == (int(row["min_presses"]), True)


def test_huge_boards_go_by_polynomials(tmp_path: Path) -> None:
    import numpy as np

    from nonant.models.lights.rectangle import apply

    rows, columns = 1000, 1001
    lit = np.random.default_rng(1).integers(0, 2, (rows, columns), dtype=np.uint8)
    file = tmp_path / "huge.txt"
    with file.open("w") as out:
        out.writelines("".join(map(str, row)) + "\n" for row in lit.tolist())
    found = record("lights", str(file))
    line = found["presses"]
    # Bit c of a row is its column c: the line backwards.
    presses = [int(line[at : at + columns][::-1], 2) for at in range(0, rows * columns, columns)]
    wanted = [int("".join(map(str, row))[::-1], 2) for row in lit.tolist()]
    assert list(apply(presses, columns)) == wanted
    assert (found["solvable"], found["nullity"], found["optimal"]) == (True, 0, True)
    assert nonant("lights", str(file), "--fewest").returncode == 0
    dark = record("lights", "-", "--size", "104x104", stdin="1" + "0" * (104 * 104 - 1))
    assert dark["nullity"] > 0
    assert dark["solvable"] is False
    assert dark["witness"]
    assert record("lights", "--size", "104x104", "--lit", "all")["optimal"] is False


# -- lights: misuse ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("10110",),
        ("11x1",),
        ("",),
        ("1101", "--size", "3x3"),
        ("1101", "--size", "twoxtwo"),
        ("1101", "--size", "0x4"),
        ("110 01",),
        ("1101", "--lit", "all"),
        ("--lit", "all"),
        ("--lit", "all", "--size", "100000x100000"),
        ("--lit", "some", "--size", "2x2"),
        ("1102",),
        ("1103", "--states", "3"),
        ("1102", "--states", "4"),
        ("1101", "--states", "11"),
        ("1101", "--rule", "tau"),
        ("1101", "--seconds", "-1"),
        ("no/such/file",),
        ("no_such_file.txt",),
        (".",),
        ("--size", "300x300", "--lit", "all", "--torus"),
        ("--size", "104x104", "--lit", "all", "--fewest"),
        ("--size", "104x104", "--lit", "all", "--all-keys"),
    ],
)
def test_lights_misuse_is_one_line_and_exit_code_2(arguments: tuple[str, ...]) -> None:
    check_misuse("lights", *arguments)


def check_misuse(*arguments: str, stdin: str | bytes = "") -> None:
    done = nonant(*arguments, stdin=stdin)
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.stderr.strip().count("\n") == 0
    assert done.stderr.strip()


def test_bad_symbols_are_named_with_their_place() -> None:
    done = nonant("lights", "-", stdin="110\n1x1\n000\n")
    assert done.stderr == "nonant: line 2, column 2: a light cannot be 'x'; write one digit a light, 0 or 1\n"
    for junk in (b"\xff\xfe\x00", os.urandom(300), b"\x00" * 25):
        check_misuse("lights", "-", stdin=junk)
        check_misuse("magic", "-", stdin=junk)


# -- a person at a terminal --------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_person_gets_pictures() -> None:
    game = seen("magic", "32")
    assert "000  110  001  000\n100  110  001  110\n000  000  001  110" in game
    assert "     110  111  111\n     010  011  101\n     000  001  111" in game
    assert "state 32: 3 keys, in any order: 0 5 6" in game
    assert "is the target: no key is needed" in seen("magic", "495")
    lights = seen("lights", "--size", "5x5", "--lit", "all", "--fewest")
    assert lights.startswith("lights      presses\n● ● ● ● ●   ")
    assert "15 presses: no solution takes fewer; there are 2^2 = 4 solutions" in lights
    four = seen("lights", "--size", "5x5", "--lit", "all", "--all-keys")
    assert four.count("15 presses") == 5
    assert "witness" in seen("lights", CORNER)
    assert "1 2 ·" in seen("lights", "120021112", "--states", "3")
    assert "too large for a picture" in seen("lights", "--size", "200x200", "--lit", "all")


def seen(*arguments: str) -> str:
    """What a person at a terminal of 80 columns sees."""
    import pty

    main, child_end = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "LINES": "24"}
    child = subprocess.Popen(
        [sys.executable, "-m", "nonant", *arguments],
        stdout=child_end,
        stdin=subprocess.DEVNULL,
        cwd=ROOT,
        env=environment,
    )
    os.close(child_end)
    text = b""
    while chunk := _read(main):
        text += chunk
    child.wait(timeout=60)
    os.close(main)
    return text.decode().replace("\r\n", "\n")


def _read(end: int) -> bytes:
    try:
        return os.read(end, 65_536)
    except OSError:  # the other end is closed
        return b""


@pytest.mark.parametrize(
    "arguments",
    [
        ("lights", "--size", "5x5", "--lit", "all", "--fewest", "--json"),
        ("lights", CORNER),
        ("lights", "--size", "5x5", "--lit", "all", "--all-keys"),
        ("lights", "1" * 81, "--states", "3"),
        ("lights", "--size", "7x7", "--lit", "all", "--torus", "--king"),
        ("magic", "32"),
    ],
)
def test_small_boards_are_answered_without_heavy_imports(arguments: tuple[str, ...]) -> None:
    heavy = ("numpy", "numba", "networkx", "ortools", "pysat", "rich")
    code = (
        "import sys\nfrom nonant.cli import main\n"
        f"try:\n    main({list(arguments)!r})\nfinally:\n    print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "[]"
