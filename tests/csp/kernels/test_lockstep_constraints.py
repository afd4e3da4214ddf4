"""The generic lockstep kernel on what is not a unit: forms, rules bit by bit, answers, and what is handed over."""

from __future__ import annotations

import json
from itertools import pairwise, product
from random import Random
from typing import Any

import numpy as np
import pytest
from numba import njit

from nonant import Compare, Model, Parity, Relation, Sum, Unit, count_many, verify_many
from nonant.csp.batch import engines
from nonant.csp.forms import Compiled
from nonant.csp.kernels.lockstep import constraint_program, lockstep_memory
from nonant.csp.kernels.lockstep.constraint_program import ALL_MUST, NONE_MUST, boxes_of, parts_of
from nonant.csp.kernels.lockstep.constraint_rules import constrain
from nonant.csp.kernels.lockstep.program import program_of
from nonant.csp.kernels.simd.bits import pointer_to
from nonant.csp.kernels.text.job import Job
from nonant.csp.masks import bits
from nonant.csp.units import boxes, columns, rows
from nonant.models import model
from tests.support.files import shared_file
from tests.support.random_models import brute_force, random_puzzle

LANES = 32
GRID = [rows, columns, boxes(3, 3)]


def of_cells(number: int, *constraints: Any, values: int = 9) -> Compiled:
    return Model("few", cells=range(number), values=range(1, values + 1), constraints=constraints).compiled


# -- the forms ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arity", [2, 3, 4])
def test_boxes_hold_the_tuples_and_no_others(arity: int) -> None:
    random = Random(arity)
    for _ in range(40):
        density, every = random.random(), list(product(range(4), repeat=arity))
        tuples = {row for row in every if random.random() < density}
        made = boxes_of(tuples, arity)
        held = {row for box in made for row in product(*(bits(mask) for mask in box))}
        assert held == tuples
        assert len(made) <= len(tuples)


def test_boxes_of_an_ordered_triple() -> None:
    rising = [row for row in product(range(9), repeat=3) if row[0] < row[1] < row[2]]
    assert len(rising) == 84
    assert len(boxes_of(rising, 3)) <= 28


def test_comparisons_become_orders() -> None:
    made = parts_of(of_cells(2, Compare(0, "<", 1))).orders
    assert made == (constraint_program.Order(0, 1, 1),)
    assert parts_of(of_cells(2, Compare(0, ">=", 1))).orders == (constraint_program.Order(1, 0, 0),)
    assert parts_of(of_cells(2, Compare(0, ">", 1, 3))).orders == (constraint_program.Order(1, 0, 4),)
    # Not larger, and different as peers: smaller.
    assert parts_of(
        of_cells(
            2,
            Compare(0, "<=", 1),
            Unit(
                [
                    0,
                    1,
                ]
            ),
        )
    ).orders == (constraint_program.Order(0, 1, 1),)
    assert not parts_of(of_cells(2, Compare(0, "<", 1, 2))).orders  # may be one larger


def test_orders_follow_their_chain() -> None:
    chain = [3, 0, 4, 1, 2]
    links = [Compare(first, "<", second) for first, second in pairwise(chain)]
    Random(1).shuffle(links)
    made = parts_of(of_cells(5, *links)).orders
    assert [(order.first, order.second) for order in made] == list(pairwise(chain))
    circle = [Compare(0, "<", 1), Compare(1, "<", 2), Compare(2, "<", 0)]
    assert len(parts_of(of_cells(3, *circle)).orders) == 3


def test_cages_are_units_whose_values_must_occur() -> None:
    cage = [Unit([0, 1, 2]), Sum([0, 1, 2], 7)]
    made = parts_of(of_cells(4, *cage, Unit([0, 3])))
    assert [(some.cells, some.row) for some in made.units] == [((0, 1, 2), 0)]
    assert made.cages[0].sets == (0b1011,)
    assert made.peers == ((0, 3),)
    # A pair with few solutions tells its values, one with many does not, and neither is a pair of extra peers.
    few = parts_of(of_cells(2, Unit([0, 1]), Sum([0, 1], 3)))
    assert few.must_rows == 1
    assert few.boxed[0].boxes == ((1, 2), (2, 1))
    many = parts_of(of_cells(2, Unit([0, 1]), Sum([0, 1], 9, relation="<=")))
    assert many.must_rows == 0
    units = parts_of(model("classic-9").compiled).units
    assert {some.row for some in units} == {ALL_MUST}
    assert {some.row for some in parts_of(of_cells(3, Unit([0, 1, 2]))).units} == {NONE_MUST}


def test_what_known_sums_leave_of_a_unit_is_a_cage() -> None:
    unit, cage, pair = Unit(range(9)), Sum([0, 1, 2, 3], 12), Sum([4, 5], 17)
    made = parts_of(of_cells(10, unit, cage, pair)).cages
    assert [(some.cells, len(some.sets)) for some in made] == [((0, 1, 2, 3), 2), ((6, 7, 8), 8)]
    assert all(sum(bits(some)) + 3 == 45 - 12 - 17 for some in made[1].sets)
    alone = parts_of(of_cells(10, unit, cage, pair, Sum([7, 8], 9))).cages
    assert alone[1].cells == (6,)
    assert alone[1].sets == (1 << 45 - 12 - 17 - 9 - 1,)
    # Nothing is known of a unit in which some value need not stand.
    assert len(parts_of(of_cells(10, Unit(range(8)), cage, pair)).cages) == 1


def test_what_lanes_do_not_take() -> None:
    big = Model("big", cells=range(7), values=(0, 20_000), constraints=[Sum(range(7), 40_000, [1, 2, 3, 4, 5, 6, 7])])
    assert engines.engine_for(big).name == "lockstep"  # few enough assignments to be a table
    wide = Model("wide", cells=range(13), values=(1, 9_001), constraints=[Sum(range(13), 9_013)])
    assert "differ by more" in str(engines.why_no_lockstep(wide))
    assert engines.engine_for(wide).name == "one by one"
    assert count_many(np.zeros((1, 13), np.int64), model=wide).counts.tolist() == [13]
    parities = [Parity([0, 1], odd=True), Parity([1, 2], odd=False)]
    assert "elimination" in str(
        engines.why_no_lockstep(Model("two", cells=range(3), values=(0, 1), constraints=parities))
    )
    assert engines.takes_lockstep(Model("one", cells=range(3), values=(0, 1), constraints=parities[:1]))
    assert not engines.takes_lockstep(model("classic-25"))


# -- the rules ---------------------------------------------------------------------------------------------------------


@njit(cache=True)
def _constrained(memory: Any, rules: Any, constants: Any) -> Any:
    return constrain(pointer_to(memory), pointer_to(rules), pointer_to(constants), LANES)


def constrained(compiled: Compiled, boards: list[list[int]]) -> tuple[list[list[int]], int]:
    """What one pass of the constraints leaves of boards (a list of masks each), and the lanes that it changed."""
    program = program_of(compiled, LANES)
    constants = np.array([(1 << compiled.n_values) - 1, 1, *program.masks], np.uint16)
    memory, _, _ = lockstep_memory.workspace(program, compiled.n_cells, np.uint16)
    at = memory[: compiled.n_cells * LANES].reshape(compiled.n_cells, LANES)
    at[:] = np.array(boards, np.uint16).T
    changed = int(_constrained(memory, program.rules, constants))
    return at.T.tolist(), changed


def supported(rules: Model, board: list[int]) -> list[int]:
    """The values of a board that some assignment within it keeps."""
    found = brute_force(rules.puzzle(), board)
    return [sum(1 << place for place in {row[cell] for row in found}) for cell in range(rules.n_cells)]


def thin(random: Random, n_values: int, cells: int) -> list[int]:
    """A board, some with few open cells."""
    share = random.random()
    return [
        random.randrange(1, 1 << n_values) if random.random() < share else 1 << random.randrange(n_values)
        for _ in range(cells)
    ]


WORDS: tuple[tuple[str, bool, tuple[Any, ...]], ...] = (
    ("order", True, (Compare(0, "<", 1),)),
    ("order by two", True, (Compare(1, ">=", 0, 2),)),
    ("pair", True, (Relation([0, 1], lambda a, b: abs(a - b) == 2),)),
    ("pair of a cage", False, (Unit([0, 1]), Sum([0, 1], 4))),
    ("table", True, (Relation([2, 0, 1], lambda a, b, c: (a + b * c) % 3 == 1),)),
    ("sum", False, (Sum([0, 1, 2, 3, 4, 5], 17, [1, 2, 1, -1, 3, 1]),)),
    ("least sum", True, (Sum([0, 1, 2, 3, 4, 5], 22, relation=">="),)),
    ("greatest sum", True, (Sum([0, 1, 2, 3, 4, 5], 11, [1, 1, 2, 1, -1, 1], relation="<="),)),
    ("no sum", False, (Sum([0, 1, 2, 3, 4, 5], 18, relation="!="),)),
    ("parity", False, (Parity([0, 2, 3, 4], odd=True),)),
    ("cage", False, (Unit([0, 1, 2]), Sum([0, 1, 2], 9))),
)


@pytest.mark.parametrize(("name", "exact", "constraints"), WORDS, ids=[name for name, _, _ in WORDS])
def test_rules_keep_what_is_supported(name: str, exact: bool, constraints: tuple[Any, ...]) -> None:
    rules = Model(name, cells=range(6), values=range(1, 6), constraints=constraints)
    assert program_of(rules.compiled, LANES).rules[0] != constraint_program.END
    random = Random(name)
    boards = [thin(random, 5, 6) for _ in range(LANES)]
    after, changed = constrained(rules.compiled, boards)
    for lane, (before, left) in enumerate(zip(boards, after, strict=True)):
        wanted = supported(rules, before)
        for old, new, needed in zip(before, left, wanted, strict=True):
            assert new & ~old == 0
            assert needed & ~new == 0
        assert (before != left) == bool(changed >> lane & 1)
        if exact and all(wanted):
            assert left == wanted
        assert all(left) or not all(wanted)
    assert changed


@pytest.mark.parametrize(("name", "exact", "constraints"), WORDS, ids=[name for name, _, _ in WORDS])
def test_rules_are_exact_on_assignments(name: str, exact: bool, constraints: tuple[Any, ...]) -> None:
    rules = Model(name, cells=range(6), values=range(1, 6), constraints=constraints)
    random = Random(name)
    for _ in range(10):
        places = [[random.randrange(5) for _ in range(6)] for _ in range(LANES)]
        after, _ = constrained(rules.compiled, [[1 << place for place in row] for row in places])
        for row, left in zip(places, after, strict=True):
            # Units are not this part's affair: a board that they forbid may pass here.
            if all(part.holds([row[at] + 1 for at in part.cells]) for part in constraints if isinstance(part, Unit)):
                assert all(left) == rules.holds([place + 1 for place in row])


# -- the answers -------------------------------------------------------------------------------------------------------


def both_engines(lines: Any, rules: Model, limit: int = 2) -> list[int]:
    """The counts, which must be the same with and without lanes; solutions must satisfy the rules."""
    mine = verify_many(lines, limit, model=rules, engine="lockstep", solutions=True)
    other = verify_many(lines, limit, model=rules, engine="one by one")
    assert mine.counts.tolist() == other.counts.tolist()
    assert mine.solutions is not None
    for number, solution in zip(mine.counts, mine.solutions, strict=True):
        if number > 0:
            assert rules.holds([rules.values[place - 1] for place in solution.tolist()])
    found: list[int] = mine.counts.tolist()
    return found


def equal_brute_force(start: int, end: int) -> int:
    taken = 0
    for seed in range(start, end):
        puzzle, random = random_puzzle(seed), Random(seed)
        rules = puzzle.model
        if not engines.takes_lockstep(rules):
            continue
        taken += 1
        places = [[0 if random.random() < 0.8 else random.randint(1, rules.n_values) for _ in range(rules.n_cells)]]
        places += [[0] * rules.n_cells]
        engine, known = engines.engine_for(rules, "lockstep"), engines.codes(rules)
        text = known[np.array(places)].ravel()
        starts, counts = np.arange(len(places)) * rules.n_cells, np.zeros(len(places), np.int64)
        kept, stop = np.zeros(len(text), np.uint8), np.zeros(1, np.int64)
        engine.run(Job(text, starts, 0, len(places), 1 << 62, counts, kept, stop), engine.workspace())
        every = (1 << rules.n_values) - 1
        for number, row in enumerate(places):
            only = [1 << value - 1 if value else every for value in row]
            found = brute_force(rules.puzzle(), only)
            assert counts[number] == len(found), f"seed {seed}, {row}"
            solution = tuple((kept[number * rules.n_cells : (number + 1) * rules.n_cells] - 1).tolist())
            assert not found or solution in found, f"seed {seed}, {row}"
    return taken


@pytest.mark.parametrize("start", range(10_000, 10_200, 100))
def test_random_models_equal_brute_force(start: int) -> None:
    assert equal_brute_force(start, start + 100) > 50


@pytest.mark.long
@pytest.mark.parametrize("start", range(20_000, 25_000, 1000))
def test_long_random_models_equal_brute_force(start: int) -> None:
    assert equal_brute_force(start, start + 1000) > 500


def sigh_models() -> list[tuple[dict[str, Any], Model]]:
    """The variants of sigh's collection."""
    found = []
    for record in json.loads(shared_file("variants/sigh_variants.json").read_text()):
        size, tags = record["n"], set(record["tags"])
        side = int(size**0.5)
        constraints: list[Any] = [rows, columns, *([] if "NoBoxes" in tags else [boxes(side, side)])]

        def cells(places: Any, size: int = size) -> list[tuple[int, int]]:
            return [divmod(place, size) for place in places]

        if "Jigsaw" in tags:
            regions = record["regions"]
            if not isinstance(regions[0], list):
                regions = [[at for at, mark in enumerate(regions) if mark == name] for name in sorted(set(regions))]
            constraints += [Unit(cells(region)) for region in regions]
        if "Diagonal" in tags:
            constraints += [Unit([(at, at) for at in range(size)]), Unit([(at, size - 1 - at) for at in range(size)])]
        if "Windoku" in tags:
            starts = [1 + (side + 1) * at for at in range(side - 1)]
            windows = product(starts, starts)
            constraints += [Unit([(r + i, c + j) for i in range(side) for j in range(side)]) for r, c in windows]
        jumps = [(1, 2), (1, -2), (2, 1), (2, -1)] if "AntiKnight" in tags else []
        jumps += [(1, 1), (1, -1)] if "AntiKing" in tags else []
        for down, right in jumps:
            for r, c in product(range(size - down), range(size)):
                if 0 <= c + right < size:
                    constraints.append(Unit([(r, c), (r + down, c + right)]))
        for total, places in record["cages"]:
            constraints.append(Unit(cells(places)))
            if total:
                constraints.append(Sum(cells(places), total))
        found.append(
            (record, Model(record["name"], shape=(size, size), values=range(1, size + 1), constraints=constraints))
        )
    return found


def test_variants_with_known_answers() -> None:
    for record, rules in sigh_models():
        givens = np.array(record["givens"])
        puzzles = [givens]
        if rules.n_values == 9:
            random, solution = Random(record["name"]), np.array(record["solution"])
            helped = np.where([random.random() < 0.5 for _ in givens], solution, givens)
            wrong = helped.copy()
            wrong[random.randrange(81)] = random.randint(1, 9)
            few = np.where([random.random() < 0.4 for _ in givens], solution, 0)
            puzzles += [helped, wrong, few]
        found = both_engines(np.array(puzzles), rules, 5)
        assert min(found[0], 2) == record["solutions"], record["name"]


def killer(random: Random, largest: int) -> tuple[Model, list[int]]:
    """A killer of random cages, and the solution it was made from."""

    def shuffled() -> list[int]:
        return [3 * band + at for band in random.sample(range(3), 3) for at in random.sample(range(3), 3)]

    down, across, digits = shuffled(), shuffled(), random.sample(range(1, 10), 9)
    solution = [digits[(3 * (r % 3) + r // 3 + c) % 9] for r in down for c in across]
    left, constraints = set(range(81)), list[Any](GRID)
    while left:
        cage = [random.choice(sorted(left))]
        for _ in range(random.randint(1, largest - 1)):
            near = {cell + step for cell in cage for step in (-9, 9, -1, 1)} & (left - set(cage))
            fits = [
                cell
                for cell in sorted(near)
                if any(abs(cell // 9 - c // 9) + abs(cell % 9 - c % 9) == 1 for c in cage)
                and all(solution[cell] != solution[c] for c in cage)
            ]
            if fits:
                cage.append(random.choice(fits))
        left -= set(cage)
        cells = [divmod(cell, 9) for cell in cage]
        constraints += [Unit(cells), Sum(cells, sum(solution[cell] for cell in cage))]
    return Model("killer", shape=(9, 9), values=range(1, 10), constraints=constraints), solution


@pytest.mark.parametrize("largest", [3, 4, 5, 6])
def test_killers(largest: int) -> None:
    seen = set()
    for seed in range(3):
        random = Random(f"{largest} {seed}")
        rules, solution = killer(random, largest)
        puzzles = [[0] * 81]
        for _ in range(39):
            puzzle = [digit if random.random() < 0.08 else 0 for digit in solution]
            if random.random() < 0.4:
                puzzle[random.randrange(81)] = random.randint(1, 9)
            puzzles.append(puzzle)
        counts = both_engines(np.array(puzzles), rules, 4)
        assert counts[0] >= 1
        seen |= {min(number, 2) for number in counts}
    assert {0, 1} <= seen


def test_lines_of_many_kinds() -> None:
    """Thermometers, arrows, whispers, a renban and an odd line on one grid."""
    thermometers = [[(0, 0), (1, 1), (2, 2), (3, 3)], [(8, 0), (7, 0), (6, 0), (5, 1), (4, 1)]]
    constraints: list[Any] = list(GRID)
    for line in thermometers:
        constraints += [Compare(a, "<", b) for a, b in pairwise(line)]
    constraints.append(Sum([(0, 8), (1, 8), (1, 7), (2, 6)], 0, [-1, 1, 1, 1]))
    whisper = [(4, 4), (4, 5), (5, 6), (6, 6)]
    constraints += [Relation(pair, lambda a, b: abs(a - b) >= 5) for pair in pairwise(whisper)]
    renban = [(7, 3), (7, 4), (8, 5)]
    constraints += [Unit(renban), Relation(renban, lambda *row: max(row) - min(row) == len(row) - 1)]
    constraints.append(Parity([(3, 8), (4, 8), (5, 8), (6, 7)], odd=True))
    rules = Model("lines", shape=(9, 9), values=range(1, 10), constraints=constraints[:-1])
    assert engines.takes_lockstep(rules)
    first = verify_many(np.zeros((1, 81), np.int64), 1, model=rules, engine="one by one", solutions=True)
    solution, random = first.solutions[0], Random(7)  # type: ignore[index]
    masks = [[random.random() < share for _ in range(81)] for share in (0.2, 0.25, 0.3, 0.35, 0.4) for _ in range(30)]
    puzzles = np.where(masks, solution, 0)
    for puzzle in puzzles[::5]:
        puzzle[random.randrange(81)] = random.randint(1, 9)
    assert {0, 1, 3} <= set(both_engines(puzzles, rules, 3))
    # With a parity and full units there is a system to eliminate, which lanes leave to the scalar engine.
    assert (
        engines.engine_for(Model("odd", shape=(9, 9), values=range(1, 10), constraints=constraints)).name
        == "one by one"
    )


# -- what is given up --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["lockstep", "one by one"])
@pytest.mark.parametrize("limit", [1, 2, 2000])
def test_hard_puzzles_are_handed_over(name: str, limit: int) -> None:
    rules = model("classic-4")
    random = Random(3)
    lines = ["".join(random.choice("....12") for _ in range(16)) for _ in range(60)] + ["." * 16, "11.............."]
    wanted = count_many(lines, limit=limit, model=rules).counts.tolist()
    engine = engines.engine_for(rules, name)
    assert isinstance(engine, engines.Lockstep | engines.OneByOne)
    engine.patience = 1
    text = np.frombuffer("".join(lines).encode(), np.uint8)
    starts, counts, kept = np.arange(len(lines)) * 16, np.zeros(len(lines), np.int64), np.zeros(len(text), np.uint8)
    stop = np.zeros(1, np.int64)
    engine.run(Job(text, starts, 0, len(lines), limit, counts, kept, stop), engine.workspace())
    assert counts.tolist() == wanted
    assert 0 < engine.handed_over < len(lines)
    for number, solution, line in zip(wanted, kept.reshape(-1, 16).tolist(), lines, strict=True):
        if number:
            assert rules.holds(solution)
            assert all(symbol in (".", str(value)) for symbol, value in zip(line, solution, strict=True))


def test_a_stalling_puzzle_does_not_stall_a_batch() -> None:
    # Left as it is, the third line takes either kernel 27,000 branchings, as it has luck with none of them.
    record = next(some for some in sigh_models() if some[0]["name"] == "Classic sudoku, was slow (3)")[0]
    line = "".join(map(str, record["givens"]))
    solved = "".join(map(str, record["solution"]))
    rules = Model("plain", shape=(9, 9), values=range(1, 10), constraints=GRID)
    engine = engines.engine_for(rules, "lockstep")
    assert isinstance(engine, engines.Lockstep)
    engine.patience = 300
    text = np.frombuffer((solved + solved + line).encode(), np.uint8)
    counts, stop = np.zeros(3, np.int64), np.zeros(1, np.int64)
    engine.run(Job(text, np.arange(3) * 81, 0, 3, 2, counts, np.zeros(0, np.uint8), stop), engine.workspace())
    assert counts.tolist() == [1, 1, 2]
    assert engine.handed_over == 1
