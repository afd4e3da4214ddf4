"""Models, constraints and givens: what they accept, what they mean, what they refuse."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from nonant import Compare, Model, Parity, Relation, Sum, Unit, count, solve
from nonant.csp.errors import ModelError
from nonant.csp.model import cell_name
from nonant.csp.units import columns, rows

GRID = Model("grid", shape=(2, 3), values=(1, 2, 3), constraints=[rows, columns])


def test_constraints_hold_for_what_they_say() -> None:
    assert Unit("abc").holds([1, 2, 3])
    assert not Unit("abc").holds([1, 2, 1])
    assert Unit("").holds([])
    assert Sum("ab", 5).holds([2, 3])
    assert Sum("ab", -1, [2, -1]).holds([1, 3])
    assert Sum("ab", 5, relation="<=").holds([2, 2])
    assert not Sum("ab", 5, relation=">=").holds([2, 2])
    assert Sum("ab", 5, relation="!=").holds([2, 2])
    assert Relation("ab", [(1, 2)]).holds([1, 2])
    assert not Relation("ab", [(1, 2)]).holds([2, 1])
    assert Relation("ab", lambda a, b: a < b).holds([1, 2])
    assert Parity("abc", odd=True).holds([1, 1, 1])
    assert Parity("", odd=False).holds([])
    assert not Parity("ab", odd=True).holds([1, 1])
    assert Compare("a", ">", "b", offset=1).holds([5, 3])
    assert not Compare("a", ">", "b", offset=1).holds([4, 3])
    assert Compare("a", "<", "b").holds(["x", "y"])


def test_a_constraint_is_over_coordinates_names_or_labels() -> None:
    for cells in ([(0, 0), (1, 2)], ["r1c1", "r2c3"], [(0, 0), "r2c3"]):
        assert Model("m", shape=(2, 3), values=(0, 1), constraints=[Unit(cells)]).indices(Unit(cells)) == (0, 5)
    assert Model("m", cells=["x", "y"], values=(0, 1)).indices(Unit(["y", "x"])) == (1, 0)


def test_cells_are_named_by_rank() -> None:
    assert cell_name((2, 4)) == "r3c5"
    assert cell_name((0, 1, 2)) == "x1y2z3"
    assert cell_name((3,)) == "c4"
    assert cell_name((0, 1, 2, 3)) == "a1b2c3d4"
    assert GRID.names == ("r1c1", "r1c2", "r1c3", "r2c1", "r2c2", "r2c3")


def test_grids_may_have_gaps() -> None:
    ring = [cell for cell in product(range(3), repeat=2) if cell != (1, 1)]
    model = Model("ring", shape=(3, 3), cells=ring, values=(1, 2, 3), constraints=[rows, columns])
    assert model.n_cells == 8
    assert count(model) == sum(
        1
        for row in product((1, 2, 3), repeat=8)
        if all(
            len({row[at] for at in unit}) == len(unit)
            for unit in ((0, 1, 2), (3, 4), (5, 6, 7), (0, 3, 5), (1, 6), (2, 4, 7))
        )
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs shape"),
        ({"shape": (0,), "values": ()}, None),
        ({"shape": (-1, 2)}, "whole numbers"),
        ({"shape": (2, 2)}, "no values"),
        ({"shape": (2, 2), "values": (1, 1)}, "lists a value twice"),
        ({"cells": ["a", "a"], "values": (1,)}, "lists the cell 'a' twice"),
        ({"cells": [1, "1"], "values": (1,)}, "both print as '1'"),
        ({"shape": (2, 2), "cells": [(0, 2)], "values": (1,)}, "lies outside"),
        ({"shape": (2, 2), "values": (1, 2), "constraints": [Unit([(0, 0), (0, 5)])]}, r"no cell \(0, 5\)"),
        ({"shape": (2, 2), "values": (1, 2), "constraints": [Unit(["r1c1", (0, 0)])]}, "names the cell r1c1 twice"),
        ({"shape": (2, 2), "values": (1, 2), "constraints": ["rows"]}, "is not a constraint"),
        ({"shape": (2, 2), "values": (1, 2), "constraints": [5]}, "is not a constraint"),
    ],
)
def test_models_that_cannot_be_meant_are_refused(arguments: dict[str, object], message: str | None) -> None:
    if message is None:
        Model("m", **arguments)  # type: ignore[arg-type]
    else:
        with pytest.raises(ModelError, match=message):
            Model("m", **arguments)  # type: ignore[arg-type]


def test_constraints_that_cannot_be_meant_are_refused() -> None:
    with pytest.raises(ModelError, match="2 cells and 1 coefficients"):
        Sum("ab", 3, [1])
    with pytest.raises(ModelError, match="relation '<>'"):
        Sum("ab", 3, relation="<>")
    with pytest.raises(ModelError, match="has 1 values"):
        Relation("ab", [(1,)])
    with pytest.raises(ModelError, match="use one of"):
        Compare("a", "=", "b")
    with pytest.raises(ModelError, match="whole-number values"):
        count(Model("m", cells="ab", values="xy", constraints=[Sum("ab", 3)]))
    with pytest.raises(ModelError, match="at most 2000000"):
        count(Model("m", cells=range(20), values=range(9), constraints=[Relation(range(20), lambda *v: True)]))
    with pytest.raises(ModelError, match="cannot compare"):
        count(Model("m", cells="ab", values=("x", 1), constraints=[Compare("a", "<", "b")]))


def test_givens_come_in_many_forms() -> None:
    wanted = (0, None, 2, None, None, None)
    forms = (
        "1.3...",
        "103000",
        "1 . 3 . . .",
        [[1, 0, 3], [0, 0, 0]],
        [1, None, 3, None, None, None],
        np.array([[1, 0, 3], [0, 0, 0]]),
        {"r1c1": 1, (0, 2): 3},
        ["1", ".", "3", "_", "0", ""],
    )
    for form in forms:
        assert GRID.puzzle(form).givens == wanted
    assert GRID.puzzle("1.3...").line == "1.3..."
    assert GRID.puzzle().n_givens == 0


def test_one_cell_with_a_long_symbol() -> None:
    one = Model("one", cells="a", values=(10, 200))
    assert one.puzzle("200").givens == (1,)
    assert one.puzzle(".").givens == (None,)


def test_zero_is_a_value_where_the_model_has_it() -> None:
    model = Model("bits", shape=(3,), values=(0, 1))
    assert model.puzzle("01.").givens == (0, 1, None)
    assert model.puzzle([0, 1, None]).givens == (0, 1, None)


@pytest.mark.parametrize(
    ("givens", "message"),
    [
        ("1.3..", "5 givens for the 6 cells"),
        ("1.4...", "r1c3 cannot be '4'.*values 1..3"),
        ([1, 0, 3, 0, 0, 9], "r2c3 cannot be 9"),
        ({"r9c9": 1}, "no cell 'r9c9'"),
        ({"r1c1": "x"}, "r1c1 cannot be 'x'"),
        ([[1, 0, 3], [0, 0]], "5 givens"),
    ],
)
def test_wrong_givens_name_the_place(givens: object, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        GRID.puzzle(givens)


def test_pencil_marks_restrict() -> None:
    assert count(GRID.puzzle(None, {"r1c1": [1]})) == 4
    assert count(GRID.puzzle(None, {"r1c1": [1, 2]})) == 8
    assert count(GRID.puzzle("1.....", {"r1c1": [2]})) == 0
    assert count(GRID.puzzle(None, [None, [1], None, None, None, None])) == 4
    with pytest.raises(ModelError, match="pencil marks for 6 cells"):
        GRID.puzzle(None, [[1]])


def test_solutions_are_mappings() -> None:
    solution = solve(GRID.puzzle("123...")).solution
    assert solution is not None
    assert solution["r1c2"] == solution[(0, 1)] == 2
    assert dict(solution)["r1c3"] == 3
    assert len(solution) == 6
    assert solution.line[:3] == "123"
    assert GRID.holds(solution.in_order())


def test_violated_names_the_constraint() -> None:
    broken = GRID.violated([1, 1, 2, 3, 2, 1])
    assert broken is not None
    assert broken.name == "row 1"
    assert GRID.violated([1, 2, 3, 2, 3, 1]) is None


def test_values_that_are_not_numbers() -> None:
    colours = Model("map", cells=["A", "B", "C"], values=("red", "blue"), constraints=[Unit("AB"), Unit("BC")])
    assert count(colours) == 2
    solution = solve(colours.puzzle({"A": "red"})).solution
    assert solution is not None
    assert (solution["B"], solution["C"]) == ("blue", "red")


def test_public_cases_of_exact_cover_relations_and_parity() -> None:
    """Inputs that broke other solvers, with their right numbers of solutions."""

    def covers(matrix: list[str]) -> int:
        rules = [Sum([at for at, row in enumerate(matrix) if row[k] == "1"], 1) for k in range(len(matrix[0]))]
        return int(count(Model("cover", cells=range(len(matrix)), values=(0, 1), constraints=rules)))

    twelve = ["110", "101", "101", "110", "110", "000", "000", "001", "110", "101", "010", "100"]
    chosen = {  # rows of zeros may be taken or left: they are counted out
        frozenset(at for at, row in enumerate(twelve) if row != "000" and picked[at])
        for picked in product((0, 1), repeat=12)
        if all(sum(int(row[k]) for row, take in zip(twelve, picked, strict=True) if take) == 1 for k in range(3))
    }
    assert covers([row for row in twelve if row != "000"]) == len(chosen) == 8
    assert covers(["00010", "11000", "00101"]) == 1
    assert covers(["1000", "0110", "1001", "0011", "0100", "0010"]) == 3
    pairs = [
        Relation([f"{a}0", f"{a}1", f"{b}0", f"{b}1"], lambda p, q, r, s: (p, q) != (r, s))
        for a, b in ("xy", "xz", "yz")
    ]
    cells = [name + digit for name in "xyz" for digit in "01"]
    assert count(Model("pairs", cells=cells, values=(-1, 0), constraints=pairs)) == 24
    xors = [Parity("abc", odd=True), Parity("bd", odd=True), Parity("cd", odd=True)]
    assert count(Model("xor", cells="abcd", values=(0, 1), constraints=xors)) == 2


def test_public_case_of_implications() -> None:
    rules = [
        Relation("b", [(0,), (3,)]),
        Relation("c", [(1,), (2,)]),
        Compare("d", "!=", "zero"),
        Relation(["zero"], [(0,)]),
        Relation("p", [(0,), (1,)]),
        Relation("q", [(0,), (2,), (3,)]),
        Relation("r", [(0,), (2,), (3,)]),
        Relation("s", [(0,), (1,), (3,)]),
        Unit("abcd"),
        Unit("pqrs"),
        *[Relation([flag], [(0,), (1,)]) for flag in ("b1", "b2", "b3")],
        Relation(["b1", "a"], lambda flag, a: not flag or a == 0),
        Relation(["b2", "r"], lambda flag, r: not flag or r == 0),
        Relation(["b2", "b3"], lambda x, y: bool(x or y)),
        Relation(["b3", "a"], lambda flag, a: not flag or a == 2),
        Relation(["b1", "p"], lambda flag, p: bool(flag) or p == 0),
    ]
    cells = [*"abcdpqrs", "b1", "b2", "b3", "zero"]
    assert count(Model("implications", cells=cells, values=range(4), constraints=rules)) == 4


def test_an_empty_cell_is_written_alike_everywhere() -> None:
    from nonant import count_many, read
    from nonant.csp.kernels.text import text9
    from nonant.csp.symbols import BLANKS
    from nonant.formats import spn
    from nonant.models import model

    line = "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"
    classic = model("classic-9")
    wanted = classic.puzzle(line)
    for blank in BLANKS:
        written = line.replace(".", blank)
        assert classic.puzzle(written).givens == wanted.givens == read(written).givens
        assert spn.replay(spn.parse(f'[Puzzle "{written}"]')).puzzle.givens == wanted.givens
        assert count_many([written]).counts.tolist() == [1]
    fixed = {chr(sign) for sign in (text9._DOT, text9._UNDERSCORE, text9._DASH, text9._STAR)}
    assert fixed | {"0"} == set(BLANKS)
