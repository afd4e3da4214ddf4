"""What can be said for a move without a proof: its technique is found again, or what it removes is refuted.

Either way `nonant.csp.proofs.check` checks what was found. Nothing here solves, and nothing looks at a solution.
"""

from __future__ import annotations

from nonant.csp.masks import bits, mask_of
from nonant.csp.proofs.check import check
from nonant.csp.proofs.effort import Effort
from nonant.csp.proofs.records import Cover, ProofError, Refutation
from nonant.csp.proofs.sets import Sets
from nonant.spn.board import camel
from nonant.strategies.board import Board
from nonant.strategies.table import each

SEARCH = 5_000  # operations that are counted for a technique's search, times its level
FOUND, REFUTED, CONSISTENT = "found", "refuted", "consistent"
PATTERNS = 8  # the highest level of techniques that are searched for; what is above is refuted here anyway


def justified(board: Board, technique: str, placed: int, removed: int, effort: Effort) -> tuple[str, bool]:
    """How a move was borne out ("found", "refuted", or only "consistent"), and whether that assumes a unique solution.

    Args:
        board: the candidates before the move.
        technique: what the move names, in CamelCase.
        placed: the candidates that it writes in, as a mask.
        removed: all that it removes, what the placed exclude included.
        effort: what is left of the operations that all this may take.
    """
    found = _found_again(board, technique, placed, removed, effort)
    if found is not None:
        return FOUND, found
    return (REFUTED if _all_refuted(board, placed, removed, effort) else CONSISTENT), False


def _found_again(board: Board, technique: str, placed: int, removed: int, effort: Effort) -> bool | None:
    """Whether steps of the technique that the move names do all that it does, and assume a unique solution; or None."""
    wanted = technique.partition("[")[0].casefold()
    known = next((one for one in each() if camel(one.name).casefold() == wanted), None)
    if known is None or known.level > PATTERNS:
        return None
    effort.spend(SEARCH * known.level * (1 + board.live.bit_count() >> 8))
    left, due, unique = removed, placed, False
    for step in known.find(board):
        does = mask_of(step.places)
        if not (step.removed & left or does & due):
            continue
        try:
            left &= ~check(board.model, board.live, step.proof, board.domains, effort)
        except ProofError:
            continue  # a bug of the technique, or a sum over too many cells: neither is the path's fault
        due &= ~does
        unique = unique or step.assumes_unique
        if not (left or due):
            return unique
    return None


def _all_refuted(board: Board, placed: int, removed: int, effort: Effort) -> bool:
    """Whether forced placements refute all that goes: for what is placed, the others of one of its truths."""
    sets, live = board.sets, board.live
    known: dict[int, bool] = {}

    def refuted(candidate: int) -> bool:
        if candidate not in known:
            proof = _refutation(sets, board.live, candidate, effort)
            try:
                known[candidate] = proof is not None and bool(check(board.model, board.live, proof, None, effort))
            except ProofError:
                known[candidate] = False
        return known[candidate]

    for candidate in bits(placed):
        others = [
            sets.masks[one] & board.live & ~(1 << candidate) for one in sets.links_of(candidate) if sets.is_truth[one]
        ]
        chosen = next((some for some in sorted(others, key=int.bit_count) if all(map(refuted, bits(some)))), None)
        if chosen is None:
            return False
        live &= ~chosen
        truth = next(
            one for one in sets.links_of(candidate) if sets.is_truth[one] and live & sets.masks[one] == 1 << candidate
        )
        links = sets.links_of(candidate)
        follows = sets.peers[candidate] & live
        live &= ~check(board.model, live, Cover((truth,) * len(links), links, tuple(bits(follows))), None, effort)
    return all(map(refuted, bits(removed & live)))


def _refutation(sets: Sets, live: int, assumed: int, effort: Effort) -> Refutation | None:
    """Forced placements from a candidate to an emptied truth, or None."""
    dead, items = sets.peers[assumed], list[int]()
    changed = True
    while changed:
        changed = False
        effort.spend(len(sets.masks))
        for number, mask in enumerate(sets.masks):
            left = mask & live & ~dead
            if left & (left - 1) or not sets.is_truth[number]:
                continue
            if not left:
                return Refutation(assumed, (*items, number))
            more = sets.peers[left.bit_length() - 1] & live & ~dead
            if more:
                items.append(number)
                dead |= more
                changed = True
    return None
