"""`nonant check`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import click

from nonant.commands.common import MODEL_HELP, echo_json, model_of
from nonant.csp.certificate import check, from_text, puzzle_of
from nonant.csp.errors import ModelError, ParseError
from nonant.csp.model import Model, line_of

PROOF = "pseudo-Boolean proof"  # how a file in VeriPB's language begins


@dataclass(frozen=True)
class Outcome:
    """What there is to print: accepted, or why not; the claim; how many clauses or inequalities the proof derives."""

    accepted: bool
    reason: str
    derived: int
    model: str
    puzzle: str | None
    solutions: tuple[str, ...]


@click.command("check")
@click.argument("certificate", metavar="CERTIFICATE")
@click.option("--model", "model_name", metavar="NAME", help=f"{MODEL_HELP} By default the model that it names.")
@click.option("--puzzle", metavar="PUZZLE", help="Check that it is for this puzzle; by default the one that it names.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def command(ctx: click.Context, certificate: str, model_name: str | None, puzzle: str | None, as_json: bool) -> None:
    """Check a certificate of `nonant verify`, or a proof of `nonant explain --pbp`, with no solver in play.

    The clauses are built again from the puzzle, the solution is held against the rules, the proof is checked line by
    line to its final 0. A proof OUT.pbp is read together with its formula OUT.opb, which must be that of the puzzle.
    Exit code: 0 accepted, 1 refused, 2 bad input.
    """
    text = _read(certificate)
    outcome = (_proof if text.startswith(PROOF) else _certificate)(certificate, text, model_name, puzzle)
    if as_json:
        record = {"accepted": outcome.accepted, "reason": outcome.reason, "clauses": outcome.derived}
        solution = outcome.solutions[0] if outcome.solutions else None
        echo_json({**record, "model": outcome.model, "puzzle": outcome.puzzle, "solution": solution})
    elif outcome.accepted:
        what = f"exactly this solution: {' or '.join(outcome.solutions)}" if outcome.solutions else "no solution"
        click.echo(f"accepted: {outcome.puzzle} has {what} ({outcome.derived} clauses derived)")
    else:
        click.echo(f"refused: {outcome.reason}")
    ctx.exit(0 if outcome.accepted else 1)


def _certificate(_: str, text: str, model_name: str | None, puzzle: str | None) -> Outcome:
    claim = from_text(text)
    model = _model(model_name, claim.model)
    question = puzzle_of(claim, model)
    if puzzle is not None:
        question = replace(question, givens=model.puzzle(puzzle).givens)
    found = check(claim, question)
    solutions = () if claim.solution is None else (claim.solution,)
    return Outcome(found.accepted, found.reason, found.clauses, claim.model, claim.puzzle, solutions)


def _proof(file: str, text: str, model_name: str | None, puzzle: str | None) -> Outcome:
    from nonant.csp import pseudo_boolean_formula as formulas
    from nonant.csp.pseudo_boolean_reader import Refused, read

    opb = _read(str(Path(file).with_suffix(".opb")))
    named = formulas.model_name(opb)
    if model_name is None and named is None:
        raise ModelError(f"the formula beside {file} names no model; --model says which it is")
    model = _model(model_name, named or "")
    try:
        question = formulas.puzzle_of(opb, model)
        if puzzle is not None and model.puzzle(puzzle).givens != question.givens:
            return Outcome(False, f"it is for another puzzle: {question.line}", 0, model.name, question.line, ())
        found = read(opb, text)
    except ParseError as error:
        return Outcome(False, f"the formula is not that of a puzzle: {error}", 0, model.name, None, ())
    except Refused as error:
        return Outcome(False, str(error), 0, model.name, question.line, ())
    size = model.n_values
    places = (tuple((variable - 1) % size for variable in sorted(true)) for true in found.solutions)
    solutions = tuple(line_of(model, some) for some in places)
    return Outcome(True, "", found.derived, model.name, question.line, solutions)


def _read(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise ParseError(f"cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ParseError(f"{file} is not text: {error.reason}") from error


def _model(chosen: str | None, claimed: str) -> Model:
    """The model that was asked for, else the one of the file."""
    # The file may come from a stranger: a name in it is looked up among the families, never imported.
    model = model_of(chosen) if chosen is not None else claimed
    if isinstance(model, str):
        from nonant.models import model as named

        try:
            model = named(model)
        except ModelError as error:
            raise ModelError(f"{error}; --model FILE.py:NAME says where the model is declared") from error
    assert isinstance(model, Model)
    return model
