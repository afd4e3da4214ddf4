"""`nonant count`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from nonant.commands.common import Answer, each, puzzle_argument
from nonant.commands.options import Solver, solver_options
from nonant.csp.backends.base import Progress
from nonant.csp.solve import count

if TYPE_CHECKING:
    from nonant.csp.model import Puzzle


@click.command("count")
@puzzle_argument
@solver_options
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Stop counting beyond N.")
@click.pass_context
def command(
    ctx: click.Context,
    puzzle: str,
    model_name: str | None,
    as_json: bool,
    solver: Solver,
    limit: int | None,
) -> None:
    """Count the solutions.

    A count that a limit cut short is shown as "at least N", exit code 5; Ctrl-C shows the count so far, exit code 130.
    """

    def answer(question: Puzzle) -> Answer:
        progress = Progress()
        try:
            found = count(
                question,
                **asdict(solver),
                limit=limit,
                progress=progress,
            )
        except KeyboardInterrupt:
            click.echo(f"nonant: at least {progress.found} so far, {progress.nodes} branchings", err=True)
            raise
        number, complete = int(found), found.complete
        text = str(number) if complete else f"at least {number}"
        record = {"count": number, "complete": complete}
        return Answer(record, text, lambda: text, 0 if complete else 5, "counted" if complete else "cut short")

    ctx.exit(each(puzzle, model_name, as_json, answer))
