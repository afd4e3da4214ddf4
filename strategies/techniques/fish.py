"""Fish: one value, k base units inside k cover units, but for fins that every victim sees.

The bases are truths and the covers links, so that without fins this is a cover of rank 0. A fin is a candidate that the
bases hold more often than the covers; each victim is tied to the fins by further links through itself.

- *basic*: bases of one class of parallel units, covers of another, no fin;
- *finned*: the same with fins; *sashimi* when a base has at most one candidate that is no fin;
- *franken*: one class of lines with boxes among the bases, the other with boxes among the covers;
- *mutant*: any units at all.

The search is driven by the victim: what it does not see must be covered, so that the covers follow from the first
candidate without one (an exact-cover branching) and few are tried. Bases may overlap: a candidate in two of them that
only one cover holds is an *endo fin* and needs nothing special.

Sources: the Ultimate Fish Guide of the players' forum (names), HoDoKu (classification).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from nonant.csp.masks import bits
from nonant.csp.proofs.records import Cover, Proof, Several
from nonant.strategies import kernels
from nonant.strategies.board import Board
from nonant.strategies.definition import FULL, GRID, Technique
from nonant.strategies.layout import Layout
from nonant.strategies.sentences import listed, not_these, places_of
from nonant.strategies.step import Step
from nonant.strategies.techniques.covers import links_to, seen_by_all
from nonant.strategies.techniques.subsets import choices

FISH = "{value} in {bases} stands only in {covers}{fins}, so {removes}"


@dataclass(frozen=True)
class Waters:
    """Where fish of one value may swim.

    Attributes:
        value: the value.
        places: for each unit its open candidates of the value.
    """

    value: int
    places: tuple[int, ...]


def waters_of(board: Board) -> list[Waters]:
    """The places of each value, unit by unit."""
    first, size, layout = board.model.n_cells, board.model.n_values, board.layout
    left, masks = board.open, board.sets.masks
    return [
        Waters(value, tuple(masks[first + unit * size + value] & left for unit in range(len(layout.units))))
        for value in range(size)
    ]


def class_pairs(layout: Layout) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Bases and covers of plain fish: two classes of lines, or in a model without lines any two classes."""
    for one, bases in enumerate(layout.classes):
        for other, covers in enumerate(layout.classes):
            if one != other and (not layout.lines or {one, other} <= layout.lines):
                yield bases, covers


def may_be_basic(board: Board, size: int) -> bool:
    """Whether there may be basic fish of a size."""
    exists = kernels.loaded("exists")
    return exists is None or exists.may_be(board, exists.FISH, size)


def may_be_finned(board: Board, size: int, sashimi: bool) -> bool:
    """Whether there may be finned or sashimi fish of a size."""
    exists = kernels.loaded("exists")
    return exists is None or exists.may_be_finned(board, size)


def basic(board: Board, technique: Technique, size: int) -> Iterator[Step]:
    """Basic fish of `size` bases."""
    for waters in board.once("waters", waters_of):
        places = waters.places
        for bases, covers in class_pairs(board.layout):
            rows = []
            for base in bases:
                touched = sum(1 << at for at, cover in enumerate(covers) if places[base] & places[cover])
                if 1 < touched.bit_count() <= size:
                    rows.append((base, touched))
            for some, held in choices(rows, size):
                step = caught(board, technique, waters, some, tuple(covers[at] for at in bits(held)))
                if step is not None:
                    yield step


def finned(board: Board, technique: Technique, size: int, sashimi: bool) -> Iterator[Step]:
    """Finned or sashimi fish of `size` bases."""
    for waters, bases, covers in board.once(f"finned fish: {size}", lambda board: list(_finned(board, size))):
        body = 0
        for cover in covers:
            body |= waters.places[cover]
        if sashimi == any((waters.places[base] & body).bit_count() < 2 for base in bases):
            step = caught(board, technique, waters, bases, covers)
            if step is not None:
                yield step


def franken(board: Board, technique: Technique, size: int) -> Iterator[Step]:
    """Franken fish: boxes among the bases or covers, otherwise one class of lines on either side."""
    layout = board.layout
    lines = [layout.classes[at] for at in sorted(layout.lines)]
    boxes = [unit for at, units in enumerate(layout.classes) if at not in layout.lines for unit in units]
    for waters in board.once("waters", waters_of):
        for one in lines:
            for other in lines:
                if one is other:
                    continue
                for bases, covers in _any(board, waters, (*one, *boxes), (*other, *boxes), size):
                    if any(unit in boxes for unit in (*bases, *covers)):
                        step = caught(board, technique, waters, bases, covers)
                        if step is not None:
                            yield step


def mutant(board: Board, technique: Technique, size: int) -> Iterator[Step]:
    """Mutant fish: any full units as bases, any units as covers; those that have a simpler name are left out."""
    layout = board.layout
    every = range(len(layout.units))
    for waters in board.once("waters", waters_of):
        for bases, covers in _any(board, waters, [unit for unit in every if layout.full[unit]], every, size):
            below = {layout.class_of[unit] for unit in bases} & layout.lines
            above = {layout.class_of[unit] for unit in covers} & layout.lines
            if len(below) > 1 or len(above) > 1 or below & above or -1 in map(layout.class_of.__getitem__, bases):
                step = caught(board, technique, waters, bases, covers)
                if step is not None:
                    yield step


def _finned(board: Board, size: int) -> Iterator[tuple[Waters, tuple[int, ...], tuple[int, ...]]]:
    """For each victim: bases that, but for what it sees, stand in few covers, its own among them."""
    peers = board.sets.peers
    for waters in board.once("waters", waters_of):
        places = waters.places
        for bases, covers in class_pairs(board.layout):
            seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
            column = {candidate: 1 << at for at, cover in enumerate(covers) for candidate in bits(places[cover])}
            inside = [[(1 << one, column[one]) for one in bits(places[base])] for base in bases]
            for victim, own in column.items():
                seeing, rows = peers[victim] | 1 << victim, []
                for at, base in enumerate(bases):
                    if inside[at] and not places[base] >> victim & 1:
                        needed = 0
                        for one, bit in inside[at]:
                            if not seeing & one:
                                needed |= bit
                        rows.append((base, needed | own))
                for some, needed in choices(rows, size, exact=False):
                    held = 0
                    for base in some:
                        held |= places[base]
                    spare = [at for at, cover in enumerate(covers) if not needed >> at & 1 and places[cover] & held]
                    for more in combinations(spare, size - needed.bit_count()):
                        chosen = tuple(cover for at, cover in enumerate(covers) if needed >> at & 1 or at in more)
                        if (some, chosen) not in seen:
                            seen.add((some, chosen))
                            yield waters, some, chosen


def _any(
    board: Board, waters: Waters, base_pool: Sequence[int], cover_pool: Sequence[int], size: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Bases and covers with a victim, whatever their classes."""
    places, peers = waters.places, board.sets.peers
    holding: dict[int, list[int]] = {}  # candidate -> the units of the cover pool that hold it
    for unit in cover_pool:
        for candidate in bits(places[unit]):
            holding.setdefault(candidate, []).append(unit)
    everywhere = 0
    for unit in cover_pool:
        everywhere |= places[unit]

    def covered(once: int, twice: int, chosen: tuple[int, ...], bases: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """Complete the covers: `once` needs one more, `twice` (inside it) two more."""
        if not once:
            yield chosen
        elif len(chosen) < size:
            for unit in holding.get((once & -once).bit_length() - 1, ()):
                if unit not in bases and unit not in chosen:
                    rest = twice & ~places[unit]
                    yield from covered(once & ~places[unit] | twice & places[unit], rest, (*chosen, unit), bases)

    seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    for bases in combinations([unit for unit in base_pool if places[unit]], size):
        once = twice = 0
        for unit in bases:
            twice |= once & places[unit]
            once |= places[unit]
        for victim in bits(everywhere & ~twice):
            outside = ~peers[victim] & ~(1 << victim)
            need, double = once & outside, twice & outside
            for first in holding[victim]:
                if first in bases:
                    continue
                inside = places[first]
                for chosen in covered(need & ~inside | double & inside, double & ~inside, (first,), bases):
                    taken = (*bases, *chosen)
                    spare = [unit for unit in cover_pool if unit not in taken and places[unit] & once]
                    for more in combinations(spare, size - len(chosen)):
                        covers = tuple(sorted((*chosen, *more)))
                        if (bases, covers) not in seen:
                            seen.add((bases, covers))
                            yield bases, covers


def caught(
    board: Board, technique: Technique, waters: Waters, bases: tuple[int, ...], covers: tuple[int, ...]
) -> Step | None:
    """The step of a fish with all its victims, or None if it has none."""
    sets, places = board.sets, waters.places
    held = [0, 0, 0, 0]  # held[k]: in more than k of the bases
    room = [0, 0, 0, 0]
    for units, counters in ((bases, held), (covers, room)):
        for unit in units:
            for at in (3, 2, 1):
                counters[at] |= counters[at - 1] & places[unit]
            counters[0] |= places[unit]
    fins = held[0] & ~room[0] | held[1] & ~room[1] | held[2] & ~room[2]
    deep = held[1] & ~room[0] | held[2] & ~room[1]  # fins that two more links must hold
    victims = room[0] & ~held[0] | room[1] & ~held[1] | room[2] & ~held[2]
    victims &= ~fins & seen_by_all(sets, fins)
    if not victims:
        return None
    first, size = board.model.n_cells, board.model.n_values
    truths = tuple(first + unit * size + waters.value for unit in bases)
    links = tuple(first + unit * size + waters.value for unit in covers)
    by_links: dict[tuple[int, ...], list[int]] = {}
    for victim in bits(victims):
        ties, more = links_to(sets, victim, fins), links_to(sets, victim, deep)
        if ties is not None and more is not None:
            by_links.setdefault(links + ties + more, []).append(victim)
    parts = tuple(Cover(truths, chosen, tuple(some)) for chosen, some in by_links.items())
    if not parts:
        return None
    proof: Proof = parts[0] if len(parts) == 1 else Several(parts)
    names = board.layout.names
    reason = technique.reason.format(
        value=board.model.symbols[waters.value],
        bases=listed(names[unit] for unit in bases),
        covers=listed(names[unit] for unit in covers),
        fins=f" or in {places_of(board, fins, 'and')}, which the removed see" if fins else "",
        removes=not_these(board, proof.removes),
    )
    cells = tuple(candidate // size for candidate in bits(held[0]))
    return Step(technique.name, (), proof.removes, proof, reason, cells, bases + covers)


TECHNIQUES = (
    Technique("x-wing", 4, GRID, basic, FISH, ("Basic Fish of 2",), "folklore", arguments=(2,), scout=may_be_basic),
    Technique("swordfish", 4, GRID, basic, FISH, ("Basic Fish of 3",), "folklore", arguments=(3,), scout=may_be_basic),
    Technique("jellyfish", 4, GRID, basic, FISH, ("Basic Fish of 4",), "folklore", arguments=(4,), scout=may_be_basic),
    Technique("finned x-wing", 5, GRID, finned, FISH, (), "players' forum", arguments=(2, False), scout=may_be_finned),
    Technique("sashimi x-wing", 5, GRID, finned, FISH, (), "players' forum", arguments=(2, True), scout=may_be_finned),
    Technique(
        "finned swordfish", 5, GRID, finned, FISH, (), "players' forum", arguments=(3, False), scout=may_be_finned
    ),
    Technique(
        "sashimi swordfish", 5, GRID, finned, FISH, (), "players' forum", arguments=(3, True), scout=may_be_finned
    ),
    Technique(
        "finned jellyfish",
        6,
        GRID,
        finned,
        FISH,
        (),
        "players' forum",
        arguments=(4, False),
        asked=True,
        scout=may_be_finned,
    ),
    Technique(
        "sashimi jellyfish",
        6,
        GRID,
        finned,
        FISH,
        (),
        "players' forum",
        arguments=(4, True),
        asked=True,
        scout=may_be_finned,
    ),
    Technique("franken x-wing", 7, GRID, franken, FISH, (), "Ultimate Fish Guide", arguments=(2,), asked=True),
    Technique("franken swordfish", 7, GRID, franken, FISH, (), "Ultimate Fish Guide", arguments=(3,), asked=True),
    Technique("franken jellyfish", 7, GRID, franken, FISH, (), "Ultimate Fish Guide", arguments=(4,), asked=True),
    Technique("mutant x-wing", 7, FULL, mutant, FISH, (), "Ultimate Fish Guide", arguments=(2,), asked=True),
    Technique("mutant swordfish", 7, FULL, mutant, FISH, (), "Ultimate Fish Guide", arguments=(3,), asked=True),
    Technique("mutant jellyfish", 7, FULL, mutant, FISH, (), "Ultimate Fish Guide", arguments=(4,), asked=True),
)
