"""Why a puzzle has no solution: givens that already clash, and the rules that make them clash.

The plain CNF of the puzzle (`proofs/cnf.py`) is loaded once, the clauses of each constraint, and of each cell's pencil
marks, under a selector of their own; givens and selectors are assumptions. One unsatisfiable core of the solver leaves
few givens; each of those is then left out in turn, and stays out when the rest still clash (deletion, with every core
on the way used to leave out more at once). What remains is minimal: without any one given the others have a solution.
Then the same for the pencil marks, and for the constraints. Where the rules alone have no solution no given is left,
and the constraints are those that clash.

The smallest conflict is an implicit hitting set (Ignatiev et al. 2015): a conflict cannot lie within givens that stand
together, so it has one outside each such set. A smallest set that hits all these outsides, if it clashes, is a smallest
conflict; if not, it grows to a new set that stands together.

A clause learner answers all these questions, not plain search, whose worst case are few givens that clash in a depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nonant.csp.backends import sat
from nonant.csp.backends.base import Limits, Progress
from nonant.csp.budget import Budget
from nonant.csp.errors import Unsupported
from nonant.csp.model import Constraint, Model, Puzzle
from nonant.csp.proofs.cnf import fact_clauses, rule_clauses

MOST_ROWS = 20_000  # rows of values of one constraint that are tried; with larger ones only givens are named


@dataclass(frozen=True)
class Conflict:
    """Givens that clash, or rules that do.

    Attributes:
        cells: the names of the given cells; empty when the rules (and pencil marks) alone have no solution.
        constraints: the names of the constraints that these givens break together, none of which can be left out;
            empty when the model has a constraint too large to be written as clauses.
        marks: the names of the cells whose pencil marks take part, none of which can be left out.
        minimal: whether the rest has a solution as soon as any one of these givens is left out (else a limit came
            first).
        smallest: whether no conflict with fewer givens exists (only if it was asked for).
    """

    cells: tuple[str, ...]
    constraints: tuple[str, ...]
    marks: tuple[str, ...]
    minimal: bool
    smallest: bool = False


def minimal_conflict(puzzle: Puzzle, smallest: bool = False, limits: Limits | None = None) -> Conflict | None:
    """Givens that clash, none of which can be left out.

    Args:
        puzzle: a puzzle, presumably without solution.
        smallest: look for as few givens as possible.
        limits: for the whole; a limit gives a conflict that is not minimal, or not the smallest.

    Returns:
        The conflict, or None when the puzzle has a solution, or a limit came before anything was known.
    """
    question = _Question(puzzle, limits or Limits())
    givens, rules, marks = question.givens, question.selectors, question.marks
    core = question.core([*givens, *rules, *marks])
    if core is None:
        return None
    chosen, minimal = _shrink(question, [literal for literal in givens if literal in core], [*rules, *marks])
    proved = False
    if smallest and minimal and len(chosen) > 1:
        fewest = _fewest(question, [*rules, *marks])
        proved = fewest is not None
        chosen = chosen if fewest is None else fewest
    marked, _ = _shrink(question, marks, [*rules, *chosen])
    used, _ = _shrink(question, rules, [*marked, *chosen])
    return Conflict(
        cells=tuple(puzzle.model.names[givens[literal]] for literal in chosen),
        constraints=tuple(rules[literal] for literal in used),
        marks=tuple(puzzle.model.names[marks[literal]] for literal in marked),
        minimal=minimal,
        smallest=proved or (smallest and minimal and len(chosen) <= 1),
    )


class _Question:
    """The puzzle's clauses in a solver.

    Attributes:
        givens: the literal of each given, and its cell.
        selectors: a literal a constraint that switches it on, and its name.
        marks: a literal a cell with pencil marks that switches these on, and the cell.
    """

    def __init__(self, puzzle: Puzzle, limits: Limits) -> None:
        model = puzzle.model
        size = model.n_values
        self._budget, self._progress = Budget.of(limits), Progress()
        self.givens = {1 + cell * size + at: cell for cell, at in enumerate(puzzle.givens) if at is not None}
        self.selectors: dict[int, str] = {}
        self.marks: dict[int, int] = {}
        self._session: sat.SatSession | None = None
        clauses: list[Sequence[int]] = []
        try:
            for number, (constraint, some) in enumerate(rule_clauses(model, MOST_ROWS, apart=True)):
                if constraint is None:
                    clauses += some
                    continue
                selector = model.n_cells * size + number
                self.selectors[selector] = _title(model, constraint)
                clauses += [(-selector, *clause) for clause in some]
            first = model.n_cells * size + len(model.constraints) + 1
            for clause in fact_clauses(puzzle, givens=False):
                cell = (-clause[0] - 1) // size
                self.marks[first + cell] = cell
                clauses.append((-first - cell, *clause))
        except Unsupported:
            # No plain clauses: the encoding of the backend knows the givens, but has no names for the rules.
            self.selectors, self.marks = {}, {}
            self._session = sat.BACKEND.session(puzzle, assume_givens=True)
            return
        self._solver = sat.SlicedSolver(sat.BACKEND.solver, clauses)

    def core(self, assumed: Iterable[int]) -> set[int] | None:
        """Some of the assumptions that clash, or None when they do not; `known` says whether that is certain."""
        if self._session is not None:
            cells = {self.givens[literal]: literal for literal in assumed}
            found = self._session.core(self._progress, self._budget.left(), list(cells))
            self._budget.spent = self._progress.nodes
            return None if found is None else {cells[cell] for cell in found}
        answer = self._solver.solve(list(assumed), self._budget, self._progress)
        return set(answer.core) if answer.satisfiable is False else None

    def out(self) -> bool:
        """True when a limit is reached: then the last answer may be no answer."""
        return self._budget.out()


def _title(model: Model, constraint: Constraint) -> str:
    if constraint.name:
        return constraint.name
    names = ", ".join(model.names[cell] for cell in model.indices(constraint))
    return f"{type(constraint).__name__.lower()} of {names}"


def _shrink(question: _Question, literals: Iterable[int], fixed: Iterable[int]) -> tuple[list[int], bool]:
    """A minimal part of the literals that clashes with the fixed ones, and whether it is known to be minimal.

    The literals and the fixed ones clash when this is called.
    """
    needed: list[int] = []
    fixed, left = list(fixed), list(literals)
    while left:
        tried = left.pop()
        core = question.core([*fixed, *needed, *left])
        if core is None:
            needed.append(tried)
        else:
            left = [literal for literal in left if literal in core]
        if question.out():
            return sorted([*needed, *left]), False
    return sorted(needed), True


def _fewest(question: _Question, rules: Iterable[int]) -> list[int] | None:
    """A smallest set of givens that clashes, or None when a limit came first."""
    from pysat.examples.hitman import Hitman

    rules, givens = list(rules), list(question.givens)
    with Hitman(solver="m22", htype="sorted") as hitting:
        while True:
            chosen = hitting.get() or []
            if question.core([*rules, *chosen]) is not None:
                return sorted(chosen)
            # They can stand together: add what else can; one of the rest is in every conflict.
            together = list(chosen)
            for given in givens:
                if given not in together and question.core([*rules, *together, given]) is None:
                    together.append(given)
            if question.out():
                return None
            hitting.hit([given for given in givens if given not in together])
