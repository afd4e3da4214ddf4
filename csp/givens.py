"""Givens and pencil marks in the forms that `Model.puzzle` takes, and a row of values as one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nonant.csp.errors import ModelError
from nonant.csp.symbols import BLANKS

if TYPE_CHECKING:
    from nonant.csp.model import Model

EMPTY = frozenset({*BLANKS, ""})


def line_of(model: Model, places: Iterable[int | None]) -> str:
    """Values (as places in `model.values`, None for empty) as one line: symbols, or numbers with spaces between."""
    symbols = model.symbols
    separator = "" if all(len(symbol) == 1 for symbol in symbols) else " "
    return separator.join("." if place is None else symbols[place] for place in places)


def read_givens(model: Model, givens: Any) -> tuple[int | None, ...]:
    """Givens in any of the forms that `Model.puzzle` takes, as one place of a value (or None) a cell."""
    entries = entries_of(model, givens)
    if len(entries) != model.n_cells:
        raise ModelError(
            f"{len(entries)} givens for the {model.n_cells} cells of model {model.name!r}; give one a cell"
        )
    return tuple(value_of(model, entry, name) for entry, name in zip(entries, model.names, strict=True))


def entries_of(model: Model, givens: Any) -> list[Any]:
    """What stands in each cell, as it was given; as many entries as there are, unless cells are named.

    Raises:
        ModelError: for a cell that there is not, and for what has no entries.
    """
    if givens is None:
        return [None] * model.n_cells
    if isinstance(givens, Mapping):
        found: list[Any] = [None] * model.n_cells
        for cell, value in givens.items():
            at = model.index(cell)
            # None may be a value; in a list it is an empty cell.
            found[at] = model.symbols[model.value_index[None]] if value is None and None in model.value_index else value
        return found
    if isinstance(givens, str):
        words: list[Any] = givens.split()
        return list(givens) if len(words) == 1 and model.n_cells != 1 else words
    if isinstance(givens, Iterable):
        return list(_leaves(givens))
    raise ModelError(f"givens are a line, a grid or a mapping cell -> value, not {givens!r}")


def _leaves(nested: Any) -> Iterator[Any]:
    nested = nested.tolist() if hasattr(nested, "tolist") else nested
    for item in nested:
        if isinstance(item, str) or not isinstance(item, Iterable):
            yield item
        else:
            yield from _leaves(item)


def value_of(model: Model, value: Any, where: str) -> int | None:
    """The index of the value that an entry is, None for an empty cell.

    Raises:
        ModelError: for what is no value of the model; it names the cell, `where`.
    """
    if value is None:
        return None
    place = _place_of(model, value)
    if place is None and not _is_blank(value):
        raise _not_a_value(model, value, where)
    return place


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
    """Pencil marks as one mask of value places a cell.

    An entry is None, empty or a blank sign for "any value", one value, a symbol, a string of symbols (with blanks or
    commas between where symbols are longer than one character), or an iterable of values.
    """
    found = [(1 << model.n_values) - 1] * model.n_cells
    if marks is None:
        return tuple(found)
    if isinstance(marks, Mapping):
        entries = [(model.index(cell), values) for cell, values in marks.items()]
    else:
        listed = list(marks) if isinstance(marks, Iterable) else []
        if len(listed) != model.n_cells:
            raise ModelError(
                f"{len(listed)} pencil marks for {model.n_cells} cells of model {model.name!r}; give one a cell, or a "
                "mapping cell -> values"
            )
        entries = list(enumerate(listed))
    for at, entry in entries:
        places = _marked(model, entry, model.names[at])
        if places:
            found[at] = sum(1 << place for place in places)
    return tuple(found)


def _marked(model: Model, entry: Any, where: str) -> set[int]:
    """The places of the values that an entry lists; none for "any value"."""
    whole = _place_of(model, entry)
    if whole is not None:
        return {whole}
    if _is_blank(entry):
        return set()
    if isinstance(entry, str):
        words = entry.replace(",", " ").split()
        short = len(words) == 1 and all(len(symbol) == 1 for symbol in model.symbols)
        values: Iterable[Any] = words[0] if short else words
    elif isinstance(entry, Iterable):
        values = entry
    else:
        values = (entry,)
    places = set()
    for value in values:
        place = _place_of(model, value)
        if place is None:
            raise _not_a_value(model, value, where)
        places.add(place)
    return places


def _is_blank(entry: Any) -> bool:
    return entry is None or (isinstance(entry, str) and entry.strip() in EMPTY) or (type(entry) is int and entry == 0)


def _not_a_value(model: Model, value: Any, where: str) -> ModelError:
    first, last = (model.symbols[0], model.symbols[-1]) if model.values else ("-", "-")
    return ModelError(f"{where} cannot be {value!r}; model {model.name!r} has the values {first}..{last}")
