"""Propagation for 9x9, sixteen boards at once: the board's rows in memory, and one pass of the rules over them.

The layout and its words: see `masks9.py`. Everything here acts on vectors of sixteen lanes of 32 bits, a puzzle
a lane, and has no branch: a pass does the same work whatever the boards are.

A pass applies the rules of `digit9.py` digit by digit; each uses what the digits before it have found. A cell in which
a digit is placed is taken from the digits that follow, and in the next pass from those before.

A board is dead when a cell has no candidate, a row has no place for a digit, or a minirow or minicolumn cannot get
three digits. A board on which no cell has two candidates, and a pass changes nothing, is solved: each row, column and
box has a place for each digit (else rule 3 had emptied something), nine cells and nine digits, hence each once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.kernels.classic.digit9 import in_bands, in_stacks, loaded_masks, named, places, singles
from nonant.csp.kernels.classic.lockstep9_memory import (
    BAND_EVEN,
    BAND_ODD,
    BIVALUE,
    CANDIDATES,
    CHOICE,
    COLUMN_TRIADS,
    LANES,
    MASKS,
    OPEN,
    PLACED,
    ROW_TRIADS,
    STACK_EVEN,
    STACK_ODD,
    TAKEN,
)
from nonant.csp.kernels.classic.masks9 import ALL, names_of
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

_ALL = np.uint32(ALL)
_NAMES = tuple(np.uint32(names_of(stacks, number)) for stacks in (False, True) for number in range(3))
_NAMES_0, _NAMES_1, _NAMES_2, _NAMES_3, _NAMES_4, _NAMES_5 = _NAMES
_NOTHING, _TWO, _SEVEN = np.uint32(0), np.uint32(2), np.uint32(7)

# How a choice is packed: the names of the two arrangements (18 bits), the digit, and whether it is a stack.
DIGIT_SHIFT, STACKS_SHIFT = 18, 22
_STACKS = np.uint32(1 << STACKS_SHIFT)
_SOLVED_COUNT = np.uint32(10)
_FIRST_STACK = np.uint32(3)


# -- one pass ----------------------------------------------------------------------------------------------------------


@njit(cache=True, forceinline=True)
def _cells(board: Any, word: int) -> Any:
    """Take placed cells from the other digits, and count the candidates of 27 cells; returns (single, empty, open)."""
    word *= LANES
    once = twice = thrice = splat(_NOTHING)
    taken = load(board, TAKEN + word)
    for digit in range(9):
        at = digit * 3 * LANES + word
        x = without(load(board, CANDIDATES + at), without(taken, load(board, PLACED + at)))
        store(board, CANDIDATES + at, x)
        thrice = either(thrice, both(twice, x))
        twice = either(twice, both(once, x))
        once = either(once, x)
    store(board, BIVALUE + word, without(twice, thrice))
    store(board, OPEN + word, twice)
    return without(once, twice), differ(once, splat(_ALL)), twice


@njit(cache=True, forceinline=True)
def _digit(
    board: Any,
    digit: int,
    masks: Any,
    naked: Any,
    row_triads: Any,
    column_triads: Any,
    taken_a: Any,
    taken_b: Any,
    taken_c: Any,
) -> Any:
    """The rules for one digit; returns what the pass gathers over all digits."""
    at = digit * 3 * LANES
    old_a = load(board, CANDIDATES + at)
    old_b = load(board, CANDIDATES + at + LANES)
    old_c = load(board, CANDIDATES + at + 2 * LANES)
    a, b, c = without(old_a, taken_a), without(old_b, taken_b), without(old_c, taken_c)
    a, b, c, forced = singles(a, b, c, naked)
    a, b, c, even, odd = in_bands(masks, a, b, c, forced, row_triads)
    store(board, BAND_EVEN + digit * LANES, even)
    store(board, BAND_ODD + digit * LANES, odd)
    a, b, c, even, odd = in_stacks(masks, a, b, c, column_triads)
    store(board, STACK_EVEN + digit * LANES, even)
    store(board, STACK_ODD + digit * LANES, odd)
    placed, minirows, present = places(masks, a, b, c)
    placed_a, placed_b, placed_c = both(a, placed), both(b, placed), both(c, placed)
    store(board, CANDIDATES + at, a)
    store(board, CANDIDATES + at + LANES, b)
    store(board, CANDIDATES + at + 2 * LANES, c)
    store(board, PLACED + at, placed_a)
    store(board, PLACED + at + LANES, placed_b)
    store(board, PLACED + at + 2 * LANES, placed_c)
    changed = either(either(differ(a, old_a), differ(b, old_b)), differ(c, old_c))
    return minirows, either(even, odd), present, changed, placed_a, placed_b, placed_c


@njit(cache=True, boundscheck=False)
def propagate(board: Any) -> Any:
    """One pass over all lanes; returns four masks of lanes: dead, changed, with an open cell, with a cell newly placed.

    "Changed" leaves out what the next pass will take from the newly placed cells: a lane is at its fixpoint when it is
    neither changed nor has a newly placed cell.
    """
    nothing, every = splat(_NOTHING), splat(_ALL)
    masks = loaded_masks(board, MASKS, LANES)
    single_a, empty_a, open_a = _cells(board, 0)
    single_b, empty_b, open_b = _cells(board, 1)
    single_c, empty_c, open_c = _cells(board, 2)
    dead = either(either(empty_a, empty_b), empty_c)
    is_open = nonzero_lanes(either(either(open_a, open_b), open_c))

    row_triads, column_triads = load(board, ROW_TRIADS), load(board, COLUMN_TRIADS)
    taken_a = taken_b = taken_c = changed = nothing
    rows_1 = rows_2 = rows_3 = rows_4 = nothing  # minirows that at least so many digits can enter
    columns_1 = columns_2 = columns_3 = columns_4 = nothing
    filled = every
    for digit in range(9):
        minirows, minicolumns, present, change, placed_a, placed_b, placed_c = _digit(
            board, digit, masks, (single_a, single_b, single_c), row_triads, column_triads, taken_a, taken_b, taken_c
        )
        rows_4 = either(rows_4, both(rows_3, minirows))
        rows_3 = either(rows_3, both(rows_2, minirows))
        rows_2 = either(rows_2, both(rows_1, minirows))
        rows_1 = either(rows_1, minirows)
        columns_4 = either(columns_4, both(columns_3, minicolumns))
        columns_3 = either(columns_3, both(columns_2, minicolumns))
        columns_2 = either(columns_2, both(columns_1, minicolumns))
        columns_1 = either(columns_1, minicolumns)
        filled = both(filled, present)
        changed = either(changed, change)
        taken_a, taken_b, taken_c = either(taken_a, placed_a), either(taken_b, placed_b), either(taken_c, placed_c)

    dead = either(dead, differ(both(both(filled, rows_3), columns_3), every))
    new_row_triads, new_column_triads = without(rows_3, rows_4), without(columns_3, columns_4)
    changed = either(changed, either(without(new_row_triads, row_triads), without(new_column_triads, column_triads)))
    store(board, ROW_TRIADS, new_row_triads)
    store(board, COLUMN_TRIADS, new_column_triads)
    new_a = without(taken_a, load(board, TAKEN))
    new_b = without(taken_b, load(board, TAKEN + LANES))
    new_c = without(taken_c, load(board, TAKEN + 2 * LANES))
    store(board, TAKEN, taken_a)
    store(board, TAKEN + LANES, taken_b)
    store(board, TAKEN + 2 * LANES, taken_c)
    return nonzero_lanes(dead), nonzero_lanes(changed), is_open, nonzero_lanes(either(either(new_a, new_b), new_c))


# -- what to branch on -------------------------------------------------------------------------------------------------


@njit(cache=True, forceinline=True)
def _named(board: Any, even: int, odd: int) -> Any:
    """The arrangements possible, as names."""
    return named(load(board, even), load(board, odd))


@njit(cache=True, forceinline=True)
def _more(count: Any, names: Any, of: Any) -> Any:
    return plus(count, popcounts(both(names, splat(of))))


@njit(cache=True, forceinline=True)
def _better(best: Any, mask: Any, count: Any, number: Any, of: Any) -> Any:
    """Keep the smallest key; a solved band has nine arrangements, one a digit, and wraps to the largest keys."""
    key = either(shifted_up(minus(count, splat(_SOLVED_COUNT)), 3), splat(number))
    return smaller(best, key), if_less(key, best, splat(of), mask)


@njit(cache=True, boundscheck=False)
def choose(board: Any) -> None:
    """Choose for every lane: a digit that has exactly two arrangements in the band or stack with the fewest in all.

    Writes the row CHOICE: the two names, the digit and whether it is a stack, packed; 0 where there is none.
    """
    nothing = splat(_NOTHING)
    count_0 = count_1 = count_2 = count_3 = count_4 = count_5 = nothing
    for digit in range(9):
        names = _named(board, BAND_EVEN + digit * LANES, BAND_ODD + digit * LANES)
        count_0, count_1 = _more(count_0, names, _NAMES_0), _more(count_1, names, _NAMES_1)
        count_2 = _more(count_2, names, _NAMES_2)
        names = _named(board, STACK_EVEN + digit * LANES, STACK_ODD + digit * LANES)
        count_3, count_4 = _more(count_3, names, _NAMES_3), _more(count_4, names, _NAMES_4)
        count_5 = _more(count_5, names, _NAMES_5)
    best, mask = splat(np.uint32(0xFFFFFFFF)), nothing
    best, mask = _better(best, mask, count_0, np.uint32(0), _NAMES_0)
    best, mask = _better(best, mask, count_1, np.uint32(1), _NAMES_1)
    best, mask = _better(best, mask, count_2, np.uint32(2), _NAMES_2)
    best, mask = _better(best, mask, count_3, np.uint32(3), _NAMES_3)
    best, mask = _better(best, mask, count_4, np.uint32(4), _NAMES_4)
    best, mask = _better(best, mask, count_5, np.uint32(5), _NAMES_5)
    number = both(best, splat(_SEVEN))
    stacks = if_less(number, splat(_FIRST_STACK), nothing, splat(_STACKS))
    choice = nothing
    for back in range(9):
        digit = 8 - back
        bands = _named(board, BAND_EVEN + digit * LANES, BAND_ODD + digit * LANES)
        names = _named(board, STACK_EVEN + digit * LANES, STACK_ODD + digit * LANES)
        names = both(if_equal(stacks, nothing, bands, names), mask)
        packed = either(either(names, stacks), splat(np.uint32(digit << DIGIT_SHIFT)))
        choice = if_equal(popcounts(names), splat(_TWO), packed, choice)
    store(board, CHOICE, choice)
