"""A puzzle as a plain CNF that anybody can write again: short, and it shares no code with any solver or encoder.

One variable a candidate, 1 + cell * n_values + index of the value, and these clauses:

- each cell takes a value, and no two;
- each full unit holds each value; in any unit no two cells share one;
- any other constraint: one clause against each shortest row of values (in the order of its cells) that no further
  values can complete; rows that two cells of one unit already refuse are left out;
- each given, and each value that the pencil marks leave out;
- for "no other solution": the solution, forbidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

from nonant.csp.errors import Unsupported
from nonant.csp.model import Constraint, Model, Puzzle, Unit

MOST_ROWS = 1_000_000  # rows of values of one constraint that are tried

Clause = tuple[int, ...]


def n_unit_clauses(model: Model) -> int:
    """How many clauses the cells and units of a model become; counted, not made."""
    size = model.n_values
    scopes = (len(made.cells) for made in model.constraints if isinstance(made, Unit))
    return model.n_cells * (1 + comb(size, 2)) + sum(size * (comb(cells, 2) + (cells == size)) for cells in scopes)


def rule_clauses(
    model: Model, most_rows: int = MOST_ROWS, apart: bool = False
) -> Iterator[tuple[Constraint | None, list[Clause]]]:
    """The clauses of the rules, constraint by constraint; first, under None, those of the cells.

    Args:
        model: the rules.
        most_rows: of values that are tried for one constraint.
        apart: each constraint stated by itself: rows of values that a unit refuses are not left to the unit.

    Raises:
        Unsupported: for a constraint (not a unit) over too many cells to try all rows of values.
    """
    size = model.n_values
    values = range(size)
    cells: list[Clause] = []
    for cell in range(model.n_cells):
        first = 1 + cell * size
        cells.append(tuple(range(first, first + size)))
        cells += [(-(first + a), -(first + b)) for a, b in combinations(values, 2)]
    yield None, cells
    scopes = [(constraint, model.indices(constraint)) for constraint in model.constraints]
    differ = (
        set()
        if apart
        else {frozenset(pair) for made, scope in scopes if isinstance(made, Unit) for pair in combinations(scope, 2)}
    )
    for constraint, scope in scopes:
        if isinstance(constraint, Unit):
            clauses = [tuple(1 + cell * size + at for cell in scope) for at in values] if len(scope) == size else []
            for a, b in combinations(scope, 2):
                clauses += [(-(1 + a * size + at), -(1 + b * size + at)) for at in values]
            yield constraint, clauses
        else:
            yield constraint, _refused(model, constraint, scope, differ, most_rows)


def _refused(
    model: Model, constraint: Constraint, scope: tuple[int, ...], differ: set[frozenset[int]], most_rows: int
) -> list[Clause]:
    """A clause against each shortest row of values that nothing completes."""
    cells = tuple(dict.fromkeys(scope))
    size = model.n_values
    if size ** len(cells) > most_rows:
        raise Unsupported(
            "certificate",
            f"{constraint.name or type(constraint).__name__} over {len(cells)} cells has {size ** len(cells)} rows of "
            f"values, at most {most_rows} are tried",
        )
    clauses: list[Clause] = []
    row: list[int] = []

    def completes() -> bool:
        """Whether some completion of the row holds; the clauses against its dead parts are collected on the way."""
        if len(row) == len(cells):
            chosen = dict(zip(cells, row, strict=True))
            return constraint.holds([model.values[chosen[cell]] for cell in scope])
        here, start, dead = cells[len(row)], len(clauses), []
        alive = False
        for at in range(size):
            if any(at == other and frozenset((here, cells[k])) in differ for k, other in enumerate(row)):
                continue
            row.append(at)
            if completes():
                alive = True
            else:
                dead.append(tuple(-(1 + cell * size + place) for cell, place in zip(cells, row, strict=False)))
            row.pop()
        if alive:
            clauses.extend(dead)
        else:
            del clauses[start:]
        return alive

    if not completes():
        clauses.append(())
    return clauses


def plain_cnf(puzzle: Puzzle, solution: Sequence[int] | None) -> tuple[int, list[Clause]]:
    """The number of variables and the clauses of "a solution of the puzzle other than this one".

    Args:
        puzzle: the puzzle.
        solution: the place of a value for each cell, or None to forbid nothing.

    Raises:
        Unsupported: see `rule_clauses`.
    """
    size = puzzle.model.n_values
    clauses = [clause for _, some in rule_clauses(puzzle.model) for clause in some]
    clauses += fact_clauses(puzzle)
    if solution is not None:
        clauses.append(tuple(-(1 + cell * size + at) for cell, at in enumerate(solution)))
    return puzzle.model.n_cells * size, clauses


def fact_clauses(puzzle: Puzzle, givens: bool = True) -> list[Clause]:
    """One clause a given, and one a value that the pencil marks leave out."""
    size = puzzle.model.n_values
    clauses: list[Clause] = []
    for cell, (given, mark) in enumerate(zip(puzzle.givens, puzzle.marks, strict=True)):
        if given is not None and givens:
            clauses.append((1 + cell * size + given,))
        clauses += [(-(1 + cell * size + at),) for at in range(size) if not mark >> at & 1]
    return clauses


def dimacs(n_variables: int, clauses: Sequence[Clause]) -> str:
    """Clauses in the DIMACS format that SAT solvers and proof checkers read."""
    lines = [f"p cnf {n_variables} {len(clauses)}"]
    lines += [" ".join(map(str, (*clause, 0))) for clause in clauses]
    return "\n".join(lines) + "\n"
