"""Pandiagonal latin squares: each row, column and broken diagonal, in both directions, holds each value once.

Also called Knut Vik designs. They exist exactly for the sizes that neither 2 nor 3 divides: 1, 5, 7, 11, 13, ...
(A. Hedayat, "A complete solution to the existence and nonexistence of Knut Vik designs and orthogonal Knut Vik
designs", 1977).
"""

from __future__ import annotations

from math import gcd

from nonant.csp.errors import ModelError
from nonant.csp.model import Model
from nonant.csp.units import columns, pandiagonals, rows
from nonant.models import Family
from nonant.models.sizes import Box, checked_size, grid_name, no_box, side_of


def pandiagonal(size: int = 7) -> Model:
    """Pandiagonal latin squares of a size that neither 2 nor 3 divides.

    Raises:
        ModelError: for another size, since no such square exists.
    """
    checked_size("pandiagonal", size, least=1)
    if gcd(size, 6) > 1:
        raise ModelError(
            f"no pandiagonal latin square of size {size} exists; a size that 2 or 3 divides has none, take 5, 7, 11, 13"
        )
    return Model(
        grid_name("pandiagonal", size),
        shape=(size, size),
        values=range(1, size + 1),
        constraints=[rows, columns, pandiagonals],
    )


def _build(size: int | None, box: Box | None) -> Model:
    no_box("pandiagonal", box)
    return pandiagonal(7 if size is None else size)


def _for_cells(n_cells: int) -> Model | None:
    size = side_of(n_cells)
    return None if size is None or gcd(size, 6) > 1 else pandiagonal(size)


FAMILY = Family(
    name="pandiagonal",
    rule="each row, column and broken diagonal holds each value once",
    example="...........3.....5.....2..6....1................7",
    example_model="pandiagonal-7",
    build=_build,
    for_cells=_for_cells,
)
