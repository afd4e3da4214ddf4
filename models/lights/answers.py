"""Lights Out of any size and rules, answered: one solution or a witness, how many there are, the lightest of all.

A board is kept as one byte a light, a digit: bytes are checked and split at the speed of the memory, so that a board of
a hundred million lights needs no other form, and a small one needs no numpy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product

from nonant.csp.errors import ModelError
from nonant.models import lights_out
from nonant.models.lights.games import Game, rectangle

GAME_CELLS = 10_000  # larger boards go by polynomials alone, which know one solution and how many there are
MODULAR_CELLS = 900  # the same with more than two states, where elimination is slower
MOST_LIGHTS = 500_000_000  # some two gigabytes at work
WALKED = 1 << 16  # solutions that `all_solutions` goes through to find the lightest
LISTED = 1_000  # solutions that it lists


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


def all_lit(rows: int, columns: int) -> Board:
    """A board on which every light is in state 1."""
    if rows * columns > MOST_LIGHTS:
        raise ModelError(f"a board of {rows}x{columns} would take too much memory; up to {MOST_LIGHTS} lights fit")
    return Board(rows, columns, b"1" * (rows * columns))


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
