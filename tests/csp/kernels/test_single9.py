"""The 9x9 kernel for one grid: its lanes bit by bit, its pass against plain sets, its answers under every limit."""

from __future__ import annotations

import csv
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from nonant import Model, count, solutions, verify, verify_many
from nonant.csp.backends.base import Limits, Progress
from nonant.csp.backends.native import Native, NativeSession
from nonant.csp.batch.run import MULTIPLE, UNIQUE, count_many
from nonant.csp.kernels.classic import masks9, single9
from nonant.csp.kernels.classic import single9_memory as memory
from nonant.csp.kernels.simd import lanes
from nonant.csp.kernels.simd.bits import pointer_to
from nonant.csp.units import boxes, columns, rows
from nonant.models import model
from tests.support.files import shared_file
from tests.support.grid9 import CELLS, SOLVED, broken, solution_mask, units_of
from tests.support.lists import CLASSIC, SAMPLE

CLASSIC9 = model("classic-9")
FAST, SCALAR = Native(engine="kernel"), Native(engine="scalar")
EMPTY, SIX = "." * 81, "92..8.65.6..2.43..3..5.9.72.7.953.......7.......6..5....142..3.....31..6.6.7..1.."
# It has 1,668 solutions.
MANY = SOLVED[:44] + "." * 37
DIGIT_LANES = [memory.lane_of(digit) for digit in range(9)]


# -- the lanes ---------------------------------------------------------------------------------------------------------


def test_digits_stand_three_to_a_quarter() -> None:
    assert DIGIT_LANES == [0, 1, 2, 4, 5, 6, 8, 9, 10]
    assert sum(1 << lane for lane in DIGIT_LANES) == single9.DIGIT_LANES


def test_constants_in_memory() -> None:
    stack, work = memory.workspace()
    assert len(stack) == memory.STACK_WORDS
    assert not stack[: memory.MASKS].any()
    assert not work.any()
    masks = stack[memory.MASKS : memory.NAMES_AT].reshape(masks9.N_MASKS, memory.LANES)
    assert (masks == np.array(masks9.mask_rows())[:, None]).all()
    names = [masks9.names_of(stacks, number) for stacks in (False, True) for number in range(3)]
    assert stack[memory.NAMES_AT : memory.NAMES_AT + 6].tolist() == names
    assert stack[memory.ARRANGEMENTS_AT :].tolist() == masks9.arrangements().tolist()


@njit
def fold(given_: Any, out_: Any) -> None:
    given, out = pointer_to(given_), pointer_to(out_)
    a, b, c, placed = lanes.load(given, 0), lanes.load(given, 16), lanes.load(given, 32), lanes.load(given, 48)
    once, twice, odd = single9.folded(a, b, c, placed)
    lanes.store(out, 0, once)
    lanes.store(out, 16, twice)
    lanes.store(out, 32, odd)
    spread = single9.spread(once)
    lanes.store(out, 48, spread[0])
    lanes.store(out, 64, spread[1])
    lanes.store(out, 80, spread[2])


def random_words(random: Any, density: float) -> Any:
    """Four vectors of 27-bit words in the lanes of digits, zero in the others."""
    bits = random.random((4, 16, 27)) < density
    words = (bits * (1 << np.arange(27))).sum(axis=2).astype(np.uint32)
    words[:, [lane for lane in range(16) if lane not in DIGIT_LANES]] = 0
    return words


def test_folding_over_the_digits() -> None:
    random = np.random.default_rng(3)
    for density in (0.02, 0.1, 0.3, 0.9):
        given, out = random_words(random, density), np.zeros((6, 16), np.uint32)
        fold(given.ravel(), out.ravel())
        for word in range(3):
            once = twice = odd = 0
            for lane in DIGIT_LANES:
                x = int(given[word, lane])
                once, twice, odd = once | x, twice | once & x, odd ^ x & int(given[3, lane])
            for quarter in range(3):
                assert out[:3, 4 * quarter + word].tolist() == [once, twice, odd]
            assert (out[3 + word, DIGIT_LANES] == once).all()


@njit
def add(given_: Any) -> Any:
    given = pointer_to(given_)
    return single9.added(lanes.load(given, 0), lanes.load(given, 16))


def test_adding_over_the_digits() -> None:
    given = random_words(np.random.default_rng(4), 0.5)[:2] >> np.uint32(8)
    sums = given[:, DIGIT_LANES].sum(axis=1)
    assert list(add(given.ravel())) == sums.tolist()


# -- a pass ------------------------------------------------------------------------------------------------------------


@njit
def one_pass(board_: Any, stack_: Any, out_: Any) -> Any:
    board, stack, out = pointer_to(board_), pointer_to(stack_), pointer_to(out_)
    at = memory_masks
    masks = (
        lanes.load(stack, at),
        lanes.load(stack, at + 16),
        lanes.load(stack, at + 32),
        lanes.load(stack, at + 48),
        lanes.load(stack, at + 64),
        lanes.load(stack, at + 80),
        lanes.load(stack, at + 96),
    )
    a, b, c, placed = lanes.load(board, 0), lanes.load(board, 16), lanes.load(board, 32), lanes.load(board, 48)
    x, y, z, now, is_open, _, _, dead, changed, new = single9.propagate(masks, a, b, c, placed)
    lanes.store(out, 0, x)
    lanes.store(out, 16, y)
    lanes.store(out, 32, z)
    lanes.store(out, 48, now)
    return dead, changed, new, lanes.nonzero_lanes(is_open)


memory_masks = memory.MASKS
WORKSPACE = memory.workspace()[0]


def passed(board: Any) -> tuple[Any, bool, bool, bool, bool]:
    """A board (4, 16) after a pass, and whether it is dead, changed, newly placed, open."""
    out = np.zeros((4, 16), np.uint32)
    told = one_pass(board.ravel(), WORKSPACE, out.ravel())
    return out, *map(bool, told)


def loaded(candidates: Any) -> Any:
    """Candidates (digit, row, column) as a board on which nothing is placed yet."""
    board = np.zeros((4, 16), np.uint32)
    for digit, row, column in np.argwhere(candidates):
        word, bit = masks9.place_of(int(row), int(column))
        board[word, DIGIT_LANES[digit]] |= np.uint32(1 << bit)
    return board


def candidates(board: Any) -> Any:
    found = np.zeros((9, 9, 9), bool)
    for row, column in CELLS:
        word, bit = masks9.place_of(row, column)
        found[:, row, column] = board[word, DIGIT_LANES] >> np.uint32(bit) & 1
    return found


def fixpoint(start: Any) -> tuple[Any, bool, bool]:
    """What passes leave, whether it is dead, whether it is open."""
    board = loaded(start)
    for _ in range(100):
        board, dead, changed, new, is_open = passed(board)
        if dead or not (changed or new):
            return candidates(board), dead, is_open
    raise AssertionError("no fixpoint")


def test_a_pass_keeps_the_solution_and_only_removes() -> None:
    random, truth = np.random.default_rng(0), solution_mask(SOLVED)
    for density in (0.05, 0.2, 0.5, 0.9):
        for _ in range(20):
            board = loaded((random.random((9, 9, 9)) < density) | truth)
            for _ in range(12):
                before = candidates(board)
                board, dead, *_ = passed(board)
                after = candidates(board)
                assert not dead
                assert not (after & ~before).any()
                assert (after | truth == after).all()


def test_a_fixpoint_has_no_single_and_no_locked_candidate_left() -> None:
    random, units = np.random.default_rng(1), units_of()
    for _ in range(30):
        found, dead, _ = fixpoint((random.random((9, 9, 9)) < 0.45) | solution_mask(SOLVED))
        assert not dead
        for cell in CELLS:
            digits = np.flatnonzero(found[:, cell[0], cell[1]])
            if len(digits) == 1:
                for unit in units:
                    assert cell not in unit or sum(found[digits[0], r, c] for r, c in unit) == 1
        for digit in range(9):
            for first in units:
                places = {cell for cell in first if found[digit][cell]}
                assert places
                for second in units:
                    if places <= set(second):
                        assert {cell for cell in second if found[digit][cell]} == places


def test_a_fixpoint_that_is_not_open_is_solved_or_dead() -> None:
    random, solved, dead_ends = np.random.default_rng(5), 0, 0
    for round_ in range(400):
        start = random.random((9, 9, 9)) < 0.08 + 0.1 * random.random()
        if round_ % 2:
            start |= solution_mask(SOLVED)
        found, dead, is_open = fixpoint(start)
        dead_ends += dead
        if not dead and not is_open:
            solved += 1
            assert (found.sum(axis=0) == 1).all()
            assert all(sum(found[digit, r, c] for r, c in unit) == 1 for digit in range(9) for unit in units_of())
    assert solved > 10
    assert dead_ends > 10


def test_dead_boards_are_seen() -> None:
    full = np.ones((9, 9, 9), bool)
    assert not fixpoint(full)[1]
    for gone in (np.s_[:, 4, 4], np.s_[3, 7, :], np.s_[5, :, 2], np.s_[6, 3:6, 6:9]):
        board = full.copy()
        board[gone] = False
        assert fixpoint(board)[1]
    board = full.copy()
    board[:2, 0, 1:] = False  # two digits that have nowhere but one cell
    assert fixpoint(board)[1]


@pytest.mark.parametrize("number", range(2, 10))
def test_several_digits_in_one_cell_are_found_at_once(number: int) -> None:
    board = np.ones((9, 9, 9), bool)
    board[:number, 0, 1:] = False
    only = [int(sum(1 << digit for digit in range(9) if board[digit, row, column])) for row, column in CELLS]
    found, progress = run(FAST.session(CLASSIC9.puzzle()), Limits(), only)
    assert (found, progress.exhausted, progress.nodes) == ([], True, 0)


@njit
def clash(given_: Any, out_: Any) -> None:
    given, out = pointer_to(given_), pointer_to(out_)
    a, b, c, placed = lanes.load(given, 0), lanes.load(given, 16), lanes.load(given, 32), lanes.load(given, 48)
    lanes.store(out, 0, single9.clashing(a, b, c, placed))


def test_clashing_placements() -> None:
    random = np.random.default_rng(8)
    for density in (0.05, 0.2, 0.6):
        given, out = random_words(random, density), np.zeros(16, np.uint32)
        clash(given.ravel(), out)
        for word in range(3):
            cells = [int(given[word, lane]) & int(given[3, lane]) for lane in DIGIT_LANES]
            several = sum(1 << bit for bit in range(27) if sum(x >> bit & 1 for x in cells) > 1)
            assert int(np.bitwise_or.reduce(out[[word, 4 + word, 8 + word]])) == several


# -- the answers -------------------------------------------------------------------------------------------------------


def check_list(name: str, step: int, length: int | None) -> None:
    path = shared_file(f"classic/{name}")
    data: Any = str(path)
    if length is not None:
        import gzip

        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        data = b"\n".join(text.split(b"\n")[:length])
    found = verify_many(data, solutions=True, engine="single9")
    assert set(found.verdicts.tolist()) == {UNIQUE if CLASSIC[name] == 1 else MULTIPLE}
    for at in range(0, len(found), step):
        assert CLASSIC9.holds(tuple(found.solutions[at].tolist())), at
    assert found.counts.tolist() == verify_many(data, engine="lockstep9").counts.tolist()


@pytest.mark.parametrize("name", CLASSIC)
def test_lists(name: str) -> None:
    check_list(name, 100, SAMPLE)


@pytest.mark.long
@pytest.mark.parametrize("name", CLASSIC)
def test_lists_with_every_solution_checked(name: str) -> None:
    check_list(name, 1, None)


@pytest.mark.parametrize("limit", [1, 2, 3, 50, None])
def test_counts_of_tdoku(limit: int | None) -> None:
    with shared_file("edge/tdoku_test_counts.csv").open() as file:
        entries = list(csv.DictReader(line for line in file if not line.startswith("#")))
    found = count_many([entry["puzzle"] for entry in entries], limit=limit, engine="single9")
    wanted = [int(entry["solutions"]) for entry in entries]
    assert found.counts.tolist() == [number if limit is None else min(number, limit) for number in wanted]


@pytest.mark.parametrize("source", ["top1465.txt", "forum_hardest_1106_375.txt", "euler_easy50.txt"])
def test_equals_the_scalar_engine(source: str) -> None:
    lines = [line[:81] for line in shared_file(f"classic/{source}").read_text().split("\n") if len(line) >= 81][:300]
    random = np.random.default_rng(11)
    lines = [broken(line.replace("0", "."), random) for line in lines]
    for limit in (1, 2, 40):
        mine = verify_many(lines, limit=limit, engine="single9")
        assert mine.counts.tolist() == verify_many(lines, limit=limit, engine="one by one").counts.tolist()
    assert {0, 1, 40} <= set(mine.counts.tolist())


def test_bad_lines_are_told() -> None:
    found = verify_many([SOLVED, SOLVED[:80] + "x", "12", EMPTY], engine="single9")
    assert found.counts.tolist() == [1, -1, -1, 2]
    assert [line.line for line in found.bad] == [2, 3]


# -- in the native engine ----------------------------------------------------------------------------------------------


def run(session: NativeSession, limits: Limits, only: Any = None) -> tuple[list[tuple[int, ...]], Progress]:
    progress = Progress()
    return list(session.run(progress, limits, only)), progress


@pytest.mark.parametrize("line", [EMPTY, SIX, MANY, SOLVED, "11" + "." * 79, SOLVED[:80] + "1"])
def test_enumeration_equals_the_scalar_kernel(line: str) -> None:
    puzzle, most = CLASSIC9.puzzle(line), 3_000
    mine = list(solutions(puzzle, most, backend=FAST))
    assert len(set(mine)) == len(mine)
    assert all(CLASSIC9.holds(tuple(place + 1 for place in found.places)) for found in mine)
    other = solutions(puzzle, most, backend=SCALAR)
    theirs = list(other)
    assert len(mine) == len(theirs)
    if other.complete:
        assert set(mine) == set(theirs)
        assert count(puzzle, backend=FAST) == len(theirs)


def test_pencil_marks_and_assumptions() -> None:
    random = np.random.default_rng(6)
    solved = [int(symbol) - 1 for symbol in SOLVED]
    counts = set()
    for round_ in range(60):
        session, other = FAST.session(CLASSIC9.puzzle()), SCALAR.session(CLASSIC9.puzzle())
        keep = random.random((81, 9)) < 0.1 + 0.4 * random.random()
        if round_ % 4:
            keep[range(81), solved] = True
        only = [int(sum(1 << digit for digit in range(9) if row[digit])) for row in keep]
        mine, progress = run(session, Limits(), only)
        theirs, _ = run(other, Limits(), only)
        assert progress.exhausted
        assert len(mine) == len(set(mine)) == len(theirs)
        assert set(mine) == set(theirs)
        counts.add(min(len(mine), 2))
    assert counts == {0, 1, 2}


@pytest.mark.parametrize("nodes", [0, 1, 2, 7, 100, 10_000])
def test_node_limits(nodes: int) -> None:
    progress = Progress()
    found = FAST.session(CLASSIC9.puzzle()).count(progress, Limits(nodes=nodes))
    assert progress.nodes == nodes
    assert not progress.exhausted
    assert found == progress.found


def test_stopping_at_any_branching_loses_and_doubles_nothing() -> None:
    puzzle = CLASSIC9.puzzle(MANY)
    whole, _ = run(FAST.session(puzzle), Limits())
    begin, advance = single9.begin, single9.advance
    domains = np.array(puzzle.domains, np.uint64)
    for step in (1, 2, 3, 50):
        stack, work = memory.workspace()
        begin(stack, work, domains, memory.layout())
        found: list[tuple[int, ...]] = []
        why = memory.SPENT
        while why != memory.EXHAUSTED:
            out, before = np.zeros(5 * 81, np.uint8), int(work[memory.FOUND])
            why = advance(stack, work, step, 5, out)
            found += map(tuple, (out.reshape(5, 81)[: int(work[memory.FOUND]) - before] - 1).tolist())
        assert len(found) == len(whole) > 1_000
        assert set(found) == set(whole)


def test_a_time_limit_ends_an_endless_count() -> None:
    progress = Progress()
    FAST.session(CLASSIC9.puzzle()).count(progress, Limits(seconds=0.2))
    assert not progress.exhausted
    assert progress.found > 0


def test_runs_may_overlap() -> None:
    session = FAST.session(CLASSIC9.puzzle(MANY))
    first, second = session.run(Progress(), Limits()), session.run(Progress(), Limits())
    pairs = [(next(first), next(second)) for _ in range(50)]
    assert all(one == other for one, other in pairs)
    assert len(set(first)) == len(set(second)) > 0


def test_it_is_chosen_by_the_shape_of_the_model() -> None:
    def takes(model_of_it: Model) -> bool:
        return NativeSession(model_of_it.puzzle(), "kernel")._takes_single9()

    letters = Model("letters", shape=(9, 9), values="ABCDEFGHI", constraints=[boxes(3, 3), columns, rows])
    assert takes(CLASSIC9)
    assert takes(letters)
    assert verify(letters.puzzle("".join("." if s == "." else "ABCDEFGHI"[int(s) - 1] for s in SIX)), backend=FAST)
    assert not NativeSession(CLASSIC9.puzzle(), "scalar")._takes_single9()
    for other in ("x-9", "latin-9", "classic-4"):
        assert not takes(model(other))
    turned = Model("turned", shape=(9, 9), values=range(1, 10), constraints=[rows, columns, boxes(1, 9)])
    assert not takes(turned)


# -- other processors --------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the features are those of x86-64")
@pytest.mark.parametrize("features", ["+avx2,+bmi,+bmi2,+lzcnt,+popcnt,+sse4.2", "+popcnt,+sse4.2"])
def test_narrower_registers(features: str, tmp_path: Path) -> None:
    path = shared_file("classic/top1465.txt")
    code = f"from nonant import verify_many\nprint(set(verify_many({str(path)!r}, engine='single9').counts.tolist()))"
    cpu = "haswell" if "avx2" in features else "nehalem"
    environment = {**os.environ, "NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": features, "NONANT_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=600)
    assert done.stdout == "{1}\n", done.stderr
