"""`nonant candidates`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from nonant.commands.common import Answer, each, puzzle_argument
from nonant.commands.options import backend_option, time_option
from nonant.csp.solve import candidates

if TYPE_CHECKING:
    from nonant.csp.model import Puzzle


@click.command("candidates")
@puzzle_argument
@backend_option
@time_option
@click.pass_context
def command(
    ctx: click.Context,
    puzzle: str,
    model_name: str | None,
    as_json: bool,
    backend: str,
    time_limit: float | None,
) -> None:
    """Show the values that each cell takes in some solution.

    Exit code: 0, 4 without a solution, 5 when the time limit came first (values may then be missing).
    """

    def answer(question: Puzzle) -> Answer:
        found = candidates(question, backend=backend, time_limit=time_limit)
        model, symbols = found.model, dict(zip(found.model.values, found.model.symbols, strict=True))
        separator = "" if all(len(symbol) == 1 for symbol in found.model.symbols) else ","
        texts = [separator.join(symbols[value] for value in values) or "!" for values in found.values]
        record = {
            "candidates": {
                name: [value if type(value) in (int, str) else symbols[value] for value in values]
                for name, values in zip(model.names, found.values, strict=True)
            },
            "complete": found.complete,
        }

        def shown() -> str:
            from nonant.pictures import picture

            left = {name: values for name, values in zip(model.names, found.values, strict=True) if values}
            return picture(model.puzzle(None, left)) if left else "no solution"

        none = not any(found.values) and model.n_cells > 0
        code = 5 if not found.complete else 4 if none else 0
        kind = "cut short" if not found.complete else "none" if none else "done"
        return Answer(record, "none" if none and found.complete else " ".join(texts), shown, code, kind)

    ctx.exit(each(puzzle, model_name, as_json, answer))
