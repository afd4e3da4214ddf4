"""SAT: the puzzle as clauses, solved by any incremental solver of PySAT (CaDiCaL 1.9.5 unless told otherwise).

The values of givens leave their peers first, and only what is left is encoded (`clauses.py`). Each solution is blocked
by a clause over the candidates alone, so that it comes once, whatever the auxiliary variables do.

Two facts about PySAT shape the session, both tried out with 1.9.dev24:

- CaDiCaL cannot be interrupted there, and Glucose 4 answers an interrupt late; but all obey a limit on conflicts and go
  on where they stopped. A solve is therefore a row of slices of so many conflicts. They start short and grow to a
  second, or a third of the time left: CaDiCaL begins each with quick restarts, and steady slices of 50 ms kept it from
  ever reaching its stable mode, which finds solutions of large grids (36x36: 1.8 s instead of more than 25 s).
- A Ctrl-C during a call from the main thread jumps out of the solver, and the next call aborts the whole process.
  Slices run in a thread of their own, where PySAT leaves signals alone; Ctrl-C is seen between two slices.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple, Protocol

from nonant.csp.backends.base import Capabilities, Limits, Progress, count_by_running
from nonant.csp.backends.clauses import Encoder, without_given_values
from nonant.csp.budget import Budget, Pace
from nonant.csp.errors import BackendUnavailable, Unsupported
from nonant.csp.model import Model, Puzzle

MOST_NODES = 1_000_000  # of the diagram of one sum
FIRST_SLICE = 100  # conflicts
LARGE = 300_000  # clauses; one round of inprocessing over more may outlast a time limit
SLICE_SECONDS = 1.0  # what later slices grow to, and so what a Ctrl-C may have to wait
SLICE_WORK = 500_000_000  # conflicts times clauses of a slice without a clock: some 0.7 seconds of large grids
MOST_CONFLICTS = 60_000  # of such a slice: in small formulas each conflict costs the same, some 14 microseconds

# -- solving in slices -------------------------------------------------------------------------------------------------


class Answer(NamedTuple):
    """What one slice found: satisfiable with the true literals, unsatisfiable with a core, or neither yet."""

    satisfiable: bool | None
    true: frozenset[int]
    core: tuple[int, ...]
    conflicts: int  # of the solver since it was made


def slices(n_clauses: int) -> Pace:
    """Slices of conflicts of a solver that cannot be interrupted; the more clauses, the longer each one takes."""
    return Pace(FIRST_SLICE, SLICE_SECONDS, min(MOST_CONFLICTS, SLICE_WORK // max(1, n_clauses)), growth=5)


class SlicedSolver:
    """A solver of PySAT that is called in slices, from a thread of its own: see the top of the file.

    Attributes:
        proof: the proof so far, line by line; for a solver made with `with_proof`.
    """

    def __init__(self, name: str, clauses: Sequence[Sequence[int]], with_proof: bool = False) -> None:
        self._solver, self._n_clauses = _load(name, clauses, with_proof), len(clauses)
        self._thread = ThreadPoolExecutor(1, "nonant-sat")
        self.proof: Callable[[], list[str] | None] = self._solver.get_proof

    @property
    def add_clause(self) -> Callable[[Sequence[int]], Any]:
        """Adds a clause."""
        # In the thread, behind a slice that may still run: after a Ctrl-C nobody waits for it any more.
        return lambda clause: self._thread.submit(self._solver.add_clause, clause)

    def solve(self, assumptions: Sequence[int], budget: Budget, progress: Progress) -> Answer:
        """Solve under assumptions until the budget is spent; conflicts are counted in `progress.nodes`."""
        pace = slices(self._n_clauses)
        while not budget.out():
            started, conflicts = perf_counter(), budget.at_most(pace.size)
            before = self._thread.submit(self._solver.accum_stats).result()["conflicts"]
            answer = self._thread.submit(self._slice, assumptions, conflicts).result()
            budget.spent += answer.conflicts - before
            progress.nodes += answer.conflicts - before
            if answer.satisfiable is not None:
                return answer
            pace.learn(pace.size, perf_counter() - started, budget, 1 / 3)
        return Answer(None, frozenset(), (), 0)

    def _slice(self, assumptions: Sequence[int], conflicts: int) -> Answer:
        # Answers are read here, in one piece: after a Ctrl-C the waiting run is gone, and another may come next.
        solver = self._solver
        solver.conf_budget(conflicts)
        satisfiable = solver.solve_limited(assumptions=list(assumptions))
        true = frozenset(literal for literal in solver.get_model() if literal > 0) if satisfiable else frozenset()
        core = tuple(solver.get_core() or ()) if satisfiable is False else ()
        return Answer(satisfiable, true, core, solver.accum_stats()["conflicts"])


def _load(name: str, clauses: Sequence[Sequence[int]], with_proof: bool) -> Any:
    try:
        from pysat.solvers import NoSuchSolverError, Solver
    except ImportError as error:
        raise BackendUnavailable(f"backend 'sat' needs PySAT: pip install python-sat ({error})") from error
    try:
        solver = Solver(name, with_proof=True) if with_proof else Solver(name)
        if len(clauses) > LARGE and name.startswith("cadical"):
            solver.configure({"inprocessing": 0, "lucky": 0})
        solver.append_formula(clauses)
        return solver
    except (NoSuchSolverError, NotImplementedError, AttributeError) as error:
        raise BackendUnavailable(f"PySAT has no solver {name!r} that does this; take e.g. 'cadical195'") from error


# -- the session -------------------------------------------------------------------------------------------------------


class Incremental(Protocol):
    """What a session needs of a solver."""

    @property
    def add_clause(self) -> Callable[[Sequence[int]], Any]:
        """Adds a clause."""
        ...

    def solve(self, assumptions: Sequence[int], budget: Budget, progress: Progress) -> Answer:
        """Solve under assumptions until the budget is spent."""
        ...


class SatSession:
    """A puzzle as clauses in one solver. Runs may be left unfinished and may overlap.

    Args:
        load: makes the solver from the encoder's clauses (and XORs, with `native_xor`).
        assume_givens: leave the givens out of the clauses, for `core`.

    Attributes:
        build_s: seconds to encode and load.
        n_clauses, n_variables: the size of the encoding.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        load: Callable[[Encoder], Incremental],
        assume_givens: bool = False,
        native_xor: bool = False,
    ) -> None:
        started = perf_counter()
        compiled = puzzle.model.compiled
        self._givens = puzzle.givens
        domains = puzzle.marks if assume_givens else puzzle.domains
        left = without_given_values(compiled, domains) if compiled.infeasible is None else None
        encoder = None if left is None else Encoder(compiled, left, native_xor)
        self._solver: Incremental | None = None  # None: there is no solution, whatever the assumptions
        self._variables: list[dict[int, int]] = []
        self.n_clauses = self.n_variables = 0
        if encoder is not None and not encoder.dead:
            self._variables = encoder.variables
            self.n_clauses, self.n_variables = len(encoder.clauses), encoder.top
            self._solver = load(encoder)
        self.build_s = perf_counter() - started

    def run(self, progress: Progress, limits: Limits, only: Sequence[int] | None = None) -> Iterator[tuple[int, ...]]:
        """Enumerate the solutions, each once; see `Session.run`. `limits.nodes` are conflicts."""
        budget = Budget.of(limits)
        solver, assumptions = self._solver, self._assumptions(only)
        if solver is None or assumptions is None:
            progress.exhausted = True
            return
        # The clauses that block this run's solutions hold only while `guard` is assumed.
        self.n_variables += 1
        guard = self.n_variables
        try:
            while True:
                answer = solver.solve([guard, *assumptions], budget, progress)
                if not answer.satisfiable:
                    progress.exhausted = answer.satisfiable is False
                    return
                row, chosen = [], []
                for live in self._variables:
                    value, variable = next(pair for pair in live.items() if pair[1] in answer.true)
                    row.append(value)
                    if len(live) > 1:
                        chosen.append(-variable)
                solver.add_clause([-guard, *chosen])
                yield tuple(row)
        finally:
            solver.add_clause([-guard])

    def count(self, progress: Progress, limits: Limits, most: int | None = None) -> int:
        """Count by enumeration."""
        return count_by_running(self, progress, limits, most)

    def core(self, progress: Progress, limits: Limits, among: Collection[int] | None = None) -> list[int] | None:
        """The places of some given cells (`among` these) that clash, or None when they do not, or a limit came first.

        For a session made with `assume_givens`. The core is not minimal, but the solver has tried. It is empty when
        the model has no solution even without givens; `progress.exhausted` tells None from "not known".
        """
        if self._solver is None:
            progress.exhausted = True
            return []
        cells: dict[int, int] = {}
        for cell, given in enumerate(self._givens):
            if given is not None and (among is None or cell in among):
                variable = self._variables[cell].get(given)
                if variable is None:  # refused by the rules and the pencil marks alone
                    progress.exhausted = True
                    return [cell]
                cells[variable] = cell
        answer = self._solver.solve(list(cells), Budget.of(limits), progress)
        progress.exhausted = answer.satisfiable is not None
        return None if answer.satisfiable is not False else sorted(cells[variable] for variable in answer.core)

    def _assumptions(self, only: Sequence[int] | None) -> list[int] | None:
        """Literals that keep each cell to the values of `only`; None when that leaves a cell nothing."""
        if self._solver is None:
            return None
        found: list[int] = []
        for live, mask in zip(self._variables, only or (), strict=only is not None):
            allowed = [variable for value, variable in live.items() if mask >> value & 1]
            if not allowed:
                return None
            if len(allowed) == 1:
                found.append(allowed[0])
            elif len(allowed) < len(live):
                found += [-variable for value, variable in live.items() if not mask >> value & 1]
        return found


# -- the backend -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sat:
    """SAT through PySAT.

    Attributes:
        solver: PySAT's name of a solver that works incrementally and obeys a limit on conflicts.
    """

    name: str = "sat"
    solver: str = "cadical195"
    capabilities: Capabilities = Capabilities(cores=True, proof=True)  # noqa: RUF009 - frozen

    def why_not(self, model: Model) -> str | None:
        """A reason only for a sum whose diagram could get too large."""
        compiled = model.compiled
        spread = max(compiled.numbers, default=0) - min(compiled.numbers, default=0)
        for linear in compiled.sums:
            nodes, paths, sums = 0, 1, 1
            for weight in linear.weights:
                paths *= compiled.n_values
                sums += abs(weight) * spread
                nodes += min(paths, sums)
            if nodes > MOST_NODES:
                return (
                    f"a sum over {len(linear.cells)} cells may need {nodes} partial sums as variables, at most "
                    f"{MOST_NODES}; take another backend, or smaller coefficients"
                )
        return None

    def session(self, puzzle: Puzzle, assume_givens: bool = False) -> SatSession:
        """Encode a puzzle.

        Args:
            puzzle: the puzzle.
            assume_givens: leave the givens out of the clauses, and assume them in `core`; a run then ignores them.

        Raises:
            Unsupported: for a model that `why_not` refuses.
            BackendUnavailable: without PySAT, or for a solver that it does not have.
        """
        reason = self.why_not(puzzle.model)
        if reason is not None:
            raise Unsupported(self.name, reason)
        return SatSession(puzzle, lambda encoder: SlicedSolver(self.solver, encoder.clauses), assume_givens)


BACKEND = Sat()
