from __future__ import annotations

import csv
import importlib
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nonant.csp.backends.base import Limits, Progress
from nonant.csp.backends.sat import BACKEND
from nonant.csp.errors import ParseError, Unsupported
from nonant.csp.model import Model, Puzzle, Sum, Unit
from nonant.csp.proofs import rup
from nonant.csp.proofs.certificate import Certificate, check, from_text, lrat, to_text
from nonant.csp.proofs.certify import certify
from nonant.csp.proofs.cnf import dimacs, plain_cnf
from nonant.csp.units import boxes, columns, regions, rows
from tests.support.files import shared_file
from tests.support.lists import killers, sixteens
from tests.support.random_models import brute_force, random_puzzle

CLASSIC = Model("classic", shape=(9, 9), values=range(1, 10), constraints=[rows, columns, boxes(3, 3)])
HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."


def solved(puzzle: Puzzle) -> tuple[int, ...]:
    return next(iter(BACKEND.session(puzzle).run(Progress(), Limits())))


def certified(puzzle: Puzzle, proof: str = "cadical195") -> Certificate:
    certificate = certify(puzzle, solved(puzzle), proof)
    assert certificate is not None
    return certificate


def hardest(number: int) -> list[Puzzle]:
    lines = shared_file("classic/forum_hardest_1106_375.txt").read_text().split()[:number]
    return [CLASSIC.puzzle(line[:81]) for line in lines]


def jigsaws(number: int) -> Iterator[Puzzle]:
    with shared_file("jigsaw/jigsaw_generated.csv").open() as file:
        for _, row in zip(range(number), csv.DictReader(file), strict=False):
            units = [rows, columns, regions(row["regions"])]
            yield Model("jigsaw", shape=(9, 9), values=range(1, 10), constraints=units).puzzle(row["puzzle"])


# -- the checker of proofs ---------------------------------------------------------------------------------------------

SQUARE = [(1, 2), (-1, 2), (1, -2), (-1, -2)]


def test_a_proof_by_hand() -> None:
    assert rup.check(2, SQUARE, ["2 0", "0"]) == 2
    assert rup.check(2, SQUARE, ["2 0", "d 1 2 0", "d 2 0", "0"]) == 2
    assert rup.elaborate(2, SQUARE, ["2 0", "0"])[0] == "5 2 0 1 2 0"


@pytest.mark.parametrize(
    "lines, reason",
    [
        (["0"], "does not follow"),
        (["2 0"], "does not end with the empty clause"),
        ([], "does not end with the empty clause"),
        (["2 0", "0x"], "line 2 .* is not a clause"),
        (["2", "0"], "line 1 .* cut off"),
        (["2 0 1 0", "0"], "line 1"),
        (["3 0", "0"], "variable that the formula does not have"),
        (["d 1 2 0", "2 0", "0"], "does not follow"),
    ],
)
def test_a_wrong_proof_is_refused(lines: list[str], reason: str) -> None:
    with pytest.raises(rup.ProofError, match=reason):
        rup.check(2, SQUARE, lines)


def test_no_proof_of_what_can_be_satisfied() -> None:
    with pytest.raises(rup.ProofError, match="does not follow"):
        rup.check(2, SQUARE[:3], ["2 0", "1 0", "0"])


def lrat_holds(clauses: list[tuple[int, ...]], text: str) -> bool:
    """An LRAT checker: each hint must be unit or false in turn."""
    known = dict(enumerate(clauses, 1))
    for line in text.splitlines():
        number, *rest = map(int, line.split())
        end = rest.index(0)
        clause, hints = tuple(rest[:end]), rest[end + 1 : -1]
        false, conflict = set(clause), False
        for hint in hints:
            open_literals = [literal for literal in known[hint] if literal not in false]
            if len(open_literals) > 1 or conflict or any(-literal in false for literal in open_literals):
                return False  # neither unit nor false, or a hint too many
            conflict = not open_literals
            false.update(-literal for literal in open_literals)
        if not conflict:
            return False
        known[number] = clause
    return known[max(known)] == ()


# -- the plain CNF -----------------------------------------------------------------------------------------------------


def test_the_plain_cnf_of_random_models_has_the_solutions_of_brute_force() -> None:
    from pysat.solvers import Solver

    for seed in range(200):
        puzzle = random_puzzle(seed)
        expected = brute_force(puzzle)
        size = puzzle.model.n_values
        _, clauses = plain_cnf(puzzle, None)
        if len(expected) > 200:
            continue
        if () in clauses:
            assert not expected, f"seed {seed}"
            continue
        with Solver("minisat22", bootstrap_with=clauses) as solver:
            found = set()
            for model in solver.enum_models() if clauses else ():
                found.add(tuple((literal - 1) % size for literal in model if literal > 0))
        assert found == (expected if clauses else set()), f"seed {seed}"


def test_a_sum_over_too_many_cells_is_refused() -> None:
    wide = Model("wide", cells=range(30), values=(0, 1), constraints=[Sum(range(30), 0)])
    with pytest.raises(Unsupported, match="over 30 cells"):
        certify(wide.puzzle(), (0,) * 30)


# -- certificates ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("proof", ["cadical195", "native"])
def test_hard_puzzles(proof: str) -> None:
    for puzzle in hardest(20 if proof == "cadical195" else 10):
        certificate = certified(puzzle, proof)
        assert certificate.prover == proof
        assert certificate.proof.index("0") == len(certificate.proof) - 1
        assert check(certificate, puzzle), puzzle.line
        assert from_text(to_text(certificate)) == certificate


def test_lrat_of_a_hard_puzzle() -> None:
    puzzle = CLASSIC.puzzle(HARD)
    certificate = certified(puzzle)
    _, clauses = plain_cnf(puzzle, solved(puzzle))
    text = lrat(certificate, puzzle)
    assert lrat_holds(clauses, text)
    first, *rest = text.splitlines()
    assert not lrat_holds(clauses, "\n".join([first.replace(" 0 ", " 0 1 ", 1), *rest[:-1]]))


def test_random_models_with_one_solution_or_none() -> None:
    made = 0
    for seed in range(150):
        puzzle = random_puzzle(seed)
        solutions = brute_force(puzzle)
        solution = min(solutions, default=None)
        for proof in ("cadical195", "native"):
            certificate = certify(puzzle, solution, proof)
            assert (certificate is None) == (len(solutions) > 1), f"seed {seed}"
            if certificate is not None:
                found = check(certificate, puzzle)
                assert found, f"seed {seed}: {found.reason}"
                made += 1
    assert made > 60


def test_no_certificate_for_a_puzzle_with_two_solutions() -> None:
    several = CLASSIC.puzzle(HARD.replace("8", "."))
    assert certify(several, solved(several)) is None
    assert certify(several, solved(several), "native") is None


def test_a_limit_gives_no_certificate() -> None:
    puzzle = CLASSIC.puzzle(HARD)
    assert certify(puzzle, solved(puzzle), limits=Limits(nodes=1)) is None


def test_a_puzzle_without_solution() -> None:
    puzzle = CLASSIC.puzzle(HARD[:1] + "4" + HARD[2:])
    for proof in ("cadical195", "native"):
        certificate = certify(puzzle, None, proof)
        assert certificate is not None
        assert certificate.solution is None
        assert check(certificate, puzzle)
    other = CLASSIC.puzzle(HARD)
    assert certificate is not None
    assert not check(replace(certificate, puzzle=other.line), other)


def test_what_was_changed_is_refused() -> None:
    puzzle = CLASSIC.puzzle(HARD)
    certificate = certified(puzzle)
    fewer = CLASSIC.puzzle(HARD[:-3] + "...")
    another = CLASSIC.puzzle("9" + HARD[1:])
    for changed in (fewer, another):
        assert "another puzzle" in check(certificate, changed).reason
        assert "its solution" in (found := check(replace(certificate, puzzle=changed.line), changed)).reason or (
            "clauses" in found.reason
        )
    marked = CLASSIC.puzzle(HARD, pencil_marks={"r1c2": (1, 2)})
    assert "pencil marks" in check(certificate, marked).reason
    looser = Model("classic", shape=(9, 9), values=range(1, 10), constraints=[rows, columns])
    assert "rules have changed" in check(certificate, looser.puzzle(HARD)).reason
    solution = certificate.solution or ""
    assert "breaks" in check(replace(certificate, solution=solution[:1] + "9" * 2 + solution[3:]), puzzle).reason
    assert "each of the 81 cells" in check(replace(certificate, solution=solution[:-1]), puzzle).reason


def test_a_truncated_certificate_is_refused() -> None:
    puzzle = CLASSIC.puzzle(HARD)
    for proof in ("cadical195", "native"):
        certificate = certified(puzzle, proof)
        for kept in (0, 1, len(certificate.proof) // 2, len(certificate.proof) - 1):
            assert "cut off" in check(replace(certificate, proof=certificate.proof[:kept]), puzzle).reason
        text = to_text(certificate)
        for length in (0, 10, len(text) // 2, len(text) - 4):
            with pytest.raises(ParseError):
                from_text(text[:length])
        dropped = replace(certificate, proof=("0",))
        assert "does not follow" in check(dropped, puzzle).reason


def test_text_that_is_no_certificate() -> None:
    certificate = certified(CLASSIC.puzzle(HARD))
    fields = json.loads(to_text(certificate))
    for broken in ([], {}, {**fields, "format": "other"}, {**fields, "proof": "0"}, {**fields, "proof": [0]}):
        with pytest.raises(ParseError):
            from_text(json.dumps(broken))
    del fields["cnf_sha256"]
    with pytest.raises(ParseError, match="cnf_sha256"):
        from_text(json.dumps(fields))


def test_checking_imports_no_solver(tmp_path: Path) -> None:
    latin = Model("latin", shape=(2, 2), values=(1, 2), constraints=[rows, columns])
    file = tmp_path / "latin.json"
    file.write_text(to_text(certified(latin.puzzle("1..."))))
    code = f"""
import sys
from nonant.csp.proofs.certificate import check, from_text
from nonant.csp.model import Model
from nonant.csp.units import columns, rows
latin = Model("latin", shape=(2, 2), values=(1, 2), constraints=[rows, columns])
assert check(from_text(open({str(file)!r}).read()), latin.puzzle("1..."))
assert not any(name.split(".")[0] in ("pysat", "ortools", "numba") for name in sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_small_models() -> None:
    empty = Model("empty", cells=(), values=(1,))
    certificate = certify(empty.puzzle(), ())
    assert certificate is not None
    assert check(certificate, empty.puzzle())
    pair = Model("pair", cells="ab", values=(10, 200), constraints=[Unit("ab")])
    certificate = certify(pair.puzzle({"a": 10}), (0, 1))
    assert certificate is not None
    assert certificate.solution == "10 200"
    assert check(certificate, pair.puzzle({"a": 10}))
    marked = pair.puzzle(pencil_marks={"b": (10,)})
    certificate = certify(marked, (1, 0), "native")
    assert certificate is not None
    assert certificate.marks == ("10 200", "10")
    assert check(certificate, marked)


# -- checkers of other people ------------------------------------------------------------------------------------------


Confirms = Callable[[str, str], bool]  # DIMACS text, proof text


def external_checker(folder: Path) -> Confirms:
    """Another program that checks DRUP proofs, or a skip."""
    if importlib.util.find_spec("dratify"):
        dratify: Any = importlib.import_module("dratify")
        return lambda formula, proof: bool(dratify.check_proof(dratify.parse_dimacs(formula), proof).ok)
    program = shutil.which("drat-trim")
    if program is None:
        pytest.skip("no other checker of DRUP proofs: pip install dratify cdclkit-native, or build drat-trim")

    def confirms(formula: str, proof: str) -> bool:
        files = folder / "puzzle.cnf", folder / "puzzle.drup"
        files[0].write_text(formula)
        files[1].write_text(proof)
        finished = subprocess.run([program, *files], capture_output=True, text=True, check=False)
        return "s VERIFIED" in finished.stdout

    return confirms


@pytest.mark.long
@pytest.mark.parametrize("proof", ["cadical195", "native"])
def test_an_external_checker_accepts(proof: str, tmp_path: Path) -> None:
    confirms = external_checker(tmp_path)
    for puzzle in [*hardest(50), *jigsaws(10), *sixteens(5), *killers(3)]:
        certificate = certified(puzzle, proof)
        found = check(certificate, puzzle)
        assert found, found.reason
        assert confirms(dimacs(*plain_cnf(puzzle, solved(puzzle))), "\n".join(certificate.proof) + "\n"), puzzle
        assert not check(replace(certificate, proof=certificate.proof[:-1]), puzzle)


def test_other_families() -> None:
    for puzzle in [*jigsaws(2), *sixteens(1), *killers(1)]:
        found = check(certified(puzzle), puzzle)
        assert found, found.reason
