"""A sheet is what fits on paper: a grid is one sheet, a cube one for each plane. Texts and pictures show sheets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nonant.csp.model import Model, cell_name
from nonant.formats.frames import Cell
from nonant.formats.regions import region_units


@dataclass(frozen=True)
class Sheet:
    """A sheet.

    Attributes:
        title: which plane it is (x2, y and z run over it); empty when there is only one.
        shape: rows and columns.
        indices: for each cell that exists its index in the model.
        regions: for each cell the boxes or regions that it is in.
    """

    title: str
    shape: Cell
    indices: Mapping[Cell, int]
    regions: Mapping[Cell, frozenset[int]]


def sheets_of(model: Model) -> tuple[Sheet, ...]:
    """The sheets of a grid in order; none for a model without a grid."""
    shape = model.shape
    if not shape:
        return ()
    flat = (shape[-2] if len(shape) > 1 else 1, shape[-1])
    cells: dict[tuple[int, ...], dict[Cell, int]] = {}
    for index, cell in enumerate(model.cells or ()):
        row = cell[-2] if len(cell) > 1 else 0
        cells.setdefault(cell[:-2], {})[row, cell[-1]] = index
    units = [frozenset(model.indices(unit)) for unit in region_units(model)]
    found = []
    for leading, indices in cells.items():
        here = set(indices.values())
        member: dict[int, set[int]] = {}
        for number, unit in enumerate(units):
            if unit <= here:  # in a solid the boxes of the other slices only touch this plane
                for index in unit:
                    member.setdefault(index, set()).add(number)
        regions = {cell: frozenset(member.get(index, ())) for cell, index in indices.items()}
        found.append(Sheet(_title(leading, len(shape)), flat, indices, regions))
    return tuple(found)


def _title(leading: tuple[int, ...], rank: int) -> str:
    """The part of the cells' names that is equal over the sheet: x2 of x2y1z3."""
    if not leading:
        return ""
    name, rest = cell_name((*leading, 0, 0)), cell_name((0,) * rank)
    return name[: len(name) - len(rest) // rank * 2]
