"""One pass of the generic lockstep kernel over a program: what `program.py` describes, instruction by instruction.

All functions take the memory of rows (its words say how many lanes there are), the program, and the offset in it, and
return the offset after it. The small ones are made three times: for records whose number of parts is known (3 and 4,
the boxes of 9x9 and 16x16) and for any; and twice each, as only the last stage counts bivalues. numba compiles them
once for each width of word they are called with. Cells with the same units, as in a segment, read the rows of these
once.

Rules: a single takes its value from its units; a value with one place in a full unit is placed there (of two such
values in one cell the lower one, and the unit then has no place for the other and dies); a value that a full unit
confines to a segment leaves the rest of the other unit. A board is dead when a cell has no value, a full unit a value
without a place, or a unit two singles of one value.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nonant.csp.kernels.lockstep.program import (
    CELLS_3,
    CELLS_4,
    END,
    EVERY_VALUE,
    GONE_2,
    GROUPS_3,
    GROUPS_4,
    LAST,
    LOCKED_3,
    LOCKED_4,
    NO_UNIT,
    NO_VALUE,
    SEGMENTS_3,
    SEGMENTS_4,
)
from nonant.csp.kernels.simd.lanes import (
    both,
    differ,
    either,
    if_equal,
    if_less,
    load,
    minus,
    nonzero_lanes,
    plus,
    popcounts,
    shifted_up,
    smaller,
    splat,
    store,
    without,
)
from nonant.csp.machine.jit import njit

KEY_SHIFT = 8  # the branching key of a cell: values << KEY_SHIFT less the bivalues of its units; all ones for a single


def _segments(size: int, counting: bool) -> Any:
    """Writes the rows of segments; `size` cells each, 0: the record says how many."""

    @njit(cache=True, boundscheck=False)
    def segments(memory: Any, words: Any, at: int, lanes: int, cells: int, nothing: Any, one: Any) -> int:
        row = np.int64(words[at + 2])
        singles, count = cells * lanes, np.int64(words[at + 1])
        two = plus(one, one)
        at += 3
        for _ in range(count):
            once = twice = single = clash = pairs = nothing
            parts: Any = size
            if size == 0:
                parts = np.int64(words[at])
                at += 1
            for part in range(parts):
                cell = np.int64(words[at + part])
                x, o = load(memory, cell), load(memory, singles + cell)
                twice = either(twice, both(once, x))
                once = either(once, x)
                clash = either(clash, both(single, o))
                single = either(single, o)
                if counting:
                    pairs = plus(pairs, if_equal(popcounts(x), two, one, nothing))
            at += parts
            store(memory, row, once)
            store(memory, row + lanes, twice)
            store(memory, row + 2 * lanes, single)
            store(memory, row + 3 * lanes, clash)
            if counting:
                store(memory, row + 4 * lanes, pairs)
            row += 5 * lanes
        return at

    return segments


def _groups(size: int, counting: bool) -> Any:
    """Writes the rows of units and the loose values; `size` segments each and no rest, units full; 0: any."""

    @njit(cache=True, boundscheck=False)
    def groups(memory: Any, words: Any, at: int, lanes: int, cells: int, nothing: Any, one: Any, full: Any) -> Any:
        singles, two = cells * lanes, plus(one, one)
        dead = nothing
        count = np.int64(words[at + 1])
        at += 3
        for _ in range(count):
            once = twice = single = clash = spread = pairs = nothing
            unit, loose = np.int64(words[at]), np.int64(words[at + 1])
            at += 2
            every = full
            parts: Any = size
            rest: Any = 0
            if size == 0:
                if words[at] == NO_VALUE:
                    every = nothing
                elif words[at] != EVERY_VALUE:
                    every = load(memory, np.int64(words[at]))
                parts, rest = np.int64(words[at + 1]), np.int64(words[at + 2])
                at += 3
            for part in range(parts):
                segment = np.int64(words[at + part])
                x, o = load(memory, segment), load(memory, segment + 2 * lanes)
                again = both(once, x)
                spread = either(spread, again)
                twice = either(either(twice, again), load(memory, segment + lanes))
                once = either(once, x)
                clash = either(either(clash, both(single, o)), load(memory, segment + 3 * lanes))
                single = either(single, o)
                if counting:
                    pairs = plus(pairs, load(memory, segment + 4 * lanes))
            at += parts
            if size == 0:
                for part in range(rest):
                    cell = np.int64(words[at + part])
                    x, o = load(memory, cell), load(memory, singles + cell)
                    again = both(once, x)
                    spread, twice, once = either(spread, again), either(twice, again), either(once, x)
                    clash = either(clash, both(single, o))
                    single = either(single, o)
                    if counting:
                        pairs = plus(pairs, if_equal(popcounts(x), two, one, nothing))
                at += rest
            store(memory, loose, either(spread, without(full, every)))
            if size != 0 or unit != NO_UNIT:
                dead = either(dead, either(clash, without(every, once)))
                store(memory, unit, single)
                store(memory, unit + lanes, both(without(once, twice), every))
                if counting:
                    store(memory, unit + 2 * lanes, pairs)
        return at, dead

    return groups


def _locked(size: int) -> Any:
    """Writes the values that other units confine to segments of a group."""

    @njit(cache=True, boundscheck=False)
    def locked(memory: Any, words: Any, at: int, nothing: Any) -> int:
        count = np.int64(words[at + 1])
        at += 3
        for _ in range(count):
            found, row = nothing, np.int64(words[at])
            at += 1
            parts: Any = size
            if size == 0:
                parts = np.int64(words[at])
                at += 1
            for part in range(parts):
                values, loose = np.int64(words[at + 2 * part]), np.int64(words[at + 2 * part + 1])
                found = either(found, without(load(memory, values), load(memory, loose)))
            at += 2 * parts
            store(memory, row, found)
        return at

    return locked


def _gone(size: int) -> Any:
    """Writes what each segment loses: values locked in one unit that the other does not confine to this segment."""

    @njit(cache=True, boundscheck=False)
    def gone(memory: Any, words: Any, at: int, lanes: int, nothing: Any) -> int:
        row = np.int64(words[at + 2])
        count = np.int64(words[at + 1])
        at += 3
        for _ in range(count):
            found = nothing
            parts: Any = size
            if size == 0:
                parts = np.int64(words[at])
                at += 1
            for part in range(parts):
                values, loose = np.int64(words[at + 2 * part]), np.int64(words[at + 2 * part + 1])
                found = either(found, both(load(memory, values), load(memory, loose)))
            at += 2 * parts
            store(memory, row, found)
            row += lanes
        return at

    return gone


def _cells(size: int, last: bool) -> Any:
    """Applies a stage to the cells; `size` cells a record, in two units and one lossy part, 0: any.

    The last stage finds the cell to branch on, by its position in the order of the program.
    """

    @njit(cache=True, boundscheck=False)
    def cells(memory: Any, words: Any, at: int, lanes: int, n_cells: int, nothing: Any, one: Any, choice: int) -> Any:
        singles = n_cells * lanes
        every = minus(nothing, one)
        changed = progress = chosen = number = nothing
        least = best = every
        count = np.int64(words[at + 1])
        at += 3
        for _ in range(count):
            units: Any = 2
            losses: Any = 1
            members: Any = size
            if size == 0:
                units, losses, members = np.int64(words[at]), np.int64(words[at + 1]), np.int64(words[at + 2])
                at += 3
            single = hidden = lost = pairs = nothing
            for part in range(units):
                unit = np.int64(words[at + part])
                single, hidden = either(single, load(memory, unit)), either(hidden, load(memory, unit + lanes))
                if last:
                    pairs = plus(pairs, load(memory, unit + 2 * lanes))
            at += units
            for part in range(losses):
                lost = either(lost, load(memory, np.int64(words[at + part])))
            at += losses
            for part in range(members):
                cell = np.int64(words[at + part])
                old, own = load(memory, cell), load(memory, singles + cell)
                x = without(without(old, lost), without(single, own))
                placed = both(x, hidden)
                x = if_equal(placed, nothing, x, both(placed, minus(nothing, placed)))
                changed, least = either(changed, differ(old, x)), smaller(least, x)
                more = both(x, minus(x, one))
                now = if_equal(more, nothing, x, nothing)
                progress = either(progress, differ(now, own))
                store(memory, cell, x)
                store(memory, singles + cell, now)
                if last:
                    key = if_equal(more, nothing, every, minus(shifted_up(popcounts(x), KEY_SHIFT), pairs))
                    chosen = if_less(key, best, number, chosen)
                    best = smaller(best, key)
                    number = plus(number, one)
            at += members
        if last:
            store(memory, choice, best)
            store(memory, choice + lanes, chosen)
        return at, changed, if_equal(least, nothing, one, nothing), progress, best

    return cells


_segments_any, _segments_3, _segments_4 = _segments(0, False), _segments(3, False), _segments(4, False)
_segments_any_last, _segments_3_last, _segments_4_last = _segments(0, True), _segments(3, True), _segments(4, True)
_groups_any, _groups_3, _groups_4 = _groups(0, False), _groups(3, False), _groups(4, False)
_groups_any_last, _groups_3_last, _groups_4_last = _groups(0, True), _groups(3, True), _groups(4, True)
_locked_any, _locked_3, _locked_4 = _locked(0), _locked(3), _locked(4)
_gone_any, _gone_2 = _gone(0), _gone(2)
_cells_any, _cells_3, _cells_4 = _cells(0, False), _cells(3, False), _cells(4, False)
_cells_any_last, _cells_3_last, _cells_4_last = _cells(0, True), _cells(3, True), _cells(4, True)


# -- one pass ----------------------------------------------------------------------------------------------------------


class _Pass(NamedTuple):
    """What every instruction needs: the memory, the program, the sizes, and three constants in registers."""

    memory: Any
    words: Any
    lanes: int
    cells: int
    nothing: Any
    one: Any
    full: Any


@njit(cache=True, inline="always")
def _run_segments(here: Any, opcode: int, last: bool, at: int) -> Any:
    memory, words, lanes, cells, nothing, one, _ = here
    if opcode == SEGMENTS_3:
        if last:
            return _segments_3_last(memory, words, at, lanes, cells, nothing, one)
        return _segments_3(memory, words, at, lanes, cells, nothing, one)
    if opcode == SEGMENTS_4:
        if last:
            return _segments_4_last(memory, words, at, lanes, cells, nothing, one)
        return _segments_4(memory, words, at, lanes, cells, nothing, one)
    if last:
        return _segments_any_last(memory, words, at, lanes, cells, nothing, one)
    return _segments_any(memory, words, at, lanes, cells, nothing, one)


@njit(cache=True, inline="always")
def _run_groups(here: Any, opcode: int, last: bool, at: int) -> Any:
    memory, words, lanes, cells, nothing, one, full = here
    if opcode == GROUPS_3:
        if last:
            return _groups_3_last(memory, words, at, lanes, cells, nothing, one, full)
        return _groups_3(memory, words, at, lanes, cells, nothing, one, full)
    if opcode == GROUPS_4:
        if last:
            return _groups_4_last(memory, words, at, lanes, cells, nothing, one, full)
        return _groups_4(memory, words, at, lanes, cells, nothing, one, full)
    if last:
        return _groups_any_last(memory, words, at, lanes, cells, nothing, one, full)
    return _groups_any(memory, words, at, lanes, cells, nothing, one, full)


@njit(cache=True, inline="always")
def _run_locked(here: Any, opcode: int, at: int) -> Any:
    if opcode == LOCKED_3:
        return _locked_3(here.memory, here.words, at, here.nothing)
    if opcode == LOCKED_4:
        return _locked_4(here.memory, here.words, at, here.nothing)
    return _locked_any(here.memory, here.words, at, here.nothing)


@njit(cache=True, inline="always")
def _run_gone(here: Any, opcode: int, at: int) -> Any:
    if opcode == GONE_2:
        return _gone_2(here.memory, here.words, at, here.lanes, here.nothing)
    return _gone_any(here.memory, here.words, at, here.lanes, here.nothing)


@njit(cache=True, inline="always")
def _run_cells(here: Any, opcode: int, last: bool, at: int, choice: int) -> Any:
    memory, words, lanes, cells, nothing, one, _ = here
    if opcode == CELLS_3:
        if last:
            return _cells_3_last(memory, words, at, lanes, cells, nothing, one, choice)
        return _cells_3(memory, words, at, lanes, cells, nothing, one, choice)
    if opcode == CELLS_4:
        if last:
            return _cells_4_last(memory, words, at, lanes, cells, nothing, one, choice)
        return _cells_4(memory, words, at, lanes, cells, nothing, one, choice)
    if last:
        return _cells_any_last(memory, words, at, lanes, cells, nothing, one, choice)
    return _cells_any(memory, words, at, lanes, cells, nothing, one, choice)


@njit(cache=True, boundscheck=False)
def propagate(memory: Any, words: Any, lanes: int, cells: int, constants: Any, choice: int) -> Any:
    """One pass; returns three masks of lanes: dead, with an open cell, and those that should go on with another pass.

    Writes the rows at `choice`: the least branching key of each lane, and its cell.
    `words` are the instructions of the units. `constants` are words of a lane: all values, 1, and more of no use here.
    """
    full, one = splat(constants[0]), splat(constants[1])
    nothing = differ(one, one)
    two = plus(one, one)
    here = _Pass(memory, words, lanes, cells, nothing, one, full)
    singles = cells * lanes
    for cell in range(0, cells * lanes, lanes):
        x = load(memory, cell)
        store(memory, singles + cell, if_equal(both(x, minus(x, one)), nothing, x, nothing))
    dead = changed = progress = best = nothing
    at = 0
    while words[at] != END:
        last = words[at] > LAST
        opcode: Any = np.int64(words[at]) - (LAST if last else 0)
        if opcode <= SEGMENTS_4:
            at = _run_segments(here, opcode, last, at)
        elif opcode <= GROUPS_4:
            at, died = _run_groups(here, opcode, last, at)
            dead = either(dead, died)
        elif opcode <= LOCKED_4:
            at = _run_locked(here, opcode, at)
        elif opcode <= GONE_2:
            at = _run_gone(here, opcode, at)
        else:
            at, change, died, new, best = _run_cells(here, opcode, last, at, choice)
            changed, dead, progress = either(changed, change), either(dead, died), either(progress, new)
    # With a cell of two values at hand a lane need not wait for its fixpoint, only for its singles.
    progress = either(progress, if_less(shifted_up(two, KEY_SHIFT), best, changed, nothing))
    return nonzero_lanes(dead), nonzero_lanes(differ(best, minus(nothing, one))), nonzero_lanes(progress)
