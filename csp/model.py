"""Models and puzzles: what a family of puzzles is, as cells, values and constraints.

A `Model` is the rules, a `Puzzle` the rules with givens (and pencil marks). Both are frozen; nothing that solves them
changes them. A unit definition (`nonant.csp.units`, or a user's own function) takes the `Geometry` and yields
constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from operator import index
from typing import TYPE_CHECKING, Any

from nonant.csp.constraints import (
    CONSTRAINT_CLASSES,
    CONSTRAINT_NAMES,
    OPERATORS,
    Compare,
    Constraint,
    Parity,
    Relation,
    Sum,
    Unit,
    title,
)
from nonant.csp.errors import ModelError
from nonant.csp.givens import line_of, read_givens, read_marks
from nonant.csp.symbols import DIGITS

if TYPE_CHECKING:
    from nonant.csp.forms import Compiled

__all__ = [
    "CONSTRAINT_CLASSES",
    "OPERATORS",
    "Compare",
    "Constraint",
    "Geometry",
    "Model",
    "Parity",
    "Puzzle",
    "Relation",
    "Sum",
    "Unit",
    "UnitDefinition",
    "cell_name",
    "line_of",
]

UnitDefinition = Callable[["Geometry"], Iterable[Constraint]]

AXES = "abcdefghijklm"


@dataclass(frozen=True)
class Geometry:
    """What a unit definition sees: the cells and, for a grid, its shape.

    In a grid a cell is a tuple of 0-based coordinates, row first; `cells` may leave gaps. Without a shape the cells
    are the labels the model was declared with.
    """

    shape: tuple[int, ...] | None
    cells: tuple[Any, ...]
    values: tuple[Any, ...]

    def grid(self, definition: str) -> tuple[int, ...]:
        """The shape, or a ModelError that says that `definition` needs one."""
        if self.shape is None:
            raise ModelError(f"{definition} needs a grid: declare the model with shape=, or list the cells yourself")
        return self.shape


def cell_name(coordinates: tuple[int, ...]) -> str:
    """The name of a grid cell from its 0-based coordinates: r3c5, x1y2z3, c4 in one dimension, a1b2c3d4 in four."""
    letters = {1: "c", 2: "rc", 3: "xyz"}.get(len(coordinates), AXES)
    return "".join(f"{letter}{index + 1}" for letter, index in zip(letters, coordinates, strict=False))


@dataclass(frozen=True, eq=False)
class Model:
    """The rules of a puzzle family.

    Args:
        name: what people call it.
        shape: the grid, e.g. (9, 9); cells are then 0-based coordinate tuples, named r1c1 (x1y1z1 in a cube).
        cells: without a shape, any hashable labels; with a shape, the coordinates that exist (a grid with gaps).
        values: what a cell may take, in order; any hashable objects, whole numbers where sums or parities are used.
        constraints: constraints, unit definitions (functions of the geometry), or iterables of either.

    Raises:
        ModelError: for an empty or repeated value, a cell that does not exist, a unit that names a cell twice.
    """

    name: str
    shape: tuple[int, ...] | None = None
    cells: Sequence[Any] | None = None  # a tuple after construction
    values: Sequence[Any] = ()  # a tuple after construction
    constraints: Sequence[Any] = ()  # a tuple of Constraint instances after construction

    def __post_init__(self) -> None:
        shape = self._checked_shape()
        cells = self._checked_cells(shape)
        values = self._checked_values()
        if cells and not values:
            raise ModelError(f"model {self.name!r} has cells but no values; give values=, e.g. range(1, 10)")
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "values", values)
        flat = tuple(flatten(self.constraints, Geometry(shape, cells, values)))
        object.__setattr__(self, "constraints", flat)
        if len(set(self.names)) < len(cells):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise ModelError(f"model {self.name!r} has two cells that both print as {twice!r}; give them other labels")
        symbols = self.symbols
        if len(set(symbols)) < len(symbols) or set(symbols) & {".", ""}:
            raise ModelError(
                f"model {self.name!r} has values that cannot be told apart on a line: {' '.join(symbols)}; give values "
                "that print differently, none of them '.'"
            )
        for constraint in flat:
            self.indices(constraint)

    def _checked_values(self) -> tuple[Any, ...]:
        listed: Any = self.values
        try:
            values = tuple(listed.tolist() if hasattr(listed, "tolist") else listed)
            distinct = len(set(values))
        except TypeError as error:
            raise ModelError(f"model {self.name!r}: values must be a list of hashable values ({error})") from error
        if distinct != len(values) or any(value != value for value in values):
            raise ModelError(f"model {self.name!r} lists a value twice, or one that does not equal itself: {values!r}")
        return values

    def _checked_shape(self) -> tuple[int, ...] | None:
        if self.shape is None:
            if self.cells is None:
                raise ModelError(f"model {self.name!r} needs shape= (a grid) or cells= (labels)")
            return None
        try:
            shape = tuple(map(index, (self.shape,) if isinstance(self.shape, int) else self.shape))
        except TypeError:
            shape = ()
        if not 1 <= len(shape) <= len(AXES) or min(shape) < 0:
            raise ModelError(f"model {self.name!r} has the shape {self.shape!r}; give whole numbers, e.g. (9, 9)")
        return shape

    def _checked_cells(self, shape: tuple[int, ...] | None) -> tuple[Any, ...]:
        if self.cells is None:
            return tuple(product(*(range(size) for size in shape or ())))
        cells = tuple(self.cells) if shape is None else tuple(map(_coordinates, self.cells))
        seen: set[Any] = set()
        for cell in cells:
            if not isinstance(cell, Hashable):
                raise ModelError(f"model {self.name!r} has the cell {cell!r}; a label must be hashable, as a tuple is")
            if cell in seen:
                raise ModelError(f"model {self.name!r} lists the cell {cell!r} twice")
            seen.add(cell)
            if shape is not None and not (
                isinstance(cell, tuple)
                and len(cell) == len(shape)
                and all(isinstance(at, int) and 0 <= at < size for at, size in zip(cell, shape, strict=True))
            ):
                raise ModelError(f"model {self.name!r} has the shape {shape}, but the cell {cell!r} lies outside it")
        return cells

    # -- cells and names ----------------------------------------------------------------------------------------------

    @property
    def n_cells(self) -> int:
        """How many cells there are."""
        return len(self.cells or ())

    @property
    def n_values(self) -> int:
        """How many values there are."""
        return len(self.values)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The cells' names in order."""
        if self.shape is None:
            return tuple(str(cell) for cell in self.cells or ())
        return tuple(cell_name(cell) for cell in self.cells or ())

    @cached_property
    def _index(self) -> dict[Any, int]:
        index: dict[Any, int] = {name: at for at, name in enumerate(self.names)}
        index.update({cell: at for at, cell in enumerate(self.cells or ())})
        return index

    @cached_property
    def value_index(self) -> dict[Any, int]:
        """Value -> its place in `values`."""
        return {value: at for at, value in enumerate(self.values)}

    def index(self, cell: Any) -> int:
        """The place of a cell, given by its coordinates, label or name.

        Raises:
            ModelError: if there is no such cell.
        """
        try:
            return self._index[cell]
        except (KeyError, TypeError):
            known = ", ".join(self.names[:3]) + (", ..." if self.n_cells > 3 else "")
            raise ModelError(f"model {self.name!r} has no cell {cell!r}; its cells are {known or 'none'}") from None

    def indices(self, constraint: Constraint) -> tuple[int, ...]:
        """The places of a constraint's cells.

        Raises:
            ModelError: if a cell does not exist, or a unit names one twice.
        """
        try:
            places = tuple(self._index[cell] for cell in constraint.cells)
        except (KeyError, TypeError):
            places = tuple(self.index(cell) for cell in constraint.cells)  # names the culprit
        if isinstance(constraint, Unit) and len(set(places)) != len(places):
            twice = next(self.names[place] for place in places if places.count(place) > 1)
            raise ModelError(f"{title(constraint)} names the cell {twice} twice; a cell cannot differ from itself")
        return places

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """One printable symbol a value.

        Whole numbers up to 35 take one character (10 is A, as in every large Sudoku), others their text, blanks as `_`.
        """
        whole = all(type(value) is int for value in self.values)
        if whole and all(0 <= value < len(DIGITS) for value in self.values):
            return tuple(DIGITS[value] for value in self.values)
        return tuple("_".join(str(value).split()) for value in self.values)

    # -- puzzles ------------------------------------------------------------------------------------------------------

    def puzzle(self, givens: Any = None, pencil_marks: Any = None) -> Puzzle:
        """The model with givens.

        Args:
            givens: a line of symbols (`.`, `0`, `_`, `-` or `*` for empty), a nested sequence or array of values in the
                shape of the grid (0 or None for empty), or a mapping cell -> value.
            pencil_marks: the values a cell may still take: a mapping cell -> values, or one entry a cell (None or
                an empty entry for "any").

        Raises:
            ModelError: for a wrong number of entries, an unknown cell, a value the model does not have.
        """
        return Puzzle(self, read_givens(self, givens), read_marks(self, pencil_marks))

    @cached_property
    def compiled(self) -> Compiled:
        """The model as flat index lists, shared by all solvers; made once."""
        from nonant.csp.compile import compile_model

        return compile_model(self)

    def holds(self, values: Any) -> bool:
        """True when these are values of the model, one a cell, and satisfy every constraint.

        Args:
            values: in any form that `puzzle` takes for givens. `nonant.faults` says what is wrong with them.
        """
        try:
            filled = read_givens(self, values)
        except ModelError:
            return False
        return None not in filled and self._violated(filled) is None

    def violated(self, values: Any) -> Constraint | None:
        """The first constraint that the values (one a cell) break, or None.

        Raises:
            ModelError: if there are not as many as cells, or one is no value of the model.
        """
        filled = read_givens(self, values)
        if None in filled:
            raise ModelError(f"{self.names[filled.index(None)]} has no value; give one a cell")
        return self._violated(filled)

    def _violated(self, filled: Sequence[int | None]) -> Constraint | None:
        values = [self.values[at] for at in filled if at is not None]
        for constraint in self.constraints:
            if not constraint.holds([values[cell] for cell in self.indices(constraint)]):
                return constraint  # type: ignore[no-any-return]
        return None

    def __repr__(self) -> str:
        size = "x".join(map(str, self.shape)) if self.shape else f"{self.n_cells} cells"
        return f"Model({self.name!r}, {size}, {self.n_values} values, {len(self.constraints)} constraints)"


def _coordinates(cell: Any) -> Any:
    """A grid cell's coordinates as plain ints, where they are whole numbers."""
    try:
        return tuple(map(index, cell))
    except TypeError:
        return cell


def flatten(items: Any, geometry: Geometry) -> Iterator[Constraint]:
    if isinstance(items, CONSTRAINT_CLASSES):
        yield items
    elif callable(items):
        try:
            yield from flatten(items(geometry), geometry)
        except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
            if isinstance(error, ModelError):
                raise
            name = getattr(items, "__qualname__", repr(items)).removesuffix(".<locals>.definition")
            raise ModelError(
                f"the unit definition {name} fails on this geometry ({type(error).__name__}: {error}); were its "
                "arguments left out, as in boxes for boxes(3, 3), or are they for another grid?"
            ) from error
    elif isinstance(items, Iterable) and not isinstance(items, str):
        for item in items:
            yield from flatten(item, geometry)
    else:
        raise ModelError(
            f"{items!r} is not a constraint; give {', '.join(CONSTRAINT_NAMES)} or a function of the geometry"
        )


@dataclass(frozen=True, eq=False)
class Puzzle:
    """A model with givens and pencil marks; make one with `Model.puzzle`.

    Attributes:
        model: the rules.
        givens: for each cell the place of its value in `model.values`, or None.
        marks: for each cell a bit mask of the values it may take (bit = place of the value); all ones when free.
    """

    model: Model
    givens: tuple[int | None, ...]
    marks: tuple[int, ...]

    @property
    def line(self) -> str:
        """The givens on one line."""
        return line_of(self.model, self.givens)

    @cached_property
    def domains(self) -> tuple[int, ...]:
        """For each cell the mask of values that givens and marks leave, before any deduction."""
        return tuple(
            mark if given is None else mark & (1 << given) for given, mark in zip(self.givens, self.marks, strict=True)
        )

    @property
    def n_givens(self) -> int:
        """How many cells are given."""
        return sum(given is not None for given in self.givens)

    @property
    def statement(self) -> str:
        """The puzzle in words that leave nothing out: its rules by name, its givens, its pencil marks."""
        marks = " ".join(f"{name}={','.join(symbols)}" for name, symbols in self.marks_by_name.items())
        return f"{self.model.name} {self.line}" + (f" with the pencil marks {marks}" if marks else "")

    @property
    def marks_by_name(self) -> dict[str, list[str]]:
        """The symbols that the pencil marks leave, for the cells (by name) that have some."""
        symbols, every = self.model.symbols, (1 << self.model.n_values) - 1
        return {
            name: [symbol for at, symbol in enumerate(symbols) if mark >> at & 1]
            for name, mark in zip(self.model.names, self.marks, strict=True)
            if mark != every
        }

    def __repr__(self) -> str:
        return f"Puzzle({self.model.name!r}, {self.line!r})"
