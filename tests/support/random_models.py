"""Random small puzzles and their solutions by brute force: the oracle for every solver.

A puzzle is a function of its seed alone, so that a failing seed is a bug report. The models mix all five constraint
classes and go out of their way to be awkward: no cells, one value, gaps and negative numbers among the values, strings,
cells that stand twice in a sum or a relation, weights of zero, constraints without cells, constraints that nothing
satisfies, units with more cells than values, pencil marks that leave a cell nothing.

`brute_force` knows no propagation: it goes through the assignments and asks each constraint's own `holds` as soon as
all its cells have a value; at the end `Model.holds` has the last word.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from hypothesis import strategies

from nonant.csp.model import Compare, Constraint, Model, Parity, Puzzle, Relation, Sum, Unit

MOST_ASSIGNMENTS = 20_000  # values ** cells of a random model; 4x4 Sudoku has more, but few that its rows allow

VALUE_SETS: tuple[tuple[Any, ...], ...] = (
    (0, 1),
    (0, 1),
    (1, 2, 3),
    (1, 2, 3, 4),
    (1, 2, 3, 4, 5),
    (7,),
    (2, 5, 9),
    (-3, -1, 0, 4),
    (4, 1, 3, 2),
    (10, 20, 31, 40),
    ("a", "b", "c"),
    ("red", "green", "blue", "grey"),
)


# -- constraints -------------------------------------------------------------------------------------------------------


def _some(random: Random, cells: Sequence[Any], most: int, repeats: bool = False) -> tuple[Any, ...]:
    """A few of the cells in random order; with `repeats` a cell may come twice."""
    number = random.randint(min(1, len(cells)), min(most, len(cells)))
    if repeats and cells and random.random() < 0.3:
        return tuple(random.choices(cells, k=number + 1))
    return tuple(random.sample(cells, number))


def _sum(random: Random, cells: Sequence[Any], values: Sequence[int], long: bool = False) -> list[Constraint]:
    chosen = tuple(cells) if long else _some(random, cells, len(cells) if random.random() < 0.4 else 4, repeats=True)
    weights = None if random.random() < 0.5 else [random.choice((-2, -1, 0, 1, 1, 2, 3)) for _ in chosen]
    # A total that some assignment reaches, mostly: else nearly every model would have no solution.
    total = sum(weight * random.choice(values) for weight in (weights or [1] * len(chosen)))
    relation = random.choice(("==", "==", "<=", ">=", "!="))
    made: list[Constraint] = [Sum(chosen, total + random.choice((0, 0, 0, 1)), weights, relation)]
    if weights is None and len(set(chosen)) == len(chosen) and random.random() < 0.5:
        made.append(Unit(chosen))  # the two together are a cage
    return made


PREDICATES: tuple[Callable[..., bool], ...] = (
    lambda *row: row == tuple(sorted(row)),
    lambda *row: len(set(row)) <= 2,
    lambda *row: row[0] != row[-1],
    lambda *row: min(row) == row[0],
    lambda *row: len(set(row)) != 2,
)


def _relation(random: Random, cells: Sequence[Any], values: Sequence[Any]) -> Relation:
    chosen = _some(random, cells, 4, repeats=True)
    if chosen and random.random() < 0.5:
        return Relation(chosen, random.choice(PREDICATES))
    density = random.choice((0.3, 0.6, 0.9))
    size = len(values) ** len(chosen)
    strange = [*values, "no such value", 99]
    rows = {tuple(random.choice(values) for _ in chosen) for _ in range(int(size * density) + random.randint(0, 1))}
    if random.random() < 0.2:
        rows |= {tuple(random.choice(strange) for _ in chosen) for _ in range(3)}
    return Relation(chosen, rows)


def _compare(random: Random, cells: Sequence[Any], values: Sequence[Any]) -> Compare:
    left, right = random.choice(cells), random.choice(cells)
    offset = random.choice((0, 0, 1, -2)) if isinstance(values[0], int) else 0
    return Compare(left, random.choice(("==", "!=", "!=", "<", "<=", ">", ">=")), right, offset)


def _constraints(random: Random, cells: Sequence[Any], values: Sequence[Any]) -> list[Constraint]:
    """One or two constraints of a random class; of a class that needs no cells when there are none."""
    kinds = ["unit", "unit", "relation"]
    if cells:
        kinds.append("compare")
    if isinstance(values[0], int):
        kinds += ["sum", "sum", "parity"]
    match random.choice(kinds):
        case "unit":
            return [Unit(_some(random, cells, len(values) + (random.random() < 0.05)))]
        case "sum":
            return _sum(random, cells, values)
        case "parity":
            return [Parity(_some(random, cells, len(cells), repeats=True), odd=random.random() < 0.5)]
        case "compare":
            return [_compare(random, cells, values)]
    return [_relation(random, cells, values)]


# -- puzzles -----------------------------------------------------------------------------------------------------------


def random_puzzle(seed: int) -> Puzzle:
    """A small puzzle, a function of the seed."""
    random = Random(seed)
    return _random_grid(random, seed) if random.random() < 0.06 else _random_mixture(random, seed)


def _random_grid(random: Random, seed: int) -> Puzzle:
    """4x4 Sudoku, whose full units overlap, with a few more constraints and givens that may clash."""
    known = [(row, column) for row in range(4) for column in range(4)]
    units = [Unit([cell for cell in known if cell[axis] == at]) for axis in (0, 1) for at in range(4)]
    units += [Unit([cell for cell in known if (cell[0] // 2, cell[1] // 2) == divmod(at, 2)]) for at in range(4)]
    more = [made for _ in range(random.randint(0, 2)) for made in _constraints(random, known[:6], range(1, 5))]
    model = Model(f"random {seed}", shape=(4, 4), values=range(1, 5), constraints=[*units, *more])
    shown = random.sample(range(1, 5), 4)
    solved = {(row, column): (row % 2 * 2 + row // 2 + column) % 4 for row, column in known}
    givens = {
        (row, column): shown[at] if random.random() < 0.95 else random.randint(1, 4)
        for (row, column), at in solved.items()
        if random.random() < 0.35
    }
    return model.puzzle(givens)


def _random_mixture(random: Random, seed: int) -> Puzzle:
    values = random.choice(VALUE_SETS)
    most = 1
    while len(values) ** (most + 1) <= MOST_ASSIGNMENTS and most < 14:
        most += 1
    long = random.random() < 0.1 and isinstance(values[0], int)  # a sum over too many cells to become a table
    number = most if long else 0 if random.random() < 0.01 else random.randint(1, most)
    shape = (number // 2, 2) if number and number % 2 == 0 and random.random() < 0.5 else None
    cells = None if shape else tuple(f"v{at}" for at in range(number))
    known = [(row, column) for row in range(shape[0]) for column in range(2)] if shape else list(cells or ())
    constraints = [
        made for _ in range(random.randint(0, 2 + number // 2)) for made in _constraints(random, known, values)
    ]
    if long:
        constraints += _sum(random, known, values, long)
    if random.random() < 0.02:
        constraints.append(random.choice([Sum((), 1), Relation((), []), Sum((), 0), Unit(())]))
        if not isinstance(values[0], int):
            constraints.pop()
    model = Model(f"random {seed}", shape=shape, cells=cells, values=values, constraints=constraints)
    givens = {cell: random.choice(values) for cell in known if random.random() < 0.08}
    return model.puzzle(givens, _marks(random, known, values) if random.random() < 0.3 else None)


def _marks(random: Random, cells: Sequence[Any], values: Sequence[Any]) -> dict[Any, tuple[Any, ...]]:
    return {
        cell: tuple(random.sample(values, random.randint(1, len(values)))) for cell in cells if random.random() < 0.4
    }


def random_only(puzzle: Puzzle, random: Random) -> tuple[int, ...]:
    """A mask of values a cell, mostly all of them, sometimes none."""
    every = (1 << puzzle.model.n_values) - 1
    return tuple(random.randint(0, every) if random.random() < 0.25 else every for _ in range(puzzle.model.n_cells))


puzzles = strategies.integers(0, 2**32 - 1).map(random_puzzle)


# -- brute force -------------------------------------------------------------------------------------------------------


def brute_force(puzzle: Puzzle, only: Sequence[int] | None = None) -> set[tuple[int, ...]]:
    """All solutions, one place of a value a cell, by trying everything."""
    model, values = puzzle.model, puzzle.model.values
    domains = [
        [place for place in range(model.n_values) if mask >> place & 1]
        for mask in map(operator.and_, puzzle.domains, only or puzzle.domains)
    ]
    due: list[list[tuple[Constraint, tuple[int, ...]]]] = [[] for _ in range(model.n_cells)]
    for constraint in model.constraints:
        scope = model.indices(constraint)
        if scope:
            due[max(scope)].append((constraint, scope))
    found: set[tuple[int, ...]] = set()
    row: list[int] = []

    def extend() -> None:
        cell = len(row)
        if cell == model.n_cells:
            if model.holds([values[place] for place in row]):
                found.add(tuple(row))
            return
        for place in domains[cell]:
            row.append(place)
            if all(constraint.holds([values[row[at]] for at in scope]) for constraint, scope in due[cell]):
                extend()
            row.pop()

    extend()
    return found
