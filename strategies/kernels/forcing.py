"""Refutations by compiled code: the same items in the same order as `nonant.strategies.refutations.refute` gives them.

State: for each candidate the item that killed it, for each truth how many members are left. An inner assumption is
undone by walking back over the candidates that it killed.
"""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from nonant.csp.machine.jit import njit
from nonant.csp.proofs.records import Refutation
from nonant.strategies.board import Board
from nonant.strategies.kernels.sets import alive, arrays_of

UNKILLED, ASSUMED = -2, -1  # in place of the item that killed a candidate
MOST_OF_GROUP = 4
ITEMS, KILLED, STAMP, WAITING, CALL = range(5)  # places of `counts`: how many so far; of `level`; of `waiting`; calls
AT_ONCE = 8  # candidates between two looks at Ctrl-C

# Small functions are written into their callers: numba counts references to each array that passes through a call.


def refutations(board: Board, candidates: Sequence[int], groups: bool) -> list[Refutation]:
    """Those of the candidates that are refuted at depth 1, trimmed, in the order given."""
    live, arrays = _given(board)
    search: Any = _all
    found = []
    for first in range(0, len(candidates), 8 * AT_ONCE):
        some = candidates[first : first + 8 * AT_ONCE]
        items, ends = search(live, *arrays, np.array(some, np.int32), groups)
        listed, begun = items.tolist(), 0
        for candidate, end in zip(some, ends.tolist(), strict=True):
            if end > begun:
                found.append(Refutation(candidate, tuple(listed[begun:end])))
            begun = end
    return found


def consequences(board: Board, candidates: Sequence[int]) -> list[int]:
    """For each candidate what becomes false when it holds, as masks; all candidates where that is contradictory."""
    live, arrays = _given(board)
    search: Any = _consequences
    packed = search(live, *arrays, np.array(candidates, np.int32))
    rows = np.packbits(packed, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in rows]


def nested(board: Board, candidates: Sequence[int], most_excluded: int) -> Refutation | None:
    """The first of the candidates that is refuted with inner refutations of depth 1."""
    live, arrays = _given(board)
    free = alive(board.open, len(live))
    search: Any = _nested
    at, begun = -1, 0
    while at < 0 and begun < len(candidates):
        some = np.array(candidates[begun : begun + AT_ONCE], np.int32)
        at, items, starts = search(live, free, *arrays, some, most_excluded + 1)
        begun += AT_ONCE
    if at < 0:
        return None
    at += begun - AT_ONCE
    # Row 0 is the outer list; a negative item -1 - k stands for row k, whose first entry is what it assumes.
    listed, begin = items.tolist(), starts.tolist()
    rows = [listed[one:other] for one, other in pairwise(begin)]
    outer = (item if item >= 0 else Refutation(rows[-1 - item][0], tuple(rows[-1 - item][1:])) for item in rows[0])
    return Refutation(candidates[at], tuple(outer))


def _given(board: Board) -> tuple[Any, Any]:
    model = board.model
    arrays = arrays_of(model)
    return alive(board.live, model.n_cells * model.n_values), (arrays.members, arrays.links_of, arrays.is_truth)


@njit(cache=True)
def _follow(
    live: Any,
    members: Any,
    links_of: Any,
    is_truth: Any,
    groups: bool,
    whole: Any,
    left: Any,
    killer: Any,
    trail: Any,
    items: Any,
    counts: Any,
    space: Any,
) -> Any:
    """Add items until a truth is empty, and return that truth; -1 when nothing more is forced.

    Only truths that lost a member are looked at: `_kill` notes those that come down to one or none. A group that
    excluded nothing is not tried again before its truth has lost another member.
    """
    member_starts, member_items = members
    waiting, found, singles, level, passed, tried = space
    n_sets = len(is_truth)
    counts[CALL] += 1
    if groups:
        tried[:] = 0
    while True:
        # The truths that wait, each once, in ascending order.
        n_found = 0
        for place in range(counts[WAITING]):
            truth = waiting[place]
            if whole[truth] < 2 or passed[truth] == counts[CALL]:
                continue
            at = n_found
            while at > 0 and found[at - 1] > truth:
                at -= 1
            if at > 0 and found[at - 1] == truth:
                continue
            for later in range(n_found, at, -1):
                found[later] = found[later - 1]
            found[at] = truth
            n_found += 1
        counts[WAITING] = 0
        for at in range(n_found):
            truth = found[at]
            if left[truth] == 0:
                return truth
            for k in range(member_starts[truth], member_starts[truth + 1]):
                candidate = member_items[k]
                if live[candidate] and killer[candidate] == UNKILLED:
                    singles[at] = candidate
                    break
        moved = False
        for at in range(n_found):
            passed[found[at]] = counts[CALL]
            candidate = singles[at]
            if killer[candidate] != UNKILLED:
                return found[at]
            if _kill_peers(
                candidate, counts[ITEMS], live, members, links_of, is_truth, left, killer, trail, counts, waiting
            ):
                items[counts[ITEMS]] = found[at]
                counts[ITEMS] += 1
                moved = True
        if moved:
            continue
        if groups:
            for truth in range(n_sets):
                if not is_truth[truth] or passed[truth] == counts[CALL] or left[truth] >= whole[truth]:
                    continue
                if left[truth] > MOST_OF_GROUP or left[truth] < 2 or tried[truth] == left[truth]:
                    continue
                n_group = 0
                base = counts[STAMP]
                counts[STAMP] += MOST_OF_GROUP + 1
                for k in range(member_starts[truth], member_starts[truth + 1]):
                    candidate = member_items[k]
                    if live[candidate] and killer[candidate] == UNKILLED:
                        _mark(candidate, base, n_group, members, links_of, level)
                        singles[n_group] = candidate
                        n_group += 1
                tried[truth] = n_group
                first = singles[0]
                for k in range(links_of[0][first], links_of[0][first + 1]):
                    link = links_of[1][k]
                    for k2 in range(member_starts[link], member_starts[link + 1]):
                        candidate = member_items[k2]
                        if level[candidate] == base + n_group and live[candidate] and killer[candidate] == UNKILLED:
                            _kill(candidate, counts[ITEMS], links_of, is_truth, left, killer, trail, counts, waiting)
                            moved = True
                if moved:
                    items[counts[ITEMS]] = truth
                    counts[ITEMS] += 1
                    break
        if not moved:
            return -1


@njit(inline="always")
def _mark(candidate: int, base: int, reached: int, members: Any, links_of: Any, level: Any) -> None:
    """Raise to `reached` + 1 the level of each peer that has reached `reached`; the candidate is no peer of itself."""
    for at in range(links_of[0][candidate], links_of[0][candidate + 1]):
        link = links_of[1][at]
        for k in range(members[0][link], members[0][link + 1]):
            peer = members[1][k]
            if peer != candidate and (reached == 0 or level[peer] == base + reached):
                level[peer] = base + reached + 1


@njit(inline="always")
def _kill(
    candidate: int,
    item: int,
    links_of: Any,
    is_truth: Any,
    left: Any,
    killer: Any,
    trail: Any,
    counts: Any,
    waiting: Any,
) -> None:
    killer[candidate] = item
    trail[counts[KILLED]] = candidate
    counts[KILLED] += 1
    for at in range(links_of[0][candidate], links_of[0][candidate + 1]):
        truth = links_of[1][at]
        left[truth] -= 1
        if left[truth] < 2 and is_truth[truth]:
            waiting[counts[WAITING]] = truth
            counts[WAITING] += 1


@njit(inline="always")
def _kill_peers(
    candidate: int,
    item: int,
    live: Any,
    members: Any,
    links_of: Any,
    is_truth: Any,
    left: Any,
    killer: Any,
    trail: Any,
    counts: Any,
    waiting: Any,
) -> Any:
    """Kill the live peers of a candidate; whether there were any."""
    before = counts[KILLED]
    for at in range(links_of[0][candidate], links_of[0][candidate + 1]):
        link = links_of[1][at]
        for k in range(members[0][link], members[0][link + 1]):
            peer = members[1][k]
            if peer != candidate and live[peer] and killer[peer] == UNKILLED:
                _kill(peer, item, links_of, is_truth, left, killer, trail, counts, waiting)
    return counts[KILLED] > before


@njit(inline="always")
def _want(truth: int, before: int, live: Any, members: Any, killer: Any, needed: Any) -> None:
    """Need the items, of those before a place, that killed a truth's members."""
    for at in range(members[0][truth], members[0][truth + 1]):
        candidate = members[1][at]
        if live[candidate] and ASSUMED < killer[candidate] < before:
            needed[killer[candidate]] = 1


@njit(cache=True)
def _fresh(live: Any, members: Any, is_truth: Any) -> Any:
    """What every trace begins with and needs."""
    n_sets, n_candidates = len(is_truth), len(live)
    whole = np.zeros(n_sets, np.int32)
    for number in range(n_sets):
        for at in range(members[0][number], members[0][number + 1]):
            whole[number] += live[members[1][at]]
    space = (
        np.empty(2 * n_sets, np.int32),  # truths that came down to one member or none: each at most twice
        np.empty(n_sets, np.int32),
        np.empty(n_sets + MOST_OF_GROUP, np.int32),
        np.zeros(n_candidates, np.int64),
        np.zeros(n_sets, np.int64),
        np.zeros(n_sets, np.int32),
    )
    return whole, space


@njit(cache=True)
def _all(live: Any, members: Any, links_of: Any, is_truth: Any, candidates: Any, groups: bool) -> Any:
    n_sets, n_candidates = len(is_truth), len(live)
    whole, space = _fresh(live, members, is_truth)
    left, killer, trail = whole.copy(), np.empty(n_candidates, np.int32), np.empty(n_candidates, np.int32)
    items, needed = np.empty(2 * n_sets, np.int32), np.zeros(2 * n_sets, np.uint8)
    counts = np.zeros(5, np.int64)
    n_rows = len(candidates)
    ends = np.empty(n_rows, np.int32)
    listed = np.empty(n_rows * (n_sets + 1), np.int32)
    total = 0
    for number in range(n_rows):
        left[:] = whole
        killer[:] = UNKILLED
        counts[ITEMS], counts[KILLED], counts[WAITING] = 0, 0, 0
        _kill_peers(
            candidates[number], ASSUMED, live, members, links_of, is_truth, left, killer, trail, counts, space[0]
        )
        last = _follow(live, members, links_of, is_truth, groups, whole, left, killer, trail, items, counts, space)
        if last >= 0:
            n_items = counts[ITEMS]
            needed[:n_items] = 0
            _want(last, n_items, live, members, killer, needed)
            for place in range(n_items - 1, -1, -1):
                if needed[place]:
                    _want(items[place], place, live, members, killer, needed)
            for place in range(n_items):
                if needed[place]:
                    listed[total] = items[place]
                    total += 1
            listed[total] = last
            total += 1
        ends[number] = total
    return listed[:total], ends


@njit(cache=True)
def _consequences(live: Any, members: Any, links_of: Any, is_truth: Any, candidates: Any) -> Any:
    n_sets, n_candidates = len(is_truth), len(live)
    whole, space = _fresh(live, members, is_truth)
    left, killer, trail = whole.copy(), np.empty(n_candidates, np.int32), np.empty(n_candidates, np.int32)
    items, counts = np.empty(2 * n_sets, np.int32), np.zeros(5, np.int64)
    found = np.zeros((len(candidates), n_candidates), np.uint8)
    for number in range(len(candidates)):
        left[:] = whole
        killer[:] = UNKILLED
        counts[ITEMS], counts[KILLED], counts[WAITING] = 0, 0, 0
        _kill_peers(
            candidates[number], ASSUMED, live, members, links_of, is_truth, left, killer, trail, counts, space[0]
        )
        last = _follow(live, members, links_of, is_truth, False, whole, left, killer, trail, items, counts, space)
        for candidate in range(n_candidates):
            found[number, candidate] = live[candidate] and (last >= 0 or killer[candidate] != UNKILLED)
    return found


@njit(cache=True)
def _nested(live: Any, free: Any, members: Any, links_of: Any, is_truth: Any, candidates: Any, most: int) -> Any:
    """(place of the refuted candidate or -1, items of all rows, starts of the rows); see `nested`."""
    n_sets, n_candidates = len(is_truth), len(live)
    whole, space = _fresh(live, members, is_truth)
    left, killer, trail = whole.copy(), np.empty(n_candidates, np.int32), np.empty(n_candidates, np.int32)
    room = 2 * n_sets + n_candidates
    items, needed, inner_needed = np.empty(room, np.int32), np.zeros(room, np.uint8), np.zeros(room, np.uint8)
    counts = np.zeros(5, np.int64)
    # Of each inner refutation: what it assumes, its truths, and the outer items that it leans on.
    assumed, inner_items = np.empty(n_candidates, np.int32), np.empty(n_candidates * (n_sets + 1), np.int32)
    inner_starts = np.zeros(n_candidates + 1, np.int64)
    leans, lean_starts = np.empty(64 * n_candidates, np.int32), np.zeros(n_candidates + 1, np.int64)
    for number in range(len(candidates)):
        candidate = candidates[number]
        left[:] = whole
        killer[:] = UNKILLED
        counts[ITEMS], counts[KILLED], counts[WAITING] = 0, 0, 0
        n_inner = 0
        _kill_peers(candidate, ASSUMED, live, members, links_of, is_truth, left, killer, trail, counts, space[0])
        last = _follow(live, members, links_of, is_truth, False, whole, left, killer, trail, items, counts, space)
        changed = False
        for truth in range(n_sets):
            changed = changed or (is_truth[truth] and whole[truth] > 1 and 1 < left[truth] <= most)
        while last < 0 and changed:
            changed = False
            for inner in range(n_candidates):
                if not free[inner] or killer[inner] != UNKILLED or inner == candidate:
                    continue
                begun, killed = counts[ITEMS], counts[KILLED]
                items[begun] = -1  # the place of the inner assumption itself: nothing leans on it
                _kill_peers(inner, begun, live, members, links_of, is_truth, left, killer, trail, counts, space[0])
                counts[ITEMS] = begun + 1
                end = _follow(
                    live, members, links_of, is_truth, False, whole, left, killer, trail, items, counts, space
                )
                if end >= 0:
                    n_items = counts[ITEMS]
                    inner_needed[:n_items] = 0
                    _want(end, n_items, live, members, killer, inner_needed)
                    for place in range(n_items - 1, begun, -1):
                        if inner_needed[place]:
                            _want(items[place], place, live, members, killer, inner_needed)
                    total = inner_starts[n_inner]
                    for place in range(begun + 1, n_items):
                        if inner_needed[place]:
                            inner_items[total] = items[place]
                            total += 1
                    inner_items[total] = end
                    inner_starts[n_inner + 1] = total + 1
                    assumed[n_inner] = inner
                    total = lean_starts[n_inner]
                    if total + begun > len(leans):
                        larger = np.empty(2 * len(leans) + begun, np.int32)
                        larger[:total] = leans[:total]
                        leans = larger
                    for place in range(begun):
                        if inner_needed[place]:
                            leans[total] = place
                            total += 1
                    lean_starts[n_inner + 1] = total
                for at in range(killed, counts[KILLED]):
                    back = trail[at]
                    killer[back] = UNKILLED
                    for k in range(links_of[0][back], links_of[0][back + 1]):
                        left[links_of[1][k]] += 1
                counts[ITEMS], counts[KILLED], counts[WAITING] = begun, killed, 0
                if end >= 0:
                    items[begun] = -1 - n_inner
                    n_inner += 1
                    _kill(inner, begun, links_of, is_truth, left, killer, trail, counts, space[0])
                    counts[ITEMS] = begun + 1
                    changed = True
                    last = _follow(
                        live, members, links_of, is_truth, False, whole, left, killer, trail, items, counts, space
                    )
                    if last >= 0:
                        break
        if last >= 0:
            n_items = counts[ITEMS]
            needed[:n_items] = 0
            _want(last, n_items, live, members, killer, needed)
            for place in range(n_items - 1, -1, -1):
                if needed[place]:
                    if items[place] >= 0:
                        _want(items[place], place, live, members, killer, needed)
                    else:
                        row = -1 - items[place]
                        for at in range(lean_starts[row], lean_starts[row + 1]):
                            needed[leans[at]] = 1
            rows, total = 1, 0
            out, starts = np.empty(inner_starts[n_inner] + n_inner + n_items + 1, np.int32), [0]
            for place in range(n_items):
                if needed[place]:
                    out[total] = items[place] if items[place] >= 0 else -1 - rows
                    rows += items[place] < 0
                    total += 1
            out[total] = last
            total += 1
            starts.append(total)
            for place in range(n_items):
                if needed[place] and items[place] < 0:
                    row = -1 - items[place]
                    out[total] = assumed[row]
                    total += 1
                    for at in range(inner_starts[row], inner_starts[row + 1]):
                        out[total] = inner_items[at]
                        total += 1
                    starts.append(total)
            return number, out[:total], np.array(starts)
    return -1, items[:0], np.zeros(1, np.int64)
