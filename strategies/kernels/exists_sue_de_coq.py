"""Is there a Sue de Coq? The search of its finder, up to whether anything goes.

Two units cross in some open cells, the *middle*: n cells with n + s values, s > 1. Cells of the one unit alone (a
*wing*) and of the other alone (a *tail*) have to use up these s values between them: then cells and values are equally
many, each value is bound to one of the units, and goes from the rest of it.

Source: "Sue de Coq" in the players' forum (2005), under the title "two-sector disjoint subsets".
"""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from nonant.csp.kernels.simd.bits import count_ones
from nonant.csp.machine.jit import njit
from nonant.csp.model import Model
from nonant.strategies.board import Board
from nonant.strategies.kernels.graph import fits
from nonant.strategies.kernels.sets import Lists, alive, arrays_of
from nonant.strategies.layout import layout_of

MOST_PARTS = 1 << 12  # sets of one to four cells of a unit: 4,047 of 18
MOST_IN_WING = 4
MIDDLE, WING, TAIL = 0, 1, 2


class _Crossing(NamedTuple):
    """Two units that share cells, as three groups of open cells: MIDDLE, WING, TAIL.

    Attributes:
        rows: int32 (3, 64), the cells of each group; `n_rows` (3): how many.
        parts: int64 (3, MOST_PARTS), subsets of each group as bits of `rows`; `n_parts` (3): how many.
        values: uint64 (3, MOST_PARTS), the values that the cells of each subset have.
        taken: uint8, for each cell whether it is in the pattern in hand.
        side_of: int32, zero for each cell: scratch.
    """

    rows: Any
    n_rows: Any
    parts: Any
    n_parts: Any
    values: Any
    taken: Any
    side_of: Any


class _Grid(NamedTuple):
    """The board: one byte a candidate, the number of values, and which cells a unit has and which units a cell."""

    live: Any
    size: Any
    units: Lists
    units_of: Lists


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
    search: Any = _any
    return bool(search(_Grid(live, model.n_values, arrays.units, arrays.units_of), pairs))


# Frozen arrays of frozen models, and bounded, since models may come from a stream of region maps.
@lru_cache(maxsize=16)
def _pairs(model: Model) -> Any:
    """The pairs of units that share two cells or more."""
    return np.array([(one, other) for one, other, _ in layout_of(model).meets if one < other], np.int32)


@njit(cache=True)
def _any(grid: Any, pairs: Any) -> bool:
    n_cells, size = len(grid.units_of.starts) - 1, grid.size
    live, masks = grid.live, np.zeros(n_cells, np.uint64)
    for cell in range(n_cells):
        for value in range(size):
            if live[cell * size + value]:
                masks[cell] |= np.uint64(1) << np.uint64(value)
    crossing = _Crossing(
        np.empty((3, 64), np.int32),
        np.zeros(3, np.int64),
        np.empty((3, MOST_PARTS), np.int64),
        np.zeros(3, np.int64),
        np.empty((3, MOST_PARTS), np.uint64),
        np.zeros(n_cells, np.uint8),
        np.zeros(n_cells, np.int32),
    )
    n_rows = crossing.n_rows
    for pair in range(len(pairs)):
        one, other = pairs[pair]
        _share_cells_out(grid, masks, one, other, crossing)
        if n_rows[MIDDLE] < 2 or n_rows[WING] == 0 or n_rows[TAIL] == 0:
            continue
        _list_parts(masks, crossing)
        if _any_in(grid, one, other, crossing):
            return True
    return False


@njit(cache=True)
def _share_cells_out(grid: Any, masks: Any, one: int, other: int, crossing: Any) -> None:
    """The open cells of both units, of `one` alone, and of `other` alone."""
    starts, cells = grid.units
    rows, n_rows, side_of = crossing.rows, crossing.n_rows, crossing.side_of
    n_rows[:] = 0
    for at in range(starts[other], starts[other + 1]):
        side_of[cells[at]] = 1
    for at in range(starts[one], starts[one + 1]):
        cell = cells[at]
        side = MIDDLE if side_of[cell] else WING
        if masks[cell]:
            rows[side, n_rows[side]] = cell
            n_rows[side] += 1
        side_of[cell] = 2
    for at in range(starts[other], starts[other + 1]):
        cell = cells[at]
        if side_of[cell] == 1 and masks[cell]:
            rows[TAIL, n_rows[TAIL]] = cell
            n_rows[TAIL] += 1
    for unit in (one, other):
        for at in range(starts[unit], starts[unit + 1]):
            side_of[cells[at]] = 0


@njit(cache=True)
def _list_parts(masks: Any, crossing: Any) -> None:
    """The subsets of each group that can be in a pattern."""
    rows, n_rows, parts, n_parts, values = (
        crossing.rows, crossing.n_rows, crossing.parts, crossing.n_parts, crossing.values,
    )  # fmt: skip
    n_parts[:] = 0
    for side in range(3):
        for some in range(1, 1 << n_rows[side]):
            number = count_ones(np.uint64(some))
            # One cell in the middle is no crossing, and players do not look at longer wings.
            if (side == MIDDLE and number < 2) or (side != MIDDLE and number > MOST_IN_WING):
                continue
            held = np.uint64(0)
            for row in range(n_rows[side]):
                if some >> row & 1:
                    held |= masks[rows[side, row]]
            # With one value to spare the middle and one wing are a subset already.
            if side == MIDDLE and count_ones(held) < number + 2:
                continue
            parts[side, n_parts[side]], values[side, n_parts[side]] = some, held
            n_parts[side] += 1


@njit(cache=True)
def _any_in(grid: Any, one: int, other: int, crossing: Any) -> bool:
    """Whether some middle, wing and tail of a crossing have as many values as cells, and remove something."""
    parts, n_parts, values = crossing.parts, crossing.n_parts, crossing.values
    for middle in range(n_parts[MIDDLE]):
        held = values[MIDDLE, middle]
        spare = count_ones(held) - count_ones(np.uint64(parts[MIDDLE, middle]))
        for wing in range(n_parts[WING]):
            in_wing = values[WING, wing]
            # What a wing takes of the spare values: its cells, less those that its own other values need.
            first = count_ones(np.uint64(parts[WING, wing])) - count_ones(in_wing & ~held)
            # A wing that takes all of them is a subset with the middle, and needs no tail.
            if not in_wing & held or not 0 < first < spare:
                continue
            for tail in range(n_parts[TAIL]):
                in_tail = values[TAIL, tail]
                # A value in wing and tail needs a link in either unit: that is one link more.
                both = count_ones(in_wing & in_tail & held)
                second = count_ones(np.uint64(parts[TAIL, tail])) - count_ones(in_tail & ~held)
                if not in_tail & held or first + second - both != spare:
                    continue
                if _removes(grid, one, other, crossing, middle, wing, tail):
                    return True
    return False


@njit(cache=True)
def _removes(grid: Any, one: int, other: int, crossing: Any, middle: int, wing: int, tail: int) -> bool:
    """All links of a pattern are full: does one of them, or another one with the same members, have more?"""
    rows, n_rows, parts, taken = crossing.rows, crossing.n_rows, crossing.parts, crossing.taken
    for side in range(3):
        some = parts[side, middle if side == MIDDLE else wing if side == WING else tail]
        for row in range(n_rows[side]):
            taken[rows[side, row]] = some >> row & 1
    held, in_wing, in_tail = crossing.values[MIDDLE, middle], crossing.values[WING, wing], crossing.values[TAIL, tail]
    # A value with a link in either unit goes from the cells in both: they hold it twice.
    found = in_wing & in_tail & held != np.uint64(0)
    for way in range(2):
        # The middle's values that the wing has not are bound to the other unit.
        links = in_wing if way == 0 else in_tail | held & ~in_wing
        for value in range(grid.size):
            if not found and links >> np.uint64(value) & np.uint64(1):
                found = _has_more(grid, taken, value, one if way == 0 else other)
    for side in range(3):
        for row in range(n_rows[side]):
            taken[rows[side, row]] = 0
    return bool(found)


@njit(cache=True)
def _has_more(grid: Any, taken: Any, value: int, unit: int) -> bool:
    """Whether a value stands outside of the taken cells in a unit, or in another unit that holds its taken cells."""
    starts, cells = grid.units
    of_starts, of_units = grid.units_of
    live, size = grid.live, grid.size
    number, some = 0, -1
    for at in range(starts[unit], starts[unit + 1]):
        cell = cells[at]
        if live[cell * size + value]:
            if not taken[cell]:
                return True
            some = cell
            number += 1
    if number == 0:
        return False
    for at in range(of_starts[some], of_starts[some + 1]):
        third, inside, more = of_units[at], 0, False
        for k in range(starts[third], starts[third + 1]):
            cell = cells[k]
            if not live[cell * size + value]:
                continue
            if not taken[cell]:
                more = True
                continue
            for k2 in range(of_starts[cell], of_starts[cell + 1]):
                inside += of_units[k2] == unit
        if more and inside == number:
            return True
    return False
