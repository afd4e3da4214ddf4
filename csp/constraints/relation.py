"""`Relation`: the allowed tuples of values, or a predicate over few cells."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nonant.csp.constraints.common import cells_of, title
from nonant.csp.errors import ModelError

if TYPE_CHECKING:
    from nonant.csp.form_builder import FormBuilder


MAX_TUPLES = 2_000_000  # a predicate is tabulated up to this many tuples


@dataclass(frozen=True)
class Relation:
    """The allowed tuples of values, or a Python predicate over few cells (it is tabulated when the model is compiled).

    `allowed` is an iterable of tuples in the order of `cells`, or a callable that takes the values as arguments.
    """

    cells: Sequence[Any]
    allowed: Collection[Sequence[Any]] | Callable[..., bool]
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", cells_of(self))
        if not callable(self.allowed):
            try:
                rows = frozenset(tuple(row) for row in self.allowed)
            except TypeError as error:
                raise ModelError(
                    f"{title(self)} allows {self.allowed!r}; give an iterable of tuples of values, or a function"
                ) from error
            for row in rows:
                if len(row) != len(self.cells):
                    raise ModelError(
                        f"{title(self)} is over {len(self.cells)} cells, but its tuple {row!r} has {len(row)} values"
                    )
            object.__setattr__(self, "allowed", rows)

    def holds(self, values: Sequence[Any]) -> bool:
        """True when the tuple of values is allowed.

        Raises:
            ModelError: where the predicate fails; whatever it raises is its author's to mend.
        """
        if not callable(self.allowed):
            return tuple(values) in self.allowed
        try:
            return bool(self.allowed(*values))
        except Exception as error:
            what = self.name or f"relation over {len(self.cells)} cells"
            raise ModelError(f"the predicate of {what} fails: {type(error).__name__}: {error}") from error

    def reduce(self, forms: FormBuilder) -> None:
        """The tuples of value indices; a predicate is asked for every tuple.

        Raises:
            ModelError: for a predicate over more than `MAX_TUPLES` tuples.
        """
        model, values = forms.model, forms.model.values
        cells = model.indices(self)
        distinct = tuple(dict.fromkeys(cells))
        title = self.name or f"relation over {len(cells)} cells"
        if callable(self.allowed):
            size = model.n_values ** len(distinct)
            if size > MAX_TUPLES:
                raise ModelError(
                    f"{title}: a predicate over {len(distinct)} cells of {model.n_values} values has {size} tuples, "
                    f"at most {MAX_TUPLES} are tabulated; split it, or give the allowed tuples"
                )
            column = [distinct.index(cell) for cell in cells]
            forms.table(distinct, lambda *row: self.holds([values[row[at]] for at in column]), title)
            return
        rows = set()
        for allowed in self.allowed:
            row: dict[int, int] = {}
            for cell, value in zip(cells, allowed, strict=True):
                index = model.value_index.get(value)
                if index is None or row.setdefault(cell, index) != index:
                    break  # a value the model does not have, or two values for one cell: no assignment matches it
            else:
                rows.add(tuple(row[cell] for cell in distinct))
        forms.rows(distinct, sorted(rows), title)
