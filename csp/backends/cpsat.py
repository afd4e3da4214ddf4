"""CP-SAT: the puzzle as a model of OR-Tools.

One integer variable a cell, over the places of its live values (those of givens leave their peers first). A unit
is an AllDifferent, a relation the table of its tuples, a parity an XOR of "is odd" literals, a cage the table of its
value sets over "value is used" literals, a sum a linear constraint: over the cells themselves when the values are
evenly spaced, else over one literal a candidate. Every auxiliary variable follows from the cells: the solver enumerates
whole assignments, and so each solution comes once. (Exactly-one literals in place of AllDifferent, or beside it, took
twice as long on 9x9 and gained little on 25x25.)

The solver calls back with its solutions and cannot be asked for the next one. It therefore runs in a thread that waits,
within the callback, until the iterator wants more; whoever drops the iterator stops the solver.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import TIMEOUT_MAX, Semaphore, Thread
from time import perf_counter
from types import ModuleType
from typing import Any, assert_never
from weakref import finalize

from nonant.csp.backends.base import Capabilities, Limits, Progress, count_by_running
from nonant.csp.backends.clauses import without_given_values
from nonant.csp.budget import Budget
from nonant.csp.errors import BackendUnavailable, Unsupported
from nonant.csp.forms import Binary, Cage, Compiled, Linear, Table, Xor
from nonant.csp.machine import cp_sat
from nonant.csp.masks import bits
from nonant.csp.model import Model, Puzzle

MOST_CONFLICTS = 2**62
LARGEST = 2**50  # of a sum: CP-SAT refuses what could overflow 64 bits


# -- the model ---------------------------------------------------------------------------------------------------------


class _Builder:
    """Builds the model of OR-Tools from a compiled one and the live values of each cell."""

    def __init__(self, cp_model: ModuleType, compiled: Compiled, domains: Sequence[int]) -> None:
        self.cp = cp_model
        self.compiled = compiled
        self.model = cp_model.CpModel()
        self.live = [list(bits(domain)) for domain in domains]
        self.cells = [
            self.model.new_int_var_from_domain(cp_model.Domain.from_values(values), f"c{cell}")
            for cell, values in enumerate(self.live)
        ]
        self._literals: dict[int, dict[int, Any]] = {}
        for unit in compiled.units:
            self.model.add_all_different([self.cells[cell] for cell in unit])
        for rule in compiled.rules:
            match rule:
                case Cage():
                    self.cage(rule)
                case Binary():
                    self.tuples(rule.cells, [(a, b) for a in self.live[rule.first] for b in bits(rule.forward[a])])
                case Table():
                    self.tuples(rule.cells, rule.tuples)
                case Linear():
                    self.sum(rule)
                case Xor():
                    self.parity(rule)
                case _:
                    assert_never(rule)

    def literals(self, cell: int) -> dict[int, Any]:
        """One literal a live value of the cell: the cell takes it."""
        found = self._literals.get(cell)
        if found is None:
            variable = self.cells[cell]
            found = self._literals[cell] = {value: self.model.new_bool_var("") for value in self.live[cell]}
            for value, literal in found.items():
                self.model.add(variable == value).only_enforce_if(literal)
            self.model.add_exactly_one(found.values())
        return found

    def cage(self, cage: Cage) -> None:
        places: dict[int, list[Any]] = {}
        for cell in cage.cells:
            for value, literal in self.literals(cell).items():
                places.setdefault(value, []).append(literal)
        unreachable = ~sum(1 << value for value in places)
        used = []
        for literals in places.values():
            used.append(literals[0] if len(literals) == 1 else self.model.new_bool_var(""))
            if len(literals) > 1:
                self.model.add(sum(literals) == used[-1])
        rows = [[some >> value & 1 for value in places] for some in cage.sets if not some & unreachable]
        self.model.add_allowed_assignments(used, rows)

    def tuples(self, cells: Sequence[int], rows: Sequence[Sequence[int]]) -> None:
        live = [set(self.live[cell]) for cell in cells]
        rows = [row for row in rows if all(value in known for known, value in zip(live, row, strict=True))]
        self.model.add_allowed_assignments([self.cells[cell] for cell in cells], rows)

    def sum(self, linear: Linear) -> None:
        numbers = self.compiled.numbers
        step = numbers[1] - numbers[0] if len(numbers) > 1 else 0
        even = all(number == numbers[0] + step * at for at, number in enumerate(numbers))
        terms = []
        for cell, weight in zip(linear.cells, linear.weights, strict=True):
            if even:
                terms.append(weight * step * self.cells[cell] + weight * numbers[0])
            else:
                terms += [weight * numbers[value] * literal for value, literal in self.literals(cell).items()]
        left, right = sum(terms), linear.total
        compare = {"==": left == right, "!=": left != right, "<=": left <= right, ">=": left >= right}
        self.model.add(compare[linear.relation])

    def parity(self, xor: Xor) -> None:
        odd, literals = xor.odd, []
        for cell in xor.cells:
            odds = [value for value in self.live[cell] if self.compiled.odd_mask >> value & 1]
            evens = [value for value in self.live[cell] if value not in odds]
            if odds and evens:
                literal = self.model.new_bool_var("")
                for values, condition in ((odds, literal), (evens, ~literal)):
                    among = self.cp.Domain.from_values(values)
                    self.model.add_linear_expression_in_domain(self.cells[cell], among).only_enforce_if(condition)
                literals.append(literal)
            elif odds:
                odd = not odd
        self.model.add_bool_xor(literals if odd else [*literals, True])


# -- the session -------------------------------------------------------------------------------------------------------


class CpSatSession:
    """A puzzle as a model of OR-Tools. Each run solves from the start; runs may be left unfinished and may overlap.

    Attributes:
        build_s: seconds to build; the solver's own presolve counts as solving.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        started = perf_counter()
        self._cp = _library()
        compiled = puzzle.model.compiled
        self._builder: _Builder | None = None  # None: there is no solution
        if compiled.infeasible is None and compiled.n_cells:
            left = without_given_values(compiled, puzzle.domains)
            if left is not None:
                self._builder = _Builder(self._cp, compiled, left)
        self._trivial = compiled.infeasible is None and not compiled.n_cells
        self.build_s = perf_counter() - started

    def run(self, progress: Progress, limits: Limits, only: Sequence[int] | None = None) -> Iterator[tuple[int, ...]]:
        """Enumerate the solutions, each once; see `Session.run`. `limits.nodes` are conflicts."""
        budget = Budget.of(limits)
        if budget.out():
            return
        model = None if self._builder is None else self._restricted(self._builder, only)
        if model is None:
            if self._trivial:
                yield ()
            progress.exhausted = True
            return
        solver = cp_sat.solver(budget)
        solver.parameters.num_workers = 1  # more cannot enumerate
        solver.parameters.enumerate_all_solutions = True
        if limits.nodes is not None:
            solver.parameters.max_number_of_conflicts = min(limits.nodes, MOST_CONFLICTS)
        search = _Search(self._cp, solver, model, len(self._builder.cells) if self._builder else 0)
        earlier = progress.nodes
        try:
            while True:
                row = search.next(budget)
                progress.nodes = earlier + search.conflicts
                if row is None:
                    progress.exhausted = search.complete
                    return
                yield row
        finally:
            search.stop()

    def count(self, progress: Progress, limits: Limits, most: int | None = None) -> int:
        """Count by enumeration."""
        return count_by_running(self, progress, limits, most)

    def _restricted(self, builder: _Builder, only: Sequence[int] | None) -> Any:
        """The model, or a copy with each cell kept to its mask; None when that leaves a cell nothing."""
        if only is None:
            return builder.model
        allowed = [
            [value for value in live if mask >> value & 1] for live, mask in zip(builder.live, only, strict=True)
        ]
        if not all(allowed):
            return None
        copy = builder.model.clone()
        for cell, (live, left) in enumerate(zip(builder.live, allowed, strict=True)):
            if len(left) < len(live):
                variable = copy.get_int_var_from_proto_index(builder.cells[cell].index)
                copy.add_linear_expression_in_domain(variable, self._cp.Domain.from_values(left))
        return copy


class _Search:
    """One solve in a thread, held back in its callback until the next solution is asked for.

    Attributes:
        complete: true once the solver has said that there are no more solutions.
        conflicts: so far.
    """

    def __init__(self, cp_model: ModuleType, solver: Any, model: Any, n_cells: int) -> None:
        self.complete = False
        self.conflicts = 0
        self._cp, self._solver, self._model = cp_model, solver, model
        self._cells = [model.get_int_var_from_proto_index(cell) for cell in range(n_cells)]
        self._found: SimpleQueue[tuple[int, ...] | BaseException | None] = SimpleQueue()
        self._wanted = Semaphore(0)
        self._stopped = False
        self._thread = Thread(target=self._solve, name="nonant-cpsat", daemon=True)
        self._thread.start()
        # A solver that still runs when Python ends would bring the process down.
        self._at_exit = finalize(self._thread, self.stop, 5.0)

    def next(self, budget: Budget) -> tuple[int, ...] | None:
        """The next solution, or None at the end or when time is up."""
        self._wanted.release()
        try:
            # The solver keeps its own clock; this is for what it does not interrupt, such as loading a large model.
            left = None if budget.deadline is None else min(TIMEOUT_MAX, budget.seconds_left() + 0.1)
            answer = self._found.get(timeout=left)
        except Empty:
            return None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def stop(self, patience: float = 0.1) -> None:
        """Stop the solver; wait for it a moment, but no longer."""
        self._stopped = True
        self._wanted.release()
        waiting = Budget.within(patience)
        while self._thread.is_alive() and not waiting.late():
            self._solver.stop_search()
            self._thread.join(0.005)
        if not self._thread.is_alive():
            self._at_exit.detach()

    def _solve(self) -> None:
        found, wanted, cells, search = self._found, self._wanted, self._cells, self

        class OnSolution(self._cp.CpSolverSolutionCallback):  # type: ignore[misc,name-defined]
            def on_solution_callback(self) -> None:
                search.conflicts = self.num_conflicts
                found.put(tuple(self.value(cell) for cell in cells))
                wanted.acquire()
                if search._stopped:
                    self.stop_search()

        try:
            wanted.acquire()
            if not self._stopped:
                cp = self._cp
                status = self._solver.solve(self._model, OnSolution())
                self.conflicts = self._solver.num_conflicts
                if status == cp.MODEL_INVALID:
                    raise Unsupported("cpsat", self._model.validate())
                self.complete = status in (cp.OPTIMAL, cp.INFEASIBLE) and not self._stopped
            found.put(None)
        except BaseException as error:  # whoever waits for a solution must hear of it
            found.put(error)


def _library() -> ModuleType:
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise BackendUnavailable(f"backend 'cpsat' needs OR-Tools: pip install ortools ({error})") from error
    return cp_model


# -- the backend -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CpSat:
    """CP-SAT of OR-Tools. It takes `only`, but presolves and loads anew for each run: no capability `assumptions`."""

    name: str = "cpsat"
    capabilities: Capabilities = Capabilities(assumptions=False)  # noqa: RUF009 - frozen

    def why_not(self, model: Model) -> str | None:
        """A reason only for numbers so large that sums of them could overflow."""
        compiled = model.compiled
        largest = max(map(abs, compiled.numbers), default=0)
        for linear in compiled.sums:
            reach = largest * sum(map(abs, linear.weights)) + abs(linear.total)
            if reach > LARGEST:
                return f"a sum over {len(linear.cells)} cells may reach {reach}, at most {LARGEST}; scale it down"
        return None

    def session(self, puzzle: Puzzle) -> CpSatSession:
        """Build the model of a puzzle.

        Raises:
            Unsupported: for a model that `why_not` refuses.
            BackendUnavailable: without OR-Tools.
        """
        reason = self.why_not(puzzle.model)
        if reason is not None:
            raise Unsupported(self.name, reason)
        return CpSatSession(puzzle)


BACKEND = CpSat()
