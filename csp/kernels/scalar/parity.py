"""The parity system of a model in the kernel: elimination that goes along with the search and is never undone.

See `nonant.csp.algebra.parity_system` for the equations. Rows are dense, 64 variables a word; the right-hand side is
one more variable, the last, which is always decided and odd. So a row says: its variables add up to an even number.

Each row has a *basic* variable that no other row has. Whenever the basic variable of a row is decided, another variable
of that row that is open becomes basic instead and is eliminated from all other rows. Then

- a row without open variables must come out even, or the board is dead;
- a row in which the basic variable alone is open decides it;
- any other row says nothing, and neither does any sum of rows: it has the basic variables of all of them.

So everything that the system implies is found. Rows are only ever added to each other, which stays right on every other
board: when the search goes back there is nothing to restore.

The system is one area of the search's `work` (int64): three counts, then the lists below, then the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nonant.csp.algebra.parity_system import ParitySystem, parity_system
from nonant.csp.kernels.scalar.tables import FIRST_CAGE, FIRST_PARITY, FULL, N_CONSTRAINTS, ODD, PARITY, SCOPE, Tables
from nonant.csp.kernels.simd.bits import count_ones
from nonant.csp.machine.jit import njit

# The area: three counts, then the cells (a variable each), the basic variables (a row each), the cells that the
# last look decided (as many as there are rows), the words of decided and of odd variables, and the rows.
VARIABLES, EQUATIONS, WORDS, CELLS = 0, 1, 2, 3
CONTRADICTION = -1


def system_of(tables: Tables) -> ParitySystem | None:
    """The parity system of a model, read back from its arrays; None where it has none, or too large a one."""
    links, first, end = tables.links, int(tables.links[FIRST_PARITY]), int(tables.links[N_CONSTRAINTS])
    if first == end:
        return None

    def cells(number: int) -> list[int]:
        start = links[SCOPE] + number
        found: list[int] = links[links[start] : links[start + 1]].tolist()
        return found

    full = [unit for unit in range(int(links[FIRST_CAGE])) if links[links[FULL] + unit]]
    parities = [(cells(number), bool(links[links[PARITY] + number - first])) for number in range(first, end)]
    return parity_system(map(cells, full), parities, int(tables.masks[ODD]).bit_count())


def packed(system: ParitySystem) -> Any:
    """The area of a system, before anything is decided."""
    variables, rows = len(system.cells), len(system.rows)
    words = variables // 64 + 1  # one bit more than there are cells: the right-hand side
    head: Sequence[int] = (variables, rows, words, *system.cells, *system.pivots)
    data = b"".join(row.to_bytes(8 * words, "little") for row in system.rows)
    dense = np.frombuffer(data, "<u8").astype(np.uint64).view(np.int64)
    return np.concatenate([np.array(head, np.int64), np.zeros(rows + 2 * words, np.int64), dense])


@njit(cache=True, boundscheck=False)
def _listed(area: Any) -> int:
    """Where the cells that a look decided are listed."""
    return int(CELLS + area[VARIABLES] + area[EQUATIONS])


@njit(cache=True, boundscheck=False)
def _rows(area: Any) -> int:
    """Where the rows start."""
    return int(CELLS + area[VARIABLES] + 2 * area[EQUATIONS] + 2 * area[WORDS])


@njit(cache=True, boundscheck=False)
def _read_board(area: Any, board: Any, odd_values: Any) -> bool:
    """Note which variables are decided, and how; false when nothing is new since the last look."""
    n, words = area[VARIABLES], area[WORDS]
    decided = CELLS + n + 2 * area[EQUATIONS]
    fresh = False
    for word in range(words):
        known = odd = 0
        for k in range(64 * word, min(64 * word + 64, n)):
            domain = board[area[CELLS + k]]
            if not domain & ~odd_values:
                known |= 1 << (k & 63)
                odd |= 1 << (k & 63)
            elif not domain & odd_values:
                known |= 1 << (k & 63)
        if word == words - 1:
            known |= 1 << (n & 63)
            odd |= 1 << (n & 63)
        if area[decided + word] != known or area[decided + words + word] != odd:
            fresh = True
        area[decided + word] = known
        area[decided + words + word] = odd
    return fresh


@njit(cache=True, boundscheck=False)
def _clear(area: Any, mine: int, word: int, bit: int) -> None:
    """Add the row at `mine` to every other row that has this bit of this word."""
    rows, words, first = area[EQUATIONS], area[WORDS], _rows(area)
    for other in range(first, first + rows * words, words):
        if other != mine and area[other + word] & bit:
            for k in range(words):
                area[other + k] ^= area[mine + k]


@njit(cache=True, boundscheck=False)
def _exchange(area: Any) -> None:
    """Give each row whose basic variable is decided another one, if it has an open variable left."""
    n, rows, words, first = area[VARIABLES], area[EQUATIONS], area[WORDS], _rows(area)
    basic, decided = CELLS + n, CELLS + n + 2 * rows
    for row in range(rows):
        old = area[basic + row]
        if not (area[decided + (old >> 6)] >> (old & 63)) & 1:
            continue
        mine = first + row * words
        for word in range(words):
            left = area[mine + word] & ~area[decided + word]
            if left:
                bit = left & -left
                area[basic + row] = 64 * word + count_ones(np.uint64(bit - 1))
                _clear(area, mine, word, bit)
                break


@njit(cache=True, boundscheck=False)
def look(area: Any, board: Any, odd_values: Any) -> int:
    """Decide the cells that the system implies, on the board: how many (see `decided_cell`), or CONTRADICTION."""
    if not _read_board(area, board, odd_values):
        return 0
    _exchange(area)
    n, rows, words, first = area[VARIABLES], area[EQUATIONS], area[WORDS], _rows(area)
    basic, listed, decided = CELLS + n, _listed(area), CELLS + n + 2 * rows
    number = 0
    for row in range(rows):
        own, mine = area[basic + row], first + row * words
        word, bit = own >> 6, 1 << (own & 63)
        others = total = 0
        for k in range(words):
            left = area[mine + k] & ~area[decided + k]
            if k == word:
                left &= ~bit
            others |= left
            total ^= area[mine + k] & area[decided + words + k]
        if others:
            continue
        odd = count_ones(np.uint64(total)) & 1
        if area[decided + word] & bit:
            if odd:
                area[listed] = row
                area[decided + words + (n >> 6)] ^= 1 << (n & 63)  # so that the next look finds something new
                return CONTRADICTION
        else:
            area[decided + word] |= bit
            if odd:
                area[decided + words + word] |= bit
            cell = area[CELLS + own]
            board[cell] &= odd_values if odd else ~odd_values  # it was open: something is left
            area[listed + number] = cell
            number += 1
    return number


@njit(cache=True, boundscheck=False)
def decided_cell(area: Any, at: int) -> int:
    """The cell that the last look decided as number `at`."""
    return int(area[_listed(area) + at])


@njit(cache=True, boundscheck=False)
def blame(area: Any, weights: Any) -> None:
    """Count a contradiction to the cells of the row that failed."""
    row = _rows(area) + area[_listed(area)] * area[WORDS]
    for k in range(area[VARIABLES]):
        if (area[row + (k >> 6)] >> (k & 63)) & 1:
            weights[area[CELLS + k]] += 1
