"""What the two eliminations over GF(2), `gfni.py` and `tables.py`, have in common: Gauss-Jordan within 64 columns.

The columns are cleared by a `square` of 64 words: `square[c]` is what a row with a one in pivot column c gets added. It
holds the bits of the pivot row in the columns without pivots and, in the pivot columns, the multipliers of the pivot
rows as they were, as in the textbook inversion in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.kernels.simd.bits import lowest_place
from nonant.csp.machine.jit import njit

STRIP = 512  # columns that are worked on together
ECHELON, REDUCED, INVERSE = 0, 1, 2  # how far `eliminate` goes
ONE, ZERO, FULL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)

Words = Any  # a flat numpy array of uint64
Indices = Any  # a numpy array of int64


@njit(cache=True, nogil=True, inline="always")
def first_columns(count: int) -> Any:
    """The mask of the first columns of 64."""
    return FULL if count >= 64 else (ONE << np.uint64(count)) - ONE


@njit(cache=True, nogil=True, inline="always")
def cleared(line: Any, pivots: Any, square: Words) -> Any:
    """A row without its ones in the pivot columns, which the square clears."""
    rest, hit = line & ~pivots, line & pivots
    while hit:
        rest ^= square[lowest_place(hit)]
        hit &= hit - ONE
    return rest


@njit(cache=True, nogil=True, inline="always")
def enter_pivot(line: Any, column: int, pivots: Any, square: Words) -> Any:
    """Make a cleared row the pivot of a column: it leaves the other rows of the square; returns all pivots."""
    bit, others = ONE << np.uint64(column), pivots
    while others:
        other = lowest_place(others)
        others &= others - ONE
        if square[other] & bit:
            square[other] = (square[other] & ~bit) ^ line
    square[column] = line
    return pivots | bit


@njit(cache=True, nogil=True)
def aligned_words(count: int) -> Words:
    """Memory of which the inner loops read whole registers: no load crosses a cache line."""
    room = np.empty(count + 8, np.uint64)
    skew = (8 - np.int64(room.ctypes.data >> 3) % 8) % 8
    return room[skew : skew + count]


@njit(cache=True, nogil=True)
def inverted(permutation: Indices, n: int) -> Indices:
    """The inverse of a permutation of n columns."""
    inverse = np.empty(n, np.int64)
    for column in range(n):
        inverse[permutation[column]] = column
    return inverse


@njit(cache=True, nogil=True)
def fill_square(square: Words, inverse: Indices, first: int, end: int) -> None:
    """The part of a permutation between two words of columns: from the word of column `first` comes what goes there."""
    square[:] = 0
    source = inverse[first] >> 6
    for column in range(first, end):
        if inverse[column] >> 6 == source:
            square[inverse[column] & 63] |= ONE << np.uint64(column & 63)
