from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from itertools import islice
from random import Random
from threading import active_count
from time import perf_counter, sleep

import pytest

from nonant.csp.backends.base import Backend, Limits, Progress
from nonant.csp.backends.cpsat import BACKEND
from nonant.csp.errors import Unsupported
from nonant.csp.model import Model, Puzzle, Sum, Unit
from nonant.csp.units import boxes, columns, rows
from tests.support.files import ROOT, shared_file
from tests.support.random_models import brute_force, random_only, random_puzzle

CLASSIC = Model("classic", shape=(9, 9), values=range(1, 10), constraints=[rows, columns, boxes(3, 3)])
HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."


def run(puzzle: Puzzle) -> tuple[list[tuple[int, ...]], Progress]:
    progress = Progress()
    return list(BACKEND.session(puzzle).run(progress, Limits())), progress


def magic() -> Puzzle:
    """Magic squares of order 6: sums that keep CP-SAT busy for long."""
    cells = [(row, column) for row in range(6) for column in range(6)]
    lines = [[cell for cell in cells if cell[axis] == at] for axis in (0, 1) for at in range(6)]
    sums = [Sum(line, 111) for line in lines]
    return Model("magic", shape=(6, 6), values=range(1, 37), constraints=[Unit(cells), *sums]).puzzle()


def test_the_backend_keeps_the_interface() -> None:
    assert isinstance(BACKEND, Backend)
    assert BACKEND.name == "cpsat"
    assert BACKEND.why_not(CLASSIC) is None


def test_no_import_of_ortools_before_a_session_opens() -> None:
    code = "import sys, nonant.csp.backends.cpsat; assert not any(name.startswith('ortools') for name in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("block", range(6))
def test_random_models_against_brute_force(block: int) -> None:
    for seed in range(50 * block, 50 * block + 50):
        puzzle = random_puzzle(seed)
        expected = brute_force(puzzle)
        session = BACKEND.session(puzzle)
        if len(expected) <= 600:
            progress = Progress()
            found = list(session.run(progress, Limits()))
            assert len(found) == len(set(found)), f"seed {seed}: a solution came twice"
            assert (set(found), progress.exhausted) == (expected, True), f"seed {seed}"
        only = random_only(puzzle, Random(seed))
        left = {row for row in expected if all(mask >> at & 1 for mask, at in zip(only, row, strict=True))}
        progress = Progress()
        found = list(islice(session.run(progress, Limits(), only), 50))
        assert len(found) == len(set(found)), f"seed {seed}, only {only}"
        assert set(found) <= left if len(found) == 50 else set(found) == left, f"seed {seed}, only {only}"
        assert progress.exhausted or len(found) == 50, f"seed {seed}, only {only}"


@pytest.mark.long
def test_many_random_models_against_brute_force() -> None:
    for seed in range(300, 3000):
        puzzle = random_puzzle(seed)
        expected = brute_force(puzzle)
        if len(expected) <= 2000:
            found, progress = run(puzzle)
            assert (sorted(found), progress.exhausted) == (sorted(expected), True), f"seed {seed}"


def test_no_cells_have_one_solution() -> None:
    empty = Model("empty", cells=(), values=(1, 2))
    assert run(empty.puzzle()) == ([()], Progress(exhausted=True))
    never = Model("never", cells=(), values=(1, 2), constraints=[Sum((), 1)])
    assert run(never.puzzle()) == ([], Progress(exhausted=True))


def test_contradictory_givens() -> None:
    found, progress = run(CLASSIC.puzzle("11" + "." * 79))
    assert not found
    assert progress.exhausted


def test_runs_may_overlap_and_be_abandoned() -> None:
    latin = Model("latin", shape=(3, 3), values=(1, 2, 3), constraints=[rows, columns])
    session = BACKEND.session(latin.puzzle())
    threads = active_count()
    every, some = Progress(), Progress()
    first, second = session.run(every, Limits()), session.run(some, Limits(), (1, *[7] * 8))
    abandoned = session.run(Progress(), Limits())
    next(abandoned)
    mixed = ([next(first)], [next(second)])
    del abandoned
    mixed[1].extend(second)
    mixed[0].extend(first)
    assert (len(mixed[0]), len(set(mixed[0])), every.exhausted) == (12, 12, True)
    assert (len(mixed[1]), len(set(mixed[1])), some.exhausted) == (4, 4, True)
    assert session.count(Progress(), Limits()) == 12
    assert active_count() == threads  # the abandoned solver has stopped


def test_count_stops_where_told() -> None:
    session = BACKEND.session(Model("free", cells="abc", values=(0, 1)).puzzle())
    progress = Progress()
    assert session.count(progress, Limits(), most=8) == 8
    assert not progress.exhausted
    progress = Progress()
    assert session.count(progress, Limits(), most=9) == 8
    assert progress.exhausted


@pytest.mark.parametrize("seconds", [0.0, 0.3, 1.0])
def test_time_limits(seconds: float) -> None:
    session = BACKEND.session(magic())
    taken = []
    for _ in range(3):  # the machine may be busy with other things: the best of three
        progress = Progress()
        started = perf_counter()
        list(session.run(progress, Limits(seconds=seconds)))
        taken.append(perf_counter() - started)
        assert not progress.exhausted
        if taken[-1] <= seconds * 1.1 + 0.2:
            break
    assert min(taken) <= seconds * 1.1 + 0.2


def test_a_limit_on_conflicts() -> None:
    progress = Progress()
    list(BACKEND.session(magic()).run(progress, Limits(nodes=50)))
    assert progress.nodes <= 60
    assert not progress.exhausted


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
def test_ctrl_c_ends_a_run_and_leaves_the_session_usable() -> None:
    code = """
        import sys
        sys.path.insert(0, {root!r})
        from tests.csp.backends.test_cpsat import BACKEND, Limits, Progress, magic
        session = BACKEND.session(magic())
        print("ready", flush=True)
        try:
            list(session.run(Progress(), Limits(seconds=20)))
        except KeyboardInterrupt:
            list(session.run(Progress(), Limits(seconds=0.1)))
            print("interrupted")
    """
    script = textwrap.dedent(code).format(root=str(ROOT))
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    sleep(0.5)
    started = perf_counter()
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=15)
    assert rest == "interrupted\n"
    assert perf_counter() - started < 3


def test_a_run_left_open_does_not_disturb_the_end_of_the_process() -> None:
    code = """
        import sys
        sys.path.insert(0, {root!r})
        from tests.csp.backends.test_cpsat import BACKEND, CLASSIC, Limits, Progress
        run = BACKEND.session(CLASSIC.puzzle()).run(Progress(), Limits())
        next(run)
    """
    script = textwrap.dedent(code).format(root=str(ROOT))
    subprocess.run([sys.executable, "-c", script], check=True, timeout=20)


def test_numbers_without_a_common_step_and_sums_that_could_overflow() -> None:
    cells = tuple(range(9))
    odd = Model("odd", cells=cells, values=(-5, 1, 2, 40), constraints=[Sum(cells, 40 * 8 - 5, [1] * 9)])
    found, progress = run(odd.puzzle())
    assert (len(found), progress.exhausted) == (9, True)
    large = Model("large", cells=cells, values=(0, 2**60, 2**61), constraints=[Sum(cells, 2**61)])
    with pytest.raises(Unsupported, match="scale it down"):
        BACKEND.session(large.puzzle())


def test_hard_puzzles_are_unique() -> None:
    lines = shared_file("classic/forum_hardest_1106_375.txt").read_text().split()[:10]
    for line in lines:
        found, progress = run(CLASSIC.puzzle(line[:81]))
        assert (len(found), progress.exhausted) == (1, True), line
