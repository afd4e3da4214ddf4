"""A verifier says yes only to values of the model, one a cell; and what is wrong is named where it is wrong."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import nonant
from nonant import Fault, Model, ModelError, Puzzle, Relation, Sum, Unit, fits, is_solved, read, solve
from nonant.csp.faults import faults  # the module has the name of its function
from nonant.models.classic import classic
from tests.support.puzzles import ONE, SOLVED
from tests.support.random_models import brute_force, random_puzzle

CLASSIC = classic(9)
NINE = [int(symbol) for symbol in SOLVED]
ROWS = [NINE[at : at + 9] for at in range(0, 81, 9)]


@pytest.mark.parametrize(
    "good", [NINE, tuple(NINE), ROWS, np.array(ROWS), np.array(NINE, np.uint8), SOLVED, " ".join(SOLVED), iter(NINE)]
)
def test_a_solved_grid_in_every_form_holds(good: Any) -> None:
    assert CLASSIC.holds(good)


@pytest.mark.parametrize(
    "bad",
    [
        [0 if value == 9 else value for value in NINE],
        [None if value == 9 else value for value in NINE],
        ["x" if value == 9 else value for value in NINE],
        [value + 1 for value in NINE],
        SOLVED.replace("9", "."),
        [*NINE, 1, 2, 3],
        SOLVED + "123",
        NINE[:80],
        [1, 2, 3],
        [],
        "",
        None,
        5,
        [[1]] * 81,
        [[1, 2]] * 81,
        {},
        [float("nan")] * 81,
        [{}] * 81,
        b"123",
        NINE[1:] + NINE[:1],
    ],
)
def test_what_is_no_solved_grid_does_not_hold_and_has_a_fault_or_a_gap(bad: Any) -> None:
    assert not CLASSIC.holds(bad)
    assert not fits(CLASSIC, bad)
    board = faults(CLASSIC, bad)
    partial = bad is None or bad == {} or (len(bad) == 81 and not board if isinstance(bad, list | str) else False)
    assert board or partial
    assert all(isinstance(fault, Fault) and fault.reason == str(fault) for fault in board)


def test_a_mapping_of_all_cells_holds() -> None:
    assert CLASSIC.holds(dict(zip(CLASSIC.names, NINE, strict=True)))
    assert not CLASSIC.holds({"r1c1": NINE[0]})


def test_faults_are_named_with_their_cells() -> None:
    puzzle = read(ONE)
    assert faults(puzzle) == ()
    assert faults(puzzle, solve(puzzle).solution) == ()
    solution = solve(puzzle).solution
    assert solution is not None
    wrong: list[Any] = list(solution.in_order())
    assert faults(CLASSIC, [*wrong, 1])[0].reason == "82 values for the 81 cells of classic-9; give one a cell"
    first = next(at for at, given in enumerate(puzzle.givens) if given is not None)
    name, value = CLASSIC.names[first], wrong[first]
    wrong[first] = value % 9 + 1
    found = faults(puzzle, wrong)
    assert Fault((name,), f"{name} is {value % 9 + 1}, the puzzle gives {value}") in found
    assert any(name in fault.cells and "row 1" in fault.reason for fault in found)
    assert not fits(puzzle, wrong)
    wrong[first] = "?"
    found = faults(puzzle, wrong)
    assert [fault.cells for fault in found] == [(name,)]
    assert "'?'" in found[0].reason


def test_partial_boards_have_no_fault_until_something_clashes() -> None:
    board = "1" + "." * 80
    assert faults(CLASSIC, board) == ()
    assert not fits(CLASSIC, board)
    (row, box) = faults(CLASSIC, "11" + "." * 79)
    assert row == Fault(("r1c1", "r1c2"), "r1c1, r1c2 are all 1 in row 1")
    assert box.cells == ("r1c1", "r1c2")


def test_other_rules_are_named_once_their_cells_are_filled() -> None:
    rules = [Unit("ab", "pair"), Sum("abc", 6, name="cage"), Relation("bc", [(1, 2), (2, 3)], "steps")]
    model = Model("three", cells="abc", values=(1, 2, 3), constraints=rules)
    assert model.holds([1, 2, 3])
    assert faults(model, [1, 1, None]) == (Fault(("a", "b"), "a, b are all 1 in pair"),)
    assert [fault.cells for fault in faults(model, [2, 3, 3])] == [("a", "b", "c"), ("b", "c")]
    assert "Sum 'cage'" in str(faults(model, [2, 3, 3])[0])


def test_pencil_marks_count() -> None:
    puzzle = CLASSIC.puzzle(None, {"r1c1": [1, 2]})
    assert [str(fault) for fault in faults(puzzle, "3" + "." * 80)] == ["r1c1 is 3, the pencil marks allow 1 2"]


def test_is_solved() -> None:
    assert is_solved(read(SOLVED))
    assert not is_solved(read(ONE))
    solution = solve(read(ONE)).solution
    assert solution is not None
    assert is_solved(solution)
    assert not is_solved(CLASSIC.puzzle(SOLVED[1:] + SOLVED[:1]))


def test_a_board_of_another_model_does_not_fit() -> None:
    other = solve(read("." * 16)).solution
    assert not fits(CLASSIC, other)
    assert "classic-4" in str(faults(CLASSIC, other)[0])


def test_zero_is_a_value_where_the_model_has_it() -> None:
    model = Model("bits", cells="ab", values=(0, 1), constraints=[Unit("ab")])
    assert model.holds([0, 1])
    assert model.holds("01")
    assert not model.holds([0, 0])


def test_a_failing_predicate_is_no_answer() -> None:
    model = Model("fails", cells="ab", values=(1, 2), constraints=[Relation("ab", lambda a, b: 1 / 0, "bad")])
    with pytest.raises(ModelError, match="predicate of bad fails"):
        model.holds([1, 2])


def test_against_brute_force() -> None:
    random = Random(3)
    for seed in range(150):
        puzzle: Puzzle = random_puzzle(seed)
        model, answers = puzzle.model, set(brute_force(puzzle))
        rows = [tuple(random.choices(range(model.n_values), k=model.n_cells)) for _ in range(60)]
        for row in [*rows, *sorted(answers)[:20]]:
            values = [model.values[at] for at in row]
            assert fits(puzzle, values) == (row in answers), (seed, values)
            assert model.holds(values) == (not faults(model, values)), (seed, values)
    assert nonant.fits is fits
