"""Every step of every technique, on random boards along solve paths of six models, against engines that know none.

A board's solutions are counted by the native engine from its candidates alone: a step is entailed when no solution of
the board has what it removes, and every one has what it places. Half of the boards come from puzzles that lost givens
and have several solutions, where the membership in *the* solution would say little; techniques that assume a unique
solution are tried on the others only. On a sample a SAT solver says the same.

    python -m tests.strategies.test_soundness --boards 3334 --model x-9     one model of the long run, in pieces
"""

from __future__ import annotations

import argparse
import csv
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from nonant import solve
from nonant.csp.masks import bits
from nonant.csp.model import Puzzle
from nonant.csp.results import Status
from nonant.models import model
from nonant.strategies import TECHNIQUES, Board, explain, find_all
from tests.support.files import shared_file
from tests.support.positions import along

# model -> its puzzles: file and column, or a list of lines
SOURCES = {
    "classic-9": ("classic/top1465.txt", ""),
    "jigsaw": ("jigsaw/jigsaw_generated.csv", "puzzle"),
    "x-9": ("variants/x_generated.csv", "puzzle"),
    "windoku-9": ("variants/windoku_generated.csv", "puzzle"),
    "cube-3": ("cube/cube333.csv", "puzzle(x*9+y*3+z)"),
    "classic-6": ("variants/mini6x6_generated.csv", "puzzle"),
}
# What takes long goes over every so many boards only.
SELDOM = {"franken": 400, "mutant": 1000, "multi-sector": 200, "forcing truth": 200, "deep braid": 5000, "g-whip": 20}
SELDOM |= {"nested braid": 60, "g-braid": 20, "almost locked aic": 8, "death blossom": 8, "wxyz-wing": 6, "als": 6}
SELDOM |= {"almost locked loop": 6}
MOST_SOLUTIONS = 60
SAT_EVERY = 25
PIECE = 25  # boards between two lines of a piecewise run


@dataclass
class Tally:
    """What a sweep has seen."""

    boards: int = 0
    several: int = 0  # boards with more than one solution
    by_sat: int = 0  # candidates that the SAT solver refuted too
    steps: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def puzzles_of(name: str) -> list[Puzzle]:
    file, column = SOURCES[name]
    if not column:
        lines = shared_file(file).read_text(encoding="utf-8").split()
        return [model(name).puzzle(line) for line in lines]
    with shared_file(file).open(encoding="utf-8") as open_file:
        rows = list(csv.DictReader(open_file))
    if name == "jigsaw":
        return [model(f"jigsaw-{row['regions']}").puzzle(row[column]) for row in rows]
    return [model(name).puzzle(row[column]) for row in rows]


def boards_of(name: str, seed: int) -> Iterator[tuple[Board, bool]]:
    """Random boards without end, and whether their puzzle has one solution."""
    dice = random.Random(f"{name} {seed}")
    puzzles = puzzles_of(name)
    while True:
        puzzle = dice.choice(puzzles)
        if dice.random() < 0.5:
            given = [cell for cell, value in enumerate(puzzle.givens) if value is not None]
            lost = set(dice.sample(given, min(len(given), dice.randint(1, 3))))
            kept = [None if cell in lost else value for cell, value in enumerate(puzzle.givens)]
            puzzle = puzzle.model.puzzle([None if at is None else puzzle.model.values[at] for at in kept])
        one = solve(puzzle, limit=2)
        path = explain(puzzle, max_level=dice.choice((2, 4, 6, 9)))
        boards = [board for board, step in along(path) if not step.contradiction]
        boards.append(path.end)
        boards = [board for board in boards if not board.solved]
        for board in dice.sample(boards, min(4, len(boards))):
            yield board, len(one.solutions) == 1 and one.complete


def as_puzzle(board: Board, candidate: int = -1) -> Puzzle | None:
    """The board's candidates as a puzzle without givens; with a candidate set as true; None for an empty cell."""
    size = board.model.n_values
    marks = list(board.cells)
    if candidate >= 0:
        marks[candidate // size] &= 1 << candidate % size
    if not all(marks):
        return None
    return board.model.puzzle(None, [[board.model.values[at] for at in bits(mask)] for mask in marks])


def holds(board: Board, candidate: int, backend: str) -> bool:
    """Whether some solution of the board has the candidate."""
    puzzle = as_puzzle(board, candidate)
    return puzzle is not None and solve(puzzle, backend=backend).status is not Status.NONE


def tried(names: list[str], number: int) -> Iterator[str]:
    for name in names:
        every = next((every for start, every in SELDOM.items() if name.startswith(start)), 1)
        if (number + len(name)) % every == 0:
            yield name


def sweep(name: str, seed: int, boards: int, start: int = 0) -> Tally:
    """Try all techniques on so many boards of a model; `start` is the number of the first, for what goes seldom."""
    tally = Tally()
    plain = [known.name for known in TECHNIQUES if not known.unique]
    unique = [known.name for known in TECHNIQUES if known.unique]
    for number, (board, one) in enumerate(boards_of(name, seed), start):
        if number == start + boards:
            return tally
        puzzle = as_puzzle(board)
        found = solve(puzzle, backend="native", limit=MOST_SOLUTIONS) if puzzle is not None else None
        size = board.model.n_values
        some, every = 0, -1
        for solution in found.solutions if found is not None else ():
            mask = sum(1 << (cell * size + value) for cell, value in enumerate(solution.places))
            some, every = some | mask, every & mask
        complete = found is None or found.complete
        tally.boards += 1
        tally.several += some.bit_count() > board.model.n_cells
        refuted = 0  # candidates in no solution, as the native engine found one by one
        asked = 0
        for technique in tried(plain + unique if one else plain, number):
            for step in find_all(technique, board):
                tally.steps[technique] += 1
                placed = sum(1 << place for place in step.places)
                bad = step.removed & some or (some and placed & ~every)
                if not complete:
                    others = sum(board.sets.masks[place // size] for place in step.places) & board.live & ~placed
                    for candidate in bits((step.removed | others) & ~refuted):
                        bad = bad or holds(board, candidate, "native")
                        refuted |= 1 << candidate
                if bad:
                    tally.wrong.append(f"{board.model.name} {board.live:x} {step.to_json(board.model)}")
                asked |= 0 if technique in unique else step.removed
        if number % SAT_EVERY == 0:
            for candidate in random.Random(number).sample(list(bits(asked)), min(10, asked.bit_count())):
                tally.by_sat += 1
                if holds(board, candidate, "sat"):
                    tally.wrong.append(f"SAT: {board.model.name} {board.live:x} {candidate}")
    return tally


def test_every_step_is_entailed_on_random_boards() -> None:
    pytest.importorskip("pysat")
    boards, several = 0, 0
    for name in SOURCES:
        tally = sweep(name, 1, {"classic-6": 60, "cube-3": 40}.get(name, 10))
        assert not tally.wrong, tally.wrong[0]
        assert len(tally.steps) > 8, name
        assert tally.by_sat, name
        boards, several = boards + tally.boards, several + tally.several
    assert boards == 140
    assert several > 20  # the oracle has to do with boards of several solutions


@pytest.mark.long
@pytest.mark.parametrize("name", SOURCES)
def test_every_step_is_entailed_on_thousands_of_boards(name: str) -> None:
    pytest.importorskip("pysat")
    tally = sweep(name, 2, 3334)
    assert not tally.wrong, tally.wrong[0]
    assert tally.boards == 3334


def main() -> None:
    """Run a piece of the sweep and print what it saw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="classic-9", choices=SOURCES)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--boards", type=int, default=100)
    arguments = parser.parse_args()
    every = Tally()
    for piece in range(0, arguments.boards, PIECE):
        tally = sweep(arguments.model, arguments.seed * 1000 + piece, min(PIECE, arguments.boards - piece), piece)
        every.boards, every.several = every.boards + tally.boards, every.several + tally.several
        every.by_sat, every.wrong = every.by_sat + tally.by_sat, every.wrong + tally.wrong
        every.steps += tally.steps
        print(f"{arguments.model}: {every.boards} boards, {every.several} with several solutions, ", end="")
        print(f"{every.steps.total()} steps of {len(every.steps)} techniques, ", end="")
        print(f"{every.by_sat} candidates by SAT, {len(every.wrong)} wrong", flush=True)
        print("\n".join(tally.wrong), end="", flush=True)
    print(dict(every.steps.most_common()))


if __name__ == "__main__":
    main()
