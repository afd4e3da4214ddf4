"""The Solve Path Notation: writing, reading, replaying, and what a replay must never say."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from functools import lru_cache
from pathlib import Path as File
from random import Random

import pytest
from hypothesis import given, settings

from nonant import Board, Model, Puzzle, Sum, Unit, explain, find_all
from nonant.csp.errors import ModelError, ParseError
from nonant.csp.masks import bits
from nonant.csp.units import boxes, cages, columns, regions, rows
from nonant.formats import spn
from nonant.models import families, model
from nonant.spn.names import CandidateName
from nonant.strategies import Path, UnprovedStep
from nonant.strategies.path import CONTRADICTION
from tests.support.files import ROOT, shared_file
from tests.support.positions import PUZZLES, listed, path_of, solution_of
from tests.support.positions import puzzles as own_puzzles
from tests.support.random_models import puzzles

CLASSIC = model("classic-9")
EASY = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"


def there_and_back(path: Path, proofs: bool = True, rules: Model | None = None) -> spn.Replay:
    """Write, read, write, and replay; everything that must be equal is compared."""
    noted = spn.from_path(path, proofs=proofs, reasons=not proofs)
    text = spn.write(noted)
    again = spn.parse(text)
    assert again == noted
    assert spn.write(again) == text
    begin = spn.start_of(again, rules or spn.model_of(again))
    assert (begin.live, begin.placed, begin.domains) == (path.board.live, path.board.placed, path.board.domains)
    found = spn.replay(again, rules)
    if proofs:
        assert found.verified, found.bill
        assert set(found.counts) <= {"proved"}
        assert found.result == path.result
        assert found.end.live == path.end.live
        assert found.end.placed == path.end.placed
    return found


# -- there and back ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", range(len(PUZZLES)))
def test_a_path_of_each_family_comes_back_and_is_proved(at: int) -> None:
    path = path_of(at)
    found = there_and_back(path)
    assert found.shows_unique
    assert spn.tech_summary(spn.from_path(path)) == {
        spn.camel(name): number for name, number in _first_use(path).items()
    }


def _first_use(path: Path) -> dict[str, int]:
    times: dict[str, int] = {}
    for step in path.steps:
        times[step.technique] = times.get(step.technique, 0) + 1
    return times


@pytest.mark.parametrize("name", [family.name for family in families() if family.name not in ("x", "jigsaw")])
def test_the_header_says_the_rules_of_each_family(name: str) -> None:
    example = next(family for family in families() if family.name == name).example_puzzle()
    header = spn.header(example)
    made = spn.model_of(spn.parse(spn.write(header)))
    assert made is model(example.model.name)
    assert spn.start_of(header, made).live == Board.from_puzzle(example).live


def test_sizes_and_boxes_are_in_the_header() -> None:
    for name in ("classic-16", "classic-12-2x6", "classic-6", "latin-5", "cube-3", "lattice-cube-4"):
        assert spn.model_of(spn.header(model(name).puzzle())).name == name


def sample(file: str, number: int) -> list[str]:
    lines = shared_file(file).read_text(encoding="utf-8").split()
    return Random(file).sample(lines, number)


def test_top1465() -> None:
    for line in sample("classic/top1465.txt", 3):
        assert there_and_back(explain(CLASSIC.puzzle(line))).shows_unique


@pytest.mark.parametrize(
    ("file", "name", "number"),
    [
        ("jigsaw/jigsaw_generated.csv", "jigsaw", 1),
        ("variants/windoku_generated.csv", "windoku-9", 1),
        ("variants/mini6x6_generated.csv", "classic-6", 2),
        ("variants/disjoint_groups_generated.csv", "disjoint-groups-9", 1),
    ],
)
def test_variants(file: str, name: str, number: int) -> None:
    for row in sorted(listed(file), key=lambda row: -int(row["clues"]))[:number]:  # the easier ones
        rules = model(f"jigsaw-{row['regions']}" if name == "jigsaw" else name)
        found = there_and_back(explain(rules.puzzle(row["puzzle"])))
        assert found.end.line == row["solution"]


def test_cubes_and_a_large_grid() -> None:
    for row in listed("cube/cube333.csv")[:6]:
        cube = model("cube-3").puzzle(next(value for key, value in row.items() if key and key.startswith("puzzle")))
        there_and_back(explain(cube, max_level=9))
    row = next(row for row in listed("large/large_grids.csv") if row["name"] == "berthier/Metcalf-16x16-NP")
    givens = [int(word) for word in row["grid"].split()]
    there_and_back(explain(model("classic-16").puzzle(givens), max_level=3))


@pytest.mark.long
def test_sixty_jigsaws() -> None:
    for row in listed("jigsaw/jigsaw_generated.csv"):
        found = there_and_back(explain(model(f"jigsaw-{row['regions']}").puzzle(row["puzzle"])))
        assert found.end.line == row["solution"]
        assert found.shows_unique


@pytest.mark.long
def test_sixty_of_top1465() -> None:
    for line in sample("classic/top1465.txt", 60):
        path = explain(CLASSIC.puzzle(line))
        assert there_and_back(path).shows_unique
        assert not there_and_back(path, proofs=False).refused


@pytest.mark.long
@pytest.mark.parametrize("name", ["x", "windoku", "disjoint_groups", "latin9", "mini6x6"])
def test_ten_of_each_variant(name: str) -> None:
    rules = model({"latin9": "latin-9", "mini6x6": "classic-6"}.get(name, f"{name.replace('_', '-')}-9"))
    for row in listed(f"variants/{name}_generated.csv")[:10]:
        assert there_and_back(explain(rules.puzzle(row["puzzle"]))).end.line == row["solution"]


# -- models and positions ----------------------------------------------------------------------------------------------


def killer(label: str) -> Model:
    """A killer of 4x4 in which one cell, and the units, have names of any kind."""
    grid = Model("g", shape=(4, 4), values=range(1, 5), constraints=[rows, columns, boxes(2, 2)])
    names = [label, *grid.names[1:]]

    def renamed(unit: Unit) -> Unit:
        return Unit([names[at] for at in grid.indices(unit)], "a box" if unit.kind == "box" else unit.name)

    cells = [names[0:2], names[4:6], [names[2], names[6]], names[8:11]]
    sums = [[Sum(cage, total), Unit(cage)] for cage, total in zip(cells, (3, 7, 5, 8), strict=True)]
    units = [renamed(unit) for unit in grid.constraints]
    return Model('the "killer"\n', cells=names, values=range(1, 5), constraints=[*units, *sums])


@pytest.mark.parametrize("label", ["r1c1", "guard", "two words", '"quoted"', "cover", "7", "é=1", "\udc80", "}", "#1"])
def test_a_model_of_ones_own_with_cells_of_any_name(label: str) -> None:
    rules = killer(label)
    path = explain(rules.puzzle({"r2c4": 1}))
    found = there_and_back(path, rules=rules)
    assert found.model is rules
    with pytest.raises(ModelError, match="not in the file"):
        spn.replay(spn.from_path(path))


@settings(max_examples=80, deadline=None)
@given(puzzles)
def test_any_model(puzzle: Puzzle) -> None:
    try:
        path = explain(puzzle, max_level=8)
    except UnprovedStep:
        return  # the ladder's to mend, and its own tests say so
    there_and_back(path, rules=puzzle.model)
    bare = there_and_back(path, proofs=False, rules=puzzle.model)
    assert not bare.refused or path.result == CONTRADICTION


def test_rules_are_told_by_what_they_are_not_by_their_name() -> None:
    mine = Model("mine", shape=(9, 9), values=range(1, 10), constraints=[rows, columns, boxes(3, 3)])
    assert spn.model_of(spn.header(mine.puzzle(EASY))) is CLASSIC
    drawn = Model("jig", shape=(4, 4), values=range(1, 5), constraints=[rows, columns, regions("1112132233243444")])
    assert spn.header(drawn.puzzle()).tag("RegionMap") == "1112132233243444"
    false = Model("classic-9", shape=(9, 9), values=range(1, 10), constraints=[rows, columns])
    assert spn.model_of(spn.header(false.puzzle())).name == "latin-9"
    sums = Model("classic-4", shape=(4, 4), values=range(1, 5), constraints=[rows, cages([(5, ["r1c1", "r1c2"])])])
    assert spn.header(sums.puzzle()).tag("Variant") == "Custom"


def test_a_path_begins_on_the_same_board() -> None:
    marked = CLASSIC.puzzle(EASY, {"r1c3": [1, 2, 4], "r5c2": [2], "r9c9": [9]})
    found = there_and_back(explain(marked))
    assert found.begun == "puzzle"
    path = path_of(0)
    board = path.board
    for step in path.steps[:30]:
        board = board.without(step.removed, sum(1 << place for place in step.places))
    later = there_and_back(explain(board))
    assert later.begun == "position"
    assert not later.shows_unique  # somebody else has begun, and nobody has checked that
    clash = there_and_back(explain(CLASSIC.puzzle("11" + "." * 79)))
    assert clash.result == "contradiction"
    loose = Board.from_candidates(CLASSIC, {"r1c1": [1], "r1c2": [1, 2], "r2c2": []})
    assert there_and_back(explain(loose, max_level=1)).result == "contradiction"


def test_rounds_and_uniqueness() -> None:
    together = explain(list(own_puzzles())[4], rounds=True)
    assert max(together.rounds) > 1
    found = spn.replay(spn.parse(spn.write(spn.from_path(together))))
    assert found.shows_unique
    assert found.end.live == together.end.live
    # A unique rectangle: the step holds only if there is one solution, and the replay says so.
    board = Board.from_candidates(
        model("classic-4"), {"r1c1": [1, 2], "r1c3": [1, 2], "r2c1": [1, 2], "r2c3": [1, 2, 3]}, givens={"r4c4": 3}
    )
    step = find_all("unique rectangle 1", board)[0]
    path = Path(board, (step,), "stuck", board.without(step.removed))
    found = there_and_back(path)
    assert found.assumes_unique
    assert "assumes that there is one solution" in found.bill
    assert there_and_back(path, proofs=False).assumes_unique


# -- what a replay claims ----------------------------------------------------------------------------------------------


def header(*moves: str, puzzle: str = EASY, more: str = "") -> spn.SolvePath:
    lines = [f"{number}. {move}" for number, move in enumerate(moves, 1)]
    return spn.parse(f'[Variant "Classic"]\n[Puzzle "{puzzle}"]\n{more}\n' + "\n".join(lines))


def how(*moves: str, **header_of: str) -> list[str]:
    return [checked.how for checked in spn.replay(header(*moves, **header_of)).moves]


def test_moves_without_a_proof_are_told_apart() -> None:
    assert how("HiddenSingle R1C6=8") == ["found"]
    assert how("hiddensingle r1c6=8") == ["found"]
    assert how("NakedPair R1C6=8") == ["refuted"]  # right, but by no naked pair
    assert how("Insight R1C6=8") == ["refuted"]
    assert how("Insight R1C6<>2") == ["refuted"]
    # Nothing is known of an empty grid: it may be so.
    assert how("Insight R1C1=1", puzzle="." * 81) == ["consistent"]
    found = spn.replay(header("Insight R1C1=1", "Insight R1C2=2", puzzle="." * 81))
    assert (found.verified, found.refused) == (False, False)
    assert "not verified from move 1 on" in found.bill
    # A second value in the row is no candidate any more; a candidate that is the last of its cell cannot go.
    assert how("Insight R1C1=1", "Insight R1C2=1", puzzle="." * 81) == ["consistent", "refused"]
    assert how("Insight R5C5<>5") == ["refused"]
    assert how("Insight R1C6=7") == ["refused"]
    assert how("Insight R10C6=7") == ["refused"]
    assert how("Insight R1C6=10") == ["refused"]
    assert how("DeadEnd #") == ["refused"]
    assert how("DeadEnd #", puzzle="11" + "." * 79) == ["found"]
    assert how("DeadEnd #", "Insight R3C3=3", puzzle="11" + "." * 79) == ["found", "refused"]


def test_the_solution_is_no_reason_but_it_may_be_an_objection() -> None:
    solved = "1" + "." * 80
    assert how("Insight R1C1=1", puzzle="." * 81, more=f'[Solution "{solved}"]') == ["consistent"]
    assert how("Insight R1C1=2", puzzle="." * 81, more=f'[Solution "{solved}"]') == ["refused"]


def test_the_header_is_held_against_the_moves() -> None:
    path = spn.from_path(path_of(0))
    tags = dict(path.tags)
    wrong = tags["Solution"][1] + tags["Solution"][0] + tags["Solution"][2:]
    for tag, value in (("Result", "stuck"), ("Result", "contradiction"), ("Solution", wrong)):
        found = spn.replay(replace(path, tags=tuple((tags | {tag: value}).items())))
        assert found.refused, tag
        assert not found.verified
        assert found.bill.startswith("refused: ")
    assert spn.replay(replace(path, moves=path.moves[:-1])).wrong == "the header says solved, the moves end stuck"
    assert spn.replay(replace(path, moves=())).refused
    with pytest.raises(ModelError, match="the tag Solution has 3 cells"):
        spn.replay(replace(path, tags=tuple((tags | {"Solution": "123"}).items())))


@lru_cache
def texts() -> tuple[tuple[str, int], ...]:
    """Paths of several families as text, with the solution as a board."""
    return tuple(
        (spn.write(spn.from_path(path_of(at))), solution_of(list(own_puzzles())[at])) for at in (0, 1, 3, 4, 6)
    )


@pytest.mark.parametrize("seed", range(150))
def test_tampered_proofs_are_refused(seed: int) -> None:
    """One move is changed: without the part of its proof, or for another value. What still holds is still true."""
    random = Random(seed)
    text, solution = random.choice(texts())
    path = spn.parse(text)
    at = random.randrange(len(path.moves))
    move = path.moves[at]
    kind = random.randrange(4)
    if kind == 0:  # a truth less
        part = move.proof[0]
        if not part.truths:
            part = replace(part, items=part.items[:-1])
        move = replace(move, proof=(replace(part, truths=part.truths[1:]), *move.proof[1:]))
    elif kind == 1:  # another value
        values = spn.model_of(path).symbols
        names = [replace(one, value=random.choice(values)) for one in move.places or move.removes]
        move = replace(move, places=tuple(names)) if move.places else replace(move, removes=tuple(names))
    elif kind == 2:  # another cell
        cells = [name.upper() for name in spn.model_of(path).names]
        names = [replace(one, cell=random.choice(cells)) for one in move.places or move.removes]
        move = replace(move, places=tuple(names)) if move.places else replace(move, removes=tuple(names))
    else:  # the proof of another move
        move = replace(move, proof=random.choice(path.moves).proof)
    tampered = replace(path, moves=(*path.moves[:at], move, *path.moves[at + 1 :]))
    found = spn.replay(spn.parse(spn.write(tampered)))
    if found.verified:
        assert found.end.live & solution == solution
        assert found.counts == {"proved": len(path.moves)}
    if kind == 0 and not found.verified:
        assert found.moves[-1].how == "refused"
        assert found.moves[-1].number == at + 1
        assert f"at move {at + 1} (line " in found.bill


def test_most_tampering_is_seen() -> None:
    """A cover without one of its truths proves nothing more, unless it had more than it needs."""
    path = spn.parse(texts()[1][0])
    seen = 0
    for at, move in enumerate(path.moves):
        if move.removes and move.proof[0].kind == "cover":
            changed = replace(move, proof=(replace(move.proof[0], truths=()), *move.proof[1:]))
            seen += spn.replay(replace(path, moves=(*path.moves[:at], changed, *path.moves[at + 1 :]))).refused
    assert seen == sum(1 for move in path.moves if move.removes and move.proof[0].kind == "cover")


def test_a_candidate_named_twice_proves_no_other() -> None:
    # Added up as bits, two times 6 in a cell would be 7 in it.
    for proof in ("6@column1 / 6@region4 => R6C2<>6,6", "6@column1 / 6@region4 => R6C2<>6 R6C2<>6"):
        path = spn.from_path(path_of(3))
        told = f"1. HiddenSingle R3C3=5\n2. LockedCandidates R6C2<>7 (cover {proof})"
        lines = spn.write(replace(path, moves=()))
        assert spn.replay(spn.parse(lines.replace('"solved"', '"?"') + told)).moves[-1].how == "refused"


@pytest.mark.parametrize("proofs", [True, False])
def test_a_replay_loads_no_solver(proofs: bool, tmp_path: File) -> None:
    file = tmp_path / "path.spn"
    file.write_text(spn.write(spn.from_path(path_of(3), proofs=proofs)), encoding="utf-8")
    # Techniques that are searched for again read the patterns of units, which the search module holds.
    names = ("backends", "solve", "verify", *(["search"] if proofs else []))
    code = (
        "import sys\nfrom nonant.formats import spn\n"
        f"assert not spn.replay(spn.parse(open({str(file)!r}).read())).refused\n"
        f"print([name for name in {names!r} if 'nonant.csp.' + name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


# -- text --------------------------------------------------------------------------------------------------------------


def test_the_reader_takes_what_people_write() -> None:
    path = spn.parse(
        f"""\ufeff; a file of mine\r
[Puzzle "{EASY}"]\r
[Event "a \\"quoted\\" tag"]\r
1.HiddenSingle r1c6 = 8!? {{first   of\r\n all}} $7 2. Insight R1C3<>2 ; the rest of the line\r
"""
    )
    assert path.tag("Event") == 'a "quoted" tag'
    assert path.comments == ("a file of mine",)
    assert [move.nags for move in path.moves] == [(5, 7), ()]
    assert path.moves[0].comments == ("first of all",)
    assert path.moves[1].comments == ("the rest of the line",)
    assert [move.line for move in path.moves] == [4, 5]
    assert spn.annotation(path.moves[0]) == "!? $7 first of all"
    assert spn.write(path).isprintable() is False  # line ends, and nothing else
    assert all(line.isprintable() for line in spn.write(path).split("\n"))
    assert spn.parse(spn.write(path)) == path


def test_several_paths_in_a_text() -> None:
    some = [spn.from_path(path_of(at)) for at in (4, 6)] + [spn.import_81(EASY), spn.import_81(EASY)]
    text = "\n".join(map(spn.write, some))
    assert list(spn.parse_all(text)) == some
    with pytest.raises(ParseError, match="several paths"):
        spn.parse(text)


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("", 1, "no solve path"),
        ("hello", 1, "expected move 1"),
        ('[Puzzle "1"]\n[Puzzle "2"]', 2, "twice"),
        ('[SPN "2.0"]\n', 2, "version"),
        ('[Puzzle "1]\n', 1, 'no "'),
        ("[Puzzle 1]", 1, "in quotes"),
        ("1. A R1C1=1\n3. A R1C1=1", 2, "the next move is number 2"),
        ("1. A R1C1=1 {\n\n", 1, "no }"),
        ("1. A R1C1\n", 2, "= or <>"),
        ("1. A\n", 2, "a move places"),
        ("1. A R1C1=1\n (cove 1@row1)", 2, "a proof begins"),
        ("1. A R1C1=1\n (cover R1C1)", 2, "expected /"),
        ("1. A R1C1=1\n (cover R1C1 / 7@)", 2, "expected a unit"),
        ("1. A R1C1=1 (cover / )\n(cover / )", 2, "one proof"),
        ("1. A R1C1=1 $300", 1, "$0 to $255"),
        ("1. A R1C1=1\n(refute R1C1=1:" + " [R1C1=1:" * 50, 2, "nested"),
        ("1. A R1C1=1 ~", 1, "no meaning"),
        ('[A "\\u{110000}"]', 1, "no character"),
        ("1. A R1C1=1 #", 1, "expected move 2"),
    ],
)
def test_errors_name_the_line(text: str, line: int, part: str) -> None:
    with pytest.raises(ParseError) as caught:
        spn.parse(text)
    assert caught.value.line == line
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_cannot_be_written_cannot_be_made() -> None:
    place = (CandidateName("R1C1", "1"),)
    for technique in ("", "two words", "x[", "1.5"):
        with pytest.raises(ModelError):
            spn.Move(technique, place)
    with pytest.raises(ModelError):
        spn.Move("A")
    with pytest.raises(ModelError):
        spn.Move("A", place, contradiction=True)
    with pytest.raises(ModelError):
        spn.Move("A", place, nags=(256,))
    for tags in ((("A", "1"), ("A", "2")), (("SPN", "1"),), (("a b", "1"),)):
        with pytest.raises(ModelError):
            spn.SolvePath(tags)


@pytest.mark.parametrize(
    ("tags", "part"),
    [
        ('[Variant "Chess"]', "is unknown"),
        ('[Variant "Jigsaw"]', "needs the tag RegionMap"),
        ('[Variant "Custom"] [Model "k"]', "not in the file"),
        ('[Variant "Classic"] [Size "1000"]', "up to 64"),
        ('[Variant "Classic"] [Size "64"]', "too large"),
        ('[Variant "Classic"] [Size "9"] [Box "2x2"]', "boxes of 2x2"),
        ('[Variant "Classic"] [Size "16"]', "the tag Puzzle has 81 cells"),
        ('[RegionMap "123"]', "region map"),
        ('[Marks "R1C10=1"]', "the tag Marks"),
        ('[Marks "R1C1"]', "the tag Marks"),
        ('[Filled "1"]', "the tag Filled has 1 cells"),
        (f'[Filled "{"5" * 81}"]', "no candidate there"),
        ('[Candidates "R1C1=4,5"]', "is filled in"),
    ],
)
def test_headers_that_say_no_rules_are_one_line(tags: str, part: str) -> None:
    with pytest.raises(ModelError) as caught:
        spn.replay(spn.parse(f'[Puzzle "{EASY}"] {tags}'))
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_page_shows_a_path_that_is_proved() -> None:
    page = (ROOT / "docs" / "spn.md").read_text(encoding="utf-8")
    shown = re.findall(r"```spn\n(.*?)```", page, re.DOTALL)
    assert shown
    for text in shown:
        assert spn.write(spn.parse(text)) == text
        assert spn.replay(spn.parse(text)).shows_unique
    # The grammar defines all that it names.
    grammar = re.search(r"```ebnf\n(.*?)```", page, re.DOTALL)
    assert grammar is not None
    rules = re.sub(r"\?[^?\n]*\?|\"[^\"\n]*\"|'[^'\n]*'", " ", grammar[1])
    defined = {rule.strip() for rule in re.findall(r"^([a-z ]+?)\s*=", rules, re.MULTILINE)}
    used = {name.strip() for name in re.findall(r"[a-z][a-z ]*", rules)}
    assert used <= defined | {""}, used - defined


# -- the other functions -----------------------------------------------------------------------------------------------


def test_import_81() -> None:
    path = spn.import_81(EASY)
    assert path.puzzle == EASY.replace("0", ".")
    assert path.moves == ()
    assert dict(path.tags) == {"Variant": "Classic", "Size": "9", "Puzzle": EASY.replace("0", ".")}
    assert spn.import_81(EASY, "x").tag("Variant") == "X"
    with pytest.raises(ParseError):
        spn.import_81("12")


def test_annotations() -> None:
    path = spn.from_path(path_of(4))
    told = spn.annotated(spn.annotated(path, 1, "it } opens\n{up", 1), 1, "", 200)
    assert told.moves[0].nags == (1, 200)
    assert spn.annotation(told.moves[0]) == "! $200 it } opens {up"
    assert spn.parse(spn.write(told)) == told
    assert spn.replay(told).verified
    for number in (0, len(path.moves) + 1):
        with pytest.raises(ModelError):
            spn.annotated(path, number, "no such move")


def test_hints_follow_the_path() -> None:
    ladder = path_of(3)
    path = spn.from_path(ladder)
    assert spn.hint(path) == path.moves[0]
    board = ladder.board
    for step, move in zip(ladder.steps, path.moves, strict=True):
        given_now = spn.hint(path, board)
        assert given_now is not None
        assert given_now.notation == move.notation
        board = board.without(step.removed, sum(1 << place for place in step.places))
    assert spn.hint(path, board) is None
    assert spn.hint(path, board.line, placements=True) is None


def test_hints_on_a_line() -> None:
    path = spn.from_path(explain(CLASSIC.puzzle(EASY)))
    filled = EASY
    for _ in range(51):
        move = spn.hint(path, filled, placements=True)
        assert move is not None
        at = CLASSIC.index(move.places[0].cell.lower())
        filled = filled[:at] + move.places[0].value + filled[at + 1 :]
    assert filled == path.solution
    assert spn.hint(path, filled) is None
    with pytest.raises(ModelError, match="R1C6"):
        spn.hint(path, EASY[:5] + "4" + EASY[6:])
    with pytest.raises(ModelError, match="the board is one of"):
        spn.hint(path, Board.from_puzzle(model("classic-4").puzzle()))
    dead = spn.from_path(explain(CLASSIC.puzzle("11" + "." * 79)))
    assert spn.hint(dead) == dead.moves[0]
    # A move with a false proof is passed over, and so is what rests on it alone.
    false = replace(path.moves[0], proof=path.moves[1].proof)
    assert spn.hint(replace(path, moves=(false, *path.moves[1:]))) == path.moves[1]


def test_a_placement_takes_its_exclusions_with_it() -> None:
    path = spn.from_path(explain(CLASSIC.puzzle(EASY)))
    found = spn.replay(path)
    first = path.moves[0]
    assert first.removes == ()
    place = CLASSIC.index(first.places[0].cell.lower()) * 9 + int(first.places[0].value) - 1
    peers = Board.from_puzzle(CLASSIC.puzzle(EASY)).sets.peers[place]
    assert not found.end.live & peers
    assert found.end.live.bit_count() == len(list(bits(found.end.placed))) == 81
