"""Options that several commands share, each group as one record: declared once, and passed on as keywords."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any

import click

Command = Callable[..., Any]

backend_option = click.option("--backend", default="auto", show_default=True, help="See `nonant backends`.")
time_option = click.option("--time-limit", type=click.FloatRange(min=0), metavar="SECONDS", help="For each puzzle.")
nodes_option = click.option(
    "--node-limit", type=click.IntRange(min=0), metavar="N", help="Branchings, for each puzzle."
)


@dataclass(frozen=True)
class Solver:
    """Who solves, and how long: for `solve`, `count`, `verify`."""

    backend: str
    time_limit: float | None
    node_limit: int | None


@dataclass(frozen=True)
class Ladder:
    """Which techniques may be used: for `explain`, `hint`."""

    max_level: int | None
    only: tuple[str, ...] | None
    without: tuple[str, ...]
    unique: bool


def gathered(name: str, record: type, options: Sequence[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """Options whose values a command gets as one record, under this name; they are shown in the order given."""
    names = [field.name for field in fields(record)]

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_record(*arguments: Any, **values: Any) -> Any:
            given = {one: values.pop(one) for one in names}
            return command(*arguments, **values, **{name: record(**given)})

        decorated: Command = with_record
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


solver_options = gathered("solver", Solver, [backend_option, time_option, nodes_option])
ladder_options = gathered(
    "ladder",
    Ladder,
    [
        click.option("--max", "max_level", type=click.IntRange(min=1), metavar="LEVEL", help="None above this level."),
        click.option(
            "--only",
            multiple=True,
            metavar="NAME",
            callback=lambda _ctx, _option, names: names or None,
            help="Only this technique (may be repeated).",
        ),
        click.option("--without", multiple=True, metavar="NAME", help="Not this technique (may be repeated)."),
        click.option("--unique", is_flag=True, help="Allow what assumes a unique solution, after checking that."),
    ],
)
