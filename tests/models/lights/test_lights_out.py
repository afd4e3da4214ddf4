"""Lights Out: every rule against brute force, the known tables, polynomials against elimination, witnesses."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from dataclasses import replace
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonant.csp.algebra import bitrows, coset_leaders, gf2
from nonant.csp.algebra.gf2 import BitMatrix
from nonant.csp.budget import Budget
from nonant.csp.errors import ModelError, ParseError
from nonant.models.lights import modular, modular_leaders
from nonant.models.lights import modular_rectangle as modular_boards
from nonant.models.lights import rectangle as gf2_boards
from nonant.models.lights.radius_proofs import Leaf, Split
from nonant.models.lights_out import (
    Unsolvable,
    after,
    distances,
    fewest,
    hardest,
    model,
    on_graph,
    prove_hardest,
    proves_hardest,
    read_lights,
    rectangle,
    solve,
    solve_board,
)
from tests.support.files import shared_file


def anchors():
    return json.loads(shared_file("lightsout/anchors.json").read_text())


def refutes(game, witness, lights):
    """Every press changes the weighted sum by a multiple of the states; switching off would not."""
    unchanged = all(sum(witness[light] for light in lights_of) % game.states == 0 for lights_of in game.reach)
    return unchanged and sum(w * light for w, light in zip(witness, lights, strict=True)) % game.states != 0


# -- against brute force -----------------------------------------------------------------------------------------------

SMALL_GAMES = [
    rectangle(3, 3),
    rectangle(2, 4, rule="sigma"),
    rectangle(3, 3, neighbours="king"),
    rectangle(3, 3, torus=True),
    rectangle(2, 4, torus=True, rule="sigma"),
    rectangle(3, 3, neighbours="king", rule="sigma", torus=True),
    rectangle(1, 5),
    rectangle(2, 3, states=3),
    rectangle(2, 2, states=5, rule="sigma"),
    rectangle(2, 3, states=3, neighbours="king"),
    on_graph(nx.petersen_graph().subgraph(range(8))),
    on_graph(nx.gnp_random_graph(7, 0.3, seed=2, directed=True)),
    on_graph(nx.gnp_random_graph(6, 0.3, seed=4, directed=True), rule="sigma", states=3),
]


@pytest.mark.parametrize("game", SMALL_GAMES, ids=repr)
def test_every_board_of_small_games(game):
    best = {}
    for presses in product(range(game.states), repeat=game.n_cells):
        lights = after(game, "none", [-times % game.states for times in presses])  # these presses switch them off
        best[lights] = min(best.get(lights, 10**9), sum(presses))
    boards = list(product(range(game.states), repeat=game.n_cells))
    count = len(boards) // len(best)
    assert count == game.states**game.nullity
    for lights in boards if len(boards) <= 600 else random.Random(1).sample(boards, 300):
        found = fewest(game, lights)
        assert found.solvable == (lights in best)
        if found.solvable:
            assert not any(after(game, lights, found.presses))
            assert (found.weight, found.optimal, found.solutions) == (best[lights], True, count)
        else:
            assert refutes(game, found.witness, lights)
            assert found.witness_cells
            assert (found.solutions, found.presses, found.weight) == (0, None, None)
    if game.states == 2:
        table = distances(game)
        assert list(table) == [sum(weight == at for weight in best.values()) for at in range(len(table))]
        deepest = hardest(game)
        assert deepest.radius == len(table) - 1
        assert best[after(game, "none", game.vector(deepest.deepest))] == deepest.radius


def test_targets():
    game = rectangle(3, 4)
    lights, target = "101000110011", "011011000101"
    found = solve(game, lights, target)
    assert after(game, lights, found.presses) == read_lights(game, target)
    assert solve(game, "none", "all").presses == solve(game, "all", "none").presses
    three = rectangle(2, 3, states=3)
    found = solve(three, 2, [[1, 0, 1], [0, 2, 0]])
    if found.solvable:
        assert after(three, 2, found.presses) == (1, 0, 1, 0, 2, 0)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 14), st.floats(0, 1), st.integers(0, 10**6))
def test_sutners_theorem(nodes, density, seed):
    """Whatever the graph: if all lights are on, sigma-plus can switch them off."""
    game = on_graph(nx.gnp_random_graph(nodes, density, seed=seed))
    found = solve(game, "all")
    assert found.solvable
    assert not any(after(game, "all", found.presses))


def test_large_graphs_of_sutner():
    for graph in (
        nx.random_regular_graph(5, 600, seed=1),
        nx.hypercube_graph(8),
        nx.barabasi_albert_graph(700, 3, seed=2),
    ):
        game = on_graph(graph)
        assert not any(after(game, "all", solve(game, "all").presses))


def test_the_model_says_the_same():
    game = rectangle(2, 3)
    rules = model(game, "110010")
    hits = [presses for presses in product((0, 1), repeat=6) if rules.holds(presses)]
    assert len(hits) == solve(game, "110010").solutions
    assert all(not any(after(game, "110010", presses)) for presses in hits)
    with pytest.raises(ModelError, match="two states"):
        model(rectangle(2, 2, states=3))


# -- known tables ------------------------------------------------------------------------------------------------------


def test_nullities_of_squares_and_rectangles():
    known = anchors()
    assert [gf2_boards.nullity(n, n) for n in range(1, 121)] == known["A159257_nullity_sigma_plus_1_120"]
    table = [[rectangle(m, n).nullity for n in range(1, 21)] for m in range(1, 21)]
    assert table == known["nullity_rect_1_20"]


def test_nullities_of_other_rules():
    known = anchors()
    assert [rectangle(n, n, torus=True).nullity for n in range(1, 31)] == known["torus_sigma_plus_1_30"]
    assert [rectangle(n, n, neighbours="king").nullity for n in range(1, 21)] == known["king_plus_1_20"]
    for p in (3, 5, 7):
        assert [rectangle(n, n, states=p).nullity for n in range(1, 17)] == known[f"gf{p}_1_16"]
        assert [modular_boards.nullity_modular(n, n, p) for n in range(1, 17)] == known[f"gf{p}_1_16"]


def test_fewest_presses_for_all_lights():
    for n, weight in enumerate(anchors()["A075464_min_presses_all_ones_1_30"], 1):
        found = fewest(rectangle(n, n), "all")
        assert (found.weight, found.optimal) == (weight, True)
        assert not any(after(rectangle(n, n), "all", found.presses))


def test_distance_distributions():
    known = anchors()
    for rows, columns in ((5, 5), (4, 4), (3, 5), (2, 3)):
        assert list(distances(rectangle(rows, columns))) == known[f"dist_{rows}x{columns}"]


def test_hardest_boards():
    for n, weight in anchors()["max_min_presses_n"].items():
        game = rectangle(int(n), int(n))
        found = hardest(game)
        assert (found.radius, found.complete) == (weight, True)
        board = after(game, "none", game.vector(found.deepest))
        assert fewest(game, board).weight == weight


def test_boards_that_need_gods_numbers():
    """Presses of which no fewer do the same, by walking through all that do: 37 on 9 x 9, 124 on 16 x 16."""
    for n, weight, presses in (
        (9, 37, 0x87A428FCA1E3C157AE5B),
        (16, 124, 0x4000000004000108326C46E0799DCDB3FFFFFBD77FFEFFFFFFFFFFFF),
    ):
        game = rectangle(n, n)
        assert fewest(game, after(game, "none", game.vector(presses))).weight == weight


def test_certificates_of_gods_numbers():
    """With a board that needs 37 presses (above), this proves the number of 9 x 9."""
    for n, weight in ((4, 7), (9, 37), (14, 123)):
        game = rectangle(n, n)
        proof = prove_hardest(game, weight)
        assert proof.radius == weight + 1
        assert proves_hardest(game, proof)
        assert not proves_hardest(game, replace(proof, radius=weight))
    assert prove_hardest(rectangle(4, 4), 6) is None
    # Damaged proofs are refused: signs of dependent classes, a split between values, multipliers that prove nothing.
    game = rectangle(9, 9)
    proof = prove_hardest(game, 38)
    classes = coset_leaders.classes(game.quiet_masks, 81)
    dependent = next(key for key in classes if key and key not in proof.positive)
    assert not proves_hardest(game, replace(proof, positive=(*proof.positive, dependent)))
    assert not proves_hardest(game, replace(proof, positive=(1 << 9,)))
    assert isinstance(proof.tree, Split)
    assert not proves_hardest(game, replace(proof, tree=replace(proof.tree, value=proof.tree.value + 1)))
    for multipliers in ({}, {0: -1}, {0: 1}, {1 << 8: 5}):
        assert not proves_hardest(game, replace(proof, tree=Leaf(multipliers)))


def test_quiet_patterns_of_the_classic_board():
    game = rectangle(5, 5)
    for text in anchors()["quiet_5x5"]:
        pattern = text.replace("/", "")
        assert not any(after(game, "none", [int(symbol) for symbol in pattern]))
        assert bitrows.rank([*game.quiet_masks, int(pattern[::-1], 2)]) == game.nullity == 2


def test_project_euler_707():
    def total(width, steps, modulus=10**30):
        height, following, found = 1, 1, 0
        for _ in range(steps):
            found += pow(2, width * height - gf2_boards.nullity(height, width), modulus)
            height, following = following, height + following
        return found % modulus

    known, prime = anchors()["PE707"], 10**9 + 7
    assert total(3, 3) == known["S(3,3)"]
    assert total(4, 5) == known["S(4,5)"]
    assert total(5, 7, prime) == known["S(5,7) mod 1e9+7"]
    assert total(199, 199, prime) == known["S(199,199) mod 1e9+7"]


def test_random_boards():
    for row in csv.DictReader(shared_file("lightsout/random_boards.csv").open()):
        game = rectangle(int(row["n"]), int(row["n"]))
        found = fewest(game, row["board"])
        assert (found.solvable, found.nullity) == (row["solvable"] == "1", int(row["nullity"]))
        if found.solvable:
            assert (found.weight, found.optimal) == (int(row["min_presses"]), True)
            assert not any(after(game, row["board"], found.presses))
        else:
            assert refutes(game, found.witness, read_lights(game, row["board"]))


def test_206_published_levels_of_which_96_cannot_be_solved():
    game, unsolvable, seen = rectangle(5, 5), 0, 0
    for row in csv.DictReader(shared_file("lightsout/lightsofftouch_levels_5x5.csv").open()):
        found, seen = fewest(game, row["board"]), seen + 1
        assert found.solvable == (row["solvable"] == "1")
        if found.solvable:
            assert found.weight == int(row["min_presses"])
            assert not any(after(game, row["board"], found.presses))
            assert found.solutions == 4
        else:
            unsolvable += 1
            assert refutes(game, found.witness, read_lights(game, row["board"]))
    assert (seen, unsolvable) == (206, 96)


# -- polynomials -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["sigma-plus", "sigma"])
def test_polynomials_are_elimination(rule):
    source = random.Random(4)
    for rows, columns in product(range(1, 14), repeat=2):
        game = rectangle(rows, columns, rule)
        dense = bitrows.rank(game.presses_of_light)
        assert gf2_boards.nullity(rows, columns, rule == "sigma-plus") == game.n_cells - dense
        assert len(game.quiet_masks) == game.n_cells - dense
        assert bitrows.product(game.quiet_masks, game.lights_of_press) == [0] * len(game.quiet_masks)
        lights = [source.getrandbits(columns) for _ in range(rows)]
        change = sum(row << (at * columns) for at, row in enumerate(lights))
        found = gf2_boards.solve_rows(lights, columns, rule == "sigma-plus")
        solution, _ = bitrows.solve(game.presses_of_light, game.n_cells, change)
        assert (found.presses is None) == (solution is None)
        if found.presses is not None:
            assert gf2_boards.apply(found.presses, columns, rule == "sigma-plus") == tuple(lights)
        else:
            assert not any(gf2_boards.apply(found.witness, columns, rule == "sigma-plus"))
            assert sum((w & row).bit_count() for w, row in zip(found.witness, lights, strict=True)) % 2


def compare_with_plain(rows, columns, plus, solvable, source):
    lights = [source.getrandbits(columns) for _ in range(rows)]
    if solvable:
        lights = list(gf2_boards.apply(lights, columns, plus))
    plain = gf2_boards.solve_rows(lights, columns, plus)
    packed = gf2_boards.solve_packed(BitMatrix.of_ints(lights, columns), plus)
    assert packed.nullity == plain.nullity
    assert (packed.presses is None) == (plain.presses is None)
    if plain.presses is not None:
        assert packed.presses.ints() == list(plain.presses)
        assert gf2_boards.apply(plain.presses, columns, plus) == tuple(lights)
    else:
        assert packed.witness.ints() == list(plain.witness)
        assert not any(gf2_boards.apply(plain.witness, columns, plus))
    return plain


def test_compiled_boards_are_plain_boards():
    source, refuted = random.Random(6), 0
    # Around word borders, thin boards both ways, and sizes whose gcd takes more than 64 words.
    sizes = [1, 2, 3, 5, 14, 62, 63, 64, 65, 127, 128, 129, 250, 509]
    for rows, columns in [*product(sizes, repeat=2), (4400, 4401), (200, 5000), (5000, 200)]:
        found = compare_with_plain(rows, columns, bool(source.getrandbits(1)), bool(source.getrandbits(1)), source)
        refuted += found.witness is not None
    assert refuted > 5


def test_random_boards_by_elimination_over_rows():
    """The n x n system that chasing leaves, by elimination: a second, dense way for boards past n x n unknowns."""
    source = random.Random(8)
    for n in (99, 127, 150):
        lights = list(gf2_boards.apply([source.getrandbits(n) for _ in range(n)], n))
        columns = [gf2_boards.chase([0] * n, 1 << at, n, True)[-1] for at in range(n)]
        residue = gf2_boards.chase(lights, 0, n, True)[-1]
        first, _ = bitrows.solve(bitrows.transposed(columns, n), n, residue)
        assert n - bitrows.rank(columns) == gf2_boards.nullity(n, n)
        presses = gf2_boards.chase(lights, first, n, True)
        assert presses[-1] == 0
        found = gf2_boards.solve_rows(lights, n)
        assert found.nullity or found.presses == tuple(presses[:-1])


def changed(presses, states=2, plus=True):
    """What presses add to the lights, by numpy."""
    found = presses.astype(np.int64) * plus
    found[1:] += presses[:-1]
    found[:-1] += presses[1:]
    found[:, 1:] += presses[:, :-1]
    found[:, :-1] += presses[:, 1:]
    return found % states


@pytest.mark.parametrize("rule", ["sigma-plus", "sigma"])
@pytest.mark.parametrize("shape", [(1, 1), (5, 7), (64, 64), (600, 700), (1501, 1000)])
def test_solve_board(shape, rule):
    plus = rule == "sigma-plus"
    lit = changed(np.random.default_rng(3).integers(0, 2, shape), plus=plus).astype(np.uint8)
    for board in (lit, lit.astype(bool), lit.astype(np.int64), lit[::-1]):
        presses = solve_board(board, rule)
        assert presses.shape == shape
        assert np.array_equal(changed(presses, plus=plus), board)


@pytest.mark.parametrize("n", [4, 5, 599, 1024])  # all of them with quiet patterns
def test_solve_board_raises_with_the_witness(n):
    lit = np.random.default_rng(n).integers(0, 2, (n, n)).astype(np.uint8)
    while gf2_boards.solve_packed(BitMatrix.of(lit)).presses is not None:
        lit[0, np.random.default_rng(int(lit.sum())).integers(n)] ^= 1
    with pytest.raises(Unsolvable, match="odd number") as raised:
        solve_board(lit)
    witness = raised.value.witness
    assert witness.shape == lit.shape
    assert not changed(witness).any()
    assert (witness & lit).sum() % 2


@pytest.mark.parametrize("p", [3, 5, 7, 251])
def test_more_states_by_polynomials_are_elimination(p):
    source, refuted = np.random.default_rng(p), 0
    for turn in range(60):
        rows, columns = (int(size) for size in source.integers(1, 14, 2))
        plus = bool(source.integers(0, 2))
        game = rectangle(rows, columns, "sigma-plus" if plus else "sigma", states=p)
        lit = source.integers(0, p, (rows, columns))
        if turn % 2:
            lit = changed(lit, p, plus)
        found = solve(game, lit)
        try:
            presses = solve_board(lit, "sigma-plus" if plus else "sigma", p)
        except Unsolvable as error:
            refuted += 1
            assert not found.solvable
            for witness in (found.witness, error.witness.ravel().tolist()):
                assert refutes(game, witness, lit.ravel().tolist())
            continue
        for answer in (presses, np.array(found.presses).reshape(rows, columns)):
            assert not ((changed(answer, p, plus) + lit) % p).any()
        assert modular_boards.nullity_modular(rows, columns, p, plus) == found.nullity
    assert refuted > 2
    large = changed(source.integers(0, p, (301, 200)), p)
    assert not ((changed(solve_board(large, states=p), p) + large) % p).any()


# -- fewest presses ----------------------------------------------------------------------------------------------------


def test_all_ways_to_the_lightest_agree(monkeypatch):
    game, wide = rectangle(9, 9), rectangle(16, 16)  # nullity 8 both
    board = after(game, "none", [int(bit) for bit in f"{random.Random(1).getrandbits(81):081b}"])
    member = sum(1 << at for at, times in enumerate(solve(game, board).presses) if times)
    by_program = coset_leaders._minimise(
        member, game.quiet_masks, (1 << 81) - 1, game.presses_of_light, Budget.within(8)
    )
    assert by_program.weight == fewest(game, board).weight
    if by_program.optimal:
        assert by_program.lower_bound == by_program.weight
    lit = fewest(wide, "all")
    monkeypatch.setattr(coset_leaders, "PLAIN_DIMENSION", 5)
    assert fewest(wide, "all").weight == lit.weight
    monkeypatch.setattr(coset_leaders, "CHUNK", 1 << 8)
    assert fewest(wide, "all").weight == lit.weight


def test_more_states_by_program_agree_with_the_walk():
    game = rectangle(4, 4, states=3)  # nullity 2
    lights = after(game, "none", [at % 3 for at in range(16)])
    walked = fewest(game, lights)
    assert walked.optimal
    rows = [dict.fromkeys(lights_of, 1) for lights_of in game.reach]
    programmed = modular_leaders._minimise(solve(game, lights).presses, rows, 3, 60.0, 0)
    assert (programmed.weight, programmed.optimal) == (walked.weight, True)
    assert not any(after(game, lights, programmed.member))


def test_an_honest_answer_when_time_runs_out():
    game = rectangle(39, 39)  # nullity 32: too much for a walk in this time
    found = fewest(game, "all", seconds=1.0)
    assert found.solvable
    assert not found.optimal
    assert found.lower_bound >= 39 * 39 // 5
    assert found.lower_bound < found.weight <= solve(game, "all").weight
    assert not any(after(game, "all", found.presses))


def test_independent_parts_are_walked_apart():
    graph = nx.disjoint_union_all([nx.grid_2d_graph(4, 4) for _ in range(6)])  # nullity 24 in parts of 4
    found = fewest(on_graph(graph), "all")
    assert (found.nullity, found.weight, found.optimal) == (24, 24, True)
    assert len(coset_leaders.components(on_graph(graph).quiet_masks)) == 6


# -- words -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: rectangle(0, 3), "at least one row"),
        (lambda: rectangle(2, 2, states=4), "must be a prime"),
        (lambda: rectangle(2, 2, rule="plus"), "no rule 'plus'"),
        (lambda: rectangle(2, 2, neighbours="knight"), "no 'knight' neighbours"),
        (lambda: solve(rectangle(2, 2), "010"), "3 lights for a game of 4 cells"),
        (lambda: solve(rectangle(2, 2), "01\nx0"), "line 2, column 1: a light cannot be 'x'; write one digit"),
        (lambda: solve(rectangle(2, 2), "0120"), "r2c1 cannot be in state 2"),
        (lambda: solve(rectangle(2, 2), {"r9c9": 1}), "no cell 'r9c9'"),
        (lambda: solve_board([0, 1]), "two dimensions"),
        (lambda: solve_board([[0, 2]]), "0 and 1 only"),
        (lambda: solve_board([[0.5, 1]]), "0 and 1 only"),
        (lambda: solve_board([[0, 5]], states=3), "0 to 2"),
        (lambda: solve_board([[0.5, 2]], states=3), "0 to 2"),
        (lambda: solve_board([[0, 5]], states=257), "up to 251"),
        (lambda: distances(rectangle(9, 9)), "out of|within reach"),
        (lambda: hardest(rectangle(2, 2, states=3)), "two states only"),
    ],
)
def test_errors_name_the_place_and_the_mend(call, message):
    with pytest.raises((ModelError, ParseError), match=message):
        call()


def test_lights_are_read_in_every_form():
    game = rectangle(2, 3)
    expected = (1, 0, 1, 0, 1, 0)
    for form in ("101010", "101 010", "101\n010\n", [[1, 0, 1], [0, 1, 0]], np.array([[1, 0, 1], [0, 1, 0]])):
        assert read_lights(game, form) == expected
    assert read_lights(game, {"r1c1": 1, (0, 2): 1, "r2c2": 1}) == expected
    assert read_lights(game, "all") == (1,) * 6


# -- long --------------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_certificate_of_16_x_16():
    game = rectangle(16, 16)
    proof = prove_hardest(game, 124)
    assert proof.radius == 125
    assert proves_hardest(game, proof)


@pytest.mark.long
@pytest.mark.parametrize("n, weight", [(9, 37), (16, 124)])
def test_the_two_open_gods_numbers(n, weight):
    low, high = anchors()["max_min_presses_open"][str(n)]
    game = rectangle(n, n)
    found = hardest(game, seconds=500)
    assert (found.radius, found.complete) == (weight, True)
    assert low <= weight <= high
    assert set(range(weight + 1, high + 1)) <= set(found.refuted)
    # The walk through the whole coset confirms the lower half of the claim without CP-SAT.
    assert fewest(game, after(game, "none", game.vector(found.deepest))).weight == weight


@pytest.mark.long
def test_large_boards():
    source = random.Random(10)
    for rows, columns in ((10_000, 10_000), (10_229, 10_229), (3000, 8191)):
        compare_with_plain(rows, columns, True, True, source)
    lit = changed(np.random.default_rng(1).integers(0, 2, (10_000, 10_000), dtype=np.int8)).astype(np.uint8)
    assert np.array_equal(changed(solve_board(lit).astype(np.int8)), lit)


@pytest.mark.long
def test_dense_elimination_of_a_large_board():
    game = rectangle(60, 60, torus=True)
    form = gf2.null_space(BitMatrix.of_ints(game.presses_of_light, 3600))
    assert form.shape[0] == game.nullity
    assert modular.rank([dict.fromkeys(row, 1) for row in rectangle(20, 20, states=3).reach], 400, 3) == (
        400 - modular_boards.nullity_modular(20, 20, 3)
    )


def test_ctrl_c_still_belongs_to_python_after_an_integer_program() -> None:
    # OR-Tools, left alone, takes SIGINT and puts it back as "end the process": the next Ctrl-C would kill Python.
    code = (
        "import signal\n"
        "from nonant.models import lights_out as lights\n"
        "lights.hardest(lights.rectangle(9, 9), 2.0)\n"
        "try:\n    signal.raise_signal(signal.SIGINT)\nexcept KeyboardInterrupt:\n    print('caught')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "caught\n", done.stderr[-300:]
