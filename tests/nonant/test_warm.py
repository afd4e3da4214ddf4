"""`nonant warm`: what it compiles is kept, and it says what it did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nonant.cli import main
from nonant.commands.warm import PARTS
from nonant.csp.machine import object_store


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    with pytest.raises(SystemExit) as done:
        main(["warm", *arguments])
    return int(done.value.code or 0), capsys.readouterr().out


@pytest.mark.parametrize("part", ["batches", "grid"])
def test_parts(part: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run([part, "--json"], capsys)
    record = json.loads(out)
    assert (code, record["part"], record["what"]) == (0, part, PARTS[part][0])
    assert record["seconds"] >= 0


def test_the_folder_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert str(object_store.folder()) in run(["batches"], capsys)[1]
    monkeypatch.setenv(object_store.VARIABLE, object_store.OFF)
    assert "nothing is kept" in run(["batches"], capsys)[1]


def test_an_unknown_part() -> None:
    with pytest.raises(SystemExit) as done:
        main(["warm", "everything"])
    assert done.value.code == 2


@pytest.mark.long
@pytest.mark.timeout(900)
def test_everything(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    code, out = run([], capsys)
    assert code == 0
    assert all(name in out for name in PARTS)
