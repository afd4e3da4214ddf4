"""Linear algebra over GF(2) in plain Python: a row is an int, bit c its column c, and adding rows is `^`.

A Python int adds thirty columns in one machine step, so that a system of a few hundred unknowns is solved in
milliseconds, before a compiler would have been loaded. It is the reference for the compiled kernels too: all give the
same answers, because each is unique: the reduced form, and the solution with zeros in the columns without pivots.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nonant.csp.masks import bits


def reduced(rows: Iterable[int], columns: int = -1) -> tuple[list[int], list[int]]:
    """The reduced row echelon form without its zero rows, and the pivot column of each row, ascending.

    Only the first `columns` columns get pivots (-1: all); a row that is zero in them is dropped.
    """
    wanted = (1 << columns) - 1 if columns >= 0 else -1
    by_pivot: dict[int, int] = {}
    pivots = 0
    for given in rows:
        row, hit = given, given & pivots
        for pivot in bits(hit):
            row ^= by_pivot[pivot]  # a reduced row has no pivot but its own, so `hit` stays right
        low = row & wanted
        if not low:
            continue
        low &= -low
        for pivot, other in by_pivot.items():
            if other & low:
                by_pivot[pivot] = other ^ row
        by_pivot[low.bit_length() - 1] = row
        pivots |= low
    order = sorted(by_pivot)
    return [by_pivot[pivot] for pivot in order], order


def rank(rows: Iterable[int]) -> int:
    """The rank."""
    by_low: dict[int, int] = {}
    for given in rows:
        row = given
        while row:
            low = row & -row
            other = by_low.get(low)
            if other is None:
                by_low[low] = row
                break
            row ^= other
    return len(by_low)


def solve(rows: Sequence[int], columns: int, side: Sequence[int] | int) -> tuple[int | None, int | None]:
    """Solve rows x = side. Returns (solution, None) or (None, witness).

    The solution has zeros in the columns without pivots. The witness is a set of rows (a bit a row) whose sum has no
    unknown left but an odd right-hand side: 0 = 1. `side` is one bit a row, as a sequence or a mask.
    """
    odd = side if isinstance(side, int) else sum(1 << at for at, bit in enumerate(side) if bit)
    found, pivots = reduced((row | (odd >> at & 1) << columns for at, row in enumerate(rows)), columns + 1)
    if pivots and pivots[-1] == columns:
        return None, _witness(rows, columns, odd)
    solution = 0
    for row, pivot in zip(found, pivots, strict=True):
        solution |= (row >> columns & 1) << pivot
    return solution, None


def _witness(rows: Sequence[int], columns: int, odd: int) -> int:
    """Fredholm's alternative: where A x = b has no solution, A^T y = 0 with b y = 1 has one."""
    solution, _ = solve([*transposed(rows, columns), odd], len(rows), 1 << columns)
    assert solution is not None
    return solution


def transposed(rows: Sequence[int], columns: int) -> list[int]:
    """Rows and columns exchanged."""
    found = [0] * columns
    for at, row in enumerate(rows):
        for column in bits(row):
            found[column] |= 1 << at
    return found


def null_space(rows: Iterable[int], columns: int) -> list[int]:
    """A basis of the vectors that every row is orthogonal to: one for each column without a pivot, ascending."""
    found, pivots = reduced(rows, columns)
    held = set(pivots)
    return [
        1 << free | sum(1 << pivot for row, pivot in zip(found, pivots, strict=True) if row >> free & 1)
        for free in range(columns)
        if free not in held
    ]


def inverse(rows: Sequence[int]) -> list[int] | None:
    """The inverse of a square matrix, or None if it has none."""
    n = len(rows)
    found, pivots = reduced((row | 1 << (n + at) for at, row in enumerate(rows)), n)
    return [row >> n for row in found] if len(pivots) == n else None


def product(left: Iterable[int], right: Sequence[int]) -> list[int]:
    """left x right; the bits of a left row choose the rows of `right`."""
    found = []
    for row in left:
        total = 0
        for at in bits(row):
            total ^= right[at]
        found.append(total)
    return found
