"""The backend "auto": linear algebra for parities; else the native engine, and clause learners where it is stuck.

A model of parities alone is a linear system: `gf2` solves and counts it without search.

Most puzzles are a matter of microseconds for the native engine, and clauses would cost more to build than that. A few
(25 x 25 grids with few givens, large Latin squares) are hopeless without learning. `auto` runs the native engine until
it has branched a set number of times without a solution, then hands the puzzle over: to our learner where units are all
there is, and to SAT where they are not, or where the learner has had many conflicts without a solution. Each leaves out
the solutions that were found before. Who answered is told in `Session.name`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from nonant.csp.backends import learner, registry
from nonant.csp.backends.base import Capabilities, Limits, Progress, Session
from nonant.csp.backends.native import PRODUCTIVE, NativeSession
from nonant.csp.budget import Budget
from nonant.csp.model import Model, Puzzle

# The native engine hands over after so many candidates times branchings without a solution: about what the clauses of
# the same puzzle cost to build. That is 80,000 branchings of a 9 x 9, where the hardest known need a few hundred, and
# 4,000 of a 25 x 25. Longer patience made hard 25 x 25 grids two to sixteen times slower than SAT alone.
STUCK_WORK = 60_000_000
LEARNER_WORK = 8_000_000  # where our learner is next, which is made ready faster
PAIR_WORK = 100  # more patience for what costs more clauses: a Latin square of order 40 without givens has 2.5 million
PAIR_SECONDS = 2e-6  # to build the clauses of a pair
MOST_PAIRS = 4_000_000  # more would take gigabytes and minutes: the native engine goes on alone
LEAST_NODES = 500
COMPILING_SECONDS = 20.0  # with less time in all SAT comes next: the learner's kernel may have to be compiled first
CONFLICTS = 200_000  # of the learner without a solution, some ten seconds, before SAT has its turn
SAT = "sat"
ALGEBRA = "gf2"


@dataclass(frozen=True)
class Auto:
    """Picks the backend by the shape of the model and by how the search goes."""

    name: str = "auto"
    capabilities: Capabilities = Capabilities()  # noqa: RUF009 (a frozen record)

    def why_not(self, model: Model) -> str | None:
        """The native engine takes every model."""
        return None

    def session(self, puzzle: Puzzle) -> Session:
        """Open a session; its `name` says who answers."""
        algebra = registry.get(ALGEBRA)
        if registry.why_not(algebra, puzzle.model) is None:
            return algebra.session(puzzle)
        return AutoSession(puzzle)


class AutoSession:
    """A native session, and sessions of the clause learners once they are needed. `name` says who answered."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.name = "native"
        self._build_s = PAIR_SECONDS * (pairs := _pairs(puzzle))
        size = max(1, puzzle.model.n_cells * puzzle.model.n_values)
        units_only = puzzle.model.compiled.units_only
        work = LEARNER_WORK if units_only else STUCK_WORK
        patience = max(LEAST_NODES, (work + PAIR_WORK * pairs) // size)
        self._patience = patience if pairs <= MOST_PAIRS else None
        self._native = NativeSession(puzzle, "auto")
        self._takes_learner = units_only and learner.BACKEND.why_not(puzzle.model) is None
        self._later: Session | None = None  # who has taken over
        self.build_s = self._native.build_s

    def run(self, progress: Progress, limits: Limits, only: Sequence[int] | None = None) -> Iterator[tuple[int, ...]]:
        """Enumerate the solutions; see `Session.run`."""
        budget = Budget.of(limits)
        seen: set[tuple[int, ...]] = set()
        if self._later is None:
            self._native.patience = self._patience_within(limits)
            for places in self._native.run(progress, limits, only):
                if progress.found <= PRODUCTIVE:
                    seen.add(places)
                yield places
            if progress.exhausted or not self._native.stuck:
                return
        session: Session | None = self._later or self._next(None, limits)
        while session is not None:
            before, stage = progress.nodes, Progress()
            for places in session.run(stage, replace(limits, seconds=budget.left().seconds), only):
                progress.nodes = before + stage.nodes
                if places not in seen:
                    if stage.found <= PRODUCTIVE:
                        seen.add(places)
                    progress.found += 1
                    yield places
            progress.nodes, progress.exhausted = before + stage.nodes, stage.exhausted
            session = self._next(session, limits)

    def count(self, progress: Progress, limits: Limits, most: int | None = None) -> int:
        """Count the solutions; a search that is stuck before `most` are found goes to a learner."""
        budget = Budget.of(limits)
        self._native.patience = self._patience_within(limits)
        found = self._native.count(progress, limits, most)
        if progress.exhausted or not self._native.stuck:
            return found
        session: Session | None = self._later or self._next(None, limits)
        while session is not None:
            before, stage = progress.nodes, Progress()
            again = session.count(stage, replace(limits, seconds=budget.left().seconds), most)
            progress.nodes, progress.exhausted = before + stage.nodes, stage.exhausted
            found = progress.found = max(found, again)
            session = self._next(session, limits)
        return found

    def _patience_within(self, limits: Limits) -> int | None:
        """When to hand over, or None for never: there must be time to build the clauses and use them."""
        in_time = limits.seconds is None or limits.seconds > 2 * self._build_s
        return self._patience if in_time else None

    def _next(self, session: Session | None, limits: Limits) -> Session | None:
        """Who takes over from this learner (None: the native engine) when it is stuck; None when it is not."""
        if session is not None and not (isinstance(session, learner.LearnerSession) and session.stuck):
            return None
        in_time = limits.renewed or limits.seconds is None or limits.seconds >= COMPILING_SECONDS
        if session is None and self._takes_learner and in_time:
            self._later, name = learner.LearnerSession(self.puzzle, CONFLICTS), learner.BACKEND.name
        else:
            self._later, name = registry.get(SAT).session(self.puzzle), SAT
        self.build_s += self._later.build_s
        self.name += f", then {name}"
        return self._later


def _pairs(puzzle: Puzzle) -> int:
    """About how many pairs of candidates the clauses of the units will name: k open cells share about k values."""
    total = 0
    for unit in puzzle.model.compiled.units:
        k = sum(puzzle.givens[cell] is None for cell in unit)
        total += k * k * (k - 1) // 2
    return total


BACKEND = Auto()
