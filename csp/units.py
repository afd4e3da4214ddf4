"""Unit definitions: functions of the geometry that yield constraints.

A definition takes a `Geometry` and yields constraints; one with parameters is a function that returns such a function.
`rows` and `boxes(3, 3)` are two of them; a user's own three lines work the same way:

    def corners(geometry):
        last = [size - 1 for size in geometry.shape]
        yield Unit(product(*((0, at) for at in last)), "corners", "corners")

Every definition skips cells that the grid leaves out, so grids with gaps need nothing special.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from math import isqrt
from typing import Any, assert_never

from nonant.csp.errors import ModelError
from nonant.csp.model import (
    Compare,
    Constraint,
    Geometry,
    Parity,
    Relation,
    Sum,
    Unit,
    UnitDefinition,
    cell_name,
    flatten,
)

Offset = tuple[int, ...]


def _groups(cells: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    """The cells by key, keys in the order of their first cell."""
    groups: dict[Any, list[Any]] = {}
    for cell in cells:
        groups.setdefault(key(cell), []).append(cell)
    return groups


def _plane_shape(geometry: Geometry, definition: str) -> tuple[int, int]:
    shape = geometry.grid(definition)
    if len(shape) != 2:
        raise ModelError(f"{definition} needs a grid of two dimensions, not the shape {shape}")
    return shape[0], shape[1]


# -- lines and planes --------------------------------------------------------------------------------------------------


def rows(geometry: Geometry) -> Iterator[Unit]:
    """Each row of a two-dimensional grid."""
    _plane_shape(geometry, "rows")
    for row, cells in _groups(geometry.cells, lambda cell: cell[0]).items():
        yield Unit(cells, f"row {row + 1}", "row")


def columns(geometry: Geometry) -> Iterator[Unit]:
    """Each column of a two-dimensional grid."""
    _plane_shape(geometry, "columns")
    for column, cells in sorted(_groups(geometry.cells, lambda cell: cell[1]).items()):
        yield Unit(cells, f"column {column + 1}", "column")


def lines(axis: int) -> UnitDefinition:
    """Each line of cells that run along `axis` (0-based) of a grid of any rank."""

    def definition(geometry: Geometry) -> Iterator[Unit]:
        shape = geometry.grid("lines")
        if not 0 <= axis < len(shape):
            raise ModelError(
                f"lines({axis}) in a grid of {len(shape)} dimensions; give an axis from 0 to {len(shape) - 1}"
            )
        for rest, cells in _groups(geometry.cells, lambda cell: cell[:axis] + cell[axis + 1 :]).items():
            at = ",".join(str(index + 1) for index in rest)
            yield Unit(cells, f"line {at} along axis {axis + 1}", f"line{axis + 1}")

    return definition


def planes(geometry: Geometry) -> Iterator[Unit]:
    """Each axis-aligned hyperplane: all cells that share one coordinate. In two dimensions these are rows and columns.

    In a 3 x 3 x 3 cube they are the nine x, y and z planes of the APL notebook's "3D Sudoku".
    """
    shape = geometry.grid("planes")
    letters = {2: "rc", 3: "xyz"}.get(len(shape), "abcdefghijklm")
    for axis in range(len(shape)):
        for at, cells in sorted(_groups(geometry.cells, lambda cell, axis=axis: cell[axis]).items()):  # type: ignore[misc]
            yield Unit(cells, f"plane {letters[axis]}{at + 1}", f"plane {letters[axis]}")


# -- boxes and regions -------------------------------------------------------------------------------------------------


def boxes(height: int, width: int) -> UnitDefinition:
    """The boxes that tile a two-dimensional grid, `height` rows by `width` columns each."""

    def definition(geometry: Geometry) -> Iterator[Unit]:
        shape = _plane_shape(geometry, "boxes")
        if height < 1 or width < 1 or shape[0] % height or shape[1] % width:
            raise ModelError(f"boxes of {height}x{width} do not tile a grid of {shape[0]}x{shape[1]}")
        across = shape[1] // width
        where = _groups(geometry.cells, lambda cell: cell[0] // height * across + cell[1] // width)
        for box, cells in sorted(where.items()):
            yield Unit(cells, f"box {box + 1}", "box")

    return definition


def slice_boxes(height: int, width: int) -> UnitDefinition:
    """Boxes in every two-dimensional slice of a grid of rank three, in all three directions."""

    def definition(geometry: Geometry) -> Iterator[Unit]:
        shape = geometry.grid("slice_boxes")
        for fixed in range(len(shape)):
            first, second = (axis for axis in range(len(shape)) if axis != fixed)
            if shape[first] % height or shape[second] % width:
                raise ModelError(f"boxes of {height}x{width} do not tile the slices of a grid of shape {shape}")
            where = _groups(
                geometry.cells,
                lambda cell, a=fixed, b=first, c=second: (cell[a], cell[b] // height, cell[c] // width),  # type: ignore[misc]
            )
            for (layer, down, across), cells in sorted(where.items()):
                box = down * (shape[second] // width) + across + 1
                yield Unit(cells, f"box {box} of slice {'xyz'[fixed]}{layer + 1}", f"box {'xyz'[fixed]}")

    return definition


def regions(region_map: Any, kind: str = "region") -> UnitDefinition:
    """Regions of any form, from a map: one symbol a cell, equal for the cells of a region.

    `region_map` is a string or a (nested) sequence in the order of the cells, or a mapping cell -> region. White space
    in a string is skipped; the symbols `.`, `-` and None stand for "in no region".
    """

    def definition(geometry: Geometry) -> Iterator[Unit]:
        if isinstance(region_map, Mapping):
            names = {cell: cell_name(cell) if geometry.shape else str(cell) for cell in geometry.cells}
            strangers = set(region_map) - set(names) - set(names.values())
            if strangers:
                raise ModelError(f"the region map has the cell {min(map(str, strangers))}, which the grid has not")
            pairs = [(cell, region_map.get(cell, region_map.get(name))) for cell, name in names.items()]
        else:
            symbols = _per_cell(region_map, len(geometry.cells))
            if len(symbols) != len(geometry.cells):
                raise ModelError(
                    f"the region map has {len(symbols)} symbols for {len(geometry.cells)} cells; give one a cell"
                )
            pairs = list(zip(geometry.cells, symbols, strict=True))
        for region, members in _groups(pairs, lambda pair: pair[1]).items():
            if region is not None and region not in (".", "-"):
                yield Unit([cell for cell, _ in members], f"{kind} {region}", kind)

    return definition


def _flat(nested: Any) -> list[Any]:
    """The symbols of a map in order: the characters of a string (or of a list of rows), the items of a nested list."""
    if isinstance(nested, str):
        return list("".join(nested.split()))
    items = nested.tolist() if hasattr(nested, "tolist") else list(nested)
    if items and all(isinstance(item, str) for item in items) and any(len(item.split()) > 1 for item in items):
        return [symbol for row in items for symbol in row.split()]
    found: list[Any] = []
    for item in items:
        if isinstance(item, Sequence) and not isinstance(item, str):
            found += _flat(item)
        else:
            found.append(item)
    return found


def _per_cell(nested: Any, n_cells: int) -> list[Any]:
    """One symbol a cell: a list of strings is a list of labels if there are as many as cells, else of rows."""
    symbols = _flat(nested)
    if len(symbols) != n_cells and symbols and all(isinstance(symbol, str) for symbol in symbols):
        return list("".join("".join(row.split()) for row in symbols))
    return symbols


def disjoint_groups(height: int, width: int) -> UnitDefinition:
    """Cells that stand at the same place of their boxes of `height` x `width`."""

    def definition(geometry: Geometry) -> Iterator[Unit]:
        _plane_shape(geometry, "disjoint_groups")
        where = _groups(geometry.cells, lambda cell: cell[0] % height * width + cell[1] % width)
        for place, cells in sorted(where.items()):
            yield Unit(cells, f"group {place + 1}", "group")

    return definition


def diagonals(geometry: Geometry) -> Iterator[Unit]:
    """The two main diagonals of a square grid (of any rank: every line from corner to opposite corner)."""
    shape = geometry.grid("diagonals")
    if len(set(shape)) > 1:
        raise ModelError(f"diagonals need a square grid, not the shape {shape}")
    size, known = shape[0], set(geometry.cells)
    for number, flips in enumerate(product((False, True), repeat=len(shape) - 1)):
        cells = [(at, *(size - 1 - at if flip else at for flip in flips)) for at in range(size)]
        yield Unit([cell for cell in cells if cell in known], f"diagonal {number + 1}", "diagonal")


def pandiagonals(geometry: Geometry) -> Iterator[Unit]:
    """All broken diagonals of a square grid, in both directions."""
    size, width = _plane_shape(geometry, "pandiagonals")
    if size != width:
        raise ModelError(f"pandiagonals need a square grid, not {size}x{width}")
    for kind, sign in (("diagonal", 1), ("antidiagonal", -1)):
        where = _groups(geometry.cells, lambda cell, sign=sign: (cell[1] - sign * cell[0]) % size)  # type: ignore[misc]
        for shift, cells in sorted(where.items()):
            yield Unit(cells, f"{kind} {shift + 1}", kind)


def windows(geometry: Geometry) -> Iterator[Unit]:
    """The windows of Windoku: boxes of the grid's own box size, one line apart and one line from the edge.

    On 9x9 the four boxes that start at rows and columns 2 and 6; on 16x16 nine of 4x4.
    """
    size, width = _plane_shape(geometry, "windows")
    root = isqrt(size)
    if size != width or root * root != size:
        raise ModelError(f"windows need a square grid whose side is a square number, not {size}x{width}")
    known, starts = set(geometry.cells), range(1, size - root, root + 1)
    for number, (top, left) in enumerate(product(starts, starts)):
        cells = [(top + down, left + across) for down in range(root) for across in range(root)]
        yield Unit([cell for cell in cells if cell in known], f"window {number + 1}", "window")


# -- neighbours --------------------------------------------------------------------------------------------------------

KNIGHT: tuple[Offset, ...] = ((1, 2), (2, 1), (1, -2), (2, -1))
KING: tuple[Offset, ...] = ((0, 1), (1, 0), (1, 1), (1, -1))
ORTHOGONAL: tuple[Offset, ...] = ((0, 1), (1, 0))
PLUS: tuple[Offset, ...] = ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0))


def _pairs(geometry: Geometry, offsets: Sequence[Offset], definition: str) -> Iterator[tuple[Any, Any]]:
    shape, known = geometry.grid(definition), set(geometry.cells)
    for cell in geometry.cells:
        for offset in offsets:
            if len(offset) != len(shape):
                raise ModelError(f"{definition}: the offset {offset} has not the {len(shape)} dimensions of the grid")
            other = tuple(at + step for at, step in zip(cell, offset, strict=True))
            if other in known:
                yield cell, other


def neighbours(offsets: Sequence[Offset], kind: str = "neighbours") -> UnitDefinition:
    """Cells at these offsets from each other must differ: give each direction once; `KNIGHT`, `KING`, `ORTHOGONAL`."""

    def definition(geometry: Geometry) -> Iterator[Unit]:
        for cell, other in dict.fromkeys(_pairs(geometry, offsets, "neighbours")):
            yield Unit((cell, other), "", kind)

    return definition


anti_knight = neighbours(KNIGHT, "knight")
anti_king = neighbours(KING, "king")


def adjacent(
    relation: Callable[[Any, Any], bool], offsets: Sequence[Offset] = ORTHOGONAL, name: str = ""
) -> UnitDefinition:
    """A relation between every cell and its neighbours at these offsets, e.g. "never consecutive"."""

    def definition(geometry: Geometry) -> Iterator[Relation]:
        for cell, other in _pairs(geometry, offsets, "adjacent"):
            yield Relation((cell, other), relation, name)

    return definition


# -- sums, lines in order, parities ------------------------------------------------------------------------------------


def cages(totals: Iterable[tuple[int | None, Iterable[Any]]], repeats: bool = False) -> UnitDefinition:
    """Killer cages: (total, cells) each, a total of None is free. Values differ within a cage unless `repeats` is true.

    Whether they may repeat is a rule of the puzzle: there are public puzzles with one solution if not, and two if so.
    """
    listed = list(totals)

    def definition(geometry: Geometry) -> Iterator[Constraint]:
        for number, (total, members) in enumerate(listed, 1):
            name, cells = f"cage {number}", tuple(members)
            if not repeats:
                yield Unit(cells, name, "cage")
            if total is not None:
                yield Sum(cells, total, name=name)

    return definition


def thermometer(cells: Sequence[Any], strict: bool = True, name: str = "thermometer") -> UnitDefinition:
    """Values rise (never fall, if not strict) along these cells."""

    def definition(geometry: Geometry) -> Iterator[Compare]:
        for lower, upper in pairwise(cells):
            yield Compare(lower, "<" if strict else "<=", upper, name=name)

    return definition


def parity(offsets: Sequence[Offset] = PLUS, lit: Any = None) -> UnitDefinition:
    """Lights Out: one `Parity` a cell over the cells at these offsets from it, odd where `lit` is true.

    `lit` is a string or a nested sequence of 0/1, one a cell in order, or None for "all lit".
    """

    def definition(geometry: Geometry) -> Iterator[Parity]:
        geometry.grid("parity")
        known, n_cells = set(geometry.cells), len(geometry.cells)
        wanted = [1] * n_cells if lit is None else [int(symbol) for symbol in _per_cell(lit, n_cells)]
        if len(wanted) != n_cells:
            raise ModelError(f"parity: {len(wanted)} lights for {n_cells} cells; give one a cell")
        for cell, odd in zip(geometry.cells, wanted, strict=True):
            reached = (tuple(at + step for at, step in zip(cell, offset, strict=True)) for offset in offsets)
            yield Parity([other for other in reached if other in known], bool(odd))

    return definition


# -- composition -------------------------------------------------------------------------------------------------------


def within(origin: Offset, shape: tuple[int, ...], *definitions: Any) -> UnitDefinition:
    """The definitions applied to a window of the grid, with its own local coordinates: overlapping grids as one puzzle.

    Samurai is five of them: `within((0, 0), (9, 9), rows, columns, boxes(3, 3))` and so on.
    """

    def definition(geometry: Geometry) -> Iterator[Constraint]:
        whole = geometry.grid("within")
        ends = [start + size for start, size in zip(origin, shape, strict=False)]
        fits = len(origin) == len(shape) == len(whole) and min(origin, default=0) >= 0
        if not fits or any(end > size for end, size in zip(ends, whole, strict=False)):
            raise ModelError(f"within: a window of {shape} at {origin} does not lie in a grid of {whole}")
        known = set(geometry.cells)
        local = [cell for cell in product(*map(range, shape)) if _moved(cell, origin) in known]
        for constraint in flatten(definitions, Geometry(shape, tuple(local), geometry.values)):
            yield _relocated(constraint, lambda cell: _moved(cell, origin), f"grid at {origin} ")

    return definition


def _moved(cell: Any, origin: Offset) -> tuple[int, ...]:
    return tuple(at + start for at, start in zip(cell, origin, strict=True))


def _relocated(constraint: Constraint, move: Callable[[Any], Any], prefix: str) -> Constraint:
    from dataclasses import replace

    name = prefix + constraint.name if constraint.name else ""
    match constraint:
        case Compare():
            return replace(constraint, left=move(constraint.left), right=move(constraint.right), name=name)
        case Unit() | Relation() | Parity() | Sum():
            return replace(constraint, cells=tuple(move(cell) for cell in constraint.cells), name=name)
        case _:
            assert_never(constraint)


def runs(axis: int) -> UnitDefinition:
    """The maximal stretches of cells without a gap along `axis`, two cells or more (Kakuro, Str8ts)."""

    def definition(geometry: Geometry) -> Iterator[Unit]:
        for unit in lines(axis)(geometry):
            assert isinstance(unit, Unit)
            stretch: list[Any] = []
            for cell in sorted(unit.cells):
                if stretch and cell[axis] != stretch[-1][axis] + 1:
                    if len(stretch) > 1:
                        yield Unit(stretch, f"run at {stretch[0]}", "run")
                    stretch = []
                stretch.append(cell)
            if len(stretch) > 1:
                yield Unit(stretch, f"run at {stretch[0]}", "run")

    return definition


def all_cells(geometry: Geometry) -> Iterator[Unit]:
    """One unit of all cells."""
    yield Unit(geometry.cells, "all cells", "all")
