"""Braids that use the model's other constraints: sums, relations, comparisons, parities.

Assume a candidate; follow singles as far as they go (`refute.follow`); let one constraint exclude what it can, given
what is false by now; and go on, until a truth is empty. Each item of the proof is a truth, or a constraint with what it
excludes; the checker goes through the constraint's tuples on the board that is left at that point.
"""

from __future__ import annotations

from collections.abc import Iterator

from nonant.csp.masks import bits
from nonant.csp.proofs.records import Constraints, Refutation
from nonant.strategies.board import Board
from nonant.strategies.definition import UNLIKE_UNITS, Technique
from nonant.strategies.refutations.refute import REFUTED, all_truths, assume, follow, step_of, trimmed
from nonant.strategies.step import Step
from nonant.strategies.techniques.algebra import rulings


def find(board: Board, technique: Technique) -> Iterator[Step]:
    """Refutations with constraints, candidates of the fullest cells first: each found, not only the shortest."""
    if not rulings(board.model):
        return
    size = board.model.n_values
    for candidate in sorted(bits(board.open), key=lambda one: (board.cells[one // size].bit_count(), one)):
        proof = refutation(board, candidate)
        if proof is not None:
            yield step_of(board, technique, proof)


def refutation(board: Board, candidate: int) -> Refutation | None:
    """The refutation of a candidate by truths and constraints, without what it does not need; None if there is none."""
    truths, trace = all_truths(board), assume(board, candidate)
    while True:
        last = follow(board, trace, truths, False)
        if last is not None:
            places, _ = trimmed(board.sets, board, trace, last)
            return Refutation(candidate, (*(trace.items[place] for place in places), last))
        left = board.live & ~trace.dead
        for ruling in rulings(board.model):
            gone = ruling.removes(left) & left & ruling.inside
            if gone:
                killers = (trace.killer[one] for one in bits(trace.dead & board.live & ruling.inside))
                trace.needs[len(trace.items)] = {place for place in killers if place >= 0}
                trace.items.append(Constraints(ruling.rules, tuple(bits(gone))))
                trace.kill(gone)
                break
        else:
            return None


TECHNIQUES = (Technique("constraint braid", 9, UNLIKE_UNITS, find, REFUTED, (), "D. Berthier"),)
