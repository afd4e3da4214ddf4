"""Batches: every kind of input, order, threads, limits, bad lines, parts, and rows of output."""

from __future__ import annotations

import gzip
import io
import json
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from nonant import Model, ModelError, ParseError, Unsupported, count_many, solve_many, verify_many
from nonant.csp.batch import run as batch
from nonant.csp.batch.rows import form_of
from nonant.csp.batch.rows import rows as rows_of
from nonant.csp.batch.run import BAD, stream
from nonant.csp.kernels.text import lines
from nonant.csp.units import columns, rows
from nonant.models import model
from tests.support.puzzles import CLASH, COUNTS, LINES, ONE, SIX, SOLVED, VERDICTS
from tests.support.random_models import brute_force, random_puzzle


def as_array(lines: list[str]) -> Any:
    return np.array([[0 if symbol == "." else int(symbol) for symbol in line] for line in lines], np.uint8)


def inputs(folder: Path) -> dict[str, Any]:
    text = ("\n".join(LINES) + "\n").encode()
    (folder / "plain.txt").write_bytes(text)
    (folder / "zipped.gz").write_bytes(gzip.compress(text))
    (folder / "windows.txt").write_bytes(text.replace(b"\n", b"\r\n"))
    rules = model("classic-9")
    return {
        "bytes": text,
        "no end": text[:-1],
        "text": text.decode(),
        "path": folder / "plain.txt",
        "name": str(folder / "plain.txt"),
        "gzip": folder / "zipped.gz",
        "windows": folder / "windows.txt",
        "file": io.BytesIO(text),
        "zipped file": io.BufferedReader(io.BytesIO(gzip.compress(text))),  # type: ignore[arg-type]
        "decorated": text.replace(b"\n", b" , easy; 3\n\n# a remark\n").replace(b".", b"0"),
        "array": as_array(LINES),
        "grids": as_array(LINES).reshape(-1, 9, 9),
        "wide array": as_array(LINES).astype(np.int64),
        "ascii array": np.frombuffer("".join(LINES).encode(), np.uint8).reshape(-1, 81),
        "lines": LINES,
        "generator": (line + "\n" for line in LINES),
        "byte lines": [line.encode() for line in LINES],
        "puzzles": [rules.puzzle(line) for line in LINES],
        "arrays": [as_array(LINES[:7]), as_array(LINES[7:])],
        "rows": list(as_array(LINES)),
    }


def test_every_kind_of_input(tmp_path: Path) -> None:
    for name, data in inputs(tmp_path).items():
        found = verify_many(data, solutions=True)
        assert found.verdicts.tolist() == VERDICTS, name
        assert found.counts.tolist() == [min(number, 2) for number in COUNTS], name
        assert found.solutions is not None
        assert "".join(map(str, found.solutions[0])) == SOLVED, name
        assert not found.solutions[2].any()
        assert found.bad == ()
        assert found.tally() == {"bad": 0, "none": 50, "unique": 50, "multiple": 50}


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("block", [100, 1000, None])
def test_threads_and_blocks_do_not_change_answers(threads: int, block: int | None) -> None:
    text = ("\n".join(LINES)).encode()
    parts = list(stream(text, limit=10, threads=threads, block=block, solutions=True))
    found = batch.gathered(parts, 10)
    assert found.counts.tolist() == COUNTS
    assert found.end == len(text)
    assert found.solutions is not None
    assert len(found.solutions) == len(LINES)
    assert (len(parts) > 2) == (block is not None)


@pytest.mark.parametrize("skip", [0, 1, 77, 150, 1000])
def test_skipping(skip: int) -> None:
    parts = list(stream("\n".join(LINES).encode(), skip=skip, limit=9, block=500))
    assert batch.gathered(parts, 9).counts.tolist() == COUNTS[skip:]
    assert sum(part.passed for part in parts) == min(skip, len(LINES))


def test_limits() -> None:
    assert solve_many(LINES).counts.tolist() == [1, 1, 0] * 50
    assert count_many(LINES).counts.tolist() == COUNTS
    assert count_many(LINES, limit=4).counts.tolist() == [1, 4, 0] * 50
    with pytest.raises(ModelError, match="limit is 0; give a number from 1"):
        verify_many(LINES, limit=0)
    with pytest.raises(ModelError, match="threads is 0"):
        verify_many(LINES, threads=0)


def test_bad_lines_are_told_and_passed() -> None:
    text = f"# list\n{ONE}\n123\n{ONE}5\n\n{ONE[:9]}x{ONE[10:]}\n{SIX}\n".encode()
    found = verify_many(text, solutions=True)
    assert found.counts.tolist() == [1, BAD, BAD, BAD, 2]
    assert [bad.line for bad in found.bad] == [3, 4, 6]
    assert "has not 81 symbols" in found.bad[0].reason
    assert found.bad[2].reason.startswith("column 10 is 'x'; model 'classic-9' takes 1 to 9")
    assert found.tally() == {"bad": 3, "none": 0, "unique": 1, "multiple": 1}
    with pytest.raises(ParseError, match="line 3: the line has not 81 symbols"):
        verify_many(text, strict=True)


def test_bad_lines_have_numbers_across_blocks() -> None:
    lines = [ONE] * 100
    lines[3] = lines[70] = "?"
    lines[99] = "?" + ONE[1:]
    found = batch.gathered(list(stream("\n".join(lines).encode(), block=300)), 2)
    assert [bad.line for bad in found.bad] == [4, 71, 100]
    array = as_array([ONE] * 5)
    array[2, 7] = 10
    assert [(bad.line, "column 8" in bad.reason) for bad in verify_many(array).bad] == [(3, True)]


def test_nothing_at_all() -> None:
    for data in (b"", b"\n\n# nothing\n", [], np.zeros((0, 81), np.uint8)):
        found = verify_many(data)
        assert (len(found), found.bad, found.tally()["unique"]) == (0, (), 0)


def test_what_cannot_be_puzzles() -> None:
    for data, message in (
        (3, "not as int"),
        ([3], "item 1 is a int"),
        (np.zeros((4, 80)), "no puzzles of model"),
        (np.zeros((4, 80), np.uint8), r"whole numbers of shape \(n, 81\)"),
        (io.StringIO("x"), "open it in binary"),
        ([model("x-9").puzzle(), model("classic-9").puzzle()], "puzzle 2 is of model 'classic-9'"),
        ([model("classic-9").puzzle(None, {"r1c1": [1, 2]})], "pencil marks"),
    ):
        with pytest.raises(ModelError, match=message):
            verify_many(data)
    with pytest.raises(ParseError, match="no/such"):
        verify_many("no/such")
    with pytest.raises(ParseError, match="damaged"):
        verify_many(gzip.compress(ONE.encode() * 100)[:-20] and io.BufferedReader(io.BytesIO(b"\x1f\x8b" + b"x" * 50)))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="no batch engine 'warp'"):
        verify_many(LINES, engine="warp")


# -- other models ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", range(0, 300, 100))
def test_random_models_equal_brute_force(start: int) -> None:
    tried = 0
    for seed in range(start, start + 100):
        puzzle = random_puzzle(seed)
        if batch.is_textual(puzzle.model) and puzzle.model.n_cells:
            wanted = brute_force(puzzle.model.puzzle(puzzle.line.split() if " " in puzzle.line else puzzle.line))
            found = count_many((puzzle.line + "\n").encode() * 2, model=puzzle.model)
            assert found.counts.tolist() == [len(wanted)] * 2, f"seed {seed}"
            tried += 1
    assert tried > 30


def test_a_model_with_zero_as_a_value() -> None:
    rules = Model("bits", shape=(2, 2), values=(0, 1), constraints=[rows, columns])
    assert count_many(b"....\n0...\n00..\n.1..", model=rules).counts.tolist() == [2, 1, 0, 1]


def test_a_model_without_solutions() -> None:
    rules = Model("tight", shape=(2, 2), values=(1,), constraints=[rows])
    assert count_many(b"....", model=rules).counts.tolist() == [0]


def test_large_models_come_as_arrays() -> None:
    rules = model("latin-40")
    with pytest.raises(ModelError, match="give the puzzles as an array"):
        verify_many(b"x", model=rules)
    first = np.add.outer(np.arange(40), np.arange(40)) % 40 + 1
    some = np.zeros((2, 40, 40), np.int64)
    some[0] = first
    some[1, 1:] = first[1:]
    found = verify_many(some, model=rules, solutions=True)
    assert found.counts.tolist() == [1, 1]
    assert found.solutions is not None
    assert (found.solutions[1] == first.ravel()).all()
    with pytest.raises(Unsupported, match="at most 64 values"):
        verify_many(np.zeros((1, 65 * 65), np.uint8), model=model("latin-65"))


# -- rows --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solutions", [False, True])
def test_rows(solutions: bool) -> None:
    text = f"{ONE}\n{SIX}\n{CLASH}\n?\n".encode()
    found = verify_many(text, solutions=solutions)
    rules = model("classic-9")

    def made(task: str, form: str) -> str:
        how = form_of(task, form, solutions)
        return (how.header + rows_of(found, how, rules, 9)).decode()

    words = ["unique", "multiple", "none", "bad"]
    lines = made("verify", "txt").splitlines()
    assert [line.split()[0] for line in lines] == words
    records = [json.loads(line) for line in made("verify", "jsonl").splitlines()]
    assert [record["verdict"] for record in records] == words
    assert [record["puzzle"] for record in records] == [9, 10, 11, 12]
    table = [line.split(",") for line in made("verify", "csv").splitlines()]
    assert table[0] == ["puzzle", "verdict"] + ["solution"] * solutions
    assert [row[:2] for row in table[1:]] == [[str(9 + at), word] for at, word in enumerate(words)]
    if solutions:
        assert lines[0].split()[1] == records[0]["solution"] == table[1][2] == SOLVED
        assert records[2]["solution"] is None
        assert table[3][2] == ""
        assert made("solve", "txt").splitlines()[0] == SOLVED
    assert [line.split()[0] for line in made("count", "txt").splitlines()] == ["1", "2", "0", "bad"]
    assert [json.loads(line)["count"] for line in made("count", "jsonl").splitlines()] == [1, 2, 0, None]


def test_row_numbers_of_every_length() -> None:
    found = verify_many([ONE] * 3)
    how = form_of("verify", "csv", False)
    for first in (1, 8, 98, 999_999_999_999):
        text = rows_of(found, how, model("classic-9"), first).decode()
        assert [int(line.split(",")[0]) for line in text.splitlines()] == [first, first + 1, first + 2]


@pytest.mark.parametrize("engine", ["lockstep9", "lockstep", "one by one"])
def test_a_stream_that_is_given_up_stops_its_search(engine: str) -> None:
    endless = "." * 81
    parts = stream([ONE] * 10 + [endless] * 3, limit=batch.NO_LIMIT, block=800, engine=engine, threads=2)
    assert next(parts).counts.tolist() == [1] * 10
    worker = threading.Thread(target=lambda: next(parts, None), daemon=True)
    worker.start()
    time.sleep(0.2)
    assert worker.is_alive()
    frame: Any = parts.gi_frame  # type: ignore[attr-defined]
    frame.f_locals["stop"][0] = 1
    worker.join(20)
    assert not worker.is_alive()


def found_by_hand(text: bytes, cells: int) -> list[tuple[int, int]]:
    """(start, line) of each puzzle: what `find_puzzles` must find, written plainly."""
    found, begin = [], 0
    pieces = text.split(b"\n")
    for number, line in enumerate(pieces):
        stripped = line.lstrip(b" \t")
        shift, stripped = len(line) - len(stripped), stripped.rstrip(b" \t\r")
        if stripped and not stripped.startswith(b"#"):
            fits = len(stripped) == cells or (len(stripped) > cells and stripped[cells : cells + 1] in b" \t,;")
            found.append((begin + shift if fits else lines.NO_PUZZLE, number))
        begin += len(line) + 1
    return found


@pytest.mark.parametrize("cells", [1, 4, 31, 32, 33, 64, 81, 100])
def test_finding_puzzles_in_any_text(cells: int) -> None:
    random = Random(cells)
    kinds: list[Any] = [lambda: b"1" * cells] * 6
    kinds += [
        lambda: b"",
        lambda: b"#" + b"1" * (cells - 1),
        lambda: b" " * cells,
        lambda: b"1" * random.randint(1, 2 * cells),
    ]
    kinds += [lambda: b" " + b"1" * cells + b" \r", lambda: b"1" * cells + random.choice([b",x", b";", b"\t7", b"x"])]
    kinds.append(lambda: bytes(random.choice(b"1 \t\r#,.") for _ in range(cells)))
    for _ in range(300):
        text = b"\n".join(random.choice(kinds)() for _ in range(random.randint(0, 12)))
        text += random.choice([b"", b"\n"])
        starts, numbers = np.empty(len(text) // 2 + 1, np.int64), np.empty(len(text) // 2 + 1, np.int64)
        found, _ = lines.find_puzzles(np.frombuffer(text, np.uint8), cells, starts, numbers)
        assert list(zip(starts[:found].tolist(), numbers[:found].tolist(), strict=True)) == found_by_hand(text, cells)
