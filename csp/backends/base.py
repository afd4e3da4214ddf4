"""The interface every solver is used through.

A `Backend` says what it can do (`capabilities`, `why_not`) and opens a `Session` on a puzzle. A session builds once and
runs many times: each run enumerates solutions, as places of values, under assumptions (`only`: the values each cell may
take in this run). Whoever iterates decides how many solutions to take; a run says through its `Progress` whether it saw
them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from nonant.csp.budget import Limits
from nonant.csp.constraints import CONSTRAINT_NAMES
from nonant.csp.model import Model, Puzzle

__all__ = ["Backend", "Capabilities", "Limits", "Progress", "Session", "count_by_running"]


@dataclass(frozen=True)
class Capabilities:
    """What a backend can do, as data.

    Attributes:
        enumerate: yields all solutions, each once.
        count: counts without enumerating where the structure allows.
        assumptions: runs under `only` without building again.
        cores: can name a set of givens that already clash.
        proof: can write a proof that others check.
        constraints: names of the constraint classes it takes.
    """

    enumerate: bool = True
    count: bool = False
    assumptions: bool = True
    cores: bool = False
    proof: bool = False
    constraints: frozenset[str] = field(default=frozenset(CONSTRAINT_NAMES))


@dataclass
class Progress:
    """Where a run stands; the run writes it, its user reads it.

    Attributes:
        nodes: branchings or conflicts so far.
        found: solutions so far.
        exhausted: true once the run has seen every solution.
        in_order: false once the run makes use of `Limits.any_order`.
    """

    nodes: int = 0
    found: int = 0
    exhausted: bool = False
    in_order: bool = True


class Session(Protocol):
    """A puzzle, built for one backend."""

    build_s: float

    def run(self, progress: Progress, limits: Limits, only: Sequence[int] | None = None) -> Iterator[tuple[int, ...]]:
        """Enumerate the solutions, each once, as one place of a value a cell.

        The solutions and their order depend on the puzzle, `only`, the node limit and the earlier runs of the session,
        and on nothing else in the process, unless `limits.any_order` is set.

        Args:
            progress: written as the run goes on.
            limits: the run ends without `progress.exhausted` when one is reached.
            only: for each cell the mask of values it may take in this run, on top of the puzzle.
        """
        ...

    def count(self, progress: Progress, limits: Limits, most: int | None = None) -> int:
        """Count the solutions, at most `most`; exact when `progress.exhausted`."""
        ...


@runtime_checkable
class Backend(Protocol):
    """A solver. Its module imports the solver's library only when a session is opened."""

    @property
    def name(self) -> str:
        """What `backend=` takes."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        ...

    def why_not(self, model: Model) -> str | None:
        """Why it cannot take this model, or None."""
        ...

    def session(self, puzzle: Puzzle) -> Session:
        """Build a session.

        Raises:
            Unsupported: for a model it cannot take.
            BackendUnavailable: if its library is missing.
        """
        ...


def count_by_running(session: Session, progress: Progress, limits: Limits, most: int | None) -> int:
    """Count by enumeration: for backends with nothing better."""
    found = 0
    if most == 0:
        return found
    for _ in session.run(progress, replace(limits, any_order=limits.nodes is None)):
        found += 1
        progress.found = found
        if found == most:
            break
    return found
