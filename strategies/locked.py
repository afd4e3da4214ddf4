"""Locked candidates and the law of leftovers: a truth inside a link.

Where all places of a value in one unit lie in a second one, the value cannot stand elsewhere in the second. Players say
*pointing* when the first is a box and *claiming* when it is a line; it is one cover: a truth and a link.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, permutations

from nonant.csp.model import Model
from nonant.csp.proof import Cover, bits
from nonant.strategies.board import Board
from nonant.strategies.layout import layout_of
from nonant.strategies.step import Step
from nonant.strategies.table import Technique
from nonant.strategies.words import listed, not_these, places_of


def locked_candidates(board: Board, technique: Technique) -> Iterator[Step]:
    """Each value of each full unit that is confined to another unit and can still stand elsewhere there."""
    layout, live = board.layout, board.open
    first, size = board.model.n_cells, board.model.n_values
    masks = board.sets.masks
    for one, other, shared in layout.meets:
        if not layout.full[one]:
            continue
        inside = live & shared
        for value in range(size):
            truth = masks[first + one * size + value] & live
            held = truth & inside
            if not held or held != truth:
                continue
            gone = masks[first + other * size + value] & live & ~truth
            if gone:
                removes = tuple(bits(gone))
                reason = technique.reason.format(
                    value=board.model.symbols[value],
                    places=places_of(board, truth),
                    unit=layout.names[one],
                    other=layout.names[other],
                    removes=not_these(board, removes),
                )
                proof = Cover((first + one * size + value,), (first + other * size + value,), removes)
                cells = tuple(candidate // size for candidate in bits(truth))
                yield Step(technique.name, (), removes, proof, reason, cells, (one, other))


def law_of_leftovers(board: Board, technique: Technique) -> Iterator[Step]:
    """n units of one class against n of another that overlap them: a value that leaves the first only into the second.

    Each value stands n times in the cells of either side, so that what is outside of the overlap on one side holds the
    same values as what is outside on the other.
    """
    layout, cells = board.layout, board.cells
    first, size = board.model.n_cells, board.model.n_values
    every = (1 << size) - 1
    for bases, covers, outside, inside in leftovers(board.model):
        taken = absent = 0
        for cell in outside:
            taken |= cells[cell]
        for cell in inside:
            absent |= cells[cell]
        for value in bits(absent & ~taken & every):
            removes = tuple(cell * size + value for cell in inside if cells[cell] >> value & 1)
            reason = technique.reason.format(
                value=board.model.symbols[value],
                bases=listed(layout.names[unit] for unit in bases),
                covers=listed(layout.names[unit] for unit in covers),
                removes=not_these(board, removes),
            )
            truths = tuple(first + unit * size + value for unit in bases)
            links = tuple(first + unit * size + value for unit in covers)
            yield Step(technique.name, (), removes, Cover(truths, links, removes), reason, inside, bases + covers)


Leftover = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]


# Frozen values of frozen models, and bounded, since models may come from a stream of region maps.
@lru_cache(maxsize=64)
def leftovers(model: Model) -> tuple[Leftover, ...]:
    """(bases, covers, cells only in the bases, cells only in the covers) for the law of leftovers.

    Covers are the units that have most cells with the bases. What falls apart into two smaller cases is left out, and
    what is the rest of a smaller one inside a block where both classes hold the same cells: in a classic grid nothing
    remains that is not a locked candidate.
    """
    layout = layout_of(model)
    sets = [frozenset(unit) for unit in layout.units]
    found = []
    for one, other in permutations(range(len(layout.classes)), 2):
        if {one, other} <= layout.lines:
            continue  # two rows against two columns: a fish
        for number in range(1, min(4, len(layout.classes[one]) // 2) + 1):
            for bases in combinations(layout.classes[one], number):
                held = frozenset().union(*(sets[unit] for unit in bases))
                covers = sorted(layout.classes[other], key=lambda unit: -len(sets[unit] & held))
                room = frozenset().union(*(sets[unit] for unit in covers[:number]))
                grown = [held | sets[unit] for unit in layout.classes[one] if unit not in bases]
                block = any(held | room <= larger for larger in grown)
                if number == 1 or 2 * len(held & room) <= len(held) or held == room or block:
                    continue  # one unit against one: locked candidates
                if _connected([sets[unit] for unit in (*bases, *covers[:number])]):
                    chosen = tuple(sorted(covers[:number]))
                    found.append((bases, chosen, tuple(sorted(held - room)), tuple(sorted(room - held))))
    return tuple(found)


def _connected(sets: list[frozenset[int]]) -> bool:
    reached, rest = sets[0], sets[1:]
    while rest:
        near = [some for some in rest if some & reached]
        if not near:
            return False
        reached = reached.union(*near)
        rest = [some for some in rest if not some & reached]
    return True
