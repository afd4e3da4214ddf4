"""Certificates: "exactly this solution" (or "none") in a form that somebody else's program can confirm.

A certificate is a claim about a plain CNF that anybody can rebuild from the puzzle: `plain_cnf` is short, shares no
code with the solvers, and reads the model's own constraints. It says that the rules hold, the givens hold, and (for a
unique solution) the solution found is forbidden. The certificate carries a DRUP proof that these clauses contradict
each other, and `check` needs no solver: it rebuilds the clauses, holds the solution against `Model.holds`, and checks
the proof line by line (`rup.py`). The file format stands in docs/certificates.md.

The plain CNF has one variable a candidate, 1 + cell * n_values + place of the value, and these clauses:

- each cell takes a value, and no two;
- each full unit holds each value; in any unit no two cells share one;
- any other constraint: one clause against each shortest row of values (in the order of its cells) that no further
  values can complete; rows that two cells of one unit already refuse are left out;
- each given, and each value that the pencil marks leave out;
- the solution, forbidden.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import combinations
from typing import Any

from nonant.csp import rup
from nonant.csp.backends.base import Limits, Progress
from nonant.csp.errors import ParseError, Unsupported
from nonant.csp.model import Constraint, Model, Puzzle, Unit, line_of
from nonant.csp.search import Searcher

FORMAT = "nonant-certificate-1"
MOST_ROWS = 1_000_000  # rows of values of one constraint that are tried
MOST_LITERALS = 200_000  # in a proof of our own search; longer ones are left to CaDiCaL

Clause = tuple[int, ...]


# -- the plain CNF -----------------------------------------------------------------------------------------------------


def rule_clauses(model: Model, most_rows: int = MOST_ROWS) -> Iterator[tuple[Constraint | None, list[Clause]]]:
    """The clauses of the rules, constraint by constraint; first, under None, those of the cells.

    Raises:
        Unsupported: for a constraint (not a unit) over too many cells to try all rows of values.
    """
    size = model.n_values
    values = range(size)
    cells: list[Clause] = []
    for cell in range(model.n_cells):
        first = 1 + cell * size
        cells.append(tuple(range(first, first + size)))
        cells += [(-(first + a), -(first + b)) for a, b in combinations(values, 2)]
    yield None, cells
    scopes = [(constraint, model.indices(constraint)) for constraint in model.constraints]
    differ = {frozenset(pair) for made, scope in scopes if isinstance(made, Unit) for pair in combinations(scope, 2)}
    for constraint, scope in scopes:
        if isinstance(constraint, Unit):
            clauses = [tuple(1 + cell * size + at for cell in scope) for at in values] if len(scope) == size else []
            for a, b in combinations(scope, 2):
                clauses += [(-(1 + a * size + at), -(1 + b * size + at)) for at in values]
            yield constraint, clauses
        else:
            yield constraint, _refused(model, constraint, scope, differ, most_rows)


def _refused(
    model: Model, constraint: Constraint, scope: tuple[int, ...], differ: set[frozenset[int]], most_rows: int
) -> list[Clause]:
    """A clause against each shortest row of values that nothing completes."""
    cells = tuple(dict.fromkeys(scope))
    size = model.n_values
    if size ** len(cells) > most_rows:
        raise Unsupported(
            "certificate",
            f"{constraint.name or type(constraint).__name__} over {len(cells)} cells has {size ** len(cells)} rows of "
            f"values, at most {most_rows} are tried",
        )
    clauses: list[Clause] = []
    row: list[int] = []

    def completes() -> bool:
        """Whether some completion of the row holds; the clauses against its dead parts are collected on the way."""
        if len(row) == len(cells):
            chosen = dict(zip(cells, row, strict=True))
            return constraint.holds([model.values[chosen[cell]] for cell in scope])
        here, start, dead = cells[len(row)], len(clauses), []
        alive = False
        for at in range(size):
            if any(at == other and frozenset((here, cells[k])) in differ for k, other in enumerate(row)):
                continue
            row.append(at)
            if completes():
                alive = True
            else:
                dead.append(tuple(-(1 + cell * size + place) for cell, place in zip(cells, row, strict=False)))
            row.pop()
        if alive:
            clauses.extend(dead)
        else:
            del clauses[start:]
        return alive

    if not completes():
        clauses.append(())
    return clauses


def plain_cnf(puzzle: Puzzle, solution: Sequence[int] | None) -> tuple[int, list[Clause]]:
    """The number of variables and the clauses of "a solution of the puzzle other than this one".

    Args:
        puzzle: the puzzle.
        solution: the place of a value for each cell, or None to forbid nothing.

    Raises:
        Unsupported: see `rule_clauses`.
    """
    size = puzzle.model.n_values
    clauses = [clause for _, some in rule_clauses(puzzle.model) for clause in some]
    clauses += fact_clauses(puzzle)
    if solution is not None:
        clauses.append(tuple(-(1 + cell * size + at) for cell, at in enumerate(solution)))
    return puzzle.model.n_cells * size, clauses


def fact_clauses(puzzle: Puzzle, givens: bool = True) -> list[Clause]:
    """One clause a given, and one a value that the pencil marks leave out."""
    size = puzzle.model.n_values
    clauses: list[Clause] = []
    for cell, (given, mark) in enumerate(zip(puzzle.givens, puzzle.marks, strict=True)):
        if given is not None and givens:
            clauses.append((1 + cell * size + given,))
        clauses += [(-(1 + cell * size + at),) for at in range(size) if not mark >> at & 1]
    return clauses


def dimacs(n_variables: int, clauses: Sequence[Clause]) -> str:
    """Clauses in the DIMACS format that SAT solvers and proof checkers read."""
    lines = [f"p cnf {n_variables} {len(clauses)}"]
    lines += [" ".join(map(str, (*clause, 0))) for clause in clauses]
    return "\n".join(lines) + "\n"


# -- certificates ------------------------------------------------------------------------------------------------------


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


def certify(
    puzzle: Puzzle, solution: Sequence[int] | None, proof: str = "cadical195", limits: Limits | None = None
) -> Certificate | None:
    """Prove that a puzzle has this solution (places of values) and no other, or none when `solution` is None.

    Args:
        puzzle: the puzzle.
        solution: what was found; that it is a solution is left to `check`.
        proof: "native" for our own search where the rules are units alone and the proof stays short, or the solver of
            PySAT that makes it.
        limits: for the solver.

    Returns:
        The certificate, or None when there is another solution, or a limit came first.

    Raises:
        Unsupported: for a constraint over too many cells for the plain CNF.
    """
    n_variables, clauses = plain_cnf(puzzle, solution)
    lines = _native_proof(puzzle, solution) if proof == "native" else None
    prover = "native"
    if lines is None:
        prover = "cadical195" if proof == "native" else proof
        lines = _solver_proof(n_variables, clauses, prover, limits or Limits())
        if lines is None:
            return None
    return Certificate(
        model=puzzle.model.name,
        puzzle=puzzle.line,
        marks=_marks(puzzle),
        solution=None if solution is None else line_of(puzzle.model, solution),
        cnf_sha256=sha256(dimacs(n_variables, clauses).encode()).hexdigest(),
        proof=tuple(lines),
        prover=prover,
    )


def check(certificate: Certificate, puzzle: Puzzle) -> Check:
    """Check a certificate against a puzzle, with no solver in play."""
    model = puzzle.model
    solution: list[int] | None = None
    for name, found, expected in (
        ("model", certificate.model, model.name),
        ("puzzle", certificate.puzzle, puzzle.line),
        ("pencil marks", certificate.marks, _marks(puzzle)),
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
        derived = rup.check(n_variables, clauses, certificate.proof)
    except rup.ProofError as error:
        return Check(False, str(error))
    return Check(True, "", derived)


def _marks(puzzle: Puzzle) -> tuple[str, ...] | None:
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
        sets = (set(_symbols(model, line)) for line in certificate.marks)
        marks = [sum(1 << at[symbol] for symbol in some if symbol in at) for some in sets]
    return Puzzle(model, tuple(at.get(symbol) for symbol in givens), tuple(marks))


def _symbols(model: Model, line: str) -> list[str]:
    return list(line) if all(len(symbol) == 1 for symbol in model.symbols) else line.split()


def _places(model: Model, line: str) -> list[int]:
    """The places of the values on a line, what is no symbol left out."""
    at = {symbol: place for place, symbol in enumerate(model.symbols)}
    return [at[symbol] for symbol in _symbols(model, line) if symbol in at]


# -- proofs ------------------------------------------------------------------------------------------------------------


def _solver_proof(n_variables: int, clauses: list[Clause], prover: str, limits: Limits) -> list[str] | None:
    """A proof by a solver of PySAT, or None when the clauses can be satisfied or a limit came first."""
    if any(not clause for clause in clauses):
        return ["0"]  # PySAT does not take an empty clause
    from nonant.csp.backends import sat

    solver = sat.SlicedSolver(prover, clauses, with_proof=True)
    if solver.solve((), sat.Budget(limits), Progress()).satisfiable is not False:
        return None
    lines = [line.strip() for line in solver.proof() or [] if line.strip()]
    # CaDiCaL may delete clauses after the empty one; other solvers leave it out when propagation alone finds it.
    return [*(lines[: lines.index("0")] if "0" in lines else lines), "0"]


def _native_proof(puzzle: Puzzle, solution: Sequence[int] | None) -> list[str] | None:
    """One clause a refuted node of a plain search; None where that is no proof, or a long one.

    With rules that are units alone, singles are unit propagation over the plain CNF, so that the negated decisions of
    a refuted node are RUP. The last value of a cell needs no decision: its siblings' clauses force it.
    """
    compiled, size = puzzle.model.compiled, puzzle.model.n_values
    if not compiled.units_only or compiled.infeasible is not None or not compiled.n_cells:
        return None
    searcher = Searcher(compiled)
    searcher.overlaps = ()  # locked candidates are no unit propagation
    lines: list[str] = []
    literals = 0
    # (board, decisions of the path to it); a node comes off the list after the whole of its elder sibling's subtree.
    open_nodes: list[tuple[int, Clause]] = [(searcher.board(puzzle.domains), ())]
    while open_nodes:
        board, decisions = open_nodes.pop()
        board = searcher.propagate(board)
        domains = searcher.domains(board) if board else ()
        undecided = [cell for cell, domain in enumerate(domains) if domain & (domain - 1)]
        if board and undecided:
            cell = min(undecided, key=lambda cell: domains[cell].bit_count())
            places = [at for at in range(size) if domains[cell] >> at & 1]
            whole = ((1 << size) - 1) << (cell * size)
            for at in reversed(places):
                decided = decisions if at == places[-1] else (*decisions, -(1 + cell * size + at))
                open_nodes.append((board & ~whole | 1 << (cell * size + at), decided))
            continue
        if board and (solution is None or searcher.values(board) != tuple(solution)):
            return None  # another solution: the solver will find it too
        literals += len(decisions) + 1
        if literals > MOST_LITERALS:
            return None
        lines.append(" ".join(map(str, (*decisions, 0))))
        if not decisions:
            break
    return lines


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
        fields: Any = json.loads(text)
    except RecursionError as error:
        raise ParseError("the certificate is nested too deep", expected=expected) from error
    except json.JSONDecodeError as error:
        raise ParseError(
            f"the certificate is not whole JSON: {error.msg}", line=error.lineno, column=error.colno, expected=expected
        ) from error
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


def lrat(certificate: Certificate, puzzle: Puzzle) -> str:
    """The proof in the LRAT format, for formally verified checkers.

    Raises:
        rup.ProofError: if the proof is wrong.
    """
    places = None if certificate.solution is None else _places(puzzle.model, certificate.solution)
    n_variables, clauses = plain_cnf(puzzle, places)
    return "\n".join(rup.elaborate(n_variables, clauses, certificate.proof)) + "\n"
