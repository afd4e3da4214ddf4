"""Plain-Python search over boards: the readable reference, and what answers a small question at once.

A board is one int: bit `cell * n_values + value` is set while that candidate is possible. Units are looked at pattern
by pattern (`patterns.py`):

    truth   never -> the board is dead; once -> that candidate is true (naked and hidden singles alike)
    link    a true candidate -> the others of the link are false

The search is depth first over an explicit list of open boards: whoever holds that list can go on with it, which is how
work that outgrows plain Python is handed to the compiled kernel without losing or repeating a solution.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from nonant.csp.budget import Budget
from nonant.csp.forms import Compiled
from nonant.csp.masks import bits
from nonant.csp.plain.patterns import overlaps_of, patterns_of, without_locked
from nonant.csp.plain.propagators import propagators_of


@dataclass(frozen=True)
class DeadEnd:
    """Why a board cannot be solved.

    Attributes:
        kind: "cell" (no value left), "value" (no place left for it in a full unit), "two values" (one cell needs
            both), "same value" (two cells of a unit need it) or "constraint" (its cells cannot satisfy it).
        cells: the cells concerned.
        unit: the place of the unit in `Compiled.units`, where there is one.
        value: the place of the value, where there is one.
    """

    kind: str
    cells: tuple[int, ...]
    unit: int | None = None
    value: int | None = None


class Searcher:
    """The tables of one compiled model, and the search over them. It keeps no state between calls."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.patterns = patterns_of(compiled)
        self.overlaps = overlaps_of(self.patterns)
        self.propagators = propagators_of(compiled)
        size = compiled.n_values
        self._every = (1 << size) - 1
        self._first_bits = self.patterns[0].base if self.patterns else 0
        self._unit_bits = [_first_bits_of(unit, size) for unit in compiled.units]

    def board(self, domains: tuple[int, ...]) -> int:
        """The board of these domains and the model's own, before any deduction."""
        size, board = self.compiled.n_values, 0
        for cell in reversed(range(self.compiled.n_cells)):
            board = board << size | (domains[cell] & self.compiled.domains[cell])
        return board

    def domains(self, board: int) -> tuple[int, ...]:
        """The mask of values left in each cell."""
        size = self.compiled.n_values
        return tuple(board >> (cell * size) & self._every for cell in range(self.compiled.n_cells))

    def values(self, board: int) -> tuple[int, ...]:
        """The place of each cell's value on a solved board."""
        return tuple(domain.bit_length() - 1 for domain in self.domains(board))

    def propagate(self, board: int) -> int:
        """What singles, locked candidates and the other constraints leave; 0 when the board has no solution."""
        while board:
            before, board = board, self._round(board)
            if board == before:
                for overlap in self.overlaps:
                    board = without_locked(board, overlap)
            if board == before:
                for removes in self.propagators:
                    board &= ~removes(board)
                if board == before:
                    break
        return board

    def _round(self, board: int) -> int:
        """One look at all truths, then at all links; 0 when one of them cannot hold."""
        true = 0
        for pattern in self.patterns:
            if not pattern.full:
                continue
            once, twice = pattern.gathered(board)
            base = pattern.base
            if once & base != base:
                return 0
            single = base & ~twice
            if single:
                true |= pattern.spread(single) & board
        for pattern in self.patterns:
            once, twice = pattern.gathered(true)
            base = pattern.base
            if twice & base:
                return 0
            decided = once & base
            if decided:
                board &= ~(pattern.spread(decided) & ~true)
        return board

    def dead_end(self, board: int) -> DeadEnd | None:
        """Where propagation of a board breaks down, or None where it does not."""
        while True:
            after = self._round(board)
            if after == 0:
                return self._broken(board)
            if after == board:
                for removes, cells in zip(self.propagators, self.compiled.scopes, strict=True):
                    after &= ~removes(after)
                    if 0 in self.domains(after):
                        return DeadEnd("constraint", cells, None)
                if after == board:
                    return None
            board = after

    def _broken(self, board: int) -> DeadEnd:
        """The truth without a candidate, or the link with two true ones, that makes a round fail."""
        domains = self.domains(board)
        for cell, domain in enumerate(domains):
            if not domain:
                return DeadEnd("cell", (cell,), None)
        forced = list(domains)  # the values that a cell must take, as far as one round sees
        for cell, domain in enumerate(domains):
            forced[cell] = domain if domain & (domain - 1) == 0 else 0
        for number, unit in enumerate(self.compiled.units):
            for value in range(self.compiled.n_values if self.compiled.full[number] else 0):
                places = [cell for cell in unit if domains[cell] >> value & 1]
                if not places:
                    return DeadEnd("value", unit, number, value)
                if len(places) == 1:
                    forced[places[0]] |= 1 << value
        for cell, values in enumerate(forced):
            if values & (values - 1):
                return DeadEnd("two values", (cell,), None)
        for number, unit in enumerate(self.compiled.units):
            for value in range(self.compiled.n_values):
                cells = tuple(cell for cell in unit if forced[cell] >> value & 1)
                if len(cells) > 1:
                    return DeadEnd("same value", cells[:2], number, value)
        raise AssertionError("a round failed, but every truth has a candidate and no link has two true ones")

    def run(self, open_boards: list[int], budget: Budget) -> Iterator[int]:
        """Depth first over the open boards; yields solved boards.

        It ends when the list is empty or the budget is spent; the list then holds what was not looked at.
        """
        size = self.compiled.n_values
        if self.compiled.infeasible is not None:
            open_boards.clear()
        while open_boards:
            if budget.out():
                return
            board = open_boards.pop()
            if self.compiled.n_cells == 0:
                yield board  # nothing to choose: the empty assignment is the one solution
                continue
            board = self.propagate(board)
            if not board:
                continue
            candidate = self._branching_candidate(board)
            if candidate is None:
                yield board
                continue
            budget.spent += 1
            chosen, start = 1 << candidate, candidate // size * size
            open_boards.append(board & ~chosen)
            open_boards.append(board & ~(self._every << start) | chosen)

    def _bivalue_peers(self, cell: int, bivalue: int) -> int:
        """How many of the cells in `bivalue` share a unit with the one of this first bit, those in two units twice."""
        units = self.compiled.units_of[cell // self.compiled.n_values]
        return sum((bivalue & self._unit_bits[unit]).bit_count() for unit in units)

    def _branching_candidate(self, board: int) -> int | None:
        """The candidate to try first, or None on a solved board.

        It is the lowest of a cell with two values, the one with the most such neighbours; else one of a value with two
        places in a unit; else the lowest of a cell with the fewest values.
        """
        size, first_bits = self.compiled.n_values, self._first_bits
        once = twice = thrice = 0
        for value in range(size):
            at = board >> value & first_bits
            thrice |= twice & at
            twice |= once & at
            once |= at
        if not twice:
            return None
        bivalue = twice & ~thrice
        if bivalue:
            cell = max(bits(bivalue), key=lambda cell: self._bivalue_peers(cell, bivalue))
        else:
            for unit, full in zip(self._unit_bits, self.compiled.full, strict=True):
                for value in range(size if full else 0):
                    places = board >> value & unit
                    if places.bit_count() == 2:
                        return (places & -places).bit_length() - 1 + value
            cell = min(bits(twice), key=lambda cell: (board >> cell & self._every).bit_count())
        domain = board >> cell & self._every
        return cell + (domain & -domain).bit_length() - 1


def _first_bits_of(cells: Collection[int], size: int) -> int:
    """The first bit of each cell."""
    words = bytearray((max(cells, default=0) * size + 8) // 8)
    for cell in cells:
        words[cell * size // 8] |= 1 << (cell * size % 8)
    return int.from_bytes(words, "little")
