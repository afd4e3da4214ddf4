"""Refutations: assume a candidate, follow what is forced to a truth without a candidate, keep only what was needed.

Whips and braids (D. Berthier, "Pattern-Based Constraint Satisfaction and Logic Puzzles") are such refutations: a list
of truths, each with one member left when its turn comes. In a *whip* every truth is touched by what the one before it
forced; a *braid* may look further back. With the prefix *g-* a truth may also be left with a group that lies in one
more link. A *nested* refutation uses other refutations, made under its assumption, as if they were eliminations.

First the whole board is propagated for each candidate, all truths of one form at a time (`plain/patterns.py`), which is
cheap and tells how many rounds a refutation needs. Only those with the fewest rounds are then worked out with reasons,
and walked back from the emptied truth to drop what it did not need: the shortest come first. Nothing here looks further
than the assumption: a branch that neither ends nor contradicts says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nonant.csp.constraints import Unit, title
from nonant.csp.masks import bits
from nonant.csp.model import Model
from nonant.csp.plain.search import Searcher
from nonant.csp.proofs.records import Constraints, Refutation
from nonant.csp.proofs.sets import Sets
from nonant.strategies import kernels
from nonant.strategies.board import Board
from nonant.strategies.definition import FULL, PATTERN, Technique
from nonant.strategies.sentences import listed, not_these
from nonant.strategies.step import Step
from nonant.strategies.techniques.covers import seen_by_all

REFUTED = "if {candidate}, then {chain} force one after another that {end} has no candidate left, so {removes}"

NEVER = 1_000_000
Item = int | Refutation | Constraints


def rounds_to_end(board: Board, live: int, most: int) -> int:
    """After how many rounds of singles some truth is empty; `NEVER` where that is not in `most` rounds."""
    patterns = [pattern for pattern in board.model.compiled.once(Searcher).patterns if pattern.full]
    peers, done = board.sets.peers, 0
    for round_number in range(1, most + 1):
        true = 0
        for pattern in patterns:
            once, twice = pattern.gathered(live)
            if pattern.base & ~once:
                return round_number
            alone = pattern.base & ~twice
            if alone:
                true |= pattern.spread(alone) & live
        true &= ~done
        if not true:
            return NEVER
        done |= true
        for candidate in bits(true):
            live &= ~peers[candidate]
    return NEVER


def rounds_of_all(board: Board) -> dict[int, int]:
    """The rounds of each open candidate; those that need two more than the fewest may be told as `NEVER`."""
    candidates = list(bits(board.open))
    kernel = kernels.loaded("rounds")
    if kernel is not None:
        return dict(zip(candidates, kernel.rounds_of(board.model, board.live, candidates, NEVER), strict=True))
    fewest, rounds = NEVER, dict[int, int]()
    for candidate in candidates:
        rounds[candidate] = rounds_to_end(board, board.live & ~board.sets.peers[candidate], fewest + 1)
        fewest = min(fewest, rounds[candidate])
    return rounds


@dataclass
class Trace:
    """What an assumption forces, with reasons: items in order, and for each dead candidate the item that killed it.

    Attributes:
        dead: the candidates that are false under the assumptions.
        items: the truths used, or inner refutations, or constraints.
        needs: for each item that is no truth (by its place in `items`) the places of the items that it leans on.
        killer: dead candidate -> place of its item; -1 for the assumption.
    """

    dead: int
    items: list[Item]
    needs: dict[int, set[int]]
    killer: dict[int, int]

    def kill(self, mask: int) -> None:
        """Note that the last item (the assumption, before there is one) makes these false."""
        new = mask & ~self.dead
        self.dead |= new
        for candidate in bits(new):
            self.killer[candidate] = len(self.items) - 1

    def copy(self) -> Trace:
        """A trace to go on with separately."""
        return Trace(self.dead, list(self.items), dict(self.needs), dict(self.killer))


def assume(board: Board, candidate: int) -> Trace:
    """The trace of one assumption."""
    trace = Trace(0, [], {}, {})
    trace.kill(board.sets.peers[candidate] & board.live)
    return trace


def follow(board: Board, trace: Trace, truths: Iterable[int], groups: bool, extra: int = 0) -> int | None:
    """Add items until a truth is empty, and return that truth; None when nothing more is forced.

    Args:
        board: the board.
        trace: the assumption; it is changed.
        truths: the truths that may be used.
        groups: whether a truth may be left with a group.
        extra: the candidates of the guard of a uniqueness pattern, the truth numbered `Sets.guard`.
    """
    sets, live = board.sets, board.live
    open_truths = {number: (extra if number == sets.guard else sets.masks[number]) & live for number in truths}
    while True:
        found, grouped = [], []
        for number, members in open_truths.items():
            left = members & ~trace.dead
            if left & (left - 1) == 0:
                if not left:
                    return number
                found.append((number, left))
            elif groups and left != members and left.bit_count() <= 4:
                grouped.append((number, left))
        moved = False
        for number, left in found:
            open_truths.pop(number)
            if not left & ~trace.dead:
                return number
            gone = sets.peers[left.bit_length() - 1] & live & ~trace.dead
            if gone:
                trace.items.append(number)
                trace.kill(gone)
                moved = True
        if moved:
            continue
        for number, left in grouped:
            gone = seen_by_all(sets, left) & live & ~trace.dead
            if gone:
                trace.items.append(number)
                trace.kill(gone)
                moved = True
                break
        if not moved:
            return None


def trimmed(
    sets: Sets, board: Board, trace: Trace, last: int, start: int = 0, extra: int = 0
) -> tuple[list[int], set[int]]:
    """The places of the items from `start` on that an empty truth needs, and of the earlier ones that it leans on."""
    needed: set[int] = set()

    def want(truth: int, before: int) -> None:
        members = (extra if truth == sets.guard else sets.masks[truth]) & board.live & trace.dead
        for candidate in bits(members):
            if -1 < trace.killer[candidate] < before:
                needed.add(trace.killer[candidate])

    want(last, len(trace.items))
    for place in reversed(range(len(trace.items))):
        if place in needed:
            item = trace.items[place]
            if not isinstance(item, int):
                needed |= trace.needs[place]
            else:
                want(item, place)
    return [place for place in sorted(needed) if place >= start], {place for place in needed if place < start}


def refutation(
    board: Board, candidate: int, truths: Iterable[int], groups: bool = False, extra: int = 0
) -> Refutation | None:
    """The refutation of a candidate by some truths, without what it does not need; None if there is none."""
    trace = assume(board, candidate)
    last = follow(board, trace, truths, groups, extra)
    if last is None:
        return None
    places, _ = trimmed(board.sets, board, trace, last, 0, extra)
    return Refutation(candidate, (*(trace.items[place] for place in places), last))


def all_truths(board: Board) -> list[int]:
    """The truths that are not settled."""
    sets = board.sets
    return [
        number
        for number, mask in enumerate(sets.masks)
        if sets.is_truth[number] and (mask & board.live).bit_count() > 1
    ]


def shortest(board: Board, groups: bool) -> list[Refutation]:
    """Refutations of depth 1: of the candidates that need the fewest rounds (or one more), the shortest first."""
    if not may_force(board, 0, 4 if groups else 1):
        return []
    kernel = kernels.loaded("forcing")
    if groups:
        asked = list(bits(board.open))
    else:
        rounds = rounds_of_all(board)
        fewest = min(rounds.values(), default=NEVER)
        asked = [candidate for candidate, needs in rounds.items() if needs <= fewest + 1 and needs < NEVER]
    if kernel is not None:
        found: list[Refutation] = kernel.refutations(board, asked, groups)
    else:
        truths = all_truths(board)
        tried = (refutation(board, candidate, truths, groups) for candidate in asked)
        found = [refuted for refuted in tried if refuted is not None]
    found.sort(key=lambda proof: len(proof.items))
    return found


def plain(board: Board) -> list[Refutation]:
    """Refutations by single candidates."""
    return shortest(board, False)


def with_groups(board: Board) -> list[Refutation]:
    """Refutations that use groups too."""
    return shortest(board, True)


def find(board: Board, technique: Technique, groups: bool, whip: bool) -> Iterator[Step]:
    """Whips or else braids, with groups g-whips or g-braids."""
    search = with_groups if groups else plain
    found = board.once(f"refutations: {groups}", search)
    most = len(found[0].items) + 2 if found else 0
    for proof in found:
        if len(proof.items) <= most and is_whip(board, proof) == whip:
            yield step_of(board, technique, proof)


def nested(board: Board, technique: Technique, depth: int) -> Iterator[Step]:
    """A refutation that uses inner refutations below this depth: the first one found, not the shortest."""
    size = board.model.n_values
    order = sorted(bits(board.open), key=lambda candidate: (board.cells[candidate // size].bit_count(), candidate))
    kernel = kernels.loaded("forcing")
    if kernel is not None and depth == 2:
        proof: Refutation | None = kernel.nested(board, order, most_excluded(board.model))
    else:
        proofs = (refute_nested(board, candidate, depth) for candidate in order)
        proof = next((one for one in proofs if one is not None), None)
    if proof is not None:
        yield step_of(board, technique, proof)


def forcing(board: Board, technique: Technique) -> Iterator[Step]:
    """A truth whose every member forces the same candidates away, the truths with the fewest members first.

    The proof assumes the candidate, refutes each member of the truth under it, and ends with the truth.
    """
    sets, candidates = board.sets, list(bits(board.open))
    kernel = kernels.loaded("forcing")
    if kernel is not None:
        forced = dict(zip(candidates, kernel.consequences(board, candidates), strict=True))
    else:
        forced = {candidate: consequences(board, candidate) for candidate in candidates}
    truths = all_truths(board)
    for truth in sorted(truths, key=lambda number: (sets.masks[number] & board.live).bit_count()):
        members = list(bits(sets.masks[truth] & board.live))
        common = board.open
        for member in members:
            common &= forced.get(member, 0)
        for victim in bits(common):
            trace = assume(board, victim)
            made = (
                inner_refutation(board, trace, member, truths, 1, 1 << victim)
                for member in members
                if not trace.dead >> member & 1
            )
            items = [one[0] for one in made if one is not None]
            proof = Refutation(victim, (*items, truth))
            reason = technique.reason.format(
                pattern=f"each candidate of {sets.names[truth]} forces it",
                removes=not_these(board, proof.removes),
            )
            cells = tuple(dict.fromkeys(one // board.model.n_values for one in (victim, *members)))
            yield Step(technique.name, (), proof.removes, proof, reason, cells)


def consequences(board: Board, candidate: int) -> int:
    """What becomes false when a candidate holds, as far as singles tell; all candidates where that is contradictory."""
    trace = assume(board, candidate)
    return board.live if follow(board, trace, all_truths(board), False) is not None else trace.dead


# Frozen values of frozen models, and bounded, since models may come from a stream of region maps.
@lru_cache(maxsize=64)
def most_excluded(model: Model) -> int:
    """How many members of one truth a single candidate outside of it can exclude: three in a classic grid."""
    # Of a cell it excludes one value; of a value in a unit, the places that share another unit with its cell.
    compiled = model.compiled
    peers = [frozenset(some) for some in compiled.peers]
    most = 1
    for unit, full in zip(compiled.units, compiled.full, strict=True):
        if full:
            cells = frozenset(unit)
            near = frozenset[int]().union(*(peers[cell] for cell in cells)) - cells
            most = max([most, *(len(peers[cell] & cells) for cell in near)])
    return most


def may_force(board: Board, dead: int, leaving: int = 1) -> bool:
    """Whether one more assumption could leave any open truth with so few members; on an almost empty board none can."""
    live, most = board.live & ~dead, most_excluded(board.model) + leaving
    return any(1 < (board.sets.masks[number] & live).bit_count() <= most for number in all_truths(board))


def refute_nested(board: Board, candidate: int, depth: int = 2) -> Refutation | None:
    """A refutation of at most this depth of one candidate, or None."""
    truths = all_truths(board)
    trace = assume(board, candidate)
    last = _deepened(board, trace, truths, depth, 1 << candidate)
    if last is None:
        return None
    places, _ = trimmed(board.sets, board, trace, last)
    return Refutation(candidate, (*(trace.items[place] for place in places), last))


def _deepened(board: Board, trace: Trace, truths: Sequence[int], depth: int, assumed: int) -> int | None:
    """As `follow`, with inner refutations of a depth below this one as items."""
    last = follow(board, trace, truths, False)
    changed = depth > 1 and may_force(board, trace.dead)
    while last is None and changed:
        changed = False
        for inner in bits(board.open & ~trace.dead & ~assumed):
            if trace.dead >> inner & 1:
                continue
            made = inner_refutation(board, trace, inner, truths, depth - 1, assumed)
            if made is None:
                continue
            trace.needs[len(trace.items)] = made[1]
            trace.items.append(made[0])
            trace.kill(1 << inner)
            changed = True
            last = follow(board, trace, truths, False)
            if last is not None:
                break
    return last


def inner_refutation(
    board: Board, trace: Trace, inner: int, truths: Sequence[int], depth: int, assumed: int
) -> tuple[Refutation, set[int]] | None:
    """A refutation of one more candidate under a trace, with the places of the trace that it leans on; or None."""
    if depth == 1:
        live = board.live & ~trace.dead & ~board.sets.peers[inner]
        if rounds_to_end(board, live, len(truths)) == NEVER:
            return None
    below, begun = trace.copy(), len(trace.items)
    below.items.append(inner)  # the place of the inner assumption itself: nothing leans on it
    below.kill(board.sets.peers[inner] & board.live)
    end = _deepened(board, below, truths, depth, assumed | 1 << inner)
    if end is None:
        return None
    places, leans = trimmed_below(board, below, end, begun)
    return Refutation(inner, (*(below.items[place] for place in places), end)), leans


def trimmed_below(board: Board, below: Trace, last: int, begun: int) -> tuple[list[int], set[int]]:
    """As `trimmed`, for an inner trace whose assumption stands at the place `begun`."""
    sets, needed = board.sets, set[int]()

    def want(truth: int, before: int) -> None:
        for candidate in bits(sets.masks[truth] & board.live & below.dead):
            if -1 < below.killer[candidate] < before:
                needed.add(below.killer[candidate])

    want(last, len(below.items))
    for place in reversed(range(begun + 1, len(below.items))):
        item = below.items[place]
        if place in needed:
            if not isinstance(item, int):
                needed |= below.needs[place]
            else:
                want(item, place)
    return [place for place in sorted(needed) if place > begun], {place for place in needed if place < begun}


def is_whip(board: Board, proof: Refutation) -> bool:
    """Whether each truth is touched by what the one before it forced."""
    sets, live = board.sets, board.live
    dead, before = sets.peers[proof.assumes] & live, sets.peers[proof.assumes]
    for item in proof.items:
        if not isinstance(item, int):
            return False
        members = sets.masks[item] & live
        if not members & before:
            return False
        left = members & ~dead
        before = seen_by_all(sets, left) if left else 0
        dead |= before & live
    return True


def step_of(board: Board, technique: Technique, proof: Refutation) -> Step:
    """The step of a refutation."""
    names = (_item_name(board, item) for item in proof.items[:-1])
    last = proof.items[-1]
    reason = technique.reason.format(
        candidate=board.sets.candidate(proof.assumes),
        chain=listed(names),
        end=board.sets.names[last] if isinstance(last, int) else "",
        removes=not_these(board, proof.removes),
    )
    return Step(technique.name, (), proof.removes, proof, reason, (proof.assumes // board.model.n_values,))


def _item_name(board: Board, item: Item) -> str:
    if isinstance(item, int):
        return board.sets.names[item]
    if isinstance(item, Refutation):
        return f"not {board.sets.candidate(item.assumes)}"
    rules = (board.model.constraints[place] for place in item.constraints)
    return listed(getattr(rule, "name", "") or title(rule) for rule in rules if not isinstance(rule, Unit))


TECHNIQUES = (
    Technique("whip", 9, FULL, find, REFUTED, ("Whip",), "D. Berthier", arguments=(False, True)),
    Technique(
        "braid",
        9,
        FULL,
        find,
        REFUTED,
        ("Forcing Chain", "Forcing Net", "Forcing Contradiction", "Nishio"),
        "D. Berthier",
        arguments=(False, False),
    ),
    Technique("g-whip", 9, FULL, find, REFUTED, (), "D. Berthier", arguments=(True, True)),
    Technique("g-braid", 9, FULL, find, REFUTED, (), "D. Berthier", arguments=(True, False)),
    Technique(
        "forcing truth",
        10,
        FULL,
        forcing,
        PATTERN,
        ("Cell Forcing Chain", "Unit Forcing Chain", "Digit Forcing Chain", "Forcing Net Verity"),
        "folklore",
    ),
    Technique("nested braid", 10, FULL, nested, REFUTED, ("Dynamic Forcing Net",), "D. Berthier", arguments=(2,)),
    Technique("deep braid", 11, FULL, nested, REFUTED, (), "D. Berthier", arguments=(3,), asked=True),
)
