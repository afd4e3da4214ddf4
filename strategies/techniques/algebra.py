"""Deductions that are not about two sets at a time: rank-0 set logic, parity, and the model's other constraints.

*Multi-sector locked sets* (rank 0): all open cells where some units of one class of lines cross some of another. Each
value there lies in so many of the first units and so many of the second; the fewer of the two are enough links. If the
links are no more than the cells, they are all full. An SK-loop is a case.

*Parity*: of each truth an odd number holds; `csp/algebra/parities.py` adds such equations until one or two candidates
are left.

*Constraint*: a sum, relation, comparison or parity of the model, for which no tuple of the candidates left has the
removed ones (`csp/plain/propagators.py` finds them, the checker goes through the tuples).

Sources: multi-sector locked sets by D. P. Bird and others (2013); SK-loops by S. Kurzhals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from nonant.csp.algebra.parities import Equation, eliminate
from nonant.csp.masks import bits
from nonant.csp.model import Constraint, Model, Parity, Sum, Unit
from nonant.csp.plain.propagators import Propagator, one_by_one
from nonant.csp.proofs.records import Constraints, ParitySum
from nonant.strategies.board import Board
from nonant.strategies.definition import FULL, GRID, PATTERN, UNLIKE_UNITS, Technique
from nonant.strategies.sentences import cell_names, listed, not_these
from nonant.strategies.step import Step
from nonant.strategies.techniques.covers import full_cover


def locked_sectors(board: Board, technique: Technique, most: int) -> Iterator[Step]:
    """Multi-sector locked sets over two to `most` units of each of two crossing classes."""
    layout, size, first = board.layout, board.model.n_values, board.model.n_cells
    solved = board.solved_cells
    for one, other in combinations(sorted(layout.lines), 2):
        crossing = {
            (a, b): (layout.columns[a] & layout.columns[b]).bit_length() // size
            for a in layout.classes[one]
            for b in layout.classes[other]
        }
        for rows in (rows for number in range(2, most + 1) for rows in combinations(layout.classes[one], number)):
            # For each unit of the other class: the open cells that it shares with the rows, and their values.
            for columns in (
                some for number in range(2, most + 1) for some in combinations(layout.classes[other], number)
            ):
                in_rows, in_columns, cells = dict.fromkeys(range(size), 0), dict.fromkeys(range(size), 0), []
                by_column = dict.fromkeys(columns, 0)
                for a in rows:
                    held = 0
                    for b in columns:
                        cell = crossing[a, b]
                        if not solved >> (cell * size) & 1:
                            cells.append(cell)
                            held |= board.cells[cell]
                            by_column[b] |= board.cells[cell]
                    for value in bits(held):
                        in_rows[value] += 1
                for held in by_column.values():
                    for value in bits(held):
                        in_columns[value] += 1
                if sum(map(min, in_rows.values(), in_columns.values())) > len(cells) or len(cells) < 5:
                    continue
                links: list[int] = []
                for value in range(size):
                    units = rows if in_rows[value] <= in_columns[value] else columns
                    for unit in units:
                        if any(board.cells[cell] >> value & 1 for cell in cells if cell in layout.units[unit]):
                            links.append(first + unit * size + value)
                proof = full_cover(board.sets, board.live, cells, links)
                if proof is not None:
                    removes = proof.removes
                    above, across = (listed(layout.names[unit] for unit in units) for units in (rows, columns))
                    reason = technique.reason.format(
                        pattern=f"the {len(cells)} open cells where {above} cross {across} need all {len(links)} links",
                        removes=not_these(board, removes),
                    )
                    yield Step(technique.name, (), removes, proof, reason, tuple(cells), rows + columns)


def parity(board: Board, technique: Technique, of_truths: bool) -> Iterator[Step]:
    """All that sums of parities decide or link; where a model states none, only if those of truths are asked for."""
    model, sets = board.model, board.sets
    if not model.compiled.parities and not of_truths:
        return
    equations: list[Equation] = []
    premises: dict[str, tuple[int | None, int | None]] = {}  # name -> (truth, or place of a parity)
    for number, mask in enumerate(sets.masks):
        if sets.is_truth[number]:
            equations.append(Equation(f"t{number}", mask & board.live, True))
            premises[f"t{number}"] = (number, None)
    for place, rule in enumerate(model.constraints):
        if isinstance(rule, Parity):
            odd = 0
            for cell in model.indices(rule):
                odd ^= model.compiled.odd_mask << (cell * sets.size)
            equations.append(Equation(f"p{place}", odd & board.live, rule.odd))
            premises[f"p{place}"] = (None, place)
    found = eliminate(equations)
    consequences: list[tuple[int, tuple[Equation, ...]]] = []
    for forced in found.forced:
        gone = sets.peers[forced.candidate] if forced.true else 1 << forced.candidate
        consequences.append((gone & board.live, forced.summed))
    for linked in found.linked:
        one, other = sets.peers[linked.first], sets.peers[linked.second]
        pair = 1 << linked.first | 1 << linked.second
        gone = (pair if one >> linked.second & 1 else 0) if linked.same else one & other
        consequences.append((gone & board.live, linked.summed))
    for gone, summed in consequences:
        if gone and len(summed) > 1:
            named = [premises[equation.name] for equation in summed]
            truths = tuple(number for number, _ in named if number is not None)
            parities = tuple(place for _, place in named if place is not None)
            removes = tuple(bits(gone))
            reason = technique.reason.format(
                pattern=f"the sum of {len(summed)} parities leaves no more than two candidates",
                removes=not_these(board, removes),
            )
            yield Step(technique.name, (), removes, ParitySum(truths, parities, removes), reason)


def _meant(model: Model, rule: Constraint) -> frozenset[int]:
    """The cells that a constraint is about: not those whose weights in a sum, or whose places in a parity, cancel."""
    cells = model.indices(rule)
    total = Counter[int]()
    if isinstance(rule, Sum):
        for cell, weight in zip(cells, rule.weights, strict=True):
            total[cell] += weight
        return frozenset(cell for cell in cells if total[cell])
    if isinstance(rule, Parity):
        total.update(cells)
        return frozenset(cell for cell in cells if total[cell] % 2)
    return frozenset(cells)


@dataclass(frozen=True)
class Ruling:
    """A constraint that is no unit, as a deduction.

    Attributes:
        removes: from a board to the candidates that the constraint excludes, as `csp/plain/propagators.py` finds them.
        inside: all candidates of its cells; outside of them a propagator's answer means that there is no tuple at all.
        cells: its cells. rules: the constraints that a proof names: itself, and the units that hold some of its cells.
    """

    removes: Propagator
    inside: int
    cells: tuple[int, ...]
    rules: tuple[int, ...]


# Frozen values of frozen models, and bounded, since models may come from a stream of region maps.
@lru_cache(maxsize=64)
def rulings(model: Model) -> tuple[Ruling, ...]:
    """The constraints of a model that are no units."""
    compiled, size = model.compiled, model.n_values
    scope_of = [_meant(model, rule) for rule in model.constraints]
    found = []
    for removes, scope in zip(one_by_one(compiled), compiled.scopes, strict=True):
        cells = frozenset(scope)
        rules = tuple(
            place
            for place, rule in enumerate(model.constraints)
            if (len(scope_of[place] & cells) > 1 if isinstance(rule, Unit) else scope_of[place] == cells)
        )
        inside = sum((1 << size) - 1 << (cell * size) for cell in cells)
        found.append(Ruling(removes, inside, tuple(sorted(cells)), rules))
    return tuple(found)


def constraint(board: Board, technique: Technique) -> Iterator[Step]:
    """What each constraint that is no unit excludes by itself (with the units that hold some of its cells)."""
    model = board.model
    for ruling in rulings(model):
        gone = ruling.removes(board.live) & board.live & ruling.inside
        if not gone:
            continue
        removes = tuple(bits(gone))
        named = (rule for rule in (model.constraints[place] for place in ruling.rules) if not isinstance(rule, Unit))
        names = dict.fromkeys(getattr(rule, "name", "") for rule in named)
        pattern = f"{listed(name for name in names if name) or 'a constraint'} over {cell_names(board, ruling.cells)}"
        reason = technique.reason.format(pattern=pattern, removes=not_these(board, removes))
        yield Step(technique.name, (), removes, Constraints(ruling.rules, removes), reason, ruling.cells)


TECHNIQUES = (
    Technique(
        "constraint",
        2,
        UNLIKE_UNITS,
        constraint,
        "{pattern} allows no tuple with it, so {removes}",
        ("Cage Combinations", "Arc Consistency"),
        "folklore",
    ),
    Technique(
        "parity",
        8,
        "parities, with the truths of cells and full units",
        parity,
        PATTERN,
        ("GF(2) Elimination",),
        "linear algebra",
        arguments=(False,),
    ),
    Technique("parity of truths", 8, FULL, parity, PATTERN, (), "linear algebra", arguments=(True,), asked=True),
    Technique(
        "multi-sector locked sets",
        8,
        GRID,
        locked_sectors,
        PATTERN,
        ("MSLS", "SK-Loop", "Rank-0 Logic"),
        "D. P. Bird",
        arguments=(4,),
        asked=True,
    ),
)
