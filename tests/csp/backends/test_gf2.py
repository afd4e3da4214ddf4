"""The backend "gf2": brute force on small models, exact counts of huge ones, lazy enumeration, what it refuses."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice
from random import Random
from typing import Any

import pytest

from nonant import Model, Parity, Unit, candidates, count, solutions, solve, verify
from nonant.csp.backends import registry
from nonant.csp.backends.base import Limits, Progress
from nonant.csp.backends.gf2 import BACKEND, Gf2
from nonant.csp.backends.native import Native
from nonant.csp.errors import Unsupported
from nonant.csp.model import Puzzle
from nonant.models import lights_out, model
from tests.support.files import ROOT
from tests.support.random_models import brute_force, random_only

VALUES: tuple[tuple[Any, ...], ...] = (
    (0, 1),
    (0, 1),
    (3, 8),
    (1, 2, 3),
    (0, 1, 2, 3),
    (7,),
    (2, 4),
    (2, 5, 9),
    (-3, -1, 0, 4),
    (1, 3, 5, 6, 8),
    ("a", "b"),
)


def parity_puzzle(seed: int) -> Puzzle:
    """A small puzzle of parities alone, a function of the seed."""
    random = Random(seed)
    values = random.choice(VALUES)
    most = 1
    while len(values) ** (most + 1) <= 5_000 and most < 11:
        most += 1
    number = random.randint(0, most)
    cells = tuple(f"v{at}" for at in range(number))
    constraints = []
    for _ in range(random.randint(0, number) if isinstance(values[0], int) else 0):
        size = 0 if random.random() < 0.05 else random.randint(1, min(number, 5))
        repeats = size and random.random() < 0.15
        chosen = random.choices(cells, k=size) if repeats else random.sample(cells, size)
        constraints.append(Parity(chosen, odd=random.random() < 0.5))
    made = Model(f"parities {seed}", cells=cells, values=values, constraints=constraints)
    givens = {cell: random.choice(values) for cell in cells if random.random() < 0.08}
    marks = {cell: random.sample(values, random.randint(1, len(values))) for cell in cells if random.random() < 0.3}
    return made.puzzle(givens, marks)


def check_seed(seed: int) -> None:
    puzzle = parity_puzzle(seed)
    wanted, session, progress = brute_force(puzzle), BACKEND.session(puzzle), Progress()
    found = list(session.run(progress, Limits()))
    assert progress.exhausted, f"seed {seed}"
    assert len(found) == len(wanted), f"seed {seed}"
    assert set(found) == wanted, f"seed {seed}"
    progress = Progress()
    assert session.count(progress, Limits()) == len(wanted), f"seed {seed}: count"
    assert progress.exhausted, f"seed {seed}: count"
    only = random_only(puzzle, Random(seed))
    assert set(session.run(Progress(), Limits(), only)) == brute_force(puzzle, only), f"seed {seed}: only {only}"
    assert set(session.run(Progress(), Limits())) == wanted, f"seed {seed}: a run left something behind"


def test_equals_brute_force() -> None:
    for seed in range(1500):
        check_seed(seed)


@pytest.mark.long
def test_equals_brute_force_on_many() -> None:
    for seed in range(10_000, 40_000):
        check_seed(seed)


def random_parities(seed: int, n: int, number: int, width: int, values: Any) -> Model:
    """Random parities that a hidden assignment satisfies."""
    random = Random(seed)
    hidden = [random.choice(values) for _ in range(n)]
    scopes = [random.sample(range(n), width) for _ in range(number)]
    parities = [Parity(scope, sum(hidden[cell] for cell in scope) % 2 == 1) for scope in scopes]
    return Model("parities", cells=tuple(range(n)), values=values, constraints=parities)


# -- counting ----------------------------------------------------------------------------------------------------------


def test_counts_are_exact_without_enumerating() -> None:
    chain = [Parity((at, at + 1), bool(at % 3)) for at in range(100)]
    long = Model("long", cells=tuple(range(301)), values=(0, 1), constraints=chain)
    found = count(long)
    assert (int(found), found.complete, found.backend, found.nodes) == (2**201, True, "gf2", 0)
    digits = Model("digits", cells=tuple(range(301)), values=range(10), constraints=chain)
    assert count(digits) == 2**201 * 5**301
    limited = count(long, limit=10)
    assert (int(limited), limited.complete) == (10, False)
    free = Model("free", cells=tuple(range(50)), values=(1, 2, 3))
    assert count(free) == 3**50


def test_uneven_values_are_counted_by_the_smaller_of_code_and_dual() -> None:
    # One parity over 40 cells of 1..3: the code has 2^39 vectors, its dual two.
    even = Model("even", cells=tuple(range(40)), values=(1, 2, 3), constraints=[Parity(range(40), False)])
    assert count(even) == (3**40 + (1 - 2) ** 40) // 2
    odd = Model("odd", cells=tuple(range(40)), values=(1, 2, 3), constraints=[Parity(range(40), odd=True)])
    assert count(odd) == (3**40 - 1) // 2
    # All cells alike: the code has two vectors.
    alike = [Parity((at, at + 1), False) for at in range(39)]
    assert count(Model("alike", cells=tuple(range(40)), values=(1, 2, 3), constraints=alike)) == 2**40 + 1


def test_parts_that_share_no_cell_are_counted_apart() -> None:
    parts = [Parity((4 * at, 4 * at + 1, 4 * at + 2, 4 * at + 3), odd=at % 2 == 1) for at in range(20)]
    found = count(Model("parts", cells=tuple(range(80)), values=(1, 2, 3), constraints=parts))
    assert found == ((3**4 + 1) // 2) ** 10 * ((3**4 - 1) // 2) ** 10
    assert found.complete


@pytest.mark.parametrize("seed", range(12))
def test_uneven_counts_equal_the_native_engine(seed: int) -> None:
    made = random_parities(seed, 9 + seed % 3, 3 + seed % 5, 4, ((1, 2, 3), (2, 5, 9), (0, 1, 3, 5))[seed % 3])
    random = Random(seed)
    marks = {cell: random.sample(made.values, 2) for cell in (made.cells or ())[:4]}
    puzzle = made.puzzle(None, marks)
    assert count(puzzle, backend="gf2") == count(puzzle, backend=Native(engine="kernel"))


def test_a_count_that_is_cut_short_is_a_lower_bound() -> None:
    # Neither the code nor its dual is small: 2^35 vectors each.
    hard = random_parities(3, 70, 35, 9, (1, 2, 3))
    for limits in ({"time_limit": 0.05}, {"node_limit": 20_000}):
        found = count(hard, **limits)
        assert not found.complete
        assert 0 < found < 3**70
    few = count(hard, limit=5)
    assert (int(few), few.complete) == (5, False)


def test_large_boards() -> None:
    board = lights_out.rectangle(41, 41)
    counted = count(lights_out.model(board))
    assert (int(counted), counted.backend) == (2**board.nullity, "gf2")
    presses = solve(lights_out.model(board)).solution
    assert presses is not None
    assert not any(lights_out.after(board, "all", [presses[cell] for cell in board.cells]))


# -- enumerating -------------------------------------------------------------------------------------------------------


def test_solutions_come_one_by_one_from_an_endless_space() -> None:
    made = random_parities(1, 300, 100, 5, (0, 1, 2, 3))
    run = solutions(made)
    found = list(islice(run, 300))
    assert len(set(found)) == 300
    assert all(made.holds(solution.in_order()) for solution in found)
    assert run.backend == "gf2"
    assert not run.complete


def test_limits_are_results() -> None:
    board = lights_out.model(lights_out.rectangle(5, 5))
    for limit, complete in ((None, True), (5, True), (4, True), (3, False), (0, False)):
        run = solutions(board, limit)
        assert len(list(run)) == min(4, 4 if limit is None else limit)
        assert run.complete is complete
        counted = count(board, limit=limit)
        assert (int(counted), counted.complete) == (min(4, 4 if limit is None else limit), complete)
    none = solve(board, time_limit=0.0)
    assert (none.status.value, none.complete) == ("unknown", False)
    run = solutions(board, node_limit=1)
    assert len(list(run)) == 2
    assert not run.complete


def test_no_solution() -> None:
    odd = Model("odd cycle", cells="abc", values=(0, 1), constraints=[Parity(p, True) for p in ("ab", "bc", "ca")])
    assert (int(count(odd)), count(odd).complete) == (0, True)
    assert solve(odd).status.value == "none"
    assert verify(odd).verdict.value == "none"
    never = Model("never", cells="ab", values=(2, 4), constraints=[Parity("ab", True)])
    assert count(never) == 0
    assert count(Model("nothing", cells=(), values=(0,), constraints=[Parity((), True)])) == 0
    assert count(Model("empty", cells=(), values=(0,))) == 1


def test_verify_and_candidates() -> None:
    board = lights_out.model(lights_out.rectangle(4, 5))
    assert verify(board).verdict.value == "unique"
    four = lights_out.model(lights_out.rectangle(5, 5))
    assert verify(four).verdict.value == "multiple"
    found = candidates(four)
    assert found.complete
    for at, cell in enumerate(four.names):
        values = {places[at] for places in brute_from(four)}
        assert set(found[cell]) == values


def brute_from(four: Model) -> set[tuple[int, ...]]:
    """The solutions by the native engine."""
    return set(Native(engine="plain").session(four.puzzle()).run(Progress(), Limits()))


# -- who takes what ----------------------------------------------------------------------------------------------------


def test_other_constraints_are_refused_with_the_reason() -> None:
    with pytest.raises(Unsupported, match="backend 'gf2' cannot take this model: it does not take Unit constraints"):
        count(model("classic-4"), backend="gf2")
    reason = Gf2().why_not(model("classic-4"))
    assert reason == "it takes Parity constraints only, the model has Unit too"
    with pytest.raises(Unsupported):
        BACKEND.session(model("classic-4").puzzle())
    assert Gf2().why_not(lights_out.model(lights_out.rectangle(2, 2))) is None
    assert "gf2" in registry.names()


def test_auto_picks_it_for_parities_alone() -> None:
    board = lights_out.model(lights_out.rectangle(10, 10))
    assert solve(board).backend == "gf2"
    assert count(board).backend == "gf2"
    assert verify(board).backend == "gf2"
    mixed = Model("mixed", cells="abc", values=(0, 1), constraints=[Parity("abc", False), Unit("ab")])
    assert solve(mixed).backend == "native"


def test_a_small_board_needs_no_heavy_imports() -> None:
    code = (
        "import sys, nonant\nfrom nonant.models import lights_out\n"
        "m = lights_out.model(lights_out.rectangle(25, 25))\n"
        "assert nonant.count(m) == 1 and nonant.solve(m).backend == 'gf2'\n"
        "print([name for name in ('numpy', 'numba', 'networkx', 'ortools', 'pysat') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
