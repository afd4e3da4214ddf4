"""Every list of puzzles with a recorded number of solutions: by default up to 2,000 of each, with -m long all."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nonant import Model, Solution, count, read_all, solutions, verify
from nonant.csp.backends.native import Native
from nonant.csp.model import Puzzle
from nonant.csp.units import anti_king, anti_knight, boxes, cages, columns, diagonals, regions, rows, windows
from nonant.models import family, model
from nonant.models.jigsaw import jigsaw
from tests.support import shared_file

csv.field_size_limit(1 << 24)
SAMPLE = 2_000
KERNEL = Native(engine="kernel")
# list -> the number of solutions of each of its puzzles (2: at least two)
CLASSIC = {
    "cbg000_first5000.txt.gz": 1,
    "easy_32clues_20000.txt.gz": 1,
    "euler_easy50.txt": 1,
    "forum_hardest_1106_375.txt": 1,
    "forum_hardest_1905_11plus_48766.txt.gz": 1,
    "norvig_hardest11.txt": 1,
    "norvig_top95.txt": 1,
    "random_minimal_20000.txt.gz": 1,
    "royle17_49158.txt.gz": 1,
    "serg_benchmark_first2000.txt.gz": 2,
    "top1465.txt": 1,
}


def table(name: str) -> list[dict[str, str]]:
    path = shared_file(name)
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def number(text: str) -> tuple[int, bool]:
    """A recorded count: the number, and whether it is only a lower bound."""
    return int(text.lstrip(">=")), text.startswith(">")


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


def lattice_cubes() -> Iterator[tuple[int, Puzzle]]:
    for cube in json.loads(shared_file("cube/nxnxn_sudoku_cubes.json").read_text()):
        yield cube["n"], family("lattice-cube").build(cube["n"], None).puzzle(cube["cells"])


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


def variant(entry: dict[str, Any]) -> Puzzle:
    """An entry of the variants as a puzzle: its tags are the rules."""
    size, tags = entry["n"], set(entry["tags"])
    side = round(size**0.5)
    rules: list[Any] = [rows, columns]
    if "NoBoxes" not in tags:
        rules.append(boxes(side, side))
    if entry["regions"]:
        rules.append(regions(entry["regions"]))
    rules += [rule for tag, rule in TAGS.items() if tag in tags]
    at = [(place // size, place % size) for place in range(size * size)]
    rules.append(cages([(total or None, [at[place] for place in cells]) for total, cells in entry["cages"]]))
    return Model(entry["name"], shape=(size, size), values=range(1, size + 1), constraints=rules).puzzle(
        entry["givens"]
    )


TAGS = {"Diagonal": diagonals, "Windoku": windows, "AntiKnight": anti_knight, "AntiKing": anti_king}


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


def large_grids() -> Iterator[tuple[str, Puzzle, str]]:
    for row in table("large/large_grids.csv"):
        name = f"classic-{row['n']}-{row['box']}"
        yield row["name"], model(name).puzzle([int(cell) for cell in row["grid"].split()]), row["solutions"]
    for name, grid in json.loads(shared_file("large/dug_16_25.json").read_text()).items():
        yield name, model(f"classic-{name.split('_')[0]}").puzzle(grid), "1"


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


def latin_squares() -> Iterator[tuple[Puzzle, str]]:
    for row in table("latin/latin.csv"):
        kind = "pandiagonal" if "/pan-" in row["name"] else "latin"
        yield model(f"{kind}-{row['n']}").puzzle([int(cell) for cell in row["grid"].split()]), row["solutions"]


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
