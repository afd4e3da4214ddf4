"""`nonant convert`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import PurePath
from typing import IO

import click

from nonant.commands.common import MODEL_HELP, model_of, puzzles_of
from nonant.csp.errors import NonantError, ParseError
from nonant.formats import forms, write

# A file's ending -> the form that is written to it.
ENDINGS = {".sdm": "sdm", ".sdk": "sdk", ".csv": "csv"}
ONE_LINE = frozenset({"line", "sdm"})  # in a list these forms need no empty line between


@click.command("convert")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--model", "model_name", metavar="NAME", help=MODEL_HELP)
@click.option("--to", "form", type=click.Choice(forms()), help="The form; by default from OUT's ending, else lines.")
@click.pass_context
def command(ctx: click.Context, source: str, target: str, model_name: str | None, form: str | None) -> None:
    """Rewrite puzzles in another form. IN is text, a file or -; OUT a file or - for standard output."""
    form = form or ENDINGS.get(PurePath(target).suffix.lower(), "line")
    between = "\n" if form in ONE_LINE else "\n\n"
    code, number = 0, 0
    with _output(target) as out:
        for entry in puzzles_of(source, model_of(model_name)):
            try:
                if entry.puzzle is None:
                    raise entry.error or ParseError("no puzzle")
                out.write((between if number else "") + write(entry.puzzle, form))
                number += 1
            except NonantError as error:
                click.echo(f"nonant: {error}", err=True)
                code = 2
        if not number:
            raise ParseError("no puzzle in the input", expected="give a line of symbols, a grid, or a file of them")
        out.write("\n")
    ctx.exit(code)


@contextmanager
def _output(target: str) -> Iterator[IO[str]]:
    """Standard output, or a file that takes OUT's place once all is written: OUT may be IN, and errors leave it."""
    if target == "-":
        yield sys.stdout
        return
    beside = f"{target}.part"
    try:
        with open(beside, "w", encoding="utf-8", newline="\n") as out:
            yield out
        os.replace(beside, target)
    except OSError as error:
        raise ParseError(f"cannot write {target}: {error.strerror}") from error
    finally:
        with suppress(OSError):
            os.unlink(beside)
