"""The two engines of the native backend against brute force, against each other, and under every limit."""

from __future__ import annotations

import signal
import threading
from itertools import product
from random import Random

import pytest

from nonant import Model, Sum, Unit, count, solutions, solve
from nonant.csp.backends.base import Limits, Progress
from nonant.csp.backends.native import Native, NativeSession
from nonant.csp.budget import Budget
from nonant.csp.errors import ModelError, Unsupported
from nonant.csp.plain.search import Searcher
from nonant.csp.units import boxes, columns, rows
from nonant.models import model
from tests.support.random_models import brute_force, random_only, random_puzzle

ENGINES = ("plain", "kernel")
SIX_SOLUTIONS = "92..8.65.6..2.43..3..5.9.72.7.953.......7.......6..5....142..3.....31..6.6.7..1.."
HARD = "98.7..6..75..4......3..8.7.5....7.3...94.........2.1..3.......1.9...5.8....52....6"[:81]


def check_seed(seed: int, engine: str) -> None:
    puzzle = random_puzzle(seed)
    session = Native(engine=engine).session(puzzle)
    progress = Progress()
    found = list(session.run(progress, Limits()))
    wanted = brute_force(puzzle)
    assert progress.exhausted, f"seed {seed}"
    assert len(found) == len(set(found)), f"seed {seed}: a solution twice"
    assert set(found) == wanted, f"seed {seed}: {puzzle.model.constraints}"
    assert session.count(Progress(), Limits()) == len(wanted), f"seed {seed}: count"
    only = random_only(puzzle, Random(seed))
    assert set(session.run(Progress(), Limits(), only)) == brute_force(puzzle, only), f"seed {seed}: only {only}"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("start", range(0, 750, 250))
def test_equals_brute_force(engine: str, start: int) -> None:
    for seed in range(start, start + 250):
        check_seed(seed, engine)


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("start", range(10_000, 40_000, 2_000))
def test_equals_brute_force_on_many(engine: str, start: int) -> None:
    for seed in range(start, start + 2_000):
        check_seed(seed, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_counts_known_to_everybody(engine: str) -> None:
    backend = Native(engine=engine)
    assert count(model("classic-4"), backend=backend) == 288
    assert count(model("latin-4"), backend=backend) == 576
    assert count(model("classic-9").puzzle(SIX_SOLUTIONS), backend=backend) == 6


@pytest.mark.parametrize("engine", ENGINES)
def test_a_limit_equal_to_the_count_is_complete(engine: str) -> None:
    puzzle, backend = model("classic-9").puzzle(SIX_SOLUTIONS), Native(engine=engine)
    for limit, complete in ((None, True), (7, True), (6, True), (5, False), (1, False), (0, False)):
        run = solutions(puzzle, limit, backend=backend)
        found = list(run)
        assert len(found) == len(set(found)) == min(6, 6 if limit is None else limit)
        assert run.complete is complete
        counted = count(puzzle, backend=backend, limit=limit)
        assert (int(counted), counted.complete) == (len(found), complete)


def test_work_handed_over_midway_is_neither_lost_nor_doubled() -> None:
    puzzle = model("classic-4").puzzle()
    compiled = puzzle.model.compiled
    whole = set(Native(engine="kernel").session(puzzle).run(Progress(), Limits()))
    for nodes in (0, 1, 2, 7, 50, 200, 287):
        session = NativeSession(puzzle, "auto")
        open_boards, budget = [session.root], Budget(nodes)
        first = [compiled.once(Searcher).values(board) for board in compiled.once(Searcher).run(open_boards, budget)]
        rest = list(session._kernel(open_boards, Progress(nodes=budget.spent), Budget(), any_order=False))
        assert len(first) + len(rest) == 288
        assert set(first) | set(rest) == whole


def test_an_abandoned_run_leaves_the_session_sound() -> None:
    session = Native(engine="kernel").session(model("classic-4").puzzle())
    run = session.run(Progress(), Limits())
    for _ in range(3):
        next(run)
    assert session.count(Progress(), Limits()) == 288
    assert len(list(session.run(Progress(), Limits()))) == 288


def test_runs_of_one_session_may_overlap() -> None:
    session = Native(engine="kernel").session(model("classic-4").puzzle())
    first, second = (session.run(Progress(), Limits()) for _ in range(2))
    pairs = list(zip(first, second, strict=True))
    assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == 288


@pytest.mark.parametrize("engine", ENGINES)
def test_node_and_time_limits_are_results(engine: str) -> None:
    backend = Native(engine=engine)
    empty = model("classic-16").puzzle()
    counted = count(empty, backend=backend, node_limit=100)
    assert not counted.complete
    assert counted.nodes <= 100
    assert not count(empty, backend=backend, time_limit=0.05).complete
    unknown = solve(model("classic-9").puzzle(HARD), backend=backend, node_limit=0)
    assert (unknown.status.value, unknown.complete) == ("unknown", False)


def test_deep_searches_get_more_levels() -> None:
    # Without any constraint every cell is a branching: far deeper than the first 32 levels.
    free = Model("free", shape=(60, 2), values=(0, 1))
    session = Native(engine="kernel").session(free.puzzle())
    run = session.run(Progress(), Limits())
    found = {next(run) for _ in range(500)}
    assert len(found) == 500


@pytest.mark.parametrize("n_values", [63, 64])
def test_the_kernel_takes_up_to_64_values(n_values: int) -> None:
    row = Model("row", shape=(n_values,), values=range(n_values), constraints=[Unit([(at,) for at in range(n_values)])])
    givens = {(at,): at for at in range(n_values - 2)}
    assert count(row.puzzle(givens), backend=Native(engine="kernel")) == 2


def test_more_than_64_values_are_plain_python_or_refused() -> None:
    row = Model("row", shape=(70,), values=range(70), constraints=[Unit([(at,) for at in range(70)])])
    puzzle = row.puzzle({(at,): at for at in range(68)})
    with pytest.raises(Unsupported, match="at most 64 values"):
        count(puzzle, backend=Native(engine="kernel"))
    for backend in (Native(engine="plain"), Native(), "auto"):
        assert count(puzzle, backend=backend) == 2


def test_numbers_beyond_machine_words_are_plain_python_or_refused() -> None:
    big = 1 << 70
    rule = Sum("abcdefg", 7 * big + 2, [1, 1, 1, 1, 1, 1, 2])
    model_of_it = Model("big", cells="abcdefg", values=(0, 1, 2, big), constraints=[rule])
    with pytest.raises(Unsupported, match="a sum over 7 cells"):
        count(model_of_it, backend=Native(engine="kernel"))
    wanted = sum(sum(row[:6]) + 2 * row[6] == 7 * big + 2 for row in product((0, 1, 2, big), repeat=7))
    assert count(model_of_it) == count(model_of_it, backend=Native(engine="plain")) == wanted > 0


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(ModelError, match="engine is one of auto, plain, kernel"):
        Native(engine="quantum")


def test_no_cells_one_solution() -> None:
    for constraints, number in (([], 1), ([Unit([])], 1)):
        empty = Model("empty", cells=(), values=(1,), constraints=constraints)
        for engine in ENGINES:
            assert count(empty, backend=Native(engine=engine)) == number


def test_grids_where_one_unit_is_a_region_that_equals_a_row() -> None:
    # A region that is a whole row must not be taken for an overlap of two units.
    rules = [rows, columns, boxes(1, 4)]
    assert count(Model("rows twice", shape=(4, 4), values=range(4), constraints=rules)) == 576


@pytest.mark.parametrize("engine", ENGINES)
def test_ctrl_c_stops_a_count(engine: str) -> None:
    progress = Progress()
    timer = threading.Timer(0.5, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        count(model("classic-9"), backend=Native(engine=engine), progress=progress)
    timer.cancel()
    assert progress.found > 0
