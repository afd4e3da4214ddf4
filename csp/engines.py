"""Which kernel works through a text of puzzles: chosen by the compiled model's shape, one interface for all.

An engine knows one model. `run` may be called from several threads at once, each with a workspace of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from nonant.csp.errors import ModelError, Unsupported
from nonant.csp.kernels import lines, lockstep, lockstep9, one_by_one
from nonant.csp.kernels.program import program_of
from nonant.csp.kernels.scalar import new_state
from nonant.csp.model import Model
from nonant.csp.units import boxes, columns, rows

MOST_VALUES = 16  # for the generic lockstep kernel
BLANKS = "._-*0"  # symbols of an empty cell, unless the model has one of them as a value


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
        return lockstep9.workspace()

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
        count_lines: Any = lockstep9.count_lines
        count_lines(text, starts, begin, end, limit, counts, solutions, *space, totals, stop)
        return int(totals[0])


class Lockstep:
    """Many puzzles at a time of a model that consists of units."""

    name = "lockstep"

    def __init__(self, model: Model) -> None:
        compiled = model.compiled
        self.word = lockstep.word_for(compiled.n_values)
        self.program = program_of(compiled, lockstep.lanes_of(self.word))
        meaning = [(1 << compiled.n_values) - 1, *(1 << place for place in range(compiled.n_values))]
        meaning += [0] * (lines.UNKNOWN + 1 - len(meaning))
        self.masks = np.array(meaning, self.word)[symbol_table(model)]
        self.root = np.array(compiled.domains, self.word)
        self.constants = np.array([(1 << compiled.n_values) - 1, 1], self.word)

    def workspace(self) -> Any:
        """See `Engine`."""
        return lockstep.workspace(self.program, len(self.root), self.word)

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
        count_lines: Any = lockstep.count_lines
        structure = self.masks, self.program.words, self.program.order, self.root, self.constants
        count_lines(text, starts, begin, end, limit, counts, solutions, *structure, *space, totals, stop)
        return int(totals[0])


class OneByOne:
    """Any model, one puzzle after another."""

    name = "one by one"

    def __init__(self, model: Model) -> None:
        if model.n_values > one_by_one.MAX_VALUES:
            most = one_by_one.MAX_VALUES
            reason = f"a batch holds at most {most} values, the model has {model.n_values}; verify one by one"
            raise Unsupported("native", reason)
        compiled = model.compiled
        self.tables, self.symbols = compiled.arrays, symbol_table(model)
        self.root = np.array(compiled.domains, np.uint64)
        if compiled.infeasible is not None:
            self.root[:] = 0

    def workspace(self) -> Any:
        """See `Engine`."""
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
        totals = np.zeros(2, np.int64)
        count_lines: Any = one_by_one.count_lines
        count_lines(
            text,
            starts,
            begin,
            end,
            limit,
            counts,
            solutions,
            self.symbols,
            self.root,
            *self.tables,
            *space,
            totals,
            stop,
        )
        return int(totals[0])


def engine_for(model: Model, name: str | None = None) -> Engine:
    """The fastest engine that takes the model, or the one of this name.

    Raises:
        ModelError: for a model whose symbols are not one character each, or an unknown name.
        Unsupported: for a model that no engine takes.
    """
    makers: dict[str, Callable[[], Engine]] = {}
    if is_classic(model):
        makers["lockstep9"] = Lockstep9
    if takes_lockstep(model):
        makers["lockstep"] = lambda: Lockstep(model)
    makers["one by one"] = lambda: OneByOne(model)
    chosen = next(iter(makers)) if name is None else name
    if chosen not in makers:
        raise ModelError(f"no batch engine {name!r} for model {model.name!r}; there are {', '.join(sorted(makers))}")
    return makers[chosen]()


def is_classic(model: Model) -> bool:
    """True when units and values are those of the classic 9x9 grid, cells row by row."""
    compiled = model.compiled
    return (
        compiled.n_cells == 81
        and model.symbols == tuple("123456789")
        and compiled.units_only
        and compiled.infeasible is None
        and set(compiled.domains) == {(1 << 9) - 1}
        and set(map(frozenset, compiled.units)) == set(map(frozenset, classic().compiled.units))
    )


def takes_lockstep(model: Model) -> bool:
    """True when units and domains say everything, and a lane can hold the values.

    Above 16 values the scalar engine is left to it: such grids need its learnt weights more than they need lanes.
    """
    compiled = model.compiled
    return (
        compiled.units_only and compiled.infeasible is None and bool(compiled.units) and model.n_values <= MOST_VALUES
    )


def is_textual(model: Model) -> bool:
    """True when each value's symbol is one printable ASCII character, so that a puzzle is one byte a cell."""
    return all(len(symbol) == 1 and "!" <= symbol <= "~" for symbol in model.symbols)


def codes(model: Model) -> Any:
    """The byte of an empty cell and of each value, in order (uint8): symbols, or plain numbers if it is not textual.

    Raises:
        ModelError: for a model with more values than bytes.
    """
    if model.n_values >= lines.UNKNOWN:
        raise ModelError(f"a batch holds at most {lines.UNKNOWN - 1} values, model {model.name!r} has more")
    if not is_textual(model):
        return np.arange(model.n_values + 1, dtype=np.uint8)
    empty = next(blank for blank in BLANKS if blank not in model.symbols)
    return np.frombuffer("".join([empty, *model.symbols]).encode(), np.uint8)


def symbol_table(model: Model) -> Any:
    """What each byte means in a puzzle of the model: uint8 (256), see `kernels.lines`."""
    table, known = np.full(256, lines.UNKNOWN, np.uint8), codes(model)
    if is_textual(model):
        table[[ord(blank) for blank in BLANKS]] = lines.EMPTY
        for place, symbol in enumerate(model.symbols):
            table[ord(symbol.lower())] = place + 1
    # Last, so that they win over small letters and blanks.
    table[known] = np.arange(len(known))
    return table
