"""Human techniques: what the ladder solves, by which technique, and how long it takes, single thread.

    python benchmarks/techniques.py [DATA] [--file classic/top1465.txt] [--every 20] [--max LEVEL]
    python benchmarks/techniques.py [DATA] --peers PYTHON [--every 20]     larsdoku beside it, puzzle by puzzle
    python benchmarks/techniques.py [DATA] --shares [--every 1] [--list NAME]   what patterns alone solve, list by list
    python benchmarks/techniques.py [DATA] --library                       the technique library, a line a code

DATA is a folder with `classic/top1465.txt` (by default ../shared/data). Every n-th puzzle is explained with the checker
on, and the solution compared with that of the native engine. PYTHON is the interpreter of an environment of its own in
which larsdoku is installed from the registry; it is no dependency of this project, and runs as a process of its own
that is asked for one puzzle at a time, between two of ours. Times are CPU times of one thread.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from nonant import solve
from nonant.csp.model import Puzzle
from nonant.models import model
from nonant.strategies import explain, kernels

# Needs refutations, so that everything is compiled.
WARM_UP = "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"
PATTERNS = 8  # the highest level of patterns; above are refutations

PEER = """
import sys, time
from larsdoku.cli import solve_selective
for line in sys.stdin:
    begun = time.process_time()
    try:
        found = solve_selective(line.strip())
        answer = found["board"] if found["success"] else "stuck"
    except Exception as error:
        answer = type(error).__name__
    print(time.process_time() - begun, answer, file=sys.__stdout__, flush=True)
"""

# list -> model, file, column of the puzzle ("" for plain lines), and every so many by default
LISTS = {
    "Top1465": ("classic-9", "classic/top1465.txt", "", 1),
    "cbg-000": ("classic-9", "classic/cbg000_first5000.txt.gz", "", 1),
    "hardest11": ("classic-9", "classic/norvig_hardest11.txt", "", 1),
    "jigsaw": ("", "jigsaw/jigsaw_generated.csv", "puzzle", 1),
    "x": ("x-9", "variants/x_generated.csv", "puzzle", 1),
    "windoku": ("windoku-9", "variants/windoku_generated.csv", "puzzle", 1),
    "cube": ("cube-3", "cube/cube333.csv", "puzzle(x*9+y*3+z)", 1),
    "6x6": ("classic-6", "variants/mini6x6_generated.csv", "puzzle", 1),
    "16x16": ("classic-16", "large/large_grids.csv", "grid", 1),
}


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--file", default="classic/top1465.txt")
    parser.add_argument("--every", type=int)
    parser.add_argument("--max", type=int, dest="max_level")
    parser.add_argument("--peers", metavar="PYTHON")
    parser.add_argument("--shares", action="store_true")
    parser.add_argument("--list", choices=LISTS, action="append")
    parser.add_argument("--library", action="store_true")
    arguments = parser.parse_args()
    if arguments.library:
        library(arguments.data)
        return
    kernels.load()
    rules = model("classic-9")
    explain(rules.puzzle(WARM_UP))
    if arguments.shares:
        for name in arguments.list or LISTS:
            shares(arguments.data, name, arguments.every or LISTS[name][3])
        return
    lines = (arguments.data / arguments.file).read_text().split()[:: arguments.every or 20]
    ladder(lines, arguments.max_level, Peer(arguments.peers) if arguments.peers else None)


# -- the ladder, and larsdoku beside it --------------------------------------------------------------------------------


class Peer:
    """larsdoku in a process of its own, warmed up."""

    def __init__(self, python: str) -> None:
        self._process = subprocess.Popen(
            [python, "-c", PEER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.first = self.ask(WARM_UP)[0]

    def ask(self, line: str) -> tuple[float, str]:
        """Its seconds and its answer: a grid, "stuck", or the name of an error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(line, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline().split()
        if len(answer) != 2:
            sys.exit("the interpreter of --peers has no larsdoku, or it ended; install it there from the registry")
        return float(answer[0]), answer[1]

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def ladder(lines: list[str], max_level: int | None, peer: Peer | None) -> None:
    """Explain each puzzle, and let the peer solve it in between."""
    rules = model("classic-9")
    ours, theirs, results, answers = list[float](), list[float](), Counter[str](), Counter[str]()
    levels, depths, techniques = Counter[int](), Counter[int](), Counter[str]()
    wrong = 0
    for line in lines:
        puzzle = rules.puzzle(line)
        begun = time.process_time()
        path = explain(puzzle, max_level=max_level)
        ours.append(time.process_time() - begun)
        results[path.result] += 1
        levels[path.level] += path.result == "solved"
        depths[path.depth] += path.result == "solved"
        techniques.update(path.techniques)
        answer = solve(puzzle).solution
        wrong += path.result == "solved" and answer is not None and path.end.line != answer.line
        if peer is not None:
            seconds, said = peer.ask(line.replace(".", "0"))
            theirs.append(seconds)
            solved = len(said) == 81
            right = answer is not None and said == answer.line
            answers["solved" if right else "wrong grid" if solved else said] += 1
    print(f"{len(lines)} puzzles: {dict(results)}, wrong grids: {wrong}")
    print(f"solved by highest level: {dict(sorted(levels.items()))}; by depth: {dict(sorted(depths.items()))}")
    report("nonant", ours)
    if peer is not None:
        peer.close()
        report("larsdoku", theirs)
        ratios = sorted(b / a for a, b in zip(ours, theirs, strict=True))
        print(f"larsdoku: {dict(answers)}; first solve with its compilation {peer.first:.1f} s")
        print(f"ratio of means {sum(theirs) / sum(ours):.1f}, median of the ratios {ratios[len(ratios) // 2]:.1f}")
    for name, times in techniques.most_common():
        print(f"{times:7} {name}")


def report(name: str, seconds: list[float]) -> None:
    """Mean, median and worst, in milliseconds."""
    ordered = sorted(seconds)
    mean = sum(ordered) / len(ordered)
    median = ordered[len(ordered) // 2]
    print(f"{name}: mean {mean * 1e3:.1f} ms, median {median * 1e3:.1f}, worst {ordered[-1] * 1e3:.1f}")


# -- what patterns alone solve -----------------------------------------------------------------------------------------


def puzzles_of(data: Path, name: str) -> Iterator[Puzzle]:
    """The puzzles of a list."""
    rules, file, column, _ = LISTS[name]
    path = data / file
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    if not column:
        for line in text.split():
            yield model(rules).puzzle(line)
        return
    for row in csv.DictReader(text.splitlines()):
        if name == "jigsaw":
            yield model(f"jigsaw-{row['regions']}").puzzle(row[column])
        elif name != "16x16":
            yield model(rules).puzzle(row[column])
        elif row["n"] == "16" and row["box"] == "4x4" and row["solutions"] == "1":
            yield model(rules).puzzle([int(value) or None for value in row[column].split()])


def shares(data: Path, name: str, every: int) -> None:
    """Print how many puzzles of a list patterns alone solve, by highest level, and the steps of each technique."""
    seconds, levels, techniques = list[float](), Counter[int](), Counter[str]()
    for puzzle in list(puzzles_of(data, name))[::every]:
        begun = time.process_time()
        path = explain(puzzle, max_level=PATTERNS)
        seconds.append(time.process_time() - begun)
        levels[path.level] += path.result == "solved"
        techniques.update(path.techniques)
    levels += Counter()
    solved = sum(levels.values())
    share = f"{solved} of {len(seconds)} by patterns ({solved / len(seconds):.1%})"
    print(f"{name}: {share}; by highest level {dict(sorted(levels.items()))}")
    report("   patterns", seconds)
    print("   " + ", ".join(f"{known} {times}" for known, times in techniques.most_common()), flush=True)


# -- the technique library ---------------------------------------------------------------------------------------------


def library(data: Path) -> None:
    """Print for each code of the technique library how many of its cases are found exactly."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from tests.technique_library import cases, verdict

    found: dict[str, Counter[str]] = {}
    names: dict[str, tuple[str, ...]] = {}
    for case in cases(data / "techniques/reglib_part.txt"):
        found.setdefault(case.code, Counter())[verdict(case)] += 1
        names[case.code] = case.names
    every = Counter[str]()
    for code, verdicts in sorted(found.items()):
        every += verdicts
        said = ", ".join(f"{number} {kind}" for kind, number in verdicts.items())
        print(f"{code:8} {sum(verdicts.values()):3} cases: {said:20} ({' or '.join(names[code])})")
    print(f"in all {sum(every.values())}: {dict(every)}")


if __name__ == "__main__":
    main()
