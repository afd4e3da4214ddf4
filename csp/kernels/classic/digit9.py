"""What is known of one digit of a 9x9 grid from the cells where it may stand: the rules that both 9x9 kernels share.

The layout and its words: see `masks9.py`. Everything here takes and gives vectors held in registers, whatever
their lanes are: sixteen grids in the batch kernel (`rules9.py`), the nine digits of one grid in `single9.py`. Nothing
branches: the work is the same whatever the candidates are.

**The rules**, in their order:

1. Naked singles: a cell with one candidate left forces its minirow, and the rest of that minirow goes.
2. Triads: a cell of the grid has a digit, so a minirow has three. A minirow that only three digits can enter holds
   these three, which forces it for each of them. Likewise minicolumns. (Used by the solvers tdoku of T. Dillon, 2019,
   and jczsolve before it; hidden triples of a box line, which costs nothing once minirows are counted.)
3. Arrangements: in each band, only minirows survive that lie in one of the six arrangements still possible; likewise
   minicolumns in each stack. One formula does locked candidates and hidden singles of boxes, rows and columns: to
   compute with bands of a digit is the idea of the solvers fsss2 (dobrichev) and jczsolve (Zhou Yundong).
4. A row with one candidate has the digit *placed*: no other digit can stand in that cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.kernels.classic.masks9 import INNER, MIDDLE, OUTER, slots
from nonant.csp.kernels.simd.lanes import both, either, load, merged, shifted_down, shifted_up, splat, without
from nonant.csp.machine.jit import njit

_SLOT_0, _SLOT_1, _SLOT_2 = (np.uint32(slots(OUTER, at)) for at in range(3))


@njit(cache=True, inline="always")
def loaded_masks(memory: Any, offset: int, lanes: int) -> Any:
    """The masks of `masks9.mask_rows`, which stand in memory from `offset` on, a vector of so many lanes each."""
    return (
        load(memory, offset),
        load(memory, offset + lanes),
        load(memory, offset + 2 * lanes),
        load(memory, offset + 3 * lanes),
        load(memory, offset + 4 * lanes),
        load(memory, offset + 5 * lanes),
        load(memory, offset + 6 * lanes),
    )


# -- turning the slots of a square -------------------------------------------------------------------------------------


@njit(cache=True, forceinline=True)
def next_stack(masks: Any, x: Any) -> Any:
    """At each stack what the next one has, in a circle."""
    return merged(masks[0], shifted_down(x, MIDDLE), shifted_up(x, 2 * MIDDLE))


@njit(cache=True, forceinline=True)
def last_stack(masks: Any, x: Any) -> Any:
    """At each stack what the one before has, in a circle."""
    return merged(masks[1], shifted_down(x, 2 * MIDDLE), shifted_up(x, MIDDLE))


@njit(cache=True, forceinline=True)
def next_band(masks: Any, x: Any) -> Any:
    """At each band what the next one has, in a circle."""
    return merged(masks[2], shifted_down(x, INNER), shifted_up(x, 2 * INNER))


@njit(cache=True, forceinline=True)
def last_band(masks: Any, x: Any) -> Any:
    """At each band what the one before has, in a circle."""
    return merged(masks[3], shifted_down(x, 2 * INNER), shifted_up(x, INNER))


@njit(cache=True, forceinline=True)
def _next_outer(x: Any) -> Any:
    """At each outer slot what the next one has; what lies above the 27 bits is undefined."""
    return either(shifted_down(x, OUTER), shifted_up(x, 2 * OUTER))


@njit(cache=True, forceinline=True)
def _last_outer(x: Any) -> Any:
    return either(shifted_down(x, 2 * OUTER), shifted_up(x, OUTER))


@njit(cache=True, forceinline=True)
def arranged(square: Any, following: Any, previous: Any) -> Any:
    """The places of three squares that lie in even, and in odd, arrangements still possible.

    Args:
        square: the places.
        following, previous: the same turned by one within the outer slots, forwards and backwards.
    """
    even = both(both(square, _next_outer(following)), _last_outer(previous))
    odd = both(both(square, _next_outer(previous)), _last_outer(following))
    return even, odd


# -- minirows and minicolumns ------------------------------------------------------------------------------------------


@njit(cache=True, forceinline=True)
def gathered(masks: Any, a: Any, b: Any, c: Any) -> Any:
    """Which minicolumns three words can enter: the OR of the lines of each, put in the slot of its word."""
    # `first` has zeros above its 27 bits, and the first mask takes them.
    first = either(either(a, shifted_down(a, OUTER)), shifted_down(a, 2 * OUTER))
    second = either(either(b, shifted_down(b, OUTER)), shifted_up(b, OUTER))
    third = either(either(c, shifted_up(c, OUTER)), shifted_up(c, 2 * OUTER))
    return merged(masks[4], first, merged(masks[5], second, third))


@njit(cache=True, forceinline=True)
def spread(masks: Any, minicolumns: Any) -> Any:
    """The minicolumns of each word, in all its lines."""
    a, b = both(minicolumns, masks[6]), both(minicolumns, splat(_SLOT_1))
    c = shifted_down(minicolumns, 2 * OUTER)
    return (
        either(either(a, shifted_up(a, OUTER)), shifted_up(a, 2 * OUTER)),
        either(either(b, shifted_up(b, OUTER)), shifted_down(b, OUTER)),
        either(either(c, shifted_up(c, OUTER)), both(minicolumns, splat(_SLOT_2))),
    )


# -- the rules ---------------------------------------------------------------------------------------------------------


@njit(cache=True, forceinline=True)
def singles(a: Any, b: Any, c: Any, naked: Any) -> Any:
    """Naked singles: the candidates, and the minirows that hold such a cell.

    Args:
        a, b, c: the three words of the candidates.
        naked: three words, the cells with one candidate.
    """
    single_a, single_b, single_c = both(a, naked[0]), both(b, naked[1]), both(c, naked[2])
    # Two of them in a minirow take each other, and the row dies: else such a clash would be found at the leaves only.
    a = without(a, either(single_b, single_c))
    b = without(b, either(single_a, single_c))
    c = without(c, either(single_a, single_b))
    return a, b, c, either(either(single_a, single_b), single_c)


@njit(cache=True, forceinline=True)
def in_bands(masks: Any, a: Any, b: Any, c: Any, forced: Any, triads: Any) -> Any:
    """What bands leave: the candidates, and the even and the odd arrangements.

    Args:
        masks: from `loaded_masks`.
        forced: minirows that must hold the digit.
        triads: minirows that must hold it if it can enter them.
    """
    minirows = either(either(a, b), c)
    forced = either(both(minirows, triads), forced)
    minirows = without(without(minirows, next_stack(masks, forced)), last_stack(masks, forced))
    even, odd = arranged(minirows, next_stack(masks, minirows), last_stack(masks, minirows))
    minirows = either(even, odd)
    return both(a, minirows), both(b, minirows), both(c, minirows), even, odd


@njit(cache=True, forceinline=True)
def in_stacks(masks: Any, a: Any, b: Any, c: Any, triads: Any) -> Any:
    """What stacks leave: the candidates, the even and the odd arrangements."""
    minicolumns = gathered(masks, a, b, c)
    forced = both(minicolumns, triads)
    minicolumns = without(without(minicolumns, next_band(masks, forced)), last_band(masks, forced))
    even, odd = arranged(minicolumns, next_band(masks, minicolumns), last_band(masks, minicolumns))
    of_a, of_b, of_c = spread(masks, either(even, odd))
    return both(a, of_a), both(b, of_b), both(c, of_c), even, odd


@njit(cache=True, forceinline=True)
def places(masks: Any, a: Any, b: Any, c: Any) -> Any:
    """Three sets of minirows: where the digit is placed, those that it can enter, and the rows with a place for it."""
    # A row has one candidate: one minirow of it can be entered, by one word.
    minirows = either(either(a, b), c)
    several = either(both(a, b), both(c, either(a, b)))
    following, previous = next_stack(masks, minirows), last_stack(masks, minirows)
    placed = without(without(without(minirows, several), following), previous)
    return placed, minirows, either(either(minirows, following), previous)


@njit(cache=True, forceinline=True)
def named(even: Any, odd: Any) -> Any:
    """The arrangements possible, as names: one bit each, of the three that `arranged` gives."""
    slot = splat(_SLOT_0)
    return either(both(even, slot), shifted_up(both(odd, slot), OUTER))
