"""Singles: a truth with one candidate left. A full house is the last open cell of a unit.

A step places the candidate and removes at once what it excludes: the truth, once for each of the candidate's links,
against these links is a cover of rank 0, so that the other members of all of them go.
"""

from __future__ import annotations

from collections.abc import Iterator

from nonant.csp.masks import bits
from nonant.csp.plain.search import Searcher
from nonant.csp.proofs.records import Cover
from nonant.strategies.board import Board
from nonant.strategies.definition import ANY, FULL, Technique
from nonant.strategies.sentences import listed
from nonant.strategies.step import Step

SINGLE = "in {units} the only place left for {value} is {cell}"


def full_house(board: Board, technique: Technique) -> Iterator[Step]:
    """A full unit with one open cell."""
    size, layout = board.model.n_values, board.layout
    left, patterns = board.open, board.model.compiled.once(Searcher).patterns
    if not patterns:
        return
    cells = patterns[0].gathered(left)[0] & patterns[0].base  # one bit for each open cell
    if not any(
        once & ~twice & cells_of.base for cells_of in patterns[1:] for once, twice in (cells_of.gathered(cells),)
    ):
        return  # no unit has just one: the look at all units at once is cheap
    for unit in range(len(layout.units)):
        if layout.full[unit]:
            column = layout.columns[unit]
            candidates = left & (column * ((1 << size) - 1))
            if candidates and candidates & (candidates - 1) == 0:
                candidate = candidates.bit_length() - 1
                truth = board.model.n_cells + unit * size + candidate % size
                yield placing(board, technique, candidate, truth, (unit,))


def hidden_single(board: Board, technique: Technique) -> Iterator[Step]:
    """A value with one place left in a full unit; one step a candidate, with all the units that say so."""
    sets, first, size = board.sets, board.model.n_cells, board.model.n_values
    units_of: dict[int, list[int]] = {}
    left = board.live & ~board.placed
    for candidate in bits(_alone(board) & left):
        cell, value = divmod(candidate, size)
        for unit in board.model.compiled.units_of[cell]:
            truth = first + unit * size + value
            if sets.is_truth[truth] and board.live & sets.masks[truth] == 1 << candidate:
                units_of.setdefault(candidate, []).append(unit)
    for candidate, units in units_of.items():
        truth = first + units[0] * size + candidate % size
        yield placing(board, technique, candidate, truth, tuple(units))


def naked_single(board: Board, technique: Technique) -> Iterator[Step]:
    """A cell with one candidate left."""
    size = board.model.n_values
    for cell, values in enumerate(board.cells):
        if values and values & (values - 1) == 0:
            candidate = cell * size + values.bit_length() - 1
            if not board.placed >> candidate & 1:
                yield placing(board, technique, candidate, cell, ())


def placing(board: Board, technique: Technique, candidate: int, truth: int, units: tuple[int, ...]) -> Step:
    """The step that writes a candidate in, since it is the last one of a truth."""
    sets = board.sets
    links = sets.links_of(candidate)
    removes = tuple(bits(sets.peers[candidate] & board.live))
    proof = Cover((truth,) * len(links), links, removes)
    cell, value = divmod(candidate, board.model.n_values)
    reason = technique.reason.format(
        value=board.model.symbols[value],
        cell=board.model.names[cell],
        units=listed(board.layout.names[unit] for unit in units),
    )
    return Step(technique.name, (candidate,), removes, proof, reason, (cell,), units)


def _alone(board: Board) -> int:
    """The candidates that are the only one of their value in some full unit, all units of one form at a time."""
    found = 0
    for pattern in board.model.compiled.once(Searcher).patterns[1:]:
        if pattern.full:
            once, twice = pattern.gathered(board.live)
            found |= pattern.spread(pattern.base & once & ~twice) & board.live
    return found


TECHNIQUES = (
    Technique(
        "full house",
        1,
        FULL,
        full_house,
        "{cell} is the last open cell of {units}, and {value} is missing there",
        ("Last Remaining Cell", "Full House"),
        "folklore",
    ),
    Technique("hidden single", 1, FULL, hidden_single, SINGLE, ("Cross Hatching", "Pinned Digit"), "folklore"),
    Technique(
        "naked single",
        1,
        ANY,
        naked_single,
        "{cell} has no other value left than {value}",
        ("Sole Candidate", "Singleton"),
        "folklore",
    ),
)
