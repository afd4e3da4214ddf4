"""Is there a 3D Medusa? The search of its finder, up to whether anything goes.

Truths with two candidates left join these; each component is coloured with two colours, of which one holds. A
candidate that both colours exclude goes; a colour that excludes one of its own, or leaves a truth nothing, is false.

Source: 3D Medusa by R. van der Veen.
"""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nonant.csp.machine.jit import njit
from nonant.strategies.board import Board
from nonant.strategies.kernels.sets import alive, linked_of, sizes_of


class _Colours(NamedTuple):
    """The component in hand; numbers of earlier components in these arrays are out of date, and count as unset.

    Attributes:
        base: int64 (1): the first colour is this number, the second the next one.
        colour: int32, for each candidate.
        excluded: int32 (2, candidates): `base` where a colour excludes a candidate.
        left: int32 (2, sets): the members that a colour leaves a set, where `reset` (2, sets) is `base`.
        queue: int32, the candidates of the component, in the order in which they were coloured.
        marked: int32, the candidates that some colour excludes; `n_marked` (1): how many.
    """

    base: Any
    colour: Any
    excluded: Any
    left: Any
    reset: Any
    queue: Any
    marked: Any
    n_marked: Any


def may_be_medusa(board: Board) -> bool:
    """Whether a 3D Medusa removes anything on a board."""
    model = board.model
    left = alive(board.live, model.n_cells * model.n_values)
    free = alive(board.open, model.n_cells * model.n_values)
    search: Any = _any
    return bool(search(left, free, linked_of(model)))


@njit(cache=True)
def _any(live: Any, free: Any, sets: Any) -> bool:
    n_sets, n_candidates = len(sets.is_truth), len(live)
    near, n_near = _joined(free, sets)
    whole = sizes_of(live, sets.members)
    colours = _Colours(
        np.full(1, 1),
        np.zeros(n_candidates, np.int32),
        np.zeros((2, n_candidates), np.int32),
        np.zeros((2, n_sets), np.int32),
        np.zeros((2, n_sets), np.int32),
        np.empty(n_candidates, np.int32),
        np.empty(2 * n_candidates, np.int32),
        np.zeros(1, np.int64),
    )
    colour, base = colours.colour, colours.base
    for start in range(n_candidates):
        if not n_near[start] or colour[start]:
            continue
        if _empties(start, live, sets, near, n_near, whole, colours) or _excludes(free, colours):
            return True
        base[0] += 2
    return False


@njit(cache=True)
def _joined(free: Any, sets: Any) -> Any:
    """For each candidate the other one of each truth of two, and how many there are."""
    starts, items = sets.members
    link_starts, _ = sets.links_of
    n_candidates, is_truth = len(free), sets.is_truth
    most = 0
    for candidate in range(n_candidates):
        most = max(most, link_starts[candidate + 1] - link_starts[candidate])
    near, n_near = np.empty((n_candidates, most), np.int32), np.zeros(n_candidates, np.int32)
    for truth in range(len(is_truth)):
        if not is_truth[truth]:
            continue
        count, first, second = 0, -1, -1
        for at in range(starts[truth], starts[truth + 1]):
            if free[items[at]]:
                count += 1
                first, second = second, items[at]
        if count == 2:
            near[first, n_near[first]], near[second, n_near[second]] = second, first
            n_near[first] += 1
            n_near[second] += 1
    return near, n_near


@njit(cache=True)
def _empties(start: int, live: Any, sets: Any, near: Any, n_near: Any, whole: Any, colours: Any) -> bool:
    """Colour a component and exclude what each colour sees; True as soon as a colour leaves a truth nothing."""
    colour, queue, base = colours.colour, colours.queue, colours.base[0]
    colours.n_marked[0] = 0
    colour[start], queue[0], begun, end = base, start, 0, 1
    while begun < end:
        candidate = queue[begun]
        begun += 1
        side = colour[candidate] - base
        for at in range(n_near[candidate]):
            other = near[candidate, at]
            if not colour[other]:
                colour[other] = base + 1 - side
                queue[end] = other
                end += 1
        if _exclude_peers(candidate, side, base, live, sets, whole, colours):
            return True
    return False


@njit(cache=True)
def _exclude_peers(candidate: int, side: int, base: int, live: Any, sets: Any, whole: Any, colours: Any) -> bool:
    """Note what a candidate excludes for its colour; True as soon as that leaves a truth nothing."""
    starts, items = sets.members
    link_starts, links = sets.links_of
    excluded, left, reset, is_truth = colours.excluded, colours.left, colours.reset, sets.is_truth
    marked, n_marked = colours.marked, colours.n_marked
    for at in range(link_starts[candidate], link_starts[candidate + 1]):
        link = links[at]
        for k in range(starts[link], starts[link + 1]):
            peer = items[k]
            if peer == candidate or not live[peer] or excluded[side, peer] == base:
                continue
            excluded[side, peer] = base
            marked[n_marked[0]] = peer
            n_marked[0] += 1
            for k2 in range(link_starts[peer], link_starts[peer + 1]):
                truth = links[k2]
                if reset[side, truth] != base:
                    reset[side, truth], left[side, truth] = base, whole[truth]
                left[side, truth] -= 1
                if left[side, truth] == 0 and is_truth[truth]:
                    return True
    return False


@njit(cache=True)
def _excludes(free: Any, colours: Any) -> bool:
    """Whether a colour excludes one of its own, or both exclude an open candidate."""
    colour, excluded, marked, base = colours.colour, colours.excluded, colours.marked, colours.base[0]
    for at in range(colours.n_marked[0]):
        candidate = marked[at]
        own = colour[candidate] - base
        if not free[candidate]:
            continue
        if own == 0 or own == 1:
            # That the other colour excludes it says nothing: of the two only one holds anyway.
            if excluded[own, candidate] == base:
                return True
        elif excluded[0, candidate] == base and excluded[1, candidate] == base:
            return True
    return False
