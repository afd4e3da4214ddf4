"""Chains for `find_all`: of each kind all that the search finds, and of those the ones that a technique takes.

The ladder comes to its chains by `for_ladder.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from nonant.csp.proofs.records import Cover, Several
from nonant.strategies.board import Board
from nonant.strategies.chains.graph import graph_of
from nonant.strategies.chains.kinds import Kind
from nonant.strategies.chains.search import Chain, proof_of, search, step_of
from nonant.strategies.chains.shapes import Shape, shape_of
from nonant.strategies.definition import Technique
from nonant.strategies.step import Step

MOST_UNITED = 12  # chains of which each pair makes a step of its own; more of them are united as a whole


@dataclass(frozen=True)
class Which:
    """Which chains of a kind a technique takes.

    Attributes:
        shapes: only these; none: all, the special shapes included (a skyscraper is an x-chain).
        loop: the continuous loops, in place of the others.
        length: the strong edges that its chains have, for the ladder; 0 for any.
        strict: whether the ladder too looks at the shape. Elsewhere the length says enough, since what has the same
            length and another shape was taken by a technique before.
    """

    shapes: frozenset[Shape] = frozenset()
    loop: bool = False
    length: int = 0
    strict: bool = False

    def takes(self, board: Board, chain: Chain) -> bool:
        """Whether a chain is one of these."""
        if self.shapes:
            return shape_of(board, chain) in self.shapes
        return chain.loop == self.loop


def find(board: Board, technique: Technique, kind: Kind, which: Which) -> Iterator[Step]:
    """The chains of one kind that a technique takes.

    Chains that differ in little are one pattern to many players (a dual kite; almost locked sets with two common
    values): after the single ones come their unions.
    """
    seen: set[int] = set()
    alike: dict[object, dict[int, Chain]] = {}
    for chain in kind.chains(board):
        if not which.takes(board, chain):
            continue
        for key in _likenesses(board, chain):
            alike.setdefault(key, {}).setdefault(chain.gone, chain)
        if chain.gone not in seen:
            proof = proof_of(board, chain)
            if proof is not None:
                seen.add(chain.gone)
                yield step_of(board, technique, chain, proof)
    for some in alike.values():
        chains = list(some.values())
        unions = [chains] if len(chains) > 1 else []
        if 2 < len(chains) <= MOST_UNITED:
            unions += map(list, combinations(chains, 2))
        for union in unions:
            gone = 0
            for chain in union:
                gone |= chain.gone
            step = None if gone in seen else _united(board, technique, union)
            if step is not None and step.removed not in seen:
                seen.add(step.removed)
                yield step


def _likenesses(board: Board, chain: Chain) -> Iterator[object]:
    """What makes chains one pattern: the same truths, the same way between the ends, or a box with two pairs."""
    yield tuple(sorted(truths for truths, _ in chain.edges))
    yield frozenset(chain.nodes[1:-1])
    if chain.length == 2:
        yield "turn", frozenset((inner.bit_length() - 1) // board.model.n_values for inner in chain.nodes[1:3])
        layout, size, first = board.layout, board.model.n_values, board.model.n_cells
        for (truth, *_), _ in chain.edges:
            if truth >= first and layout.class_of[(truth - first) // size] not in layout.lines:
                yield "box", truth


def remote_pair(board: Board, technique: Technique) -> Iterator[Step]:
    """Cells with the same two values, each seeing the next: an even number of them excludes both values around."""
    size, solved = board.model.n_values, board.solved_cells
    for pair in sorted({mask for mask in board.cells if mask.bit_count() == 2}):
        cells = [cell for cell, mask in enumerate(board.cells) if mask == pair and not solved >> (cell * size) & 1]
        if len(cells) < 2:
            continue
        within = sum(pair << (cell * size) for cell in cells)
        found: dict[tuple[int, ...], list[Chain]] = {}
        for chain in search(board, graph_of(board, "cells", within=within)):
            if not chain.loop and chain.length % 2 == 0:
                ends = sorted((chain.edges[0][0][0], chain.edges[-1][0][0]))
                found.setdefault(tuple(ends), []).append(chain)
        for chains in found.values():
            step = _united(board, technique, chains)
            if step is not None:
                yield step


def _united(board: Board, technique: Technique, chains: Sequence[Chain]) -> Step | None:
    """One step of several chains."""
    gone, parts = 0, list[Cover]()
    for chain in chains:
        proof = proof_of(board, chain)
        if isinstance(proof, Cover):
            parts.append(proof)
        elif isinstance(proof, Several):
            parts += [part for part in proof.parts if isinstance(part, Cover)]
        gone |= chain.gone if proof is not None else 0
    return step_of(board, technique, replace(chains[0], gone=gone), Several(tuple(parts))) if parts else None
