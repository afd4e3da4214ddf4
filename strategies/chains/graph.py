"""The graph that chains walk on: nodes, strong edges and weak edges.

A node is a set of candidates that is *on* when one of them holds and *off* when none does: a single candidate, a group
(the candidates of a truth that lie in one more link), or the places of a value in an almost locked set. A *strong* edge
leads from off to on: if none of a truth's members in one node holds, one in the other does. An *almost locked set* is n
cells of a unit with n + 1 values: if one value is in none of them, every other one is. A *weak* edge leads from on to
off: two nodes without a common candidate inside one link.

Sets of nodes are ints, so that a breadth-first search takes a handful of operations a node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nonant.csp.masks import bits
from nonant.strategies.board import Board
from nonant.strategies.techniques.subsets import open_cells

Edge = tuple[tuple[int, ...], tuple[int, ...]]  # the truths of a strong edge, and links between their other members


@dataclass(frozen=True)
class Graph:
    """Nodes and edges of one board.

    Attributes:
        masks: the candidates of each node; sees: what lies in a link with all of them.
        strong: for each node the nodes that are on when it is off; weak: those that are off when it is on.
        edges: the truths and inner links of each strong edge.
    """

    masks: tuple[int, ...]
    sees: tuple[int, ...]
    strong: tuple[int, ...]
    weak: tuple[int, ...]
    edges: dict[tuple[int, int], Edge]


@dataclass(frozen=True)
class AlmostLocked:
    """n cells of a unit with n + 1 values.

    Attributes:
        places: the candidates of each value in the cells, as (value, mask).
    """

    unit: int
    cells: tuple[int, ...]
    values: int
    places: tuple[tuple[int, int], ...]


def almost_locked_sets(board: Board, most: int) -> list[AlmostLocked]:
    """All almost locked sets of 1 to `most` cells, each once (a set in two units counts for the first)."""
    found: dict[tuple[int, ...], AlmostLocked] = {}
    size = board.model.n_values

    def grow(unit: int, rows: Sequence[tuple[int, int]], start: int, cells: tuple[int, ...], values: int) -> None:
        key = tuple(sorted(cells))  # units may list their cells in different orders
        if cells and values.bit_count() == len(cells) + 1 and key not in found:
            places = tuple(
                (value, sum(1 << (cell * size + value) for cell in cells if board.cells[cell] >> value & 1))
                for value in bits(values)
            )
            found[key] = AlmostLocked(unit, cells, values, places)
        if len(cells) == most:
            return
        for at in range(start, len(rows)):
            cell, mask = rows[at]
            if (values | mask).bit_count() <= most + 1:
                grow(unit, rows, at + 1, (*cells, cell), values | mask)

    for unit in range(len(board.layout.units)):
        rows = [(cell, mask) for cell, mask in open_cells(board, unit) if 1 < mask.bit_count() <= most + 1]
        grow(unit, rows, 0, (), 0)
    return list(found.values())


def graph_of(board: Board, truths: str = "all", *, groups: bool = False, largest: int = 0, within: int = -1) -> Graph:
    """The graph over single candidates.

    Args:
        board: the board.
        truths: which truths make strong edges: "all", "cells", or "units" (then a chain stays with one value).
        groups: with groups.
        largest: with almost locked sets of 2 to so many cells.
        within: only truths whose candidates are all among these.
    """
    sets, left = board.sets, board.open
    n_cells = board.model.n_cells
    number: dict[int, int] = {}
    edges: dict[tuple[int, int], Edge] = {}

    def node(mask: int) -> int:
        return number.setdefault(mask, len(number))

    def join(one: int, other: int, edge: Edge) -> None:
        a, b = node(one), node(other)
        edges.setdefault((a, b), edge)
        edges.setdefault((b, a), edge)

    links_in: dict[int, tuple[int, ...]] = {}  # of each candidate
    for truth, mask in enumerate(sets.masks):
        members = mask & left
        if not sets.is_truth[truth] or members.bit_count() < 2:
            continue
        if members & ~within or (truths != "all" and (truth < n_cells) != (truths == "cells")):
            continue
        if members.bit_count() == 2:
            low = members & -members
            join(low, members ^ low, ((truth,), ()))
        elif groups:
            # Parts of the truth that lie in a second link; the rest must be a single candidate or such a part too.
            parts = {1 << candidate for candidate in bits(members)}
            for candidate in bits(members):
                if candidate not in links_in:
                    links_in[candidate] = sets.links_of(candidate)
                parts |= {members & sets.masks[link] for link in links_in[candidate] if link != truth}
            for part in sorted(parts):
                rest = members & ~part
                if rest and rest in parts and part < rest:
                    join(part, rest, ((truth,), ()))
                elif rest:
                    # Overlapping parts: the truth is inside their union all the same.
                    for other in sorted(parts):
                        if other > part and part | other == members and part & other and part != members != other:
                            join(part, other, ((truth,), ()))
    if largest > 1:
        first, size = board.model.n_cells, board.model.n_values
        for locked in almost_locked_sets(board, largest):
            if len(locked.cells) < 2:
                continue
            for value, places in locked.places:
                for other, other_places in locked.places:
                    if value < other:
                        rest = locked.values & ~(1 << value | 1 << other)
                        inner = tuple(first + locked.unit * size + third for third in bits(rest))
                        join(places, other_places, (locked.cells, inner))
    masks = tuple(number)
    inside: dict[int, int] = {}  # link -> nodes wholly inside
    holding: dict[int, int] = {}  # candidate -> nodes that hold it
    links_of: list[list[int]] = []
    sees = []
    one_value = truths == "units" and largest < 2  # such a chain does not change its value inside a cell
    for at, mask in enumerate(masks):
        low = (mask & -mask).bit_length() - 1
        links = [link for link in sets.links_of(low) if not mask & ~sets.masks[link]]
        seen = 0
        for link in links:
            seen |= sets.masks[link]
        sees.append(seen & ~mask)
        if one_value:
            links = [link for link in links if link >= n_cells]
        links_of.append(links)
        for link in links:
            inside[link] = inside.get(link, 0) | 1 << at
        for candidate in bits(mask):
            holding[candidate] = holding.get(candidate, 0) | 1 << at
    weak = []
    for at, mask in enumerate(masks):
        off = touching = 0
        for link in links_of[at]:
            off |= inside[link]
        for candidate in bits(mask):
            touching |= holding[candidate]
        weak.append(off & ~touching)
    strong = [0] * len(masks)
    for a, b in edges:
        strong[a] |= 1 << b
    return Graph(masks, tuple(sees), tuple(strong), tuple(weak), edges)
