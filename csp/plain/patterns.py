"""Units that are translates of each other, counted all at once on a board that is one int.

A *pattern* is such a set of units: all rows, all columns, all boxes; a cell with its values is a pattern too. One shift
of the board moves the same member of every unit of the pattern onto its base, so that a handful of big-int operations
tell, for all units and values at once, whether a candidate is left in it never, once, or more often. A region of a form
of its own is a pattern of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

from nonant.csp.forms import Compiled

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


def without_locked(board: int, overlap: Overlap) -> int:
    """The board without what locked candidates of one overlap remove."""
    held = _gathered(board, overlap.inner)[0] & overlap.segments
    once, twice = _gathered(held, overlap.outer)
    confined = _spread(overlap.full.base & once & ~twice, overlap.outer) & held & overlap.shared
    if confined:
        units = _gathered(confined, overlap.other_outer)[0] & overlap.other.base
        board &= ~(overlap.other.spread(units) & ~_spread(confined, overlap.inner))
    return board
