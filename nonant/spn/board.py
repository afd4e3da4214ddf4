"""Between solve paths and boards: the header that says the rules and the position, and moves from the ladder's steps.

The rules are in the header by name: a family of `nonant.models` with its size and box, or a region map. Other models
are `Custom`; who reads their paths has to have the model. The position is the puzzle and its pencil marks; what a
position is besides (cells filled in, candidates gone) has tags of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from nonant.csp.errors import ModelError, ParseError
from nonant.csp.masks import bits, mask_of
from nonant.csp.model import Model, Puzzle, Unit, line_of
from nonant.csp.symbols import BLANKS
from nonant.formats.regions import region_numbers
from nonant.formats.rules import of_family, usual
from nonant.formats.source import shortened
from nonant.formats.writing import REGION_SYMBOLS
from nonant.models import FAMILY_NAMES, for_cells
from nonant.models import model as named_model
from nonant.spn.names import Names, names_of
from nonant.spn.path import Move, SolvePath
from nonant.spn.proof import claims_of, read_values
from nonant.spn.tokens import END, SIGN, STRING, WORD, Stream, word
from nonant.strategies.board import Board

if TYPE_CHECKING:
    from nonant.strategies.path import Path
    from nonant.strategies.step import Step

CUSTOM = "Custom"
# No header makes the reader build more than this; who has a larger model hands it over.
MOST_SIDE = 64
MOST_CANDIDATES = 120_000


def camel(name: str) -> str:
    """The name of a technique or family in CamelCase: `x-wing` is XWing, `whip[5]` Whip[5]."""
    stem, bracket, length = name.partition("[")
    inside = "".join(sign for sign in length if sign.isalnum())
    words = "".join(sign if sign.isalnum() else " " for sign in stem).split()
    joined = "".join(one[0].upper() + one[1:] for one in words) or "Step"
    return f"{joined}[{inside}]" if bracket and inside else joined


# -- the rules ---------------------------------------------------------------------------------------------------------


def tags_of(model: Model) -> dict[str, str]:
    """The tags from which `model_of` makes the same rules again; `Custom` and the name where it cannot."""
    for made in _candidates(model):
        if made is model or _same_rules(made, model):
            family = next(name for name in FAMILY_NAMES if made.name.startswith(name + "-"))
            rest = made.name[len(family) + 1 :]
            if family == "jigsaw":
                return {"Variant": "Jigsaw", "RegionMap": rest}
            size, _, box = rest.partition("-")
            return {"Variant": camel(family), "Size": size} | ({"Box": box} if box else {})
    return {"Variant": CUSTOM, "Model": model.name}


def _candidates(model: Model) -> Iterator[Model]:
    """Models of the families that may have the same rules, whatever their name."""
    if model.n_cells * model.n_values > MOST_CANDIDATES:
        return
    with suppress(ModelError):
        yield named_model(model.name)
    if model.shape is None:
        return
    numbers = region_numbers(model)
    if len(model.shape) == 2 and numbers is not None and max(numbers) < len(REGION_SYMBOLS):
        with suppress(ModelError):
            yield named_model("jigsaw-" + "".join(REGION_SYMBOLS[number] for number in numbers))
    yield from for_cells(model.n_cells)


def _same_rules(one: Model, other: Model) -> bool:
    if one.names != other.names or one.values != other.values or len(one.constraints) != len(other.constraints):
        return False
    rest, others = ([rule for rule in model.constraints if not isinstance(rule, Unit)] for model in (one, other))
    mine, theirs = one.compiled, other.compiled
    return rest == others and (mine.units, mine.unit_names) == (theirs.units, theirs.unit_names)


def model_of(path: SolvePath, model: Model | str | None = None) -> Model:
    """The rules of a path.

    Args:
        path: the path.
        model: the rules, or their name, where the header is not to be asked.

    Raises:
        ModelError: if the header does not say them.
    """
    if isinstance(model, Model):
        return model
    if model is not None:
        return named_model(model)
    found = _from_header(path)
    if found.n_cells * found.n_values > MOST_CANDIDATES:
        raise ModelError(f"{shortened(found.name)} is too large to be made from a header; give the model")
    return found


def _from_header(path: SolvePath) -> Model:
    variant, size, box = path.tag("Variant"), path.tag("Size"), path.tag("Box")
    plain = "".join(sign for sign in (variant or "").casefold() if sign.isalnum())
    region_map = path.tag("RegionMap")
    if region_map is not None and plain in ("", "jigsaw"):
        if len(region_map) > MOST_CANDIDATES:
            raise ModelError("the tag RegionMap is too long; give the model")
        return named_model(f"jigsaw-{''.join(region_map.split())}")
    family = {name.replace("-", ""): name for name in FAMILY_NAMES}.get(plain or "classic")
    if family is None or family == "jigsaw":
        if plain == CUSTOM.casefold():
            raise ModelError(
                f"the rules of {shortened(path.tag('Model') or 'this path')} are not in the file, only their name; "
                "give the model (--model FILE.py:NAME)"
            )
        names = ", ".join(camel(name) for name in FAMILY_NAMES)
        needs = "needs the tag RegionMap" if family else f"is unknown; known are {names}"
        raise ModelError(f"the Variant {shortened(variant or '')} {needs}")
    if size is None:
        n_cells = len(_entries(path.puzzle or ""))
        found = of_family(family, n_cells) if variant else usual(n_cells)
        if found is None:
            raise ModelError(f"the tag Puzzle has {n_cells} cells, and {family} has no such size; add the tag Size")
        return found
    if not (size.isascii() and size.isdigit() and len(size) < 4 and int(size) <= MOST_SIDE):
        raise ModelError(f"the tag Size is {shortened(size)}; give a number up to {MOST_SIDE}, or give the model")
    return named_model(f"{family}-{size}" + (f"-{box}" if box else ""))


# -- the position ------------------------------------------------------------------------------------------------------


def position_tags(board: Board) -> dict[str, str]:
    """The tags from which `start_of` makes the same board again."""
    model, size = board.model, board.model.n_values
    every = (1 << size) - 1
    puzzle = _puzzle_of(board, lambda cell, domain, rule: domain != rule)
    if not _begins(puzzle, board):  # some cell has one value by its pencil marks, and is not filled in
        puzzle = _puzzle_of(board, lambda cell, domain, rule: bool(board.placed & domain << (cell * size)))
    marks = puzzle.marks
    tags = {"Puzzle": puzzle.line}
    if any(mask != every for mask in marks):
        tags["Marks"] = _listed(model, {cell: mask for cell, mask in enumerate(marks) if mask != every})
    start = Board.from_puzzle(puzzle)
    if start.placed != board.placed:
        tags["Filled"] = board.line
    if start.live != board.live:
        pairs = enumerate(zip(start.cells, board.cells, strict=True))
        tags["Candidates"] = _listed(model, {cell: now for cell, (was, now) in pairs if was != now})
    return tags


def _puzzle_of(board: Board, is_given: Callable[[int, int, int], bool]) -> Puzzle:
    """The puzzle with the board's domains: as a given where there is one value and `is_given`, else as marks."""
    every = (1 << board.model.n_values) - 1
    givens: list[int | None] = []
    marks: list[int] = []
    for cell, (domain, rule) in enumerate(zip(board.domains, board.model.compiled.domains, strict=True)):
        given = domain.bit_count() == 1 and is_given(cell, domain, rule)
        givens.append(domain.bit_length() - 1 if given else None)
        marks.append(every if given or domain == rule else domain)
    return Puzzle(board.model, tuple(givens), tuple(marks))


def _begins(puzzle: Puzzle, board: Board) -> bool:
    start = Board.from_puzzle(puzzle)
    return (start.live, start.placed) == (board.live, board.placed)


def puzzle_of(path: SolvePath, model: Model) -> Puzzle:
    """The puzzle of a header, with its pencil marks.

    Raises:
        ModelError: for a header without a puzzle, or one that does not fit the model.
    """
    if path.puzzle is None:
        raise ModelError('the header has no puzzle; add the tag [Puzzle "..."], one symbol a cell, with . for empty')
    names, size = names_of(model), model.n_values
    marks = [(1 << size) - 1] * model.n_cells
    for cell, mask in _unlisted(names, "Marks", path.tag("Marks")).items():
        marks[cell] = mask
    return Puzzle(model, values_of(names, "Puzzle", path.puzzle), tuple(marks))


def position_of(path: SolvePath, model: Model) -> str:
    """What a header says of the position besides the puzzle, in words; empty where it says nothing.

    Raises:
        ModelError: for what does not fit the model.
    """
    names, parts = names_of(model), []
    filled, candidates = path.tag("Filled"), path.tag("Candidates")
    if filled is not None:
        parts.append(f"with {line_of(model, values_of(names, 'Filled', filled))} filled in")
    if candidates is not None:
        parts.append(f"with the candidates {_listed(model, _unlisted(names, 'Candidates', candidates))}")
    return " and ".join(parts)


def start_of(path: SolvePath, model: Model) -> Board:
    """The board on which a path begins.

    Raises:
        ModelError: for a header without a puzzle, or one that does not fit the model.
    """
    names, size = names_of(model), model.n_values
    board = Board.from_puzzle(puzzle_of(path, model))
    live, placed, filled = board.live, board.placed, path.tag("Filled")
    if filled is not None:
        pairs = enumerate(values_of(names, "Filled", filled))
        placed = sum(1 << (cell * size + value) for cell, value in pairs if value is not None)
    for cell, mask in _unlisted(names, "Candidates", path.tag("Candidates")).items():
        live = live & ~(((1 << size) - 1) << (cell * size)) | mask << (cell * size)
    if placed & ~live:
        cell = next(bits(placed & ~live)) // size
        raise ModelError(f"the tag Filled has a value in {names.cells[cell]} that is no candidate there")
    found = Board(model, live, placed, board.domains)
    for candidate in bits(placed):
        if found.sets.peers[candidate] & live:
            name = names.cells[candidate // size]
            raise ModelError(f"{name} is filled in, and what it excludes is still a candidate by the tag Candidates")
    return found


def values_of(names: Names, tag: str, line: str) -> tuple[int | None, ...]:
    """The cells of a line, as indices of values; None for empty.

    Raises:
        ModelError: for a wrong number of cells, or a symbol that is no value; it names the tag.
    """
    entries = _entries(line) if names.model.n_cells != 1 else line.split()
    if len(entries) != names.model.n_cells:
        raise ModelError(
            f"the tag {tag} has {len(entries)} cells, the model {shortened(names.model.name)} {names.model.n_cells}"
        )
    blank = set(BLANKS) - set(names.model.symbols)
    try:
        return tuple(None if entry in blank else names.find_value(entry) for entry in entries)
    except ModelError as error:
        raise ModelError(f"the tag {tag}: {error}") from None


def _entries(line: str) -> Sequence[str]:
    words = line.split()
    return words if len(words) > 1 else "".join(words)


def _listed(model: Model, masks: Mapping[int, int]) -> str:
    """Cells with the values of a mask: R1C2=1,2 R3C4=5."""
    cells = names_of(model).cells
    return " ".join(
        word(cells[cell]) + "=" + ",".join(word(model.symbols[at]) for at in bits(mask)) for cell, mask in masks.items()
    )


def _unlisted(names: Names, tag: str, text: str | None) -> dict[int, int]:
    """The masks that `_listed` wrote."""
    found: dict[int, int] = {}
    stream = Stream(text or "")
    try:
        while stream.peek().kind != END:
            cell = names.find_cell(stream.name("a cell"))
            stream.expect("=")
            behind = stream.peek(1)
            empty = stream.peek().kind not in (WORD, STRING) or (behind.kind, behind.text) == (SIGN, "=")
            values = () if empty else read_values(stream)
            if cell in found:
                raise ModelError(f"{names.cells[cell]} is listed twice")
            found[cell] = sum({1 << names.find_value(value) for value in values})
    except (ParseError, ModelError) as error:
        raise ModelError(f"the tag {tag}: {error}") from None
    return found


# -- from the ladder ---------------------------------------------------------------------------------------------------


def from_path(path: Path, *, proofs: bool = True, reasons: bool = False) -> SolvePath:
    """The ladder's path in notation.

    Steps of one round are written one after the other, without what those before have done already.

    Args:
        path: the path.
        proofs: with the proof of each move.
        reasons: with the reason of each step as a comment.
    """
    model, solved = path.board.model, path.result == "solved"
    tags = tags_of(model) | position_tags(path.board)
    tags |= ({"Solution": path.end.line} if solved else {}) | {"Result": path.result, "Bill": path.bill}
    board, moves = path.board, []
    for step in path.steps:
        move = _move_of(board, step, proofs, reasons)
        if move is not None:
            moves.append(move)
            board = board.without(step.removed, mask_of(step.places))
    return SolvePath(tuple(tags.items()), tuple(moves))


def _move_of(board: Board, step: Step, proofs: bool, reasons: bool) -> Move | None:
    names = names_of(board.model)
    placed = [candidate for candidate in step.places if not board.placed >> candidate & 1]
    removed = [candidate for candidate in step.removes if board.live >> candidate & 1]
    if not (placed or removed or step.contradiction):
        return None
    follows = 0
    for candidate in placed:
        follows |= board.sets.peers[candidate]
    return Move(
        camel(step.technique),
        tuple(map(names.candidate, placed)),
        tuple(names.candidate(candidate) for candidate in sorted(removed) if not follows >> candidate & 1),
        step.contradiction,
        comments=(step.reason,) if reasons else (),
        proof=claims_of(names, step.proof, removed) if proofs else (),
    )


def header(puzzle: Puzzle) -> SolvePath:
    """A path without moves: the header of a puzzle."""
    return SolvePath(tuple((tags_of(puzzle.model) | position_tags(Board.from_puzzle(puzzle))).items()))


def import_81(line: str, model: Model | str | None = None) -> SolvePath:
    """The header of a puzzle on one line: 81 symbols, or what else `nonant.read` takes.

    Raises:
        ParseError: if it is no puzzle.
    """
    from nonant.formats.reading import read

    return header(read(line, model))
