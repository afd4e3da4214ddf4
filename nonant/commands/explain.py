"""`nonant explain`."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path as File
from typing import TYPE_CHECKING

import click

from nonant.commands.common import Answer, each, puzzle_argument, write_text
from nonant.commands.options import Ladder, ladder_options
from nonant.csp.errors import ModelError, ParseError
from nonant.csp.results import Uniqueness
from nonant.csp.verify import verify
from nonant.strategies.ladder import explain
from nonant.strategies.path import CONTRADICTION, SOLVED, STUCK, Path

if TYPE_CHECKING:
    from nonant.csp.model import Puzzle

CODES = {SOLVED: 0, CONTRADICTION: 4, STUCK: 5}
MULTIPLE = 3
QUICK_LOOK = 10_000  # branchings for the verdict
PLAIN_REFUTATIONS = 9  # the level below nested refutations


def require_unique(question: Puzzle) -> None:
    """Refuse uniqueness techniques on a puzzle for which they would be wrong."""
    if verify(question).verdict is not Uniqueness.UNIQUE:
        raise ModelError("--unique needs a puzzle with exactly one solution, and this one is not; leave the option out")


@click.command("explain")
@puzzle_argument
@ladder_options
@click.option("--steps", is_flag=True, help="Every step with its reason.")
@click.option("--spn", metavar="OUT", help="Write the path in the Solve Path Notation, with --steps reasons too.")
@click.option(
    "--pbp", metavar="OUT.pbp", help="Write the path as a VeriPB proof, with its formula beside it (OUT.opb)."
)
@click.option("--rounds", is_flag=True, help="All steps of one technique from one snapshot at once.")
@click.pass_context
def command(
    ctx: click.Context,
    puzzle: str,
    model_name: str | None,
    as_json: bool,
    ladder: Ladder,
    steps: bool,
    spn: str | None,
    pbp: str | None,
    rounds: bool,
) -> None:
    """Solve by human techniques, every step proved and checked.

    Exit code: 0 solved, 3 stuck on a puzzle with several solutions, 4 no solution, 5 stuck: no technique applies.
    """

    notations: list[str] = []
    paths: list[tuple[Puzzle, Path]] = []  # of which a proof is to be written

    def answer(question: Puzzle) -> Answer:
        # The verdict chooses no step. With several solutions no ladder comes to an end, so that the deepest and longest
        # searches are not begun unless they are asked for; and uniqueness would be a wrong assumption.
        verdict = verify(question, node_limit=QUICK_LOOK).verdict
        if ladder.unique and verdict is not Uniqueness.UNIQUE:
            require_unique(question)
        several = verdict is Uniqueness.MULTIPLE
        highest = PLAIN_REFUTATIONS if several and ladder.max_level is None else ladder.max_level
        path = explain(question, rounds=rounds, **asdict(replace(ladder, max_level=highest)))
        if spn is not None:
            notations.append(_notation(path, steps))
        if pbp is not None:
            paths.append((question, path))
        code, last = CODES[path.result], path.bill
        record = path.to_json()
        if several:
            code, last = MULTIPLE, f"{last}; the puzzle has more than one solution"
            record["verdict"] = verdict.value
        lines = _lines(path) if steps else []
        line = "\n".join([*lines, f"{path.result} {path.end.line}", last])
        return Answer(record, line, lambda: _shown(path, lines, last), code, path.result)

    if pbp is not None and (pbp == "-" or pbp.endswith(".opb")):
        raise ParseError("--pbp writes two files, of which OUT.opb is the formula", expected="give a name like out.pbp")
    code = each(puzzle, model_name, as_json, answer, "--pbp" if pbp is not None else "")
    if spn is not None:
        write_text(spn, "\n".join(notations))
    if pbp is not None:
        for question, path in paths:
            _write_proof(pbp, question, path)
    ctx.exit(code)


def _notation(path: Path, reasons: bool) -> str:
    from nonant.formats.spn import from_path, write  # here, since who wants no notation need not load it

    return write(from_path(path, reasons=reasons))


def _write_proof(out: str, question: Puzzle, path: Path) -> None:
    """The proof and its formula, after a look at them by the independent reader."""
    from nonant.csp.proofs.veripb import NotWritten, write
    from nonant.csp.proofs.veripb_check import Refused, read

    written = write(question, [step.proof for step in path.steps])
    try:
        read(written.opb, written.pbp)
    except Refused as error:
        raise NotWritten(f"the proof does not hold: {error}; this is a bug, please report the puzzle") from error
    write_text(str(File(out).with_suffix(".opb")), written.opb)
    write_text(out, written.pbp)


def _lines(path: Path) -> list[str]:
    """The steps as numbered lines."""
    sets = path.board.sets
    lines = []
    for number, step in enumerate(path.steps, 1):
        does = " ".join(sets.candidate(candidate) for candidate in step.places)
        does = does or " ".join(sets.candidate(one, "<>") for one in step.removes)
        lines.append(f"{number:3}. {step.technique}: {does}  ({step.reason})")
    return lines


def _shown(path: Path, lines: list[str], last: str) -> str:
    from nonant.pictures import picture

    board = path.end
    size, every = board.model.n_values, (1 << board.model.n_values) - 1
    left = {
        name: [value for at, value in enumerate(board.model.values) if board.cells[cell] >> at & 1]
        for cell, name in enumerate(board.model.names)
        if board.cells[cell] != every and not board.placed >> (cell * size) & every
    }
    filled = {
        name: board.model.values[(board.placed >> (cell * size) & every).bit_length() - 1]
        for cell, name in enumerate(board.model.names)
        if board.placed >> (cell * size) & every
    }
    used = [f"{times:5} {name}" for name, times in path.techniques.items()]
    return "\n".join([*lines, picture(board.model.puzzle(filled, left)), *used, last])
