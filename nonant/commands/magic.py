"""`nonant magic`."""

from __future__ import annotations

import sys

import click

from nonant.commands.common import at_terminal, echo_json
from nonant.csp.errors import ModelError
from nonant.models.magic import MAGIC


@click.command("magic")
@click.argument("state", nargs=-1, metavar="STATE")
@click.option("--rule", is_flag=True, help="Print the rule that tells from any state which keys to press.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(state: tuple[str, ...], rule: bool, as_json: bool) -> None:
    """Solve the game of MAGIC: from a box of zeros and ones to ones around a lone zero.

    STATE is a number from 0 to 511, nine zeros and ones, or three rows of them; `-` reads it from standard input. A
    person gets the whole game side by side: the keys' numbers, the keys, and the boxes that they lead to. A pipe gets
    the numbers of the keys on one line.
    """
    if rule and (state or as_json):
        raise ModelError("--rule shows the rule for every state; leave out STATE and --json")
    if rule:
        click.echo(MAGIC.rule_in_words())
        return
    if not state:
        raise ModelError("no state; give a number from 0 to 511, nine zeros and ones, or three rows of them")
    text = " ".join(state)
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    box = MAGIC.read(text)
    keys = MAGIC.solution(box)
    assert keys is not None  # the nine keys are independent: they lead everywhere
    if as_json:
        trace = [list(step) for step in MAGIC.trace(box)]
        right = list(MAGIC.right_keys(box))
        echo_json({"state": box, "distance": len(keys), "keys": list(keys), "right_keys": right, "trace": trace})
    elif at_terminal():
        click.echo(MAGIC.trace_picture(box))
        click.echo()
        click.echo(_summary(box, keys))
    else:
        click.echo(" ".join(map(str, keys)))


def _summary(box: int, keys: tuple[int, ...]) -> str:
    if not keys:
        return f"state {box} is the target: no key is needed"
    number = f"{len(keys)} keys, in any order" if len(keys) > 1 else "one key"
    return f"state {box}: {number}: {' '.join(map(str, keys))}"
