"""What the 9x9 lockstep kernel keeps in memory: the rows of its sixteen boards, its lanes, its stacks.

This module needs no numba, so that a kernel that is compiled already can be called without it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nonant.csp.kernels.classic.masks9 import N_MASKS, arrangements, mask_rows
from nonant.csp.kernels.simd.memory import aligned

LANES = 16
# Rows of the boards, in words: a row is one word a lane.
CANDIDATES = 0  # digit by digit, three words each
PLACED = CANDIDATES + 27 * LANES  # alike: the cells in which the digit is placed
TAKEN = PLACED + 27 * LANES  # three words: the cells in which some digit is placed
ROW_TRIADS = TAKEN + 3 * LANES  # the minirows that only three digits can enter, as the last pass left them
COLUMN_TRIADS = ROW_TRIADS + LANES
BAND_EVEN = COLUMN_TRIADS + LANES  # a word a digit: the minirows of even arrangements; three bits for each of them
BAND_ODD = BAND_EVEN + 9 * LANES
STACK_EVEN = BAND_ODD + 9 * LANES
STACK_ODD = STACK_EVEN + 9 * LANES
BIVALUE = STACK_ODD + 9 * LANES  # three words: the cells with two candidates
OPEN = BIVALUE + 3 * LANES  # three words: the cells with two or more
CHOICE = OPEN + 3 * LANES  # what to branch on, see `rules9.choose`
MASKS = CHOICE + LANES  # the masks of `masks9.mask_rows`, a row each
BOARD_WORDS = MASKS + N_MASKS * LANES

SAVED = 32  # words of a saved board: 27 and padding
# Each branching settles one of the 54 (digit, band or stack) pairs or one of the 81 cells, so a stack is never deeper.
LEVELS = 54 + 81
# What a lane knows of its puzzle, in int64 words: levels saved, the puzzle's number, solutions so far.
DEPTH, PUZZLE, FOUND = 0, 1, 2
LANE_WORDS = 4


class Space(NamedTuple):
    """What one thread needs: the boards, the lanes, their stacks, the masks of the arrangements."""

    board: Any
    lanes: Any
    stack: Any
    masks: Any


def workspace() -> Space:
    """A space to work in."""
    board, lanes = aligned(BOARD_WORDS, np.uint32), np.zeros(LANES * LANE_WORDS, np.int64)
    board[MASKS:BOARD_WORDS] = np.repeat(np.array(mask_rows(), np.uint32), LANES)
    return Space(board, lanes, aligned(LANES * LEVELS * SAVED, np.uint32), arrangements())
