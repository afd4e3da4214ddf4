"""How the 9x9 lockstep kernel lays out a grid, and the masks that follow from it.

**The layout.** For each digit the 81 places are three words of 27 bits. The word is the column within its box. The
bit is made of the row within its box (the *line*), the *stack* (three columns of boxes) and the *band* (three rows):

    cell (row, column):   word column % 3,   bit 9 * (row % 3) + 3 * (column // 3) + row // 3

A *minirow* is where a row and a box meet: three cells that stand at one bit of the three words, so that "which minirows
can hold the digit" is the OR of the words, and a set of minirows is removed from all nine rows with three ANDs. This is
what the layout is for: with a word a band, as usual, gathering and spreading minirows takes thirty shifts.

**Two squares.** Where a digit may stand in a band is a 3 x 3 square, lines by stacks: in a solution each line and each
stack has it once. The 27 minirows are three such squares, one a band. The *minicolumns* (where a column and a box
meet) are laid out alike, with the word instead of the line: bit 9 * word + 3 * stack + band; a stack is a square
of words by bands. A way to fill a square is a permutation of three: three even ones (from slot to slot the place goes
on by 1, in a circle) and three odd ones (it goes on by 2). They are called *arrangements* here.

An arrangement is named by the bit of its cell in the outer slot 0, plus 9 if it is odd: 18 names for the bands of a
digit and 18 for the stacks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

DIGITS, WORDS, SLOTS = 9, 3, 3
OUTER, MIDDLE, INNER = 9, 3, 1  # how far apart neighbours stand in the three coordinates of a bit
ALL = (1 << 27) - 1
NAMES = 18
N_MASKS = 7  # of `mask_rows`


def bit_of(outer: int, middle: int, inner: int) -> int:
    """The bit of (line, stack, band), or of (word, stack, band); coordinates count modulo 3."""
    return OUTER * (outer % 3) + MIDDLE * (middle % 3) + INNER * (inner % 3)


def place_of(row: int, column: int) -> tuple[int, int]:
    """The word and the bit of a cell."""
    return column % 3, bit_of(row % 3, column // 3, row // 3)


def cells_of_word(word: int) -> list[int]:
    """For each of 32 bits of a word its cell (0-80, row by row); the five unused bits repeat cell 0."""
    cells = [0] * 32
    for cell in range(81):
        at, bit = place_of(cell // 9, cell % 9)
        if at == word:
            cells[bit] = cell
    return cells


def bytes_of_cells() -> list[int]:
    """For each cell its index when the three words stand one behind another, 32 bits each."""
    return [32 * word + bit for word, bit in (place_of(cell // 9, cell % 9) for cell in range(81))]


def slots(axis: int, *kept: int) -> int:
    """The mask of the bits whose coordinate along an axis (OUTER, MIDDLE, INNER) is one of these."""
    return sum(1 << bit for bit in range(27) if bit // axis % 3 in kept)


def arrangement(stacks: bool, name: int) -> tuple[int, int, int]:
    """The places left, as three words, when a band (or stack) of a digit is arranged so; others are untouched."""
    odd, bit = divmod(name, 9)
    middle, inner = divmod(bit, 3)
    step = 2 if odd else 1
    words = []
    for word in range(WORDS):
        if stacks:  # word by band: this word stands in one band, in all lines
            kept = sum(1 << bit_of(line, middle, inner + step * word) for line in range(SLOTS))
            words.append(ALL & ~slots(MIDDLE, middle) | kept)
        else:  # line by stack: the minirows, whatever the word
            kept = sum(1 << bit_of(line, middle + step * line, inner) for line in range(SLOTS))
            words.append(ALL & ~slots(INNER, inner) | kept)
    return words[0], words[1], words[2]


def arrangements() -> Any:
    """All of them: uint32 (2 * 18 * 3), bands first."""
    return np.array([arrangement(stacks, name) for stacks in (False, True) for name in range(NAMES)], np.uint32).ravel()


def names_of(stacks: bool, number: int) -> int:
    """The mask of the arrangement names of one band (or stack)."""
    one = slots(MIDDLE if stacks else INNER, number) & slots(OUTER, 0)
    return one | one << 9


def mask_rows() -> list[int]:
    """The masks that the rules of `digit9.py` need in every lane, N_MASKS words, to be loaded from memory.

    They say from which of two shifted words a bit is taken. They stand in memory, although they never change: of a mask
    that it knows LLVM drops the bits that a shift has made zero, and then no longer sees that this mask and its
    complement choose between two words, which is one instruction on AVX-512 and not two.
    """
    above = 0xFFFFFFFF & ~ALL  # a word that is to be shifted down must have zeros there: they come with the mask's ones
    return [
        slots(MIDDLE, 0, 1) | above,
        slots(MIDDLE, 0) | above,
        slots(INNER, 0, 1) | above,
        slots(INNER, 0) | above,
        slots(OUTER, 0) | above,
        slots(OUTER, 0, 1) | above,
        slots(OUTER, 0),
    ]
