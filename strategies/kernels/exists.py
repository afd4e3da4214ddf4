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

from nonant.csp.kernels.simd.bits import count_ones
from nonant.csp.machine.jit import njit
from nonant.csp.masks import bits
from nonant.csp.model import Model
from nonant.csp.proofs.sets import sets_of
from nonant.strategies.board import Board
from nonant.strategies.kernels.graph import fits
from nonant.strategies.kernels.sets import Lists, alive, arrays_of, flat, linked_of, sizes_of
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
        position = {cell: at for at, cell in enumerate(cells)}
        add(NAKED, list(cells), lambda candidate: candidate % size)
        if layout.full[unit]:
            of_unit = [first + unit * size + value for value in range(size)]
            add(HIDDEN, of_unit, lambda candidate, position=position: position[candidate // size])
    for bases, covers in class_pairs(layout):
        cover = {cell: at for at, unit in enumerate(covers) for cell in layout.units[unit]}
        for value in range(size):
            of_value = [first + unit * size + value for unit in bases]
            add(FISH, of_value, lambda candidate, cover=cover: cover[candidate // size])
    return Matrices(np.array(kinds, np.int8), flat(rows), flat(columns))


def may_be(board: Board, kind: int, size: int) -> bool:
    """Whether there is a naked or hidden subset, or a basic fish, of a size from 2 to `MOST` on a board."""
    return not fits(board.model) or bool(board.once("exists: subsets", answers) >> kind * 8 + size & 1)


def may_be_finned(board: Board, size: int) -> bool:
    """Whether there may be a finned or sashimi fish of a size."""
    if not fits(board.model):
        return True
    least, most = (2, 3) if size < MOST else (MOST, MOST)
    return bool(board.once(f"exists: finned {most}", lambda board: finned(board, least, most)) >> size & 1)


def answers(board: Board) -> int:
    """For each kind and size whether there is one: bit kind * 8 + size."""
    model = board.model
    live = alive(board.open, model.n_cells * model.n_values)
    search: Any = _answers
    return int(search(live, arrays_of(model).members, matrices_of(model)))


def finned(board: Board, least: int, most: int) -> int:
    """The sizes from `least` to `most` of which a finned or sashimi fish may be there, as bits."""
    model = board.model
    live = alive(board.open, model.n_cells * model.n_values)
    search: Any = _finned
    return int(search(live, linked_of(model), matrices_of(model), least, most))


def locked(board: Board) -> list[tuple[int, int]]:
    """All (truth, link) of locked candidates, in the order of the truths."""
    model = board.model
    live = alive(board.open, model.n_cells * model.n_values)
    search: Any = _locked
    return [(truth, link) for truth, link in search(live, linked_of(model), model.n_cells).tolist()]


# -- subsets and basic fish --------------------------------------------------------------------------------------------


@njit(cache=True)
def _answers(live: Any, members: Any, matrices: Any) -> int:
    masks, picked = np.empty(64, np.uint64), np.empty(64, np.uint64)
    chosen, union = np.empty(MOST + 1, np.int64), np.zeros(MOST + 1, np.uint64)
    answer = 0
    for matrix in range(len(matrices.kinds)):
        n_rows = _row_masks(live, members, matrices, matrix, masks)
        for size in range(2, MOST + 1):
            bit = 1 << (matrices.kinds[matrix] * 8 + size)
            if answer & bit == 0 and _any_subset(masks, n_rows, size, picked, chosen, union):
                answer |= bit
    return answer


@njit(cache=True)
def _row_masks(live: Any, members: Any, matrices: Any, matrix: int, masks: Any) -> int:
    """The columns of each row of a matrix that has any; returns how many rows."""
    starts, items = members
    row_starts, row_items = matrices.rows
    column_starts, columns = matrices.columns
    n_rows = 0
    for at in range(row_starts[matrix], row_starts[matrix + 1]):
        number, mask = row_items[at], np.uint64(0)
        shift = column_starts[at] - starts[number]
        for k in range(starts[number], starts[number + 1]):
            if live[items[k]]:
                mask |= np.uint64(1) << np.uint64(columns[k + shift])
        if mask:
            masks[n_rows] = mask
            n_rows += 1
    return n_rows


@njit(cache=True)
def _any_subset(masks: Any, n_rows: int, size: int, picked: Any, chosen: Any, union: Any) -> bool:
    """Whether some `size` rows stand in as many columns, in which some other row stands too."""
    n_picked = 0
    for row in range(n_rows):
        if 1 < count_ones(masks[row]) <= size:
            picked[n_picked] = masks[row]
            n_picked += 1
    if n_picked < size:
        return False
    depth, chosen[0] = 0, 0
    while depth >= 0:
        if chosen[depth] >= n_picked:
            depth -= 1
            if depth >= 0:
                chosen[depth] += 1
            continue
        held = union[depth] | picked[chosen[depth]]
        number = count_ones(held)
        if number <= size and depth < size - 1:
            union[depth + 1] = held
            chosen[depth + 1] = chosen[depth] + 1
            depth += 1
            continue
        if number == size:
            touched = 0
            for row in range(n_rows):
                touched += masks[row] & held != np.uint64(0)
            if touched > size:
                return True
        chosen[depth] += 1
    return False


# -- locked candidates -------------------------------------------------------------------------------------------------


@njit(cache=True)
def _locked(live: Any, linked: Any, n_cells: int) -> Any:
    starts, items = linked.members
    link_starts, links = linked.links_of
    is_truth, counts = linked.is_truth, sizes_of(live, linked.members)
    n_sets = len(counts)
    held = np.zeros(n_sets, np.int32)  # of the truth in hand: how many members each link holds
    pairs, n_pairs = np.empty((4 * n_sets, 2), np.int32), 0
    for truth in range(n_cells, n_sets):
        if not is_truth[truth] or counts[truth] == 0:
            continue
        some = -1
        for at in range(starts[truth], starts[truth + 1]):
            candidate = items[at]
            if live[candidate]:
                some = candidate
                for k in range(link_starts[candidate], link_starts[candidate + 1]):
                    held[links[k]] += 1
        # A link of all members is one of any member; the first link is its cell, which is a naked single's affair.
        for k in range(link_starts[some] + 1, link_starts[some + 1]):
            link = links[k]
            if held[link] == counts[truth] and counts[link] > counts[truth] and n_pairs < len(pairs):
                pairs[n_pairs, 0], pairs[n_pairs, 1] = truth, link
                n_pairs += 1
        for at in range(starts[truth], starts[truth + 1]):
            candidate = items[at]
            for k in range(link_starts[candidate], link_starts[candidate + 1]):
                held[links[k]] = 0
    return pairs[:n_pairs]


# -- finned fish -------------------------------------------------------------------------------------------------------


class _Rows(NamedTuple):
    """The rows of a fish matrix that have candidates.

    Attributes:
        held: int32 (64, 64), the candidates of each row; `column_of`, parallel: their columns, as bits.
        n_held: int64 (64), how many.
        columns: uint64 (64), all columns of each row.
        seen: int32, for each candidate the last victim that saw it.
    """

    held: Any
    column_of: Any
    n_held: Any
    columns: Any
    seen: Any


class _Choice(NamedTuple):
    """Rows to choose from, and those chosen, as a stack.

    Attributes:
        needed: uint64 (64), the columns that each row needs when what the victim sees is left out, with the victim's.
        touched: uint64 (64), all columns of each row.
        chosen: int64 (MOST + 1), the rows in hand; `union` and `reach`: what they need and touch together.
    """

    needed: Any
    touched: Any
    chosen: Any
    union: Any
    reach: Any


@njit(cache=True)
def _finned(live: Any, linked: Any, matrices: Any, least: int, most: int) -> int:
    """For each victim: rows that, but for what it sees, stand in few columns, its own among them. Sizes as bits."""
    kinds = matrices.kinds
    rows = _Rows(
        np.empty((64, 64), np.int32),
        np.empty((64, 64), np.uint64),
        np.empty(64, np.int64),
        np.empty(64, np.uint64),
        np.full(len(live), -1, np.int32),
    )
    choice = _Choice(
        np.empty(64, np.uint64),
        np.empty(64, np.uint64),
        np.empty(MOST + 1, np.int64),
        np.zeros(MOST + 1, np.uint64),
        np.zeros(MOST + 1, np.uint64),
    )
    answer, wanted = 0, (2 << most) - (1 << least)
    for matrix in range(len(kinds)):
        if kinds[matrix] != FISH:
            continue
        n_rows = _fill_rows(live, linked.members, matrices, matrix, rows)
        for row in range(n_rows):
            for at in range(rows.n_held[row]):
                n_near = _near_rows(row, at, n_rows, linked, rows, most, choice)
                for size in range(least, most + 1):
                    if answer >> size & 1 == 0 and n_near >= size and _any_choice(n_near, size, choice):
                        answer |= 1 << size
                if answer == wanted:
                    return answer
    return answer


@njit(cache=True)
def _fill_rows(live: Any, members: Any, matrices: Any, matrix: int, rows: Any) -> int:
    """The rows of a matrix that have candidates; returns how many."""
    starts, items = members
    row_starts, row_items = matrices.rows
    column_starts, columns = matrices.columns
    held, column_of = rows.held, rows.column_of
    n_rows = 0
    for at in range(row_starts[matrix], row_starts[matrix + 1]):
        number, count, mask = row_items[at], 0, np.uint64(0)
        shift = column_starts[at] - starts[number]
        for k in range(starts[number], starts[number + 1]):
            if live[items[k]]:
                column = np.uint64(1) << np.uint64(columns[k + shift])
                held[n_rows, count], column_of[n_rows, count] = items[k], column
                mask |= column
                count += 1
        if count:
            rows.n_held[n_rows], rows.columns[n_rows] = count, mask
            n_rows += 1
    return n_rows


@njit(cache=True)
def _near_rows(own_row: int, at: int, n_rows: int, linked: Any, rows: Any, most: int, choice: Any) -> int:
    """The rows that may be bases of a fish whose victim is a candidate of `own_row`; returns how many."""
    starts, items = linked.members
    link_starts, links = linked.links_of
    held, column_of, n_held, seen = rows.held, rows.column_of, rows.n_held, rows.seen
    needed, touched = choice.needed, choice.touched
    victim, own = held[own_row, at], column_of[own_row, at]
    # Not by the victim's cell, its first link: the other candidates there have other values.
    for k in range(link_starts[victim] + 1, link_starts[victim + 1]):
        for k2 in range(starts[links[k]], starts[links[k] + 1]):
            seen[items[k2]] = victim
    n_near = 0
    for row in range(n_rows):
        if row == own_row:
            continue
        mask = own  # the victim goes only if a cover holds it
        for k in range(n_held[row]):
            if seen[held[row, k]] != victim:
                mask |= column_of[row, k]
        if count_ones(mask) <= most:
            needed[n_near], touched[n_near] = mask, rows.columns[row]
            n_near += 1
    return n_near


@njit(cache=True)
def _any_choice(n_near: int, size: int, choice: Any) -> bool:
    """Whether some `size` of the rows need at most so many columns, and touch at least so many."""
    needed, touched, chosen, union, reach = choice
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
        elif count_ones(inside | near) >= size:
            return True
        else:
            chosen[depth] += 1
    return False
