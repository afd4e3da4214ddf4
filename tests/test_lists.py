"""Every list of puzzles with a recorded number of solutions: by default up to 2,000 of each, with -m long all."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from nonant import Solution, count, read_all, solutions, verify
from nonant.csp.backends.native import Native
from nonant.csp.model import Puzzle
from nonant.models import model
from nonant.models.jigsaw import jigsaw
from tests.support.files import shared_file
from tests.support.lists import CLASSIC, SAMPLE, TAGS, large_grids, latin_squares, lattice_cubes, number, table, variant

csv.field_size_limit(1 << 24)
KERNEL = Native(engine="kernel")


def check(puzzle: Puzzle, recorded: str, backend: object = "auto") -> None:
    wanted, at_least = number(recorded)
    found = count(puzzle, limit=wanted if at_least else wanted + 1, backend=backend)  # type: ignore[arg-type]
    assert int(found) == wanted, puzzle.line


def check_unique(puzzle: Puzzle, solution: str) -> None:
    run = solutions(puzzle, 2)
    assert [found.line for found in run] == [solution], puzzle.line
    assert run.complete


def check_list(name: str, step: int) -> int:
    path: Path = shared_file(f"classic/{name}")
    seen = 0
    for at, puzzle in enumerate(read_all(path)):
        if at % step == 0:
            run = solutions(puzzle, 2, backend=KERNEL)
            found: list[Solution] = list(run)
            assert len(found) == CLASSIC[name], puzzle.line
            assert run.complete == (CLASSIC[name] == 1) or CLASSIC[name] == 2
            assert all(puzzle.model.holds(solution.in_order()) for solution in found[:1])
            seen += 1
    return seen


@pytest.mark.parametrize("name", CLASSIC)
def test_classic_lists(name: str) -> None:
    lines = sum(1 for _ in read_all(shared_file(f"classic/{name}")))
    assert check_list(name, max(1, lines // SAMPLE)) >= min(lines, SAMPLE)


@pytest.mark.long
@pytest.mark.parametrize("name", CLASSIC)
def test_classic_lists_whole(name: str) -> None:
    check_list(name, 1)


def test_counts_of_tdoku() -> None:
    for row in table("edge/tdoku_test_counts.csv"):
        check(model("classic-9").puzzle(row["puzzle"]), row["solutions"])


def test_cubes() -> None:
    cube = model("cube-3")
    for row in table("cube/cube333.csv"):
        puzzle = cube.puzzle(row["puzzle(x*9+y*3+z)"])
        check(puzzle, row["solutions"])
        if row["solutions"] == "1" and row["solution"]:
            check_unique(puzzle, row["solution"])


def test_lattice_cubes() -> None:
    for size, puzzle in lattice_cubes():
        if size <= 9:
            check(puzzle, "1")


@pytest.mark.long
def test_large_lattice_cubes() -> None:
    for size, puzzle in lattice_cubes():
        if size > 9:
            check(puzzle, "1")


def test_jigsaws() -> None:
    for row in table("jigsaw/jigsaw_generated.csv"):
        check_unique(jigsaw(row["regions"]).puzzle(row["puzzle"]), row["solution"])


def check_layouts(step: int) -> None:
    for row in table("jigsaw/jigsaw_layouts.csv")[::step]:
        found = count(jigsaw(row["regions"]).puzzle(), limit=1)
        assert int(found) == int(row["fillable_per_source"]), row["regions"]


def test_jigsaw_layouts() -> None:
    check_layouts(7)


@pytest.mark.long
def test_all_jigsaw_layouts() -> None:
    check_layouts(1)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("disjoint_groups", "disjoint-groups-9"),
        ("latin9", "latin-9"),
        ("mini6x6", "classic-6"),
        ("shidoku4x4", "classic-4"),
        ("windoku", "windoku-9"),
        ("x", "x-9"),
    ],
)
def test_generated_variants(file: str, name: str) -> None:
    for row in table(f"variants/{file}_generated.csv"):
        check_unique(model(name).puzzle(row["puzzle"]), row["solution"])


def test_variants_of_the_public() -> None:
    entries = json.loads(shared_file("variants/sigh_variants.json").read_text())
    known = {*TAGS, "NoBoxes", "Jigsaw", "Cage", "Shape"}
    for entry in entries:
        assert set(entry["tags"]) <= known
        puzzle = variant(entry)
        found = verify(puzzle)
        assert len(found.solutions) == min(2, int(entry["solutions"])), entry["name"]
        assert found.verdict.value == ("unique" if int(entry["solutions"]) == 1 else "multiple")
        if entry["solutions"] == 1:
            assert list(found.solutions[0].in_order()) == entry["solution"], entry["name"]
        assert puzzle.model.holds(entry["solution"])


def check_large(puzzle: Puzzle, recorded: str) -> None:
    # In large grids 2 is recorded for "two or more".
    check(puzzle, ">=2" if recorded == "2" else recorded)


def test_large_grids() -> None:
    for _, puzzle, recorded in large_grids():
        if puzzle.model.n_values <= 16:
            check_large(puzzle, recorded)


@pytest.mark.long
def test_very_large_grids() -> None:
    for _, puzzle, recorded in large_grids():
        if puzzle.model.n_values > 16:
            check_large(puzzle, recorded)


def test_latin_squares() -> None:
    for puzzle, recorded in latin_squares():
        if puzzle.model.n_values <= 20 and "pan" not in puzzle.model.name:
            check(puzzle, recorded)


@pytest.mark.long
def test_large_latin_squares() -> None:
    for puzzle, recorded in latin_squares():
        check(puzzle, recorded)


@pytest.mark.long
@pytest.mark.parametrize(("name", "number"), [("classic-6", 28_200_960), ("cube-3", 14_515_200)])
def test_counts_by_enumeration(name: str, number: int) -> None:
    found = count(model(name))
    assert found.complete
    assert int(found) == number
