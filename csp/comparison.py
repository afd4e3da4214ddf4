"""What comes of a comparison (`nonant.csp.compare`): answers, rows, the whole, and the tally that it grows from."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median

from nonant.csp.results import Solution


class Outcome(StrEnum):
    """What a backend says of one puzzle.

    SOLVED: there is a solution, and with a limit of 1 nobody asked for a second. UNKNOWN: the time limit came first.
    UNSUPPORTED: the backend cannot take the model. UNAVAILABLE: what it needs is not installed.
    """

    UNIQUE = "unique"
    MULTIPLE = "multiple"
    NONE = "none"
    SOLVED = "solved"
    UNKNOWN = "unknown"
    UNSUPPORTED = "unsupported"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True)
class Answer:
    """One backend's answer to one puzzle.

    Attributes:
        complete: it claims that `solutions` are all there are.
        finished: no time limit cut it short: it is complete, or has as many solutions as were asked for.
        memory: bytes by which the process grew, as far as the system tells.
        reason: why there is no answer, for UNSUPPORTED and UNAVAILABLE.
    """

    backend: str
    outcome: Outcome
    solutions: tuple[Solution, ...] = ()
    complete: bool = False
    finished: bool = False
    build_s: float = 0.0
    solve_s: float = 0.0
    nodes: int = 0
    memory: int | None = None
    reason: str = ""

    def __str__(self) -> str:
        return " ".join([self.outcome.value, *(found.line for found in self.solutions)])


@dataclass(frozen=True)
class Row:
    """What one backend did with all puzzles.

    Attributes:
        outcomes: how many puzzles had which outcome.
        solutions: how many were found, over all puzzles.
        build_s, solve_s: seconds over all puzzles. Loading the backend's library is in neither.
        nodes: branchings, or conflicts where the backend counts those.
        memory: bytes by which this backend made the process grow at most, its library included; None where the system
            does not tell. Memory that another backend has left free is used again and does not show.
        times: seconds to build and to solve, one entry a puzzle that was finished, in their order.
        reason: why puzzles were not taken: the first reason met.
    """

    backend: str
    outcomes: Mapping[Outcome, int]
    solutions: int
    build_s: float
    solve_s: float
    nodes: int
    memory: int | None
    times: tuple[float, ...]
    reason: str

    @property
    def status(self) -> str:
        """The outcome that all puzzles share, or "mixed"."""
        return next(iter(self.outcomes)).value if len(self.outcomes) == 1 else "mixed"


@dataclass(frozen=True)
class Comparison:
    """What several backends did with the same puzzles; `str` makes a table of it.

    Attributes:
        puzzles: how many were compared.
        agree: whether the answers agree.
        compile_s: seconds to compile the models, once for all backends and in no row.
    """

    puzzles: int
    agree: bool
    rows: tuple[Row, ...]
    compile_s: float

    def __getitem__(self, backend: str) -> Row:
        for row in self.rows:
            if row.backend == backend:
                return row
        raise KeyError(backend)

    def table(self) -> list[tuple[str, ...]]:
        """A heading and a line a backend, as texts for people to read."""
        spread = ("median", "slowest") if self.puzzles > 1 else ()
        lines = [("backend", "status", "solutions", "build", "solve", *spread, "nodes", "memory")]
        for row in self.rows:
            status = row.status
            if status == "mixed":
                status = ", ".join(f"{number} {outcome}" for outcome, number in row.outcomes.items())
            cells = [row.backend, status, str(row.solutions), duration(row.build_s), duration(row.solve_s)]
            if spread:
                cells += [duration(median(row.times)), duration(max(row.times))] if row.times else ["-", "-"]
            memory = "-" if row.memory is None else f"{row.memory / 2**20:.1f} MB"
            lines.append((*cells, str(row.nodes), memory))
        return lines

    def notes(self) -> list[str]:
        """What the table does not say: the number of puzzles, agreement, and why a backend took no part."""
        puzzles = "1 puzzle" if self.puzzles == 1 else f"{self.puzzles} puzzles"
        agreement = "all answers agree" if self.agree else "the answers DISAGREE"
        reasons = [f"{row.backend}: {row.reason}" for row in self.rows if row.reason]
        return [f"{puzzles}, {agreement}; compiled once for all in {duration(self.compile_s)}", *reasons]

    def __str__(self) -> str:
        lines = self.table()
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        # Names stand at the left, numbers at the right.
        sides = ["<", "<", *(">" * (len(widths) - 2))]
        made = [
            "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True)).rstrip()
            for line in lines
        ]
        return "\n".join([*made, *self.notes()])


def duration(seconds: float) -> str:
    """A time with three digits and its unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds < 1000 * size else f"{seconds:.0f} s"
    return f"{seconds * 1e6:.3g} µs" if seconds else "0"


# -- keeping count -----------------------------------------------------------------------------------------------------


@dataclass
class _Column:
    """The sums of one backend so far."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    solutions: int = 0
    build_s: float = 0.0
    solve_s: float = 0.0
    nodes: int = 0
    memory: int | None = None
    times: array[float] = field(default_factory=lambda: array("d"))
    reason: str = ""

    def add(self, answer: Answer) -> None:
        self.outcomes[answer.outcome] += 1
        self.solutions += len(answer.solutions)
        self.build_s += answer.build_s
        self.solve_s += answer.solve_s
        self.nodes += answer.nodes
        if answer.memory is not None:
            self.memory = max(self.memory or 0, answer.memory)
        if answer.finished:
            self.times.append(answer.build_s + answer.solve_s)
        self.reason = self.reason or answer.reason


class Tally:
    """A comparison as it grows.

    Give one to `compare` to see from outside how far it is, or what was done before a KeyboardInterrupt. A puzzle
    counts once all backends have answered it, so that all rows are about the same puzzles.
    """

    def __init__(self) -> None:
        self.puzzles = 0
        self.agree = True
        self.compile_s = 0.0
        self._columns: dict[str, _Column] = {}

    def add(self, answers: Iterable[Answer], compile_s: float, agree: bool) -> None:
        """Count one puzzle."""
        self.puzzles += 1
        self.agree = self.agree and agree
        self.compile_s += compile_s
        for answer in answers:
            self._columns.setdefault(answer.backend, _Column()).add(answer)

    def comparison(self) -> Comparison:
        """What was counted so far."""
        rows = tuple(
            Row(
                backend,
                dict(column.outcomes),
                column.solutions,
                column.build_s,
                column.solve_s,
                column.nodes,
                column.memory,
                tuple(column.times),
                column.reason,
            )
            for backend, column in self._columns.items()
        )
        return Comparison(self.puzzles, self.agree, rows, self.compile_s)
