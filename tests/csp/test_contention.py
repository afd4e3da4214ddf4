"""The contention map against what the APL notebook "Sudoku Solver" prints, and the map, graph and peers of models."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from nonant.csp.contention import available, contention_graph, contention_map, contention_of, peers_by_kind
from nonant.csp.errors import ModelError
from nonant.csp.model import Model, Puzzle, Unit
from nonant.csp.plain.search import Budget, Searcher
from nonant.csp.units import anti_knight, rows
from nonant.models import families
from nonant.models.classic import classic
from nonant.models.cube import cube
from nonant.models.jigsaw import jigsaw
from nonant.models.surface_cube import surface_cube
from nonant.models.x import x

# `cmap rcb 4 4`, as the notebook prints it: a 4x4 grid of 4x4 matrices, one band of four matrices a paragraph.
PRINTED_MAP = """
1 1 1 1|1 1 1 1|1 1 1 1|1 1 1 1
1 1 0 0|1 1 0 0|0 0 1 1|0 0 1 1
1 0 0 0|0 1 0 0|0 0 1 0|0 0 0 1
1 0 0 0|0 1 0 0|0 0 1 0|0 0 0 1

1 1 0 0|1 1 0 0|0 0 1 1|0 0 1 1
1 1 1 1|1 1 1 1|1 1 1 1|1 1 1 1
1 0 0 0|0 1 0 0|0 0 1 0|0 0 0 1
1 0 0 0|0 1 0 0|0 0 1 0|0 0 0 1

1 0 0 0|0 1 0 0|0 0 1 0|0 0 0 1
1 0 0 0|0 1 0 0|0 0 1 0|0 0 0 1
1 1 1 1|1 1 1 1|1 1 1 1|1 1 1 1
1 1 0 0|1 1 0 0|0 0 1 1|0 0 1 1

1 0 0 0|0 1 0 0|0 0 1 0|0 0 0 1
1 0 0 0|0 1 0 0|0 0 1 0|0 0 0 1
1 1 0 0|1 1 0 0|0 0 1 1|0 0 1 1
1 1 1 1|1 1 1 1|1 1 1 1|1 1 1 1
"""

S44 = "0000 0021 3004 0000"
S44_SOLVED = "2143 4321 3214 1432"
S99 = "001690500 400270001 070000090 000000030 000430007 000780600 006000805 020140060 010350040"
S99_SOLVED = "281693574 469275381 573814296 792561438 658439127 134782659 346927815 925148763 817356942"
S333 = "000810002 060070904 500003000"
S333_SOLVED = "349816752 168275934 527493681"


def notebook_puzzle(model: Model, digits: str) -> Puzzle:
    return model.puzzle("".join(digits.split()))


def printed_matrix(row: int, column: int) -> list[list[int]]:
    band = PRINTED_MAP.strip().split("\n\n")[row].splitlines()
    return [[int(digit) for digit in line.split("|")[column].split()] for line in band]


# -- the notebook ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", range(4))
@pytest.mark.parametrize("column", range(4))
def test_the_sixteen_matrices_that_the_notebook_prints(row: int, column: int) -> None:
    model = classic(4)
    assert contention_of(model, (row, column)).astype(int).tolist() == printed_matrix(row, column)
    assert contention_map(model).reshape(4, 4, 4, 4)[row, column].astype(int).tolist() == printed_matrix(row, column)


@pytest.mark.parametrize(
    ("model", "digits", "cell", "values"),
    [
        (classic(4), S44, "r1c1", (1, 2, 4)),
        (classic(9), S99, "r1c1", (2, 3, 8)),
        (cube(3), S333, "x1y1z1", (3, 4, 7)),
    ],
    ids=["s44", "s99", "s333"],
)
def test_available_values_that_the_notebook_prints(
    model: Model, digits: str, cell: str, values: tuple[int, ...]
) -> None:
    assert available(notebook_puzzle(model, digits), cell) == values


@pytest.mark.parametrize(
    ("model", "digits", "solved"),
    [(classic(4), S44, S44_SOLVED), (classic(9), S99, S99_SOLVED), (cube(3), S333, S333_SOLVED)],
    ids=["s44", "s99", "s333"],
)
def test_the_notebooks_puzzles_have_the_printed_solution_and_no_other(model: Model, digits: str, solved: str) -> None:
    searcher = Searcher(model.compiled)
    boards = [searcher.board(notebook_puzzle(model, digits).domains)]
    found = ["".join(model.symbols[place] for place in searcher.values(end)) for end in searcher.run(boards, Budget())]
    assert found == ["".join(solved.split())]


def test_a_given_cell_is_in_contention_with_itself_as_in_the_notebook() -> None:
    puzzle = notebook_puzzle(classic(4), S44)
    assert available(puzzle, "r2c3") == (3, 4)  # not 2, its own value, nor 1 beside it


# -- the map -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [family.name for family in families()])
def test_map_is_symmetric_reflexive_and_agrees_with_the_peers_that_solvers_use(name: str) -> None:
    model = next(family for family in families() if family.name == name).example_puzzle().model
    found = contention_map(model)
    assert found.dtype == np.bool_
    assert found.shape == (model.n_cells, model.n_cells)
    assert (found == found.T).all()
    assert found.diagonal().all()
    for cell, peers in enumerate(model.compiled.peers):
        assert tuple(np.flatnonzero(found[cell])) == tuple(sorted((cell, *peers)))


def test_a_row_of_the_map_has_the_shape_of_the_grid() -> None:
    assert contention_of(classic(), "r5c5").sum() == 21
    assert contention_of(x(), "r5c5").sum() == 33
    in_cube = contention_of(cube(), "x2y2z2")
    assert in_cube.shape == (3, 3, 3)
    assert in_cube.sum() == 19  # all but the eight corners
    assert not in_cube[0, 0, 0]


def test_gaps_of_a_grid_are_in_contention_with_nothing() -> None:
    model = surface_cube(3)
    found = contention_of(model, "r1c1")
    assert found.shape == (6, 6)
    assert not found[:3, 3:].any()
    assert found.sum() == 15  # the face of nine, three more of the column, three more of the bend
    assert contention_map(model).shape == (27, 27)


def test_cells_without_a_grid_and_cells_without_a_unit() -> None:
    model = Model("triangle", cells=["a", "b", "c", "lonely"], values="xyz", constraints=[Unit("abc")])
    assert contention_of(model, "a").tolist() == [True, True, True, False]
    assert contention_of(model, "lonely").tolist() == [False, False, False, True]
    assert available(model.puzzle({"a": "y"}), "b") == ("x", "z")
    assert available(model.puzzle({"a": "y"}), "lonely") == ("x", "y", "z")
    assert contention_map(Model("nothing", cells=[])).shape == (0, 0)


def test_unknown_cells_are_named() -> None:
    model = classic(4)
    for asked in (lambda: contention_of(model, "r5c1"), lambda: available(model.puzzle(), "r5c1")):
        with pytest.raises(ModelError, match="no cell 'r5c1'"):
            asked()


# -- peers and graph ---------------------------------------------------------------------------------------------------


def test_peers_by_kind() -> None:
    assert peers_by_kind(classic(4), "r1c1") == {
        "row": ("r1c2", "r1c3", "r1c4"),
        "column": ("r2c1", "r3c1", "r4c1"),
        "box": ("r1c2", "r2c1", "r2c2"),
    }
    assert {kind: len(peers) for kind, peers in peers_by_kind(x(), "r5c5").items()} == {
        "row": 8,
        "column": 8,
        "box": 8,
        "diagonal": 16,
    }
    assert list(peers_by_kind(cube(), "x1y2z3")) == ["plane x", "plane y", "plane z"]


def test_graph_of_the_classic_grid() -> None:
    graph = contention_graph(classic())
    assert graph.number_of_nodes() == 81
    assert graph.number_of_edges() == 810
    assert set(dict(graph.degree).values()) == {20}
    assert nx.number_of_selfloops(graph) == 0
    assert graph.nodes["r3c5"]["cell"] == (2, 4)
    assert graph.edges["r1c1", "r1c2"] == {"units": ("row 1", "box 1"), "kinds": ("row", "box")}
    assert graph.edges["r1c1", "r1c9"] == {"units": ("row 1",), "kinds": ("row",)}
    assert not graph.has_edge("r1c1", "r5c5")
    kinds = [kind for _, _, kinds in graph.edges(data="kinds") for kind in kinds]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {"row": 324, "column": 324, "box": 324}


def test_graph_and_map_say_the_same() -> None:
    model = jigsaw("1112132233243444")
    adjacency = nx.to_numpy_array(contention_graph(model), nodelist=model.names) > 0
    assert (adjacency | np.eye(16, dtype=bool) == contention_map(model)).all()


def test_units_without_a_name_go_by_their_kind() -> None:
    graph = contention_graph(Model("knights", shape=(3, 3), values=range(9), constraints=[rows, anti_knight]))
    assert graph.edges["r1c1", "r2c3"] == {"units": ("knight",), "kinds": ("knight",)}
    assert graph.edges["r1c1", "r1c2"]["units"] == ("row 1",)


def test_a_solution_is_a_proper_colouring_of_the_graph() -> None:
    model = classic()
    colours = dict(zip(model.names, "".join(S99_SOLVED.split()), strict=True))
    assert all(colours[first] != colours[second] for first, second in contention_graph(model).edges)
