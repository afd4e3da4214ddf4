"""`Parity`: the sum of the cells' values is odd, or even."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nonant.csp.constraints.common import cells_of
from nonant.csp.forms import Xor

if TYPE_CHECKING:
    from nonant.csp.form_builder import FormBuilder


@dataclass(frozen=True)
class Parity:
    """The sum of the cells' values is odd (`odd=True`) or even (`odd=False`): over 0 and 1, their XOR.

    The right-hand side has no default, since half of all readers take an XOR clause as "= 0" and half as "= 1".
    """

    cells: Sequence[Any]
    odd: bool
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", cells_of(self))
        object.__setattr__(self, "odd", bool(self.odd))

    def holds(self, values: Sequence[Any]) -> bool:
        """True when the sum of the values has the stated parity."""
        return bool(sum(values) % 2 == self.odd)

    def reduce(self, forms: FormBuilder) -> None:
        """An XOR over the cells that stand in it an odd number of times."""
        forms.need_numbers(self)
        counts: dict[int, int] = {}
        for cell in forms.model.indices(self):
            counts[cell] = counts.get(cell, 0) + 1
        cells = tuple(cell for cell, times in counts.items() if times % 2)
        title = self.name or "a parity"
        if not cells and self.odd:
            forms.never(f"{title} asks an odd sum of nothing")
        elif len(cells) == 1:
            forms.restrict(cells[0], forms.odd_mask if self.odd else forms.every & ~forms.odd_mask, title)
        elif cells:
            forms.rules.append(Xor(cells, self.odd))
