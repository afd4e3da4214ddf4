"""Windoku: a classic grid with further boxes, the windows, one line apart. Also called Hyper Sudoku or NRC Sudoku.

Published first in NRC Handelsblad (Peter Ritmeester, 2005). On 9x9 the four windows begin at rows and columns 2 and 6.
The rule implies more: rows 2 to 4 hold each value three times and two windows take two of them, so that columns 1, 5
and 9 of these rows hold each value once. Such groups follow from the units and are not stated again.
"""

from __future__ import annotations

from math import isqrt

from nonant.csp.model import Model
from nonant.csp.units import boxes, columns, rows, windows
from nonant.models import Family
from nonant.models.sizes import Box, grid_name, side_of, square_box


def windoku(size: int = 9) -> Model:
    """Windoku of a size that is a square number: one window on 4x4, four on 9x9, nine on 16x16.

    Raises:
        ModelError: for another size.
    """
    height, width = square_box("windoku", size, None)
    return Model(
        grid_name("windoku", size),
        shape=(size, size),
        values=range(1, size + 1),
        constraints=[rows, columns, boxes(height, width), windows],
    )


def _build(size: int | None, box: Box | None) -> Model:
    size = 9 if size is None else size
    square_box("windoku", size, box)
    return windoku(size)


def _for_cells(n_cells: int) -> Model | None:
    size = side_of(n_cells)
    return None if size is None or size < 4 or isqrt(size) ** 2 != size else windoku(size)


FAMILY = Family(
    name="windoku",
    rule="each row, column, box and window holds each value once",
    example="...........5.2.......71........9..7.93..4...6.4...6.1....2.......8...2...........",
    example_model="windoku-9",
    build=_build,
    for_cells=_for_cells,
)
