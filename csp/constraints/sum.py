"""`Sum`: a linear constraint over cells of whole-number values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

from nonant.csp.constraints.common import OPERATORS, cells_of, check_operator, title, whole
from nonant.csp.errors import ModelError
from nonant.csp.forms import Cage, Linear

if TYPE_CHECKING:
    from nonant.csp.form_builder import FormBuilder


MAX_CAGE_SETS = 20_000  # a cage with more value sets than this is left to bounds reasoning
SMALL_TABLE = 4_096  # a sum over so few tuples becomes a table: stronger than bounds


@dataclass(frozen=True)
class Sum:
    """A linear constraint: the sum of coefficient * value over the cells stands in `relation` to `total`.

    `coefficients` defaults to all ones. Values must be whole numbers. A cage whose values may not repeat is a `Sum`
    and a `Unit` over the same cells: the rule is stated, never assumed.
    """

    cells: Sequence[Any]
    total: int
    coefficients: Sequence[int] | None = None
    relation: str = "=="
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", cells_of(self))
        object.__setattr__(self, "total", whole(self, "total", self.total))
        if self.coefficients is not None:
            weights = tuple(whole(self, "coefficient", weight) for weight in self.coefficients)
            object.__setattr__(self, "coefficients", weights)
            if len(self.coefficients or ()) != len(self.cells):
                raise ModelError(
                    f"{title(self)} has {len(self.cells)} cells and {len(self.coefficients or ())} coefficients; "
                    "give one coefficient a cell"
                )
        check_operator(self, self.relation, ("==", "<=", ">=", "!="))

    @property
    def weights(self) -> tuple[int, ...]:
        """The coefficients, written out."""
        return (1,) * len(self.cells) if self.coefficients is None else tuple(self.coefficients)

    def holds(self, values: Sequence[Any]) -> bool:
        """True when the weighted sum of the values stands in the relation to the total."""
        found = sum(weight * value for weight, value in zip(self.weights, values, strict=True))
        return OPERATORS[self.relation](found, self.total)

    def reduce(self, forms: FormBuilder) -> None:
        """A cage where its cells differ, a table where that is small, else a linear form for bounds reasoning."""
        forms.need_numbers(self)
        merged: dict[int, int] = {}
        for cell, weight in zip(forms.model.indices(self), self.weights, strict=True):
            merged[cell] = merged.get(cell, 0) + weight
        terms = [(cell, weight) for cell, weight in merged.items() if weight]
        compare = OPERATORS[self.relation]
        cells = tuple(cell for cell, _ in terms)
        weights = tuple(weight for _, weight in terms)
        values: Sequence[Any] = forms.model.values

        def holds(*row: int) -> bool:
            found = sum(weight * values[at] for weight, at in zip(weights, row, strict=True))
            return compare(found, self.total)

        is_cage = len(cells) > 2 and set(weights) == {1} and forms.differ(cells)
        if is_cage and comb(len(values), len(cells)) <= MAX_CAGE_SETS:
            choices = combinations(range(len(values)), len(cells))
            forms.rules.append(Cage(cells, tuple(sum(1 << at for at in some) for some in choices if holds(*some))))
        elif len(cells) <= 2 or len(values) ** len(cells) <= SMALL_TABLE:
            forms.table(cells, holds, self.name or "a sum")
        else:
            forms.rules.append(Linear(cells, weights, self.relation, self.total))
