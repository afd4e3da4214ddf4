"""The lightest member of a coset of a binary linear code, by a walk through all its codewords in Gray-code order.

In a Gray code neighbours differ in one bit, so each codeword is one addition away from the last. Here 64 codewords
are looked at in each step: the sums of the first six basis rows stand in a table, eight to a register, and the Gray
code runs over the other rows. One word of 64 cells then costs about a tenth of a nanosecond.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.kernels.simd.bits import lowest_place
from nonant.csp.kernels.simd.lanes import differ as xor
from nonant.csp.kernels.simd.lanes import less_lanes, load, plus, popcounts, splat, store
from nonant.csp.machine.jit import njit

TABLED = 6  # basis rows whose sums stand in the table
ZERO = np.uint64(0)

Words = Any


@njit(cache=True, nogil=True)
def tabulate(basis: Words, table: Words) -> None:
    """The 64 sums of the first six basis rows; entry ((s / 8) * words + w) * 8 + s % 8 is word w of sum s."""
    n_words = basis.shape[1]
    for s in range(64):
        for word in range(n_words):
            total = ZERO
            for bit in range(TABLED):
                if (s >> bit) & 1:
                    total ^= basis[bit, word]
            table[((s >> 3) * n_words + word) * 8 + (s & 7)] = total


@njit(cache=True, nogil=True)
def walk(member: Words, basis: Words, table: Words, first: int, last: int, best: int, best_choice: int) -> Any:
    """Steps `first` to before `last` of 2^(rows - 6); `member` is where the walk stands, and is moved on.

    Returns the least weight so far and the choice of basis rows (a bit a row) that leads there from the start.
    """
    n_words = basis.shape[1]
    weights = np.empty(32, np.uint64)
    least = np.uint64(best)
    for step in range(first, last):
        if step:
            changed = lowest_place(np.uint64(step))  # the one bit in which two neighbours of the code differ
            for word in range(n_words):
                member[word] ^= basis[TABLED + changed, word]
        limit = splat(least)
        for half in range(0, 8, 4):
            at, stride = half * n_words * 8, n_words * 8
            a = b = c = d = splat(ZERO)
            for word in range(n_words):
                here, entry = splat(member[word]), at + word * 8
                a = plus(a, popcounts(xor(here, load(table, entry))))
                b = plus(b, popcounts(xor(here, load(table, entry + stride))))
                c = plus(c, popcounts(xor(here, load(table, entry + 2 * stride))))
                d = plus(d, popcounts(xor(here, load(table, entry + 3 * stride))))
            if less_lanes(a, limit) | less_lanes(b, limit) | less_lanes(c, limit) | less_lanes(d, limit):
                store(weights, 0, a)
                store(weights, 8, b)
                store(weights, 16, c)
                store(weights, 24, d)
                for lane in range(32):
                    if weights[lane] < least:
                        least = weights[lane]
                        gray = step ^ (step >> 1)
                        best_choice = (gray << TABLED) | (half * 8 + lane)
                limit = splat(least)
    return np.int64(least), best_choice
