"""`strategies.chains.waves` by compiled code: the graph and the search over flat arrays, chains back as masks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nonant.csp.masks import bits
from nonant.strategies.board import Board
from nonant.strategies.chains.graph import Edge
from nonant.strategies.chains.waves import Reach
from nonant.strategies.kernels import waves
from nonant.strategies.kernels.graph import CELLS, GROUPS, UNITS, FlatGraph, fits, flat_graph
from nonant.strategies.kernels.sets import alive, arrays_of

__all__ = ["FlatWaves", "fits"]

TRUTHS = {"all": CELLS | UNITS, "cells": CELLS, "units": UNITS}


@dataclass(frozen=True)
class FlatWaves:
    """The compiled search."""

    board: Board
    reach: Reach

    @cached_property
    def graph(self) -> FlatGraph:
        """The graph that chains walk on."""
        kinds = TRUTHS[self.reach.truths] | (GROUPS if self.reach.groups else 0)
        return flat_graph(self.board.model, self.board.open, kinds, self.reach.largest)

    @cached_property
    def lengths(self) -> dict[int, int]:
        """See `Waves`."""
        model = self.board.model
        victims = np.flatnonzero(alive(self.board.open, model.n_cells * model.n_values)).astype(np.int32)
        members = arrays_of(model).members
        found = waves.lengths(self.graph, victims, members, self.reach.longest)
        hit = np.flatnonzero(found)
        return dict(zip(victims[hit].tolist(), found[hit].tolist(), strict=True))

    def trace(self, victim: int) -> tuple[tuple[int, ...], tuple[Edge, ...]]:
        """See `Waves`."""
        graph = self.graph
        nodes, edges = waves.trace(graph, victim, arrays_of(self.board.model).members)
        starts, members = graph.members
        masks = tuple(
            sum(1 << candidate for candidate in members[starts[node] : starts[node + 1]].tolist())
            for node in nodes.tolist()
        )
        pairs = zip(edges.tolist(), masks[::2], masks[1::2], strict=True)
        return masks, tuple(self._edge(edge, one, other) for edge, one, other in pairs)

    def _edge(self, edge: int, one: int, other: int) -> Edge:
        truth = int(self.graph.truths[edge])
        if truth >= 0:
            return (truth,), ()
        first, size = self.board.model.n_cells, self.board.model.n_values
        starts, cells = self.graph.cells
        unit, values = map(int, self.graph.about[-1 - truth])
        rest = values & ~(1 << (one.bit_length() - 1) % size | 1 << (other.bit_length() - 1) % size)
        inner = tuple(first + unit * size + value for value in bits(rest))
        return tuple(cells[starts[-1 - truth] : starts[-truth]].tolist()), inner
