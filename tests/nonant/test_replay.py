"""`nonant replay`, and the option --spn of `nonant explain`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from nonant.cli import main
from nonant.formats import spn

EASY = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
SIX = "92..8.65.6..2.43..3..5.9.72.7.953.......7.......6..5....142..3.....31..6.6.7..1.."
KILLER = """
from nonant import Model
from nonant.csp.units import boxes, cages, columns, rows
rules = [rows, columns, boxes(2, 2), cages([(3, ["r1c1", "r1c2"]), (7, ["r2c1", "r2c2"]), (5, ["r1c3", "r2c3"])])]
killer = Model("killer", shape=(4, 4), values=range(1, 5), constraints=rules)
"""


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(stopped.value.code or 0), out, err


def test_a_written_path_is_verified(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "easy.spn"
    code, told, _ = run(capsys, "explain", EASY, "--spn", str(out))
    assert code == 0
    assert told.startswith("solved ")
    text = out.read_text(encoding="utf-8")
    assert spn.write(spn.parse(text)) == text
    assert "{" not in text
    code, told, _ = run(capsys, "replay", str(out))
    assert code == 0
    assert told.startswith("solved; moves: 51 proved; shows: classic-9 53..7....6..195....98....6.8...6...34..8.3..17")
    assert " has exactly this solution: 534678912672195348" in told
    code, told, _ = run(capsys, "replay", str(out), "--steps")
    assert told.splitlines()[0] == "  1. proved     HiddenSingle R1C6=8"
    assert len(told.splitlines()) == 52
    record = json.loads(run(capsys, "replay", str(out), "--json")[1])
    assert list(record) == [
        *("verified", "refused", "result", "grid", "model", "begun", "counts"),
        *("assumes_unique", "shows_unique", "shows", "puzzle", "marks", "position", "wrong", "moves"),
    ]
    assert record["moves"][0] == {
        "number": 1,
        "line": 9,
        "move": "HiddenSingle R1C6=8",
        "how": "proved",
        "reason": "",
    }


def test_steps_bring_the_reasons_along(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "easy.spn"
    run(capsys, "explain", EASY, "--steps", "--spn", str(out))
    assert "{in column 6 and box 2 the only place left for 8 is r1c6}" in out.read_text(encoding="utf-8")
    assert run(capsys, "replay", str(out))[0] == 0


def test_a_list_of_puzzles_is_a_list_of_paths(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzles, out = tmp_path / "some.txt", tmp_path / "some.spn"
    puzzles.write_text(f"{EASY}\n{SIX}\n{EASY}\n")
    code = run(capsys, "explain", str(puzzles), "--max", "1", "--spn", str(out))[0]
    assert code == 3
    code, told, _ = run(capsys, "replay", str(out))
    assert code == 0  # every move is right, whatever the puzzle
    assert [line.split(";")[0] for line in told.splitlines()] == ["solved", "stuck", "solved"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(out.read_bytes())))
    assert run(capsys, "replay", "-")[1] == told
    assert run(capsys, "explain", EASY, "--spn", "-")[1].count("[SPN ") == 1


def test_exit_codes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "path.spn"

    def replayed(text: str, *more: str) -> tuple[int, str, str]:
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
        return run(capsys, "replay", str(file), *more)

    head = f'[Puzzle "{EASY}"]\n\n'
    assert replayed(head + "1. HiddenSingle R1C6=8")[0] == 0
    code, out, _ = replayed(head + "1. HiddenSingle R1C6=7")
    assert code == 1
    assert out.startswith("refused at move 1 (line 3): R1C6=7 is no candidate any more")
    empty = '[Puzzle "' + "." * 81 + '"]\n1. Insight R1C1=1\n'
    code, out, _ = replayed(empty)
    assert code == 5
    assert "not verified from move 1 on" in out
    assert replayed(head + "1. HiddenSingle R1C6=8\n" + head + "1. A R1C6=7\n" + empty)[0] == 1
    for text in ("", "{nothing}", "nonsense", head + "1. A", '[Variant "Chess"]', "\udcff\n", '[Puzzle "1"]'):
        code, _, err = replayed(text)
        assert code == 2, text
        assert len(err.splitlines()) == 1
        assert err.startswith("nonant: ")
    # One path without rules does not keep the others from their answer.
    code, out, err = replayed(f'[Variant "Chess"] [Puzzle "{EASY}"]\n1. A R1C1=1\n' + head + "1. HiddenSingle R1C6=8")
    assert (code, len(out.splitlines())) == (2, 1)
    assert "path 1, line 1: " in err
    told = [json.loads(line) for line in run(capsys, "replay", str(file), "--json")[1].splitlines()]
    assert [one.get("line", one.get("verified")) for one in told] == [1, True]
    assert run(capsys, "replay", str(tmp_path / "none"))[0] == 2
    assert run(capsys, "replay", str(tmp_path))[0] == 2


def test_a_model_of_ones_own_is_given(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rules, out = tmp_path / "rules.py", tmp_path / "killer.spn"
    rules.write_text(KILLER)
    name = f"{rules}:killer"
    run(capsys, "explain", "." * 16, "--model", name, "--max", "3", "--spn", str(out))
    assert '[Variant "Custom"]\n[Model "killer"]' in out.read_text(encoding="utf-8")
    code, told, _ = run(capsys, "replay", str(out), "--model", name)
    assert code == 0
    assert " proved" in told
    code, _, err = run(capsys, "replay", str(out))
    assert code == 2
    assert "give the model (--model FILE.py:NAME)" in err


def test_a_path_that_cannot_be_written_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(capsys, "explain", EASY, "--spn", str(tmp_path / "no" / "where"))
    assert code == 2
    assert "cannot write" in err
