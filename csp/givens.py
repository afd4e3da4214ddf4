"""Givens and pencil marks in the forms that `Model.puzzle` takes, and a row of values as one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nonant.csp.errors import ModelError

if TYPE_CHECKING:
    from nonant.csp.model import Model

EMPTY = frozenset({".", "0", "_", "*", ""})


def line_of(model: Model, places: Iterable[int | None]) -> str:
    """Values (as places in `model.values`, None for empty) as one line: symbols, or numbers with spaces between."""
    symbols = model.symbols
    separator = "" if all(len(symbol) == 1 for symbol in symbols) else " "
    return separator.join("." if place is None else symbols[place] for place in places)


def read_givens(model: Model, givens: Any) -> tuple[int | None, ...]:
    """Givens in any of the forms that `Model.puzzle` takes, as one place of a value (or None) a cell."""
    if givens is None:
        return (None,) * model.n_cells
    if isinstance(givens, Mapping):
        found: list[int | None] = [None] * model.n_cells
        for cell, value in givens.items():
            found[model.index(cell)] = _value_place(model, value, model.names[model.index(cell)])
        return tuple(found)
    if isinstance(givens, str):
        words: list[Any] = givens.split()
        entries = list(givens) if len(words) == 1 and model.n_cells != 1 else words
    else:
        entries = list(_leaves(givens))
    if len(entries) != model.n_cells:
        raise ModelError(
            f"{len(entries)} givens for the {model.n_cells} cells of model {model.name!r}; give one a cell"
        )
    return tuple(_value_place(model, entry, name) for entry, name in zip(entries, model.names, strict=True))


def _leaves(nested: Any) -> Iterator[Any]:
    nested = nested.tolist() if hasattr(nested, "tolist") else nested
    for item in nested:
        if isinstance(item, str) or not isinstance(item, Iterable):
            yield item
        else:
            yield from _leaves(item)


def _value_place(model: Model, value: Any, where: str) -> int | None:
    if value is None:
        return None
    place = _place_of(model, value)
    if place is not None:
        return place
    if value in EMPTY or (type(value) is int and value == 0):
        return None
    first, last = (model.symbols[0], model.symbols[-1]) if model.values else ("-", "-")
    raise ModelError(f"{where} cannot be {value!r}; model {model.name!r} has the values {first}..{last}")


def _place_of(model: Model, value: Any) -> int | None:
    try:
        if value in model.value_index:
            return model.value_index[value]
    except TypeError:
        return None
    if isinstance(value, str):
        for place, symbol in enumerate(model.symbols):
            if value == symbol or (value.upper() == symbol and len(symbol) == 1):
                return place
        if value.lstrip("-").isdecimal():
            return model.value_index.get(int(value))
    return None


def read_marks(model: Model, marks: Any) -> tuple[int, ...]:
    """Pencil marks as one mask of value places a cell."""
    every = (1 << model.n_values) - 1
    found = [every] * model.n_cells
    if marks is None:
        return tuple(found)
    if isinstance(marks, Mapping):
        entries = [(model.index(cell), values) for cell, values in marks.items()]
    else:
        listed = list(marks)
        if len(listed) != model.n_cells:
            raise ModelError(f"{len(listed)} pencil marks for {model.n_cells} cells of model {model.name!r}")
        entries = list(enumerate(listed))
    for at, values in entries:
        if values is None or (not isinstance(values, int) and len(values) == 0):
            continue
        mask = 0
        for value in (values,) if isinstance(values, int) else values:
            place = _value_place(model, value, model.names[at])
            if place is not None:
                mask |= 1 << place
        found[at] = mask
    return tuple(found)
