"""All registered backends on the same puzzles: by default random models, with -m long all of the shared data.

No backend is named here: each takes what its capabilities and its `why_not` let it take. Whatever they answer is held
against the rules and against each other (`nonant.csp.compare`), and against the recorded number of solutions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any
from zlib import crc32

import pytest

from nonant import Disagreement, Model, Puzzle, Relation, Sum, Unit, read, read_all
from nonant.csp.backends import registry
from nonant.csp.compare import Contestant, contestants, disagreement
from nonant.csp.comparison import Answer, Outcome
from nonant.csp.model import Parity
from nonant.csp.units import boxes, columns, diagonals, rows, windows
from nonant.models import lights_out as lights
from nonant.models import model
from nonant.models.jigsaw import jigsaw
from tests.support.files import shared_file
from tests.support.lists import CLASSIC, large_grids, latin_squares, lattice_cubes, number, table, variant
from tests.support.random_models import brute_force, random_puzzle

LARGEST_LIST = 500  # longer lists are sampled
LIMIT = 2
RANDOM_LIMIT = 200

NUMBERS = {Outcome.NONE: 0, Outcome.UNIQUE: 1, Outcome.MULTIPLE: 2}


@pytest.fixture(scope="module")
def backends() -> list[Contestant]:
    return [backend for backend in contestants(None) if not backend.missing]  # without the optional extras


def asked(puzzle: Puzzle, backends: list[Contestant], limit: int | None, seconds: float | None = None) -> list[Answer]:
    """The answers of all backends that take the puzzle, agreed."""
    answers = [backend.answer(puzzle, limit, seconds) for backend in backends]
    wrong = disagreement(puzzle, answers)
    if wrong is not None:
        raise wrong
    return [answer for answer in answers if answer.outcome not in (Outcome.UNSUPPORTED, Outcome.UNAVAILABLE)]


def check(
    puzzles: Iterable[tuple[Puzzle, int]], backends: list[Contestant], limit: int = LIMIT, seconds: float | None = None
) -> int:
    """Each backend finds so many solutions (at most `limit`) of each puzzle; returns how often one was cut short."""
    unknown = seen = 0
    for puzzle, solutions in puzzles:
        seen += 1
        answers = asked(puzzle, backends, limit, seconds)
        assert len(answers) >= 2, f"nobody to compare with: {puzzle.line}"
        for answer in answers:
            if answer.finished:
                assert len(answer.solutions) == min(limit, solutions), f"{answer.backend}: {puzzle.line}"
            else:
                assert seconds is not None, f"{answer.backend} gave up without a limit: {puzzle.line}"
                unknown += 1
    assert seen
    return unknown


# -- random models -----------------------------------------------------------------------------------------------------


def agree_with_brute_force(seeds: Iterable[int], backends: list[Contestant]) -> dict[str, int]:
    """How many models each backend has taken."""
    taken = dict.fromkeys((backend.name for backend in backends), 0)
    for seed in seeds:
        puzzle = random_puzzle(seed)
        expected = brute_force(puzzle)
        for answer in asked(puzzle, backends, RANDOM_LIMIT):
            taken[answer.backend] += 1
            found = {solution.places for solution in answer.solutions}
            if len(expected) < RANDOM_LIMIT:
                assert answer.complete, f"{answer.backend}, seed {seed}"
                assert found == expected, f"{answer.backend}, seed {seed}"
            else:
                assert len(found) == RANDOM_LIMIT, f"{answer.backend}, seed {seed}"
                assert found <= expected, f"{answer.backend}, seed {seed}"
    return taken


def test_random_models(backends: list[Contestant]) -> None:
    taken = agree_with_brute_force(range(10_000, 10_300), backends)
    for name, times in taken.items():
        everything = registry.get(name).capabilities == registry.get("native").capabilities
        assert times >= (290 if everything else 1), name


@pytest.mark.long
def test_many_random_models(backends: list[Contestant]) -> None:
    agree_with_brute_force(range(20_000, 23_000), backends)


# -- cases that broke other programs -----------------------------------------------------------------------------------


def exact_cover(*subsets: str) -> Puzzle:
    """Choose subsets (a line of 0 and 1 each) that cover each element once: one cell a subset, one sum an element.

    An empty subset covers nothing and is left out: with it or without it would be the same cover twice.
    """
    subsets = tuple(subset for subset in subsets if "1" in subset)
    chosen = [f"s{at}" for at in range(len(subsets))]
    sums = [
        Sum([name for name, subset in zip(chosen, subsets, strict=True) if subset[element] == "1"], 1)
        for element in range(len(subsets[0]))
    ]
    return Model("exact cover", cells=chosen, values=(0, 1), constraints=sums).puzzle()


def conditional_model() -> Puzzle:
    """Case 10: two units and implications between three switches (0/1) and the letters."""

    def when(switch: str, state: int, letter: str, value: int) -> Relation:
        return Relation((switch, letter), lambda now, has: now != state or has == value)

    domains = {"b": (0, 3), "c": (1, 2), "d": (1, 2, 3), "p": (0, 1), "q": (0, 2, 3), "r": (0, 2, 3), "s": (0, 1, 3)}
    switches = dict.fromkeys(("b1", "b2", "b3"), (0, 1))
    rules = [
        Unit("abcd"),
        Unit("pqrs"),
        when("b1", 1, "a", 0),
        when("b2", 1, "r", 0),
        Relation(("b2", "b3"), lambda one, other: one or other),
        when("b3", 1, "a", 2),
        when("b1", 0, "p", 0),
    ]
    made = Model("case 10", cells=(*"abcdpqrs", *switches), values=range(4), constraints=rules)
    return made.puzzle(None, domains | switches)


def hard_cases() -> Iterator[tuple[str, Puzzle, int]]:
    """Every case that is a model of ours: its name, the puzzle, the number of solutions (case 04 has far more)."""
    classic, seen = model("classic-9"), dict[str, Any]()
    for case in json.loads(shared_file("edge/public_bugs_part.json").read_text()):
        seen[case["id"]] = case
    lines = {name: re.search(r"[.0-9]{81}", case["input"]) for name, case in seen.items()}
    grids = {name: found.group() for name, found in lines.items() if found}
    both = [rows, columns, boxes(3, 3), diagonals, windows]
    x_windoku = Model("x-windoku", shape=(9, 9), values=range(1, 10), constraints=both)
    yield "01", classic.puzzle(grids["case-01"]), 0
    yield "02", classic.puzzle(grids["case-02"]), 0
    yield "03", classic.puzzle(grids["case-03"]), 6
    yield "04", classic.puzzle(grids["case-04"]), 10
    yield "05", classic.puzzle("11" + "." * 79), 0
    yield "06", x_windoku.puzzle(grids["case-06"]), 1
    yield "07", classic.puzzle(grids["case-07"]), 1
    covers = re.findall(r"rows ([01,]+)", seen["case-08"]["input"])
    yield "08 first", exact_cover(*covers[0].strip(",").split(",")), 8
    yield "08 second", exact_cover(*covers[1].strip(",").split(",")), 1
    yield "09", exact_cover(*seen["case-09"]["input"].removeprefix("rows ").split(",")), 3
    yield "10", conditional_model(), 4
    pairs = [("a1", "a2"), ("b1", "b2"), ("c1", "c2")]
    differ = [
        Relation((*one, *other), lambda a, b, c, d: (a, b) != (c, d))
        for at, one in enumerate(pairs)
        for other in pairs[:at]
    ]
    yield (
        "11",
        Model("case 11", cells=[cell for pair in pairs for cell in pair], values=(-1, 0), constraints=differ).puzzle(),
        24,
    )
    equations = [Parity(cells, odd=True) for cells in (("x1", "x2", "x3"), ("x2", "x4"), ("x3", "x4"))]
    yield "13", Model("case 13", cells=("x1", "x2", "x3", "x4"), values=(0, 1), constraints=equations).puzzle(), 2
    yield "14 whole", classic.puzzle(grids["case-14"]), 1
    yield "14 without its last symbol", classic.puzzle(grids["case-14"][:-1] + "."), 344


def test_hard_cases(backends: list[Contestant]) -> None:
    seen = 0
    for name, puzzle, solutions in hard_cases():
        seen += 1
        limit = solutions if name == "04" else solutions + 1
        try:
            check([(puzzle, solutions)], backends, limit)
        except (AssertionError, Disagreement) as error:
            raise AssertionError(f"case {name}") from error
    assert seen == 15


# -- the shared data ---------------------------------------------------------------------------------------------------


def sampled(puzzles: Iterable[Puzzle], total: int) -> Iterator[Puzzle]:
    """About `LARGEST_LIST` of them, chosen by the hash of their line: the same ones whatever their order."""
    share = max(1, round(total / LARGEST_LIST))
    return (puzzle for puzzle in puzzles if crc32(puzzle.line.encode()) % share == 0)


@pytest.mark.long
@pytest.mark.parametrize("name", CLASSIC)
def test_classic_lists(name: str, backends: list[Contestant]) -> None:
    path = shared_file(f"classic/{name}")
    total = sum(1 for _ in read_all(path))
    assert check(((puzzle, CLASSIC[name]) for puzzle in sampled(read_all(path), total)), backends) == 0


@pytest.mark.long
def test_rated_puzzles(backends: list[Contestant]) -> None:
    puzzles = [read(row["puzzle"]) for row in table("rated/ser_rated_part.csv")]
    assert check(((puzzle, 1) for puzzle in sampled(puzzles, len(puzzles))), backends) == 0


@pytest.mark.long
def test_counts_of_tdoku(backends: list[Contestant]) -> None:
    for row in table("edge/tdoku_test_counts.csv"):
        solutions, _ = number(row["solutions"])
        check([(read(row["puzzle"]), solutions)], backends, solutions + 1)


@pytest.mark.long
def test_variants(backends: list[Contestant]) -> None:
    entries = json.loads(shared_file("variants/sigh_variants.json").read_text())
    check(((variant(entry), int(entry["solutions"])) for entry in entries), backends)
    names = {
        "disjoint_groups": "disjoint-groups-9",
        "latin9": "latin-9",
        "mini6x6": "classic-6",
        "shidoku4x4": "classic-4",
        "windoku": "windoku-9",
        "x": "x-9",
    }
    for file, name in names.items():
        check(((model(name).puzzle(row["puzzle"]), 1) for row in table(f"variants/{file}_generated.csv")), backends)


@pytest.mark.long
def test_jigsaws(backends: list[Contestant]) -> None:
    check(((jigsaw(row["regions"]).puzzle(row["puzzle"]), 1) for row in table("jigsaw/jigsaw_generated.csv")), backends)


@pytest.mark.long
def test_jigsaw_layouts(backends: list[Contestant]) -> None:
    # Whether a map can be filled at all: one solution is enough, and hopeless maps may take a backend too long.
    maps = (
        (jigsaw(row["regions"]).puzzle(), int(row["fillable_per_source"]))
        for row in table("jigsaw/jigsaw_layouts.csv")[::7]
    )
    check(maps, backends, limit=1, seconds=3)


@pytest.mark.long
def test_cubes(backends: list[Contestant]) -> None:
    cube = model("cube-3")
    check(
        ((cube.puzzle(row["puzzle(x*9+y*3+z)"]), number(row["solutions"])[0]) for row in table("cube/cube333.csv")),
        backends,
    )
    check(((puzzle, 1) for size, puzzle in lattice_cubes() if size <= 9), backends)
    check(((puzzle, 1) for size, puzzle in lattice_cubes() if size > 9), backends, seconds=20)


@pytest.mark.long
def test_large_grids(backends: list[Contestant]) -> None:
    grids = [(puzzle, number(solutions)[0]) for _, puzzle, solutions in large_grids() if puzzle.model.n_values <= 25]
    unknown = check(grids, backends, seconds=10)
    assert unknown < len(grids)  # of all backends together: a few 25x25 grids are hard for plain search


@pytest.mark.long
def test_latin_squares(backends: list[Contestant]) -> None:
    squares = [(puzzle, number(solutions)[0]) for puzzle, solutions in latin_squares() if puzzle.model.n_values <= 25]
    assert check(squares, backends, seconds=10) < len(squares)


@pytest.mark.long
def test_lights_out(backends: list[Contestant]) -> None:
    for row in table("lightsout/lightsofftouch_levels_5x5.csv"):
        rules = lights.model(lights.rectangle(5, 5), row["board"])
        check([(rules.puzzle(), 4 if row["solvable"] == "1" else 0)], backends, limit=5)
    for row in islice(table("lightsout/random_boards.csv"), 60):
        size = int(row["n"])
        solutions = 2 ** int(row["nullity"]) if row["solvable"] == "1" else 0
        check([(lights.model(lights.rectangle(size, size), row["board"]).puzzle(), solutions)], backends, seconds=5)
