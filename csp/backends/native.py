"""The native engine: plain Python for what is small, a compiled kernel for what is not, as one search.

A run starts in `search.py`. Work that outgrows it is handed over as it stands: the open boards are disjoint subtrees,
so the kernel goes on from them and nothing is lost or seen twice. The kernel is taken from the start when it is loaded
already. Importing and loading it costs about half a second, what a thousand small puzzles cost in plain Python.

There are two kernels: `single9.py` for the classic 9x9 grid, which is some twenty to sixty times faster, and
`scalar.py` for everything else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any

from nonant.csp.backends.base import Capabilities, Limits, Progress, count_by_running
from nonant.csp.errors import ModelError, Unsupported
from nonant.csp.forms import Compiled
from nonant.csp.model import Model, Puzzle
from nonant.csp.plain.search import Budget, Searcher

if TYPE_CHECKING:
    from nonant.csp.kernels.scalar.scalar import State

KERNEL = "nonant.csp.kernels.scalar.scalar"
KERNEL_9 = "nonant.csp.kernels.classic.single9"
ENGINES = ("auto", "plain", "kernel", "scalar")
COMPILED = "nonant.csp.machine.compiled"
MAX_VALUES = 64  # of the kernel: a domain is one machine word
LARGEST_SUM = 1 << 62
# What plain Python may do before the kernel is loaded, in candidates times nodes: less than half a second's worth. On a
# board of many candidates its big ints are slow from the first node.
PLAIN_WORK = 3_000_000
LARGE_BOARD = 30_000
PRODUCTIVE = 10_000  # a run that has found so many solutions is not stuck, whatever comes
CHUNK_SECONDS = 0.05  # how long the kernel runs before the clock and Ctrl-C are looked at
FIRST_CUTOFF = 2_000  # nodes before the first restart; each later one waits half as long again
FIRST_CHUNK_9 = 4_096  # branchings of the kernel for the classic grid: about a millisecond
PATIENCE_9 = 16  # it branches so many times while the other one does once
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
    """A puzzle in the native engine. Conflict weights are learnt over its runs.

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
        self._has_kernel = engine != "plain" and beyond_the_kernel(self.compiled) is None
        self._weights: Any = None
        self.build_s = perf_counter() - start

    def run(self, progress: Progress, limits: Limits, only: Sequence[int] | None = None) -> Iterator[tuple[int, ...]]:
        """Enumerate the solutions; see `Session.run`."""
        open_boards, budget = self._begin(limits, only)
        for board in self.searcher.run(open_boards, budget):
            progress.nodes, progress.found = budget.spent, progress.found + 1
            yield self.searcher.values(board)
        progress.nodes = budget.spent
        if open_boards and self._may_go_on(limits, budget):
            yield from self._kernel(open_boards, progress, budget, limits)
        progress.exhausted = not open_boards

    def count(self, progress: Progress, limits: Limits, most: int | None = None) -> int:
        """Count the solutions; the kernel does not write them down."""
        if most is not None and most <= MAX_ROOM:
            return count_by_running(self, progress, limits, most)
        open_boards, budget = self._begin(limits, None)
        for _ in self.searcher.run(open_boards, budget):
            progress.nodes, progress.found = budget.spent, progress.found + 1
        progress.nodes = budget.spent
        if open_boards and self._may_go_on(limits, budget):
            for _ in self._kernel(open_boards, progress, budget, limits, counting=True):
                if most is not None and progress.found >= most:
                    break
        progress.exhausted = not open_boards and (most is None or progress.found <= most)
        return progress.found if most is None else min(progress.found, most)

    # -- the two engines ----------------------------------------------------------------------------------------------

    def _begin(self, limits: Limits, only: Sequence[int] | None) -> tuple[list[int], Budget]:
        """The root board and what plain Python may spend on it."""
        board = self.root
        if only is not None:
            size = self.compiled.n_values
            board &= sum(mask << (cell * size) for cell, mask in enumerate(only))
        nodes, self.stuck = limits.nodes, False
        if self._has_kernel or self.patience is not None:
            size = max(1, self.compiled.n_cells * self.compiled.n_values)
            plain = PLAIN_WORK // size
            if self._has_kernel and (self.engine in ("kernel", "scalar") or self._is_loaded() or size > LARGE_BOARD):
                plain = 0
            nodes = plain if nodes is None else min(nodes, plain)
        deadline = None if limits.seconds is None else monotonic() + limits.seconds
        return [board], Budget(nodes, deadline)

    def _takes_single9(self) -> bool:
        return self.engine != "scalar" and self.compiled.is_classic_grid

    def _is_loaded(self) -> bool:
        """Whether the kernel for this model has been in use already."""
        if not self._takes_single9():
            return KERNEL in sys.modules
        if COMPILED not in sys.modules:
            return False
        from nonant.csp.machine.compiled import kernel

        return bool(kernel(KERNEL_9, "advance").linked)

    def _may_go_on(self, limits: Limits, budget: Budget) -> bool:
        """Whether the kernel goes on with what plain Python left; without a kernel the run may be stuck instead."""
        if limits.nodes is not None and budget.spent >= limits.nodes:
            return False
        if budget.deadline is not None and monotonic() >= budget.deadline:
            return False
        self.stuck = not self._has_kernel and self.patience is not None
        return self._has_kernel

    def _kernel(
        self, open_boards: list[int], progress: Progress, budget: Budget, limits: Limits, counting: bool = False
    ) -> Iterator[tuple[int, ...]]:
        """Go on from the open boards in the fastest kernel that takes the model.

        When counting, solutions go to `progress.found`, and an empty tuple marks each pause.
        """
        kernel = self._single9 if self._takes_single9() else self._scalar
        return kernel(open_boards, progress, budget, limits, counting)

    def _single9(
        self, open_boards: list[int], progress: Progress, budget: Budget, limits: Limits, counting: bool
    ) -> Iterator[tuple[int, ...]]:
        """The kernel for the classic grid; see `_kernel`."""
        import numpy as np

        from nonant.csp.kernels.classic import single9_memory as memory
        from nonant.csp.machine.compiled import kernel

        begin, advance = kernel(KERNEL_9, "begin"), kernel(KERNEL_9, "advance")
        stack, work = memory.workspace()  # each run has its own: runs may overlap
        layout, cells = memory.layout(), memory.CELLS
        chunk, hopeful = FIRST_CHUNK_9, progress.nodes
        while open_boards:
            begin(stack, work, np.array(self.searcher.domains(open_boards[-1]), np.uint64), layout)
            room = 2
            while True:
                left = chunk if limits.nodes is None else min(chunk, limits.nodes - progress.nodes)
                out = np.empty(0 if counting else room * cells, np.uint8)
                before_nodes, before_found = int(work[memory.NODES]), int(work[memory.FOUND])
                start = monotonic()
                why = advance(stack, work, left, LARGEST_SUM if counting else room, out)
                took = monotonic() - start
                spent, new = int(work[memory.NODES]) - before_nodes, int(work[memory.FOUND]) - before_found
                progress.nodes += spent
                if new:
                    hopeful = progress.nodes
                if counting:
                    progress.found += new
                    yield ()
                else:
                    for row in (out[: new * cells] - 1).reshape(new, cells).tolist():
                        progress.found += 1
                        yield tuple(row)
                    if why == memory.ROOM:
                        room = min(room * 2, MAX_ROOM)
                if why == memory.EXHAUSTED:
                    open_boards.pop()
                    break
                if self._must_stop(progress, budget, limits, hopeful, PATIENCE_9):
                    return
                if spent and why == memory.SPENT:
                    chunk = max(16, min(4 * chunk, int(spent / max(took, 1e-6) * CHUNK_SECONDS)))

    def _must_stop(self, progress: Progress, budget: Budget, limits: Limits, hopeful: int, times: int) -> bool:
        """Whether a limit is reached, or patience at an end; `hopeful` is how many nodes there were at a solution.

        A kernel may take so many times the nodes that patience means.
        """
        if limits.nodes is not None and progress.nodes >= limits.nodes:
            return True
        if budget.deadline is not None and monotonic() >= budget.deadline:
            return True
        if self.patience is not None and progress.found < PRODUCTIVE:
            self.stuck = progress.nodes - hopeful >= times * self.patience
        return self.stuck

    def _scalar(
        self, open_boards: list[int], progress: Progress, budget: Budget, limits: Limits, counting: bool
    ) -> Iterator[tuple[int, ...]]:
        """The kernel for any model; see `_kernel`."""
        import numpy as np

        from nonant.csp.kernels.scalar import scalar
        from nonant.csp.kernels.scalar.tables import tables_of
        from nonant.csp.machine.compiled import kernel

        advance = kernel(KERNEL, "advance")
        links, masks = tables = self.compiled.once(tables_of)
        cells, chunk, hopeful = self.compiled.n_cells, 64, progress.nodes
        state: State | None = None
        while open_boards:
            domains = np.array(self.searcher.domains(open_boards[-1]), np.uint64)
            if state is None:
                # Each run has its own arrays, so that runs may overlap; what they have learnt they share.
                state = scalar.new_state(tables, domains)
                if self._weights is not None:
                    scalar.weights(state)[:] = self._weights
            state = scalar.restarted(state, domains)
            room, cutoff, since_restart, found = 0 if counting else 2, FIRST_CUTOFF, 0, False
            while True:
                left = chunk if limits.nodes is None else min(chunk, limits.nodes - progress.nodes)
                if not found:
                    left = min(left, cutoff - since_restart)
                out = np.empty((room, cells), np.uint8)
                before_nodes, before_found = int(state.work[scalar.NODES]), int(state.work[scalar.FOUND])
                start = monotonic()
                why = advance(links, masks, *state, left, out)
                took = monotonic() - start
                spent = int(state.work[scalar.NODES]) - before_nodes
                new = int(state.work[scalar.FOUND]) - before_found
                progress.nodes += spent
                since_restart += spent
                if new:
                    found, hopeful = True, progress.nodes
                if counting:
                    progress.found += new
                    yield ()
                else:
                    for row in out[:new].tolist():
                        progress.found += 1
                        yield tuple(row)
                    if why == scalar.ROOM:
                        room = min(room * 2, MAX_ROOM)
                if why == scalar.EXHAUSTED:
                    self._weights = scalar.weights(state).copy()
                    open_boards.pop()
                    break
                if why == scalar.DEEPER:
                    state = scalar.deeper(state)
                elif not found and since_restart >= cutoff:
                    state = scalar.restarted(state, domains)
                    cutoff, since_restart = cutoff + cutoff // 2, 0
                if self._must_stop(progress, budget, limits, hopeful, 1):
                    return
                if spent and why == scalar.SPENT:
                    chunk = max(16, min(4 * chunk, int(spent / max(took, 1e-6) * CHUNK_SECONDS)))


BACKEND = Native()
