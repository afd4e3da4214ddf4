"""A bit matrix in 8 x 8 blocks, for `gfni.py`: from packed rows and back.

A matrix is cut into strips of 512 columns and groups of 8 rows. A group of a strip is 64 words at
`((strip * groups) + group) * 64`: word j holds byte column j, byte r of it belongs to row r. So one word is an 8 x 8
block, the unit of the instruction `affine`, and one register is eight blocks side by side.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.kernels.gf2.elimination import STRIP, Indices, Words
from nonant.csp.kernels.simd.lanes import load, shuffler, store
from nonant.csp.machine.jit import njit

GROUP = 8  # rows of a group


def _interleaved(bits: int, high: bool) -> Any:
    """The low (or high) halves of each 128 bits of two registers, piece by piece in turn."""
    per, count = 128 // bits, 512 // bits
    pieces = [quarter * per + at + (per // 2 if high else 0) for quarter in range(4) for at in range(per // 2)]
    return shuffler([number for piece in pieces for number in (piece, piece + count)], bits)


low_bytes, high_bytes = _interleaved(8, False), _interleaved(8, True)
low_pairs, high_pairs = _interleaved(16, False), _interleaved(16, True)
low_fours, high_fours = _interleaved(32, False), _interleaved(32, True)
quarters_01, quarters_23 = shuffler([0, 1, 8, 9, 2, 3, 10, 11]), shuffler([4, 5, 12, 13, 6, 7, 14, 15])
low_halves, high_halves = shuffler([0, 1, 2, 3, 8, 9, 10, 11]), shuffler([4, 5, 6, 7, 12, 13, 14, 15])
_transposed = shuffler([8 * lane + byte for byte in range(8) for lane in range(8)], 8)


@njit(cache=True, nogil=True)
def transposed(block: Any) -> Any:
    """The 8 x 8 bytes of a register with rows and columns exchanged."""
    return _transposed(block, block)


def size(rows: int, columns: int) -> int:
    """How many words the blocks of a matrix take."""
    return -(-rows // GROUP) * -(-columns // STRIP) * 64


@njit(cache=True, nogil=True)
def _store_quarters(blocks: Words, at: int, a: Any, b: Any, c: Any, d: Any) -> None:
    ab_low, ab_high, cd_low, cd_high = quarters_01(a, b), quarters_23(a, b), quarters_01(c, d), quarters_23(c, d)
    store(blocks, at, low_halves(ab_low, cd_low))
    store(blocks, at + 16, high_halves(ab_low, cd_low))
    store(blocks, at + 32, low_halves(ab_high, cd_high))
    store(blocks, at + 48, high_halves(ab_high, cd_high))


@njit(cache=True, nogil=True)
def _group_to_blocks(rows: Words, at: int, stride: int, blocks: Words, to: int) -> None:
    """Eight rows of eight words become 64 blocks: a transposition of 8 x 64 bytes, by interleaving thrice."""
    r0, r1, r2, r3 = load(rows, at), load(rows, at + stride), load(rows, at + 2 * stride), load(rows, at + 3 * stride)
    at += 4 * stride
    r4, r5, r6, r7 = load(rows, at), load(rows, at + stride), load(rows, at + 2 * stride), load(rows, at + 3 * stride)
    a0, a1, b0, b1 = low_bytes(r0, r1), high_bytes(r0, r1), low_bytes(r2, r3), high_bytes(r2, r3)
    c0, c1, d0, d1 = low_bytes(r4, r5), high_bytes(r4, r5), low_bytes(r6, r7), high_bytes(r6, r7)
    e0, e1, e2, e3 = low_pairs(a0, b0), high_pairs(a0, b0), low_pairs(a1, b1), high_pairs(a1, b1)
    f0, f1, f2, f3 = low_pairs(c0, d0), high_pairs(c0, d0), low_pairs(c1, d1), high_pairs(c1, d1)
    _store_quarters(blocks, to, low_fours(e0, f0), high_fours(e0, f0), low_fours(e1, f1), high_fours(e1, f1))
    _store_quarters(blocks, to + 8, low_fours(e2, f2), high_fours(e2, f2), low_fours(e3, f3), high_fours(e3, f3))


@njit(cache=True, nogil=True)
def to_blocks(rows: Words, n_rows: int, n_words: int, blocks: Words, strips: int) -> None:
    """Row-major packed rows into blocks; entries beyond the matrix become zero."""
    groups = (n_rows + 7) >> 3
    margin = np.zeros(64, np.uint64)
    for strip in range(strips):
        width = min(8, n_words - 8 * strip)
        for group in range(groups):
            at = (strip * groups + group) * 64
            if width == 8 and group * 8 + 8 <= n_rows:
                _group_to_blocks(rows, group * 8 * n_words + strip * 8, n_words, blocks, at)
                continue
            margin[:] = 0
            for row in range(min(8, n_rows - group * 8)):
                for word in range(width):
                    margin[8 * row + word] = rows[(group * 8 + row) * n_words + strip * 8 + word]
            _group_to_blocks(margin, 0, 8, blocks, at)


@njit(cache=True, nogil=True)
def from_blocks(blocks: Words, n_rows: int, strips: int, rows: Words, n_words: int, target: Indices) -> None:
    """Blocks into row-major packed rows: row r goes to row `target[r]`, and is dropped where that is negative."""
    groups = (n_rows + 7) >> 3
    square = np.empty(64, np.uint64)
    for strip in range(strips):
        width = min(8, n_words - 8 * strip)
        for group in range(groups):
            at = (strip * groups + group) * 64
            for word in range(width):
                store(square, 8 * word, transposed(load(blocks, at + 8 * word)))
            for row in range(min(8, n_rows - group * 8)):
                to = target[group * 8 + row]
                if to >= 0:
                    for word in range(width):
                        rows[to * n_words + 8 * strip + word] = square[8 * word + row]


@njit(cache=True, nogil=True)
def read_column(blocks: Words, n_rows: int, column: int, out: Any) -> None:
    """One column as bytes 0 or 1."""
    groups = (n_rows + 7) >> 3
    base, octet, bit = (column // STRIP) * groups * 64, (column % STRIP) >> 3, column & 7
    for row in range(n_rows):
        out[row] = (blocks[base + (row >> 3) * 64 + octet] >> np.uint64(8 * (row & 7) + bit)) & np.uint64(1)
