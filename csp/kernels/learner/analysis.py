"""The clause learner's inner loop: propagation, and what a clash teaches.

**Propagation.** Implied literals come first: they are a walk along one row, and a clash found there needs no clause.
Then the clauses that watch what became false (two watched literals: Moskewicz et al., "Chaff", DAC 2001; the blocker
beside each watch: Sorensson & Een, MiniSat 2.1, 2008; the saved position: Gent, JAIR 2013, as in CaDiCaL).

**Analysis.** A clash is resolved back to the first unique implication point of its level (Marques-Silva & Sakallah,
GRASP, 1996; Zhang et al., ICCAD 2001, for why the first one), and literals that follow from the others are left out,
recursively (Een & Sorensson, SAT 2003; Sorensson & Biere, SAT 2009). The clause is judged by its glue, the number of
levels in it (LBD: Audemard & Simon, IJCAI 2009).
"""

from __future__ import annotations

from typing import Any

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
from nonant.csp.machine.jit import njit

# What `propagate` returns beside the offset of a clause.
NOTHING, _SHORT, FULL = 0, -1, -2

# Up to the first a clause is never deleted: "glue clauses" were found to be used over and over (Audemard & Simon 2009).
# Up to the other it has one more chance (three tiers: Oh, "Improving SAT solvers by exploiting empirical
# characteristics of CDCL", 2016).
KEPT_GLUE, TIER_2 = 2, 6
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
    # The end of the trail stays in a register: in memory it would be written for each literal.
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
    # An entry of a row costs about a quarter of a look at a clause; steps measure time, whatever the machine.
    work[STEPS] += implied[literal + 1] - implied[literal] >> 2
    work[TRAIL] = end
    return fine


@njit(cache=True, nogil=True, forceinline=True)
def _not_false(values: Any, literals: Any, position: int, size: int) -> int:
    """The index of a literal of a clause, beside the two that it watches, that is not false; -1 if all are.

    It goes on where the last search ended, in a circle (Gent, "Optimal implementation of watched literals and more
    general techniques", JAIR 2013): from the start, a long clause costs quadratic time along one branch.
    """
    for j in range(position, size):
        if values[literals[j]] >= 0:
            return j
    for j in range(2, position):
        if values[literals[j]] >= 0:
            return j
    return -1


@njit(cache=True, nogil=True)
def _visit(m: Any, false: int) -> int:
    """Go through the clauses that watch a literal that became false: a clause that fails, or NOTHING, or FULL."""
    values, clauses, watches, at = m.values, m.clauses, m.watches, moved(m.lists, 3 * false)
    start = at[0]
    end = start + 2 * at[1]
    # The list is compacted while it is read: watches that stay are written to `put`, which never overtakes `k`.
    put = k = start
    answer = NOTHING
    while k < end:
        blocker, clause = watches[k], watches[k + 1]
        k += 2
        # A true blocker satisfies the clause. Most visits end here, without the cache miss that the clause would cost.
        if values[blocker] > 0:
            watches[put], watches[put + 1] = blocker, clause
            put += 2
            continue
        literals = moved(clauses, clause + HEADER)
        # The other watch without a branch: which of the two is false is a coin toss for the processor.
        other = literals[0] ^ literals[1] ^ false
        value = values[other]
        # The other watch is true: it is the better blocker, since it is sure to stay true as long as this one is false.
        if value > 0:
            watches[put], watches[put + 1] = other, clause
            put += 2
            continue
        found = _not_false(values, literals, clauses[clause + POSITION], clauses[clause + SIZE])
        if found >= 0:
            clauses[clause + POSITION] = found
            instead = literals[found]
            if values[instead] > 0:
                # A true literal satisfies the clause: it becomes the blocker, and the watch stays. To move it costs
                # a write into another list for nothing.
                watches[put], watches[put + 1] = instead, clause
                put += 2
                continue
            if not watch(m, instead, other, clause):
                # No room: nothing was done with this clause, so its watch is kept, and the visit begins anew later.
                answer = FULL
                k -= 2
                break
            literals[0], literals[1], literals[found] = other, instead, false
            continue
        # All others are false: the clause is unit, or it fails. Its watches stay as they are: they are the first that
        # become open again when the search goes back.
        watches[put], watches[put + 1] = other, clause
        put += 2
        if value < 0:
            answer = clause
            break
        enqueue(m, other, clause)
    m.work[STEPS] += (k - start) >> 1
    # After a clash the rest of the list is kept unread.
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
        # Levels and reasons are left as they are: nobody reads those of an open variable.
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
    # What is false at the root is false for good: resolving with its unit clause leaves it out.
    if m.seen[variable] or m.levels[variable] == 0:
        return open_
    m.seen[variable] = 1
    # Every variable of the conflict is bumped, not only those learnt: MiniSat's form of VSIDS, which stays closer to
    # what the search is busy with.
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
    # A fresh stamp forgets all marks at once; only when the numbers run out are they cleared one by one.
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
    # Below that there is nothing to gain: the clause is kept anyway (0: it was given).
    if old > KEPT_GLUE:
        glue = _glue(m, moved(clauses, clause + HEADER), clauses[clause + SIZE])
        if glue < old:
            clauses[clause + GLUE_OF] = old = glue
        clauses[clause + USED] = 2 if old <= TIER_2 else 1


@njit(cache=True, nogil=True)
def _follows(m: Any, literal: int, cleared: int) -> int:
    """Whether a learnt literal follows from others that are learnt: the new end of `cleared`, or -1.

    It does when every path back through reasons ends in learnt literals or at the root (Sorensson & Biere, "Minimizing
    learned clauses", SAT 2009). A stack in place of recursion: chains may be as long as the trail.
    """
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
            # Seen: learnt itself, or shown to follow by an earlier search.
            if other == variable or seen[other] or levels[other] == 0:
                continue
            # A decision follows from nothing. And on a level of which nothing is learnt every path ends in its decision
            # before it meets a learnt literal: to see that at once saves the walk.
            if reasons[other] == 0 or stamps[levels[other]] != stamp:
                # The marks of this search were made on trust: take them back.
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
def _minimise(m: Any) -> None:
    """Leave out the learnt literals that follow from others; the first one stays."""
    work, learnt, seen = m.work, m.learnt, m.seen
    size = work[LEARNT_SIZE]
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
    # What is left out keeps its mark until here: others may follow from it, since it follows from what is kept.
    for k in range(cleared):
        seen[m.cleared[k]] = 0
    work[LEARNT_SIZE] = kept


@njit(cache=True, nogil=True)
def _find_jump(m: Any) -> None:
    """Put a literal of the highest level second, and note the level: there the clause is unit."""
    work, learnt, levels = m.work, m.learnt, m.levels
    work[JUMP] = 0
    if work[LEARNT_SIZE] > 1:
        top = 1
        for k in range(2, work[LEARNT_SIZE]):
            if levels[learnt[k] >> 1] > levels[learnt[top] >> 1]:
                top = k
        # Watched besides the first: of all false literals it is the first to become open.
        learnt[1], learnt[top] = learnt[top], learnt[1]
        work[JUMP] = levels[learnt[1] >> 1]


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
    # Back along the trail, latest first: so each reason is resolved with after all that it implies. When one literal of
    # this level is left, it is the first unique implication point. Going on to a later one would give a clause of more
    # levels that jumps back less far (Zhang et al., ICCAD 2001).
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
                # The true literal may stand anywhere: propagation does not sort the two watches.
                if clauses[reason + HEADER + k] != literal:
                    open_ = _meet(m, clauses[reason + HEADER + k], open_)
    learnt[0] = literal ^ 1

    work[GLUE] = _glue(m, learnt, work[LEARNT_SIZE])  # before minimising, which needs its stamps, and rarely lowers it
    _minimise(m)
    _find_jump(m)


@njit(cache=True, nogil=True)
def learn(m: Any, glue: int) -> None:
    """Jump back and make the first learnt literal true for the reason of the others."""
    back_to(m, m.work[JUMP])
    reason = add_learnt(m, glue) if m.work[LEARNT_SIZE] > 1 else 0
    enqueue(m, m.learnt[0], reason)
