"""The commands explain, hint, rivals and techniques, and the functions behind them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nonant import Board, explain, hint, read, rivals
from nonant.cli import main
from nonant.csp.proofs.as_json import read_proof
from nonant.csp.proofs.check import check
from nonant.models import model
from nonant.strategies import TECHNIQUES
from nonant.strategies.techniques_page import techniques_page
from tests.support.files import ROOT

CLASSIC = model("classic-9")
EASY = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
FAN = "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(stopped.value.code or 0), out, err


def test_explain_json_is_what_scripts_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "explain", EASY, "--json")
    record: dict[str, Any] = json.loads(out)
    assert code == 0
    first = ["result", "grid", "steps", "techniques", "assumes_unique", "depth", "checked"]
    assert list(record) == [*first, "longest", "inner", "bill"]
    assert (record["result"], record["grid"]) == ("solved", SOLVED)
    assert record["assumes_unique"] is False
    assert record["checked"] is True
    assert sum(record["techniques"].values()) == len(record["steps"])
    for step in record["steps"]:
        assert {"technique", "places", "removes", "reason", "proof"} <= set(step)
        assert step["proof"]["kind"] == "cover"


def test_the_json_of_a_path_can_be_checked_by_its_reader(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "explain", FAN, "--json")
    board = Board.from_puzzle(CLASSIC.puzzle(FAN))
    for step in json.loads(out)["steps"]:
        gone = check(CLASSIC, board.live, read_proof(CLASSIC, step["proof"]))
        board = board.without(gone)
    assert board.live.bit_count() == 81


def test_explain_tells_the_verdicts_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "explain", EASY)[:2] == (
        0,
        f"solved {SOLVED}\nsolved by patterns; hardest: hidden single; 51 steps\n",
    )
    code, out, _ = run(capsys, "explain", FAN, "--max", "2")
    assert code == 5
    assert "stuck: no technique of this ladder applies" in out
    code, out, _ = run(capsys, "explain", "." * 81)
    assert code == 3
    assert "more than one solution" in out
    code, out, _ = run(capsys, "explain", "11" + "." * 79)
    assert code == 4
    assert "no solution" in out


def test_explain_tells_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "explain", EASY, "--steps", "--only", "naked single")
    lines = out.splitlines()
    assert lines[0].startswith("  1. naked single: r")
    assert "has no other value left than" in lines[0]


def test_uniqueness_is_refused_where_it_would_be_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "explain", "." * 81, "--unique")
    assert code == 2
    assert "exactly one solution" in err
    assert run(capsys, "explain", EASY, "--unique")[0] == 0


def test_an_unknown_technique_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "explain", EASY, "--only", "xwing")
    assert code == 2
    assert len(err.splitlines()) == 1


def test_hint_has_three_degrees(capsys: pytest.CaptureFixture[str]) -> None:
    whole = run(capsys, "hint", EASY)[1]
    assert whole == "hidden single: in column 6 and box 2 the only place left for 8 is r1c6\n"
    assert run(capsys, "hint", EASY, "--degree", "1")[1] == "look at column 6 and box 2\n"
    assert "there is a hidden single" in run(capsys, "hint", EASY, "--degree", "2")[1]
    record = json.loads(run(capsys, "hint", EASY, "--json")[1])
    assert record["status"] == "step"
    assert record["step"]["places"] == ["r1c6=8"]


def test_hint_sees_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = "531" + EASY[3:]
    code, out, _ = run(capsys, "hint", EASY, "--board", wrong)
    assert (code, out) == (4, "r1c3 is wrong\n")
    assert hint(CLASSIC.puzzle(EASY), SOLVED).status == "solved"
    over = hint(CLASSIC.puzzle(EASY), "6" + EASY[1:])
    assert over.status == "wrong"
    assert over.wrong == ("r1c1",)
    assert hint(CLASSIC.puzzle("11" + "." * 79)).status == "contradiction"
    assert hint(CLASSIC.puzzle("." * 81)).status == "stuck"


def test_hint_goes_on_from_a_board_and_its_marks() -> None:
    puzzle = CLASSIC.puzzle(EASY)
    filled = EASY[:5] + "8" + EASY[6:]
    found = hint(puzzle, filled)
    assert found.status == "step"
    assert found.step is not None
    assert CLASSIC.index("r1c6") * 9 + 7 not in found.step.places
    # Only the player's own cells may be told too.
    assert hint(puzzle, {"r1c6": 8}).step == found.step
    # Marks that miss the cell's value (r1c3 is 4) are told, and left aside.
    spoiled = hint(puzzle, filled, {"r1c3": [1, 2]})
    assert spoiled.bad_marks == ("r1c3",)
    assert spoiled.status == "step"
    # Right marks are believed: r1c3 is a naked single by them.
    sharp = hint(puzzle, filled, {"r1c3": [4]}, only=["naked single"])
    assert sharp.step is not None
    assert CLASSIC.index("r1c3") * 9 + 3 in (sharp.step.places[0], CLASSIC.index("r1c3") * 9 + 3)


def test_rivals_are_the_ranking_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    # On its easy grid cell 2 ranks 1 (7 rivals: 2 in the row, 4 in the column, 1 in the box), then 4 (9), then 2 (12).
    found = rivals(CLASSIC.puzzle(EASY), "r1c3")
    assert [(one.value, one.total) for one in found.rivals] == [(1, 7), (4, 9), (2, 12)]
    assert list(found.rivals[0].units.values()) == [2, 4, 1]
    assert found.confidence == 5
    assert rivals(CLASSIC.puzzle(EASY), "r1c1").rivals == ()
    code, out, _ = run(capsys, "rivals", EASY, "r1c3", "--json")
    record = json.loads(out)
    assert code == 0
    assert record["proves"] is False
    assert record["rivals"][0] == {"value": 1, "total": 7, "units": {"row 1": 2, "column 3": 4, "box 1": 1}}
    assert "not a proof" in run(capsys, "rivals", EASY, "r1c3")[1]
    assert run(capsys, "rivals", EASY, "r0c3")[0] == 2


def test_rivals_of_other_models_count_their_units() -> None:
    crossed = rivals(model("x-9").puzzle("." * 81), "r5c5")
    assert len(crossed.rivals[0].units) == 5
    cube = rivals(model("cube-3").puzzle("." * 27), "x1y1z1")
    assert len(cube.rivals[0].units) == 3


def test_techniques_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "techniques")[1].splitlines()
    assert len(lines) == len(TECHNIQUES)
    records = [json.loads(line) for line in run(capsys, "techniques", "--json")[1].splitlines()]
    assert [record["name"] for record in records] == [known.name for known in TECHNIQUES]
    assert run(capsys, "techniques", "pointing")[1].startswith(" 2 locked candidates")
    assert run(capsys, "techniques", "nonsense")[0] == 2


def test_the_guide_is_written_from_the_table() -> None:
    page = ROOT / "docs" / "techniques.md"
    mend = "write nonant.strategies.techniques_page.techniques_page() into docs/techniques.md"
    assert page.read_text(encoding="utf-8") == techniques_page(), mend


def test_the_door_explains_what_it_reads() -> None:
    assert explain(read(EASY)).result == "solved"
