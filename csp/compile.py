"""From a model to its compiled forms (`forms.py`), made once and shared by all solvers.

Every constraint is reduced to the strongest of the forms that says it; what holds for one cell alone becomes part of
the cell's domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING, Any

from nonant.csp.constraints import OPERATORS, Compare, Parity, Relation, Sum, Unit
from nonant.csp.errors import ModelError
from nonant.csp.forms import Binary, Cage, Compiled, Linear, Table, Xor

if TYPE_CHECKING:
    from nonant.csp.model import Model

MAX_TUPLES = 2_000_000  # a predicate is tabulated up to this many tuples
MAX_CAGE_SETS = 20_000  # a cage with more value sets than this is left to bounds reasoning
SMALL_TABLE = 4_096  # a sum over so few tuples becomes a table: stronger than bounds


class _Builder:
    """Collects the reduced forms while the constraints are read one by one."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.every = (1 << model.n_values) - 1
        self.domains = [self.every] * model.n_cells
        self.units: dict[frozenset[int], str] = {}
        self.cages: list[Cage] = []
        self.binaries: list[Binary] = []
        self.tables: list[Table] = []
        self.sums: list[Linear] = []
        self.parities: list[Xor] = []
        self.infeasible: str | None = None
        self.peers: list[set[int]] = [set() for _ in range(model.n_cells)]

    # -- reading ------------------------------------------------------------------------------------------------------

    def unit(self, unit: Unit) -> None:
        cells = self.model.indices(unit)
        if len(cells) > self.model.n_values:
            self.never(f"{unit.name or unit.kind} has {len(cells)} cells for {self.model.n_values} values")
        if len(cells) > 1:
            self.units.setdefault(frozenset(cells), unit.name or unit.kind)
            for cell in cells:
                self.peers[cell].update(cells)
                self.peers[cell].discard(cell)

    def sum(self, constraint: Sum) -> None:
        self.need_numbers(constraint)
        merged: dict[int, int] = {}
        for cell, weight in zip(self.model.indices(constraint), constraint.weights, strict=True):
            merged[cell] = merged.get(cell, 0) + weight
        terms = [(cell, weight) for cell, weight in merged.items() if weight]
        compare = OPERATORS[constraint.relation]
        cells = tuple(cell for cell, _ in terms)
        weights = tuple(weight for _, weight in terms)
        values: Sequence[Any] = self.model.values

        def holds(*places: int) -> bool:
            found = sum(weight * values[place] for weight, place in zip(weights, places, strict=True))
            return compare(found, constraint.total)

        differ = set(weights) == {1} and all(b in self.peers[a] for a, b in combinations(cells, 2))
        if len(cells) > 2 and differ and comb(len(values), len(cells)) <= MAX_CAGE_SETS:
            choices = combinations(range(len(values)), len(cells))
            self.cages.append(Cage(cells, tuple(sum(1 << at for at in some) for some in choices if holds(*some))))
            return
        if len(cells) <= 2 or len(values) ** len(cells) <= SMALL_TABLE:
            self.table(cells, holds, constraint.name or "a sum")
        else:
            self.sums.append(Linear(cells, weights, constraint.relation, constraint.total))

    def relation(self, constraint: Relation) -> None:
        model, values = self.model, self.model.values
        places = model.indices(constraint)
        distinct = tuple(dict.fromkeys(places))
        at = [distinct.index(place) for place in places]
        title = constraint.name or f"relation over {len(places)} cells"
        if callable(constraint.allowed):
            size = model.n_values ** len(distinct)
            if size > MAX_TUPLES:
                raise ModelError(
                    f"{title}: a predicate over {len(distinct)} cells of {model.n_values} values has {size} tuples, "
                    f"at most {MAX_TUPLES} are tabulated; split it, or give the allowed tuples"
                )
            self.table(distinct, lambda *row: constraint.holds([values[row[k]] for k in at]), title)
            return
        rows = set()
        for allowed in constraint.allowed:
            row: dict[int, int] = {}
            for place, value in zip(places, allowed, strict=True):
                index = model.value_index.get(value)
                if index is None or row.setdefault(place, index) != index:
                    break  # a value the model does not have, or two values for one cell: no assignment matches it
            else:
                rows.add(tuple(row[place] for place in distinct))
        self.rows(distinct, sorted(rows), title)

    def parity(self, constraint: Parity) -> None:
        self.need_numbers(constraint)
        counts: dict[int, int] = {}
        for cell in self.model.indices(constraint):
            counts[cell] = counts.get(cell, 0) + 1
        cells = tuple(cell for cell, times in counts.items() if times % 2)
        title = constraint.name or "a parity"
        if not cells and constraint.odd:
            self.never(f"{title} asks an odd sum of nothing")
        elif len(cells) == 1:
            self.restrict(cells[0], self.odd_mask if constraint.odd else self.every & ~self.odd_mask, title)
        elif cells:
            self.parities.append(Xor(cells, constraint.odd))

    def compare(self, constraint: Compare) -> None:
        first, second = self.model.indices(constraint)
        values, title = self.model.values, constraint.name or "a comparison"
        try:
            if first == second:
                self.table((first,), lambda a: constraint.holds((values[a], values[a])), title)
            else:
                self.table((first, second), lambda a, b: constraint.holds((values[a], values[b])), title)
        except TypeError as error:
            raise ModelError(f"{title} cannot compare the values of model {self.model.name!r}: {error}") from error

    # -- reduced forms ------------------------------------------------------------------------------------------------

    def table(self, cells: tuple[int, ...], holds: Any, title: str) -> None:
        self.rows(cells, [row for row in product(range(self.model.n_values), repeat=len(cells)) if holds(*row)], title)

    def rows(self, cells: tuple[int, ...], rows: list[tuple[int, ...]], title: str) -> None:
        """The allowed tuples of value places, in the form that fits their number of cells."""
        size = self.model.n_values
        if not rows:
            self.never(f"{title} allows no values at all")
        elif len(cells) == 1:
            self.restrict(cells[0], sum(1 << row[0] for row in rows), title)
        elif len(cells) == 2:
            forward, backward = [0] * size, [0] * size
            for a, b in rows:
                forward[a] |= 1 << b
                backward[b] |= 1 << a
            if all(forward[at] == self.every & ~(1 << at) for at in range(size)):
                self.units.setdefault(frozenset(cells), title)
                self.peers[cells[0]].add(cells[1])
                self.peers[cells[1]].add(cells[0])
            else:
                self.binaries.append(Binary(cells[0], cells[1], tuple(forward), tuple(backward)))
        elif len(cells) > 2:
            self.tables.append(Table(cells, tuple(rows)))

    def restrict(self, cell: int, mask: int, title: str) -> None:
        self.domains[cell] &= mask
        if not self.domains[cell]:
            self.never(f"{title} leaves {self.model.names[cell]} no value")

    def never(self, reason: str) -> None:
        self.infeasible = self.infeasible or reason

    def need_numbers(self, constraint: Sum | Parity) -> None:
        for value in self.model.values:
            if not isinstance(value, int):
                title = constraint.name or type(constraint).__name__
                raise ModelError(f"{title} needs whole-number values, but model {self.model.name!r} has {value!r}")

    @property
    def odd_mask(self) -> int:
        values: Iterable[Any] = self.model.values
        return sum(1 << at for at, value in enumerate(values) if isinstance(value, int) and value % 2)


def compile_model(model: Model) -> Compiled:
    """Compile a model; use `model.compiled`, which keeps the result.

    Raises:
        ModelError: for a predicate over too many tuples, or a sum over values that are not whole numbers.
    """
    builder = _Builder(model)
    # Units first: a sum is a cage only if its cells are known to differ.
    readers: tuple[tuple[type, Any], ...] = (
        (Unit, builder.unit),
        (Compare, builder.compare),
        (Relation, builder.relation),
        (Parity, builder.parity),
        (Sum, builder.sum),
    )
    for kind, read in readers:
        for constraint in model.constraints:
            if isinstance(constraint, kind):
                read(constraint)
    units = _needed(builder.units, model.n_values)
    numeric = all(isinstance(value, int) for value in model.values)
    return Compiled(
        n_cells=model.n_cells,
        n_values=model.n_values,
        domains=tuple(builder.domains),
        units=tuple(cells for cells, _ in units),
        unit_names=tuple(name for _, name in units),
        full=tuple(len(cells) == model.n_values for cells, _ in units),
        cages=tuple(builder.cages),
        binaries=tuple(builder.binaries),
        tables=tuple(builder.tables),
        sums=tuple(builder.sums),
        parities=tuple(builder.parities),
        numbers=tuple(int(value) for value in model.values) if numeric else tuple(range(model.n_values)),
        odd_mask=builder.odd_mask,
        infeasible=builder.infeasible,
    )


def _needed(units: dict[frozenset[int], str], n_values: int) -> list[tuple[tuple[int, ...], str]]:
    """The units without those that a larger one implies, in the order they were declared."""
    of: dict[int, list[frozenset[int]]] = {}
    for unit in units:
        for cell in unit:
            of.setdefault(cell, []).append(unit)
    kept = []
    for unit, name in units.items():
        some = next(iter(unit))
        if not any(unit < other for other in of[some]):
            kept.append((tuple(sorted(unit)), name))
    return kept
