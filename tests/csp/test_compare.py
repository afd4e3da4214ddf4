"""Comparing backends: rows, streams, limits, wrong backends found out, the command and its forms."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from nonant import Disagreement, Model, ModelError, compare, read
from nonant.csp.backends.base import Backend, Capabilities, Limits, Progress, Session
from nonant.csp.backends.native import Native
from nonant.csp.backends.sat import Sat
from nonant.csp.comparison import Outcome, Tally, duration
from nonant.csp.errors import BackendUnavailable, Unsupported
from nonant.csp.model import Puzzle
from nonant.csp.units import rows
from tests.support.files import ROOT, shared_file

UNIQUE = "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"
SOLVED = "468931527751624839392578461134756298289413675675289314846192753513867942927345186"
SIX = "92..8.65.6..2.43..3..5.9.72.7.953.......7.......6..5....142..3.....31..6.6.7..1.."
CLASH = "11" + "." * 79
THREE = ["native", "sat", "cpsat"]


@dataclass(frozen=True)
class Fake:
    """A backend that changes what the native engine answers: `change` gets the list of its solutions."""

    name: str
    change: str
    capabilities: Capabilities = Capabilities()  # noqa: RUF009 (a frozen record)

    def why_not(self, model: Model) -> str | None:
        return None

    def session(self, puzzle: Puzzle) -> Session:
        if self.change == "missing":
            raise BackendUnavailable("it needs pip install nothing")
        if self.change == "late refusal" and puzzle.model.n_cells > 2:
            raise Unsupported(self.name, "it overflows")
        return FakeSession(puzzle, self.change)


class FakeSession:
    def __init__(self, puzzle: Puzzle, change: str) -> None:
        self.puzzle, self.change, self.build_s = puzzle, change, 0.5

    def run(self, progress: Progress, limits: Limits, only: Sequence[int] | None = None) -> Iterator[tuple[int, ...]]:
        found = list(Native().session(self.puzzle).run(progress, limits, only))
        if self.puzzle.model.n_cells > 2:
            if self.change == "none":
                found = []
            elif self.change == "one":
                found = found[:1]
            elif self.change == "shifted":
                found = [tuple((place + 1) % 9 for place in places) for places in found]  # right but for the givens
            elif self.change == "broken":
                found = [(*places[:-1], (places[-1] + 1) % 9) for places in found]
            elif self.change == "twice":
                found = found[:1] * 2
            elif self.change == "interrupt":
                raise KeyboardInterrupt
        progress.exhausted = False
        yield from found
        progress.exhausted = self.change != "cut short"

    def count(self, progress: Progress, limits: Limits, most: int | None = None) -> int:
        raise NotImplementedError


# -- rows --------------------------------------------------------------------------------------------------------------


def test_one_puzzle() -> None:
    found = compare(read(UNIQUE), THREE)
    assert (found.puzzles, found.agree) == (1, True)
    assert [row.backend for row in found.rows] == THREE
    for row in found.rows:
        assert (row.status, row.solutions, row.reason) == ("unique", 1, "")
        assert row.times == (row.build_s + row.solve_s,)
        assert row.build_s > 0
        assert row.solve_s > 0
    assert found["native"].nodes > 0
    assert found.compile_s >= 0
    with pytest.raises(KeyError):
        found["abacus"]


@pytest.mark.parametrize(
    ("puzzle", "limit", "status", "number"),
    [
        (SIX, 2, "multiple", 2),
        (SIX, 6, "multiple", 6),
        (SIX, None, "multiple", 6),
        (SIX, 1, "solved", 1),
        (UNIQUE, 1, "solved", 1),
        (CLASH, 1, "none", 0),
        (CLASH, 2, "none", 0),
    ],
)
def test_status(puzzle: str, limit: int | None, status: str, number: int) -> None:
    for row in compare(read(puzzle), limit=limit).rows:
        if row.status not in ("unsupported", "unavailable"):
            assert (row.status, row.solutions) == (status, number)


def test_a_stream_is_read_one_by_one_and_its_solutions_are_let_go() -> None:
    tally, ahead = Tally(), list[int]()

    def stream() -> Iterator[Puzzle]:
        for line in [UNIQUE, SIX, CLASH] * 10:
            ahead.append(len(ahead) - tally.puzzles)
            yield read(line)

    found = compare(stream(), THREE, progress=tally)
    assert ahead == [0] * 30
    assert (found.puzzles, tally.puzzles) == (30, 30)
    for row in found.rows:
        assert row.status == "mixed"
        assert row.outcomes == {Outcome.UNIQUE: 10, Outcome.MULTIPLE: 10, Outcome.NONE: 10}
        assert row.solutions == 30
        assert len(row.times) == 30


def test_a_model_and_an_empty_list() -> None:
    pair = Model("pair", shape=(1, 2), values=(1, 2), constraints=[rows])
    assert compare(pair, THREE)["sat"].solutions == 2
    empty = compare([], THREE)
    assert (empty.puzzles, empty.agree, empty.rows) == (0, True, ())
    assert "0 puzzles" in str(empty)


def test_a_time_limit_is_an_outcome() -> None:
    found = compare(read("." * 625), ["native", "cpsat"], time_limit=0)
    for row in found.rows:
        assert row.status == "unknown"
        assert row.times == ()
    assert "unknown" in str(found)


def test_backends_that_take_no_part_have_a_reason() -> None:
    absent = compare(read(UNIQUE), ["native", Fake("absent", "missing")])
    assert [row.status for row in absent.rows] == ["unique", "unavailable"]
    assert "pip install nothing" in absent["absent"].reason
    late = compare(read(UNIQUE), [Fake("later", "late refusal"), "native"])
    assert late["later"].reason == "it overflows"
    assert "later: it overflows" in str(late)
    silent = Fake("silent", "", Capabilities(enumerate=False))
    assert "does not enumerate" in compare(read(UNIQUE), [silent])["silent"].reason
    narrow = Fake("narrow", "", Capabilities(constraints=frozenset({"Parity"})))
    assert compare(read(UNIQUE), [narrow])["narrow"].reason == "it does not take Unit constraints"


def test_two_of_one_name() -> None:
    found = compare(read(UNIQUE), [Sat(), Sat(solver="glucose4"), "sat"])
    assert [row.backend for row in found.rows] == ["sat", "sat (2)", "sat (3)"]


def test_misuse() -> None:
    puzzle = read(UNIQUE)
    with pytest.raises(BackendUnavailable, match="abacus"):
        compare(puzzle, ["native", "abacus"])
    with pytest.raises(ModelError):
        compare(puzzle, [])
    with pytest.raises(ModelError):
        compare(puzzle, "sat")
    with pytest.raises(ModelError):
        compare(puzzle, limit=0)
    with pytest.raises(ModelError):
        compare(puzzle, time_limit=-1.0)
    with pytest.raises(ModelError):
        compare([UNIQUE])


# -- wrong backends ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "line", "reason"),
    [
        ("none", UNIQUE, f"fake missed {SOLVED}, which native found"),
        ("none", SIX, "fake missed "),
        ("one", SIX, "fake missed "),
        ("broken", UNIQUE, f"fake found {SOLVED[:-1]}7, which breaks Unit 'row 9'"),
        ("shifted", UNIQUE, "but the puzzle does not allow that value in r1c1"),
        ("twice", UNIQUE, "fake found a solution twice"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_wrong_answer_is_found_out(change: str, line: str, reason: str, first: bool) -> None:
    fake: Backend = Fake("fake", change)
    tally = Tally()
    with pytest.raises(Disagreement) as caught:
        compare([read(line), read(UNIQUE)], [fake, "native"] if first else ["native", fake], limit=7, progress=tally)
    error = caught.value
    assert reason in error.reason
    assert (error.model, error.puzzle) == ("classic-9", line)
    assert set(error.answers) == {"fake", "native"}
    assert error.answers["native"].split()[0] == ("unique" if line == UNIQUE else "multiple")
    for part in (error.reason, error.model, line, "fake says ", "native says "):
        assert part in str(error)
    assert "\n" not in str(error)
    found = tally.comparison()
    assert (found.puzzles, found.agree) == (1, False)
    assert "DISAGREE" in str(found)


def test_an_answer_that_was_cut_short_claims_nothing() -> None:
    found = compare(read(UNIQUE), ["native", Fake("late", "cut short")])
    assert [row.status for row in found.rows] == ["unique", "unknown"]
    assert found.agree


def test_pencil_marks_are_rules_too() -> None:
    puzzle = read(UNIQUE).model.puzzle(UNIQUE, {"r1c2": (6, 7)})
    with pytest.raises(Disagreement, match="with pencil marks: "):
        compare(puzzle, ["native", Fake("fake", "shifted")])


def test_what_was_done_before_an_interrupt_is_kept() -> None:
    tally = Tally()

    def stream() -> Iterator[Puzzle]:
        yield read(UNIQUE)
        yield read(SIX)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(stream(), ["native", "sat"], progress=tally)
    assert tally.comparison().puzzles == 2
    assert [sum(row.outcomes.values()) for row in tally.comparison().rows] == [2, 2]
    # A puzzle that not all have answered does not count.
    tally = Tally()
    with pytest.raises(KeyboardInterrupt):
        compare(read(UNIQUE), ["native", Fake("fake", "interrupt")], progress=tally)
    assert (tally.comparison().puzzles, tally.comparison().rows) == (0, ())


# -- the command -------------------------------------------------------------------------------------------------------


def nonant(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "nonant", *arguments], input=stdin, capture_output=True, text=True, timeout=60, cwd=ROOT
    )


def test_json() -> None:
    done = nonant("compare", UNIQUE, "--json", "--backends", "native,sat,cpsat")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert list(found) == ["puzzles", "agree", "rows"]
    assert (found["puzzles"], found["agree"]) == (1, True)
    assert [row["backend"] for row in found["rows"]] == THREE
    for row in found["rows"]:
        assert list(row) == ["backend", "status", "solutions", "build_s", "solve_s", "nodes"]
        assert (row["status"], row["solutions"]) == ("unique", 1)
        assert isinstance(row["nodes"], int)
        assert row["build_s"] > 0


def test_lines_markdown_and_csv(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text(f"{UNIQUE}\n{SIX}\n{CLASH}\n")
    done = nonant("compare", str(file), "--backends", "native,sat")
    lines = done.stdout.splitlines()
    assert " ".join(lines[0].split()) == "backend status solutions build solve median slowest nodes memory"
    assert [line.split()[0] for line in lines[1:3]] == ["native", "sat"]
    assert "1 unique, 1 multiple, 1 none" in lines[1]
    assert lines[3].startswith("3 puzzles, all answers agree")
    markdown = nonant("compare", str(file), "--backends", "native,sat", "--markdown").stdout.splitlines()
    assert markdown[0].startswith("| backend | status | solutions |")
    assert markdown[1].startswith("| --- | --- | ---: |")
    assert len({line.count("|") for line in markdown[:4]}) == 1
    made = list(csv.DictReader(io.StringIO(nonant("compare", str(file), "--backends", "native,sat", "--csv").stdout)))
    assert [(row["backend"], row["status"], row["unique"], row["none"]) for row in made] == [
        ("native", "mixed", "1", "1"),
        ("sat", "mixed", "1", "1"),
    ]
    assert float(made[0]["solve_s"]) > 0


def test_bad_entries_are_told_and_left_out() -> None:
    done = nonant("compare", "-", "--backends", "native", "--json", stdin=f"{UNIQUE}\nnonsense\n{SIX}\n")
    assert done.returncode == 2
    assert json.loads(done.stdout)["puzzles"] == 2
    assert "line 2" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("",),
        (UNIQUE, "--backends", "abacus"),
        (UNIQUE, "--backends", ","),
        (UNIQUE, "--limit", "0"),
        (UNIQUE, "--time-limit", "-1"),
        (UNIQUE, "--plot", "times.jpg"),
        (UNIQUE, "--plot", "/no/such/folder/times.svg"),
    ],
)
def test_misuse_is_one_line_and_exit_code_2(arguments: tuple[str, ...]) -> None:
    done = nonant("compare", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("nonant: ")
    assert done.stderr.count("\n") == 1


def test_a_disagreement_is_exit_code_1(tmp_path: Path) -> None:
    code = (
        "from nonant.csp.backends import registry\nfrom nonant.cli import main\n"
        "from tests.csp.test_compare import Fake\n"
        "known = registry.get\n"
        "registry.get = lambda name: Fake('sat', 'none') if name == 'sat' else known(name)\n"
        f"main(['compare', {UNIQUE!r}, '--backends', 'native,sat', '--json'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 1
    assert json.loads(done.stdout)["agree"] is False
    assert done.stderr.startswith(f"nonant: sat missed {SOLVED}, which native found; model classic-9, puzzle {UNIQUE}")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT to a child")
def test_ctrl_c_prints_what_is_done() -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "nonant", "compare", str(shared_file("classic/royle17_49158.txt.gz")), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    time.sleep(5)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=20)
    assert child.returncode == 130
    found = json.loads(out)
    assert found["puzzles"] > 0
    assert {row["status"] for row in found["rows"]} <= {"unique", "unsupported", "unavailable"}
    assert "interrupted after" in err
    assert "Traceback" not in err


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="needs matplotlib, the extra `plot`")
@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_plot(tmp_path: Path, ending: str, start: bytes) -> None:
    picture = tmp_path / f"times.{ending}"
    done = nonant("compare", "-", "--backends", "native,sat", "--plot", str(picture), stdin=f"{UNIQUE}\n{SIX}\n" * 5)
    assert (done.returncode, done.stderr) == (0, "")
    assert picture.read_bytes().startswith(start)


def test_a_plot_without_matplotlib_is_refused_before_the_work() -> None:
    code = (
        "import sys\nsys.modules['matplotlib'] = None\n"
        f"from nonant.cli import main\nmain(['compare', {UNIQUE!r}, '--plot', 'times.svg'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "nonant: --plot needs matplotlib: pip install 'nonant[plot]'\n"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0"), (3.21e-6, "3.21 µs"), (0.0123, "12.3 ms"), (1.5, "1.5 s"), (1234.5, "1234 s")]
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text
