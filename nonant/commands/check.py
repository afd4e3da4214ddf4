"""`nonant check`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from nonant.commands.common import MODEL_HELP, echo_json, effort_option, model_of, one_puzzle
from nonant.csp.errors import ModelError, ParseError
from nonant.csp.model import Model, Puzzle, line_of
from nonant.csp.proofs.certificate import check, from_text, puzzle_of
from nonant.csp.proofs.claims import claim
from nonant.csp.proofs.cnf import n_unit_clauses
from nonant.csp.proofs.effort import Effort, OutOfEffort, effort_for

PROOF = "pseudo-Boolean proof"  # how a file in VeriPB's language begins
MOST_CLAUSES = 1_500_000  # that a file makes us write by naming a model; a 25x25 grid has half of that


@dataclass(frozen=True)
class Outcome:
    """What there is to print.

    Attributes:
        question: the puzzle that the file is about, as far as that is known.
        reason: why it is not accepted; empty when it is.
        derived: how many clauses or inequalities the proof derives.
        solutions: all solutions of the puzzle, where it is accepted.
    """

    question: Puzzle | None
    reason: str
    derived: int = 0
    solutions: tuple[str, ...] = ()


@click.command("check")
@click.argument("certificate", metavar="CERTIFICATE")
@click.option("--model", "model_name", metavar="NAME", help=f"{MODEL_HELP} By default the model that it names.")
@click.option("--puzzle", metavar="PUZZLE|FILE", help="Refuse what is not about this puzzle, pencil marks included.")
@effort_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def command(
    ctx: click.Context, certificate: str, model_name: str | None, puzzle: str | None, effort: float, as_json: bool
) -> None:
    """Check a certificate of `nonant verify`, or a proof of `nonant explain --pbp`, with no solver in play.

    The clauses are built again from the puzzle, the solution is held against the rules, the proof is checked line by
    line to its final 0. A proof OUT.pbp is read together with its formula OUT.opb, which must be that of the puzzle.
    What was shown is printed as one sentence, with all that it rests on. Exit code: 0 accepted, 1 refused, 2 bad input.
    """
    text = _read(certificate)
    check_it = _proof if text.startswith(PROOF) else _certificate

    def wanted(model: Model) -> Puzzle | None:
        return None if puzzle is None else one_puzzle(puzzle, model)

    found = check_it(certificate, text, model_of(model_name), wanted, effort)
    shown = "" if found.reason or found.question is None else claim(found.question, found.solutions)
    if as_json:
        question = found.question
        record = {"accepted": not found.reason, "reason": found.reason, "clauses": found.derived}
        record |= {"model": None if question is None else question.model.name}
        record |= {"puzzle": None if question is None else question.line}
        record |= {"marks": None if question is None else question.marks_by_name}
        record |= {"solution": found.solutions[0] if found.solutions else None, "shows": shown or None}
        echo_json(record)
    elif found.reason:
        click.echo(f"refused: {found.reason}")
    else:
        click.echo(f"accepted: {shown} ({found.derived} clauses derived)")
    ctx.exit(1 if found.reason else 0)


Wanted = Callable[[Model], Puzzle | None]


def _certificate(_: str, text: str, chosen: Model | str | None, wanted: Wanted, effort: float) -> Outcome:
    said = from_text(text)
    model = _model(chosen, said.model)
    clauses = n_unit_clauses(model)
    if chosen is None and clauses > MOST_CLAUSES:
        return Outcome(
            None,
            f"its model {model.name} makes {clauses:,} clauses, over {MOST_CLAUSES:,}; --model {model.name} says that "
            "they are to be written all the same",
        )
    question = puzzle_of(said, model)
    other = _other(question, wanted(model))
    if other:
        return Outcome(question, other)
    found = check(said, question, effort_for(len(text) + clauses // 10, effort))
    return Outcome(question, found.reason, found.clauses, () if said.solution is None else (said.solution,))


def _proof(file: str, text: str, chosen: Model | str | None, wanted: Wanted, effort: float) -> Outcome:
    from nonant.csp.proofs import opb as formulas
    from nonant.csp.proofs.veripb_check import Refused, read

    opb = _read(str(Path(file).with_suffix(".opb")))
    named = formulas.model_name(opb)
    if chosen is None and named is None:
        raise ModelError(f"the formula beside {file} names no model; --model says which it is")
    model = _model(chosen, named or "")
    question = None
    left: Effort = effort_for(len(opb) + len(text), effort)
    try:
        question = formulas.puzzle_of(opb, model)
        other = _other(question, wanted(model))
        if other:
            return Outcome(question, other)
        found = read(opb, text, left.spend)
    except ParseError as error:
        if question is not None:
            raise  # it is about --puzzle
        return Outcome(None, f"the formula is not that of a puzzle: {error}")
    except (Refused, OutOfEffort) as error:
        return Outcome(question, str(error))
    size = model.n_values
    rows = (tuple((variable - 1) % size for variable in sorted(true)) for true in found.solutions)
    return Outcome(question, "", found.derived, tuple(line_of(model, row) for row in rows))


def _other(question: Puzzle, wanted: Puzzle | None) -> str:
    """Why a file is not about the puzzle that was meant; empty if it is: the same values are left in each cell."""
    if wanted is None or question.domains == wanted.domains:
        return ""
    return f"it is for another puzzle: {question.statement}"


def _read(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise ParseError(f"cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ParseError(f"{file} is not text: {error.reason}") from error


def _model(chosen: Model | str | None, claimed: str) -> Model:
    """The model that was asked for, else the one of the file."""
    # The file may come from a stranger: a name in it is looked up among the families, never imported.
    model = chosen if chosen is not None else claimed
    if isinstance(model, str):
        from nonant.models import model as named

        try:
            model = named(model)
        except ModelError as error:
            raise ModelError(f"{error}; --model FILE.py:NAME says where the model is declared") from error
    return model
