"""Making covers: what truths and links remove, and the links that tie a victim to the ends of a pattern.

The rule is that of `nonant.csp.proofs.check`; the code is another on purpose, since that one is the judge of this.
"""

from __future__ import annotations

from collections.abc import Sequence

from nonant.csp.masks import bits
from nonant.csp.proofs.records import Cover, Proof, Several
from nonant.csp.proofs.sets import Sets


def victims(sets: Sets, live: int, truths: Sequence[int], links: Sequence[int], guard: int = 0) -> int:
    """The mask of what truths and links make false on a board; 0 where they are no cover."""
    planes: list[int] = []  # planes[k] holds bit k of b - a, for every candidate at once
    masks = sets.masks
    for link in links:
        carry, at = masks[link] & live, 0
        while carry:
            if at == len(planes):
                planes.append(carry)
                break
            planes[at], carry, at = planes[at] ^ carry, planes[at] & carry, at + 1
    for truth in truths:
        borrow = (guard if truth == sets.guard else masks[truth]) & live
        for at, plane in enumerate(planes):
            planes[at], borrow = plane ^ borrow, ~plane & borrow
        if borrow:
            return 0
    rank = len(links) - len(truths)
    if rank < 0:
        return live
    # Compare all counters with the rank, from the highest plane down.
    more, equal = 0, live
    for at in reversed(range(max(len(planes), rank.bit_length()))):
        plane = planes[at] if at < len(planes) else 0
        if rank >> at & 1:
            equal &= plane
        else:
            more |= equal & plane
            equal &= ~plane
    return more


def common_link(sets: Sets, candidates: int) -> int | None:
    """A link that holds all of these candidates (a mask), or None."""
    low = (candidates & -candidates).bit_length() - 1
    for link in sets.links_of(low):
        if not candidates & ~sets.masks[link]:
            return link
    return None


def seen_by_all(sets: Sets, candidates: int) -> int:
    """What is linked to every one of these candidates."""
    found, peers = -1, sets.peers
    while candidates and found:
        low = candidates & -candidates
        candidates ^= low
        found &= peers[low.bit_length() - 1]
    return found


def links_to(sets: Sets, victim: int, ends: int) -> tuple[int, ...] | None:
    """As few links as a greedy choice gives, each with the victim, that hold all the ends between them; or None."""
    chosen = []
    while ends:
        best = max(sets.links_of(victim), key=lambda link: (sets.masks[link] & ends).bit_count())
        if not sets.masks[best] & ends:
            return None
        chosen.append(best)
        ends &= ~sets.masks[best]
    return tuple(chosen)


def tied(
    sets: Sets, truths: Sequence[int], links: Sequence[int], ends: Sequence[int], removes: Sequence[int]
) -> Proof | None:
    """Covers that tie each victim to every end (a mask of candidates) by one link; None where a victim has no such."""
    by_links: dict[tuple[int, ...], list[int]] = {}
    for victim in removes:
        chosen = []
        for end in ends:
            link = common_link(sets, end | 1 << victim)
            if link is None:
                return None
            chosen.append(link)
        by_links.setdefault(tuple(chosen), []).append(victim)
    covers = [Cover(tuple(truths), (*links, *chosen), tuple(some)) for chosen, some in by_links.items()]
    return covers[0] if len(covers) == 1 else Several(tuple(covers))


def full_cover(sets: Sets, live: int, truths: Sequence[int], links: Sequence[int]) -> Proof | None:
    """All that a cover of rank 0 removes, with each link exchanged for every other one that does the same work.

    Where the members of a link that the truths need lie in a second link as well, that one is full too. None where the
    truths and links are no cover, or remove nothing.
    """
    gone = victims(sets, live, truths, links)
    parts = [Cover(tuple(truths), tuple(links), tuple(bits(gone)))] if gone else []
    needed = 0
    for truth in truths:
        needed |= sets.masks[truth]
    for at, link in enumerate(links):
        members = sets.masks[link] & needed & live
        if not members:
            continue
        for other in sets.links_of((members & -members).bit_length() - 1):
            if other != link and not members & ~sets.masks[other]:
                changed = (*links[:at], other, *links[at + 1 :])
                more = victims(sets, live, truths, changed) & ~gone
                if more:
                    gone |= more
                    parts.append(Cover(tuple(truths), changed, tuple(bits(more))))
    return None if not parts else parts[0] if len(parts) == 1 else Several(tuple(parts))
