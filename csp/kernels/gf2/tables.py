"""Dense linear algebra over GF(2) for any processor: the method of four Russians, by tables.

The same functions, arguments and answers as `gfni.py`, which needs an instruction that not every processor has.
The method is Kronrod's (1970): of k saved rows write down all 2^k sums once, each by one addition to an earlier sum,
then add one table entry to a row instead of up to k rows. Here 64 pivots are cleared at a time by twelve tables of 32
or 64 sums of 64 bytes: 32 KB, which stay in the first cache while a strip of 512 columns streams by.

Layout: strips of 512 columns, in each the rows one after the other, eight words a row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.kernels.gf2.elimination import (
    ECHELON,
    INVERSE,
    ONE,
    REDUCED,
    STRIP,
    ZERO,
    Indices,
    Words,
    aligned_words,
    cleared,
    enter_pivot,
    fill_square,
    first_columns,
    inverted,
)
from nonant.csp.kernels.simd.bits import lowest_place
from nonant.csp.kernels.simd.lanes import differ as xor
from nonant.csp.kernels.simd.lanes import differ_3 as xor3
from nonant.csp.kernels.simd.lanes import load, splat, store
from nonant.csp.machine.jit import njit

__all__ = [  # the same names as in `gfni.py`
    "ECHELON",
    "GROUP",
    "INVERSE",
    "REDUCED",
    "STRIP",
    "back_substitute",
    "eliminate",
    "from_blocks",
    "multiply",
    "permute_columns",
    "read_column",
    "size",
    "to_blocks",
]

GROUP = 1
LOW6, LOW5 = np.uint64(63), np.uint64(31)
TABLE_WORDS = (4 * 64 + 8 * 32) * 8


def size(rows: int, columns: int) -> int:
    """How many words the strips of a matrix take."""
    return rows * -(-columns // STRIP) * 8


@njit(cache=True, nogil=True)
def to_blocks(rows: Words, n_rows: int, n_words: int, blocks: Words, strips: int) -> None:
    """Row-major packed rows into strips; entries beyond the matrix become zero."""
    for strip in range(strips):
        width = min(8, n_words - 8 * strip)
        for row in range(n_rows):
            at, source = (strip * n_rows + row) * 8, row * n_words + 8 * strip
            for word in range(8):
                blocks[at + word] = rows[source + word] if word < width else ZERO


@njit(cache=True, nogil=True)
def from_blocks(blocks: Words, n_rows: int, strips: int, rows: Words, n_words: int, target: Indices) -> None:
    """Strips into row-major packed rows: row r goes to row `target[r]`, and is dropped where that is negative."""
    for strip in range(strips):
        width = min(8, n_words - 8 * strip)
        for row in range(n_rows):
            if target[row] >= 0:
                at, to = (strip * n_rows + row) * 8, target[row] * n_words + 8 * strip
                for word in range(width):
                    rows[to + word] = blocks[at + word]


# -- tables ------------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _tabulate(saved: Words, tables: Words) -> None:
    """All sums of 64 saved rows of eight words, in four tables of six rows and eight of five."""
    first, base = 0, 0
    for number in range(12):
        width = 6 if number < 4 else 5
        store(tables, base, splat(ZERO))
        for bit in range(width):
            row = load(saved, (first + bit) * 8)
            for entry in range(1 << bit):
                store(tables, base + ((1 << bit) + entry) * 8, xor(load(tables, base + entry * 8), row))
        first += width
        base += 8 << width


@njit(cache=True, nogil=True)
def _entry(tables: Words, base: int, multiplier: np.uint64, down: int, mask: np.uint64) -> Any:
    return load(tables, base + 8 * np.int64((multiplier >> np.uint64(down)) & mask))


@njit(cache=True, nogil=True)
def _add_sums(blocks: Words, at: int, m: np.uint64, tables: Words) -> None:
    """Eight words += the sum of the saved rows that the bits of `m` choose."""
    a = xor3(load(blocks, at), _entry(tables, 0, m, 0, LOW6), _entry(tables, 512, m, 6, LOW6))
    b = xor3(_entry(tables, 1024, m, 12, LOW6), _entry(tables, 1536, m, 18, LOW6), _entry(tables, 2048, m, 24, LOW5))
    a = xor3(a, _entry(tables, 2304, m, 29, LOW5), _entry(tables, 2560, m, 34, LOW5))
    b = xor3(b, _entry(tables, 2816, m, 39, LOW5), _entry(tables, 3072, m, 44, LOW5))
    a = xor3(a, _entry(tables, 3328, m, 49, LOW5), _entry(tables, 3584, m, 54, LOW5))
    store(blocks, at, xor3(a, b, _entry(tables, 3840, m, 59, LOW5)))


@njit(cache=True, nogil=True)
def _tabulate_square(square: Words, sums: Words) -> None:
    """All sums of the eight rows of each eighth of a 64 x 64 square."""
    for octet in range(8):
        base = octet * 256
        sums[base] = 0
        for bit in range(8):
            for entry in range(1 << bit):
                sums[base + (1 << bit) + entry] = sums[base + entry] ^ square[octet * 8 + bit]


@njit(cache=True, nogil=True)
def _times_square(word: np.uint64, sums: Words) -> np.uint64:
    total = ZERO
    for octet in range(8):
        total ^= sums[octet * 256 + np.int64((word >> np.uint64(8 * octet)) & np.uint64(255))]
    return total


# -- elimination -------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _find_pivots(
    blocks: Words,
    base: int,
    wanted: np.uint64,
    active: Indices,
    n_active: int,
    used: Any,
    pivot_rows: Indices,
    work: Any,
) -> np.uint64:
    """Gauss-Jordan within one word column: pivots (a bit a column), their rows, and the square that clears the columns.

    Most rows hold nothing new once the pivots are found: from the first such row on they are cleared by sums, eight
    table entries a row, until another pivot comes.
    """
    square, sums = work
    square[:] = 0
    pivots, fresh = ZERO, False  # fresh: `sums` belongs to `square` as it is
    for nth in range(n_active):
        row = active[nth]
        if used[row]:
            continue
        word = blocks[base + row * 8]
        if fresh:
            line = (word & ~pivots) ^ _times_square(word & pivots, sums)
        else:
            line = cleared(word, pivots, square)
        new = line & ~pivots & wanted
        if new == 0:
            if not fresh and pivots:
                _tabulate_square(square, sums)
                fresh = True
            continue
        column = lowest_place(new)
        pivots = enter_pivot(line, column, pivots, square)
        pivot_rows[column] = row
        used[row] = 1
        fresh = False
        if pivots == wanted:
            break
    return pivots


@njit(cache=True, nogil=True)
def eliminate(
    blocks: Words, n_rows: int, n_columns: int, strips: int, mode: int, pivot_rows: Indices, used: Any
) -> int:
    """Eliminate the first `n_columns` columns; returns the rank. The arguments are those of `gfni.eliminate`.

    ECHELON leaves a row alone once it is a pivot.
    """
    square, sums = np.zeros(64, np.uint64), np.zeros(8 * 256, np.uint64)
    saved = np.zeros(64 * 8, np.uint64)
    tables = aligned_words(TABLE_WORDS)
    active, n_active, rank = np.arange(n_rows), n_rows, 0
    for word in range((n_columns + 63) // 64):
        strip, within = word >> 3, word & 7
        base, rows = strip * n_rows * 8 + within, pivot_rows[64 * word : 64 * word + 64]
        wanted = first_columns(n_columns - 64 * word)
        pivots = _find_pivots(blocks, base, wanted, active, n_active, used, rows, (square, sums))
        if pivots == 0:
            continue
        _tabulate_square(square, sums)
        for column in range(64):
            if rows[column] >= 0:
                rank += 1
                blocks[base + rows[column] * 8] = ONE << np.uint64(column)
        for nth in range(n_active):
            at = base + active[nth] * 8
            blocks[at] = (blocks[at] & ~pivots) ^ _times_square(blocks[at] & pivots, sums)
        for other in range(0 if mode == INVERSE else strip, strips):
            target = other * n_rows * 8
            for column in range(64):
                for at in range(8):
                    saved[column * 8 + at] = 0
                    source = target + rows[column] * 8 + at
                    if rows[column] >= 0 and not (other == strip and at == within):
                        saved[column * 8 + at] = blocks[source]
                        blocks[source] = 0
            _tabulate(saved, tables)
            for nth in range(n_active):
                row = active[nth]
                _add_sums(blocks, target + row * 8, blocks[base + row * 8] & pivots, tables)
        if mode != INVERSE:
            for nth in range(n_active):
                blocks[base + active[nth] * 8] &= ~pivots
            for column in range(64):
                if rows[column] >= 0:
                    blocks[base + rows[column] * 8] |= ONE << np.uint64(column)
        if mode == ECHELON:
            kept = 0
            for nth in range(n_active):
                if not used[active[nth]]:
                    active[kept] = active[nth]
                    kept += 1
            n_active = kept
            if n_active == 0:
                break
    return rank


@njit(cache=True, nogil=True)
def permute_columns(blocks: Words, out: Words, n_rows: int, n: int, source: Indices) -> None:
    """`out` (zeros) gets column c of `blocks` as its column `source[c]`, by 64 x 64 squares of the permutation."""
    words = (n + 63) // 64
    inverse = inverted(source, n)
    seen = np.full(words, -1)
    square, sums = np.zeros(64, np.uint64), np.zeros(8 * 256, np.uint64)
    for word in range(words):
        end, target = min(n, 64 * word + 64), (word >> 3) * n_rows * 8 + (word & 7)
        for first in range(64 * word, end):
            from_word = inverse[first] >> 6
            if seen[from_word] == word:
                continue
            seen[from_word] = word
            fill_square(square, inverse, first, end)
            _tabulate_square(square, sums)
            origin = (from_word >> 3) * n_rows * 8 + (from_word & 7)
            for row in range(n_rows):
                out[target + row * 8] ^= _times_square(blocks[origin + row * 8], sums)


@njit(cache=True, nogil=True)
def read_column(blocks: Words, n_rows: int, column: int, out: Any) -> None:
    """One column as bytes 0 or 1."""
    base, down = (column // STRIP) * n_rows * 8 + ((column % STRIP) >> 6), np.uint64(column & 63)
    for row in range(n_rows):
        out[row] = (blocks[base + row * 8] >> down) & ONE


@njit(cache=True, nogil=True)
def back_substitute(blocks: Words, n_rows: int, n_columns: int, pivot_rows: Indices, side: Any, out: Words) -> None:
    """The solution with zeros in the columns without pivots; the arguments are those of `gfni`."""
    for word in range((n_columns + 63) // 64 - 1, -1, -1):
        bits = ZERO
        for at in range(min(64, n_columns - 64 * word)):
            row = pivot_rows[64 * word + at]
            if row >= 0 and side[row]:
                bits |= ONE << np.uint64(at)
        out[word] = bits
        if bits == 0:
            continue
        base = (word >> 3) * n_rows * 8 + (word & 7)
        for row in range(n_rows):
            odd = blocks[base + row * 8] & bits
            odd ^= odd >> np.uint64(32)
            odd ^= odd >> np.uint64(16)
            odd ^= odd >> np.uint64(8)
            odd ^= odd >> np.uint64(4)
            side[row] ^= (np.uint64(0x6996) >> (odd & np.uint64(15))) & ONE


@njit(cache=True, nogil=True)
def multiply(left: Words, right: Words, out: Words, n_left: int, n_right: int, n_strips: int) -> None:
    """out = left x right, all in strips; `out` must be zero. They have `n_left` and `n_right` rows."""
    saved, tables = np.zeros(64 * 8, np.uint64), np.empty(TABLE_WORDS, np.uint64)
    for strip in range(n_strips):
        target = strip * n_left * 8
        for word in range((n_right + 63) // 64):
            count = min(64, n_right - 64 * word) * 8
            source = (strip * n_right + 64 * word) * 8
            saved[:count] = right[source : source + count]
            saved[count:] = 0
            _tabulate(saved, tables)
            base = (word >> 3) * n_left * 8 + (word & 7)
            for row in range(n_left):
                _add_sums(out, target + row * 8, left[base + row * 8], tables)
