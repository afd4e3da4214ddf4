"""A classic puzzle between its 81 bytes and the bits of `masks9.py`.

A puzzle is `1`-`9`, and `.`, `0`, `_`, `-` or `*` for empty. A byte shuffle (known when the code is made) puts the
cells in the order of the words' bits; comparing with `1`, ..., `9` then gives the masks of the nine digits directly.
Solutions are written the same way backwards, as numbers.

Where the 27 words of a board stand in memory its kernel says by three distances: those of digits in threes (1, 4, 7),
of digits in a three (1, 2, 3), and of words of a digit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.kernels.classic.masks9 import ALL, bytes_of_cells, cells_of_word
from nonant.csp.kernels.simd.lanes import byte_reader, byte_writer, bytes_equal, bytes_set, no_bytes
from nonant.csp.machine.jit import njit

_read = tuple(byte_reader(cells_of_word(word)) for word in range(3))
_read_a, _read_b, _read_c = _read
_write = byte_writer(bytes_of_cells())
_ALL = np.uint32(ALL)
_ZERO_DIGIT = np.uint8(ord("0"))
_DOT, _UNDERSCORE, _DASH, _STAR = (np.uint8(ord(blank)) for blank in "._-*")


@njit(cache=True, forceinline=True)
def _blanks(cells: Any) -> Any:
    """The mask of the cells that are empty."""
    found = bytes_equal(cells, _DOT) | bytes_equal(cells, _ZERO_DIGIT)
    return found | bytes_equal(cells, _UNDERSCORE) | bytes_equal(cells, _DASH) | bytes_equal(cells, _STAR)


@njit(cache=True, forceinline=True)
def read_puzzle(board: Any, threes: int, ones: int, words: int, text: Any, start: int) -> bool:
    """The 81 bytes from `start` on as candidates; false if one of them is no symbol of a puzzle."""
    a, b, c = _read_a(text, start), _read_b(text, start), _read_c(text, start)
    blank_a, blank_b, blank_c = _blanks(a), _blanks(b), _blanks(c)
    known_a, known_b, known_c = blank_a, blank_b, blank_c
    for digit in range(9):
        byte = _ZERO_DIGIT + np.uint8(digit + 1)
        given_a, given_b, given_c = bytes_equal(a, byte), bytes_equal(b, byte), bytes_equal(c, byte)
        known_a, known_b, known_c = known_a | given_a, known_b | given_b, known_c | given_c
        at = digit // 3 * threes + digit % 3 * ones
        board[at] = (given_a | blank_a) & _ALL
        board[at + words] = (given_b | blank_b) & _ALL
        board[at + 2 * words] = (given_c | blank_c) & _ALL
    return bool(known_a & known_b & known_c & _ALL == _ALL)


@njit(cache=True, forceinline=True)
def write_solution(board: Any, threes: int, ones: int, words: int, solutions: Any, start: int) -> None:
    """A solved board as 81 digits from `start` on, each a number from 1 to 9."""
    a = b = c = no_bytes()
    for digit in range(9):
        byte = np.uint8(digit + 1)
        at = digit // 3 * threes + digit % 3 * ones
        a = bytes_set(a, board[at], byte)
        b = bytes_set(b, board[at + words], byte)
        c = bytes_set(c, board[at + 2 * words], byte)
    _write(solutions, start, a, b, c)
