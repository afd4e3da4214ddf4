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
    Space,
)
from nonant.csp.kernels.classic.masks9 import NAMES
from nonant.csp.kernels.classic.rules9 import DIGIT_SHIFT, STACKS_SHIFT, choose, propagate
from nonant.csp.kernels.simd.bits import lowest_place, moved, pointer_to
from nonant.csp.kernels.text.job import BAD, Job
from nonant.csp.kernels.text.pointers import pointers_of
from nonant.csp.kernels.text.text9 import read_puzzle, write_solution
from nonant.csp.machine.jit import njit

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
        row = 3 * digit + at
        if saved[row] & cell:
            if first:
                saved[row] &= ~cell
            else:
                board[CANDIDATES + row * LANES + lane] &= ~cell
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
def _next_puzzle(board: Any, lane: int, mine: Any, lines: Any, number: int) -> int:
    """Give the lane the first good puzzle from `number` on; returns the number after it, or -1 if there is none."""
    while 0 <= number < lines.end:
        start = lines.starts[number]
        if start >= 0 and _read_puzzle(board, lane, lines.text, start):
            mine[DEPTH], mine[PUZZLE], mine[FOUND] = 0, number, 0
            return number + 1
        lines.counts[number] = BAD
        number += 1
    return -1


@njit(cache=True, inline="always")
def _note_solution(board: Any, lane: int, mine: Any, solutions: Any, writing: bool) -> None:
    """Count a solution; the first one of a puzzle is written down."""
    if writing and mine[FOUND] == 0:
        candidates = moved(board, CANDIDATES + lane)
        write_solution(candidates, _THREES, _ONES, LANES, solutions, mine[PUZZLE] * CELLS)
    mine[FOUND] += 1


@njit(cache=True, boundscheck=False, nogil=True)
def count_lines(job: Job, space: Space, totals: Any) -> None:
    """Count the solutions of the puzzles of a job; `totals` (int64): branchings and passes, added to."""
    lines, writing = pointers_of(job), job.solutions.shape[0] > 0
    board, lanes = pointer_to(space.board), pointer_to(space.lanes)
    stack, masks = pointer_to(space.stack), pointer_to(space.masks)
    branchings = passes = 0
    number, running = lines.begin, _NO_LANE
    for lane in range(LANES):
        number = _next_puzzle(board, lane, moved(lanes, lane * LANE_WORDS), lines, number)
        if number >= 0:
            running |= _ONE_LANE << np.uint64(lane)
    while running != _NO_LANE and lines.stop[0] == 0:
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
                _note_solution(board, lane, mine, lines.solutions, writing)
            if mine[DEPTH] > 0 and mine[FOUND] < lines.limit:
                mine[DEPTH] -= 1
                _restore(board, lane, moved(saved, -SAVED))
                continue
            lines.counts[mine[PUZZLE]] = mine[FOUND]
            number = _next_puzzle(board, lane, mine, lines, number)
            if number < 0:
                running &= ~bit
    totals[0] += branchings
    totals[1] += passes
