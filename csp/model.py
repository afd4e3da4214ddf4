"""Models and puzzles: what a family of puzzles is, as cells, values and constraints.

A `Model` is the rules, a `Puzzle` the rules with givens (and pencil marks). Both are frozen; nothing that solves them
changes them. Five constraint classes carry everything: `Unit`, `Sum`, `Relation`, `Parity`, `Compare`. Each has one
plain `holds(values)`, the oracle against which every encoder of every backend is tested.

A unit definition (`nonant.csp.units`, or a user's own function) takes the `Geometry` and yields constraints.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from nonant.csp.errors import ModelError

if TYPE_CHECKING:
    from nonant.csp.compile import Compiled


OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


# ---------------------------------------------------------------------------------------------------------------------
# Constraints
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Unit:
    """Cells that must all differ. `kind` says what the unit is to a person: row, column, box, region, plane, ..."""

    cells: Sequence[Any]
    name: str = ""
    kind: str = "unit"

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", tuple(self.cells))

    def holds(self, values: Sequence[Any]) -> bool:
        """True when the values, in the order of `cells`, are pairwise different."""
        return len(set(values)) == len(values)


@dataclass(frozen=True)
class Sum:
    """A linear constraint: the sum of coefficient * value over the cells stands in `relation` to `total`.

    `coefficients` defaults to all ones. Values must be whole numbers. A cage whose values may not repeat is a `Sum`
    and a `Unit` over the same cells: the rule is stated, never assumed.
    """

    cells: Sequence[Any]
    total: int
    coefficients: Sequence[int] | None = None
    relation: str = "=="
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", tuple(self.cells))
        if self.coefficients is not None:
            object.__setattr__(self, "coefficients", tuple(self.coefficients))
            if len(self.coefficients or ()) != len(self.cells):
                raise ModelError(
                    f"{_title(self)} has {len(self.cells)} cells and {len(self.coefficients or ())} coefficients; "
                    "give one coefficient a cell"
                )
        _check_operator(self, self.relation, ("==", "<=", ">=", "!="))

    @property
    def weights(self) -> tuple[int, ...]:
        """The coefficients, written out."""
        return (1,) * len(self.cells) if self.coefficients is None else tuple(self.coefficients)

    def holds(self, values: Sequence[Any]) -> bool:
        """True when the weighted sum of the values stands in the relation to the total."""
        found = sum(weight * value for weight, value in zip(self.weights, values, strict=True))
        return OPERATORS[self.relation](found, self.total)


@dataclass(frozen=True)
class Relation:
    """The allowed tuples of values, or a Python predicate over few cells (it is tabulated when the model is compiled).

    `allowed` is an iterable of tuples in the order of `cells`, or a callable that takes the values as arguments.
    """

    cells: Sequence[Any]
    allowed: Collection[Sequence[Any]] | Callable[..., bool]
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", tuple(self.cells))
        if not callable(self.allowed):
            rows = frozenset(tuple(row) for row in self.allowed)
            for row in rows:
                if len(row) != len(self.cells):
                    raise ModelError(
                        f"{_title(self)} is over {len(self.cells)} cells, but its tuple {row!r} has {len(row)} values"
                    )
            object.__setattr__(self, "allowed", rows)

    def holds(self, values: Sequence[Any]) -> bool:
        """True when the tuple of values is allowed."""
        return bool(self.allowed(*values)) if callable(self.allowed) else tuple(values) in self.allowed


@dataclass(frozen=True)
class Parity:
    """The sum of the cells' values is odd (`odd=True`) or even (`odd=False`): over 0 and 1, their XOR.

    The right-hand side has no default, since half of all readers take an XOR clause as "= 0" and half as "= 1".
    """

    cells: Sequence[Any]
    odd: bool
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", tuple(self.cells))
        object.__setattr__(self, "odd", bool(self.odd))

    def holds(self, values: Sequence[Any]) -> bool:
        """True when the sum of the values has the stated parity."""
        return bool(sum(values) % 2 == self.odd)


@dataclass(frozen=True)
class Compare:
    """Two cells in order: `left relation right + offset`, with relation one of ==, !=, <, <=, >, >=."""

    left: Hashable
    relation: str
    right: Hashable
    offset: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        _check_operator(self, self.relation, tuple(OPERATORS))

    @property
    def cells(self) -> tuple[Hashable, ...]:
        """The two cells, left first."""
        return (self.left, self.right)

    def holds(self, values: Sequence[Any]) -> bool:
        """True when the two values stand in the relation."""
        left, right = values
        return OPERATORS[self.relation](left, right + self.offset if self.offset else right)


Constraint = Unit | Sum | Relation | Parity | Compare
CONSTRAINT_CLASSES = (Unit, Sum, Relation, Parity, Compare)
UnitDefinition = Callable[["Geometry"], Iterable[Constraint]]


def _title(constraint: Any) -> str:
    return f"{type(constraint).__name__} {constraint.name!r}" if constraint.name else type(constraint).__name__


def _check_operator(constraint: Any, relation: str, known: tuple[str, ...]) -> None:
    if relation not in known:
        raise ModelError(f"{_title(constraint)} has the relation {relation!r}; use one of {' '.join(known)}")


# ---------------------------------------------------------------------------------------------------------------------
# Geometry, model
# ---------------------------------------------------------------------------------------------------------------------

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
        values = tuple(self.values)
        if len(set(values)) != len(values):
            raise ModelError(f"model {self.name!r} lists a value twice: {values!r}")
        if cells and not values:
            raise ModelError(f"model {self.name!r} has cells but no values; give values=, e.g. range(1, 10)")
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "values", values)
        flat = tuple(_flatten(self.constraints, Geometry(shape, cells, values)))
        object.__setattr__(self, "constraints", flat)
        if len(set(self.names)) < len(cells):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise ModelError(f"model {self.name!r} has two cells that both print as {twice!r}; give them other labels")
        for constraint in flat:
            self.indices(constraint)

    def _checked_shape(self) -> tuple[int, ...] | None:
        if self.shape is None:
            if self.cells is None:
                raise ModelError(f"model {self.name!r} needs shape= (a grid) or cells= (labels)")
            return None
        shape = (self.shape,) if isinstance(self.shape, int) else tuple(self.shape)
        if not shape or any(not isinstance(size, int) or size < 0 for size in shape):
            raise ModelError(f"model {self.name!r} has the shape {self.shape!r}; give whole numbers, e.g. (9, 9)")
        return shape

    def _checked_cells(self, shape: tuple[int, ...] | None) -> tuple[Any, ...]:
        if self.cells is None:
            return tuple(product(*(range(size) for size in shape or ())))
        cells = tuple(self.cells)
        seen: set[Any] = set()
        for cell in cells:
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
            raise ModelError(f"{_title(constraint)} names the cell {twice} twice; a cell cannot differ from itself")
        return places

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """One printable symbol a value.

        Whole numbers up to 35 take one character (10 is A, as in every large Sudoku), others their text.
        """
        whole = all(type(value) is int for value in self.values)
        if whole and all(0 <= value <= 35 for value in self.values):
            return tuple("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[value] for value in self.values)
        return tuple(str(value) for value in self.values)

    # -- puzzles ------------------------------------------------------------------------------------------------------

    def puzzle(self, givens: Any = None, pencil_marks: Any = None) -> Puzzle:
        """The model with givens.

        Args:
            givens: a line of symbols (`.`, `0` or `_` for empty), a nested sequence or array of values in the shape
                of the grid (0 or None for empty), or a mapping cell -> value.
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

    def holds(self, values: Sequence[Any]) -> bool:
        """True when the values, one a cell in order, satisfy every constraint."""
        return self.violated(values) is None

    def violated(self, values: Sequence[Any]) -> Constraint | None:
        """The first constraint that the values (one a cell) break, or None."""
        for constraint in self.constraints:
            if not constraint.holds([values[place] for place in self.indices(constraint)]):
                return constraint  # type: ignore[no-any-return]
        return None

    def __repr__(self) -> str:
        size = "x".join(map(str, self.shape)) if self.shape else f"{self.n_cells} cells"
        return f"Model({self.name!r}, {size}, {self.n_values} values, {len(self.constraints)} constraints)"


def _flatten(items: Any, geometry: Geometry) -> Iterator[Constraint]:
    if isinstance(items, CONSTRAINT_CLASSES):
        yield items
    elif callable(items):
        yield from _flatten(items(geometry), geometry)
    elif isinstance(items, Iterable) and not isinstance(items, str):
        for item in items:
            yield from _flatten(item, geometry)
    else:
        raise ModelError(
            f"{items!r} is not a constraint; give Unit, Sum, Relation, Parity, Compare or a function of the geometry"
        )


# ---------------------------------------------------------------------------------------------------------------------
# Puzzle
# ---------------------------------------------------------------------------------------------------------------------


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

    def __repr__(self) -> str:
        return f"Puzzle({self.model.name!r}, {self.line!r})"


EMPTY = frozenset({".", "0", "_", "*", ""})


def line_of(model: Model, places: Iterable[int | None]) -> str:
    """Values (as places in `model.values`, None for empty) as one line: symbols, or numbers with spaces between."""
    symbols = model.symbols
    separator = "" if all(len(symbol) == 1 for symbol in symbols) else " "
    return separator.join("." if place is None else symbols[place] for place in places)


def read_givens(model: Model, givens: Any) -> tuple[int | None, ...]:
    """Givens in any of the forms that `Model.puzzle` takes, as one place of a value (or None) a cell."""
    if givens is None:
        return (None,) * model.n_cells
    if isinstance(givens, Mapping):
        found: list[int | None] = [None] * model.n_cells
        for cell, value in givens.items():
            found[model.index(cell)] = _value_place(model, value, model.names[model.index(cell)])
        return tuple(found)
    if isinstance(givens, str):
        entries: list[Any] = list(givens) if len(givens.split()) == 1 else givens.split()
    else:
        entries = list(_leaves(givens))
    if len(entries) != model.n_cells:
        raise ModelError(
            f"{len(entries)} givens for the {model.n_cells} cells of model {model.name!r}; give one a cell"
        )
    return tuple(_value_place(model, entry, name) for entry, name in zip(entries, model.names, strict=True))


def _leaves(nested: Any) -> Iterator[Any]:
    nested = nested.tolist() if hasattr(nested, "tolist") else nested
    for item in nested:
        if isinstance(item, str) or not isinstance(item, Iterable):
            yield item
        else:
            yield from _leaves(item)


def _value_place(model: Model, value: Any, where: str) -> int | None:
    if value is None:
        return None
    place = _place_of(model, value)
    if place is not None:
        return place
    if value in EMPTY or (type(value) is int and value == 0):
        return None
    first, last = (model.symbols[0], model.symbols[-1]) if model.values else ("-", "-")
    raise ModelError(f"{where} cannot be {value!r}; model {model.name!r} has the values {first}..{last}")


def _place_of(model: Model, value: Any) -> int | None:
    try:
        if value in model.value_index:
            return model.value_index[value]
    except TypeError:
        return None
    if isinstance(value, str):
        for place, symbol in enumerate(model.symbols):
            if value == symbol or (value.upper() == symbol and len(symbol) == 1):
                return place
        if value.lstrip("-").isdecimal():
            return model.value_index.get(int(value))
    return None


def read_marks(model: Model, marks: Any) -> tuple[int, ...]:
    """Pencil marks as one mask of value places a cell."""
    every = (1 << model.n_values) - 1
    found = [every] * model.n_cells
    if marks is None:
        return tuple(found)
    if isinstance(marks, Mapping):
        entries = [(model.index(cell), values) for cell, values in marks.items()]
    else:
        listed = list(marks)
        if len(listed) != model.n_cells:
            raise ModelError(f"{len(listed)} pencil marks for {model.n_cells} cells of model {model.name!r}")
        entries = list(enumerate(listed))
    for at, values in entries:
        if values is None or (not isinstance(values, int) and len(values) == 0):
            continue
        mask = 0
        for value in (values,) if isinstance(values, int) else values:
            place = _value_place(model, value, model.names[at])
            if place is not None:
                mask |= 1 << place
        found[at] = mask
    return tuple(found)
