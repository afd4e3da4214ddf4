"""Large grids: native, `auto`, the learner, CaDiCaL and CP-SAT on the same puzzles, interleaved, CPU seconds.

    python benchmarks/large.py [DATA] [--seconds 60] [--rounds 1] [--copies 1]

DATA is a folder with `large/large_grids.csv`, `large/dug_16_25.json` and `latin/latin.csv` (by default
../shared/data). For each grid of side 25 or more, and each Latin square of order 30 or more: the CPU time from puzzle
to proved uniqueness, or to two solutions, building included; "-" where the limit came first. `--copies` adds the same
grids with rows, columns and values permuted: what a learner takes varies a lot between them.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from nonant import Uniqueness, verify
from nonant.csp.plain.search import Searcher
from nonant.models import model

BACKENDS = ("native", "auto", "learner", "sat", "cpsat")


def grids(folder: Path) -> Iterator[tuple[str, str, int, list[int]]]:
    """The grids: their names, models, sides of their boxes (1: there are none) and givens."""
    csv.field_size_limit(1 << 24)
    for name, givens in json.loads((folder / "large" / "dug_16_25.json").read_text()).items():
        if name.startswith("25"):
            yield name, "classic-25", 5, givens
    with (folder / "large" / "large_grids.csv").open() as file:
        for row in csv.DictReader(file):
            if int(row["n"]) >= 25:
                givens = [int(cell) for cell in row["grid"].split()]
                yield row["name"], f"classic-{row['n']}-{row['box']}", math.isqrt(int(row["n"])), givens
    with (folder / "latin" / "latin.csv").open() as file:
        for row in csv.DictReader(file):
            if int(row["n"]) >= 30:
                yield row["name"], f"latin-{row['n']}", 1, [int(cell) for cell in row["grid"].split()]


def copy(givens: Sequence[int], box: int, seed: int) -> list[int]:
    """The grid with its values, bands, stacks, and rows and columns within these permuted; seed 0: the grid itself."""
    if not seed:
        return list(givens)
    random, side = Random(seed), math.isqrt(len(givens))
    values = [0, *random.sample(range(1, side + 1), side)]

    def lines() -> list[int]:
        bands = random.sample(range(side // box), side // box)
        return [band * box + at for band in bands for at in random.sample(range(box), box)]

    rows, columns = lines(), lines()
    return [values[givens[row * side + column]] for row in rows for column in columns]


def main() -> None:
    """Print one line a grid."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", nargs="?", type=Path, default=Path(__file__).parents[2] / "shared/data")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit for each solve")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--backends", default=",".join(BACKENDS))
    parser.add_argument("--only", default="", help="grids whose names contain this")
    options = parser.parse_args()
    backends = options.backends.split(",")
    warm = model("classic-4").puzzle()
    for backend in backends:
        verify(warm, backend=backend)  # imports and compiled code are not what is measured
    from nonant.csp.kernels.scalar import scalar  # noqa: F401

    print(f"{'grid':28}" + "".join(f"{backend:>10}" for backend in backends) + "  auto/best of sat, cpsat")
    for title, kind, box, givens in grids(options.data):
        for number in range(options.copies if options.only in title else 0):
            name, puzzle = f"{title}/{number}" if number else title, model(kind).puzzle(copy(givens, box, number))
            _ = puzzle.model.compiled.once(Searcher)
            times: dict[str, list[float]] = {backend: [] for backend in backends}
            verdicts = set()
            for _round in range(options.rounds):
                for backend in backends:
                    start = time.process_time()
                    found = verify(puzzle, backend=backend, time_limit=options.seconds)
                    took = time.process_time() - start
                    known = found.verdict is not Uniqueness.UNKNOWN
                    verdicts |= {found.verdict} if known else set()
                    times[backend].append(took if known else float("inf"))
            assert len(verdicts) <= 1, (name, verdicts)
            middle = {backend: statistics.median(taken) for backend, taken in times.items()}
            rivals = [middle[backend] for backend in backends if backend in ("sat", "cpsat")]
            shown = "".join(f"{'-' if taken == float('inf') else f'{taken:.3f}':>10}" for taken in middle.values())
            print(f"{name:28}{shown}  {middle['auto'] / min(rivals):.2f}", flush=True)


if __name__ == "__main__":
    main()
