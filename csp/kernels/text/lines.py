"""Lines of text without a Python object for each: where puzzles stand, what their symbols mean, and rows of answers.

A line holds one puzzle: as many one-byte symbols as there are cells, then the end of the line, or a blank, comma or
semicolon and whatever follows it. Empty lines and lines that begin with `#` hold none and are passed over.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.kernels.simd.bits import lowest_place, moved, pointer_to
from nonant.csp.kernels.simd.lanes import bytes_equal, load_bytes
from nonant.csp.kernels.text.symbols import NO_PUZZLE, UNKNOWN
from nonant.csp.machine.jit import njit

STEP = 32  # bytes looked at together

_NEWLINE, _RETURN, _SPACE, _TAB = np.uint8(10), np.uint8(13), np.uint8(32), np.uint8(9)
_COMMA, _SEMICOLON, _HASH, _DIGIT_0 = np.uint8(ord(",")), np.uint8(ord(";")), np.uint8(ord("#")), np.uint8(ord("0"))


@njit(cache=True, boundscheck=False)
def _note(text: Any, begin: int, end: int, cells: int, starts: Any, numbers: Any, found: int, line: int) -> int:
    """Enter one line, without its newline, if it holds a puzzle or something that should be one."""
    while begin < end and (text[begin] == _SPACE or text[begin] == _TAB):
        begin += 1
    while begin < end and (text[end - 1] == _SPACE or text[end - 1] == _TAB or text[end - 1] == _RETURN):
        end -= 1
    if begin == end or text[begin] == _HASH:
        return found
    fits = end - begin == cells
    if end - begin > cells:
        after = text[begin + cells]
        fits = after in (_SPACE, _TAB, _COMMA, _SEMICOLON)
    starts[found] = begin if fits else NO_PUZZLE
    numbers[found] = line
    return found + 1


@njit(cache=True, boundscheck=False)
def _line_end(text: Any, begin: int, length: int) -> int:
    """Where the next newline is, or the end of the text."""
    while begin + STEP <= length:
        ends = np.uint64(bytes_equal(load_bytes(text, begin), _NEWLINE))
        if ends:
            return int(begin + lowest_place(ends))
        begin += STEP
    while begin < length and text[begin] != _NEWLINE:
        begin += 1
    return begin


@njit(cache=True, forceinline=True)
def _is_plain(text: Any, begin: int, cells: int) -> bool:
    """True for a line of `cells` bytes (STEP or more), the first and last no blank and no `#`: what most lists have.

    There is one branch, always taken the same way: to look for the newline would cost a misprediction a line.
    """
    inside = np.uint32(0)
    for at in range(begin, begin + cells - STEP, STEP):
        inside |= bytes_equal(load_bytes(text, at), _NEWLINE)
    inside |= bytes_equal(load_bytes(text, begin + cells - STEP), _NEWLINE)
    ends_well = (text[begin + cells] == _NEWLINE) & (text[begin + cells - 1] > _HASH)
    return bool(ends_well & (inside == 0) & (text[begin] > _HASH))


@njit(cache=True, boundscheck=False, nogil=True)
def find_puzzles(text_: Any, cells: int, starts: Any, numbers: Any) -> tuple[int, int]:
    """Where the puzzles of a text start.

    Args:
        text_: uint8; a last line without a newline counts.
        cells: how many symbols a puzzle has.
        starts: int64, written: the offset of each puzzle's first symbol, NO_PUZZLE for a line of a wrong length.
        numbers: int64, written: the line of each, counted from 0.

    Returns:
        The number of puzzles, and of lines.
    """
    text, length = pointer_to(text_), text_.shape[0]
    begin = found = line = 0
    while begin < length:
        if cells >= STEP and begin + cells < length and _is_plain(text, begin, cells):
            starts[found], numbers[found] = begin, line
            found += 1
            begin += cells + 1
        else:
            end = _line_end(text, begin, length)
            found = _note(text, begin, end, cells, starts, numbers, found, line)
            begin = end + 1
        line += 1
    return found, line


@njit(cache=True, boundscheck=False)
def read_values(text: Any, start: int, cells: int, symbols: Any, values: Any) -> bool:
    """The values of one puzzle: 0 for empty, else index + 1; false if one of the bytes is no symbol."""
    good = True
    for cell in range(cells):
        value = symbols[text[start + cell]]
        values[cell] = value
        good &= value != UNKNOWN
    return good


@njit(cache=True, boundscheck=False)
def _copy(out: Any, at: int, piece: Any, begin: int, end: int) -> int:
    for offset in range(begin, end):
        out[at] = piece[offset]
        at += 1
    return at


@njit(cache=True, boundscheck=False)
def _number(out: Any, at: int, number: int) -> int:
    """A number from 0 on, in decimal."""
    digits, left = 1, number // 10
    while left:
        digits, left = digits + 1, left // 10
    for offset in range(at + digits - 1, at - 1, -1):
        out[offset] = _DIGIT_0 + np.uint8(number % 10)
        number //= 10
    return at + digits


@njit(cache=True, boundscheck=False, nogil=True)
def write_rows(
    first: int,
    counts_: Any,
    words_: Any,
    ends_: Any,
    solutions_: Any,
    symbols_: Any,
    pieces_: Any,
    parts_: Any,
    out_: Any,
) -> int:
    """One row a puzzle: piece 0, its number, piece 1, its word or count, piece 2, the solution, piece 3 (or piece 4).

    Args:
        first: the number of the first row.
        counts_: int64, solutions of each; -1 for a line that was no puzzle.
        words_, ends_: what is written for a count of -1, 0, 1, ...: bytes, and where each word ends. A larger count
            gets the last word. With one word, that one is for -1 and other counts are written as numbers.
        solutions_: uint8 (n, cells) flat, indices of values + 1, or empty; piece 4 stands for one that is not there.
        symbols_: uint8, the byte of each index + 1.
        pieces_, parts_: bytes of the five pieces, and where each ends. With an empty piece 1 no number is written.
        out_: uint8, large enough.

    Returns:
        How many bytes were written.
    """
    counts, words, ends, symbols = pointer_to(counts_), pointer_to(words_), pointer_to(ends_), pointer_to(symbols_)
    pieces, parts, out, solutions = pointer_to(pieces_), pointer_to(parts_), pointer_to(out_), pointer_to(solutions_)
    rows, last, at = counts_.shape[0], ends_.shape[0] - 1, 0
    cells = solutions_.shape[0] // max(rows, 1)
    for row in range(rows):
        count = counts[row]
        at = _copy(out, at, pieces, 0, parts[0])
        if parts[1] > parts[0]:
            at = _number(out, at, first + row)
        at = _copy(out, at, pieces, parts[0], parts[1])
        if count >= 0 and last == 0:
            at = _number(out, at, count)
        else:
            word = min(count + 1, last)
            at = _copy(out, at, words, ends[word - 1] if word else 0, ends[word])
        if cells and count > 0:
            at = _copy(out, at, pieces, parts[1], parts[2])
            solution = moved(solutions, row * cells)
            for cell in range(cells):
                out[at + cell] = symbols[solution[cell]]
            at = _copy(out, at + cells, pieces, parts[2], parts[3])
        else:
            at = _copy(out, at, pieces, parts[3], parts[4])
    return at
