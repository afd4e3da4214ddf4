"""The techniques that are chains: a row each. Their shapes are in `shapes.py`, what they walk on in `kinds.py`."""

from __future__ import annotations

from collections import Counter

from nonant.strategies.board import Board
from nonant.strategies.chains.for_find_all import Which, find, remote_pair
from nonant.strategies.chains.for_ladder import lead
from nonant.strategies.chains.kinds import ALL, CELLS, EVERYTHING, GROUPS, SETS, VALUE, VALUE_GROUPS
from nonant.strategies.chains.shapes import Shape
from nonant.strategies.definition import ANY, FULL, GRID, Technique
from nonant.strategies.techniques.subsets import may_be_naked

CHAIN = "either {start} or {end}: {chain}; both exclude the same, so {removes}"
LOOP = "a loop from {start} to {end}: {chain}; each of its links is full, so {removes}"
ANY_CHAIN, LOOPS = Which(), Which(loop=True)


def _shape(length: int, shape: Shape) -> Which:
    """Chains of one shape, in the ladder too."""
    return Which(frozenset({shape}), length=length, strict=True)


def may_be_remote(board: Board) -> bool:
    """Whether four cells have the same two values, or two a naked pair, and chains of cells find anything."""
    times = Counter(values for values in board.cells if values.bit_count() == 2)
    return (max(times.values(), default=0) > 3 or may_be_naked(board, 2)) and CELLS.any(board)


TECHNIQUES = (
    Technique(
        "skyscraper",
        4,
        GRID,
        find,
        CHAIN,
        ("Turbot Fish",),
        "HoDoKu",
        arguments=(VALUE, _shape(2, Shape.SKYSCRAPER)),
        leads=lead,
    ),
    Technique(
        "two-string kite",
        4,
        GRID,
        find,
        CHAIN,
        ("2-String Kite",),
        "HoDoKu",
        arguments=(VALUE, _shape(2, Shape.KITE)),
        leads=lead,
    ),
    Technique(
        "turbot fish",
        4,
        FULL,
        find,
        CHAIN,
        (),
        "N. Noodler",
        arguments=(VALUE, Which(frozenset({Shape.TURBOT}), length=2)),
        leads=lead,
    ),
    Technique(
        "xy-wing",
        4,
        ANY,
        find,
        CHAIN,
        ("Y-Wing", "Bent Triple"),
        "folklore",
        arguments=(CELLS, _shape(3, Shape.XY_WING)),
        leads=lead,
    ),
    Technique(
        "w-wing",
        4,
        FULL,
        find,
        CHAIN,
        ("Semi-Remote Naked Pair",),
        "folklore",
        arguments=(ALL, _shape(3, Shape.W_WING)),
        leads=lead,
    ),
    Technique("remote pair", 5, ANY, remote_pair, CHAIN, ("Remote Pairs",), "folklore", scout=may_be_remote),
    Technique(
        "x-chain",
        5,
        FULL,
        find,
        CHAIN,
        ("X-Cycle", "Fishy Cycle"),
        "folklore",
        arguments=(VALUE, ANY_CHAIN),
        leads=lead,
    ),
    Technique("x-loop", 5, FULL, find, LOOP, ("X-Cycle Type 1",), "folklore", arguments=(VALUE, LOOPS), leads=lead),
    Technique("xy-chain", 5, ANY, find, CHAIN, ("XY-Chain",), "folklore", arguments=(CELLS, ANY_CHAIN), leads=lead),
    Technique(
        "aic",
        6,
        FULL,
        find,
        CHAIN,
        ("Alternating Inference Chain", "Discontinuous Nice Loop"),
        "M. Tarek",
        arguments=(ALL, ANY_CHAIN),
        leads=lead,
    ),
    Technique(
        "continuous loop",
        6,
        FULL,
        find,
        LOOP,
        ("Continuous Nice Loop", "AIC Ring"),
        "folklore",
        arguments=(ALL, LOOPS),
        leads=lead,
    ),
    Technique(
        "empty rectangle",
        4,
        FULL,
        find,
        CHAIN,
        ("Hinge",),
        "folklore",
        arguments=(VALUE_GROUPS, _shape(2, Shape.EMPTY_RECTANGLE)),
        leads=lead,
    ),
    Technique("grouped x-loop", 6, FULL, find, LOOP, (), "folklore", arguments=(VALUE_GROUPS, LOOPS), leads=lead),
    Technique(
        "grouped x-chain",
        6,
        FULL,
        find,
        CHAIN,
        ("Grouped X-Cycle",),
        "folklore",
        arguments=(VALUE_GROUPS, ANY_CHAIN),
        leads=lead,
    ),
    Technique(
        "grouped aic",
        6,
        FULL,
        find,
        CHAIN,
        ("Grouped AIC", "Grouped Discontinuous Nice Loop"),
        "folklore",
        arguments=(GROUPS, ANY_CHAIN),
        leads=lead,
    ),
    Technique(
        "grouped continuous loop",
        6,
        FULL,
        find,
        LOOP,
        ("Grouped Continuous Nice Loop",),
        "folklore",
        arguments=(GROUPS, LOOPS),
        leads=lead,
    ),
    Technique(
        "wxyz-wing",
        6,
        ANY,
        find,
        CHAIN,
        ("WXYZ-Wing", "Bent Quad"),
        "folklore",
        arguments=(SETS, _shape(2, Shape.WXYZ_WING)),
        leads=lead,
    ),
    Technique(
        "als-xz",
        6,
        ANY,
        find,
        CHAIN,
        ("ALS-XZ", "Almost Locked Sets XZ"),
        "B. Eppstein",
        arguments=(SETS, Which(frozenset({Shape.TWO_SETS, Shape.XYZ_WING, Shape.WXYZ_WING}), length=2)),
        leads=lead,
    ),
    Technique(
        "als-xy-wing",
        7,
        ANY,
        find,
        CHAIN,
        ("ALS-XY-Wing",),
        "folklore",
        arguments=(SETS, Which(frozenset({Shape.THREE_SETS}), length=3)),
        leads=lead,
    ),
    Technique(
        "almost locked loop",
        7,
        ANY,
        find,
        LOOP,
        ("Doubly Linked ALS-XZ", "ALS Ring"),
        "folklore",
        arguments=(SETS, LOOPS),
        leads=lead,
    ),
    Technique("als chain", 7, ANY, find, CHAIN, ("ALS-XY-Chain",), "folklore", arguments=(SETS, ANY_CHAIN), leads=lead),
    Technique(
        "almost locked aic",
        7,
        FULL,
        find,
        CHAIN,
        ("AIC with ALS",),
        "folklore",
        arguments=(EVERYTHING, ANY_CHAIN),
        leads=lead,
    ),
)
