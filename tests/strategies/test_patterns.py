"""Small boards made for one pattern each: shapes that the library of cases has not."""

from __future__ import annotations

from collections.abc import Iterable

from nonant.models import model
from nonant.strategies import Board, find_all
from nonant.strategies.chains.graph import graph_of
from nonant.strategies.chains.search import search
from nonant.strategies.chains.shortest import turbots, w_wings
from tests.support.positions import along, path_of


def board_of(name: str, cells: dict[str, Iterable[int]], rest: Iterable[int] = ()) -> Board:
    """A board with these cells; the others have the values of `rest`, or all."""
    others = {cell: tuple(rest) for cell in model(name).names} if rest else {}
    return Board.from_candidates(model(name), others | cells, givens={})


def removed(technique: str, board: Board) -> set[str]:
    """What all steps of a technique remove, as text."""
    return {board.sets.candidate(gone, "<>") for step in find_all(technique, board) for gone in step.removes}


OUTSIDE = range(4, 10)
RUNGS = {"r1c1": (1, 2), "r1c4": (1, 2), "r2c1": (2, 3), "r2c4": (2, 3), "r3c1": (1, 3)}


def test_an_extended_rectangle_of_six_cells() -> None:
    board = board_of("classic-9", RUNGS | {"r3c4": (1, 3, 9)}, OUTSIDE)
    assert removed("extended rectangle", board) >= {"r3c4<>1", "r3c4<>3"}
    # One value outside in two cells of a column: it goes from what sees both.
    board = board_of("classic-9", RUNGS | {"r2c4": (2, 3, 9), "r3c4": (1, 3, 9)}, OUTSIDE)
    assert "r5c4<>9" in removed("extended rectangle", board)
    # Over three bands a box would notice.
    far = {"r1c1": (1, 2), "r1c4": (1, 2), "r4c1": (2, 3), "r4c4": (2, 3), "r7c1": (1, 3), "r7c4": (1, 3, 9)}
    assert not find_all("extended rectangle", board_of("classic-9", far, OUTSIDE))
    # A given is not exchanged.
    given = Board.from_candidates(model("classic-9"), RUNGS | {"r3c4": (1, 3, 9)}, givens={"r1c1": 1})
    assert not find_all("extended rectangle", given)


def test_a_unique_loop_of_fourteen_cells() -> None:
    cells: dict[str, Iterable[int]] = {}
    for row in range(1, 8):
        cells[f"r{row}c{row}"] = (1, 2)
        cells[f"r{row}c{row % 7 + 1}"] = (1, 2)
    cells["r7c1"] = (1, 2, 5, 6)
    board = board_of("latin-9", cells, OUTSIDE)
    assert {"r7c1<>1", "r7c1<>2"} <= removed("unique loop", board)
    cells["r7c1"], cells["r7c7"] = (1, 2, 5), (1, 2, 5)
    assert "r7c3<>5" in removed("unique loop", board_of("latin-9", cells, OUTSIDE))


def test_a_bug_with_four_cells_of_three_values() -> None:
    cells: dict[str, Iterable[int]] = {}
    for row in range(8):
        for column in range(8):
            pair = 2 * ((row // 2 + column // 2) % 4)
            cells[f"r{row + 1}c{column + 1}"] = (pair + 1, pair + 2)
    assert not find_all("bug", board_of("latin-8", cells))  # nothing outside: no solution, or several
    for name in ("r1c3", "r1c4", "r1c5", "r1c6"):
        cells[name] = (*cells[name], 1)
    assert removed("bug", board_of("latin-8", cells)) >= {"r1c1<>1", "r1c2<>1"}


def test_an_almost_locked_set_of_six_cells() -> None:
    cells: dict[str, Iterable[int]] = {f"r1c{column}": (2, 3, 4, 5, 6) for column in range(3, 7)}
    cells |= {"r1c1": (1, 2, 3), "r1c2": (4, 5, 7), "r2c1": (1, 7)}
    assert "r2c2<>7" in removed("als-xz", board_of("classic-9", cells))


def test_the_short_chains_are_all_there() -> None:
    """What a search for shortest paths finds, of the same length and removing the same, is among them."""
    some = 0
    for at in (0, 1, 3):
        for board, _ in list(along(path_of(at)))[::4]:
            for groups in (False, True):
                every = {chain.nodes: chain.gone for chain in turbots(board, groups)}
                every |= {nodes[::-1]: gone for nodes, gone in every.items()}
                for chain in search(board, graph_of(board, "units", groups=groups), 2):
                    if chain.length == 2 and not chain.loop and chain.edges[0] != chain.edges[1]:
                        assert not chain.gone & ~every[chain.nodes]
                        some += 1
            wings = {frozenset((chain.nodes[0], chain.nodes[-1])) for chain in w_wings(board)}
            for step in find_all("w-wing", board):
                assert wings, step
    assert some > 20, some


def test_a_general_name_takes_the_special_shapes() -> None:
    some = 0
    for board, _ in list(along(path_of(0)))[::5]:
        for special, general in (("skyscraper", "x-chain"), ("xy-wing", "xy-chain"), ("w-wing", "aic")):
            found = removed(special, board)
            assert found <= removed(general, board)
            some += len(found)
    assert some
