"""A real Dask cluster on this machine, of two worker processes: the answers are those of the threads, whatever dies."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nonant import Model, ModelError, NonantError, ParseError, Relation, rating_batch, verify_many
from nonant.csp.batch import run as batch
from nonant.csp.errors import BackendUnavailable
from nonant.csp.units import columns, rows
from nonant.models import model
from tests.support.command import nonant
from tests.support.files import ROOT
from tests.support.puzzles import CLASH, COUNTS, LINES, ONE, SIX, SOLVED

pytest.importorskip("distributed", reason='Dask is not installed: pip install "nonant[cluster]"')

from nonant.csp.batch import cluster  # after the line above, which skips them all

MANY = SOLVED[:39] + "." * 42  # 6,000 solutions, some hundredths of a second
EASY = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
TWO_GAPS = "." + SOLVED[1:80] + "."


class Local:
    """A scheduler and workers with one thread each, as processes of their own; `close` ends those."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(self.file))
        for _ in range(workers):
            self.start_worker()
        deadline = time.monotonic() + 60
        while not self.file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)

    def start(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
        self.processes.append(subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL))

    def start_worker(self) -> None:
        self.start("worker", "--scheduler-file", str(self.file), "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1")

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    found = Local(tmp_path_factory.mktemp("cluster"), 2)
    yield found
    found.close()


@pytest.fixture
def client(local: Local) -> Iterator[Any]:
    with cluster.connected(str(local.file)) as found:
        found.wait_for_workers(2, timeout=60)
        yield found


def text_of(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


@pytest.mark.parametrize("block", [500, None])
def test_answers_are_those_of_threads(client: Any, block: int | None) -> None:
    text = b"# a list\n\n" + text_of([*LINES, "12", ONE[:9] + "x" + ONE[10:], *LINES])
    here = verify_many(text, 10, solutions=True)
    parts = list(cluster.stream(client, text, 10, solutions=True, block=block))
    there = batch.gathered(parts, 10)
    assert there.counts.tolist() == here.counts.tolist() == [*COUNTS, -1, -1, *COUNTS]
    assert np.array_equal(there.solutions, here.solutions)
    assert [(bad.line, bad.reason) for bad in there.bad] == [(bad.line, bad.reason) for bad in here.bad]
    assert (there.end, there.branchings) == (here.end, here.branchings)
    assert len(parts) > 3


def test_arrays_and_other_models(client: Any) -> None:
    grids = np.zeros((70, 4, 4), np.uint8)
    grids[::2, 0] = (1, 1, 0, 0)
    found = batch.gathered(cluster.stream(client, grids, 10_000, model("classic-4")), 10_000)
    assert found.counts.tolist() == [0, 288] * 35


def test_a_model_of_ones_own_travels_with_its_functions(tmp_path: Path) -> None:
    less = Relation([(0, 0), (0, 1)], lambda left, right: left < right, "less")
    mine = Model("mine", shape=(4, 4), values=range(1, 5), constraints=[rows, columns, less])
    (tmp_path / "rules").write_bytes(cluster.packed(mine))
    code = (
        "import sys, pathlib; from nonant import count; from nonant.csp.batch.cluster import unpacked\n"
        "assert not [name for name in sys.modules if name.startswith('tests')]\n"
        "print(int(count(unpacked(pathlib.Path(sys.argv[1]).read_bytes()))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "rules")], capture_output=True, text=True, cwd=ROOT
    )
    assert (done.stdout, done.stderr) == ("288\n", "")
    locked = Model("locked", shape=(2,), values=(1, 2), constraints=[Relation([(0,), (1,)], _Locked(), "locked")])
    with pytest.raises(ModelError, match="'locked' cannot be sent to a cluster: TypeError"):
        cluster.packed(locked)


class _Locked:
    def __call__(self, left: int, right: int) -> bool:
        return left < right

    def __reduce__(self) -> Any:
        raise TypeError("it stays here")


def test_a_worker_is_killed_on_the_way(local: Local, client: Any) -> None:
    lines = [MANY, SIX, ONE, CLASH] * 100
    wanted = verify_many(lines, 1 << 40).counts.tolist()
    parts = cluster.stream(client, text_of(lines), 1 << 40)
    found = [next(parts)]
    work = {worker: keys for worker, keys in client.processing().items() if keys}
    assert work, "no worker is at work"
    victim = next(iter(work))
    os.kill(client.run(os.getpid, workers=[victim])[victim], signal.SIGKILL)
    found += parts
    assert batch.gathered(found, 1 << 40).counts.tolist() == wanted
    assert victim not in client.nthreads()
    assert len(client.nthreads()) == 1
    local.start_worker()


def test_a_search_that_nobody_waits_for_ends(client: Any) -> None:
    parts = cluster.stream(client, text_of([*LINES[:64], "." * 81]), 1 << 62)
    next(parts)
    parts.close()
    for worker in client.nthreads():  # each has one thread: it is free again
        assert client.submit(int, 7, workers=[worker], pure=False).result(timeout=60) == 7


def test_commands_write_the_same_rows(local: Local, client: Any, tmp_path: Path) -> None:
    source, here, there = tmp_path / "all.txt", tmp_path / "here.csv", tmp_path / "there.csv"
    source.write_bytes(text_of([ONE, "12", *LINES]))
    on = ("--cluster", str(local.file))
    first = nonant("batch", "solve", str(source), str(source), "-o", str(here))
    second = nonant("batch", "solve", str(source), str(source), "-o", str(there), *on)
    assert (first.returncode, second.returncode) == (2, 2)
    assert there.read_bytes() == here.read_bytes()
    assert [line for line in second.stderr.splitlines() if "line 2: the line has not 81 symbols" in line]
    there.write_bytes(here.read_bytes()[: len(here.read_bytes()) // 3 * 2])  # in the second list
    third = nonant("batch", "solve", str(source), str(source), "-o", str(there), *on, "--resume")
    assert "were done before" in third.stderr
    assert there.read_bytes() == here.read_bytes()
    strict = nonant("batch", "verify", str(source), "--strict", *on)
    assert strict.returncode == 2
    assert "line 2: the line has not 81 symbols" in strict.stderr


def test_ratings_come_from_a_cluster_too(local: Local, client: Any) -> None:
    text = text_of([EASY, SIX, "12", CLASH, TWO_GAPS] * 4)
    there = nonant("batch", "rate", "-", "--format", "csv", "--cluster", str(local.file), stdin=text.decode())
    rules = model("classic-9")
    rated = rating_batch.rated(rating_batch.asked(io.BytesIO(text), rules), lambda: rules, 1)
    here = [rating_batch.written(number, row, "csv").decode() for number, (_, row) in enumerate(rated, 1)]
    assert there.stdout.splitlines(keepends=True)[1:] == here
    assert len(here) == 20


def test_bad_questions(client: Any) -> None:
    with pytest.raises(ModelError, match="limit is 0"):
        cluster.stream(client, LINES, 0)
    with pytest.raises(ParseError, match="line 2: the line has not 81"):
        list(cluster.stream(client, text_of([ONE, "12"]), strict=True))


def _broken(_version: str, _rules: bytes) -> Any:
    raise OSError("no room")


def _told(version: str, _rules: bytes) -> Any:
    return cluster.same_version(version + "x")


def test_failures_are_told(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    share = cluster.Share(None, (), 0, "lines 1 to 9")
    for function, message in ((_broken, "lines 1 to 9 failed on 4 tries"), (_told, "install the same on both")):
        # By value: the workers cannot import this module.
        monkeypatch.setattr(function, "__module__", "__main__")
        with pytest.raises(NonantError, match=message):
            list(cluster.in_order(client, function, b"", [share]))


def test_nothing_waits_for_a_cluster_without_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1.0)
    monkeypatch.setattr(cluster, "_LOOK", 0.2)
    with ExitStack() as stack:
        empty = Local(tmp_path, 0)
        stack.callback(empty.close)
        client = stack.enter_context(cluster.connected(str(empty.file)))
        with pytest.raises(cluster.ClusterError, match="no worker for 1 s; start some"):
            list(cluster.stream(client, LINES))
        empty.processes[0].kill()
        with pytest.raises(cluster.ClusterError, match="scheduler"):
            list(cluster.stream(client, LINES))


def test_no_scheduler_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT", 1.0)
    for address in ("tcp://127.0.0.1:9", "nonsense://x", "no/such/file.json"):
        with pytest.raises(cluster.ClusterError, match=r"no Dask scheduler answers|no such scheduler file"):
            cluster.connected(address).__enter__()
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BackendUnavailable, match="pip install"), cluster.connected("tcp://127.0.0.1:9"):
        pass
    done = nonant("batch", "verify", "-", "--cluster", "tcp://127.0.0.1:9", "--workers", "2", stdin=ONE)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
