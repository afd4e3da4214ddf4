"""How the ladder finds chains: victims first, and of each the shortest chain.

`for_find_all.find` gives every pair of ends and takes its time; here one search (`waves.py`) tells which candidates
chains of a kind remove at all, mostly none, and a chain is traced only when its step is wanted. For a loop the chain
must close; then it removes more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nonant.strategies.board import Board
from nonant.strategies.chains.for_find_all import Which
from nonant.strategies.chains.kinds import Kind
from nonant.strategies.chains.search import Chain, closed, proof_of, step_of
from nonant.strategies.chains.shapes import shape_of
from nonant.strategies.chains.shortest import links_around
from nonant.strategies.chains.waves import Waves
from nonant.strategies.definition import Alive, Technique
from nonant.strategies.step import Step


@dataclass(frozen=True)
class Traced:
    """The victims of one kind of chain on a board, with the chains that were traced so far."""

    board: Board
    waves: Waves
    traced: dict[int, Chain]

    def chain(self, victim: int) -> Chain:
        """The shortest chain of a victim, with all its victims."""
        if victim not in self.traced:
            nodes, edges = self.waves.trace(victim)
            gone = _seen(self.board, nodes[0]) & _seen(self.board, nodes[-1]) & self.board.open
            self.traced[victim] = Chain(nodes, edges, False, gone)
        return self.traced[victim]


def lead(board: Board, technique: Technique, alive: Alive, kind: Kind, which: Which) -> Iterator[Step]:
    """Steps of chains, the shortest first, each with a victim that is still alive when its turn comes."""
    if not kind.any(board):
        return
    waves = kind.waves(board)
    found = board.once(f"traced: {kind.name}", lambda board: Traced(board, waves, {}))
    for victim, length in sorted(waves.lengths.items(), key=lambda item: (item[1], item[0])):
        if (which.length and length != which.length) or not alive() >> victim & 1:
            continue
        chain = found.chain(victim)
        if which.strict and shape_of(board, chain) not in which.shapes:
            continue
        told = closed(board, chain) if which.loop else chain
        proof = None if told is None else proof_of(board, told)
        if told is not None and proof is not None:
            yield step_of(board, technique, told, proof)


def _seen(board: Board, node: int) -> int:
    """What lies in a link with all of a node."""
    found = 0
    for link in links_around(board.sets, node):
        found |= board.sets.masks[link]
    return found & ~node
