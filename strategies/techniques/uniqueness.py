"""Uniqueness: a pattern whose two values could be exchanged everywhere must have a candidate outside.

If a puzzle has one solution, cells that could be exchanged without anybody noticing cannot all take their two values.
So one of the other candidates there, the *guardians*, holds: one more truth, the guard. With it everything else is an
ordinary cover or refutation, and the names say where the guardians are:

- unique rectangle 1: in one cell; 2 (and 5): of one value; 3: with a naked subset around; 4: the pattern's value is
  bound to the cells of the guardians; 6 and hidden rectangle: bound crosswise;
- avoidable rectangle: the same where cells are solved, but were not given;
- unique loop: a longer loop of the kind, of any length;
- extended rectangle: two units with rungs between them, whose pairs close a cycle (ab, bc, ca);
- BUG + n: all open cells, whatever the number of cells with guardians.

A pattern gives each cell two values. The extended rectangle whose cells hold three values each (six cells with abc) is
more: which of its pairs come true is not known beforehand, and its guardians are not found here.

Off by default, and the checker verifies each exchange (`csp/proofs/check.py`): a rectangle over four boxes, or across a
diagonal that counts, is no pattern.

Sources: E. Parkinson's unique rectangles, the "avoidable" ones by players of the forum, BUG by N. Noodler.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice

from nonant.csp.masks import bits
from nonant.csp.model import Model
from nonant.csp.proofs.check import check
from nonant.csp.proofs.records import Cover, Proof, ProofError, Refutation, Several, Uniqueness
from nonant.strategies.board import Board
from nonant.strategies.definition import UNITS_ONLY, Technique
from nonant.strategies.refutations.refute import refutation
from nonant.strategies.sentences import cell_names, not_these, values_of
from nonant.strategies.step import Step
from nonant.strategies.techniques.covers import seen_by_all

UNIQUE = "{cells} could be exchanged, were it not for a candidate besides {values}, so {removes}"

KINDS = ("1", "2", "3", "4")
MOST_GUARDED = 3  # cells with guardians: a large pattern with more of them says little
MOST_LARGE = 12  # cells with more than two values of a BUG
MOST_GRAVES = 50  # ways to choose their two


@dataclass(frozen=True)
class Pattern:
    """Cells with two values each, and the candidates outside (the guardians).

    `whole` is true where the cells are all that are open, so that others to make a subset with are among them.
    """

    cells: tuple[tuple[int, int], ...]
    guard: int
    whole: bool = False


def rectangle(board: Board, technique: Technique, kind: str) -> Iterator[Step]:
    """Unique rectangles of one type."""
    for pattern in board.once("rectangles", lambda board: list(_rectangles(board, False))):
        yield from _of_type(board, technique, pattern, kind)


def avoidable(board: Board, technique: Technique) -> Iterator[Step]:
    """Rectangles with solved cells that were not given."""
    for pattern in board.once("avoidable", lambda board: list(_rectangles(board, True))):
        if any(
            (1 << cell * board.model.n_values + value) & board.placed
            for cell, two in pattern.cells
            for value in bits(two)
        ):
            for kind in ("1", "2", "4"):
                yield from _of_type(board, technique, pattern, kind)


def loop(board: Board, technique: Technique) -> Iterator[Step]:
    """Loops of six cells or more, with guardians in up to three of them."""
    for pattern in board.once("loops", lambda board: list(_loops(board))):
        for kind in KINDS:
            yield from _of_type(board, technique, pattern, kind)


def extended(board: Board, technique: Technique) -> Iterator[Step]:
    """Two units and three rungs or more, with guardians in up to three cells."""
    for pattern in board.once("ladders", lambda board: list(_ladders(board))):
        for kind in KINDS:
            yield from _of_type(board, technique, pattern, kind)


def grave(board: Board, technique: Technique) -> Iterator[Step]:
    """BUG + n: all open cells have two values but for guardians, of which the pattern leaves the values that fit.

    Where several choices of two values fit, each is a pattern.
    """
    size, solved = board.model.n_values, board.solved_cells
    compiled = board.model.compiled
    opened = [cell for cell in range(board.model.n_cells) if not solved >> (cell * size) & 1]
    # Of cells with the fewest values first: they leave the others the least.
    large = sorted(
        (cell for cell in opened if board.cells[cell].bit_count() > 2), key=lambda cell: board.cells[cell].bit_count()
    )
    if not opened or len(large) > MOST_LARGE or any(board.cells[cell].bit_count() < 2 for cell in opened):
        return
    once, twice = [0] * len(compiled.units), [0] * len(compiled.units)  # of each unit the values chosen so often

    def put(cell: int, two: int) -> bool:
        """Count a pair in; False where some unit would have one of the values three times."""
        if any(twice[unit] & two for unit in compiled.units_of[cell]):
            return False
        for unit in compiled.units_of[cell]:
            twice[unit] |= once[unit] & two
            once[unit] |= two
        return True

    if not all(put(cell, board.cells[cell]) for cell in opened if cell not in large):
        return

    def choose(at: int, chosen: tuple[tuple[int, int], ...]) -> Iterator[Pattern]:
        if at == len(large):
            pairs = dict(chosen)
            cells = tuple((cell, pairs.get(cell, board.cells[cell])) for cell in opened)
            yield Pattern(cells, _outside(board, cells), whole=True)
            return
        cell = large[at]
        before = [(unit, once[unit], twice[unit]) for unit in compiled.units_of[cell]]
        for a, b in combinations(bits(board.cells[cell]), 2):
            if put(cell, 1 << a | 1 << b):
                yield from choose(at + 1, (*chosen, (cell, 1 << a | 1 << b)))
                for unit, first, second in before:
                    once[unit], twice[unit] = first, second

    for pattern in islice(choose(0, ()), MOST_GRAVES):
        if pattern.guard and exchangeable(board, pattern):
            for kind in (*KINDS, "seen"):
                yield from _of_type(board, technique, pattern, kind)


def _values(pattern: Pattern) -> int:
    values = 0
    for _, two in pattern.cells:
        values |= two
    return values


def _outside(board: Board, cells: tuple[tuple[int, int], ...]) -> int:
    size = board.model.n_values
    return sum((board.cells[cell] & ~two) << (cell * size) for cell, two in cells)


def exchangeable(board: Board, pattern: Pattern) -> bool:
    """Whether the checker accepts the pattern: it is asked with a proof that removes nothing."""
    sets = board.sets
    nothing = Cover((sets.guard,), tuple(cell for cell, _ in pattern.cells))
    try:
        check(board.model, board.live, Uniqueness(pattern.cells, nothing), board.domains)
    except ProofError:
        return False
    return True


def _loops(board: Board) -> Iterator[Pattern]:
    """Closed walks over open cells that hold the same two values, two in each unit that they meet."""
    size, solved = board.model.n_values, board.solved_cells
    for a, b in combinations(range(size), 2):
        two = 1 << a | 1 << b
        cells = {
            cell
            for cell, mask in enumerate(board.cells)
            if mask & two == two and board.domains[cell] & two == two and not solved >> (cell * size) & 1
        }
        pure = {cell for cell in cells if board.cells[cell] == two}
        if len(pure) < 6 - MOST_GUARDED:
            continue
        for key in sorted({tuple(sorted(path)) for path in _walks(board, cells, pure)}):
            yield from _pattern(board, key, two)


def _ladders(board: Board) -> Iterator[Pattern]:
    """Rungs between two units whose pairs of values close a cycle: each value stands in two rungs."""
    size, solved, cells = board.model.n_values, board.solved_cells, board.cells
    seen: set[tuple[tuple[int, int], ...]] = set()
    for rungs in ladders_of(board.model):
        options: list[tuple[int, int, int, int]] = []  # cell, cell, pair, how many of the cells have guardians
        for one, other in rungs:
            if (solved >> (one * size) | solved >> (other * size)) & 1:
                continue
            free = cells[one] & cells[other] & board.domains[one] & board.domains[other]
            for a, b in combinations(bits(free), 2):
                two = 1 << a | 1 << b
                guarded = (cells[one] != two) + (cells[other] != two)
                options.append((one, other, two, guarded))

        def climb(
            chosen: tuple[tuple[int, int, int, int], ...],
            first: int,
            last: int,
            taken: int,
            guarded: int,
            options: list[tuple[int, int, int, int]] = options,
        ) -> Iterator[tuple[tuple[int, int], ...]]:
            """Rungs from the value `first` on to `last`, up to one that leads back; `taken` are the values so far."""
            for rung in options:
                _, _, two, more = rung
                if not two & last or guarded + more > MOST_GUARDED or any(rung[0] == old[0] for old in chosen):
                    continue
                onward = two & ~last
                if onward == first and len(chosen) > 1:
                    yield tuple(sorted((cell, old[2]) for old in (*chosen, rung) for cell in old[:2]))
                elif not onward & taken:
                    yield from climb((*chosen, rung), first, onward, taken | onward, guarded + more)

        for rung in options:
            if rung[3] < 2:
                low = rung[2] & -rung[2]
                for pattern in climb((rung,), low, rung[2] ^ low, rung[2], rung[3]):
                    if pattern not in seen:
                        seen.add(pattern)
                        found = Pattern(pattern, _outside(board, pattern))
                        if found.guard and exchangeable(board, found):
                            yield found


# Frozen values of frozen models, and bounded, since models may come from a stream of region maps.
@lru_cache(maxsize=32)
def ladders_of(model: Model) -> tuple[tuple[tuple[int, int], ...], ...]:
    """For each two units the pairs of their cells that lie in a third: three or more."""
    compiled, found = model.compiled, []
    for first, second in combinations(range(len(compiled.units)), 2):
        one = [cell for cell in compiled.units[first] if second not in compiled.units_of[cell]]
        other = [cell for cell in compiled.units[second] if first not in compiled.units_of[cell]]
        rungs = tuple((a, b) for a in one for b in other if b in compiled.peers[a])
        if len({a for a, _ in rungs}) > 2 and len({b for _, b in rungs}) > 2:
            found.append(rungs)
    return tuple(found)


def _rectangles(board: Board, solved_too: bool) -> Iterator[Pattern]:
    """Rectangles that may be exchanged for two values.

    A cell may have lost one of the values, and be solved if `solved_too`: what the puzzle itself leaves it counts.
    """
    size, solved = board.model.n_values, board.solved_cells
    for cells in rectangles_of(board.model):
        if not solved_too and any(solved >> (cell * size) & 1 for cell in cells):
            continue
        free, held = -1, 0
        for cell in cells:
            free &= board.domains[cell]
            held |= board.cells[cell]
        for a, b in combinations(bits(free & held), 2):
            two = 1 << a | 1 << b
            whole = sum(board.cells[cell] & two == two for cell in cells)
            if all(board.cells[cell] & two for cell in cells) and (solved_too or whole > 1):
                yield from _pattern(board, cells, two)


def _pattern(board: Board, cells: tuple[int, ...], two: int) -> Iterator[Pattern]:
    chosen = tuple((cell, two) for cell in cells)
    pattern = Pattern(chosen, _outside(board, chosen))
    if pattern.guard and _structural(board.model, cells):
        yield pattern


# Frozen values of frozen models, and bounded, since models may come from a stream of region maps.
@lru_cache(maxsize=32)
def rectangles_of(model: Model) -> tuple[tuple[int, ...], ...]:
    """Sets of four cells of which each unit holds two or none: 486 in a classic grid."""
    peers = [frozenset(some) for some in model.compiled.peers]
    found = set()
    for a in range(model.n_cells):
        for b in peers[a]:
            if b < a:
                continue
            for d in peers[a]:
                if d <= a or d == b:
                    continue
                for c in peers[b] & peers[d]:
                    if c > a and (c not in peers[a] or d not in peers[b]):
                        found.add(tuple(sorted((a, b, c, d))))
    return tuple(sorted(cells for cells in found if _twice(model, cells)))


def _walks(board: Board, cells: set[int], pure: set[int]) -> Iterator[tuple[int, ...]]:
    """Closed walks of an even number of cells, six or more, from their lowest cell without a guardian on."""
    compiled = board.model.compiled
    neighbours = {cell: [other for other in compiled.peers[cell] if other in cells] for cell in cells}
    met = [0] * len(compiled.units)

    def walk(path: tuple[int, ...], extra: int) -> Iterator[tuple[int, ...]]:
        units = compiled.units_of[path[-1]]
        for unit in units:
            met[unit] += 1
        for other in neighbours[path[-1]]:
            if other == path[0] and len(path) >= 6 and len(path) % 2 == 0:
                yield path
            elif other not in path and (other > path[0] or other not in pure):
                more = extra + (other not in pure)
                # The pattern needs two cells or none in each unit.
                if more <= MOST_GUARDED and all(met[unit] < 2 for unit in compiled.units_of[other]):
                    yield from walk((*path, other), more)
        for unit in units:
            met[unit] -= 1

    for start in sorted(pure):
        yield from walk((start,), 0)


# For the same two values everywhere the checker's question has one answer for all boards of a model, asked often.
@lru_cache(maxsize=4096)
def _structural(model: Model, cells: tuple[int, ...]) -> bool:
    return _twice(model, cells) and not any(cell in scope for cell in cells for scope in model.compiled.scopes)


def _twice(model: Model, cells: tuple[int, ...]) -> bool:
    counts: dict[int, int] = {}
    for cell in cells:
        for unit in model.compiled.units_of[cell]:
            counts[unit] = counts.get(unit, 0) + 1
    return all(count == 2 for count in counts.values())


def _of_type(board: Board, technique: Technique, pattern: Pattern, kind: str) -> Iterator[Step]:
    size, sets = board.model.n_values, board.sets
    guard_cells = sorted({candidate // size for candidate in bits(pattern.guard)})
    guard_values = {candidate % size for candidate in bits(pattern.guard)}
    inside = sum(two << (cell * size) for cell, two in pattern.cells)
    if kind == "1":
        if len(guard_cells) == 1:
            cell = guard_cells[0]
            gone = inside & sets.masks[cell] & board.live
            yield from _step(board, technique, pattern, [Cover((sets.guard,), (cell,), tuple(bits(gone)))])
    elif kind == "2":
        if len(guard_values) == 1 and len(guard_cells) > 1:
            gone = seen_by_all(sets, pattern.guard) & board.open & ~pattern.guard
            yield from _refuted(board, technique, pattern, gone, (sets.guard,))
    elif kind == "seen":
        if len(guard_values) > 1 and len(guard_cells) > 1:
            gone = seen_by_all(sets, pattern.guard) & board.open & ~pattern.guard
            yield from _refuted(board, technique, pattern, gone, (sets.guard,))
    elif kind == "3":
        yield from _with_subset(board, technique, pattern, guard_cells)
    elif len(guard_cells) > 1 or kind == "hidden":
        yield from _bound(board, technique, pattern, guard_cells, kind)


def _bound(board: Board, technique: Technique, pattern: Pattern, guard_cells: list[int], kind: str) -> Iterator[Step]:
    """Types 4 and 6 and hidden rectangles: a value of the pattern is bound to its cells in some unit."""
    size, first = board.model.n_values, board.model.n_cells
    cells = [cell for cell, _ in pattern.cells]
    compiled = board.model.compiled
    aligned = len(guard_cells) == 2 and bool(
        set(compiled.units_of[guard_cells[0]]) & set(compiled.units_of[guard_cells[1]])
    )
    shape = "4" if aligned else "6" if len(guard_cells) == 2 else "hidden"
    if kind not in (shape, "hidden"):
        return
    truths = [board.sets.guard]
    values = _values(pattern)
    inside = sum(two << (cell * size) for cell, two in pattern.cells)
    for unit in sorted({unit for cell in cells for unit in compiled.units_of[cell]}):
        if compiled.full[unit]:
            for value in bits(values):
                number = first + unit * size + value
                members = board.sets.masks[number] & board.live
                if members.bit_count() == 2 and not members & ~inside:
                    truths.append(number)
    inside &= board.open
    gone = inside if kind == "hidden" else inside & sum(board.sets.masks[cell] for cell in guard_cells)
    for cell in cells if kind == "hidden" else []:
        yield from _refuted(board, technique, pattern, gone & board.sets.masks[cell], tuple(truths))
    if kind != "hidden":
        for value in bits(values):
            column = sum(1 << (cell * size + value) for cell in cells)
            yield from _refuted(board, technique, pattern, gone & column, tuple(truths))


def _with_subset(board: Board, technique: Technique, pattern: Pattern, guard_cells: list[int]) -> Iterator[Step]:
    """Type 3: the guardians, as if they were one cell, make a naked subset with cells of a common unit."""
    size, first, compiled = board.model.n_values, board.model.n_cells, board.model.compiled
    guard_values = 0
    for candidate in bits(pattern.guard):
        guard_values |= 1 << candidate % size
    if len(guard_cells) < 2:
        return
    taken = set(guard_cells) if pattern.whole else {cell for cell, _ in pattern.cells}
    common = set.intersection(*(set(compiled.units_of[cell]) for cell in guard_cells))
    parts: dict[tuple[int, ...], list[Cover | Refutation]] = {}
    for unit in sorted(common):
        others = [
            cell
            for cell in compiled.units[unit]
            if cell not in taken and not board.solved_cells >> (cell * size) & 1 and board.cells[cell]
        ]
        for some in (some for number in range(1, 5) for some in combinations(others, number)):
            values = guard_values
            for cell in some:
                values |= board.cells[cell]
            if values.bit_count() != len(some) + 1:
                continue
            links = tuple(first + unit * size + value for value in bits(values))
            gone = 0
            for link in links:
                gone |= board.sets.masks[link]
            for cell in some:
                gone &= ~board.sets.masks[cell]
            gone &= board.open & ~pattern.guard
            parts.setdefault(some, []).append(Cover((board.sets.guard, *some), links, tuple(bits(gone))))
    for covers in parts.values():
        yield from _step(board, technique, pattern, covers)


def _refuted(
    board: Board, technique: Technique, pattern: Pattern, gone: int, truths: tuple[int, ...]
) -> Iterator[Step]:
    proofs: list[Cover | Refutation] = []
    for candidate in bits(gone & board.live):
        proof = refutation(board, candidate, truths, extra=pattern.guard)
        if proof is not None and board.sets.guard in proof.items:
            proofs.append(proof)
    yield from _step(board, technique, pattern, proofs)


def _step(board: Board, technique: Technique, pattern: Pattern, proofs: list[Cover | Refutation]) -> Iterator[Step]:
    parts = tuple(Uniqueness(pattern.cells, proof) for proof in proofs if proof.removes)
    if not parts:
        return
    proof: Proof = parts[0] if len(parts) == 1 else Several(parts)
    cells = tuple(cell for cell, _ in pattern.cells)
    reason = technique.reason.format(
        cells=cell_names(board, cells),
        values=values_of(board, _values(pattern)),
        removes=not_these(board, proof.removes),
    )
    yield Step(technique.name, (), proof.removes, proof, reason, cells)


TECHNIQUES = (
    Technique(
        "unique rectangle 1",
        4,
        UNITS_ONLY,
        rectangle,
        UNIQUE,
        ("Uniqueness Test 1",),
        "folklore",
        arguments=("1",),
        unique=True,
    ),
    Technique(
        "unique rectangle 2",
        4,
        UNITS_ONLY,
        rectangle,
        UNIQUE,
        ("Uniqueness Test 2 and 5",),
        "folklore",
        arguments=("2",),
        unique=True,
    ),
    Technique(
        "unique rectangle 3",
        4,
        UNITS_ONLY,
        rectangle,
        UNIQUE,
        ("Uniqueness Test 3",),
        "folklore",
        arguments=("3",),
        unique=True,
    ),
    Technique(
        "unique rectangle 4",
        4,
        UNITS_ONLY,
        rectangle,
        UNIQUE,
        ("Uniqueness Test 4",),
        "folklore",
        arguments=("4",),
        unique=True,
    ),
    Technique(
        "unique rectangle 6",
        4,
        UNITS_ONLY,
        rectangle,
        UNIQUE,
        ("Uniqueness Test 6",),
        "folklore",
        arguments=("6",),
        unique=True,
    ),
    Technique(
        "hidden rectangle",
        4,
        UNITS_ONLY,
        rectangle,
        UNIQUE,
        ("Hidden Unique Rectangle",),
        "folklore",
        arguments=("hidden",),
        unique=True,
    ),
    Technique(
        "avoidable rectangle",
        4,
        UNITS_ONLY,
        avoidable,
        UNIQUE,
        ("Avoidable Rectangle 1 and 2",),
        "folklore",
        unique=True,
    ),
    Technique(
        "extended rectangle",
        5,
        UNITS_ONLY,
        extended,
        UNIQUE,
        ("Extended Unique Rectangle", "BUG Lite"),
        "players' forum",
        unique=True,
    ),
    Technique("unique loop", 5, UNITS_ONLY, loop, UNIQUE, ("Unique Loop",), "folklore", unique=True),
    Technique(
        "bug", 4, UNITS_ONLY, grave, UNIQUE, ("BUG+1", "BUG+n", "Bivalue Universal Grave"), "N. Noodler", unique=True
    ),
)
