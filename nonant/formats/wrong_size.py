"""What is wrong with a text whose number of entries is that of no puzzle, said in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from nonant.csp.errors import ParseError
from nonant.csp.model import Model
from nonant.formats.rules import MOST_ROWS, Rules, layouts
from nonant.formats.scan import Row, symbols_of
from nonant.formats.source import shortened
from nonant.models.sizes import usual_box


def wrong_size(
    rows: Sequence[Row], symbols: Sequence[int], tokens: Sequence[int], as_symbols: bool, rules: Rules
) -> ParseError:
    """The error for rows that fit no model.

    Args:
        rows: the rows, at least one.
        symbols: how many characters each row has.
        tokens: how many tokens each row has.
        as_symbols: count characters rather than tokens.
        rules: the models that there could have been.
    """
    strange = _strange(rows)
    if strange is not None:
        return strange
    compact = rules.for_cells(sum(symbols))
    if compact is not None and any(len(symbol) > 1 for symbol in compact.symbols):
        return ParseError(
            f"not every value of {compact.name[:30]} has a symbol of one character",
            line=rows[0].number,
            expected="write numbers with spaces between",
        )
    counts, word = (symbols, "symbols") if as_symbols else (tokens, "numbers")
    first = rows[0].number
    if len(counts) == 1:
        return ParseError(f"{counts[0]} {word}", line=first, expected=_expected_cells(counts[0], rules))
    sizes = Counter(counts)
    common = max(sizes, key=lambda size: sizes[size])
    if len(sizes) > 1 and not (rules.fixed and len(set(layouts(rules.fixed)[0])) > 1):
        at = next(at for at, count in enumerate(counts) if count != common)
        return ParseError(
            f"{counts[at]} {word} in this line, {common} in most others",
            line=rows[at].number,
            expected=f"every line must have as many, and there are {len(counts)} lines",
        )
    return ParseError(
        f"{len(counts)} lines of {common} {word}", line=first, expected=_expected_lines(len(counts), common, rules)
    )


def _strange(rows: Sequence[Row]) -> ParseError | None:
    """The error for the first character that no puzzle can hold: it is more likely the cause than the count is."""
    for row in rows:
        for token in row.tokens:
            if token.text.isascii() and token.text.isprintable():
                continue
            for symbol, line, column in symbols_of((token,)):
                if not symbol.isprintable():
                    return ParseError(
                        f"the character {shortened(symbol)} does not belong in a puzzle",
                        line=line,
                        column=column,
                        expected="give plain text, in UTF-8",
                    )
    return None


def _expected_cells(count: int, rules: Rules) -> str:
    if rules.fixed is not None:
        return f"expected {rules.fixed.n_cells}, one a cell of {rules.fixed.name[:30]}, with . for empty"
    if rules.unsaid:
        sizes = [size for size in range(4, MOST_ROWS + 1) if usual_box(size)[0] > 1]
        near = min(sizes, key=lambda size: abs(size * size - count))
        return f"expected {near * near}, one a cell of a {near}x{near} grid, with . for empty"
    if rules.from_map is not None:
        return "expected the givens and as many region characters, e.g. 81 and 81"
    return "this family has no puzzle with so many cells"


def _expected_lines(count: int, width: int, rules: Rules) -> str:
    if rules.fixed is not None:
        return f"expected {_shape(rules.fixed)}"
    if rules.from_map is not None and not rules.unsaid:
        return "expected the lines of the grid, then as many lines of region characters"
    if rules.for_cells(width * width) is not None and count != width:
        more = "; put a blank line between grids" if count > width and count % width == 0 else ""
        return f"a {width}x{width} grid has {width} lines{more}"
    return "no puzzle has this shape; if one has, say which with --model (model= in a program)"


def _shape(model: Model) -> str:
    rows = layouts(model)[0]
    if len(rows) > 1 and len(set(rows)) == 1:
        return f"{len(rows)} lines of {rows[0]}, for {model.name[:30]}"
    return f"{model.n_cells} on one line, or the rows of {model.name[:30]}"
