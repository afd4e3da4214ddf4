"""`nonant check`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from nonant.commands.common import MODEL_HELP, echo_json, model_of
from nonant.csp.certificate import check, from_text, puzzle_of
from nonant.csp.errors import ModelError, ParseError
from nonant.csp.model import Model


@click.command("check")
@click.argument("certificate", metavar="CERTIFICATE")
@click.option("--model", "model_name", metavar="NAME", help=f"{MODEL_HELP} By default the model that it names.")
@click.option("--puzzle", metavar="PUZZLE", help="Check that it is for this puzzle; by default the one that it names.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def command(ctx: click.Context, certificate: str, model_name: str | None, puzzle: str | None, as_json: bool) -> None:
    """Check a certificate that `nonant verify --certificate` wrote, with no solver in play.

    The clauses are built again from the puzzle, the solution is held against the rules, the proof is checked line by
    line to its final 0. Exit code: 0 accepted, 1 refused, 2 bad input.
    """
    try:
        claim = from_text(Path(certificate).read_text(encoding="utf-8"))
    except OSError as error:
        raise ParseError(f"cannot read {certificate}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ParseError(f"{certificate} is not text: {error.reason}") from error
    # The certificate may come from a stranger: a name in it is looked up among the families, never imported.
    model = model_of(model_name) if model_name is not None else claim.model
    if isinstance(model, str):
        from nonant.models import model as named

        try:
            model = named(model)
        except ModelError as error:
            raise ModelError(f"{error}; --model FILE.py:NAME says where the model is declared") from error
    assert isinstance(model, Model)
    question = puzzle_of(claim, model)
    if puzzle is not None:
        question = replace(question, givens=model.puzzle(puzzle).givens)
    found = check(claim, question)
    what = "no solution" if claim.solution is None else f"exactly this solution: {claim.solution}"
    if as_json:
        record = {"accepted": found.accepted, "reason": found.reason, "clauses": found.clauses}
        echo_json({**record, "model": claim.model, "puzzle": claim.puzzle, "solution": claim.solution})
    elif found.accepted:
        click.echo(f"accepted: {claim.puzzle} has {what} ({found.clauses} clauses derived)")
    else:
        click.echo(f"refused: {found.reason}")
    ctx.exit(0 if found.accepted else 1)
