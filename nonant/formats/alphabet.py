"""What the symbols mean: from the tokens of one puzzle to indices in `model.values`.

Up to nine values there is nothing to decide: `1`..`9` are the values, and `.`, `0`, `_`, `-` and `*` are empty (the
last two only inside a run of symbols; alone they are borders, see `scan`). A model that has one of these as a value
keeps it as a value: with values 0 and 1, `0` is no empty cell.

With the values 1..n, n above nine, three ways of writing them are in use, and the puzzle itself must tell which:

- A=10: `1`..`9`, then `A` = 10, ... `Z` = 35; `.` and `0` are empty. The rule unless something speaks against it.
- from zero (hexadecimal on 16x16): `0` is the first value, `9` the tenth, `F` the sixteenth. Taken when `0` occurs, the
  top symbol of the other way (`G` on 16x16) does not, and something else (`.` or `_`) stands for empty.
- letters: `A` = 1, ... `P` = 16. Taken when no digit from 1 on occurs and some letter lies above A=10's top symbol.

Where `0` is the only sign that could be empty and the top symbol does not occur, the first two ways differ. A value
stands at most n times in a grid of n values, so more than n zeros are empty cells; up to n zeros could be either, and
that is an error rather than a guess. A grid with neither `0` nor the top symbol reads the same either way, up to the
names of the values. Small letters are as good as capitals, unless the model has both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from nonant.csp.errors import ParseError
from nonant.csp.model import Model
from nonant.csp.symbols import BLANKS, DIGITS
from nonant.formats.scan import Token
from nonant.formats.source import shortened

Table = Mapping[str, int | None]


def values_of(cells: Sequence[Token], model: Model, run: bool = True) -> tuple[int | None, ...]:
    """For each token the index of its value in `model.values`, None for empty.

    Args:
        cells: one token a cell.
        model: the rules.
        run: true when the cells stood in runs (`1..A`), false when each stood apart, as numbers do.

    Raises:
        ParseError: for a token that is no value of the model, and for symbols that can be read in two ways.
    """
    table = plain_table(model)
    if not is_plain(model):
        table = _chosen_table(cells, model, table, run)
    try:
        return tuple([table[cell.text] for cell in cells])
    except KeyError:
        return tuple(_place_of(cell, table, model) for cell in cells)  # slower, and names the culprit


def is_plain(model: Model) -> bool:
    """True when the model's symbols can be written in one way only, so that one table reads all its puzzles."""
    return model.n_values <= 9 or tuple(model.values) != tuple(range(1, model.n_values + 1))


def plain_table(model: Model) -> dict[str, int | None]:
    """The model's own symbols, small letters, numbers above nine as numbers, and the signs for empty."""
    table: dict[str, int | None] = {symbol: index for index, symbol in enumerate(model.symbols)}
    for index, value in enumerate(model.values):
        if type(value) is int:
            table.setdefault(str(value), index)
    for index, symbol in enumerate(model.symbols):
        if len(symbol) == 1:
            table.setdefault(symbol.lower(), index)
    for blank in BLANKS:
        table.setdefault(blank, None)
    return table


def _chosen_table(
    cells: Sequence[Token], model: Model, table: dict[str, int | None], run: bool
) -> dict[str, int | None]:
    size = model.n_values
    used = Counter([cell.text.upper() for cell in cells])
    # Digits that stand apart are numbers, of which 0 is always the empty one.
    letters = size <= 35 and all(len(text) == 1 for text in used) and (run or any("A" <= text <= "Z" for text in used))
    top = model.symbols[-1] if letters else str(size)
    if letters and not any(digit in used for digit in DIGITS[1:10]):
        highest = max((text for text in used if "A" <= text <= "Z"), default="A")
        if top < highest <= chr(ord("A") + size - 1):
            return _with_blanks({chr(ord("A") + index): index for index in range(min(size, 26))}, BLANKS)
    if "0" not in used or top in used:
        return table
    if any(blank in used for blank in BLANKS if blank != "0"):
        names = DIGITS[:size] if letters else [str(number) for number in range(size)]
        return _with_blanks({name: index for index, name in enumerate(names)}, BLANKS)
    if letters and used["0"] <= size:
        zero = next(cell for cell in cells if cell.text == "0")
        raise ParseError(
            f"0 may be empty here (symbols 1..{top}) or a value (0..{DIGITS[size - 1]}), and nothing tells which",
            line=zero.line,
            column=zero.column,
            expected="write . for empty, or the values as numbers with spaces between",
        )
    return table


def _with_blanks(table: dict[str, int | None], blanks: Sequence[str]) -> dict[str, int | None]:
    for symbol, index in tuple(table.items()):
        table.setdefault(symbol.lower(), index)
    for blank in blanks:
        table.setdefault(blank, None)
    return table


def _place_of(cell: Token, table: Table, model: Model) -> int | None:
    text = cell.text
    if text in table:
        return table[text]
    # 07 is 7. (A long text is not even tried: int() takes time that grows with the square of its length.)
    if is_number(text) and len(text) <= 9 and str(int(text)) in table:
        return table[str(int(text))]
    raise wrong_symbol(cell, model)


def is_number(text: str) -> bool:
    """True for ASCII digits with or without a minus: `str.isdigit` would take superscripts and other scripts."""
    digits = text[1:] if text[:1] == "-" else text
    return digits.isascii() and digits.isdigit()


def wrong_symbol(cell: Token, model: Model) -> ParseError:
    """The error for a token that is no value of the model."""
    text, code = cell.text, ord(cell.text[0])
    if len(text) == 1 and 0xDC80 <= code <= 0xDCFF:
        message = f"byte 0x{code - 0xDC00:02x} is not UTF-8 text"
    elif is_number(text):
        message = f"{shortened(text)[1:-1]} is not a value of {short_name(model)}"
    else:
        message = f"{shortened(text)} is not a symbol of {short_name(model)}"
    return ParseError(message, line=cell.line, column=cell.column, expected=f"expected {values_shown(model, text)}")


def values_shown(model: Model, beside: str = "") -> str:
    """The model's values in a few words, as numbers where the text has numbers: `1..9, or . 0 _ for empty`."""
    shown = [str(value) for value in model.values] if is_number(beside) else list(model.symbols)
    span = " ".join(shown) if len(shown) <= 2 else f"{shown[0]}..{shown[-1]}"
    blanks = " ".join(blank for blank in BLANKS[:3] if blank not in model.symbols)
    return f"{span}, or {blanks} for empty"


def short_name(model: Model) -> str:
    """The model's name; a jigsaw's holds its whole map, which would be too much for a message."""
    return model.name if len(model.name) <= 30 else model.name[:20] + "..."


def masks_of(groups: Sequence[Token], model: Model) -> Iterator[int]:
    """For each group of symbols the mask of its values: pencil marks.

    Raises:
        ParseError: for a symbol that is no value of the model.
    """
    table = plain_table(model)
    for text, line, column in groups:
        mask = 0
        for offset, symbol in enumerate(text):
            index = table.get(symbol, -1)
            if index == -1:
                raise wrong_symbol(Token(symbol, line, column + offset), model)
            if index is not None:
                mask |= 1 << index
        yield mask
