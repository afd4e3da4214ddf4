"""The surface cube: the three faces that one sees of a cube; lines bend around the edges between them.

The published "Sudoku 3D" of this form (innoludic.com) has faces of 4x4 with the values 1..8, of 6x6 with 1..12, of 8x8
with 1..16: a line runs over two faces, 2n cells, and each face is cut into boxes of 2n cells; lines and boxes hold each
value once. Where no box of 2n cells tiles the face (an odd size), the box is the whole face, the values are 1..n*n, and
a line of 2n cells merely has no value twice. Tredoku (Eyal Amitzur, 2008) builds larger figures from 3x3 faces in the
same spirit; its lines run over three faces. Not to be confused with the other two that people call 3D Sudoku: `cube`
and `lattice_cube`, which are solid.

The three faces are laid out as a net, a grid of 2n x 2n with a gap where the fourth face would be:

    top   .        the columns of top go on downwards in front,
    front right    the rows of front go on to the right in right,
                   the rows of top bend around the edge into the columns of right, the front row into the first column.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from nonant.csp.errors import ModelError
from nonant.csp.model import Geometry, Model, Unit
from nonant.csp.units import boxes
from nonant.models import Family
from nonant.models.sizes import Box, checked_size, grid_name, side_of


def surface_cube(size: int = 4, box: Box | None = None) -> Model:
    """Three faces of `size` x `size` cells in boxes of (height, width) cells; the values are 1..height*width.

    The usual box has 2 * size cells, and is the whole face where no such box tiles it.

    Raises:
        ModelError: for a box that does not tile the face, or one with fewer cells than a line has.
    """
    checked_size("surface-cube", size, least=2)
    usual = usual_face_box(size)
    height, width = usual if box is None else box
    if height < 1 or width < 1 or size % height or size % width:
        raise ModelError(
            f"surface-cube-{size} has faces of {size}x{size}, which boxes of {height}x{width} do not tile; "
            f"use {usual[0]}x{usual[1]}"
        )
    if height * width < 2 * size:
        raise ModelError(
            f"surface-cube-{size} with boxes of {height}x{width} has {height * width} values for lines of {2 * size} "
            f"cells; use larger boxes, e.g. {usual[0]}x{usual[1]}"
        )
    return Model(
        grid_name("surface-cube", size, (height, width), usual),
        shape=(2 * size, 2 * size),
        cells=[(row, column) for row, column in product(range(2 * size), repeat=2) if row >= size or column < size],
        values=range(1, height * width + 1),
        constraints=[bent_lines, boxes(height, width)],
    )


def bent_lines(geometry: Geometry) -> Iterator[Unit]:
    """The 3n lines of the net: n columns from top to front, n rows from front to right, n bends from top to right."""
    n = geometry.grid("bent_lines")[0] // 2
    near, far = range(n), range(n, 2 * n)
    for column in near:
        yield Unit([(row, column) for row in range(2 * n)], f"column {column + 1}", "column")
    for row in far:
        yield Unit([(row, column) for column in range(2 * n)], f"row {row + 1}", "row")
    for row in near:
        # The front row of top, n - 1, meets the first column of right.
        bent = 2 * n - 1 - row
        yield Unit([*((row, column) for column in near), *((down, bent) for down in far)], f"bend {row + 1}", "bend")


def usual_face_box(size: int) -> Box:
    """The box of 2 * size cells that tiles the face and is nearest to a square, lying; else the whole face."""
    fits = [
        (height, 2 * size // height)
        for height in range(1, size + 1)
        if size % height == 0 and 2 * size % height == 0 and size % (2 * size // height) == 0
    ]
    lying = [box for box in fits if box[0] <= box[1]]
    return max(lying, default=(size, size))


def _build(size: int | None, box: Box | None) -> Model:
    return surface_cube(4 if size is None else size, box)


def _for_cells(n_cells: int) -> Model | None:
    size = side_of(n_cells // 3) if n_cells % 3 == 0 else None
    return None if size is None or size < 2 else surface_cube(size)


FAMILY = Family(
    name="surface-cube",
    rule="three faces of a drawn cube: each box, and each line over two faces, has no value twice",
    example="6.......3...84...7........51..82..8..2.5.53.....",
    example_model="surface-cube-4",
    build=_build,
    for_cells=_for_cells,
)
