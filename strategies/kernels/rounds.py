"""For every candidate of a board: after how many rounds of singles does assuming it empty a truth?

The same answer as `strategies.refutations.refute.rounds_to_end`, a hundred times faster. State: which candidates are
alive, and how many members each truth has left; both are copied afresh for each assumption, which costs less than
undoing.
"""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from nonant.csp.model import Model
from nonant.strategies.kernels.sets import alive, linked_of, sizes_of


class _Trial(NamedTuple):
    """One assumption.

    Attributes:
        live, true: uint8, for each candidate.
        left: int32, for each set its live members.
        queue: int32, the candidates that are true, in the order in which they became so.
        alone: int32, the truths that came down to one member in this round.
    """

    live: Any
    true: Any
    left: Any
    queue: Any
    alone: Any


def rounds_of(model: Model, live: int, candidates: list[int], never: int) -> list[int]:
    """The rounds of each candidate; at most one more than the fewest so far is looked at, as in plain Python."""
    board = alive(live, model.n_cells * model.n_values)
    search: Any = _rounds
    found: list[int] = search(board, np.array(candidates, np.int32), linked_of(model), never).tolist()
    return found


@njit(cache=True)
def _rounds(board: Any, candidates: Any, linked: Any, never: int) -> Any:
    n_sets = len(linked.is_truth)
    whole = sizes_of(board, linked.members)
    single = _open_singles(board, whole, linked)
    trial = _Trial(
        np.empty_like(board),
        np.empty_like(board),
        np.empty_like(whole),
        np.empty(len(board) + 1, np.int32),
        np.empty(2 * n_sets, np.int32),
    )
    found = np.empty(len(candidates), np.int64)
    fewest = never
    for number in range(len(candidates)):
        trial.live[:] = board
        trial.true[:] = 0
        trial.left[:] = whole
        trial.queue[0] = candidates[number]
        found[number] = _rounds_to_end(trial, single, linked, fewest, never)
        fewest = min(fewest, found[number])
    return found


@njit(cache=True)
def _open_singles(board: Any, whole: Any, linked: Any) -> Any:
    """The truths that are down to one member already, which nobody has written in."""
    starts, items = linked.members
    link_starts, links = linked.links_of
    n_sets, is_truth = len(whole), linked.is_truth
    single, n_single = np.empty(n_sets, np.int32), 0
    for number in range(n_sets):
        if not is_truth[number] or whole[number] != 1:
            continue
        for at in range(starts[number], starts[number + 1]):
            candidate = items[at]
            if not board[candidate]:
                continue
            for k in range(link_starts[candidate], link_starts[candidate + 1]):
                if whole[links[k]] > 1:
                    single[n_single] = number
                    n_single += 1
                    break
    return single[:n_single]


@njit(cache=True)
def _rounds_to_end(trial: Any, single: Any, linked: Any, fewest: int, never: int) -> int:
    """The round in which a truth is left empty; `never` if nothing more is forced before, or after `fewest` + 1."""
    queue, alone = trial.queue, trial.alone
    begun, end, done = 0, 1, 0
    while begun < end and done <= fewest:
        done += 1
        n_alone, empty = 0, False
        for at in range(begun, end):
            n_alone, emptied = _exclude_peers(queue[at], trial, linked, n_alone)
            empty = empty or emptied
        if empty:
            return done
        if begun == 0:
            # They were single before the assumption, so that no count came down to one: plain Python sees them now.
            for at in range(len(single)):
                alone[n_alone] = single[at]
                n_alone += 1
        begun = end
        for at in range(n_alone):
            end = _make_true(alone[at], trial, linked, end)
    return never


# Inlined: numba counts the references to each array that passes through a call.
@njit(inline="always")
def _exclude_peers(candidate: int, trial: Any, linked: Any, n_alone: int) -> Any:
    """Kill the live peers of a candidate: how many truths are alone then, and whether one is empty."""
    starts, items = linked.members
    link_starts, links = linked.links_of
    live, left, alone, is_truth = trial.live, trial.left, trial.alone, linked.is_truth
    empty = False
    for at in range(link_starts[candidate], link_starts[candidate + 1]):
        for k in range(starts[links[at]], starts[links[at] + 1]):
            peer = items[k]
            if not live[peer] or peer == candidate:
                continue
            live[peer] = 0
            for k2 in range(link_starts[peer], link_starts[peer + 1]):
                truth = links[k2]
                left[truth] -= 1
                if is_truth[truth] and left[truth] < 2:
                    if left[truth] == 1:
                        alone[n_alone] = truth
                        n_alone += 1
                    else:
                        empty = True
    return n_alone, empty


@njit(inline="always")
def _make_true(truth: int, trial: Any, linked: Any, end: int) -> Any:
    """Queue the last live member of a truth, unless it is queued; the new end of the queue."""
    starts, items = linked.members
    live, true, queue = trial.live, trial.true, trial.queue
    for at in range(starts[truth], starts[truth + 1]):
        candidate = items[at]
        if live[candidate]:
            if not true[candidate]:
                true[candidate] = 1
                queue[end] = candidate
                end += 1
            break
    return end
