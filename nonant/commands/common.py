"""What the commands share: options, the puzzles of an argument, the loop over many of them.

A command has one function that answers one puzzle; `each` calls it for every puzzle of the source and prints, so that
one puzzle and a file of a million read the same way.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import click

from nonant.commands.progress import progress
from nonant.csp.errors import ModelError, ParseError
from nonant.formats import Entry, entries, read
from nonant.formats.source import is_path

if TYPE_CHECKING:
    from nonant.csp.model import Model, Puzzle

MANY = 50  # from so many puzzles on the compiled kernel is worth its half second of loading
BAD_INPUT = 2
INTERRUPTED = 130
MODEL_HELP = "Family (x), model (classic-12-3x4) or FILE.py:NAME."

effort_option = click.option(
    "--effort",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    metavar="FACTOR",
    help="Allow so many times the work that a file of this length may take.",
)


@dataclass(frozen=True)
class Answer:
    """The answer to one puzzle.

    Attributes:
        record: what `--json` prints.
        line: what a pipe gets: one or several lines; None when they were printed as they were found.
        picture: draws what a person at a terminal gets.
        code: the exit code that it stands for.
        kind: what the summary of a list counts it as.
    """

    record: dict[str, Any]
    line: str | None
    picture: Callable[[], str]
    code: int
    kind: str


def puzzle_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """The argument PUZZLE and the options --model and --json."""
    command = click.option("--json", "as_json", is_flag=True, help="One JSON object a puzzle.")(command)
    command = click.option("--model", "model_name", metavar="NAME", help=MODEL_HELP)(command)
    return click.argument("puzzle", metavar="PUZZLE|FILE|-")(command)


def model_of(name: str | None) -> Model | str | None:
    """The value of --model: a name as it is, or the object that `FILE.py:NAME` or `MODULE:NAME` refers to."""
    if name is None or ":" not in name:
        return name
    from nonant.csp.model import Model

    where, _, attribute = name.rpartition(":")
    try:
        if where.endswith(".py"):
            import runpy

            found = runpy.run_path(where)[attribute]
        else:
            from importlib import import_module

            found = getattr(import_module(where), attribute)
    except OSError as error:
        raise ModelError(f"--model {name}: cannot read {where}: {error.strerror}") from error
    except (KeyError, AttributeError) as error:
        raise ModelError(f"--model {name}: {where} has no {attribute}") from error
    except (Exception, SystemExit) as error:  # whatever the user's file raises is the user's to mend
        raise ModelError(f"--model {name}: {type(error).__name__}: {error}".replace("\n", " ")) from error
    if not isinstance(found, Model):
        raise ModelError(f"--model {name} is a {type(found).__name__}, not a Model")
    return found


def puzzles_of(source: str, model: Model | str | None) -> Iterator[Entry]:
    """The entries of the argument PUZZLE."""
    if source == "-":
        if sys.stdin is None:
            raise ParseError("standard input is closed", expected="send a puzzle, or name a file")
        return entries(io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace"), model)
    if is_path(source):
        return entries(source, model)
    return iter((Entry(1, read(source, model), None, ""),))


def one_puzzle(source: str, model: Model | str | None) -> Puzzle:
    """The one puzzle of an option that takes PUZZLE|FILE|-.

    Raises:
        ParseError: if there is none, or more than one.
    """
    found = list(islice(puzzles_of(source, model), 2))
    if len(found) != 1:
        raise ParseError(f"{'more than one' if found else 'no'} puzzle in {source}", expected="give one puzzle")
    if found[0].puzzle is None:
        assert found[0].error is not None
        raise found[0].error
    return found[0].puzzle


def at_terminal() -> bool:
    """Whether a person reads the output."""
    return sys.stdout.isatty()


def write_text(path: str, text: str) -> None:
    """Write a file, or to standard output for `-`.

    Raises:
        ParseError: if the file cannot be written.
    """
    if path == "-":
        click.echo(text, nl=False)
        return
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise ParseError(f"cannot write {path}: {error.strerror}") from error


def each(
    source: str,
    model_name: str | None,
    as_json: bool,
    answer: Callable[[Puzzle], Answer],
    only_one: str = "",
) -> int:
    """Answer every puzzle of the source and print; returns the exit code.

    One puzzle gets a picture at a terminal. In a list a bad entry is reported on standard error with its line, and the
    list goes on; the exit code is then 2, else that of the first answer that is not 0. `only_one` names an option
    that makes no sense for a list.
    """
    found = puzzles_of(source, model_of(model_name))
    start = list(islice(found, MANY))
    if not start:
        raise ParseError("no puzzle in the input", expected="give one line of symbols, or a file of them")
    alone = len(start) == 1
    if only_one and not alone:
        raise ParseError(f"{only_one} is for one puzzle, the input has more", expected="give one puzzle")
    if len(start) == MANY:
        load_kernels(entry.puzzle for entry in start)
    code, kinds = 0, dict[str, int]()
    try:
        for entry in _watched(chain(start, found), not alone):
            if entry.puzzle is None:
                code = BAD_INPUT
                kinds["bad"] = kinds.get("bad", 0) + 1
                if as_json and not alone:
                    echo_json({"error": str(entry.error), "line": entry.line})
                click.echo(f"nonant: {entry.error}", err=True)
                continue
            got = answer(entry.puzzle)
            kinds[got.kind] = kinds.get(got.kind, 0) + 1
            code = code or got.code
            if as_json:
                echo_json(got.record)
            elif alone and at_terminal():
                click.echo(got.picture())
            elif got.line is not None:
                click.echo(got.line)
    except KeyboardInterrupt:
        code = INTERRUPTED
        click.echo(f"nonant: interrupted after {sum(kinds.values())} puzzles", err=True)
    if not alone and sys.stderr.isatty():
        total = sum(kinds.values())
        parts = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        click.echo(f"{total} puzzles: {parts}", err=True)
    return code


def _watched(found: Iterator[Entry], many: bool) -> Iterator[Entry]:
    """The entries, with a progress line for a person who has sent a list and whose output goes elsewhere."""
    if not many or not sys.stderr.isatty() or at_terminal():
        yield from found
        return
    with progress(None) as advance:
        for entry in found:
            yield entry
            advance(1, None)


def load_kernels(puzzles: Iterable[Puzzle | None]) -> None:
    """Load what is compiled for the models of some puzzles now, since there is work enough for it."""
    from nonant.csp.backends.base import Limits, Progress
    from nonant.csp.backends.native import Native

    backend = Native(engine="kernel")
    for puzzle in {puzzle.model.name: puzzle for puzzle in puzzles if puzzle is not None}.values():
        if backend.why_not(puzzle.model) is None:
            next(backend.session(puzzle).run(Progress(), Limits(nodes=1)), None)


def echo_json(record: dict[str, Any]) -> None:
    """One JSON object on a line."""
    import json

    click.echo(json.dumps(record, ensure_ascii=False))
