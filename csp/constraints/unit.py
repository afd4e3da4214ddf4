"""`Unit`: cells that must all differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nonant.csp.constraints.common import cells_of

if TYPE_CHECKING:
    from nonant.csp.form_builder import FormBuilder


@dataclass(frozen=True)
class Unit:
    """Cells that must all differ. `kind` says what the unit is to a person: row, column, box, region, plane, ..."""

    cells: Sequence[Any]
    name: str = ""
    kind: str = "unit"

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", cells_of(self))

    def holds(self, values: Sequence[Any]) -> bool:
        """True when the values, in the order of `cells`, are pairwise different."""
        return len(set(values)) == len(values)

    def reduce(self, forms: FormBuilder) -> None:
        """A unit; nothing at all if it has one cell, infeasible if it has more cells than there are values."""
        cells = forms.model.indices(self)
        if len(cells) > forms.model.n_values:
            forms.never(f"{self.name or self.kind} has {len(cells)} cells for {forms.model.n_values} values")
        if len(cells) > 1:
            forms.unit(cells, self.name or self.kind)
