"""Unit definitions on grids of every kind: structure first, then counts against brute force."""

from __future__ import annotations

from itertools import product

import pytest

from nonant import Model, Unit, count
from nonant.csp.errors import ModelError
from nonant.csp.model import Geometry, Sum
from nonant.csp.units import (
    KING,
    adjacent,
    all_cells,
    anti_king,
    anti_knight,
    boxes,
    cages,
    columns,
    diagonals,
    disjoint_groups,
    lines,
    neighbours,
    pandiagonals,
    parity,
    planes,
    regions,
    rows,
    runs,
    slice_boxes,
    thermometer,
    windows,
    within,
)


def geometry(*shape: int, gaps: tuple[tuple[int, ...], ...] = ()) -> Geometry:
    cells = tuple(cell for cell in product(*map(range, shape)) if cell not in gaps)
    return Geometry(shape, cells, (1, 2, 3))


def sizes(definition: object, *shape: int, gaps: tuple[tuple[int, ...], ...] = ()) -> list[int]:
    return [len(unit.cells) for unit in definition(geometry(*shape, gaps=gaps))]  # type: ignore[operator]


def test_units_of_a_grid() -> None:
    assert sizes(rows, 9, 9) == sizes(columns, 9, 9) == sizes(boxes(3, 3), 9, 9) == [9] * 9
    assert sizes(rows, 2, 5) == [5, 5]
    assert sizes(columns, 2, 5) == [2] * 5
    assert sizes(boxes(2, 3), 6, 6) == [6] * 6
    assert sizes(diagonals, 9, 9) == [9, 9]
    assert sizes(windows, 9, 9) == [9] * 4
    assert sizes(windows, 16, 16) == [16] * 9
    assert sizes(disjoint_groups(3, 3), 9, 9) == [9] * 9
    assert sizes(pandiagonals, 5, 5) == [5] * 10
    assert sizes(all_cells, 2, 2) == [4]
    window = next(iter(windows(geometry(9, 9))))
    assert set(window.cells) == set(product((1, 2, 3), repeat=2))


def test_units_of_higher_ranks() -> None:
    assert sizes(planes, 3, 3, 3) == [9] * 9
    assert sizes(planes, 2, 3, 4) == [12] * 2 + [8] * 3 + [6] * 4
    assert sizes(planes, 3, 3) == [3] * 6
    assert sizes(planes, 2, 2, 2, 2) == [8] * 8
    assert sizes(lines(0), 2, 3, 4) == [2] * 12
    assert sizes(lines(2), 2, 3, 4) == [4] * 6
    assert sizes(slice_boxes(2, 2), 4, 4, 4) == [4] * 48
    assert sizes(diagonals, 3, 3, 3) == [3] * 4
    assert sizes(diagonals, 4) == [4]


def test_names_and_kinds() -> None:
    assert [(unit.name, unit.kind) for unit in boxes(1, 2)(geometry(2, 2))] == [("box 1", "box"), ("box 2", "box")]
    assert [unit.name for unit in planes(geometry(1, 1, 2))] == ["plane x1", "plane y1", "plane z1", "plane z2"]
    assert [unit.name for unit in regions("AAB")(geometry(3))] == ["region A", "region B"]


def test_gaps_are_left_out() -> None:
    assert sizes(rows, 3, 3, gaps=((1, 1),)) == [3, 2, 3]
    assert sizes(columns, 3, 3, gaps=((0, 0), (1, 0), (2, 0))) == [3, 3]
    assert sizes(diagonals, 3, 3, gaps=((1, 1),)) == [2, 2]
    assert sizes(runs(1), 1, 6, gaps=((0, 3),)) == [3, 2]
    assert sizes(runs(0), 3, 1, gaps=((1, 0),)) == []


def test_region_maps_in_many_forms() -> None:
    for region_map in (
        "aabb",
        "aa bb",
        ["aa", "bb"],
        [["a", "a"], ["b", "b"]],
        [10, 10, 11, 11],
        ["10", "10", "11", "11"],
    ):
        units = [unit.cells for unit in regions(region_map)(geometry(2, 2))]
        assert units == [((0, 0), (0, 1)), ((1, 0), (1, 1))]
    by_cell = {(0, 0): 1, (1, 1): 1}
    assert [unit.cells for unit in regions(by_cell)(geometry(2, 2))] == [((0, 0), (1, 1))]
    assert [unit.cells for unit in regions("a.a.")(geometry(2, 2))] == [((0, 0), (1, 0))]


def test_neighbours_come_once_each() -> None:
    pairs = [frozenset(unit.cells) for unit in neighbours(KING)(geometry(3, 3))]
    assert len(pairs) == len(set(pairs)) == 20
    assert len(list(anti_knight(geometry(3, 3)))) == 8
    assert len(list(anti_king(geometry(2, 2)))) == 6
    both_ways = list(neighbours(((0, 1), (0, -1)))(geometry(1, 2)))
    assert count(Model("m", shape=(1, 2), values=(1, 2), constraints=both_ways)) == 2


@pytest.mark.parametrize(
    ("definition", "shape", "message"),
    [
        (boxes(2, 2), (5, 5), "do not tile"),
        (boxes(0, 2), (4, 4), "do not tile"),
        (rows, (2, 2, 2), "two dimensions"),
        (diagonals, (2, 3), "square"),
        (windows, (6, 6), "square number"),
        (lines(3), (2, 2), "axis from 0 to 1"),
        (regions("abc"), (2, 2), "3 symbols for 4 cells"),
        (neighbours(((1,),)), (2, 2), "dimensions"),
        (slice_boxes(2, 2), (3, 3, 3), "do not tile"),
        (parity(lit="11"), (2, 2), "2 lights for 4 cells"),
        (pandiagonals, (2, 3), "square"),
    ],
)
def test_definitions_that_do_not_fit_say_why(definition: object, shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Model("m", shape=shape, values=(1, 2), constraints=[definition])


def test_a_definition_of_a_grid_needs_a_grid() -> None:
    with pytest.raises(ModelError, match="rows needs a grid"):
        Model("m", cells="ab", values=(1, 2), constraints=[rows])


def test_cages_state_whether_values_repeat() -> None:
    cells = [(0, 0), (1, 0), (0, 1)]
    differ = Model("differ", shape=(2, 2), values=(1, 2, 3), constraints=[cages([(6, cells)])])
    repeat = Model("repeat", shape=(2, 2), values=(1, 2, 3), constraints=[cages([(6, cells)], repeats=True)])
    assert count(differ) == 6 * 3
    assert count(repeat) == 7 * 3
    free = Model("free", shape=(2, 2), values=(1, 2, 3), constraints=[cages([(None, cells)])])
    assert count(free) == 6 * 3


def test_thermometers_adjacency_and_parity_count_right() -> None:
    line = [(0, at) for at in range(3)]
    assert count(Model("t", shape=(1, 3), values=range(5), constraints=[thermometer(line)])) == 10
    assert count(Model("t", shape=(1, 3), values=range(5), constraints=[thermometer(line, strict=False)])) == 35
    far = adjacent(lambda a, b: abs(a - b) != 1)
    wanted = sum(abs(a - b) != 1 and abs(b - c) != 1 for a, b, c in product(range(4), repeat=3))
    assert count(Model("n", shape=(1, 3), values=range(4), constraints=[far])) == wanted
    for lit, number in ((None, 1), ("000000000", 1), ("100000000", 1)):
        assert count(Model("lights", shape=(3, 3), values=(0, 1), constraints=[parity(lit=lit)])) == number
    # 4x4 has nullity 4: solvable boards have 16 solutions.
    assert count(Model("lights", shape=(4, 4), values=(0, 1), constraints=[parity(lit="0" * 16)])) == 16


def test_overlapping_grids_are_one_puzzle() -> None:
    small = [rows, columns, boxes(2, 2)]
    rules = [within((0, 0), (4, 4), *small), within((2, 2), (4, 4), *small)]
    cells = sorted({(a + k, b + k) for a, b in product(range(4), repeat=2) for k in (0, 2)})
    two = Model("two", shape=(6, 6), cells=cells, values=range(1, 5), constraints=rules)
    assert two.n_cells == 28
    assert len({unit.name for unit in two.constraints}) == 24
    # Each of the 288 grids fixes the shared box; 288 / 24 of the other grid continue it.
    assert count(two) == 288 * 288 // 24


def test_a_definition_of_ones_own() -> None:
    def corners(shape: Geometry) -> list[object]:
        last = (shape.grid("corners")[0] - 1, shape.grid("corners")[1] - 1)
        four = list(product((0, last[0]), (0, last[1])))
        return [Unit(four, "corners", "corners"), [Sum(four[:2], 3)]]

    model = Model("corners", shape=(2, 2), values=range(1, 5), constraints=[corners])
    assert [constraint.name for constraint in model.constraints] == ["corners", ""]
    assert count(model) == 4
