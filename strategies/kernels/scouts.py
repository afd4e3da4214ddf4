"""Is there any? A quick and complete no for the searches of patterns: plain Python looks only where something is.

Subsets and basic fish are one question over a matrix of rows (truths) and columns (links): k rows inside k columns,
with something else in these columns. Rows and columns are a unit's cells and values (naked), its values and cells
(hidden), or for one value the units of two classes (fish). Each question here is answered as in the finders of
`subsets`, `locked` and `fish`, but "yes" may be said once too often for fins that no link ties to a victim.
"""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from nonant.csp.kernels.simd.bits import count_ones
from nonant.csp.masks import bits
from nonant.csp.model import Model
from nonant.csp.proofs.sets import sets_of
from nonant.strategies.board import Board
from nonant.strategies.kernels.graph import fits
from nonant.strategies.kernels.sets import Lists, alive, arrays_of, flat
from nonant.strategies.layout import layout_of
from nonant.strategies.techniques.fish import class_pairs

NAKED, HIDDEN, FISH = 0, 1, 2
MOST = 4  # rows of a subset or fish


class Matrices(NamedTuple):
    """The matrices of a model.

    Attributes:
        kinds: NAKED, HIDDEN or FISH of each matrix.
        rows: the set of each row of each matrix.
        columns: for each row (numbered through) the column of each member of its set.
    """

    kinds: Any
    rows: Lists
    columns: Lists


# Frozen arrays of frozen models, and bounded, since models may come from a stream of region maps.
@lru_cache(maxsize=16)
def matrices_of(model: Model) -> Matrices:
    """The matrices of a model's units and of its pairs of classes."""
    sets, layout = sets_of(model), layout_of(model)
    first, size = model.n_cells, model.n_values
    kinds, rows, columns = list[int](), list[list[int]](), list[list[int]]()

    def add(kind: int, row_sets: list[int], column_of: Any) -> None:
        kinds.append(kind)
        rows.append(row_sets)
        columns.extend([column_of(candidate) for candidate in bits(sets.masks[row])] for row in row_sets)

    for unit, cells in enumerate(layout.units):
        place = {cell: at for at, cell in enumerate(cells)}
        add(NAKED, list(cells), lambda candidate: candidate % size)
        if layout.full[unit]:
            of_unit = [first + unit * size + value for value in range(size)]
            add(HIDDEN, of_unit, lambda candidate, place=place: place[candidate // size])
    for bases, covers in class_pairs(layout):
        cover = {cell: at for at, unit in enumerate(covers) for cell in layout.units[unit]}
        for value in range(size):
            of_value = [first + unit * size + value for unit in bases]
            add(FISH, of_value, lambda candidate, cover=cover: cover[candidate // size])
    return Matrices(np.array(kinds, np.int8), flat(rows), flat(columns))


def may_be(board: Board, kind: int, size: int) -> bool:
    """Whether there is a naked or hidden subset, or a basic fish, of a size from 2 to `MOST` on a board."""
    return not fits(board.model) or bool(board.once("scout", answers) >> kind * 8 + size & 1)


def may_be_finned(board: Board, size: int) -> bool:
    """Whether there may be a finned or sashimi fish of a size."""
    if not fits(board.model):
        return True
    least, most = (2, 3) if size < MOST else (MOST, MOST)
    return bool(board.once(f"scout: finned {most}", lambda board: finned(board, least, most)) >> size & 1)


def answers(board: Board) -> int:
    """For each kind and size whether there is one: bit kind * 8 + size."""
    model = board.model
    arrays, matrices = arrays_of(model), matrices_of(model)
    live = alive(board.open, model.n_cells * model.n_values)
    search: Any = _scout
    return int(search(live, arrays.members, np.zeros(len(arrays.is_truth), np.int32), *matrices))


def finned(board: Board, least: int, most: int) -> int:
    """The sizes from `least` to `most` of which a finned or sashimi fish may be there, as bits."""
    model = board.model
    arrays, matrices = arrays_of(model), matrices_of(model)
    live = alive(board.open, model.n_cells * model.n_values)
    search: Any = _finned
    return int(search(live, arrays.members, arrays.links_of, *matrices, least, most))


def locked(board: Board) -> list[tuple[int, int]]:
    """All (truth, link) of locked candidates, in the order of the truths."""
    model = board.model
    arrays = arrays_of(model)
    live = alive(board.open, model.n_cells * model.n_values)
    search: Any = _locked
    found = search(live, arrays.members, arrays.is_truth, arrays.links_of, arrays.shape)
    return [(truth, link) for truth, link in found.tolist()]


@njit(cache=True)
def _scout(live: Any, members: Any, counts: Any, kinds: Any, rows: Any, columns: Any) -> int:
    member_starts, member_items = members
    row_starts, row_items = rows
    column_starts, column_items = columns
    zero, one = np.uint64(0), np.uint64(1)
    answer = 0
    n_sets = len(counts)
    for number in range(n_sets):
        for at in range(member_starts[number], member_starts[number + 1]):
            counts[number] += live[member_items[at]]
    masks, picked = np.empty(64, np.uint64), np.empty(64, np.uint64)
    chosen, union = np.empty(MOST + 1, np.int64), np.zeros(MOST + 1, np.uint64)
    for matrix in range(len(kinds)):
        n_rows = 0
        for at in range(row_starts[matrix], row_starts[matrix + 1]):
            number, mask = row_items[at], zero
            if counts[number]:
                shift = column_starts[at] - member_starts[number]
                for k in range(member_starts[number], member_starts[number + 1]):
                    if live[member_items[k]]:
                        mask |= one << np.uint64(column_items[k + shift])
                masks[n_rows] = mask
                n_rows += 1
        for size in range(2, MOST + 1):
            bit = 1 << (kinds[matrix] * 8 + size)
            if answer & bit:
                continue
            n_picked = 0
            for row in range(n_rows):
                if 1 < count_ones(masks[row]) <= size:
                    picked[n_picked] = masks[row]
                    n_picked += 1
            if n_picked < size:
                continue
            depth, chosen[0] = 0, 0
            while depth >= 0:
                if chosen[depth] >= n_picked:
                    depth -= 1
                    if depth >= 0:
                        chosen[depth] += 1
                    continue
                held = union[depth] | picked[chosen[depth]]
                if count_ones(held) > size:
                    chosen[depth] += 1
                    continue
                if depth == size - 1:
                    if count_ones(held) == size:
                        touched = 0
                        for row in range(n_rows):
                            touched += masks[row] & held != zero
                        if touched > size:
                            answer |= bit
                            break
                    chosen[depth] += 1
                else:
                    union[depth + 1] = held
                    chosen[depth + 1] = chosen[depth] + 1
                    depth += 1
    return answer


@njit(cache=True)
def _locked(live: Any, members: Any, is_truth: Any, links_of: Any, shape: Any) -> Any:
    member_starts, member_items = members
    link_starts, link_items = links_of
    n_sets = len(is_truth)
    counts, held = np.zeros(n_sets, np.int32), np.zeros(n_sets, np.int32)
    pairs, n_pairs = np.empty((4 * n_sets, 2), np.int32), 0
    for number in range(shape[0], n_sets):
        for at in range(member_starts[number], member_starts[number + 1]):
            counts[number] += live[member_items[at]]
    for truth in range(shape[0], n_sets):
        if not is_truth[truth] or counts[truth] == 0:
            continue
        some = -1
        for at in range(member_starts[truth], member_starts[truth + 1]):
            candidate = member_items[at]
            if live[candidate]:
                some = candidate
                for k in range(link_starts[candidate], link_starts[candidate + 1]):
                    held[link_items[k]] += 1
        for k in range(link_starts[some] + 1, link_starts[some + 1]):
            link = link_items[k]
            if held[link] == counts[truth] and counts[link] > counts[truth] and n_pairs < len(pairs):
                pairs[n_pairs, 0], pairs[n_pairs, 1] = truth, link
                n_pairs += 1
        for at in range(member_starts[truth], member_starts[truth + 1]):
            candidate = member_items[at]
            for k in range(link_starts[candidate], link_starts[candidate + 1]):
                held[link_items[k]] = 0
    return pairs[:n_pairs]


@njit(cache=True)
def _finned(live: Any, members: Any, links_of: Any, kinds: Any, rows: Any, columns: Any, least: int, most: int) -> int:
    """For each victim: rows that, but for what it sees, stand in few columns, its own among them. Sizes as bits."""
    member_starts, member_items = members
    link_starts, link_items = links_of
    row_starts, row_items = rows
    column_starts, column_items = columns
    zero, one = np.uint64(0), np.uint64(1)
    seen = np.full(len(live), -1, np.int32)
    held, column_of = np.empty((64, 64), np.int32), np.empty((64, 64), np.uint64)  # of each row: who lives there, where
    n_held, all_columns = np.empty(64, np.int64), np.empty(64, np.uint64)
    needed, touched = np.empty(64, np.uint64), np.empty(64, np.uint64)
    chosen, union, reach = np.empty(MOST + 1, np.int64), np.zeros(MOST + 1, np.uint64), np.zeros(MOST + 1, np.uint64)
    answer, wanted = 0, 0
    for size in range(least, most + 1):
        wanted |= 1 << size
    for matrix in range(len(kinds)):
        if kinds[matrix] != FISH:
            continue
        n_rows = 0
        for at in range(row_starts[matrix], row_starts[matrix + 1]):
            number, count, mask = row_items[at], 0, zero
            shift = column_starts[at] - member_starts[number]
            for k in range(member_starts[number], member_starts[number + 1]):
                if live[member_items[k]]:
                    column = one << np.uint64(column_items[k + shift])
                    held[n_rows, count], column_of[n_rows, count] = member_items[k], column
                    mask |= column
                    count += 1
            if count:
                n_held[n_rows], all_columns[n_rows] = count, mask
                n_rows += 1
        for own_row in range(n_rows):
            for place in range(n_held[own_row]):
                victim, own = held[own_row, place], column_of[own_row, place]
                for at in range(link_starts[victim] + 1, link_starts[victim + 1]):
                    for k in range(member_starts[link_items[at]], member_starts[link_items[at] + 1]):
                        seen[member_items[k]] = victim
                n_near = 0
                for row in range(n_rows):
                    if row == own_row:
                        continue
                    mask = own
                    for k in range(n_held[row]):
                        if seen[held[row, k]] != victim:
                            mask |= column_of[row, k]
                    if count_ones(mask) <= most:
                        needed[n_near], touched[n_near] = mask, all_columns[row]
                        n_near += 1
                for size in range(least, most + 1):
                    if answer >> size & 1 or n_near < size:
                        continue
                    depth, chosen[0] = 0, 0
                    while depth >= 0:
                        if chosen[depth] >= n_near:
                            depth -= 1
                            if depth >= 0:
                                chosen[depth] += 1
                            continue
                        inside = union[depth] | needed[chosen[depth]]
                        near = reach[depth] | touched[chosen[depth]]
                        if count_ones(inside) > size:
                            chosen[depth] += 1
                        elif depth < size - 1:
                            union[depth + 1], reach[depth + 1] = inside, near
                            chosen[depth + 1] = chosen[depth] + 1
                            depth += 1
                        elif count_ones(inside | near) >= size:  # enough columns that the rows reach at all
                            answer |= 1 << size
                            break
                        else:
                            chosen[depth] += 1
                if answer == wanted:
                    return answer
    return answer
