"""Exact searches for the shortest whips and braids.

A chain of length n on a target z is n truths: of each of the first n - 1 one member is left, *right-linked*, when z and
the right-linked candidates before it are pushed (what they exclude is dead); of the last truth none is left. In a
*braid* any truth will do whose others are dead; in a *whip* each truth must also hold a candidate of the board that is
linked to the right-linked candidate just before it (to z, for the first). See `strategies/ratings.py`.

The search is depth first with a limit on the length. A braid depends on the set of its right-linked candidates, not on
their order, so sets are gone through once each: a move that was passed over is not taken later in the same branch. Two
bounds cut it. Pushing everything that is forced, round by round, needs no more rounds than any chain has further
candidates: where that many rounds empty nothing, there is no chain. And the moves passed over need not be pushed then.

The state and its pushing are in `truths.py`, whole solves in `rating.py`.
"""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from typing import Any

from nonant.csp.machine.jit import njit
from nonant.strategies.kernels.truths import LIMIT, NODES, ONE, ONES, SUM, TRAIL, begin_board, laid, pop, push

# Kinds of chains. LOOSE is a whip whose links may go to any candidate of the first board, also one that has gone since.
BRAID, WHIP, LOOSE = 0, 1, 2
_BY_ROUNDS = 2  # with so many more candidates to come the rounds are worth their price


@njit(cache=True, boundscheck=False)
def ends_within(lists: Any, state: Any, rounds: int, begin: int) -> int:
    """In how many more rounds of pushing all that is forced a truth is left empty; 0 if not in so many.

    Of `ones` those from `begin` on are pushed first. Candidates with a mark are left out: they have been pushed, or
    passed over. The state comes out as it went in.
    """
    trail, ones = state.at[TRAIL], state.at[ONES]
    found, done = 0, 0
    waiting, pushed = begin, 0
    while found == 0 and done < rounds and waiting < state.at[ONES]:
        done += 1
        end = state.at[ONES]
        while waiting < end:
            candidate = state.left[state.ones[waiting]] & SUM
            waiting += 1
            if state.mark[candidate] == 0:
                state.mark[candidate] = 1
                state.queue[pushed] = candidate
                pushed += 1
                if push(lists, state, candidate) >= 0:
                    found = done
                    break
    for place in range(pushed):
        state.mark[state.queue[place]] = 0
    pop(lists, state, trail, ones)
    return found


@njit(cache=True, boundscheck=False)
def _touched(lists: Any, state: Any, kind: int, candidate: int, begin: int) -> int:
    """Note as moves, from `begin` on, the last members of truths that hold a peer of a candidate; returns the end."""
    end, first = begin, lists.peer_starts[candidate]
    number = lists.n_first[candidate] if kind == LOOSE else lists.n_near[candidate]
    for place in range(first, first + number):
        peer = lists.first[place] if kind == LOOSE else lists.near[place]
        for at in range(lists.truth_starts[peer], lists.truth_starts[peer + 1]):
            truth = lists.truths[at]
            word = state.left[truth]
            if ONE <= word < 2 * ONE:
                last = word & SUM
                if state.mark[last] == 0:
                    state.mark[last] = 1
                    state.moves[end] = last
                    state.via[end] = truth
                    end += 1
    for place in range(begin, end):
        state.mark[state.moves[place]] = 0
    return end


@njit(cache=True, boundscheck=False)
def search(lists: Any, state: Any, kind: int, target: int, length: int) -> int:
    """The length of a chain on a target, `length` at most; 0 if there is none, -1 if the nodes are spent.

    `path` has then the target and the right-linked candidates, `path_via` the truths. What is found need not be the
    shortest: ask with growing lengths. The state comes out as it went in.
    """
    state.mark[target] = 1
    state.path[0] = target
    empty = push(lists, state, target)
    found, depth, tried = 0, 0, 0
    if empty >= 0:
        state.path_via[0] = empty
        found = 1
    elif length > 1 and ends_within(lists, state, length - 1, 0):
        state.low[0] = 0
        state.high[0] = state.at[ONES] if kind == BRAID else _touched(lists, state, kind, target, 0)
        state.base[0] = 0
        while True:
            move, via = -1, -1
            if kind == BRAID:
                while move < 0 and state.low[depth] < state.high[depth]:
                    via = state.ones[state.low[depth]]
                    state.low[depth] += 1
                    if state.mark[state.left[via] & SUM] == 0:
                        move = state.left[via] & SUM
            elif state.low[depth] < state.high[depth]:
                move, via = state.moves[state.low[depth]], state.via[state.low[depth]]
                state.low[depth] += 1
            if move < 0:
                if kind == BRAID:
                    while tried > state.base[depth]:
                        tried -= 1
                        state.mark[state.moves[tried]] = 0
                if depth == 0:
                    break
                pop(lists, state, state.ends[2 * depth], state.ends[2 * depth + 1])
                if kind != BRAID:
                    state.mark[state.path[depth]] = 0
                depth -= 1
                continue
            state.at[NODES] += 1
            if state.at[NODES] > state.at[LIMIT]:
                found = -1
                break
            trail, ones = state.at[TRAIL], state.at[ONES]
            empty = push(lists, state, move)
            state.path[depth + 1], state.path_via[depth] = move, via
            if empty >= 0:
                state.path_via[depth + 1] = empty
                found = depth + 2
                break
            state.mark[move] = 1
            if kind == BRAID:
                state.moves[tried] = move
                tried += 1
            more = length - depth - 2
            begin = state.low[depth] if kind == BRAID else 0
            if more == 0 or (more >= _BY_ROUNDS and not ends_within(lists, state, more, begin)):
                pop(lists, state, trail, ones)
                if kind != BRAID:
                    state.mark[move] = 0
                continue
            depth += 1
            state.ends[2 * depth], state.ends[2 * depth + 1] = trail, ones
            if kind == BRAID:
                state.low[depth], state.high[depth], state.base[depth] = begin, state.at[ONES], tried
            else:
                state.low[depth] = state.high[depth - 1]
                state.high[depth] = _touched(lists, state, kind, move, state.low[depth])
        if kind == BRAID:
            for place in range(tried):
                state.mark[state.moves[place]] = 0
        for place in range(depth + 1):
            state.mark[state.path[place]] = 0
    state.mark[target] = 0
    pop(lists, state, 0, 0)
    return found


@njit(cache=True, boundscheck=False, nogil=True)
def find(
    sizes: Any,
    member_starts: Any,
    members: Any,
    truth_starts: Any,
    truths: Any,
    peer_starts: Any,
    peers: Any,
    board: Any,
    first: Any,
    placed: Any,
    kind: int,
    longest: int,
    length: int,
    targets: Any,
    limit: int,
    small: Any,
    large: Any,
    rows: Any,
    out: Any,
) -> None:
    """Chains of one length (or shorter) on some targets of one board.

    Args:
        sizes, ..., peers, board, first, placed, kind, longest, limit, small, large: see `rate`.
        length: of the chains, `longest` at most.
        targets: int32, candidates.
        rows: int32 (targets, longest), written: the truths of each chain, in order.
        out: int64 (targets), written: how many truths; 0 for no chain, -1 where the nodes were spent.
    """
    lists, state = laid(sizes, member_starts, members, truth_starts, truths, peer_starts, peers, longest, small, large)
    begin_board(sizes, lists, state, board, first, placed)
    for number in range(targets.shape[0]):
        state.at[NODES], state.at[LIMIT] = 0, limit
        out[number] = search(lists, state, kind, targets[number], length)
        for place in range(out[number]):
            rows[number, place] = state.path_via[place]
