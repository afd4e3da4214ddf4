"""The progress line of commands that go through lists: how far, how many puzzles, how fast, how long still."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

# How many puzzles were answered since the last call; how far the work is, in the units of the total, if that is known.
Advance = Callable[[int, int | None], None]


@contextmanager
def progress(total: int | None) -> Iterator[Advance]:
    """A progress line on standard error while the block runs; none where standard error is not a terminal.

    `total` is the end of the work in any unit (bytes, puzzles), or None if it is not known.
    """
    if not sys.stderr.isatty():
        yield lambda _puzzles, _done: None
        return
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
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("puzzles", total=total, rate="")
        begun, puzzles = perf_counter(), 0

        def advance(answered: int, done: int | None) -> None:
            nonlocal puzzles
            puzzles += answered
            rate = puzzles / max(perf_counter() - begun, 1e-9)
            bar.update(task, completed=done, rate=f"{puzzles:,} puzzles, {rate:,.0f} a second")

        yield advance
