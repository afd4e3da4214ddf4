"""What a share costs beside its search on a Dask cluster: CPU time of caller, scheduler and workers, and the way there.

    python benchmarks/cluster.py [--data FOLDER] [--rounds 3]

Starts a scheduler and two workers with a thread each, as processes on this machine, and sends the 17-clue list in
shares of fixed sizes. CPU time is that of whole processes, so that other load changes it little; what grows with the
puzzles and what a share costs at any size are separated by a straight line. The search itself is measured here, in a
thread, and taken off the workers' time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SIZES = (100, 5_000, 25_000, 100_000)  # puzzles in a share
LEAST = 20_000  # puzzles a run, and no fewer than 40 shares


@contextmanager
def local_cluster(folder: Path) -> Iterator[tuple[str, list[int]]]:
    """The scheduler file, and the processes: the scheduler, then two workers."""
    file = str(folder / "scheduler.json")
    dask = [sys.executable, "-m", "dask"]
    local = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", file]
    commands = [[*dask, "scheduler", "--port", "0", *local]]
    commands += [[*dask, "worker", "--nthreads", "1", "--no-nanny", *local]] * 2
    processes = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for command in commands]
    try:
        while not Path(file).exists():
            time.sleep(0.1)
        yield file, [process.pid for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def main() -> None:
    """Print one line a size, and the line through them."""
    import numpy as np
    import psutil  # comes with Dask
    from speed import ROOT, lines_of

    from nonant.csp.batch import cluster
    from nonant.csp.batch.engines import classic, engine_for
    from nonant.csp.batch.rows import form_of, rows
    from nonant.csp.kernels.text.job import Job

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=ROOT / "data" / "classic")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    lines, model = lines_of(options.data, "17 clues"), classic()
    number = lines.count(b"\n")

    def searched() -> float:
        """Seconds a puzzle of the search alone."""
        engine = engine_for(model)
        text, starts = np.frombuffer(lines, np.uint8), np.arange(number) * 82
        space, nothing, stop = engine.workspace(), np.zeros(0, np.uint8), np.zeros(1, np.int64)
        begun = time.thread_time()
        engine.run(Job(text, starts, 0, number, 2, np.zeros(number, np.int64), nothing, stop), space)
        return (time.thread_time() - begun) / number

    def used(pid: int) -> float:
        times = psutil.Process(pid).cpu_times()
        return float(times.user + times.system)

    form = form_of("verify", "csv", False)
    with (
        tempfile.TemporaryDirectory() as folder,
        local_cluster(Path(folder)) as (file, pids),
        cluster.connected(file) as client,
    ):
        client.wait_for_workers(2, timeout=60)
        everyone = [psutil.Process().pid, *pids]
        searched()
        print("milliseconds of CPU time a share, the least of the rounds")
        print(f"{'puzzles':>10}{'caller':>10}{'scheduler':>10}{'workers':>10}{'search':>10}{'there and back':>16}")
        found: dict[int, list[float]] = {}
        for size in SIZES:
            cluster.BLOCK = 1 << 26
            repeats = max(LEAST, 40 * size) // number + 1
            text = lines * repeats
            for _ in range(options.rounds):
                before = [used(pid) for pid in everyone]
                shares = row = 0
                for part in _fixed(cluster, client, text, model, size):
                    rows(part, form, model, row + 1)
                    row += len(part)
                    shares += 1
                took = [(used(pid) - past) * 1e3 / shares for pid, past in zip(everyone, before, strict=True)]
                search = searched() * 1e3 * row / shares
                now = [took[0], took[1], took[2] + took[3] - search, search]
                found[size] = [min(pair) for pair in zip(now, found.get(size, now), strict=True)]
            way = min(_there_and_back(cluster, client, lines[: 82 * size], model) for _ in range(10))
            print(f"{size:10,}" + "".join(f"{value:10.2f}" for value in found[size]) + f"{way * 1e3:16.1f}")
        for place, who in enumerate(("caller", "scheduler", "workers")):
            slope, fixed = np.polyfit(list(found), [value[place] for value in found.values()], 1)
            print(f"{who:10} {fixed:6.2f} ms a share and {slope * 1e3:6.3f} µs a puzzle")


def _fixed(cluster: Any, client: Any, text: bytes, model: Any, size: int) -> Iterator[Any]:
    """`cluster.stream` with shares that do not grow."""

    class Fixed:
        puzzles = size

        def __init__(self, aim: float) -> None: ...

        def note(self, puzzles: int, seconds: float) -> None:
            """Learn nothing."""

    cluster._Pace = Fixed
    yield from cluster.stream(client, text, 2, model, block=82 * size)


def _there_and_back(cluster: Any, client: Any, text: bytes, model: Any) -> float:
    """Seconds from asking to having, for one share while nothing else goes on."""
    begun = time.perf_counter()
    for _ in cluster.stream(client, text, 2, model, block=1 << 26):
        pass
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
