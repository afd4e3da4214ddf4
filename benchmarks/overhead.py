"""Overhead: what a 9x9 costs beside the solving itself, here and in CPMpy, with the same solvers, interleaved.

    python benchmarks/overhead.py [--rounds 15]

Every round starts from the line of symbols and ends with a solution as Python values, on one thread, in a process that
has loaded everything; the columns are medians over the rounds, in milliseconds:

    rules   the model of the rules: here declared and compiled anew each time, though one serves any number of puzzles
    build   what the solver needs is made from the puzzle
    solve   the solver runs: here the whole call, in CPMpy the time that its solver reports (shorter than the call)
    wall    all of it
    over    wall - solve, the overhead; "reused" is the same here, with the model of the rules kept

and the ratios compare CPMpy's overhead with ours on the same solver. Without CPMpy its columns are left out.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from statistics import median
from time import perf_counter

from nonant.csp.backends import registry
from nonant.csp.backends.base import Limits, Progress
from nonant.csp.model import Model
from nonant.csp.plain.search import Searcher
from nonant.csp.results import Solution
from nonant.csp.units import boxes, columns, rows

PUZZLES = {
    "easy": "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..",
    "hard": "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........",
    "hardest": "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
}
# our backend -> the same solver's name in CPMpy, and how to hold it to one thread
TWINS = {"cpsat": ("ortools", {"num_workers": 1}), "sat": ("pysat:cadical195", {})}


@dataclass(frozen=True)
class Times:
    """Seconds of one run; `solution` is a line of digits, to see that all runs did the same."""

    rules: float
    build: float
    solve: float
    wall: float
    solution: str


def classic() -> Model:
    """The rules, compiled."""
    made = Model("classic", shape=(9, 9), values=range(1, 10), constraints=[rows, columns, boxes(3, 3)])
    _ = made.compiled.once(Searcher)
    return made


def ours(backend: str, line: str) -> Times:
    """One run of a backend."""
    begun = perf_counter()
    model = classic()
    ruled = perf_counter()
    puzzle = model.puzzle(line)
    session = registry.get(backend).session(puzzle)
    start = perf_counter()
    run = session.run(Progress(), Limits())
    places = next(iter(run))
    solved = perf_counter()
    text = "".join(map(str, Solution(model, places).in_order()))
    end = perf_counter()
    return Times(ruled - begun, start - ruled, solved - start, end - begun, text)


def cpmpy(solver: str, options: dict[str, int], line: str) -> Times:
    """One run of CPMpy."""
    import cpmpy as cp  # type: ignore[import-not-found,unused-ignore]

    begun = perf_counter()
    cells = cp.intvar(1, 9, shape=(9, 9))
    rules = cp.Model()
    for at in range(9):
        rules += cp.AllDifferent(cells[at, :])
        rules += cp.AllDifferent(cells[:, at])
        top, left = at // 3 * 3, at % 3 * 3
        rules += cp.AllDifferent(cells[top : top + 3, left : left + 3])
    ruled = perf_counter()
    for at, symbol in enumerate(line):
        if symbol != ".":
            rules += cells[divmod(at, 9)] == int(symbol)
    made = cp.SolverLookup.get(solver, rules)
    start = perf_counter()
    assert made.solve(**options)
    text = "".join(str(value) for row in cells.value().tolist() for value in row)
    end = perf_counter()
    return Times(ruled - begun, start - ruled, float(made.status().runtime), end - begun, text)


def runners() -> Iterator[tuple[str, Callable[[str], Times]]]:
    """Everyone who runs in a round, ours first, each followed by its twin."""
    for backend in ("native", "sat", "cpsat"):
        yield backend, partial(ours, backend)
        if backend in TWINS and find_spec("cpmpy") is not None:
            yield f"CPMpy {TWINS[backend][0]}", partial(cpmpy, *TWINS[backend])


def measured(rounds: int) -> dict[tuple[str, str], list[Times]]:
    """All runs, by puzzle and runner; the first round warms up and is left out."""
    found: dict[tuple[str, str], list[Times]] = {}
    for at in range(rounds + 1):
        for difficulty, line in PUZZLES.items():
            for name, run in runners():
                gc.collect()
                gc.freeze()  # the garbage collector need not go through what other libraries have loaded
                taken = run(line)
                if at:
                    found.setdefault((difficulty, name), []).append(taken)
    return found


def main() -> None:
    """Print one line a puzzle and runner, then the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    if find_spec("cpmpy") is None:
        print("CPMpy is not installed (pip install 'cpmpy[ortools]' 'python-sat[pb]'): only our own backends are timed")
    found = measured(options.rounds)
    over: dict[tuple[str, str], tuple[float, float]] = {}
    heading = ("rules", "build", "solve", "wall", "over", "reused")
    print(f"{'puzzle':9}{'runner':26}" + "".join(f"{name:>9}" for name in heading))
    for key, runs in found.items():
        assert {run.solution for run in runs} == {found[key[0], "native"][0].solution}, key
        whole = median(run.wall - run.solve for run in runs)
        reused = median(run.wall - run.solve - run.rules for run in runs)
        over[key] = whole, reused
        columns_ = [median(getattr(run, name) for run in runs) for name in ("rules", "build", "solve", "wall")]
        shown = "".join(f"{1000 * seconds:9.2f}" for seconds in (*columns_, whole))
        is_ours = not key[1].startswith("CPMpy")
        print(f"{key[0]:9}{key[1]:26}{shown}" + (f"{1000 * reused:9.2f}" if is_ours else ""))
    for backend, (solver, _) in TWINS.items():
        for difficulty in PUZZLES:
            theirs = over.get((difficulty, f"CPMpy {solver}"))
            if theirs is not None:
                whole, reused = over[difficulty, backend]
                print(
                    f"{difficulty:9}CPMpy's overhead is {theirs[0] / whole:.1f} times that of {backend}, "
                    f"{theirs[0] / reused:.1f} times with the model reused"
                )


if __name__ == "__main__":
    main()
