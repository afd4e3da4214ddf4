"""Latin squares: each row and each column holds each value once. Euler's (1782), the rule that Sudoku adds boxes to.

A latin square with holes is the quasigroup completion problem (Gomes and Selman, 1997), a standard benchmark.
"""

from __future__ import annotations

from nonant.csp.model import Model
from nonant.csp.units import columns, rows
from nonant.models import Family
from nonant.models.sizes import Box, checked_size, grid_name, no_box, side_of


def latin(size: int = 9) -> Model:
    """Latin squares of any size.

    Raises:
        ModelError: for a size below 1.
    """
    checked_size("latin", size, least=1)
    return Model(
        grid_name("latin", size),
        shape=(size, size),
        values=range(1, size + 1),
        constraints=[rows, columns],
    )


def _build(size: int | None, box: Box | None) -> Model:
    no_box("latin", box)
    return latin(9 if size is None else size)


def _for_cells(n_cells: int) -> Model | None:
    size = side_of(n_cells)
    return None if size is None else latin(size)


FAMILY = Family(
    name="latin",
    rule="each row and each column holds each value once",
    example="..52......3...11.3...5...",
    example_model="latin-5",
    build=_build,
    for_cells=_for_cells,
)
