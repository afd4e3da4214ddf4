"""Naked and hidden subsets: k truths of one unit inside k links of it, a cover of rank 0.

Naked: k cells with k values between them; the values go elsewhere in the unit. Hidden: k values with k places between
them; other values go from these cells. A naked subset that lies in two units at once is *locked*: its values go from
both.
"""

from __future__ import annotations

from collections.abc import Iterator

from nonant.csp.masks import bits
from nonant.csp.proofs.records import Cover, Several
from nonant.strategies import kernels
from nonant.strategies.board import Board
from nonant.strategies.definition import ANY, FULL, Technique
from nonant.strategies.sentences import cell_names, not_these, values_of
from nonant.strategies.step import Step

SUBSET = "{cells} in {unit} hold only {values} between them, so {removes}"
HIDDEN = "in {unit} the values {values} have only {cells} between them, so {removes}"


def may_be_naked(board: Board, size: int) -> bool:
    """Whether there may be naked subsets of a size."""
    exists = kernels.loaded("exists")
    return exists is None or exists.may_be(board, exists.NAKED, size)


def may_be_hidden(board: Board, size: int) -> bool:
    """Whether there may be hidden subsets of a size."""
    exists = kernels.loaded("exists")
    return exists is None or exists.may_be(board, exists.HIDDEN, size)


def choices(rows: list[tuple[int, int]], size: int, exact: bool = True) -> Iterator[tuple[tuple[int, ...], int]]:
    """Each choice of `size` rows (name, mask) whose masks have `size` bits (or at most) in all, and their union."""

    def grow(start: int, names: tuple[int, ...], held: int) -> Iterator[tuple[tuple[int, ...], int]]:
        if len(names) == size:
            if held.bit_count() == size or not exact:
                yield names, held
            return
        for at in range(start, len(rows) - (size - len(names)) + 1):
            name, mask = rows[at]
            if (held | mask).bit_count() <= size:
                yield from grow(at + 1, (*names, name), held | mask)

    return grow(0, (), 0)


def open_cells(board: Board, unit: int) -> list[tuple[int, int]]:
    """The open cells of a unit with their values."""
    solved, size = board.solved_cells, board.model.n_values
    return [(cell, board.cells[cell]) for cell in board.layout.units[unit] if not solved >> (cell * size) & 1]


def naked(board: Board, technique: Technique, size: int) -> Iterator[Step]:
    """Naked subsets of `size` cells, unit by unit."""
    for unit in range(len(board.layout.units)):
        rows = [(cell, values) for cell, values in open_cells(board, unit) if 1 < values.bit_count() <= size]
        for cells, values in choices(rows, size):
            cover = _naked_cover(board, unit, cells, values)
            if cover.removes:
                yield _naked_step(board, technique, (unit,), cells, values, (cover,))


def locked(board: Board, technique: Technique, size: int) -> Iterator[Step]:
    """Naked subsets whose cells lie in two units or more, and remove from at least two of them."""
    units_of: dict[tuple[int, ...], tuple[int, list[int]]] = {}
    for unit in range(len(board.layout.units)):
        rows = [(cell, values) for cell, values in open_cells(board, unit) if 1 < values.bit_count() <= size]
        for cells, values in choices(rows, size):
            units_of.setdefault(cells, (values, []))[1].append(unit)
    for cells, (values, units) in units_of.items():
        covers = tuple(_naked_cover(board, unit, cells, values) for unit in units)
        covers = tuple(cover for cover in covers if cover.removes)
        if len(covers) > 1:
            yield _naked_step(board, technique, tuple(units), cells, values, covers)


def _naked_cover(board: Board, unit: int, cells: tuple[int, ...], values: int) -> Cover:
    first, size = board.model.n_cells, board.model.n_values
    links = tuple(first + unit * size + value for value in bits(values))
    gone = 0
    for link in links:
        gone |= board.sets.masks[link]
    for cell in cells:
        gone &= ~board.sets.masks[cell]
    return Cover(cells, links, tuple(bits(gone & board.live)))


def _naked_step(
    board: Board,
    technique: Technique,
    units: tuple[int, ...],
    cells: tuple[int, ...],
    values: int,
    covers: tuple[Cover, ...],
) -> Step:
    removes = tuple(sorted({candidate for cover in covers for candidate in cover.removes}))
    reason = technique.reason.format(
        cells=cell_names(board, cells),
        values=values_of(board, values),
        unit=" and ".join(board.layout.names[unit] for unit in units),
        removes=not_these(board, removes),
    )
    proof = covers[0] if len(covers) == 1 else Several(covers)
    return Step(technique.name, (), removes, proof, reason, cells, units)


def hidden(board: Board, technique: Technique, size: int) -> Iterator[Step]:
    """Hidden subsets of `size` values, unit by unit; full units only: elsewhere a value need not stand."""
    first, n_values, layout = board.model.n_cells, board.model.n_values, board.layout
    for unit, unit_cells in enumerate(layout.units):
        if not layout.full[unit]:
            continue
        rows = []
        for value in range(n_values):
            places = board.open & board.sets.masks[first + unit * n_values + value]
            if 1 < places.bit_count() <= size:
                rows.append(
                    (value, sum(1 << at for at, cell in enumerate(unit_cells) if board.cells[cell] >> value & 1))
                )
        for values, places in choices(rows, size):
            cells = tuple(unit_cells[at] for at in bits(places))
            mask = sum(1 << value for value in values)
            gone = sum((board.cells[cell] & ~mask) << (cell * n_values) for cell in cells)
            if not gone:
                continue
            removes = tuple(bits(gone))
            truths = tuple(first + unit * n_values + value for value in values)
            reason = technique.reason.format(
                cells=cell_names(board, cells),
                values=values_of(board, mask),
                unit=layout.names[unit],
                removes=not_these(board, removes),
            )
            yield Step(technique.name, (), removes, Cover(truths, cells, removes), reason, cells, (unit,))


TECHNIQUES = (
    Technique(
        "locked pair",
        2,
        ANY,
        locked,
        SUBSET,
        ("Locked Pair",),
        "HoDoKu, B. Hobiger",
        arguments=(2,),
        scout=may_be_naked,
    ),
    Technique(
        "locked triple",
        2,
        ANY,
        locked,
        SUBSET,
        ("Locked Triple",),
        "HoDoKu, B. Hobiger",
        arguments=(3,),
        scout=may_be_naked,
    ),
    Technique("naked pair", 3, ANY, naked, SUBSET, ("Disjoint Pair",), "folklore", arguments=(2,), scout=may_be_naked),
    Technique(
        "hidden pair", 3, FULL, hidden, HIDDEN, ("Hidden Pair",), "folklore", arguments=(2,), scout=may_be_hidden
    ),
    Technique(
        "naked triple", 3, ANY, naked, SUBSET, ("Disjoint Triple",), "folklore", arguments=(3,), scout=may_be_naked
    ),
    Technique(
        "hidden triple", 3, FULL, hidden, HIDDEN, ("Hidden Triple",), "folklore", arguments=(3,), scout=may_be_hidden
    ),
    Technique(
        "naked quadruple", 3, ANY, naked, SUBSET, ("Naked Quad",), "folklore", arguments=(4,), scout=may_be_naked
    ),
    Technique(
        "hidden quadruple", 3, FULL, hidden, HIDDEN, ("Hidden Quad",), "folklore", arguments=(4,), scout=may_be_hidden
    ),
)
