"""How the ladder finds chains: victims first, of each the shortest chain, and what players call that.

`named.find` gives every pair of ends and takes its time; here one search (`waves.py`) tells which candidates chains of
a kind remove at all, mostly none, and a chain is traced only when its step is wanted. For a loop the chain must close;
then it removes more.

A technique with a shape of its own takes only chains of its name; the general ones (x-chain, xy-chain, aic, als chain
and so on) take what their kind of chain finds, the special shapes included.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nonant.strategies.board import Board
from nonant.strategies.chains import search as chains
from nonant.strategies.chains.waves import Reach, Waves, waves_of
from nonant.strategies.step import Step
from nonant.strategies.table import Technique

REACHES = {
    "value": Reach("units"),
    "value, groups": Reach("units", groups=True),
    "cells": Reach("cells"),
    "all": Reach(),
    "groups": Reach(groups=True),
    "sets": Reach("cells", largest=5, longest=6),
    "everything": Reach(groups=True, largest=5, longest=8),
}
# What chains of a kind find, those of the larger kind find too: where these find nothing, the smaller is not searched.
LARGER = {"value": "groups", "cells": "groups", "all": "groups", "value, groups": "groups"}
# Techniques of one shape, and the number of strong edges that it has.
SHAPES = {
    "skyscraper": 2,
    "two-string kite": 2,
    "empty rectangle": 2,
    "wxyz-wing": 2,
    "xy-wing": 3,
    "w-wing": 3,
}
LENGTHS = {"turbot fish": 2, "als-xz": 2, "als-xy-wing": 3}
Alive = Callable[[], int]


@dataclass(frozen=True)
class Found:
    """The victims of one kind of chain on a board, with the chains that were traced so far."""

    board: Board
    waves: Waves
    traced: dict[int, chains.Chain]

    def chain(self, victim: int) -> chains.Chain:
        """The shortest chain of a victim, with all its victims."""
        if victim not in self.traced:
            nodes, edges = self.waves.trace(victim)
            gone = _seen(self.board, nodes[0]) & _seen(self.board, nodes[-1]) & self.board.open
            self.traced[victim] = chains.Chain(nodes, edges, False, gone)
        return self.traced[victim]


def found_by(board: Board, kind: str) -> Found:
    """The victims of one kind of chain, searched for once a board."""
    return board.once(f"leads: {kind}", lambda board: Found(board, waves_of(board, REACHES[kind]), {}))


def any_chain(board: Board, kind: str) -> bool:
    """Whether chains of a kind remove anything."""
    larger = LARGER.get(kind)
    return (larger is None or any_chain(board, larger)) and bool(found_by(board, kind).waves.lengths)


def chain(board: Board, technique: Technique, alive: Alive, kind: str, *_: str) -> Iterator[Step]:
    """Steps of chains, the shortest first, each with a victim that is still alive when its turn comes."""
    if not any_chain(board, kind):
        return
    found = found_by(board, kind)
    loop = "loop" in technique.name
    wanted = SHAPES.get(technique.name) or LENGTHS.get(technique.name)
    for victim, length in sorted(found.waves.lengths.items(), key=lambda item: (item[1], item[0])):
        if (wanted and length != wanted) or not alive() >> victim & 1:
            continue
        one = found.chain(victim)
        if technique.name in SHAPES and chains.name_of(board, one) != technique.name:
            continue
        told = chains.closed(board, one) if loop else one
        proof = None if told is None else chains.proof_of(board, told)
        if told is not None and proof is not None:
            yield chains.step_of(board, technique, told, proof)


def gated(board: Board, technique: Technique, alive: Alive, *arguments: object) -> Iterator[Step]:
    """The technique's own search, where the chains that are at least as strong find anything."""
    if any_chain(board, GATES[technique.name]):
        yield from technique.find(board)


def remote(board: Board, technique: Technique, alive: Alive, *arguments: object) -> Iterator[Step]:
    """As `gated`, where four cells have the same two values, or two of them are a naked pair."""
    times = Counter(values for values in board.cells if values.bit_count() == 2)
    scouts = sys.modules.get("nonant.strategies.kernels.scouts")
    if max(times.values(), default=0) > 3 or scouts is None or scouts.may_find(board, "naked pair"):
        yield from gated(board, technique, alive, *arguments)


def scouted(board: Board, technique: Technique, alive: Alive, *arguments: object) -> Iterator[Step]:
    """The technique's own search, unless the compiled scout, where somebody has had work enough to load it, says no."""
    module = "sectors" if technique.name in ("sue de coq", "3d medusa") else "scouts"
    scout = sys.modules.get(f"nonant.strategies.kernels.{module}")
    if scout is None or scout.may_find(board, technique.name):
        yield from technique.find(board)


GATES = {"remote pair": "cells", "simple colouring": "value", "multi colouring": "value"}


def _seen(board: Board, node: int) -> int:
    """What lies in a link with all of a node."""
    sets, found = board.sets, 0
    for link in sets.links_of((node & -node).bit_length() - 1):
        if not node & ~sets.masks[link]:
            found |= sets.masks[link]
    return found & ~node
