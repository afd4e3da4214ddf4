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

from typing import Any

import numpy as np
from numba import njit

from nonant.csp.kernels.lockstep.constraint_program import END
from nonant.csp.kernels.lockstep.constraint_rules import constrain
from nonant.csp.kernels.lockstep.generic_rules import propagate
from nonant.csp.kernels.lockstep.lockstep_memory import DEPTH, FOUND, FRUITLESS, LANE_WORDS, PUZZLE
from nonant.csp.kernels.simd.bits import lowest_place, moved, pointer_to

BAD, UNDECIDED = -1, -2  # the counts of what is no puzzle, and of one that was given up
_NO_LANE, _ONE_LANE = np.uint64(0), np.uint64(1)


@njit(cache=True, boundscheck=False)
def _next_puzzle(
    memory: Any,
    lanes: int,
    lane: int,
    mine: Any,
    text: Any,
    starts: Any,
    number: int,
    end: int,
    counts: Any,
    masks: Any,
    root: Any,
    cells: int,
    is_plain: bool,
) -> int:
    """Give the lane the first good puzzle from `number` on; returns the number after it, or -1 if there is none."""
    column = moved(memory, lane)
    while number < end:
        if starts[number] >= 0:
            symbols, seen = moved(text, starts[number]), np.int64(0)
            if is_plain:
                for cell in range(cells):
                    mask = masks[symbols[cell]]
                    seen |= mask
                    column[cell * lanes] = mask
            else:
                for cell in range(cells):
                    mask = masks[symbols[cell]]
                    seen |= mask
                    column[cell * lanes] = mask & np.int64(root[cell])
            if seen >= 0:
                mine[DEPTH], mine[PUZZLE], mine[FOUND], mine[FRUITLESS] = 0, number, 0, 0
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
    patience: int,
    counts_: Any,
    solutions_: Any,
    masks_: Any,
    rules_: Any,
    words_: Any,
    order_: Any,
    root_: Any,
    constants_: Any,
    memory_: Any,
    mine_: Any,
    stack_: Any,
    totals: Any,
    stop: Any,
) -> None:
    """Count the solutions of puzzles `begin` to `end`, each up to `limit`, into `counts` (BAD for what is no puzzle).

    Args:
        text_: uint8, the bytes of the text.
        starts_: int64, where each puzzle starts; negative for a line that is no puzzle.
        patience: a puzzle that has branched so often since its last solution is given up: its count is UNDECIDED.
        counts_: int64, one a puzzle, written.
        solutions_: uint8, flat, one row of cells a puzzle, or empty: the first solution found, as places + 1.
        masks_: int64, for each byte the values that it stands for: negative for what is no symbol.
        rules_, words_, order_: the program.
        root_: the domains of the model, in words of a lane.
        constants_: such words: all values, 1, and the masks of the program.
        memory_, mine_, stack_: from `lockstep_memory.workspace`.
        totals: int64 (3): branchings, passes, and puzzles given up; added to.
        stop: int64 (1): when another thread makes it 1, the kernel leaves at once, with counts that are not done.
    """
    text, starts, counts, solutions = (
        pointer_to(text_),
        pointer_to(starts_),
        pointer_to(counts_),
        pointer_to(solutions_),
    )
    masks, words, root, constants = pointer_to(masks_), pointer_to(words_), pointer_to(root_), pointer_to(constants_)
    memory, lane_words, stack = pointer_to(memory_), pointer_to(mine_), pointer_to(stack_)
    cells, lanes, writing = root_.shape[0], mine_.shape[0] // LANE_WORDS, solutions_.shape[0] > 0
    choice = memory_.shape[0] - 2 * lanes
    plain = True
    rules, constrained = pointer_to(rules_), rules_[0] != END
    one, order = constants[1], pointer_to(order_)
    branchings = passes = given_up = 0
    for cell in range(cells):
        plain &= root[cell] == constants[0]
    number, running = begin, _NO_LANE
    for lane in range(lanes):
        if number >= 0:
            mine = moved(lane_words, lane * LANE_WORDS)
            number = _next_puzzle(
                memory, lanes, lane, mine, text, starts, number, end, counts, masks, root, cells, plain
            )
            if number >= 0:
                running |= _ONE_LANE << np.uint64(lane)
    while running != _NO_LANE and stop[0] == 0:
        removed = constrain(memory, rules, constants, lanes) if constrained else _NO_LANE
        dead, is_open, unsettled = propagate(memory, words, lanes, cells, constants, choice)
        unsettled |= removed
        passes += 1
        served = running & (dead | ~unsettled)
        while served != _NO_LANE:
            lane = lowest_place(served)
            bit = _ONE_LANE << np.uint64(lane)
            served ^= bit
            mine = moved(lane_words, lane * LANE_WORDS)
            saved = moved(stack, (lane * cells + mine[DEPTH]) * cells)
            if not dead & bit:
                if is_open & bit:
                    if mine[FRUITLESS] < patience:
                        branchings += 1
                        mine[DEPTH] += 1
                        mine[FRUITLESS] += 1
                        for cell in range(cells):
                            saved[cell] = memory[cell * lanes + lane]
                        cell = order[np.int64(memory[choice + lanes + lane])]
                        lowest = saved[cell] & (~saved[cell] + one)
                        saved[cell] ^= lowest
                        memory[cell * lanes + lane] = lowest
                        continue
                    mine[DEPTH], mine[FOUND] = 0, UNDECIDED
                    given_up += 1
                else:
                    if writing and mine[FOUND] == 0:
                        for cell in range(cells):
                            place = lowest_place(np.uint64(memory[cell * lanes + lane]))
                            solutions[mine[PUZZLE] * cells + cell] = place + 1
                    mine[FOUND] += 1
                    mine[FRUITLESS] = 0
            if mine[DEPTH] > 0 and mine[FOUND] < limit:
                mine[DEPTH] -= 1
                saved = moved(saved, -cells)
                for cell in range(cells):
                    memory[cell * lanes + lane] = saved[cell]
                continue
            counts[mine[PUZZLE]] = mine[FOUND]
            if number >= 0:
                number = _next_puzzle(
                    memory, lanes, lane, mine, text, starts, number, end, counts, masks, root, cells, plain
                )
            if number < 0:
                running &= ~bit
    totals[0] += branchings
    totals[1] += passes
    totals[2] += given_up
