"""A clause learner (CDCL) for models whose constraints are mostly exactly-one sets.

After MiniSat (Een & Sorensson, SAT 2003) and CaDiCaL (Biere et al.): first unique implication points with recursive
minimisation, scores that decay exponentially, restarts by glue (Audemard & Simon, IJCAI 2009), clauses of high glue
deleted. What is ours is the shape of the input: at-most-one sets are rows of implied literals (`lists.py`),
which makes most propagation a walk along one row. Only candidates are branched on; auxiliary variables follow.

Two modes take turns. The focused one restarts often and makes each candidate true that it branches on: proofs of
25 x 25 grids took a fifth fewer conflicts than with saved phases. The stable one restarts rarely and follows the
longest assignment without a conflict; it finds the solutions: without it six runs on 36 x 36 grids of two seconds took
more than thirty, and with true alone it took twice as long.

A solution is blocked by the negation of its decisions (the rest follows from them), which is short, and lets the search
go on from the level above.
"""

from __future__ import annotations

from typing import Any

from nonant.csp.kernels.learner.analysis import FULL, KEPT_GLUE, NOTHING, analyse, back_to, enqueue, learn, propagate
from nonant.csp.kernels.learner.lists import least_pool, memory_of, pop_variable, push_variable, rebuild_watches
from nonant.csp.kernels.learner.memory import (
    BEST,
    BUMP,
    CANDIDATES,
    CLAUSES_END,
    CLAUSES_ROOM,
    CONFLICTS,
    EXHAUSTED,
    FAST,
    FOUND,
    GLUE,
    GLUE_OF,
    HEADER,
    HEAP,
    JUMP,
    LARGER,
    LEARNT_SIZE,
    LEVEL,
    MODE_END,
    MODE_LENGTH,
    N_CLAUSES,
    N_LEARNT,
    POSITION,
    RANKS,
    REDUCE_AT,
    REDUCTIONS,
    RESTART_AT,
    RESTARTS,
    ROOM,
    SIZE,
    SLOW,
    SPENT,
    STABLE,
    STARTED,
    STEPS,
    TRAIL,
    USED,
    VARIABLES,
    WATCHES_ROOM,
    WORST_GLUE,
    WORST_SIZE,
)
from nonant.csp.machine.jit import njit

FOCUSED_GROWTH, STABLE_GROWTH = 1 / 0.95, 1 / 0.99  # of what a bump is worth, at each conflict
RESTART_MARGIN = 1.1
LEAST_CONFLICTS = 2  # between two restarts in focused mode
LUBY = 512  # conflicts, in stable mode
FIRST_MODE = 1_000  # conflicts
REDUCE = 300  # conflicts before the first reduction; the gaps grow by as many


# -- restarts and reductions -------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _luby(number: int) -> int:
    """The number-th term (from 1) of 1 1 2 1 1 2 4 ... (Luby, Sinclair & Zuckerman 1993)."""
    while True:
        power = 1
        while power - 1 < number:
            power *= 2
        if power - 1 == number:
            return power >> 1
        number -= (power >> 1) - 1


@njit(cache=True, nogil=True, error_model="numpy")
def _follow_glue(m: Any) -> None:
    """The averages of glue that restarts go by, of the last 32 and of the last some thousand conflicts.

    Exponential averages in place of Glucose's queues (Biere & Froehlich, "Evaluating CDCL restart schemes", POS 2015).
    """
    work, scores = m.work, m.scores
    count = work[CONFLICTS]  # while there are few conflicts, the plain average: else the first ones would weigh most
    scores[FAST] += (work[GLUE] - scores[FAST]) / min(count, 32)
    scores[SLOW] += (work[GLUE] - scores[SLOW]) / min(count, 8192)


@njit(cache=True, nogil=True)
def _should_restart(m: Any) -> bool:
    """Whether it is time: in stable mode as Luby says, in focused mode when clauses are worse than they used to be."""
    work = m.work
    if work[LEVEL] == 0 or work[CONFLICTS] < work[RESTART_AT]:
        return False
    # Glue above its average: this part of the search learns little, another may learn more (Audemard & Simon, CP 2012).
    return bool(work[STABLE] or m.scores[FAST] > RESTART_MARGIN * m.scores[SLOW])


@njit(cache=True, nogil=True)
def _restart(m: Any) -> None:
    """Begin again at the root, perhaps in the other mode."""
    work = m.work
    back_to(m, 0)
    work[RESTARTS] += 1
    if work[CONFLICTS] >= work[MODE_END]:
        # Turns grow longer, both modes alike, so that neither loses more than half of the time ("mode switching":
        # Oh 2016; Biere et al., CaDiCaL 2019). A new turn forgets the old best trail and begins its Luby sequence.
        work[STABLE], work[BEST] = 1 - work[STABLE], 0
        work[MODE_LENGTH] += FIRST_MODE if work[STABLE] == 0 else 0
        work[MODE_END] = work[CONFLICTS] + work[MODE_LENGTH]
        work[RESTARTS] = 1
    gap = LUBY * _luby(work[RESTARTS]) if work[STABLE] else LEAST_CONFLICTS
    work[RESTART_AT] = work[CONFLICTS] + gap


@njit(cache=True, nogil=True)
def _note_best(m: Any) -> None:
    """Remember the phases of the longest trail without a conflict, which stable mode follows (Biere & Fleury 2020)."""
    work = m.work
    if work[STABLE] and work[TRAIL] > work[BEST]:
        work[BEST] = work[TRAIL]
        for k in range(work[TRAIL]):
            m.best[m.trail[k] >> 1] = 1 - (m.trail[k] & 1)


@njit(cache=True, nogil=True)
def _rank(clauses: Any, clause: int) -> int:
    """How bad a clause is: by glue, and by size where that is equal."""
    glue = min(clauses[clause + GLUE_OF], WORST_GLUE - 1)
    return int(glue * WORST_SIZE + min(clauses[clause + SIZE] >> 1, WORST_SIZE - 1))


@njit(cache=True, nogil=True)
def _cut(m: Any) -> tuple[int, int]:
    """The rank up to which unused learnt clauses stay, and how many of that very rank: a quarter of all in the end.

    By counting, not sorting: two walks along the memory.
    """
    work, clauses, table = m.work, m.clauses, m.ranks
    for rank in range(RANKS):
        table[rank] = 0
    some = 0
    clause = 1
    while clause < work[CLAUSES_END]:
        if clauses[clause + GLUE_OF] > KEPT_GLUE and clauses[clause + USED] == 0:
            table[_rank(clauses, clause)] += 1
            some += 1
        clause += HEADER + clauses[clause + SIZE]
    cut, left = 0, some // 4
    while cut < RANKS and left >= table[cut]:
        left -= table[cut]
        cut += 1
    return cut, left


@njit(cache=True, nogil=True)
def _reduce(m: Any) -> None:
    """At the root: leave out what is true, what is false, and three in four learnt clauses of high glue, the worst.

    Clauses that were used lately are not judged now: glue is only a guess, use is a fact.
    """
    work, clauses, values = m.work, m.clauses, m.values
    cut, left = _cut(m)
    clause, end = 1, 1
    work[N_CLAUSES] = work[N_LEARNT] = 0
    while clause < work[CLAUSES_END]:
        size, glue, used = clauses[clause + SIZE], clauses[clause + GLUE_OF], clauses[clause + USED]
        after = clause + HEADER + size
        keep = True
        if glue > KEPT_GLUE:
            if used == 0:
                rank = _rank(clauses, clause)
                keep = rank < cut or (rank == cut and left > 0)
                left -= rank == cut
            else:
                used -= 1
        if keep:
            kept = end + HEADER
            for k in range(size):
                literal = clauses[clause + HEADER + k]
                # At the root a true literal satisfies the clause for good, and a false one is no part of it any more.
                if values[literal] > 0:
                    keep = False
                    break
                if values[literal] == 0:
                    clauses[kept] = literal
                    kept += 1
        if keep:
            clauses[end + GLUE_OF], clauses[end + USED] = glue, used
            clauses[end + SIZE], clauses[end + POSITION] = kept - end - HEADER, 2
            work[N_CLAUSES] += 1
            work[N_LEARNT] += glue > 0
            end = kept
        clause = after
    work[CLAUSES_END] = end
    # Clauses have moved, and those that were reasons at the root may be gone: what is true there needs no reason.
    for k in range(work[TRAIL]):
        m.reasons[m.trail[k] >> 1] = 0
    rebuild_watches(m)
    work[REDUCTIONS] += 1
    work[REDUCE_AT] = work[CONFLICTS] + REDUCE * (work[REDUCTIONS] + 1)


# -- the search --------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _start(m: Any) -> None:
    """Set the search up."""
    work = m.work
    for variable in range(work[CANDIDATES]):
        m.positions[variable] = -1
        m.best[variable] = 1
    for variable in range(work[CANDIDATES]):
        push_variable(m, variable)
    m.scores[BUMP] = 1.0
    work[MODE_LENGTH] = work[MODE_END] = FIRST_MODE
    work[REDUCE_AT], work[RESTART_AT] = REDUCE, LEAST_CONFLICTS
    work[STARTED] = 1
    rebuild_watches(m)


@njit(cache=True, nogil=True)
def _decide(m: Any) -> bool:
    """Make an open literal true, the candidate of the highest score first; false when none is open."""
    work, literal = m.work, -1
    while work[HEAP] > 0:
        variable = pop_variable(m)  # some are decided by now: they are taken out when they come up, not before
        if m.values[2 * variable] == 0:
            phase = m.best[variable] if work[STABLE] else 1
            literal = 2 * variable + 1 - phase
            break
    if literal < 0:
        for variable in range(work[CANDIDATES], work[VARIABLES]):
            if m.values[2 * variable] == 0:
                literal = 2 * variable + 1
                break
    if literal < 0:
        return False
    m.starts[work[LEVEL]] = work[TRAIL]
    work[LEVEL] += 1
    enqueue(m, literal, 0)
    return True


@njit(cache=True, nogil=True)
def _block(m: Any) -> bool:
    """Rule the solution found out, by its decisions about candidates, and step back; false when it is the last one."""
    work, levels = m.work, 0
    while levels < work[LEVEL] and m.trail[m.starts[levels]] >> 1 < work[CANDIDATES]:
        levels += 1
    if levels == 0:
        return False
    # The deepest first: it becomes true, and the clause watches it and the one above it.
    for level in range(levels):
        m.learnt[level] = m.trail[m.starts[levels - 1 - level]] ^ 1
    work[LEARNT_SIZE], work[JUMP] = levels, levels - 1
    learn(m, 0)
    return True


@njit(cache=True, nogil=True)
def advance(state: Any, conflicts: int, steps: int, solutions: Any) -> int:
    """Go on with a search.

    Args:
        state: the search; its arrays are written.
        conflicts, steps: return SPENT after so many more of them (a step is about a clause looked at).
        solutions: int32 (solutions, cells), written: the true candidate of each cell. Returns ROOM when it is full.

    Returns:
        EXHAUSTED, SPENT, ROOM, or LARGER: `clauses` or `watches` need more room before it can go on.
    """
    m = memory_of(state)
    work = m.work
    last_conflict, last_step, found = work[CONFLICTS] + conflicts, work[STEPS] + steps, 0
    while True:
        # Here: what a conflict or a solution may add fits, or the caller makes room.
        if work[CLAUSES_END] + HEADER + work[VARIABLES] > work[CLAUSES_ROOM]:
            return LARGER
        if 2 * least_pool(work[VARIABLES], work[N_CLAUSES] + 1) > work[WATCHES_ROOM]:
            return LARGER
        if work[STARTED] == 0:
            _start(m)
        if work[CONFLICTS] >= last_conflict or work[STEPS] >= last_step:
            return SPENT
        failed = propagate(m)
        if failed == FULL:
            rebuild_watches(m)
        elif failed != NOTHING:
            work[CONFLICTS] += 1
            # A clash that no decision has caused: nothing is left to search.
            if work[LEVEL] == 0:
                return EXHAUSTED
            analyse(m, failed)
            _follow_glue(m)
            learn(m, work[GLUE])
            # Instead of letting all scores decay, make later bumps worth more (MiniSat).
            m.scores[BUMP] *= STABLE_GROWTH if work[STABLE] else FOCUSED_GROWTH
        elif work[CONFLICTS] >= work[REDUCE_AT]:
            # A reduction moves clauses: at the root none of them is a reason. First go there, and propagate.
            if work[LEVEL] > 0:
                back_to(m, 0)
            else:
                _reduce(m)
        elif _should_restart(m):
            _restart(m)
        else:
            _note_best(m)
            if not _decide(m):
                for k in range(work[TRAIL]):
                    literal = m.trail[k]
                    if literal & 1 == 0 and literal >> 1 < work[CANDIDATES]:
                        solutions[found, m.cells[literal >> 1]] = literal >> 1
                found += 1
                work[FOUND] += 1
                if not _block(m):
                    return EXHAUSTED
                if found == solutions.shape[0]:
                    return ROOM
