"""The clause learner's three structures that are more than an array: implied literals, the heap, clauses and watches.

- **Implied literals.** At-most-one sets are never written as clauses: each literal has a row of the literals that it
  makes true at once (`fill_implied`). The clauses of two literals are the same thing.
- **Clauses** lie one behind another in `clauses`, from offset 1: size, glue (0: never deleted), whether it was used
  lately, where the last search for a watch ended, then the literals. The offset of a clause is its name.
- **Watches** (Moskewicz et al., "Chaff", DAC 2001): each clause is in the lists of its first two literals, with some
  other literal of it: while that one is true the clause need not be looked at. A list that is full moves to the end of
  the pool; `rebuild_watches` makes the pool anew. The heap of variables is MiniSat's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from nonant.csp.kernels.learner.memory import (
    AREAS,
    BUMP,
    CANDIDATES,
    CLAUSES_END,
    GLUE_OF,
    HEADER,
    HEAP,
    LEARNT_SIZE,
    N_CLAUSES,
    N_LEARNT,
    POSITION,
    SCORES,
    SIZE,
    SLACK,
    USED,
    VARIABLES,
    WATCHES_END,
    WATCHES_ROOM,
)
from nonant.csp.kernels.simd.bits import moved, pointer_to
from nonant.csp.machine.jit import njit


class Memory(NamedTuple):
    """The arrays of a `State` as bare pointers (see `bits.py` for why).

    Attributes:
        values: one a literal. best: one a variable, 1 for true, the phases that stable mode follows.
        seen: one a variable, 1 while an analysis has it.
        levels, reasons: one a variable; a reason is the offset of a clause, `-1 - literal` for what a literal implies,
            or 0.
        trail: the literals that are true, in order; starts: where each level begins in it.
        heap, positions: the open candidates by score, and the position of each in it (-1: it is not there).
        learnt, stack, cleared: scratch for analyses. stamps: one a level.
        cells: the cell of each candidate.
        ranks: scratch for a reduction.
        lists: three words a literal: where its watches start, how many there are, how many have room.
    """

    work: Any
    values: Any
    seen: Any
    best: Any
    levels: Any
    reasons: Any
    trail: Any
    starts: Any
    heap: Any
    positions: Any
    learnt: Any
    stack: Any
    cleared: Any
    stamps: Any
    cells: Any
    lists: Any
    ranks: Any
    scores: Any
    clauses: Any
    watches: Any
    implied: Any


@njit(cache=True, nogil=True)
def memory_of(state: Any) -> Any:
    """The pointers into a state's arrays, which the caller must hold."""
    n = state.work[VARIABLES]
    small, words = pointer_to(state.small), pointer_to(state.words)
    area = n + 2
    return Memory(
        pointer_to(state.work),
        small,
        moved(small, 2 * n),
        moved(small, 3 * n),
        words,
        moved(words, area),
        moved(words, 2 * area),
        moved(words, 3 * area),
        moved(words, 4 * area),
        moved(words, 5 * area),
        moved(words, 6 * area),
        moved(words, 7 * area),
        moved(words, 8 * area),
        moved(words, 9 * area),
        moved(words, 10 * area),
        moved(words, AREAS * area),
        moved(words, (AREAS + 6) * area),
        pointer_to(state.scores),
        pointer_to(state.clauses),
        pointer_to(state.watches),
        pointer_to(state.implied),
    )


# -- implied literals --------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def fill_implied(starts: Any, members: Any, sets_starts: Any, sets_of: Any, stamps: Any, implied: Any) -> int:
    """What each literal implies by the at-most-one sets that it is in; returns the end of the last row.

    Args:
        starts, members: the sets: where each starts in `members`, its literals.
        sets_starts, sets_of: the same the other way: the sets of each literal.
        stamps: one a literal, all -1.
        implied: int32, written; with room for the sum over all literals of their sets' other members.
    """
    literals = len(stamps)
    end = literals + 1
    for literal in range(literals):
        implied[literal] = end
        for k in range(sets_starts[literal], sets_starts[literal + 1]):
            for j in range(starts[sets_of[k]], starts[sets_of[k] + 1]):
                other = members[j]
                if other != literal and stamps[other] != literal:
                    stamps[other] = literal
                    implied[end] = other ^ 1
                    end += 1
    implied[literals] = end
    return int(end)


# -- the heap of variables ---------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _rise(m: Any, position: int) -> None:
    """Move a variable up to where its score puts it."""
    heap, positions, scores = m.heap, m.positions, moved(m.scores, SCORES)
    variable = heap[position]
    while position > 0:
        above = (position - 1) >> 1
        if scores[heap[above]] >= scores[variable]:
            break
        heap[position] = heap[above]
        positions[heap[position]] = position
        position = above
    heap[position] = variable
    positions[variable] = position


@njit(cache=True, nogil=True)
def _sink(m: Any, position: int) -> None:
    """Move a variable down to where its score puts it."""
    heap, positions, scores = m.heap, m.positions, moved(m.scores, SCORES)
    size = m.work[HEAP]
    variable = heap[position]
    while True:
        below = 2 * position + 1
        if below >= size:
            break
        if below + 1 < size and scores[heap[below + 1]] > scores[heap[below]]:
            below += 1
        if scores[heap[below]] <= scores[variable]:
            break
        heap[position] = heap[below]
        positions[heap[position]] = position
        position = below
    heap[position] = variable
    positions[variable] = position


@njit(cache=True, nogil=True)
def push_variable(m: Any, variable: int) -> None:
    """Put a candidate into the heap, unless it is there."""
    if variable < m.work[CANDIDATES] and m.positions[variable] < 0:
        position = m.work[HEAP]
        m.heap[position] = variable
        m.work[HEAP] = position + 1
        _rise(m, position)


@njit(cache=True, nogil=True)
def pop_variable(m: Any) -> int:
    """Take the candidate of the highest score out of the heap, which must not be empty."""
    top = m.heap[0]
    m.positions[top] = -1
    size = m.work[HEAP] - 1
    m.work[HEAP] = size
    if size > 0:
        m.heap[0] = m.heap[size]
        m.positions[m.heap[0]] = 0
        _sink(m, 0)
    return int(top)


@njit(cache=True, nogil=True)
def bump(m: Any, variable: int) -> None:
    """Raise a variable's score by what a bump is worth now."""
    score = m.scores[SCORES + variable] + m.scores[BUMP]
    m.scores[SCORES + variable] = score
    if score > 1e100:
        for other in range(m.work[VARIABLES]):
            m.scores[SCORES + other] *= 1e-100
        m.scores[BUMP] *= 1e-100
    if m.positions[variable] >= 0:
        _rise(m, m.positions[variable])


# -- clauses and watches -----------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def watch(m: Any, literal: int, blocker: int, clause: int) -> bool:
    """Put a clause into a literal's list; false, and nothing done, when the pool has no room for it."""
    at, watches = moved(m.lists, 3 * literal), m.watches
    start, size, room = at[0], at[1], at[2]
    if size == room:
        room, end = 2 * room, m.work[WATCHES_END]
        if end + 2 * room > m.work[WATCHES_ROOM]:
            return False
        for k in range(2 * size):
            watches[end + k] = watches[start + k]
        at[0], at[2] = end, room
        m.work[WATCHES_END] = end + 2 * room
        start = end
    watches[start + 2 * size] = blocker
    watches[start + 2 * size + 1] = clause
    at[1] = size + 1
    return True


@njit(cache=True, nogil=True)
def least_pool(variables: int, clauses: int) -> int:
    """Words of a pool that has just been made anew."""
    return 4 * clauses + 4 * SLACK * variables


@njit(cache=True, nogil=True)
def rebuild_watches(m: Any) -> None:
    """Make the lists anew: each clause watches its first two literals. The pool has `least_pool` words or more."""
    lists, clauses, literals = m.lists, m.clauses, 2 * m.work[VARIABLES]
    for literal in range(literals):
        lists[3 * literal + 1] = 0
    clause = 1
    while clause < m.work[CLAUSES_END]:
        lists[3 * clauses[clause + HEADER] + 1] += 1
        lists[3 * clauses[clause + HEADER + 1] + 1] += 1
        clause += HEADER + clauses[clause + SIZE]
    end = 0
    for literal in range(literals):
        lists[3 * literal] = end
        room = lists[3 * literal + 1] + SLACK
        lists[3 * literal + 1], lists[3 * literal + 2] = 0, room
        end += 2 * room
    m.work[WATCHES_END] = end
    clause = 1
    while clause < m.work[CLAUSES_END]:
        one, two = clauses[clause + HEADER], clauses[clause + HEADER + 1]
        watch(m, one, two, clause)
        watch(m, two, one, clause)
        clause += HEADER + clauses[clause + SIZE]


@njit(cache=True, nogil=True)
def add_learnt(m: Any, glue: int) -> int:
    """Make a clause of the `LEARNT_SIZE` literals in `learnt`, the first two of which it watches; its offset."""
    work, clauses, one, two = m.work, m.clauses, m.learnt[0], m.learnt[1]
    clause, size = work[CLAUSES_END], work[LEARNT_SIZE]
    clauses[clause + SIZE], clauses[clause + GLUE_OF], clauses[clause + USED] = size, glue, 1
    clauses[clause + POSITION] = 2
    for k in range(size):
        clauses[clause + HEADER + k] = m.learnt[k]
    work[CLAUSES_END] = clause + HEADER + size
    work[N_CLAUSES] += 1
    work[N_LEARNT] += glue > 0
    if not (watch(m, one, two, clause) and watch(m, two, one, clause)):
        rebuild_watches(m)
    return int(clause)
