"""The generic lockstep kernel: any model of units, a puzzle a lane, from lines of text to counts.

Like `lockstep9.py`, with the cell as the unit of memory: a row of memory is one cell (or segment, or unit) of as many
puzzles as there are lanes, each lane a mask of values. Up to 16 values a lane has 16 bits, and 32 puzzles go at a time;
32 bits and 16 puzzles up to 32 values, 64 bits and 8 puzzles up to 63. What a pass does is a program made from the
model's units (`program.py`, `generic_rules.py`).

Branching: a cell with the fewest values, ties by the number of bivalue cells in its units; the lowest value first,
then the others. A branching settles a cell, so each lane's stack is as deep as there are cells. As in the 9x9 kernel a
lane branches before its fixpoint, when a pass has made no single and some cell has two values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nonant.csp.kernels.lockstep.constraint_program import END
from nonant.csp.kernels.lockstep.constraint_rules import constrain
from nonant.csp.kernels.lockstep.generic_rules import propagate
from nonant.csp.kernels.lockstep.lockstep_memory import DEPTH, FOUND, FRUITLESS, LANE_WORDS, PUZZLE, Rules, Space
from nonant.csp.kernels.simd.bits import lowest_place, moved, pointer_to
from nonant.csp.kernels.text.job import BAD, UNDECIDED, Job
from nonant.csp.kernels.text.pointers import pointers_of
from nonant.csp.machine.jit import njit

_NO_LANE, _ONE_LANE = np.uint64(0), np.uint64(1)


class _Boards(NamedTuple):
    """The puzzles of all lanes.

    Attributes:
        memory: the rows, as a pointer; those of the cells come first.
        cells, lanes: how many there are.
        choice: the offset of the two rows that `propagate` writes: what to branch on.
        is_plain: whether the model leaves every cell all values.
    """

    memory: Any
    cells: int
    lanes: int
    choice: int
    is_plain: bool


@njit(cache=True, inline="always")
def _pointers_of(rules: Rules) -> Any:
    """The same record with a pointer in place of each array."""
    return Rules(
        pointer_to(rules.masks),
        pointer_to(rules.rules),
        pointer_to(rules.words),
        pointer_to(rules.order),
        pointer_to(rules.root),
        pointer_to(rules.constants),
    )


@njit(cache=True, inline="always")
def _boards_of(rules: Rules, space: Space) -> Any:
    cells, lanes, plain = rules.root.shape[0], space.lanes.shape[0] // LANE_WORDS, True
    for cell in range(cells):
        plain &= rules.root[cell] == rules.constants[0]
    return _Boards(pointer_to(space.memory), cells, lanes, space.memory.shape[0] - 2 * lanes, plain)


@njit(cache=True, boundscheck=False)
def _read_puzzle(boards: _Boards, rules: Any, lane: int, symbols: Any) -> bool:
    """The symbols of a puzzle into a lane; false if one of them is none of the model."""
    column, seen = moved(boards.memory, lane), np.int64(0)
    if boards.is_plain:
        for cell in range(boards.cells):
            mask = rules.masks[symbols[cell]]
            seen |= mask
            column[cell * boards.lanes] = mask
    else:
        for cell in range(boards.cells):
            mask = rules.masks[symbols[cell]]
            seen |= mask
            column[cell * boards.lanes] = mask & np.int64(rules.root[cell])
    return bool(seen >= 0)


@njit(cache=True, boundscheck=False)
def _next_puzzle(boards: _Boards, rules: Any, lane: int, mine: Any, lines: Any, number: int) -> int:
    """Give the lane the first good puzzle from `number` on; returns the number after it, or -1 if there is none."""
    while 0 <= number < lines.end:
        start = lines.starts[number]
        if start >= 0 and _read_puzzle(boards, rules, lane, moved(lines.text, start)):
            mine[DEPTH], mine[PUZZLE], mine[FOUND], mine[FRUITLESS] = 0, number, 0, 0
            return number + 1
        lines.counts[number] = BAD
        number += 1
    return -1


@njit(cache=True, inline="always")
def _branch(boards: _Boards, rules: Any, lane: int, saved: Any) -> None:
    """Leave the lowest value of the chosen cell in the lane, the others on the saved board."""
    column = moved(boards.memory, lane)
    for cell in range(boards.cells):
        saved[cell] = column[cell * boards.lanes]
    cell = rules.order[np.int64(column[boards.choice + boards.lanes])]
    lowest = saved[cell] & (~saved[cell] + rules.constants[1])
    saved[cell] ^= lowest
    column[cell * boards.lanes] = lowest


@njit(cache=True, inline="always")
def _restore(boards: _Boards, lane: int, saved: Any) -> None:
    for cell in range(boards.cells):
        boards.memory[cell * boards.lanes + lane] = saved[cell]


@njit(cache=True, inline="always")
def _note_solution(boards: _Boards, lane: int, mine: Any, solutions: Any, writing: bool) -> None:
    """Count a solution; the first one of a puzzle is written down."""
    if writing and mine[FOUND] == 0:
        for cell in range(boards.cells):
            value = lowest_place(np.uint64(boards.memory[cell * boards.lanes + lane]))
            solutions[mine[PUZZLE] * boards.cells + cell] = value + 1
    mine[FOUND] += 1
    mine[FRUITLESS] = 0


@njit(cache=True, boundscheck=False, nogil=True)
def count_lines(job: Job, rules: Rules, space: Space, patience: int, totals: Any) -> None:
    """Count the solutions of the puzzles of a job.

    Args:
        patience: a puzzle that has branched so often since its last solution is given up: its count is UNDECIDED.
        totals: int64 (3): branchings, passes, and puzzles given up; added to.
    """
    lines, writing, constrained = pointers_of(job), job.solutions.shape[0] > 0, rules.rules[0] != END
    boards, model, stack = _boards_of(rules, space), _pointers_of(rules), pointer_to(space.stack)
    cells, lane_words = boards.cells, pointer_to(space.lanes)
    branchings = passes = given_up = 0
    number, running = lines.begin, _NO_LANE
    for lane in range(boards.lanes):
        number = _next_puzzle(boards, model, lane, moved(lane_words, lane * LANE_WORDS), lines, number)
        if number >= 0:
            running |= _ONE_LANE << np.uint64(lane)
    while running != _NO_LANE and lines.stop[0] == 0:
        removed = constrain(boards.memory, model.rules, model.constants, boards.lanes) if constrained else _NO_LANE
        dead, is_open, unsettled = propagate(
            boards.memory, model.words, boards.lanes, cells, model.constants, boards.choice
        )
        unsettled |= removed
        passes += 1
        served = running & (dead | ~unsettled)
        while served != _NO_LANE:
            lane = lowest_place(served)
            bit = _ONE_LANE << np.uint64(lane)
            served ^= bit
            mine = moved(lane_words, lane * LANE_WORDS)
            saved = moved(stack, (lane * cells + mine[DEPTH]) * cells)
            if is_open & ~dead & bit:
                if mine[FRUITLESS] < patience:
                    branchings += 1
                    mine[DEPTH] += 1
                    mine[FRUITLESS] += 1
                    _branch(boards, model, lane, saved)
                    continue
                mine[DEPTH], mine[FOUND] = 0, UNDECIDED
                given_up += 1
            elif not dead & bit:
                _note_solution(boards, lane, mine, lines.solutions, writing)
            if mine[DEPTH] > 0 and mine[FOUND] < lines.limit:
                mine[DEPTH] -= 1
                _restore(boards, lane, moved(saved, -cells))
                continue
            lines.counts[mine[PUZZLE]] = mine[FOUND]
            number = _next_puzzle(boards, model, lane, mine, lines, number)
            if number < 0:
                running &= ~bit
    totals[0] += branchings
    totals[1] += passes
    totals[2] += given_up
