"""`nonant batch` as its users meet it: rows, summary, bad lines, and being killed at any moment."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from tests.support.command import nonant
from tests.support.files import ROOT
from tests.support.puzzles import CLASH, ONE, SIX, SOLVED


def test_verify_to_a_pipe() -> None:
    done = nonant("batch", "verify", "-", stdin=f"{ONE}\n{SIX}\n{CLASH}\n")
    assert (done.returncode, done.stdout) == (0, "unique\nmultiple\nnone\n")
    assert "3 puzzles" in done.stderr
    assert "1 unique, 1 multiple, 1 none, 0 bad" in done.stderr
    assert "a second" in done.stderr


def test_forms_by_ending(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"{ONE}\n")
    (tmp_path / "b.gz").write_bytes(gzip.compress(f"{SIX}\n".encode()))
    files = [str(tmp_path / "a.txt"), str(tmp_path / "b.gz")]
    assert nonant("batch", "verify", *files, "-o", str(tmp_path / "o.csv")).returncode == 0
    assert (tmp_path / "o.csv").read_text() == "puzzle,verdict\n1,unique\n2,multiple\n"
    assert nonant("batch", "solve", *files, "-o", str(tmp_path / "o.jsonl")).returncode == 0
    records = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert records[0] == {"puzzle": 1, "status": "solved", "solution": SOLVED}
    assert nonant("batch", "solve", *files).stdout.splitlines()[0] == SOLVED
    assert nonant("batch", "count", *files).stdout == "1\n6\n"
    assert nonant("batch", "count", *files, "--limit", "3", "--workers", "1").stdout == "1\n3\n"
    again = nonant("batch", "verify", *files, "-o", str(tmp_path / "o.csv"))
    assert again.returncode == 2
    assert "exists; give --resume" in again.stderr


def test_bad_lines() -> None:
    done = nonant("batch", "verify", "-", stdin=f"{ONE}\n12\n{SIX}\n")
    assert (done.returncode, done.stdout) == (2, "unique\nbad\nmultiple\n")
    assert "nonant: -, line 2: the line has not 81 symbols" in done.stderr
    strict = nonant("batch", "verify", "-", "--strict", stdin=f"{ONE}\n12\n{SIX}\n")
    assert strict.returncode == 2
    assert "line 2: the line has not 81 symbols" in strict.stderr
    many = nonant("batch", "verify", "-", stdin="12\n" * 50)
    assert many.stderr.count("has not 81 symbols") == 20
    assert "more bad lines" in many.stderr


def test_bad_arguments(tmp_path: Path) -> None:
    for arguments, message in (
        (("verify", "no/such"), "no such file"),
        (("verify", str(ROOT)), "no such file"),
        (("verify", "-", "--resume"), "--resume needs -o OUT"),
        (("verify", "-", "--limit", "1"), "--limit 1 cannot tell"),
        (("verify", "-", "--model", "nothing"), "no model is called"),
        (("verify", "-", "--model", "latin-40"), "as an array"),
    ):
        done = nonant("batch", *arguments, stdin=ONE)
        assert done.returncode == 2, arguments
        assert message in done.stderr
        assert len(done.stderr.splitlines()) == 1
    (tmp_path / "o.csv").write_text("something else\n")
    done = nonant("batch", "verify", "-", "-o", str(tmp_path / "o.csv"), "--resume", stdin=ONE)
    assert done.returncode == 2
    assert "was not written by this command" in done.stderr


def test_another_model() -> None:
    done = nonant("batch", "count", "-", "--model", "classic-4", stdin="." * 16 + "\n1" + "." * 15 + "\n")
    assert done.stdout == "288\n72\n"


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_resume_from_every_cut(tmp_path: Path, ending: str) -> None:
    lists = [tmp_path / "a.txt", tmp_path / "b.txt"]
    lists[0].write_text(f"{ONE}\n# remark\n{SIX}\n\n")
    lists[1].write_text(f"12\n{CLASH}\n{ONE}")
    out = tmp_path / f"o.{ending}"
    arguments = ["batch", "verify", *map(str, lists), "-o", str(out)]
    assert nonant(*arguments).returncode == 2
    whole = out.read_bytes()
    for cut in (3, len(whole) // 2, len(whole)):
        out.write_bytes(whole[:cut])
        nonant(*arguments, "--resume")
        assert out.read_bytes() == whole, cut


def killed_run(tmp_path: Path, kills: int, repeats: int, seed: int) -> None:
    """Kill a run at random moments, resume it each time; the rows must be those of an unbroken run."""
    source, out, whole = tmp_path / "all.txt", tmp_path / "out.csv", tmp_path / "whole.csv"
    source.write_text(f"{ONE}\n{SIX}\n{CLASH}\n{ONE}\n" * repeats)
    assert nonant("batch", "verify", str(source), "-o", str(whole)).returncode == 0
    random, done, seen = Random(seed), 0, set()
    arguments = [sys.executable, "-m", "nonant", "batch", "verify", str(source), "-o", str(out), "--resume"]
    for _ in range(kills):
        run = subprocess.Popen(arguments, stderr=subprocess.DEVNULL, cwd=ROOT)
        deadline = time.monotonic() + 30
        while run.poll() is None and time.monotonic() < deadline:
            if out.exists() and out.stat().st_size > done:
                time.sleep(random.random() * 0.05)
                break
            time.sleep(0.001)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        done = out.stat().st_size if out.exists() else 0
        seen.add(done)
        prefix = out.read_bytes()
        assert whole.read_bytes().startswith(prefix)
    finished = subprocess.run(arguments, capture_output=True, cwd=ROOT, timeout=300)
    assert finished.returncode == 0
    assert out.read_bytes() == whole.read_bytes()
    assert len(seen) > 1


def test_killed_and_resumed(tmp_path: Path) -> None:
    killed_run(tmp_path, 2, 60_000, 1)


@pytest.mark.long
def test_killed_and_resumed_many_times(tmp_path: Path) -> None:
    killed_run(tmp_path, 12, 500_000, 2)


@pytest.mark.parametrize("model", ["classic-9", "x-9"])
def test_ctrl_c_stops_a_count_without_end(model: str) -> None:
    command = [sys.executable, "-m", "nonant", "batch", "count", "-", "--model", model]
    run = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert run.stdin is not None
    run.stdin.write(f"{ONE}\n{'.' * 81}\n")
    run.stdin.close()
    run.stdin = None
    time.sleep(2)
    run.send_signal(signal.SIGINT)
    out, error = run.communicate(timeout=60)
    assert (run.returncode, error.splitlines()[-1]) == (130, "nonant: interrupted")
    assert out == ""
