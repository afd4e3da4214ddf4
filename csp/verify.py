"""Does a puzzle have exactly one solution? And if not, why not.

The verdict comes with its witnesses: two solutions and the cells in which they differ; or a minimal set of givens that
already clash, with what breaks down (givens that clash in a unit, a cell or a value that propagation leaves no place,
or the rules that take part). On request UNIQUE and NONE come with a certificate (`proofs/certificate.py`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations, islice

from nonant.csp.backends.base import Backend
from nonant.csp.budget import Budget, Limits
from nonant.csp.constraints import title
from nonant.csp.model import Model, Puzzle, Unit
from nonant.csp.plain.search import Searcher
from nonant.csp.results import Solution, Uniqueness, Verdict, listed
from nonant.csp.solve import Solutions, as_puzzle, solutions


def verify(
    question: Puzzle | Model,
    *,
    backend: str | Backend = "auto",
    time_limit: float | None = None,
    node_limit: int | None = None,
    certificate: str | None = None,
    smallest: bool = False,
) -> Verdict:
    """The verdict on a puzzle.

    Args:
        question: a puzzle, or a model without givens.
        backend, time_limit, node_limit: as in `nonant.csp.solve.solutions`; the time is for the whole.
        certificate: for UNIQUE and NONE, who proves it: "native" or the name of a PySAT solver that writes proofs,
            e.g. "cadical195". None: no certificate.
        smallest: for NONE, look for a conflict with as few givens as possible.

    Raises:
        BackendUnavailable, Unsupported: if the backend cannot be used, or the rules are too large for a certificate.
    """
    budget = Budget.within(time_limit)
    puzzle = as_puzzle(question)
    run = Solutions(puzzle, backend, None, time_limit, node_limit, any_order=node_limit is None)
    found = tuple(islice(run, 2))  # two settle it: the search need not learn whether there is a third
    left = budget.left()
    conflict: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    if len(found) == 2:
        verdict, message = Uniqueness.MULTIPLE, ""
    elif run.complete and found:
        verdict, message = Uniqueness.UNIQUE, "exactly one solution"
    elif run.complete:
        verdict = Uniqueness.NONE
        conflict, rules, message = reason_for_none(puzzle, smallest, left)
    else:
        verdict = Uniqueness.UNKNOWN
        seen = "one solution was found, a second was not ruled out" if found else "no solution was found or ruled out"
        message = f"a limit was reached: {seen}"
    proved = None
    if certificate is not None and verdict in (Uniqueness.UNIQUE, Uniqueness.NONE):
        from nonant.csp.proofs.certify import certify

        proved = certify(puzzle, found[0].places if found else None, certificate, left)
    return Verdict(
        verdict=verdict,
        conflict=conflict,
        rules=rules,
        certificate=proved,
        backend=run.backend,
        build_s=run.build_s,
        solve_s=run.solve_s,
        nodes=run.nodes,
        reason=message,
        witnesses=partial(_witnesses, puzzle, backend, time_limit, found, run.in_order),
    )


def _witnesses(
    puzzle: Puzzle, backend: str | Backend, time_limit: float | None, found: tuple[Solution, ...], in_order: bool
) -> tuple[Solution, ...]:
    """The solutions found; of two or more the first two in the order of `solutions`, if the time is enough for them."""
    if in_order or len(found) < 2:
        return found
    first = tuple(islice(solutions(puzzle, backend=backend, time_limit=time_limit), 2))
    return first if len(first) == 2 else found


# -- why there is none -------------------------------------------------------------------------------------------------


def reason_for_none(puzzle: Puzzle, smallest: bool, limits: Limits) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """For a puzzle without solutions: the cells of a conflict, the rules that it breaks by name, and a sentence.

    The cells are a minimal set of givens that clash: without any one of them the rest has a solution. Where the rules
    and pencil marks alone have none, no given is among them, only cells that are left without a value, if propagation
    finds some; and the rules are a minimal set of those that clash.
    """
    if puzzle.model.compiled.infeasible is not None:
        return (), (), f"no solution: {puzzle.model.compiled.infeasible}"
    twins = _twins(puzzle)
    cells, sentence = (
        twins
        or _broken_constraint(puzzle)
        or _no_value_left(puzzle)
        or _odd_sum(puzzle)
        or _dead_end(puzzle)
        or ((), "")
    )
    reasons = [sentence] if sentence else []
    from nonant.csp.conflict import minimal_conflict

    # Of two equal givens in a unit it is asked whether one of them clashes alone, or the rules do.
    asked = puzzle if twins is None else _only(puzzle, twins[0])
    clash = minimal_conflict(asked, smallest, limits)
    if clash is None:
        return cells, (), "no solution: " + (sentence or "the search ended without one")
    broken = listed(clash.constraints, 12, " and ")
    rules = f", by {broken}" if broken else ""
    marks = f", with the pencil marks of {listed(clash.marks, 12)}" if clash.marks else ""
    if not clash.cells:
        given = {name for name, value in zip(puzzle.model.names, puzzle.givens, strict=True) if value is not None}
        about_givens = not given.isdisjoint(cells)
        cells = () if about_givens else cells
        how = "cannot hold" if len(clash.constraints) == 1 else "clash"
        clashing = f"{broken} {how}{marks}" if broken else "the rules and pencil marks clash"
        reasons = [f"whatever the givens, {clashing}", *([] if about_givens else reasons)]
    elif twins is None or set(clash.cells) != set(twins[0]):
        cells = clash.cells
        known = "a smallest set" if clash.smallest else "a minimal set" if clash.minimal else "a set"
        reasons.append(f"{known} of givens that clash is {listed(cells, 20)}{rules}{marks}")
    return cells, clash.constraints, f"no solution: {'; '.join(reasons)}"


def _only(puzzle: Puzzle, cells: tuple[str, ...]) -> Puzzle:
    """The puzzle with the givens of these cells alone."""
    kept = {puzzle.model.index(cell) for cell in cells}
    return replace(puzzle, givens=tuple(value if at in kept else None for at, value in enumerate(puzzle.givens)))


def _twins(puzzle: Puzzle) -> tuple[tuple[str, ...], str] | None:
    """Two equal givens in one unit."""
    model = puzzle.model
    for constraint in model.constraints:
        if isinstance(constraint, Unit):
            values = [(place, puzzle.givens[place]) for place in model.indices(constraint)]
            given = [(place, value) for place, value in values if value is not None]
            for (first, a), (second, b) in combinations(given, 2):
                if a == b:
                    one, other = model.names[first], model.names[second]
                    name = constraint.name or constraint.kind
                    return (one, other), f"{one} and {other} are both {model.symbols[a]} in {name}"
    return None


def _broken_constraint(puzzle: Puzzle) -> tuple[tuple[str, ...], str] | None:
    """A constraint whose cells are all given and break it."""
    model = puzzle.model
    for constraint in model.constraints:
        places = model.indices(constraint)
        values = [model.values[value] for place in places if (value := puzzle.givens[place]) is not None]
        if places and len(values) == len(places) and not constraint.holds(values):
            cells = tuple(model.names[place] for place in dict.fromkeys(places))
            return cells, f"the givens {listed(cells)} break {title(constraint)}"
    return None


def _no_value_left(puzzle: Puzzle) -> tuple[tuple[str, ...], str] | None:
    """A cell whose pencil marks, the rules and the givens of its peers leave it nothing."""
    model, compiled = puzzle.model, puzzle.model.compiled
    for cell, (domain, own) in enumerate(zip(puzzle.domains, compiled.domains, strict=True)):
        taken = 0
        for peer in compiled.peers[cell]:
            value = puzzle.givens[peer]
            taken |= 0 if value is None else 1 << value
        if not domain & own & ~taken:
            return (model.names[cell],), f"{model.names[cell]} has no value left"
    return None


def _odd_sum(puzzle: Puzzle) -> tuple[tuple[str, ...], str] | None:
    """Parity constraints (and full units) whose equations add up to 0 = 1, or None."""
    compiled = puzzle.model.compiled
    if not compiled.parities:
        return None
    from nonant.csp.algebra.parities import parities

    contradiction = parities(puzzle.model, compiled.once(Searcher).board(puzzle.domains)).contradiction
    if contradiction is None:
        return None
    return (), f"the equations {listed(tuple(equation.name for equation in contradiction))} add up to 0 = 1"


def _dead_end(puzzle: Puzzle) -> tuple[tuple[str, ...], str] | None:
    """What propagation breaks down at, or None."""
    model, compiled = puzzle.model, puzzle.model.compiled
    searcher = compiled.once(Searcher)
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
        "same value": f"{listed(cells)} would both be {symbol} in {unit}",
        "constraint": f"a constraint over {listed(cells)} cannot be satisfied any more",
    }
    return cells, reasons[end.kind]
