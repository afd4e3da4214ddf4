"""Certificates: "exactly this solution" (or "none") in a form that somebody else's program can confirm.

A certificate is a claim about the plain CNF of a puzzle (`cnf.py`), with the solution found forbidden, and a DRUP proof
that these clauses contradict each other. `check` needs no solver, and loads none: it writes the clauses again, holds
the solution against each constraint's `holds`, and goes through the proof line by line (`rup.py`). `certify.py` makes
certificates. The file format stands in docs/certificates.md.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from nonant.csp.errors import ParseError
from nonant.csp.model import Model, Puzzle, line_of
from nonant.csp.proofs import rup
from nonant.csp.proofs.cnf import dimacs, plain_cnf
from nonant.csp.proofs.effort import Effort, OutOfEffort, endless

FORMAT = "nonant-certificate-1"


@dataclass(frozen=True)
class Certificate:
    """The claim that a puzzle has this solution and no other, or none at all, with its proof.

    Attributes:
        model: the model's name.
        puzzle: the givens on one line.
        marks: for each cell the symbols that its pencil marks leave, or None without pencil marks.
        solution: the solution on one line, or None for "no solution".
        cnf_sha256: the SHA-256 of the plain CNF as DIMACS text.
        proof: DRUP lines, the last of them `0`.
        prover: who found the proof: "native", or a solver of PySAT.
    """

    model: str
    puzzle: str
    marks: tuple[str, ...] | None
    solution: str | None
    cnf_sha256: str
    proof: tuple[str, ...]
    prover: str


@dataclass(frozen=True)
class Check:
    """What `check` found; true when the certificate is accepted, else `reason` says why not."""

    accepted: bool
    reason: str
    clauses: int = 0  # derived by the proof

    def __bool__(self) -> bool:
        return self.accepted


def check(certificate: Certificate, puzzle: Puzzle, effort: Effort | None = None) -> Check:
    """Check a certificate against a puzzle, with no solver in play.

    Args:
        certificate: the claim. It must be about the givens and the pencil marks of the puzzle.
        puzzle: what one wants to know of.
        effort: what the proof may take; by default there is no limit.
    """
    model = puzzle.model
    solution: list[int] | None = None
    for name, found, expected in (
        ("model", certificate.model, model.name),
        ("puzzle", certificate.puzzle, puzzle.line),
        ("pencil marks", certificate.marks, marks_of(puzzle)),
    ):
        if found != expected:
            return Check(False, f"it is for another {name}: {found!r}, not {expected!r}")
    if certificate.solution is not None:
        solution = _places(model, certificate.solution)
        if len(solution) != model.n_cells or line_of(model, solution) != certificate.solution:
            return Check(False, f"its solution does not give a value to each of the {model.n_cells} cells")
        if not all(mask >> place & 1 for mask, place in zip(puzzle.domains, solution, strict=True)):
            return Check(False, "its solution changes a given or leaves the pencil marks")
        broken = model.violated([model.values[place] for place in solution])
        if broken is not None:
            return Check(False, f"its solution breaks {broken.name or type(broken).__name__}")
    n_variables, clauses = plain_cnf(puzzle, solution)
    if sha256(dimacs(n_variables, clauses).encode()).hexdigest() != certificate.cnf_sha256:
        return Check(False, "its clauses are not those of the puzzle (the rules have changed)")
    try:
        derived = rup.check(n_variables, clauses, certificate.proof, effort or endless())
    except (rup.ProofError, OutOfEffort) as error:
        return Check(False, str(error))
    return Check(True, "", derived)


def marks_of(puzzle: Puzzle) -> tuple[str, ...] | None:
    """The field `marks` of a puzzle's certificate: the symbols left, one line a cell; None where all are."""
    model = puzzle.model
    every = (1 << model.n_values) - 1
    if all(mark == every for mark in puzzle.marks):
        return None
    chosen = ([at for at in range(model.n_values) if mark >> at & 1] for mark in puzzle.marks)
    return tuple(line_of(model, places) for places in chosen)


def puzzle_of(certificate: Certificate, model: Model) -> Puzzle:
    """The puzzle that a certificate names, under these rules.

    Raises:
        ParseError: if its givens or pencil marks are not lines of the model's symbols.
    """
    at: dict[str, int] = {symbol: place for place, symbol in enumerate(model.symbols)}
    givens = _symbols(model, certificate.puzzle)
    if len(givens) != model.n_cells or any(symbol != "." and symbol not in at for symbol in givens):
        raise ParseError(f"its givens are not those of a {model.name!r}", expected="take the model it was made for")
    every = (1 << model.n_values) - 1
    marks = [every] * model.n_cells
    if certificate.marks is not None:
        sets = [set(_symbols(model, line)) for line in certificate.marks]
        if len(sets) != model.n_cells or not all(some <= at.keys() for some in sets):
            raise ParseError(
                f"its pencil marks are not those of a {model.name!r}", expected="give one line of symbols a cell"
            )
        marks = [sum(1 << at[symbol] for symbol in some) for some in sets]
    return Puzzle(model, tuple(at.get(symbol) for symbol in givens), tuple(marks))


def _symbols(model: Model, line: str) -> list[str]:
    return list(line) if all(len(symbol) == 1 for symbol in model.symbols) else line.split()


def _places(model: Model, line: str) -> list[int]:
    """The places of the values on a line, what is no symbol left out."""
    at = {symbol: place for place, symbol in enumerate(model.symbols)}
    return [at[symbol] for symbol in _symbols(model, line) if symbol in at]


# -- files -------------------------------------------------------------------------------------------------------------


def to_text(certificate: Certificate) -> str:
    """A certificate as JSON text; `from_text` reads it back."""
    return json.dumps({"format": FORMAT, **asdict(certificate)}, indent=1) + "\n"


def from_text(text: str) -> Certificate:
    """Read a certificate.

    Raises:
        ParseError: for text that is not a whole certificate of this format.
    """
    expected = f"a JSON file that begins with {FORMAT!r} as its format"
    try:
        fields: Any = json.loads(text, object_pairs_hook=_distinct)
    except RecursionError as error:
        raise ParseError("the certificate is nested too deep", expected=expected) from error
    except json.JSONDecodeError as error:
        raise ParseError(
            f"the certificate is not whole JSON: {error.msg}", line=error.lineno, column=error.colno, expected=expected
        ) from error
    except ValueError as error:  # a field that stands twice, a number of thousands of digits
        raise ParseError(f"the certificate cannot be read: {error}", expected=expected) from error
    if not isinstance(fields, dict) or fields.pop("format", None) != FORMAT:
        raise ParseError("this is not a certificate", expected=f"expected {expected}")
    kinds = {"model": str, "puzzle": str, "marks": list | None, "solution": str | None}
    kinds |= {"cnf_sha256": str, "proof": list, "prover": str}
    for name, kind in kinds.items():
        if name not in fields or not isinstance(fields[name], kind):
            raise ParseError(f"the certificate's field {name!r} is missing or of the wrong kind", expected=expected)
    if not all(isinstance(line, str) for line in (*fields["proof"], *(fields["marks"] or ()))):
        raise ParseError("the certificate's proof or marks are not lines of text", expected=expected)
    marks = fields["marks"]
    fields = {name: fields[name] for name in kinds}
    return Certificate(**{**fields, "marks": None if marks is None else tuple(marks), "proof": tuple(fields["proof"])})


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON in which no field stands twice: one reader would take the first, another the last."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field stands twice")
    return fields


def lrat(certificate: Certificate, puzzle: Puzzle) -> str:
    """The proof in the LRAT format, for formally verified checkers.

    Raises:
        rup.ProofError: if the proof is wrong.
    """
    places = None if certificate.solution is None else _places(puzzle.model, certificate.solution)
    n_variables, clauses = plain_cnf(puzzle, places)
    return "\n".join(rup.elaborate(n_variables, clauses, certificate.proof)) + "\n"
