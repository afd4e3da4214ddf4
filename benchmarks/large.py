"""Large grids: the native engine, `auto`, CP-SAT and CaDiCaL on the same puzzles, interleaved, wall seconds.

    python benchmarks/large.py [DATA] [--seconds 60] [--rounds 1]

DATA is a folder with `large_grids.csv` and `dug_16_25.json` (by default ../shared/data/large). For each grid of side 25
or more with one solution: the time from puzzle to proved uniqueness, building included; "-" where the limit came first.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from nonant import Uniqueness, verify
from nonant.csp.model import Puzzle
from nonant.models import model

BACKENDS = ("native", "auto", "sat", "cpsat")


def grids(folder: Path) -> Iterator[tuple[str, Puzzle]]:
    """The grids of side 25 or more that have one solution."""
    csv.field_size_limit(1 << 24)
    with (folder / "large_grids.csv").open() as file:
        for row in csv.DictReader(file):
            if int(row["n"]) >= 25 and row["solutions"] == "1":
                givens = [int(cell) for cell in row["grid"].split()]
                yield row["name"], model(f"classic-{row['n']}-{row['box']}").puzzle(givens)
    for name, givens in json.loads((folder / "dug_16_25.json").read_text()).items():
        if name.startswith("25"):
            yield name, model("classic-25").puzzle(givens)


def main() -> None:
    """Print one line a grid."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", nargs="?", type=Path, default=Path(__file__).parents[2] / "shared/data/large")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit for each solve")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    warm = model("classic-4").puzzle()
    for backend in BACKENDS:
        verify(warm, backend=backend)  # imports and compiled code are not what is measured
    from nonant.csp.kernels import scalar  # noqa: F401

    print(f"{'grid':28}" + "".join(f"{backend:>10}" for backend in BACKENDS) + "  auto/best of sat, cpsat")
    for name, puzzle in grids(options.data):
        _ = puzzle.model.compiled.searcher
        times: dict[str, list[float]] = {backend: [] for backend in BACKENDS}
        for _round in range(options.rounds):
            for backend in BACKENDS:
                start = time.perf_counter()
                found = verify(puzzle, backend=backend, time_limit=options.seconds)
                took = time.perf_counter() - start
                assert found.verdict in (Uniqueness.UNIQUE, Uniqueness.UNKNOWN), (name, backend, found.message)
                times[backend].append(took if found.verdict is Uniqueness.UNIQUE else float("inf"))
        middle = {backend: statistics.median(taken) for backend, taken in times.items()}
        shown = "".join(f"{'-' if taken == float('inf') else f'{taken:.3f}':>10}" for taken in middle.values())
        print(f"{name:28}{shown}  {middle['auto'] / min(middle['sat'], middle['cpsat']):.2f}", flush=True)


if __name__ == "__main__":
    main()
