"""Which kernel works through a text of puzzles: chosen by the compiled model's shape, one interface for all.

An engine knows one model and takes jobs (`kernels/text/job.py`). `run` may be called from several threads at once,
each with a workspace of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from nonant.csp.batch.fallback import BACKEND, fall_back
from nonant.csp.errors import ModelError, Unsupported
from nonant.csp.kernels.classic import lockstep9_memory, single9_memory
from nonant.csp.kernels.lockstep import constraint_program, lockstep_memory
from nonant.csp.kernels.lockstep.program import program_of
from nonant.csp.kernels.scalar.tables import tables_of
from nonant.csp.kernels.text.job import Job
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

    @property
    def name(self) -> str:
        """What it is called; see `engine_for`."""
        ...

    def workspace(self) -> Any:
        """What one thread needs."""
        ...

    def run(self, job: Job, space: Any) -> int:
        """Do a job in a space from `workspace`; returns the branchings."""
        ...


@dataclass(frozen=True)
class Classic:
    """The kernels for classic 9x9 grids: sixteen at a time (`lockstep9`), or one after another (`single9`)."""

    name: Literal["lockstep9", "single9"]

    def workspace(self) -> Any:
        """See `Engine`."""
        return lockstep9_memory.workspace() if self.name == "lockstep9" else single9_memory.workspace()

    def run(self, job: Job, space: Any) -> int:
        """See `Engine`."""
        totals = np.zeros(2, np.int64)
        kernel(f"nonant.csp.kernels.classic.{self.name}", "count_lines")(job, space, totals)
        return int(totals[0])


class _Patient:
    """An engine that gives up puzzles that are too hard for it, which the backend "auto" then answers.

    `handed_over` counts these; where there are some, `name` says so.
    """

    name = ""
    kernel = ""

    def __init__(self, model: Model, work: int, symbols: Any) -> None:
        self.model, self.patience, self.symbols, self.handed_over = model, patience(model, work), symbols, 0
        self.rules: Any = None

    def run(self, job: Job, space: Any) -> int:
        """See `Engine`."""
        totals = np.zeros(3, np.int64)
        kernel(self.kernel, "count_lines")(job, self.rules, space, self.patience, totals)
        branchings, _, given_up = totals.tolist()
        if given_up:
            self.handed_over += fall_back(self.model, self.symbols, job)
            self.name = f"{type(self).name}, then {BACKEND}"
        return int(branchings)


class Lockstep(_Patient):
    """Many puzzles at a time of any model with few values."""

    name = "lockstep"
    kernel = "nonant.csp.kernels.lockstep.lockstep"

    def __init__(self, model: Model) -> None:
        super().__init__(model, STUCK_WORK, symbol_table(model))
        compiled, every = model.compiled, (1 << model.n_values) - 1
        self.word = lockstep_memory.word_for(compiled.n_values)
        self.program = program_of(compiled, lockstep_memory.lanes_of(self.word))
        meaning = [every, *(1 << value for value in range(compiled.n_values))]
        meaning += [-1] * (UNKNOWN + 1 - len(meaning))
        self.rules = lockstep_memory.Rules(
            np.array(meaning, np.int64)[self.symbols],
            self.program.rules,
            self.program.words,
            self.program.order,
            np.array(compiled.domains, self.word),
            np.array([every, 1, *self.program.masks], self.word),
        )

    def workspace(self) -> Any:
        """See `Engine`."""
        return lockstep_memory.workspace(self.program, self.model.n_cells, self.word)


class OneByOne(_Patient):
    """Any model, one puzzle after another."""

    name = "one by one"
    kernel = "nonant.csp.kernels.scalar.one_by_one"

    def __init__(self, model: Model) -> None:
        from nonant.csp.kernels.scalar import one_by_one

        if model.n_values > one_by_one.MAX_VALUES:
            most = one_by_one.MAX_VALUES
            reason = f"a batch holds at most {most} values, the model has {model.n_values}; verify one by one"
            raise Unsupported("native", reason)
        compiled = model.compiled
        tables = compiled.once(tables_of)
        super().__init__(model, SCALAR_STUCK_WORK, symbol_table(model))
        root = np.array(compiled.domains, np.uint64)
        if compiled.infeasible is not None:
            root[:] = 0
        self.rules = one_by_one.Rules(self.symbols, root, tables)

    def workspace(self) -> Any:
        """See `Engine`."""
        from nonant.csp.kernels.scalar import one_by_one

        return one_by_one.workspace(self.rules)


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
        makers["lockstep9"] = lambda: Classic("lockstep9")
        makers["single9"] = lambda: Classic("single9")
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
        for value, symbol in enumerate(model.symbols):
            table[ord(symbol.lower())] = value + 1
    # Last, so that they win over small letters and blanks.
    table[known] = np.arange(len(known))
    return table
