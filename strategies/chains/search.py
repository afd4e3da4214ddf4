"""Alternating chains and loops: one search over the graph, and names for what it finds.

From a node that is off, strong and weak edges alternate: if the start is off, every node reached by a strong edge is
on. So the start or the end holds, and what both exclude is false. When start and end exclude each other the chain is a
*continuous loop*: then each weak edge is as good as a truth, and removes too.

The proof is a cover: the truths of the strong edges, the links of the weak ones, and two links to the victim (rank 1),
or the closing link of a loop (rank 0). The search is breadth first: of each pair of ends it finds the shortest chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nonant.csp.masks import bits, mask_of
from nonant.csp.proofs.records import Proof
from nonant.strategies import kernels
from nonant.strategies.board import Board
from nonant.strategies.chains.graph import Edge, Graph
from nonant.strategies.definition import Technique
from nonant.strategies.sentences import not_these, set_names
from nonant.strategies.step import Step
from nonant.strategies.techniques.covers import common_link, full_cover, tied

LONGEST = 24  # strong edges of a chain


@dataclass(frozen=True)
class Chain:
    """A chain: its nodes in order, off and on in turn, and the strong edges between them.

    Attributes:
        nodes: the masks of the nodes; nodes[0] is off or nodes[-1] is on.
        edges: the strong edges, from nodes[0] to nodes[1], from nodes[2] to nodes[3], ...
        loop: whether start and end exclude each other.
        gone: what it removes.
    """

    nodes: tuple[int, ...]
    edges: tuple[Edge, ...]
    loop: bool
    gone: int

    @property
    def length(self) -> int:
        """The number of strong edges."""
        return len(self.edges)


def search(board: Board, graph: Graph, longest: int = LONGEST) -> list[Chain]:
    """For each pair of ends the shortest chain that removes something, and each loop, the shortest first."""
    found: list[Chain] = []
    live = board.open
    masks, sees, strong, weak = graph.masks, graph.sees, graph.strong, graph.weak
    starts: Sequence[int] = range(len(masks))
    kernel = kernels.loaded("chain_starts")
    if kernel is not None:
        starts = kernel.promising(graph, live, board.model.n_cells * board.model.n_values, longest)
    for start in starts:
        if not sees[start] & live:
            continue  # nothing that it could exclude, and nothing that it could close a loop with
        reached_by = {start: -1}  # off node -> the on node before it
        came_from: dict[int, int] = {}  # on node -> the off node before it
        on, off, frontier, length = 0, 1 << start, [start], 0
        seen_at_start = sees[start] & live
        while frontier and length < longest:
            length += 1
            fresh_on = []
            for node in frontier:
                new = strong[node] & ~on
                on |= new
                while new:  # `bits` written out: this is the hottest loop of the ladder
                    low = new & -new
                    new ^= low
                    other = low.bit_length() - 1
                    came_from[other] = node
                    fresh_on.append(other)
            frontier = []
            for node in fresh_on:
                if node >= start and length > 1:
                    gone = sees[node] & seen_at_start
                    closes = bool(weak[node] >> start & 1)
                    if gone or closes:
                        found += _traced(board, graph, node, reached_by, came_from, gone, closes)
                new = weak[node] & ~off
                off |= new
                while new:
                    low = new & -new
                    new ^= low
                    other = low.bit_length() - 1
                    reached_by[other] = node
                    frontier.append(other)
    found.sort(key=lambda chain: (chain.length, chain.loop))
    return found


def _traced(
    board: Board, graph: Graph, end: int, reached_by: dict[int, int], came_from: dict[int, int], gone: int, closes: bool
) -> Iterator[Chain]:
    nodes, edges, node = [], [], end
    while node >= 0:
        before = came_from[node]
        nodes += [graph.masks[node], graph.masks[before]]
        edges.append(graph.edges[before, node])
        node = reached_by[before]
    nodes.reverse()
    edges.reverse()
    if gone:
        yield Chain(tuple(nodes), tuple(edges), False, gone)
        if nodes[0] == nodes[-1]:  # it holds: some count only what goes from its own cell, some only its value
            size = board.model.n_values
            cell = (1 << size) - 1 << ((nodes[0].bit_length() - 1) // size * size)
            for part in (gone & cell, gone & ~cell):
                if part and part != gone:
                    yield Chain(tuple(nodes), tuple(edges), False, part)
    if closes:
        proof = _loop_proof(board, nodes, edges)
        if proof is not None:
            yield Chain(tuple(nodes), tuple(edges), True, mask_of(proof.removes))


def _premises(board: Board, nodes: Sequence[int], edges: Sequence[Edge]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    truths = tuple(truth for edge in edges for truth in edge[0])
    links = [link for edge in edges for link in edge[1]]
    for at in range(1, len(nodes) - 1, 2):
        link = common_link(board.sets, nodes[at] | nodes[at + 1])
        assert link is not None  # a weak edge is inside one link
        links.append(link)
    return truths, tuple(links)


def _loop_proof(board: Board, nodes: Sequence[int], edges: Sequence[Edge]) -> Proof | None:
    truths, links = _premises(board, nodes, edges)
    closing = common_link(board.sets, nodes[0] | nodes[-1])
    return None if closing is None else full_cover(board.sets, board.live, truths, (*links, closing))


def closed(board: Board, chain: Chain) -> Chain | None:
    """The chain as a continuous loop, if its ends exclude each other and the loop removes something."""
    if chain.nodes[0] & chain.nodes[-1]:
        return None
    proof = _loop_proof(board, chain.nodes, chain.edges)
    return None if proof is None else Chain(chain.nodes, chain.edges, True, mask_of(proof.removes))


def proof_of(board: Board, chain: Chain) -> Proof | None:
    """The cover of a chain, or several where victims are tied to the ends by other links."""
    if chain.loop:
        return _loop_proof(board, chain.nodes, chain.edges)
    truths, links = _premises(board, chain.nodes, chain.edges)
    return tied(board.sets, truths, links, (chain.nodes[0], chain.nodes[-1]), tuple(bits(chain.gone)))


def step_of(board: Board, technique: Technique, chain: Chain, proof: Proof) -> Step:
    """The step of a chain."""
    removes = tuple(bits(chain.gone))
    size = board.model.n_values
    steps = []
    for at, (truths, _) in enumerate(chain.edges):
        off, on = chain.nodes[2 * at], chain.nodes[2 * at + 1]
        steps.append(f"if not {_node(board, off)} then {_node(board, on)} ({set_names(board, truths)})")
    reason = technique.reason.format(
        start=_node(board, chain.nodes[0]),
        end=_node(board, chain.nodes[-1]),
        chain=", ".join(steps),
        removes=not_these(board, removes),
    )
    cells = tuple(dict.fromkeys(candidate // size for node in chain.nodes for candidate in bits(node)))
    return Step(technique.name, (), removes, proof, reason, cells)


def _node(board: Board, mask: int) -> str:
    """r1c1=5, or for a group r1c1/r1c2=5."""
    size = board.model.n_values
    places = list(bits(mask))
    cells = "/".join(board.model.names[candidate // size] for candidate in places)
    return f"{cells}={board.model.symbols[places[0] % size]}"
