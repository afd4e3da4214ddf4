"""What users get wrong: an error of ours that names the place and the mend, and never a silent wrong answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nonant import Compare, Model, NonantError, Parity, Relation, Sum, Unit, count, solutions, solve
from nonant.csp.units import boxes, cages, columns, disjoint_groups, lines, parity, planes, regions, rows, within
from nonant.models import model
from tests.support.command import nonant

TWO = (2, 2)


def made(*rules: Any, shape: tuple[int, ...] = TWO, values: Any = (1, 2, 3)) -> Model:
    return Model("m", shape=shape, values=values, constraints=rules)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: made(rows, columns, boxes),  # arguments left out
        lambda: made(regions),
        lambda: made(lines),
        lambda: made(parity),
        lambda: made(disjoint_groups(0, 2)),
        lambda: made(parity(), shape=(2, 2, 2)),
        lambda: made(parity(lit="....")),
        lambda: made(cages([([(0, 0)], 10)])),
        lambda: made(regions({"r9c9": "A"})),
        lambda: made(within((1, 1), (2, 2), rows)),
        lambda: made(within((0,), (2,), rows)),
        lambda: Model("m", cells="ab", values=(1, 2), constraints=[within((0, 0), (1, 1), rows)]),
        lambda: made(planes, shape=(1,) * 14),
        lambda: made(values=5),
        lambda: made(values=[[1]]),
        lambda: made(values=(1, "1")),
        lambda: made(values=("x", ".")),
        lambda: made(values=(float("nan"),)),
        lambda: Model("m", cells=[[0, 0]], values=(1,)),
        lambda: Unit(5),  # type: ignore[arg-type]
        lambda: Relation("ab", None),  # type: ignore[arg-type]
        lambda: Sum("ab", 2.5),  # type: ignore[arg-type]
        lambda: Sum("ab", 2, [0.5, 0.5]),  # type: ignore[list-item]
        lambda: Sum("ab", "2"),  # type: ignore[arg-type]
        lambda: Compare("a", "<", "b", 0.5),  # type: ignore[arg-type]
        lambda: count(made(Relation([(0, 0)], lambda a, b: a < b))),
        lambda: count(made(Relation([(0, 0)], lambda a: 1 // (a - 1)))),
        lambda: made().puzzle(5),
        lambda: made().puzzle({"r1c1": [1]}),
        lambda: made().puzzle(None, {"r1c1": 7}),
        lambda: made().puzzle(None, 5),
        lambda: solve(made(), backend=5),  # type: ignore[arg-type]
        lambda: solutions(made(), limit=2.5),  # type: ignore[arg-type]
        lambda: solutions(made(), time_limit=float("nan")),
        lambda: solutions(made(), time_limit="3"),  # type: ignore[arg-type]
        lambda: solve("4..."),  # type: ignore[arg-type]
    ],
)
def test_misuse_is_an_error_of_ours(wrong: Callable[[], object]) -> None:
    with pytest.raises(NonantError) as caught:
        wrong()
    assert "\n" not in str(caught.value)


def test_numbers_of_numpy_are_whole_numbers() -> None:
    rule = Sum([(np.int64(0), 0), (0, np.int64(1))], np.int64(5), np.array([1, 2]))
    wanted = sum(a + 2 * b == 5 for a, b in product((1, 2, 3), repeat=2))
    assert count(Model("m", shape=np.array([1, 2]), values=np.arange(1, 4), constraints=[rule])) == wanted  # type: ignore[arg-type]


def test_blank_marks_are_free_and_long_symbols_whole() -> None:
    four = model("classic-4")
    for blank in (["."] * 16, [0] * 16, [None] * 16, [""] * 16, [[]] * 16):
        assert count(four.puzzle(None, blank)) == 288
    wide = Model("wide", cells="ab", values=range(1, 13))
    assert wide.puzzle(None, {"a": "10"}).marks[0] == wide.puzzle(None, {"a": "A"}).marks[0] == 1 << 9
    tens = Model("tens", cells="ab", values=(5, 10, 120))
    assert tens.puzzle(None, {"a": "10 120"}).marks[0] == tens.puzzle(None, {"a": "10,120"}).marks[0] == 0b110


def test_a_subclass_of_a_constraint_is_that_constraint() -> None:
    class Row(Unit):
        pass

    assert count(Model("m", cells="ab", values=(1, 2), constraints=[Row("ab")])) == 2


def test_regions_by_name() -> None:
    named = regions({"r1c1": "A", "r1c2": "A"})
    assert count(made(named)) == 6 * 9


def test_a_cage_may_have_the_total_zero() -> None:
    rule = cages([(0, "ab")])
    assert count(Model("m", cells="ab", values=(-1, 0, 1), constraints=[rule])) == 2


def test_values_with_blanks_are_one_word_on_a_line() -> None:
    colours = Model("m", cells="ab", values=("dark red", "sky blue"), constraints=[Unit("ab")])
    assert {solution.line for solution in solutions(colours)} == {"dark_red sky_blue", "sky_blue dark_red"}


def test_a_certificate_cannot_name_code_to_run(tmp_path: Path) -> None:
    out, trap = tmp_path / "c.json", tmp_path / "trap.py"
    trap.write_text("open('sprung', 'w').close()\n")
    assert nonant("verify", "." * 15 + "1", "--certificate", str(out)).returncode == 3
    line = "1234341221434321"
    assert nonant("verify", line, "--certificate", str(out)).returncode == 0
    claim = json.loads(out.read_text())
    out.write_text(json.dumps({**claim, "model": f"{trap}:x"}))
    done = nonant("check", str(out))
    assert done.returncode == 2
    assert not (tmp_path / "sprung").exists()
    out.write_text(json.dumps({**claim, "solution": "hello " + claim["solution"]}))
    assert nonant("check", str(out)).returncode == 1


def test_convert_may_write_to_its_input_and_never_destroys(tmp_path: Path) -> None:
    file = tmp_path / "l.sdm"
    file.write_text("." * 16 + "\n" + "1" + "." * 15 + "\n")
    assert nonant("convert", str(file), str(file)).returncode == 0
    assert file.read_text().count("\n") == 2
    assert nonant("convert", "12", str(file)).returncode == 2
    assert file.read_text().count("\n") == 2
    assert list(tmp_path.iterdir()) == [file]
    empty = tmp_path / "empty.txt"
    empty.touch()
    assert nonant("convert", str(empty), "-").returncode == 2


def test_parity_of_booleans() -> None:
    assert count(Model("m", cells="ab", values=(False, True), constraints=[Parity("ab", odd=True)])) == 2
