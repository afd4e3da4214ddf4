"""Tables: comma-separated files whose first line names the columns, as most published collections are.

The puzzle is looked for in the columns that such files have; a column `regions` beside it makes the puzzle a jigsaw.
"""

from __future__ import annotations

from dataclasses import dataclass

from nonant.csp.errors import ParseError
from nonant.formats.scan import Row, Token, tokens_of
from nonant.formats.source import one_line

# In the order of preference: a table may have the grid in one column and a number of givens in another.
PUZZLE_COLUMNS = ("puzzle", "puzzles", "grid", "sudoku", "quizzes", "quiz", "question", "board", "givens")
REGION_COLUMNS = ("regions", "region", "map", "region_map", "layout")
NAME_COLUMNS = ("name", "title", "id")


@dataclass(frozen=True)
class Heading:
    """Where the columns are.

    Attributes:
        separator: what stands between fields.
        puzzle: the index of the puzzle's column, from 0.
        regions, name: the indices of the region map and of the name, or None.
    """

    separator: str
    puzzle: int
    regions: int | None
    name: int | None


def heading_of(text: str) -> Heading | None:
    """The heading that a line is, or None."""
    if len(text) > 2000:
        return None
    separator = max(",;\t", key=text.count)
    columns = [column.strip(' "').lower() for column in text.split(separator)]
    # "puzzle(x*9+y*3+z)" tells the order of the cells in the column's name.
    bare = [column.split("(")[0].strip() for column in columns]
    puzzle = _first(PUZZLE_COLUMNS, bare)
    if puzzle is None:
        return None
    return Heading(separator, puzzle, _first(REGION_COLUMNS, bare), _first(NAME_COLUMNS, bare))


def _first(wanted: tuple[str, ...], columns: list[str]) -> int | None:
    return next((columns.index(name) for name in wanted if name in columns), None)


def fields_of(number: int, text: str, heading: Heading) -> list[str]:
    """The fields of a line; quotes are taken off where the line has any.

    Raises:
        ParseError: if there are too few, or the quotes are wrong.
    """
    if '"' in text:
        import csv  # quotes are rare: without them a split is all there is to do

        try:
            fields = next(csv.reader([text], delimiter=heading.separator))
        except (csv.Error, StopIteration) as error:
            raise ParseError(f"no line of a table: {one_line(str(error))}", line=number) from None
    else:
        fields = text.split(heading.separator)
    needed = max(heading.puzzle, heading.regions or 0, heading.name or 0) + 1
    if len(fields) < needed:
        raise ParseError(
            f"{len(fields)} fields in this line", line=number, expected=f"the heading line promises at least {needed}"
        )
    return fields


def row_of(number: int, text: str, fields: list[str], heading: Heading) -> Row | None:
    """The tokens of the puzzle's column, and behind them those of the region map; None if there are none."""
    wanted = [heading.puzzle] if heading.regions is None else [heading.puzzle, heading.regions]
    tokens: list[Token] = []
    for column in wanted:
        start = max(text.find(fields[column]), 0)
        tokens.extend(tokens_of(number, fields[column], start))
    return Row(number, tuple(tokens)) if tokens else None
