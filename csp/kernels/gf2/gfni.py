"""Dense linear algebra over GF(2) with the GFNI instruction: 4096 bit products at a time, no tables.

The matrix is kept in 8 x 8 blocks, the unit of the instruction (`blocks.py`).

One algorithm does everything: Gauss-Jordan in place, at three levels (64 columns, 512 columns, the matrix). To clear k
columns: find k pivot rows by eliminating within the columns; save the pivot rows, and zero them; then add
multipliers x saved rows to every row. Where the pivots' columns stood, there is room for the multipliers, as in the
textbook inversion in place. A row keeps its index (no swaps), and a column without a pivot needs no special case.

    the 64 columns      word by word: `_find_pivots`, then one 64 x 64 product a group
    the other 448       64 multipliers x saved rows: `_factor_strip`
    the other strips    512 multipliers x saved rows, 32 KB that stay in the first cache: `_spread`

The idea of clearing many columns by one product is Kronrod's ("four Russians", 1970; in M4RI, Albrecht, Bard and Hart,
2010, by tables). Import this module only where `instructions.has(*FEATURES)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.kernels.gf2.blocks import GROUP, from_blocks, read_column, size, to_blocks, transposed
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
from nonant.csp.kernels.simd.instructions import affine
from nonant.csp.kernels.simd.lanes import (
    both,
    either,
    load,
    nonzero_lanes,
    shifted_down,
    shifted_up,
    shuffler,
    splat,
    store,
)
from nonant.csp.kernels.simd.lanes import differ as xor
from nonant.csp.kernels.simd.lanes import differ_3 as xor3
from nonant.csp.machine.jit import njit

__all__ = [  # the same names as in `tables.py`
    "ECHELON",
    "FEATURES",
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

FEATURES = ("gfni", "avx512f", "avx512bw", "avx512dq")

# Multiplied by the identity in this order of bytes, a word comes out with rows and columns exchanged.
TRANSPOSE = np.uint64(0x0102040810204080)
EACH_BYTE = np.uint64(0x0101010101010101)
BYTE = np.uint64(0xFF)

# The 8 x 8 bytes of a register with rows and columns exchanged, the lanes in reverse.
_transposed_reversed = shuffler([8 * (7 - lane) + byte for byte in range(8) for lane in range(8)], 8)

# -- products ----------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _add_product(blocks: Words, at: int, multipliers: Words, by: int, saved: Words, n_bytes: int) -> None:
    """blocks[at .. at+64] += 8 rows of `n_bytes` byte multipliers x saved rows: the inner loop of everything."""
    a0, a1, a2, a3 = load(blocks, at), load(blocks, at + 8), load(blocks, at + 16), load(blocks, at + 24)
    a4, a5, a6, a7 = load(blocks, at + 32), load(blocks, at + 40), load(blocks, at + 48), load(blocks, at + 56)
    for k in range(0, n_bytes, 2):
        x, y, p = splat(multipliers[by + k]), splat(multipliers[by + k + 1]), k * 64
        a0 = xor3(a0, affine(x, load(saved, p)), affine(y, load(saved, p + 64)))
        a1 = xor3(a1, affine(x, load(saved, p + 8)), affine(y, load(saved, p + 72)))
        a2 = xor3(a2, affine(x, load(saved, p + 16)), affine(y, load(saved, p + 80)))
        a3 = xor3(a3, affine(x, load(saved, p + 24)), affine(y, load(saved, p + 88)))
        a4 = xor3(a4, affine(x, load(saved, p + 32)), affine(y, load(saved, p + 96)))
        a5 = xor3(a5, affine(x, load(saved, p + 40)), affine(y, load(saved, p + 104)))
        a6 = xor3(a6, affine(x, load(saved, p + 48)), affine(y, load(saved, p + 112)))
        a7 = xor3(a7, affine(x, load(saved, p + 56)), affine(y, load(saved, p + 120)))
    store(blocks, at, a0)
    store(blocks, at + 8, a1)
    store(blocks, at + 16, a2)
    store(blocks, at + 24, a3)
    store(blocks, at + 32, a4)
    store(blocks, at + 40, a5)
    store(blocks, at + 48, a6)
    store(blocks, at + 56, a7)


@njit(cache=True, nogil=True)
def _save_rows(
    blocks: Words, base: int, rows: Indices, n_rows: int, saved: Words, skipped_word: int, clear: bool
) -> None:
    """Rows of one strip (-1 for none), as multiplicands of `affine`; zeroed where they stand if `clear`.

    Word column `skipped_word` is left alone; -1 skips none.
    """
    for octet in range(n_rows >> 3):
        at = octet * 64
        for word in range(8):
            store(saved, at + 8 * word, splat(ZERO))
        for slot in range(8):
            row = rows[octet * 8 + slot]
            if row < 0:
                continue
            source = base + (row >> 3) * 64
            down, up = np.uint64(8 * (row & 7)), np.uint64(8 * (7 - slot))
            for word in range(8):
                if word == skipped_word:
                    continue
                group = load(blocks, source + 8 * word)
                one_row = both(shifted_down(group, down), splat(BYTE))
                store(saved, at + 8 * word, either(load(saved, at + 8 * word), shifted_up(one_row, up)))
                if clear:
                    store(blocks, source + 8 * word, both(group, splat(~(BYTE << down))))
        for word in range(8):
            store(saved, at + 8 * word, affine(splat(TRANSPOSE), load(saved, at + 8 * word)))


@njit(cache=True, nogil=True)
def _square_to_multiplicand(square: Words, saved: Words) -> None:
    """64 rows of one word as multiplicands, for `_times_square`."""
    for octet in range(8):
        rows = load(square, octet * 8)
        block = _transposed_reversed(rows, rows)
        store(saved, octet * 8, affine(splat(TRANSPOSE), block))


@njit(cache=True, nogil=True)
def _times_square(blocks: Words, at: int, saved: Words) -> Any:
    """Eight rows of one word column x a 64 x 64 square."""
    a = xor3(
        affine(splat(blocks[at]), load(saved, 0)),
        affine(splat(blocks[at + 1]), load(saved, 8)),
        affine(splat(blocks[at + 2]), load(saved, 16)),
    )
    a = xor3(a, affine(splat(blocks[at + 3]), load(saved, 24)), affine(splat(blocks[at + 4]), load(saved, 32)))
    a = xor3(a, affine(splat(blocks[at + 5]), load(saved, 40)), affine(splat(blocks[at + 6]), load(saved, 48)))
    return xor(a, affine(splat(blocks[at + 7]), load(saved, 56)))


# -- elimination -------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _keep_mask(pivots: np.uint64, keep: Words) -> None:
    """For each byte column, in every row, the bits that are no pivots."""
    for octet in range(8):
        keep[octet] = ((~pivots >> np.uint64(8 * octet)) & BYTE) * EACH_BYTE


@njit(cache=True, nogil=True, inline="always")
def _free_rows(used: Any, group: int) -> Any:
    """In each byte, all bits where that row of a group is no pivot yet."""
    free = ZERO
    for row in range(8):
        if not used[group * 8 + row]:
            free |= BYTE << np.uint64(8 * row)
    return free


@njit(cache=True, nogil=True)
def _find_pivots(
    blocks: Words,
    base: int,
    word: int,
    limit: int,
    active: Indices,
    n_active: int,
    used: Any,
    pivot_rows: Indices,
    work: Any,
) -> np.uint64:
    """Gauss-Jordan within 64 columns: pivots (a bit a column), their rows, and the square that clears the columns."""
    square, saved, keep, lines = work
    square[:] = 0
    saved[:64] = 0
    pivots, wanted = ZERO, first_columns(limit)
    for nth in range(n_active):
        group = active[nth]
        at = base + group * 64 + 8 * word
        free = _free_rows(used, group)
        if free == 0:
            continue
        if pivots:
            # Most groups hold nothing new once the pivots are found: one product tells, without looking at a row.
            left = both(xor(_times_square(blocks, at, saved), load(blocks, at)), both(load(keep, 0), splat(free)))
        else:
            left = both(load(blocks, at), splat(free))
        if not nonzero_lanes(left):
            continue
        store(lines, 0, transposed(load(blocks, at)))
        for row in range(8):
            if used[group * 8 + row]:
                continue
            line = cleared(lines[row], pivots, square)
            new = line & ~pivots & wanted
            if new == 0:
                continue
            column = lowest_place(new)
            pivots = enter_pivot(line, column, pivots, square)
            pivot_rows[column] = group * 8 + row
            used[group * 8 + row] = 1
        _square_to_multiplicand(square, saved)
        _keep_mask(pivots, keep)
        if pivots == wanted:
            break
    return pivots


@njit(cache=True, nogil=True)
def _factor_strip(
    blocks: Words, base: int, n_columns: int, active: Indices, n_active: int, used: Any, pivot_rows: Indices, work: Any
) -> int:
    """Gauss-Jordan in place within one strip; returns how many pivots it found."""
    small, many = work
    saved, keep = small[1], small[2]
    found = 0
    for word in range((n_columns + 63) // 64):
        rows_here = pivot_rows[64 * word : 64 * word + 64]
        limit = min(64, n_columns - 64 * word)
        pivots = _find_pivots(blocks, base, word, limit, active, n_active, used, rows_here, small)
        if pivots == 0:
            continue
        left = pivots
        while left:
            column = lowest_place(left)
            left &= left - ONE
            found += 1
            row = rows_here[column]
            at, down = base + (row >> 3) * 64 + 8 * word, np.uint64(8 * (row & 7))
            for octet in range(8):
                blocks[at + octet] &= ~(BYTE << down)
            blocks[at + (column >> 3)] |= (ONE << np.uint64(column & 7)) << down
        for nth in range(n_active):
            at = base + active[nth] * 64 + 8 * word
            store(blocks, at, xor(both(load(blocks, at), load(keep, 0)), _times_square(blocks, at, saved)))
        _save_rows(blocks, base, rows_here, 64, many, word, True)
        for nth in range(n_active):
            at = base + active[nth] * 64
            _add_product(blocks, at, blocks, at + 8 * word, many, 8)
    return found


@njit(cache=True, nogil=True)
def _spread(
    blocks: Words,
    groups: int,
    strip: int,
    first: int,
    last: int,
    rows: Indices,
    active: Indices,
    n_active: int,
    many: Words,
) -> None:
    """Apply the multipliers of a factored strip to the other strips from `first` to before `last`."""
    source = strip * groups * 64
    for other in range(first, last):
        if other == strip:
            continue
        target = other * groups * 64
        _save_rows(blocks, target, rows, STRIP, many, -1, True)
        for nth in range(n_active):
            at = active[nth] * 64
            _add_product(blocks, target + at, blocks, source + at, many, 64)


@njit(cache=True, nogil=True)
def _set_units(blocks: Words, base: int, rows: Indices, active: Indices, n_active: int) -> None:
    """Multipliers are done with: make the pivot columns unit vectors."""
    keep = np.empty(64, np.uint64)
    for octet in range(64):
        mask = ZERO
        for bit in range(8):
            if rows[octet * 8 + bit] < 0:
                mask |= ONE << np.uint64(bit)
        keep[octet] = mask * EACH_BYTE
    for nth in range(n_active):
        at = base + active[nth] * 64
        for word in range(8):
            store(blocks, at + 8 * word, both(load(blocks, at + 8 * word), load(keep, 8 * word)))
    for column in range(STRIP):
        row = rows[column]
        if row >= 0:
            block = base + (row >> 3) * 64 + (column >> 3)
            blocks[block] |= (ONE << np.uint64(column & 7)) << np.uint64(8 * (row & 7))


@njit(cache=True, nogil=True)
def eliminate(
    blocks: Words, n_rows: int, n_columns: int, strips: int, mode: int, pivot_rows: Indices, used: Any
) -> int:
    """Eliminate the first `n_columns` columns; returns the rank.

    ECHELON leaves groups of rows alone once all their rows are pivots; REDUCED clears every column; INVERSE keeps the
    multipliers, so that a square matrix of full rank ends as its inverse (with rows and columns still to be permuted).

    Args:
        pivot_rows: written: for each column its pivot's row; must hold -1 and span whole strips.
        used: written: which rows are pivots; one entry a row, in whole groups, those beyond the matrix already 1.
    """
    groups = (n_rows + 7) >> 3
    square, saved, keep, lines = (
        np.zeros(64, np.uint64),
        np.zeros(64, np.uint64),
        np.zeros(8, np.uint64),
        np.zeros(8, np.uint64),
    )
    many = aligned_words(STRIP * 8)
    small = (square, saved, keep, lines)
    active, n_active, rank = np.arange(groups), groups, 0
    for strip in range((n_columns + STRIP - 1) // STRIP):
        base, rows = strip * groups * 64, pivot_rows[STRIP * strip : STRIP * (strip + 1)]
        width = min(STRIP, n_columns - STRIP * strip)
        rank += _factor_strip(blocks, base, width, active, n_active, used, rows, (small, many))
        first = 0 if mode == INVERSE else strip + 1
        _spread(blocks, groups, strip, first, strips, rows, active, n_active, many)
        if mode != INVERSE:
            _set_units(blocks, base, rows, active, n_active)
        if mode == ECHELON:
            kept = 0
            for nth in range(n_active):
                group = active[nth]
                if not used[group * 8 : group * 8 + 8].all():
                    active[kept] = group
                    kept += 1
            n_active = kept
            if n_active == 0:
                break
    return rank


@njit(cache=True, nogil=True)
def permute_columns(blocks: Words, out: Words, n_rows: int, n: int, source: Indices) -> None:
    """`out` (zeros) gets column c of `blocks` as its column `source[c]`, by 64 x 64 squares of the permutation."""
    groups, words = (n_rows + 7) >> 3, (n + 63) // 64
    inverse = inverted(source, n)
    seen = np.full(words, -1)
    square, saved = np.zeros(64, np.uint64), np.zeros(64, np.uint64)
    for word in range(words):
        end = min(n, 64 * word + 64)
        target = (word >> 3) * groups * 64 + 8 * (word & 7)
        for first in range(64 * word, end):
            from_word = inverse[first] >> 6
            if seen[from_word] == word:
                continue
            seen[from_word] = word
            fill_square(square, inverse, first, end)
            _square_to_multiplicand(square, saved)
            origin = (from_word >> 3) * groups * 64 + 8 * (from_word & 7)
            for group in range(groups):
                at = group * 64
                product = _times_square(blocks, origin + at, saved)
                store(out, target + at, xor(load(out, target + at), product))


@njit(cache=True, nogil=True)
def back_substitute(blocks: Words, n_rows: int, n_columns: int, pivot_rows: Indices, side: Any, out: Words) -> None:
    """The solution with zeros in the columns without pivots, from an ECHELON elimination.

    Args:
        side: the right-hand side after the elimination, one byte a row, in whole groups; used up.
        out: the solution's bits, packed; must be zero, and span whole strips.
    """
    groups = (n_rows + 7) >> 3
    lanes_sum, bits = np.zeros(8, np.uint64), np.zeros(64, np.uint64)
    for strip in range((n_columns + STRIP - 1) // STRIP - 1, -1, -1):
        for at in range(STRIP):
            column = STRIP * strip + at
            if column < n_columns and pivot_rows[column] >= 0 and side[pivot_rows[column]]:
                out[column >> 6] |= ONE << np.uint64(column & 63)
        some = False
        for octet in range(64):
            # Byte 7 of the multiplicand is what `affine` multiplies into bit 0 of each row's byte.
            bits[octet] = ((out[8 * strip + (octet >> 3)] >> np.uint64(8 * (octet & 7))) & BYTE) << np.uint64(56)
            some |= bits[octet] != 0
        if not some:
            continue
        for group in range(groups):
            at = (strip * groups + group) * 64
            total = splat(ZERO)
            for word in range(8):
                total = xor(total, affine(load(blocks, at + 8 * word), load(bits, 8 * word)))
            store(lanes_sum, 0, total)
            odd = ZERO
            for lane in range(8):
                odd ^= lanes_sum[lane]
            for row in range(8):
                side[group * 8 + row] ^= (odd >> np.uint64(8 * row)) & ONE


@njit(cache=True, nogil=True)
def multiply(left: Words, right: Words, out: Words, n_left: int, n_right: int, n_strips: int) -> None:
    """out = left x right, all in blocks; `out` must be zero. They have `n_left` and `n_right` rows."""
    groups_left, groups_right = (n_left + 7) >> 3, (n_right + 7) >> 3
    rows, many = np.empty(STRIP, np.int64), np.empty(STRIP * 8, np.uint64)
    for strip in range(n_strips):
        target = strip * groups_left * 64
        for part in range((n_right + STRIP - 1) // STRIP):
            for at in range(STRIP):
                row = part * STRIP + at
                rows[at] = row if row < groups_right * 8 else -1
            _save_rows(right, strip * groups_right * 64, rows, STRIP, many, -1, False)
            source = part * groups_left * 64
            for group in range(groups_left):
                at = group * 64
                _add_product(out, target + at, left, source + at, many, 64)
