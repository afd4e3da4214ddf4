"""The puzzles that the project ships."""

from __future__ import annotations

import json

import pytest

from nonant import count, read, read_all, solve, verify
from nonant.pictures import picture
from tests.support.files import ROOT

FIXTURES = ROOT / "fixtures"
NOTEBOOK = json.loads((FIXTURES / "notebook.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["s44", "s99", "s333"])
def test_the_notebook_prints_these_solutions(name: str) -> None:
    entry = NOTEBOOK[name]
    result = solve(read(entry["puzzle"]), limit=None)
    assert [solution.line for solution in result.solutions] == [entry["solution"]]
    assert result.complete
    assert result.solutions[0].model.name == entry["model"]


def test_the_pleasing_format() -> None:
    solution = solve(read(NOTEBOOK["s44"]["puzzle"])).solution
    assert solution is not None
    assert picture(solution) == "┌───┬───┐\n│2 1│4 3│\n│4 3│2 1│\n├───┼───┤\n│3 2│1 4│\n│1 4│3 2│\n└───┴───┘"


def test_the_list_is_minimal_and_unique() -> None:
    puzzles = list(read_all(FIXTURES / "classic_100.sdm"))
    assert len(puzzles) == len({puzzle.line for puzzle in puzzles}) == 100
    for puzzle in puzzles:
        assert verify(puzzle).verdict.value == "unique"
    for puzzle in puzzles[:10]:
        for cell, given in enumerate(puzzle.givens):
            if given is not None:
                fewer = [None if at == cell else place for at, place in enumerate(puzzle.givens)]
                values = [None if place is None else puzzle.model.values[place] for place in fewer]
                assert count(puzzle.model.puzzle(values), limit=2) == 2
