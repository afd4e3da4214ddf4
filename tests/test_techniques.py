"""Every technique against the library of cases, and its steps against the solution."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from nonant.csp.errors import ModelError
from nonant.csp.proof import bits
from nonant.models import model
from nonant.strategies import TECHNIQUES, Board, explain, find_all, technique
from nonant.strategies.refute import all_truths, refutation
from tests.positions import along, path_of, puzzles, solution_of
from tests.support import shared_file
from tests.technique_library import Case, cases

SLOW = ("franken", "mutant")
# Codes whose stated elimination is a union of several steps here ("dual" patterns, two fish side by side), or a part of
# a step that removes more, or missed: code -> how often. Everything else must be exact.
UNIONS = {"0404": 4, "0405": 5, "0710-3": 1, "0903-1": 1, "0904-2": 1}
SUPERSETS = {"0709-1": 1, "0711-3": 1, "1101": 2}
MISSED = {"0710-2": 1, "0710-4": 2, "0902-1": 1, "0903-1": 2}


def verdict(case: Case) -> str:
    steps = [step for name in case.names for step in find_all(name, case.board)]
    if case.fails:
        return "wrongly found" if steps else "exact"
    found = [sum(1 << place for place in step.places) if case.places else step.removed for step in steps]
    if case.wanted in found:
        return "exact"
    inside = 0
    for gone in found:
        inside |= gone if not gone & ~case.wanted else 0
    if inside == case.wanted:
        return "union"
    return "superset" if any(gone & case.wanted == case.wanted for gone in found) else "missed"


def library(slow: bool) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {
        "union": Counter(),
        "superset": Counter(),
        "missed": Counter(),
        "exact": Counter(),
    }
    for case in cases(shared_file("techniques/reglib_part.txt")):
        if any(name.startswith(SLOW) for name in case.names) == slow:
            found.setdefault(verdict(case), Counter())[case.code] += 1
    return found


def test_the_technique_library() -> None:
    found = library(slow=False)
    assert "wrongly found" not in found
    for kind, allowed in (("union", UNIONS), ("superset", SUPERSETS), ("missed", MISSED)):
        for code, times in found[kind].items():
            assert times <= allowed.get(code, 0), (kind, code, times)
    assert sum(found["exact"].values()) >= 480


@pytest.mark.long
def test_the_large_fish_of_the_library() -> None:
    assert set(library(slow=True)) - {"union", "superset", "missed"} == {"exact"}


SLOW_SEARCHES = (*SLOW, "multi-sector", "almost locked aic", "death", "unique loop")
QUICK = [known.name for known in TECHNIQUES if not known.name.startswith(SLOW_SEARCHES)]


def entailed(names: Sequence[str], boards_a_puzzle: int) -> Counter[str]:
    """Check every step on some boards of every path against the solution; count the steps of each technique."""
    steps: Counter[str] = Counter()
    for at, puzzle in enumerate(puzzles()):
        solution = solution_of(puzzle)
        boards = [board for board, _ in along(path_of(at))]
        # Boards from the first and middle part, where most is open.
        for board in boards[: len(boards) * 3 // 4 : max(1, len(boards) * 3 // 4 // boards_a_puzzle)]:
            for name in names:
                for step in find_all(name, board):
                    steps[name] += 1
                    assert not step.removed & solution, (puzzle.model.name, board.line, step.to_json(board.model))
                    assert all(solution >> place & 1 for place in step.places)
    return steps


def test_every_step_of_every_technique_is_entailed() -> None:
    # find_all verifies each proof; here the solution is the judge of the proofs.
    steps = entailed(QUICK, 2)
    assert sum(steps.values()) > 500
    assert len(steps) > 25


@pytest.mark.long
def test_every_step_of_every_technique_is_entailed_on_many_boards() -> None:
    names = [known.name for known in TECHNIQUES if known.name not in ("mutant jellyfish", "franken jellyfish")]
    assert sum(entailed(names, 12).values()) > 5000


def test_the_cases_that_broke_other_solvers() -> None:
    kept = {
        entry["name"]: entry["input"]
        for entry in json.loads(Path(shared_file("edge/soundness_cases.json")).read_text())
    }
    classic = model("classic-9")
    # Several solutions: no step may remove what some solution has.
    from nonant import solutions

    puzzle = classic.puzzle(kept["multi-solution, uniqueness patterns"])
    known = 0
    for found in solutions(puzzle):
        known |= sum(1 << (cell * 9 + value) for cell, value in enumerate(found.places))
    path = explain(puzzle)
    assert path.result == "stuck"
    assert not any(step.removed & known for step in path.steps)
    # Unique puzzles: uniqueness techniques allowed, and every step kept to the solution.
    for name, rules in (
        ("uniqueness rectangle in X-sudoku (rows, columns, boxes, both diagonals)", model("x-9")),
        ("avoidable rectangle must look at the givens", classic),
        ("WXYZ-Wing with several non-restricted digits", classic),
    ):
        puzzle = rules.puzzle(kept[name])
        solution = solution_of(puzzle)
        path = explain(puzzle, unique=True, max_level=6)
        for number, (board, step) in enumerate(along(path)):
            assert not step.removed & solution, (name, step.technique)
            if number % 9:
                continue
            for other in ("wxyz-wing", "avoidable rectangle", "unique rectangle 1", "hidden rectangle"):
                for found_step in find_all(other, board):
                    assert not found_step.removed & solution, (name, other)


def test_a_branch_that_stalls_proves_nothing() -> None:
    for at, puzzle in enumerate(puzzles()):
        solution = solution_of(puzzle)
        for board, _ in list(along(path_of(at)))[::9]:
            truths = all_truths(board)
            for candidate in list(bits(solution & board.open))[:6]:
                assert refutation(board, candidate, truths, groups=True) is None


def test_an_emptied_cell_is_a_contradiction_that_names_it() -> None:
    board = Board.from_candidates(model("classic-9"), {"r1c1": [5], "r1c2": [5]})
    path = explain(board)
    assert path.result == "contradiction"
    assert path.steps[-1].contradiction
    assert path.check()
    empty = Board.from_candidates(model("classic-4"), {"r2c2": []})
    assert "r2c2 has no value left" in explain(empty).steps[-1].reason


def test_constraints_are_explained() -> None:
    from nonant import Model
    from nonant.csp.units import cages, columns, rows

    rules = [rows, columns, cages([(3, ["r1c1", "r2c1"]), (3, ["r1c2", "r1c3"])])]
    path = explain(Model("small killer", shape=(3, 3), values=(1, 2, 3), constraints=rules))
    assert "constraint" in path.techniques
    assert path.check()


def test_parity_decides_a_small_board() -> None:
    from nonant.csp.constraints import Parity
    from nonant.csp.model import Model

    rules = [Parity("ab", True), Parity("bc", True), Parity("abc", True)]
    path = explain(Model("lights", cells="abc", values=(0, 1), constraints=rules), only=["parity", "naked single"])
    assert path.result == "solved"
    assert path.end.line == "010"


def test_techniques_go_by_name_and_alias() -> None:
    assert technique("X_Wing").name == "x-wing"
    assert technique("pointing").name == "locked candidates"
    with pytest.raises(ModelError, match="did you mean x-wing"):
        technique("x")
    with pytest.raises(ModelError, match="nonant techniques"):
        technique("teleport")
    assert len({known.name for known in TECHNIQUES}) == len(TECHNIQUES)
