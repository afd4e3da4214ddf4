"""The clause learner against brute force, under every limit, and with its arrays made to grow."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from itertools import islice
from random import Random
from time import perf_counter, sleep

import numpy as np
import pytest

from nonant import Model, Sum, Unit, count, solutions
from nonant.csp.backends import registry
from nonant.csp.backends.auto import COMPILING_SECONDS, AutoSession
from nonant.csp.backends.base import Backend, Limits, Progress
from nonant.csp.backends.learner import BACKEND, LearnerSession
from nonant.csp.errors import Unsupported
from nonant.csp.kernels.learner import memory as learner_memory
from nonant.csp.model import Parity, Puzzle
from nonant.csp.units import columns, rows
from nonant.models import model
from tests.support.files import ROOT
from tests.support.lists import large_grids, latin_squares
from tests.support.random_models import brute_force, random_only, random_puzzle

CLASSIC = model("classic-9")
HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
SIX_SOLUTIONS = "92..8.65.6..2.43..3..5.9.72.7.953.......7.......6..5....142..3.....31..6.6.7..1.."


def run(puzzle: Puzzle, limits: Limits | None = None) -> tuple[list[tuple[int, ...]], Progress]:
    progress = Progress()
    return list(BACKEND.session(puzzle).run(progress, limits or Limits())), progress


def pigeons(holes: int) -> Puzzle:
    """holes + 1 cells that differ pairwise, `holes` values each: beyond any clause learner for 11 or so."""
    cells = tuple(range(holes + 1))
    pairs = [Unit((a, b)) for a in cells for b in cells if a < b]
    return Model("pigeons", cells=cells, values=range(holes), constraints=pairs).puzzle()


def check_seed(seed: int) -> None:
    puzzle, progress = random_puzzle(seed), Progress()
    session = BACKEND.session(puzzle)
    found = list(session.run(progress, Limits()))
    assert progress.exhausted, f"seed {seed}"
    assert progress.found == len(found) == len(set(found)), f"seed {seed}: a solution came twice"
    assert set(found) == brute_force(puzzle), f"seed {seed}"
    only = random_only(puzzle, Random(seed))
    under = list(session.run(Progress(), Limits(), only))
    assert len(under) == len(set(under)), f"seed {seed}, only {only}"
    assert set(under) == brute_force(puzzle, only), f"seed {seed}, only {only}"


def test_the_backend_keeps_the_interface() -> None:
    assert isinstance(BACKEND, Backend)
    assert registry.get("learner") is BACKEND


@pytest.mark.parametrize("start", range(0, 600, 200))
def test_equals_brute_force(start: int) -> None:
    for seed in range(start, start + 200):
        check_seed(seed)


@pytest.mark.long
@pytest.mark.parametrize("start", range(10_000, 20_000, 1_000))
def test_equals_brute_force_on_many(start: int) -> None:
    for seed in range(start, start + 1_000):
        check_seed(seed)


def test_counts_known_to_everybody() -> None:
    assert count(model("classic-4"), backend=BACKEND) == 288
    assert count(model("latin-4"), backend=BACKEND) == 576
    assert count(CLASSIC.puzzle(SIX_SOLUTIONS), backend=BACKEND) == 6
    assert len(run(CLASSIC.puzzle(HARD))[0]) == 1


def test_no_cells_have_one_solution() -> None:
    assert run(Model("empty", cells=(), values=(1, 2)).puzzle()) == ([()], Progress(found=1, exhausted=True))
    never = Model("never", cells=(), values=(1, 2), constraints=[Sum((), 1)])
    assert run(never.puzzle()) == ([], Progress(exhausted=True))


def test_givens_that_clash() -> None:
    found, progress = run(CLASSIC.puzzle("11" + "." * 79))
    assert not found
    assert progress.exhausted


def test_many_solutions_each_once() -> None:
    found = list(islice(solutions(CLASSIC, backend=BACKEND), 3_000))
    assert len({solution.places for solution in found}) == 3_000
    assert all(CLASSIC.holds([CLASSIC.values[place] for place in solution.places]) for solution in found)


def test_what_needs_auxiliary_variables() -> None:
    # Nodes of a diagram need not follow from the candidates: a solution must not come once for each way to set them.
    cells = tuple(range(20))
    long = Model("long", cells=cells, values=(0, 1), constraints=[Sum(cells, 2), Parity(cells[:10], odd=True)])
    found, progress = run(long.puzzle())
    assert (len(set(found)), len(found), progress.exhausted) == (100, 100, True)


def test_runs_may_overlap_and_be_abandoned() -> None:
    latin = Model("latin", shape=(3, 3), values=(1, 2, 3), constraints=[rows, columns])
    session = BACKEND.session(latin.puzzle())
    every, some = Progress(), Progress()
    first, second = session.run(every, Limits()), session.run(some, Limits(), (1, *[7] * 8))
    abandoned = session.run(Progress(), Limits())
    next(abandoned)
    mixed: tuple[list[tuple[int, ...]], list[tuple[int, ...]]] = ([], [])
    for _ in range(3):
        mixed[0].append(next(first))
        mixed[1].append(next(second))
    del abandoned
    mixed[1].extend(second)
    mixed[0].extend(first)
    assert (len(mixed[0]), len(set(mixed[0])), every.exhausted) == (12, 12, True)
    assert (len(mixed[1]), len(set(mixed[1])), some.exhausted) == (4, 4, True)


def test_arrays_that_must_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    # 7 pigeons' proof with no room to begin with, so that clauses and watches run out again and again.
    grown: list[int] = []
    enlarged = learner_memory.enlarged

    def counted(state: learner_memory.State) -> learner_memory.State:
        grown.append(len(state.clauses))
        return enlarged(state)

    monkeypatch.setattr(learner_memory, "SPARE", 8)
    monkeypatch.setattr(learner_memory, "pool_needed", lambda variables, clauses: 1)
    monkeypatch.setattr(learner_memory, "enlarged", counted)
    assert run(pigeons(6))[0] == []
    assert len(run(model("latin-4").puzzle())[0]) == 576
    assert len(grown) > 5


def test_limits_on_conflicts_and_time() -> None:
    found, progress = run(pigeons(11), Limits(nodes=500))
    assert (found, progress.nodes, progress.exhausted) == ([], 500, False)
    found, progress = run(pigeons(11), Limits(seconds=0.0))
    assert (found, progress.nodes, progress.exhausted) == ([], 0, False)
    found, progress = run(pigeons(13), Limits(seconds=0.3))
    assert (found, progress.exhausted) == ([], False)


def test_patience() -> None:
    session = LearnerSession(pigeons(11), patience=200)
    progress = Progress()
    assert list(session.run(progress, Limits())) == []
    assert (session.stuck, progress.nodes, progress.exhausted) == (True, 200, False)
    easy = LearnerSession(model("latin-4").puzzle(), patience=200)
    assert len(list(easy.run(Progress(), Limits()))) == 576
    assert not easy.stuck


def test_auto_goes_on_with_sat_where_the_learner_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nonant.csp.backends.auto.CONFLICTS", 30)
    for conflicts, name in ((1, "native, then learner, then sat"), (10**6, "native, then learner")):
        monkeypatch.setattr("nonant.csp.backends.auto.CONFLICTS", conflicts)
        session = AutoSession(pigeons(7))
        monkeypatch.setattr(session, "_patience", 1)
        monkeypatch.setattr(session._native, "engine", "kernel")
        progress = Progress()
        assert list(session.run(progress, Limits())) == []
        assert (session.name, progress.exhausted) == (name, True)


def test_auto_does_not_wait_for_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    for limits, name in (
        (Limits(seconds=COMPILING_SECONDS - 1), "native, then sat"),
        (Limits(seconds=COMPILING_SECONDS + 60), "native, then learner"),
        (Limits(seconds=COMPILING_SECONDS - 1, renewed=True), "native, then learner"),
    ):
        session = AutoSession(pigeons(7))
        monkeypatch.setattr(session, "_patience", 1)
        monkeypatch.setattr(session._native, "engine", "kernel")
        assert list(session.run(Progress(), limits)) == []
        assert session.name == name


def test_models_that_it_refuses() -> None:
    huge = Model("huge", shape=(100, 100), values=range(100), constraints=[rows, columns])
    with pytest.raises(Unsupported, match="pairs of candidates"):
        BACKEND.session(huge.puzzle())
    values = [0, *(3**at for at in range(30))]
    wide = Model("wide", cells=range(30), values=values, constraints=[Sum(range(30), 10**9)])
    assert "partial sums" in (BACKEND.why_not(wide) or "")


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
def test_ctrl_c_ends_a_run_and_leaves_the_session_usable() -> None:
    code = """
        import signal, sys
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.path.insert(0, {root!r})
        from tests.csp.backends.test_learner import BACKEND, Limits, Progress, pigeons
        session = BACKEND.session(pigeons(13))
        list(session.run(Progress(), Limits(nodes=10)))
        print("ready", flush=True)
        try:
            list(session.run(Progress(), Limits(seconds=60)))
        except KeyboardInterrupt:
            progress = Progress()
            list(session.run(progress, Limits(nodes=1000)))
            print("interrupted", progress.nodes)
    """
    script = textwrap.dedent(code).format(root=str(ROOT))
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    sleep(0.2)
    started = perf_counter()
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=50)
    assert rest == "interrupted 1000\n"
    assert perf_counter() - started < 40


# -- the structures ----------------------------------------------------------------------------------------------------


def test_each_literal_implies_what_its_sets_say() -> None:
    """At most one of a, b, c; at most one of b, c; at most one of not-a, c."""
    sets = (np.array([3, 2, 2]), np.array([0, 2, 4, 2, 4, 1, 4]))
    none = (np.zeros(0, np.int64), np.zeros(0, np.int64))
    implied = learner_memory.new_state(3, np.arange(3, dtype=np.int32), sets, none, none[1]).implied
    found = [sorted(implied[implied[literal] : implied[literal + 1]].tolist()) for literal in range(6)]
    assert found == [[3, 5], [5], [1, 5], [], [0, 1, 3], []]


def test_restarts_follow_lubys_sequence() -> None:
    from nonant.csp.kernels.learner.learner import _luby

    assert [_luby(number) for number in range(1, 16)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]


# -- the shared data ---------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_large_grids_and_latin_squares() -> None:
    puzzles = [(puzzle, recorded) for _, puzzle, recorded in large_grids()] + list(latin_squares())
    for puzzle, recorded in puzzles:
        progress = Progress()
        found = list(islice(BACKEND.session(puzzle).run(progress, Limits(seconds=120)), 2))
        assert len(set(found)) == len(found) == min(2, int(recorded.strip(">="))), puzzle.line
        assert progress.exhausted or len(found) == 2
