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

from nonant.csp.kernels.bits import count_ones
from nonant.csp.model import Model
from nonant.csp.proof import bits, sets_of
from nonant.strategies.board import Board
from nonant.strategies.fish import class_pairs
from nonant.strategies.kernels.graph import fits
from nonant.strategies.kernels.sets import Lists, alive, arrays_of, flat
from nonant.strategies.layout import layout_of

NAKED, HIDDEN, FISH = 0, 1, 2
MOST = 4  # rows of a subset or fish
NAMES = {  # technique -> the bit of the answer
    **{f"naked {word}": 1 << NAKED * 8 + size for word, size in (("pair", 2), ("triple", 3), ("quadruple", 4))},
    **{f"locked {word}": 1 << NAKED * 8 + size for word, size in (("pair", 2), ("triple", 3))},
    **{f"hidden {word}": 1 << HIDDEN * 8 + size for word, size in (("pair", 2), ("triple", 3), ("quadruple", 4))},
    **{word: 1 << FISH * 8 + size for word, size in (("x-wing", 2), ("swordfish", 3), ("jellyfish", 4))},
    "locked candidates": 1,
}
FINNED = {
    f"{kind} {word}": size
    for kind in ("finned", "sashimi")
    for word, size in (("x-wing", 2), ("swordfish", 3), ("jellyfish", 4))
}


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


def may_find(board: Board, technique: str) -> bool:
    """Whether a technique of `NAMES` or `FINNED` finds anything on a board, or, for fins, may find it."""
    if not fits(board.model):
        return True
    if technique in FINNED:
        size = FINNED[technique]
        return board.once(f"scout: finned {size}", lambda board: any_finned(board, size))
    return bool(board.once("scout", answers) & NAMES[technique])


def answers(board: Board) -> int:
    """Which of `NAMES` find something, as a sum of bits."""
    model = board.model
    arrays, matrices = arrays_of(model), matrices_of(model)
    live = alive(board.open, model.n_cells * model.n_values)
    return int(
        _scout(live, arrays.members, arrays.is_truth, arrays.links_of, arrays.shape, *matrices)
    )  # fmt: skip


def any_finned(board: Board, size: int) -> bool:
    """Whether a finned or sashimi fish of this size may be there."""
    model = board.model
    matrices = matrices_of(model)
    live = alive(board.open, model.n_cells * model.n_values)
    return bool(_finned(live, arrays_of(model).members, arrays_of(model).links_of, *matrices, size))


@njit(cache=True)
def _scout(
    live: Any,
    members: Any,
    is_truth: Any,
    links_of: Any,
    shape: Any,
    kinds: Any,
    rows: Any,
    columns: Any,
) -> int:
    member_starts, member_items = members
    link_starts, link_items = links_of
    row_starts, row_items = rows
    column_starts, column_items = columns
    zero, one = np.uint64(0), np.uint64(1)
    answer = 0
    n_sets = len(is_truth)
    counts = np.zeros(n_sets, np.int32)
    for number in range(n_sets):
        for at in range(member_starts[number], member_starts[number + 1]):
            counts[number] += live[member_items[at]]
    # Locked candidates: a value of a full unit inside another link that has more.
    for truth in range(shape[0], n_sets):
        if not is_truth[truth] or counts[truth] == 0:
            continue
        some = -1
        for at in range(member_starts[truth], member_starts[truth + 1]):
            if live[member_items[at]]:
                some = member_items[at]
                break
        for at in range(link_starts[some] + 1, link_starts[some + 1]):
            link = link_items[at]
            if link == truth or counts[link] <= counts[truth]:
                continue
            held = 0
            for k in range(member_starts[truth], member_starts[truth + 1]):
                candidate = member_items[k]
                if live[candidate]:
                    for k2 in range(link_starts[candidate], link_starts[candidate + 1]):
                        held += link_items[k2] == link
            if held == counts[truth]:
                answer |= 1
                break
        if answer:
            break
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
def _finned(live: Any, members: Any, links_of: Any, kinds: Any, rows: Any, columns: Any, size: int) -> bool:
    """For each victim: rows that, but for what it sees, stand in few columns, its own among them."""
    member_starts, member_items = members
    link_starts, link_items = links_of
    row_starts, row_items = rows
    column_starts, column_items = columns
    zero, one = np.uint64(0), np.uint64(1)
    seen = np.full(len(live), -1, np.int32)
    needed, touched = np.empty(64, np.uint64), np.empty(64, np.uint64)
    chosen, union, reach = np.empty(MOST + 1, np.int64), np.zeros(MOST + 1, np.uint64), np.zeros(MOST + 1, np.uint64)
    for matrix in range(len(kinds)):
        if kinds[matrix] != FISH:
            continue
        for own_row in range(row_starts[matrix], row_starts[matrix + 1]):
            own_set = row_items[own_row]
            own_shift = column_starts[own_row] - member_starts[own_set]
            for k in range(member_starts[own_set], member_starts[own_set + 1]):
                victim = member_items[k]
                if not live[victim]:
                    continue
                own = one << np.uint64(column_items[k + own_shift])
                for at in range(link_starts[victim] + 1, link_starts[victim + 1]):
                    for k2 in range(member_starts[link_items[at]], member_starts[link_items[at] + 1]):
                        seen[member_items[k2]] = victim
                n_rows = 0
                for at in range(row_starts[matrix], row_starts[matrix + 1]):
                    number, mask, all_columns, any_member = row_items[at], zero, zero, False
                    if at == own_row:
                        continue
                    shift = column_starts[at] - member_starts[number]
                    for k2 in range(member_starts[number], member_starts[number + 1]):
                        candidate = member_items[k2]
                        if live[candidate]:
                            any_member = True
                            column = one << np.uint64(column_items[k2 + shift])
                            all_columns |= column
                            if seen[candidate] != victim:
                                mask |= column
                    if any_member and count_ones(mask | own) <= size:
                        needed[n_rows], touched[n_rows] = mask | own, all_columns
                        n_rows += 1
                if n_rows < size:
                    continue
                depth, chosen[0] = 0, 0
                while depth >= 0:
                    if chosen[depth] >= n_rows:
                        depth -= 1
                        if depth >= 0:
                            chosen[depth] += 1
                        continue
                    held = union[depth] | needed[chosen[depth]]
                    near = reach[depth] | touched[chosen[depth]]
                    if count_ones(held) > size:
                        chosen[depth] += 1
                        continue
                    if depth == size - 1:
                        # Enough columns, and the victim's own among those that the rows reach at all.
                        if count_ones(held | near) >= size:
                            return True
                        chosen[depth] += 1
                    else:
                        union[depth + 1], reach[depth + 1] = held, near
                        chosen[depth + 1] = chosen[depth] + 1
                        depth += 1
    return False
