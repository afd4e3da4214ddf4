"""What `nonant lights` does: read a board, solve it, and say so in lines, JSON or pictures.

A board is kept as one byte a light, a digit: bytes are read, checked and split at the speed of the memory, so that a
board of a hundred million lights needs no other form, and a small one needs no numpy.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from math import isqrt
from typing import Any

from nonant.csp.errors import ModelError, ParseError
from nonant.formats.source import is_path, one_line, shortened
from nonant.models import lights_out
from nonant.models.lights.games import Game, rectangle

GAME_CELLS = 10_000  # larger boards go by polynomials alone, which know one solution and how many there are
MODULAR_CELLS = 900  # the same with more than two states, where elimination is slower
MOST_LIGHTS = 500_000_000  # some two gigabytes at work
WALKED = 1 << 16  # solutions that --all-keys goes through to find the lightest
LISTED = 1_000  # solutions that it prints
NAMED = 40  # lights that a sentence names


@dataclass(frozen=True)
class Board:
    """The states of the lights, one digit each, row by row."""

    rows: int
    columns: int
    digits: bytes

    @property
    def n_cells(self) -> int:
        """How many lights there are."""
        return self.rows * self.columns


@dataclass(frozen=True)
class Question:
    """A board, the rules, and what is wanted."""

    board: Board
    plus: bool
    torus: bool
    king: bool
    states: int
    fewest: bool
    seconds: float


@dataclass(frozen=True)
class Found:
    """The answer, in any size; `presses` is one digit a cell, None when there is no solution.

    Attributes:
        solvable: whether there is a solution.
        nullity: there are states ^ nullity solutions.
        presses: one solution.
        weight: all its presses together.
        lower_bound: no solution takes fewer.
        witness: the names of lights that show that there is no solution.
        game: the game, where the board is small enough for one.
    """

    solvable: bool
    nullity: int
    presses: str | None
    weight: int | None
    lower_bound: int | None
    witness: tuple[str, ...] = ()
    game: Game | None = None

    @property
    def optimal(self) -> bool:
        """True when it is proved that no solution takes fewer presses."""
        return self.weight is not None and self.weight == self.lower_bound


@dataclass(frozen=True)
class Listed:
    """Several solutions; `note` says what is missing when they are not complete."""

    lines: list[str]
    complete: bool
    note: str


# -- reading -----------------------------------------------------------------------------------------------------------


def all_lit(rows: int, columns: int) -> Board:
    """A board on which every light is in state 1."""
    if rows * columns > MOST_LIGHTS:
        raise ModelError(f"a board of {rows}x{columns} would take too much memory; up to {MOST_LIGHTS} lights fit")
    return Board(rows, columns, b"1" * (rows * columns))


def read_board(source: str, shape: tuple[int, int] | None, states: int) -> Board:
    """A board from a text, a file (plain or gzip), or `-`, standard input.

    Several lines are rows; so are the words of one line, unless each is one digit. One row is a square board when its
    length is a square, unless `shape` says otherwise.

    Raises:
        ParseError: with the line and column of what is wrong.
    """
    lines = _bytes_of(source).removeprefix(b"\xef\xbb\xbf").splitlines()
    known = b"0123456789"[:states]
    rows: list[bytes] = []
    for number, line in enumerate(lines, 1):
        row = line.translate(None, b" \t")
        if not row or row.startswith(b"#"):
            continue
        if row.translate(None, known):
            column = next(at for at, digit in enumerate(line, 1) if digit not in known + b" \t")
            symbol = shortened(line[column - 1 : column].decode("latin-1"))
            expected = f"write one digit a light, {', '.join(map(chr, known[:-1]))} or {chr(known[-1])}"
            raise ParseError(f"a light cannot be {symbol}", line=number, column=column, expected=expected)
        words = line.split()
        rows += words if len(lines) == 1 and any(len(word) > 1 for word in words) else [row]
    if not rows:
        raise ParseError("no board in the input", expected="give rows of zeros and ones, or one line of them")
    digits = b"".join(rows)
    if shape is not None:
        if len(digits) != shape[0] * shape[1]:
            size = f"{shape[0]}x{shape[1]}"
            raise ParseError(
                f"the board has {len(digits)} lights, but --size {size} means {shape[0] * shape[1]}",
                expected="give one digit a light",
            )
        return Board(*shape, digits)
    if len(rows) == 1:
        side = isqrt(len(digits))
        if side * side != len(digits):
            raise ParseError(
                f"one line of {len(digits)} lights, which is no square board",
                expected=f"add --size RxC, e.g. --size 1x{len(digits)}",
            )
        return Board(side, side, digits)
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ParseError(
                f"row {number} has {len(row)} lights, but row 1 has {len(rows[0])}",
                expected="give rows of the same length",
            )
    return Board(len(rows), len(rows[0]), digits)


def _bytes_of(source: str) -> bytes:
    if source == "-":
        return sys.stdin.buffer.read()
    if not is_path(source):
        return source.encode("utf-8", "surrogateescape")
    try:
        with open(source, "rb") as file:
            data = file.read()
        if data.startswith(b"\x1f\x8b"):
            import gzip

            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read()
    except FileNotFoundError:
        raise ParseError(f"no such file: {shortened(source, 80)}", expected="give a file that exists") from None
    except (OSError, EOFError) as error:
        reason = one_line(error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise ParseError(f"cannot read {shortened(source, 80)}: {reason}") from None
    return data


# -- solving -----------------------------------------------------------------------------------------------------------


def answer(question: Question) -> Found:
    """Solve the board.

    Raises:
        ModelError: for a large board with rules, or wishes, that only smaller ones can have.
    """
    board, plain = question.board, not (question.torus or question.king)
    most = GAME_CELLS if question.states == 2 else MODULAR_CELLS
    if board.n_cells > most:
        if not plain:
            raise ModelError(
                f"a board of {board.n_cells} lights is too large for --torus or --king, which go up to {most} lights"
                + (f" with {question.states} states" if question.states > 2 else "")
                + "; plain boards may have any size"
            )
        return _large(question, most)
    game = rectangle(
        board.rows,
        board.columns,
        "sigma-plus" if question.plus else "sigma",
        "king" if question.king else "orthogonal",
        question.torus,
        question.states,
    )
    lights = [digit - ord("0") for digit in board.digits]
    if question.fewest:
        found = lights_out.fewest(game, lights, seconds=question.seconds)
    else:
        found = lights_out.solve(game, lights)
    if found.presses is None:
        return Found(False, found.nullity, None, None, None, found.witness_cells, game)
    presses = "".join(map(str, found.presses))
    return Found(True, found.nullity, presses, found.weight, found.lower_bound, (), game)


def _large(question: Question, most: int) -> Found:
    import numpy as np

    from nonant.csp.model import cell_name
    from nonant.models.lights import rectangle as gf2_boards

    board, states, plus = question.board, question.states, question.plus
    lit = np.frombuffer(board.digits, np.uint8).reshape(board.rows, board.columns) - np.uint8(48)
    if states == 2:
        nullity = gf2_boards.nullity(board.rows, board.columns, plus)
    else:
        from nonant.models.lights.modular_rectangle import nullity_modular

        nullity = nullity_modular(board.rows, board.columns, states, plus)
    if question.fewest and nullity:
        raise ModelError(
            f"--fewest goes up to {most} lights; this board has {board.n_cells}, and {states}^{nullity} solutions"
        )
    try:
        pressed = lights_out.solve_board(lit, "sigma-plus" if plus else "sigma", states)
    except lights_out.Unsolvable as unsolvable:
        places = np.argwhere(unsolvable.witness).tolist()
        return Found(False, nullity, None, None, None, tuple(cell_name(tuple(place)) for place in places))
    weight = int(pressed.sum(dtype=np.int64))
    to_add = int((-lit.astype(np.int64) % states).sum()) if states > 2 else int(lit.sum(dtype=np.int64))
    bound = -(-to_add // (5 if plus else 4)) if nullity else weight  # a press adds one to so many lights at most
    return Found(True, nullity, (pressed + np.uint8(48)).tobytes().decode("ascii"), weight, bound)


def all_solutions(question: Question, found: Found) -> tuple[Found, Listed]:
    """All solutions, lightest first; only the shortest where fewest presses are wanted.

    Returns:
        The answer, whose solution is now a lightest one where all were gone through, and the list.

    Raises:
        ModelError: for a large board with more than one solution.
    """
    assert found.presses is not None
    if not found.nullity:
        return found, Listed([found.presses], True, "")
    if found.game is None:
        most = GAME_CELLS if question.states == 2 else MODULAR_CELLS
        raise ModelError(
            f"--all-keys goes up to {most} lights; this board has {question.board.n_cells}, "
            f"and {question.states}^{found.nullity} solutions"
        )
    power = f"{question.states}^{found.nullity}"
    number, members = question.states**found.nullity, _members(found.game, found.presses)
    if number > WALKED and question.fewest:
        note = f"there are {power} solutions, too many to go through for all the shortest"
        return found, Listed([found.presses], False, note)
    if number > WALKED:
        note = f"there are {power} solutions; these are {LISTED} of them, in no order"
        return found, Listed(list(islice(members, LISTED)), False, note)
    lines = sorted(members, key=lambda line: (weight_of(line), line))
    least = weight_of(lines[0])
    if question.fewest:
        lines = [line for line in lines if weight_of(line) == least]
    kind = "shortest solutions" if question.fewest else "solutions, the lightest first"
    note = f"these are {LISTED} of {len(lines)} {kind}"
    listed = Listed(lines[:LISTED], len(lines) <= LISTED, note)
    return replace(found, presses=lines[0], weight=least, lower_bound=least), listed


def weight_of(line: str) -> int:
    """How many presses a line of them is."""
    return sum(map(int, line)) if line.strip("01") else line.count("1")


def _members(game: Game, presses: str) -> Iterator[str]:
    """The solution plus every quiet pattern."""
    if game.states == 2:
        here = int(presses, 2)
        # Written with the first cell as the highest digit, as the line is.
        basis = [int("".join(map(str, vector)), 2) for vector in game.quiet]
        yield presses
        for step in range(1, 1 << len(basis)):
            here ^= basis[(step & -step).bit_length() - 1]
            yield f"{here:0{game.n_cells}b}"
        return
    start = list(map(int, presses))
    for factors in product(range(game.states), repeat=len(game.quiet)):
        here_ = start
        for factor, vector in zip(factors, game.quiet, strict=True):
            here_ = [(a + factor * b) % game.states for a, b in zip(here_, vector, strict=True)]
        yield "".join(map(str, here_))


# -- telling -----------------------------------------------------------------------------------------------------------


def record(found: Found, states: int) -> dict[str, Any]:
    """What `--json` prints; a number of solutions that is no exact double stands as a power, in a string."""
    number = states**found.nullity if found.solvable else 0
    told: dict[str, Any] = {
        "solvable": found.solvable,
        "nullity": found.nullity,
        "solutions": number if number < 1 << 53 else f"{states}^{found.nullity}",
        "presses": found.presses,
        "weight": found.weight,
        "optimal": found.optimal,
        "lower_bound": found.lower_bound,
    }
    if not found.solvable:
        told["witness"] = list(found.witness)
    return told


def reason(found: Found, states: int) -> str:
    """Why a board has no solution."""
    names = ", ".join(found.witness[:NAMED])
    if len(found.witness) > NAMED:
        names += f" and {len(found.witness) - NAMED} more (--json names them)"
    if states == 2:
        every = f"every press changes an even number of the lights {names}"
        return f"none: {every}, but an odd number of them must change"
    every = f"every press changes a weighted sum of the lights {names} by a multiple of {states}"
    return f"none: {every}, but the board asks for another change"


def shown(question: Question, found: Found, listed: Listed | None, width: int) -> str:
    """Pictures for a terminal `width` characters wide, and a line that says what is known."""
    board, states, game = question.board, question.states, found.game
    if game is None or board.columns > width:
        drawings = []
    elif found.presses is None:
        named = set(found.witness)
        marked = "".join("01"[name in named] for name in game.names)
        drawings = [("lights", _drawn(board.digits.decode(), board.columns, "●", states))]
        drawings.append(("witness", _drawn(marked, board.columns, "?", 2)))
    else:
        lines = [found.presses] if listed is None else listed.lines
        drawings = [("lights", _drawn(board.digits.decode(), board.columns, "●", states))]
        for line in lines:
            title = "presses" if len(lines) == 1 else f"{weight_of(line)} presses"
            drawings.append((title, _drawn(line, board.columns, "X", states)))
    told = _summary(found, states) if found.solvable else reason(found, states)
    if not drawings and found.solvable:
        told += "; too large for a picture here: a pipe or --json gets the presses"
    return "\n".join([*_beside(drawings, width), told])


def _summary(found: Found, states: int) -> str:
    number = f"{found.weight} press{'' if found.weight == 1 else 'es'}"
    if not found.nullity:
        return f"{number}: the only solution"
    if found.optimal:
        known = "no solution takes fewer"
    else:
        known = f"every solution takes at least {found.lower_bound} (--fewest looks for the shortest)"
    power = f"{states}^{found.nullity}"
    return (
        f"{number}: {known}; there are {power}{f' = {states**found.nullity}' if found.nullity < 40 else ''} solutions"
    )


def _drawn(line: str, columns: int, one: str, states: int) -> list[str]:
    """A line of digits as rows, with a dot for 0, and a symbol for 1 where there is nothing else."""
    drawn = line.replace("0", "·")
    drawn = drawn.replace("1", one) if states == 2 else drawn
    return [drawn[at : at + columns] for at in range(0, len(drawn), columns)]


def _beside(drawings: Sequence[tuple[str, list[str]]], width: int) -> list[str]:
    """Drawings side by side under their titles, as many as fit; spaced out where there is room."""
    if not drawings:
        return []
    spaced = 2 * len(drawings[0][1][0]) <= width
    drawn = [(title, [" ".join(row) if spaced else row for row in rows]) for title, rows in drawings]
    across = max(len(line) for title, rows in drawn for line in [title, *rows])
    beside = max(1, (width + 3) // (across + 3))
    lines: list[str] = []
    for start in range(0, len(drawn), beside):
        some = drawn[start : start + beside]
        for row in zip(*([title, *rows] for title, rows in some), strict=True):
            lines.append("   ".join(part.ljust(across) for part in row).rstrip())
        lines.append("")
    return lines
