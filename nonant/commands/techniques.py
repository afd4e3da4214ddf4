"""`nonant techniques`."""

from __future__ import annotations

import click

from nonant.commands.common import echo_json
from nonant.strategies.table import TECHNIQUES, technique


@click.command("techniques")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a technique.")
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List the human techniques in the order of the ladder, or those of some names or aliases."""
    for found in [technique(name) for name in names] or TECHNIQUES:
        record = {
            "name": found.name,
            "level": found.level,
            "scope": found.scope,
            "aliases": list(found.aliases),
            "assumes_unique": found.unique,
            "on_request": found.asked,
            "source": found.source,
        }
        if as_json:
            echo_json(record)
            continue
        marks = " ".join(mark for mark, on in (("[unique]", found.unique), ("[by name]", found.asked)) if on)
        also = f"  also: {', '.join(found.aliases)}" if found.aliases else ""
        click.echo(f"{found.level:2} {found.name:26} {found.scope}{'  ' if marks else ''}{marks}{also}".rstrip())
