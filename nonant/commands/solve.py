"""`nonant solve`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from nonant.commands.common import Answer, at_terminal, each, puzzle_argument
from nonant.commands.options import Solver, solver_options
from nonant.csp.results import Status
from nonant.csp.solve import Solutions, solutions, solve

if TYPE_CHECKING:
    from nonant.csp.model import Puzzle
    from nonant.csp.results import SolveResult

CODES = {Status.SOLVED: 0, Status.NONE: 4, Status.UNKNOWN: 5}


@click.command("solve")
@puzzle_argument
@solver_options
@click.option("--all", "every", is_flag=True, help="All solutions.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N solutions (1 unless --all).")
@click.pass_context
def command(
    ctx: click.Context,
    puzzle: str,
    model_name: str | None,
    as_json: bool,
    solver: Solver,
    every: bool,
    limit: int | None,
) -> None:
    """Solve a puzzle, or each puzzle of a file: a picture at a terminal, lines in a pipe."""
    most = limit if limit is not None or every else 1

    # Many solutions go out as they are found, and are not kept.
    streamed = (every or (limit or 0) > 1) and not as_json and not at_terminal()

    def answer(question: Puzzle) -> Answer:
        if streamed:
            return _streamed(solutions(question, most, **asdict(solver)))
        result = solve(question, limit=most, **asdict(solver))
        lines = [solution.line for solution in result.solutions]
        record = {
            "status": result.status.value,
            "solutions": lines,
            "complete": result.complete,
            "backend": result.backend,
            "build_s": round(result.build_s, 6),
            "solve_s": round(result.solve_s, 6),
            "nodes": result.nodes,
        }
        status = result.status.value
        return Answer(record, "\n".join(lines) or status, lambda: _shown(result), CODES[result.status], status)

    ctx.exit(each(puzzle, model_name, as_json, answer))


def _streamed(run: Solutions) -> Answer:
    """Print each solution as it comes."""
    number = 0
    for solution in run:
        click.echo(solution.line)
        number += 1
    status = Status.SOLVED if number else Status.NONE if run.complete else Status.UNKNOWN
    return Answer({}, None if number else status.value, str, CODES[status], status.value)


def _shown(result: SolveResult) -> str:
    """The solutions as pictures, and a line that says what is known."""
    from nonant.pictures import picture

    pictures = [picture(solution) for solution in result.solutions]
    number = len(pictures)
    if result.status is Status.SOLVED:
        known = "the only one" if number == 1 else "all there are"
        message = f"{number} solution{'s' if number > 1 else ''}, {known if result.complete else 'there are more'}"
        if not result.complete and result.solutions and number == 1:
            message = "a solution; there are more, or a limit came first (`nonant verify` tells)"
    elif result.status is Status.NONE:
        message = "no solution (`nonant verify` says why)"
    else:
        message = "a limit came first: nothing is known"
    took = f"{result.backend}, {result.nodes} branchings, {(result.build_s + result.solve_s) * 1000:.1f} ms"
    return "\n".join([*pictures, f"{message}  [{took}]"])
