"""Grids of several lines: which rows belong to one puzzle.

Rows without a blank line between them are a block. A puzzle is one block, or several: bands of a decorated grid, the
planes of a cube, a grid and its region map. Blocks are joined only while what there is so far is no puzzle, so a list
of grids streams grid by grid, and one bad grid does not spoil the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from nonant.csp.errors import ParseError
from nonant.formats.recognise import Text, readings
from nonant.formats.rules import Rules, layouts
from nonant.formats.scan import Break, Row

# More than a cube of 25 planes has rows; what is longer is no grid but a file that is not meant for us.
MOST_LINES = 1000
# Sections that hold the puzzle in files with sections; the others hold a player's progress, notes, settings.
PUZZLE_SECTIONS = ("puzzle", "givens", "clues")


@dataclass(frozen=True)
class Block:
    """Rows without a blank line between them, and the heading above them."""

    rows: tuple[Row, ...]
    title: str = ""


def blocks_of(events: Iterable[Row | Break | None]) -> Iterator[Block]:
    """The blocks of a text.

    Raises:
        ParseError: for a block of too many lines, and for sections none of which is the puzzle's.
    """
    rows: list[Row] = []
    title, other_section, found = "", "", False
    for event in events:
        if isinstance(event, Row):
            if not other_section:
                rows.append(event)
            if len(rows) > MOST_LINES:
                raise ParseError(
                    f"over {MOST_LINES:,} lines without a blank line between them",
                    line=rows[0].number,
                    expected="give one puzzle a line, or a blank line after each grid",
                )
        elif isinstance(event, Break):
            if rows:
                found = True
                yield Block(tuple(rows), title)
                rows, title = [], ""
            title = event.title or title
            if event.section is not None:
                other_section = "" if event.section in PUZZLE_SECTIONS else event.section
    if rows:
        yield Block(tuple(rows), title)
    elif other_section and not found:
        raise ParseError(f"there is a section [{other_section}] but no puzzle", expected="a section [Puzzle]")


def grids_of(blocks: Iterable[Block], rules: Rules) -> Iterator[list[Block]]:
    """The blocks of each puzzle."""
    pending: list[Block] = []
    for block in blocks:
        if pending and not _belongs(pending, block, rules):
            yield pending
            pending = []
        pending.append(block)
    if pending:
        yield pending


def _belongs(pending: list[Block], block: Block, rules: Rules) -> bool:
    """True when the block goes on with the puzzle that the pending ones began."""
    if block.title and not block.title.lower().startswith(("plane", "layer", "level")):
        return False
    joined = [*pending, block]
    if _form(joined, rules) == "jigsaw":
        return True
    if _form(pending, rules) is not None:
        return False
    counts = {count for part in joined for count in Text((part.rows,)).token_counts}
    runs = {count for part in joined for count in Text((part.rows,)).symbol_counts}
    lines = sum(len(part.rows) for part in joined)
    if rules.fixed is not None:
        return lines <= len(layouts(rules.fixed)[0])
    for widths in (counts, runs):
        if len(widths) == 1:
            (width,) = widths
            planes = all(len(part.rows) == width for part in joined)
            if lines <= width or (planes and lines <= width * width):
                return True
    return False


def _form(blocks: Sequence[Block], rules: Rules) -> str | None:
    """The form of the likeliest reading, or None if the blocks are no puzzle."""
    if not blocks:
        return None
    return next((reading.form for reading in readings(Text(tuple(block.rows for block in blocks)), rules)), None)
