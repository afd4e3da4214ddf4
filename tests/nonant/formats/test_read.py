"""Reading: every form in use gives the same puzzle, and what is no puzzle gives one line that says why."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from nonant.csp.errors import ModelError, ParseError
from nonant.formats import entries, read, read_all
from nonant.models import families, model
from nonant.models.jigsaw import jigsaw
from tests.support.files import shared_data, shared_file

LINE = ".2..3......3....4...49.8..3.4.71..563.......251..96.8.9..3.54...8....1......2..9."
ROWS = [LINE[at : at + 9] for at in range(0, 81, 9)]
OTHER = "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"
SOLUTION = "829437561673152849154968273248713956396584712517296384961375428782649135435821697"
REGIONS = "111223333411233233411222253416625555414666665444476855999976858977778888999977788"


def spaced(rows: list[str], between: str = " ") -> str:
    return "\n".join(between.join(row) for row in rows)


def bands(rows: list[str]) -> str:
    return "\n\n".join("\n".join(rows[at : at + 3]) for at in (0, 3, 6))


def error_of(text: object, rules: str | None = None) -> ParseError:
    with pytest.raises(ParseError) as caught:
        read(text, rules)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return caught.value


# -- the same puzzle in many forms -------------------------------------------------------------------------------------

FRAMED = "\n".join(
    [
        "+-------+-------+-------+",
        *(
            "| {} {} {} | {} {} {} | {} {} {} |".format(*row) + ("\n|-------+-------+-------|" if at in (2, 5) else "")
            for at, row in enumerate(ROWS)
        ),
        "+-------+-------+-------+",
    ]
)

SAME = {
    "line": LINE,
    "line with zeros": LINE.replace(".", "0"),
    "line with underscores": LINE.replace(".", "_"),
    "line with dashes": LINE.replace(".", "-"),
    "line with stars": LINE.replace(".", "*"),
    "mixed signs": LINE.replace(".", "0", 9),
    "line in groups": " ".join(ROWS),
    "rows": "\n".join(ROWS),
    "rows with dashes": "\n".join(ROWS).replace(".", "-"),
    "CRLF": "\r\n".join(ROWS) + "\r\n",
    "CR": "\r".join(ROWS) + "\r",
    "mixed line ends": "\r\n".join(ROWS[:3]) + "\n" + "\r".join(ROWS[3:]),
    "BOM": "\ufeff" + LINE,
    "blank lines around": "\n\n  " + LINE + "  \n\n",
    "spaced": spaced(ROWS),
    "tabs": spaced(ROWS, "\t"),
    "commas": spaced([row.replace(".", "0") for row in ROWS], ","),
    "one line of numbers": " ".join(LINE.replace(".", "0")),
    "one line of numbers with commas": ", ".join(LINE.replace(".", "0")),
    "groups of three": "\n".join(f"{row[:3]} {row[3:6]} {row[6:]}" for row in ROWS),
    "groups of three digits": "\n".join(f"{row[:3]} {row[3:6]} {row[6:]}" for row in ROWS).replace(".", "0"),
    "bars": "\n".join(f"{row[:3]}|{row[3:6]}|{row[6:]}" for row in ROWS),
    "bands": bands(ROWS),
    "framed": FRAMED,
    "framed with stars": FRAMED.replace("+", "*"),
    "framed with dots": FRAMED.replace("+", "."),
    "framed with apostrophes": FRAMED.replace("+", "'").replace("|-", ":-"),
    "framed with equal signs": FRAMED.replace("-", "="),
    "JSON": json.dumps([[int(symbol) for symbol in row.replace(".", "0")] for row in ROWS]),
    "quotes": ",".join(f'"{symbol}"' for symbol in LINE.replace(".", "0")),
    "padded numbers": spaced([row.replace(".", "0") for row in ROWS], " 0"),
    "comments": "# a list\n; of one\n// puzzle\n" + LINE + "  # easy",
    "name behind a comma": LINE + ",by nobody",
    "solution beside it": LINE + "," + SOLUTION + ",26",
    "rating": LINE + ";4.2",
    "table": "puzzle,solution,clues\n" + LINE + "," + SOLUTION + ",26\n",
    "heading above a line": "Puzzle of the day\n" + LINE,
    "heading": "Grid 01\n" + "\n".join(ROWS),
    "SDK": "#A Somebody\n#DA description, of 3 words\n" + "\n".join(ROWS),
    "SDK with sections": "[Puzzle]\n" + "\n".join(ROWS) + "\n[State]\n" + "\n".join([SOLUTION[:9]] * 9) + "\n",
}


@pytest.mark.parametrize("form", SAME)
def test_forms_of_a_classic(form: str) -> None:
    puzzle = read(SAME[form])
    assert puzzle.model is model("classic-9")
    assert puzzle.line == LINE
    assert set(puzzle.marks) == {511}


@pytest.mark.parametrize("form", SAME)
def test_forms_of_a_classic_with_the_model_said(form: str) -> None:
    for said in ("classic", "x", model("latin-9")):
        assert read(SAME[form], said).line == LINE


def test_sources(tmp_path: Path) -> None:
    path = tmp_path / "puzzle.txt"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(ROWS).encode())
    zipped = tmp_path / "puzzle.gz"
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    unnamed = tmp_path / "zipped"
    unnamed.write_bytes(zipped.read_bytes())
    for source in (path, str(path), zipped, str(zipped), unnamed, io.StringIO("\n".join(ROWS))):
        assert read(source).line == LINE
    with path.open(encoding="utf-8") as stream:
        assert read(stream).line == LINE


@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_examples_of_the_families(family: object) -> None:
    example, name = family.example, family.example_model  # type: ignore[attr-defined]
    assert read(example, name).model is model(name)
    assert read(example, name).line == example


# -- other sizes and symbols -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cells, name",
    [(16, "classic-4"), (36, "classic-6"), (64, "classic-8"), (144, "classic-12"), (256, "classic-16"),
     (625, "classic-25"), (27, "cube-3"), (81, "classic-9"), (100, "classic-10")],
)  # fmt: skip
def test_the_size_tells_the_model(cells: int, name: str) -> None:
    assert read("1" + "." * (cells - 1)).model is model(name)
    assert read("1 " + "0 " * (cells - 1)).model is model(name)


def test_a_family_takes_its_size_from_the_text() -> None:
    assert read("1" + "." * 24, "latin").model is model("latin-5")
    assert read("1" + "." * 80, "windoku").model is model("windoku-9")
    assert read("." * 64, "cube").model is model("cube-4")
    assert read("." * 64, "lattice-cube").model is model("lattice-cube-4")
    assert read("." * 144, "classic-12-2x6").model is model("classic-12-2x6")


def values_of(text: str, name: str | None = None) -> list[object]:
    puzzle = read(text, name)
    return [None if place is None else puzzle.model.values[place] for place in puzzle.givens]


def test_letters_from_ten_on() -> None:
    assert values_of("9AgG" + "." * 252)[:4] == [9, 10, 16, 16]
    assert values_of("9A.F" + "." * 252)[:4] == [9, 10, None, 15]
    assert values_of("9A0G" + "0" * 252)[:4] == [9, 10, None, 16]
    assert values_of("9P" + "." * 623)[:2] == [9, 25]


def test_symbols_from_zero_on() -> None:
    assert values_of("09AF" + "." * 252)[:5] == [1, 10, 11, 16, None]
    assert values_of("0 9 A F" + " ." * 252)[:5] == [1, 10, 11, 16, None]


def test_zero_with_the_top_symbol_is_empty() -> None:
    assert values_of("0G" + "." * 254)[:3] == [None, 16, None]


def test_many_zeros_are_empty() -> None:
    assert values_of("9AF" + "0" * 253)[:4] == [9, 10, 15, None]


def test_few_zeros_and_no_other_sign_for_empty_are_told() -> None:
    error = error_of("0123456789ABCDEF" * 16)
    assert "0 may be empty here" in str(error)
    assert (error.line, error.column) == (1, 1)


def test_letters_from_one_on() -> None:
    assert values_of("ABP" + "." * 253)[:3] == [1, 2, 16]
    assert values_of("AY" + "." * 623)[:2] == [1, 25]


def test_numbers_apart_need_no_letters() -> None:
    text = "\n".join(" ".join(str((row + column) % 16 + 1) for column in range(16)) for row in range(16))
    assert values_of(text)[:16] == list(range(1, 17))
    few = "1 2 3 4 5 6 7 8 9 0 " + "1 " * 246
    assert values_of(few)[9] is None  # digits apart are numbers, so 0 is empty


def test_sixteen_lines_of_sixteen() -> None:
    small = ["1..............4"] * 16
    error = error_of("\n".join(small))
    assert "--model" in str(error)
    assert [entry.error is None for entry in entries("\n".join(small))] == [False]
    assert len(list(read_all("\n".join(small), "classic-4"))) == 16
    assert read("\n".join(small), "classic-16").model is model("classic-16")
    assert read("\n".join([*small[:15], "G..............."])).model is model("classic-16")
    assert [puzzle.model.name for puzzle in read_all("\n".join(small[:15]))] == ["classic-4"] * 15


def test_latin_lines_of_nine() -> None:
    assert read("\n".join(["12345678."] * 9), "latin").model is model("latin-9")
    assert "--model" in str(error_of("\n".join(["123123..."] * 9), "latin"))


# -- pencil marks, jigsaws, solids -------------------------------------------------------------------------------------

MARKS = """
.---------------------.------------------.------------------.
| 4     1689   12569  | 789  3    15789  | 259  2567 25679  |
| 1237  1239   12579  | 6    12479 14579 | 8    2357 234579 |
| 23678 23689  256789 | 4789 2479 45789  | 23459 23567 1    |
:---------------------+------------------+------------------:
| 1236  12346  1246   | 3478 5    13478  | 1234 9    23478  |
| 123   8      12459  | 3479 1479 13479  | 6    12357 23457 |
| 136   7      14569  | 2    14689 13489 | 1345 1358 3458   |
:---------------------+------------------+------------------:
| 68    46     468    | 1    4689 2      | 7    3568 35689  |
| 5     126    3      | 789  6789 6789   | 129  4    2689   |
| 9     1246   124678 | 34578 4678 345678 | 1235 123568 23568 |
'---------------------'------------------'------------------'
"""


def test_pencil_marks() -> None:
    puzzle = read(MARKS)
    assert puzzle.n_givens == 0
    assert puzzle.marks[0] == 1 << 3
    assert puzzle.marks[1] == sum(1 << digit - 1 for digit in (1, 6, 8, 9))
    assert read(MARKS, "x").marks == puzzle.marks
    one_line = " ".join(MARKS.replace("|", " ").replace("-", "").replace("+", "").split()).strip(".:' ")
    assert read(one_line.replace(": :", "").replace(".", "").replace("'", "")).marks == puzzle.marks


def test_a_wrong_pencil_mark_is_named() -> None:
    error = error_of(MARKS.replace("12569", "12x69"))
    assert (error.line, error.column) == (3, 18)
    assert "'x'" in error.message
    assert "twice" in error_of(MARKS.replace("12569", "12669")).message


def test_sukaku() -> None:
    full = "".join("123456789" if symbol == "." else f"{symbol:.>9}" for symbol in OTHER)
    puzzle = read(full)
    assert puzzle.model is model("classic-9")
    assert puzzle.domains == read(OTHER).domains
    assert read(full.replace(".", "0")).domains == puzzle.domains


def test_729_symbols_as_a_grid_of_27() -> None:
    assert read("\n".join(["1" + "." * 25 + "R"] * 27)).model is model("classic-27")


def test_jigsaw() -> None:
    puzzle = "1" + "." * 80
    rules = jigsaw(REGIONS)
    rows = [REGIONS[at : at + 9] for at in range(0, 81, 9)]
    grid = [puzzle[at : at + 9] for at in range(0, 81, 9)]
    for text in (
        puzzle + REGIONS,
        puzzle + " " + REGIONS,
        puzzle + "," + REGIONS + ",name",
        puzzle + "\n" + REGIONS,
        "\n".join(grid) + "\n\n" + "\n".join(rows),
        "\n".join(grid + rows),
        f"regions,puzzle\n{REGIONS},{puzzle}\n",
    ):
        for said in (None, "jigsaw", model(rules.name)):
            found = read(text, said)
            assert found.model.name == rules.name
            assert found.line == puzzle
    assert read(puzzle, rules).model is rules


def test_a_solution_is_no_region_map() -> None:
    assert "162 symbols" in str(error_of(LINE + SOLUTION))
    assert read(LINE + " " + SOLUTION).model is model("classic-9")


def test_wrong_region_maps_are_told() -> None:
    assert "region" in str(error_of("." * 81 + REGIONS[:-1] + "1", "jigsaw"))
    assert "region characters" in str(error_of("." * 81, "jigsaw"))
    assert "region map" in str(error_of("." * 81 + REGIONS, "classic-9"))


def test_planes() -> None:
    cube = "000810002060070904500003000"
    planes = "\n\n".join("\n".join(cube[at + row : at + row + 3] for row in (0, 3, 6)) for at in (0, 9, 18))
    for text in (cube, planes, planes.replace("\n\n", "\n"), planes.replace("\n\n", "\nplane\n")):
        assert read(text).model is model("cube-3")
        assert read(text).line == cube.replace("0", ".")
    assert read("\n".join(cube[at : at + 9] for at in (0, 9, 18)), "cube").line == cube.replace("0", ".")


def test_planes_of_four() -> None:
    def text(first: str) -> str:
        return "\n\n".join("\n".join([first, "....", "....", "...."]) for _ in range(4))

    assert read(text("G...")).model is model("cube-4")
    assert read(text("1...")).model is model("lattice-cube-4")  # 1 stands four times in the plane y1
    assert "--model" in str(error_of(text("....")))
    assert read(text("...."), "cube").model is model("cube-4")
    assert [puzzle.model.name for puzzle in read_all(text("1..."))] == ["classic-4"] * 4  # a list of grids


def test_nine_planes_of_nine() -> None:
    assert read("\n\n".join(["\n".join(ROWS)] * 9)).model is model("lattice-cube-9")


# -- lists -------------------------------------------------------------------------------------------------------------


def test_names_and_line_numbers() -> None:
    text = f"# list\n{LINE} # easy\n\n{OTHER},hard one\n{OTHER}\n"
    assert [(entry.line, entry.name) for entry in entries(text)] == [(2, "easy"), (4, "hard one"), (5, "")]


def test_a_bad_line_does_not_stop_the_list() -> None:
    text = f"{LINE}\n{LINE[:-1]}\n{OTHER}\n{LINE.replace('2', 'x', 1)}\n\udc80{LINE[1:]}\n"
    found = list(entries(text))
    assert [entry.error is None for entry in found] == [True, False, True, False, False]
    assert [entry.error.line for entry in found if entry.error] == [2, 4, 5]
    seen: list[ParseError] = []
    assert len(list(read_all(text, on_error=seen.append))) == 2
    assert len(seen) == 3
    with pytest.raises(ParseError, match="line 2: 80 symbols"):
        list(read_all(text))


def test_a_bad_first_line_does_not_make_a_grid_of_a_list() -> None:
    found = list(entries(f"{LINE[:-1]}\n{LINE}\n{OTHER}\n"))
    assert [entry.error is None for entry in found] == [False, True, True]


def test_several_grids() -> None:
    grids = "\n\n".join("\n".join(ROWS) for _ in range(3))
    assert [entry.line for entry in entries(grids)] == [1, 11, 21]
    headed = "".join(f"Grid {at}\n" + "\n".join(ROWS) + "\n" for at in range(50))
    assert [entry.name for entry in entries(headed)] == [f"Grid {at}" for at in range(50)]
    assert [entry.line for entry in entries(f"Puzzles of May\n\n{LINE}\n{OTHER}\n")] == [3, 4]
    titled = list(entries(f"From last May\n\n{LINE}\n{OTHER}\n"))
    assert [(entry.line, entry.error is None) for entry in titled] == [(1, False), (3, True), (4, True)]
    spoilt = "\n\n".join("\n".join(ROWS[: 9 - (at == 1)]) for at in range(3))
    assert [entry.error is None for entry in entries(spoilt)] == [True, False, True]


def test_read_wants_one() -> None:
    assert "2 puzzles" in str(error_of(f"{LINE}\n{OTHER}\n"))
    assert "read_all" in str(error_of("\n\n".join("\n".join(ROWS) for _ in range(3))))
    assert "over 1,000" in str(error_of(f"{LINE}\n" * 5000))


def test_a_list_streams() -> None:
    def endless() -> io.TextIOBase:
        class Stream(io.TextIOBase):
            def readline(self, size: int = -1) -> str:  # type: ignore[override]
                return LINE + "\n"

        return Stream()

    stream = read_all(endless())  # type: ignore[arg-type]
    assert [next(stream).line for _ in range(3)] == [LINE] * 3


def test_tables_with_quotes() -> None:
    text = f'name,"provenance",puzzle\na,"own, with a comma",{LINE}\nb,"x",{LINE[:-1]}\nc\n'
    found = list(entries(text))
    assert [entry.name for entry in found] == ["a", "b", ""]
    assert [entry.error is None for entry in found] == [True, False, False]


# -- what is no puzzle -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, line, column, words",
    [
        (LINE[:-1], 1, None, "80 symbols"),
        (LINE + ".", 1, None, "expected 81"),
        ("", None, None, "no puzzle"),
        ("# only\n; comments\n\n", None, None, "no puzzle"),
        ("x" + LINE[1:], 1, 1, "'x' is not a symbol"),
        (LINE[:40] + "A" + LINE[41:], 1, 41, "expected 1..9"),
        ("10" + " 0" * 80, 1, 1, "10 is not a value"),
        ("-1" + " 0" * 80, 1, 1, "-1 is not a value"),
        ("0 " * 80 + "9" * 5000, 1, 161, "is not a value"),
        (LINE[:80] + "٣", 1, 81, "'\\u0663'"),
        (LINE[:80] + "²", 1, 81, "'\\xb2'"),
        (LINE[:80] + "\0", 1, 81, "'\\x00'"),
        (LINE[:80] + "\udcff", 1, 81, "byte 0xff is not UTF-8"),
        (LINE[:80] + "\ud800", 1, 81, "'\\ud800'"),
        ("\n".join(ROWS[:8]), 1, None, "8 lines of 9"),
        ("\n".join([*ROWS, ROWS[0]]), 1, None, "10 lines of 9"),
        ("\n".join([*ROWS[:4], ROWS[4] + "1", *ROWS[5:]]), 5, None, "10 symbols in this line, 9 in most"),
        ("\n".join(ROWS * 2), 1, None, "blank line between grids"),
        ("1" * 2_000_000, 1, None, "over 200,000 characters"),
        ("1 " * 90_000, 1, None, "90000 symbols"),
        ("1\n" * 5000, 1, None, "without a blank line"),
        ("[State]\n" + "\n".join(ROWS), None, None, "no puzzle"),
        ("hello world", 1, None, "10 symbols"),
        ("lists/missing.sdm", None, None, "no such file"),
        ("missing.txt", None, None, "no such file"),
        ("1" * 1296, 1, None, "numbers with spaces"),
    ],
)
def test_errors(text: str, line: int | None, column: int | None, words: str) -> None:
    error = error_of(text)
    assert words in str(error)
    assert (error.line, error.column) == (line, column)
    assert len(str(error)) < 250


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "folder" in str(error_of(tmp_path))
    assert "folder" in str(error_of(str(tmp_path)))
    assert "no such file" in str(error_of(tmp_path / "missing"))
    broken = tmp_path / "broken.gz"
    broken.write_bytes(gzip.compress(LINE.encode() * 1000)[:-20])
    assert "cannot read" in str(error_of(broken)) or "symbols" in str(error_of(broken))
    broken.write_bytes(b"\x1f\x8bnot gzip at all")
    assert "cannot read" in str(error_of(broken))
    binary = tmp_path / "binary"
    binary.write_bytes(bytes(range(256)) * 50)
    assert error_of(binary).line is not None
    latin = tmp_path / "latin1.txt"
    latin.write_bytes(LINE.encode() + b"\n" + LINE[:-1].encode() + b"\xe9\n")
    found = list(entries(latin))
    assert found[0].error is None
    assert "line 2, column 81: byte 0xe9 is not UTF-8" in str(found[1].error)


def test_a_wrong_model_name_is_no_parse_error() -> None:
    with pytest.raises(ModelError, match="no model is called"):
        read(LINE, "sudoku")
    with pytest.raises(ValueError, match="on_error"):
        read_all(LINE, on_error="ignore")


def test_the_model_must_fit() -> None:
    assert "expected 16" in str(error_of(LINE, "classic-4"))
    assert "no puzzle with so many cells" in str(error_of(LINE, "cube"))


# -- the shared lists --------------------------------------------------------------------------------------------------


def cases(name: str) -> list[object]:
    folder = shared_data()
    if folder is None:
        return [pytest.param(None, marks=pytest.mark.skip(reason="the shared data is not here"))]
    listed = json.loads((folder / "edge" / name).read_text(encoding="utf-8"))
    return [pytest.param(case, id=str(case["id"])) for case in listed]


@pytest.mark.parametrize("case", cases("invalid_inputs.json") + cases("invalid_files.json"))
def test_edge_cases(case: dict[str, str]) -> None:
    if case["expect"].startswith("error"):
        error = error_of(case["text"])
        assert error.expected
    else:
        puzzle = read(case["text"])
        assert puzzle.model is model("classic-9")
        if "grid" in case["id"]:
            assert puzzle.line == LINE


@pytest.mark.parametrize("case", cases("public_bugs_part.json"))
def test_public_bugs(case: dict[str, str]) -> None:
    for word in case["input"].split():
        if len(word) == 81:
            assert read(word).line == word.replace("0", ".")


@pytest.mark.parametrize(
    "name, number",
    [("top1465.txt", 1465), ("royle17_49158.txt.gz", 49158), ("euler_easy50.txt", 50), ("norvig_top95.txt", 95),
     ("norvig_hardest11.txt", 11), ("forum_hardest_1106_375.txt", 375), ("cbg000_first5000.txt.gz", 5000),
     ("serg_benchmark_first2000.txt.gz", 2000), ("random_minimal_20000.txt.gz", 20000),
     ("easy_32clues_20000.txt.gz", 20000), ("forum_hardest_1905_11plus_48766.txt.gz", 48766)],
)  # fmt: skip
def test_classic_lists(name: str, number: int) -> None:
    found = 0
    for puzzle in read_all(shared_file(f"classic/{name}")):
        found += 1
        assert puzzle.model is model("classic-9")
    assert found == number


def test_large_grids() -> None:
    path = shared_file("large/large_grids.csv")
    csv.field_size_limit(1 << 20)
    with path.open(encoding="utf-8") as file:
        expected = list(csv.DictReader(file))
    found = list(entries(path))
    assert [entry.name for entry in found] == [row["name"] for row in expected]
    for entry, row in zip(found, expected, strict=True):
        assert entry.puzzle is not None
        assert entry.puzzle.model.name == f"classic-{row['n']}"
        assert entry.puzzle.n_givens == int(row["givens"])


def test_latin_cube_and_jigsaw_tables() -> None:
    latin = list(read_all(shared_file("latin/latin.csv"), "latin"))
    assert len(latin) == 29
    assert {puzzle.model.name.split("-")[0] for puzzle in latin} == {"latin"}
    assert {puzzle.model.name for puzzle in read_all(shared_file("cube/cube333.csv"))} == {"cube-3"}
    path = shared_file("jigsaw/jigsaw_generated.csv")
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for puzzle, row in zip(read_all(path), rows, strict=True):
        assert puzzle.model.name == f"jigsaw-{row['regions']}"
        assert puzzle.line == row["puzzle"]


# -- cost --------------------------------------------------------------------------------------------------------------


def test_reading_a_line_is_light() -> None:
    code = (
        "import sys, nonant.formats as formats\n"
        f"formats.read({LINE!r})\n"
        "loaded = {name for name in sys.modules if name.startswith('nonant.models.')}\n"
        "assert loaded == {'nonant.models.classic', 'nonant.models.sizes'}, loaded\n"
        "assert not {'numpy', 'gzip', 'csv', 'numba', 'networkx'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
