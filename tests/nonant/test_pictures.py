"""Pictures: borders where boxes and regions meet, and the right corner where borders meet."""

from __future__ import annotations

import pytest

from nonant.csp.errors import ModelError
from nonant.csp.model import Model
from nonant.csp.results import Solution
from nonant.csp.units import boxes, columns, rows, within
from nonant.formats import read
from nonant.models import families, model
from nonant.pictures import picture


def drawn(text: str) -> str:
    """The picture as it stands in a test: without the indentation."""
    return "\n".join(line.strip() for line in text.strip().splitlines())


def test_the_notebooks_pleasing_format() -> None:
    solution = Solution(model("classic-4"), tuple(int(symbol) - 1 for symbol in "2143432132141432"))
    assert picture(solution) == drawn("""
        ┌───┬───┐
        │2 1│4 3│
        │4 3│2 1│
        ├───┼───┤
        │3 2│1 4│
        │1 4│3 2│
        └───┴───┘
    """)


def test_jigsaw_borders_follow_the_regions() -> None:
    rules = model("jigsaw-1112132233243444")
    assert picture(rules.puzzle("1............2.3")) == drawn("""
        ┌─────┬─┐
        │1 . .│.│
        │ ┌─┬─┘ │
        │.│.│. .│
        ├─┘ │ ┌─┤
        │. .│.│.│
        │ ┌─┴─┘ │
        │.│2 . 3│
        └─┴─────┘
    """)


def test_a_model_without_boxes_has_a_plain_frame() -> None:
    assert picture(model("latin-3").puzzle("1......2.")) == drawn("""
        ┌─────┐
        │1 . .│
        │. . .│
        │. 2 .│
        └─────┘
    """)


def test_numbers_stand_at_the_right() -> None:
    rules = Model("wide", shape=(2, 2), values=(5, 50, 500), constraints=[rows, columns])
    assert picture(rules.puzzle({"r1c1": 500, "r2c2": 5})) == drawn("""
        ┌───────┐
        │500   .│
        │  .   5│
        └───────┘
    """)


def test_planes_stand_beside_each_other_when_they_fit() -> None:
    puzzle = model("cube-3").puzzle("9.2.7..6.......13....5.4...")
    assert picture(puzzle) == drawn("""
        x1       x2       x3
        ┌─────┐  ┌─────┐  ┌─────┐
        │9 . 2│  │. . .│  │. . .│
        │. 7 .│  │. . .│  │5 . 4│
        │. 6 .│  │1 3 .│  │. . .│
        └─────┘  └─────┘  └─────┘
    """)
    assert max(map(len, picture(puzzle, width=24).splitlines())) == 16  # two and one
    narrow = picture(puzzle, width=10).split("\n\n")
    assert [part.splitlines()[0] for part in narrow] == ["x1", "x2", "x3"]
    assert "┼" in picture(model("lattice-cube-4").puzzle())  # the boxes of the slice, not of the others


def test_labels_are_a_list() -> None:
    rules = Model("people", cells=("Anna", "Ben"), values=("red", "green"))
    assert picture(rules.puzzle({"Ben": "red"})) == "Anna = .\nBen  = red"
    assert picture(rules.puzzle({"Ben": "red"}), differs=["Anna"]) == "Anna = .*\nBen  = red"


def test_gaps_stay_blank() -> None:
    cells = [(r, c) for r in range(4) for c in range(6) if not (r < 2 and c > 3) and not (r > 1 and c < 2)]
    two = [within((0, 0), (2, 4), boxes(2, 2)), within((2, 2), (2, 4), boxes(2, 2))]
    rules = Model("stairs", shape=(4, 6), cells=cells, values=range(1, 5), constraints=two)
    assert picture(rules.puzzle({"r1c1": 1, "r4c6": 4})) == "\n".join(
        [
            "┌───┬───┐",
            "│1 .│. .│",
            "│. .│. .│",
            "└───┼───┼───┐",
            "    │. .│. .│",
            "    │. .│. 4│",
            "    └───┴───┘",
        ]
    )


def test_overlapping_grids_share_their_boxes() -> None:
    both = [within(at, (4, 4), rows, columns, boxes(2, 2)) for at in ((0, 0), (2, 2))]
    cells = [(r, c) for r in range(6) for c in range(6) if not (r < 2 and c > 3) and not (r > 3 and c < 2)]
    lines = picture(Model("two", shape=(6, 6), cells=cells, values=range(1, 5), constraints=both).puzzle()).splitlines()
    assert lines[0] == "┌───┬───┐"
    assert lines[3] == "├───┼───┼───┐"
    assert lines[6] == "└───┼───┼───┤"
    assert lines[9] == "    └───┴───┘"


def test_cells_that_differ_have_a_star() -> None:
    puzzle = model("classic-4").puzzle("1.............4.")
    lines = picture(puzzle, differs=["r1c2", (3, 3)]).splitlines()
    assert lines[1] == "│1  .*│.  . │"
    assert lines[-2] == "│.  . │4  .*│"
    with pytest.raises(ModelError, match="no cell 'r9c9'"):
        picture(puzzle, differs=["r9c9"])


def test_pencil_marks_are_shown() -> None:
    puzzle = model("classic-4").puzzle("1.............4.", {"r1c2": [2, 3]})
    assert "│ 1 23│ .  .│" in picture(puzzle)


def test_one_dimension_and_none() -> None:
    assert picture(Model("row", shape=(3,), values=range(1, 4)).puzzle("1.3")) == "┌─────┐\n│1 . 3│\n└─────┘"
    assert picture(Model("nothing", cells=(), values=()).puzzle()) == ""


@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_pictures_are_read_back(family: object) -> None:
    puzzle = family.example_puzzle()  # type: ignore[attr-defined]
    assert read(picture(puzzle, width=1).replace("x", "plane "), puzzle.model).line == puzzle.line


def test_no_corner_hangs_in_the_air() -> None:
    """Every stroke of a corner goes on in the neighbour on that side."""
    ends = {
        "up": "╵└│├┘┴┤┼",
        "down": "╷│┌├┐┤┬┼",
        "left": "╴┘─┴┐┤┬┼",
        "right": "╶└┌├─┴┬┼",
    }
    region_map = "111223333411233233411222253416625555414666665444476855999976858977778888999977788"
    for puzzle in (model(f"jigsaw-{region_map}").puzzle(), model("surface-cube-4").puzzle()):
        lines = picture(puzzle).splitlines()
        width = max(map(len, lines))
        at = {(r, c): char for r, line in enumerate(lines) for c, char in enumerate(line.ljust(width))}
        for (r, c), char in at.items():
            assert (char in ends["right"]) == (at.get((r, c + 1), " ") in ends["left"]), (r, c)
            assert (char in ends["down"]) == (at.get((r + 1, c), " ") in ends["up"]), (r, c)
