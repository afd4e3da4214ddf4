"""Puzzles that a batch kernel has given up: the backend "auto" answers them, one by one.

A batch kernel gives a puzzle up when it has branched too often without a solution, so that a single hard one cannot
stall the others of its share. There are few of these and each has cost some milliseconds by then, so what "auto"
costs in Python is little beside it; and "auto" has what the kernels lack: weights, restarts, clause learning.
It searches in slices of time, each twice as long as the one before, and between two of them it looks whether the batch
has been stopped: so a Ctrl-C may have to wait as long as the puzzle has taken already.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count as counting
from itertools import islice
from typing import Any

import numpy as np

from nonant.csp.backends.base import Limits, Progress, Session
from nonant.csp.kernels.text.job import UNDECIDED, Job
from nonant.csp.model import Model, Puzzle

BACKEND = "auto"
FIRST_SECONDS = 2
MOST_KEPT = 1000  # solutions are enumerated up to this limit, beyond it counted


def fall_back(model: Model, symbols: Any, job: Job) -> int:
    """Answer those puzzles of a job whose count is UNDECIDED; returns how many there were.

    Args:
        model: the rules.
        symbols: uint8 (256), what each byte means: 0 for empty, else the index of a value + 1.
        job: as a kernel has left it.
    """
    given_up = np.flatnonzero(job.counts[job.begin : job.end] == UNDECIDED) + job.begin
    cells = model.n_cells
    for number in given_up.tolist():
        start = int(job.starts[number])
        values = symbols[job.text[start : start + cells]].tolist()
        givens = {name: model.values[value - 1] for name, value in zip(model.names, values, strict=True) if value}
        found, solution = answered(model.puzzle(givens), job.limit, lambda: bool(job.stop[0]))
        if job.stop[0]:
            break
        job.counts[number] = found
        if solution is not None and len(job.solutions):
            job.solutions[number * cells : (number + 1) * cells] = np.array(solution) + 1
    return len(given_up)


def answered(puzzle: Puzzle, limit: int, stopped: Callable[[], bool]) -> tuple[int, tuple[int, ...] | None]:
    """How many solutions a puzzle has, up to `limit`, and the values of one, as indices; of no use after a stop."""
    from nonant.csp.backends import registry

    session = registry.get(BACKEND).session(puzzle)
    if limit > MOST_KEPT:
        number = _sliced(lambda progress, limits: session.count(progress, limits, limit), limit, stopped)
        return number, _first(session, stopped) if number else None
    kept: list[tuple[int, ...]] = []

    def enumerated(progress: Progress, limits: Limits) -> int:
        kept[:] = islice(session.run(progress, limits), limit)
        return len(kept)

    number = _sliced(enumerated, limit, stopped)
    return number, kept[0] if kept else None


def _first(session: Session, stopped: Callable[[], bool]) -> tuple[int, ...] | None:
    kept: list[tuple[int, ...]] = []

    def one(progress: Progress, limits: Limits) -> int:
        kept[:] = islice(session.run(progress, limits), 1)
        return len(kept)

    _sliced(one, 1, stopped)
    return kept[0] if kept else None


def _sliced(search: Callable[[Progress, Limits], int], enough: int, stopped: Callable[[], bool]) -> int:
    """Search in ever longer slices until one sees all solutions, or enough of them."""
    for number in counting():
        progress = Progress()
        found = search(progress, Limits(seconds=FIRST_SECONDS << number, renewed=True))
        if progress.exhausted or found >= enough or stopped():
            break
    return min(found, enough)
