"""Making certificates: our own plain search, or a solver of PySAT, finds the proof; `certificate.py` checks it.

Who only checks never imports this.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from nonant.csp.backends.base import Limits, Progress
from nonant.csp.budget import Budget
from nonant.csp.model import Puzzle, line_of
from nonant.csp.plain.search import Searcher
from nonant.csp.proofs.certificate import Certificate, marks_of
from nonant.csp.proofs.cnf import Clause, dimacs, plain_cnf

MOST_LITERALS = 200_000  # in a proof of our own search; longer ones are left to CaDiCaL


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
        marks=marks_of(puzzle),
        solution=None if solution is None else line_of(puzzle.model, solution),
        cnf_sha256=sha256(dimacs(n_variables, clauses).encode()).hexdigest(),
        proof=tuple(lines),
        prover=prover,
    )


def _solver_proof(n_variables: int, clauses: list[Clause], prover: str, limits: Limits) -> list[str] | None:
    """A proof by a solver of PySAT, or None when the clauses can be satisfied or a limit came first."""
    if any(not clause for clause in clauses):
        return ["0"]  # PySAT does not take an empty clause
    from nonant.csp.backends import sat

    solver = sat.SlicedSolver(prover, clauses, with_proof=True)
    if solver.solve((), Budget.of(limits), Progress()).satisfiable is not False:
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
