"""`nonant hint`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from nonant.commands.common import Answer, each, puzzle_argument
from nonant.commands.explain import require_unique
from nonant.commands.options import Ladder, ladder_options
from nonant.strategies.hints import CONTRADICTION, STUCK, WRONG, hint

if TYPE_CHECKING:
    from nonant.csp.model import Puzzle

CODES = {WRONG: 4, CONTRADICTION: 4, STUCK: 5}


@click.command("hint")
@puzzle_argument
@ladder_options
@click.option("--board", metavar="LINE", help="What stands in the cells now, on one line.")
@click.option(
    "--degree",
    type=click.IntRange(1, 3),
    default=3,
    show_default=True,
    help="1 where to look, 2 the technique, 3 the whole step.",
)
@click.pass_context
def command(
    ctx: click.Context,
    puzzle: str,
    model_name: str | None,
    as_json: bool,
    ladder: Ladder,
    board: str | None,
    degree: int,
) -> None:
    """The next step, with its reason.

    Without --board the puzzle itself is the position. Exit code: 0, 4 when a filled cell is wrong or there is no
    solution, 5 when no technique applies.
    """

    def answer(question: Puzzle) -> Answer:
        if ladder.unique:
            require_unique(question)
        found = hint(question, board, **asdict(ladder))
        text = (found.look, found.technique, found.whole)[degree - 1]
        if found.bad_marks:
            text += f" (the pencil marks of {' '.join(found.bad_marks)} miss the value, and were left aside)"

        def shown() -> str:
            from nonant.pictures import picture

            cells = found.wrong or ([question.model.names[at] for at in found.step.cells] if found.step else [])
            position = question if board is None else question.model.puzzle(board)
            return f"{picture(position, differs=cells)}\n{text}"

        return Answer(found.to_json(), text, shown, CODES.get(found.status, 0), found.status)

    ctx.exit(each(puzzle, model_name, as_json, answer))
