"""Killers and 16x16 grids: the generic lockstep kernel beside CP-SAT on the same puzzles, as ratios of CPU time.

    python benchmarks/variants.py [--data FOLDER] [--sample 12] [--rounds 3]

FOLDER is `../shared/data`. All questions are "none, one or several solutions?". Ours is the time of one thread from the
bytes of the puzzles to their counts, the best of some rounds; where each puzzle has rules of its own (killers with
cages of their own) the time to compile these is given apart. CP-SAT has a model as its manual would have it, with
AddAllDifferent and sums, one worker, and looks for a solution and then for another one; its CPU time, for a sample of
the puzzles, with and without building the model. The answers of the sample are compared.

- **killers, one each**: random cages, no givens. One lane of 32 is used.
- **killers, lists**: random cages, and lists of grids with a few givens for them.
- **16x16, lists**: known grids, each with copies of it whose rows, columns and values are permuted.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from nonant import Model, Sum, Unit
from nonant.csp.units import boxes, columns, rows
from nonant.models import model

ROOT = Path(__file__).resolve().parents[2] / "shared" / "data"
Grid = list[int]


# -- the puzzles -------------------------------------------------------------------------------------------------------


def permuted(random: Random, box: int) -> list[int]:
    """Rows (or columns) of a grid with square boxes in another order that keeps the boxes."""
    return [band * box + at for band in random.sample(range(box), box) for at in random.sample(range(box), box)]


def killer(random: Random, largest: int) -> tuple[Model, Grid]:
    """A killer of cages of 2 to `largest` cells, some smaller where they did not fit, and a solution."""
    down, across, digits = permuted(random, 3), permuted(random, 3), random.sample(range(1, 10), 9)
    solution = [digits[(3 * (row % 3) + row // 3 + column) % 9] for row in down for column in across]
    left, constraints = set(range(81)), list[Any]([rows, columns, boxes(3, 3)])
    while left:
        cage = [random.choice(sorted(left))]
        for _ in range(random.randint(1, largest - 1)):
            fits = [
                cell
                for cell in sorted(left - set(cage))
                if any(abs(cell // 9 - c // 9) + abs(cell % 9 - c % 9) == 1 for c in cage)
                and all(solution[cell] != solution[c] for c in cage)
            ]
            cage += random.sample(fits, min(1, len(fits)))
        left -= set(cage)
        cells = [divmod(cell, 9) for cell in cage]
        constraints += [Unit(cells), Sum(cells, sum(solution[cell] for cell in cage))]
    return Model("killer", shape=(9, 9), values=range(1, 10), constraints=constraints), solution


def grids16(folder: Path) -> Iterator[tuple[str, Grid]]:
    """The 16x16 grids with one solution."""
    csv.field_size_limit(1 << 24)
    for name, givens in json.loads((folder / "large" / "dug_16_25.json").read_text()).items():
        if name.startswith("16"):
            yield name, givens
    with (folder / "large" / "large_grids.csv").open() as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            if row["n"] == "16" and row["solutions"] == "1":
                yield row["name"], [int(cell) for cell in row["grid"].split()]


def copies(givens: Grid, number: int, random: Random) -> list[Grid]:
    """A 16x16 grid and copies of it."""
    made = [list(givens)]
    while len(made) < number:
        down, across, values = permuted(random, 4), permuted(random, 4), [0, *random.sample(range(1, 17), 16)]
        made.append([values[givens[row * 16 + column]] for row in down for column in across])
    return made


# -- the solvers -------------------------------------------------------------------------------------------------------


def ours(rules: Model, puzzles: list[Grid], rounds: int) -> tuple[list[int], float, float, int]:
    """The counts, the best seconds for all puzzles, the seconds to compile the rules, and how many went to "auto"."""
    import numpy as np

    from nonant.csp.batch.engines import codes, engine_for
    from nonant.csp.kernels.text.job import Job

    begun = time.process_time()
    compiled = Model(rules.name, shape=rules.shape, values=rules.values, constraints=rules.constraints)
    engine = engine_for(compiled, "lockstep")
    building = time.process_time() - begun
    text = codes(rules)[np.array(puzzles)].ravel()
    starts, counts = np.arange(len(puzzles)) * rules.n_cells, np.zeros(len(puzzles), np.int64)
    space, stop, nothing = engine.workspace(), np.zeros(1, np.int64), np.zeros(0, np.uint8)
    engine.run(Job(text, starts, 0, 1, 2, counts, nothing, stop), space)
    taken = []
    for _ in range(rounds):
        begun = time.process_time()
        engine.run(Job(text, starts, 0, len(puzzles), 2, counts, nothing, stop), space)
        taken.append(time.process_time() - begun)
    return counts.tolist(), min(taken), building, engine.handed_over // rounds  # type: ignore[attr-defined]


def cp_sat(rules: Model, puzzle: Grid, seconds: float) -> tuple[int | None, float, float]:
    """The count up to 2 (None: not found in time), the CPU seconds to build the model, and those to solve it."""
    from ortools.sat.python import cp_model

    begun = time.process_time()
    made = cp_model.CpModel()
    cells = [made.new_int_var(digit or 1, digit or rules.n_values, "") for digit in puzzle]
    for constraint in rules.constraints:
        some = [cells[at] for at in rules.indices(constraint)]
        if isinstance(constraint, Unit):
            made.add_all_different(some)
        elif isinstance(constraint, Sum):
            made.add(sum(some) == constraint.total)
    building = time.process_time() - begun
    begun, found, status = time.process_time(), 0, cp_model.UNKNOWN
    while found < 2:
        solver = cp_model.CpSolver()
        solver.parameters.num_workers, solver.parameters.catch_sigint_signal = 1, False
        solver.parameters.max_time_in_seconds = seconds
        status = solver.solve(made)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            break
        found += 1
        others = []
        for cell in cells:
            other = made.new_bool_var("")
            made.add(cell != solver.value(cell)).only_enforce_if(other)
            others.append(other)
        made.add_bool_or(others)
    undecided = found < 2 and status != cp_model.INFEASIBLE
    return None if undecided else found, building, time.process_time() - begun


def show(name: str, sets: list[tuple[Model, list[Grid]]], sample: int, rounds: int, seconds: float) -> None:
    """One row: times a puzzle of both, and their ratios."""
    mine = building = 0.0
    handed, total, theirs, their_building, late = 0, 0, [], [], 0
    asked = Random(name)
    for rules, puzzles in sets:
        counts, taken, compiled, given = ours(rules, puzzles, rounds)
        mine, building, handed, total = mine + taken, building + compiled, handed + given, total + len(puzzles)
        for at in asked.sample(range(len(puzzles)), min(len(puzzles), max(1, sample // len(sets)))):
            found, built, solved = cp_sat(rules, puzzles[at], seconds)
            assert found in (None, counts[at]), (name, at, found, counts[at])
            late += found is None
            theirs.append(solved)
            their_building.append(built)
    each, other = mine / total * 1e3, sum(theirs) / len(theirs) * 1e3
    built, other_built = building / len(sets) * 1e3, sum(their_building) / len(their_building) * 1e3
    whole = (other + other_built) / (each + building / total * 1e3)
    print(
        f"{name:34}{total:7}{each:10.4f}{built:9.1f}{handed:6}{other:12.1f}{other_built:8.1f}"
        f"{other / each:10.0f}{whole:10.1f}   {late} of {len(theirs)} late",
        flush=True,
    )


def main(data: Path = ROOT, sample: int = 12, rounds: int = 3, seconds: float = 20.0) -> None:
    """Print one line a set."""
    print("milliseconds of CPU time a puzzle; rules: to compile them once; auto: puzzles handed over by the kernel")
    print(
        f"{'set':34}{'number':>7}{'lockstep':>10}{'rules':>9}{'auto':>6}{'CP-SAT':>12}{'built':>8}"
        f"{'times':>10}{'with both':>10}"
    )
    for largest in (3, 4, 5, 6):
        random = Random(largest)
        sets = [(killer(random, largest)[0], [[0] * 81]) for _ in range(max(sample, 24))]
        show(f"killers, one each, cages to {largest}", sets, sample * 2, rounds, seconds)
    for largest in (4, 6):
        random, lists = Random(10 + largest), []
        for _ in range(4):
            rules, solution = killer(random, largest)
            lists.append((rules, [[digit if random.random() < 0.06 else 0 for digit in solution] for _ in range(1000)]))
        show(f"killers, lists, cages to {largest}", lists, sample, rounds, seconds)
    random = Random(16)
    for name, givens in grids16(data):
        show(f"16x16, list, {name[:20]}", [(model("classic-16"), copies(givens, 256, random))], 4, rounds, seconds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=ROOT)
    parser.add_argument("--sample", type=int, default=12, help="puzzles of a set that CP-SAT is given")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20.0, help="for each search of CP-SAT")
    options = parser.parse_args()
    main(options.data, options.sample, options.rounds, options.seconds)
