"""A solve by the shortest chains: singles, and where there is none the shortest whips or braids, to the end."""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from typing import Any

from nonant.csp.machine.jit import njit
from nonant.strategies.kernels.truths import LIMIT, NODES, ONE, SUM, begin_board, laid, pop, push
from nonant.strategies.kernels.whips import ends_within, search

# How a solve by chains ends: BEYOND, no assumption comes to an end at all; STUCK, no chain is short enough.
SOLVED, BEYOND, CONTRADICTION, STUCK, SPENT = 0, 1, 2, 3, 4


@njit(cache=True, boundscheck=False)
def _remove(lists: Any, state: Any, candidate: int) -> bool:
    """Take a candidate off the board; True if some truth has at most one member then."""
    single = False
    state.live[candidate] = 0
    for at in range(lists.truth_starts[candidate], lists.truth_starts[candidate + 1]):
        truth = lists.truths[at]
        state.left[truth] -= ONE + candidate
        single = single or state.left[truth] < 2 * ONE
    begin = lists.peer_starts[candidate]
    for place in range(begin, begin + lists.n_near[candidate]):
        peer = lists.near[place]
        last = lists.peer_starts[peer] + lists.n_near[peer] - 1
        at = last
        while lists.near[at] != candidate:
            at -= 1
        lists.near[at] = lists.near[last]
        lists.n_near[peer] -= 1
    lists.n_near[candidate] = 0
    return single


@njit(cache=True, boundscheck=False)
def _singles(sizes: Any, lists: Any, state: Any, kept: int) -> int:
    """Write in all singles; the candidate `kept` stays, whatever excludes it.

    Returns how many truths have still several members; -1 if one has none.
    """
    again = True
    several = 0
    while again:
        again = False
        several = 0
        for truth in range(sizes[1]):
            word = state.left[truth]
            if word < ONE:
                return -1
            if word >= 2 * ONE:
                several += 1
                continue
            candidate = word & SUM
            if state.placed[candidate]:
                continue
            state.placed[candidate] = 1
            again = True
            begin = lists.peer_starts[candidate]
            while lists.n_near[candidate]:
                # The first peer, or if that is to stay the last one.
                peer = lists.near[begin]
                if peer == kept:
                    peer = lists.near[begin + lists.n_near[candidate] - 1]
                    if peer == kept:
                        break
                _remove(lists, state, peer)
    return several


@njit(cache=True, boundscheck=False)
def _any_contradiction(sizes: Any, lists: Any, state: Any) -> bool:
    """Whether some candidate's assumption ends at all: braids of any length, on this board."""
    for candidate in range(sizes[0]):
        if state.live[candidate] and not state.placed[candidate]:
            state.mark[candidate] = 1
            ends = push(lists, state, candidate) >= 0 or ends_within(lists, state, sizes[1], 0) > 0
            state.mark[candidate] = 0
            pop(lists, state, 0, 0)
            if ends:
                return True
    return False


@njit(cache=True, boundscheck=False, nogil=True)
def rate(
    sizes: Any,
    member_starts: Any,
    members: Any,
    truth_starts: Any,
    truths: Any,
    peer_starts: Any,
    peers: Any,
    board: Any,
    first: Any,
    placed: Any,
    kind: int,
    longest: int,
    kept: int,
    limit: int,
    small: Any,
    large: Any,
    out: Any,
) -> None:
    """Singles, and when there is none the shortest chains, to the end.

    Args:
        sizes, ..., peers: the arrays of a `Program`.
        board, first, placed: see `begin_board`; afterwards `board` has what is left.
        kind: BRAID, WHIP or LOOSE.
        longest: no chain is longer.
        kept: a candidate that is never taken away, or -1.
        limit: of nodes.
        small, large: from `room`.
        out: int64, written: how it ended, the longest chain that was used, the length at which it ended, nodes.
    """
    lists, state = laid(sizes, member_starts, members, truth_starts, truths, peer_starts, peers, longest, small, large)
    begin_board(sizes, lists, state, board, first, placed)
    state.at[LIMIT] = limit
    rating, end, length = 0, -1, 0
    while end < 0:
        several = _singles(sizes, lists, state, kept)
        if several <= 0:
            end = CONTRADICTION if several < 0 else SOLVED
            break
        length, stop = 1, False
        while length <= longest and not stop:
            for target in range(sizes[0]):
                if not state.live[target] or state.placed[target] or target == kept:
                    continue
                found = search(lists, state, kind, target, length)
                if found < 0:
                    end = SPENT
                    stop = True
                    break
                if found:
                    rating = max(rating, length)
                    stop = True
                    if _remove(lists, state, target):
                        break
            if not stop:
                if length == 2 and not _any_contradiction(sizes, lists, state):
                    end = BEYOND
                    break
                length += 1
        if end < 0 and not stop:
            end = STUCK
    for candidate in range(sizes[0]):
        board[candidate] = state.live[candidate]
    out[0], out[1], out[2], out[3] = end, rating, length, state.at[NODES]
