"""The lists of puzzles with recorded answers, as puzzles."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from typing import Any

from nonant import Model
from nonant.csp.model import Puzzle
from nonant.csp.units import anti_king, anti_knight, boxes, cages, columns, diagonals, regions, rows, windows
from nonant.models import family, model
from tests.support.files import shared_file

csv.field_size_limit(1 << 24)
SAMPLE = 2_000
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
TAGS = {"Diagonal": diagonals, "Windoku": windows, "AntiKnight": anti_knight, "AntiKing": anti_king}


def table(name: str) -> list[dict[str, str]]:
    path = shared_file(name)
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def number(text: str) -> tuple[int, bool]:
    """A recorded count: the number, and whether it is only a lower bound."""
    return int(text.lstrip(">=")), text.startswith(">")


def lattice_cubes() -> Iterator[tuple[int, Puzzle]]:
    for cube in json.loads(shared_file("cube/nxnxn_sudoku_cubes.json").read_text()):
        yield cube["n"], family("lattice-cube").build(cube["n"], None).puzzle(cube["cells"])


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


def large_grids() -> Iterator[tuple[str, Puzzle, str]]:
    for row in table("large/large_grids.csv"):
        name = f"classic-{row['n']}-{row['box']}"
        yield row["name"], model(name).puzzle([int(cell) for cell in row["grid"].split()]), row["solutions"]
    for name, grid in json.loads(shared_file("large/dug_16_25.json").read_text()).items():
        yield name, model(f"classic-{name.split('_')[0]}").puzzle(grid), "1"


def latin_squares() -> Iterator[tuple[Puzzle, str]]:
    for row in table("latin/latin.csv"):
        kind = "pandiagonal" if "/pan-" in row["name"] else "latin"
        yield model(f"{kind}-{row['n']}").puzzle([int(cell) for cell in row["grid"].split()]), row["solutions"]


def sixteens(number: int) -> Iterator[Puzzle]:
    model = Model("16", shape=(16, 16), values=range(1, 17), constraints=[rows, columns, boxes(4, 4)])
    csv.field_size_limit(10**7)
    with shared_file("large/large_grids.csv").open() as file:
        fitting = (
            row for row in csv.DictReader(file) if (row["n"], row["box"], row["solutions"]) == ("16", "4x4", "1")
        )
        for _, row in zip(range(number), fitting, strict=False):
            yield model.puzzle([int(word) for word in row["grid"].split()])


def killers(number: int) -> Iterator[Puzzle]:
    entries = json.loads(shared_file("variants/sigh_variants.json").read_text())
    fitting = [entry for entry in entries if entry["cages"] and entry["solutions"] == 1 and entry["n"] == 9]
    for entry in fitting[:number]:
        totals = [(total, [divmod(cell, 9) for cell in cells]) for total, cells in entry["cages"]]
        constraints = [rows, columns, boxes(3, 3), cages(totals)]
        yield Model(entry["name"], shape=(9, 9), values=range(1, 10), constraints=constraints).puzzle(entry["givens"])
