"""What the constraint classes share: the operators, and the checks of what a user hands in."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
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


def title(constraint: Any) -> str:
    """What messages call a constraint: its class, and its name where it has one."""
    return f"{type(constraint).__name__} {constraint.name!r}" if constraint.name else type(constraint).__name__


def check_operator(constraint: Any, relation: str, known: tuple[str, ...]) -> None:
    """Refuse a relation that is not one of `known`."""
    if relation not in known:
        raise ModelError(f"{title(constraint)} has the relation {relation!r}; use one of {' '.join(known)}")


def cells_of(constraint: Any) -> tuple[Any, ...]:
    """The cells of a constraint as a tuple; refused if they are no list."""
    try:
        return tuple(constraint.cells)
    except TypeError as error:
        raise ModelError(f"{title(constraint)} is over {constraint.cells!r}; give a list of cells") from error


def whole(constraint: Any, what: str, number: Any) -> int:
    """A number as an int; refused if it is not whole."""
    try:
        return operator.index(number)
    except TypeError as error:
        raise ModelError(f"{title(constraint)} has the {what} {number!r}; give a whole number") from error
