"""`nonant compare`: the same puzzles on several backends, as a table, Markdown, CSV, JSON or a plot."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Generator, Iterator
from contextlib import closing
from importlib.util import find_spec
from itertools import chain, cycle, islice
from math import log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nonant.commands.common import (
    BAD_INPUT,
    INTERRUPTED,
    MANY,
    MODEL_HELP,
    at_terminal,
    load_kernels,
    model_of,
    puzzles_of,
)
from nonant.commands.options import time_option
from nonant.commands.progress import progress
from nonant.csp.compare import Tally, compare
from nonant.csp.comparison import Comparison, Outcome, duration
from nonant.csp.errors import BackendUnavailable, Disagreement, ParseError

if TYPE_CHECKING:
    from nonant.csp.model import Puzzle
    from nonant.formats import Entry

DISAGREEMENT = 1
PICTURES = (".png", ".svg", ".pdf")


@click.command("compare")
@click.argument("puzzle", metavar="PUZZLE|FILE|-")
@click.option("--backends", metavar="NAME,...", help="Names from `nonant backends`; by default all of them.")
@click.option("--model", "model_name", metavar="NAME", help=MODEL_HELP)
@click.option("--limit", type=click.IntRange(min=1), default=2, show_default=True, help="Solutions of each puzzle.")
@time_option
@click.option("--json", "form", flag_value="json", help="One JSON object.")
@click.option("--markdown", "form", flag_value="markdown", help="A Markdown table.")
@click.option("--csv", "form", flag_value="csv", help="A line a backend, with the puzzles counted by outcome.")
@click.option("--plot", metavar="OUT.png|svg", help="Draw how long each backend took for how many puzzles.")
@click.pass_context
def command(
    ctx: click.Context,
    puzzle: str,
    backends: str | None,
    model_name: str | None,
    limit: int,
    time_limit: float | None,
    form: str | None,
    plot: str | None,
) -> None:
    """Solve the same puzzles with several backends, compare the answers, and show what each cost.

    A backend's status is the outcome that all puzzles share (unique, multiple, none, unknown at the time limit,
    unsupported, unavailable; solved with --limit 1), or "mixed". Building and solving are timed apart, and loading the
    backends' libraries not at all.

    Exit code: 0 when the answers agree, 1 when not, 2 for bad input, 130 after Ctrl-C, which shows what is done.
    """
    check_plot(plot)
    names = None if backends is None else [name.strip() for name in backends.split(",") if name.strip()]
    tally, source, code = Tally(), _Source(puzzle, model_name), 0
    if source.are_many:
        load_kernels(entry.puzzle for entry in source.start)
    try:
        with closing(source.puzzles()) as puzzles:  # closed, the progress bar is gone before anything is printed
            compare(puzzles, names, limit=limit, time_limit=time_limit, progress=tally)
    except Disagreement as error:
        click.echo(f"nonant: {error}", err=True)
        code = DISAGREEMENT
    except KeyboardInterrupt:
        click.echo(f"nonant: interrupted after {tally.puzzles} puzzles", err=True)
        code = INTERRUPTED
    found = tally.comparison()
    click.echo(shown(found, form), nl=False)
    if plot is not None and found.puzzles:
        survival_plot(found, Path(plot))
    ctx.exit(code or source.code)


# -- the puzzles -------------------------------------------------------------------------------------------------------


class _Source:
    """The puzzles of the argument. Bad entries are reported on standard error and left out; `code` is then 2."""

    def __init__(self, source: str, model_name: str | None) -> None:
        self.source, self.model_name, self.code = source, model_name, 0
        self._rest = puzzles_of(source, model_of(model_name))
        self.start = list(islice(self._rest, MANY))
        if not self.start:
            raise ParseError("no puzzle in the input", expected="give one line of symbols, or a file of them")
        if len(self.start) == 1 and self.start[0].error is not None:
            raise self.start[0].error
        self.are_many = len(self.start) == MANY

    def puzzles(self) -> Generator[Puzzle, None, None]:
        """The puzzles, one by one, with a progress bar for a person who waits for many."""
        every = self._good(chain(self.start, self._rest))
        return self._watched(every) if self.are_many and sys.stderr.isatty() else every

    def _good(self, entries: Iterator[Entry]) -> Generator[Puzzle, None, None]:
        for entry in entries:
            if entry.puzzle is None:
                self.code = BAD_INPUT
                click.echo(f"nonant: {entry.error}", err=True)
            else:
                yield entry.puzzle

    def _watched(self, every: Iterator[Puzzle]) -> Generator[Puzzle, None, None]:
        # Reading a list once more to count it takes a hundredth of the time that solving it takes.
        again = puzzles_of(self.source, model_of(self.model_name)) if self.source != "-" else None
        total = None if again is None else sum(entry.puzzle is not None for entry in again)
        with progress(total) as advance:
            for done, puzzle in enumerate(every, 1):
                yield puzzle
                advance(1, done)


# -- the forms of the table --------------------------------------------------------------------------------------------


def shown(found: Comparison, form: str | None) -> str:
    """The comparison in the form asked for; by default drawn at a terminal, aligned lines in a pipe."""
    if form == "json":
        return as_json(found)
    if form == "markdown":
        return as_markdown(found)
    if form == "csv":
        return as_csv(found)
    return drawn(found) if at_terminal() else f"{found}\n"


def as_json(found: Comparison) -> str:
    """The JSON that scripts rely on."""
    import json

    rows = [
        {
            "backend": row.backend,
            "status": row.status,
            "solutions": row.solutions,
            "build_s": round(row.build_s, 6),
            "solve_s": round(row.solve_s, 6),
            "nodes": row.nodes,
        }
        for row in found.rows
    ]
    return json.dumps({"puzzles": found.puzzles, "agree": found.agree, "rows": rows}, ensure_ascii=False) + "\n"


def as_markdown(found: Comparison) -> str:
    """A table for a page, and the notes below it."""
    heading, *lines = found.table()
    rule = ["---", "---", *("---:" for _ in heading[2:])]
    table = ["| " + " | ".join(cells) + " |" for cells in (heading, rule, *lines)]
    return "\n".join([*table, "", *(f"{note}  " for note in found.notes())]) + "\n"


def as_csv(found: Comparison) -> str:
    """Plain numbers for a spreadsheet: seconds, bytes, and how many puzzles had each outcome."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    outcomes = tuple(Outcome)
    counted = ("solutions", "build_s", "solve_s", "nodes", "memory_bytes")
    writer.writerow(("backend", "status", *(outcome.value for outcome in outcomes), *counted))
    for row in found.rows:
        numbers = (row.solutions, round(row.build_s, 6), round(row.solve_s, 6), row.nodes, row.memory)
        writer.writerow((row.backend, row.status, *(row.outcomes.get(each, 0) for each in outcomes), *numbers))
    return out.getvalue()


def drawn(found: Comparison) -> str:
    """The table as a person at a terminal sees it."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    heading, *lines = found.table()
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for at, title in enumerate(heading):
        table.add_column(title, justify="left" if at < 2 else "right", no_wrap=at != 1)  # of a status there may be many
    for line in lines:
        table.add_row(*line)
    console = Console()
    with console.capture() as captured:
        console.print(table)
        for note in found.notes():
            console.print(note, style=None if found.agree else "bold red", markup=False, highlight=False)
    return captured.get()


# -- the plot ----------------------------------------------------------------------------------------------------------

# Distinct for every kind of colour vision (Okabe and Ito, "Color universal design", 2008).
COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#E69F00",
    "#000000",
)
PLOT_POINTS, LABEL_POINTS = 240, 13  # the height of the axes, and of a label


def check_plot(plot: str | None) -> None:
    """Say before the work that it could not be drawn afterwards.

    Raises:
        ParseError: for a file that cannot be written, or an ending that is no picture's.
        BackendUnavailable: without matplotlib.
    """
    if plot is None:
        return
    path = Path(plot)
    if path.suffix.lower() not in PICTURES:
        raise ParseError(f"cannot draw to {plot!r}", expected=f"give a name that ends in {', '.join(PICTURES)}")
    if not path.parent.is_dir():
        raise ParseError(f"cannot draw to {plot!r}: there is no folder {str(path.parent)!r}")
    if find_spec("matplotlib") is None:
        raise BackendUnavailable("--plot needs matplotlib: pip install 'nonant[plot]'")


def survival_plot(found: Comparison, path: Path) -> None:
    """Draw the times of each backend in rising order: how long it needs for each of so many puzzles.

    A line that ends early stands for a backend that left puzzles unfinished.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.add_subplot()
    axes.set_yscale("log")
    ends: list[tuple[float, float, str, str]] = []
    for row, colour in zip(found.rows, cycle(COLOURS), strict=False):
        times = sorted(row.times)
        if times:
            axes.plot(
                range(1, len(times) + 1), times, color=colour, linewidth=1.8, marker="o" if len(times) == 1 else ""
            )
            ends.append((times[-1], len(times), row.backend, colour))
    axes.set_title(f"Time for each of {found.puzzles} puzzles, fastest first", loc="left", fontsize=11)
    axes.set_xlabel("puzzles solved", loc="left")
    axes.set_xlim(0, found.puzzles)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda seconds, _: duration(seconds)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.tick_params(length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    _label(axes, ends)
    figure.savefig(path, dpi=150)


def _label(axes: Any, ends: list[tuple[float, float, str, str]]) -> None:
    """Write each backend's name at the end of its line, and push names apart that would overlap."""
    low, high = (log10(bound) for bound in axes.get_ylim())
    taken = -1.0
    for seconds, solved, name, colour in sorted(ends):
        height = (log10(seconds) - low) / (high - low) * PLOT_POINTS
        taken = max(height, taken + LABEL_POINTS)
        shift = (6, taken - height)
        axes.annotate(
            name,
            (solved, seconds),
            shift,
            textcoords="offset points",
            color=colour,
            va="center",
            annotation_clip=False,
            weight="bold",
            fontsize=10,
        )
