"""The clause learner: the puzzle as at-most-one sets and clauses, for the kernel in `kernels/learner/`.

`clauses.py` encodes every constraint class, as for SAT; only at-most-one sets are kept as sets, without auxiliary
variables. A run works on its own copy of the arrays, so that runs may overlap and be left unfinished; the values that
`only` rules out are false from the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING, Any

from nonant.csp.backends import sat
from nonant.csp.backends.base import Capabilities, Limits, Progress, count_by_running
from nonant.csp.backends.clauses import Encoder, without_given_values
from nonant.csp.budget import Budget, Pace
from nonant.csp.errors import Unsupported
from nonant.csp.forms import Compiled
from nonant.csp.model import Model, Puzzle

if TYPE_CHECKING:
    from nonant.csp.kernels.learner.memory import State

KERNEL = "nonant.csp.kernels.learner.learner"
MOST_IMPLIED = 100_000_000  # literals in the rows of the at-most-one sets, four bytes each
SLICE_SECONDS = 0.05  # how long the kernel runs before the clock and Ctrl-C are looked at
FIRST_STEPS, MOST_STEPS = 100_000, 1_000_000  # of the first slice, and of the largest without a clock
PRODUCTIVE = 10_000  # a run that has found so many solutions is not stuck, whatever comes
MOST_ROOM = 4_096  # solutions that the kernel writes before it hands them out
ENDLESS = 1 << 60


class SetEncoder(Encoder):
    """Clauses, and at-most-one sets beside them.

    Attributes:
        sets: of each at most one literal is true.
    """

    def __init__(self, compiled: Compiled, domains: Sequence[int]) -> None:
        self.sets: list[list[int]] = []
        super().__init__(compiled, domains)

    def at_most_one(self, literals: list[int]) -> None:
        """At most one of these literals is true."""
        if len(literals) > 1:
            self.sets.append(literals)


class LearnerSession:
    """A puzzle as the kernel's arrays.

    Attributes:
        build_s: seconds to encode.
        patience: a run that has so many conflicts without a solution gives up, and `stuck` tells so; None for never.
    """

    def __init__(self, puzzle: Puzzle, patience: int | None = None) -> None:
        started = perf_counter()
        self.patience, self.stuck = patience, False
        compiled = puzzle.model.compiled
        left = without_given_values(compiled, puzzle.domains) if compiled.infeasible is None else None
        encoder = None if left is None else SetEncoder(compiled, left)
        self._variables: list[dict[int, int]] = []
        self._state: State | None = None  # None: there is no solution, whatever the assumptions
        if encoder is not None and not encoder.dead and all(encoder.clauses):
            self._variables = encoder.variables
            self._places, self._state = _arrays(encoder)
        self.build_s = perf_counter() - started

    def run(self, progress: Progress, limits: Limits, only: Sequence[int] | None = None) -> Iterator[tuple[int, ...]]:
        """Enumerate the solutions, each once; see `Session.run`. `limits.nodes` are conflicts."""
        budget = Budget.of(limits)
        self.stuck = False
        state = self._begun(only)
        if state is None:
            progress.exhausted = True
            return
        import numpy as np

        from nonant.csp.kernels.learner import memory as learner_memory
        from nonant.csp.machine.compiled import kernel

        advance = kernel(KERNEL, "advance")
        work, pace, room, hopeful = state.work, Pace(FIRST_STEPS, SLICE_SECONDS, MOST_STEPS, least=1_000), 1, 0
        while True:
            started, spent = perf_counter(), int(work[learner_memory.CONFLICTS])
            budget.spent = spent
            if budget.out():
                return
            conflicts = budget.at_most(ENDLESS)
            if self.patience is not None and progress.found < PRODUCTIVE:
                conflicts = min(conflicts, hopeful + self.patience - spent)
                self.stuck = conflicts <= 0
                if self.stuck:
                    return
            before_steps, before_found = int(work[learner_memory.STEPS]), int(work[learner_memory.FOUND])
            out = np.zeros((room, len(self._variables)), np.int32)
            why = advance(state, conflicts, pace.size, out)
            took = perf_counter() - started
            progress.nodes = int(work[learner_memory.CONFLICTS])
            new = int(work[learner_memory.FOUND]) - before_found
            if new:
                hopeful = progress.nodes
            for row in self._places[out[:new]].tolist():
                progress.found += 1
                yield tuple(row)
            if why == learner_memory.EXHAUSTED:
                progress.exhausted = True
                return
            if why == learner_memory.ROOM:
                room = min(2 * room, MOST_ROOM)
            elif why == learner_memory.LARGER:
                state = learner_memory.enlarged(state)
                work = state.work
            else:
                pace.learn(int(work[learner_memory.STEPS]) - before_steps, took, budget)

    def count(self, progress: Progress, limits: Limits, most: int | None = None) -> int:
        """Count by enumeration."""
        return count_by_running(self, progress, limits, most)

    def _begun(self, only: Sequence[int] | None) -> State | None:
        """A search of its own, or None when `only` leaves a cell nothing."""
        if self._state is None:
            return None
        from nonant.csp.kernels.learner import memory as learner_memory

        false: list[int] = []
        for live, mask in zip(self._variables, only or (), strict=only is not None):
            allowed = [variable for value, variable in live.items() if mask >> value & 1]
            if not allowed:
                return None
            false += [2 * variable - 1 for value, variable in live.items() if not mask >> value & 1]
        return learner_memory.begun(self._state, false)


def _arrays(encoder: SetEncoder) -> tuple[Any, State]:
    """The place of its value for each candidate, and the search that is not begun."""
    import numpy as np

    from nonant.csp.kernels.learner import memory as learner_memory

    def flat(rows: Sequence[Sequence[int]]) -> tuple[Any, Any]:
        """The lengths of the rows, and all their literals in the kernel's numbers."""
        sizes = np.fromiter(map(len, rows), np.int64, len(rows))
        literals = np.fromiter(chain.from_iterable(rows), np.int64, int(sizes.sum()))
        return sizes, 2 * (abs(literals) - 1) + (literals < 0)

    pairs = [[-first, -second] for first, second in (clause for clause in encoder.clauses if len(clause) == 2)]
    units = flat([clause for clause in encoder.clauses if len(clause) == 1])[1]
    long = flat([clause for clause in encoder.clauses if len(clause) > 2])
    places = np.array([value for live in encoder.variables for value in live], np.int32)
    cells = np.array([cell for cell, live in enumerate(encoder.variables) for _ in live], np.int32)
    return places, learner_memory.new_state(encoder.top, cells, flat([*encoder.sets, *pairs]), long, units)


@dataclass(frozen=True)
class Learner:
    """The clause learner, in numba."""

    name: str = "learner"
    capabilities: Capabilities = Capabilities()  # noqa: RUF009 (a frozen record)

    def why_not(self, model: Model) -> str | None:
        """A reason for a model of very many candidates, and for a sum that clauses cannot hold."""
        compiled = model.compiled
        pairs = compiled.n_cells * compiled.n_values**2
        pairs += compiled.n_values * sum(len(unit) ** 2 for unit in compiled.units)
        if pairs > MOST_IMPLIED:
            return f"its at-most-one sets may have {pairs} pairs of candidates, at most {MOST_IMPLIED}"
        return sat.BACKEND.why_not(model)

    def session(self, puzzle: Puzzle) -> LearnerSession:
        """Encode a puzzle.

        Raises:
            Unsupported: for a model that `why_not` refuses.
        """
        reason = self.why_not(puzzle.model)
        if reason is not None:
            raise Unsupported(self.name, reason)
        return LearnerSession(puzzle)


BACKEND = Learner()
