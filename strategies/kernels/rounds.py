"""For every candidate of a board: after how many rounds of singles does assuming it empty a truth?

The same answer as `nonant.strategies.refute.rounds_to_end`, a hundred times faster. State: which candidates are alive,
and how many members each truth has left; both are copied afresh for each assumption, which costs less than undoing.
"""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from nonant.csp.model import Model
from nonant.csp.proof import bits, sets_of


class Lists(NamedTuple):
    """Lists of lists, flat: row i of `items` is `items[starts[i]:starts[i + 1]]` (int32)."""

    starts: Any
    items: Any


class Arrays(NamedTuple):
    """Members of each truth, truths of each candidate, and peers of each candidate."""

    members: Lists
    truths_of: Lists
    peers: Lists


# Frozen arrays of frozen models, and bounded, since models may come from a stream of region maps.
@lru_cache(maxsize=16)
def arrays_of(model: Model) -> Arrays:
    """The truths and peers of a model as arrays."""
    sets = sets_of(model)
    members = [list(bits(mask)) for number, mask in enumerate(sets.masks) if sets.is_truth[number]]
    n_candidates = model.n_cells * model.n_values
    truths_of: list[list[int]] = [[] for _ in range(n_candidates)]
    for truth, candidates in enumerate(members):
        for candidate in candidates:
            truths_of[candidate].append(truth)
    peers = [list(bits(sets.peers[candidate])) for candidate in range(n_candidates)]
    return Arrays(_flat(members), _flat(truths_of), _flat(peers))


def _flat(rows: list[list[int]]) -> Lists:
    starts = np.zeros(len(rows) + 1, np.int32)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    return Lists(starts, np.array([item for row in rows for item in row], np.int32))


def alive(board: int, n_candidates: int) -> Any:
    """A board as one byte a candidate."""
    packed = np.frombuffer(board.to_bytes((n_candidates + 7) // 8, "little"), np.uint8)
    return np.unpackbits(packed, bitorder="little")[:n_candidates]


def rounds_of(model: Model, live: int, candidates: list[int], never: int) -> list[int]:
    """The rounds of each candidate; at most one more than the fewest so far is looked at, as in plain Python."""
    arrays = arrays_of(model)
    found = np.zeros(len(candidates), np.int64)
    board = alive(live, model.n_cells * model.n_values)
    _rounds(board, np.array(candidates, np.int32), *arrays.members, *arrays.truths_of, *arrays.peers, never, found)
    return [int(number) for number in found]


@njit(cache=True)
def _rounds(
    board: Any,
    candidates: Any,
    member_starts: Any,
    members: Any,
    truth_starts: Any,
    truths: Any,
    peer_starts: Any,
    peers: Any,
    never: int,
    found: Any,
) -> None:
    n_truths = len(member_starts) - 1
    whole = np.zeros(n_truths, np.int32)
    for truth in range(n_truths):
        for at in range(member_starts[truth], member_starts[truth + 1]):
            whole[truth] += board[members[at]]
    live = np.empty_like(board)
    left = np.empty_like(whole)
    true = np.zeros(len(board), np.uint8)
    queue = np.zeros(len(board) + 1, np.int32)
    fewest = never
    for number in range(len(candidates)):
        live[:] = board
        left[:] = whole
        true[:] = 0
        queue[0] = candidates[number]
        begun, end = 0, 1
        found[number] = never
        done = 0
        while begun < end and done <= fewest and found[number] == never:
            # What the last round made true excludes its peers.
            empty = False
            for place in range(begun, end):
                candidate = queue[place]
                for at in range(peer_starts[candidate], peer_starts[candidate + 1]):
                    peer = peers[at]
                    if live[peer]:
                        live[peer] = 0
                        for k in range(truth_starts[peer], truth_starts[peer + 1]):
                            left[truths[k]] -= 1
                            if left[truths[k]] == 0:
                                empty = True
            done += 1
            if empty:
                if done <= fewest + 1:
                    found[number] = done
                break
            begun = end
            # All truths with one member left, in one look: few enough to go through them all.
            for truth in range(n_truths):
                if left[truth] == 1:
                    for at in range(member_starts[truth], member_starts[truth + 1]):
                        candidate = members[at]
                        if live[candidate]:
                            if not true[candidate]:
                                true[candidate] = 1
                                queue[end] = candidate
                                end += 1
                            break
        fewest = min(fewest, found[number])
