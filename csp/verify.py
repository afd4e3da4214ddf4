"""Does a puzzle have exactly one solution? And if not, why not.

The verdict comes with its witnesses: two solutions and the cells in which they differ, or what shows that there is
none. The cheapest reason is looked for first: givens that clash in a constraint, then a cell or a value that
propagation leaves no place; only then the search is the reason.
"""

from __future__ import annotations

from itertools import combinations, islice

from nonant.csp.backends.base import Backend
from nonant.csp.model import Model, Puzzle, Unit
from nonant.csp.results import Solution, Uniqueness, Verdict
from nonant.csp.solve import as_puzzle, solutions


def verify(
    question: Puzzle | Model,
    *,
    backend: str | Backend = "auto",
    time_limit: float | None = None,
    node_limit: int | None = None,
) -> Verdict:
    """The verdict on a puzzle; see `nonant.csp.solve.solutions` for the arguments."""
    puzzle = as_puzzle(question)
    run = solutions(puzzle, backend=backend, time_limit=time_limit, node_limit=node_limit)
    found = tuple(islice(run, 2))  # two settle it: the search need not learn whether there is a third
    differs: tuple[str, ...] = ()
    conflict: tuple[str, ...] = ()
    if len(found) == 2:
        verdict = Uniqueness.MULTIPLE
        differs = differing(*found)
        where = _listed(differs)
        message = f"more than one solution; two of them differ in {where}"
    elif run.complete and found:
        verdict, message = Uniqueness.UNIQUE, "exactly one solution"
    elif run.complete:
        verdict = Uniqueness.NONE
        conflict, message = reason_for_none(puzzle)
        message = f"no solution: {message or f'the search ended after {run.nodes} branchings without one'}"
    else:
        verdict = Uniqueness.UNKNOWN
        seen = "one solution was found, a second was not ruled out" if found else "no solution was found or ruled out"
        message = f"a limit was reached: {seen}"
    return Verdict(verdict, found, differs, conflict, message, run.backend, run.build_s, run.solve_s, run.nodes)


def differing(first: Solution, second: Solution) -> tuple[str, ...]:
    """The names of the cells in which two solutions of one model differ."""
    pairs = zip(first.model.names, first.places, second.places, strict=True)
    return tuple(name for name, a, b in pairs if a != b)


def _listed(names: tuple[str, ...], most: int = 8) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more cells"


def reason_for_none(puzzle: Puzzle) -> tuple[tuple[str, ...], str]:
    """The cells that show why a puzzle without solutions has none, and a sentence; empty where only search shows it."""
    return clashing_givens(puzzle) or _dead_end(puzzle) or ((), "")


def clashing_givens(puzzle: Puzzle) -> tuple[tuple[str, ...], str] | None:
    """Givens that break a constraint by themselves, or None."""
    model, compiled = puzzle.model, puzzle.model.compiled
    if compiled.infeasible is not None:
        return (), compiled.infeasible
    for cell, domain in enumerate(puzzle.domains):
        if not domain:
            return (model.names[cell],), f"{model.names[cell]} has no value left"
        taken = 0
        for peer in compiled.peers[cell]:
            value = puzzle.givens[peer]
            taken |= 0 if value is None else 1 << value
        if puzzle.givens[cell] is None and not domain & ~taken:
            return (model.names[cell],), f"{model.names[cell]} has no value left: its peers have them all"
    for constraint in model.constraints:
        places = model.indices(constraint)
        givens = [puzzle.givens[place] for place in places]
        name = getattr(constraint, "name", "") or type(constraint).__name__
        if isinstance(constraint, Unit):
            given = [(place, value) for place, value in zip(places, givens, strict=True) if value is not None]
            for (first, a), (second, b) in combinations(given, 2):
                if a == b:
                    one, other = model.names[first], model.names[second]
                    return (one, other), f"{one} and {other} are both {model.symbols[a]} in {name}"
        elif places and None not in givens:
            values = [model.values[value] for value in givens if value is not None]
            if not constraint.holds(values):
                cells = tuple(model.names[place] for place in dict.fromkeys(places))
                return cells, f"the givens {_listed(cells)} break {name}"
    return None


def _dead_end(puzzle: Puzzle) -> tuple[tuple[str, ...], str] | None:
    """What propagation breaks down at, or None."""
    model, compiled = puzzle.model, puzzle.model.compiled
    searcher = compiled.searcher
    end = searcher.dead_end(searcher.board(puzzle.domains))
    if end is None:
        return None
    cells = tuple(model.names[cell] for cell in end.cells)
    unit = "" if end.unit is None else compiled.unit_names[end.unit]
    symbol = "" if end.value is None else model.symbols[end.value]
    reasons = {
        "cell": f"{cells[0]} has no value left",
        "value": f"{symbol} has no place left in {unit}",
        "two values": f"{cells[0]} would need two values at once",
        "same value": f"{_listed(cells)} would both be {symbol} in {unit}",
        "constraint": f"a constraint over {_listed(cells)} cannot be satisfied any more",
    }
    return cells, reasons[end.kind]
