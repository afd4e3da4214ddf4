"""`auto`: who answers, that the hand-over neither loses nor doubles a solution, and that limits hold."""

from __future__ import annotations

import time
from itertools import islice

import pytest

from nonant import Model, count, solutions, solve, verify
from nonant.csp.backends import auto
from nonant.csp.backends.auto import AutoSession
from nonant.csp.backends.base import Limits, Progress
from nonant.csp.units import parity
from nonant.models import model
from tests.support.random_models import brute_force, random_puzzle

FEW = "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"


def test_small_puzzles_stay_native() -> None:
    assert solve(model("classic-9").puzzle(FEW)).backend == "native"


def test_parities_go_to_linear_algebra() -> None:
    lights = Model("lights", shape=(4, 4), values=(0, 1), constraints=[parity(lit="0" * 16)])
    assert solve(lights).backend == "gf2"
    assert count(lights) == 16


@pytest.mark.parametrize("patience", [0, 1, 20, 287])
def test_a_hand_over_neither_loses_nor_doubles(patience: int, monkeypatch: pytest.MonkeyPatch) -> None:
    import nonant.csp.kernels.scalar.scalar  # noqa: F401  (so that the kernel works from the first node)

    whole = set(solutions(model("classic-4")))
    session = AutoSession(model("classic-4").puzzle())
    monkeypatch.setattr(session, "_patience", patience)
    progress = Progress()
    found = list(session.run(progress, Limits()))
    assert progress.exhausted
    assert len(found) == 288
    assert {solution.places for solution in whole} == set(found)


def test_random_models_handed_over_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    handed = 0
    for seed in range(120):
        puzzle = random_puzzle(seed)
        session = AutoSession(puzzle)
        monkeypatch.setattr(session, "_patience", 0)
        monkeypatch.setattr(session._native, "engine", "kernel")
        found = list(session.run(Progress(), Limits()))
        assert len(found) == len(set(found)), seed
        assert set(found) == brute_force(puzzle), seed
        handed += session.name != "native"
    assert handed > 20


def test_a_count_that_is_stuck_goes_to_the_learner(monkeypatch: pytest.MonkeyPatch) -> None:
    session = AutoSession(model("classic-4").puzzle())
    monkeypatch.setattr(session, "_patience", 0)
    monkeypatch.setattr(session._native, "engine", "kernel")
    progress = Progress()
    assert session.count(progress, Limits()) == 288
    assert progress.exhausted
    assert session.name in ("native, then learner", "native, then sat")


def test_a_productive_search_is_not_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "PRODUCTIVE", 10_000)
    run = solutions(model("classic-9"))
    assert len(list(islice(run, 12_000))) == 12_000
    assert run.backend == "native"


def test_time_limits_hold_on_large_grids() -> None:
    for name in ("classic-49", "lattice-cube-16", "latin-40"):
        solve(model("classic-4"))
        start = time.monotonic()
        found = verify(model(name), time_limit=1.0)
        took = time.monotonic() - start
        assert found.verdict.value in ("multiple", "unknown")
        # Generous, since machines are busy: what must not happen is a hand-over that builds clauses for minutes.
        assert took < 20
