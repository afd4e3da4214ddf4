"""Which candidates some chain removes: all of them at once, each with its shortest chain.

Suppose a candidate, the *victim*, holds: the nodes that it sees are off; a strong edge makes its other end on, a weak
one off again; and if a node that is on is seen by the victim, it cannot hold. The nodes passed are an alternating chain
whose two ends the victim sees. One breadth-first search serves all victims, since each node keeps them as one mask: a
wave for each length. (A chain of one strong edge is a truth whose members the victim sees: where one link holds them
all, players say locked candidates.) A chain itself is then traced for those victims only whose chain is wanted.

`chains.search` finds for each *pair of ends* the shortest chain, which is more than a ladder needs and takes longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from nonant.csp.masks import bits
from nonant.strategies import kernels
from nonant.strategies.board import Board
from nonant.strategies.chains.graph import Edge, Graph, graph_of


@dataclass(frozen=True)
class Reach:
    """Which chains to look for.

    Attributes:
        truths: which truths make strong edges: "all", "cells", or "units" (then a chain stays with one value).
        groups: with groups. largest: with almost locked sets of 2 to so many cells.
        longest: at most so many strong edges.
    """

    truths: str = "all"
    groups: bool = False
    largest: int = 0
    longest: int = 24


class Waves(Protocol):
    """The victims of a board's chains."""

    @property
    def lengths(self) -> dict[int, int]:
        """For each victim the strong edges of its shortest chain."""
        ...

    def trace(self, victim: int) -> tuple[tuple[int, ...], tuple[Edge, ...]]:
        """The nodes (masks) and strong edges of a victim's shortest chain."""
        ...


def waves_of(board: Board, reach: Reach) -> Waves:
    """The victims of a board, by the compiled search where it is loaded."""
    compiled = kernels.loaded("flat_waves")
    if compiled is not None and compiled.fits(board.model):
        found: Waves = compiled.FlatWaves(board, reach)
        return found
    return PlainWaves(board, reach)


@dataclass(frozen=True)
class PlainWaves:
    """The search in plain Python."""

    board: Board
    reach: Reach

    @cached_property
    def graph(self) -> Graph:
        """The graph that chains walk on."""
        return graph_of(self.board, self.reach.truths, groups=self.reach.groups, largest=self.reach.largest)

    @cached_property
    def lengths(self) -> dict[int, int]:
        """See `Waves`."""
        graph, asked = self.graph, self.board.open
        strong, weak = graph.strong, graph.weak
        sees = [mask & asked for mask in graph.sees]
        off, on = list(sees), [0] * len(sees)
        fresh_off = {node: mask for node, mask in enumerate(sees) if mask}
        found: dict[int, int] = {}
        for length in range(1, self.reach.longest + 1):
            fresh_on: dict[int, int] = {}
            for node, mask in fresh_off.items():
                mask &= asked
                if not mask:
                    continue
                for target in bits(strong[node]):
                    new = mask & ~on[target]
                    if new:
                        on[target] |= new
                        fresh_on[target] = fresh_on.get(target, 0) | new
            hits = 0
            for node, mask in fresh_on.items():
                hits |= mask & sees[node]
            asked &= ~hits
            found.update((victim, length) for victim in bits(hits))
            fresh_off = {}
            for node, mask in fresh_on.items():
                mask &= asked
                if not mask:
                    continue
                for target in bits(weak[node]):
                    new = mask & ~off[target]
                    if new:
                        off[target] |= new
                        fresh_off[target] = fresh_off.get(target, 0) | new
            if not fresh_off:
                break
        return found

    def trace(self, victim: int) -> tuple[tuple[int, ...], tuple[Edge, ...]]:
        """See `Waves`."""
        graph, seeing = self.graph, 1 << victim
        waiting = [node for node, mask in enumerate(graph.sees) if mask & seeing]
        off, on = sum(1 << node for node in waiting), 0
        before_off, before_on = dict.fromkeys(waiting, -1), dict[int, int]()
        end = -1
        while end < 0:
            fresh = []
            for node in waiting:
                new = graph.strong[node] & ~on
                on |= new
                for target in bits(new):
                    before_on[target] = node
                    fresh.append(target)
            end = next((node for node in fresh if graph.sees[node] & seeing), -1)
            waiting = []
            for node in fresh:
                new = graph.weak[node] & ~off
                off |= new
                for target in bits(new):
                    before_off[target] = node
                    waiting.append(target)
        nodes, edges = list[int](), list[Edge]()
        while end >= 0:
            start = before_on[end]
            nodes += [graph.masks[end], graph.masks[start]]
            edges.append(graph.edges[start, end])
            end = before_off[start]
        return tuple(reversed(nodes)), tuple(reversed(edges))
