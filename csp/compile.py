"""A model as flat index lists, made once and shared by all solvers.

Cells and values become their places (0-based ints); a set of values becomes a bit mask. Every constraint is reduced to
one of seven plain forms, chosen so that a solver need not look at the model again:

- unary constraints fold into `domains`;
- `units`: sets of at least two cells that differ (`full` when each value must stand in it once);
- `cages`: a sum over cells that differ pairwise, as the list of value sets that satisfy it;
- `binaries`: a relation of two cells, as one support mask a value;
- `tables`: a relation of three cells or more, as its tuples;
- `sums`: any other linear constraint, for bounds reasoning;
- `parities`: a set of cells whose odd values are even or odd in number.

Nothing here needs numpy: a small puzzle is answered from these tuples alone (`search.py`); the numba kernels make
arrays of them (`kernels/`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING, Any

from nonant.csp.errors import ModelError
from nonant.csp.model import OPERATORS, Compare, Model, Parity, Relation, Sum, Unit

if TYPE_CHECKING:
    from nonant.csp.kernels.tables import Tables
    from nonant.csp.search import Searcher

MAX_TUPLES = 2_000_000  # a predicate is tabulated up to this many tuples
MAX_CAGE_SETS = 20_000  # a cage with more value sets than this is left to bounds reasoning
SMALL_TABLE = 4_096  # a sum over so few tuples becomes a table: stronger than bounds


@dataclass(frozen=True)
class Cage:
    """Cells that differ pairwise; together they take one of these value sets (bit masks)."""

    cells: tuple[int, ...]
    sets: tuple[int, ...]


@dataclass(frozen=True)
class Binary:
    """Two cells; `forward[v]` is the mask of the second cell's values that go with value v of the first."""

    first: int
    second: int
    forward: tuple[int, ...]
    backward: tuple[int, ...]


@dataclass(frozen=True)
class Table:
    """Three cells or more and the tuples of value places they may take together, sorted."""

    cells: tuple[int, ...]
    tuples: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Linear:
    """sum of weights[i] * number(value of cells[i]) stands in `relation` (==, <=, >=, !=) to `total`."""

    cells: tuple[int, ...]
    weights: tuple[int, ...]
    relation: str
    total: int


@dataclass(frozen=True)
class Xor:
    """The number of these cells that take an odd value is odd (`odd`) or even."""

    cells: tuple[int, ...]
    odd: bool


@dataclass(frozen=True, eq=False)
class Compiled:
    """A compiled model. All indices are places of cells and values; all masks have bit = place of a value.

    Attributes:
        infeasible: why no assignment can satisfy the model, whatever the givens, or None.
        numbers: the values as whole numbers where sums or parities need them, else the values' places.
        odd_mask: the mask of the odd values.
    """

    n_cells: int
    n_values: int
    domains: tuple[int, ...]
    units: tuple[tuple[int, ...], ...]
    unit_names: tuple[str, ...]
    full: tuple[bool, ...]
    cages: tuple[Cage, ...]
    binaries: tuple[Binary, ...]
    tables: tuple[Table, ...]
    sums: tuple[Linear, ...]
    parities: tuple[Xor, ...]
    numbers: tuple[int, ...]
    odd_mask: int
    infeasible: str | None

    @cached_property
    def units_of(self) -> tuple[tuple[int, ...], ...]:
        """For each cell the units it is in."""
        found: list[list[int]] = [[] for _ in range(self.n_cells)]
        for number, unit in enumerate(self.units):
            for cell in unit:
                found[cell].append(number)
        return tuple(map(tuple, found))

    @cached_property
    def peers(self) -> tuple[tuple[int, ...], ...]:
        """For each cell the other cells that must differ from it, sorted."""
        return tuple(
            tuple(sorted({other for unit in self.units_of[cell] for other in self.units[unit]} - {cell}))
            for cell in range(self.n_cells)
        )

    @cached_property
    def overlaps(self) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
        """Ordered pairs of units (full, any) that share two cells or more, neither inside the other, with the shared.

        A value of the first, full, unit that is confined to the shared cells cannot stand elsewhere in the second.
        """
        sets = [frozenset(unit) for unit in self.units]
        found = []
        for first, unit in enumerate(self.units):
            if not self.full[first]:
                continue
            counts: dict[int, int] = {}
            for cell in unit:
                for second in self.units_of[cell]:
                    counts[second] = counts.get(second, 0) + 1
            for second, shared in sorted(counts.items()):
                if second != first and 2 <= shared < len(self.units[second]):
                    found.append((first, second, tuple(sorted(sets[first] & sets[second]))))
        return tuple(found)

    @cached_property
    def scopes(self) -> tuple[tuple[int, ...], ...]:
        """The cells of every constraint that is not a unit, in the order cages, binaries, tables, sums, parities."""
        return (
            *(cage.cells for cage in self.cages),
            *((binary.first, binary.second) for binary in self.binaries),
            *(table.cells for table in self.tables),
            *(linear.cells for linear in self.sums),
            *(xor.cells for xor in self.parities),
        )

    @cached_property
    def searcher(self) -> Searcher:
        """The tables of the plain-Python search."""
        from nonant.csp.search import Searcher

        return Searcher(self)

    @cached_property
    def arrays(self) -> Tables:
        """The arrays of the kernels."""
        from nonant.csp.kernels.tables import tables_of

        return tables_of(self)

    @cached_property
    def is_classic_grid(self) -> bool:
        """True when the rules are those of the classic 9x9 grid, cells row by row; domains may be any."""
        if (self.n_cells, self.n_values, len(self.units)) != (81, 9, 27) or not self.units_only or self.infeasible:
            return False
        lines = [frozenset(cell for cell in range(81) if cell // 9 == at) for at in range(9)]
        lines += [frozenset(cell for cell in range(81) if cell % 9 == at) for at in range(9)]
        lines += [frozenset(cell for cell in range(81) if cell // 27 * 3 + cell % 9 // 3 == at) for at in range(9)]
        return set(map(frozenset, self.units)) == set(lines)

    @property
    def units_only(self) -> bool:
        """True when units and domains say everything."""
        return not (self.cages or self.binaries or self.tables or self.sums or self.parities)


# ---------------------------------------------------------------------------------------------------------------------


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
