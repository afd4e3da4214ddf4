"""The ladder: whole solves, options, rounds, and that it never asks a solver."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from nonant import Model, explain, solutions
from nonant.csp.constraints import Sum
from nonant.csp.errors import ModelError
from nonant.csp.proofs.check import check
from nonant.csp.proofs.records import Constraints, Cover, ProofError, Refutation
from nonant.csp.units import boxes, columns, rows
from nonant.formats.spn import from_path, parse, replay, write
from nonant.models import model
from nonant.strategies import Board, Step, UnprovedStep, find_all
from nonant.strategies.ladder import rungs
from nonant.strategies.path import verify_step
from tests.support.files import ROOT, shared_file
from tests.support.lists import variant
from tests.support.positions import along, listed, path_of, puzzles, solution_of
from tests.support.random_models import random_puzzle

CLASSIC = model("classic-9")
EASY = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
POST = "020030000003000040004908003040710056300000002510096080900305400080000100000020090"


def test_the_families_are_solved_and_checked() -> None:
    for at, puzzle in enumerate(puzzles()):
        path = path_of(at)
        assert path.result == "solved", puzzle.model.name
        assert path.check()
        assert path.end.live == solution_of(puzzle)
        assert path.to_json()["checked"] is True


def test_a_path_that_was_tampered_with_is_refused() -> None:
    path = path_of(0)
    for at in (0, len(path.steps) // 2):
        step = path.steps[at]
        worse = replace(step, removes=(*step.removes, next(iter(bits_of(solution_of(next(puzzles())))))))
        with pytest.raises(ProofError):
            replace(path, steps=(*path.steps[:at], worse, *path.steps[at + 1 :])).check()
        with pytest.raises(ProofError):
            replace(path, steps=path.steps[:at] + path.steps[at + 1 :]).check()


def bits_of(mask: int) -> Iterator[int]:
    return (at for at in range(mask.bit_length()) if mask >> at & 1)


def test_an_unproved_step_stops_with_the_step_in_the_message() -> None:
    board = Board.from_puzzle(CLASSIC.puzzle(EASY))
    step = replace(path_of(0).steps[0], proof=Cover((2,), (2,), (18,)), removes=(18,), places=())
    with pytest.raises(UnprovedStep, match=r"not proved.*'technique'"):
        verify_step(board, step)


def test_no_solver_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    import nonant.csp.plain.search
    import nonant.csp.solve

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the ladder asked a solver")

    monkeypatch.setattr(nonant.csp.plain.search.Searcher, "run", refuse)
    monkeypatch.setattr(nonant.csp.plain.search.Searcher, "propagate", refuse)
    monkeypatch.setattr(nonant.csp.solve, "solutions", refuse)
    monkeypatch.setattr(nonant.csp.solve, "open_session", refuse)
    assert explain(CLASSIC.puzzle(EASY)).result == "solved"
    assert explain(next(puzzles())).result == "solved"


def test_results_stay_apart() -> None:
    assert explain(CLASSIC).result == "stuck"
    clash = explain(CLASSIC.puzzle("55" + "." * 79))
    assert clash.result == "contradiction"
    assert clash.check()
    assert explain(next(puzzles()), max_level=1).result == "stuck"
    nothing = explain(Model("nothing", cells=()))
    assert nothing.result == "solved"
    assert nothing.steps == ()


def test_random_models_are_explained_with_proofs() -> None:
    """Sums, relations, comparisons and parities of any kind: each step is proved, and what is told holds."""
    for seed in range(0, 700, 6):
        puzzle = random_puzzle(seed)
        path = explain(puzzle)
        assert path.check()
        answers = [solution.places for solution in solutions(puzzle, limit=2)]
        if path.result == "contradiction":
            assert not answers, seed
        if path.result == "solved":
            assert len(answers) == 1, seed
        for answer in answers:
            size = puzzle.model.n_values
            assert all(path.end.live >> (cell * size + value) & 1 for cell, value in enumerate(answer)), seed


@pytest.mark.parametrize("seed", [1, 17, 48, 56, 69, 169, 457, 537])
def test_constraints_that_name_more_cells_than_they_are_about(seed: int) -> None:
    assert explain(random_puzzle(seed)).check()


def test_a_sum_inside_a_larger_unit() -> None:
    """Its cells differ since the unit says so, and the proof names the unit."""
    rules = [rows, columns, boxes(2, 2), Sum(["r3c1", "r3c2", "r3c3"], 8)]
    path = explain(Model("small", shape=(4, 4), values=range(1, 5), constraints=rules))
    assert {"constraint"} <= set(path.techniques)
    assert path.check()


def test_a_killer_needs_constraints_inside_refutations() -> None:
    entries = json.loads(shared_file("variants/sigh_variants.json").read_text())
    entry = next(entry for entry in entries if entry["name"].startswith("White Room"))
    path = explain(variant(entry))
    assert path.result == "solved"
    assert path.check()
    assert path.end.line == "".join(map(str, entry["solution"]))
    assert "needs constraint braids" in path.bill
    board = path.board
    for step in path.steps:
        record = json.loads(json.dumps(step.to_json(board.model)))
        assert Step.from_json(board.model, record) == step
        if step.technique == "constraint braid":
            proof = step.proof
            assert isinstance(proof, Refutation)
            ruled = [at for at, item in enumerate(proof.items) if isinstance(item, Constraints)]
            for at in ruled[:1]:
                item = proof.items[at]
                assert isinstance(item, Constraints)
                true = next(one for one in bits_of(path.end.live) if one // 9 in {gone // 9 for gone in item.removes})
                more = Constraints(item.constraints, (*item.removes, true))
                worse = replace(proof, items=(*proof.items[:at], more, *proof.items[at + 1 :]))
                try:
                    check(board.model, board.live, worse)
                except ProofError:
                    continue
                # What is true may go under a wrong assumption; then the refutation still holds.
                assert not path.end.live >> proof.assumes & 1
        board = board.without(step.removed, sum(1 << place for place in step.places))
    assert replay(parse(write(from_path(path))), model=board.model).verified


def test_options() -> None:
    easy = CLASSIC.puzzle(EASY)
    assert set(explain(easy, only=["naked single"]).techniques) == {"naked single"}
    assert "full house" not in explain(easy, without=["full house"]).techniques
    assert max(known.level for known in rungs(max_level=3)) == 3
    assert not any(known.unique for known in rungs())
    assert any(known.unique for known in rungs(unique=True))
    assert [known.name for known in rungs(only=["mutant jellyfish"])] == ["mutant jellyfish"]
    with pytest.raises(ModelError, match="no technique called"):
        explain(easy, only=["magic"])


def test_the_kernel_gives_the_rounds_of_plain_python() -> None:
    from nonant.strategies.kernels.rounds import rounds_of
    from nonant.strategies.refutations.refute import NEVER, rounds_to_end

    for at, puzzle in enumerate(puzzles()):
        for board, _ in list(along(path_of(at)))[::25]:
            candidates = list(bits_of(board.open))
            fewest, plain = NEVER, []
            for candidate in candidates:
                live = board.live & ~board.sets.peers[candidate]
                plain.append(rounds_to_end(board, live, fewest + 1))
                fewest = min(fewest, plain[-1])
            assert rounds_of(puzzle.model, board.live, candidates, NEVER) == plain


def test_the_kernels_change_no_path(monkeypatch: pytest.MonkeyPatch) -> None:
    from nonant.strategies import kernels

    kernels.load()
    compiled = [explain(puzzle).steps for puzzle in list(puzzles())[:5]]
    for name in kernels.NAMES:
        monkeypatch.delitem(sys.modules, f"nonant.strategies.kernels.{name}")
    assert [explain(puzzle).steps for puzzle in list(puzzles())[:5]] == compiled


def test_depth_is_told() -> None:
    hard, easy = path_of(0), explain(CLASSIC.puzzle(EASY))
    assert hard.depth == 1
    assert f"needs braids[{hard.longest}]" in hard.bill
    assert easy.depth == 0
    assert easy.bill.startswith("solved by patterns; hardest: ")
    assert not easy.assumes_unique


def test_forcing_and_deeper_refutations_are_proved() -> None:
    """By name on boards of a hard puzzle; `find_all` checks each proof, and none removes what is true."""
    puzzle = list(puzzles())[2]
    solution = solution_of(puzzle)
    boards = [board for board, _ in along(path_of(2))]
    forced = find_all("forcing truth", boards[len(boards) // 3])
    assert forced
    assert {step.depth for step in forced} <= {1, 2}
    deep = find_all("deep braid", boards[0])
    assert deep
    assert not any(step.removed & solution for step in (*forced, *deep))
    assert "deep braid" not in {known.name for known in rungs()}


def test_the_bill_names_length_and_nesting() -> None:
    bills = [path_of(at) for at in range(4)]
    for path in bills:
        if path.depth == 2:
            assert path.inner
            assert f"needs nesting of depth 2 with inner length {path.inner}" in path.bill
        elif path.depth == 1:
            assert f"s[{path.longest}]" in path.bill
        else:
            assert "by patterns" in path.bill
    assert {path.depth for path in bills} >= {0, 1, 2} or {path.depth for path in bills} >= {0, 2}


def test_the_rounds_of_the_graph_post() -> None:
    trace = json.loads(shared_file("graph_seed_trace.json").read_text())
    board = Board.from_puzzle(CLASSIC.puzzle(trace["puzzle"]))
    path = explain(board, only=["hidden single", "naked single"], rounds=True)
    assert path.result == "solved"
    assert path.check()
    assert path.end.line == trace["solution"]
    assert len(path.rounds) == len(trace["log"]) == 14
    at = 0
    for size, entry in zip(path.rounds, trace["log"], strict=True):
        steps, at = path.steps[at : at + size], at + size
        found = []
        for step in steps:
            cell, value = divmod(step.places[0], 9)
            names = {CLASSIC.compiled.unit_names[unit].split()[0] for unit in step.units}
            reasons = [kind for kind in ("box", "row", "column") if kind in names]
            found.append(
                [value + 1, (cell // 9 + 1) * 10 + cell % 9 + 1, *([reasons] if entry["query"] == "position" else [])]
            )
        assert sorted(found) == sorted(entry["found"])
        assert {step.technique for step in steps} == {
            "hidden single" if entry["query"] == "position" else "naked single"
        }


def test_an_easy_puzzle_loads_nothing_heavy() -> None:
    for command in (["explain", EASY], ["hint", EASY], ["rivals", EASY, "r1c3"], ["techniques"]):
        code = (
            "import sys\nfrom nonant.cli import main\n"
            f"try:\n    main({command!r})\nfinally:\n"
            "    print([n for n in ('numpy', 'numba', 'networkx', 'ortools', 'pysat', 'rich') if n in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
        assert done.stdout.splitlines()[-1] == "[]", command


@pytest.mark.parametrize(
    "name, column, family, number",
    [
        ("variants/x_generated.csv", "puzzle", "x-9", 3),
        ("variants/windoku_generated.csv", "puzzle", "windoku-9", 3),
        ("variants/latin9_generated.csv", "puzzle", "latin-9", 3),
        ("variants/mini6x6_generated.csv", "puzzle", "classic-6", 8),
        ("variants/shidoku4x4_generated.csv", "puzzle", "classic-4", 8),
        ("variants/disjoint_groups_generated.csv", "puzzle", "disjoint-groups-9", 3),
    ],
)
def test_variants_are_explained(name: str, column: str, family: str, number: int) -> None:
    for row in listed(name)[:number]:
        path = explain(model(family).puzzle(row[column]))
        assert path.result == "solved"
        assert path.end.line == row["solution"]
        assert path.check()


def test_jigsaws_are_explained() -> None:
    for row in listed("jigsaw/jigsaw_generated.csv")[:3]:
        path = explain(model(f"jigsaw-{row['regions']}").puzzle(row["puzzle"]))
        assert path.end.line == row["solution"]
        assert path.check()


def test_a_sample_of_top1465_is_solved_without_looking() -> None:
    lines = shared_file("classic/top1465.txt").read_text().split()
    for line in lines[5::120]:
        puzzle = CLASSIC.puzzle(line)
        path = explain(puzzle)
        assert path.result == "solved", line
        assert path.end.live == solution_of(puzzle)


@pytest.mark.long
def test_all_of_top1465_is_solved() -> None:
    for line in shared_file("classic/top1465.txt").read_text().split():
        puzzle = CLASSIC.puzzle(line)
        path = explain(puzzle)
        assert path.result == "solved", line
        solution = solution_of(puzzle)
        for _, step in along(path):
            assert not step.removed & solution, line
