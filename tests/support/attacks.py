"""Degenerate proofs on small puzzles, held against all solutions: every kind, each part empty, doubled, alone or whole.

A seed makes a puzzle (`random_models.py`), enumerates its solutions, and throws proofs at the judge: records, solve
paths as text, certificates, pseudo-Boolean proofs. What is accepted must be true of the enumerated solutions; what is
refused must be refused by an error of the project. Nothing here is meant to be an honest proof.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from random import Random
from typing import Any

from nonant.csp.errors import NonantError, Unsupported
from nonant.csp.masks import bits, mask_of
from nonant.csp.model import Model, Puzzle, line_of
from nonant.csp.proofs import certificate as certificates
from nonant.csp.proofs.check import check, check_contradiction
from nonant.csp.proofs.cnf import dimacs, plain_cnf
from nonant.csp.proofs.effort import Effort, OutOfEffort
from nonant.csp.proofs.opb import NotWritten, formula, puzzle_of
from nonant.csp.proofs.records import Constraints, Cover, ParitySum, Proof, ProofError, Refutation, Several, Uniqueness
from nonant.csp.proofs.sets import Sets, domains_of, sets_of, start
from nonant.csp.proofs.veripb_check import Refused, read
from nonant.formats import spn
from nonant.models import model as named
from nonant.spn.names import names_of
from nonant.spn.proof import claims_of, proof_text
from tests.support.random_models import brute_force, random_puzzle

EFFORT = 2_000_000  # operations that one proof on so small a model may take: about two seconds
MOST_SOLUTIONS = 3_000

Tally = Counter[str]


def puzzle_and_solutions(seed: int) -> tuple[Puzzle, list[tuple[int, ...]]] | None:
    """The puzzle of a seed and its solutions; None where there are too many of them."""
    random = Random(seed)
    puzzle = _tiny_grid(random) if random.random() < 0.4 else random_puzzle(seed)
    try:
        solutions = sorted(brute_force(puzzle))
    except NonantError:
        return None
    return None if len(solutions) > MOST_SOLUTIONS else (puzzle, solutions)


def _tiny_grid(random: Random) -> Puzzle:
    """A grid with full units, often with exactly one solution, where uniqueness proofs have something to say."""
    model: Model = named(random.choice(("classic-4", "latin-3", "latin-2", "latin-1", "jigsaw-1112132233243444")))
    size = model.n_values
    rows = sorted(brute_force(model.puzzle())) if model.n_cells < 16 else _SOLVED[model.name]
    solution = random.choice(rows)
    shown = random.sample(range(model.n_cells), random.randint(0, model.n_cells))
    givens = {model.names[cell]: model.values[solution[cell]] for cell in shown}
    marks = {
        name: [value for at, value in enumerate(model.values) if at == solution[cell] or random.random() < 0.5]
        for cell, name in enumerate(model.names)
        if random.random() < 0.15
    }
    puzzle = model.puzzle(givens, marks or None)
    if random.random() < 0.1:  # a given that may clash
        cell = random.randrange(model.n_cells)
        clashing = tuple(random.randrange(size) if at == cell else given for at, given in enumerate(puzzle.givens))
        puzzle = replace(puzzle, givens=clashing)
    return puzzle


_SOLVED = {
    name: sorted(brute_force(named(name).puzzle({"r1c1": 1, "r1c2": 2, "r1c3": 3})))
    for name in ("classic-4", "jigsaw-1112132233243444")
}


# -- random parts ------------------------------------------------------------------------------------------------------


def _shape(random: Random, items: Sequence[Any], strange: Sequence[Any] = ()) -> list[Any]:
    """Some of the items: none, one, a few, all of them, doubled, one many times; now and then one that is none."""
    pool = list(items)
    if not pool:
        return list(strange[:1]) if random.random() < 0.3 else []
    way = random.randrange(7)
    if way == 0:
        found = []
    elif way == 1:
        found = [random.choice(pool)]
    elif way == 2:
        found = random.sample(pool, min(len(pool), random.randint(2, 5)))
    elif way == 3:
        found = random.sample(pool, len(pool))
    elif way == 4:
        found = random.sample(pool, min(len(pool), random.randint(1, 4))) * 2
    elif way == 5:
        found = [random.choice(pool)] * random.randint(2, 9)
    else:
        found = [pool[0], pool[-1]]
    if strange and random.random() < 0.04:
        found.insert(random.randint(0, len(found)), random.choice(strange))
    return found


def _records(random: Random, puzzle: Puzzle, board: int) -> Callable[[], Proof]:
    """Makes random records on a board."""
    sets: Sets = sets_of(puzzle.model)
    n_candidates = puzzle.model.n_cells * puzzle.model.n_values
    live = list(bits(board))
    everything = range(n_candidates)
    odd_numbers = (-1, n_candidates, n_candidates + 7)
    numbers = range(sets.guard)
    truths = [number for number in numbers if sets.is_truth[number]]
    odd_sets = (-1, sets.guard, sets.guard + 1)
    rules = range(len(puzzle.model.constraints))
    odd_rules = (-1, len(rules), -len(rules))

    def removes() -> tuple[int, ...]:
        return tuple(_shape(random, live if random.random() < 0.8 else everything, odd_numbers))

    def some_truths() -> list[int]:
        return _shape(random, truths if random.random() < 0.8 else numbers, odd_sets)

    def cover() -> Cover:
        chosen = some_truths()
        if random.random() < 0.3:
            links = list(chosen)  # against itself
        elif random.random() < 0.5 and live:
            links = [link for at in _shape(random, live) for link in sets.links_of(at)][:40]
        else:
            links = _shape(random, numbers, odd_sets)
        return Cover(tuple(chosen), tuple(links), removes())

    def constraints() -> Constraints:
        return Constraints(tuple(_shape(random, rules, odd_rules)), removes())

    def refutation(depth: int = 0) -> Refutation:
        items: list[Any] = some_truths()
        if depth < 3 and random.random() < 0.3:
            items.insert(random.randint(0, len(items)), refutation(depth + 1))
        if random.random() < 0.2:
            items.insert(random.randint(0, len(items)), constraints())
        pool = live if live and random.random() < 0.9 else [*everything, *odd_numbers]
        return Refutation(random.choice(pool), tuple(items))

    def parity() -> ParitySum:
        return ParitySum(tuple(some_truths()), tuple(_shape(random, rules, odd_rules)), removes())

    def uniqueness() -> Uniqueness:
        size, cells = puzzle.model.n_values, range(puzzle.model.n_cells)
        values = [1 << a | 1 << b for a in range(size) for b in range(a)] or [1]
        pair = random.choice(values)
        pool = [(cell, pair if random.random() < 0.8 else random.choice([*values, 0, 1, -1])) for cell in cells]
        pattern = tuple(_shape(random, pool, ((-1, pair), (len(cells), pair))))
        if random.random() < 0.5 and len(cells) == size * size and size > 1:
            a, b, c, d = (*random.sample(range(size), 2), *random.sample(range(size), 2))
            pattern = tuple((row * size + column, pair) for row in (a, b) for column in (c, d))
        inner: Cover | Refutation = refutation() if random.random() < 0.5 else cover()
        if isinstance(inner, Cover) and random.random() < 0.7:
            inner = replace(inner, truths=(*inner.truths, sets.guard))
        elif isinstance(inner, Refutation) and random.random() < 0.7:
            inner = replace(inner, items=(*inner.items, sets.guard))
        return Uniqueness(pattern, inner)

    def several() -> Several:
        return Several(tuple(make() for make in random.choices(simple, k=random.randint(0, 3))))

    simple = (cover, refutation, constraints, parity, uniqueness)

    def make() -> Proof:
        made: Proof = random.choice((*simple, several))()
        return made

    return make


def _board(random: Random, puzzle: Puzzle, solutions: Sequence[tuple[int, ...]]) -> int:
    """A board of the puzzle: as it begins, with eliminations that are right, or with any."""
    size, board = puzzle.model.n_values, start(puzzle)
    way = random.random()
    if way < 0.3:
        return board
    share = random.random()
    gone = mask_of(candidate for candidate in bits(board) if random.random() < share)
    if way < 0.7 and solutions:
        chosen = random.sample(solutions, min(len(solutions), random.randint(1, 3)))
        gone &= ~mask_of(cell * size + at for row in chosen for cell, at in enumerate(row))
    return board & ~gone


def _mask(puzzle: Puzzle, row: Sequence[int]) -> int:
    return mask_of(cell * puzzle.model.n_values + at for cell, at in enumerate(row))


# -- the attacks -------------------------------------------------------------------------------------------------------


def attack_records(seed: int, number: int = 40) -> Tally:
    """Random records against the checker; how many of which kind were accepted and refused."""
    told = puzzle_and_solutions(seed)
    tally: Tally = Counter()
    if told is None:
        return tally
    puzzle, solutions = told
    random, domains = Random(seed + 1), domains_of(puzzle)
    masks = [_mask(puzzle, row) for row in solutions]
    for _ in range(number // 8 + 1):
        board = _board(random, puzzle, solutions)
        inside = [mask for mask in masks if not mask & ~board]
        make = _records(random, puzzle, board)
        for _ in range(8):
            proof = make()
            kind = type(proof).__name__
            unique = _assumes(proof)
            effort = Effort(EFFORT)
            try:
                false = check(puzzle.model, board, proof, domains, effort)
            except (ProofError, OutOfEffort) as error:
                tally[f"{kind} {'given up' if isinstance(error, OutOfEffort) else 'refused'}"] += 1
            else:
                tally[f"{kind} accepted"] += 1
                asked = inside if not unique else inside if len(masks) == 1 else []
                assert not any(mask & false for mask in asked), f"seed {seed}: {proof} on {board:#x}"
            with suppress(ProofError, OutOfEffort):
                check_contradiction(puzzle.model, board, proof, Effort(EFFORT))
                tally[f"{kind} contradiction"] += 1
                assert not inside, f"seed {seed}: {proof} contradicts {board:#x}"
    return tally


def _assumes(proof: Proof) -> bool:
    return isinstance(proof, Uniqueness) or (isinstance(proof, Several) and any(map(_assumes, proof.parts)))


def attack_paths(seed: int, number: int = 12) -> Tally:
    """Random solve paths as text, with every kind of header, against the replay."""
    told = puzzle_and_solutions(seed)
    tally: Tally = Counter()
    if told is None or not told[0].model.n_cells:
        return tally
    puzzle, solutions = told
    random = Random(seed + 2)
    for _ in range(number):
        text = _path_text(random, puzzle, solutions)
        try:
            path = spn.parse(text)
            found = spn.replay(path, puzzle.model, effort=Effort(EFFORT))
        except NonantError:
            tally["path not read"] += 1
            continue
        if not found.shows:
            tally["path refused" if found.refused else "path without a claim"] += 1
            continue
        tally[f"path {found.result}"] += 1
        first = spn.start_of(path, puzzle.model)
        if found.puzzle.domains != puzzle.domains:  # the header says less than the puzzle does
            puzzle, solutions = found.puzzle, sorted(brute_force(found.puzzle))
        masks = [_mask(puzzle, row) for row in solutions]
        inside = [mask for mask in masks if not mask & ~first.live and not first.placed & ~mask]
        if found.assumes_unique and len(masks) != 1:
            continue  # "if there is exactly one": there is not
        end = [line_of(puzzle.model, solutions[masks.index(mask)]) for mask in inside]
        if found.assumes_unique and not inside:
            continue  # the position leaves the one solution out
        assert end == ([found.end.line] if found.result == "solved" else []), f"seed {seed}: {found.shows}\n{text}"
    return tally


def _path_text(random: Random, puzzle: Puzzle, solutions: Sequence[tuple[int, ...]]) -> str:
    names, model = names_of(puzzle.model), puzzle.model
    tags = dict(spn.header(puzzle).tags)
    board = start(puzzle)
    if random.random() < 0.25:
        board = _board(random, puzzle, solutions)
        every = (1 << model.n_values) - 1
        cells = {
            names.cells[cell]: [model.symbols[at] for at in bits(board >> cell * model.n_values & every)]
            for cell in range(model.n_cells)
        }
        tags["Candidates"] = " ".join(f"{_word(cell)}={','.join(map(_word, some))}" for cell, some in cells.items())
    if random.random() < 0.15 and solutions:
        row = random.choice(solutions)
        kept = [at if random.random() < 0.5 else None for at in row]
        tags["Filled"] = line_of(model, kept)
    if random.random() < 0.3:
        tags.pop("Marks", None) if random.random() < 0.1 else tags.setdefault("Result", random.choice(("solved", "x")))
    tags.setdefault("Variant", "Custom")
    lines = [f"[{name} {spn_quoted(value)}]" for name, value in tags.items()]
    make = _records(random, puzzle, board)
    for number in range(1, random.randint(1, 5)):
        proof = make()
        try:
            claims = claims_of(names, proof, tuple(proof.removes))
        except (IndexError, NonantError):
            continue
        told = f" ({proof_text(claims)})" if random.random() < 0.9 else ""
        if random.random() < 0.4:
            lines.append(f"{number}. A #{told}")
            continue
        chosen = _shape(random, list(bits(board)) or [0])[:6] or [0]
        sign = "=" if random.random() < 0.3 else "<>"
        does = " ".join(
            f"{_word(name.cell)}{sign}{_word(name.value)}" for name in map(names.candidate, chosen) if model.n_cells
        )
        lines.append(f"{number}. {random.choice(('A', 'NakedSingle', 'XWing'))} {does}{told}")
    return "\n".join(lines) + "\n"


def _word(text: str) -> str:
    from nonant.spn.tokens import word

    return word(text)


def spn_quoted(text: str) -> str:
    """A text as a string of the notation."""
    from nonant.spn.tokens import quoted

    return quoted(text)


def attack_certificates(seed: int, number: int = 10) -> Tally:
    """Random certificates, their hash always right, against the checker of clausal proofs."""
    told = puzzle_and_solutions(seed)
    tally: Tally = Counter()
    if told is None:
        return tally
    puzzle, solutions = told
    random, model = Random(seed + 3), puzzle.model
    for _ in range(number):
        rows: list[Sequence[int] | None] = [None, *random.sample(solutions, min(2, len(solutions)))]
        if model.n_cells:
            rows.append([random.randrange(model.n_values) for _ in range(model.n_cells)])
        row = random.choice(rows)
        try:
            n_variables, clauses = plain_cnf(puzzle, row)
        except Unsupported:
            return tally
        literals = [sign * at for at in range(1, n_variables + 1) for sign in (1, -1)]
        proof = []
        for _ in range(random.randint(0, 6)):
            if random.random() < 0.3 and clauses:
                some: Sequence[int] = random.choice(clauses)
            else:
                some = _shape(random, literals, (n_variables + 1, 0))[:9]
            proof.append(" ".join(["d"] * (random.random() < 0.3) + [str(one) for one in some] + ["0"]))
        if random.random() < 0.8:
            proof.append(random.choice(("0", "0", "0", " 0 ", "-0", "", "d 0", "0 0", "00")))
        marks: Any = certificates.marks_of(puzzle)
        if random.random() < 0.2:
            marks = random.choice((None, (), ("",) * model.n_cells, ("1",) * model.n_cells, ("1",), ("?",)))
        said = certificates.Certificate(
            model=model.name,
            puzzle=puzzle.line,
            marks=marks,
            solution=None if row is None else line_of(model, row) + random.choice(("", "", "", " ", ".")),
            cnf_sha256=sha256(dimacs(n_variables, clauses).encode()).hexdigest(),
            proof=tuple(proof),
            prover="nobody",
        )
        try:
            said = certificates.from_text(certificates.to_text(said))
            question = certificates.puzzle_of(said, model)
        except NonantError:
            tally["certificate not read"] += 1
            continue
        found = certificates.check(said, question, Effort(EFFORT))
        tally[f"certificate {'accepted' if found else 'refused'}"] += 1
        if found:
            true = {line_of(model, some) for some in brute_force(question)}
            assert true == ({said.solution} if said.solution is not None else set()), f"seed {seed}: {said}"
    return tally


def attack_inequalities(seed: int, number: int = 10) -> Tally:
    """Random pseudo-Boolean proofs of a puzzle's formula against their reader."""
    told = puzzle_and_solutions(seed)
    tally: Tally = Counter()
    if told is None:
        return tally
    puzzle, solutions = told
    random = Random(seed + 4)
    try:
        made = formula(puzzle)
    except NotWritten:
        return tally
    n = len(made.inequalities)
    for _ in range(number):
        opb = made.text
        if random.random() < 0.1:
            lines = opb.split("\n")
            del lines[random.randrange(len(lines))]
            opb = "\n".join(lines)
        pbp = "\n".join(_pb_lines(random, made.n_variables, n, solutions, puzzle))
        try:
            question = puzzle_of(opb, puzzle.model)
            found = read(opb, pbp, Effort(EFFORT).spend)
        except (Refused, NonantError):
            tally["inequalities refused"] += 1
            continue
        tally["inequalities accepted"] += 1
        size = puzzle.model.n_values
        rows = {tuple((at - 1) % size for at in sorted(true)) for true in found.solutions}
        assert rows == brute_force(question), f"seed {seed}:\n{opb}\n{pbp}"
    return tally


def _pb_lines(
    random: Random, n_variables: int, n: int, solutions: Sequence[tuple[int, ...]], puzzle: Puzzle
) -> list[str]:
    lines, known = ["pseudo-Boolean proof version 3.0", f"f {n} ;"], n
    wrong = random.random() < 0.1
    stated = 0

    def hint() -> str:
        return str(random.choice((random.randint(1, max(1, known)), known, -1, known + 1, 0)) if wrong else
                   random.randint(1, max(1, known)))  # fmt: skip

    def constraint() -> str:
        terms = _shape(random, range(1, n_variables + 1))[:8]
        sign = random.choice(("", "~"))
        return " ".join([*(f"{random.choice((1, 1, 2, -1))} {sign}x{at}" for at in dict.fromkeys(terms))]) + (
            f" >= {random.choice((1, 1, 0, 2, -1))}"
        )

    for _ in range(random.randint(0, 6)):
        way = random.random()
        if way < 0.4:
            hints = " ".join(hint() for _ in range(random.randint(0, 6)))
            if random.random() < 0.4:
                hints = " ".join(map(str, range(1, known + 1)))
            lines.append(f"rup {constraint()} : {random.choice(('~ ', '~ ', ''))}{hints} ;")
            known += 1
        elif way < 0.5:
            lines.append(f"pol {hint()} {hint()} + {random.choice(('2 d', '2 *', '0 d', ''))} ;")
            lines.append(f"e {constraint()} : {known + 1} ;")
            known += 1
        elif way < 0.9 and solutions:
            row = random.choice(solutions)
            true = _mask(puzzle, row)
            total = puzzle.model.n_cells * puzzle.model.n_values
            lines.append(
                "solx " + " ".join(("" if true >> at & 1 else "~") + f"x{at + 1}" for at in range(total)) + " ;"
            )
            known, stated = known + 1, stated + 1
        else:
            lines.append(random.choice(("solx ;", "rup >= 1 : ;", "e >= 0 : 1 ;", "pol ;", "pol 1 ;")))
    if random.random() < 0.7:
        lines.append("rup >= 1 : ~ " + " ".join(map(str, range(1, known + 1))) + " ;")
        known += 1
    ends = [f"conclusion ENUMERATION_COMPLETE {stated} : {known} ;", f"conclusion UNSAT : {known} ;"]
    said = ends[not stated] if random.random() < 0.9 else random.choice(ends)
    return [*lines, "output NONE ;", said, "end pseudo-Boolean proof ;"]


ATTACKS = (attack_records, attack_paths, attack_certificates, attack_inequalities)
