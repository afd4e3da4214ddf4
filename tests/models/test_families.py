"""The puzzle families: structure first (units, peers, names), then examples, layouts and small counts."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections import Counter
from itertools import islice, permutations, product
from math import factorial
from typing import Any

import numpy as np
import pytest

from nonant.csp.errors import ModelError
from nonant.csp.model import Model, Puzzle
from nonant.csp.plain.search import Budget, Searcher
from nonant.models import FAMILY_NAMES, Family, families, family, for_cells, model
from nonant.models.classic import classic
from nonant.models.cube import cube
from nonant.models.disjoint_groups import disjoint_groups
from nonant.models.jigsaw import jigsaw
from nonant.models.latin import latin
from nonant.models.lattice_cube import lattice_cube
from nonant.models.pandiagonal import pandiagonal
from nonant.models.sizes import side_of, usual_box
from nonant.models.surface_cube import surface_cube, usual_face_box
from nonant.models.windoku import windoku
from nonant.models.x import x
from tests.support.files import ROOT, shared_file

SMALL_JIGSAW = "1112132233243444"

MODELS = [
    *(classic(size) for size in (4, 6, 8, 9, 10, 12, 15, 16, 20, 25)),
    *(classic(*args) for args in ((6, (3, 2)), (12, (2, 6)), (12, (6, 2)), (16, (2, 8)))),
    *(latin(size) for size in (1, 2, 4, 5, 9, 10, 17)),
    *(x(size) for size in (4, 6, 9, 12)),
    x(12, (4, 3)),
    *(windoku(size) for size in (4, 9, 16)),
    *(disjoint_groups(size) for size in (4, 6, 9, 12)),
    disjoint_groups(6, (3, 2)),
    *(pandiagonal(size) for size in (1, 5, 7, 11)),
    *(cube(size) for size in (1, 2, 3, 4)),
    *(lattice_cube(size) for size in (4, 9)),
    *(surface_cube(size) for size in (2, 3, 4, 5, 6, 8)),
    surface_cube(4, (4, 4)),
    surface_cube(4, (4, 2)),
    jigsaw(SMALL_JIGSAW),
    model(family("jigsaw").example_model),
]


def solutions(puzzle: Puzzle, limit: int | None = None) -> list[tuple[int, ...]]:
    searcher = Searcher(puzzle.model.compiled)
    found = islice(searcher.run([searcher.board(puzzle.domains)], Budget()), limit)
    return [searcher.values(board) for board in found]


def kinds_of(model: Model) -> dict[str, int]:
    return dict(Counter(constraint.kind for constraint in model.constraints))


def peers_of(model: Model, cell: str) -> int:
    return len(model.compiled.peers[model.index(cell)])


# -- structure ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [4, 6, 8, 9, 10, 12, 15, 16, 20, 25, 36, 49])
def test_classic_structure(size: int) -> None:
    made = classic(size)
    assert made.shape == (size, size)
    assert made.values == tuple(range(1, size + 1))
    assert kinds_of(made) == {"row": size, "column": size, "box": size}
    assert {len(unit.cells) for unit in made.constraints} == {size}
    assert all(made.compiled.full)
    height, width = usual_box(size)
    assert {len(peers) for peers in made.compiled.peers} == {3 * (size - 1) - (height - 1) - (width - 1)}


def test_classic_cell_has_20_peers_and_three_units() -> None:
    made = classic()
    assert peers_of(made, "r3c2") == 20
    assert [made.compiled.unit_names[unit] for unit in made.compiled.units_of[made.index("r3c2")]] == [
        "row 3",
        "column 2",
        "box 1",
    ]


@pytest.mark.parametrize(
    ("size", "box"),
    [(4, "2x2"), (6, "2x3"), (7, "1x7"), (8, "2x4"), (9, "3x3"), (10, "2x5"), (12, "3x4"), (15, "3x5"), (16, "4x4")],
)
def test_usual_box_is_the_one_nearest_to_a_square(size: int, box: str) -> None:
    assert "{}x{}".format(*usual_box(size)) == box


def test_usual_box_of_large_sizes() -> None:
    found = {size: usual_box(size) for size in (18, 20, 24, 25, 36, 49)}
    assert found == {18: (3, 6), 20: (4, 5), 24: (4, 6), 25: (5, 5), 36: (6, 6), 49: (7, 7)}


def test_box_is_height_by_width() -> None:
    box = next(unit for unit in classic(6).constraints if unit.name == "box 2")
    assert set(box.cells) == set(product((0, 1), (3, 4, 5)))
    standing = next(unit for unit in classic(6, (3, 2)).constraints if unit.name == "box 2")
    assert set(standing.cells) == set(product((0, 1, 2), (2, 3)))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10])
def test_latin_structure(size: int) -> None:
    made = latin(size)
    assert kinds_of(made) == {"row": size, "column": size}
    assert {len(peers) for peers in made.compiled.peers} == {2 * (size - 1)}


def test_x_structure() -> None:
    made = x()
    assert kinds_of(made) == {"row": 9, "column": 9, "box": 9, "diagonal": 2}
    assert all(made.compiled.full)
    assert peers_of(made, "r5c5") == 20 + 12  # four of each diagonal lie in its box
    assert peers_of(made, "r1c1") == 20 + 6
    assert peers_of(made, "r1c2") == 20


@pytest.mark.parametrize(("size", "count"), [(4, 1), (9, 4), (16, 9), (25, 16)])
def test_windoku_structure(size: int, count: int) -> None:
    made = windoku(size)
    assert kinds_of(made) == {"row": size, "column": size, "box": size, "window": count}
    assert all(made.compiled.full)
    windows = [unit for unit in made.constraints if unit.kind == "window"]
    assert len({cell for unit in windows for cell in unit.cells}) == count * size
    if size == 9:
        assert set(windows[0].cells) == set(product((1, 2, 3), (1, 2, 3)))
        assert peers_of(made, "r2c2") == 23  # five of its window share a row, column or box with it
        assert peers_of(made, "r1c1") == 20


def test_disjoint_groups_structure() -> None:
    made = disjoint_groups()
    assert kinds_of(made) == {"row": 9, "column": 9, "box": 9, "group": 9}
    assert {len(peers) for peers in made.compiled.peers} == {24}
    group = next(unit for unit in made.constraints if unit.name == "group 1")
    assert set(group.cells) == set(product((0, 3, 6), (0, 3, 6)))
    assert kinds_of(disjoint_groups(6))["group"] == 6
    assert all(disjoint_groups(6).compiled.full)


@pytest.mark.parametrize("size", [5, 7, 11])
def test_pandiagonal_structure(size: int) -> None:
    made = pandiagonal(size)
    assert kinds_of(made) == {"row": size, "column": size, "diagonal": size, "antidiagonal": size}
    assert all(made.compiled.full)
    assert {len(peers) for peers in made.compiled.peers} == {4 * (size - 1)}


@pytest.mark.parametrize("size", [2, 3, 4])
def test_cube_structure(size: int) -> None:
    made = cube(size)
    assert made.shape == (size, size, size)
    assert made.values == tuple(range(1, size * size + 1))
    assert kinds_of(made) == {"plane x": size, "plane y": size, "plane z": size}
    assert {len(unit.cells) for unit in made.constraints} == {size * size}
    assert {len(peers) for peers in made.compiled.peers} == {size**3 - 1 - (size - 1) ** 3}


def test_cube_planes_are_named_by_their_axis() -> None:
    names = [unit.name for unit in cube().constraints]
    assert names == [f"plane {axis}{at}" for axis in "xyz" for at in (1, 2, 3)]
    assert cube().names[:4] == ("x1y1z1", "x1y1z2", "x1y1z3", "x1y2z1")


@pytest.mark.parametrize("size", [4, 9])
def test_lattice_cube_structure(size: int) -> None:
    made = lattice_cube(size)
    counts = kinds_of(made)
    assert counts == dict.fromkeys(("line1", "line2", "line3", "box x", "box y", "box z"), size**2)
    assert {len(unit.cells) for unit in made.constraints} == {size}
    root = {4: 2, 9: 3}[size]
    assert {len(peers) for peers in made.compiled.peers} == {3 * (size - 1) + 3 * (root - 1) ** 2}


def test_every_slice_of_a_lattice_cube_is_a_classic_grid() -> None:
    made, flat = lattice_cube(4), classic(4)
    wanted = {frozenset(unit.cells) for unit in flat.constraints}
    for axis, at in product(range(3), range(4)):
        in_slice = {
            frozenset(cell[:axis] + cell[axis + 1 :] for cell in unit.cells)
            for unit in made.constraints
            if all(cell[axis] == at for cell in unit.cells)
        }
        assert in_slice == wanted


@pytest.mark.parametrize(
    ("size", "box", "values"), [(2, (2, 2), 4), (3, (3, 3), 9), (4, (2, 4), 8), (5, (5, 5), 25), (6, (2, 6), 12)]
)
def test_surface_cube_structure(size: int, box: tuple[int, int], values: int) -> None:
    made = surface_cube(size)
    assert usual_face_box(size) == box
    assert made.n_cells == 3 * size**2
    assert made.n_values == values
    assert kinds_of(made) == {"column": size, "row": size, "bend": size, "box": 3 * size**2 // values}
    lines = [unit for unit in made.constraints if unit.kind != "box"]
    assert {len(unit.cells) for unit in lines} == {2 * size}
    assert set(Counter(cell for unit in lines for cell in unit.cells).values()) == {2}  # each cell is in two lines
    assert all(made.compiled.full) == (size % 2 == 0)


def test_surface_cube_is_a_cube_seen_from_a_corner() -> None:
    """Fold the net: a line is then the ring of surface cells that have one coordinate in common."""
    n = 4

    def fold(cell: tuple[int, int]) -> tuple[int | None, int | None, int | None]:
        """The x (to the right), y (to the back), z (upwards) of a face cell; None across its face."""
        row, column = cell
        if row < n:
            return column, n - 1 - row, None  # top
        if column < n:
            return column, None, 2 * n - 1 - row  # front
        return None, column - n, 2 * n - 1 - row  # right

    made = surface_cube(n)
    rings = {
        frozenset(cell for cell in made.cells or () if fold(cell)[axis] == at) for axis in range(3) for at in range(n)
    }
    assert {frozenset(unit.cells) for unit in made.constraints if unit.kind != "box"} == rings


def test_jigsaw_structure() -> None:
    made = jigsaw(SMALL_JIGSAW)
    assert kinds_of(made) == {"row": 4, "column": 4, "region": 4}
    assert [unit.name for unit in made.constraints if unit.kind == "region"] == [f"region {k}" for k in "1234"]
    assert set(made.constraints[8].cells) == {(0, 0), (0, 1), (0, 2), (1, 0)}


@pytest.mark.parametrize(
    "region_map",
    [
        "1112\n1322\n3324\n3444",
        ["1112", "1322", "3324", "3444"],
        [[1, 1, 1, 2], [1, 3, 2, 2], [3, 3, 2, 4], [3, 4, 4, 4]],
        np.array([[1, 1, 1, 2], [1, 3, 2, 2], [3, 3, 2, 4], [3, 4, 4, 4]]),
        list("###~#@~~@@~%@%%%"),  # symbols that a name cannot hold are numbered
    ],
    ids=["lines", "list of rows", "nested", "array", "symbols"],
)
def test_region_map_in_every_form(region_map: Any) -> None:
    made = jigsaw(region_map)
    assert len(made.constraints) == 12
    regions = {frozenset(unit.cells) for unit in made.constraints if unit.kind == "region"}
    assert regions == {frozenset(unit.cells) for unit in jigsaw(SMALL_JIGSAW).constraints if unit.kind == "region"}
    assert model(made.name).names == made.names


def test_jigsaw_of_any_size_round_trips() -> None:
    bands = [[row] * 70 for row in range(70)]  # more regions than letters and digits: the name parts them by commas
    made = jigsaw(bands)
    assert made.name.startswith("jigsaw-0,0,0")
    assert [unit.name for unit in model(made.name).constraints] == [unit.name for unit in made.constraints]


# -- what cannot be ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: classic(7), "7 is prime.*latin-7"),
        (lambda: classic(3), "too small.*4"),
        (lambda: classic(0), "too small"),
        (lambda: classic(-9), "too small"),
        (lambda: classic("9"), "whole number"),  # type: ignore[arg-type]
        (lambda: classic(12, (3, 5)), "3x5, which have 15 cells.*3x4"),
        (lambda: classic(12, (1, 12)), "its rows again.*3x4"),
        (lambda: classic(12, (12, 1)), "its columns again"),
        (lambda: classic(9, (-3, -3)), "a box has 9 cells"),
        (lambda: classic(100_000), "over 100000 cells"),
        (lambda: cube(1_000), "over 100000 cells"),
        (lambda: x(11), "11 is prime"),
        (lambda: disjoint_groups(5), "5 is prime"),
        (lambda: windoku(12), "square number, e.g. 9 or 16"),
        (lambda: lattice_cube(8), "square number, e.g. 4 or 9"),
        (lambda: latin(0), "too small"),
        (lambda: pandiagonal(6), "no pandiagonal latin square of size 6"),
        (lambda: pandiagonal(9), "no pandiagonal latin square of size 9"),
        (lambda: surface_cube(4, (3, 4)), "do not tile"),
        (lambda: surface_cube(4, (2, 2)), "4 values for lines of 8"),
        (lambda: jigsaw("1112132233243445"), "region 4 of the jigsaw has 3 cells.*each region has 4"),
        (lambda: jigsaw("111213223324344."), "leaves r4c4 in no region"),
        (lambda: jigsaw("11121322332434"), "has 14 symbols"),
        (lambda: jigsaw(""), "has 0 symbols"),
        (lambda: model("clasic"), "no model is called 'clasic'.*classic, jigsaw"),
        (lambda: model("latinx-9"), "no model is called"),
        (lambda: model(""), "no model is called"),
        (lambda: model("classic-"), "ends in ''"),
        (lambda: model("classic-big"), "ends in 'big'"),
        (lambda: model("classic-9-3"), "ends in '9-3'"),
        (lambda: model("classic-12-3x5"), "15 cells"),
        (lambda: model("latin-9-3x3"), "latin has no boxes; leave 3x3 out"),
        (lambda: model("cube-3-3x3"), "cube has no boxes"),
        (lambda: model("windoku-9-1x9"), "boxes of 3x3, not 1x9"),
        (lambda: model("jigsaw"), "given by its region map.*jigsaw-1112132233243444"),
        (lambda: model("jigsaw-9"), "given by its region map"),
        (lambda: family("killer"), "no puzzle family is called 'killer'; there are classic"),
    ],
)
def test_errors_name_the_place_and_the_mend(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


# -- families and names ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", MODELS, ids=lambda made: made.name[:30])
def test_every_name_gives_the_same_rules_back(made: Model) -> None:
    again = model(made.name)
    assert again.name == made.name
    assert (again.shape, again.cells, again.values) == (made.shape, made.cells, made.values)
    assert again.constraints == made.constraints


def test_names_are_unique() -> None:
    assert len({made.name for made in MODELS}) == len(MODELS)


def test_short_forms_of_a_name() -> None:
    assert model("classic").name == model("classic-9").name == model("classic-9-3x3").name == "classic-9"
    assert model("classic-12-3x4").name == "classic-12"
    assert model("classic-12-2x6").name == "classic-12-2x6"
    assert model("surface-cube-4-2x4").name == "surface-cube-4"


def test_the_same_rules_by_name_are_the_same_object() -> None:
    assert model("classic") is model("classic-9")
    assert model("classic-12-3x4") is model("classic-12")
    assert next(for_cells(81)) is model("classic")


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_a_family_is_whole(name: str) -> None:
    found = family(name)
    assert found.name == name
    assert "\n" not in found.rule
    if found.from_map is None:
        usual = found.build(None, None)
        assert usual.name.startswith(f"{name}-")
        assert model(name).name == usual.name
        same = found.for_cells(usual.n_cells)
        assert same is not None
        assert same.name == usual.name
    else:
        with pytest.raises(ModelError, match="region map"):
            found.build(9, None)
        assert found.for_cells(81) is None


def test_families_are_listed_once() -> None:
    assert tuple(found.name for found in families()) == FAMILY_NAMES
    assert len(set(FAMILY_NAMES)) == len(FAMILY_NAMES)


@pytest.mark.parametrize(
    ("n_cells", "names"),
    [
        (81, ["classic-9", "latin-9", "x-9", "windoku-9", "disjoint-groups-9"]),
        (36, ["classic-6", "latin-6", "x-6", "disjoint-groups-6"]),
        (49, ["latin-7", "pandiagonal-7"]),
        (27, ["cube-3", "surface-cube-3"]),
        (64, ["classic-8", "latin-8", "x-8", "disjoint-groups-8", "cube-4", "lattice-cube-4"]),
        (48, ["surface-cube-4"]),
        (80, []),
        (0, []),
        (10**12, []),
    ],
)
def test_models_for_a_number_of_cells(n_cells: int, names: list[str]) -> None:
    found = list(for_cells(n_cells))
    assert [made.name for made in found] == names
    assert all(made.n_cells == n_cells for made in found)


def test_side_of() -> None:
    assert [side_of(n) for n in (0, 1, 4, 5, 81, 2401)] == [None, 1, 2, None, 9, 49]
    assert [side_of(n, rank=3) for n in (1, 8, 9, 27, 15625)] == [1, 2, None, 3, 25]


def test_a_classic_loads_no_other_family_and_no_numpy() -> None:
    code = (
        "import sys; from nonant.models import model, for_cells; model('classic'); next(for_cells(81)); "
        "print(sorted(name for name in sys.modules if name.startswith('nonant.models.') or name in "
        "('numpy', 'networkx', 'numba')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['nonant.models.classic', 'nonant.models.sizes']"


# -- examples and documentation ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("found", families(), ids=lambda found: found.name)
def test_every_example_has_one_solution(found: Family) -> None:
    puzzle = found.example_puzzle()
    assert puzzle.line == found.example
    (solution,) = solutions(puzzle, limit=2)
    assert puzzle.model.holds([puzzle.model.values[place] for place in solution])


@pytest.mark.parametrize("found", families(), ids=lambda found: found.name)
def test_the_documentation_shows_every_family_and_its_example(found: Family) -> None:
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    assert re.findall(r"^## ([a-z-]+)$", page, re.MULTILINE) == list(FAMILY_NAMES)
    section = page.split(f"\n## {found.name}\n")[1].split("\n## ")[0]
    picture = section.split("```text\n")[1].split("```")[0]
    assert re.sub(r"[^0-9A-Z.]", "", picture) == found.example
    assert f"`{found.name.replace('-', '_')}(" in section


# -- small counts, by enumeration --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "count"),
    [
        (classic(4), 288),
        (latin(1), 1),
        (latin(2), 2),
        (latin(3), 12),
        (latin(4), 576),
        (pandiagonal(5), 240),
        (x(4), 48),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_number_of_grids(made: Model, count: int) -> None:
    assert len(set(solutions(made.puzzle()))) == count


def brute_count(made: Model) -> int:
    """The number of solutions by trying all assignments of the last cells to each arrangement of the first unit."""
    first = made.indices(made.constraints[0])
    rest = [place for place in range(made.n_cells) if place not in first]
    total = 0
    for start in permutations(made.values, len(first)):
        for others in product(made.values, repeat=len(rest)):
            values = dict(zip(first, start, strict=True)) | dict(zip(rest, others, strict=True))
            total += made.holds([values[place] for place in range(made.n_cells)])
    return total


def test_cube_of_two_against_brute_force() -> None:
    made = cube(2)
    assert len(solutions(made.puzzle())) == brute_count(made)


def test_latin_and_jigsaw_of_three_against_brute_force() -> None:
    for made in (latin(3), jigsaw("112122333")):
        assert len(solutions(made.puzzle())) == brute_count(made)


def test_surface_cube_of_two_against_brute_force() -> None:
    """Twelve cells, four values: fix the first face (all 4! arrangements are alike), try the other eight cells."""
    made = surface_cube(2)
    top = [made.index(cell) for cell in ((0, 0), (0, 1), (1, 0), (1, 1))]
    others = [place for place in range(made.n_cells) if place not in top]
    fixed = dict(zip(top, (1, 2, 3, 4), strict=True))
    alike = 0
    for front, right in product(permutations((1, 2, 3, 4)), repeat=2):
        # The eight cells of front and right alternate by rows: two of front, two of right.
        row_by_row = (*front[:2], *right[:2], *front[2:], *right[2:])
        values = fixed | dict(zip(others, row_by_row, strict=True))
        alike += made.holds([values[place] for place in range(made.n_cells)])
    assert len(solutions(made.puzzle())) == factorial(4) * alike


# -- shared data -------------------------------------------------------------------------------------------------------


def test_all_jigsaw_layouts_build() -> None:
    with shared_file("jigsaw/jigsaw_layouts.csv").open(encoding="utf-8") as file:
        maps = [row["regions"] for row in csv.DictReader(file)]
    assert len(maps) == 700
    for region_map in maps:
        made = jigsaw(region_map)
        assert kinds_of(made) == {"row": 9, "column": 9, "region": 9}
        assert {len(unit.cells) for unit in made.constraints} == {9}
        assert made.name == f"jigsaw-{region_map}"


def test_generated_jigsaws_have_their_solution() -> None:
    with shared_file("jigsaw/jigsaw_generated.csv").open(encoding="utf-8") as file:
        for row in islice(csv.DictReader(file), 12):
            made = jigsaw(row["regions"])
            found = solutions(made.puzzle(row["puzzle"]), limit=2)
            assert ["".join(made.symbols[place] for place in places) for places in found] == [row["solution"]]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("x_generated", "x-9"),
        ("windoku_generated", "windoku-9"),
        ("disjoint_groups_generated", "disjoint-groups-9"),
        ("latin9_generated", "latin-9"),
        ("mini6x6_generated", "classic-6"),
        ("shidoku4x4_generated", "classic-4"),
    ],
)
def test_generated_variants_have_their_solution(file: str, name: str) -> None:
    made = model(name)
    with shared_file(f"variants/{file}.csv").open(encoding="utf-8") as lines:
        for row in islice(csv.DictReader(lines), 5):
            found = solutions(made.puzzle(row["puzzle"]), limit=2)
            assert ["".join(made.symbols[place] for place in places) for places in found] == [row["solution"]]


def test_cubes_of_three_have_their_number_of_solutions() -> None:
    with shared_file("cube/cube333.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["solutions"].isdigit():
                found = solutions(cube().puzzle(row["puzzle(x*9+y*3+z)"]))
                assert len(found) == int(row["solutions"])


def test_lattice_cubes_have_one_solution() -> None:
    cubes = json.loads(shared_file("cube/nxnxn_sudoku_cubes.json").read_text(encoding="utf-8"))
    small = [entry for entry in cubes if entry["n"] <= 9]
    assert small
    for entry in small:
        assert len(solutions(lattice_cube(entry["n"]).puzzle(entry["cells"]), limit=2)) == 1
