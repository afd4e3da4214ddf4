"""Asking questions of a puzzle: solve, enumerate, count, and which candidates survive.

Every function takes a puzzle (or a model: a puzzle without givens) and the name of a backend. Limits are results:
whatever a time limit cuts short says so in `complete`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter

from nonant.csp.backends import registry
from nonant.csp.backends.base import Backend, Progress, Session
from nonant.csp.budget import Budget, Limits
from nonant.csp.errors import ModelError, Unsupported
from nonant.csp.model import Model, Puzzle
from nonant.csp.plain.search import Searcher
from nonant.csp.results import Candidates, Count, Solution, SolveResult, Status


def as_puzzle(question: Puzzle | Model) -> Puzzle:
    """The puzzle itself, or the model without givens."""
    if isinstance(question, Model):
        return question.puzzle()
    if isinstance(question, Puzzle):
        return question
    raise ModelError(f"expected a Puzzle or a Model, not {type(question).__name__}; nonant.read(text) makes a puzzle")


def choose(model: Model, backend: str | Backend = "auto") -> Backend:
    """The backend for a model.

    Raises:
        BackendUnavailable: if there is none of this name.
        Unsupported: if it cannot take the model, with its reason.
    """
    if isinstance(backend, str):
        chosen = registry.get(backend)
    else:
        chosen = registry.verified(backend, getattr(backend, "name", ""), type(backend).__name__)
    reason = registry.why_not(chosen, model)
    if reason is not None:
        raise Unsupported(chosen.name, reason)
    return chosen


def open_session(question: Puzzle | Model, backend: str | Backend) -> tuple[Puzzle, Session, str]:
    """The puzzle, a session on it, and the backend's name."""
    puzzle = as_puzzle(question)
    chosen = choose(puzzle.model, backend)
    return puzzle, chosen.session(puzzle), chosen.name


def _limits(limit: int | None, time_limit: float | None, node_limit: int | None) -> Limits:
    for name, number in (("limit", limit), ("node_limit", node_limit)):
        if number is not None and not (isinstance(number, int) and number >= 0):
            raise ModelError(f"{name} is {number!r}; give a whole number from 0, or None for no limit")
    if time_limit is not None and not (isinstance(time_limit, (int, float)) and time_limit >= 0):
        raise ModelError(f"time_limit is {time_limit!r}; give seconds from 0, or None for no limit")
    return Limits(time_limit, node_limit)


class Solutions(Iterator[Solution]):
    """An iterator over the solutions of a puzzle, each once.

    Attributes:
        complete: true once all solutions there are have been seen, also when their number equals the limit.
        backend: who solves.
        build_s, solve_s: seconds spent so far to build and to solve.
    """

    def __init__(
        self,
        question: Puzzle | Model,
        backend: str | Backend = "auto",
        limit: int | None = None,
        time_limit: float | None = None,
        node_limit: int | None = None,
        any_order: bool = False,
    ) -> None:
        budget = Budget.of(_limits(limit, time_limit, node_limit))  # for building and solving together
        self.puzzle, self._session, self._name = open_session(question, backend)
        self.complete = False
        self.solve_s = 0.0
        self._left = limit
        self._progress = Progress()
        self._run = self._session.run(self._progress, replace(budget.left(), any_order=any_order))

    @property
    def backend(self) -> str:
        """Who solves."""
        return getattr(self._session, "name", self._name)

    @property
    def in_order(self) -> bool:
        """Whether they come in the order that they have in every process."""
        return self._progress.in_order

    @property
    def build_s(self) -> float:
        """Seconds spent to build."""
        return self._session.build_s

    @property
    def nodes(self) -> int:
        """Branchings (or conflicts) so far."""
        return self._progress.nodes

    def __next__(self) -> Solution:
        start = perf_counter()
        try:
            places = next(self._run)
        except StopIteration:
            self.complete = self._progress.exhausted
            raise
        finally:
            self.solve_s += perf_counter() - start
        if self._left is not None:
            if self._left == 0:
                # This one is beyond the limit: it was asked for to learn whether there are more.
                self._run = iter(())
                raise StopIteration
            self._left -= 1
        return Solution(self.puzzle.model, places)


def solutions(
    question: Puzzle | Model,
    limit: int | None = None,
    *,
    backend: str | Backend = "auto",
    time_limit: float | None = None,
    node_limit: int | None = None,
) -> Solutions:
    """An iterator over the solutions, each exactly once; its `complete` tells whether all were seen.

    Args:
        question: a puzzle, or a model without givens.
        limit: at most so many solutions. After the last one the search goes on until it is known whether there is
            another, since `complete` is exact.
        backend: "auto", "native", "sat", "cpsat", or what a plugin registers.
        time_limit: seconds.
        node_limit: branchings, or conflicts where a backend counts those.

    Raises:
        BackendUnavailable, Unsupported: if the backend cannot be used.
    """
    return Solutions(question, backend, limit, time_limit, node_limit)


def solve(
    question: Puzzle | Model,
    *,
    backend: str | Backend = "auto",
    limit: int | None = 1,
    time_limit: float | None = None,
    node_limit: int | None = None,
) -> SolveResult:
    """Solve: the first solution, or the first `limit`; see `solutions` for the arguments."""
    found = solutions(question, limit, backend=backend, time_limit=time_limit, node_limit=node_limit)
    all_found = tuple(found)
    if all_found:
        status = Status.SOLVED
    else:
        status = Status.NONE if found.complete else Status.UNKNOWN
    return SolveResult(status, all_found, found.complete, found.backend, found.build_s, found.solve_s, found.nodes)


def count(
    question: Puzzle | Model,
    *,
    backend: str | Backend = "auto",
    limit: int | None = None,
    time_limit: float | None = None,
    node_limit: int | None = None,
    progress: Progress | None = None,
) -> Count:
    """The number of solutions: an int that knows whether it is complete.

    `progress` may be given to see from outside, or after a KeyboardInterrupt, how far the count came; see `solutions`
    for the other arguments.
    """
    limits = _limits(limit, time_limit, node_limit)
    _, session, name = open_session(question, backend)
    progress = Progress() if progress is None else progress
    # One more than the limit, to learn whether there are more: `complete` is exact.
    found = session.count(progress, limits, None if limit is None else limit + 1)
    complete = progress.exhausted and (limit is None or found <= limit)
    number = found if limit is None else min(found, limit)
    return Count(number, complete, progress.nodes, getattr(session, "name", name))


def candidates(
    question: Puzzle | Model,
    *,
    backend: str | Backend = "auto",
    time_limit: float | None = None,
) -> Candidates:
    """For each cell the values it takes in some solution (the backbone where there is one value).

    Each solve asks for a solution with a candidate that none so far had, so there are at most as many solves as
    candidates, on one session.
    """
    budget = Budget.of(_limits(None, time_limit, None))
    puzzle, session, name = open_session(question, backend)
    model = puzzle.model
    # What propagation leaves bounds the answer from above, what the solutions had from below.
    searcher = model.compiled.once(Searcher)
    board = searcher.propagate(searcher.board(puzzle.domains))
    possible = list(searcher.domains(board)) if model.compiled.infeasible is None else [0] * model.n_cells
    seen = [0] * model.n_cells
    nodes, complete = 0, True
    while complete and any(mask & ~had for mask, had in zip(possible, seen, strict=True)):
        cell = next(at for at in range(model.n_cells) if possible[at] & ~seen[at])
        asked = possible[cell] & ~seen[cell]
        only = [*possible[:cell], asked, *possible[cell + 1 :]]
        progress = Progress()
        run = session.run(progress, replace(budget.left(), any_order=True), only)
        places = next(run, None)
        nodes += progress.nodes
        if places is not None:
            for at, place in enumerate(places):
                seen[at] |= 1 << place
        elif progress.exhausted:
            possible[cell] &= ~asked
        else:
            complete = False
    values = tuple(tuple(value for at, value in enumerate(model.values) if mask >> at & 1) for mask in seen)
    return Candidates(model, values, complete, getattr(session, "name", name), nodes)
