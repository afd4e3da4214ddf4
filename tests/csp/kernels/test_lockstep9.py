"""The 9x9 batch kernel: its layout bit by bit, its rules against plain sets, its answers against the scalar engine."""

from __future__ import annotations

import csv
import os
import platform
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from nonant import count, verify_many
from nonant.csp.backends.native import Native
from nonant.csp.batch.run import MULTIPLE, UNIQUE, count_many, solve_many
from nonant.csp.kernels.classic import lockstep9_memory, masks9, rules9
from nonant.csp.kernels.simd import lanes
from nonant.csp.kernels.simd.bits import pointer_to
from nonant.models import model
from tests.support.files import ROOT, shared_file
from tests.support.grid9 import CELLS, SOLVED, broken, solution_mask, units_of
from tests.support.lists import CLASSIC, SAMPLE

CLASSIC9 = model("classic-9")


# -- the layout --------------------------------------------------------------------------------------------------------


def test_each_cell_has_its_own_bit() -> None:
    places = [masks9.place_of(*cell) for cell in CELLS]
    assert sorted(places) == [(word, bit) for word in range(3) for bit in range(27)]


def test_reading_and_writing_orders() -> None:
    to_bytes = masks9.bytes_of_cells()
    for cell, (row, column) in enumerate(CELLS):
        word, bit = masks9.place_of(row, column)
        assert masks9.cells_of_word(word)[bit] == cell
        assert to_bytes[cell] == 32 * word + bit


def test_slots_are_lines_stacks_and_bands() -> None:
    for row, column in CELLS:
        _, bit = masks9.place_of(row, column)
        for number in range(3):
            assert bool(masks9.slots(masks9.OUTER, number) >> bit & 1) == (row % 3 == number)
            assert bool(masks9.slots(masks9.MIDDLE, number) >> bit & 1) == (column // 3 == number)
            assert bool(masks9.slots(masks9.INNER, number) >> bit & 1) == (row // 3 == number)
    assert masks9.slots(masks9.OUTER, 0, 1, 2) == masks9.ALL


def cells_in(words: Any) -> set[tuple[int, int]]:
    return {cell for cell in CELLS if words[masks9.place_of(*cell)[0]] >> masks9.place_of(*cell)[1] & 1}


@pytest.mark.parametrize("stacks", [False, True])
def test_arrangements_are_the_permutations(stacks: bool) -> None:
    for group in range(3):
        names = masks9.names_of(stacks, group)
        found = set()
        for name in range(masks9.NAMES):
            left = cells_in(masks9.arrangement(stacks, name))
            inside = {(row, column) for row, column in CELLS if (column if stacks else row) // 3 == group}
            if names >> name & 1:
                assert left >= set(CELLS) - inside
                if stacks:  # the band of each column
                    found.add(
                        tuple({row // 3 for row, column in left & inside if column % 3 == at}.pop() for at in range(3))
                    )
                    assert len(left & inside) == 9
                else:  # the stack of each row
                    found.add(
                        tuple({column // 3 for row, column in left & inside if row % 3 == at}.pop() for at in range(3))
                    )
                    assert len(left & inside) == 9
        assert found == set(permutations(range(3)))
    assert sum(masks9.names_of(stacks, group) for group in range(3)) == (1 << masks9.NAMES) - 1


# -- the rules ---------------------------------------------------------------------------------------------------------


@njit
def pass_over(board_: Any) -> Any:
    return rules9.propagate(pointer_to(board_))


def loaded(boards: Any) -> Any:
    """Candidates (lane, digit, row, column) as a board."""
    board = lanes.aligned(lockstep9_memory.BOARD_WORDS, np.uint32)
    board[lockstep9_memory.MASKS :] = np.repeat(np.array(masks9.mask_rows(), np.uint32), lockstep9_memory.LANES)
    for lane, digit, row, column in np.argwhere(boards):
        word, bit = masks9.place_of(int(row), int(column))
        board[(3 * digit + word) * lockstep9_memory.LANES + lane] |= 1 << bit
    return board


def candidates(board: Any) -> Any:
    found = np.zeros((lockstep9_memory.LANES, 9, 9, 9), bool)
    for row, column in CELLS:
        word, bit = masks9.place_of(row, column)
        for digit in range(9):
            words = board[(3 * digit + word) * lockstep9_memory.LANES :][: lockstep9_memory.LANES]
            found[:, digit, row, column] = words >> bit & 1
    return found


def fixpoint(start: Any) -> tuple[Any, Any, Any, Any]:
    board = loaded(start)
    for _ in range(60):
        dead, changed, is_open, new = pass_over(board)
        if not (changed | new) & ~dead:
            break
    return candidates(board), dead, is_open, board


def test_a_pass_keeps_the_solution_and_only_removes() -> None:
    random = np.random.default_rng(0)
    truth = solution_mask(SOLVED)
    for density in (0.05, 0.2, 0.5, 0.9):
        start = (random.random((lockstep9_memory.LANES, 9, 9, 9)) < density) | truth
        board = loaded(start)
        assert (candidates(board) == start).all()
        for _ in range(30):
            before = candidates(board)
            dead, *_ = pass_over(board)
            after = candidates(board)
            assert dead == 0
            assert not (after & ~before).any()
            assert (after | truth == after).all()


def test_a_fixpoint_has_no_single_and_no_locked_candidate_left() -> None:
    random = np.random.default_rng(1)
    start = (random.random((lockstep9_memory.LANES, 9, 9, 9)) < 0.45) | solution_mask(SOLVED)
    found, dead, _, _ = fixpoint(start)
    assert dead == 0
    units = units_of()
    for lane in range(lockstep9_memory.LANES):
        for cell in CELLS:
            digits = np.flatnonzero(found[lane, :, cell[0], cell[1]])
            if len(digits) == 1:
                for unit in units:
                    if cell in unit:
                        assert sum(found[lane, digits[0], r, c] for r, c in unit) == 1
        for digit in range(9):
            for first in units:
                places = {cell for cell in first if found[lane, digit][cell]}
                assert places
                for second in units:
                    if places <= set(second):
                        assert {cell for cell in second if found[lane, digit][cell]} == places


def test_dead_boards_are_seen() -> None:
    full = np.ones((lockstep9_memory.LANES, 9, 9, 9), bool)
    full[1, :, 4, 4] = False  # a cell with nothing
    full[2, 3, 7, :] = False  # a row without a digit
    full[3, 5, :, 2] = False  # a column
    full[4, 6, 3:6, 6:9] = False  # a box
    full[5, 0, 0, 1:] = full[5, 0, 1:, 0] = False
    full[5, 0, 0, 0] = full[5, 0, 5, 5] = True
    full[6, :7, 0, 0:3] = False  # a minirow that two digits can enter
    _, dead, is_open, _ = fixpoint(full)
    assert int(dead) & 0x7E == 0x5E
    assert is_open & 1


@njit
def choose_for(board_: Any) -> None:
    rules9.choose(pointer_to(board_))


def test_the_choice_has_two_arrangements_in_the_barest_band() -> None:
    random = np.random.default_rng(2)
    start = (random.random((lockstep9_memory.LANES, 9, 9, 9)) < 0.4) | solution_mask(SOLVED)
    found, _, _, board = fixpoint(start)
    choose_for(board)
    chosen = 0
    for lane in range(lockstep9_memory.LANES):
        possible = {}
        for stacks in (False, True):
            for group in range(3):
                for digit in range(9):
                    possible[stacks, group, digit] = ways(found[lane, digit], stacks, group)
        totals = {key: sum(len(possible[*key, digit]) for digit in range(9)) for key in product_of_groups()}
        best = min((total for total in totals.values() if total > 9), default=0)
        choice = int(board[lockstep9_memory.CHOICE + lane])
        if not choice:
            continue
        chosen += 1
        names, digit = choice & (1 << masks9.NAMES) - 1, choice >> rules9.DIGIT_SHIFT & 15
        stacks = bool(choice >> rules9.STACKS_SHIFT)
        groups = [group for group in range(3) if not names & ~masks9.names_of(stacks, group)]
        assert len(groups) == 1
        assert totals[stacks, groups[0]] == best
        assert {name for name in range(masks9.NAMES) if names >> name & 1} == possible[stacks, groups[0], digit]
        assert names.bit_count() == 2
    assert chosen


def product_of_groups() -> list[tuple[bool, int]]:
    return [(stacks, group) for stacks in (False, True) for group in range(3)]


def ways(grid: Any, stacks: bool, group: int) -> set[int]:
    """The arrangements of a digit that have a candidate in each of their three minirows (or minicolumns)."""
    left = {cell for cell in CELLS if grid[cell]}
    found = set()
    for name in range(masks9.NAMES):
        if masks9.names_of(stacks, group) >> name & 1:
            inside = [
                cell for cell in cells_in(masks9.arrangement(stacks, name)) if cell[1 if stacks else 0] // 3 == group
            ]
            thirds = {cell[1 if stacks else 0] for cell in inside if cell in left}
            if len(thirds) == 3:
                found.add(name)
    return found


# -- the answers -------------------------------------------------------------------------------------------------------


def check_list(name: str, step: int) -> None:
    path = shared_file(f"classic/{name}")
    found = verify_many(str(path), solutions=True)
    assert set(found.verdicts.tolist()) == {UNIQUE if CLASSIC[name] == 1 else MULTIPLE}
    for at in range(0, len(found), step):
        assert CLASSIC9.holds(tuple(found.solutions[at].tolist())), at


@pytest.mark.parametrize("name", CLASSIC)
def test_lists(name: str) -> None:
    check_list(name, SAMPLE)


@pytest.mark.long
@pytest.mark.parametrize("name", CLASSIC)
def test_lists_with_every_solution_checked(name: str) -> None:
    check_list(name, 1)


@pytest.mark.parametrize("limit", [1, 2, 3, 50, None])
def test_counts_of_tdoku(limit: int | None) -> None:
    with shared_file("edge/tdoku_test_counts.csv").open() as file:
        entries = list(csv.DictReader(line for line in file if not line.startswith("#")))
    lines = [entry["puzzle"] for entry in entries] * 3
    wanted = [int(entry["solutions"]) for entry in entries] * 3
    found = count_many(lines, limit=limit)
    assert found.counts.tolist() == [number if limit is None else min(number, limit) for number in wanted]


@pytest.mark.parametrize("source", ["top1465.txt", "forum_hardest_1106_375.txt", "euler_easy50.txt"])
def test_equals_the_scalar_engine(source: str) -> None:
    lines = [line[:81] for line in shared_file(f"classic/{source}").read_text().split("\n") if len(line) >= 81][:300]
    random = np.random.default_rng(7)
    lines = [broken(line.replace("0", "."), random) for line in lines]
    for limit in (1, 2, 40):
        mine = verify_many(lines, limit=limit)
        assert mine.counts.tolist() == verify_many(lines, limit=limit, engine="one by one").counts.tolist()
    assert {0, 1, 40} <= set(mine.counts.tolist())
    solved = solve_many(lines)
    for line, number, solution in zip(lines, solved.counts, solved.solutions, strict=True):
        if number:
            assert CLASSIC9.holds(tuple(solution.tolist()))
            assert all(symbol in (".", str(digit)) for symbol, digit in zip(line, solution.tolist(), strict=True))
        else:
            assert not solution.any()


def test_equals_the_plain_search() -> None:
    line = "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9"
    assert verify_many([line]).counts.tolist() == [1]
    empty = "." * 81
    assert count_many([empty, line, empty], limit=1000).counts.tolist() == [1000, 1, 1000]
    six = "92..8.65.6..2.43..3..5.9.72.7.953.......7.......6..5....142..3.....31..6.6.7..1.."
    assert count_many([six]).counts.tolist() == [count(CLASSIC9.puzzle(six), backend=Native(engine="plain"))] == [6]


# -- other processors --------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the features are those of x86-64")
@pytest.mark.parametrize("width", ["avx2", "sse"])
def test_narrower_registers(width: str, tmp_path: Path) -> None:
    shared_file("classic/top1465.txt")
    path = ROOT / "benchmarks" / "speed.py"
    command = [sys.executable, str(path), "--prototypes", "", "--rounds", "1", "--width", width]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr  # it asserts that every puzzle of five lists has one solution
    assert len(done.stdout.splitlines()) == 7
