"""The parity system inside the native engine: sound against brute force, complete against elimination, and worth it."""

from __future__ import annotations

from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from nonant import Model, Parity, Unit, count, solve
from nonant.csp.algebra import bitrows
from nonant.csp.algebra.parity_system import parity_system
from nonant.csp.backends.base import Limits, Progress
from nonant.csp.backends.native import Native
from nonant.csp.kernels.scalar import parity as kernel
from nonant.csp.model import Puzzle
from nonant.csp.plain.search import Searcher
from nonant.csp.units import boxes, columns, rows
from tests.support.random_models import brute_force, random_only

ENGINES = ("plain", "kernel")
VALUES = ((0, 1), (1, 2, 3), (0, 1, 2, 3), (2, 5, 9), (-3, -1, 0, 4), (1, 3, 5), (2, 4))


def mixed_puzzle(seed: int) -> Puzzle:
    """Many parities, a few units, some givens and pencil marks: a small puzzle, a function of the seed."""
    random = Random(seed)
    values = random.choice(VALUES)
    number = random.randint(2, 10 if len(values) == 2 else 6)
    cells = tuple(f"v{at}" for at in range(number))
    constraints: list[Any] = [
        Unit(tuple(random.sample(cells, min(number, len(values) - (random.random() < 0.3)))))
        for _ in range(random.randint(0, 3))
    ]
    for _ in range(random.randint(1, 8)):
        constraints.append(Parity(tuple(random.sample(cells, random.randint(1, number))), odd=random.random() < 0.5))
    random.shuffle(constraints)
    model = Model(f"mixed {seed}", cells=cells, values=values, constraints=constraints)
    givens = {cell: random.choice(values) for cell in cells if random.random() < 0.06}
    marks = {cell: random.sample(values, random.randint(1, len(values))) for cell in cells if random.random() < 0.15}
    return model.puzzle(givens, marks)


def check_seed(seed: int) -> None:
    puzzle = mixed_puzzle(seed)
    wanted, only = brute_force(puzzle), random_only(puzzle, Random(seed))
    for engine in ENGINES:
        session, progress = Native(engine=engine).session(puzzle), Progress()
        found = list(session.run(progress, Limits()))
        assert progress.exhausted, f"seed {seed}, {engine}"
        assert len(found) == len(wanted), f"seed {seed}, {engine}"
        assert set(found) == wanted, f"seed {seed}, {engine}"
        assert set(session.run(Progress(), Limits(), only)) == brute_force(puzzle, only), f"seed {seed}, {engine}, only"


@pytest.mark.parametrize("start", range(0, 1500, 500))
def test_mixed_models_equal_brute_force(start: int) -> None:
    for seed in range(start, start + 500):
        check_seed(seed)


@pytest.mark.long
@pytest.mark.parametrize("start", range(10_000, 40_000, 5_000))
def test_many_mixed_models_equal_brute_force(start: int) -> None:
    for seed in range(start, start + 5_000):
        check_seed(seed)


# -- complete ----------------------------------------------------------------------------------------------------------


def implied(equations: list[tuple[list[int], bool]], decided: dict[int, bool], n: int) -> dict[int, bool] | None:
    """What elimination from scratch says about each undecided variable; None for a contradiction."""
    side, lines = 1 << n, []
    for cells, odd in equations:
        row = int(odd) << n
        for cell in cells:
            row ^= decided[cell] * side if cell in decided else 1 << cell
        lines.append(row)
    form, pivots = bitrows.reduced(lines, n + 1)
    if pivots and pivots[-1] == n:
        return None
    return {pivot: bool(row & side) for row, pivot in zip(form, pivots, strict=True) if row & ~side == 1 << pivot}


def random_system(random: Random, n: int, widest: int) -> list[tuple[list[int], bool]]:
    hidden = [random.random() < 0.5 for _ in range(n)]
    scopes = [random.sample(range(n), random.randint(2, widest)) for _ in range(random.randint(2, n))]
    return [(scope, sum(hidden[cell] for cell in scope) % 2 == 1) for scope in scopes]


@pytest.mark.parametrize("n", [8, 40, 63, 64, 65, 130])
def test_the_kernel_finds_all_that_is_implied_back_and_forth(n: int) -> None:
    """A walk that decides cells and goes back; the system itself is never restored."""
    random = Random(n)
    for _ in range(12):
        equations = random_system(random, n, 5)
        system = parity_system([], equations, 1)
        assert system is not None
        area = kernel.packed(system)
        stack: list[dict[int, bool]] = [{}]
        for _ in range(60):
            if len(stack) > 1 and random.random() < 0.3:
                stack.pop()
            decided = dict(stack[-1])
            open_cells = [cell for cell in system.cells if cell not in decided]
            if not open_cells:
                stack.pop()
                stack = stack or [{}]
                continue
            for cell in random.sample(open_cells, min(len(open_cells), random.randint(1, 3))):
                decided[cell] = random.random() < 0.5
            wanted = implied(equations, decided, n)
            board = np.full(n, 3, np.uint64)
            for cell, odd in decided.items():
                board[cell] = 2 if odd else 1
            number = _look(area, board)
            if wanted is None:
                assert number == kernel.CONTRADICTION
                assert _look(area, board) == kernel.CONTRADICTION, "again, from the same board"
                weights = np.zeros(n, np.int64)
                kernel.blame(area, weights)
                assert weights.any()
                continue
            assert {kernel.decided_cell(area, at) for at in range(number)} == set(wanted)
            assert all(board[cell] == (2 if odd else 1) for cell, odd in wanted.items())
            assert sum(domain != 3 for domain in board.tolist()) == len(decided) + len(wanted)
            assert _look(area, board) == 0, "nothing is new"
            stack.append(decided | wanted)


def _look(area: Any, board: Any) -> int:
    return int(kernel.look(area, board, np.uint64(0b10)))


def test_plain_propagation_finds_all_that_is_implied() -> None:
    random = Random(3)
    for _ in range(60):
        n = random.randint(4, 40)
        equations = random_system(random, n, min(n, 5))
        model = Model("xor", cells=tuple(range(n)), values=(4, 7), constraints=[Parity(*given) for given in equations])
        searcher = model.compiled.once(Searcher)
        decided = {cell: random.random() < 0.5 for cell in range(n) if random.random() < 0.3}
        domains = tuple(1 + decided[cell] if cell in decided else 3 for cell in range(n))
        board, wanted = searcher.propagate(searcher.board(domains)), implied(equations, decided, n)
        if wanted is None:
            assert not board
        else:
            known = decided | wanted
            left = tuple(1 + known[cell] if cell in known else 3 for cell in range(n))
            assert searcher.domains(board) == left


# -- the equations -----------------------------------------------------------------------------------------------------


def test_units_join_the_system_where_parities_touch_them() -> None:
    units = [(0, 1, 2), (2, 3, 4), (7, 8, 9)]
    system = parity_system(units, [((0, 5), True)], odd_values=2)
    assert system is not None
    assert system.cells == (0, 1, 2, 3, 4, 5)  # the third unit shares no cell with any of them
    assert len(system.rows) == 3
    assert parity_system(units, [], 2) is None
    assert parity_system([], [((0, 1), True)], 1) is None, "one parity needs no system"
    assert parity_system([], [((0, 1), True), ((1, 0), False)], 1) is not None
    with patch("nonant.csp.algebra.parity_system.MOST_ENTRIES", 19):
        assert parity_system([], [(range(10), True), ((0, 1), True)], 1) is None, "too large"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_unit_and_a_parity_decide_the_rest_of_the_unit(engine: str) -> None:
    # Of 1..5 three are odd. With the first three cells odd in number, the last two are alike.
    constraints = [Unit(range(5)), Parity((0, 1, 2), True), Parity((3, 5), False), Parity((4, 5), True)]
    impossible = Model("five", cells=tuple(range(6)), values=range(1, 6), constraints=constraints)
    found = solve(impossible, backend=Native(engine=engine))
    assert (found.status.value, found.nodes) == ("none", 0)


# -- what it is for ----------------------------------------------------------------------------------------------------


def planted(seed: int, n: int = 60, n_parities: int = 50, broken: bool = True) -> Model:
    """Wide random parities with a hidden solution, a few units on top, and one parity more that contradicts them."""
    random = Random(seed)
    hidden = [random.randint(0, 1) for _ in range(n)]
    pairs = [pair for pair in zip(range(0, n, 12), range(6, n, 12), strict=False) if hidden[pair[0]] != hidden[pair[1]]]
    scopes = [random.sample(range(n), random.randint(8, 12)) for _ in range(n_parities)]
    parities = [Parity(scope, sum(hidden[cell] for cell in scope) % 2 == 1) for scope in scopes]
    if broken:
        total: set[int] = set()
        for parity in parities[::2]:
            total ^= set(parity.cells)
        parities.append(Parity(sorted(total), sum(parity.odd for parity in parities[::2]) % 2 == 0))
    return Model("planted", cells=tuple(range(n)), values=(0, 1), constraints=[*map(Unit, pairs), *parities])


def test_a_system_that_forward_checking_cannot_refute() -> None:
    model = planted(5)
    with patch("nonant.csp.kernels.scalar.parity.parity_system", return_value=None):
        alone = solve(model, backend=Native(engine="kernel"), node_limit=100_000)
    assert alone.status.value == "unknown"
    for engine in ENGINES:
        together = solve(model, backend=Native(engine=engine))
        assert together.status.value == "none"
        assert together.nodes == 0


def test_a_planted_solution_is_found_without_guessing_wrong() -> None:
    model = planted(6, broken=False)
    plain = count(model, backend=Native(engine="plain"))
    assert plain.complete
    assert plain == count(model, backend=Native(engine="kernel")) > 0
    assert plain.nodes < 2 * plain, "every branch but the last of each leads to a solution"


def test_a_latin_square_with_parities_over_it() -> None:
    rng, side = Random(2), 8
    square = {(row, column): (row + column) % side for row in range(side) for column in range(side)}
    scopes = [rng.sample(sorted(square), 5) for _ in range(40)]
    sums = [sum(square[cell] for cell in scope) % 2 == 1 for scope in scopes]
    total: set[tuple[int, int]] = set()
    for scope in scopes[:21]:
        total ^= set(scope)
    parities = [Parity(scope, odd) for scope, odd in zip(scopes, sums, strict=True)]
    parities.append(Parity(sorted(total), sum(sums[:21]) % 2 == 0))
    model = Model("latin", shape=(side, side), values=range(side), constraints=[rows, columns, *parities])
    for engine in ENGINES:
        found = solve(model, backend=Native(engine=engine), node_limit=50)
        assert found.status.value == "none"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_sudoku_with_parities_counts_the_same_with_and_without(engine: str) -> None:
    parities = [Parity(["r1c1", "r1c2", "r2c3"], True), Parity(["r1c2", "r3c3", "r4c4"], False)]
    model = Model("odd", shape=(4, 4), values=range(1, 5), constraints=[rows, columns, boxes(2, 2), *parities])
    wanted = len(brute_force(model.puzzle()))
    assert wanted > 0
    assert count(model, backend=Native(engine=engine)) == wanted
