"""Linear algebra modulo a prime in plain Python, for sparse matrices: a row is a dict column -> entry, no zeros in it.

Grids and graphs have few entries a row, and elimination in order fills in little, so dicts beat arrays here. It is the
general way for lights of more than two states, and the cross-check of the polynomial method (`modular_rectangle`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nonant.csp.errors import ModelError

Row = dict[int, int]


def check_prime(p: int) -> None:
    """Division needs a field.

    Raises:
        ModelError: if `p` is no prime.
    """
    if p < 2 or any(p % factor == 0 for factor in range(2, int(p**0.5) + 1)):
        raise ModelError(f"the number of states must be a prime, since the solver divides by it; {p} is none")


@dataclass(frozen=True)
class Echelon:
    """A matrix in echelon form: for each pivot column the row that starts there with a one."""

    rows: Mapping[int, Row]
    columns: int
    p: int

    @property
    def free(self) -> list[int]:
        """The columns without a pivot."""
        return [column for column in range(self.columns) if column not in self.rows]

    def null_space(self) -> list[tuple[int, ...]]:
        """A basis of the vectors that every row is orthogonal to, one for each free column."""
        found = []
        for free in self.free:
            vector = [0] * self.columns
            vector[free] = 1
            for pivot in sorted((at for at in self.rows if at < free), reverse=True):
                vector[pivot] = -_dot(self.rows[pivot], vector) % self.p
            found.append(tuple(vector))
        return found


def _dot(row: Row, vector: Sequence[int]) -> int:
    return sum(entry * vector[column] for column, entry in row.items())


def echelon(rows: Iterable[Mapping[int, int]], columns: int, p: int) -> Echelon:
    """Eliminate; a row may have entries beyond `columns`, which ride along and get pivots only if all else is zero."""
    found: dict[int, Row] = {}
    for given in rows:
        row = {column: entry % p for column, entry in given.items() if entry % p}
        while row:
            first = min(row)
            other = found.get(first)
            if other is None:
                inverse = pow(row[first], -1, p)
                found[first] = {column: entry * inverse % p for column, entry in row.items()}
                break
            factor = row[first]
            for column, entry in other.items():
                value = (row.get(column, 0) - factor * entry) % p
                if value:
                    row[column] = value
                else:
                    row.pop(column, None)
    return Echelon(found, columns, p)


def rank(rows: Iterable[Mapping[int, int]], columns: int, p: int) -> int:
    """The rank modulo p."""
    return len(echelon(rows, columns, p).rows)


def solve(rows: Sequence[Mapping[int, int]], columns: int, side: Sequence[int], p: int) -> tuple[int, ...] | None:
    """A solution of rows x = side, with zeros in the columns without pivots, or None."""
    form = echelon(({**row, columns: bit} for row, bit in zip(rows, side, strict=True)), columns, p)
    if columns in form.rows:
        return None
    vector = [0] * columns + [p - 1]  # the right-hand side is one more unknown, minus one
    for pivot in sorted(form.rows, reverse=True):
        vector[pivot] = -_dot(form.rows[pivot], vector) % p
    return tuple(vector[:columns])


def transposed(rows: Sequence[Mapping[int, int]], columns: int) -> list[Row]:
    """Rows and columns exchanged."""
    found: list[Row] = [{} for _ in range(columns)]
    for at, row in enumerate(rows):
        for column, entry in row.items():
            found[column][at] = entry
    return found
