"""The compiled searches of techniques: the graph, victims, chains and refutations of plain Python, and no false no."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise

import pytest

from nonant.csp.masks import bits, mask_of
from nonant.strategies import Board
from nonant.strategies.chains.graph import graph_of
from nonant.strategies.chains.leads import REACHES, any_chain
from nonant.strategies.chains.search import search
from nonant.strategies.chains.waves import PlainWaves
from nonant.strategies.kernels import forcing, scouts, sectors
from nonant.strategies.kernels.flat_waves import FlatWaves
from nonant.strategies.refutations import refute
from nonant.strategies.table import technique
from nonant.strategies.techniques import locked
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


@pytest.mark.parametrize("kind", REACHES)
def test_whatever_some_chain_removes_is_a_victim(kind: str) -> None:
    """The search from pairs of ends finds nothing that the search from victims does not."""
    reach, some = REACHES[kind], 0
    for board in boards(41):
        graph = graph_of(board, reach.truths, groups=reach.groups, largest=reach.largest)
        removed = 0
        for chain in search(board, graph, reach.longest):
            removed |= chain.gone
        victims = PlainWaves(board, reach).lengths
        assert not removed & ~mask_of(victims), board.model.name
        assert any_chain(board, kind) == bool(victims)
        some += removed != 0
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
        found = next(technique("3d medusa").find(board), None) is not None
        assert sectors.may_find(board, "3d medusa") or not found
        confined = [step.removes for step in technique("locked candidates").find(board)]
        assert [step.removes for step in locked.leads(board, technique("locked candidates"), lambda: -1)] == confined
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


def test_consequences_are_those_of_plain_python() -> None:
    for board in boards(47):
        candidates = list(bits(board.open))
        plain = [refute.consequences(board, candidate) & board.live for candidate in candidates]
        assert forcing.consequences(board, candidates) == plain


def test_nested_refutations_are_those_of_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "nonant.strategies.kernels.forcing")
    nested = technique("nested braid")
    for at in (0, 2, 3):
        board = path_of(at).board
        plain = list(nested.find(board))
        monkeypatch.setitem(sys.modules, "nonant.strategies.kernels.forcing", forcing)
        assert list(nested.find(board)) == plain
        monkeypatch.delitem(sys.modules, "nonant.strategies.kernels.forcing")
