"""The 9x9 batch kernel: sixteen puzzles in lockstep, one a lane, from lines of text to verdicts.

A pass of the rules (`rules9.py`) costs the same for one board as for sixteen. So each lane has its own puzzle and its
own stack; all lanes make a pass together, and then each lane that has come to an end of something is served alone: it
takes back a board from its stack, branches, or takes the next puzzle. No lane idles while there are puzzles.

**Branching**: a digit that can stand in just two arrangements in a band (or stack), in the band with the fewest
arrangements; `choose` finds it for all lanes at once. On the hardest list this takes 77 branchings a puzzle where the
cell with two candidates takes 113 or more. Where there is no such digit, the first cell with two candidates is taken,
or else any open cell. A lane branches as soon as a pass has placed no new cell, without waiting for the fixpoint: what
is still to be found is found in both branches, and yet this was measured to be 3 % faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from nonant.csp.kernels.classic.lockstep9_memory import (
    BIVALUE,
    CANDIDATES,
    CHOICE,
    COLUMN_TRIADS,
    DEPTH,
    FOUND,
    LANE_WORDS,
    LANES,
    LEVELS,
    OPEN,
    PUZZLE,
    ROW_TRIADS,
    SAVED,
    TAKEN,
)
from nonant.csp.kernels.classic.masks9 import NAMES
from nonant.csp.kernels.classic.rules9 import DIGIT_SHIFT, STACKS_SHIFT, choose, propagate
from nonant.csp.kernels.simd.bits import lowest_place, moved, pointer_to
from nonant.csp.kernels.text.text9 import read_puzzle, write_solution

BAD = -1  # the count of a line that is no puzzle
CELLS = 81
_THREES, _ONES = 9 * LANES, 3 * LANES  # how far digits stand apart, see `text9.py`
_ZERO, _ONE = np.uint32(0), np.uint32(1)
_NO_LANE, _EVERY_LANE, _ONE_LANE = np.uint64(0), np.uint64((1 << LANES) - 1), np.uint64(1)
_NAME_BITS, _DIGIT_BITS = np.uint32((1 << NAMES) - 1), np.uint32(15)


@njit(cache=True, forceinline=True)
def _begin(board: Any, lane: int) -> None:
    """Forget what the last pass knew of this lane's former board."""
    for word in range(3):
        board[TAKEN + word * LANES + lane] = _ZERO
    board[ROW_TRIADS + lane] = board[COLUMN_TRIADS + lane] = _ZERO


@njit(cache=True, forceinline=True)
def _read_puzzle(board: Any, lane: int, text: Any, start: int) -> bool:
    """The 81 bytes from `start` on into a lane; false if one of them is no symbol of a puzzle."""
    _begin(board, lane)
    return bool(read_puzzle(moved(board, CANDIDATES + lane), _THREES, _ONES, LANES, text, start))


@njit(cache=True, forceinline=True)
def _save(board: Any, lane: int, saved: Any) -> None:
    for row in range(27):
        saved[row] = board[CANDIDATES + row * LANES + lane]


@njit(cache=True, forceinline=True)
def _restore(board: Any, lane: int, saved: Any) -> None:
    for row in range(27):
        board[CANDIDATES + row * LANES + lane] = saved[row]
    _begin(board, lane)


@njit(cache=True, boundscheck=False)
def _branch_on_cell(board: Any, lane: int, saved: Any) -> None:
    """The first cell with two candidates, else with more: its lowest digit here, the others on the saved board."""
    at, cell = 0, _ZERO
    for row in (BIVALUE, OPEN):
        for word in range(3):
            found = board[row + word * LANES + lane]
            if cell == _ZERO and found != _ZERO:
                at, cell = word, found & (~found + _ONE)
    first = True
    for digit in range(9):
        place = 3 * digit + at
        if saved[place] & cell:
            if first:
                saved[place] &= ~cell
            else:
                board[CANDIDATES + place * LANES + lane] &= ~cell
            first = False


@njit(cache=True, forceinline=True)
def _branch(board: Any, lane: int, saved: Any, masks: Any) -> None:
    """Leave one alternative in the lane, the other on the saved board, which must be a copy of it."""
    choice = board[CHOICE + lane]
    if choice == _ZERO:
        _branch_on_cell(board, lane, saved)
        return
    names = choice & _NAME_BITS
    digit = np.int64((choice >> np.uint32(DIGIT_SHIFT)) & _DIGIT_BITS)
    group = np.int64(choice >> np.uint32(STACKS_SHIFT)) * NAMES
    one = 3 * (group + lowest_place(np.uint64(names)))
    other = 3 * (group + lowest_place(np.uint64(names & (names - _ONE))))
    for word in range(3):
        saved[3 * digit + word] &= masks[one + word]
        board[CANDIDATES + (3 * digit + word) * LANES + lane] &= masks[other + word]


@njit(cache=True, forceinline=True)
def _next_puzzle(board: Any, lane: int, mine: Any, text: Any, starts: Any, number: int, end: int, counts: Any) -> int:
    """Give the lane the first good puzzle from `number` on; returns the number after it, or -1 if there is none."""
    while number < end:
        start = starts[number]
        if start >= 0 and _read_puzzle(board, lane, text, start):
            mine[DEPTH], mine[PUZZLE], mine[FOUND] = 0, number, 0
            return number + 1
        counts[number] = BAD
        number += 1
    return -1


@njit(cache=True, boundscheck=False, nogil=True)
def count_lines(
    text_: Any,
    starts_: Any,
    begin: int,
    end: int,
    limit: int,
    counts_: Any,
    solutions_: Any,
    work_: Any,
    stack_: Any,
    masks_: Any,
    totals: Any,
    stop: Any,
) -> None:
    """Count the solutions of puzzles `begin` to `end`, each up to `limit`, into `counts` (BAD for what is no puzzle).

    Args:
        text_: uint8, the bytes of the text.
        starts_: int64, where each puzzle's 81 bytes start; negative for a line that is no puzzle.
        counts_: int64, one a puzzle, written.
        solutions_: uint8, 81 a puzzle, or empty: the first solution found, as numbers 1 to 9.
        work_, stack_, masks_: from `lockstep9_memory.workspace`.
        totals: int64 (2): branchings and passes, added to.
        stop: int64 (1): when another thread makes it 1, the kernel leaves at once, with counts that are not done.
    """
    text, starts, counts, masks = pointer_to(text_), pointer_to(starts_), pointer_to(counts_), pointer_to(masks_)
    board, lanes, stack = pointer_to(work_), pointer_to(stack_[0]), pointer_to(stack_[1])
    solutions, writing = pointer_to(solutions_), solutions_.shape[0] > 0
    branchings = passes = 0
    number, running = begin, _NO_LANE
    for lane in range(LANES):
        if number >= 0:
            number = _next_puzzle(board, lane, moved(lanes, lane * LANE_WORDS), text, starts, number, end, counts)
            if number >= 0:
                running |= _ONE_LANE << np.uint64(lane)
    while running != _NO_LANE and stop[0] == 0:
        dead, changed, is_open, progress = propagate(board)
        passes += 1
        # Served: dead lanes, and those without a newly placed cell that are open (to branch) or at a fixpoint (solved).
        served = running & (dead | (~progress & (is_open | ~changed)))
        if served & is_open & ~dead != _NO_LANE:
            choose(board)
        while served != _NO_LANE:
            lane = lowest_place(served)
            bit = _ONE_LANE << np.uint64(lane)
            served ^= bit
            mine = moved(lanes, lane * LANE_WORDS)
            saved = moved(stack, (lane * LEVELS + mine[DEPTH]) * SAVED)
            if is_open & ~dead & bit:
                branchings += 1
                mine[DEPTH] += 1
                _save(board, lane, saved)
                _branch(board, lane, saved, masks)
                continue
            if not dead & bit:
                if writing and mine[FOUND] == 0:
                    candidates = moved(board, CANDIDATES + lane)
                    write_solution(candidates, _THREES, _ONES, LANES, solutions, mine[PUZZLE] * CELLS)
                mine[FOUND] += 1
            if mine[DEPTH] > 0 and mine[FOUND] < limit:
                mine[DEPTH] -= 1
                _restore(board, lane, moved(saved, -SAVED))
                continue
            counts[mine[PUZZLE]] = mine[FOUND]
            if number >= 0:
                number = _next_puzzle(board, lane, mine, text, starts, number, end, counts)
            if number < 0:
                running &= ~bit
    totals[0] += branchings
    totals[1] += passes
