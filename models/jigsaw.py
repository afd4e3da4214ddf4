"""Jigsaw Sudoku: a latin square with regions of any form in place of boxes; each region holds each value once.

Also called irregular, nonomino or Chaos Sudoku, and Du-Sum-Oh. A jigsaw is given by its region map, one symbol a cell,
equal for the cells of a region. The rule needs n regions of n cells; that a region hangs together is a matter of taste,
and is not asked for.

The name of a model holds the whole map (`jigsaw-1112132233243444`), so that a name says its rules here as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

from nonant.csp.errors import ModelError
from nonant.csp.model import Model, cell_name
from nonant.csp.units import columns, regions, rows
from nonant.models import Family
from nonant.models.sizes import Box, checked_size, side_of

SMALL_MAP = "1112132233243444"


def jigsaw(region_map: Any) -> Model:
    """Jigsaw Sudoku with these regions.

    Args:
        region_map: a string, white space skipped, or a nested sequence or array: n*n symbols, row by row.

    Raises:
        ModelError: if the map has not n*n symbols, leaves a cell out, or has a region that has not n cells.
    """
    symbols = _symbols(region_map)
    size = side_of(len(symbols))
    if size is None or size < 2:
        raise ModelError(
            f"the region map of a jigsaw has {len(symbols)} symbols; give one a cell, row by row: 81 for a 9x9 grid"
        )
    checked_size("jigsaw", size, least=2)
    for place, symbol in enumerate(symbols):
        if symbol in (".", "-", ""):
            cell = cell_name(divmod(place, size))
            raise ModelError(f"the region map of a jigsaw leaves {cell} in no region; give it the symbol of one")
    for symbol, count in Counter(symbols).items():
        if count != size:
            raise ModelError(
                f"region {symbol} of the jigsaw has {count} cells; in a grid of {size}x{size} each region has {size}"
            )
    cells = product(range(size), repeat=2)
    separator = "" if all(len(symbol) == 1 for symbol in symbols) else ","
    return Model(
        f"jigsaw-{separator.join(symbols)}",
        shape=(size, size),
        values=range(1, size + 1),
        constraints=[rows, columns, regions(dict(zip(cells, symbols, strict=True)))],
    )


def _symbols(region_map: Any) -> list[str]:
    """The map's symbols in a form that a name can hold: letters and digits, or else numbers by first appearance."""
    if isinstance(region_map, str):
        # Commas part symbols of more than one character, as in the names of jigsaws with more than 62 regions.
        listed = region_map.split(",") if "," in region_map else list("".join(region_map.split()))
        symbols = [symbol.strip() for symbol in listed]
    else:
        symbols = ["." if symbol is None else str(symbol) for symbol in _leaves(region_map)]
    if all(symbol in ("", ".", "-") or symbol.isalnum() for symbol in symbols):
        return symbols
    order = {symbol: str(number) for number, symbol in enumerate(dict.fromkeys(symbols), 1)}
    return [symbol if symbol in ("", ".", "-") else order[symbol] for symbol in symbols]


def _leaves(nested: Any) -> list[Any]:
    """The entries of a nested sequence or an array; a row may be a string."""
    found: list[Any] = []
    for item in nested.tolist() if hasattr(nested, "tolist") else nested:
        if isinstance(item, str) and len(item) > 1:
            found.extend(_symbols(item))
        elif isinstance(item, Sequence) and not isinstance(item, str):
            found.extend(_leaves(item))
        else:
            found.append(item)
    return found


def _build(size: int | None, box: Box | None) -> Model:
    raise ModelError(
        f"a jigsaw is given by its region map: call jigsaw(region_map), or name it jigsaw-MAP with one symbol a cell, "
        f"e.g. jigsaw-{SMALL_MAP} for 4x4"
    )


def _for_cells(n_cells: int) -> Model | None:
    return None  # a number of cells does not tell the regions


def _from_map(text: str) -> Model:
    return _build(None, None) if len(text) < 4 else jigsaw(text)


FAMILY = Family(
    name="jigsaw",
    rule="each row, column and region of a map holds each value once",
    example="..6......8.7.......3..9.........2.........52...4......5..6...18..8...73..........",
    example_model="jigsaw-111223333411233233411222253416625555414666665444476855999976858977778888999977788",
    build=_build,
    for_cells=_for_cells,
    from_map=_from_map,
)
