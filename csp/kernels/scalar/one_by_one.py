"""Puzzles of any model, one after another through the scalar engine: what has no lockstep kernel.

The loop over the puzzles is compiled too, so that it runs without the interpreter's lock and makes no Python object.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from nonant.csp.kernels.scalar.scalar import ALL, BACK, DEPTH, EXHAUSTED, FOUND, NODES, SEED, State, advance
from nonant.csp.kernels.simd.bits import pointer_to
from nonant.csp.kernels.text.lines import read_values

BAD, UNDECIDED = -1, -2  # the counts of what is no puzzle, and of one that was given up
MAX_VALUES = 64  # a domain is one word
CHUNK = 10_000  # branchings between two looks at `stop`
ROOM = 64  # solutions between two looks at the limit


@njit(cache=True, boundscheck=False, nogil=True)
def count_lines(
    text_: Any,
    starts: Any,
    begin: int,
    end: int,
    limit: int,
    patience: int,
    counts: Any,
    solutions: Any,
    symbols_: Any,
    root: Any,
    links: Any,
    masks: Any,
    state: State,
    found: Any,
    values_: Any,
    totals: Any,
    stop: Any,
) -> None:
    """Count the solutions of puzzles `begin` to `end`, each up to `limit`, into `counts` (BAD for what is no puzzle).

    Args:
        text_: uint8, the bytes of the text.
        starts: int64, where each puzzle starts; negative for a line that is no puzzle.
        patience: a puzzle that has branched so often since its last solution is given up: its count is UNDECIDED.
        counts: int64, one a puzzle, written.
        solutions: uint8, flat, one row of cells a puzzle, or empty: the first solution found, as places + 1.
        symbols_: uint8 (256), see `lines.read_values`.
        root: uint64, the domains of the model; all zero for a model that has no solution.
        links, masks: the tables of the model.
        state: with one level more than there are cells, so that no search needs more.
        found: uint8 (ROOM, cells).
        values_: uint8, one a cell.
        totals: int64 (3): branchings, nothing, and puzzles given up; added to.
        stop: int64 (1): when another thread makes it 1, the kernel leaves soon, with counts that are not done.
    """
    text, symbols, values = pointer_to(text_), pointer_to(symbols_), pointer_to(values_)
    cells, work, chunk = root.shape[0], state.work, min(CHUNK, patience)
    for number in range(begin, end):
        if stop[0]:
            break
        if starts[number] < 0 or not read_values(text, starts[number], cells, symbols, values):
            counts[number] = BAD
            continue
        for cell in range(cells):
            state.domains[0, cell] = root[cell]
            if values[cell]:
                state.domains[0, cell] &= np.uint64(1) << np.uint64(values[cell] - 1)
        work[DEPTH], work[SEED], work[BACK], work[FOUND], work[NODES] = 0, ALL, 0, 0, 0
        hopeful = np.int64(0)  # branchings at the last solution
        while work[FOUND] < limit and stop[0] == 0:
            before = work[FOUND]
            room = min(np.int64(ROOM), limit - before)
            why = advance(links, masks, state.domains, state.branched, work, chunk, found[:room])
            if before == 0 and work[FOUND] > 0 and solutions.shape[0] > 0:
                for cell in range(cells):
                    solutions[number * cells + cell] = found[0, cell] + 1
            if why == EXHAUSTED:
                break
            if work[FOUND] > before:
                hopeful = work[NODES]
            elif work[NODES] - hopeful >= patience:
                work[FOUND] = UNDECIDED
                totals[2] += 1
                break
        counts[number] = work[FOUND]
        totals[0] += work[NODES]
