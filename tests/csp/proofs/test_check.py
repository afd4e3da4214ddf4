"""The checker: right proofs are accepted, mutated ones refused unless they still hold, records survive JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

from nonant.csp.constraints import Compare, Parity, Sum, Unit
from nonant.csp.masks import bits
from nonant.csp.model import Model
from nonant.csp.proofs.as_json import describe, read_candidate, read_proof
from nonant.csp.proofs.check import check, check_contradiction
from nonant.csp.proofs.records import (
    Constraints,
    Cover,
    ParitySum,
    ProofError,
    Refutation,
    Several,
    Uniqueness,
    assumes_unique,
    depth,
)
from nonant.csp.proofs.sets import domains_of, sets_of, start
from nonant.models import model
from nonant.strategies import Step
from tests.support.positions import along, path_of, possible, puzzles

SMALL = model("classic-4")
SETS = sets_of(SMALL)
FULL = (1 << 64) - 1


def number(name: str) -> int:
    return SETS.names.index(name)


def candidate(text: str) -> int:
    return read_candidate(SMALL, text)


def without(*texts: str) -> int:
    return FULL & ~sum(1 << candidate(text) for text in texts)


def test_sets_are_named_for_a_reader() -> None:
    assert SETS.names[0] == "r1c1"
    assert "3 in row 2" in SETS.names
    assert len(set(SETS.names)) == len(SETS.names) == 16 + 12 * 4
    assert SETS.candidate(candidate("r2c3=4"), "<>") == "r2c3<>4"
    assert bits(SETS.peers[candidate("r1c1=1")]).__next__() == candidate("r1c1=2")
    assert SETS.peers[candidate("r1c1=1")].bit_count() == 3 + 7


def test_units_with_one_name_are_told_apart() -> None:
    twins = Model("twins", cells="abcd", values=(1, 2), constraints=[Unit("ab"), Unit("cd")])
    names = sets_of(twins).names
    assert len(set(names)) == len(names)
    assert "1 in unit" in names
    assert "1 in unit (2)" in names


def test_a_cover_removes_what_has_surplus_over_its_rank() -> None:
    # 1 in row 1 only in r1c1 and r1c2: locked in box 1.
    board = without("r1c3=1", "r1c4=1")
    cover = Cover((number("1 in row 1"),), (number("1 in box 1"),), (candidate("r2c1=1"), candidate("r2c2=1")))
    assert check(SMALL, board, cover) == 1 << candidate("r2c1=1") | 1 << candidate("r2c2=1")
    with pytest.raises(ProofError, match="do not cover"):
        check(SMALL, FULL, cover)
    with pytest.raises(ProofError, match="does not follow"):
        check(SMALL, board, replace(cover, removes=(candidate("r3c1=1"),)))


def test_repeated_sets_count_each_time() -> None:
    board = without("r1c1=2", "r1c1=3", "r1c1=4")
    place = candidate("r1c1=1")
    links = SETS.links_of(place)
    cover = Cover((number("r1c1"),) * len(links), links, tuple(bits(SETS.peers[place] & board)))
    assert check(SMALL, board, cover).bit_count() == 7
    with pytest.raises(ProofError, match="takes more than 3"):
        check(SMALL, board, replace(cover, truths=cover.truths[:1]))


def test_more_truths_than_links_is_a_contradiction() -> None:
    board = without(*(f"r1c{column}=1" for column in range(1, 5)))
    check_contradiction(SMALL, board, Cover((number("1 in row 1"),), ()))
    with pytest.raises(ProofError):
        check_contradiction(SMALL, FULL, Cover((number("1 in row 1"),), ()))
    with pytest.raises(ProofError, match="does not show"):
        check_contradiction(SMALL, FULL, Cover((number("r1c1"),), (number("r1c1"),)))


def test_a_partial_unit_is_no_truth() -> None:
    cage = Model("cage", shape=(3, 3), values=range(1, 10), constraints=[Unit([(0, 0), (0, 1), (0, 2)], "cage")])
    sets = sets_of(cage)
    truth = sets.names.index("1 in cage")
    with pytest.raises(ProofError, match="1 in cage is no truth"):
        check(cage, (1 << 81) - 1, Cover((truth,), (truth,)))


def test_numbers_that_do_not_exist_are_refused() -> None:
    with pytest.raises(ProofError, match="no truth 999"):
        check(SMALL, FULL, Cover((999,), (0,)))
    with pytest.raises(ProofError, match="no link -1"):
        check(SMALL, FULL, Cover((0,), (-1,)))
    with pytest.raises(ProofError, match=f"no truth {SETS.guard}"):
        check(SMALL, FULL, Cover((SETS.guard,), (0,)))


def test_a_refutation_replays_to_an_empty_truth() -> None:
    # r1c1 and r2c2 are 1 or 2, r1c2 is 1 or 3, r2c1 is 2 or 3: r1c1=1 forces r1c2=3, r2c2=2, and r2c1 is empty.
    board = without(
        *(f"r1c1={v}" for v in "34"),
        *(f"r2c2={v}" for v in "34"),
        *(f"r1c2={v}" for v in "24"),
        *(f"r2c1={v}" for v in "14"),
    )
    proof = Refutation(candidate("r1c1=1"), (number("r1c2"), number("r2c2"), number("r2c1")))
    assert check(SMALL, board, proof) == 1 << candidate("r1c1=1")
    assert depth(proof) == 1
    with pytest.raises(ProofError, match="without an end"):
        check(SMALL, board, replace(proof, items=proof.items[1:]))
    nested = Refutation(candidate("r3c3=1"), (Refutation(candidate("r1c1=1"), proof.items), number("r1c1")))
    assert depth(nested) == 2
    with pytest.raises(ProofError):
        check(SMALL, board, nested)  # r1c1 still has 2


def test_a_nested_refutation_uses_what_the_inner_one_shows() -> None:
    board = without(
        *(f"r1c1={v}" for v in "34"),
        *(f"r2c2={v}" for v in "34"),
        *(f"r1c2={v}" for v in "24"),
        *(f"r2c1={v}" for v in "14"),
    )
    inner = Refutation(candidate("r1c1=1"), (number("r1c2"), number("r2c2"), number("r2c1")))
    outer = Refutation(candidate("r1c4=2"), (inner, number("r1c1")))
    assert check(SMALL, board, outer) == 1 << candidate("r1c4=2")
    with pytest.raises(ProofError):
        check(SMALL, board, Refutation(candidate("r1c4=2"), (replace(inner, items=inner.items[:1]), number("r1c1"))))


def test_a_sum_excludes_by_its_tuples() -> None:
    cage = Model(
        "cage",
        cells="abc",
        values=range(1, 10),
        constraints=[Sum("abc", 6, name="six"), Unit("abc"), Compare("a", "<", "b")],
    )
    sets, board = sets_of(cage), (1 << 27) - 1
    four = tuple(read_candidate(cage, f"{cell}=4") for cell in "abc")
    assert check(cage, board, Constraints((0, 1), four)) == sum(1 << one for one in four)
    with pytest.raises(ProofError, match="=4 does not go"):
        check(cage, board, Constraints((0,), four))  # 4 1 1 is a sum of 6 too
    check_contradiction(cage, board & ~sum(sets.masks[0:1]) | 1 << 8, Constraints((0,)))
    with pytest.raises(ProofError):
        check(cage, board, Constraints((2,), (read_candidate(cage, "c=1"),)))


def test_constraints_with_too_many_tuples_are_refused_not_believed() -> None:
    wide = Model("wide", cells=[f"c{at}" for at in range(12)], values=range(9), constraints=[
        Sum([f"c{at}" for at in range(12)], 51, [2] * 12, name="wide")
    ])  # fmt: skip
    with pytest.raises(ProofError, match="tuples to try"):
        check(wide, (1 << 108) - 1, Constraints((0,), (0,)))


def test_parities_add_up() -> None:
    lights = Model(
        "lights", cells="abc", values=(0, 1), constraints=[Parity("ab", True), Parity("bc", True), Parity("abc", True)]
    )
    board = (1 << 6) - 1
    # ab + bc + abc leaves b's 1: 1 + 1 + 1 = 1, so b is 1 and its 0 goes.
    gone = (read_candidate(lights, "b=0"),)
    assert check(lights, board, ParitySum((), (0, 1, 2), gone)) == 1 << gone[0]
    with pytest.raises(ProofError):
        check(lights, board, ParitySum((), (0, 1, 2), (read_candidate(lights, "b=1"),)))
    with pytest.raises(ProofError, match="leaves 3"):
        check(lights, board, ParitySum((), (2,), gone))
    with pytest.raises(ProofError, match="not a Parity"):
        check(SMALL, FULL, ParitySum((), (0,), ()))


RECTANGLE = tuple((SMALL.index(name), 0b11) for name in ("r1c1", "r1c2", "r3c1", "r3c2"))


def test_an_exchange_is_verified() -> None:
    # Two rows, two columns, two boxes; r1c1 and r1c2 share box 1, r3c1 and r3c2 box 3.
    puzzle = SMALL.puzzle()
    board = without(*(f"{cell}={v}" for cell in ("r1c1", "r1c2", "r3c1") for v in "34"))
    gone = tuple(candidate(f"r3c2={v}") for v in "12")
    proof = Uniqueness(RECTANGLE, Cover((SETS.guard,), (number("r3c2"),), gone))
    assert check(SMALL, board, proof, domains_of(puzzle)) == sum(1 << one for one in gone)
    assert assumes_unique(proof)
    assert assumes_unique(Several((proof,)))
    with pytest.raises(ProofError, match="as it was given"):
        check(SMALL, board, proof)
    given = SMALL.puzzle({"r1c1": 1})
    with pytest.raises(ProofError, match="r1c1 cannot be exchanged"):
        check(SMALL, board, proof, domains_of(given))
    across = tuple((SMALL.index(name), 0b11) for name in ("r1c1", "r1c3", "r3c1", "r3c3"))
    with pytest.raises(ProofError, match="would show in box 1"):
        check(SMALL, board, replace(proof, pattern=across), domains_of(puzzle))


def test_an_exchange_across_a_diagonal_is_refused() -> None:
    crossed = model("x-9")
    cells = ("r1c5", "r1c6", "r5c5", "r5c6")
    pattern = tuple((crossed.index(name), 0b10001) for name in cells)
    sets = sets_of(crossed)
    proof = Uniqueness(pattern, Cover((sets.guard,), (crossed.index("r5c5"),)))
    with pytest.raises(ProofError, match="would show in"):
        check(crossed, (1 << 729) - 1, proof, domains_of(crossed.puzzle()))


def test_an_exchange_in_a_sum_is_refused() -> None:
    rules = [*SMALL.constraints, Sum(["r1c1", "r4c4"], 5)]
    summed = Model("summed", shape=(4, 4), values=range(1, 5), constraints=rules)
    proof = Uniqueness(RECTANGLE, Cover((sets_of(summed).guard,), (summed.index("r3c2"),)))
    with pytest.raises(ProofError, match="no unit"):
        check(summed, FULL, proof, domains_of(summed.puzzle()))


def test_givens_and_rules_make_the_first_board() -> None:
    board = start(SMALL.puzzle({"r1c1": 1}))
    assert board & SETS.masks[0] == 1
    assert not board >> candidate("r1c2=1") & 1
    clash = start(SMALL.puzzle({"r1c1": 1, "r1c2": 1}))
    check_contradiction(SMALL, clash, Cover((0,), ()))


# -- mutants, against an oracle ------------------------------------------------------------


def test_mutated_proofs_are_refused_unless_they_still_hold() -> None:
    random = Random(5)
    accepted = refused = proofs = 0
    for at, puzzle in enumerate(puzzles()):
        rules = puzzle.model
        sets = sets_of(rules)
        for board, step in along(path_of(at)):
            parts = step.proof.parts if isinstance(step.proof, Several) else (step.proof,)
            for proof in parts:
                check(rules, board.live, proof)
                proofs += 1
                if not isinstance(proof, Cover | Refutation) or random.random() < 0.7:
                    continue
                mutant = _mutated(random, proof, len(sets.masks), board.live)
                try:
                    gone = check(rules, board.live, mutant)
                except ProofError:
                    refused += 1
                    continue
                accepted += 1
                for removed in bits(gone & board.live):
                    assert not possible(rules, board.live, removed), (rules.name, describe(rules, mutant))
    assert proofs > 500
    assert refused > 100
    assert accepted


def _mutated(random: Random, proof: Cover | Refutation, n_sets: int, live: int) -> Cover | Refutation:
    moved = random.choice(list(bits(live)))
    if isinstance(proof, Refutation):
        items = list(proof.items)
        kind = random.randrange(3)
        if kind == 0:
            items.pop(random.randrange(len(items)))
        elif kind == 1:
            items[random.randrange(len(items))] = random.randrange(n_sets)
        return Refutation(moved if kind == 2 else proof.assumes, tuple(items))
    truths, links = list(proof.truths), list(proof.links)
    kind = random.randrange(5)
    if kind == 0:
        truths.pop(random.randrange(len(truths)))
    elif kind == 1:
        links.pop(random.randrange(len(links)))
    elif kind == 2:
        links[random.randrange(len(links))] = random.randrange(n_sets)
    elif kind == 3:
        truths[random.randrange(len(truths))] = random.randrange(n_sets)
    return Cover(tuple(truths), tuple(links), (moved,) if kind == 4 else proof.removes)


# -- JSON ------------------------------------------------------------


def test_proofs_survive_json() -> None:
    kinds = set()
    for at, puzzle in enumerate(puzzles()):
        for step in path_of(at).steps:
            record = json.loads(json.dumps(describe(puzzle.model, step.proof)))
            assert read_proof(puzzle.model, record) == step.proof
            kinds.add(record["kind"])
    assert {"cover", "refutation"} <= kinds
    for proof in (
        Constraints((0, 3), (5,)),
        ParitySum((1, 2), (), (7,)),
        Uniqueness(RECTANGLE, Refutation(3, (SETS.guard,))),
        Several((Cover((1,), (2,), (3,)), Refutation(4, (Refutation(5, (6,)), 7)))),
    ):
        assert read_proof(SMALL, json.loads(json.dumps(describe(SMALL, proof)))) == proof


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"kind": "magic"},
        {"kind": "cover", "truths": ["r9c9"], "links": [], "removes": []},
        {"kind": "cover", "truths": [], "links": [], "removes": ["r1c1=9"]},
        {"kind": "refutation", "assumes": "r1c1", "items": []},
        {
            "kind": "refutation",
            "assumes": "r1c1=1",
            "items": [{"kind": "cover", "truths": [], "links": [], "removes": []}],
        },
    ],
)
def test_bad_records_are_named(record: dict[str, object]) -> None:
    with pytest.raises(ProofError):
        read_proof(SMALL, record)


def test_a_candidate_named_twice_proves_no_other() -> None:
    """Masks are unions: adding the same bit twice would make it the next candidate's."""
    gone = candidate("r1c2=1")
    proof = Cover((number("r1c1"),), (number("r1c1"), number("1 in row 1"), number("1 in box 1")), (gone, gone))
    board = without("r1c1=2", "r1c1=3", "r1c1=4")
    single = replace(proof, truths=(number("r1c1"),) * 3, removes=(gone, gone))
    assert check(SMALL, board, single) == 1 << gone
    assert Step("cover", (), (gone, gone), single, "").removed == 1 << gone


def test_of_a_unit_beside_a_sum_only_the_common_cells_are_filled() -> None:
    """Two cells of a row with the sum 6 in values 1 to 4: not 3 twice, since the row's cells differ."""
    rules = [Unit(["a", "b", "c", "d"], "row"), Sum(["a", "b"], 6)]
    small = Model("small", cells=["a", "b", "c", "d"], values=range(1, 5), constraints=rules)
    board = (1 << 16) - 1
    gone = tuple(cell * 4 + value for cell in (0, 1) for value in (0, 2))  # 1 and 3
    assert check(small, board, Constraints((0, 1), gone))
    with pytest.raises(ProofError, match="allow a tuple"):
        check(small, board, Constraints((1,), gone))
    with pytest.raises(ProofError, match="do not name"):
        check(small, board, Constraints((0, 1), (2 * 4,)))
