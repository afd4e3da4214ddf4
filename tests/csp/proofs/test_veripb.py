"""Solve paths as pseudo-Boolean proofs: written, read by the independent reader, tampered with, and held against
oracles that know nothing of either.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice, product
from pathlib import Path
from random import Random

import pytest

from nonant import Model, explain
from nonant.cli import main
from nonant.csp.constraints import Compare, Parity, Relation, Sum, Unit
from nonant.csp.errors import ParseError
from nonant.csp.model import Puzzle
from nonant.csp.proofs import veripb_lines
from nonant.csp.proofs.check import check
from nonant.csp.proofs.opb import formula, puzzle_of, values_of
from nonant.csp.proofs.records import Constraints, Cover, ParitySum, Proof, ProofError, Refutation, Uniqueness
from nonant.csp.proofs.sets import sets_of
from nonant.csp.proofs.veripb import NotWritten, Written, write
from nonant.csp.proofs.veripb_check import Refused, read
from nonant.csp.units import columns, parity, rows
from nonant.models import model
from tests.support.files import ROOT, shared_file
from tests.support.lists import killers, sixteens
from tests.support.positions import PUZZLES, path_of, puzzles, solution_of
from tests.support.random_models import brute_force, random_puzzle

CLASSIC = model("classic-9")
EASY = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
LATIN = Model("latin", shape=(2, 2), values=(1, 2), constraints=[rows, columns])


def proofs_of(puzzle: Puzzle, **options: object) -> list[Proof]:
    return [step.proof for step in explain(puzzle, **options).steps]  # type: ignore[arg-type]


@lru_cache(maxsize=16)
def written(at: int) -> Written:
    """The proof of a puzzle of the list."""
    return write(list(puzzles())[at], [step.proof for step in path_of(at).steps])


def is_refused(opb: str, pbp: str, reason: str = ".") -> None:
    with pytest.raises(Refused, match=reason):
        read(opb, pbp)


# -- whole paths -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", range(len(PUZZLES)), ids=[name.split("-")[0] for name, _ in PUZZLES])
def test_paths_are_written_and_accepted(at: int) -> None:
    puzzle, made = list(puzzles())[at], written(at)
    found = read(made.opb, made.pbp)
    assert [sum(1 << (variable - 1) for variable in true) for true in found.solutions] == [solution_of(puzzle)]
    assert made.solution is not None
    assert puzzle.model.holds([puzzle.model.values[place] for place in made.solution])
    assert puzzle_of(made.opb, puzzle.model).domains == puzzle.domains
    assert len(made.pbp) < 250 * puzzle.model.n_cells * puzzle.model.n_values  # 65 KB in the mean for 9x9


def test_inner_refutations_are_clauses_of_their_own() -> None:
    assert path_of(2).depth > 1
    inner = re.findall(r"^rup 1 ~x\d+ 1 ~x\d+ >= 1 : ", written(2).pbp, re.MULTILINE)
    assert inner
    assert not re.search(r"^rup 1 ~x\d+ 1 ~x\d+ >= 1 : ", written(1).pbp, re.MULTILINE)  # patterns only


def test_the_numbers_of_a_classic_grid() -> None:
    puzzle = CLASSIC.puzzle(EASY)
    made = formula(puzzle)
    lines = [line for line in made.text.splitlines() if not line.startswith("*")]
    assert len(lines) == 1 + 324 + puzzle.n_givens
    assert all(line.endswith("= 1 ;") for line in lines[1:325])
    assert len(made.inequalities) == 648 + 30
    assert all(made.truth[k] == 2 * k + 1 and made.link[k] == 2 * k + 2 for k in range(324))
    assert write(puzzle, proofs_of(puzzle)).pbp.splitlines()[1] == "f 678 ;"


def test_rounds_and_other_orders() -> None:
    puzzle = CLASSIC.puzzle(EASY)
    made = write(puzzle, proofs_of(puzzle, rounds=True))
    assert len(read(made.opb, made.pbp).solutions) == 1


def test_no_solution() -> None:
    for givens in ("55" + "." * 79, "1" + "." * 8 + ".23456789" + "." * 63, "12345678." + "." * 17 + "9" + "." * 54):
        puzzle = CLASSIC.puzzle(givens)
        path = explain(puzzle)
        assert path.result == "contradiction"
        made = write(puzzle, [step.proof for step in path.steps])
        assert read(made.opb, made.pbp).solutions == ()
        assert made.solution is None
        assert "conclusion UNSAT" in made.pbp


def test_pencil_marks_are_facts_of_the_formula() -> None:
    puzzle = CLASSIC.puzzle(EASY.replace("5", ".", 1), {"r1c1": (5, 1), "r1c3": (4,)})
    made = write(puzzle, proofs_of(puzzle))
    assert len(read(made.opb, made.pbp).solutions) == 1
    assert puzzle_of(made.opb, CLASSIC).marks == puzzle.marks


@pytest.mark.parametrize("size", [3, 6])
def test_lights_out_by_parities(size: int) -> None:
    lit = "".join(Random(size).choice("01") for _ in range(size * size))
    puzzle = Model("lights", shape=(size, size), values=(0, 1), constraints=[parity(lit=lit)]).puzzle()
    proofs = proofs_of(puzzle, without=["constraint"])
    assert any(isinstance(proof, ParitySum) for proof in proofs)
    made = write(puzzle, proofs)
    assert len(read(made.opb, made.pbp).solutions) == 1


def test_a_killer_by_its_cages() -> None:
    for puzzle in islice(killers(1), 1):
        proofs = proofs_of(puzzle)
        assert any(isinstance(proof, Constraints) for proof in proofs)
        made = write(puzzle, proofs)
        assert len(read(made.opb, made.pbp).solutions) == 1


@pytest.mark.long
def test_many_paths() -> None:
    top = (CLASSIC.puzzle(line) for line in shared_file("classic/top1465.txt").read_text().split()[::40])
    hard = shared_file("classic/forum_hardest_1106_375.txt").read_text().split()[:15]
    for puzzle in (*top, *(CLASSIC.puzzle(line[:81]) for line in hard), *sixteens(3)):
        made = write(puzzle, proofs_of(puzzle))
        assert len(read(made.opb, made.pbp).solutions) == 1, puzzle.line


# -- what cannot be written --------------------------------------------------------------------------------------------


def test_steps_that_assume_uniqueness_are_named() -> None:
    puzzle = CLASSIC.puzzle(EASY)
    unique = Uniqueness(((0, 3), (1, 3)), Cover((), ()))
    with pytest.raises(NotWritten, match=r"^step 2, 3 of the path assumes that there is one solution"):
        write(puzzle, [proofs_of(puzzle)[0], unique, unique])


def test_a_path_that_does_not_end_is_not_written() -> None:
    puzzle = CLASSIC.puzzle(EASY)
    proofs = proofs_of(puzzle)
    with pytest.raises(NotWritten, match=r"does not reach an end: \d+ cells have several candidates"):
        write(puzzle, proofs[:-9])
    with pytest.raises(NotWritten, match="no cells"):
        write(Model("nothing", cells=()).puzzle(), [])
    full = LATIN.puzzle("1221")
    assert write(full, []).solution == (0, 1, 1, 0)
    odd = Model("odd", cells="abc", values=(1, 2), constraints=[Sum("abc", 5)]).puzzle({"a": 1, "b": 1, "c": 1})
    assert write(odd, [Constraints((0,))]).solution is None
    with pytest.raises(NotWritten, match="breaks Sum"):
        write(odd, [])


def test_wrong_proofs_are_not_written() -> None:
    puzzle = CLASSIC.puzzle("." * 81)
    with pytest.raises(NotWritten, match="step 1 of the path is no cover of r1c1=1"):
        write(puzzle, [Cover((0,), (1,), (9,))])
    with pytest.raises(NotWritten, match="step 1 of the path is a refutation of r1c1=1 without an end"):
        write(puzzle, [Refutation(0, (5,))])
    pair = Model("pair", cells="ab", values=(1, 2, 3), constraints=[Sum("ab", 4)])
    with pytest.raises(NotWritten, match="step 1 of the path removes what its constraints allow"):
        write(pair.puzzle(), [Constraints((0,), (0,))])


def test_constraints_with_too_many_rows_are_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = Model("wide", cells=range(30), values=(0, 1), constraints=[Relation(range(30), [(0,) * 30])])
    with pytest.raises(NotWritten, match="over 30 cells"):
        formula(wide.puzzle())
    many = Model("many", cells=range(20), values=(0, 1), constraints=[Sum(range(20), 21, (2,) * 20)])
    monkeypatch.setattr(veripb_lines, "MOST_LINES", 500)
    with pytest.raises(NotWritten, match="more than 500 lines"):
        write(many.puzzle(), [Constraints((0,))])


# -- the formula against the model's own rules -------------------------------------------------------------------------


def test_formulas_of_random_models_have_the_solutions_of_brute_force() -> None:
    compared = 0
    for seed in range(250):
        puzzle = random_puzzle(seed)
        size, cells = puzzle.model.n_values, puzzle.model.n_cells
        if not cells or size**cells > 1500:
            continue
        made = formula(puzzle)
        found = set()
        for places in product(range(size), repeat=cells):
            true = values_of(made, places, size)
            if all(sum(k for at, k in one.terms.items() if at in true) >= one.least for one in made.inequalities):
                found.add(places)
        assert found == brute_force(puzzle), f"seed {seed}"
        again = puzzle_of(made.text, puzzle.model)
        assert formula(again).text == made.text
        compared += 1
    assert compared > 100


def test_random_models_are_proved_by_their_rows() -> None:
    """No step but one: that the constraints together leave one solution, or none; sometimes sums of parities before."""
    sums = solved = 0
    for seed in range(400):
        puzzle = random_puzzle(seed)
        if not puzzle.model.n_cells or puzzle.model.n_values**puzzle.model.n_cells > 5000:
            continue
        scope = {cell for made in puzzle.model.constraints for cell in puzzle.model.indices(made)}
        if len(scope) < puzzle.model.n_cells:
            continue
        solutions = sorted(brute_force(puzzle))
        random = Random(seed)
        if solutions:
            one, givens = random.choice(solutions), list(puzzle.givens)
            for cell in random.sample(range(puzzle.model.n_cells), puzzle.model.n_cells):
                if sum(all(g in (None, at) for g, at in zip(givens, some, strict=True)) for some in solutions) > 1:
                    givens[cell] = one[cell]
            puzzle = replace(puzzle, givens=tuple(givens))
        proofs = list(parity_sums(puzzle, random))
        places = tuple(range(len(puzzle.model.constraints)))
        size = puzzle.model.n_values
        every = set(range(puzzle.model.n_cells * size))
        true = {cell * size + at for cell, at in enumerate(one)} if solutions else set()
        gone = tuple(sorted(every - true)) if solutions else ()
        last = [Constraints(places, gone)] if gone or (not solutions and all(puzzle.domains)) else []
        made = write(puzzle, [*proofs, *last])
        found = read(made.opb, made.pbp)
        assert [sorted(true) for true in found.solutions] == ([sorted(at + 1 for at in true)] if solutions else [])
        sums += len(proofs)
        solved += 1
    assert sums > 50
    assert solved > 80


def parity_sums(puzzle: Puzzle, random: Random) -> Iterator[ParitySum]:
    """Sums of random equations that the checker accepts."""
    sets, constraints = sets_of(puzzle.model), puzzle.model.constraints
    parities = [place for place, made in enumerate(constraints) if isinstance(made, Parity)]
    truths = [number for number, holds in enumerate(sets.is_truth) if holds]
    board = (1 << puzzle.model.n_cells * sets.size) - 1
    for _ in range(40 if parities else 0):
        some = random.sample(parities, random.randint(1, len(parities)))
        proof = ParitySum(tuple(random.sample(truths, min(len(truths), random.randint(0, 3)))), tuple(some))
        for candidate in range(puzzle.model.n_cells * sets.size):
            whole = replace(proof, removes=(candidate,))
            try:
                check(puzzle.model, board, whole)
            except ProofError:
                continue
            yield whole


def test_a_parity_of_two_candidates() -> None:
    apart = [Unit("ac"), Unit("bc"), Parity("ab", True), Relation("abc", [(1, 0, 2)])]
    odd = Model("odd", cells="abc", values=(0, 1, 2), constraints=apart)  # a=1 or b=1, so that c=1 goes
    pair = [Unit("ab"), Parity("ab", False), Relation("ab", [(0, 2)])]
    even = Model("even", cells="ab", values=(0, 1, 2), constraints=pair)  # both or none, and not both
    for made, proof, last in (
        (odd, ParitySum((), (2,), (7,)), (0, 2, 4, 5, 6)),
        (even, ParitySum((), (1,), (1, 4)), (2, 3)),
    ):
        assert check(made, (1 << 3 * made.n_cells) - 1, proof)
        whole = write(made.puzzle(), [proof, Constraints(tuple(range(len(made.constraints))), last)])
        assert len(read(whole.opb, whole.pbp).solutions) == 1
        assert " 2 d ;" in whole.pbp


def test_compare_and_other_constraints() -> None:
    made = Model(
        "mixed",
        cells="abc",
        values=(1, 2, 3),
        constraints=[
            Compare("a", "<", "b"),
            Compare("b", "!=", "c"),
            Compare("b", "<=", "c", 1),
            Sum("ac", 4, None, "!="),
        ],
    )
    solutions = brute_force(made.puzzle())
    encoded = formula(made.puzzle())
    assert len(encoded.rules[0].inequalities) == 1
    assert encoded.rules[1].clauses
    assert encoded.rules[3].clauses
    for one in solutions:
        givens = {name: made.values[at] for name, at in zip("ab", one, strict=False)}
        puzzle = made.puzzle(givens)
        if len(brute_force(puzzle)) == 1:
            rest = tuple(at for at in range(9) if one[at // 3] != at % 3)
            proof = write(puzzle, [Constraints((0, 1, 2, 3), rest)])
            assert read(proof.opb, proof.pbp).solutions == (
                frozenset(3 * cell + at + 1 for cell, at in enumerate(one)),
            )


# -- tampering ---------------------------------------------------------------------------------------------------------


def lines_of(made: Written, start: str) -> list[tuple[int, str]]:
    return [(at, line) for at, line in enumerate(made.pbp.splitlines()) if line.startswith(start)]


def with_line(made: Written, at: int, line: str | None) -> str:
    lines = made.pbp.splitlines()
    lines[at : at + 1] = [] if line is None else [line]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("at", [0, 3])
def test_every_pol_line_is_pinned(at: int) -> None:
    made = written(at)
    for place, line in lines_of(made, "pol ")[::12]:
        words = line.split()
        # A premise dropped, another one in its place, one counted twice.
        is_refused(
            made.opb,
            with_line(made, place, " ".join(["pol", *words[2:3], *words[4:]])),
            f"line {place + 2}|line {place + 1}",
        )
        other = str(int(words[1]) + 2)
        is_refused(
            made.opb, with_line(made, place, " ".join(["pol", other, *words[2:]])), f"line {place + 2} of the proof"
        )
        twice = " ".join(["pol", words[1], "2", "*", *words[2:]])
        is_refused(
            made.opb, with_line(made, place, twice), f"line {place + 2} of the proof: inequality .* is another one"
        )
    for place, line in lines_of(made, "e ")[::12]:
        is_refused(made.opb, with_line(made, place, None), f"line {place + 1} of the proof: here must come 'e'")
        changed = re.sub(r"^e (\d+)", lambda found: f"e {int(found[1]) + 1}", line)
        is_refused(
            made.opb, with_line(made, place, changed), f"line {place + 1} of the proof: inequality .* is another"
        )
        is_refused(
            made.opb, with_line(made, place, re.sub(r": \d+", ": 1", line)), f"line {place + 1} of the proof: after"
        )


def test_every_rup_line_is_pinned() -> None:
    made = written(0)
    for place, line in lines_of(made, "rup ")[::40]:
        constraint, hints = line.removesuffix(" ;").split(" : ~")
        is_refused(
            made.opb,
            with_line(made, place, f"{constraint} : ~ ;"),
            f"line {place + 1} of the proof: it does not follow",
        )
        last = hints.rsplit(" ", 1)[0]
        is_refused(made.opb, with_line(made, place, f"{constraint} : ~{last} ;"), f"line {place + 1} of the proof")
        if ">= 1" in constraint and "x" in constraint:
            stronger = constraint.replace("~x", "x")
            is_refused(made.opb, with_line(made, place, f"{stronger} : ~{hints} ;"), f"line {place + 1} of the proof")
        is_refused(made.opb, with_line(made, place, None))


def test_other_lines_are_pinned() -> None:
    made = written(1)
    [(at, solx)] = lines_of(made, "solx ")
    [(end, conclusion)] = lines_of(made, "conclusion ")
    last = conclusion.split()[-2]
    true = re.findall(r" (x\d+)\b", solx)
    flipped = solx.replace(f" {true[0]} ", f" ~{true[0]} ")
    for place, line, reason in (
        (0, "pseudo-Boolean proof version 2.0", "line 1 of the proof"),
        (1, "f 649 ;", "line 2 of the proof: the formula has"),
        (1, None, "line 2 of the proof: here must come 'f'"),
        (at, flipped, "breaks inequality"),
        (at, solx.replace(f" {true[0]} ", " "), "gives each variable one value"),
        (at, solx.replace(" ;", " x730 ;"), "no variable x730"),
        (at, f"{solx}\n{solx}", "breaks inequality"),
        (at, None, "there is no inequality|does not follow|another"),
        (end, f"conclusion ENUMERATION_COMPLETE 2 : {last} ;", "1 solutions"),
        (end, f"conclusion UNSAT : {last} ;", "1 solutions"),
        (end, "conclusion NONE ;", "needs one ':'"),
        (end, "conclusion ENUMERATION_COMPLETE 1 : 5 ;", "inequality 5 can be satisfied"),
        (end, "conclusion ENUMERATION_COMPLETE 1 : 99999 ;", "there is no inequality 99999"),
        (end, conclusion.replace(last, ""), "names one inequality"),
        (end + 1, "end pseudo-Boolean proof ;\nf 1 ;", "nothing may follow"),
        (end + 1, None, "cut off"),
        (end - 1, None, "not known here"),
        (5, "red 1 x1 >= 1 : x1 1 ;", "line 6 of the proof: 'red"),
        (5, "a 1 x1 >= 1 ;", "line 6 of the proof: 'a"),
        (5, "rup 1 x1 >= 1 ;", "needs one ':'"),
        (5, "rup 1 x1 1 x1 >= 1 : ~ ;", "stands twice"),
        (5, "rup 1 x9999 >= 0 : ~ ;", "variable that the formula does not have"),
        (5, "rup 1 x1 >= 1 : ~ ; pol 1 ;", "its one ' ;'"),
        (5, "pol 1 0 d ;", "number above 0"),
        (5, "pol 1 2 ;", "2 inequalities are left"),
        (5, "pol 1 + ;", "an inequality is missing"),
        (5, "pol ;", "an inequality is missing"),
        (5, "pol -1 ;", "there is no inequality -1"),
        (5, "pol 1" + " 999999999999999999 *" * 3 + " ;", "too large"),
    ):
        is_refused(made.opb, with_line(made, place, line), reason)


def test_cut_off_proofs_are_refused() -> None:
    made = written(1)
    lines = made.pbp.splitlines(keepends=True)
    for kept in (0, 1, 2, len(lines) // 2, len(lines) - 3, len(lines) - 2, len(lines) - 1):
        is_refused(made.opb, "".join(lines[:kept]), "cut off|line 1 of the proof")
    for length in range(len(made.pbp) - 40, len(made.pbp) - 2):
        is_refused(made.opb, made.pbp[:length])


def test_another_formula_is_refused() -> None:
    made = written(1)
    puzzle = list(puzzles())[1]
    fewer = formula(replace(puzzle, givens=(None, None, *puzzle.givens[2:])))
    is_refused(fewer.text, made.pbp)
    changed = next(at for at, line in enumerate(made.opb.splitlines()) if line.startswith("1 x") and "=" in line)
    lines = made.opb.splitlines()
    for line in (lines[changed].replace("= 1", "= 2"), lines[changed].replace("1 x", "2 x", 1), ""):
        other = "\n".join([*lines[:changed], line, *lines[changed + 1 :]])
        is_refused(other, made.pbp)
        with pytest.raises(ParseError, match="line"):
            puzzle_of(other, puzzle.model)
    with pytest.raises(ParseError):
        puzzle_of(made.opb, model("latin-9"))
    with pytest.raises(ParseError, match="neither a given nor a pencil mark"):
        puzzle_of(made.opb + "1 x1 1 x2 >= 1 ;\n", puzzle.model)
    is_refused(made.opb.replace("preserved:", "min:"), made.pbp, "line 4 of the formula")
    without = "\n".join(line for line in lines if not line.startswith("preserved"))
    is_refused(without, made.pbp, "cannot be told apart")


def solutions_of(opb: str) -> set[frozenset[int]] | None:
    """All solutions of a small formula, over its preserved variables, by trying each assignment; None if malformed."""
    constraints, preserved, names = [], set[int](), set[int]()
    for line in opb.splitlines():
        words = line.split()
        if not words or words[0].startswith("*"):
            continue
        if words[0] == "preserved:":
            preserved = {int(word[1:]) for word in words[1:-1]}
            names |= preserved
            continue
        sign, right = words[-3], int(words[-2])
        terms = [
            (int(k), word[0] == "~", int(word.lstrip("~x")))
            for k, word in zip(words[:-3:2], words[1:-3:2], strict=True)
        ]
        names |= {at for _, _, at in terms}
        constraints.append((terms, sign, right))
    order = sorted(names)
    if len(order) > 12:
        return None
    found = set()
    for row in product((0, 1), repeat=len(order)):
        value = dict(zip(order, row, strict=True))
        sums = [
            (sum(k * (1 - value[at] if no else value[at]) for k, no, at in terms), sign, right)
            for terms, sign, right in constraints
        ]
        if all(left == right if sign == "=" else left >= right for left, sign, right in sums):
            found.add(frozenset(at for at in preserved if value[at]))
    return found


def test_what_the_reader_accepts_is_true_of_the_formula() -> None:
    """Thousands of small changes: most are refused; what is accepted must agree with trying all assignments."""
    triple = Model(
        "triple", cells="abc", values=(0, 1), constraints=[Parity("ab", True), Parity("abc", False), Sum("ac", 2)]
    )
    clash = Model("clash", cells="abc", values=(0, 1), constraints=[Unit("ab"), Unit("ac"), Unit("bc")])
    small = [
        write(puzzle, proofs_of(puzzle, without=["constraint"]))
        for puzzle in (LATIN.puzzle("1..."), LATIN.puzzle("11.."), LATIN.puzzle("...2"))
    ]
    small.append(write(triple.puzzle(), [ParitySum((), (0, 1), (4,)), Constraints((0, 1, 2), (0, 3, 4))]))
    small.append(write(clash.puzzle(), [Constraints((0, 1, 2))]))
    random = Random(7)
    accepted = refused = 0
    for made in small:
        assert solutions_of(made.opb) == set(read(made.opb, made.pbp).solutions)
        for _ in range(700):
            texts = [made.opb, made.pbp]
            for _ in range(random.choice((1, 1, 2, 3))):
                which = random.choice((0, 1, 1, 1))
                texts[which] = mutated(texts[which], random)
            try:
                found = read(*texts)
            except Refused:
                refused += 1
                continue
            accepted += 1
            assert solutions_of(texts[0]) == set(found.solutions), "\n".join(texts)
    assert refused > 2000
    assert accepted > 50


def mutated(text: str, random: Random) -> str:
    """A text with a word, or a line, changed."""
    lines = text.split("\n")
    at = random.randrange(len(lines) - 1)
    words = lines[at].split()
    change = random.randrange(6)
    if change == 0:
        del lines[at]
    elif change == 1:
        lines.insert(at, lines[random.randrange(len(lines))])
    elif words:
        place = random.randrange(len(words))
        word = words[place]
        if change == 2:
            del words[place]
        elif change == 3:
            words.insert(place, random.choice(words))
        elif word.isdigit():
            words[place] = str(max(0, int(word) + random.choice((-2, -1, 1, 2))))
        elif "x" in word:
            words[place] = word[1:] if word[0] == "~" else "~" + word
        else:
            words[place] = random.choice(("+", "2 d", "2 *", ">=", "=", "x1", "~x2", "1", "~"))
        lines[at] = " ".join(words)
    return "\n".join(lines)


def test_any_text_is_refused_in_one_line() -> None:
    random = Random(3)
    made = written(7)
    for _ in range(300):
        text = "".join(
            random.choice(("pol ", "rup ", "e ", ": ", "~ ", "x1 ", "1 ", ">= ", ";", "\n", "\0", "é", "+ ", "d "))
            for _ in range(30)
        )
        with pytest.raises(Refused) as caught:
            read(made.opb, "pseudo-Boolean proof version 3.0\n" + text)
        assert "\n" not in str(caught.value)
        with pytest.raises(Refused):
            read(text + "\n= ", made.pbp)


def test_the_reader_shares_no_code_with_the_writer() -> None:
    source = (ROOT / "csp" / "proofs" / "veripb_check.py").read_text()
    assert "nonant" not in re.sub(r'""".*?"""', "", source, flags=re.DOTALL)


# -- the command line --------------------------------------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as done:
        main(list(arguments))
    told = capsys.readouterr()
    return int(str(done.value.code)), told.out, told.err


def test_explain_and_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "easy.pbp"
    code, told, _ = run(capsys, "explain", EASY, "--pbp", str(out))
    assert code == 0
    assert told.startswith("solved 534678912")
    code, told, _ = run(capsys, "check", str(out))
    assert code == 0
    assert re.match(r"accepted: classic-9 53..7.* has exactly this solution: 5346789126", told)
    assert run(capsys, "check", str(out), "--puzzle", EASY)[0] == 0
    code, told, _ = run(capsys, "check", str(out), "--puzzle", "." + EASY[1:])
    assert (code, told[:33]) == (1, "refused: it is for another puzzle")
    code, told, _ = run(capsys, "check", str(out), "--json")
    assert '"accepted": true' in told
    whole = out.read_text()
    out.write_text(whole[: len(whole) // 2])
    code, told, _ = run(capsys, "check", str(out))
    assert code == 1
    assert "refused: " in told
    out.write_text(whole)
    opb = tmp_path / "easy.opb"
    opb.write_text(opb.read_text().replace("1 x1 1 x2 ", "1 x2 1 x1 ", 1))
    code, told, _ = run(capsys, "check", str(out))
    assert code == 1
    assert "refused: the formula is not that of a puzzle: line 5" in told
    opb.unlink()
    code, _, told = run(capsys, "check", str(out))
    assert code == 2
    assert "easy.opb" in told


def test_check_of_a_users_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = write(LATIN.puzzle("1..."), proofs_of(LATIN.puzzle("1...")))
    (tmp_path / "own.opb").write_text(made.opb.replace("* model: latin", "* model: mine"))
    (tmp_path / "own.pbp").write_text(made.pbp)
    (tmp_path / "rules.py").write_text(
        "from nonant import Model\nfrom nonant.csp.units import columns, rows\n"
        "mine = Model('mine', shape=(2, 2), values=(1, 2), constraints=[rows, columns])\n"
    )
    code, _, told = run(capsys, "check", str(tmp_path / "own.pbp"))
    assert code == 2
    assert "--model FILE.py:NAME" in told
    code, told, _ = run(capsys, "check", str(tmp_path / "own.pbp"), "--model", f"{tmp_path / 'rules.py'}:mine")
    assert code == 0
    assert told.startswith("accepted: mine 1... has exactly this solution: 1221 (")


def test_what_explain_refuses_to_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "no.pbp")
    code, told, error = run(capsys, "explain", "." * 81, "--pbp", out, "--max", "2")
    assert code == 2
    assert told.startswith("stuck")
    assert "does not reach an end" in error
    assert run(capsys, "explain", EASY, "--pbp", str(tmp_path / "x.opb"))[0] == 2
    assert run(capsys, "explain", EASY, "--pbp", "-")[0] == 2
    many = tmp_path / "many.txt"
    many.write_text(f"{EASY}\n{EASY}\n")
    code, _, error = run(capsys, "explain", str(many), "--pbp", out)
    assert code == 2
    assert "--pbp is for one puzzle" in error
    assert not list(tmp_path.glob("*.pbp"))
    assert not list(tmp_path.glob("*.opb"))


# -- VeriPB itself -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", range(len(PUZZLES)))
def test_veripb_accepts_them(at: int, tmp_path: Path) -> None:
    program = shutil.which("veripb")
    if program is None:
        pytest.skip("VeriPB is not installed here (cargo install veripb)")
    made = written(at)
    (tmp_path / "x.opb").write_text(made.opb)
    (tmp_path / "x.pbp").write_text(made.pbp)
    done = subprocess.run([program, "x.opb", "x.pbp"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    place, line = lines_of(made, "pol ")[0]
    (tmp_path / "x.pbp").write_text(with_line(made, place, line.replace("pol ", "pol 1 2 + ", 1).replace(" ;", " + ;")))
    assert subprocess.run([program, "x.opb", "x.pbp"], cwd=tmp_path, capture_output=True).returncode != 0
