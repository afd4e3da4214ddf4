"""The 9x9 kernel for one grid at a time: the nine digits in the lanes of vectors that stay in registers.

`lockstep9.py` needs sixteen puzzles to be fast. Here one grid fills the vectors: lane by lane the rules of `digit9.py`
act on the nine digits, so a pass is the rules for one digit, 95 operations, and then what the digits tell each other.
(That one grid is worth a vector was shown by tdoku, T. Dillon, 2019, whose lanes are boxes, not digits.)

**The lanes.** Nine is three times three: digit d stands in lane 4 * (d // 3) + d % 3, a *quarter* of 128 bits for
three digits. What is to be known of each cell, over all digits, is whether it has a candidate (`once`), a second one
(`twice`), and whether digits are placed in it (`odd`: an odd number of them). Three words of three digits are first
transposed within the quarters: lane w of T0, T1, T2 then has word w of the first, second, third digit of the quarter.
From there three words at a time go the same way: three numbers a cell, one operation each for "some", "two or more" and
"an odd number", then three quarters likewise. That is 12 shuffles for all 81 cells, where folding sixteen lanes in
halves takes 24 and waits for each.

The lanes that hold no digit (3, 7, 11, and the fourth quarter) are zero and stay so under all rules. What a folding
leaves there means nothing; it falls out where a question is asked of the lanes of digits only.

**Placed cells** are taken from other digits at the start of the next pass: x & ~(odd ^ placed). So one folding serves
both questions, and nothing waits for a second. Counting candidates before the placed cells are taken is no loss: a
cell that is taken is settled anyway. Where two digits are placed in one cell each takes the other's, both rows
die, and the grid is found dead. Where three are, all three stay: but then their row has an empty cell.

**When is a grid solved?** When a pass has changed nothing and placed nothing new, no cell is empty or open, and every
row has a place for each digit: see above `rules9.py`. The triads of minirows are left out: counting to four over the
digits costs more here than it saves (measured on the prototype).

**Branching** is that of `lockstep9.py`: a digit with two arrangements in the barest band or stack, as soon as a pass
has placed nothing new. Open boards wait on a stack in memory, so that a search can stop at any branching and be
taken up again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.kernels.classic.digit9 import in_bands, in_stacks, loaded_masks, named, places, singles
from nonant.csp.kernels.classic.masks9 import ALL, NAMES, names_of
from nonant.csp.kernels.classic.single9_memory import (
    ARRANGEMENTS_AT,
    BOARD_WORDS,
    CELLS,
    EXHAUSTED,
    FOUND,
    LANES,
    MASKS,
    NAMES_AT,
    NEXT,
    NODES,
    PASSES,
    PLACED,
    QUARTER,
    ROOM,
    SCRATCH,
    SPENT,
    WAITING,
    Space,
    lane_of,
)
from nonant.csp.kernels.simd.bits import lowest_place, moved, pointer_to
from nonant.csp.kernels.simd.lanes import (
    both,
    chosen,
    differ,
    either,
    first_lane,
    if_equal,
    load,
    nonzero_lanes,
    plus,
    popcounts,
    shifted_down,
    shifted_up,
    shuffler,
    splat,
    store,
    without,
)
from nonant.csp.kernels.text.job import BAD, Job
from nonant.csp.kernels.text.pointers import pointers_of
from nonant.csp.kernels.text.text9 import read_puzzle, write_solution
from nonant.csp.machine.jit import njit

CHUNK = 10_000  # branchings between two looks at `stop`
DIGIT_LANES = sum(1 << lane_of(digit) for digit in range(9))


def _within(*order: int) -> Any:
    """A shuffle that does the same in each quarter: lanes 0-3 of the first vector, 4-7 of the second."""
    return shuffler([QUARTER * at + k % QUARTER + LANES * (k // QUARTER) for at in range(4) for k in order])


def _turned(by: int) -> Any:
    """A shuffle that puts quarter q + by (in a circle of three) into quarter q; the fourth stays."""
    quarters = [*((at + by) % 3 for at in range(3)), 3]
    return shuffler([QUARTER * at + k for at in quarters for k in range(QUARTER)])


_firsts, _lasts = _within(0, 4, 1, 5), _within(2, 6, 2, 6)  # of words a and b: digits 0 and 1; digit 2
_with_first, _with_second, _with_third = _within(0, 1, 4, 4), _within(2, 3, 5, 5), _within(0, 1, 6, 6)
_spread_a, _spread_b, _spread_c = (_within(k, k, k, k) for k in range(3))
_rotated, _rotated_back = _within(1, 2, 0, 3), _within(2, 0, 1, 3)
_next_quarter, _last_quarter = _turned(1), _turned(2)

_ALL, _ZERO, _ONE, _TWO = np.uint32(ALL), np.uint32(0), np.uint32(1), np.uint32(2)
_DIGIT_LANES, _SECOND_LANES = np.uint64(DIGIT_LANES), np.uint64(sum(1 << QUARTER * at + 1 for at in range(4)))
_NO_LANE, _ONE_LANE, _EVERY_LANE = np.uint64(0), np.uint64(1), np.uint64((1 << LANES) - 1)
_NAMES = tuple(np.uint32(names_of(stacks, number)) for stacks in (False, True) for number in range(3))
_NAMES_0, _NAMES_1, _NAMES_2, _NAMES_3, _NAMES_4, _NAMES_5 = _NAMES
# A field of a packed count: so many bits say in how many ways all digits can be arranged in a band (54 at most), those
# above how many digits have just two.
_SUM, _FIELD = 6, 10
_FIELD_BITS, _SUM_BITS, _SUM_SIZE = np.uint32((1 << _FIELD) - 1), np.uint32((1 << _SUM) - 1), np.uint32(1 << _SUM)
_FIELD_ONES = np.uint32(sum(1 << _FIELD * at for at in range(3)))
_NUMBER_BITS = 3  # for which of the six bands and stacks it is


# -- over all digits ---------------------------------------------------------------------------------------------------


@njit(cache=True, forceinline=True)
def transposed(a: Any, b: Any, c: Any) -> Any:
    """Three vectors whose lanes 0, 1, 2 of a quarter are the three words of its first, second, third digit."""
    pairs, last = _firsts(a, b), _lasts(a, b)
    return _with_first(pairs, c), _with_second(pairs, c), _with_third(last, c)


@njit(cache=True, forceinline=True)
def _some(a: Any, b: Any, c: Any) -> Any:
    return either(either(a, b), c)


@njit(cache=True, forceinline=True)
def _odd(a: Any, b: Any, c: Any) -> Any:
    return differ(differ(a, b), c)


@njit(cache=True, forceinline=True)
def _several(a: Any, b: Any, c: Any) -> Any:
    return either(both(a, b), both(c, either(a, b)))


@njit(cache=True, forceinline=True)
def folded(a: Any, b: Any, c: Any, placed: Any) -> Any:
    """What 81 cells have, over all digits: lane w of the first three quarters says it of word w.

    Args:
        a, b, c: the candidates.
        placed: the minirows in which each digit is placed.

    Returns:
        The cells with one candidate or more; with two or more; with an odd number of placed digits.
    """
    x, y, z = transposed(a, b, c)
    once, twice = _some(x, y, z), _several(x, y, z)
    odd = _odd(
        both(x, _spread_a(placed, placed)), both(y, _spread_b(placed, placed)), both(z, _spread_c(placed, placed))
    )
    next_once, last_once = _next_quarter(once, once), _last_quarter(once, once)
    twice = _some(twice, _next_quarter(twice, twice), _last_quarter(twice, twice))
    twice = either(twice, _several(once, next_once, last_once))
    return _some(once, next_once, last_once), twice, _odd(odd, _next_quarter(odd, odd), _last_quarter(odd, odd))


@njit(cache=True, forceinline=True)
def clashing(a: Any, b: Any, c: Any, placed: Any) -> Any:
    """The cells in which several digits are placed, each in one quarter or more, in the lanes of `folded`."""
    x, y, z = transposed(both(a, placed), both(b, placed), both(c, placed))
    once = _some(x, y, z)
    several = either(_several(x, y, z), _several(once, _next_quarter(once, once), _last_quarter(once, once)))
    return both(several, _digits())


@njit(cache=True, forceinline=True)
def _digits() -> Any:
    """All cells in the lanes of digits, none in the others."""
    return chosen(_DIGIT_LANES, splat(_ALL), splat(_ZERO))


@njit(cache=True, forceinline=True)
def spread(x: Any) -> Any:
    """The three words of a vector like those of `folded`, each in every lane."""
    return _spread_a(x, x), _spread_b(x, x), _spread_c(x, x)


@njit(cache=True, forceinline=True)
def added(bands: Any, stacks: Any) -> Any:
    """The sum of the digits' lanes of each of two vectors."""
    bands = plus(plus(bands, _rotated(bands, bands)), _rotated_back(bands, bands))
    stacks = plus(plus(stacks, _rotated(stacks, stacks)), _rotated_back(stacks, stacks))
    x = chosen(_SECOND_LANES, stacks, bands)
    x = plus(plus(x, _next_quarter(x, x)), _last_quarter(x, x))
    return first_lane(x), first_lane(_spread_b(x, x))


# -- one pass ----------------------------------------------------------------------------------------------------------


@njit(cache=True, forceinline=True)
def propagate(masks: Any, a: Any, b: Any, c: Any, placed: Any) -> Any:
    """One pass.

    Args:
        masks: from `digit9.loaded_masks`.
        a, b, c: the candidates.
        placed: the minirows in which each digit was placed by the pass before.

    Returns:
        The candidates and the placed after it; the open cells (in the lanes of `folded`) before it; the even and odd
        arrangements of bands and stacks; and three masks of lanes, which are zero unless the grid is dead, a candidate
        went, a digit is newly placed somewhere.
    """
    nothing = splat(_ZERO)
    digits = _digits()
    once, twice, odd = folded(a, b, c, placed)
    is_open = without(both(digits, twice), odd)
    naked, taken = spread(without(once, twice)), spread(odd)
    x = without(a, differ(taken[0], placed))
    y = without(b, differ(taken[1], placed))
    z = without(c, differ(taken[2], placed))
    x, y, z, forced = singles(x, y, z, naked)
    x, y, z, band_even, band_odd = in_bands(masks, x, y, z, forced, nothing)
    x, y, z, stack_even, stack_odd = in_stacks(masks, x, y, z, nothing)
    now, _, present = places(masks, x, y, z)
    dead = nonzero_lanes(without(digits, both(present, once)))
    changed = nonzero_lanes(either(either(differ(x, a), differ(y, b)), differ(z, c)))
    new = nonzero_lanes(without(now, placed))
    return x, y, z, now, is_open, (band_even, band_odd), (stack_even, stack_odd), dead, changed, new


# -- branching ---------------------------------------------------------------------------------------------------------


@njit(cache=True, forceinline=True)
def _ways(names: Any, first: Any, second: Any, third: Any) -> Any:
    """How many arrangements each digit has in three bands, and whether it has two: a field each."""
    ways = either(
        popcounts(both(names, splat(first))),
        either(
            shifted_up(popcounts(both(names, splat(second))), _FIELD),
            shifted_up(popcounts(both(names, splat(third))), 2 * _FIELD),
        ),
    )
    # A number from 0 to 6 is two when its second bit stands alone.
    two = both(without(shifted_down(ways, 1), either(ways, shifted_down(ways, 2))), splat(_FIELD_ONES))
    return either(ways, shifted_up(two, _SUM))


@njit(cache=True, forceinline=True)
def _barest(bands: Any, stacks: Any) -> int:
    """Which of three bands (0-2) and three stacks (3-5), from their packed sums, has the fewest arrangements.

    Only those count in which a digit has two; if there is none, any comes out.
    """
    best = np.uint32(0xFFFFFFFF)
    for number in range(6):
        field = ((bands if number < 3 else stacks) >> np.uint32(_FIELD * (number % 3))) & _FIELD_BITS
        none = np.uint32(np.uint32(field - _SUM_SIZE) >> np.uint32(31))  # the sign, below zero where no digit has two
        key = (none << np.uint32(31)) | ((field & _SUM_BITS) << np.uint32(_NUMBER_BITS)) | np.uint32(number)
        best = min(best, np.uint32(key))
    return int(best & np.uint32((1 << _NUMBER_BITS) - 1))


@njit(cache=True, forceinline=True)
def _choose(stack: Any, bands: Any, stacks: Any) -> Any:
    """A digit with two arrangements in the barest band or stack: (mask of its lane or 0, offset of one, of the other).

    The offsets are those of arrangements on the stack.
    """
    of_bands, of_stacks = named(bands[0], bands[1]), named(stacks[0], stacks[1])
    totals = added(
        _ways(of_bands, _NAMES_0, _NAMES_1, _NAMES_2),
        _ways(of_stacks, _NAMES_3, _NAMES_4, _NAMES_5),
    )
    number = _barest(totals[0], totals[1])
    upright = number >= 3
    some = chosen(_EVERY_LANE if upright else _NO_LANE, of_stacks, of_bands)
    some = both(some, splat(stack[NAMES_AT + number]))
    lanes = nonzero_lanes(if_equal(popcounts(some), splat(_TWO), splat(_ONE), splat(_ZERO)))
    lane = lowest_place(lanes | (_ONE_LANE << np.uint64(LANES - 1)))
    store(stack, SCRATCH, some)
    names = np.uint64(stack[SCRATCH + lane])
    first = NAMES if upright else 0
    one = ARRANGEMENTS_AT + 3 * (first + lowest_place(names))
    other = ARRANGEMENTS_AT + 3 * (first + lowest_place(names & (names - _ONE_LANE)))
    return lanes & (~lanes + _ONE_LANE), one, other


@njit(cache=True, forceinline=True)
def _restricted(lane: Any, x: Any, mask: Any) -> Any:
    """The vector with one lane restricted to a mask."""
    return chosen(lane, both(x, splat(mask)), x)


@njit(cache=True, inline="always")
def _arranged(stack: Any, lane: Any, at: int, a: Any, b: Any, c: Any) -> Any:
    """The candidates with one digit restricted to the arrangement that stands at an offset of the stack."""
    return _restricted(lane, a, stack[at]), _restricted(lane, b, stack[at + 1]), _restricted(lane, c, stack[at + 2])


@njit(cache=True, forceinline=True)
def _save(stack: Any, board: int, a: Any, b: Any, c: Any, placed: Any) -> None:
    at = board * BOARD_WORDS
    store(stack, at, a)
    store(stack, at + LANES, b)
    store(stack, at + 2 * LANES, c)
    store(stack, at + PLACED, placed)


@njit(cache=True, inline="always")
def _write_board(stack: Any, board: int, solution: Any) -> None:
    """A solved board of the stack as 81 numbers from 1 to 9."""
    write_solution(moved(stack, board * BOARD_WORDS), QUARTER, 1, LANES, solution, 0)


@njit(cache=True, inline="always")
def _branch_on_digit(
    stack: Any, board: int, a: Any, b: Any, c: Any, placed: Any, lane: Any, one: int, other: int
) -> Any:
    """What `_choose` found: one arrangement of the digit on the stack, the other here."""
    x, y, z = _arranged(stack, lane, one, a, b, c)
    _save(stack, board, x, y, z, placed)
    return _arranged(stack, lane, other, a, b, c)


@njit(cache=True, forceinline=True)
def _branch_on_cell(stack: Any, board: int, a: Any, b: Any, c: Any, placed: Any, is_open: Any) -> Any:
    """The first open cell: its lowest digit here, the others on the stack."""
    word = lowest_place(nonzero_lanes(is_open))
    store(stack, SCRATCH, is_open)
    cells = stack[SCRATCH + word]
    cell = splat(np.uint32(cells & (~cells + _ONE)))
    x = a if word == 0 else (b if word == 1 else c)
    lanes = nonzero_lanes(both(x, cell))
    lowest = lanes & (~lanes + _ONE_LANE)
    here, there = chosen(lowest, x, without(x, cell)), chosen(lowest, without(x, cell), x)
    if word == 0:
        _save(stack, board, there, b, c, placed)
        a = here
    elif word == 1:
        _save(stack, board, a, there, c, placed)
        b = here
    else:
        _save(stack, board, a, b, there, placed)
        c = here
    return a, b, c


@njit(cache=True, boundscheck=False)
def explore(stack: Any, work: Any, nodes: int, most: int, solutions: Any, keep: int) -> int:
    """Go on with the boards that wait.

    Args:
        stack: from `single9_memory.workspace`.
        work: see `single9_memory.py`.
        nodes: branch at most so often.
        most: stop after so many solutions.
        solutions: 81 bytes a solution; the first `keep` are written there, as numbers 1 to 9.

    Returns:
        EXHAUSTED when no board waits any more, SPENT when it has branched `nodes` times, ROOM when it has found `most`.
    """
    masks = loaded_masks(stack, MASKS, LANES)
    waiting = work[WAITING]
    found = branchings = passes = 0
    why = EXHAUSTED
    while waiting > 0 and why == EXHAUSTED:
        waiting -= 1
        at = waiting * BOARD_WORDS
        a, b, c = load(stack, at), load(stack, at + LANES), load(stack, at + 2 * LANES)
        placed = load(stack, at + PLACED)
        while True:
            x, y, z, placed, is_open, bands, stacks, dead, changed, new = propagate(masks, a, b, c, placed)
            passes += 1
            if dead:
                break
            a, b, c = x, y, z
            if new:
                continue
            if not nonzero_lanes(is_open):
                if changed:
                    continue
                _save(stack, waiting, a, b, c, placed)
                if found < keep:
                    _write_board(stack, waiting, moved(solutions, found * CELLS))
                found += 1
                if found == most:
                    why = ROOM
                break
            if nonzero_lanes(clashing(a, b, c, placed)):
                break
            branchings += 1
            lane, one, other = _choose(stack, bands, stacks)
            if lane != _NO_LANE:
                a, b, c = _branch_on_digit(stack, waiting, a, b, c, placed, lane, one, other)
            else:
                a, b, c = _branch_on_cell(stack, waiting, a, b, c, placed, is_open)
            waiting += 1
            if branchings == nodes:
                _save(stack, waiting, a, b, c, placed)
                waiting += 1
                why = SPENT
                break
    work[WAITING] = waiting
    work[NODES] += branchings
    work[FOUND] += found
    work[PASSES] += passes
    return why


# -- from outside ------------------------------------------------------------------------------------------------------


@njit(cache=True, forceinline=True)
def _begin(stack: Any, work: Any) -> None:
    """Take the candidates of the next puzzle as the whole question."""
    for at in range(0, PLACED, LANES):
        store(stack, at, load(stack, NEXT + at))
    store(stack, PLACED, splat(_ZERO))
    work[WAITING], work[NODES], work[FOUND], work[PASSES] = 1, 0, 0, 0


@njit(cache=True, forceinline=True)
def _read(stack: Any, lines: Any, number: int) -> bool:
    """Read a puzzle as the next one; false if there is none, or the line is no puzzle."""
    if number >= lines.end or lines.starts[number] < 0:
        return False
    return bool(read_puzzle(moved(stack, NEXT), QUARTER, 1, LANES, lines.text, lines.starts[number]))


@njit(cache=True, boundscheck=False, nogil=True)
def count_lines(job: Job, space: Space, totals: Any) -> None:
    """Count the solutions of the puzzles of a job; `totals` (int64): branchings and passes, added to."""
    lines, writing = pointers_of(job), job.solutions.shape[0] > 0
    stack, work = pointer_to(space.stack), pointer_to(space.work)
    good = _read(stack, lines, lines.begin)
    for number in range(lines.begin, lines.end):
        if lines.stop[0]:
            break
        if not good:
            lines.counts[number] = BAD
            good = _read(stack, lines, number + 1)
            continue
        _begin(stack, work)
        # While this one is solved, which is a chain of operations that wait for each other, the next one is read.
        good = _read(stack, lines, number + 1)
        why = SPENT
        while why == SPENT and lines.stop[0] == 0:
            keep = 1 if writing and work[FOUND] == 0 else 0
            left = lines.limit - work[FOUND]
            why = explore(stack, work, CHUNK, left, moved(lines.solutions, number * CELLS), keep)
        lines.counts[number] = work[FOUND]
        totals[0] += work[NODES]
        totals[1] += work[PASSES]


@njit(cache=True, boundscheck=False, nogil=True)
def begin(stack_: Any, work_: Any, domains_: Any, layout_: Any) -> None:
    """Put the question: for each cell the mask of its candidates (uint64, 81), which may be any.

    Args:
        stack_, work_: from `single9_memory.workspace`.
        layout_: for each cell its word and its bit, from `single9_memory.layout`.
    """
    stack, domains, layout = pointer_to(stack_), pointer_to(domains_), pointer_to(layout_)
    for at in range(0, PLACED, LANES):
        store(stack, NEXT + at, splat(_ZERO))
    for cell in range(CELLS):
        word, bit = layout[2 * cell], _ONE << np.uint32(layout[2 * cell + 1])
        for digit in range(9):
            if domains[cell] >> np.uint64(digit) & np.uint64(1):
                stack[NEXT + word * LANES + QUARTER * (digit // 3) + digit % 3] |= bit
    _begin(stack, pointer_to(work_))


@njit(cache=True, boundscheck=False, nogil=True)
def advance(stack_: Any, work_: Any, nodes: int, most: int, solutions_: Any) -> int:
    """Go on from where `begin` or the last call left it, see `explore`; solutions go to `solutions_` (uint8, flat)."""
    stack, work, solutions = pointer_to(stack_), pointer_to(work_), pointer_to(solutions_)
    return int(explore(stack, work, nodes, most, solutions, solutions_.shape[0] // CELLS))
