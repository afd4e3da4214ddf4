"""Short chains, each of them: a search for shortest paths gives one of several, and its ends only once.

- *turbots*: two truths of one value with a weak link between them (skyscraper, two-string kite, turbot fish, and with
  groups the empty rectangle);
- *W-wings*: two cells with the same two values, joined by a truth of one of them;
- *almost locked sets* of any size, two of them with a restricted common (ALS-XZ), or a third between (ALS-XY-wing).

They are chains like others (`nonant.strategies.chains.search`) and take their names and proofs from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from nonant.csp.masks import bits
from nonant.csp.proofs.sets import Sets
from nonant.strategies.board import Board
from nonant.strategies.chains.graph import AlmostLocked, Edge, almost_locked_sets
from nonant.strategies.chains.search import Chain
from nonant.strategies.techniques.covers import seen_by_all


def links_around(sets: Sets, node: int) -> list[int]:
    """The links that hold all of a node."""
    return [link for link in sets.links_of((node & -node).bit_length() - 1) if not node & ~sets.masks[link]]


def turbots(board: Board, groups: bool) -> list[Chain]:
    """All chains of two strong edges over one value, each pair of truths and each way to join them."""
    sets, left, n_cells = board.sets, board.open, board.model.n_cells
    halves: dict[int, list[tuple[int, int, int]]] = {}  # link -> truths with a near node in it, and their far node
    sees: dict[int, int] = {}
    for truth in range(n_cells, len(sets.masks)):
        members = sets.masks[truth] & left
        if sets.is_truth[truth] and members.bit_count() > 1:
            for one, other in _halved(sets, truth, members, groups):
                for near, far in ((one, other), (other, one)):
                    sees.setdefault(far, seen_by_all(sets, far) & left)
                    for link in links_around(sets, near):
                        if link >= n_cells:
                            halves.setdefault(link, []).append((truth, near, far))
    found: dict[tuple[int, ...], Chain] = {}
    for some in halves.values():
        for (first, inner, start), (second, other, end) in combinations(some, 2):
            gone = sees[start] & sees[end]
            key = (first, second, start, inner, other, end)
            if gone and first != second and not inner & other and key not in found:
                edges: tuple[Edge, ...] = (((first,), ()), ((second,), ()))
                found[key] = Chain((start, inner, other, end), edges, False, gone)
    return list(found.values())


def _halved(sets: Sets, truth: int, members: int, groups: bool) -> Iterator[tuple[int, int]]:
    """A truth as two nodes that hold all its members."""
    if members.bit_count() == 2:
        low = members & -members
        yield low, members ^ low
    elif groups:
        parts = {1 << candidate for candidate in bits(members)}
        for candidate in bits(members):
            parts |= {members & sets.masks[link] for link in sets.links_of(candidate) if link != truth}
        parts.discard(members)
        for one, other in combinations(sorted(parts), 2):
            if one | other == members:
                yield one, other


def w_wings(board: Board) -> list[Chain]:
    """All W-wings: of each pair of cells and each value the first truth that joins them."""
    sets, size, n_cells, left = board.sets, board.model.n_values, board.model.n_cells, board.open
    joints: list[list[tuple[int, int, int]]] = [[] for _ in range(size)]
    for truth in range(n_cells, len(sets.masks)):
        members = sets.masks[truth] & left
        if sets.is_truth[truth] and members.bit_count() == 2:
            one, other = bits(members)
            joints[one % size] += [(truth, one, other), (truth, other, one)]
    same: dict[int, list[int]] = {}
    for cell, mask in enumerate(board.cells):
        if mask.bit_count() == 2 and mask << (cell * size) & left:
            same.setdefault(mask, []).append(cell)
    found = []
    for mask, cells in same.items():
        for first, last in combinations(cells, 2):
            for joined in bits(mask):
                value = (mask & ~(1 << joined)).bit_length() - 1
                gone = sets.peers[first * size + value] & sets.peers[last * size + value] & left
                start, end = first * size + joined, last * size + joined
                for truth, one, other in joints[joined] if gone else ():
                    if sets.peers[start] >> one & 1 and sets.peers[end] >> other & 1:
                        nodes = (first * size + value, start, one, other, end, last * size + value)
                        edges: tuple[Edge, ...] = (((first,), ()), ((truth,), ()), ((last,), ()))
                        found.append(Chain(tuple(1 << node for node in nodes), edges, False, gone))
                        break
    return found


@dataclass(frozen=True)
class Locked:
    """All almost locked sets of a board, and which of them exclude each other by a value.

    Attributes:
        found: the sets.
        places: of each set the candidates of each value. sees: what lies in a link with all of these.
        joined: of each set and value the sets that cannot have it at the same time (a mask): restricted commons.
        large: the sets of more than one cell (a mask).
    """

    found: tuple[AlmostLocked, ...]
    places: tuple[dict[int, int], ...]
    sees: tuple[dict[int, int], ...]
    joined: tuple[dict[int, int], ...]
    large: int

    def edge(self, board: Board, at: int, one: int, other: int) -> Edge:
        """The strong edge between two values of a set."""
        some = self.found[at]
        rest = some.values & ~(1 << one | 1 << other)
        first = board.model.n_cells + some.unit * board.model.n_values
        return some.cells, tuple(first + value for value in bits(rest))


def locked_of(board: Board) -> Locked:
    """The almost locked sets of a board, of any size."""
    sets, left = board.sets, board.open
    found = almost_locked_sets(board, board.model.n_values - 1)
    places = [dict(some.places) for some in found]
    inside: dict[int, int] = {}
    holding: dict[int, int] = {}
    around: dict[int, list[int]] = {}
    seen: dict[int, int] = {}
    for at, values in enumerate(places):
        for mask in values.values():
            if mask not in around:
                around[mask] = links_around(sets, mask)
                everything = 0
                for link in around[mask]:
                    everything |= sets.masks[link]
                seen[mask] = everything & ~mask & left
            for link in around[mask]:
                inside[link] = inside.get(link, 0) | 1 << at
            for candidate in bits(mask):
                holding[candidate] = holding.get(candidate, 0) | 1 << at
    joined = []
    for values in places:
        row = {}
        for value, mask in values.items():
            near = touching = 0
            for link in around[mask]:
                near |= inside[link] if link >= board.model.n_cells else 0
            for candidate in bits(mask):
                touching |= holding[candidate]
            row[value] = near & ~touching
        joined.append(row)
    sees = tuple({value: seen[mask] for value, mask in values.items()} for values in places)
    large = sum(1 << at for at, some in enumerate(found) if len(some.cells) > 1)
    return Locked(tuple(found), tuple(places), sees, tuple(joined), large)


def almost_locked_pairs(board: Board) -> list[Chain]:
    """ALS-XZ: two sets with a restricted common, and each value besides that both have."""
    every = board.once("all almost locked sets", locked_of)
    found: dict[tuple[int, ...], Chain] = {}
    for one, row in enumerate(every.joined):
        for common, others in row.items():
            others &= -1 << one
            for other in bits(others if every.large >> one & 1 else others & every.large):
                sizes = (len(every.found[one].cells), len(every.found[other].cells))
                kind = (sum(sizes), min(sizes)) if sum(sizes) < 5 else (0, 0)  # the small ones have names of their own
                shared = _shared(every, one, other, 1 << common)
                key = (*kind, *(gone for _, gone in shared))
                if shared and key not in found:
                    for value, gone in shared:
                        chain = _chain(board, every, (one, other), (common,), value, gone)
                        found[(*key, value) if len(shared) > 1 else key] = chain
                    found.setdefault(key, chain)
    return list({id(chain): chain for chain in found.values()}.values())


def almost_locked_triples(board: Board) -> list[Chain]:
    """ALS-XY-wing: two sets that a third joins by two different restricted commons."""
    every = board.once("all almost locked sets", locked_of)
    found: list[Chain] = []
    known: set[tuple[int, ...]] = set()
    for one, other in combinations(range(len(every.found)), 2):
        all_shared = _shared(every, one, other, 0)
        if not all_shared or tuple(gone for _, gone in all_shared) in known:
            continue
        small = not (1 << one | 1 << other) & every.large
        for first, near in every.joined[one].items():
            for second, far in every.joined[other].items():
                between = near & far & ~(1 << one | 1 << other)
                between &= every.large if small else -1
                if first == second or not between:
                    continue
                shared = [some for some in all_shared if some[0] not in (first, second)]
                key = tuple(gone for _, gone in shared)
                if shared and key not in known:
                    known.add(key)
                    middle = (between & -between).bit_length() - 1
                    for value, gone in shared:
                        sets = (one, middle, other)
                        found.append(_chain(board, every, sets, (first, second), value, gone))
    return found


def _shared(every: Locked, one: int, other: int, without: int) -> list[tuple[int, int]]:
    """The values that two sets share, with what sees all places of either."""
    first, second = every.sees[one], every.sees[other]
    common = every.found[one].values & every.found[other].values & ~without
    return [(value, first[value] & second[value]) for value in bits(common) if first[value] & second[value]]


def _chain(board: Board, every: Locked, some: Sequence[int], commons: Sequence[int], value: int, gone: int) -> Chain:
    """The chain through sets, from one common value to the next, with `value` at both ends."""
    values = (value, *commons, value)
    nodes, edges = list[int](), list[Edge]()
    for at, one in enumerate(some):
        nodes += [every.places[one][values[at]], every.places[one][values[at + 1]]]
        edges.append(every.edge(board, one, values[at], values[at + 1]))
    return Chain(tuple(nodes), tuple(edges), False, gone)
