"""The lattice cube: n x n x n cells, values 1..n; every slice, in all three directions, is a classic Sudoku grid.

So each line along each of the three axes holds each value once, and so does each box of each slice. The size is a
square number, as the boxes are: 4, 9, 16, 25. Known as "Sudoku cube", and at size 4 as "Cuboku" (Chalkdust magazine).
Not to be confused with the other two that people call 3D Sudoku: `cube` (planes of n*n cells, values 1..n*n) and
`surface_cube` (three faces of a drawn cube).
"""

from __future__ import annotations

from math import isqrt

from nonant.csp.model import Model
from nonant.csp.units import lines, slice_boxes
from nonant.models import Family
from nonant.models.sizes import Box, checked_size, grid_name, side_of, square_box


def lattice_cube(size: int = 4) -> Model:
    """The lattice cube of a size that is a square number: 3 n*n lines and 3 n*n boxes of n cells.

    Raises:
        ModelError: for another size.
    """
    height, width = square_box("lattice-cube", size, None)
    checked_size("lattice-cube", size, least=4, rank=3)
    return Model(
        grid_name("lattice-cube", size),
        shape=(size, size, size),
        values=range(1, size + 1),
        constraints=[lines(0), lines(1), lines(2), slice_boxes(height, width)],
    )


def _build(size: int | None, box: Box | None) -> Model:
    size = 4 if size is None else size
    square_box("lattice-cube", size, box)
    return lattice_cube(size)


def _for_cells(n_cells: int) -> Model | None:
    size = side_of(n_cells, rank=3)
    return None if size is None or size < 4 or isqrt(size) ** 2 != size else lattice_cube(size)


FAMILY = Family(
    name="lattice-cube",
    rule="every slice of the cube, in all three directions, is a classic grid",
    example="..........12.....3......1.......................24.11..2..2.....",
    example_model="lattice-cube-4",
    build=_build,
    for_cells=_for_cells,
)
