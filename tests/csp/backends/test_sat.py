from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import textwrap
from itertools import islice
from random import Random
from threading import Thread
from time import perf_counter, sleep

import pytest

from nonant.csp.backends.base import Backend, Limits, Progress
from nonant.csp.backends.sat import BACKEND, Sat
from nonant.csp.errors import BackendUnavailable, Unsupported
from nonant.csp.model import Model, Parity, Puzzle, Sum, Unit
from nonant.csp.plain.search import Budget, Searcher
from nonant.csp.units import boxes, cages, columns, rows
from tests.support.files import ROOT, shared_file
from tests.support.random_models import brute_force, random_only, random_puzzle

CLASSIC = Model("classic", shape=(9, 9), values=range(1, 10), constraints=[rows, columns, boxes(3, 3)])
HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."


def run(puzzle: Puzzle, backend: Sat = BACKEND) -> tuple[list[tuple[int, ...]], Progress]:
    progress = Progress()
    return list(backend.session(puzzle).run(progress, Limits())), progress


def grid(size: int, box: int) -> Model:
    values = range(1, size + 1)
    return Model(f"{size}x{size}", shape=(size, size), values=values, constraints=[rows, columns, boxes(box, box)])


def pigeons(holes: int) -> Puzzle:
    """holes + 1 cells that differ pairwise, `holes` values each: beyond any clause learner for 11 or so."""
    cells = tuple(range(holes + 1))
    pairs = [Unit((a, b)) for a in cells for b in cells if a < b]
    return Model("pigeons", cells=cells, values=range(holes), constraints=pairs).puzzle()


def test_the_backend_keeps_the_interface() -> None:
    assert isinstance(BACKEND, Backend)
    assert BACKEND.name == "sat"
    assert BACKEND.capabilities.cores
    assert BACKEND.why_not(CLASSIC) is None


def test_no_import_of_pysat_before_a_session_opens() -> None:
    code = "import sys, nonant.csp.backends.sat; assert not any(name.startswith('pysat') for name in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("block", range(6))
def test_random_models_against_brute_force(block: int) -> None:
    for seed in range(50 * block, 50 * block + 50):
        puzzle = random_puzzle(seed)
        expected = brute_force(puzzle)
        if len(expected) > 600:
            expected = set()  # enough work; the masks below make it small
        session = BACKEND.session(puzzle)
        if expected:
            progress = Progress()
            found = list(session.run(progress, Limits()))
            assert len(found) == len(set(found)), f"seed {seed}: a solution came twice"
            assert set(found) == expected, f"seed {seed}"
            assert progress.exhausted, f"seed {seed}"
        random = Random(seed)
        for _ in range(3):
            only = random_only(puzzle, random)
            expected = brute_force(puzzle, only)
            progress = Progress()
            found = list(islice(session.run(progress, Limits(), only), 100))
            assert len(found) == len(set(found)), f"seed {seed}, only {only}"
            assert set(found) <= expected if len(found) == 100 else set(found) == expected, f"seed {seed}, only {only}"
            assert progress.exhausted or len(found) == 100, f"seed {seed}, only {only}"


@pytest.mark.long
def test_many_random_models_against_brute_force() -> None:
    for seed in range(300, 5000):
        puzzle = random_puzzle(seed)
        expected = brute_force(puzzle)
        if len(expected) > 2000:
            continue
        found, progress = run(puzzle)
        assert progress.exhausted
        assert len(found) == len(set(found)), f"seed {seed}"
        assert set(found) == expected, f"seed {seed}"


@pytest.mark.parametrize("solver", ["cadical153", "glucose4", "minisat22", "maplechrono"])
def test_other_solvers(solver: str) -> None:
    for seed in range(40):
        puzzle = random_puzzle(seed)
        expected = brute_force(puzzle)
        if len(expected) < 300:
            found, progress = run(puzzle, Sat(solver=solver))
            assert (sorted(found), progress.exhausted) == (sorted(expected), True), f"seed {seed}"
    assert len(run(CLASSIC.puzzle(HARD), Sat(solver=solver))[0]) == 1


def test_an_unknown_solver_is_named() -> None:
    with pytest.raises(BackendUnavailable, match="no such thing"):
        Sat(solver="no such thing").session(CLASSIC.puzzle(HARD))


def test_no_cells_have_one_solution() -> None:
    empty = Model("empty", cells=(), values=(1, 2))
    assert run(empty.puzzle()) == ([()], Progress(exhausted=True))
    never = Model("never", cells=(), values=(1, 2), constraints=[Sum((), 1)])
    assert run(never.puzzle()) == ([], Progress(exhausted=True))


def test_contradictory_givens() -> None:
    found, progress = run(CLASSIC.puzzle("11" + "." * 79))
    assert not found
    assert progress.exhausted


def test_all_solutions_of_a_sudoku_with_many() -> None:
    line = "." * 18 + "3...6....6.92...." + "." * 46  # far too many: take some and stop
    puzzle = CLASSIC.puzzle(line)
    session = BACKEND.session(puzzle)
    found = list(islice(session.run(Progress(), Limits()), 50))
    assert len(set(found)) == 50
    assert all(CLASSIC.holds([CLASSIC.values[place] for place in row]) for row in found)


def test_runs_may_overlap_and_be_abandoned() -> None:
    latin = Model("latin", shape=(3, 3), values=(1, 2, 3), constraints=[rows, columns])
    session = BACKEND.session(latin.puzzle())
    only_first = (1, *[7] * 8)
    every, some = Progress(), Progress()
    first, second = session.run(every, Limits()), session.run(some, Limits(), only_first)
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
    assert session.count(Progress(), Limits()) == 12


def test_count_stops_where_told() -> None:
    session = BACKEND.session(Model("free", cells="abc", values=(0, 1)).puzzle())
    progress = Progress()
    assert session.count(progress, Limits(), most=8) == 8
    assert not progress.exhausted  # nobody asked whether there is a ninth
    progress = Progress()
    assert session.count(progress, Limits(), most=9) == 8
    assert progress.exhausted
    assert session.count(Progress(), Limits(), most=0) == 0


def best_of_three(puzzle: Puzzle, seconds: float) -> float:
    """How long a run under this limit takes; the machine may be busy with other things, so the best of three."""
    session = BACKEND.session(puzzle)
    taken = []
    for _ in range(3):
        progress = Progress()
        started = perf_counter()
        found = list(islice(session.run(progress, Limits(seconds=seconds)), 1))
        taken.append(perf_counter() - started)
        assert not progress.exhausted
        if found or taken[-1] <= seconds * 1.1 + 0.2:
            break
    return min(taken)


@pytest.mark.parametrize("seconds", [0.0, 0.3, 1.0])
def test_time_limits(seconds: float) -> None:
    assert best_of_three(pigeons(12), seconds) <= seconds * 1.1 + 0.2


def test_a_time_limit_holds_for_many_clauses() -> None:
    assert best_of_three(grid(36, 6).puzzle(), 0.5) <= 0.75


def test_a_limit_on_conflicts() -> None:
    progress = Progress()
    assert list(BACKEND.session(pigeons(10)).run(progress, Limits(nodes=500))) == []
    assert 500 <= progress.nodes <= 520  # a slice may end a conflict or two late
    assert not progress.exhausted


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
def test_ctrl_c_ends_a_run_and_leaves_the_session_usable() -> None:
    """In a process of its own: PySAT's own handling would abort it at the second call."""
    code = """
        import sys
        sys.path.insert(0, {root!r})
        from tests.csp.backends.test_sat import BACKEND, Limits, Progress, pigeons
        session = BACKEND.session(pigeons(12))
        print("ready", flush=True)
        try:
            list(session.run(Progress(), Limits(seconds=20)))
        except KeyboardInterrupt:
            list(session.run(Progress(), Limits(nodes=1000)))
            print("interrupted")
    """
    script = textwrap.dedent(code).format(root=str(ROOT))
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    sleep(0.3)
    started = perf_counter()
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=15)
    assert rest == "interrupted\n"
    assert perf_counter() - started < 4


def test_a_session_in_another_thread() -> None:
    found: list[int] = []
    worker = Thread(target=lambda: found.append(len(run(CLASSIC.puzzle(HARD))[0])))
    worker.start()
    worker.join()
    assert found == [1]


def test_cores() -> None:
    session = BACKEND.session(CLASSIC.puzzle("12.......3......." + "4" + "." * 63), assume_givens=True)
    progress = Progress()
    assert session.core(progress, Limits()) is None
    assert progress.exhausted
    row = CLASSIC.puzzle({"r1c1": 5, "r1c7": 3, "r9c9": 8, "r1c9": 5})
    assert BACKEND.session(row, assume_givens=True).core(progress, Limits()) == [0, 8]
    marked = CLASSIC.puzzle({"r1c1": 5, "r2c2": 4}, pencil_marks={"r1c1": (1, 2)})
    assert BACKEND.session(marked, assume_givens=True).core(progress, Limits()) == [0]
    never = Model("never", cells="abc", values=(1, 2), constraints=[Unit("abc")]).puzzle({"a": 1})
    assert BACKEND.session(never, assume_givens=True).core(progress, Limits()) == []


def test_cores_of_random_models_have_no_solution() -> None:
    for seed in range(200):
        puzzle = random_puzzle(seed)
        progress = Progress()
        core = BACKEND.session(puzzle, assume_givens=True).core(progress, Limits())
        assert progress.exhausted
        assert (core is None) == bool(brute_force(puzzle)), f"seed {seed}"
        if core is not None:
            kept = [given if cell in core else None for cell, given in enumerate(puzzle.givens)]
            assert not brute_force(Puzzle(puzzle.model, tuple(kept), puzzle.marks)), f"seed {seed}"


def test_a_sum_too_wide_for_a_diagram_is_refused_with_its_reason() -> None:
    values = [0, *(3**at for at in range(30))]
    wide = Model("wide", cells=range(30), values=values, constraints=[Sum(range(30), 10**9)])
    assert "partial sums" in (BACKEND.why_not(wide) or "")
    with pytest.raises(Unsupported, match="partial sums"):
        BACKEND.session(wide.puzzle())


def test_a_long_sum_and_a_long_parity() -> None:
    cells = tuple(range(40))
    model = Model("long", cells=cells, values=(0, 1), constraints=[Sum(cells, 1), Parity(cells[:20], odd=True)])
    found, progress = run(model.puzzle())
    assert (len(set(found)), len(found), progress.exhausted) == (20, 20, True)


def test_killer_cages() -> None:
    # The cages of a solved grid, two cells each along the rows, and the rest free.
    solved = next(iter(run(CLASSIC.puzzle(HARD))[0]))
    totals = [
        (sum(solved[9 * row + column + step] + 1 for step in (0, 1, 2)), [(row, column + step) for step in (0, 1, 2)])
        for row in range(9)
        for column in (0, 3, 6)
    ]
    killer = Model("killer", shape=(9, 9), values=range(1, 10), constraints=[*CLASSIC.constraints, cages(totals)])
    puzzle = killer.puzzle([place + 1 if at % 3 == 0 else None for at, place in enumerate(solved)])
    searcher = Searcher(killer.compiled)
    expected = [searcher.values(board) for board in searcher.run([searcher.board(puzzle.domains)], Budget())]
    found, progress = run(puzzle)
    assert killer.compiled.cages
    assert solved in found
    assert (sorted(found), progress.exhausted) == (sorted(expected), True)


def test_hard_puzzles_are_unique() -> None:
    lines = shared_file("classic/forum_hardest_1106_375.txt").read_text().split()[:40]
    for line in lines:
        found, progress = run(CLASSIC.puzzle(line[:81]))
        assert (len(found), progress.exhausted) == (1, True), line


@pytest.mark.long
def test_puzzles_with_many_solutions() -> None:
    with gzip.open(shared_file("classic/serg_benchmark_first2000.txt.gz"), "rt") as lines:
        for line in islice(lines, 100):
            session = BACKEND.session(CLASSIC.puzzle(line[:81]))
            assert len(set(islice(session.run(Progress(), Limits()), 2))) == 2
