"""Verdicts with their witnesses, the reasons for "none", and what broke other systems."""

from __future__ import annotations

import json

import pytest

from nonant import Model, Parity, Relation, Sum, Uniqueness, candidates, count, read, solve, verify
from nonant.csp.units import boxes, cages, columns, diagonals, rows, windows
from nonant.models import model
from tests.support.files import shared_file

CLASSIC = model("classic-9")
SIX = "92..8.65.6..2.43..3..5.9.72.7.953.......7.......6..5....142..3.....31..6.6.7..1.."


def test_unique() -> None:
    found = verify(read("4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"))
    assert found.verdict is Uniqueness.UNIQUE
    assert [s.line[:9] for s in found.solutions] == ["468931527"]
    assert (found.differs, found.conflict) == ((), ())


def test_multiple_shows_where_two_solutions_differ() -> None:
    found = verify(CLASSIC.puzzle(SIX))
    assert found.verdict is Uniqueness.MULTIPLE
    first, second = found.solutions
    assert first != second
    assert all(CLASSIC.holds(solution.in_order()) for solution in found.solutions)
    assert found.differs == tuple(name for name in CLASSIC.names if first[name] != second[name])
    assert found.differs


def test_unknown_at_a_limit() -> None:
    hard = model("classic-16").puzzle()
    assert verify(hard, node_limit=0).verdict is Uniqueness.UNKNOWN
    assert verify(hard, time_limit=0.0).verdict is Uniqueness.UNKNOWN


@pytest.mark.parametrize(
    ("givens", "conflict", "message"),
    [
        ("11" + "." * 79, ("r1c1", "r1c2"), "r1c1 and r1c2 are both 1 in row 1"),
        ("1........1" + "." * 71, ("r1c1", "r2c1"), "both 1 in column 1"),
        ("1.........1" + "." * 70, ("r1c1", "r2c2"), "both 1 in box 1"),
        (
            "829437561673152849154968273248713956396584712517296384961375428782649135435821679",
            ("r3c8", "r9c8"),
            "r3c8 and r9c8 are both 7 in column 8",
        ),
    ],
)
def test_none_names_the_clash(givens: str, conflict: tuple[str, ...], message: str) -> None:
    found = verify(CLASSIC.puzzle(givens))
    assert found.verdict is Uniqueness.NONE
    assert message in found.message
    assert found.conflict == conflict


def test_none_after_propagation_names_what_has_no_place() -> None:
    # 1 is kept out of row 1 by three givens below and three within.
    givens = {"r1c1": 2, "r1c2": 3, "r1c3": 4, "r2c4": 1, "r3c7": 1}
    found = verify(CLASSIC.puzzle(givens))
    assert found.verdict is Uniqueness.NONE
    assert "1" in found.message
    assert found.conflict


def test_none_comes_with_a_minimal_set_of_givens() -> None:
    line = "12345678." + "." * 17 + "9" + "." * 54
    for smallest in (False, True):
        found = verify(CLASSIC.puzzle(line), smallest=smallest)
        assert "r1c9 has no value left" in found.message
        givens = {name: value for name, value in zip(CLASSIC.names, line, strict=True) if name in found.conflict}
        assert set(givens.values()) <= set("123456789")
        assert verify(CLASSIC.puzzle(givens)).verdict is Uniqueness.NONE
        for cell in givens:
            others = {name: value for name, value in givens.items() if name != cell}
            assert solve(CLASSIC.puzzle(others)).solution is not None


def test_a_conflict_is_minimal_also_beside_other_reasons() -> None:
    row = Relation([(0, 0)], [(2,), (3,)])
    rules = [rows, columns, boxes(2, 2), row]
    found = verify(Model("4x4", shape=(4, 4), values=range(1, 5), constraints=rules).puzzle("11.............."))
    assert found.conflict == ("r1c1",)
    marked = model("classic-4").puzzle("11..............", {"r1c1": [2]})
    assert verify(marked).conflict == ("r1c1",)
    # Three cells of one unit with two marks between them: no given has a part in it.
    pigeons = model("classic-4").puzzle("..11............", {"r4c1": [1, 2], "r4c2": [1, 2], "r4c3": [1, 2]})
    found = verify(pigeons)
    assert found.conflict == ()
    assert "whatever the givens, row 4 cannot hold, with the pencil marks of r4c1, r4c2, r4c3" in found.message
    assert found.rules == ("row 4",)


def test_certificates_come_on_request() -> None:
    from nonant.csp.proofs.certificate import check

    puzzle = CLASSIC.puzzle("4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........")
    assert verify(puzzle).certificate is None
    for prover in ("cadical195", "native"):
        proved = verify(puzzle, certificate=prover).certificate
        assert proved is not None
        assert proved.prover == prover
        assert check(proved, puzzle)
    assert verify(CLASSIC.puzzle(SIX), certificate="native").certificate is None
    clash = CLASSIC.puzzle("11" + "." * 79)
    proved = verify(clash, certificate="cadical195").certificate
    assert proved is not None
    assert proved.solution is None
    assert check(proved, clash)


def test_none_by_other_constraints() -> None:
    total = Model("sum", shape=(1, 2), values=(1, 2, 3), constraints=[Sum([(0, 0), (0, 1)], 9, name="the total")])
    assert "the total allows no values" in verify(total).message
    two = Model("two", shape=(1, 3), values=(0, 1), constraints=[Parity([(0, 0), (0, 1)], odd=True, name="odd one")])
    assert "break Parity 'odd one'" in verify(two.puzzle("11.")).message
    table = Relation("abc", [(0, 0, 0), (1, 1, 1)], name="equal")
    three = Model("three", cells="abc", values=(0, 1), constraints=[table])
    found = verify(three.puzzle({"a": 0, "b": 1}))
    assert found.verdict is Uniqueness.NONE
    assert set(found.conflict) == {"a", "b"}
    assert "cannot be satisfied" in found.message


def test_none_by_the_sum_of_parities() -> None:
    rules = [Parity("ab", odd=True, name="p"), Parity("bc", odd=True, name="q"), Parity("ac", odd=True, name="r")]
    found = verify(Model("triangle", cells="abc", values=(0, 1), constraints=rules), backend="native")
    assert found.verdict is Uniqueness.NONE
    assert found.message.endswith("the equations p, q, r add up to 0 = 1")


def test_a_model_of_pigeons() -> None:
    crowded = Model("crowded", shape=(1, 3), values=(1, 2), constraints=[rows])
    found = verify(crowded)
    assert found.verdict is Uniqueness.NONE
    assert "row 1 has 3 cells for 2 values" in found.message
    assert count(crowded) == 0
    assert solve(crowded).status.value == "none"


def test_candidates_are_the_values_of_solutions() -> None:
    found = candidates(CLASSIC.puzzle(SIX))
    assert found.complete
    from nonant import solutions

    every = list(solutions(CLASSIC.puzzle(SIX)))
    assert len(every) == 6
    for cell in CLASSIC.names:
        assert set(found[cell]) == {solution[cell] for solution in every}
    none = candidates(CLASSIC.puzzle("11" + "." * 79))
    assert none.complete
    assert not any(none.values)
    assert candidates(model("classic-4")).values == ((1, 2, 3, 4),) * 16
    assert not candidates(model("classic-9"), time_limit=0.0).complete


def test_what_broke_other_systems() -> None:
    cases = {case["id"]: case for case in json.loads(shared_file("edge/public_bugs_part.json").read_text())}
    clash = cases["case-01"]["input"].split()[2]
    found = verify(read(clash))
    assert found.verdict is Uniqueness.NONE
    assert set(found.conflict) in ({"r2c2", "r2c9"}, {"r4c2", "r4c9"}, {"r4c2", "r4c5"})
    assert verify(read(cases["case-02"]["input"])).verdict is Uniqueness.NONE
    assert count(read(cases["case-03"]["input"])) == 6
    assert count(read(cases["case-04"]["input"].split()[0]), limit=10_000) == 10_000
    assert verify(read("11" + "." * 79)).conflict == ("r1c1", "r1c2")
    rules = [rows, columns, boxes(3, 3), diagonals, windows]
    xw = Model("x-windoku", shape=(9, 9), values=range(1, 10), constraints=rules)
    puzzle = xw.puzzle(cases["case-06"]["input"].split()[0])
    found = verify(puzzle)
    assert found.verdict is Uniqueness.UNIQUE
    assert found.solutions[0].line in cases["case-06"]["right"]
    assert found.solutions[0]["r1c6"] == 4
    found = verify(read(cases["case-07"]["input"]))
    assert found.verdict is Uniqueness.UNIQUE
    assert found.solutions[0].line in cases["case-07"]["right"]
    line = cases["case-14"]["input"]
    assert count(read(line)) == 1
    assert count(read(line[:80] + ".")) == 344


def test_killer_repeats_are_the_models_to_state() -> None:
    cells = [(0, 0), (0, 1), (1, 1)]
    for repeats in (False, True):
        rules = [rows, columns, cages([(4, cells)], repeats=repeats)]
        found = count(Model("killer", shape=(2, 2), values=(1, 2, 3), constraints=rules))
        assert found == (0 if not repeats else 1 * 2 + 0)
