"""Disjoint groups: a classic grid in which cells at the same place of their boxes differ too.

The nine top left cells of the nine boxes are one group, and so on: nine groups of nine cells on 9x9. The groups are the
"locations" of R. A. Bailey, P. J. Cameron and R. Connelly, "Sudoku, gerechte designs, resolutions, affine space,
spreads, reguli, and Hamming codes" (2008).
"""

from __future__ import annotations

from nonant.csp import units
from nonant.csp.model import Model
from nonant.models import Family
from nonant.models.sizes import Box, checked_box, grid_name, side_of, usual_box


def disjoint_groups(size: int = 9, box: Box | None = None) -> Model:
    """Disjoint-groups Sudoku of `size` rows; the usual box is the one nearest to a square.

    Raises:
        ModelError: for a prime size, or a box that has not `size` cells.
    """
    height, width = checked_box("disjoint-groups", size, box)
    return Model(
        grid_name("disjoint-groups", size, (height, width), usual_box(size)),
        shape=(size, size),
        values=range(1, size + 1),
        constraints=[units.rows, units.columns, units.boxes(height, width), units.disjoint_groups(height, width)],
    )


def _build(size: int | None, box: Box | None) -> Model:
    return disjoint_groups(9 if size is None else size, box)


def _for_cells(n_cells: int) -> Model | None:
    size = side_of(n_cells)
    return None if size is None or usual_box(size)[0] == 1 else disjoint_groups(size)


FAMILY = Family(
    name="disjoint-groups",
    rule="each row, column and box holds each value once, and so do the cells at the same place of all boxes",
    example="9.3.2....4.......6...5..1..............7....97......6.6............3.....9..7...8",
    example_model="disjoint-groups-9",
    build=_build,
    for_cells=_for_cells,
)
