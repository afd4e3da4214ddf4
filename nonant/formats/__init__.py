"""Reading and writing puzzles: `read` and `read_all` take every form in use, `write` makes them.

What they take: one line of symbols, several lines, decorated grids, numbers with blanks or commas between, lists with
one puzzle a line, tables with a heading line, files with sections, pencil marks, sukaku, jigsaws with their region
map, cubes plane by plane. `nonant.formats.recognise` tells how a text is recognised, `nonant.formats.alphabet` what the
symbols mean, `nonant.formats.writing` what is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nonant.formats.reading import Entry, entries, read, read_all

if TYPE_CHECKING:
    from nonant.csp.model import Puzzle
    from nonant.csp.results import Solution

__all__ = ["Entry", "entries", "forms", "read", "read_all", "write"]


def forms() -> tuple[str, ...]:
    """The names of the forms that `write` knows."""
    from nonant.formats import writing  # loaded when first used: who only reads needs none of it

    return writing.forms()


def write(item: Puzzle | Solution, form: str = "line") -> str:
    """The puzzle or solution as text, without a line end at its end; see `nonant.formats.writing`.

    Raises:
        ModelError: for an unknown form, or one that cannot hold the puzzle.
    """
    from nonant.formats import writing

    return writing.write(item, form)
