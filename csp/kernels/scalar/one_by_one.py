"""Puzzles of any model, one after another through the scalar engine: what has no lockstep kernel.

The loop over the puzzles is compiled too, so that it runs without the interpreter's lock and makes no Python object.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nonant.csp.kernels.scalar.scalar import ALL, BACK, DEPTH, EXHAUSTED, FOUND, NODES, SEED, State, advance, new_state
from nonant.csp.kernels.scalar.tables import Tables
from nonant.csp.kernels.simd.bits import pointer_to
from nonant.csp.kernels.text.job import BAD, UNDECIDED, Job
from nonant.csp.kernels.text.lines import read_values
from nonant.csp.kernels.text.pointers import pointers_of
from nonant.csp.machine.jit import njit

MAX_VALUES = 64  # a domain is one word
CHUNK = 10_000  # branchings between two looks at `stop`
ROOM = 64  # solutions between two looks at the limit

_ONE = np.uint64(1)


class Rules(NamedTuple):
    """What a model gives the kernel.

    Attributes:
        symbols: uint8 (256), see `lines.read_values`.
        root: uint64, the domains; all zero for a model that has no solution.
        tables: see `tables.py`.
    """

    symbols: Any
    root: Any
    tables: Tables


class Space(NamedTuple):
    """What one thread needs.

    Attributes:
        state: with one level more than there are cells, so that no search needs more.
        found: uint8 (ROOM, cells).
        values: uint8, one a cell.
    """

    state: State
    found: Any
    values: Any


def workspace(rules: Rules) -> Space:
    """A space to work in."""
    cells = len(rules.root)
    state = new_state(rules.tables, rules.root, cells + 1)
    return Space(state, np.zeros((ROOM, cells), np.uint8), np.zeros(cells, np.uint8))


@njit(cache=True, boundscheck=False)
def _begin(domains: Any, work: Any, root: Any, values: Any) -> None:
    """Start the search of a puzzle: the model's domains, and its givens."""
    for cell in range(root.shape[0]):
        domains[0, cell] = root[cell]
        if values[cell]:
            domains[0, cell] &= _ONE << np.uint64(values[cell] - 1)
    work[DEPTH], work[SEED], work[BACK], work[FOUND], work[NODES] = 0, ALL, 0, 0, 0


@njit(cache=True, boundscheck=False, nogil=True)
def count_lines(job: Job, rules: Rules, space: Space, patience: int, totals: Any) -> None:
    """Count the solutions of the puzzles of a job.

    Args:
        patience: a puzzle that has branched so often since its last solution is given up: its count is UNDECIDED.
        totals: int64 (3): branchings, nothing, and puzzles given up; added to.
    """
    lines, writing = pointers_of(job), job.solutions.shape[0] > 0
    symbols, values, state, found = pointer_to(rules.symbols), pointer_to(space.values), space.state, space.found
    cells, work, chunk = rules.root.shape[0], state.work, min(CHUNK, patience)
    for number in range(lines.begin, lines.end):
        if lines.stop[0]:
            break
        if lines.starts[number] < 0 or not read_values(lines.text, lines.starts[number], cells, symbols, values):
            lines.counts[number] = BAD
            continue
        _begin(state.domains, work, rules.root, values)
        hopeful = np.int64(0)  # branchings at the last solution
        while work[FOUND] < lines.limit and lines.stop[0] == 0:
            before = work[FOUND]
            room = min(np.int64(ROOM), lines.limit - before)
            why = advance(
                rules.tables.links, rules.tables.masks, state.domains, state.branched, work, chunk, found[:room]
            )
            if writing and before == 0 and work[FOUND] > 0:
                for cell in range(cells):
                    lines.solutions[number * cells + cell] = found[0, cell] + 1
            if why == EXHAUSTED:
                break
            if work[FOUND] > before:
                hopeful = work[NODES]
            elif work[NODES] - hopeful >= patience:
                work[FOUND] = UNDECIDED
                totals[2] += 1
                break
        lines.counts[number] = work[FOUND]
        totals[0] += work[NODES]
