"""What techniques want to know of a model's units, found from the cells alone: no row, column or box arithmetic.

A *class* is a set of disjoint full units that hold all cells between them: the rows, the columns, the boxes, the
regions, the planes of one direction. *Lines* are classes that cross another class in single cells, as rows and columns
do; boxes and regions do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations

from nonant.csp.model import Model, Unit


@dataclass(frozen=True, eq=False)
class Layout:
    """The units of a model and how they lie to each other.

    Attributes:
        units: the cells of each unit; names: what people call it; kinds: row, column, box, region, ...
        full: whether each value stands in the unit once.
        columns: for each unit the first bits of its cells on a board; shift by a value for the value's candidates.
        classes: sets of disjoint full units that hold all cells.
        class_of: for each unit the place of its class, or -1.
        lines: the places of the classes that are lines.
        meets: ordered pairs of units that share two cells or more, with the mask of all candidates of these cells.
    """

    units: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    full: tuple[bool, ...]
    columns: tuple[int, ...]
    classes: tuple[tuple[int, ...], ...]
    class_of: tuple[int, ...]
    lines: frozenset[int]
    meets: tuple[tuple[int, int, int], ...]

    @cached_property
    def meeting(self) -> frozenset[tuple[int, int]]:
        """The pairs of `meets`."""
        return frozenset((one, other) for one, other, _ in self.meets)


# Frozen values of frozen models, and bounded, since models may come from a stream of region maps.
@lru_cache(maxsize=64)
def layout_of(model: Model) -> Layout:
    """The layout of a model's units."""
    compiled, size = model.compiled, model.n_values
    cells = [frozenset(unit) for unit in compiled.units]
    kind_of = {frozenset(model.indices(rule)): rule.kind for rule in model.constraints if isinstance(rule, Unit)}
    kinds = tuple(kind_of.get(unit, "unit") for unit in cells)
    classes = _classes(cells, kinds, compiled.full, compiled.n_cells)
    class_of = [-1] * len(cells)
    for place, members in enumerate(classes):
        for unit in members:
            class_of[unit] = place
    lines = {
        place
        for one, other in combinations(range(len(classes)), 2)
        if all(len(cells[a] & cells[b]) == 1 for a in classes[one] for b in classes[other])
        for place in (one, other)
    }
    every = (1 << size) - 1
    meets = []
    for first, second in combinations(range(len(cells)), 2):
        shared = cells[first] & cells[second]
        if len(shared) > 1:
            mask = sum(every << (cell * size) for cell in shared)
            meets += [(first, second, mask), (second, first, mask)]
    return Layout(
        compiled.units,
        compiled.unit_names,
        kinds,
        compiled.full,
        tuple(sum(1 << (cell * size) for cell in unit) for unit in compiled.units),
        classes,
        tuple(class_of),
        frozenset(lines),
        tuple(sorted(meets)),
    )


def _classes(
    cells: list[frozenset[int]], kinds: tuple[str, ...], full: tuple[bool, ...], n_cells: int
) -> tuple[tuple[int, ...], ...]:
    """Greedily: the first free full unit, and each later one that is disjoint from what is taken, its own kind first.

    A jigsaw region that is a whole row would otherwise join the class of the rows.
    """
    found: list[tuple[int, ...]] = []
    used: set[int] = set()
    for first, unit in enumerate(cells):
        if not full[first] or first in used:
            continue
        others = sorted(range(len(cells)), key=lambda other: (kinds[other] != kinds[first], other))
        members, held = [first], set(unit)
        for other in others:
            if other != first and other not in used and full[other] and not held & cells[other]:
                members.append(other)
                held |= cells[other]
        if len(held) == n_cells:
            found.append(tuple(sorted(members)))
            used |= set(members)
    return tuple(found)
