"""The generic scalar engine: one board at a time, any model, depth first.

State: `domains[depth, cell]`, one 64-bit mask of values a cell, a full copy a level (a copy of 81 words costs less than
an undo log of the changes it saves). Propagation runs from events: a cell that became single removes its value from its
peers; a constraint whose cells changed waits on a stack until it is looked at; the overlaps of units (locked
candidates) come when nothing cheaper is left, and the system of all parities (`parity.py`) last.

Branching: the cell with the smallest quotient of values left and weight, where a cell weighs as many failures as its
constraints have had (Boussemart et al., "Boosting systematic search by weighting constraints", ECAI 2004). Two-way:
the lowest value first, then the board without it.

The search stops at boundaries only and goes on from its arrays, so that the caller can look at the clock, take
solutions, or let the user interrupt.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nonant.csp.kernels.scalar import parity
from nonant.csp.kernels.scalar.tables import (
    CAGE,
    EVERY,
    FIRST_BINARY,
    FIRST_CAGE,
    FIRST_PARITY,
    FIRST_SUM,
    FIRST_TABLE,
    FULL,
    N_CELLS,
    N_CONSTRAINTS,
    N_VALUES,
    NUMBERS,
    ODD,
    OVERLAPS,
    PARITY,
    PEERS,
    RELATION,
    ROWS,
    SCOPE,
    SUPPORTS,
    TOTAL,
    WATCH,
    WEIGHTS,
    Tables,
)
from nonant.csp.kernels.simd.bits import count_ones, lowest_place, moved, pointer_to
from nonant.csp.machine.jit import njit

# What `advance` returns.
EXHAUSTED, SPENT, ROOM, DEEPER = 0, 1, 2, 3

# `work` (int64): first these words, then four areas: cell weights, the stack of singles, the stack of waiting
# constraints, one flag word a constraint; then scratch for one constraint; then the parity system, if SYSTEM (where it
# stands) is not 0.
DEPTH, SEED, BACK, NODES, FOUND, SINGLES, WAITS, SYSTEM = 0, 1, 2, 3, 4, 5, 6, 7
AREAS = 8
ALL, NOTHING = -1, -2  # seeds: everything is new; everything is propagated already
_IN_STACK, _LOOK_AT_OVERLAPS = 1, 2

_ZERO, _ONE = np.uint64(0), np.uint64(1)


class State(NamedTuple):
    """A search in progress: `domains` uint64 (levels, cells), `branched` (levels), `work` as laid out above."""

    domains: Any
    branched: Any
    work: Any


def new_state(tables: Tables, domains: Any, levels: int = 32) -> State:
    """A search that starts from these domains (uint64, one a cell)."""
    links = tables.links
    cells, constraints = int(links[N_CELLS]), int(links[N_CONSTRAINTS])
    scope = links[SCOPE]
    widest = int(np.diff(links[scope : scope + constraints + 1]).max(initial=1))
    boards = np.zeros((levels, cells), np.uint64)
    boards[0] = domains
    work = np.zeros(AREAS + 2 * cells + 1 + 2 * constraints + 2 + 2 * widest, np.int64)
    work[SEED] = ALL
    work[AREAS : AREAS + cells] = 1
    system = parity.system_of(tables)
    if system is not None:
        work[SYSTEM] = len(work)
        work = np.concatenate([work, parity.packed(system)])
    return State(boards, np.zeros(levels, np.int64), work)


def weights(state: State) -> Any:
    """The cells' weights: a view into `work`."""
    return state.work[AREAS : AREAS + state.domains.shape[1]]


def restarted(state: State, domains: Any) -> State:
    """The search begun anew from these domains: weights and counts stay, open levels are forgotten."""
    state.domains[0] = domains
    state.work[DEPTH], state.work[SEED], state.work[BACK] = 0, ALL, 0
    return state


def deeper(state: State) -> State:
    """The same search with room for twice as many levels."""
    return state._replace(
        domains=np.concatenate([state.domains, np.zeros_like(state.domains)]),
        branched=np.concatenate([state.branched, np.zeros_like(state.branched)]),
    )


# -- events ------------------------------------------------------------------------------------------------------------


@njit(cache=True, boundscheck=False)
def _flags(links: Any) -> int:
    """Where the flags stand in `work`."""
    return int(AREAS + 2 * links[N_CELLS] + 1 + links[N_CONSTRAINTS] + 1)


@njit(cache=True, boundscheck=False)
def _touch(links: Any, work: Any, cell: int) -> None:
    """Put the constraints of a changed cell on the stack of waiting ones."""
    flags = _flags(links)
    stack = flags - links[N_CONSTRAINTS] - 1
    for k in range(links[links[WATCH] + cell], links[links[WATCH] + cell + 1]):
        constraint = links[k]
        if not work[flags + constraint] & _IN_STACK:
            work[stack + work[WAITS]] = constraint
            work[WAITS] += 1
        work[flags + constraint] = _IN_STACK | _LOOK_AT_OVERLAPS


@njit(cache=True, boundscheck=False)
def _single(links: Any, work: Any, cell: int) -> None:
    """Put a cell that has one value left on the stack of singles."""
    work[AREAS + links[N_CELLS] + work[SINGLES]] = cell
    work[SINGLES] += 1


@njit(cache=True, boundscheck=False)
def _keep(links: Any, work: Any, board: Any, cell: int, mask: Any) -> bool:
    """Intersect a domain with a mask and tell who must know; false when nothing is left."""
    old = board[cell]
    new = old & mask
    if new == old:
        return True
    if new == _ZERO:
        return False
    board[cell] = new
    _touch(links, work, cell)
    if new & (new - _ONE) == _ZERO:
        _single(links, work, cell)
    return True


# -- one constraint each: false when it cannot hold --------------------------------------------------------------------


@njit(cache=True, boundscheck=False)
def _unit(links: Any, masks: Any, work: Any, board: Any, unit: int) -> bool:
    """Hidden singles of a full unit; of a short one, whether its cells have values enough between them."""
    once = twice = _ZERO
    start, end = links[links[SCOPE] + unit], links[links[SCOPE] + unit + 1]
    for k in range(start, end):
        domain = board[links[k]]
        twice |= once & domain
        once |= domain
    if not links[links[FULL] + unit]:
        return bool(count_ones(once) >= end - start)
    if once != masks[EVERY]:
        return False
    hidden = once & ~twice
    if hidden:
        for k in range(start, end):
            cell = links[k]
            found = board[cell] & hidden
            if found:
                if found & (found - _ONE):
                    return False  # two values that have only this cell
                _keep(links, work, board, cell, found)
    return True


@njit(cache=True, boundscheck=False)
def _cage(links: Any, masks: Any, work: Any, board: Any, number: int) -> bool:
    """The value sets that fit: their union may stand in the cells, their intersection must."""
    start, end = links[links[SCOPE] + number], links[links[SCOPE] + number + 1]
    once = twice = _ZERO
    for k in range(start, end):
        domain = board[links[k]]
        twice |= once & domain
        once |= domain
    may, must = _ZERO, masks[EVERY]
    cage = links[CAGE] + number - links[FIRST_CAGE]
    for j in range(links[cage], links[cage + 1]):
        some = masks[j]
        if some & ~once:
            continue
        fits = True
        for k in range(start, end):
            if board[links[k]] & some == _ZERO:
                fits = False
                break
        if fits:
            may |= some
            must &= some
    if may == _ZERO:
        return False
    needed = must & once & ~twice
    for k in range(start, end):
        found = board[links[k]] & needed
        if found & (found - _ONE):
            return False
        if not _keep(links, work, board, links[k], found if found else may):
            return False
    return True


@njit(cache=True, boundscheck=False)
def _binary(links: Any, masks: Any, work: Any, board: Any, number: int) -> bool:
    """Arc consistency of two cells, both ways."""
    first = links[links[SCOPE] + number]
    supports = SUPPORTS + 2 * (number - links[FIRST_BINARY]) * links[N_VALUES]
    for way in range(2):
        left, support = board[links[first + way]], _ZERO
        while left:
            support |= masks[supports + lowest_place(left)]
            left &= left - _ONE
        if not _keep(links, work, board, links[first + 1 - way], support):
            return False
        supports += links[N_VALUES]
    return True


@njit(cache=True, boundscheck=False)
def _scratch(links: Any) -> int:
    """Where a constraint's scratch words stand in `work`."""
    return int(_flags(links) + links[N_CONSTRAINTS] + 1)


@njit(cache=True, boundscheck=False)
def _table(links: Any, masks: Any, work: Any, board: Any, number: int) -> bool:
    """Generalised arc consistency: a value stays while some live tuple holds it."""
    start, end = links[links[SCOPE] + number], links[links[SCOPE] + number + 1]
    arity, support = end - start, _scratch(links)
    for k in range(arity):
        work[support + k] = 0
    table = links[ROWS] + number - links[FIRST_TABLE]
    for row in range(links[table], links[table + 1], arity):
        live = True
        for k in range(arity):
            if not (board[links[start + k]] >> np.uint64(links[row + k])) & _ONE:
                live = False
                break
        if live:
            for k in range(arity):
                work[support + k] |= 1 << links[row + k]
    for k in range(arity):  # noqa: SIM110 (numba has no all() over a generator)
        if not _keep(links, work, board, links[start + k], np.uint64(work[support + k])):
            return False
    return True


@njit(cache=True, boundscheck=False)
def _sum(links: Any, masks: Any, work: Any, board: Any, number: int) -> bool:
    """Bounds of a linear constraint; != acts when one cell is open."""
    start, end = links[links[SCOPE] + number], links[links[SCOPE] + number + 1]
    at, numbers = number - links[FIRST_SUM], links[NUMBERS]
    weights = links[links[WEIGHTS] + at]
    relation, total = links[links[RELATION] + at], links[links[TOTAL] + at]
    low = _scratch(links)
    high = low + end - start
    lowest = highest = open_cells = 0
    for k in range(end - start):
        left, weight = board[links[start + k]], links[weights + k]
        if left & (left - _ONE):
            open_cells += 1
        least = most = weight * links[numbers + lowest_place(left)]
        left &= left - _ONE
        while left:
            term = weight * links[numbers + lowest_place(left)]
            least, most = min(least, term), max(most, term)
            left &= left - _ONE
        work[low + k], work[high + k] = least, most
        lowest += least
        highest += most
    for k in range(end - start):
        left, weight = board[links[start + k]], links[weights + k]
        others_low, others_high = lowest - work[low + k], highest - work[high + k]
        alone = open_cells == 0 or (open_cells == 1 and left & (left - _ONE) != _ZERO)
        keep = _ZERO
        while left:
            bit = left & (~left + _ONE)
            term = weight * links[numbers + lowest_place(left)]
            left ^= bit
            if relation == 3:
                fits = not (alone and others_low + term == total)
            else:
                fits = (relation == 2 or others_low + term <= total) and (relation == 1 or others_high + term >= total)
            if fits:
                keep |= bit
        if not _keep(links, work, board, links[start + k], keep):
            return False
    return True


@njit(cache=True, boundscheck=False)
def _parity(links: Any, masks: Any, work: Any, board: Any, number: int) -> bool:
    """The last cell of undecided parity takes the one that is left."""
    odd = links[links[PARITY] + number - links[FIRST_PARITY]]
    free, mask = -1, masks[ODD]
    for k in range(links[links[SCOPE] + number], links[links[SCOPE] + number + 1]):
        domain = board[links[k]]
        if domain & mask:
            if domain & ~mask:
                if free >= 0:
                    return True
                free = links[k]
            else:
                odd = 1 - odd
    if free < 0:
        return bool(odd == 0)
    return _keep(links, work, board, free, mask if odd else ~mask)


@njit(cache=True, boundscheck=False)
def _overlap(links: Any, masks: Any, work: Any, board: Any, unit: int) -> bool:
    """Locked candidates: a value of this full unit that lies within another unit leaves the rest of that one."""
    at, end = links[links[OVERLAPS] + unit], links[links[OVERLAPS] + unit + 1]
    while at < end:
        mine = at + 3 + links[at]
        other = mine + links[at + 1]
        after = other + links[at + 2]
        locked = rest = _ZERO
        for k in range(at + 3, mine):
            locked |= board[links[k]]
        for k in range(mine, other):
            rest |= board[links[k]]
        locked &= ~rest
        if locked:
            for k in range(other, after):
                if not _keep(links, work, board, links[k], ~locked):
                    return False
        at = after
    return True


# -- propagation and search --------------------------------------------------------------------------------------------


@njit(cache=True, boundscheck=False)
def _clash(links: Any, first: int, second: int) -> int:
    """A unit that holds both cells."""
    for k in range(links[links[WATCH] + first], links[links[WATCH] + first + 1]):
        unit = links[k]
        for j in range(links[links[SCOPE] + unit], links[links[SCOPE] + unit + 1]):
            if unit < links[FIRST_CAGE] and links[j] == second:
                return int(unit)
    return -1


@njit(cache=True, boundscheck=False)
def _look(links: Any, masks: Any, work: Any, board: Any, number: int) -> bool:
    """Propagate one constraint."""
    if number < links[FIRST_CAGE]:
        return _unit(links, masks, work, board, number)
    if number < links[FIRST_BINARY]:
        return _cage(links, masks, work, board, number)
    if number < links[FIRST_TABLE]:
        return _binary(links, masks, work, board, number)
    if number < links[FIRST_SUM]:
        return _table(links, masks, work, board, number)
    if number < links[FIRST_PARITY]:
        return _sum(links, masks, work, board, number)
    return _parity(links, masks, work, board, number)


@njit(cache=True, boundscheck=False)
def _blame(links: Any, work: Any, number: int) -> None:
    """Count a failure to the cells of the constraint that failed."""
    for k in range(links[links[SCOPE] + number], links[links[SCOPE] + number + 1]):
        work[AREAS + links[k]] += 1


@njit(cache=True, boundscheck=False)
def propagate(links: Any, masks: Any, work: Any, board: Any, seed: int) -> bool:
    """Propagate from the changed cell `seed` (or ALL) to a fixpoint; false when the board is dead."""
    cells, constraints, flags = links[N_CELLS], links[N_CONSTRAINTS], _flags(links)
    stack = flags - constraints - 1
    work[SINGLES] = work[WAITS] = 0
    alive = True
    if seed == ALL:
        for cell in range(cells):
            alive = alive and board[cell] != _ZERO
            if board[cell] & (board[cell] - _ONE) == _ZERO:
                _single(links, work, cell)
        for constraint in range(constraints):
            work[stack + constraint] = constraint
            work[flags + constraint] = _IN_STACK | _LOOK_AT_OVERLAPS
        work[WAITS] = constraints
    elif seed >= 0:
        _touch(links, work, seed)
        if board[seed] & (board[seed] - _ONE) == _ZERO:
            _single(links, work, seed)
    while alive:
        if work[SINGLES]:
            work[SINGLES] -= 1
            cell = links[N_CELLS] + work[SINGLES] + AREAS
            cell = work[cell]
            others = ~board[cell]
            for k in range(links[links[PEERS] + cell], links[links[PEERS] + cell + 1]):
                if not _keep(links, work, board, links[k], others):
                    _blame(links, work, _clash(links, cell, links[k]))
                    alive = False
                    break
        elif work[WAITS]:
            work[WAITS] -= 1
            number = work[stack + work[WAITS]]
            work[flags + number] = _LOOK_AT_OVERLAPS
            if not _look(links, masks, work, board, number):
                _blame(links, work, number)
                alive = False
        else:
            unit = 0
            while unit < links[FIRST_CAGE] and work[SINGLES] + work[WAITS] == 0:
                if work[flags + unit]:
                    work[flags + unit] = 0
                    if not _overlap(links, masks, work, board, unit):
                        _blame(links, work, unit)
                        alive = False
                        break
                unit += 1
            if work[SINGLES] + work[WAITS] == 0:
                break
    if not alive:
        for constraint in range(constraints):
            work[flags + constraint] = 0
    return alive


@njit(cache=True, boundscheck=False)
def _settle(links: Any, masks: Any, work: Any, board: Any, seed: int) -> bool:
    """Propagate, and where nothing else is left to do, see what all parities say together (`parity.py`).

    What they decide is propagated cell by cell. This stands outside the loop above, which is too hot for what few
    models have: a branch more in there cost a model without parities five percent.
    """
    at = number = 0
    while propagate(links, masks, work, board, seed):
        if at == number:
            if not work[SYSTEM]:
                return True
            area = moved(work, work[SYSTEM])
            at, number = 0, parity.look(area, board, masks[ODD])
            if number == parity.CONTRADICTION:
                parity.blame(area, moved(work, AREAS))
                return False
            if number == 0:
                return True
        seed = parity.decided_cell(moved(work, work[SYSTEM]), at)
        at += 1
    return False


@njit(cache=True, boundscheck=False)
def _branching_cell(links: Any, work: Any, board: Any) -> int:
    """The open cell with the fewest values for its weight, or -1 on a solved board."""
    count, weight, chosen = 1, 0, -1
    for cell in range(links[N_CELLS]):
        domain = board[cell]
        if domain & (domain - _ONE):
            values = count_ones(domain)
            # values / weight of this cell < count / weight of the best one, without a division
            if values * weight < count * work[AREAS + cell]:
                count, weight, chosen = values, work[AREAS + cell], cell
    return chosen


@njit(cache=True, boundscheck=False, nogil=True)
def advance(links_: Any, masks_: Any, domains: Any, branched: Any, work_: Any, nodes: int, solutions: Any) -> int:
    """Go on with a search for at most `nodes` branchings.

    `solutions` is uint8 (room, cells) and takes the solutions; with no room (0 rows) they are only counted. Returns
    EXHAUSTED, SPENT (nodes), ROOM (no more for solutions) or DEEPER (more levels are needed).
    """
    links, masks, work = pointer_to(links_), pointer_to(masks_), pointer_to(work_)
    boards = pointer_to(domains)
    room, written = solutions.shape[0], 0
    cells = links[N_CELLS]
    last = work[NODES] + nodes
    while True:
        if work[BACK]:
            if work[DEPTH] == 0:
                return EXHAUSTED
            work[DEPTH] -= 1
            work[SEED] = branched[work[DEPTH]]
            work[BACK] = 0
        depth = work[DEPTH]
        board = moved(boards, depth * cells)
        alive = _settle(links, masks, work, board, work[SEED])
        work[SEED] = NOTHING
        if not alive:
            work[BACK] = 1
            continue
        cell = _branching_cell(links, work, board)
        if cell < 0:
            work[FOUND] += 1
            work[BACK] = 1
            if room:
                for k in range(cells):
                    solutions[written, k] = lowest_place(board[k])
                written += 1
                if written == room:
                    return ROOM
            continue
        if work[NODES] >= last:
            return SPENT
        if depth + 1 == domains.shape[0]:
            return DEEPER
        work[NODES] += 1
        child = moved(board, cells)
        for k in range(cells):
            child[k] = board[k]
        value = board[cell] & (~board[cell] + _ONE)
        child[cell] = value
        board[cell] ^= value
        branched[depth] = cell
        work[DEPTH] = depth + 1
        work[SEED] = cell
