"""All parities of a model as one system of linear equations over GF(2).

A parity looked at alone says something only when all its cells but one are decided. Added up, parities say more: where
two share all their undecided cells but one, that one is forced at once. Chains of such sums defeat forward checking,
which has to guess through 2^k assignments; elimination finds every consequence of the system in one pass.

**Variables**: for each cell whether its value is odd. **Equations**: the parities, and one a full unit, in which every
value stands once, so that the number of its odd cells is known: it is the number of odd values. These implied equations
cost nothing and tie the parities to the rest of the puzzle.

The reduced form stays right whatever cells are decided, in any order: deciding a cell replaces a variable by a number.
So a search need not undo anything (`kernels/scalar/parity.py`); Gauss-Jordan elimination in a search is from
Han and Jiang, "When Boolean satisfiability meets Gaussian elimination in a simplex way" (CAV 2012).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nonant.csp.algebra import bitrows

MOST_ENTRIES = 1 << 22  # a larger matrix costs more to eliminate than search would bear


@dataclass(frozen=True)
class ParitySystem:
    """A system in reduced row echelon form.

    Attributes:
        cells: variable k is "`cells[k]` takes an odd value".
        rows: the equations; bit k is variable k, bit `len(cells)` the right-hand side.
        pivots: for each row the one variable of it that is in no other row; `len(cells)` in the row 0 = 1.
    """

    cells: tuple[int, ...]
    rows: tuple[int, ...]
    pivots: tuple[int, ...]


def parity_system(
    full_units: Iterable[Sequence[int]], parities: Sequence[tuple[Sequence[int], bool]], odd_values: int
) -> ParitySystem | None:
    """The system of a model's parities and of the units that they touch, directly or through other units.

    Args:
        full_units: the cells of units in which every value stands once.
        parities: cells, and whether an odd number of them takes an odd value.
        odd_values: how many values are odd.

    Returns:
        None where a system would find nothing that the parities one by one do not: for fewer than two equations; and
        where it would be too large.
    """
    equations = list(parities)
    touched = {cell for cells, _ in parities for cell in cells}
    waiting = list(full_units)
    while True:
        joined = [unit for unit in waiting if not touched.isdisjoint(unit)]
        if not joined:
            break
        waiting = [unit for unit in waiting if touched.isdisjoint(unit)]
        equations += [(unit, bool(odd_values % 2)) for unit in joined]
        touched.update(cell for unit in joined for cell in unit)
    if not parities or len(equations) < 2 or len(equations) * len(touched) > MOST_ENTRIES:
        return None
    cells = tuple(sorted(touched))
    variable = {cell: at for at, cell in enumerate(cells)}
    rows = []
    for members, odd in equations:
        row = int(odd) << len(cells)
        for cell in members:
            row ^= 1 << variable[cell]
        rows.append(row)
    form, pivots = bitrows.reduced(rows)
    return ParitySystem(cells, tuple(form), tuple(pivots))
