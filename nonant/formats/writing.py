"""From puzzles and solutions to text, in every form that `read` takes back.

    line     all cells on one line: symbols, or values with blanks between where a value has no symbol of one character
    grid     the rows of the grid, one a line; planes with a blank line between
    boxes    the grid with its boxes or regions drawn in | - and +
    numbers  the values as numbers in columns, 0 for empty
    csv      the same with commas
    sdm      `line`, as lists with one puzzle a line have it
    sdk      `grid` under the heading [Puzzle]
    marks    for each cell the values that it may take
    sukaku   one character a candidate, on one line
    jigsaw   the givens, then a region character for each cell, on one line
    planes   `grid`, of a model with three dimensions or more

`marks` and `sukaku` hold givens and pencil marks together, as what each cell may take; every other form holds givens
alone, and refuses a puzzle with pencil marks rather than lose them. What is written reads back to the same puzzle when
`read` is given the model. Without it, a model that the shape does not tell (X, windoku, latin) reads as a classic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from nonant.csp.errors import ModelError
from nonant.csp.model import Model, Puzzle
from nonant.csp.results import Solution
from nonant.formats.frames import PLAIN, framed
from nonant.formats.regions import region_numbers
from nonant.formats.rules import layouts
from nonant.formats.scan import is_comment, tokens_of, without_comment
from nonant.formats.sheets import Sheet, sheets_of

REGION_SYMBOLS = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Item = Puzzle | Solution


def forms() -> tuple[str, ...]:
    """The names of the forms."""
    return tuple(_FORMS)


def write(item: Item, form: str = "line") -> str:
    """The puzzle or solution in this form, without a line end at its end.

    Raises:
        ModelError: for an unknown form, a form that the model has not (planes of a flat grid, a jigsaw without
            regions), or one that would lose pencil marks.
    """
    if form not in _FORMS:
        raise ModelError(f"there is no form {form!r}; use one of {', '.join(_FORMS)}")
    if form not in ("marks", "sukaku") and isinstance(item, Puzzle):
        marked = marked_cell(item)
        if marked is not None:
            raise ModelError(f"the form {form!r} would lose the pencil marks, e.g. of {marked}; use marks or sukaku")
    for symbol in item.model.symbols:
        whole = [token.text for token in tokens_of(1, without_comment(symbol))]
        if whole != [symbol] or is_comment(symbol):
            raise ModelError(f"the value {symbol!r} cannot be written so that it reads back; use another one")
    return _FORMS[form](item)


def marked_cell(puzzle: Puzzle) -> str | None:
    """The name of the first cell whose pencil marks say more than its given does, or None."""
    every = (1 << puzzle.model.n_values) - 1
    for name, given, mask in zip(puzzle.model.names, puzzle.givens, puzzle.marks, strict=True):
        if mask != every and (given is None or not mask >> given & 1):
            return name
    return None


def values_of(item: Item) -> tuple[int | None, ...]:
    """For each cell the index of its value, None for empty."""
    return item.givens if isinstance(item, Puzzle) else item.places


def domains(item: Item) -> tuple[int, ...]:
    """For each cell the mask of the values that it may take."""
    return item.domains if isinstance(item, Puzzle) else tuple(1 << value for value in item.places)


def blank_of(model: Model, signs: str = ".0_") -> str:
    """The first of these signs for an empty cell that is not a value itself.

    Raises:
        ModelError: if all are.
    """
    for sign in signs:
        if sign not in model.symbols:
            return sign
    raise ModelError(f"model {model.name[:30]!r} has . 0 and _ as values, and so no sign for an empty cell")


def has_symbols(model: Model) -> bool:
    """True when each value has a symbol of one character."""
    return all(len(symbol) == 1 for symbol in model.symbols)


# -- rows --------------------------------------------------------------------------------------------------------------


def _symbols(item: Item) -> list[str]:
    blank = blank_of(item.model) if None in values_of(item) else ""
    return [blank if value is None else item.model.symbols[value] for value in values_of(item)]


def _numbers(item: Item) -> list[str]:
    values = item.model.values
    zero = any(type(value) is int and value == 0 for value in values)
    blank = blank_of(item.model, "._" if zero else "0._") if None in values_of(item) else ""
    texts = [str(value) if type(value) is int else item.model.symbols[at] for at, value in enumerate(values)]
    return [blank if value is None else texts[value] for value in values_of(item)]


def _rows(model: Model, texts: Sequence[str], separator: str) -> str:
    """The texts of the cells in the rows of the grid, planes with a blank line between."""
    if len(layouts(model)) == 1:
        return separator.join(texts)
    width = max(map(len, texts)) if separator == " " else 0
    return "\n\n".join("\n".join(_sheet_rows(sheet, texts, separator, width)) for sheet in sheets_of(model))


def _sheet_rows(sheet: Sheet, texts: Sequence[str], separator: str, width: int) -> list[str]:
    height, across = sheet.shape
    lines = []
    for row in range(height):
        line = [sheet.indices.get((row, column)) for column in range(across)]
        if separator == ",":  # a gap would read as an empty field, so it is left out
            lines.append(separator.join(texts[cell] for cell in line if cell is not None))
        else:
            gap = " " * max(width, 1)
            lines.append(separator.join(gap if cell is None else texts[cell].rjust(width) for cell in line).rstrip())
    return [line for line in lines if line]


def _line(item: Item) -> str:
    return ("" if has_symbols(item.model) else " ").join(_symbols(item))


def _grid(item: Item) -> str:
    return _rows(item.model, _symbols(item), "" if has_symbols(item.model) else " ")


def _boxes(item: Item) -> str:
    return _drawn(item.model, _symbols(item))


def _drawn(model: Model, texts: Sequence[str]) -> str:
    if len(layouts(model)) == 1:
        return " ".join(texts)
    pictures = (
        framed(sheet.shape, {cell: texts[index] for cell, index in sheet.indices.items()}, sheet.regions, PLAIN)
        for sheet in sheets_of(model)
    )
    return "\n\n".join("\n".join(picture) for picture in pictures)


def _sdk(item: Item) -> str:
    return "[Puzzle]\n" + _grid(item)


def _planes(item: Item) -> str:
    if len(item.model.shape or ()) < 3:
        raise ModelError(f"model {item.model.name[:30]!r} has no planes; use the form 'grid'")
    return _grid(item)


# -- candidates --------------------------------------------------------------------------------------------------------


def _groups(item: Item, full: bool) -> list[str]:
    """For each cell its candidates; `full` groups keep a place for each value, with a sign where it is excluded."""
    model = item.model
    if not has_symbols(model):
        raise ModelError(f"model {model.name[:30]!r} has values without a symbol of one character; use 'numbers'")
    absent = blank_of(model) if full else ""
    return [
        "".join(symbol if mask >> value & 1 else absent for value, symbol in enumerate(model.symbols))
        for mask in domains(item)
    ]


def _marks(item: Item) -> str:
    # Groups of digits could be numbers where a value has two digits, and a cell without a candidate has no group: then
    # every group keeps a place for each value.
    numbers = any(type(value) is int and value > 9 for value in item.model.values)
    groups = _groups(item, full=numbers or 0 in domains(item))
    width = max(map(len, groups), default=1)
    return _drawn(item.model, [group.ljust(width) for group in groups])


def _sukaku(item: Item) -> str:
    return "".join(_groups(item, full=True))


def _jigsaw(item: Item) -> str:
    model = item.model
    numbers, size = region_numbers(model), model.n_values
    if (
        numbers is None
        or len(numbers) != size * size
        or model.shape != (size, size)
        or set(Counter(numbers).values()) != {size}
    ):
        raise ModelError(
            f"model {model.name[:30]!r} is no square with regions as large as its rows; use the form 'grid'"
        )
    if max(numbers) >= len(REGION_SYMBOLS) or not has_symbols(model):
        raise ModelError(f"model {model.name[:30]!r} is too large for one character a region; use the form 'numbers'")
    return "".join(_symbols(item)) + "".join(REGION_SYMBOLS[number] for number in numbers)


_FORMS: dict[str, Callable[[Item], str]] = {
    "line": _line,
    "grid": _grid,
    "boxes": _boxes,
    "numbers": lambda item: _rows(item.model, _numbers(item), " "),
    "csv": lambda item: _rows(item.model, _numbers(item), ","),
    "sdm": _line,
    "sdk": _sdk,
    "marks": _marks,
    "sukaku": _sukaku,
    "jigsaw": _jigsaw,
    "planes": _planes,
}
