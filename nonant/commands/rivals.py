"""`nonant rivals`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from nonant.commands.common import Answer, each, puzzle_argument
from nonant.strategies.rival_candidates import rivals

if TYPE_CHECKING:
    from nonant.csp.model import Puzzle


@click.command("rivals")
@puzzle_argument
@click.argument("cell")
@click.pass_context
def command(ctx: click.Context, puzzle: str, model_name: str | None, as_json: bool, cell: str) -> None:
    """Rank the candidates of CELL by how many other empty cells of its units hold them, fewest first.

    This is a ranking, not a proof: the first value need not be the right one.
    """

    def answer(question: Puzzle) -> Answer:
        found = rivals(question, cell)
        symbols = dict(zip(question.model.values, question.model.symbols, strict=True))
        lines = []
        for one in found.rivals:
            parts = ", ".join(f"{count} in {unit}" for unit, count in one.units.items())
            lines.append(f"{symbols[one.value]}: {one.total} ({parts})")
        last = f"confidence {found.confidence}; a ranking, not a proof"
        text = "\n".join([*lines, last]) if lines else f"{found.cell} is filled"
        return Answer(found.to_json(), text, lambda: text, 0, "ranked" if lines else "filled")

    ctx.exit(each(puzzle, model_name, as_json, answer))
