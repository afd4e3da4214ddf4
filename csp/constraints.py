"""The five constraint classes: `Unit`, `Sum`, `Relation`, `Parity`, `Compare`.

Each is a frozen record with one plain `holds(values)`, the oracle against which every encoder of every backend is
tested. Cells may be given by coordinates, label or name; the model resolves them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nonant.csp.errors import ModelError

OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Unit:
    """Cells that must all differ. `kind` says what the unit is to a person: row, column, box, region, plane, ..."""

    cells: Sequence[Any]
    name: str = ""
    kind: str = "unit"

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", _cells(self))

    def holds(self, values: Sequence[Any]) -> bool:
        """True when the values, in the order of `cells`, are pairwise different."""
        return len(set(values)) == len(values)


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
        object.__setattr__(self, "cells", _cells(self))
        object.__setattr__(self, "total", _whole(self, "total", self.total))
        if self.coefficients is not None:
            weights = tuple(_whole(self, "coefficient", weight) for weight in self.coefficients)
            object.__setattr__(self, "coefficients", weights)
            if len(self.coefficients or ()) != len(self.cells):
                raise ModelError(
                    f"{title(self)} has {len(self.cells)} cells and {len(self.coefficients or ())} coefficients; "
                    "give one coefficient a cell"
                )
        _check_operator(self, self.relation, ("==", "<=", ">=", "!="))

    @property
    def weights(self) -> tuple[int, ...]:
        """The coefficients, written out."""
        return (1,) * len(self.cells) if self.coefficients is None else tuple(self.coefficients)

    def holds(self, values: Sequence[Any]) -> bool:
        """True when the weighted sum of the values stands in the relation to the total."""
        found = sum(weight * value for weight, value in zip(self.weights, values, strict=True))
        return OPERATORS[self.relation](found, self.total)


@dataclass(frozen=True)
class Relation:
    """The allowed tuples of values, or a Python predicate over few cells (it is tabulated when the model is compiled).

    `allowed` is an iterable of tuples in the order of `cells`, or a callable that takes the values as arguments.
    """

    cells: Sequence[Any]
    allowed: Collection[Sequence[Any]] | Callable[..., bool]
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", _cells(self))
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


@dataclass(frozen=True)
class Parity:
    """The sum of the cells' values is odd (`odd=True`) or even (`odd=False`): over 0 and 1, their XOR.

    The right-hand side has no default, since half of all readers take an XOR clause as "= 0" and half as "= 1".
    """

    cells: Sequence[Any]
    odd: bool
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", _cells(self))
        object.__setattr__(self, "odd", bool(self.odd))

    def holds(self, values: Sequence[Any]) -> bool:
        """True when the sum of the values has the stated parity."""
        return bool(sum(values) % 2 == self.odd)


@dataclass(frozen=True)
class Compare:
    """Two cells in order: `left relation right + offset`, with relation one of ==, !=, <, <=, >, >=."""

    left: Hashable
    relation: str
    right: Hashable
    offset: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        _check_operator(self, self.relation, tuple(OPERATORS))
        object.__setattr__(self, "offset", _whole(self, "offset", self.offset))

    @property
    def cells(self) -> tuple[Hashable, ...]:
        """The two cells, left first."""
        return (self.left, self.right)

    def holds(self, values: Sequence[Any]) -> bool:
        """True when the two values stand in the relation."""
        left, right = values
        return OPERATORS[self.relation](left, right + self.offset if self.offset else right)


Constraint = Unit | Sum | Relation | Parity | Compare
CONSTRAINT_CLASSES = (Unit, Sum, Relation, Parity, Compare)


def title(constraint: Any) -> str:
    """What messages call a constraint: its class, and its name where it has one."""
    return f"{type(constraint).__name__} {constraint.name!r}" if constraint.name else type(constraint).__name__


def _check_operator(constraint: Any, relation: str, known: tuple[str, ...]) -> None:
    if relation not in known:
        raise ModelError(f"{title(constraint)} has the relation {relation!r}; use one of {' '.join(known)}")


def _cells(constraint: Any) -> tuple[Any, ...]:
    try:
        return tuple(constraint.cells)
    except TypeError as error:
        raise ModelError(f"{title(constraint)} is over {constraint.cells!r}; give a list of cells") from error


def _whole(constraint: Any, what: str, number: Any) -> int:
    try:
        return operator.index(number)
    except TypeError as error:
        raise ModelError(f"{title(constraint)} has the {what} {number!r}; give a whole number") from error
