"""Chains for `find_all`: of each kind all that the search finds, under the names that players have for them.

`search.py` finds of each pair of ends the shortest chain, `shortest.py` each chain of the short shapes. The ladder
comes to its chains by `leads.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from nonant.csp.proofs.records import Cover, Several
from nonant.strategies.board import Board
from nonant.strategies.chains import shortest as short
from nonant.strategies.chains.graph import graph_of
from nonant.strategies.chains.search import Chain, name_of, proof_of, search, step_of
from nonant.strategies.step import Step
from nonant.strategies.table import Technique


def plain(board: Board) -> list[Chain]:
    """All chains over single candidates."""
    return short.w_wings(board) + search(board, graph_of(board))


def one_value(board: Board) -> list[Chain]:
    """Chains over single candidates of one value."""
    return short.turbots(board, False) + search(board, graph_of(board, "units"))


def one_value_grouped(board: Board) -> list[Chain]:
    """Chains over candidates and groups of one value."""
    return short.turbots(board, True) + search(board, graph_of(board, "units", groups=True))


def in_cells(board: Board) -> list[Chain]:
    """Chains over cells with two values."""
    return search(board, graph_of(board, "cells"))


def grouped(board: Board) -> list[Chain]:
    """All chains over single candidates and groups."""
    return search(board, graph_of(board, groups=True))


def locked_sets(board: Board) -> list[Chain]:
    """Chains of almost locked sets alone: of two or three each one, of more the shortest over sets of up to five."""
    few = short.almost_locked_pairs(board) + short.almost_locked_triples(board)
    return few + search(board, graph_of(board, "cells", largest=5), LONGEST_OF_SETS)


def everything(board: Board) -> list[Chain]:
    """Chains over candidates, groups and almost locked sets of up to five cells."""
    return search(board, graph_of(board, groups=True, largest=5))


# What a search finds, the larger one finds too: where that finds nothing, the smaller is not made.
LARGER = {"value": "all", "cells": "all", "all": "groups", "value, groups": "groups"}
SEARCHES = {
    "all": plain,
    "value": one_value,
    "value, groups": one_value_grouped,
    "cells": in_cells,
    "groups": grouped,
    "sets": locked_sets,
    "everything": everything,
}
# Names of a whole kind of chain: they take the special shapes of their kind too (a skyscraper is an x-chain).
GENERAL = {"x-chain", "xy-chain", "aic", "grouped x-chain", "grouped aic", "als chain", "almost locked aic"}
LOOPS = {"x-loop", "continuous loop", "grouped x-loop", "grouped continuous loop", "almost locked loop"}
LONGEST_OF_SETS = 8  # almost locked sets of a chain of more than three
MOST_UNITED = 12  # chains of which each pair makes a step of its own; more of them are united as a whole


def find(board: Board, technique: Technique, kind: str, *names: str) -> Iterator[Step]:
    """The chains of one search that bear the technique's name (or one of `names`).

    Chains that differ in little are one pattern to many players (a dual kite; almost locked sets with two common
    values): after the single ones come their unions.
    """
    largest = kind
    while largest in LARGER:
        largest = LARGER[largest]
    if not board.once(f"chains: {largest}", SEARCHES[largest]):
        return
    wanted = names or (technique.name,)
    seen: set[int] = set()
    alike: dict[object, dict[int, Chain]] = {}
    for chain in board.once(f"chains: {kind}", SEARCHES[kind]):
        if not (
            chain.loop
            if technique.name in LOOPS
            else not chain.loop
            if technique.name in GENERAL
            else name_of(board, chain) in wanted
        ):
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
