"""Two-dimensional grids in frames: a line is drawn between two cells when they lie in different boxes or regions.

The idea is the notebook's "pleasing format" (a matrix of boxes, each drawn by APL's own display), carried over to
regions of any form: every border is decided cell by cell, and every corner follows from the four borders that meet in
it. A grid with gaps has borders around what is there; a grid without regions has the outer frame only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Cell = tuple[int, int]


@dataclass(frozen=True)
class Strokes:
    """What borders are drawn with.

    Attributes:
        across, down: a piece of a border.
        corner: from the four borders that meet (up, right, down, left) to a character.
        padding: blanks between a border and the cell beside it.
    """

    across: str
    down: str
    corner: Callable[[bool, bool, bool, bool], str]
    padding: int


# The sixteen corners, at the index up + 2 * right + 4 * down + 8 * left.
_CORNERS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"


def _box_corner(up: bool, right: bool, down: bool, left: bool) -> str:
    return _CORNERS[up + 2 * right + 4 * down + 8 * left]


def _plain_corner(up: bool, right: bool, down: bool, left: bool) -> str:
    if not (up or right or down or left):
        return " "
    if up and down and not (left or right):
        return "|"
    return "-" if left and right and not (up or down) else "+"


BOX_DRAWING = Strokes("─", "│", _box_corner, 0)
PLAIN = Strokes("-", "|", _plain_corner, 1)


def framed(shape: Cell, texts: Mapping[Cell, str], regions: Mapping[Cell, object], strokes: Strokes) -> list[str]:
    """The lines of a picture.

    Args:
        shape: rows and columns of the grid.
        texts: what stands in each cell that exists; all are brought to the width of the longest, at the right.
        regions: for each cell what must be equal in two neighbours for no border to stand between them.
        strokes: what to draw with.
    """
    height, width = shape
    longest = max(map(len, texts.values()), default=1)

    def border(one: Cell, other: Cell) -> bool:
        if one in texts and other in texts:
            return regions.get(one) != regions.get(other)
        return one in texts or other in texts

    # Borders by the cell after them: left_of[r, c] stands between (r, c - 1) and (r, c), above[r, c] over (r, c).
    left_of = {(r, c): border((r, c - 1), (r, c)) for r in range(-1, height + 1) for c in range(width + 1)}
    above = {(r, c): border((r - 1, c), (r, c)) for r in range(height + 1) for c in range(-1, width + 1)}
    drawn = [any(left_of[r, c] for r in range(height)) for c in range(width + 1)]

    def joint(c: int, stroke: str, before: str, behind: str) -> str:
        """What stands at the boundary before column c: a stroke with padding, or one blank between two cells."""
        if drawn[c]:
            return before * strokes.padding * (c > 0) + stroke + behind * strokes.padding * (c < width)
        return before if 0 < c < width else ""

    def border_line(r: int) -> str:
        pieces = [strokes.across if above[r, c] else " " for c in range(-1, width + 1)]
        line = ""
        for c in range(width + 1):
            corner = strokes.corner(left_of[r - 1, c], above[r, c], left_of[r, c], above[r, c - 1])
            line += joint(c, corner, pieces[c], pieces[c + 1])
            line += pieces[c + 1] * longest * (c < width)
        return line.rstrip()

    def cell_line(r: int) -> str:
        line = ""
        for c in range(width + 1):
            line += joint(c, strokes.down if left_of[r, c] else " ", " ", " ")
            line += texts.get((r, c), "").rjust(longest) * (c < width)
        return line.rstrip()

    lines = []
    for r in range(height + 1):
        if any(above[r, c] for c in range(width)):
            lines.append(border_line(r))
        if r < height:
            lines.append(cell_line(r))
    return lines
