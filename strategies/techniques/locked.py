"""Locked candidates and the law of leftovers: a truth inside a link.

Where all places of a value in one unit lie in a second one, the value cannot stand elsewhere in the second. Players say
*pointing* when the first is a box and *claiming* when it is a line; it is one cover: a truth and a link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations, permutations
from math import comb

from nonant.csp.masks import bits
from nonant.csp.model import Model
from nonant.csp.proofs.records import Cover
from nonant.strategies import kernels
from nonant.strategies.board import Board
from nonant.strategies.definition import FULL, GRID, Technique
from nonant.strategies.layout import layout_of
from nonant.strategies.sentences import listed, not_these, places_of
from nonant.strategies.step import Step

MOST_BASES, MOST_CHOICES = 4, 20_000  # units of one class that the law of leftovers takes together; choices of them


def locked_candidates(board: Board, technique: Technique) -> Iterator[Step]:
    """Each value of each full unit that is confined to another unit and can still stand elsewhere there."""
    layout, live, masks = board.layout, board.open, board.sets.masks
    first, size = board.model.n_cells, board.model.n_values
    for one, other, shared in layout.meets:
        if not layout.full[one]:
            continue
        inside = live & shared
        for value in range(size):
            truth = masks[first + one * size + value] & live
            if truth and truth & inside == truth and masks[first + other * size + value] & live & ~truth:
                yield _confined(board, technique, one, other, value)


def leads(board: Board, technique: Technique, alive: Callable[[], int]) -> Iterator[Step]:
    """The same steps in the same order, by the compiled search where it is loaded."""
    exists = kernels.loaded("exists")
    if exists is None:
        yield from locked_candidates(board, technique)
        return
    layout, masks = board.layout, board.sets.masks
    first, size = board.model.n_cells, board.model.n_values
    found = []
    for truth, link in exists.locked(board):
        one, value = divmod(truth - first, size)
        other = (link - first) // size
        if (one, other) in layout.meeting:
            found.append((one, other, value))
    for one, other, value in sorted(found):
        if masks[first + other * size + value] & ~masks[first + one * size + value] & alive():
            yield _confined(board, technique, one, other, value)


def _confined(board: Board, technique: Technique, one: int, other: int, value: int) -> Step:
    """The step of a value that a unit confines to another one."""
    layout, live, masks = board.layout, board.open, board.sets.masks
    first, size = board.model.n_cells, board.model.n_values
    truth = masks[first + one * size + value] & live
    removes = tuple(bits(masks[first + other * size + value] & live & ~truth))
    reason = technique.reason.format(
        value=board.model.symbols[value],
        places=places_of(board, truth),
        unit=layout.names[one],
        other=layout.names[other],
        removes=not_these(board, removes),
    )
    proof = Cover((first + one * size + value,), (first + other * size + value,), removes)
    cells = tuple(candidate // size for candidate in bits(truth))
    return Step(technique.name, (), removes, proof, reason, cells, (one, other))


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
        for block in _blocks(layout.classes[one], layout.classes[other], sets):
            for number in range(2, min(MOST_BASES, len(block) // 2) + 1):  # one unit against one: locked candidates
                if comb(len(block), number) > MOST_CHOICES:
                    break
                for bases in combinations(block, number):
                    held = frozenset().union(*(sets[unit] for unit in bases))
                    covers = sorted(layout.classes[other], key=lambda unit: -len(sets[unit] & held))
                    room = frozenset().union(*(sets[unit] for unit in covers[:number]))
                    grown = [held | sets[unit] for unit in layout.classes[one] if unit not in bases]
                    inside = any(held | room <= larger for larger in grown)
                    if 2 * len(held & room) <= len(held) or held == room or inside:
                        continue
                    if _connected([sets[unit] for unit in (*bases, *covers[:number])]):
                        chosen = tuple(sorted(covers[:number]))
                        found.append((bases, chosen, tuple(sorted(held - room)), tuple(sorted(room - held))))
    return tuple(found)


def _blocks(bases: tuple[int, ...], covers: tuple[int, ...], sets: list[frozenset[int]]) -> Iterator[tuple[int, ...]]:
    """The bases that hang together over covers; not where each base shares as many cells with each cover of its block.

    There, as in a band of a classic grid, what leaves some bases enters the rest of the band: nothing remains.
    """
    waiting = list(bases)
    while waiting:
        block, near = [waiting.pop(0)], set[int]()
        for base in block:
            near |= {cover for cover in covers if sets[cover] & sets[base]}
            block += [other for other in waiting if any(sets[cover] & sets[other] for cover in near)]
            waiting = [other for other in waiting if other not in block]
        if len({len(sets[base] & sets[cover]) for base in block for cover in near}) > 1:
            yield tuple(sorted(block))


def _connected(sets: list[frozenset[int]]) -> bool:
    reached, rest = sets[0], sets[1:]
    while rest:
        near = [some for some in rest if some & reached]
        if not near:
            return False
        reached = reached.union(*near)
        rest = [some for some in rest if not some & reached]
    return True


TECHNIQUES = (
    Technique(
        "locked candidates",
        2,
        FULL,
        locked_candidates,
        "{value} must be in {places} in {unit}, all of them in {other}, so {removes}",
        ("Pointing", "Claiming", "Box/Line Reduction", "Intersection Removal", "Locked Candidates Type 1 and 2"),
        "folklore",
        leads=leads,
    ),
    Technique(
        "law of leftovers",
        2,
        GRID,
        law_of_leftovers,
        "{value} in {bases} stands only in {covers}, as often as it must stand there, so {removes}",
        ("LoL", "Innies and Outies"),
        "jigsaw players",
    ),
)
