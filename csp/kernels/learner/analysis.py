"""The clause learner's inner loop: propagation, and what a clash teaches.

Implied literals come first: they are a walk along one row. Then the clauses that watch what became false. A clash is
resolved back to the first unique implication point of its level, and literals that follow from the others are left
out, recursively (Een & Sorensson, SAT 2003; Sorensson & Biere, SAT 2009).
"""

from __future__ import annotations

from typing import Any

from numba import njit

from nonant.csp.kernels.learner.lists import add_learnt, bump, push_variable, watch
from nonant.csp.kernels.learner.memory import (
    CLASH_A,
    CLASH_B,
    GLUE,
    GLUE_OF,
    HEADER,
    JUMP,
    LEARNT_SIZE,
    LEVEL,
    POSITION,
    QUEUE,
    SHORT_QUEUE,
    SIZE,
    STAMP,
    STEPS,
    TRAIL,
    USED,
    VARIABLES,
)
from nonant.csp.kernels.simd.bits import moved

# What `propagate` returns beside the place of a clause.
NOTHING, _SHORT, FULL = 0, -1, -2

KEPT_GLUE, TIER_2 = 2, 6  # up to the first a clause is never deleted; up to the other it has one more chance
_LAST_STAMP = 2_000_000_000


# -- propagation -------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def enqueue(m: Any, literal: int, reason: int) -> None:
    """Make an open literal true."""
    work, variable = m.work, literal >> 1
    m.values[literal], m.values[literal ^ 1] = 1, -1
    m.levels[variable], m.reasons[variable] = work[LEVEL], reason
    m.trail[work[TRAIL]] = literal
    work[TRAIL] += 1


@njit(cache=True, nogil=True)
def _implied(m: Any, literal: int) -> bool:
    """Make true what a literal implies; false at a clash, which goes to CLASH_A and CLASH_B."""
    values, levels, reasons, trail, implied, work = m.values, m.levels, m.reasons, m.trail, m.implied, m.work
    end, level, reason = work[TRAIL], work[LEVEL], -1 - literal
    fine = True
    for k in range(implied[literal], implied[literal + 1]):
        other = implied[k]
        value = values[other]
        if value == 0:
            values[other], values[other ^ 1] = 1, -1
            levels[other >> 1], reasons[other >> 1] = level, reason
            trail[end] = other
            end += 1
        elif value < 0:
            work[CLASH_A], work[CLASH_B] = literal ^ 1, other
            fine = False
            break
    work[STEPS] += implied[literal + 1] - implied[literal] >> 2
    work[TRAIL] = end
    return fine


@njit(cache=True, nogil=True)
def _visit(m: Any, false: int) -> int:
    """Go through the clauses that watch a literal that became false: a clause that fails, or NOTHING, or FULL."""
    values, clauses, watches, at = m.values, m.clauses, m.watches, moved(m.lists, 3 * false)
    start = at[0]
    end = start + 2 * at[1]
    put = k = start
    answer = NOTHING
    while k < end:
        blocker, clause = watches[k], watches[k + 1]
        k += 2
        if values[blocker] > 0:
            watches[put], watches[put + 1] = blocker, clause
            put += 2
            continue
        literals = moved(clauses, clause + HEADER)
        other = literals[0] ^ literals[1] ^ false
        value = values[other]
        if value > 0:
            watches[put], watches[put + 1] = other, clause
            put += 2
            continue
        # Go on where the last search ended (Gent, "Optimal implementation of watched literals", 2013).
        size, position = clauses[clause + SIZE], clauses[clause + POSITION]
        found = -1
        for j in range(position, size):
            if values[literals[j]] >= 0:
                found = j
                break
        if found < 0:
            for j in range(2, position):
                if values[literals[j]] >= 0:
                    found = j
                    break
        if found >= 0:
            clauses[clause + POSITION] = found
            instead = literals[found]
            if values[instead] > 0:
                # A true literal: watching it would move the clause for nothing.
                watches[put], watches[put + 1] = instead, clause
                put += 2
                continue
            if not watch(m, instead, other, clause):
                answer = FULL
                k -= 2
                break
            literals[0], literals[1], literals[found] = other, instead, false
            continue
        watches[put], watches[put + 1] = other, clause
        put += 2
        if value < 0:
            answer = clause
            break
        enqueue(m, other, clause)
    m.work[STEPS] += (k - start) >> 1
    while k < end:
        watches[put], watches[put + 1] = watches[k], watches[k + 1]
        put += 2
        k += 2
    at[1] = (put - start) >> 1
    return answer


@njit(cache=True, nogil=True)
def propagate(m: Any) -> int:
    """Propagate to a fixpoint, implied literals first: what failed, or NOTHING, or FULL (go on after a rebuild)."""
    work = m.work
    while True:
        if work[SHORT_QUEUE] < work[TRAIL]:
            literal = m.trail[work[SHORT_QUEUE]]
            work[SHORT_QUEUE] += 1
            if not _implied(m, literal):
                return _SHORT
        elif work[QUEUE] < work[TRAIL]:
            failed = _visit(m, m.trail[work[QUEUE]] ^ 1)
            if failed != NOTHING:
                return failed
            work[QUEUE] += 1
        else:
            return NOTHING


@njit(cache=True, nogil=True)
def back_to(m: Any, level: int) -> None:
    """Undo the levels above this one."""
    work, values, trail = m.work, m.values, m.trail
    if level >= work[LEVEL]:
        return
    start = m.starts[level]
    for k in range(work[TRAIL] - 1, start - 1, -1):
        literal = trail[k]
        values[literal] = values[literal ^ 1] = 0
        push_variable(m, literal >> 1)
    work[TRAIL] = work[QUEUE] = work[SHORT_QUEUE] = start
    work[LEVEL] = level


# -- analysis ----------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _meet(m: Any, literal: int, open_: int) -> int:
    """A false literal of a reason: at this level it is to be resolved (counted), below it is learnt."""
    variable, work = literal >> 1, m.work
    if m.seen[variable] or m.levels[variable] == 0:
        return open_
    m.seen[variable] = 1
    bump(m, variable)
    if m.levels[variable] == work[LEVEL]:
        return open_ + 1
    m.learnt[work[LEARNT_SIZE]] = literal
    work[LEARNT_SIZE] += 1
    return open_


@njit(cache=True, nogil=True)
def _glue(m: Any, literals: Any, size: int) -> int:
    """How many levels the literals are from."""
    work, levels, stamps = m.work, m.levels, m.stamps
    work[STAMP] += 1
    if work[STAMP] > _LAST_STAMP:
        work[STAMP] = 1
        for level in range(work[VARIABLES] + 1):
            stamps[level] = 0
    stamp, glue = work[STAMP], 0
    for k in range(size):
        level = levels[literals[k] >> 1]
        if stamps[level] != stamp:
            stamps[level] = stamp
            glue += 1
    return glue


@njit(cache=True, nogil=True)
def _use(m: Any, clause: int) -> None:
    """A learnt clause is part of a conflict: it stays for a while, and its glue may be less by now."""
    clauses = m.clauses
    old = clauses[clause + GLUE_OF]
    if old > KEPT_GLUE:
        glue = _glue(m, moved(clauses, clause + HEADER), clauses[clause + SIZE])
        if glue < old:
            clauses[clause + GLUE_OF] = old = glue
        clauses[clause + USED] = 2 if old <= TIER_2 else 1


@njit(cache=True, nogil=True)
def _follows(m: Any, literal: int, cleared: int) -> int:
    """Whether a learnt literal follows from others that are learnt: the new end of `cleared`, or -1."""
    seen, levels, reasons, stack, stamps = m.seen, m.levels, m.reasons, m.stack, m.stamps
    stamp, before = m.work[STAMP], cleared
    stack[0] = literal >> 1
    size = 1
    while size:
        size -= 1
        variable = stack[size]
        reason = reasons[variable]
        short = reason < 0
        for k in range(1 if short else m.clauses[reason + SIZE]):
            other = (-1 - reason) >> 1 if short else m.clauses[reason + HEADER + k] >> 1
            if other == variable or seen[other] or levels[other] == 0:
                continue
            if reasons[other] == 0 or stamps[levels[other]] != stamp:
                for j in range(before, cleared):
                    seen[m.cleared[j]] = 0
                return -1
            seen[other] = 1
            m.cleared[cleared] = other
            cleared += 1
            stack[size] = other
            size += 1
    return cleared


@njit(cache=True, nogil=True)
def analyse(m: Any, failed: int) -> None:
    """Learn from a failure: literals to `learnt` (the one that will be true first), LEARNT_SIZE, GLUE and JUMP."""
    work, clauses, learnt, seen, trail = m.work, m.clauses, m.learnt, m.seen, m.trail
    work[LEARNT_SIZE] = 1
    if failed == _SHORT:
        open_ = _meet(m, work[CLASH_A], 0)
        open_ = _meet(m, work[CLASH_B], open_)
    else:
        _use(m, failed)
        open_ = 0
        for k in range(clauses[failed + SIZE]):
            open_ = _meet(m, clauses[failed + HEADER + k], open_)
    at = work[TRAIL] - 1
    while True:
        while not seen[trail[at] >> 1]:
            at -= 1
        literal = trail[at]
        at -= 1
        seen[literal >> 1] = 0
        open_ -= 1
        if open_ == 0:
            break
        reason = m.reasons[literal >> 1]
        if reason < 0:
            open_ = _meet(m, (-1 - reason) ^ 1, open_)
        else:
            _use(m, reason)
            for k in range(clauses[reason + SIZE]):
                if clauses[reason + HEADER + k] != literal:
                    open_ = _meet(m, clauses[reason + HEADER + k], open_)
    learnt[0] = literal ^ 1

    size = work[LEARNT_SIZE]
    work[GLUE] = _glue(m, learnt, size)  # and the stamps are of the learnt levels
    cleared = 0
    for k in range(1, size):
        m.cleared[cleared] = learnt[k] >> 1
        cleared += 1
    kept = 1
    for k in range(1, size):
        after = -1 if m.reasons[learnt[k] >> 1] == 0 else _follows(m, learnt[k], cleared)
        if after < 0:
            learnt[kept] = learnt[k]
            kept += 1
        else:
            cleared = after
    for k in range(cleared):
        seen[m.cleared[k]] = 0
    work[LEARNT_SIZE] = kept
    work[JUMP] = 0
    if kept > 1:
        top = 1
        for k in range(2, kept):
            if m.levels[learnt[k] >> 1] > m.levels[learnt[top] >> 1]:
                top = k
        learnt[1], learnt[top] = learnt[top], learnt[1]
        work[JUMP] = m.levels[learnt[1] >> 1]


@njit(cache=True, nogil=True)
def learn(m: Any, glue: int) -> None:
    """Jump back and make the first learnt literal true for the reason of the others."""
    back_to(m, m.work[JUMP])
    reason = add_learnt(m, glue) if m.work[LEARNT_SIZE] > 1 else 0
    enqueue(m, m.learnt[0], reason)
