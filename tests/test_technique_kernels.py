"""The compiled searches of techniques: the graph, victims, chains and refutations of plain Python, and no false no."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise

import pytest

from nonant.strategies import Board, refute
from nonant.strategies.kernels import forcing, scouts, sectors
from nonant.strategies.kernels.flat_waves import FlatWaves
from nonant.strategies.leads import REACHES, any_chain
from nonant.strategies.table import technique
from nonant.strategies.waves import PlainWaves
from tests.positions import PUZZLES, along, path_of

SCOUTED = [*scouts.NAMES, *(name for name in scouts.FINNED if "jellyfish" not in name)]


def boards(every: int) -> Iterator[Board]:
    """Boards along solve paths of several families."""
    for at in range(len(PUZZLES)):
        yield from [board for board, _ in along(path_of(at))][::every]


@pytest.mark.parametrize("kind", REACHES)
def test_chains_are_those_of_plain_python(kind: str) -> None:
    traced = 0
    for board in boards(29):
        plain, compiled = PlainWaves(board, REACHES[kind]), FlatWaves(board, REACHES[kind])
        starts, members = compiled.graph.members
        nodes = tuple(sum(1 << one for one in members[begin:end].tolist()) for begin, end in pairwise(starts))
        assert nodes == plain.graph.masks
        assert compiled.lengths == plain.lengths
        for victim in list(plain.lengths)[:5]:
            assert compiled.trace(victim) == plain.trace(victim)
            traced += 1
    assert traced


@pytest.mark.parametrize(
    "kind, names",
    [
        ("value", ["skyscraper", "two-string kite", "turbot fish", "x-chain", "x-loop"]),
        ("value, groups", ["empty rectangle", "grouped x-chain", "grouped x-loop"]),
        ("cells", ["xy-wing", "xy-chain"]),
        ("all", ["w-wing", "aic", "continuous loop"]),
        ("groups", ["grouped aic", "grouped continuous loop"]),
        ("sets", ["wxyz-wing", "als-xz", "als-xy-wing", "als chain", "almost locked loop"]),
    ],
)
def test_the_ladder_finds_what_the_finders_find(kind: str, names: list[str]) -> None:
    """Whatever some chain of a kind removes is a victim of the waves."""
    some = 0
    for board in boards(41):
        victims = PlainWaves(board, REACHES[kind]).lengths
        removed = 0
        for name in names:
            for step in technique(name).find(board):
                removed |= step.removed
        assert not removed & ~sum(1 << victim for victim in victims), (board.model.name, names)
        some += removed != 0
        assert any_chain(board, kind) == bool(victims)
    assert some


def test_a_no_of_the_scouts_is_true() -> None:
    answers = set()
    for board in boards(17):
        for name in SCOUTED:
            found = next(technique(name).find(board), None) is not None
            said = scouts.may_find(board, name)
            assert said or not found, (board.model.name, name)
            answers.add((name, said))
        found = next(technique("sue de coq").find(board), None) is not None
        assert sectors.may_find(board, "sue de coq") == found
    assert {said for name, said in answers if name == "swordfish"} == {True, False}


@pytest.mark.parametrize("groups", [False, True])
def test_refutations_are_those_of_plain_python(groups: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "nonant.strategies.kernels.forcing")
    some = 0
    for board in boards(31):
        plain = refute.shortest(board, groups)
        with monkeypatch.context() as loaded:
            loaded.setitem(sys.modules, "nonant.strategies.kernels.forcing", forcing)
            assert refute.shortest(board, groups) == plain
        some += len(plain)
    assert some


def test_nested_refutations_are_those_of_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "nonant.strategies.kernels.forcing")
    nested = technique("nested braid")
    for at in (0, 2, 3):
        board = path_of(at).board
        plain = list(nested.find(board))
        monkeypatch.setitem(sys.modules, "nonant.strategies.kernels.forcing", forcing)
        assert list(nested.find(board)) == plain
        monkeypatch.delitem(sys.modules, "nonant.strategies.kernels.forcing")
