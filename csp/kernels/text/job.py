"""What every kernel for lists of puzzles is called with: one record, so that all engines have one shape.

This module needs no numba, so that a kernel that is compiled already can be called without it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

BAD, UNDECIDED = -1, -2  # the counts of a line that is no puzzle, and of a puzzle that was given up


class Job(NamedTuple):
    """Count the solutions of the puzzles `begin` to before `end` of a text.

    Attributes:
        text: uint8, the bytes.
        starts: int64, the offset of each puzzle; negative for a line that is no puzzle, whose count becomes BAD.
        begin, end: the puzzles of this job.
        limit: no puzzle is searched for more solutions than this.
        counts: int64, one a puzzle, written.
        solutions: uint8, flat, written: for each puzzle a row of cells with its first solution, as indices of values
            + 1; or empty, when nobody wants them.
        stop: int64 (1); when another thread makes it 1, the kernel leaves soon, with counts that are not done.
    """

    text: Any
    starts: Any
    begin: int
    end: int
    limit: int
    counts: Any
    solutions: Any
    stop: Any
