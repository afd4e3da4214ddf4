"""Writing: what is written reads back to the same puzzle, in every form that can hold it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonant.csp.errors import ModelError
from nonant.csp.model import Model, Puzzle
from nonant.csp.results import Solution
from nonant.csp.units import columns, rows
from nonant.formats import forms, read, read_all, write
from nonant.models import model

LINE = "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"
MARK_FORMS = ("marks", "sukaku")
REGIONS = "111223333411233233411222253416625555414666665444476855999976858977778888999977788"

MODELS = [
    model("classic-4"),
    model("classic-6"),
    model("classic-9"),
    model("classic-12"),
    model("classic-16"),
    model("classic-36"),
    model("latin-5"),
    model("latin-10"),
    model("windoku-9"),
    model("cube-3"),
    model("cube-6"),
    model("lattice-cube-4"),
    model("surface-cube-4"),
    model(f"jigsaw-{REGIONS}"),
    Model("0 and 1", shape=(3, 4), values=(0, 1)),
    Model("from zero", shape=(9, 9), values=range(9), constraints=[rows, columns]),
    Model("below zero", shape=(2, 3), values=range(-2, 3)),
    Model("a row", shape=(5,), values=range(1, 6)),
    Model("four dimensions", shape=(2, 2, 2, 2), values=range(1, 5)),
    Model("gaps", shape=(3, 4), cells=[(0, 0), (0, 3), (1, 1), (1, 2), (2, 0), (2, 1), (2, 3)], values=range(1, 6)),
    Model("people", cells=("Anna", "Ben", "Carl"), values=("red", "green", "blue")),
    Model("letters", cells=("SEND"), values=range(10)),
    Model("backwards", shape=(2, 2), cells=[(1, 1), (1, 0), (0, 1), (0, 0)], values=range(1, 5)),
]


@st.composite
def puzzles(draw: st.DrawFn, marked: bool) -> Puzzle:
    rules = draw(st.sampled_from(MODELS))
    places = st.one_of(st.none(), st.integers(0, rules.n_values - 1))
    seed = draw(st.lists(places, min_size=1, max_size=40))
    givens = tuple(seed[at % len(seed)] for at in range(rules.n_cells))
    every = (1 << rules.n_values) - 1
    masks = draw(st.lists(st.integers(0, every), min_size=1, max_size=40)) if marked else [every]
    return Puzzle(rules, givens, tuple(masks[at % len(masks)] for at in range(rules.n_cells)))


def written(puzzle: Puzzle | Solution, form: str) -> str | None:
    """The text, or None where the model has not this form."""
    try:
        return write(puzzle, form)
    except ModelError:
        return None


@settings(max_examples=150, deadline=None)
@given(puzzles(marked=False))
def test_givens_read_back(puzzle: Puzzle) -> None:
    for form in forms():
        text = written(puzzle, form)
        if text is None:
            continue
        back = read(text, puzzle.model)
        if form in MARK_FORMS:
            assert back.domains == puzzle.domains, form
        else:
            assert back.givens == puzzle.givens, form
            assert back.marks == puzzle.marks, form


@settings(max_examples=150, deadline=None)
@given(puzzles(marked=True))
def test_marks_read_back(puzzle: Puzzle) -> None:
    for form in MARK_FORMS:
        text = written(puzzle, form)
        if text is not None:
            assert read(text, puzzle.model).domains == puzzle.domains, form


@pytest.mark.parametrize("rules", MODELS, ids=lambda rules: rules.name[:20])
def test_solutions_read_back(rules: Model) -> None:
    solution = Solution(rules, tuple(at % rules.n_values for at in range(rules.n_cells)))
    made = {form for form in forms() if (text := written(solution, form)) and read(text, rules).domains}
    for form in made:
        assert read(write(solution, form), rules).domains == tuple(1 << place for place in solution.places)
    assert {"line", "grid", "boxes", "numbers", "csv", "sdm", "sdk"} <= made


def test_which_forms_a_model_has() -> None:
    def has(name: str) -> set[str]:
        return {form for form in forms() if written(model(name).puzzle(), form) is not None}

    every = set(forms())
    assert has("classic-9") == every - {"planes"}
    assert has("latin-9") == every - {"planes", "jigsaw"}
    assert has("cube-3") == every - {"jigsaw"}
    assert has("classic-36") == every - {"planes", "jigsaw", "marks", "sukaku"}


def test_the_shape_alone_tells_most_forms() -> None:
    puzzle = model("classic-9").puzzle(LINE)
    for form in set(forms()) - {"planes", "jigsaw"}:
        back = read(write(puzzle, form))
        assert back.model is puzzle.model
        assert back.domains == puzzle.domains
    jigsaw = model(f"jigsaw-{REGIONS}").puzzle(LINE)
    back = read(write(jigsaw, "jigsaw"))
    assert (back.line, back.model.shape) == (LINE, (9, 9))
    cube = model("cube-3").puzzle("9.2.7..6.......13....5.4...")
    assert all(read(write(cube, form)).domains == cube.domains for form in ("line", "grid", "boxes", "numbers"))


def test_lists_of_what_was_written() -> None:
    lines = [LINE, LINE[::-1]] * 3
    for form, between in (("sdm", "\n"), ("grid", "\n\n"), ("boxes", "\n\n"), ("sdk", "\n"), ("marks", "\n\n")):
        text = between.join(write(model("classic-9").puzzle(line), form) for line in lines)
        found = [puzzle.domains for puzzle in read_all(text)]
        assert found == [read(line).domains for line in lines], form


def test_forms_look_as_they_should() -> None:
    puzzle = model("classic-4").puzzle("1.............4.", {"r1c2": [2, 3], "r1c1": [1]})
    assert write(puzzle, "marks").splitlines() == [
        "+-----------+-----------+",
        "| 1    23   | 1234 1234 |",
        "| 1234 1234 | 1234 1234 |",
        "+-----------+-----------+",
        "| 1234 1234 | 1234 1234 |",
        "| 1234 1234 | 4    1234 |",
        "+-----------+-----------+",
    ]
    assert write(puzzle, "sukaku").startswith("1....23.1234")
    plain = model("classic-4").puzzle("1.............4.")
    assert write(plain) == "1.............4."
    assert write(plain, "grid") == "1...\n....\n....\n..4."
    assert write(plain, "sdk") == "[Puzzle]\n1...\n....\n....\n..4."
    assert write(plain, "csv") == "1,0,0,0\n0,0,0,0\n0,0,0,0\n0,0,4,0"
    assert write(plain, "jigsaw") == "1.............4.1122112233443344"
    assert write(model("classic-16").puzzle({"r1c1": 16}), "numbers").startswith("16  0  0")
    assert write(model("cube-2").puzzle("1......4"), "planes") == "1.\n..\n\n..\n.4"
    assert write(model("cube-2").puzzle("1......4"), "boxes").count("\n\n") == 1


def test_nothing_is_lost_silently() -> None:
    marked = model("classic-9").puzzle(LINE, {"r1c2": [2, 3]})
    for form in set(forms()) - set(MARK_FORMS) - {"planes"}:
        with pytest.raises(ModelError, match="would lose the pencil marks"):
            write(marked, form)
    # A mark that repeats its given says nothing new.
    assert write(model("classic-9").puzzle(LINE, {"r1c1": [4]})) == LINE


def test_what_cannot_be_written_is_told() -> None:
    plain = model("latin-4").puzzle()
    with pytest.raises(ModelError, match="no form 'xml'; use one of line, grid"):
        write(plain, "xml")
    with pytest.raises(ModelError, match="no planes"):
        write(plain, "planes")
    with pytest.raises(ModelError, match="is no square with regions"):
        write(plain, "jigsaw")
    for value in ("-", "#", "a|b", "1//2"):
        with pytest.raises(ModelError, match="reads back"):
            write(Model("odd", shape=(1, 2), values=(value, "z")).puzzle())
