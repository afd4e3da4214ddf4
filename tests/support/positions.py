"""Boards along solve paths, and what is true on them: what the tests of proofs and techniques share."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import lru_cache

from nonant import solve
from nonant.csp.masks import bits
from nonant.csp.model import Model, Puzzle
from nonant.csp.results import Status
from nonant.models import model
from nonant.strategies import Board, Path, Step, explain
from tests.support.files import shared_file

# Puzzles with one solution, made by this project: model, givens.
PUZZLES = (
    ("classic-9", "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"),
    ("classic-9", ".2..3......3....4...49.8..3.4.71..563.......251..96.8.9..3.54...8....1......2..9."),
    ("x-9", "..52.4........93.......7...14.......5..8...6............27...86.1......9........."),
    (
        "jigsaw-111223333411233233411222253416625555414666665444476855999976858977778888999977788",
        "..6......8.7.......3..9.........2.........52...4......5..6...18..8...73..........",
    ),
    ("classic-6", ""),
    ("windoku-9", ""),
    ("cube-3", ""),
    ("latin-4", ""),
)


def puzzles() -> Iterator[Puzzle]:
    """One puzzle of each family above; where no givens are listed, the family's own example."""
    from nonant.models import family

    for name, givens in PUZZLES:
        if givens:
            yield model(name).puzzle(givens)
        else:
            made = family(name.rsplit("-", 1)[0])
            yield made.example_puzzle()


def solution_of(puzzle: Puzzle) -> int:
    """The one solution as a board."""
    places = solve(puzzle).solution.places  # type: ignore[union-attr]
    return sum(1 << (cell * puzzle.model.n_values + value) for cell, value in enumerate(places))


@lru_cache(maxsize=32)
def path_of(at: int) -> Path:
    """The path of a puzzle of the list, made once for all tests."""
    return explain(list(puzzles())[at])


def along(path: Path) -> Iterator[tuple[Board, Step]]:
    """Each step of a path, with the board before it."""
    board = path.board
    for step in path.steps:
        yield board, step
        board = board.without(step.removed, sum(1 << place for place in step.places))


def possible(model_of: Model, board: int, candidate: int) -> bool:
    """Whether some solution inside the board has the candidate: the oracle, by plain search."""
    size = model_of.n_values
    every = (1 << size) - 1
    marks = [board >> (cell * size) & every for cell in range(model_of.n_cells)]
    cell, value = divmod(candidate, size)
    if not marks[cell] >> value & 1:
        return False
    marks[cell] = 1 << value
    if not all(marks):
        return False
    values = [[model_of.values[at] for at in bits(mask)] for mask in marks]
    return solve(model_of.puzzle(None, values)).status is Status.SOLVED


def listed(name: str, column: str = "puzzle") -> list[dict[str, str]]:
    """The rows of a table of the shared data."""
    with shared_file(name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))
