"""The next step for somebody who is stuck, in three degrees: where to look, by which technique, the whole step.

The position may hold mistakes. What is filled in is compared with the solution of the puzzle (the one use of a solver
here, and it chooses no step); pencil marks that miss a cell's value are told and left aside; marks that are missing
count as not made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from nonant.csp.model import Model, Puzzle
from nonant.csp.proofs.sets import domains_of
from nonant.csp.solve import solve
from nonant.strategies.board import Board
from nonant.strategies.ladder import next_step
from nonant.strategies.sentences import listed
from nonant.strategies.step import Step

STEP, COMPLETE, WRONG, CONTRADICTION, STUCK = "step", "solved", "wrong", "contradiction", "stuck"


@dataclass(frozen=True)
class Hint:
    """A hint.

    Attributes:
        status: "step", "solved" (nothing is open), "wrong" (a filled cell is), "contradiction" (no solution), or
            "stuck" (no technique applies).
        model: the rules.
        step: the step, where there is one.
        wrong: filled cells that do not fit the solution.
        bad_marks: cells whose pencil marks miss their value; the marks there were left aside.
        message: one sentence for the statuses without a step.
    """

    status: str
    model: Model
    step: Step | None = None
    wrong: tuple[str, ...] = ()
    bad_marks: tuple[str, ...] = ()
    message: str = ""

    @property
    def look(self) -> str:
        """The first degree: where to look."""
        if self.step is None:
            return self.message
        units = [self.model.compiled.unit_names[unit] for unit in self.step.units]
        cells = [self.model.names[cell] for cell in self.step.cells]
        return f"look at {listed(units or cells)}"

    @property
    def technique(self) -> str:
        """The second degree: by which technique."""
        return self.message if self.step is None else f"{self.look}: there is a {self.step.technique}"

    @property
    def whole(self) -> str:
        """The third degree: the whole step."""
        return self.message if self.step is None else f"{self.step.technique}: {self.step.reason}"

    def to_json(self) -> dict[str, Any]:
        """The hint as scripts get it."""
        return {
            "status": self.status,
            "look": self.look,
            "technique": "" if self.step is None else self.step.technique,
            "message": self.whole,
            "step": None if self.step is None else self.step.to_json(self.model),
            "wrong": list(self.wrong),
            "bad_marks": list(self.bad_marks),
        }


def hint(
    puzzle: Puzzle,
    filled: Any = None,
    marks: Any = None,
    *,
    max_level: int | None = None,
    only: Sequence[str] | None = None,
    without: Sequence[str] = (),
    unique: bool = False,
) -> Hint:
    """The next step.

    Args:
        puzzle: the puzzle as it was set; without `filled` it is the position too.
        filled: what stands in the cells now, in any form that `Model.puzzle` takes.
        marks: the pencil marks, in any form that `Model.puzzle` takes; by default those of the puzzle.
        max_level, only, without, unique: see `nonant.strategies.ladder.rungs`.

    Raises:
        ModelError: for a cell, value or technique that does not exist.
    """
    model = puzzle.model
    position = model.puzzle(filled, marks)
    if filled is not None:
        taken = [place for place, given in enumerate(puzzle.givens) if given not in (None, position.givens[place])]
        blank = [place for place in taken if position.givens[place] is None]
        if len(blank) == len(taken):  # only the player's own cells were told
            pairs = zip(puzzle.givens, position.givens, strict=True)
            position = replace(position, givens=tuple(given if given is not None else own for given, own in pairs))
        else:
            wrong = tuple(model.names[place] for place in taken if place not in blank)
            return Hint(WRONG, model, wrong=wrong, message=f"{listed(wrong)} is given, and was written over")
    else:
        position = replace(position, givens=puzzle.givens)
    if marks is None:
        position = replace(position, marks=puzzle.marks)

    found = solve(puzzle, limit=1)
    answer = found.solution
    if answer is None:
        return Hint(CONTRADICTION, model, message="the puzzle has no solution")
    if found.complete:
        own = [(place, value) for place, value in enumerate(position.givens) if value is not None]
        wrong = tuple(model.names[place] for place, value in own if value != answer.places[place])
        if wrong:
            verb = "is" if len(wrong) == 1 else "are"
            return Hint(WRONG, model, wrong=wrong, message=f"{listed(wrong)} {verb} wrong")
        missing = [place for place, value in enumerate(answer.places) if not position.marks[place] >> value & 1]
    else:  # several solutions: what is filled in is wrong only if none of them has it
        if filled is not None and solve(replace(position, marks=puzzle.marks)).solution is None:
            return Hint(WRONG, model, message="no solution of the puzzle has these filled cells")
        missing = [] if marks is None or solve(position).solution is not None else list(range(model.n_cells))
    kept = tuple(puzzle.marks[at] if at in missing else mark for at, mark in enumerate(position.marks))
    bad = tuple(model.names[place] for place in missing)

    board = replace(Board.from_puzzle(replace(position, marks=kept)), domains=domains_of(puzzle))
    if board.solved:
        return Hint(COMPLETE, model, message="nothing is left to do")
    step = next_step(board, max_level=max_level, only=only, without=without, unique=unique)
    if step is None:
        return Hint(STUCK, model, bad_marks=bad, message="no technique of this ladder applies")
    return Hint(CONTRADICTION if step.contradiction else STEP, model, step, bad_marks=bad)
