"""`Compare`: two cells in order."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nonant.csp.constraints.common import OPERATORS, check_operator, whole
from nonant.csp.errors import ModelError

if TYPE_CHECKING:
    from nonant.csp.form_builder import FormBuilder


@dataclass(frozen=True)
class Compare:
    """Two cells in order: `left relation right + offset`, with relation one of ==, !=, <, <=, >, >=."""

    left: Hashable
    relation: str
    right: Hashable
    offset: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        check_operator(self, self.relation, tuple(OPERATORS))
        object.__setattr__(self, "offset", whole(self, "offset", self.offset))

    @property
    def cells(self) -> tuple[Hashable, ...]:
        """The two cells, left first."""
        return (self.left, self.right)

    def holds(self, values: Sequence[Any]) -> bool:
        """True when the two values stand in the relation."""
        left, right = values
        return OPERATORS[self.relation](left, right + self.offset if self.offset else right)

    def reduce(self, forms: FormBuilder) -> None:
        """The pairs of values that stand in the relation.

        Raises:
            ModelError: for values that Python cannot compare.
        """
        first, second = forms.model.indices(self)
        values, title = forms.model.values, self.name or "a comparison"
        try:
            if first == second:
                forms.table((first,), lambda a: self.holds((values[a], values[a])), title)
            else:
                forms.table((first, second), lambda a, b: self.holds((values[a], values[b])), title)
        except TypeError as error:
            raise ModelError(f"{title} cannot compare the values of model {forms.model.name!r}: {error}") from error
