"""`nonant batch`: whole lists through the compiled kernels, one row of output a puzzle."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from nonant.commands.common import BAD_INPUT, MODEL_HELP, model_of
from nonant.csp.errors import ParseError

if TYPE_CHECKING:
    from nonant.csp.batch import Results
    from nonant.csp.model import Model

TASKS, FORMS = ("verify", "solve", "count"), ("txt", "csv", "jsonl")
SHOWN = 20  # bad lines told one by one
WORDS = ("unique", "multiple", "none", "bad")


@click.command("batch")
@click.argument("task", type=click.Choice(TASKS))
@click.argument("files", nargs=-1, required=True, metavar="FILE...|-")
@click.option("-o", "--out", metavar="OUT", help="Where the rows go; standard output if not given.")
@click.option("--format", "form", type=click.Choice(FORMS), help="Of the rows; by OUT's ending, else txt.")
@click.option("--model", "model_name", metavar="NAME", help=MODEL_HELP)
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Threads; all processors if not given.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Stop at so many solutions (verify: 2).")
@click.option("--solutions", is_flag=True, help="Write a solution into each row (solve does anyway).")
@click.option("--resume", is_flag=True, help="Go on where OUT ends.")
@click.option("--strict", is_flag=True, help="Stop at the first bad line.")
@click.pass_context
def command(
    ctx: click.Context,
    task: str,
    files: tuple[str, ...],
    out: str | None,
    form: str | None,
    model_name: str | None,
    workers: int | None,
    limit: int | None,
    solutions: bool,
    resume: bool,
    strict: bool,
) -> None:
    """Verify, solve or count every puzzle of some lists, plain or gzip: one row of output for each puzzle, in order.

    A line holds one puzzle, one symbol a cell. A bad line gets a row "bad" and is told on standard error. However the
    run is stopped, OUT holds the rows so far, and --resume goes on from there.

    Exit code: 0, or 2 if there were bad lines.
    """
    from nonant.csp import batch, batch_output

    if resume and out is None:
        raise click.UsageError("--resume needs -o OUT, the file to go on with")
    if task == "verify" and limit == 1:
        raise click.UsageError(
            "--limit 1 cannot tell unique from multiple; give 2 or more, or use `nonant batch solve`"
        )
    form = form or _form_of(out)
    solutions = solutions or task == "solve"
    how = batch_output.form_of(task, form, solutions)
    limit = limit or {"verify": 2, "solve": 1, "count": batch.NO_LIMIT}[task]
    rules = _rules(model_name)
    for name in files:
        if name != "-" and not os.path.isfile(name):
            raise ParseError(f"no such file: {name}", expected="give a file with one puzzle a line, or -")
    done = batch_output.resume_point(out, how) if out is not None and resume else 0
    if out is not None and not resume and os.path.exists(out) and os.path.getsize(out):
        raise click.UsageError(f"{out} exists; give --resume to go on with it, or remove it")

    tally: Counter[str] = Counter()
    begun, row, branchings = perf_counter(), done, 0
    with ExitStack() as stack:
        target = 1 if out is None else os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        if out is not None:
            stack.callback(os.close, target)
        if how.header and (out is None or os.fstat(target).st_size == 0):
            _write(target, how.header)
        options = {"limit": limit, "threads": workers, "model": rules, "solutions": solutions, "strict": strict}
        for name, found in _answers(files, options, done, stack):
            _write(target, batch_output.rows(found, how, rules, row + 1))
            row += len(found)
            branchings += found.branchings
            _tell_bad(name, found, tally["bad"])
            tally.update(found.tally())
    _summarise(tally, perf_counter() - begun, branchings, done)
    ctx.exit(BAD_INPUT if tally["bad"] else 0)


def _form_of(out: str | None) -> str:
    ending = (out or "").rpartition(".")[2].lower()
    return {"csv": "csv", "jsonl": "jsonl", "ndjson": "jsonl"}.get(ending, "txt")


def _rules(name: str | None) -> Model:
    """The model to use."""
    from nonant.models import model

    found = model_of(name)
    return model(found or "classic-9") if found is None or isinstance(found, str) else found


def _answers(
    files: tuple[str, ...], options: dict[str, Any], skip: int, stack: ExitStack
) -> Iterator[tuple[str, Results]]:
    """The results of all files, part by part, with the progress told to a person at a terminal."""
    from nonant.csp.batch import stream
    from nonant.csp.batch_input import opened

    sizes = {name: 0 if name == "-" else os.path.getsize(name) for name in files}
    advance = _progress(None if "-" in files else sum(sizes.values()), stack)
    before = 0
    for name in files:
        file = sys.stdin.buffer if name == "-" else stack.enter_context(opened(name))
        for found in stream(file, skip=skip, **options):
            skip -= found.passed
            # Of a zipped file the place in the zipped bytes; it runs ahead of the answers by one block.
            advance(before + (found.end if name == "-" else file.tell()), len(found))
            yield name, found
        before += sizes[name]


def _progress(total: int | None, stack: ExitStack) -> Any:
    """A function (bytes read so far, puzzles answered since the last call) that moves a progress bar."""
    if not sys.stderr.isatty():
        return lambda _bytes, _puzzles: None
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[rate]}"), TimeElapsedColumn())
    bar = stack.enter_context(Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True))
    task = bar.add_task("puzzles", total=total, rate="")
    begun, puzzles = perf_counter(), 0

    def advance(read: int, answered: int) -> None:
        nonlocal puzzles
        puzzles += answered
        rate = puzzles / max(perf_counter() - begun, 1e-9)
        bar.update(task, completed=read, rate=f"{puzzles:,} puzzles, {rate:,.0f} a second")

    return advance


def _write(target: int, rows: bytes) -> None:
    """All the bytes, without a buffer between: what has been written stays when the process is killed."""
    left = memoryview(rows)
    while left:
        left = left[os.write(target, left) :]


def _tell_bad(name: str, found: Results, told: int) -> None:
    for number, line in enumerate(found.bad, told):
        if number < SHOWN:
            click.echo(f"nonant: {name}, line {line.line}: {line.reason}", err=True)
        elif number == SHOWN:
            click.echo("nonant: more bad lines are not told one by one; their rows say bad", err=True)
            return


def _summarise(tally: Counter[str], seconds: float, branchings: int, done: int) -> None:
    total = sum(tally.values())
    parts = ", ".join(f"{tally[word]:,} {word}" for word in WORDS)
    rate = total / max(seconds, 1e-9)
    before = f" ({done:,} were done before)" if done else ""
    click.echo(
        f"{total:,} puzzles{before} in {seconds:.1f} s, {rate:,.0f} a second: {parts}; {branchings:,} branchings",
        err=True,
    )
