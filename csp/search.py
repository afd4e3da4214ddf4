"""Plain-Python search over boards: the readable reference, and what answers a small question at once.

A board is one int: bit `cell * n_values + value` is set while that candidate is possible. A *pattern* is a set of
units that are translates of each other: all rows, all columns, all boxes; a cell with its values is a pattern too. One
shift of the board then moves the same member of every unit of the pattern onto its base, so that a handful of big-int
operations count, for all units and values at once, whether a candidate is left in it never, once, or more often.
A region of a form of its own is a pattern of one.

    truth   never -> the board is dead; once -> that candidate is true (naked and hidden singles alike)
    link    a true candidate -> the others of the link are false

The search is depth first over an explicit list of open boards: whoever holds that list can go on with it, which is how
work that outgrows plain Python is handed to the compiled kernel without losing or repeating a solution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations
from time import monotonic

from nonant.csp.compile import Binary, Cage, Compiled, Linear, Table, Xor

Propagator = Callable[[int], int]  # a board -> the candidates that it removes


# -- patterns ----------------------------------------------------------------------------------------------------------


Steps = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Pattern:
    """Units that are translates of each other.

    Attributes:
        base: the bits of every unit's first member.
        steps: the distances from the first member to all members, as a sum of small sets: adding one of each gives
            every distance once (nine distances 0..8 are {0,1,2} + {0,3,6}: four shifts instead of eight).
        full: whether each unit is a truth as well as a link.
    """

    base: int
    steps: Steps
    full: bool

    def gathered(self, bits: int) -> tuple[int, int]:
        """At the base: which units have at least one, and which at least two, of these bits (other places: noise)."""
        return _gathered(bits, self.steps)

    def spread(self, bits: int) -> int:
        """From base bits to all members of their units."""
        return _spread(bits, self.steps)


def _steps(distances: tuple[int, ...]) -> Steps:
    """Distances (sorted, the first 0) as a sum of sets, each without its 0."""
    for size in range(2, len(distances)):
        if len(distances) % size == 0:
            inner, outer = distances[:size], distances[::size]
            if tuple(sorted(a + b for a in outer for b in inner)) == distances:
                return (inner[1:], *_steps(outer))
    return (distances[1:],)


def patterns_of(compiled: Compiled) -> tuple[Pattern, ...]:
    """The cells, then the units, grouped by form."""
    size = compiled.n_values
    first_bits = ((1 << (compiled.n_cells * size)) - 1) // ((1 << size) - 1) if size and compiled.n_cells else 0
    found = [Pattern(first_bits, _steps(tuple(range(size))), True)] if first_bits else []
    forms: dict[tuple[bool, tuple[int, ...]], list[int]] = {}
    for unit, full in zip(compiled.units, compiled.full, strict=True):
        forms.setdefault((full, tuple((cell - unit[0]) * size for cell in unit)), []).append(unit[0])
    every = (1 << size) - 1
    for (full, distances), firsts in forms.items():
        found.append(Pattern(sum(every << (first * size) for first in firsts), _steps(distances), full))
    return tuple(found)


def _gathered(bits: int, steps: Steps) -> tuple[int, int]:
    once, twice = bits, 0
    for step in steps:
        part_once, part_twice = once, twice
        for distance in step:
            moved = part_once >> distance
            twice |= once & moved | part_twice >> distance
            once |= moved
    return once, twice


def _spread(bits: int, steps: Steps) -> int:
    for step in steps:
        moved = bits
        for distance in step:
            moved |= bits << distance
        bits = moved
    return bits


@dataclass(frozen=True)
class Overlap:
    """Where the units of two patterns share whole segments: the rows and boxes of a grid share the minirows.

    Segments are what the steps that both patterns have reach from a segment's first member. A value that has one
    segment left in a full unit leaves the rest of the other unit that holds this segment (locked candidates).

    Attributes:
        inner: the common steps. outer, other_outer: the steps that remain of each.
        full: the pattern of the full units; other: the second pattern.
        segments: first bits of the full pattern's segments; shared: of those that the other pattern has too.
    """

    inner: Steps
    outer: Steps
    other_outer: Steps
    full: Pattern
    other: Pattern
    segments: int
    shared: int


def overlaps_of(patterns: tuple[Pattern, ...]) -> tuple[Overlap, ...]:
    """The overlaps of each full pattern with each other one; the cells' own pattern has none."""
    found = []
    for full, other in permutations(patterns[1:], 2):
        inner = tuple(step for step in full.steps if step in other.steps)
        outer = tuple(step for step in full.steps if step not in inner)
        other_outer = tuple(step for step in other.steps if step not in inner)
        segments = _spread(full.base, outer)
        shared = segments & _spread(other.base, other_outer)
        if full.full and inner and outer and other_outer and shared:
            found.append(Overlap(inner, outer, other_outer, full, other, segments, shared))
    return tuple(found)


# -- the other constraints ---------------------------------------------------------------------------------------------


def propagators_of(compiled: Compiled) -> tuple[Propagator, ...]:
    """One function a constraint that is not a unit: from a board to the candidates that it removes."""
    size = compiled.n_values
    made: list[Propagator] = []
    made += [_cage(cage, size) for cage in compiled.cages]
    made += [_binary(binary, size) for binary in compiled.binaries]
    made += [_table(table, size) for table in compiled.tables]
    made += [_linear(linear, size, compiled.numbers) for linear in compiled.sums]
    made += [_xor(xor, size, compiled.odd_mask) for xor in compiled.parities]
    return tuple(made)


def _cage(cage: Cage, size: int) -> Propagator:
    every, places = (1 << size) - 1, [cell * size for cell in cage.cells]

    def removes(board: int) -> int:
        domains = [board >> place & every for place in places]
        union = 0
        for domain in domains:
            union |= domain
        may, must = 0, every
        for some in cage.sets:
            if not some & ~union and all(some & domain for domain in domains):
                may |= some
                must &= some
        once = twice = 0
        for domain in domains:
            twice |= once & domain
            once |= domain
        needed = must & once & ~twice  # these values have one cell left in the cage
        removed = 0
        for place, domain in zip(places, domains, strict=True):
            keep = domain & needed or domain & may
            removed |= (domain & ~keep) << place
        return removed if may else board

    return removes


def _binary(binary: Binary, size: int) -> Propagator:
    every, a, b = (1 << size) - 1, binary.first * size, binary.second * size

    def removes(board: int) -> int:
        first, second = board >> a & every, board >> b & every
        support = 0
        for value, mask in enumerate(binary.forward):
            if first >> value & 1:
                support |= mask
        second_left = second & support
        support = 0
        for value, mask in enumerate(binary.backward):
            if second_left >> value & 1:
                support |= mask
        return (first & ~support) << a | (second & ~second_left) << b

    return removes


def _table(table: Table, size: int) -> Propagator:
    rows = [
        sum(1 << (cell * size + value) for cell, value in zip(table.cells, row, strict=True)) for row in table.tuples
    ]
    scope = sum(((1 << size) - 1) << (cell * size) for cell in table.cells)

    def removes(board: int) -> int:
        gone, support = ~board, 0
        for row in rows:
            if not row & gone:
                support |= row
        return board & scope & ~support

    return removes


def _linear(linear: Linear, size: int, numbers: tuple[int, ...]) -> Propagator:
    every, places = (1 << size) - 1, [cell * size for cell in linear.cells]
    products = [[weight * number for number in numbers] for weight in linear.weights]

    def removes(board: int) -> int:
        left = [
            [(at, row[at]) for at in range(size) if board >> place >> at & 1]
            for place, row in zip(places, products, strict=True)
        ]
        if not all(left):
            return board
        low = [min(term for _, term in terms) for terms in left]
        high = [max(term for _, term in terms) for terms in left]
        lowest, highest, removed = sum(low), sum(high), 0
        open_cells = sum(len(terms) > 1 for terms in left)
        for place, terms, least, most in zip(places, left, low, high, strict=True):
            for at, term in terms:
                if (
                    (linear.relation in ("==", "<=") and lowest - least + term > linear.total)
                    or (linear.relation in ("==", ">=") and highest - most + term < linear.total)
                    or (
                        linear.relation == "!="
                        and open_cells - (len(terms) > 1) == 0
                        and lowest - least + term == linear.total
                    )
                ):
                    removed |= 1 << (place + at)
        return removed & board & sum(every << place for place in places)

    return removes


def _xor(xor: Xor, size: int, odd_mask: int) -> Propagator:
    every, places = (1 << size) - 1, [cell * size for cell in xor.cells]

    def removes(board: int) -> int:
        odd, free = xor.odd, -1
        for place in places:
            domain = board >> place & every
            if domain & odd_mask and domain & ~odd_mask:
                if free >= 0:
                    return 0
                free = place
            elif domain & odd_mask:
                odd = not odd
        if free < 0:
            return board if odd else 0  # every cell is decided: the parity must be right
        return (board >> free & every & (~odd_mask if odd else odd_mask)) << free

    return removes


def _without_locked(board: int, overlap: Overlap) -> int:
    """The board without what locked candidates of one overlap remove."""
    held = _gathered(board, overlap.inner)[0] & overlap.segments
    once, twice = _gathered(held, overlap.outer)
    confined = _spread(overlap.full.base & once & ~twice, overlap.outer) & held & overlap.shared
    if confined:
        units = _gathered(confined, overlap.other_outer)[0] & overlap.other.base
        board &= ~(overlap.other.spread(units) & ~_spread(confined, overlap.inner))
    return board


# -- search ------------------------------------------------------------------------------------------------------------


@dataclass
class Budget:
    """What a search may still spend; it is counted down as it is spent. None is no limit.

    Attributes:
        nodes: branchings left.
        deadline: a value of `time.monotonic()`.
        spent: branchings so far.
    """

    nodes: int | None = None
    deadline: float | None = None
    spent: int = 0

    def out(self) -> bool:
        """True when a limit is reached."""
        return (self.nodes is not None and self.spent >= self.nodes) or (
            self.deadline is not None and monotonic() >= self.deadline
        )


@dataclass(frozen=True)
class DeadEnd:
    """Why a board cannot be solved.

    Attributes:
        kind: "cell" (no value left), "value" (no place left for it in a full unit), "two values" (one cell needs
            both), "same value" (two cells of a unit need it) or "constraint" (its cells cannot satisfy it).
        cells: the cells concerned.
        unit: the place of the unit in `Compiled.units`, where there is one.
        value: the place of the value, where there is one.
    """

    kind: str
    cells: tuple[int, ...]
    unit: int | None = None
    value: int | None = None


class Searcher:
    """The tables of one compiled model, and the search over them. It keeps no state between calls."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.patterns = patterns_of(compiled)
        self.overlaps = overlaps_of(self.patterns)
        self.propagators = propagators_of(compiled)
        size = compiled.n_values
        self._every = (1 << size) - 1
        self._first_bits = self.patterns[0].base if self.patterns else 0
        self._unit_bits = [sum(1 << (cell * size) for cell in unit) for unit in compiled.units]
        self._neighbours = [
            sum(1 << (peer * size) for peer in compiled.peers[cell]) for cell in range(compiled.n_cells)
        ]

    def board(self, domains: tuple[int, ...]) -> int:
        """The board of these domains and the model's own, before any deduction."""
        size, board = self.compiled.n_values, 0
        for cell in reversed(range(self.compiled.n_cells)):
            board = board << size | (domains[cell] & self.compiled.domains[cell])
        return board

    def domains(self, board: int) -> tuple[int, ...]:
        """The mask of values left in each cell."""
        size = self.compiled.n_values
        return tuple(board >> (cell * size) & self._every for cell in range(self.compiled.n_cells))

    def values(self, board: int) -> tuple[int, ...]:
        """The place of each cell's value on a solved board."""
        return tuple(domain.bit_length() - 1 for domain in self.domains(board))

    def propagate(self, board: int) -> int:
        """What singles, locked candidates and the other constraints leave; 0 when the board has no solution."""
        while board:
            before, board = board, self._round(board)
            if board == before:
                for overlap in self.overlaps:
                    board = _without_locked(board, overlap)
            if board == before:
                for removes in self.propagators:
                    board &= ~removes(board)
                if board == before:
                    break
        return board

    def _round(self, board: int) -> int:
        """One look at all truths, then at all links; 0 when one of them cannot hold."""
        true = 0
        for pattern in self.patterns:
            if not pattern.full:
                continue
            once, twice = pattern.gathered(board)
            base = pattern.base
            if once & base != base:
                return 0
            single = base & ~twice
            if single:
                true |= pattern.spread(single) & board
        for pattern in self.patterns:
            once, twice = pattern.gathered(true)
            base = pattern.base
            if twice & base:
                return 0
            decided = once & base
            if decided:
                board &= ~(pattern.spread(decided) & ~true)
        return board

    def dead_end(self, board: int) -> DeadEnd | None:
        """Where propagation of a board breaks down, or None where it does not."""
        while True:
            after = self._round(board)
            if after == 0:
                return self._broken(board)
            if after == board:
                for removes, cells in zip(self.propagators, self.compiled.scopes, strict=True):
                    after &= ~removes(after)
                    if 0 in self.domains(after):
                        return DeadEnd("constraint", cells, None)
                if after == board:
                    return None
            board = after

    def _broken(self, board: int) -> DeadEnd:
        """The truth without a candidate, or the link with two true ones, that makes a round fail."""
        domains = self.domains(board)
        for cell, domain in enumerate(domains):
            if not domain:
                return DeadEnd("cell", (cell,), None)
        forced = list(domains)  # the values that a cell must take, as far as one round sees
        for cell, domain in enumerate(domains):
            forced[cell] = domain if domain & (domain - 1) == 0 else 0
        for number, unit in enumerate(self.compiled.units):
            for value in range(self.compiled.n_values if self.compiled.full[number] else 0):
                places = [cell for cell in unit if domains[cell] >> value & 1]
                if not places:
                    return DeadEnd("value", unit, number, value)
                if len(places) == 1:
                    forced[places[0]] |= 1 << value
        for cell, values in enumerate(forced):
            if values & (values - 1):
                return DeadEnd("two values", (cell,), None)
        for number, unit in enumerate(self.compiled.units):
            for value in range(self.compiled.n_values):
                cells = tuple(cell for cell in unit if forced[cell] >> value & 1)
                if len(cells) > 1:
                    return DeadEnd("same value", cells[:2], number, value)
        raise AssertionError("a round failed, but every truth has a candidate and no link has two true ones")

    def run(self, open_boards: list[int], budget: Budget) -> Iterator[int]:
        """Depth first over the open boards; yields solved boards.

        It ends when the list is empty or the budget is spent; the list then holds what was not looked at.
        """
        size = self.compiled.n_values
        if self.compiled.infeasible is not None:
            open_boards.clear()
        while open_boards:
            if budget.out():
                return
            board = open_boards.pop()
            if self.compiled.n_cells == 0:
                yield board  # nothing to choose: the empty assignment is the one solution
                continue
            board = self.propagate(board)
            if not board:
                continue
            candidate = self._branching_candidate(board)
            if candidate is None:
                yield board
                continue
            budget.spent += 1
            chosen, start = 1 << candidate, candidate // size * size
            open_boards.append(board & ~chosen)
            open_boards.append(board & ~(self._every << start) | chosen)

    def _branching_candidate(self, board: int) -> int | None:
        """The candidate to try first, or None on a solved board.

        It is the lowest of a cell with two values, the one with the most such neighbours; else one of a value with two
        places in a unit; else the lowest of a cell with the fewest values.
        """
        size, bits = self.compiled.n_values, self._first_bits
        once = twice = thrice = 0
        for value in range(size):
            at = board >> value & bits
            thrice |= twice & at
            twice |= once & at
            once |= at
        if not twice:
            return None
        bivalue = twice & ~thrice
        if bivalue:
            cell = max(_bits(bivalue), key=lambda cell: (bivalue & self._neighbours[cell // size]).bit_count())
        else:
            for unit, full in zip(self._unit_bits, self.compiled.full, strict=True):
                for value in range(size if full else 0):
                    places = board >> value & unit
                    if places.bit_count() == 2:
                        return (places & -places).bit_length() - 1 + value
            cell = min(_bits(twice), key=lambda cell: (board >> cell & self._every).bit_count())
        domain = board >> cell & self._every
        return cell + (domain & -domain).bit_length() - 1


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
