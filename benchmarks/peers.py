"""This project beside its peers: everything that solves lists of 9x9, interleaved, CPU and wall time, as ratios.

    python benchmarks/peers.py [--venv FOLDER ...] [--external "NAME=COMMAND" ...] [--data FOLDER] [--rounds 3]
                               [--seconds 1] [--lists "17 clues,Top1465"] [--results FILE.md] [--plot FILE.svg]

A peer runs in a process of its own, under the first interpreter that has it: this one, or that of a --venv; one that
is nowhere is left out, and the table says so. An external program is any that reads puzzles as lines from its standard
input (or from a file, named `{file}` in COMMAND); from its times those of a run with a single puzzle are taken off, so
that its start is not counted, and it gets the list several times if its work would be shorter than its start.

Each list is first tried for as many puzzles as take a peer --seconds, spread over the list; every round then runs all
peers one after another on theirs. CPU time is that of all threads of the process, so that no work can hide in a thread
beside; all are asked to use one. A ratio is a peer's CPU time a puzzle over that of the first row, in one round; shown
are the ratio of the best times, and the least and the greatest of a round. Solutions are checked.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from select import select
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 180  # a peer may compile for so long before its first answer
MOST_LINES = 2_000_000  # given to an external program
PATIENCE = 20.0  # seconds for one puzzle; a solver that takes longer is left out of that list
Solver = Callable[[list[str]], Iterable[str | None]]  # lines -> solutions, None where there is no answer


# -- the peers, each in the process that has it ------------------------------------------------------------------------


def nonant_batch() -> Solver:
    """The batch, on one thread."""
    from nonant import verify_many

    def run(lines: list[str]) -> Iterable[str | None]:
        found = verify_many("\n".join(lines).encode(), threads=1, solutions=True)
        assert found.solutions is not None
        # Made when they are looked at, after the clock has stopped.
        rows = zip(found.solutions, found.counts, strict=True)
        return ((row + 48).tobytes().decode() if count == 1 else None for row, count in rows)

    return run


def nonant_single() -> Solver:
    """One puzzle after another, as `nonant verify` does it."""
    from nonant import read, verify

    def solve(line: str) -> str | None:
        found = verify(read(line))
        return found.solutions[0].line if found.verdict.value == "unique" else None

    return one_by_one(solve)


def ortools() -> Solver:
    """CP-SAT: a model a puzzle, solved again without the solution found."""
    from ortools.sat.python import cp_model

    def solve(line: str) -> str | None:
        model = cp_model.CpModel()
        cells = [model.new_int_var(1, 9, "") for _ in range(81)]
        for unit in units():
            model.add_all_different([cells[at] for at in unit])
        for cell, symbol in zip(cells, line, strict=True):
            if symbol != ".":
                model.add(cell == int(symbol))
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.catch_sigint_signal = False
        if solver.solve(model) != cp_model.OPTIMAL:
            return None
        first = [solver.value(cell) for cell in cells]
        other = [model.new_bool_var("") for _ in cells]
        for cell, value, differs in zip(cells, first, other, strict=True):
            model.add(cell != value).only_enforce_if(differs)
        model.add_bool_or(other)
        return "".join(map(str, first)) if solver.solve(model) == cp_model.INFEASIBLE else None

    return one_by_one(solve)


def python_sat() -> Solver:
    """CaDiCaL with the rules, kept; a puzzle is a set of assumptions."""
    from pysat.solvers import Solver as Sat

    def candidate(cell: int, value: int) -> int:
        return 9 * cell + value

    sat = Sat("cadical195")
    for group in [[candidate(cell, value) for value in range(1, 10)] for cell in range(81)] + [
        [candidate(cell, value) for cell in unit] for unit in units() for value in range(1, 10)
    ]:
        sat.add_clause(group)
        for place, left in enumerate(group):
            for right in group[place + 1 :]:
                sat.add_clause([-left, -right])
    last = 9 * 81

    def solve(line: str) -> str | None:
        nonlocal last
        given = [candidate(cell, int(symbol)) for cell, symbol in enumerate(line) if symbol != "."]
        if not sat.solve(assumptions=given):
            return None
        first = [literal for literal in sat.get_model()[: 9 * 81] if literal > 0]
        last += 1  # a second solution is looked for while this variable is assumed
        sat.add_clause([-last, *(-literal for literal in first)])
        if sat.solve(assumptions=[*given, last]):
            return None
        return "".join(str((literal - 1) % 9 + 1) for literal in first)

    return one_by_one(solve)


def larsdoku() -> Solver:
    """Its ladder of techniques, without its oracle."""
    from larsdoku import solve as human

    def solve(line: str) -> str | None:
        found = human(line.replace(".", "0"), no_oracle=True)
        return str(found["board"]) if found["success"] else None

    return one_by_one(solve)


def py_sudoku() -> Solver:
    """Backtracking in Python."""
    from sudoku import Sudoku

    def solve(line: str) -> str | None:
        board = [[0 if symbol == "." else int(symbol) for symbol in line[at : at + 9]] for at in range(0, 81, 9)]
        found = Sudoku(3, board=board).solve().board
        return "".join(str(value or 0) for row in found for value in row)

    return one_by_one(solve)


def dokusan() -> Solver:
    """Backtracking in Python."""
    from dokusan import solvers
    from dokusan.boards import BoxSize, Sudoku

    return one_by_one(
        lambda line: str(solvers.backtrack(Sudoku.from_string(line.replace(".", "0"), box_size=BoxSize(3, 3))))
    )


def hodoku() -> Solver:
    """HoDoKu's ladder in Python."""
    from hodoku import Solver as Human

    human = Human()

    def solve(line: str) -> str | None:
        found = human.solve(line)
        return found.solution if found.solved else None

    return one_by_one(solve)


def lib_sudoku() -> Solver:
    """Backtracking in Rust."""
    import lib_sudoku as library

    def solve(line: str) -> str | None:
        found = library.solve(bytearray(0 if symbol == "." else int(symbol) for symbol in line))
        return "".join(map(str, found))

    return one_by_one(solve)


@dataclass(frozen=True)
class Peer:
    """A package and how it is asked.

    Attributes:
        package: its name on the package index.
        make: in its process, makes its solver.
        does: what it answers.
    """

    package: str
    make: Callable[[], Solver]
    does: str


PEERS = {
    "nonant, batch": Peer("nonant", nonant_batch, "unique, with the solution"),
    "nonant, one by one": Peer("nonant", nonant_single, "unique, with the solution, in plain Python"),
    "python-sat": Peer("python-sat", python_sat, "unique: CaDiCaL, kept, by assumptions"),
    "ortools": Peer("ortools", ortools, "unique: CP-SAT, a model a puzzle"),
    "lib-sudoku": Peer("lib-sudoku", lib_sudoku, "a first solution"),
    "dokusan": Peer("dokusan", dokusan, "a first solution"),
    "py-sudoku": Peer("py-sudoku", py_sudoku, "a first solution"),
    "larsdoku": Peer("larsdoku", larsdoku, "human steps, no guesses"),
    "hodoku-py": Peer("hodoku-py", hodoku, "human steps, then trial and error"),
}


def one_by_one(solve: Callable[[str], str | None]) -> Solver:
    """A solver of lists from one of puzzles; an exception is no answer."""

    def safely(line: str) -> str | None:
        try:
            return solve(line)
        except Exception:  # a peer may raise anything
            return None

    return lambda lines: [safely(line) for line in lines]


@cache
def units() -> list[list[int]]:
    """The cells of each row, column and box."""
    places = [(row, column) for row in range(9) for column in range(9)]
    keys: list[Callable[[int, int], int]] = [lambda r, c: r, lambda r, c: c, lambda r, c: r // 3 * 3 + c // 3]
    return [[9 * r + c for r, c in places if key(r, c) == which] for key in keys for which in range(9)]


def is_right(line: str, solution: str | None) -> bool:
    """Whether a solution is one: each row, column and box has all digits, and the givens stand."""
    if solution is None or len(solution) != 81:
        return False
    stands = all(given in (".", symbol) for given, symbol in zip(line, solution, strict=True))
    return stands and all({solution[at] for at in unit} == set("123456789") for unit in units())


def serve(name: str) -> None:
    """Answer requests, one JSON object a line: {"lines": [...], "seconds": s} -> {"n", "cpu", "wall", "right"}."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a peer prints is no answer
    del sys.path[0]  # this folder's modules are not to stand before a peer's
    solver = PEERS[name].make()
    print(json.dumps({"version": version(PEERS[name].package)}), file=answers, flush=True)
    for request in sys.stdin:
        asked = json.loads(request)
        lines, step = asked["lines"], asked["step"]
        cpu, wall, done, right = 0.0, 0.0, 0, 0
        while done < len(lines) and cpu < asked["seconds"]:
            some = lines[done : done + step]
            wall_begun, cpu_begun = time.perf_counter(), time.process_time()
            found = solver(some)
            cpu += time.process_time() - cpu_begun
            wall += time.perf_counter() - wall_begun
            done += len(some)
            right += sum(map(is_right, some, found))
            print(json.dumps({"alive": done}), file=answers, flush=True)
        print(json.dumps({"n": done, "cpu": cpu, "wall": wall, "right": right}), file=answers, flush=True)


# -- running them ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """One run over some puzzles: how many, seconds of CPU and wall time, right solutions (None: not looked at)."""

    n: int
    cpu: float
    wall: float
    right: int | None


class Lost(Exception):
    """A peer that does not answer, and why."""


class Served:
    """A peer in a process of its own."""

    def __init__(self, name: str, python: str, patience: float) -> None:
        self.name, self.python, self.does, self.patience = name, python, PEERS[name].does, patience
        self.start()

    def start(self) -> None:
        """Start the process; raises Lost."""
        command = [self.python, str(Path(__file__).resolve()), "--serve", self.name]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        self.version = self._answer(START_SECONDS)["version"]
        self._ask([EASY], 1, START_SECONDS, START_SECONDS)  # compiling and loading are not what is measured

    def _answer(self, seconds: float) -> dict[str, Any]:
        assert self.process.stdout is not None
        if not select([self.process.stdout], [], [], seconds)[0]:
            self.stop()
            raise Lost(f"no answer in {seconds:.0f} s")
        line = self.process.stdout.readline()
        if not line:
            raise Lost("its process ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _ask(self, lines: list[str], step: int, seconds: float, patience: float) -> Run:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"lines": lines, "step": step, "seconds": seconds}).encode() + b"\n")
        while True:
            answer = self._answer(patience)
            if "n" in answer:
                return Run(answer["n"], answer["cpu"], answer["wall"], answer["right"])

    def run(self, lines: list[str], seconds: float) -> Run:
        """Some puzzles, for so many seconds at most; raises Lost."""
        if self.process.poll() is not None:
            self.start()
        if self.name == BATCH:  # all of a list at once
            return self._ask(lines, len(lines), seconds, START_SECONDS)
        return self._ask(lines, 1, seconds, self.patience)

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()


class External:
    """A program that reads lines."""

    version, does = "", "a program that reads lines"

    def __init__(self, name: str, command: str) -> None:
        self.name, self.command = name, shlex.split(command)
        self._run([EASY])

    def _run(self, lines: list[str]) -> Run:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "puzzles.txt"
            path.write_text("".join(line + "\n" for line in lines))
            command = [part.replace("{file}", str(path)) for part in self.command]
            with path.open("rb") as text:
                begun = time.perf_counter()
                try:
                    process = subprocess.Popen(
                        command, stdin=text, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                    )
                except OSError as error:
                    raise Lost(f"cannot be started: {error.strerror}") from None
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                wall = time.perf_counter() - begun
        if process.returncode:
            raise Lost(f"exit code {process.returncode}")
        return Run(len(lines), used.ru_utime + used.ru_stime, wall, None)

    def run(self, lines: list[str], seconds: float) -> Run:
        """Some puzzles, for about so many seconds, over and over if there are too few; raises Lost."""
        number = len(lines) if seconds == float("inf") else 100
        while True:
            start = self._run([EASY])
            found = self._run([lines[at % len(lines)] for at in range(number)])
            cpu = found.cpu - start.cpu
            if seconds == float("inf") or cpu > max(seconds / 2, start.cpu) or number >= MOST_LINES:
                return Run(number, max(cpu, 1e-9), max(found.wall - start.wall, 1e-9), None)
            number = min(MOST_LINES, 30 * number)

    def stop(self) -> None:
        """Nothing runs between two runs."""


BATCH = "nonant, batch"
EASY = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."


@dataclass
class Row:
    """What was measured of a peer on a list; `why` says why nothing was."""

    runs: list[Run] = field(default_factory=list)
    why: str = ""

    def each(self, what: str) -> list[float]:
        """Seconds a puzzle of each round."""
        return [getattr(run, what) / run.n for run in self.runs]


def measured(peers: Sequence[Any], lines: list[str], rounds: int, seconds: float) -> dict[str, Row]:
    """All peers on one list."""
    rows = {peer.name: Row() for peer in peers}
    shares = {}
    spread = [lines[at * 7919 % len(lines)] for at in range(len(lines))]  # 7919, a prime, divides no list's length
    for peer in peers:
        try:
            first = peer.run(spread, seconds if peer.name != BATCH else float("inf"))
            shares[peer.name] = [spread[at % len(spread)] for at in range(first.n)]
        except Lost as error:
            rows[peer.name].why = str(error)
    for number in range(rounds):
        for peer in [*peers[number % len(peers) :], *peers[: number % len(peers)]]:
            if peer.name not in shares or rows[peer.name].why:
                continue
            try:
                rows[peer.name].runs.append(peer.run(shares[peer.name], float("inf")))
            except Lost as error:
                rows[peer.name] = Row(why=str(error))
    return rows


def interpreter_with(package: str, pythons: list[str]) -> str | None:
    """The first interpreter that has a package."""
    for python in pythons:
        code = f"import importlib.metadata; importlib.metadata.version({package!r})"
        if subprocess.run([python, "-c", code], capture_output=True, cwd=ROOT).returncode == 0:
            return python
    return None


# -- telling -----------------------------------------------------------------------------------------------------------


def machine() -> list[str]:
    """What it was measured on: processor, cores, versions."""
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        told = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        model = told[0].partition(":")[2].strip() if told else model
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = []
    for package in ("numpy", "numba", "llvmlite"):
        with contextlib.suppress(PackageNotFoundError):
            versions.append(f"{package} {version(package)}")
    widest = ""
    with contextlib.suppress(OSError):
        flags = set(Path("/proc/cpuinfo").read_text().split())
        widest = next((f", {name}" for flag, name in WIDEST.items() if flag in flags), "")
    return [
        f"processor: {model} ({platform.machine()}{widest}), {cores} cores",
        f"system: {platform.system()}, Python {platform.python_version()}, {', '.join(versions)}",
    ]


WIDEST = {"avx512bw": "AVX-512", "avx2": "AVX2", "sse4_2": "SSE4.2"}


def figure(seconds: float) -> str:
    """Microseconds, with three digits."""
    value = seconds * 1e6
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(peers: Sequence[Any], rows: dict[str, Row]) -> list[str]:
    """A Markdown table of one list."""
    out = [
        "| | puzzles | CPU, µs each | wall, µs each | times the first | least to greatest | without a right solution |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    base = rows[peers[0].name]
    for peer in peers:
        row = rows[peer.name]
        if not row.runs:
            out.append(f"| {peer.name} | | | | | | {row.why} |")
            continue
        best, wrong = row.runs[0], sum(run.n - run.right for run in row.runs if run.right is not None)
        told = "not looked at" if best.right is None else f"{wrong // len(row.runs):,}"
        cells = [f"{best.n:,}", figure(min(row.each("cpu"))), figure(min(row.each("wall")))]
        ratios = [f"{ratio:,.3g}" if ratio < 100 else f"{ratio:,.0f}" for ratio in ratios_of(row, base)]
        cells += [ratios[0], f"{ratios[1]} to {ratios[2]}", told] if ratios else ["", "", told]
        out.append(f"| {peer.name} | {' | '.join(cells)} |")
    return out


def ratios_of(row: Row, base: Row) -> list[float]:
    """CPU time over that of the first row: of the best times, and the least and the greatest of a round; or nothing."""
    if not row.runs or not base.runs:
        return []
    each = [mine / first for mine, first in zip(row.each("cpu"), base.each("cpu"), strict=False)]
    return [min(row.each("cpu")) / min(base.each("cpu")), min(each), max(each)]


def plot(path: Path, peers: Sequence[Any], results: dict[str, dict[str, Row]]) -> None:
    """Bars of the ratios with their spread, a group a list."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "nonant"
    matplotlib.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot

    drawing, axes = pyplot.subplots(figsize=(9, 1.2 + 1.5 * len(results)))
    thick, base = 0.8 / len(peers), peers[0].name
    for place, peer in enumerate(peers):
        at, best, below, above = [], [], [], []
        for group, rows in enumerate(results.values()):
            if found := ratios_of(rows[peer.name], rows[base]):
                ratio, least, greatest = found
                at.append(group + place * thick)
                best.append(ratio)
                below.append(max(0.0, ratio - least))
                above.append(max(0.0, greatest - ratio))
        axes.barh(at, best, thick * 0.9, left=0.3, xerr=(below, above), label=peer.name, error_kw={"linewidth": 0.8})
    axes.set_xscale("log")
    axes.set_yticks([group + 0.4 for group in range(len(results))], list(results))
    axes.invert_yaxis()
    axes.set_xlabel(f"CPU time a puzzle, times that of {base}")
    axes.grid(axis="x", alpha=0.3)
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    pyplot.close(drawing)
    drawing.savefig(path, bbox_inches="tight", metadata={"Date": None})


def main() -> None:
    """Measure, print, write, plot."""
    from speed import LISTS, lines_of
    from speed import ROOT as SHARED

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--venv", action="append", default=[], metavar="FOLDER", help="has peers installed")
    parser.add_argument("--external", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--data", type=Path, default=SHARED / "data" / "classic")
    parser.add_argument("--lists", default=",".join(LISTS), help="names of benchmarks/speed.py, with commas between")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--patience", type=float, default=PATIENCE, metavar="SECONDS", help="for one puzzle")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "RESULTS.md")
    parser.add_argument("--plot", type=Path, default=ROOT / "benchmarks" / "results.svg")
    parser.add_argument("--note", default="", help="a sentence for the results, on what else the machine did")
    parser.add_argument("--serve", choices=PEERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    unknown = [name for name in options.lists.split(",") if name not in LISTS]
    if unknown or any("=" not in given for given in options.external):
        parser.error(f"lists are {', '.join(LISTS)}; an external program is NAME=COMMAND")
    if not options.data.is_dir():
        parser.error(f"no folder {options.data}; give --data with the lists that benchmarks/speed.py names")

    pythons = [sys.executable, *(str(Path(venv) / "bin" / "python") for venv in options.venv)]
    peers: list[Any] = []
    absent = []
    for name, peer in PEERS.items():
        python = interpreter_with(peer.package, pythons)
        try:
            if python is None:
                raise Lost("not installed")
            peers.append(Served(name, python, options.patience))
        except Lost as error:
            absent.append(f"{name}: {error}")
    for given in options.external:
        name, _, command = given.partition("=")
        try:
            peers.append(External(name, command))
        except Lost as error:
            absent.append(f"{name}: {error}")
    if not peers or peers[0].name != BATCH:
        parser.error(f"this project is not installed here ({'; '.join(absent)})")

    out = ["# Results", "", "Written by `python benchmarks/peers.py`, whose first lines say what is measured and how."]
    out += ["", *(f"- {line}" for line in machine())]
    out += [f"- {options.note}"] if options.note else []
    out += [f"- {options.rounds} rounds, one thread", ""]
    out += ["| | version | answers |", "|---|---|---|"]
    out += [f"| {peer.name} | {peer.version} | {peer.does} |" for peer in peers]
    out += ["", *(f"Left out: {line}" for line in absent)]
    print("\n".join(out), flush=True)
    results = {}
    try:
        for name in options.lists.split(","):
            lines = lines_of(options.data, name).decode().replace("0", ".").split()
            results[name] = measured(peers, lines, options.rounds, options.seconds)
            some = ["", f"## {name} ({len(lines):,} puzzles)", "", *table(peers, results[name])]
            print("\n".join(some), flush=True)
            out += some
            picture: list[str] = []
            with contextlib.suppress(ImportError):
                plot(options.plot, peers, results)
                picture = ["", f"![ratios]({os.path.relpath(options.plot, options.results.parent)})"]
            # After each list: a run may take long.
            options.results.write_text("\n".join([*out, *picture]) + "\n", encoding="utf-8")
    finally:
        for peer in peers:
            peer.stop()


if __name__ == "__main__":
    main()
