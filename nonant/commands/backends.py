"""`nonant backends`."""

from __future__ import annotations

from dataclasses import asdict

import click

from nonant.commands.common import echo_json
from nonant.csp.backends import registry
from nonant.csp.errors import BackendUnavailable


@click.command("backends")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a backend.")
def command(as_json: bool) -> None:
    """List the solvers and what each can do."""
    for name in registry.names():
        try:
            record = asdict(registry.get(name).capabilities)
            can = [key for key, value in record.items() if value is True]
            record["constraints"] = sorted(record["constraints"])
            text = f"{', '.join(can)}; {', '.join(record['constraints'])}"
        except BackendUnavailable as error:
            record, text = {"unavailable": str(error)}, f"unavailable: {error}"
        if as_json:
            echo_json({"name": name, **record})
        else:
            click.echo(f"{name:14} {text}")
