"""The waves of `strategies.chains.waves` on a flat graph: which victims some chain removes, and the chain of one.

All victims at once: each node keeps one bit a victim for "off if the victim holds", and one for "on". The same answers
as in plain Python, node by node.
"""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.kernels.simd.bits import lowest_place
from nonant.csp.machine.jit import njit
from nonant.strategies.kernels.graph import FlatGraph


def lengths(graph: FlatGraph, victims: Any, members: Any, longest: int) -> Any:
    """For each victim (int32, candidates) the strong edges of the shortest chain that removes it; 0: none (int32)."""
    search: Any = _lengths
    return search(*_walked(graph), graph.members, members, victims, longest)


def trace(graph: FlatGraph, victim: int, members: Any) -> Any:
    """The chain of a victim: its nodes from the first, off and on in turn, and its edges (int32 arrays)."""
    walk: Any = _trace
    return walk(*_walked(graph), graph.edges, graph.members, members, victim)


def _walked(graph: FlatGraph) -> Any:
    return graph.links, graph.places, graph.inside, graph.places_inside, graph.strong


@njit(cache=True)
def _seeing(links: Any, items: Any, members: Any, where: Any, n_words: int) -> Any:
    """For each node the victims (bits, by their place in `where`) that lie in a link with all of it."""
    starts = links[0]
    one = np.uint64(1)
    n_sets = len(members[0]) - 1
    in_link = np.zeros((n_sets, n_words), np.uint64)
    for link in range(n_sets):
        for at in range(members[0][link], members[0][link + 1]):
            place = where[members[1][at]]
            if place >= 0:
                in_link[link, place >> 6] |= one << np.uint64(place & 63)
    n_nodes = len(starts) - 1
    sees = np.zeros((n_nodes, n_words), np.uint64)
    for node in range(n_nodes):
        for at in range(starts[node], starts[node + 1]):
            for word in range(n_words):
                sees[node, word] |= in_link[links[1][at], word]
        for at in range(items[0][node], items[0][node + 1]):
            place = where[items[1][at]]
            if place >= 0:
                sees[node, place >> 6] &= ~(one << np.uint64(place & 63))
    return sees


@njit(cache=True)
def _lengths(
    links: Any,
    places: Any,
    inside: Any,
    places_inside: Any,
    strong: Any,
    items: Any,
    members: Any,
    victims: Any,
    longest: int,
) -> Any:
    n_nodes, n_words = len(links[0]) - 1, (len(victims) + 63) // 64
    zero, one = np.uint64(0), np.uint64(1)
    found = np.zeros(len(victims), np.int32)
    where = np.full(members[1].max() + 1 if len(members[1]) else 1, -1, np.int32)
    for at in range(len(victims)):
        where[victims[at]] = at
    sees = _seeing(links, items, members, where, n_words)
    off, on = sees.copy(), np.zeros((n_nodes, n_words), np.uint64)
    new_off, new_on = sees.copy(), np.zeros((n_nodes, n_words), np.uint64)
    asked = np.full(n_words, ~zero, np.uint64)  # victims without a chain so far
    any_off, any_on = np.ones(n_nodes, np.uint8), np.zeros(n_nodes, np.uint8)
    strong_starts, targets = strong
    link_starts, link_items = links
    inside_starts, inside_items = inside
    for length in range(1, longest + 1):
        moved = False
        for node in range(n_nodes):
            if not any_off[node]:
                continue
            any_off[node] = 0
            for at in range(strong_starts[node], strong_starts[node + 1]):
                target = targets[at]
                for word in range(n_words):
                    new = new_off[node, word] & asked[word] & ~on[target, word]
                    if new:
                        on[target, word] |= new
                        new_on[target, word] |= new
                        any_on[target] = 1
            for word in range(n_words):
                new_off[node, word] = zero
        for node in range(n_nodes):
            if any_on[node]:
                for word in range(n_words):
                    hits = new_on[node, word] & sees[node, word] & asked[word]
                    while hits:
                        place = lowest_place(hits)
                        hits &= hits - one
                        found[(word << 6) + place] = length
        for at in range(len(victims)):
            if found[at]:
                asked[at >> 6] &= ~(one << np.uint64(at & 63))
        for node in range(n_nodes):
            if not any_on[node]:
                continue
            any_on[node] = 0
            left = zero
            for word in range(n_words):
                new_on[node, word] &= asked[word]
                left |= new_on[node, word]
            if not left:
                continue
            for at in range(link_starts[node], link_starts[node + 1]):
                link, own = link_items[at], places[at]
                for k in range(inside_starts[link], inside_starts[link + 1]):
                    if places_inside[k] & own:
                        continue
                    other = inside_items[k]
                    for word in range(n_words):
                        new = new_on[node, word] & ~off[other, word]
                        if new:
                            off[other, word] |= new
                            new_off[other, word] |= new
                            any_off[other] = 1
                            moved = True
            for word in range(n_words):
                new_on[node, word] = zero
        if not moved:
            break
    return found


@njit(cache=True)
def _trace(
    links: Any,
    places: Any,
    inside: Any,
    places_inside: Any,
    strong: Any,
    edges: Any,
    items: Any,
    members: Any,
    victim: int,
) -> Any:
    n_nodes = len(links[0]) - 1
    where = np.full(members[1].max() + 1, -1, np.int32)
    where[victim] = 0
    sees = _seeing(links, items, members, where, 1)
    strong_starts, targets = strong
    link_starts, link_items = links
    inside_starts, inside_items = inside
    before_on, before_off = np.full(n_nodes, -2, np.int32), np.full(n_nodes, -2, np.int32)
    by = np.empty(n_nodes, np.int32)
    waiting, fresh, near = np.empty(n_nodes, np.int32), np.empty(n_nodes, np.int32), np.empty(n_nodes, np.int32)
    n_waiting, end, length = 0, -1, 0
    for node in range(n_nodes):
        if sees[node, 0]:
            waiting[n_waiting] = node
            n_waiting += 1
            before_off[node] = -1
    while n_waiting and end < 0:
        length += 1
        n_fresh = 0
        for place in range(n_waiting):
            node = waiting[place]
            for at in range(strong_starts[node], strong_starts[node + 1]):
                target = targets[at]
                if before_on[target] == -2:
                    before_on[target], by[target] = node, edges[at]
                    fresh[n_fresh] = target
                    n_fresh += 1
        for place in range(n_fresh):
            if sees[fresh[place], 0]:
                end = fresh[place]
                break
        if end >= 0:
            break
        n_waiting = 0
        for place in range(n_fresh):
            node, n_near = fresh[place], 0
            for at in range(link_starts[node], link_starts[node + 1]):
                link, own = link_items[at], places[at]
                for k in range(inside_starts[link], inside_starts[link + 1]):
                    other = inside_items[k]
                    if places_inside[k] & own or before_off[other] != -2:
                        continue
                    before_off[other] = node
                    at2 = n_near
                    while at2 > 0 and near[at2 - 1] > other:
                        near[at2] = near[at2 - 1]
                        at2 -= 1
                    near[at2] = other
                    n_near += 1
            for at in range(n_near):
                waiting[n_waiting] = near[at]
                n_waiting += 1
    if end < 0:
        return np.empty(0, np.int32), np.empty(0, np.int32)
    nodes, used = np.empty(2 * length, np.int32), np.empty(length, np.int32)
    for at in range(length - 1, -1, -1):
        start = before_on[end]
        nodes[2 * at], nodes[2 * at + 1], used[at] = start, end, by[end]
        end = before_off[start]
    return nodes, used
