"""What the 9x9 kernel for one grid keeps in memory: boards that wait, constants, and how far a search has come.

This module needs no numba, so that a kernel that is compiled already can be called without it.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from nonant.csp.kernels.classic.masks9 import N_MASKS, NAMES, arrangements, mask_rows, names_of, place_of
from nonant.csp.kernels.simd.memory import aligned

LANES, QUARTER = 16, 4
CELLS = 81
# What a search stops for.
EXHAUSTED, SPENT, ROOM = 0, 1, 2
# `work` (int64): how many boards wait, branchings so far, solutions so far, passes so far.
WAITING, NODES, FOUND, PASSES = 0, 1, 2, 3
WORK_WORDS = 4

# A board, in words: three vectors of candidates, and one of the minirows in which digits are placed.
PLACED = 3 * LANES
BOARD_WORDS = 4 * LANES
# Each branching settles one of the 54 (digit, band or stack) pairs or one of the 81 cells, and leaves one board behind.
LEVELS = 54 + 81 + 1
# The stack: boards that wait, room to look at a vector lane by lane, the candidates of the next puzzle, and constants.
SCRATCH = LEVELS * BOARD_WORDS
NEXT = SCRATCH + LANES
MASKS = NEXT + PLACED  # of `masks9.mask_rows`, a vector each
NAMES_AT = MASKS + N_MASKS * LANES  # the names of the arrangements of the six bands and stacks
ARRANGEMENTS_AT = NAMES_AT + LANES  # of `masks9.arrangements`
STACK_WORDS = ARRANGEMENTS_AT + 2 * NAMES * 3


def lane_of(digit: int) -> int:
    """Where a digit (0-8) stands in a vector: three digits a quarter."""
    return QUARTER * (digit // 3) + digit % 3


class Space(NamedTuple):
    """What one search needs: the stack, and `work`."""

    stack: Any
    work: Any


def workspace() -> Space:
    """A space to work in."""
    stack = aligned(STACK_WORDS, np.uint32)
    stack[MASKS:] = _constants()
    return Space(stack, np.zeros(WORK_WORDS, np.int64))


@cache
def _constants() -> Any:
    """The stack from MASKS on."""
    constants = np.zeros(STACK_WORDS - MASKS, np.uint32)
    constants[: N_MASKS * LANES] = np.repeat(np.array(mask_rows(), np.uint32), LANES)
    names = [names_of(stacks, number) for stacks in (False, True) for number in range(3)]
    constants[NAMES_AT - MASKS :][: len(names)] = names
    constants[ARRANGEMENTS_AT - MASKS :] = arrangements()
    return constants


@cache
def layout() -> Any:
    """The word and the bit of each cell: int64, flat."""
    return np.array([place_of(cell // 9, cell % 9) for cell in range(CELLS)], np.int64).ravel()
