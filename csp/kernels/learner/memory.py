"""The clause learner's memory: where everything stands, and how a search is made. Nothing here needs numba.

A literal is `2 * variable` (it is true) or `2 * variable + 1` (it is false), so that `literal ^ 1` is its opposite.
`values[literal]` is 1, -1, or 0 while it is open. What the areas are for is said in `lists.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nonant.csp.machine.compiled import kernel

# `work` (int64): counters and limits.
VARIABLES, CANDIDATES, CELLS, TRAIL, QUEUE, SHORT_QUEUE, LEVEL, HEAP = 0, 1, 2, 3, 4, 5, 6, 7
CLAUSES_END, CLAUSES_ROOM, WATCHES_END, WATCHES_ROOM, N_CLAUSES, N_LEARNT = 8, 9, 10, 11, 12, 13
CONFLICTS, STEPS, STAMP, CLASH_A, CLASH_B, LEARNT_SIZE, GLUE, JUMP = 14, 15, 16, 17, 18, 19, 20, 21
STABLE, MODE_END, MODE_LENGTH, RESTART_AT, RESTARTS, REDUCE_AT, REDUCTIONS, BEST, FIXED = (
    22,
    23,
    24,
    25,
    26,
    27,
    28,
    29,
    30,
)
FOUND, STARTED = 30, 31
WORK = 32

# What `learner.advance` returns.
EXHAUSTED, SPENT, ROOM, LARGER = 0, 1, 2, 3

# `scores` (float64): first these words, then one score a variable.
BUMP, FAST, SLOW = 0, 1, 2
SCORES = 4

SIZE, GLUE_OF, USED, POSITION, HEADER = 0, 1, 2, 3, 4  # of a clause
SPARE = 1 << 16  # words for learnt clauses to begin with
SLACK = 4  # watches that a fresh list has room for beyond its own


class State(NamedTuple):
    """A search in progress, as arrays: see `Memory` for what is in them."""

    work: Any  # int64
    small: Any  # int8: values, seen, best phases
    words: Any  # int32: the areas of `Memory`, one behind another
    scores: Any  # float64
    clauses: Any  # int32
    watches: Any  # int32
    implied: Any  # int32: 2 * variables + 1 offsets, then the literals


AREAS = 11  # of `words` with one word a variable and two to spare; the lists have six, and a table of ranks is last
WORST_GLUE, WORST_SIZE = 64, 64
RANKS = WORST_GLUE * WORST_SIZE


# -- making and growing ------------------------------------------------------------------------------------------------


def new_state(variables: int, cells: Any, sets: tuple[Any, Any], clauses: tuple[Any, Any], units: Any) -> State:
    """A search that is not begun (`begun`).

    Args:
        variables: how many there are; the first ones are the candidates.
        cells: int32, the cell of each candidate.
        sets, clauses: the sizes (int64) of all rows, and their literals one behind another: the at-most-one sets, and
            the clauses, of three literals or more.
        units: literals that are true.
    """
    work = np.zeros(WORK, np.int64)
    work[VARIABLES], work[CANDIDATES], work[N_CLAUSES] = variables, len(cells), len(clauses[0])
    work[TRAIL] = len(units)
    words = np.zeros((AREAS + 6) * (variables + 2) + RANKS, np.int32)
    words[2 * (variables + 2) :][: len(units)] = units
    words[(AREAS - 1) * (variables + 2) :][: len(cells)] = cells
    sizes, literals = clauses
    starts = 1 + np.cumsum(HEADER + sizes) - sizes - HEADER
    arena = np.zeros(1 + int(np.sum(HEADER + sizes)), np.int32)
    arena[starts + SIZE], arena[starts + POSITION] = sizes, 2
    body = np.ones(len(arena), bool)
    body[0] = False
    for k in range(HEADER):
        body[starts + k] = False
    arena[body] = literals
    work[CLAUSES_END] = len(arena)
    scores = np.zeros(SCORES + variables)
    return State(
        work, np.zeros(4 * variables, np.int8), words, scores, arena, np.zeros(0, np.int32), _rows(variables, sets)
    )


def empty_state() -> State:
    """Arrays of the right types, for nothing."""
    words = np.zeros(0, np.int32)
    return State(np.zeros(WORK, np.int64), np.zeros(0, np.int8), words, np.zeros(SCORES), words, words, words)


def _rows(variables: int, sets: tuple[Any, Any]) -> Any:
    """The implied literals of each literal."""
    sizes, members = sets
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    sets_starts = np.zeros(2 * variables + 1, np.int64)
    np.cumsum(np.bincount(members, minlength=2 * variables), out=sets_starts[1:])
    sets_of = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)[np.argsort(members, kind="stable")]
    implied = np.empty(2 * variables + 1 + int(np.sum(sizes * (sizes - 1))), np.int32)
    fill_implied = kernel("nonant.csp.kernels.learner.lists", "fill_implied")
    end = fill_implied(starts, members, sets_starts, sets_of, np.full(2 * variables, -1, np.int64), implied)
    return implied[:end].copy()


def begun(state: State, false: Sequence[int]) -> State | None:
    """A copy of a search to work on, in which these literals are true as well; None when the units clash."""
    variables, clauses = int(state.work[VARIABLES]), int(state.work[N_CLAUSES])
    work, words, small = state.work.copy(), state.words.copy(), state.small.copy()
    trail = words[2 * (variables + 2) :]
    units = dict.fromkeys([*trail[: int(work[TRAIL])].tolist(), *false])
    for at, literal in enumerate(units):
        if literal ^ 1 in units:
            return None
        trail[at], small[literal], small[literal ^ 1] = literal, 1, -1
    work[TRAIL] = len(units)
    arena = np.empty(len(state.clauses) + max(SPARE, 4 * variables), np.int32)
    arena[: len(state.clauses)] = state.clauses
    watches = np.empty(pool_needed(variables, clauses + 1_000), np.int32)
    work[CLAUSES_ROOM], work[WATCHES_ROOM] = len(arena), len(watches)
    return State(work, small, words, state.scores.copy(), arena, watches, state.implied)


def enlarged(state: State) -> State:
    """The same search with more room for clauses and watches."""
    arena = np.empty(2 * len(state.clauses), np.int32)
    arena[: len(state.clauses)] = state.clauses
    watches = np.empty(2 * len(state.watches), np.int32)
    watches[: len(state.watches)] = state.watches
    state.work[CLAUSES_ROOM], state.work[WATCHES_ROOM] = len(arena), len(watches)
    return state._replace(clauses=arena, watches=watches)


def pool_needed(variables: int, clauses: int) -> int:
    """Words of a pool that so many clauses fill by half when it has just been made anew."""
    return 2 * (4 * clauses + 4 * SLACK * variables)
