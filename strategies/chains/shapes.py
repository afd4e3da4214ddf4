"""Shapes of short chains that players have names for; what a chain walks on tells its shape.

Skyscraper, two-string kite, turbot fish and empty rectangle are chains of one value with two strong edges, the XY-wing
one of three cells with two values, the W-wing one between two cells with the same two; the others are chains of almost
locked sets (a cell with two values is one of a single cell).
"""

from __future__ import annotations

from enum import Enum, auto

from nonant.csp.masks import bits
from nonant.strategies.board import Board
from nonant.strategies.chains.search import Chain
from nonant.strategies.techniques.covers import common_link


class Shape(Enum):
    """The shape of a chain that is no loop."""

    SKYSCRAPER = auto()
    KITE = auto()
    TURBOT = auto()
    EMPTY_RECTANGLE = auto()
    XY_WING = auto()
    W_WING = auto()
    XYZ_WING = auto()
    WXYZ_WING = auto()
    TWO_SETS = auto()
    THREE_SETS = auto()


def shape_of(board: Board, chain: Chain) -> Shape | None:
    """The shape of a chain; None where it has none of its own."""
    if chain.loop:
        return None
    if any(len(truths) > 1 for truths, _ in chain.edges):
        return _of_sets(board, chain)
    single = all(node & (node - 1) == 0 for node in chain.nodes)
    values = {candidate % board.model.n_values for node in chain.nodes for candidate in bits(node)}
    if len(values) == 1:
        if chain.length > 2:
            return None
        return _turbot(board, chain) if single else _grouped_turbot(board, chain)
    if not single or chain.length != 3:
        return None
    in_cells = [truths[0] < board.model.n_cells for truths, _ in chain.edges]
    if all(in_cells):
        return Shape.XY_WING if len({truths for truths, _ in chain.edges}) == 3 else None
    if in_cells == [True, False, True]:
        first, last = (chain.edges[at][0][0] for at in (0, 2))
        if first != last and board.cells[first] == board.cells[last]:
            return Shape.W_WING
    return None


def _turbot(board: Board, chain: Chain) -> Shape:
    """Two strong edges of one value: lines of one class, lines that cross, or with a box."""
    layout, size, first = board.layout, board.model.n_values, board.model.n_cells
    units = [(truths[0] - first) // size for truths, _ in chain.edges]
    classes = [layout.class_of[unit] for unit in units]
    between = common_link(board.sets, chain.nodes[1] | chain.nodes[2])
    joint = -1 if between is None else layout.class_of[(between - first) // size]
    if set(classes) <= layout.lines and classes[0] == classes[1]:
        return Shape.SKYSCRAPER
    if set(classes) <= layout.lines and joint not in layout.lines:
        return Shape.KITE
    return Shape.TURBOT


def _grouped_turbot(board: Board, chain: Chain) -> Shape | None:
    """An empty rectangle is a box whose places lie in two lines, and a pair of places elsewhere."""
    layout, size, first = board.layout, board.model.n_values, board.model.n_cells
    for at, other in ((0, 1), (1, 0)):
        unit = (chain.edges[at][0][0] - first) // size
        pair = chain.nodes[2 * other] | chain.nodes[2 * other + 1]
        if layout.class_of[unit] not in layout.lines and pair.bit_count() == 2:
            return Shape.EMPTY_RECTANGLE
    return None


def _of_sets(board: Board, chain: Chain) -> Shape | None:
    if chain.length > 3 or not all(truths[0] < board.model.n_cells for truths, _ in chain.edges):
        return None
    if chain.length == 3:
        return Shape.THREE_SETS
    size = board.model.n_values
    values = {candidate % size for node in (chain.nodes[0], chain.nodes[-1]) for candidate in bits(node)}
    if len(values) == 1 and min(len(truths) for truths, _ in chain.edges) == 1:
        cells = sum(len(truths) for truths, _ in chain.edges)
        return {3: Shape.XYZ_WING, 4: Shape.WXYZ_WING}.get(cells, Shape.TWO_SETS)
    return Shape.TWO_SETS
