"""`nonant models`."""

from __future__ import annotations

import click

from nonant.commands.common import at_terminal, echo_json
from nonant.models import families, family


@click.command("models")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a family.")
def command(name: str | None, as_json: bool) -> None:
    """List the puzzle families: rule and example. With a NAME: that family, its example drawn and solved."""
    chosen = families() if name is None else (family(name),)
    if as_json:
        for each in chosen:
            echo_json({"name": each.name, "rule": each.rule, "model": each.example_model, "example": each.example})
    elif name is not None:
        from nonant.csp.solve import solve
        from nonant.pictures import picture

        puzzle = chosen[0].example_puzzle()
        solution = solve(puzzle).solution
        click.echo(f"{chosen[0].name}: {chosen[0].rule}\n--model {chosen[0].example_model}")
        click.echo(picture(puzzle))
        click.echo(picture(solution) if solution else "no solution")
    elif at_terminal():
        from rich.console import Console
        from rich.table import Table

        table = Table("family", "rule", "example")
        for each in chosen:
            table.add_row(each.name, each.rule, f"--model {each.example_model}\n{each.example}")
        Console().print(table)
    else:
        for each in chosen:
            click.echo(f"{each.name}\t{each.rule}\t{each.example_model}\t{each.example}")
