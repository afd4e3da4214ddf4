"""`nonant convert`."""

from __future__ import annotations

import sys
from pathlib import PurePath

import click

from nonant.commands.common import MODEL_HELP, puzzles_of
from nonant.csp.errors import NonantError, ParseError
from nonant.formats import forms, write

# A file's ending -> the form that is written to it.
ENDINGS = {".sdm": "sdm", ".sdk": "sdk", ".csv": "csv"}
SEPARATE = frozenset({"line", "sdm"})  # forms of one line: in a list they need no empty line between


@click.command("convert")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--model", "model_name", metavar="NAME", help=MODEL_HELP)
@click.option("--to", "form", type=click.Choice(forms()), help="The form; by default from OUT's ending, else lines.")
@click.pass_context
def command(ctx: click.Context, source: str, target: str, model_name: str | None, form: str | None) -> None:
    """Rewrite puzzles in another form. IN is text, a file or -; OUT a file or - for standard output."""
    form = form or ENDINGS.get(PurePath(target).suffix.lower(), "line")
    code, number = 0, 0
    try:
        out = sys.stdout if target == "-" else open(target, "w", encoding="utf-8", newline="\n")  # noqa: SIM115
    except OSError as error:
        raise ParseError(f"cannot write {target}: {error.strerror}") from error
    try:
        for entry in puzzles_of(source, model_name):
            try:
                if entry.puzzle is None:
                    raise entry.error or ParseError("no puzzle")
                text = write(entry.puzzle, form)
            except NonantError as error:
                click.echo(f"nonant: {error}", err=True)
                code = 2
                continue
            if number and form not in SEPARATE:
                out.write("\n")
            out.write(text + "\n")
            number += 1
    finally:
        if out is not sys.stdout:
            out.close()
    ctx.exit(code)
