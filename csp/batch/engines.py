"""Which kernel works through a text of puzzles: chosen by the compiled model's shape, one interface for all.

An engine knows one model. `run` may be called from several threads at once, each with a workspace of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from nonant.csp.batch.relay import BACKEND, relay
from nonant.csp.errors import ModelError, Unsupported
from nonant.csp.kernels.classic import lockstep9_memory, single9_memory
from nonant.csp.kernels.lockstep import constraint_program, lockstep_memory
from nonant.csp.kernels.lockstep.program import program_of
from nonant.csp.kernels.scalar.tables import tables_of
from nonant.csp.kernels.text.symbols import EMPTY, UNKNOWN
from nonant.csp.machine.compiled import kernel
from nonant.csp.model import Model
from nonant.csp.symbols import BLANKS
from nonant.csp.units import boxes, columns, rows

MOST_VALUES = 16  # for the generic lockstep kernel
MOST_CELLS = 1024  # of the same: each lane keeps a stack of boards, one a cell
# A puzzle is handed over after so many candidates times branchings without a solution: 1,000 of a 16x16 grid, which is
# about what "auto" costs then. Chosen on one hard 16x16 grid, see docs/speed.md.
STUCK_WORK = 4_000_000
SCALAR_STUCK_WORK = 20_000_000
LEAST_NODES = 500


def classic() -> Model:
    """The model of 81 symbols when nothing else is said: rows, columns and 3x3 boxes."""
    return Model("classic-9", shape=(9, 9), values=range(1, 10), constraints=[rows, columns, boxes(3, 3)])


class Engine(Protocol):
    """Counts the solutions of many puzzles of one model."""

    name: str

    def workspace(self) -> Any:
        """What one thread needs."""
        ...

    def run(
        self,
        text: Any,
        starts: Any,
        begin: int,
        end: int,
        limit: int,
        counts: Any,
        solutions: Any,
        space: Any,
        stop: Any,
    ) -> int:
        """Count the solutions of puzzles `begin` to `end` into `counts`; returns the branchings.

        Args:
            text: uint8, the bytes.
            starts: int64, where each puzzle starts; negative for a line that is no puzzle, whose count becomes -1.
            limit: no puzzle is searched for more solutions than this.
            counts: int64, one a puzzle.
            solutions: uint8, flat, one row of cells a puzzle, or empty: the first solution, as places of values + 1.
            space: from `workspace`.
            stop: int64 (1); who makes it 1 makes the run leave, its counts unfinished.
        """
        ...


class Lockstep9:
    """Sixteen classic 9x9 puzzles at a time."""

    name = "lockstep9"

    def workspace(self) -> Any:
        """See `Engine`."""
        return lockstep9_memory.workspace()

    def run(
        self,
        text: Any,
        starts: Any,
        begin: int,
        end: int,
        limit: int,
        counts: Any,
        solutions: Any,
        space: Any,
        stop: Any,
    ) -> int:
        """See `Engine`."""
        totals = np.zeros(2, np.int64)
        count_lines = kernel("nonant.csp.kernels.classic.lockstep9", "count_lines")
        count_lines(text, starts, begin, end, limit, counts, solutions, *space, totals, stop)
        return int(totals[0])


class Single9:
    """Classic 9x9 puzzles, one after another."""

    name = "single9"

    def workspace(self) -> Any:
        """See `Engine`."""
        return single9_memory.workspace()

    def run(
        self,
        text: Any,
        starts: Any,
        begin: int,
        end: int,
        limit: int,
        counts: Any,
        solutions: Any,
        space: Any,
        stop: Any,
    ) -> int:
        """See `Engine`."""
        totals = np.zeros(2, np.int64)
        count_lines = kernel("nonant.csp.kernels.classic.single9", "count_lines")
        count_lines(text, starts, begin, end, limit, counts, solutions, *space, totals, stop)
        return int(totals[0])


class Lockstep:
    """Many puzzles at a time of any model with few values.

    `handed_over` counts those that were too hard, which the backend "auto" answered; `name` then tells so.
    """

    name = "lockstep"

    def __init__(self, model: Model) -> None:
        compiled = model.compiled
        self.model, self.symbols, self.patience, self.handed_over = (
            model,
            symbol_table(model),
            patience(model, STUCK_WORK),
            0,
        )
        self.word = lockstep_memory.word_for(compiled.n_values)
        self.program = program_of(compiled, lockstep_memory.lanes_of(self.word))
        meaning = [(1 << compiled.n_values) - 1, *(1 << place for place in range(compiled.n_values))]
        meaning += [-1] * (UNKNOWN + 1 - len(meaning))
        self.masks = np.array(meaning, np.int64)[self.symbols]
        self.root = np.array(compiled.domains, self.word)
        self.constants = np.array([(1 << compiled.n_values) - 1, 1, *self.program.masks], self.word)

    def workspace(self) -> Any:
        """See `Engine`."""
        return lockstep_memory.workspace(self.program, len(self.root), self.word)

    def run(
        self,
        text: Any,
        starts: Any,
        begin: int,
        end: int,
        limit: int,
        counts: Any,
        solutions: Any,
        space: Any,
        stop: Any,
    ) -> int:
        """See `Engine`."""
        totals = np.zeros(3, np.int64)
        count_lines = kernel("nonant.csp.kernels.lockstep.lockstep", "count_lines")
        structure = self.masks, self.program.rules, self.program.words, self.program.order, self.root, self.constants
        count_lines(text, starts, begin, end, limit, self.patience, counts, solutions, *structure, *space, totals, stop)
        if totals[2]:
            self.handed_over += relay(
                self.model, text, starts, begin, end, limit, counts, solutions, self.symbols, stop
            )
            self.name = f"{type(self).name}, then {BACKEND}"
        return int(totals[0])


class OneByOne:
    """Any model, one puzzle after another; `handed_over` and `name` as in `Lockstep`."""

    name = "one by one"

    def __init__(self, model: Model) -> None:
        from nonant.csp.kernels.scalar import one_by_one

        if model.n_values > one_by_one.MAX_VALUES:
            most = one_by_one.MAX_VALUES
            reason = f"a batch holds at most {most} values, the model has {model.n_values}; verify one by one"
            raise Unsupported("native", reason)
        compiled = model.compiled
        self.model, self.patience, self.handed_over = model, patience(model, SCALAR_STUCK_WORK), 0
        self.tables, self.symbols = compiled.once(tables_of), symbol_table(model)
        self.root = np.array(compiled.domains, np.uint64)
        if compiled.infeasible is not None:
            self.root[:] = 0

    def workspace(self) -> Any:
        """See `Engine`."""
        from nonant.csp.kernels.scalar import one_by_one
        from nonant.csp.kernels.scalar.scalar import new_state

        cells = len(self.root)
        state = new_state(self.tables, self.root, cells + 1)
        return state, np.zeros((one_by_one.ROOM, cells), np.uint8), np.zeros(cells, np.uint8)

    def run(
        self,
        text: Any,
        starts: Any,
        begin: int,
        end: int,
        limit: int,
        counts: Any,
        solutions: Any,
        space: Any,
        stop: Any,
    ) -> int:
        """See `Engine`."""
        totals = np.zeros(3, np.int64)
        count_lines = kernel("nonant.csp.kernels.scalar.one_by_one", "count_lines")
        count_lines(
            text,
            starts,
            begin,
            end,
            limit,
            self.patience,
            counts,
            solutions,
            self.symbols,
            self.root,
            *self.tables,
            *space,
            totals,
            stop,
        )
        if totals[2]:
            self.handed_over += relay(
                self.model, text, starts, begin, end, limit, counts, solutions, self.symbols, stop
            )
            self.name = f"{type(self).name}, then {BACKEND}"
        return int(totals[0])


def patience(model: Model, work: int) -> int:
    """After how many branchings without a solution a puzzle is given up."""
    return max(LEAST_NODES, work // max(1, model.n_cells * model.n_values))


def engine_for(model: Model, name: str | None = None) -> Engine:
    """The fastest engine that takes the model, or the one of this name.

    Raises:
        ModelError: for a model whose symbols are not one character each, or an unknown name.
        Unsupported: for a model that no engine takes.
    """
    makers: dict[str, Callable[[], Engine]] = {}
    if is_classic(model):
        makers["lockstep9"] = Lockstep9
        makers["single9"] = Single9
    if takes_lockstep(model):
        makers["lockstep"] = lambda: Lockstep(model)
    makers["one by one"] = lambda: OneByOne(model)
    chosen = next(iter(makers)) if name is None else name
    if chosen not in makers:
        raise ModelError(f"no batch engine {name!r} for model {model.name!r}; there are {', '.join(sorted(makers))}")
    return makers[chosen]()


def is_classic(model: Model) -> bool:
    """True when units and values are those of the classic 9x9 grid, cells row by row."""
    compiled, every = model.compiled, {(1 << 9) - 1}
    return compiled.is_classic_grid and model.symbols == tuple("123456789") and set(compiled.domains) == every


def takes_lockstep(model: Model) -> bool:
    """True when the generic lockstep kernel takes the model; see `why_no_lockstep`."""
    return why_no_lockstep(model) is None


def why_no_lockstep(model: Model) -> str | None:
    """Why a model is not for the generic lockstep kernel, or None.

    Above 16 values the scalar engine is left to it: such grids need its learnt weights more than they need lanes. So
    are parities that need elimination, which the scalar engine has.
    """
    compiled = model.compiled
    if compiled.infeasible is not None or not compiled.n_cells:
        return "there is nothing to search"
    if model.n_values > MOST_VALUES or model.n_cells > MOST_CELLS:
        return f"it holds at most {MOST_VALUES} values and {MOST_CELLS} cells"
    if compiled.parities:
        from nonant.csp.algebra.parity_system import parity_system

        full = [unit for unit, every in zip(compiled.units, compiled.full, strict=True) if every]
        parities = [(xor.cells, xor.odd) for xor in compiled.parities]
        if parity_system(full, parities, compiled.odd_mask.bit_count()) is not None:
            return "its parities are a system to be solved by elimination"
    return constraint_program.why_not(compiled)


def is_textual(model: Model) -> bool:
    """True when each value's symbol is one printable ASCII character, so that a puzzle is one byte a cell."""
    return all(len(symbol) == 1 and "!" <= symbol <= "~" for symbol in model.symbols)


def codes(model: Model) -> Any:
    """The byte of an empty cell and of each value, in order (uint8): symbols, or plain numbers if it is not textual.

    Raises:
        ModelError: for a model with more values than bytes.
    """
    if model.n_values >= UNKNOWN:
        raise ModelError(f"a batch holds at most {UNKNOWN - 1} values, model {model.name!r} has more")
    if not is_textual(model):
        return np.arange(model.n_values + 1, dtype=np.uint8)
    empty = next(blank for blank in BLANKS if blank not in model.symbols)
    return np.frombuffer("".join([empty, *model.symbols]).encode(), np.uint8)


def symbol_table(model: Model) -> Any:
    """What each byte means in a puzzle of the model: uint8 (256), see `kernels.lines`."""
    table, known = np.full(256, UNKNOWN, np.uint8), codes(model)
    if is_textual(model):
        table[[ord(blank) for blank in BLANKS]] = EMPTY
        for place, symbol in enumerate(model.symbols):
            table[ord(symbol.lower())] = place + 1
    # Last, so that they win over small letters and blanks.
    table[known] = np.arange(len(known))
    return table
