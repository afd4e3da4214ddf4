"""`nonant batch rate` as its users meet it: rows in three forms, bad lines, processes, resume, being killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest

from nonant import rating_batch
from nonant.commands.batch import _rules
from nonant.models import model
from nonant.strategies.ratings import BEYOND, RATED, UNFINISHED, Rating
from tests.support.command import nonant
from tests.support.files import ROOT

EASY = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
PAIRS = "3..9.68.5.....52......8..7...14...2.4...53.....9...4.....3.....17...4...56...1..."
SIX = "92..8.65.6..2.43..3..5.9.72.7.953.......7.......6..5....142..3.....31..6.6.7..1.."
CLASH = "11" + "." * 79
DEEP = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
LIST = f"# a remark\n{EASY}\n12\n{PAIRS}\n\n{SIX}\n{CLASH}\n"
CSV = """puzzle,status,W,B,depth,hardest
1,solved,0,0,0,hidden single
2,bad,,,,
3,solved,1,1,0,locked candidates
4,multiple,,,,
5,none,,,,
"""


def test_forms(tmp_path: Path) -> None:
    source = tmp_path / "list.txt"
    source.write_text(LIST)
    done = nonant("batch", "rate", str(source), "-o", str(tmp_path / "o.csv"))
    assert done.returncode == 2
    assert (tmp_path / "o.csv").read_text() == CSV
    assert "line 3: the line has not 81 symbols" in done.stderr
    assert "5 puzzles" in done.stderr
    assert "2 solved, 0 stuck, 1 multiple, 1 none, 1 bad" in done.stderr
    done = nonant("batch", "rate", "-", "--format", "jsonl", stdin=LIST)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert records[2] == {
        "puzzle": 3,
        "status": "solved",
        "W": 1,
        "B": 1,
        "depth": 0,
        "hardest": "locked candidates",
    }
    assert records[3] == {"puzzle": 4, "status": "multiple"}
    done = nonant("batch", "rate", "-", stdin=LIST)
    assert done.stdout == "0 0 0 hidden single\nbad\n1 1 0 locked candidates\nmultiple\nnone\n"


def test_figures() -> None:
    for rating, figures in (
        (Rating(RATED, 7, 6, 7, 6, 7), ("7", "6")),
        (Rating(RATED, 7, 5, 6, 5, 7), ("6..7", "5")),
        (Rating(BEYOND, None, None), ("-", "-")),
        (Rating(UNFINISHED, None, 6, 6, 6), ("6..", "6")),
        (Rating(UNFINISHED, None, None, 4, 4), ("4..", "4..")),
    ):
        assert tuple(rating_batch.figures(rating)) == figures
    row = rating_batch.Row("solved", Rating(RATED, 7, 5, 6, 5, 7), 1, "braid")
    assert rating_batch.written(3, row, "csv") == b"3,solved,6..7,5,1,braid\n"
    record = json.loads(rating_batch.written(3, row, "jsonl"))
    assert (record["W"], record["W_least"], record["B"], record["B_least"]) == (7, 6, 5, 5)


def test_depth_two_has_no_ratings() -> None:
    done = nonant("batch", "rate", "-", "--format", "csv", stdin=DEEP)
    assert done.stdout.splitlines()[1] == "1,solved,-,-,2,nested braid"


def test_bad_arguments(tmp_path: Path) -> None:
    out = tmp_path / "o.csv"
    out.write_text("something else\n")
    for arguments, message in (
        (("no/such",), "no such file"),
        (("-", "--limit", "3"), "rate takes no --limit"),
        (("-", "--solutions"), "rate takes no --limit and no --solutions"),
        (("-", "--model", "latin-40"), "as an array"),
        (("-", "-o", str(out)), "exists; give --resume"),
        (("-", "-o", str(out), "--resume"), "was not written by this command"),
    ):
        done = nonant("batch", "rate", *arguments, stdin=EASY)
        assert done.returncode == 2, arguments
        assert message in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_strict_keeps_the_rows_before() -> None:
    done = nonant("batch", "rate", "-", "--strict", stdin=LIST)
    assert (done.returncode, done.stdout) == (2, "0 0 0 hidden single\n")
    assert "line 3: the line has not 81 symbols" in done.stderr


def test_another_model_and_several_lists(tmp_path: Path) -> None:
    small = ".1..2........31."
    lists = [tmp_path / "a.txt", tmp_path / "b.txt"]
    lists[0].write_text(f"{small}.\n")
    lists[1].write_text(f"......43.41..2..\n{small}\n")
    done = nonant("batch", "rate", *map(str, lists), "--model", "classic-4")
    assert done.returncode == 2
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["bad", "0", "0"]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_resume_from_a_cut(tmp_path: Path, ending: str) -> None:
    source, out = tmp_path / "list.txt", tmp_path / f"o.{ending}"
    source.write_text(LIST)
    arguments = ["batch", "rate", str(source), "-o", str(out)]
    nonant(*arguments)
    whole = out.read_bytes()
    out.write_bytes(whole[: len(whole) // 2])
    nonant(*arguments, "--resume")
    assert out.read_bytes() == whole


def test_processes_give_the_same_rows_in_order() -> None:
    text = "\n".join([EASY, CLASH, "12", SIX] * 15).encode()
    rules = model("classic-9")
    rows = {
        workers: list(rating_batch.rated(rating_batch.asked(BytesIO(text), rules), partial(_rules, None), workers))
        for workers in (1, 2)
    }
    assert len(rows[1]) == 60
    assert rows[1] == rows[2]


def test_a_lost_worker_is_told() -> None:
    items = (rating_batch.Asked(number, EASY, 0, "") for number in range(1, 61))
    with pytest.raises(rating_batch.WorkerLost, match="--resume goes on"):
        list(rating_batch.rated(items, _leaves, 2))


def _leaves() -> None:
    os._exit(3)


@pytest.mark.long
def test_killed_and_resumed(tmp_path: Path) -> None:
    source, out = tmp_path / "list.txt", tmp_path / "o.csv"
    source.write_text(f"{EASY}\n{PAIRS}\n{SIX}\n" * 100)
    arguments = [sys.executable, "-m", "nonant", "batch", "rate", str(source), "-o", str(out), "--workers", "2"]
    expected = CSV.splitlines()[0] + "\n"
    answers = ("solved,0,0,0,hidden single", "solved,1,1,0,locked candidates", "multiple,,,,")
    expected += "".join(f"{number + 1},{answers[number % 3]}\n" for number in range(300))
    for kill in (signal.SIGKILL, signal.SIGINT):
        before = out.stat().st_size if out.exists() else 0
        run = subprocess.Popen([*arguments, "--resume"], stderr=subprocess.DEVNULL, cwd=ROOT)
        deadline = time.monotonic() + 120
        while run.poll() is None and time.monotonic() < deadline:
            if out.exists() and out.stat().st_size > before + 200:
                break
            time.sleep(0.005)
        os.kill(run.pid, kill)
        assert run.wait(20) in (-signal.SIGKILL, 130)
        assert expected.startswith(out.read_text())
    assert nonant(*arguments[3:], "--resume").returncode == 0
    assert out.read_text() == expected
