"""Limits counted down, the size of slices, and when compiled code is loaded: with answers that do not depend on it."""

from __future__ import annotations

from itertools import islice
from math import inf
from time import monotonic

import pytest

from nonant import Model, Puzzle, candidates, count, solutions, solve, verify
from nonant.csp.backends.native import PLAIN_WORK, NativeSession
from nonant.csp.backends.sat import MOST_CONFLICTS, SLICE_WORK, slices
from nonant.csp.budget import Budget, Limits, Pace
from nonant.csp.machine.loading import Meter, meter
from nonant.models import model
from tests.support.random_models import random_puzzle

TWO = "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"[:60] + "." * 21
METERS = ("classic grid", "any model")


def test_a_budget_is_counted_down() -> None:
    budget = Budget.of(Limits(nodes=10))
    assert (budget.out(), budget.late(), budget.seconds_left(), budget.at_most(7)) == (False, False, inf, 7)
    budget.spent = 8
    assert (budget.at_most(7), budget.left()) == (2, Limits(None, 2))
    budget.spent = 11
    assert (budget.out(), budget.left().nodes) == (True, 0)
    timed = Budget.within(100.0)
    assert 90 < timed.share(1).seconds_left() <= 100
    assert timed.share(4).seconds_left() <= 25
    assert Budget.within(None).share(3).deadline is None
    assert Budget(deadline=monotonic() - 1).out()
    assert Budget(deadline=monotonic() - 1).seconds_left() == 0


def test_slices_without_a_clock_do_not_depend_on_the_machine() -> None:
    sizes = []
    for took in (1e-9, 1.0, 100.0):
        pace = Pace(10, seconds=0.1, most=1_000)
        seen = []
        for _ in range(6):
            pace.learn(pace.size, took, Budget())
            seen.append(pace.size)
        sizes.append(seen)
    assert sizes == [[40, 160, 640, 1_000, 1_000, 1_000]] * 3


def test_slices_of_a_sat_solver_are_bounded_whatever_the_formula() -> None:
    # A slice is what Ctrl-C waits for.
    for clauses in (0, 1, 1_400, 100_000, 10**9):
        pace = slices(clauses)
        for _ in range(20):
            pace.learn(pace.size, 1e-9, Budget())
            assert 1 <= pace.size <= MOST_CONFLICTS
        assert pace.size * clauses <= max(SLICE_WORK, clauses)


def test_slices_within_a_time_limit_are_made_to_fit() -> None:
    pace = Pace(100, seconds=0.1, most=1_000, least=3)
    pace.learn(100, 0.001, Budget.within(60.0))
    assert pace.size == 400  # growth is limited
    pace.learn(400, 4.0, Budget.within(60.0))
    assert pace.size == 10
    pace.learn(10, 10.0, Budget.within(60.0))
    assert pace.size == 3
    pace.learn(3, 0.0001, Budget.within(0.0))
    assert pace.size == 3


def test_a_meter_is_paid_once_its_price_is_spent() -> None:
    one = Meter(price=10)
    one.add(6)
    assert (one.paid(), one.paid(4), one.paid(3)) == (False, True, False)
    one.add(4)
    assert one.paid()
    other = Meter(price=10)
    other.pay()
    assert other.paid()


def set_meters(monkeypatch: pytest.MonkeyPatch, paid: bool) -> None:
    for name in METERS:
        one = meter(name, PLAIN_WORK)
        monkeypatch.setattr(one, "spent", 0.0)
        monkeypatch.setattr(one, "price", 0.0 if paid else inf)


def test_a_warm_process_gives_the_answers_of_a_cold_one(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzles: list[Puzzle] = [model("classic-9").puzzle(TWO), model("classic-9").puzzle(), model("latin-5").puzzle()]
    puzzles += [random_puzzle(seed) for seed in (*range(60), *range(10_000, 10_100))]
    assert any(puzzle.model.compiled.infeasible for puzzle in puzzles)
    puzzles.append(Model("no cell", cells=[], values=[1]).puzzle())
    several = 0
    for puzzle in puzzles:
        answers = []
        for paid in (False, True):
            set_meters(monkeypatch, paid)
            found = verify(puzzle)
            first = list(islice(solutions(puzzle), 20))
            limited = solve(puzzle, node_limit=3)
            alone = solve(puzzle, limit=1)
            answers.append((found.verdict, found.message, [one.places for one in found.solutions], found.differs))
            answers.append(([one.places for one in first], limited.status, limited.complete))
            answers.append((alone.status, alone.complete, count(puzzle, limit=50), candidates(puzzle).values))
        assert answers[:3] == answers[3:], puzzle
        several += len(answers[0][2]) > 1
    assert several > 10


def test_plain_work_is_paid_for_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    set_meters(monkeypatch, paid=False)
    one = meter("classic grid", PLAIN_WORK)
    solve(model("classic-9").puzzle(TWO), limit=1)  # also of a run that is left before its end
    first = one.spent
    assert first > 0
    solve(model("classic-9").puzzle(TWO), limit=1)
    assert one.spent == 2 * first
    monkeypatch.setattr(one, "price", one.spent)
    assert NativeSession(model("classic-9").puzzle(TWO), "auto")._kernel_first()
