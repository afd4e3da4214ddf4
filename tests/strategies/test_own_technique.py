"""A technique of a user's own: a row and a finder from outside, in the ladder, its proofs checked like all others."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module

import pytest

from nonant import ModelError, explain, read
from nonant.csp.masks import bits
from nonant.csp.proofs.records import Cover
from nonant.strategies import TECHNIQUES, Board, Step, Technique, UnprovedStep, find_all, next_step
from nonant.strategies.definition import ANY, PATTERN
from nonant.strategies.table import FILES, each, technique
from tests.support.files import ROOT

HARD = "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"


def pinned(board: Board, technique: Technique) -> Iterator[Step]:
    """Where a cell has one candidate left, what its links exclude."""
    sets, size = board.sets, board.model.n_values
    for cell, values in enumerate(board.cells):
        candidate = cell * size + values.bit_length() - 1
        removes = tuple(bits(sets.peers[candidate] & board.live))
        if values.bit_count() == 1 and not board.placed >> candidate & 1:
            links = sets.links_of(candidate)
            reason = technique.reason.format(pattern=sets.names[cell], removes="the rest")
            yield Step(technique.name, (candidate,), removes, Cover((cell,) * len(links), links, removes), reason)


def wrong(board: Board, technique: Technique) -> Iterator[Step]:
    """Claims what nothing shows."""
    removes = (next(bits(board.open)),)
    yield Step(technique.name, (), removes, Cover((0,), (0,), removes), "because I say so")


MINE = Technique("pinned cell", 1, ANY, pinned, PATTERN)


def test_it_takes_part_in_the_ladder() -> None:
    path = explain(read(HARD), more=[MINE])
    assert path.result == "solved"
    assert path.check()
    easy = explain(
        read("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"),
        more=[MINE],
        without=["naked single", "hidden single", "full house"],
        max_level=1,
    )
    assert easy.techniques == {"pinned cell": len(easy.steps)}
    assert easy.hardest == "pinned cell"
    assert easy.result == "solved"


def test_it_is_found_by_itself() -> None:
    board = Board.from_puzzle(read(HARD))
    assert find_all(MINE, board) == []
    assert technique("Pinned_Cell", [MINE]) is MINE
    assert next_step(board, only=["pinned cell"], more=[MINE]) is None


def test_a_wrong_claim_stops_the_solve() -> None:
    liar = Technique("liar", 1, ANY, wrong, PATTERN)
    with pytest.raises(UnprovedStep, match="a step of liar is not proved"):
        explain(read(HARD), more=[liar], only=["liar"])


def test_a_name_is_taken_once() -> None:
    with pytest.raises(ModelError, match="there is a technique called 'X-Wing' already"):
        explain(read(HARD), more=[Technique("X-Wing", 4, ANY, pinned, PATTERN)])
    with pytest.raises(ModelError, match="already"):
        explain(read(HARD), more=[MINE, MINE])


def test_a_level_of_ones_own() -> None:
    late = Technique("late", 99, ANY, pinned, PATTERN)
    early = Technique("early", 0, ANY, pinned, PATTERN)
    assert [known.name for known in each([late, early])][-2:] == ["early", "late"]


def test_rows_stand_in_their_files_and_the_table_knows_where_each_begins() -> None:
    for file, lowest in FILES:
        rows = import_module(f"nonant.strategies.{file}").TECHNIQUES
        assert min(row.level for row in rows) == lowest, file
    assert [known.level for known in TECHNIQUES] == sorted(known.level for known in TECHNIQUES)
    declared = {path for path in (ROOT / "strategies").rglob("*.py") if "\nTECHNIQUES = " in path.read_text()}
    assert len(declared) == len(FILES)


def test_a_name_stands_in_one_place() -> None:
    """No code of the package asks for a technique by its name."""
    names = {f'"{known.name}"' for known in TECHNIQUES if " " in known.name or "-" in known.name}
    for path in (ROOT / "strategies").rglob("*.py"):
        text = path.read_text()
        body = "" if path.name == "techniques_page.py" else text.split("\nTECHNIQUES = ")[0]  # the page has an example
        assert not [name for name in names if name in body], path


def test_an_easy_puzzle_loads_no_chains() -> None:
    code = (
        "import sys\nfrom nonant import explain, read\n"
        "explain(read('53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79'))\n"
        "print([n for n in sys.modules if n.startswith(('nonant.strategies.chains', 'nonant.strategies.refutations'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
