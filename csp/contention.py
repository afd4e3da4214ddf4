"""Contention: which cells may not take the same value, as a map and as a graph, for a model of any rank.

After the APL notebook "Sudoku Solver" (Dyalog), whose `cmap` compares the row, column and box numbers of all cells in
one outer product, and whose `avl` takes what is still available at a cell from one row of that map. Here the map comes
from the units of the model, so that it is there for every family, and rank 3 needs no change.

Two things follow the notebook. A cell is in contention with itself, since it shares every number with itself: the
map's diagonal is true. And only units count, not sums or other constraints that may force two cells apart as well.

The graph is the one that Sudoku as graph colouring speaks of: an edge joins two cells that must differ, and a solution
is a proper colouring. It has no loops, since no cell need differ from itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nonant.csp.model import Model, Puzzle, Unit

if TYPE_CHECKING:
    import networkx as nx


def contention_map(model: Model) -> NDArray[np.bool_]:
    """For each pair of cells, by their places, whether they share a unit; the diagonal is true.

    `contention_map(model).reshape(model.shape * 2)` is the notebook's array for a grid without gaps.
    """
    found = np.eye(model.n_cells, dtype=np.bool_)
    for _, places in _units(model):
        found[np.ix_(places, places)] = True
    return found


def contention_of(model: Model, cell: Any) -> NDArray[np.bool_]:
    """One row of the map, in the shape of the grid: the cells in contention with this one, itself among them.

    Places that the grid leaves out are false. A model without a shape gives one entry a cell.

    Raises:
        ModelError: if there is no such cell.
    """
    here = model.index(cell)
    reached = {here, *(place for _, places in _units(model) if here in places for place in places)}
    if model.shape is None:
        return np.isin(np.arange(model.n_cells), list(reached))
    found = np.zeros(model.shape, dtype=np.bool_)
    cells = model.cells or ()
    for place in reached:
        found[cells[place]] = True
    return found


def available(puzzle: Puzzle, cell: Any) -> tuple[Any, ...]:
    """The values, in the model's order, that no given in contention with the cell has taken: the notebook's `avl`.

    It is one look at the givens, without any deduction and without the pencil marks. A given cell is in contention with
    itself, so its own value is not available again.

    Raises:
        ModelError: if there is no such cell.
    """
    model = puzzle.model
    here = model.index(cell)
    taken = {puzzle.givens[here]}
    for _, places in _units(model):
        if here in places:
            taken.update(puzzle.givens[place] for place in places)
    return tuple(value for at, value in enumerate(model.values) if at not in taken)


def peers_by_kind(model: Model, cell: Any) -> dict[str, tuple[str, ...]]:
    """Kind of unit (row, column, box, ...) -> the names of the other cells that share such a unit with the cell.

    Kinds come in the order in which the model states them, names in the order of the cells.

    Raises:
        ModelError: if there is no such cell.
    """
    here = model.index(cell)
    peers: dict[str, set[int]] = {}
    for unit, places in _units(model):
        if here in places:
            peers.setdefault(unit.kind, set()).update(places)
    return {kind: tuple(model.names[place] for place in sorted(places - {here})) for kind, places in peers.items()}


def contention_graph(model: Model) -> nx.Graph:
    """A `networkx.Graph` whose nodes are the cells' names; an edge joins two cells that share a unit.

    A node carries `cell` (its coordinates or label). An edge carries `units`, the names of the units shared, and
    `kinds`, what they are (row, column, box, ...), each kind once; both in the order in which the model states them.
    """
    from networkx import Graph  # loading it takes a while, which the map need not wait for

    graph = Graph(name=model.name)
    graph.add_nodes_from((name, {"cell": cell}) for name, cell in zip(model.names, model.cells or (), strict=True))
    shared: dict[tuple[int, int], list[Unit]] = {}
    for unit, places in _units(model):
        for pair in combinations(sorted(places), 2):
            shared.setdefault(pair, []).append(unit)
    graph.add_edges_from(
        (
            model.names[first],
            model.names[second],
            {
                "units": tuple(unit.name or unit.kind for unit in units),
                "kinds": tuple(dict.fromkeys(unit.kind for unit in units)),
            },
        )
        for (first, second), units in sorted(shared.items())
    )
    return graph


def _units(model: Model) -> Iterator[tuple[Unit, tuple[int, ...]]]:
    """The units of the model as it states them, each with the places of its cells."""
    for constraint in model.constraints:
        if isinstance(constraint, Unit):
            yield constraint, model.indices(constraint)
