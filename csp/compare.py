"""The same puzzles on several backends: do they agree, and what does each cost?

Every puzzle goes to all backends before the next one is read, so a list may be a stream of any length: of a puzzle that
is done only numbers stay. Two checks decide whether the answers agree, and neither takes a vote:

- each solution must satisfy the model, the givens and the pencil marks, and must come once;
- an answer that claims to hold all solutions must hold every solution that any other backend found.

As solutions pass the first check before the second, whoever fails one of them is proved wrong. A limit is no
disagreement: an answer that it cut short claims nothing beyond the solutions in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter

from nonant.csp.backends import registry
from nonant.csp.backends.base import Backend, Limits, Progress, Session
from nonant.csp.comparison import Answer, Comparison, Outcome, Row, Tally
from nonant.csp.constraints import title
from nonant.csp.errors import BackendUnavailable, Disagreement, ModelError, Unsupported
from nonant.csp.model import Model, Puzzle, Unit
from nonant.csp.plain.search import Searcher
from nonant.csp.results import Solution
from nonant.csp.solve import as_puzzle

__all__ = ["Answer", "Comparison", "Outcome", "Row", "Tally", "compare"]

# -- asking one backend ------------------------------------------------------------------------------------------------


class Contestant:
    """A backend in a comparison.

    Its library is loaded here, on a puzzle of two cells, before any clock starts; `missing` tells if that failed.
    """

    def __init__(self, backend: Backend | None, name: str, missing: str = "") -> None:
        self.backend, self.name, self.missing = backend, name, missing
        self._grown = 0
        start = resident_bytes()
        try:
            self._load()
        except BackendUnavailable as error:
            self.missing = str(error)
        self._grown = resident_bytes() - start

    def _load(self) -> None:
        pair = Model("two cells", cells=("a", "b"), values=(1, 2), constraints=[Unit(("a", "b"))])
        if self.backend is not None and self.why_not(pair) is None:
            for _ in self.backend.session(pair.puzzle()).run(Progress(), Limits()):
                pass

    def why_not(self, model: Model) -> str | None:
        """Why this backend takes no part, or None."""
        if self.backend is None:
            return self.missing
        if not self.backend.capabilities.enumerate:
            return "it does not enumerate solutions"
        return registry.why_not(self.backend, model)

    def answer(self, puzzle: Puzzle, limit: int | None, time_limit: float | None) -> Answer:
        """Ask for the solutions of a puzzle, at most `limit`."""
        if self.backend is None or self.missing:
            return Answer(self.name, Outcome.UNAVAILABLE, reason=self.missing)
        reason = self.why_not(puzzle.model)
        if reason is not None:
            return Answer(self.name, Outcome.UNSUPPORTED, reason=reason)
        before, progress = resident_bytes(), Progress()
        try:
            session = self.backend.session(puzzle)
            start = perf_counter()
            places = _first(session, limit, progress, Limits(time_limit))
            solve_s = perf_counter() - start
        except Unsupported as error:  # what only building or solving shows, such as an overflow
            return Answer(self.name, Outcome.UNSUPPORTED, reason=error.reason)
        memory = self._grown + resident_bytes() - before
        build_s = session.build_s
        del session  # what it gives back is not this backend's any more
        self._grown += resident_bytes() - before
        solutions = tuple(Solution(puzzle.model, found) for found in places)
        finished = progress.exhausted or (limit is not None and len(solutions) >= limit)
        return Answer(
            self.name,
            _outcome(len(solutions), progress.exhausted, finished),
            solutions,
            progress.exhausted,
            finished,
            build_s,
            solve_s,
            progress.nodes,
            memory if before else None,
        )


def _first(session: Session, limit: int | None, progress: Progress, limits: Limits) -> list[tuple[int, ...]]:
    """The first `limit` solutions. The search is stopped after the last one: whether there are more is not asked."""
    run, found = session.run(progress, limits), list[tuple[int, ...]]()
    try:
        for places in run:
            found.append(places)
            if len(found) == limit:
                break
    finally:
        close = getattr(run, "close", None)
        if close is not None:
            close()
    return found


def _outcome(number: int, complete: bool, finished: bool) -> Outcome:
    if number > 1:
        return Outcome.MULTIPLE
    if complete:
        return Outcome.UNIQUE if number else Outcome.NONE
    return Outcome.SOLVED if finished else Outcome.UNKNOWN


def resident_bytes() -> int:
    """The memory of this process that is in use now; 0 where the system has no /proc to tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


def contestants(backends: Sequence[str | Backend] | None) -> list[Contestant]:
    """The backends by name or as they are; by default all that are registered.

    Two of one name (the same class with other options) are told apart by a number.

    Raises:
        BackendUnavailable: for a name that nobody registers.
        ModelError: if there are none.
    """
    chosen = registry.names() if backends is None else backends
    if isinstance(chosen, str) or not chosen:
        raise ModelError(f"backends is {chosen!r}; give a list of names, e.g. ['native', 'sat']")
    made: list[Contestant] = []
    for item in chosen:
        missing, backend = "", None
        try:
            backend = registry.get(item) if isinstance(item, str) else item
        except BackendUnavailable as error:
            if item not in registry.names():
                raise
            missing = str(error)
        name = str(item) if backend is None else backend.name
        same = sum(other.name == name or other.name.startswith(f"{name} (") for other in made)
        made.append(Contestant(backend, f"{name} ({same + 1})" if same else name, missing))
    return made


# -- comparing ---------------------------------------------------------------------------------------------------------


def compare(
    puzzle_or_puzzles: Puzzle | Model | Iterable[Puzzle | Model],
    backends: Sequence[str | Backend] | None = None,
    *,
    limit: int | None = 2,
    time_limit: float | None = None,
    progress: Tally | None = None,
) -> Comparison:
    """Ask several backends for the solutions of the same puzzles.

    Args:
        puzzle_or_puzzles: one puzzle, or any number of them; an iterable is read one by one.
        backends: names, or backends; by default all that are registered.
        limit: at most so many solutions a puzzle; 2 settle the verdict. None for all of them.
        time_limit: seconds for each backend and puzzle. Its passing is an outcome: UNKNOWN.
        progress: a `Tally` that is kept up to date, for whoever may interrupt this.

    Raises:
        Disagreement: if an answer is proved wrong; `progress` then holds all puzzles up to and with this one.
        BackendUnavailable: for a name that nobody registers. A registered backend that cannot run, or cannot take a
            model, is an outcome with its reason.
    """
    if limit is not None and limit < 1:
        raise ModelError(f"limit is {limit}; give at least 1, or None for all solutions")
    if time_limit is not None and time_limit < 0:
        raise ModelError(f"time_limit is {time_limit}; give seconds from 0, or None for no limit")
    tally = Tally() if progress is None else progress
    asked = contestants(backends)
    for puzzle in _each(puzzle_or_puzzles):
        start = perf_counter()
        _ = puzzle.model.compiled.once(Searcher)  # all backends work from it, so none of them is charged with it
        compile_s = perf_counter() - start
        answers = [contestant.answer(puzzle, limit, time_limit) for contestant in asked]
        wrong = disagreement(puzzle, answers)
        tally.add(answers, compile_s, agree=wrong is None)
        if wrong is not None:
            raise wrong
    return tally.comparison()


def _each(question: Puzzle | Model | Iterable[Puzzle | Model]) -> Iterator[Puzzle]:
    if isinstance(question, Iterable):
        yield from map(as_puzzle, question)
    else:
        yield as_puzzle(question)


def disagreement(puzzle: Puzzle, answers: Sequence[Answer]) -> Disagreement | None:
    """The error that tells which answer is wrong, or None when they agree."""
    reason = _wrong_solution(puzzle, answers) or _missed_solution(answers)
    if reason is None:
        return None
    free = (1 << puzzle.model.n_values) - 1
    marks = "" if all(mask == free for mask in puzzle.marks) else " with pencil marks"
    said = {answer.backend: str(answer) for answer in answers}
    return Disagreement(reason, model=puzzle.model.name, puzzle=puzzle.line + marks, answers=said)


def _wrong_solution(puzzle: Puzzle, answers: Sequence[Answer]) -> str | None:
    """A solution that is none, or that comes twice, if there is one."""
    right: set[tuple[int, ...]] = set()
    for answer in answers:
        if len(set(answer.solutions)) < len(answer.solutions):
            return f"{answer.backend} found a solution twice"
        for solution in answer.solutions:
            if solution.places in right:
                continue
            broken = puzzle.model.violated(solution.in_order())
            if broken is not None:
                return f"{answer.backend} found {solution.line}, which breaks {title(broken)}"
            for name, mask, place in zip(puzzle.model.names, puzzle.domains, solution.places, strict=True):
                if not mask >> place & 1:
                    return f"{answer.backend} found {solution.line}, but the puzzle does not allow that value in {name}"
            right.add(solution.places)
    return None


def _missed_solution(answers: Sequence[Answer]) -> str | None:
    """A solution that is not among those of an answer that claims to have all, if there is one."""
    for sure in answers:
        if sure.complete:
            known = set(sure.solutions)
            for other in answers:
                for solution in other.solutions:
                    if solution not in known:
                        return f"{sure.backend} missed {solution.line}, which {other.backend} found"
    return None
