"""Is there a Sue de Coq, is there a 3D Medusa? The searches of their finders, up to whether anything goes."""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit

from nonant.csp.kernels.simd.bits import count_ones
from nonant.csp.model import Model
from nonant.strategies.board import Board
from nonant.strategies.kernels.graph import fits
from nonant.strategies.kernels.sets import alive, arrays_of
from nonant.strategies.layout import layout_of

MOST_WINGS = 1 << 12  # sets of one to four cells of a unit: 4,047 of 18


def may_be_medusa(board: Board) -> bool:
    """Whether a 3D Medusa removes anything on a board."""
    model, sets = board.model, arrays_of(board.model)
    left = alive(board.live, model.n_cells * model.n_values)
    free = alive(board.open, model.n_cells * model.n_values)
    return bool(_medusa(left, free, sets.members, sets.is_truth, sets.links_of))


def may_be_sue_de_coq(board: Board) -> bool:
    """Whether a Sue de Coq removes anything on a board."""
    model = board.model
    if not fits(model) or max(map(len, model.compiled.units), default=0) > 18:
        return True
    arrays = arrays_of(model)
    pairs = _pairs(model)
    if not len(pairs):
        return False
    live = alive(board.open, model.n_cells * model.n_values)
    return bool(_any(live, pairs, arrays.units, arrays.units_of, arrays.shape))


# Frozen arrays of frozen models, and bounded, since models may come from a stream of region maps.
@lru_cache(maxsize=16)
def _pairs(model: Model) -> Any:
    """The pairs of units that share two cells or more."""
    return np.array([(one, other) for one, other, _ in layout_of(model).meets if one < other], np.int32)


@njit(cache=True)
def _any(live: Any, pairs: Any, units: Any, units_of: Any, shape: Any) -> bool:
    n_cells, size = shape[0], shape[1]
    zero, one_bit = np.uint64(0), np.uint64(1)
    unit_starts, unit_cells = units
    of_starts, of_units = units_of
    masks, side_of = np.zeros(n_cells, np.uint64), np.zeros(n_cells, np.int32)
    for cell in range(n_cells):
        for value in range(size):
            if live[cell * size + value]:
                masks[cell] |= one_bit << np.uint64(value)
    rows = np.empty((3, 64), np.int32)  # the open cells of the intersection, of one alone, of the other alone
    n_rows = np.zeros(3, np.int64)
    wings = np.empty((3, MOST_WINGS), np.int64)  # sets of these, as bits of their rows
    values = np.empty((3, MOST_WINGS), np.uint64)
    n_wings = np.zeros(3, np.int64)
    taken = np.zeros(n_cells, np.uint8)
    for pair in range(len(pairs)):
        one, other = pairs[pair]
        n_rows[:] = 0
        n_wings[:] = 0
        for at in range(unit_starts[other], unit_starts[other + 1]):
            side_of[unit_cells[at]] = 1
        for at in range(unit_starts[one], unit_starts[one + 1]):
            cell = unit_cells[at]
            side = 0 if side_of[cell] else 1
            if masks[cell]:
                rows[side, n_rows[side]] = cell
                n_rows[side] += 1
            side_of[cell] = 2
        for at in range(unit_starts[other], unit_starts[other + 1]):
            cell = unit_cells[at]
            if side_of[cell] == 1 and masks[cell]:
                rows[2, n_rows[2]] = cell
                n_rows[2] += 1
        for unit in (one, other):
            for at in range(unit_starts[unit], unit_starts[unit + 1]):
                side_of[unit_cells[at]] = 0
        if n_rows[0] < 2 or n_rows[1] == 0 or n_rows[2] == 0:
            continue
        for side in range(3):
            for some in range(1, 1 << n_rows[side]):
                number = count_ones(np.uint64(some))
                if (side == 0 and number < 2) or (side > 0 and number > 4):
                    continue
                held = zero
                for row in range(n_rows[side]):
                    if some >> row & 1:
                        held |= masks[rows[side, row]]
                if side == 0 and count_ones(held) < number + 2:
                    continue
                wings[side, n_wings[side]], values[side, n_wings[side]] = some, held
                n_wings[side] += 1
        for middle in range(n_wings[0]):
            held = values[0, middle]
            spare = count_ones(held) - count_ones(np.uint64(wings[0, middle]))
            for wing in range(n_wings[1]):
                in_wing = values[1, wing]
                first = count_ones(np.uint64(wings[1, wing])) - count_ones(in_wing & ~held)
                if not in_wing & held or not 0 < first < spare:
                    continue
                for tail in range(n_wings[2]):
                    in_tail = values[2, tail]
                    both = count_ones(in_wing & in_tail & held)
                    second = count_ones(np.uint64(wings[2, tail])) - count_ones(in_tail & ~held)
                    if not in_tail & held or first + second - both != spare:
                        continue
                    # All links are full: does one of them, or another one with the same members, have more?
                    for side in range(3):
                        some = wings[side, middle if side == 0 else wing if side == 1 else tail]
                        for row in range(n_rows[side]):
                            taken[rows[side, row]] = some >> row & 1
                    # A value with a link in either unit goes from the cells in both: they hold it twice.
                    found = in_wing & in_tail & held != zero
                    for at in range(2):
                        links = in_wing if at == 0 else in_tail | held & ~in_wing
                        for value in range(size):
                            if not found and links >> np.uint64(value) & one_bit:
                                found = _more(
                                    live, taken, value, one if at == 0 else other, unit_starts, unit_cells, of_starts,
                                    of_units, size,
                                )  # fmt: skip
                    for side in range(3):
                        for row in range(n_rows[side]):
                            taken[rows[side, row]] = 0
                    if found:
                        return True
    return False


@njit(cache=True)
def _more(
    live: Any,
    taken: Any,
    value: int,
    unit: int,
    unit_starts: Any,
    unit_cells: Any,
    of_starts: Any,
    of_units: Any,
    size: int,
) -> bool:
    """Whether a value stands outside of the taken cells in a unit, or in another unit that holds its taken places."""
    number, some = 0, -1
    for at in range(unit_starts[unit], unit_starts[unit + 1]):
        cell = unit_cells[at]
        if live[cell * size + value]:
            if not taken[cell]:
                return True
            some = cell
            number += 1
    if number == 0:
        return False
    for at in range(of_starts[some], of_starts[some + 1]):
        third, inside, more = of_units[at], 0, False
        for k in range(unit_starts[third], unit_starts[third + 1]):
            cell = unit_cells[k]
            if live[cell * size + value]:
                if not taken[cell]:
                    more = True
                else:
                    for k2 in range(of_starts[cell], of_starts[cell + 1]):
                        inside += of_units[k2] == unit
        if more and inside == number:
            return True
    return False


@njit(cache=True)
def _medusa(live: Any, free: Any, members: Any, is_truth: Any, links_of: Any) -> bool:
    member_starts, member_items = members
    link_starts, link_items = links_of
    n_sets, n_candidates = len(is_truth), len(live)
    most = 0
    for candidate in range(n_candidates):
        most = max(most, link_starts[candidate + 1] - link_starts[candidate])
    near, n_near = np.empty((n_candidates, most), np.int32), np.zeros(n_candidates, np.int32)
    for truth in range(n_sets):
        if not is_truth[truth]:
            continue
        count, first, second = 0, -1, -1
        for at in range(member_starts[truth], member_starts[truth + 1]):
            if free[member_items[at]]:
                count += 1
                first, second = second, member_items[at]
        if count == 2:
            near[first, n_near[first]], near[second, n_near[second]] = second, first
            n_near[first] += 1
            n_near[second] += 1
    colour = np.zeros(n_candidates, np.int32)  # two numbers of its own for each component
    excluded, left = np.zeros((2, n_candidates), np.int32), np.zeros((2, n_sets), np.int32)
    whole, reset = np.zeros(n_sets, np.int32), np.zeros((2, n_sets), np.int32)
    for number in range(n_sets):
        for at in range(member_starts[number], member_starts[number + 1]):
            whole[number] += live[member_items[at]]
    queue, marked = np.empty(n_candidates, np.int32), np.empty(2 * n_candidates, np.int32)
    base = 1
    for start in range(n_candidates):
        if not n_near[start] or colour[start]:
            continue
        colour[start], queue[0], begun, end, n_marked = base, start, 0, 1, 0
        while begun < end:
            candidate = queue[begun]
            begun += 1
            side = colour[candidate] - base
            for at in range(n_near[candidate]):
                other = near[candidate, at]
                if not colour[other]:
                    colour[other] = base + 1 - side
                    queue[end] = other
                    end += 1
            for at in range(link_starts[candidate], link_starts[candidate + 1]):
                link = link_items[at]
                for k in range(member_starts[link], member_starts[link + 1]):
                    peer = member_items[k]
                    if peer == candidate or not live[peer] or excluded[side, peer] == base:
                        continue
                    excluded[side, peer] = base
                    marked[n_marked] = peer
                    n_marked += 1
                    for k2 in range(link_starts[peer], link_starts[peer + 1]):
                        truth = link_items[k2]
                        if reset[side, truth] != base:
                            reset[side, truth], left[side, truth] = base, whole[truth]
                        left[side, truth] -= 1
                        if left[side, truth] == 0 and is_truth[truth]:
                            return True  # the colour leaves a truth nothing
        for at in range(n_marked):
            candidate = marked[at]
            own = colour[candidate] - base
            if not free[candidate]:
                continue
            if own == 0 or own == 1:
                if excluded[own, candidate] == base:
                    return True  # the colour excludes itself
            elif excluded[0, candidate] == base and excluded[1, candidate] == base:
                return True
        base += 2
    return False
