"""The cube with planes: n x n x n cells, values 1..n*n, no value twice in any axis-aligned plane.

The "3D Sudoku" of Dyalog's APL notebook "Sudoku Solver", which reaches it from the 9x9 solver by letting the contention
map take an array of any rank: "there are no boxes but numbers must not be repeated in any of the nine x, y, or z
planes". A 3x3x3 puzzle with this rule was posed on perplexus.info as early as 2006. It is one of three puzzles that
people call 3D Sudoku:

- this one: planes of n*n cells, values 1..n*n; lines have no rule of their own;
- `lattice_cube`: a stack of Sudoku grids, values 1..n; every slice in every direction is a classic grid;
- `surface_cube`: three faces of a drawn cube; rows bend around its edges, and there is nothing inside.
"""

from __future__ import annotations

from nonant.csp.model import Model
from nonant.csp.units import planes
from nonant.models import Family
from nonant.models.sizes import Box, checked_size, grid_name, no_box, side_of


def cube(size: int = 3) -> Model:
    """The cube of size n: 3n planes, each of which holds the values 1..n*n once.

    Raises:
        ModelError: for a size below 1.
    """
    checked_size("cube", size, least=1, rank=3)
    return Model(
        grid_name("cube", size),
        shape=(size, size, size),
        values=range(1, size * size + 1),
        constraints=[planes],
    )


def _build(size: int | None, box: Box | None) -> Model:
    no_box("cube", box)
    return cube(3 if size is None else size)


def _for_cells(n_cells: int) -> Model | None:
    size = side_of(n_cells, rank=3)
    return None if size is None else cube(size)


FAMILY = Family(
    name="cube",
    rule="each x, y and z plane of a cube of size n holds the values 1..n*n once",
    example="9.2.7..6.......13....5.4...",
    example_model="cube-3",
    build=_build,
    for_cells=_for_cells,
)
