"""From which starts does a chain find anything? A quick no for most, so that plain Python walks only from the others.

The same breadth-first search as `nonant.strategies.chains.search.search`, over rows of 64-bit words, without its record
of how a node was reached.
"""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nonant.csp.kernels.simd.bits import lowest_place
from nonant.csp.machine.jit import njit
from nonant.strategies.chains.graph import Graph


class _Rows(NamedTuple):
    """A graph as bits, uint64 (nodes, words): the strong and weak edges of each node, and the candidates it sees."""

    strong: Any
    weak: Any
    sees: Any


class _Walk(NamedTuple):
    """A search from one start: the nodes that are on and off, as bits, and the new ones of each kind, as a list."""

    on: Any
    off: Any
    fresh_on: Any
    fresh_off: Any


def promising(graph: Graph, live: int, n_candidates: int, longest: int) -> list[int]:
    """The starts from which some chain of at most `longest` strong edges removes something or closes."""
    number = len(graph.masks)
    if not number:
        return []
    strong, weak = _rows(graph.strong, number), _rows(graph.weak, number)
    sees = _rows([mask & live for mask in graph.sees], n_candidates)
    search: Any = _promising
    return [int(start) for start in np.flatnonzero(search(_Rows(strong, weak, sees), longest))]


def _rows(masks: Sequence[int], n_bits: int) -> Any:
    """Masks as rows of words."""
    size = (n_bits + 63) // 64 * 8
    return np.frombuffer(b"".join(mask.to_bytes(size, "little") for mask in masks), np.uint64).reshape(len(masks), -1)


@njit(cache=True)
def _promising(graph: Any, longest: int) -> Any:
    number, words = graph.strong.shape
    found = np.zeros(number, np.uint8)
    walk = _Walk(
        np.zeros(words, np.uint64), np.zeros(words, np.uint64), np.zeros(number, np.int64), np.zeros(number, np.int64)
    )
    for start in range(number):
        # A start that sees nothing has nothing to remove, and nothing to close a loop with.
        if np.any(graph.sees[start]):
            found[start] = _finds_anything(start, graph, walk, longest)
    return found


@njit(cache=True)
def _finds_anything(start: int, graph: Any, walk: Any, longest: int) -> bool:
    strong, weak = graph.strong, graph.weak
    on, off, fresh_on, fresh_off = walk.on, walk.off, walk.fresh_on, walk.fresh_off
    on[:] = np.uint64(0)
    off[:] = np.uint64(0)
    off[start >> 6] = np.uint64(1) << np.uint64(start & 63)
    fresh_off[0] = start
    n_off, length = 1, 0
    while n_off and length < longest:
        length += 1
        n_on = 0
        for at in range(n_off):
            n_on = _spread(strong, fresh_off[at], on, fresh_on, n_on)
        n_off = 0
        for at in range(n_on):
            node = fresh_on[at]
            # A chain and its reverse are one, so the end comes last; one strong edge alone is only a truth.
            if node >= start and length > 1 and _ends_chain(start, node, graph):
                return True
            n_off = _spread(weak, node, off, fresh_off, n_off)
    return False


# Inlined: numba counts the references to each array that passes through a call.
@njit(inline="always")
def _spread(edges: Any, node: int, reached: Any, fresh: Any, n_fresh: int) -> Any:
    """Reach the nodes at the other end of a node's edges; those that are new are listed, and counted."""
    for word in range(edges.shape[1]):
        new = edges[node, word] & ~reached[word]
        reached[word] |= new
        while new:
            fresh[n_fresh] = (word << 6) + lowest_place(new)
            n_fresh += 1
            new &= new - np.uint64(1)
    return n_fresh


@njit(inline="always")
def _ends_chain(start: int, node: int, graph: Any) -> Any:
    """Whether a chain between these nodes closes a loop, or some candidate sees both ends."""
    weak, sees = graph.weak, graph.sees
    ends = weak[node, start >> 6] >> np.uint64(start & 63) & np.uint64(1) != np.uint64(0)
    for word in range(sees.shape[1]):
        ends = ends or sees[node, word] & sees[start, word] != np.uint64(0)
    return ends
