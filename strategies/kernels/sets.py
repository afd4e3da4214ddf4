"""The truths, links and units of a model as flat arrays, and a board as bytes: what every compiled search reads."""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from nonant.csp.machine.jit import njit
from nonant.csp.masks import bits
from nonant.csp.model import Model
from nonant.csp.proofs.sets import sets_of
from nonant.strategies.layout import layout_of


class Lists(NamedTuple):
    """Lists of lists, flat: row i of `items` is `items[starts[i]:starts[i + 1]]` (int32)."""

    starts: Any
    items: Any


class Arrays(NamedTuple):
    """A model for kernels.

    Attributes:
        members: the candidates of each set, in ascending order.
        links_of: the links of each candidate: its cell, then its value in each unit.
        places: parallel to `links_of`: the candidate's position among the members of that link.
        is_truth: uint8, for each set.
        units: the cells of each unit. units_of: the units of each cell.
        shape: int64: cells, values.
    """

    members: Lists
    links_of: Lists
    places: Any
    is_truth: Any
    units: Lists
    units_of: Lists
    shape: Any


class Linked(NamedTuple):
    """What a search by truths and links needs of `Arrays`."""

    members: Lists
    links_of: Lists
    is_truth: Any


# Frozen arrays of frozen models, and bounded, since models may come from a stream of region maps.
@lru_cache(maxsize=16)
def arrays_of(model: Model) -> Arrays:
    """The sets and units of a model as arrays."""
    sets, layout = sets_of(model), layout_of(model)
    members = [list(bits(mask)) for mask in sets.masks]
    links = [sets.links_of(candidate) for candidate in range(model.n_cells * model.n_values)]
    position = [{candidate: at for at, candidate in enumerate(some)} for some in members]
    places = [position[link][candidate] for candidate, some in enumerate(links) for link in some]
    return Arrays(
        flat(members),
        flat(links),
        np.array(places, np.int32),
        np.array(sets.is_truth, np.uint8),
        flat(layout.units),
        flat(model.compiled.units_of),
        np.array([model.n_cells, model.n_values], np.int64),
    )


def flat(rows: Any) -> Lists:
    """Rows of ints as lists."""
    starts = np.zeros(len(rows) + 1, np.int32)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    return Lists(starts, np.array([item for row in rows for item in row], np.int32))


def alive(board: int, n_candidates: int) -> Any:
    """A board as one byte a candidate."""
    packed = np.frombuffer(board.to_bytes((n_candidates + 7) // 8, "little"), np.uint8)
    return np.unpackbits(packed, count=n_candidates, bitorder="little")


def linked_of(model: Model) -> Linked:
    """The truths and links of a model."""
    arrays = arrays_of(model)
    return Linked(arrays.members, arrays.links_of, arrays.is_truth)


@njit(cache=True)
def sizes_of(live: Any, members: Any) -> Any:
    """How many live members each set has (int32)."""
    starts, items = members
    sizes = np.zeros(len(starts) - 1, np.int32)
    for number in range(len(sizes)):
        for at in range(starts[number], starts[number + 1]):
            sizes[number] += live[items[at]]
    return sizes
