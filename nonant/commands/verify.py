"""`nonant verify`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from nonant.commands.common import Answer, each, puzzle_argument, write_text
from nonant.commands.options import Solver, solver_options
from nonant.csp.results import Uniqueness
from nonant.csp.verify import verify

if TYPE_CHECKING:
    from nonant.csp.model import Puzzle
    from nonant.csp.results import Verdict

CODES = {Uniqueness.UNIQUE: 0, Uniqueness.MULTIPLE: 3, Uniqueness.NONE: 4, Uniqueness.UNKNOWN: 5}


@click.command("verify")
@puzzle_argument
@solver_options
@click.option("--certificate", metavar="OUT", help="Write a proof that others can check; for one puzzle.")
@click.option("--proof", default="cadical195", show_default=True, help="Who proves: native, or a PySAT solver.")
@click.option("--lrat", metavar="OUT", help="Write the proof as LRAT as well, and the clauses beside it.")
@click.option("--smallest", is_flag=True, help="For none: as few clashing givens as possible.")
@click.pass_context
def command(
    ctx: click.Context,
    puzzle: str,
    model_name: str | None,
    as_json: bool,
    solver: Solver,
    certificate: str | None,
    proof: str,
    lrat: str | None,
    smallest: bool,
) -> None:
    """Say whether there is exactly one solution, and if not, why not.

    Exit code: 0 unique, 3 multiple, 4 none, 5 unknown (a limit came first), 2 bad input. For a list it is the code of
    the first puzzle that is not unique.
    """

    wanted = certificate is not None or lrat is not None

    def answer(question: Puzzle) -> Answer:
        found = verify(
            question,
            **asdict(solver),
            certificate=proof if wanted else None,
            smallest=smallest,
        )
        if wanted:
            _write(question, found, certificate, lrat)
        record = {
            "verdict": found.verdict.value,
            "solutions": [solution.line for solution in found.solutions],
            "differs": list(found.differs),
            "conflict": list(found.conflict),
            "rules": list(found.rules),
            "message": found.message,
        }
        verdict = found.verdict.value
        line = " ".join([verdict, *(solution.line for solution in found.solutions)])
        if not found.solutions:
            line = f"{verdict} {found.message}"
        return Answer(record, line, lambda: _shown(question, found), CODES[found.verdict], verdict)

    ctx.exit(each(puzzle, model_name, as_json, answer, only_one="--certificate" if wanted else ""))


def _write(question: Puzzle, found: Verdict, certificate: str | None, lrat: str | None) -> None:
    """Write the certificate, and the LRAT proof with its clauses (OUT.cnf), where they were asked for."""
    from nonant.csp.proofs.certificate import lrat as lrat_of
    from nonant.csp.proofs.certificate import to_text
    from nonant.csp.proofs.cnf import dimacs, plain_cnf

    if found.certificate is None:
        click.echo(f"nonant: no certificate is written: {found.verdict.value}", err=True)
        return
    if certificate is not None:
        write_text(certificate, to_text(found.certificate))
    if lrat is not None:
        solution = found.solutions[0].places if found.solutions else None
        write_text(lrat, lrat_of(found.certificate, question))
        write_text(f"{lrat}.cnf", dimacs(*plain_cnf(question, solution)))


def _shown(question: Puzzle, found: Verdict) -> str:
    from nonant.pictures import picture

    if found.verdict is Uniqueness.NONE:
        pictures = [picture(question, differs=found.conflict)]
    else:
        pictures = [picture(solution, differs=found.differs) for solution in found.solutions]
    return "\n".join([*pictures, f"{found.verdict.name}: {found.message}"])
