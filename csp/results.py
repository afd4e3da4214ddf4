"""What a solve returns: frozen records. Time-outs and limits are values in them, never exceptions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nonant.csp.model import Model, line_of

if TYPE_CHECKING:
    from nonant.csp.proofs.certificate import Certificate


class Status(StrEnum):
    """What is known after a solve: SOLVED (at least one solution), NONE (proved), UNKNOWN (a limit came first)."""

    SOLVED = "solved"
    NONE = "none"
    UNKNOWN = "unknown"


class Uniqueness(StrEnum):
    """What is known of the number of solutions."""

    UNIQUE = "unique"
    MULTIPLE = "multiple"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Solution(Mapping[Any, Any]):
    """One solution: a mapping from cell (its name, coordinates or label) to value.

    Attributes:
        model: the rules it satisfies.
        places: for each cell the place of its value in `model.values`.
    """

    model: Model
    places: tuple[int, ...]

    @property
    def line(self) -> str:
        """All values on one line."""
        return line_of(self.model, self.places)

    def in_order(self) -> tuple[Any, ...]:
        """The values in the order of the model's cells."""
        return tuple(self.model.values[place] for place in self.places)

    def __getitem__(self, cell: Any) -> Any:
        return self.model.values[self.places[self.model.index(cell)]]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.model.names)

    def __len__(self) -> int:
        return len(self.places)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Solution) and self.model is other.model and self.places == other.places

    def __hash__(self) -> int:
        return hash(self.places)

    def __str__(self) -> str:
        return self.line


@dataclass(frozen=True)
class SolveResult:
    """What `solve` found.

    Attributes:
        complete: true exactly when `solutions` are all there are.
        backend: who solved it.
        build_s, solve_s: seconds to build what the backend needs from the model, and to solve.
        nodes: branchings (conflicts where a backend counts those).
    """

    status: Status
    solutions: tuple[Solution, ...]
    complete: bool
    backend: str
    build_s: float
    solve_s: float
    nodes: int

    @property
    def solution(self) -> Solution | None:
        """The first solution, or None."""
        return self.solutions[0] if self.solutions else None


class Count(int):
    """A number of solutions: an int that knows whether it is all of them.

    Attributes:
        complete: true when every solution was counted; false when a limit came first (then it is a lower bound).
        nodes: branchings.
        backend: who counted.
    """

    complete: bool
    nodes: int
    backend: str

    def __new__(cls, number: int, complete: bool, nodes: int, backend: str) -> Count:
        """A count with how it came about."""
        made = super().__new__(cls, number)
        made.complete, made.nodes, made.backend = complete, nodes, backend
        return made


@dataclass(frozen=True)
class Verdict:
    """What `verify` found.

    Attributes:
        verdict: UNIQUE, MULTIPLE, NONE or UNKNOWN.
        conflict: for NONE the names of the given cells that clash, a minimal set; where givens play no part, of the
            cells that nothing is left for.
        rules: for NONE the names of constraints that clash with these givens, or by themselves; a minimal set, as far
            as a limit allowed. Empty where a constraint is too large to be asked about.
        certificate: for UNIQUE and NONE, if asked for: the proof that others can check; None when a limit came first.
        backend: who found it.
        nodes: branchings.
        reason: why it is none, or unknown, in one sentence.
        witnesses: gives `solutions`, when these are asked for: the first two in the order of `solutions` take longer
            than any two do.
    """

    verdict: Uniqueness
    conflict: tuple[str, ...]
    rules: tuple[str, ...]
    certificate: Certificate | None
    backend: str
    build_s: float
    solve_s: float
    nodes: int
    reason: str = field(repr=False)
    witnesses: Callable[[], tuple[Solution, ...]] = field(repr=False, compare=False)

    @cached_property
    def solutions(self) -> tuple[Solution, ...]:
        """The witnesses: two for MULTIPLE, one for UNIQUE, at most one for UNKNOWN."""
        return self.witnesses()

    @cached_property
    def differs(self) -> tuple[str, ...]:
        """For MULTIPLE the cells (names) in which the two solutions differ."""
        return differing(*self.solutions) if self.verdict is Uniqueness.MULTIPLE else ()

    @property
    def message(self) -> str:
        """The verdict in one sentence."""
        if self.verdict is Uniqueness.MULTIPLE:
            return f"more than one solution; two of them differ in {listed(self.differs)}"
        return self.reason


def differing(first: Solution, second: Solution) -> tuple[str, ...]:
    """The names of the cells in which two solutions of one model differ."""
    pairs = zip(first.model.names, first.places, second.places, strict=True)
    return tuple(name for name, a, b in pairs if a != b)


def listed(names: tuple[str, ...], most: int = 8, between: str = ", ") -> str:
    """The first few names, and how many more there are."""
    shown = between.join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


@dataclass(frozen=True)
class Candidates:
    """For each cell the values that it takes in some solution.

    Attributes:
        values: one tuple of values a cell, in the order of the model's cells; all empty when there is no solution.
        complete: false when a limit came first: then values may be missing.
    """

    model: Model
    values: tuple[tuple[Any, ...], ...]
    complete: bool
    backend: str
    nodes: int

    def __getitem__(self, cell: Any) -> tuple[Any, ...]:
        return self.values[self.model.index(cell)]
