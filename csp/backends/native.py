"""The native engine: plain Python for what is small, a compiled kernel for what is not, as one search.

A run starts in `plain/search.py`. Work that outgrows it is handed over as it stands: the open boards are disjoint
subtrees, so the kernel goes on from them and nothing is lost or seen twice. Importing and loading the kernel costs half
a second, what a thousand small puzzles cost in plain Python; once a process has spent that (`machine/loading.py`), the
kernel is asked first. Then a run yields what the kernel found only where that cannot depend on the way, which is where
there is one solution or none; the first of several are always those of the search that starts in plain Python.

The kernels are in `native_kernels.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from nonant.csp.backends.base import Capabilities, Progress, count_by_running
from nonant.csp.budget import Budget, Limits, Pace
from nonant.csp.errors import ModelError, Unsupported
from nonant.csp.forms import Compiled
from nonant.csp.machine.loading import Meter, meter
from nonant.csp.model import Model, Puzzle
from nonant.csp.plain.search import Searcher

if TYPE_CHECKING:
    from nonant.csp.backends.native_kernels import Search

ENGINES = ("auto", "plain", "kernel", "scalar")
MAX_VALUES = 64  # of the kernel: a domain is one machine word
LARGEST_SUM = 1 << 62
# Work is candidates times nodes. So much plain Python may do before the kernel is loaded: about what loading costs, a
# quarter of a second. On a board of many candidates its big ints are slow from the first node.
PLAIN_WORK = 1_000_000
LARGE_BOARD = 30_000
PRODUCTIVE = 10_000  # a run that has found so many solutions is not stuck, whatever comes
# A kernel runs for about SLICE_SECONDS before the clock and Ctrl-C are looked at: so much work, without a clock.
SLICE_SECONDS = 0.05
SLICE_WORK = 6_500_000
SLICE_WORK_9 = 130_000_000
LOOK = 20  # slices in which a kernel that is loaded already looks whether there is more than one solution
FIRST_SLICE, FIRST_SLICE_9 = 64, 4_096  # nodes: about a millisecond
PATIENCE_9 = 16  # the kernel for the classic grid branches so many times while the other one does once
MAX_ROOM = 4_096  # solutions that the kernel writes before it hands them out


@dataclass(frozen=True)
class Native:
    """The native backend.

    `engine` is "auto", "plain" (never compiled code), "kernel" (compiled code from the first node), or "scalar" (alike,
    but the kernel for any model even where there is a faster one).
    """

    name: str = "native"
    engine: str = "auto"
    capabilities: Capabilities = Capabilities()  # noqa: RUF009 (a frozen record)

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise ModelError(f"the native engine is one of {', '.join(ENGINES)}, not {self.engine!r}")

    def why_not(self, model: Model) -> str | None:
        """Only the kernel has limits; plain Python takes any model."""
        return beyond_the_kernel(model.compiled) if self.engine in ("kernel", "scalar") else None

    def session(self, puzzle: Puzzle) -> NativeSession:
        """Open a session."""
        reason = self.why_not(puzzle.model)
        if reason is not None:
            raise Unsupported(self.name, reason)
        return NativeSession(puzzle, self.engine)


def beyond_the_kernel(compiled: Compiled) -> str | None:
    """Why the kernel cannot hold a model, or None: domains and sums must fit into machine words."""
    if compiled.n_values > MAX_VALUES:
        return f"the kernel holds at most {MAX_VALUES} values, the model has {compiled.n_values}; use engine='plain'"
    largest = max(map(abs, compiled.numbers), default=0)
    for linear in compiled.sums:
        reach = largest * sum(map(abs, linear.weights)) + abs(linear.total)
        if reach > LARGEST_SUM:
            return f"a sum over {len(linear.cells)} cells may reach {reach}, at most 2**62; use engine='plain'"
    return None


class NativeSession:
    """A puzzle in the native engine.

    Args:
        patience: a run that branches this often without a solution gives up, unless it has found many already; `stuck`
            then tells so.
    """

    def __init__(self, puzzle: Puzzle, engine: str, patience: int | None = None) -> None:
        start = perf_counter()
        self.engine, self.patience, self.stuck = engine, patience, False
        self.compiled = puzzle.model.compiled
        self.searcher = self.compiled.once(Searcher)
        self.root = self.searcher.board(puzzle.domains)
        self._size = max(1, self.compiled.n_cells * self.compiled.n_values)
        # What no assignment satisfies, and the model without cells, are settled before any search: see `Searcher.run`.
        settled = self.compiled.infeasible is not None or not self.compiled.n_cells
        self._has_kernel = engine != "plain" and not settled and beyond_the_kernel(self.compiled) is None
        self._weights: Any = None  # of the cells, as the last run left them: for runs in any order
        self.build_s = perf_counter() - start

    def run(self, progress: Progress, limits: Limits, only: Sequence[int] | None = None) -> Iterator[tuple[int, ...]]:
        """Enumerate the solutions; see `Session.run`."""
        board, budget = self._board(only), Budget.of(limits)
        if not limits.any_order and limits.nodes is None and self._kernel_first():
            known = self._at_most_one(board, progress, budget)
            if known is not None:
                yield from known
                progress.exhausted = True  # not before: who takes one solution has not asked whether there is another
                return
        open_boards = [board]
        progress.in_order = not (limits.any_order and self._kernel_first())
        plain = self._plain_budget(budget, limits.any_order)
        for solved in self._plainly(open_boards, plain):
            progress.nodes, progress.found = plain.spent, progress.found + 1
            yield self.searcher.values(solved)
        if open_boards and self._may_go_on(budget, plain, progress):
            yield from self._kernel(open_boards, progress, budget, limits.any_order)
        progress.exhausted = not open_boards

    def count(self, progress: Progress, limits: Limits, most: int | None = None) -> int:
        """Count the solutions; the kernel does not write them down."""
        if most is not None and most <= MAX_ROOM:
            return count_by_running(self, progress, limits, most)
        open_boards, budget = [self.root], Budget.of(limits)
        plain = self._plain_budget(budget, limits.nodes is None)
        for _ in self._plainly(open_boards, plain):
            progress.nodes, progress.found = plain.spent, progress.found + 1
        if open_boards and self._may_go_on(budget, plain, progress):
            for _ in self._kernel(open_boards, progress, budget, True, counting=True):
                if most is not None and progress.found >= most:
                    break
        progress.exhausted = not open_boards and (most is None or progress.found <= most)
        return progress.found if most is None else min(progress.found, most)

    # -- which engine -------------------------------------------------------------------------------------------------

    def _board(self, only: Sequence[int] | None) -> int:
        size = self.compiled.n_values
        within = -1 if only is None else sum(mask << (cell * size) for cell, mask in enumerate(only))
        return self.root & within

    def _takes_single9(self) -> bool:
        return self.engine != "scalar" and self.compiled.is_classic_grid

    def _meter(self) -> Meter:
        return meter("classic grid" if self._takes_single9() else "any model", PLAIN_WORK)

    def _kernel_first(self) -> bool:
        """Whether the kernel is worth asking before plain Python, which its runs would start with."""
        return self.engine == "auto" and self._has_kernel and self._size <= LARGE_BOARD and self._meter().paid()

    def _plain_budget(self, budget: Budget, any_order: bool) -> Budget:
        """What plain Python may spend before the kernel, or whoever comes when the run is stuck, goes on."""
        plain = PLAIN_WORK // self._size
        if not self._has_kernel and self.patience is None:
            return Budget(budget.nodes, budget.deadline)
        at_once = self._has_kernel and (self.engine in ("kernel", "scalar") or self._size > LARGE_BOARD)
        if at_once or (any_order and self._kernel_first()):
            plain = 0
        return Budget(budget.at_most(plain), budget.deadline)

    def _may_go_on(self, budget: Budget, plain: Budget, progress: Progress) -> bool:
        """Whether the kernel goes on with what plain Python left; without a kernel the run may be stuck instead."""
        progress.nodes = budget.spent = plain.spent
        if budget.out():
            return False
        self.stuck = not self._has_kernel and self.patience is not None
        return self._has_kernel

    def _plainly(self, open_boards: list[int], plain: Budget) -> Iterator[int]:
        """The solutions that plain Python finds; what it spends counts for when the kernel is loaded."""
        try:
            yield from self.searcher.run(open_boards, plain)
        finally:
            if self._has_kernel:
                self._meter().add(self._size * (plain.spent + 1))

    # -- the kernel ---------------------------------------------------------------------------------------------------

    def _opened(self, domains: Sequence[int], weights: Any) -> Search:
        from nonant.csp.backends.native_kernels import ScalarSearch, Single9Search

        self._meter().pay()
        return Single9Search(domains) if self._takes_single9() else ScalarSearch(self.compiled, domains, weights)

    def _pace(self) -> Pace:
        most = max(16, (SLICE_WORK_9 if self._takes_single9() else SLICE_WORK) // self._size)
        return Pace(FIRST_SLICE_9 if self._takes_single9() else FIRST_SLICE, SLICE_SECONDS, most, least=16)

    def _at_most_one(self, board: int, progress: Progress, budget: Budget) -> list[tuple[int, ...]] | None:
        """The solutions where there is one or none, and the kernel sees that in time; None where it does not."""
        look, pace = budget.share(2), self._pace()  # if it does not, there must be time to search in order
        if look.out():
            return None
        search, rows, most = self._opened(self.searcher.domains(board), None), list[list[int]](), LOOK * pace.most
        while True:
            start = perf_counter()
            done = search.advance(pace.size, 2)
            look.spent += done.nodes
            rows += done.rows
            if len(rows) > 1:
                return None
            if done.exhausted:
                progress.nodes, progress.found = look.spent, len(rows)
                return [tuple(row) for row in rows]
            if look.spent >= most or look.out():
                return None
            if done.nodes:
                pace.learn(done.nodes, perf_counter() - start, look)

    def _kernel(
        self, open_boards: list[int], progress: Progress, budget: Budget, any_order: bool, counting: bool = False
    ) -> Iterator[tuple[int, ...]]:
        """Go on from the open boards; when counting, solutions go to `progress.found`, and () marks each pause."""
        pace, hopeful, weights = self._pace(), progress.nodes, self._weights if any_order else None
        while open_boards:
            search, room = self._opened(self.searcher.domains(open_boards[-1]), weights), 0 if counting else 2
            while True:
                start = perf_counter()
                done = search.advance(self._nodes_before_a_look(pace, budget, progress, hopeful), room)
                took = perf_counter() - start
                progress.nodes += done.nodes
                budget.spent = progress.nodes
                if done.found:
                    hopeful = progress.nodes
                if counting:
                    progress.found += done.found
                    yield ()
                for row in done.rows:
                    progress.found += 1
                    yield tuple(row)
                if done.exhausted:
                    weights = self._weights = getattr(search, "weights", None)
                    open_boards.pop()
                    break
                if done.full:
                    room = min(room * 2, MAX_ROOM)
                elif done.nodes:
                    pace.learn(done.nodes, took, budget)
                self.stuck = self._patience_left(progress, hopeful) <= 0
                if budget.out() or self.stuck:
                    return

    def _patience_left(self, progress: Progress, hopeful: int) -> int:
        """The nodes until the run is stuck; `hopeful` is how many there were when a solution was last found."""
        if self.patience is None or progress.found >= PRODUCTIVE:
            return LARGEST_SUM
        return hopeful + (PATIENCE_9 if self._takes_single9() else 1) * self.patience - progress.nodes

    def _nodes_before_a_look(self, pace: Pace, budget: Budget, progress: Progress, hopeful: int) -> int:
        return max(0, min(budget.at_most(pace.size), self._patience_left(progress, hopeful)))


BACKEND = Native()
