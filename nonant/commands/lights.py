"""`nonant lights`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from nonant.commands.common import at_terminal, echo_json
from nonant.commands.options import gathered
from nonant.csp.errors import ModelError

if TYPE_CHECKING:
    from nonant.models.lights.answers import Board

UNSOLVABLE = 4


@dataclass(frozen=True)
class Rules:
    """The board's shape and what a press does."""

    size: str | None
    lit: str | None
    torus: bool
    king: bool
    rule: str
    states: int


rule_options = gathered(
    "rules",
    Rules,
    [
        click.option(
            "--size", metavar="RxC", help="Rows and columns, e.g. 5x5; for a board on one line, or with --lit."
        ),
        click.option("--lit", type=click.Choice(["all"]), help="Every light is lit; with --size instead of BOARD."),
        click.option("--torus", is_flag=True, help="Opposite edges are joined."),
        click.option("--king", is_flag=True, help="Neighbours are a chess king's move apart."),
        click.option(
            "--rule",
            type=click.Choice(["sigma", "sigma-plus"]),
            default="sigma-plus",
            show_default=True,
            help="sigma-plus: a press reaches its own light and the neighbours; sigma: the neighbours only.",
        ),
        click.option(
            "--states", type=int, default=2, show_default=True, metavar="P", help="States a light has: 2, 3, 5 or 7."
        ),
    ],
)


@click.command("lights")
@click.argument("board", required=False, metavar="BOARD|FILE|-")
@rule_options
@click.option("--all-keys", is_flag=True, help="All solutions, lightest first; with --fewest the shortest only.")
@click.option("--fewest", is_flag=True, help="A solution with as few presses as possible.")
@click.option("--seconds", type=click.FloatRange(min=0), default=60.0, show_default=True, help="For --fewest.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def command(
    ctx: click.Context,
    board: str | None,
    rules: Rules,
    all_keys: bool,
    fewest: bool,
    seconds: float,
    as_json: bool,
) -> None:
    """Solve Lights Out: which cells to press so that all lights go out.

    BOARD is rows of zeros and ones, or one line of them (with --size where it is not square). With more states it is
    one digit a light, and a press adds one to each light that it reaches. A person gets the board and the presses side
    by side, a pipe one line of presses a solution. Large plain boards (no --torus, no --king) take milliseconds.

    Exit code: 0 solvable, 4 unsolvable: then the lights that show it are named.
    """
    from nonant.commands import lights_text as text
    from nonant.models.lights import answers

    if rules.states not in (2, 3, 5, 7):
        raise ModelError(f"--states {rules.states}: a board is written with one digit a light, so P is 2, 3, 5 or 7")
    if (board is None) == (rules.lit is None):
        raise ModelError("give a BOARD, or --lit all with --size RxC for a board with every light lit, not both")
    shape = _shape(rules.size)
    if board is None:
        if shape is None:
            raise ModelError("--lit all needs the size of the board: add --size RxC, e.g. --size 5x5")
        lights: Board = answers.all_lit(*shape)
    else:
        lights = text.read_board(board, shape, rules.states)
    question = answers.Question(
        lights, rules.rule == "sigma-plus", rules.torus, rules.king, rules.states, fewest, seconds
    )
    answer = answers.answer(question)
    listed = None
    if all_keys and answer.solvable:
        answer, listed = answers.all_solutions(question, answer)
    if as_json:
        record: dict[str, Any] = text.record(answer, rules.states)
        if listed is not None:
            record["all_presses"], record["complete"] = listed.lines, listed.complete
        echo_json(record)
    elif at_terminal():
        click.echo(text.shown(question, answer, listed, get_terminal_size().columns))
    elif not answer.solvable:
        click.echo(text.reason(answer, rules.states))
    else:
        for line in [answer.presses] if listed is None else listed.lines:
            click.echo(line)
    if listed is not None and not listed.complete and not as_json:
        click.echo(f"nonant: {listed.note}", err=True)
    ctx.exit(0 if answer.solvable else UNSOLVABLE)


def _shape(size: str | None) -> tuple[int, int] | None:
    if size is None:
        return None
    found = re.fullmatch(r"\s*(\d{1,6})\s*[xX×]\s*(\d{1,6})\s*", size)
    if found is None or not int(found[1]) or not int(found[2]):
        raise ModelError(f"--size {size!r} is no size; give rows x columns, e.g. --size 5x5")
    return int(found[1]), int(found[2])
