"""Classic Sudoku, with every form of box: each row, column and box holds each value once.

Howard Garns's "Number Place" (Dell, 1979), named Sudoku by Nikoli. A grid of size n has n values and boxes of n cells:
3x3 on 9x9, 2x3 on 6x6, 3x4 on 12x12. A prime size has no box but its own rows, and therefore no classic grid.
"""

from __future__ import annotations

from nonant.csp.model import Model
from nonant.csp.units import boxes, columns, rows
from nonant.models import Family
from nonant.models.sizes import Box, checked_box, grid_name, side_of, usual_box


def classic(size: int = 9, box: Box | None = None) -> Model:
    """Classic Sudoku of `size` rows, with boxes of (height, width) cells; the usual box is the one nearest to a square.

    Raises:
        ModelError: for a prime size, or a box that has not `size` cells.
    """
    height, width = checked_box("classic", size, box)
    return Model(
        grid_name("classic", size, (height, width), usual_box(size)),
        shape=(size, size),
        values=range(1, size + 1),
        constraints=[rows, columns, boxes(height, width)],
    )


def _build(size: int | None, box: Box | None) -> Model:
    return classic(9 if size is None else size, box)


def _for_cells(n_cells: int) -> Model | None:
    size = side_of(n_cells)
    return None if size is None or usual_box(size)[0] == 1 else classic(size)


FAMILY = Family(
    name="classic",
    rule="each row, column and box holds each value once",
    example="3..9.68.5.....52......8..7...14...2.4...53.....9...4.....3.....17...4...56...1...",
    example_model="classic-9",
    build=_build,
    for_cells=_for_cells,
)
