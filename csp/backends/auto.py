"""The backend "auto": the native engine first, and a clause learner where search alone is stuck.

Most puzzles are a matter of microseconds for the native engine, and clauses would cost more to build than that. A few
(25 x 25 grids with few givens, large Latin squares) are hopeless without learning. `auto` runs the native engine until
it has branched a set number of times without a solution, then hands the puzzle over to SAT and leaves out the solutions
that were found before. What was picked is told in `Session.name`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic

from nonant.csp.backends import registry
from nonant.csp.backends.base import Capabilities, Limits, Progress, Session
from nonant.csp.backends.native import NativeSession
from nonant.csp.model import Model, Puzzle

# The native engine hands over after so many candidates times branchings without a solution: about what the clauses of
# the same puzzle cost to build. That is 80,000 branchings of a 9 x 9, where the hardest known need a few hundred, and
# 4,000 of a 25 x 25. Longer patience made hard 25 x 25 grids two to sixteen times slower than SAT alone.
STUCK_WORK = 60_000_000
LEAST_NODES = 500
LEARNER = "sat"


@dataclass(frozen=True)
class Auto:
    """Picks the backend by the shape of the model and by how the search goes."""

    name: str = "auto"
    capabilities: Capabilities = Capabilities()  # noqa: RUF009 (a frozen record)

    def why_not(self, model: Model) -> str | None:
        """The native engine takes every model."""
        return None

    def session(self, puzzle: Puzzle) -> AutoSession:
        """Open a session."""
        return AutoSession(puzzle)


class AutoSession:
    """A native session, and a session of the learner once it is needed. `name` says who answered."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.name = "native"
        size = max(1, puzzle.model.n_cells * puzzle.model.n_values)
        self._native = NativeSession(puzzle, "auto", patience=max(LEAST_NODES, STUCK_WORK // size))
        self._learner: Session | None = None
        self.build_s = self._native.build_s

    def run(self, progress: Progress, limits: Limits, only: Sequence[int] | None = None) -> Iterator[tuple[int, ...]]:
        """Enumerate the solutions; see `Session.run`."""
        begun = monotonic()
        seen: set[tuple[int, ...]] = set()
        if self._learner is None:
            for places in self._native.run(progress, limits, only):
                seen.add(places)
                yield places
            if progress.exhausted or not self._native.stuck:
                return
        before, stage = progress.nodes, Progress()
        left = None if limits.seconds is None else max(0.0, limits.seconds - (monotonic() - begun))
        for places in self._hand_over().run(stage, Limits(left, limits.nodes), only):
            progress.nodes = before + stage.nodes
            if places not in seen:
                yield places
        progress.nodes, progress.exhausted = before + stage.nodes, stage.exhausted

    def count(self, progress: Progress, limits: Limits, most: int | None = None) -> int:
        """Count the solutions; a search that is stuck before `most` are found goes to the learner."""
        begun = monotonic()
        found = self._native.count(progress, limits, most)
        if progress.exhausted or not self._native.stuck:
            return found
        before, stage = progress.nodes, Progress()
        left = None if limits.seconds is None else max(0.0, limits.seconds - (monotonic() - begun))
        again = self._hand_over().count(stage, Limits(left, limits.nodes), most)
        progress.nodes, progress.exhausted = before + stage.nodes, stage.exhausted
        return max(found, again)

    def _hand_over(self) -> Session:
        """The learner's session, built when it is first needed."""
        if self._learner is None:
            self._learner = registry.get(LEARNER).session(self.puzzle)
            self.build_s += self._learner.build_s
            self.name = f"native, then {LEARNER}"
        return self._learner


BACKEND = Auto()
