"""Boards, layouts and steps."""

from __future__ import annotations

import json

import pytest

from nonant.csp.errors import ModelError
from nonant.csp.masks import bits
from nonant.csp.model import Model, Unit
from nonant.csp.units import columns, rows
from nonant.models import model
from nonant.strategies import Board, Step, explain, find_all
from nonant.strategies.layout import layout_of
from nonant.strategies.techniques.locked import leftovers
from tests.support.positions import along, path_of

EASY = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"


def test_a_board_of_a_puzzle_has_its_givens_written_in() -> None:
    board = Board.from_puzzle(model("classic-9").puzzle(EASY))
    assert board.line == EASY.replace("0", ".")
    assert [board.model.symbols[at] for at in bits(board.cells[2])] == ["1", "2", "4"]
    assert not board.solved
    assert board.open & board.solved_cells == 0


def test_a_board_of_candidates_keeps_singles_to_be_seen() -> None:
    small = model("classic-4")
    board = Board.from_candidates(small, {"r1c1": [1]})
    assert board.placed == 0
    assert [step.technique for step in find_all("naked single", board)] == ["naked single"]
    done = board.without(find_all("naked single", board)[0].removed)
    assert Board.from_candidates(small, {"r1c1": [1]}).domains[0] == 1
    assert done.live.bit_count() == board.live.bit_count() - 7


@pytest.mark.parametrize("marks", [{"r9c9": [1]}, {"r1c1": [7]}])
def test_bad_candidates_are_named(marks: dict[str, list[int]]) -> None:
    with pytest.raises(ModelError, match=r"r9c9|7"):
        Board.from_candidates(model("classic-4"), marks)


def test_layout_finds_classes_and_lines() -> None:
    classic = layout_of(model("classic-9"))
    assert sorted(map(len, classic.classes)) == [9, 9, 9]
    assert {classic.kinds[classic.classes[at][0]] for at in classic.lines} == {"row", "column"}
    cube = layout_of(model("cube-3"))
    assert len(cube.classes) == 3
    assert not cube.lines
    crossed = layout_of(model("x-9"))
    assert [crossed.class_of[unit] for unit, kind in enumerate(crossed.kinds) if kind == "diagonal"] == [-1, -1]


def test_leftovers_are_for_irregular_regions() -> None:
    assert leftovers(model("classic-9")) == ()
    assert leftovers(model("latin-9")) == ()
    jigsaw = model("jigsaw-111223333411233233411222253416625555414666665444476855999976858977778888999977788")
    assert leftovers(jigsaw)
    for bases, covers, outside, inside in leftovers(jigsaw):
        assert len(bases) == len(covers)
        assert len(outside) == len(inside)


def test_a_region_that_is_a_row_stays_sound() -> None:
    # Region a is row 1; b and d meet a column twice, in separate pieces.
    strange = model("jigsaw-aaaabbcddbccdbdc")
    path = explain(strange.puzzle("1..............."))
    assert path.check()
    assert all(step.technique for step in path.steps)


def test_partial_units_give_no_hidden_single_and_no_strong_link() -> None:
    cage = Model("cage", shape=(3, 3), values=range(1, 10), constraints=[Unit([(0, 0), (0, 1), (0, 2)], "cage")])
    board = Board.from_candidates(cage, {"r1c1": [1, 2], "r1c2": [2, 3], "r1c3": [4, 5]})
    for name in (
        "full house",
        "hidden single",
        "locked candidates",
        "hidden pair",
        "x-chain",
        "aic",
        "simple colouring",
    ):
        assert find_all(name, board) == []
    pair = Board.from_candidates(cage, {"r1c1": [1, 2], "r1c2": [1, 2]})
    assert [step.removed for step in find_all("naked pair", pair)] == [0b11 << 18]


def test_partial_rows_give_no_truth() -> None:
    wide = Model("wide", shape=(2, 3), values=range(1, 5), constraints=[rows, columns])
    path = explain(wide)
    assert path.result == "stuck"
    assert path.steps == ()


def test_steps_survive_json() -> None:
    path = path_of(0)
    for _, step in along(path):
        assert Step.from_json(path.board.model, json.loads(json.dumps(step.to_json(path.board.model)))) == step
