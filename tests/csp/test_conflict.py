from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from nonant.csp.backends.base import Limits
from nonant.csp.conflict import minimal_conflict
from nonant.csp.model import Model, Parity, Puzzle, Sum, Unit
from nonant.csp.plain.search import Budget, Searcher
from nonant.csp.units import boxes, columns, rows
from tests.support.files import shared_file
from tests.support.random_models import brute_force, random_puzzle

CLASSIC = Model("classic", shape=(9, 9), values=range(1, 10), constraints=[rows, columns, boxes(3, 3)])
SEARCHER = Searcher(CLASSIC.compiled)


def with_givens(puzzle: Puzzle, cells: tuple[str, ...]) -> Puzzle:
    """The puzzle with only these givens."""
    kept = {puzzle.model.index(cell) for cell in cells}
    givens = tuple(given if at in kept else None for at, given in enumerate(puzzle.givens))
    return Puzzle(puzzle.model, givens, puzzle.marks)


def solvable(puzzle: Puzzle) -> bool:
    """By plain search, which shares nothing with the SAT solver that found the conflict."""
    budget = Budget(nodes=20_000)
    found = next(SEARCHER.run([SEARCHER.board(puzzle.domains)], budget), None)
    assert found is not None or not budget.out()
    return found is not None


def contradictory(number: int) -> list[Puzzle]:
    """Hard and easy puzzles in turn, one given added or altered so that no solution is left."""
    hard = shared_file("classic/forum_hardest_1106_375.txt").read_text().split()
    easy = shared_file("classic/euler_easy50.txt").read_text().split()
    made: list[Puzzle] = []
    for seed in range(number):
        random, line = Random(seed), list((hard, easy)[seed % 2][seed // 2][:81].replace("0", "."))
        while True:
            changed = line.copy()
            cell = random.choice([at for at in range(81) if (line[at] == ".") == (seed % 3 > 0)])
            changed[cell] = random.choice("123456789")
            puzzle = CLASSIC.puzzle("".join(changed))
            if changed != line and not solvable(puzzle):
                made.append(puzzle)
                break
    return made


def test_fifty_contradictory_puzzles_have_minimal_conflicts() -> None:
    sizes = set()
    for puzzle in contradictory(50):
        conflict = minimal_conflict(puzzle)
        assert conflict is not None
        assert conflict.minimal
        assert not solvable(with_givens(puzzle, conflict.cells)), puzzle.line
        for left_out in conflict.cells:
            rest = tuple(cell for cell in conflict.cells if cell != left_out)
            assert solvable(with_givens(puzzle, rest)), (puzzle.line, left_out)
        sizes.add(len(conflict.cells))
    assert min(sizes) == 2
    assert max(sizes) > 5


def test_the_constraints_named_suffice_and_each_is_needed() -> None:
    for puzzle in contradictory(6):
        conflict = minimal_conflict(puzzle)
        assert conflict is not None
        involved = [unit for unit in CLASSIC.constraints if unit.name in conflict.constraints]
        assert len(involved) == len(conflict.constraints) > 0
        kept = with_givens(puzzle, conflict.cells)
        assert minimal_conflict(Model("part", (9, 9), None, range(1, 10), involved).puzzle(list(kept.line))) is not None
        for left_out in involved:
            others = [unit for unit in involved if unit is not left_out]
            smaller = Model("part", (9, 9), None, range(1, 10), others).puzzle(list(kept.line))
            assert minimal_conflict(smaller) is None


def test_the_smallest_conflict() -> None:
    for puzzle in contradictory(20):
        conflict, smallest = minimal_conflict(puzzle), minimal_conflict(puzzle, smallest=True)
        assert conflict is not None
        assert smallest is not None
        assert smallest.smallest
        assert len(smallest.cells) <= len(conflict.cells)
        assert not solvable(with_givens(puzzle, smallest.cells))


def test_random_models_against_brute_force() -> None:
    for seed in range(200):
        puzzle = random_puzzle(seed)
        expected = not brute_force(puzzle)
        conflict = minimal_conflict(puzzle, smallest=True)
        assert (conflict is not None) == expected, f"seed {seed}"
        if conflict is None:
            continue
        assert conflict.minimal
        assert conflict.smallest
        assert not brute_force(with_givens(puzzle, conflict.cells)), f"seed {seed}"
        names = [puzzle.model.names[at] for at, given in enumerate(puzzle.givens) if given is not None]
        for fewer in combinations(names, len(conflict.cells) - 1) if conflict.cells else ():
            assert brute_force(with_givens(puzzle, fewer)), f"seed {seed}: {fewer} clash already"


def test_no_conflict_where_there_is_a_solution() -> None:
    assert minimal_conflict(CLASSIC.puzzle("1" + "." * 80)) is None


def test_two_equal_givens_of_a_row() -> None:
    conflict = minimal_conflict(CLASSIC.puzzle({"r1c1": 4, "r5c5": 1, "r1c9": 4, "r9c1": 7}), smallest=True)
    assert conflict is not None
    assert (conflict.cells, conflict.constraints) == (("r1c1", "r1c9"), ("row 1",))


def test_rules_that_nothing_satisfies() -> None:
    never = Model("never", cells="abc", values=(0, 1), constraints=[Unit("abc", "too many"), Parity("ab", odd=True)])
    conflict = minimal_conflict(never.puzzle({"a": 1}))
    assert conflict is not None
    assert (conflict.cells, conflict.constraints) == ((), ("too many",))


def test_a_constraint_without_a_name_and_one_too_large_for_clauses() -> None:
    pair = Model("pair", cells="ab", values=(1, 2), constraints=[Unit("ab")])
    conflict = minimal_conflict(pair.puzzle({"a": 1, "b": 1}))
    assert conflict is not None
    assert conflict.constraints == ("unit of a, b",)
    wide = Model("wide", cells=range(30), values=(0, 1), constraints=[Sum(range(30), 1)])
    conflict = minimal_conflict(wide.puzzle({0: 0, 3: 1, 7: 1}), smallest=True)
    assert conflict is not None
    assert (conflict.cells, conflict.constraints, conflict.smallest) == (("3", "7"), (), True)


@pytest.mark.parametrize("seconds", [0.0, 0.02])
def test_a_limit_is_told(seconds: float) -> None:
    puzzle = contradictory(1)[0]
    conflict = minimal_conflict(puzzle, smallest=True, limits=Limits(seconds=seconds))
    if conflict is not None and not conflict.minimal:
        assert not conflict.smallest
    assert seconds or conflict is None
