"""Zeros and ones, one a byte, to packed bits and back, 64 at a time: large boards are bound by memory alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.kernels.simd.lanes import both, chosen, either, load, nonzero_lanes, splat, store
from nonant.csp.machine.jit import njit

NO, YES, NOT_BITS = np.uint8(0), np.uint8(1), np.uint8(0xFE)


@njit(cache=True, nogil=True)
def pack(entries: Any, rows: int, columns: int, words: Any) -> bool:
    """Flat bytes into rows of words; false if some byte is neither 0 nor 1."""
    width, seen = (columns + 63) // 64, splat(NO)
    strange, one = False, np.uint64(1)
    for row in range(rows):
        base = row * columns
        for word in range(columns // 64):
            chunk = load(entries, base + 64 * word)
            seen = either(seen, chunk)
            words[row * width + word] = nonzero_lanes(chunk)
        if columns & 63:
            rest = np.uint64(0)
            for at in range(columns & ~63, columns):
                strange |= entries[base + at] > 1
                if entries[base + at]:
                    rest |= one << np.uint64(at & 63)
            words[row * width + width - 1] = rest
    return not strange and nonzero_lanes(both(seen, splat(NOT_BITS))) == 0


@njit(cache=True, nogil=True)
def unpack(words: Any, rows: int, columns: int, entries: Any) -> None:
    """Rows of words into flat bytes."""
    width = (columns + 63) // 64
    for row in range(rows):
        base = row * columns
        for word in range(columns // 64):
            store(entries, base + 64 * word, chosen(words[row * width + word], splat(YES), splat(NO)))
        for at in range(columns & ~63, columns):
            entries[base + at] = (words[row * width + width - 1] >> np.uint64(at & 63)) & np.uint64(1)
