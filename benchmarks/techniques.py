"""Human techniques: what the ladder solves, by which technique, and how long it takes, single thread.

    python benchmarks/techniques.py [DATA] [--every 20] [--max LEVEL]

DATA is a folder with `classic/top1465.txt` (by default ../shared/data). Every n-th puzzle is explained with the checker
on, and the solution compared with that of the native engine.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

from nonant import solve
from nonant.models import model
from nonant.strategies import explain, kernels

# Needs refutations, so that everything is compiled.
WARM_UP = "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--file", default="classic/top1465.txt")
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--max", type=int, dest="max_level")
    arguments = parser.parse_args()
    kernels.load()
    rules = model("classic-9")
    explain(rules.puzzle(WARM_UP))
    lines = (arguments.data / arguments.file).read_text().split()[:: arguments.every]
    ours: list[float] = []
    results: Counter[str] = Counter()
    levels: Counter[int] = Counter()
    techniques: Counter[str] = Counter()
    depths: Counter[int] = Counter()
    wrong = 0
    for line in lines:
        puzzle = rules.puzzle(line)
        begun = time.process_time()
        path = explain(puzzle, max_level=arguments.max_level)
        ours.append(time.process_time() - begun)
        results[path.result] += 1
        levels[path.level] += path.result == "solved"
        depths[path.depth] += path.result == "solved"
        techniques.update(path.techniques)
        answer = solve(puzzle).solution
        wrong += path.result == "solved" and answer is not None and path.end.line != answer.line
    print(f"{len(lines)} puzzles: {dict(results)}, wrong grids: {wrong}")
    print(f"solved by highest level: {dict(sorted(levels.items()))}; by depth: {dict(sorted(depths.items()))}")
    report("nonant", ours)
    for name, times in techniques.most_common():
        print(f"{times:7} {name}")


def report(name: str, seconds: list[float]) -> None:
    """Mean, median and worst, in milliseconds."""
    ordered = sorted(seconds)
    mean = sum(ordered) / len(ordered)
    median = ordered[len(ordered) // 2]
    print(f"{name}: mean {mean * 1e3:.1f} ms, median {median * 1e3:.1f}, worst {ordered[-1] * 1e3:.1f}")


if __name__ == "__main__":
    main()
