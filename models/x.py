"""Sudoku X: a classic grid whose two main diagonals hold each value once as well. Also called diagonal Sudoku."""

from __future__ import annotations

from nonant.csp.model import Model
from nonant.csp.units import boxes, columns, diagonals, rows
from nonant.models import Family
from nonant.models.sizes import Box, checked_box, grid_name, side_of, usual_box


def x(size: int = 9, box: Box | None = None) -> Model:
    """Sudoku X of `size` rows, with boxes of (height, width) cells; the usual box is the one nearest to a square.

    Raises:
        ModelError: for a prime size, or a box that has not `size` cells.
    """
    height, width = checked_box("x", size, box)
    return Model(
        grid_name("x", size, (height, width), usual_box(size)),
        shape=(size, size),
        values=range(1, size + 1),
        constraints=[rows, columns, boxes(height, width), diagonals],
    )


def _build(size: int | None, box: Box | None) -> Model:
    return x(9 if size is None else size, box)


def _for_cells(n_cells: int) -> Model | None:
    size = side_of(n_cells)
    return None if size is None or usual_box(size)[0] == 1 else x(size)


FAMILY = Family(
    name="x",
    rule="each row, column, box and main diagonal holds each value once",
    example="..52.4........93.......7...14.......5..8...6............27...86.1......9.........",
    example_model="x-9",
    build=_build,
    for_cells=_for_cells,
)
