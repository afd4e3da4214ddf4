"""`nonant replay`."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from nonant.commands.common import BAD_INPUT, MODEL_HELP, echo_json, effort_option, model_of, one_puzzle
from nonant.csp.errors import ModelError, ParseError
from nonant.csp.proofs.effort import effort_for
from nonant.formats.source import Line, numbered_lines
from nonant.formats.spn import Replay, parse_all, replay
from nonant.formats.spn import model_of as rules_of

REFUSED, UNVERIFIED = 1, 5


@click.command("replay")
@click.argument("file", metavar="FILE|-")
@click.option("--model", "model_name", metavar="NAME", help=f"{MODEL_HELP} By default the rules in the header.")
@click.option("--puzzle", metavar="PUZZLE|FILE", help="Refuse what is not about this puzzle, pencil marks included.")
@effort_option
@click.option("--steps", is_flag=True, help="Every move, and how it was checked.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a path.")
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    model_name: str | None,
    puzzle: str | None,
    effort: float,
    steps: bool,
    as_json: bool,
) -> None:
    """Check the solve paths of a file in the Solve Path Notation, move by move, with no solver in play.

    A move with a proof is proved by it. Without one its technique is looked for on the board, then a refutation; what
    is neither is only consistent, and said so. What all moves together have shown is one sentence at the end, with all
    that it rests on. Exit code: 0 every move verified, 1 refused, 5 some moves only
    consistent, 2 bad input.
    """
    # The file may come from a stranger: a name in it is looked up among the families, never imported.
    model = model_of(model_name)
    text = "\n".join(line for _, line in _lines(file))
    codes: set[int] = set()
    left = effort_for(len(text), effort)
    for number, path in enumerate(parse_all(text), 1):
        try:
            rules = rules_of(path, model)
            found = replay(path, rules, None if puzzle is None else one_puzzle(puzzle, rules), left)
        except ModelError as error:
            line = f", line {path.line}" if path.line else ""
            click.echo(f"nonant: path {number}{line}: {error}", err=True)
            codes.add(BAD_INPUT)
            if as_json:
                echo_json({"error": str(error), "line": path.line})
            continue
        codes.add(REFUSED if found.refused else 0 if found.verified else UNVERIFIED)
        if as_json:
            echo_json(found.to_json())
            continue
        if steps:
            click.echo("\n".join(_moves(found)))
        click.echo(found.bill)
    if not codes:
        raise ParseError(f"there is no solve path in {file}", expected="`nonant explain PUZZLE --spn OUT` writes one")
    ctx.exit(next(code for code in (BAD_INPUT, REFUSED, UNVERIFIED, 0) if code in codes))


def _lines(file: str) -> Iterator[Line]:
    if file != "-":
        return numbered_lines(Path(file))
    if sys.stdin is None:
        raise ParseError("standard input is closed", expected="send a path, or name a file")
    return numbered_lines(io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="surrogateescape"))


def _moves(found: Replay) -> list[str]:
    """The moves as numbered lines, with how each was checked."""
    return [
        f"{one.number:3}. {one.how:10} {one.move.notation}" + (f"  ({one.reason})" if one.reason else "")
        for one in found.moves
    ]
