"""A board as truths and links for kernels that push candidates and undo: what dies, and which truths come down to one.

Of every truth the number of members left and the sum of their numbers stand in one word, so that the last one is known
without a look; of every candidate there is the list of its peers on the board; a trail of what died, to undo. All on
bare pointers: see `csp/kernels/simd/bits.py`.
"""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from nonant.csp.kernels.simd.bits import moved, pointer_to
from nonant.csp.machine.jit import njit
from nonant.csp.model import Model
from nonant.csp.proofs.sets import sets_of

ONE = 1 << 32  # one member in a truth's word; the sum of the members' numbers is below it
SUM = ONE - 1
# Places in `State.at`.
TRAIL, ONES, NODES, LIMIT = 0, 1, 2, 3


@dataclass(frozen=True, eq=False)
class Program:
    """A model's truths and peers as flat lists (int32): row i of x is x[x_starts[i]:x_starts[i + 1]].

    Attributes:
        arrays: what every kernel takes first: the sizes (number of candidates, number of truths, most truths that the
            peers of one candidate lie in), then starts and items of the members of each truth, of the truths of each
            candidate, and of the peers of each candidate.
        numbers: for each truth its number in `Sets`.
        n_candidates: cells times values.
    """

    arrays: tuple[Any, ...]
    numbers: tuple[int, ...]
    n_candidates: int

    def flags(self, mask: int) -> Any:
        """The candidates of a mask as one byte each."""
        packed = np.frombuffer(mask.to_bytes((self.n_candidates + 7) // 8, "little"), np.uint8)
        return np.unpackbits(packed, bitorder="little")[: self.n_candidates]


# Frozen arrays of frozen models, and bounded, since models may come from a stream of region maps.
@lru_cache(maxsize=16)
def program_of(model: Model) -> Program:
    """The truths and peers of a model as arrays."""
    compiled, sets, size = model.compiled, sets_of(model), model.n_values
    n_candidates = model.n_cells * size
    # Numbered as in `Sets`: the cells, then the values of each unit. Its masks would do, slowly for large grids.
    held: list[Sequence[int]] = [range(cell * size, (cell + 1) * size) for cell in range(model.n_cells)]
    held += [[cell * size + value for cell in unit] for unit in compiled.units for value in range(size)]
    numbers = tuple(number for number, is_truth in enumerate(sets.is_truth) if is_truth)
    members = [list(held[number]) for number in numbers]
    truths_of: list[list[int]] = [[] for _ in range(n_candidates)]
    for truth, candidates in enumerate(members):
        for candidate in candidates:
            truths_of[candidate].append(truth)
    peers = []
    for candidate in range(n_candidates):
        near = set[int]().union(*(held[link] for link in sets.links_of(candidate)))
        near.discard(candidate)
        peers.append(sorted(near))
    widest = max((sum(len(truths_of[peer]) for peer in row) for row in peers), default=0)
    sizes = np.array([n_candidates, len(numbers), widest], np.int64)
    return Program((sizes, *_flat(members), *_flat(truths_of), *_flat(peers)), numbers, n_candidates)


def _flat(rows: list[list[int]]) -> tuple[Any, Any]:
    starts = np.zeros(len(rows) + 1, np.int32)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    return starts, np.array([item for row in rows for item in row], np.int32)


# -- the state ---------------------------------------------------------------------------------------------------------


class Lists(NamedTuple):
    """Pointers to the arrays of a `Program`, and for each candidate its peers on the board and on the first one.

    `near` and `first` have the places of `peers`; of each row `n_near` and `n_first` items count.
    """

    member_starts: Any
    members: Any
    truth_starts: Any
    truths: Any
    peer_starts: Any
    peers: Any
    near: Any
    n_near: Any
    first: Any
    n_first: Any


class State(NamedTuple):
    """Pointers to what a search changes.

    Attributes:
        left: int64, for each truth members left * 2 ** 32 + the sum of their numbers.
        live, placed: of candidates, on the board.
        dead: of candidates, under the assumptions.
        mark: of candidates: pushed, or passed over.
        trail: what died, in order. ones: truths that came down to one member, in order.
        at: [length of the trail, length of ones, searched nodes, their limit].
        moves, via: candidates to push next, and the truths that they are the last of.
        low, high, base: for each depth the next move, the end of its moves, and (braids) the begin of those it tried.
        ends: for each depth the length of trail and of ones before it.
        path, path_via: the chain so far. queue: for rounds.
    """

    left: Any
    live: Any
    placed: Any
    dead: Any
    mark: Any
    trail: Any
    ones: Any
    at: Any
    moves: Any
    via: Any
    low: Any
    high: Any
    base: Any
    ends: Any
    path: Any
    path_via: Any
    queue: Any


def room(program: Program, longest: int) -> tuple[Any, Any]:
    """The memory for a search of chains up to a length: int32 and int64."""
    candidates, truths, widest = map(int, program.arrays[0])
    deep = longest + 2
    small = 8 * candidates + truths + 2 * len(program.arrays[-1]) + 2 * (deep * widest + candidates) + 7 * deep
    return np.zeros(small, np.int32), np.zeros(truths + 4, np.int64)


@njit(cache=True, boundscheck=False)
def laid(
    sizes: Any,
    member_starts: Any,
    members: Any,
    truth_starts: Any,
    truths: Any,
    peer_starts: Any,
    peers: Any,
    longest: int,
    small: Any,
    large: Any,
) -> Any:
    """Where everything stands in the memory that `room` made; the caller holds the arrays."""
    candidates, n_truths, widest = sizes[0], sizes[1], sizes[2]
    deep, n_peers = longest + 2, peers.shape[0]
    n_moves = deep * widest + candidates
    live = pointer_to(small)
    placed = moved(live, candidates)
    dead = moved(placed, candidates)
    mark = moved(dead, candidates)
    trail = moved(mark, candidates)
    queue = moved(trail, candidates)
    n_near = moved(queue, candidates)
    n_first = moved(n_near, candidates)
    ones = moved(n_first, candidates)
    near = moved(ones, n_truths)
    first = moved(near, n_peers)
    moves = moved(first, n_peers)
    via = moved(moves, n_moves)
    low = moved(via, n_moves)
    high = moved(low, deep)
    base = moved(high, deep)
    ends = moved(base, deep)
    path = moved(ends, 2 * deep)
    path_via = moved(path, deep)
    left = pointer_to(large)
    lists = Lists(
        pointer_to(member_starts),
        pointer_to(members),
        pointer_to(truth_starts),
        pointer_to(truths),
        pointer_to(peer_starts),
        pointer_to(peers),
        near,
        n_near,
        first,
        n_first,
    )
    at = moved(left, n_truths)
    state = State(
        left, live, placed, dead, mark, trail, ones, at, moves, via, low, high, base, ends, path, path_via, queue
    )
    return lists, state


@njit(cache=True, boundscheck=False)
def begin_board(sizes: Any, lists: Any, state: Any, board: Any, first: Any, placed: Any) -> None:
    """Set up a board; `first` is the one that loose whips link to. All three are one byte a candidate."""
    for candidate in range(sizes[0]):
        state.live[candidate], state.placed[candidate] = board[candidate], placed[candidate]
        state.dead[candidate] = state.mark[candidate] = 0
        begin = lists.peer_starts[candidate]
        near, seen = begin, begin
        for place in range(begin, lists.peer_starts[candidate + 1]):
            peer = lists.peers[place]
            if board[candidate] and board[peer]:
                lists.near[near] = peer
                near += 1
            if first[peer]:
                lists.first[seen] = peer
                seen += 1
        lists.n_near[candidate], lists.n_first[candidate] = near - begin, seen - begin
    for truth in range(sizes[1]):
        word = 0
        for place in range(lists.member_starts[truth], lists.member_starts[truth + 1]):
            candidate = lists.members[place]
            if board[candidate]:
                word += ONE + candidate
        state.left[truth] = word
    state.at[TRAIL] = state.at[ONES] = state.at[NODES] = 0


# -- pushing -----------------------------------------------------------------------------------------------------------


@njit(cache=True, boundscheck=False)
def push(lists: Any, state: Any, candidate: int) -> int:
    """What a candidate excludes dies. Returns a truth that is left empty, or -1."""
    empty = -1
    trail, ones = state.at[TRAIL], state.at[ONES]
    begin = lists.peer_starts[candidate]
    for place in range(begin, begin + lists.n_near[candidate]):
        peer = lists.near[place]
        if state.dead[peer]:
            continue
        state.dead[peer] = 1
        state.trail[trail] = peer
        trail += 1
        for at in range(lists.truth_starts[peer], lists.truth_starts[peer + 1]):
            truth = lists.truths[at]
            word = state.left[truth] - ONE - peer
            state.left[truth] = word
            if word < 2 * ONE:
                if word < ONE:
                    empty = truth
                else:
                    state.ones[ones] = truth
                    ones += 1
    state.at[TRAIL], state.at[ONES] = trail, ones
    return empty


@njit(cache=True, boundscheck=False)
def pop(lists: Any, state: Any, trail: int, ones: int) -> None:
    """Undo down to these lengths of trail and ones."""
    for place in range(trail, state.at[TRAIL]):
        peer = state.trail[place]
        state.dead[peer] = 0
        for at in range(lists.truth_starts[peer], lists.truth_starts[peer + 1]):
            state.left[lists.truths[at]] += ONE + peer
    state.at[TRAIL], state.at[ONES] = trail, ones
