"""The command line as its users meet it: answers, JSON, exit codes, bad input, lists, pipes, Ctrl-C."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import nonant
from tests.support.files import ROOT, shared_file
from tests.support.puzzles import CLASH, ONE, SIX, SOLVED


def record(*arguments: str, stdin: str = "") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(nonant(*arguments, "--json", stdin=stdin).stdout)
    return found


def test_solve() -> None:
    done = nonant("solve", ONE)
    assert (done.returncode, done.stdout, done.stderr) == (0, SOLVED + "\n", "")
    found = record("solve", ONE)
    assert set(found) == {"status", "solutions", "complete", "backend", "build_s", "solve_s", "nodes"}
    assert (found["status"], found["solutions"], found["complete"]) == ("solved", [SOLVED], True)
    assert record("solve", SIX)["complete"] is False
    assert len(record("solve", SIX, "--all")["solutions"]) == 6
    assert record("solve", SIX, "--limit", "6")["complete"] is True
    none = nonant("solve", CLASH)
    assert (none.returncode, none.stdout) == (4, "none\n")
    assert nonant("solve", "." * 256, "--node-limit", "0").returncode == 5


@pytest.mark.parametrize(("puzzle", "verdict", "code"), [(ONE, "unique", 0), (SIX, "multiple", 3), (CLASH, "none", 4)])
def test_verify(puzzle: str, verdict: str, code: int) -> None:
    done = nonant("verify", puzzle, "--json")
    assert done.returncode == code
    found = json.loads(done.stdout)
    assert set(found) == {"verdict", "solutions", "differs", "conflict", "rules", "message"}
    assert found["verdict"] == verdict
    assert len(found["solutions"]) == {"unique": 1, "multiple": 2, "none": 0}[verdict]
    assert bool(found["differs"]) == (verdict == "multiple")
    assert found["conflict"] == (["r1c1", "r1c2"] if verdict == "none" else [])
    plain = nonant("verify", puzzle)
    assert plain.stdout.startswith(verdict + " ")
    assert plain.stdout.count("\n") == 1


def test_verify_unknown() -> None:
    done = nonant("verify", "." * 256, "--node-limit", "0", "--json")
    assert done.returncode == 5
    assert json.loads(done.stdout)["verdict"] == "unknown"


def test_count_and_candidates() -> None:
    assert record("count", "." * 16) == {"count": 288, "complete": True}
    assert record("count", "." * 16, "--limit", "10") == {"count": 10, "complete": False}
    assert nonant("count", "." * 16, "--limit", "10").stdout == "at least 10\n"
    found = record("candidates", SIX)
    assert found["complete"]
    assert found["candidates"]["r1c1"] == [9]
    assert found["candidates"]["r8c1"] == [2, 4, 5]
    assert nonant("candidates", CLASH).returncode == 4


def test_every_family_by_name() -> None:
    listed = [line.split("\t") for line in nonant("models").stdout.splitlines()]
    assert len(listed) >= 9
    for name, rule, model, example in listed:
        assert rule
        found = record("verify", example, "--model", model)
        assert found["verdict"] == "unique", name
    assert nonant("models", "nothing").returncode == 2


def test_a_model_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from nonant import Model\nfrom nonant.csp.units import rows, columns, diagonals\n"
        "mine = Model('mine', shape=(4, 4), values=range(1, 5), constraints=[rows, columns, diagonals])\nother = 3\n"
    )
    assert int(nonant("count", "." * 16, "--model", f"{file}:mine").stdout) == 48
    for wrong, message in (
        (f"{file}:other", "not a Model"),
        (f"{file}:none", "has no none"),
        ("no.py:x", "cannot read"),
    ):
        done = nonant("count", "." * 16, "--model", wrong)
        assert done.returncode == 2
        assert message in done.stderr
        assert done.stderr.count("\n") == 1


def test_bad_input_is_one_line_and_exit_code_2() -> None:
    cases = json.loads(shared_file("edge/invalid_inputs.json").read_text())
    cases += json.loads(shared_file("edge/invalid_files.json").read_text())
    for case in cases:
        done = nonant("verify", "-", stdin=case["text"])
        if case["expect"].startswith("error"):
            assert done.returncode == 2, case["id"]
            assert done.stdout == "", case["id"]
            assert done.stderr.startswith("nonant: "), case["id"]
            assert done.stderr.count("\n") == 1, case["id"]
        else:
            codes = {"0 solutions": 4, "multiple": 3, "same as": 0, "seed 004": 0, "1 solution": 0}
            wanted = next(code for start, code in codes.items() if case["expect"].startswith(start))
            assert done.returncode == wanted, case["id"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve",),
        ("solve", "xx"),
        ("solve", ""),
        ("solve", "no/such/file.txt"),
        ("solve", "."),
        ("solve", ONE, "--backend", "abacus"),
        ("solve", ONE, "--model", "chess"),
        ("solve", ONE, "--model", "classic-7"),
        ("solve", ONE, "--limit", "0"),
        ("solve", ONE, "--time-limit", "-1"),
        ("verify", ONE, "--nonsense"),
        ("juggle", ONE),
        ("convert", ONE, "-", "--to", "papyrus"),
        ("convert", ONE, "/no/such/folder/out.txt"),
    ],
)
def test_misuse_is_one_line_and_exit_code_2(arguments: tuple[str, ...]) -> None:
    done = nonant(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.stderr.strip().count("\n") == 0


def test_bytes_that_are_no_text() -> None:
    for junk in (b"\xff\xfe\x00", b"\x00" * 81, os.urandom(500)):
        done = nonant("solve", "-", stdin=junk)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


def test_lists_answer_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "list.sdm"
    file.write_text(f"# three\n{ONE}\n{SIX}\nnonsense\n{CLASH}\n")
    done = nonant("verify", str(file), "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row.get("verdict", "bad") for row in rows] == ["unique", "multiple", "bad", "none"]
    assert rows[2]["line"] == 4
    assert "line 4" in done.stderr
    assert done.returncode == 2
    plain = nonant("solve", str(file))
    assert len(plain.stdout.splitlines()) == 3
    assert nonant("verify", "-", stdin=f"{ONE}\n{ONE}\n").returncode == 0


def test_a_long_list_through_a_pipe(tmp_path: Path) -> None:
    file = tmp_path / "list.txt.gz"
    with gzip.open(file, "wt") as out:
        out.writelines(f"{ONE}\n" for _ in range(3_000))
    done = nonant("verify", str(file))
    assert done.stdout == f"unique {SOLVED}\n" * 3_000
    head = subprocess.run(
        f"{sys.executable} -m nonant solve {file} | head -n 2", shell=True, capture_output=True, text=True, cwd=ROOT
    )
    assert head.stdout == f"{SOLVED}\n" * 2
    assert head.stderr == ""


def test_certificates_are_written_and_checked(tmp_path: Path) -> None:
    out, lrat = str(tmp_path / "c.json"), str(tmp_path / "c.lrat")
    assert nonant("verify", ONE, "--certificate", out, "--lrat", lrat).returncode == 0
    assert Path(lrat + ".cnf").read_text().startswith("p cnf 729 ")
    done = nonant("check", out)
    assert (done.returncode, done.stdout.split(":")[0]) == (0, "accepted")
    other = nonant("check", out, "--puzzle", "5" + ONE[1:], "--json")
    assert other.returncode == 1
    assert not json.loads(other.stdout)["accepted"]
    text = Path(out).read_text()
    Path(out).write_text(text[: len(text) // 2])
    assert nonant("check", out).returncode == 2
    claim = json.loads(text)
    Path(out).write_text(json.dumps({**claim, "proof": claim["proof"][:-1]}))
    assert nonant("check", out).returncode == 1
    assert nonant("check", str(tmp_path / "no.json")).returncode == 2
    assert nonant("verify", SIX, "--certificate", str(tmp_path / "six.json")).returncode == 3
    assert not (tmp_path / "six.json").exists()
    assert nonant("verify", "-", "--certificate", out, stdin=f"{ONE}\n{SIX}\n").returncode == 2


def test_convert_round_trips(tmp_path: Path) -> None:
    for form in ("line", "grid", "boxes", "numbers", "csv", "sdk"):
        out = tmp_path / f"{form}.out"
        assert nonant("convert", ONE, str(out), "--to", form).returncode == 0
        assert nonant("convert", str(out), "-").stdout == ONE + "\n"
    sdm = tmp_path / "two.sdm"
    assert nonant("convert", "-", str(sdm), stdin=f"{ONE}\n{SIX}\n").returncode == 0
    assert sdm.read_text() == f"{ONE}\n{SIX}\n"


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT to a child")
def test_ctrl_c_tells_how_far_it_came() -> None:
    for arguments in (("count", "." * 81), ("count", "." * 81, "--backend", "native")):
        child = subprocess.Popen(
            [sys.executable, "-m", "nonant", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        time.sleep(4)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=20)
        assert child.returncode == 130
        assert "at least" in err
        assert "Traceback" not in err
        assert out == ""


def test_help_names_every_command() -> None:
    done = nonant("--help")
    assert done.returncode == 0
    for command in ("solve", "verify", "check", "count", "candidates", "compare", "convert", "models", "backends"):
        assert command in done.stdout
        assert nonant(command, "--help").returncode == 0
    assert nonant("--version").stdout.startswith("nonant, version ")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_person_gets_a_picture() -> None:
    import pty

    main, child_end = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "nonant", "solve", ONE], stdout=child_end, stdin=subprocess.DEVNULL, cwd=ROOT
    )
    os.close(child_end)
    seen = b""
    while chunk := _read(main):
        seen += chunk
    text = seen.decode()
    assert done.returncode == 0
    assert "│4 6 8│9 3 1│5 2 7│" in text
    assert "the only one" in text


def _read(end: int) -> bytes:
    try:
        return os.read(end, 65_536)
    except OSError:  # the other end is closed
        return b""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("task", [["verify"], ["compare", "--backends", "native"], ["batch", "verify"]])
def test_a_person_who_waits_for_a_list_sees_the_same_progress_everywhere(task: list[str], tmp_path: Path) -> None:
    import pty

    path = tmp_path / "list.txt"
    path.write_text(f"{ONE}\n" * 300)
    main, child_end = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "nonant", *task, str(path)], stdout=subprocess.DEVNULL, stderr=child_end, cwd=ROOT
    ) as running:
        os.close(child_end)
        seen = b""
        while chunk := _read(main):
            seen += chunk
    assert running.returncode == 0
    assert re.search(rb"300 puzzles, [\d,]+ a second", seen)
