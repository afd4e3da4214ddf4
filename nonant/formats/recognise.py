"""Which puzzle the rows of a text are: its form (symbols, numbers, pencil marks, ...) and its model.

A reading of a text is a form and a model with which the number of entries in each line agrees. The readings are tried
from the likeliest on, and the first whose entries are all values of its model wins:

1. symbols, one a cell, when all runs between separators are equally long (`4...3....`, `. 2 . | . 3 .`, `..3 .2. 6..`);
2. numbers, one a cell (`10 0 0 16`);
3. pencil marks: one group a cell, of different symbols none of which means empty. A group of one symbol is a mark with
   one value, not a given; only a grid in which every group is one symbol is read as symbols, hence as givens;
4. symbols in runs of unequal length, when a sign for empty in them shows that they are not groups;
5. sukaku: one character a candidate, so n_cells * n_values of them;
6. a jigsaw: as many region characters after the givens as there are cells.

Without a model the shape decides: n*n entries are a classic grid, 27 a cube of planes, 729 characters on one line a
sukaku, n planes of n x n with blank lines between them a solid. A region map must have n regions of n cells, and must
not be a latin square: that would be the solution that many lists print beside their puzzle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import isqrt

from nonant.csp.errors import ModelError, ParseError
from nonant.csp.model import Model, Puzzle
from nonant.csp.symbols import BLANKS
from nonant.formats.alphabet import is_number, masks_of, plain_table, values_of, wrong_symbol
from nonant.formats.regions import region_numbers
from nonant.formats.rules import Rules, layouts, of_family
from nonant.formats.scan import Row, Token, symbols_of

Block = Sequence[Row]


@dataclass(frozen=True)
class Reading:
    """A way to read a text; `puzzle` raises a ParseError when an entry turns out to be no value of the model."""

    form: str
    puzzle: Callable[[], Puzzle]


@dataclass(frozen=True)
class Text:
    """The rows of one puzzle, in blocks with blank lines between them, and what can be seen of them at a glance."""

    blocks: tuple[Block, ...]

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All rows."""
        return tuple(row for block in self.blocks for row in block)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """All tokens."""
        return tuple(token for row in self.rows for token in row.tokens)

    @cached_property
    def symbols(self) -> tuple[Token, ...]:
        """All characters of the tokens."""
        return tuple(symbols_of(self.tokens))

    @cached_property
    def token_counts(self) -> tuple[int, ...]:
        """How many tokens each row has."""
        return tuple(len(row.tokens) for row in self.rows)

    @cached_property
    def symbol_counts(self) -> tuple[int, ...]:
        """How many characters the tokens of each row have."""
        return tuple(sum(len(token.text) for token in row.tokens) for row in self.rows)

    @cached_property
    def widths(self) -> frozenset[int]:
        """The lengths of the tokens that occur."""
        return frozenset(len(token.text) for token in self.tokens)

    @cached_property
    def single(self) -> bool:
        """True when every token is one character."""
        return self.widths == {1}

    @cached_property
    def even(self) -> bool:
        """True when the tokens are runs of symbols by their look: equally long, or one on each line."""
        return len(self.widths) == 1 or set(self.token_counts) == {1}

    @cached_property
    def numeric(self) -> bool:
        """True when every token of several characters is a number."""
        return all(len(token.text) == 1 or is_number(token.text) for token in self.tokens)

    @cached_property
    def grouped(self) -> bool:
        """True when many tokens have several digits, none of them to fill up a number (01 02)."""
        return 4 * sum(len(token.text) > 1 and token.text[0] != "0" for token in self.tokens) > len(self.tokens)


def recognise(blocks: Sequence[Block], rules: Rules) -> Puzzle:
    """The puzzle that these rows are.

    Raises:
        ParseError: if they are none, or could be two different ones.
    """
    problem: ParseError | None = None
    text = Text(tuple(blocks))
    for reading in readings(text, rules):
        try:
            return reading.puzzle()
        except ParseError as error:
            problem = problem or error
    if problem is not None:
        raise problem
    from nonant.formats.wrong_size import wrong_size  # only for what is wrong

    raise wrong_size(text.rows, text.symbol_counts, text.token_counts, text.even or not text.numeric, rules)


def readings(text: Text, rules: Rules) -> Iterator[Reading]:
    """The readings with which the numbers of entries agree, the likeliest first."""
    if rules.unsaid:
        if text.symbol_counts == (729,) and not any("A" <= cell.text.upper() <= "Z" for cell in text.symbols):
            yield from _sukaku(text, rules)
        size = len(text.blocks)
        if size > 3 and all(len(block) == size for block in text.blocks):
            if text.even and set(text.symbol_counts) == {size}:
                yield Reading("planes", partial(_solid, text.symbols, size))
            elif set(text.token_counts) == {size}:
                yield Reading("planes", partial(_solid, text.tokens, size))
    if text.even:
        yield from _symbols(text, rules)
    if not text.single:
        yield from _numbers(text, rules)
        yield from _marks(text, rules)
    if not text.even and (rules.fixed or any(_holds_blank(token.text) for token in text.tokens)):
        yield from _symbols(text, rules)
    yield from _sukaku(text, rules)
    yield from _jigsaw(text, rules)


def _holds_blank(token: str) -> bool:
    return len(token) > 1 and any(blank in token for blank in BLANKS)


def _fitting(counts: tuple[int, ...], rules: Rules) -> Model | None:
    """The model that has lines of these numbers of cells; without one being said, only rows or one line."""
    model = rules.for_cells(sum(counts))
    if model is None:
        return None
    known = layouts(model)
    return model if counts in ((known[0], known[-1]) if rules.unsaid else known) else None


def puzzle_of(model: Model, givens: tuple[int | None, ...], masks: tuple[int, ...] | None = None) -> Puzzle:
    """The puzzle with these givens and pencil marks."""
    every = (1 << model.n_values) - 1
    return Puzzle(model, givens, (every,) * model.n_cells if masks is None else masks)


# -- symbols and numbers -----------------------------------------------------------------------------------------------


def _symbols(text: Text, rules: Rules) -> Iterator[Reading]:
    model = _fitting(text.symbol_counts, rules)
    if model is not None and (text.single or all(len(symbol) == 1 for symbol in model.symbols)):
        yield Reading("symbols", lambda: puzzle_of(model, values_of(text.symbols, model, run=not text.single)))


def _numbers(text: Text, rules: Rules) -> Iterator[Reading]:
    model = _fitting(text.token_counts, rules)
    if model is None:
        return
    if any(len(symbol) > 1 for symbol in model.symbols):
        known = True
    elif model.n_values > 9:
        known = text.numeric
    else:
        # No value has two digits: many groups of digits are then pencil marks, perhaps wrong ones. Where 0 is a value,
        # 01 is such a group too, and not a number with a zero in front.
        known = text.numeric and not text.grouped and "0" not in model.symbols
    if known:
        yield Reading("numbers", lambda: puzzle_of(model, values_of(text.tokens, model, run=False)))


# -- pencil marks ------------------------------------------------------------------------------------------------------


def _marks(text: Text, rules: Rules) -> Iterator[Reading]:
    model = _fitting(text.token_counts, rules)
    if model is not None and all(len(symbol) == 1 for symbol in model.symbols):
        yield Reading("marks", partial(_from_groups, text.tokens, model))


def _from_groups(groups: Sequence[Token], model: Model) -> Puzzle:
    table = plain_table(model)
    for text, line, column in groups:
        for offset, symbol in enumerate(text):
            token = Token(symbol, line, column + offset)
            if table.get(symbol) is None:
                raise wrong_symbol(token, model)
            if symbol in text[:offset]:
                raise ParseError(
                    f"{symbol} stands twice among the pencil marks {text!r}",
                    line=line,
                    column=token.column,
                    expected="each value at most once",
                )
    return puzzle_of(model, (None,) * model.n_cells, tuple(masks_of(groups, model)))


def _sukaku(text: Text, rules: Rules) -> Iterator[Reading]:
    total = sum(text.symbol_counts)
    model = rules.fixed
    if model is None:
        size = round(total ** (1 / 3))
        model = rules.for_cells(size * size) if size**3 == total else None
    if model is None or model.n_cells * model.n_values != total or any(len(symbol) > 1 for symbol in model.symbols):
        return
    size = model.n_values
    on_a_line = text.symbol_counts == (total,) and (not rules.unsaid or size == 9)
    in_groups = text.widths == {size} and text.token_counts in layouts(model)
    if size > 1 and (on_a_line or in_groups):
        groups = [
            Token("".join(cell.text for cell in text.symbols[at : at + size]), *text.symbols[at][1:])
            for at in range(0, total, size)
        ]
        yield Reading("sukaku", lambda: puzzle_of(model, (None,) * model.n_cells, tuple(masks_of(groups, model))))


# -- jigsaw and solids -------------------------------------------------------------------------------------------------


def _jigsaw(text: Text, rules: Rules) -> Iterator[Reading]:
    if rules.from_map is None and rules.fixed is None:
        return
    counts = text.symbol_counts if text.even else text.token_counts
    n_cells = sum(counts) // 2
    size = isqrt(n_cells)
    shapes = ((2 * n_cells,), (n_cells, n_cells), (size,) * (2 * size))
    if size < (4 if rules.unsaid else 2) or 2 * size * size != sum(counts) or counts not in shapes:
        return
    if rules.fixed is not None and rules.fixed.shape != (size, size):
        return
    cells = text.symbols if text.even else text.tokens
    givens, region_map = cells[:n_cells], cells[n_cells:]
    # Who says "jigsaw" learns what is wrong with the map; else what is no map is not taken for one.
    said = not rules.unsaid and rules.fixed is None
    if said or is_region_map([cell.text for cell in region_map], size):
        yield Reading("jigsaw", lambda: _from_map(givens, region_map, rules))


def _from_map(givens: Sequence[Token], region_map: Sequence[Token], rules: Rules) -> Puzzle:
    first = region_map[0]
    if rules.fixed is not None:
        model = rules.fixed
        if not _has_regions(model, region_map):
            raise ParseError(
                f"the text brings a region map, which is not the one of model {model.name[:20]!r}",
                line=first.line,
                column=first.column,
                expected="leave the map or the model out",
            )
    else:
        separator = "" if all(len(region.text) == 1 for region in region_map) else ","
        try:
            assert rules.from_map is not None
            model = rules.from_map(separator.join(region.text for region in region_map))
        except ModelError as error:
            raise ParseError(str(error), line=first.line, column=first.column) from None
    return puzzle_of(model, values_of(givens, model))


def is_region_map(names: Sequence[str], size: int) -> bool:
    """True for `size` regions of `size` cells which are not all once in each row and column (that is a solution)."""
    regions = Counter(names)
    if len(names) != size * size or len(regions) != size or set(regions.values()) != {size}:
        return False
    if not all(name.isascii() and name.isalnum() for name in regions):
        return False
    lines = [names[at * size : (at + 1) * size] for at in range(size)]
    return any(len(set(line)) < size for line in lines) or any(
        len(set(line)) < size for line in zip(*lines, strict=True)
    )


def _has_regions(model: Model, region_map: Sequence[Token]) -> bool:
    """True when the model's boxes or regions are those of the map, under any names."""
    numbers = region_numbers(model)
    if numbers is None:
        return False
    pairs = set(zip(numbers, (region.text for region in region_map), strict=True))
    return len(pairs) == len({number for number, _ in pairs}) == len({name for _, name in pairs})


def _solid(cells: Sequence[Token], size: int) -> Puzzle:
    """n planes of n x n cells: a lattice cube (values 1..n) or a cube of planes (values 1..n*n), as the givens tell."""
    problem: ParseError | None = None
    lattice, cube = of_family("lattice-cube", size**3), of_family("cube", size**3)
    if lattice is not None:
        try:
            values = values_of(cells, lattice)
        except ParseError as error:
            problem = error  # a value above n, or a symbol that is no value at all
        else:
            if cube is None or _twice_in_a_plane(values, size):
                return puzzle_of(lattice, values)
            raise ParseError(
                f"{size} planes of {size}x{size} may be a cube-{size} or a lattice-cube-{size}; the givens fit both",
                line=cells[0].line,
                expected="say which with --model (model= in a program)",
            )
    if cube is None:
        raise problem or ParseError(f"no family has {size} planes of {size}x{size} cells", line=cells[0].line)
    return puzzle_of(cube, values_of(cells, cube))


def _twice_in_a_plane(values: Sequence[int | None], size: int) -> bool:
    seen: set[tuple[int, int, int]] = set()
    for at, value in enumerate(values):
        if value is not None:
            for axis in range(3):
                key = (axis, at // size**axis % size, value)
                if key in seen:
                    return True
                seen.add(key)
    return False
