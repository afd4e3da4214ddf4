"""The forms of a compiled model: flat index lists and bit masks, which every solver reads instead of the model.

Cells and values are their indices (from 0), a set of values is a mask. Seven forms, chosen so that a solver need not
look at the model again; `compile.py` reduces constraints to them:

- unary constraints are folded into `domains`;
- `units`: sets of at least two cells that differ (`full` when each value must stand in it once);
- the `rules`, by class:
  - `cages`: a sum over cells that differ pairwise, as the list of value sets that satisfy it;
  - `binaries`: a relation of two cells, as one support mask a value;
  - `tables`: a relation of three cells or more, as its tuples;
  - `sums`: any other linear constraint, for bounds reasoning;
  - `parities`: a set of cells whose odd values are even or odd in number.

An engine that goes through the rules ends its `match` with `assert_never`, so that a new class of them cannot be passed
over: the type checker names every engine that does not know it.

Nothing here needs numpy: a small puzzle is answered from these tuples alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

T = TypeVar("T")


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

    @property
    def cells(self) -> tuple[int, int]:
        """The two cells."""
        return (self.first, self.second)


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


Rule = Cage | Binary | Table | Linear | Xor
RULE_CLASSES = (Cage, Binary, Table, Linear, Xor)


@dataclass(frozen=True, eq=False)
class Compiled:
    """A compiled model. All indices are places of cells and values; all masks have bit = place of a value.

    Attributes:
        rules: all that is neither a domain nor a unit, in the order of `RULE_CLASSES`.
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
    rules: tuple[Rule, ...]
    numbers: tuple[int, ...]
    odd_mask: int
    infeasible: str | None
    _memo: dict[Any, Any] = field(default_factory=dict, repr=False)

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
        """The cells of every rule."""
        return tuple(rule.cells for rule in self.rules)

    @cached_property
    def cages(self) -> tuple[Cage, ...]:
        """The rules that are cages."""
        return tuple(rule for rule in self.rules if isinstance(rule, Cage))

    @cached_property
    def binaries(self) -> tuple[Binary, ...]:
        """The rules that are relations of two cells."""
        return tuple(rule for rule in self.rules if isinstance(rule, Binary))

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The rules that are tuples of three cells or more."""
        return tuple(rule for rule in self.rules if isinstance(rule, Table))

    @cached_property
    def sums(self) -> tuple[Linear, ...]:
        """The rules that are linear, for bounds reasoning."""
        return tuple(rule for rule in self.rules if isinstance(rule, Linear))

    @cached_property
    def parities(self) -> tuple[Xor, ...]:
        """The rules that are parities."""
        return tuple(rule for rule in self.rules if isinstance(rule, Xor))

    def once(self, make: Callable[[Compiled], T]) -> T:
        """What `make` gives for this model, worked out once: each engine hangs its own tables here."""
        if make not in self._memo:
            self._memo[make] = make(self)
        found: T = self._memo[make]
        return found

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
        return not self.rules
