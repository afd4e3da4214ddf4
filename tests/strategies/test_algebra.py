"""GF(2) over the exactly-one sets of a board: sound, with named sums, and 0 = 1 told as a contradiction."""

from __future__ import annotations

import random

import pytest

from nonant.csp.algebra.parities import Equation, eliminate, equations, parities
from nonant.csp.model import Model, Parity
from nonant.csp.plain.search import Budget, Searcher
from nonant.csp.units import boxes, columns, rows
from tests.support.files import shared_file

CLASSIC = Model("classic", shape=(9, 9), values=range(1, 10), constraints=[rows, columns, boxes(3, 3)])
SMALL = Model("small", shape=(4, 4), values=range(1, 5), constraints=[rows, columns, boxes(2, 2)])


def sum_of(summed):
    """The equations added up: the candidates that are left, and the right-hand side."""
    mask, odd = 0, False
    for equation in summed:
        mask ^= equation.mask
        odd ^= equation.odd
    return mask, odd


def check(found, given, solutions):
    """Each finding is the sum it names, and holds in every solution."""
    for forced in found.forced:
        assert set(forced.summed) <= set(given)
        assert sum_of(forced.summed) == (1 << forced.candidate, forced.true)
        assert all(board >> forced.candidate & 1 == forced.true for board in solutions)
    for link in found.linked:
        assert sum_of(link.summed) == (1 << link.first | 1 << link.second, not link.same)
        assert all((board >> link.first & 1 == board >> link.second & 1) == link.same for board in solutions)
    if found.contradiction is not None:
        assert sum_of(found.contradiction) == (0, True)
        assert not solutions


def solutions_of(model, board, most=200):
    searcher, found = Searcher(model.compiled), []
    for solved in searcher.run([board], Budget()):
        found.append(solved)
        if len(found) == most:
            return None
    return found


def test_boards_with_random_candidates_taken_away():
    source, seen = random.Random(3), {"forced": 0, "linked": 0, "contradiction": 0}
    full = Searcher(SMALL.compiled).board(SMALL.puzzle().domains)
    for _ in range(300):
        board = full
        for _ in range(source.randrange(10, 45)):
            board &= ~(1 << source.randrange(64))
        found, solutions = parities(SMALL, board), solutions_of(SMALL, board)
        if solutions is None:
            continue
        check(found, equations(SMALL, board), solutions)
        seen["forced"] += bool(found.forced)
        seen["linked"] += bool(found.linked)
        seen["contradiction"] += found.contradiction is not None
    assert min(seen.values()) > 10, seen


def test_classic_boards():
    lines = shared_file("classic/top1465.txt").read_text().split()[:15]
    searcher, beyond = Searcher(CLASSIC.compiled), 0
    for line in lines:
        board = searcher.propagate(searcher.board(CLASSIC.puzzle(line[:81]).domains))
        found = parities(CLASSIC, board)
        assert found.contradiction is None
        check(found, equations(CLASSIC, board), solutions_of(CLASSIC, board))
        beyond += any(len(link.summed) > 1 for link in found.linked)
    assert beyond > 0


def test_a_contradiction_that_counting_shows():
    # Three pairs of equations that overlap in a triangle: a + b, b + c and a + c cannot all be odd.
    triangle = [Equation("one", 0b011, True), Equation("two", 0b110, True), Equation("three", 0b101, True)]
    assert eliminate(triangle).contradiction == tuple(triangle)
    assert eliminate([Equation("nothing is left", 0, True)]).contradiction is not None
    assert eliminate([]).contradiction is None


def test_stated_parities_take_part():
    model = Model(
        "mixed",
        cells="abc",
        values=(0, 1),
        constraints=[Parity("ab", odd=True, name="ab"), Parity("bc", odd=False, name="bc"), Parity("aac", odd=True)],
    )
    board = Searcher(model.compiled).board(model.puzzle().domains)
    found = parities(model, 0b111111)
    check(found, equations(model, 0b111111), solutions_of(model, board))
    decided = {forced.candidate: forced.true for forced in found.forced}
    assert decided == {0: True, 1: False, 2: False, 3: True, 4: False, 5: True}


def test_singles_are_forced():
    board = Searcher(SMALL.compiled).board(SMALL.puzzle("1...............").domains)
    found = parities(SMALL, board)
    assert any(forced.candidate == 0 and forced.true for forced in found.forced)
    assert [equation.name for equation in next(f for f in found.forced if f.candidate == 0).summed] == ["cell r1c1"]


@pytest.mark.long
def test_many_classic_boards():
    searcher = Searcher(CLASSIC.compiled)
    for line in shared_file("classic/top1465.txt").read_text().split()[15:215]:
        board = searcher.propagate(searcher.board(CLASSIC.puzzle(line[:81]).domains))
        check(parities(CLASSIC, board), equations(CLASSIC, board), solutions_of(CLASSIC, board))
