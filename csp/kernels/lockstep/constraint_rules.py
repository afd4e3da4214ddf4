"""What a pass of the generic lockstep kernel does for constraints that are not units: see `constraint_program.py`.

Each function takes the memory of rows, the program, the offset in it, the masks, and the offset in these; and returns
the offsets after it and which bits it has changed. Domains are written back at once: what comes later in a pass works
with them. A constraint that cannot hold leaves some cell no value, which the units' part of the pass sees.

On a board where every cell has one value each rule is exact: it empties a cell unless the constraint holds. So a board
that a whole pass has not changed, all cells single, is a solution.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.kernels.lockstep.constraint_program import (
    AT_LEAST,
    AT_LEAST_TOTAL,
    AT_MOST,
    AT_MOST_TOTAL,
    BOXES,
    CAGES,
    NO_MUST,
    PAIRS,
    PARITIES,
    SUMS,
    UNEQUAL,
)
from nonant.csp.kernels.simd.bits import moved
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
    shifted_down,
    shifted_up,
    smaller,
    splat,
    store,
    without,
)
from nonant.csp.machine.jit import njit

# A mask smeared down by these fills all bits below its highest, for up to 16 values.
_SMEAR_1, _SMEAR_2, _SMEAR_4, _SMEAR_8 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(8)


@njit(cache=True, boundscheck=False)
def _kept(memory: Any, cell: Any, mask: Any) -> Any:
    """Intersect a domain with a mask; returns what it lost."""
    old = load(memory, cell)
    new = both(old, mask)
    store(memory, cell, new)
    return differ(old, new)


@njit(cache=True, boundscheck=False)
def _at_least(memory: Any, words: Any, at: Any, nothing: Any) -> Any:
    """The second cell's values from the lowest of the first one up, and the distance further."""
    changed, count = nothing, np.int64(words[at + 1])
    at += 3
    for _ in range(count):
        x = load(memory, np.int64(words[at]))
        from_lowest = minus(nothing, both(x, minus(nothing, x)))
        lost = _kept(memory, np.int64(words[at + 1]), shifted_up(from_lowest, np.uint64(words[at + 2])))
        changed = either(changed, lost)
        at += 3
    return at, changed


@njit(cache=True, boundscheck=False)
def _at_most(memory: Any, words: Any, at: Any, nothing: Any) -> Any:
    """The first cell's values up to the highest of the second one, less the distance."""
    changed, count = nothing, np.int64(words[at + 1])
    at += 3
    for _ in range(count):
        y = load(memory, np.int64(words[at + 1]))
        y = either(y, shifted_down(y, _SMEAR_1))
        y = either(y, shifted_down(y, _SMEAR_2))
        y = either(y, shifted_down(y, _SMEAR_4))
        y = either(y, shifted_down(y, _SMEAR_8))
        lost = _kept(memory, np.int64(words[at]), shifted_down(y, np.uint64(words[at + 2])))
        changed = either(changed, lost)
        at += 3
    return at, changed


@njit(cache=True, boundscheck=False)
def _pairs(memory: Any, words: Any, at: Any, masks: Any, here: Any, nothing: Any, full: Any) -> Any:
    """Boxes of two cells, whose supports stay in registers."""
    changed, count = nothing, np.int64(words[at + 1])
    at += 3
    for _ in range(count):
        boxes, must_row = np.int64(words[at]), np.int64(words[at + 1])
        first, second = np.int64(words[at + 2]), np.int64(words[at + 3])
        at += 4
        x, y = load(memory, first), load(memory, second)
        kept_x = kept_y = nothing
        must = full
        for _ in range(boxes):
            a, b = splat(masks[here]), splat(masks[here + 1])
            here += 2
            a = if_equal(both(y, b), nothing, nothing, a)
            a = if_equal(both(x, a), nothing, nothing, a)  # now 0 where the box does not fit
            b = if_equal(a, nothing, nothing, b)
            kept_x, kept_y = either(kept_x, a), either(kept_y, b)
            if must_row != NO_MUST:
                must = both(must, if_equal(a, nothing, full, either(a, b)))
        if must_row != NO_MUST:
            store(memory, must_row, must)
        lost_x, lost_y = without(x, kept_x), without(y, kept_y)
        store(memory, first, differ(x, lost_x))
        store(memory, second, differ(y, lost_y))
        changed = either(changed, either(lost_x, lost_y))
    return at, here, changed


@njit(cache=True, boundscheck=False)
def _boxes(memory: Any, words: Any, at: Any, lanes: int, masks: Any, here: Any, nothing: Any, full: Any) -> Any:
    """Boxes of any number of cells: a value stays while a box holds it that meets all domains."""
    changed, count, scratch = nothing, np.int64(words[at + 1]), np.int64(words[at + 2])
    at += 3
    for _ in range(count):
        cells, boxes, must_row = np.int64(words[at]), np.int64(words[at + 1]), np.int64(words[at + 2])
        at += 3
        must = full
        for part in range(cells):
            store(memory, scratch + part * lanes, nothing)
        for _ in range(boxes):
            fits = full
            for part in range(cells):
                met = both(load(memory, np.int64(words[at + part])), splat(masks[here + part]))
                fits = if_equal(met, nothing, nothing, fits)
            values = nothing
            for part in range(cells):
                mask = both(fits, splat(masks[here + part]))
                values = either(values, mask)
                store(memory, scratch + part * lanes, either(load(memory, scratch + part * lanes), mask))
            here += cells
            if must_row != NO_MUST:
                must = both(must, if_equal(fits, nothing, full, values))
        if must_row != NO_MUST:
            store(memory, must_row, must)
        for part in range(cells):
            lost = _kept(memory, np.int64(words[at + part]), load(memory, scratch + part * lanes))
            changed = either(changed, lost)
        at += cells
    return at, here, changed


@njit(cache=True, boundscheck=False)
def _sums(memory: Any, words: Any, at: Any, lanes: int, masks: Any, here: Any, nothing: Any, one: Any) -> Any:
    """Bounds: a term stays that fits with the least and with the greatest of all others."""
    changed, count, scratch = nothing, np.int64(words[at + 1]), np.int64(words[at + 2])
    every = minus(nothing, one)
    at += 3
    for _ in range(count):
        cells, relation, values = np.int64(words[at]), np.int64(words[at + 1]), np.int64(words[at + 2])
        at += 3
        total, terms = splat(masks[here]), here + 1
        here = terms + cells * values
        low = high = nothing
        for part in range(cells):
            x = load(memory, np.int64(words[at + part]))
            least, most, bit = every, nothing, one
            for value in range(values):
                term = splat(masks[terms + part * values + value])
                there = both(x, bit)
                least = if_equal(there, nothing, least, smaller(least, term))
                larger = if_less(most, term, term, most)
                most = if_equal(there, nothing, most, larger)
                bit = plus(bit, bit)
            store(memory, scratch + 2 * part * lanes, least)
            store(memory, scratch + (2 * part + 1) * lanes, most)
            low, high = plus(low, least), plus(high, most)
        for part in range(cells):
            others_low = minus(low, load(memory, scratch + 2 * part * lanes))
            others_high = minus(high, load(memory, scratch + (2 * part + 1) * lanes))
            kept, bit = nothing, one
            for value in range(values):
                term = splat(masks[terms + part * values + value])
                least, most = plus(others_low, term), plus(others_high, term)
                here_kept = bit
                if relation == UNEQUAL:
                    # Only where all others are settled, and the sum would be the total.
                    settled = if_equal(least, most, nothing, bit)
                    here_kept = if_equal(least, total, settled, bit)
                else:
                    if relation != AT_LEAST_TOTAL:
                        here_kept = if_less(total, least, nothing, here_kept)
                    if relation != AT_MOST_TOTAL:
                        here_kept = if_less(most, total, nothing, here_kept)
                kept = either(kept, here_kept)
                bit = plus(bit, bit)
            changed = either(changed, _kept(memory, np.int64(words[at + part]), kept))
        at += cells
    return at, here, changed


@njit(cache=True, boundscheck=False)
def _parities(memory: Any, words: Any, at: Any, masks: Any, here: Any, nothing: Any, one: Any) -> Any:
    """The last cell of undecided parity takes the one that is left."""
    changed, count = nothing, np.int64(words[at + 1])
    every, odd_values = minus(nothing, one), splat(masks[here])
    at += 3
    for _ in range(count):
        cells = np.int64(words[at])
        wrong = every if words[at + 1] else nothing  # where the decided cells do not yet have the wanted parity
        at += 2
        undecided = two = nothing
        for part in range(cells):
            x = load(memory, np.int64(words[at + part]))
            odd = if_equal(both(x, odd_values), nothing, nothing, every)
            even = if_equal(without(x, odd_values), nothing, nothing, every)
            free = both(odd, even)
            two, undecided = either(two, both(undecided, free)), either(undecided, free)
            wrong = differ(wrong, without(odd, even))
        dead = without(wrong, undecided)
        for part in range(cells):
            cell = np.int64(words[at + part])
            x = load(memory, cell)
            odd, even = both(x, odd_values), without(x, odd_values)
            free = if_equal(odd, nothing, nothing, if_equal(even, nothing, nothing, every))
            settled = without(free, two)
            wanted = either(both(wrong, odd), without(even, wrong))
            new = without(either(both(settled, wanted), without(x, settled)), dead)
            changed = either(changed, differ(x, new))
            store(memory, cell, new)
        at += cells
    return at, here + 1, changed


@njit(cache=True, boundscheck=False)
def _cages(memory: Any, words: Any, at: Any, masks: Any, here: Any, nothing: Any, full: Any) -> Any:
    """The value sets that fit: their union may stand in the cells, their intersection must."""
    changed, count = nothing, np.int64(words[at + 1])
    at += 3
    for _ in range(count):
        cells, sets, must_row = np.int64(words[at]), np.int64(words[at + 1]), np.int64(words[at + 2])
        at += 3
        union = may = nothing
        must = full
        for part in range(cells):
            union = either(union, load(memory, np.int64(words[at + part])))
        for number in range(sets):
            values = splat(masks[here + number])
            fits = if_equal(without(values, union), nothing, values, nothing)
            for part in range(cells):
                met = both(values, load(memory, np.int64(words[at + part])))
                fits = if_equal(met, nothing, nothing, fits)
            may = either(may, fits)
            must = both(must, if_equal(fits, nothing, full, fits))
        here += sets
        store(memory, must_row, must)
        for part in range(cells):
            changed = either(changed, _kept(memory, np.int64(words[at + part]), may))
        at += cells
    return at, here, changed


@njit(cache=True, boundscheck=False)
def constrain(memory: Any, words: Any, constants: Any, lanes: int) -> Any:
    """All constraints once; returns the mask of the lanes that it changed.

    `constants` are words of a lane: all values, 1, and the masks of the constraints.
    """
    full, one = splat(constants[0]), splat(constants[1])
    nothing = differ(one, one)
    masks = moved(constants, 2)
    at = here = 0
    changed = nothing
    while True:
        operation = words[at]
        if operation == AT_LEAST:
            at, lost = _at_least(memory, words, at, nothing)
        elif operation == AT_MOST:
            at, lost = _at_most(memory, words, at, nothing)
        elif operation == PAIRS:
            at, here, lost = _pairs(memory, words, at, masks, here, nothing, full)
        elif operation == BOXES:
            at, here, lost = _boxes(memory, words, at, lanes, masks, here, nothing, full)
        elif operation == SUMS:
            at, here, lost = _sums(memory, words, at, lanes, masks, here, nothing, one)
        elif operation == PARITIES:
            at, here, lost = _parities(memory, words, at, masks, here, nothing, one)
        elif operation == CAGES:
            at, here, lost = _cages(memory, words, at, masks, here, nothing, full)
        else:
            break
        changed = either(changed, lost)
    return nonzero_lanes(changed)
