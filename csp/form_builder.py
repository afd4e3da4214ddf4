"""Collects the forms of a compiled model while its constraints are reduced one by one (`reduce` of each class).

What holds for one cell alone becomes part of the cell's domain; tuples take the form that fits their number of cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from nonant.csp.errors import ModelError
from nonant.csp.forms import Binary, Rule, Table

if TYPE_CHECKING:
    from nonant.csp.constraints import Constraint
    from nonant.csp.model import Model


class FormBuilder:
    """The forms so far.

    Attributes:
        model: the model that is compiled.
        every: the mask of all values.
        domains: for each cell the mask of the values it may take.
        units: sets of cells that differ -> what a person calls them.
        rules: all that is neither a domain nor a unit.
        infeasible: why no assignment can satisfy the model, or None.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.every = (1 << model.n_values) - 1
        self.domains = [self.every] * model.n_cells
        self.units: dict[frozenset[int], str] = {}
        self.rules: list[Rule] = []
        self.infeasible: str | None = None
        self._peers: list[set[int]] = [set() for _ in range(model.n_cells)]

    def unit(self, cells: tuple[int, ...], title: str) -> None:
        """These cells, two or more, differ."""
        self.units.setdefault(frozenset(cells), title)
        for cell in cells:
            self._peers[cell].update(cells)
            self._peers[cell].discard(cell)

    def differ(self, cells: tuple[int, ...]) -> bool:
        """True when what was reduced so far makes the cells differ pairwise."""
        return all(other in self._peers[cell] for cell, other in combinations(cells, 2))

    def table(self, cells: tuple[int, ...], holds: Callable[..., bool], title: str) -> None:
        """The tuples of value indices for which `holds(*indices)` is true."""
        self.rows(cells, [row for row in product(range(self.model.n_values), repeat=len(cells)) if holds(*row)], title)

    def rows(self, cells: tuple[int, ...], rows: list[tuple[int, ...]], title: str) -> None:
        """The allowed tuples of value indices, in the form that fits their number of cells."""
        if not rows:
            self.never(f"{title} allows no values at all")
        elif len(cells) == 1:
            self.restrict(cells[0], sum(1 << row[0] for row in rows), title)
        elif len(cells) == 2:
            self._pairs(cells, rows, title)
        elif len(cells) > 2:
            self.rules.append(Table(cells, tuple(rows)))

    def _pairs(self, cells: tuple[int, ...], rows: list[tuple[int, ...]], title: str) -> None:
        size = self.model.n_values
        forward, backward = [0] * size, [0] * size
        for a, b in rows:
            forward[a] |= 1 << b
            backward[b] |= 1 << a
        if all(forward[at] == self.every & ~(1 << at) for at in range(size)):
            self.unit(cells, title)
        else:
            self.rules.append(Binary(cells[0], cells[1], tuple(forward), tuple(backward)))

    def restrict(self, cell: int, mask: int, title: str) -> None:
        """The cell takes a value of the mask."""
        self.domains[cell] &= mask
        if not self.domains[cell]:
            self.never(f"{title} leaves {self.model.names[cell]} no value")

    def never(self, reason: str) -> None:
        """No assignment can satisfy the model; the first reason is kept."""
        self.infeasible = self.infeasible or reason

    def need_numbers(self, constraint: Constraint) -> None:
        """Refuse values that cannot be added."""
        for value in self.model.values:
            if not isinstance(value, int):
                title = constraint.name or type(constraint).__name__
                raise ModelError(f"{title} needs whole-number values, but model {self.model.name!r} has {value!r}")

    @property
    def odd_mask(self) -> int:
        """The mask of the odd values."""
        values: Iterable[Any] = self.model.values
        return sum(1 << at for at, value in enumerate(values) if isinstance(value, int) and value % 2)
