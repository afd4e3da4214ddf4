"""From which starts does a chain find anything? A quick no for most, so that plain Python walks only from the others.

The same breadth-first search as `nonant.strategies.chains.search.search`, over rows of 64-bit words, without its record
of how a node was reached.
"""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

from nonant.csp.kernels.simd.bits import lowest_place
from nonant.strategies.chains.graph import Graph


def promising(graph: Graph, live: int, n_candidates: int, longest: int) -> list[int]:
    """The starts from which some chain of at most `longest` strong edges removes something or closes."""
    number = len(graph.masks)
    if not number:
        return []
    strong, weak = _rows(graph.strong, number), _rows(graph.weak, number)
    sees = _rows([mask & live for mask in graph.sees], n_candidates)
    return [int(start) for start in np.flatnonzero(_reach(strong, weak, sees, longest))]


def _rows(masks: Sequence[int], n_bits: int) -> Any:
    """Masks as rows of words."""
    size = (n_bits + 63) // 64 * 8
    return np.frombuffer(b"".join(mask.to_bytes(size, "little") for mask in masks), np.uint64).reshape(len(masks), -1)


@njit(cache=True)
def _reach(strong: Any, weak: Any, sees: Any, longest: int) -> Any:
    number, words = strong.shape
    found = np.zeros(number, np.uint8)
    on = np.zeros(words, np.uint64)
    off = np.zeros(words, np.uint64)
    frontier = np.zeros(number, np.int64)
    fresh = np.zeros(number, np.int64)
    zero, one = np.uint64(0), np.uint64(1)
    for start in range(number):
        anything = False
        for word in range(sees.shape[1]):
            anything = anything or sees[start, word] != zero
        if not anything:
            continue
        on[:] = zero
        off[:] = zero
        off[start >> 6] = one << np.uint64(start & 63)
        frontier[0] = start
        waiting = 1
        length = 0
        while waiting and length < longest and not found[start]:
            length += 1
            reached = 0
            for place in range(waiting):
                node = frontier[place]
                for word in range(words):
                    new = strong[node, word] & ~on[word]
                    on[word] |= new
                    while new:
                        fresh[reached] = (word << 6) + lowest_place(new)
                        reached += 1
                        new &= new - one
            waiting = 0
            for place in range(reached):
                node = fresh[place]
                if node >= start and length > 1:
                    if weak[node, start >> 6] >> np.uint64(start & 63) & one:
                        found[start] = 1
                        break
                    for word in range(sees.shape[1]):
                        if sees[node, word] & sees[start, word]:
                            found[start] = 1
                            break
                    if found[start]:
                        break
                for word in range(words):
                    new = weak[node, word] & ~off[word]
                    off[word] |= new
                    while new:
                        frontier[waiting] = (word << 6) + lowest_place(new)
                        waiting += 1
                        new &= new - one
    return found
