"""For every candidate of a board: after how many rounds of singles does assuming it empty a truth?

The same answer as `strategies.refutations.refute.rounds_to_end`, a hundred times faster. State: which candidates are
alive, and how many members each truth has left; both are copied afresh for each assumption, which costs less than
undoing.
"""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.machine.jit import njit
from nonant.csp.model import Model
from nonant.strategies.kernels.sets import alive, arrays_of


def rounds_of(model: Model, live: int, candidates: list[int], never: int) -> list[int]:
    """The rounds of each candidate; at most one more than the fewest so far is looked at, as in plain Python."""
    arrays = arrays_of(model)
    board = alive(live, model.n_cells * model.n_values)
    found: list[int] = _rounds(
        board, np.array(candidates, np.int32), *arrays.members, *arrays.links_of, arrays.is_truth, never
    ).tolist()
    return found


@njit(cache=True)
def _rounds(
    board: Any,
    candidates: Any,
    member_starts: Any,
    members: Any,
    link_starts: Any,
    links: Any,
    is_truth: Any,
    never: int,
) -> Any:
    n_sets = len(is_truth)
    found = np.full(len(candidates), never, np.int64)
    whole = np.zeros(n_sets, np.int32)
    for number in range(n_sets):
        for at in range(member_starts[number], member_starts[number + 1]):
            whole[number] += board[members[at]]
    single = np.empty(n_sets, np.int32)  # truths that are down to one member already, which nobody has written in
    n_single = 0
    for number in range(n_sets):
        if is_truth[number] and whole[number] == 1:
            for at in range(member_starts[number], member_starts[number + 1]):
                candidate = members[at]
                if board[candidate]:
                    for k in range(link_starts[candidate], link_starts[candidate + 1]):
                        if whole[links[k]] > 1:
                            single[n_single] = number
                            n_single += 1
                            break
    live = np.empty_like(board)
    left = np.empty_like(whole)
    true = np.zeros(len(board), np.uint8)
    queue = np.empty(len(board) + 1, np.int32)
    alone = np.empty(2 * n_sets, np.int32)  # truths that came down to one member in this round
    fewest = never
    for number in range(len(candidates)):
        live[:] = board
        left[:] = whole
        true[:] = 0
        queue[0] = candidates[number]
        begun, end, done = 0, 1, 0
        while begun < end and done <= fewest:
            # What the last round made true excludes its peers.
            empty, n_alone = False, 0
            for place in range(begun, end):
                candidate = queue[place]
                for at in range(link_starts[candidate], link_starts[candidate + 1]):
                    for k in range(member_starts[links[at]], member_starts[links[at] + 1]):
                        peer = members[k]
                        if live[peer] and peer != candidate:
                            live[peer] = 0
                            for k2 in range(link_starts[peer], link_starts[peer + 1]):
                                truth = links[k2]
                                left[truth] -= 1
                                if is_truth[truth]:
                                    if left[truth] == 1:
                                        alone[n_alone] = truth
                                        n_alone += 1
                                    elif left[truth] == 0:
                                        empty = True
            done += 1
            if empty:
                if done <= fewest + 1:
                    found[number] = done
                break
            if begun == 0:
                for place in range(n_single):
                    alone[n_alone] = single[place]
                    n_alone += 1
            begun = end
            for place in range(n_alone):
                truth = alone[place]
                for at in range(member_starts[truth], member_starts[truth + 1]):
                    candidate = members[at]
                    if live[candidate]:
                        if not true[candidate]:
                            true[candidate] = 1
                            queue[end] = candidate
                            end += 1
                        break
        fewest = min(fewest, found[number])
    return found
