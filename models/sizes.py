"""Sizes, boxes and names of grids: what all families that are given by a size have in common.

A grid of size n holds n values in n rows. Its box has n cells too; the usual box is the one nearest to a square, lying
rather than standing: 2x3 (two rows, three columns) for 6, 3x4 for 12.
"""

from __future__ import annotations

from math import isqrt

from nonant.csp.errors import ModelError

# Far above any grid that people draw; a mistyped size becomes an error instead of a machine without memory.
MAX_CELLS = 100_000

Box = tuple[int, int]


def checked_size(family: str, size: int, least: int, rank: int = 2) -> int:
    """The size, when it is a whole number from `least` on and `size ** rank` cells can be built.

    Raises:
        ModelError: if it is not.
    """
    if not isinstance(size, int) or isinstance(size, bool):
        raise ModelError(f"{family} has the size {size!r}; give a whole number, e.g. {family}-{least}")
    if size < least:
        raise ModelError(f"{family}-{size} is too small; the least size of this family is {least}")
    if size**rank > MAX_CELLS:
        raise ModelError(f"{family}-{size} would have over {MAX_CELLS} cells; give a smaller size")
    return size


def usual_box(size: int) -> Box:
    """Height and width of the box of `size` cells that is nearest to a square; (1, size) when the size is prime."""
    height = next((height for height in range(isqrt(size), 1, -1) if size % height == 0), 1)
    return height, size // height


def checked_box(family: str, size: int, box: Box | None) -> Box:
    """The box, or the usual one of the size.

    Raises:
        ModelError: for a prime size, a box with another number of cells, or one that is a row or a column again.
    """
    checked_size(family, size, least=4)
    usual = usual_box(size)
    if usual[0] == 1:
        raise ModelError(
            f"there is no {family}-{size}: {size} is prime, so the only boxes of {size} cells are rows and columns; "
            f"take a size like {size + 1}, or a model without boxes (latin-{size})"
        )
    if box is None:
        return usual
    height, width = box
    if height * width != size or height < 1:
        raise ModelError(
            f"{family}-{size} cannot have boxes of {height}x{width}, which have {height * width} cells; "
            f"a box has {size} cells, e.g. {usual[0]}x{usual[1]}"
        )
    if 1 in (height, width):
        raise ModelError(
            f"in {family}-{size} boxes of {height}x{width} are its {'rows' if height == 1 else 'columns'} again; "
            f"use {usual[0]}x{usual[1]}, or latin-{size}"
        )
    return height, width


def square_box(family: str, size: int, box: Box | None) -> Box:
    """The square box of a size that is a square number, for families whose rule knows no other.

    Raises:
        ModelError: for another size or another box.
    """
    root = isqrt(checked_size(family, size, least=4))
    if root * root != size:
        raise ModelError(
            f"there is no {family}-{size}: its boxes are square, so the size must be a square number, "
            f"e.g. {root * root} or {(root + 1) ** 2}"
        )
    if box is not None and tuple(box) != (root, root):
        raise ModelError(f"{family}-{size} has boxes of {root}x{root}, not {box[0]}x{box[1]}; leave the box out")
    return root, root


def no_box(family: str, box: Box | None) -> None:
    """Raises a ModelError when a box is given to a family that has none."""
    if box is not None:
        raise ModelError(f"{family} has no boxes; leave {box[0]}x{box[1]} out of the name")


def grid_name(family: str, size: int, box: Box | None = None, usual: Box | None = None) -> str:
    """The name of a model: family, size, and the box where it is not the usual one."""
    return f"{family}-{size}" if box is None or box == usual else f"{family}-{size}-{box[0]}x{box[1]}"


def side_of(n_cells: int, rank: int = 2) -> int | None:
    """The side of the square (cube, ...) of this many cells, or None if there is none that can be built."""
    if not 1 <= n_cells <= MAX_CELLS:
        return None
    near = round(n_cells ** (1 / rank))
    return next((side for side in (near - 1, near, near + 1) if side > 0 and side**rank == n_cells), None)
