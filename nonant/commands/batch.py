"""`nonant batch`: whole lists, one row of output a puzzle: through the compiled kernels, or (`rate`) the ladder."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from nonant.commands.common import BAD_INPUT, MODEL_HELP, model_of
from nonant.commands.options import gathered
from nonant.commands.progress import Advance, progress
from nonant.csp.batch.tasks import FILE_FORMS, TASKS, TEXT_FORMS
from nonant.csp.errors import ParseError

if TYPE_CHECKING:
    from nonant.csp.batch.rows import Form
    from nonant.csp.batch.run import Results
    from nonant.csp.model import Model
    from nonant.rating_batch import Asked

COMMANDS, FORMS = (*TASKS, "rate"), (*TEXT_FORMS, *FILE_FORMS)
_KIND = {"parquet": "folder of part files", "npy": "file"}
SHOWN = 20  # bad lines reported one by one
WORDS = ("unique", "multiple", "none", "bad")


@dataclass(frozen=True)
class Output:
    """Where the rows go, and in which form."""

    out: str | None
    form: str | None
    resume: bool

    @property
    def row_form(self) -> str:
        """The form that was asked for, else that of OUT's ending, else txt."""
        ending = (self.out or "").rpartition(".")[2].lower()
        return self.form or {"ndjson": "jsonl"}.get(ending, ending if ending in FORMS else "txt")


@dataclass(frozen=True)
class Work:
    """Who does the work, and what stops it."""

    workers: int | None
    cluster: str | None
    strict: bool


output_options = gathered(
    "output",
    Output,
    [
        click.option("-o", "--out", metavar="OUT", help="Where the rows go; standard output if not given."),
        click.option("--format", "form", type=click.Choice(FORMS), help="Of the rows; by OUT's ending, else txt."),
        click.option("--resume", is_flag=True, help="Go on where OUT ends."),
    ],
)
work_options = gathered(
    "work",
    Work,
    [
        click.option(
            "--workers", type=click.IntRange(min=1), metavar="N", help="Threads (rate: processes); all if not given."
        ),
        click.option("--cluster", metavar="ADDRESS", help="Of the scheduler of a Dask cluster that does the work."),
        click.option("--strict", is_flag=True, help="Stop at the first bad line."),
    ],
)


@click.command("batch")
@click.argument("task", type=click.Choice(COMMANDS))
@click.argument("files", nargs=-1, required=True, metavar="FILE...|-")
@output_options
@click.option("--model", "model_name", metavar="NAME", help=MODEL_HELP)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Stop at so many solutions (verify: 2).")
@click.option("--solutions", is_flag=True, help="Write a solution into each row (solve does anyway).")
@work_options
@click.pass_context
def command(
    ctx: click.Context,
    task: str,
    files: tuple[str, ...],
    output: Output,
    model_name: str | None,
    limit: int | None,
    solutions: bool,
    work: Work,
) -> None:
    """Verify, solve, count or rate every puzzle of some lists, plain or gzip: a row of output a puzzle, in order.

    A row of rate has the ratings W (whips) and B (braids), the depth of the refutations and the hardest technique.

    A line holds one puzzle, one symbol a cell. A bad line gets a row "bad" and is reported on standard error. However
    the run is stopped, OUT holds the rows so far, and --resume goes on from there.

    Exit code: 0, or 2 if there were bad lines.
    """
    _check(task, output, work, limit, solutions)
    rules = _rules(model_name)
    for name in files:
        if name != "-" and not os.path.isfile(name):
            raise ParseError(f"no such file: {name}", expected="give a file with one puzzle a line, or -")
    if task == "rate":
        ctx.exit(_rate(files, output, model_name, rules, work))
    ctx.exit(_answer(task, files, output, rules, work, limit, solutions or task == "solve"))


def _check(task: str, output: Output, work: Work, limit: int | None, solutions: bool) -> None:
    """Refuse options that do not go together."""
    out, form = output.out, output.row_form
    if output.resume and out is None:
        raise click.UsageError("--resume needs -o OUT, the file to go on with")
    if task == "rate" and (limit is not None or solutions):
        raise click.UsageError("rate takes no --limit and no --solutions; leave them out")
    if task == "verify" and limit == 1:
        raise click.UsageError(
            "--limit 1 cannot tell unique from multiple; give 2 or more, or use `nonant batch solve`"
        )
    if work.cluster is not None and work.workers is not None:
        raise click.UsageError("--workers is for this machine; with --cluster all workers there are used")
    if form in FILE_FORMS and (out is None or task == "rate"):
        raise click.UsageError(
            "rate writes txt, csv or jsonl" if out else f"{form} needs -o OUT: a {_KIND[form]}, which is no stream"
        )


def _answer(
    task: str, files: tuple[str, ...], output: Output, rules: Model, work: Work, limit: int | None, solutions: bool
) -> int:
    """The tasks that the compiled kernels do; returns the exit code."""
    from nonant.csp.batch import run as batch

    limit = limit or {"verify": 2, "solve": 1, "count": batch.NO_LIMIT}[task]
    tally: Counter[str] = Counter()
    branchings = 0
    with ExitStack() as stack:
        streaming = partial(batch.stream, threads=work.workers)
        if work.cluster is not None:
            from nonant.csp.batch.cluster import stream

            streaming = partial(stream, _client(work.cluster, stack))
        streaming = partial(streaming, limit=limit, model=rules, solutions=solutions, strict=work.strict)
        done, put = _rows_out(output, task, rules, solutions, stack)
        begun = perf_counter()
        for name, found in _answers(files, streaming, done, stack):
            put(found)
            branchings += found.branchings
            for line in found.bad:
                _report_bad(name, line.line, line.reason, tally["bad"])
                tally["bad"] += 1
            tally.update({word: number for word, number in found.tally().items() if word != "bad"})
    _summarise(tally, WORDS, perf_counter() - begun, done, f"; {branchings:,} branchings")
    return BAD_INPUT if tally["bad"] else 0


def _rate(files: tuple[str, ...], output: Output, model_name: str | None, rules: Model, work: Work) -> int:
    """The task `rate`; returns the exit code."""
    from nonant import rating_batch
    from nonant.csp.batch.run import processors

    form = output.row_form
    how = rating_batch.form_of(form)
    done = _rows_before(output.out, how, output.resume)
    tally: Counter[str] = Counter()
    begun, number = perf_counter(), done
    with ExitStack() as stack:
        rated = partial(rating_batch.rated, rules=partial(_rules, model_name), workers=work.workers or processors())
        if work.cluster is not None:
            from nonant import rating_cluster

            rated = partial(rating_cluster.rated, _client(work.cluster, stack), model=rules)
        target = _target(output.out, how, stack)
        sizes = {name: 0 if name == "-" else os.path.getsize(name) for name in files}
        advance = stack.enter_context(progress(None if "-" in files else sum(sizes.values())))
        items = islice(_asked(files, rules, sizes, advance, stack), done, None)
        for item, row in rated(items):
            if row.status == "bad":
                if work.strict:
                    raise ParseError(item.reason, line=item.line, expected="mend the line, or run without --strict")
                _report_bad("the lists" if len(files) > 1 else files[0], item.line, item.reason, tally["bad"])
            number += 1
            _write(target, rating_batch.written(number, row, form))
            tally[row.status] += 1
            advance(1, None)
    _summarise(tally, rating_batch.WORDS, perf_counter() - begun, done)
    return BAD_INPUT if tally["bad"] else 0


def _asked(
    files: tuple[str, ...], rules: Model, sizes: dict[str, int], advance: Advance, stack: ExitStack
) -> Iterator[Asked]:
    """The lines of all files, to be rated."""
    from nonant.csp.batch.source import opened
    from nonant.rating_batch import asked

    before = 0
    for name in files:
        file = sys.stdin.buffer if name == "-" else stack.enter_context(opened(name))
        for item in asked(file, rules):
            advance(0, before + (item.end if name == "-" else file.tell()))
            yield item
        before += sizes[name]


def _client(address: str, stack: ExitStack) -> Any:
    """A client of a cluster."""
    import logging

    from nonant.csp.batch.cluster import connected

    # Dask logs every lost connection; what matters to the run comes as an error.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    return stack.enter_context(connected(address))


def _rows_out(
    output: Output, task: str, rules: Model, solutions: bool, stack: ExitStack
) -> tuple[int, Callable[[Results], None]]:
    """How many rows there are already, and a function that adds those of some results."""
    from nonant.csp.batch.rows import form_of, rows
    from nonant.csp.batch.saver import saver as saver_of

    out, form, resume = output.out, output.row_form, output.resume
    if form in FILE_FORMS and out is not None:
        _refuse_old(out, resume)
        saver = stack.enter_context(saver_of(form, out, task, rules, solutions, resume))
        return saver.done, saver.write
    how = form_of(task, form, solutions)
    row = done = _rows_before(out, how, resume)
    target = _target(out, how, stack)

    def put(found: Results) -> None:
        nonlocal row
        _write(target, rows(found, how, rules, row + 1))
        row += len(found)

    return done, put


def _refuse_old(out: str | None, resume: bool) -> None:
    """Nothing is added to a file or folder unless asked for.

    Raises:
        click.UsageError: if OUT has something in it and nobody has said to go on.
    """
    if out is None or resume or not os.path.exists(out):
        return
    if os.listdir(out) if os.path.isdir(out) else os.path.getsize(out):
        raise click.UsageError(f"{out} exists; give --resume to go on with it, or remove it")


def _rows_before(out: str | None, how: Form, resume: bool) -> int:
    """How many rows OUT has, to go on after them.

    Raises:
        click.UsageError: if it has some and nobody has said to go on.
        ParseError: if they are other rows.
    """
    from nonant.csp.batch.rows import resume_point

    _refuse_old(out, resume)
    return resume_point(out, how) if out is not None and resume else 0


def _target(out: str | None, how: Form, stack: ExitStack) -> int:
    """The descriptor to write rows to, with the header written if there is nothing yet."""
    target = 1 if out is None else os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    if out is not None:
        stack.callback(os.close, target)
    if how.header and (out is None or os.fstat(target).st_size == 0):
        _write(target, how.header)
    return target


def _rules(name: str | None) -> Model:
    """The model to use."""
    from nonant.models import model

    found = model_of(name)
    return model(found or "classic-9") if found is None or isinstance(found, str) else found


def _answers(
    files: tuple[str, ...], streaming: Callable[..., Iterator[Results]], skip: int, stack: ExitStack
) -> Iterator[tuple[str, Results]]:
    """The results of all files, part by part, with the progress shown to a person at a terminal."""
    from nonant.csp.batch.source import opened

    sizes = {name: 0 if name == "-" else os.path.getsize(name) for name in files}
    advance = stack.enter_context(progress(None if "-" in files else sum(sizes.values())))
    before = 0
    for name in files:
        file = sys.stdin.buffer if name == "-" else stack.enter_context(opened(name))
        for found in streaming(file, skip=skip):
            skip -= found.passed
            # Of a zipped file the offset in the zipped bytes; it runs ahead of the answers by one block.
            advance(len(found), before + (found.end if name == "-" else file.tell()))
            yield name, found
        before += sizes[name]


def _write(target: int, rows: bytes) -> None:
    """All the bytes, without a buffer between: what has been written stays when the process is killed."""
    left = memoryview(rows)
    while left:
        left = left[os.write(target, left) :]


def _report_bad(name: str, line: int, reason: str, reported: int) -> None:
    """Report one bad line on standard error, unless many were reported."""
    if reported < SHOWN:
        click.echo(f"nonant: {name}, line {line}: {reason}", err=True)
    elif reported == SHOWN:
        click.echo("nonant: more bad lines are not reported one by one; their rows say bad", err=True)


def _summarise(tally: Counter[str], words: tuple[str, ...], seconds: float, done: int, more: str = "") -> None:
    total = sum(tally.values())
    parts = ", ".join(f"{tally[word]:,} {word}" for word in words)
    rate = total / max(seconds, 1e-9)
    before = f" ({done:,} were done before)" if done else ""
    click.echo(f"{total:,} puzzles{before} in {seconds:.1f} s, {rate:,.0f} a second: {parts}{more}", err=True)
