"""The judge under attack: false claims of every kind are refused with a reason, and no file keeps it busy for long."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from nonant import Model, explain, read, verify
from nonant.cli import main
from nonant.csp.constraints import Parity, Relation, Sum, Unit
from nonant.csp.errors import ModelError
from nonant.csp.proofs.as_json import describe, read_candidate, read_proof
from nonant.csp.proofs.certificate import Certificate, check, from_text, puzzle_of, to_text
from nonant.csp.proofs.certify import certify
from nonant.csp.proofs.check import check as check_step
from nonant.csp.proofs.check import check_contradiction
from nonant.csp.proofs.cnf import dimacs, n_unit_clauses, plain_cnf, rule_clauses
from nonant.csp.proofs.effort import Effort, OutOfEffort, effort_for
from nonant.csp.proofs.records import Constraints, Cover, ParitySum, Proof, ProofError, Refutation, Uniqueness
from nonant.csp.proofs.sets import domains_of, sets_of, start
from nonant.formats import spn
from nonant.models import model
from tests.support.attacks import ATTACKS, Tally, attack_certificates
from tests.support.random_models import random_puzzle

TOP = "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"
HEADER = f'[Variant "Classic"]\n[Puzzle "{TOP}"]\n'
CLASSIC = model("classic-9")
SOLUTION = "123434122143" + "4321"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(stopped.value.code or 0), out, err


def replayed(moves: str, header: str = HEADER) -> spn.Replay:
    return spn.replay(spn.parse(header + moves))


# -- random attacks ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_false_is_accepted(attack: Callable[[int], Tally]) -> None:
    tally: Counter[str] = Counter()
    for seed in range(60 if attack is attack_certificates else 150):
        tally += attack(seed)
    assert sum(tally.values()) > 500
    assert any(kind.endswith(("accepted", "solved")) for kind in tally), tally


@pytest.mark.long
@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_false_is_accepted_at_length(attack: Callable[[int], Tally]) -> None:
    for seed in range(10_000, 13_000):
        attack(seed)


# -- what is empty proves nothing --------------------------------------------------------------------------------------


def test_an_empty_list_of_constraints_is_no_contradiction() -> None:
    found = replayed("1. A # (constraint)")
    assert found.refused
    assert "names none" in found.moves[0].reason
    with pytest.raises(ProofError, match="names none"):
        check_contradiction(CLASSIC, start(CLASSIC.puzzle(TOP)), Constraints(()))
    assert replayed("1. A R1C2<>1 (constraint =>)").refused


@pytest.mark.parametrize("inner", ["refute R1C2=6: guard", "cover guard /", "cover 3*guard / R1C2"])
def test_an_empty_pattern_has_no_guard(inner: str) -> None:
    found = replayed(f"1. UniqueRectangle R1C2<>6 (unique : {inner})")
    assert found.refused
    assert "pattern of a uniqueness proof is empty" in found.moves[0].reason


@pytest.mark.parametrize("proof", ["cover /", "cover / R1C2", "parity", "parity /", "refute R1C2=6:"])
def test_other_empty_proofs(proof: str) -> None:
    assert replayed(f"1. A R1C2<>6 ({proof})").refused
    assert replayed(f"1. A # ({proof})").refused


def test_a_constraint_over_no_cells() -> None:
    never = Model("never", cells="ab", values=(0, 1), constraints=[Sum((), 1, name="sum"), Sum((), 0), Unit(())])
    board = start(never.puzzle())
    check_contradiction(never, board, Constraints((0,)))
    for some in ((1,), (2,), (1, 2)):
        with pytest.raises(ProofError, match="does not show"):
            check_contradiction(never, board, Constraints(some))


NUMBERS: list[tuple[Proof, str]] = [
    (Constraints((-1,)), "no constraint -1"),
    (Constraints((27,)), "no constraint 27"),
    (ParitySum((), (-1,)), "no constraint -1"),
    (Cover((0,), (0,), (-1,)), "no candidate -1"),
    (Cover((0,), (), (729,)), "no candidate 729"),
    (Refutation(-1, (0,)), "no candidate -1"),
    (Refutation(729, (0,)), "no candidate 729"),
    (Refutation(0, (Refutation(729, (0,)), 0)), "no candidate 729"),
    (Uniqueness(((-1, 3), (0, 3)), Cover((972,), ())), "no cell -1"),
    (Uniqueness(((81, 3),), Cover((972,), ())), "no cell 81"),
]


@pytest.mark.parametrize(("proof", "reason"), NUMBERS)
def test_numbers_that_name_nothing(proof: Proof, reason: str) -> None:
    puzzle = CLASSIC.puzzle(TOP)
    with pytest.raises(ProofError, match=reason):
        check_step(CLASSIC, start(puzzle), proof, domains_of(puzzle))


def test_a_path_must_bear_out_its_result() -> None:
    path = explain(CLASSIC.puzzle(TOP))
    assert path.check()
    for forged in (
        replace(path, result="contradiction"),
        replace(path, rounds=(1,)),
        replace(path, end=path.board, steps=(), rounds=()),
    ):
        with pytest.raises(ProofError):
            forged.check()


# -- names mean one thing ----------------------------------------------------------------------------------------------


def test_a_cell_that_is_called_guard() -> None:
    odd = Model("odd", cells=("guard", "guard (2)", "b"), values=(1, 2), constraints=[Unit(["guard", "b"])])
    assert len({*sets_of(odd).names, "guard"}) == len(sets_of(odd).names) + 1
    proof = Cover((0, 1), (0, 1))
    assert read_proof(odd, describe(odd, proof)) == proof


def test_labels_that_hold_signs() -> None:
    odd = Model("odd", cells=("a<>b", "a", "c"), values=("x", "b=y"), constraints=[])
    for candidate in range(6):
        for sign in ("=", "<>"):
            assert read_candidate(odd, sets_of(odd).candidate(candidate, sign)) == candidate
    two = Model("two", cells=("a", "a=b"), values=("c", "b=c"), constraints=[])
    with pytest.raises(ProofError, match="two candidates"):
        read_candidate(two, "a=b=c")


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "constraint", "constraints": [True], "removes": []},
        {"kind": "constraint", "constraints": ["0"], "removes": []},
        {"kind": "constraint", "constraints": [0.0], "removes": []},
        {"kind": "several", "parts": [{"kind": "several", "parts": []}]},
        {"kind": "uniqueness", "pattern": [], "proof": {}},
        {"kind": "cover", "truths": [["r1c1"]], "links": [], "removes": []},
        {"kind": "refutation", "assumes": 7, "items": []},
        {"kind": None},
        {},
        [],
    ],
)
def test_records_that_are_none(record: Any) -> None:
    with pytest.raises(ProofError):
        read_proof(CLASSIC, record)


# -- one statement -----------------------------------------------------------------------------------------------------


def marked_certificate() -> tuple[Certificate, Model]:
    """An empty 4x4 grid whose pencil marks are its solution."""
    rules = model("classic-4")
    puzzle = rules.puzzle("." * 16, [[int(symbol)] for symbol in SOLUTION])
    made = certify(puzzle, tuple(int(symbol) - 1 for symbol in SOLUTION))
    assert made is not None
    return made, rules


def test_pencil_marks_belong_to_the_puzzle(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    made, rules = marked_certificate()
    assert not check(made, rules.puzzle("." * 16))
    file = tmp_path / "marked.json"
    file.write_text(to_text(made))
    code, told, _ = run(capsys, "check", str(file), "--puzzle", "." * 16)
    assert code == 1
    assert "for another puzzle: classic-4 ................ with the pencil marks r1c1=1 r1c2=2" in told
    code, told, _ = run(capsys, "check", str(file))
    assert code == 0
    assert told.startswith("accepted: classic-4 ................ with the pencil marks r1c1=1 ")
    sukaku = tmp_path / "sukaku.txt"
    sukaku.write_text("\n".join(" ".join(SOLUTION[at : at + 4]) for at in range(0, 16, 4)))
    assert run(capsys, "check", str(file), "--puzzle", str(sukaku))[0] == 0
    record = json.loads(run(capsys, "check", str(file), "--json")[1])
    assert record["marks"]["r4c4"] == ["1"]
    assert "with the pencil marks" in record["shows"]


def test_pencil_marks_belong_to_a_pseudo_boolean_proof(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from nonant.csp.proofs.veripb import write

    rules = model("classic-4")
    puzzle = rules.puzzle("." * 16, [[int(symbol)] for symbol in SOLUTION])
    made = write(puzzle, [step.proof for step in explain(puzzle).steps])
    (tmp_path / "a.opb").write_text(made.opb)
    (tmp_path / "a.pbp").write_text(made.pbp)
    code, told, _ = run(capsys, "check", str(tmp_path / "a.pbp"), "--puzzle", "." * 16)
    assert code == 1
    assert "another puzzle" in told
    code, told, _ = run(capsys, "check", str(tmp_path / "a.pbp"))
    assert code == 0
    assert "with the pencil marks r1c1=1" in told


def test_a_replay_says_what_it_rests_on(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rules = model("classic-4")
    marked = rules.puzzle("." * 16, [[int(symbol)] for symbol in SOLUTION])
    file = tmp_path / "a.spn"
    file.write_text(spn.write(spn.from_path(explain(marked))))
    code, told, _ = run(capsys, "replay", str(file))
    assert code == 0
    assert "shows: classic-4 ................ with the pencil marks r1c1=1 " in told
    code, told, _ = run(capsys, "replay", str(file), "--puzzle", "." * 16)
    assert code == 1
    assert "another puzzle" in told
    assert run(capsys, "replay", str(file), "--puzzle", "12343412214343" + "..")[0] == 1
    given = tmp_path / "b.spn"
    given.write_text(spn.write(spn.from_path(explain(rules.puzzle("12343412........")))))
    assert run(capsys, "replay", str(given), "--puzzle", "12343412........")[0] == 0


def test_a_position_stands_in_the_sentence() -> None:
    header = f'[Variant "Classic"]\n[Puzzle "{"." * 16}"]\n[Filled "{SOLUTION}"]\n[Candidates "'
    cells = [f"R{row}C{column}" for row in range(1, 5) for column in range(1, 5)]
    header += " ".join(f"{cell}={symbol}" for cell, symbol in zip(cells, SOLUTION, strict=True)) + '"]\n'
    found = replayed("", header)
    assert not found.shows_unique
    assert f"with {SOLUTION} filled in and with the candidates R1C1=1" in found.shows
    assert "as told" in found.shows
    with pytest.raises(ModelError, match="listed twice"):
        replayed("", header.replace("R1C2=", "R1C1="))


def test_an_assumption_of_uniqueness_stands_in_the_sentence() -> None:
    header = '[Variant "Latin"]\n[Size "2"]\n[Puzzle "...."]\n'
    found = replayed("1. A # (cover R1C1 / )", header)
    assert found.refused
    found = replayed("1. A R1C1<>1 (unique R1C1=1,2 R1C2=1,2 R2C1=1,2 R2C2=1,2: cover guard /)", header)
    assert found.verified
    assert found.assumes_unique
    assert not found.shows_unique
    moves = " ".join(f"R{row}C{column}<>1,2" for row in (1, 2) for column in (1, 2))
    pattern = "unique R1C1=1,2 R1C2=1,2 R2C1=1,2 R2C2=1,2: cover guard /"
    found = replayed(f"1. A {moves} ({pattern})\n2. A #", header)
    assert found.shows == "latin-2 .... does not have exactly one solution"


# -- files made to deceive or to keep busy -----------------------------------------------------------------------------


def forged(name: str, cells: int, **fields: Any) -> str:
    made = Certificate(name, "." * cells, None, None, "0" * 64, ("0",), "nobody")
    return to_text(replace(made, **fields))


@pytest.mark.parametrize(("name", "cells"), [("latin-64", 4096), ("latin-144", 20736), ("classic-100", 10000)])
def test_sizes_are_looked_at_before_anything_is_built(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("clauses are written")

    monkeypatch.setattr("nonant.csp.proofs.certificate.plain_cnf", never)
    file = tmp_path / "large.json"
    file.write_text(forged(name, cells))
    code, told, _ = run(capsys, "check", str(file))
    assert code == 1
    assert f"--model {name} says" in told


def test_the_number_of_clauses_is_counted_right() -> None:
    for name in ("classic-4", "latin-3", "x-9", "jigsaw-1112132233243444"):
        assert n_unit_clauses(model(name)) == sum(len(some) for _, some in rule_clauses(model(name)))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"format": "nonant-certificate-1", "puzzle": ' + "9" * 5000 + "}", "cannot be read"),
        ('{"format": "nonant-certificate-1", "puzzle": "a", "puzzle": "b"}', "a field stands twice"),
        ("[" * 100_000, "nested too deep"),
        (forged("latin-" + "9" * 5000, 1), "ends in"),
        (forged("\ud800", 1), "no model is called"),
        (forged("classic-4", 16, marks=("1",)), "pencil marks are not those"),
        (forged("classic-4", 16, marks=("1",) * 15 + ("12?",)), "pencil marks are not those"),
        (forged("classic-4", 15), "givens are not those"),
    ],
)
def test_files_that_are_no_certificates(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, reason: str
) -> None:
    file = tmp_path / "bad.json"
    file.write_text(text, encoding="utf-8", errors="surrogatepass")
    code, out, err = run(capsys, "check", str(file))
    assert code == 2
    assert reason in err
    assert out == ""


@pytest.mark.parametrize(
    "line", ["1_0 0", "+1 0", "1 -0", "1 00", "\u0661 0", "1 0 2 0", "9" * 5000 + " 0", "- 1 0", "1e3 0", ""]
)
def test_numbers_that_other_readers_do_not_take(line: str) -> None:
    puzzle = model("classic-4").puzzle("12343412214343" + "..")
    made = certify(puzzle, tuple(int(symbol) - 1 for symbol in SOLUTION))
    assert made is not None
    assert not check(replace(made, proof=(line, *made.proof)), puzzle)


def test_a_file_has_one_budget() -> None:
    rules = " ".join(map(str, range(1, 28)))
    moves = "\n".join(f"{at}. A R1C2<>6 (constraint {rules} => R1C2<>6)" for at in range(1, 3))
    path = spn.parse(HEADER + moves)
    found = spn.replay(path, effort=effort_for(len(moves)))
    assert found.refused
    assert "tuples to try" in found.moves[0].reason or "given up" in found.moves[0].reason
    text = f"1. A R1C2<>6 (cover {'90000*R1C1'} / {'90000*R1C1'} => R1C2<>6)"
    with pytest.raises(OutOfEffort, match="--effort 10"):
        check_step(CLASSIC, start(CLASSIC.puzzle(TOP)), Cover((0,) * 9000, (0,) * 9000), effort=Effort(10_000))
    assert replayed(text).refused


def test_effort_is_spent_by_every_reader(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "top.json"
    assert run(capsys, "verify", TOP, "--certificate", str(file))[0] == 0
    assert run(capsys, "check", str(file))[0] == 0
    code, told, _ = run(capsys, "check", str(file), "--effort", "0.0001")
    assert code == 1
    assert "given up" in told
    run(capsys, "explain", TOP, "--spn", str(tmp_path / "top.spn"), "--pbp", str(tmp_path / "top.pbp"))
    for command, name in (("replay", "top.spn"), ("check", "top.pbp")):
        assert run(capsys, command, str(tmp_path / name))[0] == 0
        code, told, _ = run(capsys, command, str(tmp_path / name), "--effort", "0.0001")
        assert code == 1
        assert "given up" in told


def test_proofs_nested_too_deep_are_refused() -> None:
    proof: Refutation = Refutation(0, (0,))
    for _ in range(5000):
        proof = Refutation(0, (proof,))
    with pytest.raises(ProofError, match="too deep"):
        check_step(CLASSIC, start(CLASSIC.puzzle(TOP)), proof)


def test_a_predicate_that_fails_is_told() -> None:
    odd = Model("odd", cells="ab", values=(0, 1), constraints=[Relation("ab", lambda a, b: 1 / (a - b) > 0, "ratio")])
    made = Certificate("odd", "..", None, "00", sha256(b"").hexdigest(), ("0",), "nobody")
    with pytest.raises(ModelError, match="the predicate of ratio fails"):
        check(made, puzzle_of(made, odd))


# -- no solver, and the smallest conflict ------------------------------------------------------------------------------


def test_the_judge_loads_no_solver(tmp_path: Path) -> None:
    made, _ = marked_certificate()
    (tmp_path / "a.json").write_text(to_text(made))
    code = (
        "import sys\nfrom nonant.cli import main\n"
        f"try:\n    main(['check', {str(tmp_path / 'a.json')!r}])\nexcept SystemExit:\n    pass\n"
        "bad = ('nonant.csp.plain.search', 'nonant.csp.backends', 'nonant.csp.solve', 'nonant.strategies', 'pysat')\n"
        "print([name for name in sys.modules if name.startswith(bad)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_rules_that_clash_are_named_and_no_given() -> None:
    rules = [Unit("abc", "trio"), Parity("ab", True, "p"), Parity("bc", True, "q"), Parity("ac", True, "r")]
    never = Model("never", cells="abcd", values=(1, 2, 3), constraints=rules)
    found = verify(never.puzzle({"d": 1, "a": 2}))
    assert (found.verdict.value, found.conflict, set(found.rules)) == ("none", (), {"p", "q", "r"})
    assert "whatever the givens" in found.message


def test_no_given_is_named_where_the_rules_have_no_solution() -> None:
    from tests.support.random_models import brute_force

    seen = 0
    for seed in range(600):
        puzzle = random_puzzle(seed)
        free = replace(puzzle, givens=(None,) * puzzle.model.n_cells)
        if not puzzle.n_givens or brute_force(puzzle) or brute_force(free):
            continue
        found = verify(puzzle)
        given = {name for name, value in zip(puzzle.model.names, puzzle.givens, strict=True) if value is not None}
        assert given.isdisjoint(found.conflict), f"seed {seed}"
        seen += 1
    assert seen > 20


def test_honest_files_stay_within_their_effort() -> None:
    puzzle = read(TOP)
    solution = verify(puzzle).solutions[0].places
    made = certify(puzzle, solution)
    assert made is not None
    text = to_text(made)
    effort = effort_for(len(text))
    assert check(from_text(text), puzzle, effort)
    assert effort.left > effort.allowed * 0.8
    n_variables, clauses = plain_cnf(puzzle, solution)
    assert dimacs(n_variables, clauses).startswith("p cnf 729 ")
    path = spn.from_path(explain(puzzle))
    effort = effort_for(len(spn.write(path)))
    assert spn.replay(path, effort=effort).shows_unique
    assert effort.left > effort.allowed * 0.8
