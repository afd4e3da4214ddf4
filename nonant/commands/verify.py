"""`nonant verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from nonant.commands.common import Answer, each, puzzle_argument, solver_options
from nonant.csp.results import Uniqueness
from nonant.csp.verify import verify

if TYPE_CHECKING:
    from nonant.csp.model import Puzzle
    from nonant.csp.results import Verdict

CODES = {Uniqueness.UNIQUE: 0, Uniqueness.MULTIPLE: 3, Uniqueness.NONE: 4, Uniqueness.UNKNOWN: 5}


@click.command("verify")
@puzzle_argument
@solver_options
@click.pass_context
def command(
    ctx: click.Context,
    puzzle: str,
    model_name: str | None,
    as_json: bool,
    backend: str,
    time_limit: float | None,
    node_limit: int | None,
) -> None:
    """Say whether there is exactly one solution, and if not, why not.

    Exit code: 0 unique, 3 multiple, 4 none, 5 unknown (a limit came first), 2 bad input. For a list it is the code of
    the first puzzle that is not unique.
    """

    def answer(question: Puzzle) -> Answer:
        found = verify(question, backend=backend, time_limit=time_limit, node_limit=node_limit)
        record = {
            "verdict": found.verdict.value,
            "solutions": [solution.line for solution in found.solutions],
            "differs": list(found.differs),
            "conflict": list(found.conflict),
            "message": found.message,
        }
        verdict = found.verdict.value
        line = " ".join([verdict, *(solution.line for solution in found.solutions)])
        if not found.solutions:
            line = f"{verdict} {found.message}"
        return Answer(record, line, lambda: _shown(question, found), CODES[found.verdict], verdict)

    ctx.exit(each(puzzle, model_name, as_json, answer))


def _shown(question: Puzzle, found: Verdict) -> str:
    from nonant.pictures import picture

    if found.verdict is Uniqueness.NONE:
        pictures = [picture(question, differs=found.conflict)]
    else:
        pictures = [picture(solution, differs=found.differs) for solution in found.solutions]
    return "\n".join([*pictures, f"{found.verdict.name}: {found.message}"])
