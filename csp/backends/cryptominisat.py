"""CryptoMiniSat: SAT with XOR constraints of its own, through pycryptosat (the optional extra `xor`).

The clauses are those of `sat.py`, but a parity is handed over whole instead of cut into chunks of clauses: the solver
runs Gauss-Jordan elimination on its XORs while it searches (Soos and Meel, "BIRD", AAAI 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from nonant.csp.backends.base import Capabilities, Progress
from nonant.csp.backends.sat import BACKEND as SAT
from nonant.csp.backends.sat import Answer, SatSession, slices
from nonant.csp.budget import Budget
from nonant.csp.errors import BackendUnavailable, Unsupported
from nonant.csp.model import Model, Puzzle


class XorSolver:
    """A solver of pycryptosat, called in slices of so many conflicts from a thread of its own, as in `sat.py`.

    It does not tell how many conflicts it had: a slice that ends without an answer counts as its limit, another as 0.
    """

    def __init__(self, clauses: Sequence[Sequence[int]], xors: Sequence[tuple[list[int], bool]]) -> None:
        try:
            from pycryptosat import Solver
        except ImportError as error:
            raise BackendUnavailable(
                f"backend 'cryptominisat' needs pycryptosat: pip install 'nonant[xor]' ({error})"
            ) from error
        self._solver: Any = Solver(threads=1)
        self._thread = ThreadPoolExecutor(1, "nonant-cryptominisat")
        self._n_clauses = len(clauses) + len(xors)
        self._dead = any(not clause for clause in clauses)
        for clause in clauses:
            if clause:
                self._solver.add_clause(list(clause))
        for literals, odd in xors:
            # XORs are over variables: each negated literal turns the right-hand side over.
            negated = sum(literal < 0 for literal in literals)
            self._solver.add_xor_clause([abs(literal) for literal in literals], (odd + negated) % 2 == 1)

    @property
    def add_clause(self) -> Callable[[Sequence[int]], Any]:
        """Adds a clause."""
        # In the thread, behind a slice that may still run: after a Ctrl-C nobody waits for it any more.
        return lambda clause: self._thread.submit(self._solver.add_clause, list(clause))

    def solve(self, assumptions: Sequence[int], budget: Budget, progress: Progress) -> Answer:
        """Solve under assumptions until the budget is spent."""
        if self._dead:
            return Answer(False, frozenset(), (), 0)
        pace = slices(self._n_clauses)
        while not budget.out():
            started, allowed = perf_counter(), budget.at_most(pace.size)
            satisfiable, model = _answer(self._thread.submit(self._slice, assumptions, allowed))
            if satisfiable is not None:
                true = frozenset(at for at, value in enumerate(model or ()) if value)
                return Answer(satisfiable, true, (), 0)
            budget.spent += allowed
            progress.nodes += allowed
            pace.learn(pace.size, perf_counter() - started, budget, 1 / 3)
        return Answer(None, frozenset(), (), 0)

    def _slice(self, assumptions: Sequence[int], conflicts: int) -> tuple[bool | None, Sequence[bool | None] | None]:
        top = max(map(abs, assumptions), default=0)
        if top > self._solver.nb_vars():
            self._solver.add_clause([top, -top])  # an assumption must be a variable that it knows
        found: tuple[bool | None, Sequence[bool | None] | None] = self._solver.solve(
            list(assumptions), confl_limit=conflicts
        )
        return found


def _answer(future: Future[Any]) -> Any:
    """The result, waited for in short waits: with one long wait a Ctrl-C was lost now and then."""
    while True:
        try:
            return future.result(timeout=0.1)
        except TimeoutError:
            if future.done():
                return future.result()


@dataclass(frozen=True)
class CryptoMiniSat:
    """SAT with native XORs."""

    name: str = "cryptominisat"
    capabilities: Capabilities = Capabilities()  # noqa: RUF009 - frozen

    def why_not(self, model: Model) -> str | None:
        """As for `sat`: a reason only for a sum whose diagram could get too large."""
        return SAT.why_not(model)

    def session(self, puzzle: Puzzle) -> SatSession:
        """Encode a puzzle.

        Raises:
            Unsupported: for a model that `why_not` refuses.
            BackendUnavailable: without pycryptosat.
        """
        reason = self.why_not(puzzle.model)
        if reason is not None:
            raise Unsupported(self.name, reason)
        return SatSession(puzzle, lambda encoder: XorSolver(encoder.clauses, encoder.xors), native_xor=True)


BACKEND = CryptoMiniSat()
