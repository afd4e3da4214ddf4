"""Uniqueness: a pattern whose two values could be exchanged everywhere must have a candidate outside.

If a puzzle has one solution, cells that could be exchanged without anybody noticing cannot all take their two values.
So one of the other candidates there, the *guardians*, holds: one more truth, the guard. With it everything else is an
ordinary cover or refutation, and the names say where the guardians are:

- unique rectangle 1: in one cell; 2 (and 5): of one value; 3: with a naked subset around; 4: the pattern's value is
  bound to the cells of the guardians; 6 and hidden rectangle: bound crosswise;
- avoidable rectangle: the same where cells are solved, but were not given;
- unique loop: a longer loop of the kind; BUG + 1: all open cells.

Off by default, and the checker verifies each exchange (`csp/proof.py`): a rectangle over four boxes, or across a
diagonal that counts, is no pattern.

Sources: E. Parkinson's unique rectangles, the "avoidable" ones by players of the forum, BUG by N. Noodler.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from nonant.csp.model import Model
from nonant.csp.proof import Cover, Proof, ProofError, Refutation, Several, Uniqueness, bits, check
from nonant.strategies.board import Board
from nonant.strategies.covers import seen_by_all
from nonant.strategies.refute import refutation
from nonant.strategies.step import Step
from nonant.strategies.table import Technique
from nonant.strategies.words import cell_names, not_these, values_of


@dataclass(frozen=True)
class Pattern:
    """Cells with two values each, and the candidates outside (the guardians)."""

    cells: tuple[tuple[int, int], ...]
    guard: int


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
    """Loops of six to ten cells."""
    for pattern in board.once("loops", lambda board: list(_loops(board, 10))):
        if len(pattern.cells) > 4:
            for kind in ("1", "2", "4"):
                yield from _of_type(board, technique, pattern, kind)


def grave(board: Board, technique: Technique) -> Iterator[Step]:
    """BUG + n: all open cells have two values but for guardians, of which the pattern leaves the values that fit."""
    size, solved = board.model.n_values, board.solved_cells
    opened = [cell for cell in range(board.model.n_cells) if not solved >> (cell * size) & 1]
    large = [cell for cell in opened if board.cells[cell].bit_count() > 2]
    if not opened or len(large) > 3 or any(board.cells[cell].bit_count() > 3 for cell in large):
        return
    fixed = [(cell, board.cells[cell]) for cell in opened if cell not in large]

    def choose(at: int, chosen: tuple[tuple[int, int], ...]) -> Iterator[Pattern]:
        if at == len(large):
            cells = tuple(sorted((*fixed, *chosen)))
            yield Pattern(cells, _outside(board, cells))
            return
        for two in combinations(bits(board.cells[large[at]]), 2):
            yield from choose(at + 1, (*chosen, (large[at], 1 << two[0] | 1 << two[1])))

    for pattern in choose(0, ()):
        if pattern.guard and exchangeable(board, pattern):
            for kind in ("1", "2"):
                yield from _of_type(board, technique, pattern, kind)


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


def _loops(board: Board, longest: int) -> Iterator[Pattern]:
    """Closed walks over open cells that hold the same two values, two in each unit that they meet."""
    size, solved = board.model.n_values, board.solved_cells
    for a, b in combinations(range(size), 2):
        two = 1 << a | 1 << b
        cells = {
            cell
            for cell, mask in enumerate(board.cells)
            if mask & two == two and board.domains[cell] & two == two and not solved >> (cell * size) & 1
        }
        for key in sorted({tuple(sorted(path)) for path in _walks(board, cells, two, longest)}):
            yield from _pattern(board, key, two)


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
    if _twice(board.model, cells):
        chosen = tuple((cell, two) for cell in cells)
        pattern = Pattern(chosen, _outside(board, chosen))
        if pattern.guard and exchangeable(board, pattern):
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


def _walks(board: Board, cells: set[int], two: int, longest: int) -> Iterator[tuple[int, ...]]:
    """Closed walks of an even number of cells, from the lowest cell on."""
    compiled = board.model.compiled
    neighbours = {cell: [other for other in compiled.peers[cell] if other in cells] for cell in cells}

    def crowded(path: tuple[int, ...], other: int) -> bool:
        """Whether some unit would hold three of the cells; the pattern needs two or none in each."""
        return any(sum(unit in compiled.units_of[cell] for cell in path) > 1 for unit in compiled.units_of[other])

    def walk(path: tuple[int, ...], extra: int) -> Iterator[tuple[int, ...]]:
        for other in neighbours[path[-1]]:
            if other == path[0] and len(path) >= 4 and len(path) % 2 == 0:
                yield path
            elif other > path[0] and other not in path and len(path) < longest and not crowded(path, other):
                more = extra + (board.cells[other] & ~two != 0)
                if more <= 3:  # a long loop with guardians in many cells says little
                    yield from walk((*path, other), more)

    for start in sorted(cells):
        yield from walk((start,), int(board.cells[start] & ~two != 0))


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
    within = sum(board.sets.masks[cell] for cell in cells)
    for unit in sorted({unit for cell in cells for unit in compiled.units_of[cell]}):
        if compiled.full[unit]:
            for value in bits(pattern.cells[0][1]):
                number = first + unit * size + value
                members = board.sets.masks[number] & board.live
                if members.bit_count() == 2 and not members & ~within:
                    truths.append(number)
    inside = sum(two << (cell * size) for cell, two in pattern.cells) & board.open
    gone = inside if kind == "hidden" else inside & sum(board.sets.masks[cell] for cell in guard_cells)
    for cell in cells if kind == "hidden" else []:
        yield from _refuted(board, technique, pattern, gone & board.sets.masks[cell], tuple(truths))
    if kind != "hidden":
        for value in bits(pattern.cells[0][1]):
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
    taken = {cell for cell, _ in pattern.cells}
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
        values=values_of(board, pattern.cells[0][1]),
        removes=not_these(board, proof.removes),
    )
    yield Step(technique.name, (), proof.removes, proof, reason, cells)
