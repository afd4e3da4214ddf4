"""The compiled searches of techniques: the graph, victims, chains and refutations of plain Python, and no false no."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from nonant.csp.masks import bits, mask_of
from nonant.strategies import Board
from nonant.strategies.chains.graph import graph_of
from nonant.strategies.chains.kinds import KINDS, Kind
from nonant.strategies.chains.search import search
from nonant.strategies.chains.waves import PlainWaves
from nonant.strategies.kernels import forcing
from nonant.strategies.kernels.flat_waves import FlatWaves
from nonant.strategies.refutations import refute
from nonant.strategies.table import TECHNIQUES, technique
from nonant.strategies.techniques import almost_locked, colouring, fish, locked, subsets
from tests.support.positions import PUZZLES, along, path_of
from tests.support.techniques_run import techniques_run

SCOUTS = {
    *(subsets.may_be_naked, subsets.may_be_hidden, fish.may_be_basic, fish.may_be_finned),
    *(almost_locked.may_be_sue_de_coq, colouring.may_be_medusa),
}
SCOUTED = [known for known in TECHNIQUES if known.scout in SCOUTS and not known.asked]


def boards(every: int) -> Iterator[Board]:
    """Boards along solve paths of several families."""
    for at in range(len(PUZZLES)):
        yield from [board for board, _ in along(path_of(at))][::every]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_chains_are_those_of_plain_python(kind: Kind) -> None:
    traced = 0
    for board in boards(29):
        plain, compiled = PlainWaves(board, kind.reach), FlatWaves(board, kind.reach)
        starts, members = compiled.graph.members
        nodes = tuple(sum(1 << one for one in members[begin:end].tolist()) for begin, end in pairwise(starts))
        assert nodes == plain.graph.masks
        assert compiled.lengths == plain.lengths
        for victim in list(plain.lengths)[:5]:
            assert compiled.trace(victim) == plain.trace(victim)
            traced += 1
    assert traced


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_whatever_some_chain_removes_is_a_victim(kind: Kind) -> None:
    """The search from pairs of ends finds nothing that the search from victims does not."""
    reach, some = kind.reach, 0
    for board in boards(41):
        graph = graph_of(board, reach.truths, groups=reach.groups, largest=reach.largest)
        removed = 0
        for chain in search(board, graph, reach.longest):
            removed |= chain.gone
        victims = PlainWaves(board, reach).lengths
        assert not removed & ~mask_of(victims), board.model.name
        assert kind.any(board) == bool(victims)
        some += removed != 0
    assert some


def test_a_no_is_true() -> None:
    answers = set()
    for board in boards(17):
        for known in SCOUTED:
            assert known.scout is not None
            found = next(known.find(board), None) is not None
            with techniques_run(compiled=True):
                said = known.scout(board, *known.arguments)
            assert said or not found, (board.model.name, known.name)
            if known is technique("sue de coq"):
                assert said == found
            answers.add((known.name, said))
        confined = [step.removes for step in technique("locked candidates").find(board)]
        assert [step.removes for step in locked.leads(board, technique("locked candidates"), lambda: -1)] == confined
    assert {said for name, said in answers if name == "swordfish"} == {True, False}


@pytest.mark.parametrize("groups", [False, True])
def test_refutations_are_those_of_plain_python(groups: bool) -> None:
    some = 0
    for board in boards(31):
        with techniques_run(compiled=False):
            plain = refute.shortest(board, groups)
        with techniques_run(compiled=True):
            assert refute.shortest(board, groups) == plain
        some += len(plain)
    assert some


def test_consequences_are_those_of_plain_python() -> None:
    for board in boards(47):
        candidates = list(bits(board.open))
        plain = [refute.consequences(board, candidate) & board.live for candidate in candidates]
        assert forcing.consequences(board, candidates) == plain


def test_nested_refutations_are_those_of_plain_python() -> None:
    nested = technique("nested braid")
    for at in (0, 2, 3):
        board = path_of(at).board
        with techniques_run(compiled=False):
            plain = list(nested.find(board))
        with techniques_run(compiled=True):
            assert list(nested.find(board)) == plain
