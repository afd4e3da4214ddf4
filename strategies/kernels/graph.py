"""The graph of `strategies.chains.graph`, built over flat arrays: the same nodes and edges under the same numbers.

Nodes are lists of candidates. Weak edges are not stored: two nodes inside one link without a common member exclude each
other, and each link knows its nodes, so that a search walks node, link, node. A node's members in a link are a mask of
places there, which makes "no common member" one operation.
"""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nonant.csp.kernels.simd.bits import count_ones, lowest_place
from nonant.csp.machine.jit import njit
from nonant.csp.model import Model
from nonant.strategies.kernels.sets import Lists, alive, arrays_of

MOST_PLACES = 64  # members of a set, and values: they are masks of one word here
CELLS, UNITS, GROUPS = 1, 2, 4  # which strong edges


class FlatGraph(NamedTuple):
    """A graph.

    Attributes:
        members: the candidates of each node.
        links: the links that hold all members of each node; `places`, parallel: the members as places of the link.
        inside: the nodes inside each link; `places_inside`, parallel.
        strong: for each node the nodes that are on when it is off, ascending; `edges`, parallel: by which edge.
        ends: for each edge its two nodes (int32, edges x 2).
        truths: for each edge its truth, or -1 - s for the almost locked set s.
        cells: the cells of each almost locked set; `about`: its unit and its mask of values (int64, sets x 2).
    """

    members: Lists
    links: Lists
    places: Any
    inside: Lists
    places_inside: Any
    strong: Lists
    edges: Any
    ends: Any
    truths: Any
    cells: Lists
    about: Any


def fits(model: Model) -> bool:
    """Whether masks of places and values fit a word."""
    return model.n_values <= MOST_PLACES and max(map(len, model.compiled.units), default=0) <= MOST_PLACES


def flat_graph(model: Model, live: int, edges: int, largest: int) -> FlatGraph:
    """The graph of a board; `edges` is a sum of CELLS, UNITS and GROUPS, `largest` bounds almost locked sets."""
    arrays = arrays_of(model)
    board = alive(live, model.n_cells * model.n_values)
    full, room = True, 512 if largest < 2 else 2048
    while full:
        full, nodes, ends, truths, cells, about = _build(
            board,
            *arrays.members,
            arrays.is_truth,
            *arrays.links_of,
            *arrays.units,
            *arrays.units_of,
            arrays.shape,
            edges,
            largest,
            room,
        )
        room *= 4
    one_value = edges & CELLS == 0 and largest == 0
    index: Any = _index
    indexed = index(*nodes, ends, *arrays.links_of, arrays.places, len(arrays.is_truth), arrays.shape, one_value)
    links, places, inside, places_inside, strong, by = indexed
    return FlatGraph(
        Lists(*nodes), Lists(*links), places, Lists(*inside), places_inside, Lists(*strong), by, ends, truths,
        Lists(*cells), about,
    )  # fmt: skip


@njit(cache=True)
def _build(
    live: Any,
    member_starts: Any,
    members: Any,
    is_truth: Any,
    link_starts: Any,
    links: Any,
    unit_starts: Any,
    unit_cells: Any,
    of_starts: Any,
    units_of: Any,
    shape: Any,
    kinds: int,
    largest: int,
    room_for: int,
) -> Any:
    # Arrays of a fixed size, and "full" where they do not do: numba counts references to an array on every turn of a
    # loop that may replace it, which made this ten times slower.
    n_cells, size = shape[0], shape[1]
    n_sets = len(is_truth)
    zero, one = np.uint64(0), np.uint64(1)

    # Nodes: single candidates by a table, larger ones by a hash of their members.
    single = np.full(len(live), -1, np.int32)
    table = np.full(2 * room_for, -1, np.int32)
    starts, items = np.zeros(room_for, np.int32), np.empty(4 * room_for, np.int32)
    n_nodes = 0
    ends, truths = np.empty(8 * room_for, np.int32), np.empty(4 * room_for, np.int32)
    n_edges = 0
    cells, cell_starts = np.empty(4 * room_for, np.int32), np.zeros(room_for, np.int32)
    about = np.empty(2 * room_for, np.int64)
    n_locked, n_locked_cells = 0, 0
    full = False

    left = np.empty(MOST_PLACES, np.int32)  # the members of the truth in hand
    within = np.zeros(n_sets, np.uint64)  # for a link: which of them lie in it
    touched = np.empty(MOST_PLACES * 16, np.int32)
    parts = np.empty(MOST_PLACES * 17, np.uint64)
    pair = np.empty(2, np.uint64)

    # A queue of edges to add, each two lists of members; every kind of edge goes through it.
    room = np.empty((2, MOST_PLACES), np.int32)
    number = np.empty(2, np.int32)

    # Walk the truths (phase 0), then the almost locked sets (phase 1): both make pairs of nodes.
    depth = 0
    chosen = np.empty(MOST_PLACES + 1, np.int64)
    held = np.zeros(MOST_PLACES + 1, np.uint64)
    rows, row_masks = np.empty(1024, np.int32), np.empty(1024, np.uint64)
    value_nodes = np.empty(MOST_PLACES, np.int32)

    for truth in range(n_sets):
        if not is_truth[truth]:
            continue
        if truth < n_cells:
            if kinds & CELLS == 0:
                continue
        elif kinds & UNITS == 0:
            continue
        count = 0
        for at in range(member_starts[truth], member_starts[truth + 1]):
            if live[members[at]]:
                left[count] = members[at]
                count += 1
        if count < 2 or (count > 2 and kinds & GROUPS == 0):
            continue
        every = (one << np.uint64(count - 1) << one) - one
        n_parts = 0
        if count == 2:
            parts[0], parts[1] = one, np.uint64(2)
            n_parts = 2
        else:
            # Parts of the truth that lie in a second link, with the single members: sorted, each once.
            n_touched = 0
            for place in range(count):
                candidate = left[place]
                for at in range(link_starts[candidate], link_starts[candidate + 1]):
                    link = links[at]
                    if link != truth:
                        if within[link] == zero:
                            touched[n_touched] = link
                            n_touched += 1
                        within[link] |= one << np.uint64(place)
            for source in range(count + n_touched):
                if source < count:
                    part = one << np.uint64(source)
                else:
                    part = within[touched[source - count]]
                    within[touched[source - count]] = zero
                at = n_parts
                while at > 0 and parts[at - 1] > part:
                    at -= 1
                if at > 0 and parts[at - 1] == part:
                    continue
                for later in range(n_parts, at, -1):
                    parts[later] = parts[later - 1]
                parts[at] = part
                n_parts += 1
        for first in range(n_parts):
            part = parts[first]
            rest = every & ~part
            if rest == zero:
                continue
            disjoint = False
            for second in range(first + 1, n_parts):
                if parts[second] == rest:
                    disjoint = True
            for second in range(first + 1, n_parts):
                other = parts[second]
                if disjoint:
                    if other != rest:
                        continue
                elif part | other != every or part & other == zero or other == every:
                    continue  # overlapping parts: the truth is inside their union all the same
                pair[0], pair[1] = part, other
                for side in range(2):
                    word, count_here = pair[side], 0
                    while word:
                        room[side, count_here] = left[lowest_place(word)]
                        count_here += 1
                        word &= word - one
                    number[side] = count_here
                full = full or n_edges == len(truths)
                full = full or n_nodes + 3 > len(starts) or starts[n_nodes] + 2 * MOST_PLACES > len(items)
                if full:
                    break
                for side in range(2):
                    node = _node(room[side], number[side], single, table, starts, items, n_nodes)
                    n_nodes = max(n_nodes, node + 1)
                    ends[2 * n_edges + side] = node
                truths[n_edges] = truth
                n_edges += 1

    if largest > 1:
        for unit in range(len(unit_starts) - 1):
            n_rows = 0
            for at in range(unit_starts[unit], unit_starts[unit + 1]):
                cell = unit_cells[at]
                mask = zero
                for value in range(size):
                    if live[cell * size + value]:
                        mask |= one << np.uint64(value)
                if 1 < count_ones(mask) <= largest + 1:
                    rows[n_rows], row_masks[n_rows] = cell, mask
                    n_rows += 1
            depth, chosen[0] = 0, 0
            while depth >= 0:
                if chosen[depth] >= n_rows:
                    depth -= 1
                    if depth >= 0:
                        chosen[depth] += 1
                    continue
                values = held[depth] | row_masks[chosen[depth]]
                n_values = count_ones(values)
                if n_values > largest + 1:
                    chosen[depth] += 1
                    continue
                n_chosen = depth + 1
                if n_values == n_chosen + 1 and n_chosen > 1:
                    # In an earlier unit as well? Then it was found there.
                    before = False
                    first_cell = rows[chosen[0]]
                    for at in range(of_starts[first_cell], of_starts[first_cell + 1]):
                        earlier = units_of[at]
                        if earlier >= unit:
                            continue
                        shared = 1
                        for k in range(1, n_chosen):
                            cell = rows[chosen[k]]
                            for at2 in range(of_starts[cell], of_starts[cell + 1]):
                                if units_of[at2] == earlier:
                                    shared += 1
                        if shared == n_chosen:
                            before = True
                    if not before:
                        full = full or n_locked + 1 == len(cell_starts) or n_locked_cells + n_chosen > len(cells)
                        full = full or n_nodes + 1 + MOST_PLACES > len(starts)
                        full = full or starts[n_nodes] + MOST_PLACES * n_chosen > len(items)
                        full = full or n_edges + n_values * n_values > len(truths)
                        if full:
                            break
                        for k in range(n_chosen):
                            cells[n_locked_cells] = rows[chosen[k]]
                            n_locked_cells += 1
                        about[2 * n_locked], about[2 * n_locked + 1] = unit, np.int64(values)
                        n_locked += 1
                        cell_starts[n_locked] = n_locked_cells
                        word, n_here = values, 0
                        while word:
                            value = lowest_place(word)
                            word &= word - one
                            count_here = 0
                            for k in range(n_chosen):
                                candidate = rows[chosen[k]] * size + value
                                if live[candidate]:
                                    at = count_here  # a unit may list its cells in any order
                                    while at > 0 and room[0, at - 1] > candidate:
                                        room[0, at] = room[0, at - 1]
                                        at -= 1
                                    room[0, at] = candidate
                                    count_here += 1
                            node = _node(room[0], count_here, single, table, starts, items, n_nodes)
                            n_nodes = max(n_nodes, node + 1)
                            value_nodes[n_here] = node
                            n_here += 1
                        for k in range(n_here):
                            for k2 in range(k + 1, n_here):
                                ends[2 * n_edges], ends[2 * n_edges + 1] = value_nodes[k], value_nodes[k2]
                                truths[n_edges] = -n_locked
                                n_edges += 1
                if n_chosen < largest:
                    held[depth + 1] = values
                    chosen[depth + 1] = chosen[depth] + 1
                    depth += 1
                else:
                    chosen[depth] += 1

    return (
        full,
        (starts[: n_nodes + 1], items[: starts[n_nodes]]),
        ends[: 2 * n_edges].reshape(-1, 2),
        truths[:n_edges],
        (cell_starts[: n_locked + 1], cells[:n_locked_cells]),
        about[: 2 * n_locked].reshape(-1, 2),
    )


# Written into its callers: numba counts the references to each array that passes through a call.
@njit(inline="always")
def _node(some: Any, count: int, single: Any, table: Any, starts: Any, items: Any, n_nodes: int) -> Any:
    """The number of the node with these members (ascending); `n_nodes` if it is new, and then it is written down."""
    if count == 1:
        if single[some[0]] >= 0:
            return single[some[0]]
        single[some[0]] = n_nodes
    else:
        slot = _slot(some, count, len(table))
        while table[slot] >= 0:
            node = table[slot]
            if starts[node + 1] - starts[node] == count:
                same = True
                for at in range(count):
                    if items[starts[node] + at] != some[at]:
                        same = False
                        break
                if same:
                    return node
            slot = (slot + 1) & (len(table) - 1)
        table[slot] = n_nodes
    begin = starts[n_nodes]
    for at in range(count):
        items[begin + at] = some[at]
    starts[n_nodes + 1] = begin + count
    return n_nodes


@njit(inline="always")
def _slot(some: Any, count: int, size: int) -> Any:
    mixed = np.uint64(count)
    for at in range(count):
        mixed = (mixed ^ np.uint64(some[at])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return np.int64(mixed & np.uint64(size - 1))


@njit(cache=True)
def _index(
    starts: Any,
    items: Any,
    ends: Any,
    link_starts: Any,
    links: Any,
    places: Any,
    n_sets: int,
    shape: Any,
    one_value: bool,
) -> Any:
    n_nodes, n_edges = len(starts) - 1, len(ends)
    one = np.uint64(1)
    # The links of each node, with its members as places.
    most = 0
    for node in range(n_nodes):
        first = items[starts[node]]
        most += link_starts[first + 1] - link_starts[first]
    of_starts, of_links, of_places = (
        np.zeros(n_nodes + 1, np.int32),
        np.empty(most, np.int32),
        np.empty(most, np.uint64),
    )
    count = 0
    inside_starts = np.zeros(n_sets + 1, np.int32)
    for node in range(n_nodes):
        first = items[starts[node]]
        for at in range(link_starts[first], link_starts[first + 1]):
            link = links[at]
            mask, whole = one << np.uint64(places[at]), True
            for k in range(starts[node] + 1, starts[node + 1]):
                found = False
                for at2 in range(link_starts[items[k]], link_starts[items[k] + 1]):
                    if links[at2] == link:
                        mask |= one << np.uint64(places[at2])
                        found = True
                if not found:
                    whole = False
                    break
            if whole:
                of_links[count], of_places[count] = link, mask
                count += 1
                if not one_value or link >= shape[0]:
                    inside_starts[link + 1] += 1
        of_starts[node + 1] = count
    for link in range(n_sets):
        inside_starts[link + 1] += inside_starts[link]
    fill = inside_starts.copy()
    inside, inside_places = np.empty(inside_starts[n_sets], np.int32), np.empty(inside_starts[n_sets], np.uint64)
    for node in range(n_nodes):
        for at in range(of_starts[node], of_starts[node + 1]):
            link = of_links[at]
            if not one_value or link >= shape[0]:
                inside[fill[link]], inside_places[fill[link]] = node, of_places[at]
                fill[link] += 1
    # Strong edges both ways, by target; of several between the same nodes the first.
    strong_starts = np.zeros(n_nodes + 1, np.int32)
    for edge in range(n_edges):
        strong_starts[ends[edge, 0] + 1] += 1
        strong_starts[ends[edge, 1] + 1] += 1
    for node in range(n_nodes):
        strong_starts[node + 1] += strong_starts[node]
    # A pass over the edges by target first, so that each source meets its targets in ascending order.
    by_target, target_fill = np.empty(2 * n_edges, np.int32), strong_starts[:-1].copy()
    for edge in range(n_edges):
        for side in range(2):
            target = ends[edge, 1 - side]
            by_target[target_fill[target]] = 2 * edge + side
            target_fill[target] += 1
    strong, by = np.empty(2 * n_edges, np.int32), np.empty(2 * n_edges, np.int32)
    source_fill, lengths = strong_starts[:-1].copy(), np.zeros(n_nodes + 1, np.int32)
    for at in range(2 * n_edges):
        edge, side = by_target[at] >> 1, by_target[at] & 1
        source, target = ends[edge, side], ends[edge, 1 - side]
        last = source_fill[source]
        if last > strong_starts[source] and strong[last - 1] == target:
            continue
        strong[last], by[last] = target, edge
        source_fill[source] += 1
    # Close the gaps that repeated edges left.
    count = 0
    for node in range(n_nodes):
        for at in range(strong_starts[node], source_fill[node]):
            strong[count], by[count] = strong[at], by[at]
            count += 1
        lengths[node + 1] = count
    return (
        (of_starts, of_links[: of_starts[n_nodes]]),
        of_places[: of_starts[n_nodes]],
        (inside_starts, inside),
        inside_places,
        (lengths, strong[:count]),
        by[:count],
    )
