"""Is a board solved, does a solution fit a puzzle, and what is wrong where.

A board is given in any of the forms that `Model.puzzle` takes for givens, whole or partly filled, also malformed: what
cannot be read is a fault too, and not an exception. The search for faults deduces nothing: a board without faults may
still have no solution (that is what `verify` says).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from nonant.csp.constraints import Unit, title
from nonant.csp.errors import ModelError
from nonant.csp.givens import entries_of, value_of
from nonant.csp.masks import bits
from nonant.csp.model import Model, Puzzle
from nonant.csp.results import Solution, listed
from nonant.csp.solve import as_puzzle


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a board.

    Attributes:
        cells: the names of the cells that it is about; none where it is about the board as a whole.
        reason: what is wrong, in one sentence.
    """

    cells: tuple[str, ...]
    reason: str

    def __str__(self) -> str:
        return self.reason


def faults(question: Puzzle | Model, board: Any = None) -> tuple[Fault, ...]:
    """What is wrong with a board: nothing (an empty tuple), or the faults in the order below.

    A number of entries that is not that of the cells; entries that are no values of the model; values that are not
    those of the puzzle's givens or pencil marks; constraints that are broken, each once: a unit as soon as two of its
    cells are equal, any other constraint once all its cells are filled.

    Args:
        question: the puzzle, or the rules alone.
        board: in any form that `Model.puzzle` takes for givens, or a `Solution`, or a `Puzzle`; by default the puzzle
            itself.
    """
    puzzle = as_puzzle(question)
    model = puzzle.model
    try:
        entries = _entries(puzzle if board is None else board, model)
    except ModelError as error:
        return (Fault((), str(error)),)
    if len(entries) != model.n_cells:
        word = "value" if len(entries) == 1 else "values"
        return (Fault((), f"{len(entries)} {word} for the {model.n_cells} cells of {model.name}; give one a cell"),)
    found, values = list[Fault](), list[int | None]()
    for name, entry in zip(model.names, entries, strict=True):
        try:
            values.append(value_of(model, entry, name))
        except ModelError as error:
            found.append(Fault((name,), str(error)))
            values.append(None)
    return (*found, *_unlike(puzzle, values), *_broken(model, values))


def fits(question: Puzzle | Model, solution: Any) -> bool:
    """True when this is a solution of the puzzle: every cell has a value, and there are no faults.

    Args:
        question: the puzzle, or the rules alone.
        solution: in any form that `faults` takes a board in.
    """
    puzzle = as_puzzle(question)
    return not faults(puzzle, solution) and all(
        value_of(puzzle.model, entry, name) is not None
        for name, entry in zip(puzzle.model.names, _entries(solution, puzzle.model), strict=True)
    )


def is_solved(board: Puzzle | Solution) -> bool:
    """True when every cell of a puzzle has a value, and its rules hold."""
    return fits(board.model if isinstance(board, Solution) else board, board)


def _entries(board: Any, model: Model) -> list[Any]:
    """One entry a cell: what stands there, or None."""
    if isinstance(board, Solution | Puzzle):
        if board.model is not model and board.model.name != model.name:
            raise ModelError(f"the board is one of {board.model.name}, the puzzle one of {model.name}")
        places = board.places if isinstance(board, Solution) else board.givens
        return [None if place is None else board.model.values[place] for place in places]
    return entries_of(model, board)


def _unlike(puzzle: Puzzle, values: Iterable[int | None]) -> Iterator[Fault]:
    """Where the board has another value than the puzzle gives, or allows."""
    symbols = puzzle.model.symbols
    for name, value, given, mark in zip(puzzle.model.names, values, puzzle.givens, puzzle.marks, strict=True):
        if value is not None and given is not None and value != given:
            yield Fault((name,), f"{name} is {symbols[value]}, the puzzle gives {symbols[given]}")
        elif value is not None and not mark >> value & 1:
            marks = " ".join(symbols[at] for at in bits(mark)) or "nothing"
            yield Fault((name,), f"{name} is {symbols[value]}, the pencil marks allow {marks}")


def _broken(model: Model, values: list[int | None]) -> Iterator[Fault]:
    """The constraints that the filled cells break."""
    for constraint in model.constraints:
        cells = model.indices(constraint)
        if isinstance(constraint, Unit):
            where: dict[int, list[str]] = {}
            for cell in cells:
                value = values[cell]
                if value is not None:
                    where.setdefault(value, []).append(model.names[cell])
            for value, names in where.items():
                if len(names) > 1:
                    unit = constraint.name or constraint.kind
                    yield Fault(tuple(names), f"{listed(tuple(names))} are all {model.symbols[value]} in {unit}")
        else:
            known = [model.values[value] for cell in cells if (value := values[cell]) is not None]
            if len(known) == len(cells) and not constraint.holds(known):
                names = [model.names[cell] for cell in dict.fromkeys(cells)]
                about = f"the values of {listed(tuple(names))} break" if names else "nothing satisfies"
                yield Fault(tuple(names), f"{about} {title(constraint)}")
