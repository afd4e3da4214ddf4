"""Answers as Parquet parts and as a growing .npy file: what stands in them, also of a writer that was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from nonant import ParseError, count_many, verify_many
from nonant.csp.batch.run import Results, stream
from nonant.csp.batch.saver import saver as saver_of
from nonant.csp.errors import BackendUnavailable
from nonant.models import model
from tests.support.command import nonant
from tests.support.files import ROOT
from tests.support.puzzles import CLASH, LINES, ONE, SIX, SOLVED

RULES = model("classic-9")
TEXT = ("\n".join([*LINES, "12", *LINES]) + "\n").encode()
WORDS = ["unique", "multiple", "none"] * 50
VERDICTS = [1, 2, 0] * 50


def parts(limit: int = 2, skip: int = 0) -> Iterator[Results]:
    return stream(TEXT, limit, solutions=True, skip=skip, block=3000)


def save(form: str, path: Path, task: str, found: Iterator[Results], solutions: bool = False, **more: Any) -> int:
    with saver_of(form, str(path), task, RULES, solutions, more.get("resume", False)) as saver:
        for part in found:
            saver.write(part)
    return saver.done


def parquet(path: Path) -> dict[str, list[Any]]:
    dataset = pytest.importorskip("pyarrow.dataset", reason='pyarrow is not installed: pip install "nonant[parquet]"')
    table = dataset.dataset(path, format="parquet").to_table()
    found: dict[str, list[Any]] = table.to_pydict()
    return found


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason='pyarrow is not installed: pip install "nonant[parquet]"')
    from nonant.csp.batch import parquet as batch_parquet

    monkeypatch.setattr(batch_parquet, "GROUP", 50)
    monkeypatch.setattr(batch_parquet, "PART", 120)


def test_columns_of_parquet(tmp_path: Path, small_parts: None) -> None:
    assert save("parquet", tmp_path / "v", "verify", parts(), solutions=True) == 301
    assert len(list((tmp_path / "v").iterdir())) > 1
    found = parquet(tmp_path / "v")
    assert found["puzzle"] == list(range(1, 302))
    assert found["verdict"] == [*WORDS, "bad", *WORDS]
    here = verify_many(TEXT, solutions=True)
    texts = ["".join(map(str, row)) if row.any() else None for row in here.solutions]  # type: ignore[union-attr]
    assert found["solution"] == texts
    assert texts[0] == SOLVED
    save("parquet", tmp_path / "c", "count", parts(9))
    counts = parquet(tmp_path / "c")
    assert list(counts) == ["puzzle", "count"]
    assert counts["count"] == [*[1, 6, 0] * 50, None, *[1, 6, 0] * 50]
    save("parquet", tmp_path / "s", "solve", parts(1), solutions=True)
    assert parquet(tmp_path / "s")["status"][148:152] == ["solved", "none", "bad", "solved"]


def test_parquet_goes_on_where_whole_parts_end(tmp_path: Path, small_parts: None) -> None:
    folder = tmp_path / "v"
    save("parquet", folder, "verify", parts())
    whole, names = parquet(folder), sorted(path.name for path in folder.iterdir())
    for kept in range(len(names)):
        for name in names[kept:]:
            (folder / name).unlink(missing_ok=True)
        (folder / "_unfinished").write_bytes(b"PAR1 and no footer")
        assert parquet(folder)["puzzle"] if kept else True  # readers pass the unfinished part over
        with saver_of("parquet", str(folder), "verify", RULES, False, True) as saver:
            for part in parts(skip=saver.done):
                saver.write(part)
        assert parquet(folder) == whole
        assert sorted(path.name for path in folder.iterdir()) == names


def test_parquet_is_not_mixed_with_other_things(tmp_path: Path, small_parts: None) -> None:
    folder = tmp_path / "v"
    save("parquet", folder, "verify", parts())
    with pytest.raises(ParseError, match="is not empty; resume to go on"):
        save("parquet", folder, "verify", parts())
    with pytest.raises(ParseError, match="not written by this command"):
        save("parquet", folder, "count", parts(), resume=True)
    with pytest.raises(ParseError, match="not written by this command"):
        saver_of("parquet", str(folder), "verify", model("x-9"), False, True)
    sorted(folder.iterdir())[0].unlink()
    with pytest.raises(ParseError, match="does not follow"):
        save("parquet", folder, "verify", parts(), resume=True)
    (tmp_path / "file").write_text("text")
    with pytest.raises(ParseError, match="is a file"):
        save("parquet", tmp_path / "file", "verify", parts())


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(BackendUnavailable, match="needs pyarrow"):
        save("parquet", tmp_path / "v", "verify", parts())


def test_arrays(tmp_path: Path) -> None:
    assert save("npy", tmp_path / "v.npy", "verify", parts()) == 301
    verdicts = np.load(tmp_path / "v.npy", mmap_mode="r")
    assert (verdicts.dtype, verdicts.tolist()) == (np.int8, [*VERDICTS, -1, *VERDICTS])
    save("npy", tmp_path / "c.npy", "count", parts(9))
    counts = np.load(tmp_path / "c.npy")
    assert (counts.dtype, counts.tolist()) == (np.int64, count_many(TEXT).counts.tolist())
    save("npy", tmp_path / "s.npy", "solve", parts(1), solutions=True)
    rows = np.load(tmp_path / "s.npy")
    assert rows["status"].tolist() == np.minimum([*VERDICTS, -1, *VERDICTS], 1).tolist()
    assert "".join(map(str, rows["solution"][0])) == SOLVED
    assert not rows["solution"][2].any()


def test_arrays_go_on_from_every_cut(tmp_path: Path) -> None:
    path = tmp_path / "s.npy"
    save("npy", path, "solve", parts(1), solutions=True)
    whole = path.read_bytes()
    for cut in (0, 5, 255, 256, 300, 256 + 82, len(whole) // 2, len(whole)):
        path.write_bytes(whole[:cut])
        with saver_of("npy", str(path), "solve", RULES, True, True) as saver:
            assert len(np.load(path)) == saver.done == max(0, cut - 256) // 82
            for part in parts(1, skip=saver.done):
                saver.write(part)
        assert path.read_bytes() == whole, cut
    with pytest.raises(ParseError, match="exists; resume to go on"):
        save("npy", path, "solve", parts(), solutions=True)
    with pytest.raises(ParseError, match="not written by this command"):
        save("npy", path, "verify", parts(), resume=True)
    for content in (b"text", b"t" * 400, b"\x93NUMPY\x01\x00v\x00" + b"(" * 300):
        path.write_bytes(content)
        with pytest.raises(ParseError, match="not written by this command"):
            save("npy", path, "verify", parts(), resume=True)
        assert path.read_bytes() == content


def test_rows_beyond_the_header_are_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "v.npy"
    save("npy", path, "verify", parts())
    whole = path.read_bytes()
    path.write_bytes(whole + b"\1\1\1")  # written, but not yet said
    assert len(np.load(path)) == 301
    assert save("npy", path, "verify", iter(()), resume=True) == 301
    assert path.read_bytes() == whole


def test_commands(tmp_path: Path) -> None:
    (tmp_path / "all.txt").write_text(f"{ONE}\n{SIX}\n12\n{CLASH}\n")
    source, array, folder = (str(tmp_path / name) for name in ("all.txt", "v.npy", "v.parquet"))
    assert nonant("batch", "verify", source, "-o", array).returncode == 2
    assert np.load(array).tolist() == [1, 2, -1, 0]
    for arguments, message in (
        (("verify", source, "-o", array), "exists; give --resume"),
        (("verify", source, "--format", "npy"), "npy needs -o OUT: a file"),
        (("verify", source, "--format", "parquet"), "parquet needs -o OUT: a folder"),
        (("rate", source, "-o", folder), "rate writes txt, csv or jsonl"),
    ):
        done = nonant("batch", *arguments)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), arguments
        assert message in done.stderr
    pytest.importorskip("pyarrow", reason='pyarrow is not installed: pip install "nonant[parquet]"')
    assert nonant("batch", "verify", source, "-o", folder).returncode == 2
    assert parquet(Path(folder))["verdict"] == ["unique", "multiple", "bad", "none"]
    assert "exists; give --resume" in nonant("batch", "verify", source, "-o", folder).stderr
    again = nonant("batch", "verify", source, "-o", folder, "--resume")
    assert "0 puzzles (4 were done before)" in again.stderr
    assert parquet(Path(folder))["puzzle"] == [1, 2, 3, 4]


# `nonant batch` with parts of a few thousand rows, so that there are some to lose.
SMALL_PARTS = (
    "from nonant.csp.batch import parquet as p, source as i\n"
    "p.PART, p.GROUP, i.BLOCK = 5000, 2000, 1 << 17\n"
    "import sys; from nonant.cli import main; main(sys.argv[1:])"
)


@pytest.mark.parametrize("form", ["npy", "parquet"])
def test_killed_and_resumed(tmp_path: Path, form: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow", reason='pyarrow is not installed: pip install "nonant[parquet]"')
    source, out, whole = tmp_path / "all.txt", tmp_path / f"out.{form}", tmp_path / "whole.npy"
    source.write_text(f"{ONE}\n{SIX}\n{CLASH}\n{ONE}\n" * 40_000)
    assert nonant("batch", "verify", str(source), "-o", str(whole)).returncode == 0
    wanted = np.load(whole)
    program = ["-c", SMALL_PARTS] if form == "parquet" else ["-m", "nonant"]
    arguments = [sys.executable, *program, "batch", "verify", str(source), "-o", str(out), "--resume"]

    def rows() -> Any:
        if form == "npy":
            return np.load(out) if out.exists() and out.stat().st_size else np.zeros(0, np.int8)
        table = parquet(out) if out.exists() and list(out.glob("*.parquet")) else {"puzzle": [], "verdict": []}
        assert table["puzzle"] == list(range(1, len(table["puzzle"]) + 1))
        places = {"none": 0, "unique": 1, "multiple": 2}
        return np.array([places[word] for word in table["verdict"]], np.int8)

    random, seen = Random(3), set()
    for _ in range(2):
        run = subprocess.Popen(arguments, stderr=subprocess.DEVNULL, cwd=ROOT)
        before, deadline = _size(out), time.monotonic() + 60
        while run.poll() is None and time.monotonic() < deadline:
            if _size(out) > before:
                time.sleep(random.random() * 0.05)
                break
            time.sleep(0.001)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        found = rows()
        assert np.array_equal(found, wanted[: len(found)])
        seen.add(len(found))
    done = subprocess.run(arguments, capture_output=True, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stderr
    assert np.array_equal(rows(), wanted)
    assert seen - {0, len(wanted)}, "never killed on the way"


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(file.stat().st_size for file in path.glob("*.parquet"))
    return path.stat().st_size if path.exists() else 0
