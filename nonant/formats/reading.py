"""From a source to puzzles: one a line, the rows of a table with a heading line, or grids of several lines.

Which of these a source is shows in its first lines. It is a list with one puzzle a line when the first or second line
is a puzzle on its own; else it holds grids, with blank lines or headings between them. Where the first lines could be
both (sixteen lines of sixteen symbols are one 16x16 grid, or sixteen 4x4 grids) a value above 4 decides, and without
one the reader asks. After that everything streams: a list of any length takes the memory of one puzzle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING

from nonant.csp.errors import ParseError
from nonant.csp.model import Model, Puzzle
from nonant.formats.alphabet import is_plain, plain_table
from nonant.formats.recognise import Text, is_region_map, readings, recognise
from nonant.formats.rules import MOST_ROWS, Rules, rules_for
from nonant.formats.scan import Break, Row, Token, scan
from nonant.formats.source import Line, Source, numbered_lines

if TYPE_CHECKING:
    from nonant.formats.table import Heading

# `read` counts the puzzles of a text that should hold one, but not to the end of an endless list.
MANY = 1000
# Lines that are looked at together, to see whether they are one puzzle; a cube of 25 planes has 650.
MOST_TOGETHER = 1000
# No line of a grid has more symbols: there are 35 of one character, and at most `MOST_ROWS` numbers.
LONGEST_ROW = 36


@dataclass(frozen=True)
class Entry:
    """A part of a source that holds a puzzle, or should.

    Attributes:
        line: the number of its first line.
        puzzle: the puzzle, or None where there is an error.
        error: what is wrong, or None.
        name: what stands beside or above it: the rest of the line, a heading, the column `name` of a table.
    """

    line: int
    puzzle: Puzzle | None
    error: ParseError | None = None
    name: str = ""


def entries(source: Source, model: Model | str | None = None) -> Iterator[Entry]:
    """The entries of a source, good and bad, one after the other. What cannot be read at all is a last, bad entry."""
    return _guarded(source, rules_for(model), alone=False)


def read_all(
    source: Source, model: Model | str | None = None, *, on_error: str | Callable[[ParseError], None] = "raise"
) -> Iterator[Puzzle]:
    """The puzzles of a source.

    Args:
        source: text, a path (`.gz` is unpacked on the way), or a text stream.
        model: a model, the name of a model or family, or None for "as the shape tells".
        on_error: "raise", or a function that is called with each error; reading then goes on behind it.

    Raises:
        ParseError: at the first entry that is no puzzle, unless `on_error` takes it.
        ModelError: for a name that is no model's.
    """
    if on_error != "raise" and not callable(on_error):
        raise ValueError(f'on_error is {on_error!r}; give "raise" or a function of the error')
    return _puzzles(entries(source, model), None if isinstance(on_error, str) else on_error)


def read(source: Source, model: Model | str | None = None) -> Puzzle:
    """The one puzzle of a source.

    Args:
        source: text, a path (`.gz` is unpacked on the way), or a text stream.
        model: a model, the name of a model or family, or None for "as the shape tells".

    Raises:
        ParseError: if it is no puzzle, or holds several.
        ModelError: for a name that is no model's.
    """
    found = list(islice(_guarded(source, rules_for(model), alone=True), MANY + 1))
    puzzles = [entry.puzzle for entry in found if entry.puzzle is not None]
    if len(puzzles) > 1:
        number = f"over {MANY:,}" if len(found) > MANY else f"{len(puzzles):,}"
        raise ParseError(
            f"there are {number} puzzles here", line=found[0].line, expected="give one, or read them with read_all"
        )
    for entry in found:
        if entry.error is not None:
            raise entry.error
    if not puzzles:
        raise ParseError("there is no puzzle here", expected="give one symbol a cell, with . for empty")
    return puzzles[0]


def _puzzles(found: Iterator[Entry], on_error: Callable[[ParseError], None] | None) -> Iterator[Puzzle]:
    for entry in found:
        if entry.puzzle is not None:
            yield entry.puzzle
        elif entry.error is not None:
            if on_error is None:
                raise entry.error
            on_error(entry.error)


def _guarded(source: Source, rules: Rules, alone: bool) -> Iterator[Entry]:
    try:
        lines = numbered_lines(source)
        yield from _alone(lines, rules) if alone else _all_entries(lines, rules)
    except ParseError as error:
        yield Entry(error.line or 1, None, error)


def _alone(lines: Iterator[Line], rules: Rules) -> Iterator[Entry]:
    """The entries of a source that should hold one puzzle: all its lines may be one, blank lines or not."""
    start = list(islice(lines, MOST_TOGETHER))
    events = [scan(*line) for line in start]
    rows = [event for event in events if isinstance(event, Row)]
    if len(rows) > 1 and len(start) < MOST_TOGETHER and _heading_of(rows[0].text) is None:
        from nonant.formats.grids import blocks_of

        blocks = list(blocks_of(events))
        together = [block.rows for block in blocks]
        if blocks and _is_one(together, rules):
            yield _entry(together[0][0].number, together, rules, blocks[0].title)
            return
    yield from _all_entries(chain(start, lines), rules)


def _all_entries(lines: Iterator[Line], rules: Rules) -> Iterator[Entry]:
    start, run = _beginning(lines)
    heading = _heading_of(run[0].text) if run else None
    if heading is not None:
        yield from _table_entries(chain(start, lines), heading, rules)
    elif run and not _has_sections(start) and _is_list(run, rules):
        yield from _list_entries(chain(start, lines), rules)
    else:
        yield from _grid_entries(chain(start, lines), rules)


def _heading_of(text: str) -> Heading | None:
    if not any(separator in text for separator in ",;\t"):
        return None
    from nonant.formats.table import heading_of  # here and below: what one line of symbols does not need stays out

    return heading_of(text)


def _beginning(lines: Iterator[Line]) -> tuple[list[Line], list[Row]]:
    """The lines up to the end of the first rows without a blank line between, and these rows."""
    start: list[Line] = []
    run: list[Row] = []
    for line in lines:
        event = scan(*line)
        if isinstance(event, Row):
            run.append(event)
        # Comments and blank lines before the first row may be many, and say nothing.
        if run or (isinstance(event, Break) and event != Break()):
            start.append(line)
        # A single row may be a title that no heading is known by: what comes behind it decides.
        if len(run) > MOST_ROWS or len(start) > MOST_TOGETHER or (len(run) > 1 and isinstance(event, Break)):
            break
    return start, run


def _has_sections(start: Iterable[Line]) -> bool:
    events = (scan(*line) for line in start if line[1].lstrip().startswith("["))
    return any(isinstance(event, Break) and event.section is not None for event in events)


def _is_list(run: Sequence[Row], rules: Rules) -> bool:
    """True when the source has one puzzle a line.

    Raises:
        ParseError: when its first lines may as well be one grid.
    """
    if 1 < len(run) <= MOST_ROWS and _is_one((run,), rules):
        return False
    return _is_long(run[0]) or any(_own_line(row, rules) for row in run[:2])


def _is_one(blocks: Sequence[Sequence[Row]], rules: Rules) -> bool:
    """True when these rows are one puzzle, and not one a line.

    Raises:
        ParseError: when they may be either.
    """
    whole = next(readings(Text(tuple(blocks)), rules), None)
    if whole is None:
        return False
    rows = [row for block in blocks for row in block]
    if whole.form in ("marks", "sukaku", "jigsaw", "planes") or not all(_own_line(row, rules) for row in rows):
        return True
    try:
        for row in rows:
            recognise(((row,),), rules)
    except ParseError:
        return True  # a value that only the large grid has
    raise ParseError(
        f"{len(rows)} lines of {Text((rows,)).symbol_counts[0]} symbols may be one grid, or a puzzle on each line",
        line=rows[0].number,
        expected="say which with --model (model= in a program)",
    )


def _is_long(row: Row) -> bool:
    """True for a line that is too long to be a row of a grid, so that it must have been meant as a puzzle."""
    return len(row.tokens) > MOST_ROWS or any(len(token.text) > LONGEST_ROW for token in row.tokens)


def _grid_entries(lines: Iterable[Line], rules: Rules) -> Iterator[Entry]:
    from nonant.formats.grids import blocks_of, grids_of

    events = (scan(*line) for line in lines)
    for grid in grids_of(blocks_of(events), rules):
        rows = [block.rows for block in grid]
        yield _entry(rows[0][0].number, rows, rules, grid[0].title)


def _entry(line: int, blocks: Sequence[Sequence[Row]], rules: Rules, name: str) -> Entry:
    try:
        return Entry(line, recognise(blocks, rules), None, name)
    except ParseError as error:
        return Entry(error.line or line, None, error, name)


# -- one puzzle a line -------------------------------------------------------------------------------------------------


def _own_line(row: Row, rules: Rules) -> tuple[Row, str] | None:
    """The part of the row that is a puzzle on its own, and the rest of the line as its name; None if there is none."""
    first, form = row.tokens[0], _form_of(row, rules)
    # Groups and numbers are many on a line, and none of them is a puzzle with a name behind it.
    if form not in ("numbers", "marks", "sukaku") and len(row.tokens) > 1 and len(first.text) > 1:
        second = row.tokens[1]
        pair, alone = Row(row.number, (first, second)), Row(row.number, (first,))
        if len(first.text) == len(second.text) and _form_of(pair, rules) == "jigsaw":
            return pair, _name_behind(row, second)
        if _form_of(alone, rules) is not None:
            return alone, _name_behind(row, first)
    return None if form is None else (row, _name_behind(row, row.tokens[-1]))


def _form_of(row: Row, rules: Rules) -> str | None:
    return next((reading.form for reading in readings(Text(((row,),)), rules)), None)


def _name_behind(row: Row, token: Token) -> str:
    return row.text[token.column - 1 + len(token.text) :].strip(" \t,;|#/")


def _list_entries(lines: Iterable[Line], rules: Rules) -> Iterator[Entry]:
    quick: Quick | None = None
    for number, text in lines:
        entry = quick.entry(number, text) if quick else None
        if entry is None:
            row = scan(number, text)
            if not isinstance(row, Row):
                continue
            entry = _slow_entry(row, rules)
            quick = Quick.like(entry.puzzle, rules) or quick
        yield entry


def _slow_entry(row: Row, rules: Rules) -> Entry:
    own = _own_line(row, rules)
    if own is None:  # the error should be about the puzzle, not about what stands behind it
        first = row.tokens[0]
        own = (Row(row.number, (first,)), _name_behind(row, first)) if len(first.text) > 8 else (row, "")
    return _entry(row.number, ((own[0],),), rules, own[1])


def _table_entries(lines: Iterable[Line], heading: Heading, rules: Rules) -> Iterator[Entry]:
    from nonant.formats.table import fields_of, row_of

    quick: Quick | None = None
    below = False
    for number, text in lines:
        if not isinstance(scan(number, text), Row):
            continue
        if not below:
            below = True  # this line is the heading
            continue
        try:
            fields = fields_of(number, text, heading)
        except ParseError as error:
            yield Entry(number, None, error)
            continue
        name = "" if heading.name is None else fields[heading.name].strip()
        puzzle = quick.puzzle(fields[heading.puzzle]) if quick and heading.regions is None else None
        if puzzle is not None:
            yield Entry(number, puzzle, None, name)
            continue
        row = row_of(number, text, fields, heading)
        if row is None:
            yield Entry(number, None, ParseError("the puzzle's column is empty", line=number), name)
            continue
        entry = _entry(number, ((row,),), rules, name)
        quick = Quick.like(entry.puzzle, rules) or quick
        yield entry


@dataclass(frozen=True)
class Quick:
    """The short way for a line that is written like the one before: 81 known symbols are 81 look-ups.

    It answers None whenever there is anything to think about; the long way then finds out what it is.
    """

    model: Model
    table: dict[str, int | None]
    every: tuple[int, ...]

    @staticmethod
    def like(puzzle: Puzzle | None, rules: Rules) -> Quick | None:
        """The short way for puzzles like this one, where there is one."""
        if puzzle is None:
            return None
        model = puzzle.model
        if not is_plain(model) or any(len(symbol) > 1 for symbol in model.symbols):
            return None
        if rules.for_cells(model.n_cells) is not model or model.n_cells < 16:
            return None  # a jigsaw, the next one has other regions; or so few cells that a group of marks has as many
        return Quick(model, plain_table(model), ((1 << model.n_values) - 1,) * model.n_cells)

    def puzzle(self, text: str) -> Puzzle | None:
        """The puzzle that these symbols are, if they are one."""
        if len(text) != self.model.n_cells or text[:1] in ("-", "*"):
            return None
        table = self.table
        try:
            return Puzzle(self.model, tuple([table[symbol] for symbol in text]), self.every)
        except KeyError:
            return None

    def entry(self, number: int, text: str) -> Entry | None:
        """The entry of a line that starts with such symbols."""
        n_cells = self.model.n_cells
        rest = text[n_cells:]
        if rest:
            if rest[0] not in " \t,;#":
                return None
            size = self.model.n_values
            if len(rest) > n_cells and is_region_map(rest[1 : n_cells + 1], size):
                return None
        puzzle = self.puzzle(text[:n_cells])
        return None if puzzle is None else Entry(number, puzzle, None, rest.strip(" \t,;|#/"))
