"""Truths and links of a model, numbered and named, and the board on which a path begins.

A *truth* is a set of candidates of which at least one holds (a cell; a value in a full unit), a *link* one of which at
most one holds (a cell; a value in a unit). Every set here is a link; `Sets.is_truth` tells which are truths as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from nonant.csp.model import Model, Puzzle

GUARD = "guard"  # the name of the extra truth of a uniqueness proof


class _Peers(dict[int, int]):
    """Candidate -> mask of those that share a link with it; worked out when first asked for (a board can be large)."""

    def __init__(self, sets: Sets) -> None:
        self._sets = sets

    def __missing__(self, candidate: int) -> int:
        found = 0
        for link in self._sets.links_of(candidate):
            found |= self._sets.masks[link]
        found &= ~(1 << candidate)
        self[candidate] = found
        return found


class Sets:
    """The numbered sets of a model: set `cell` is that cell, set `n_cells + unit * n_values + value` a value in a unit.

    Attributes:
        masks: the candidates of each set, as a board.
        names: what people read: "r1c2", "6 in row 4".
        is_truth: whether at least one candidate of the set holds; every set is a link.
        guard: the number of the extra truth of a uniqueness proof.
        peers: candidate -> mask of the candidates that it excludes.
    """

    def __init__(self, model: Model) -> None:
        compiled, size = model.compiled, model.n_values
        self.model, self.size = model, size
        every = (1 << size) - 1
        masks = [every << (cell * size) for cell in range(compiled.n_cells)]
        names = list(model.names)
        truth = [True] * compiled.n_cells
        for unit, name, full in zip(compiled.units, compiled.unit_names, compiled.full, strict=True):
            column = sum(1 << (cell * size) for cell in unit)
            masks += [column << value for value in range(size)]
            names += [f"{symbol} in {name}" for symbol in model.symbols]
            truth += [full] * size
        self.masks = tuple(masks)
        self.names = _distinct(names)
        self.is_truth = tuple(truth)
        self.guard = len(masks)
        self.peers = _Peers(self)
        self._units_of = compiled.units_of
        self._links_of: dict[int, tuple[int, ...]] = {}

    def links_of(self, candidate: int) -> tuple[int, ...]:
        """The links of a candidate: its cell, then its value in each unit of the cell."""
        if candidate not in self._links_of:
            cell, value = divmod(candidate, self.size)
            first = self.model.n_cells + value
            self._links_of[candidate] = (cell, *(first + unit * self.size for unit in self._units_of[cell]))
        return self._links_of[candidate]

    def candidate(self, candidate: int, sign: str = "=") -> str:
        """A candidate as text: r1c2=3, or with another sign r1c2<>3."""
        cell, value = divmod(candidate, self.size)
        return f"{self.model.names[cell]}{sign}{self.model.symbols[value]}"


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """The names; one that comes again gets its number, so that a name means one set. None is called as the guard is."""
    taken = {GUARD, *names}
    seen: Counter[str] = Counter([GUARD])
    found = []
    for name in names:
        seen[name] += 1
        told = name
        while seen[name] > 1 and (told := f"{name} ({seen[name]})") in taken:
            seen[name] += 1
        taken.add(told)
        found.append(told)
    return tuple(found)


# Frozen values of frozen models, and bounded, since models may come from a stream of region maps.
@lru_cache(maxsize=64)
def sets_of(model: Model) -> Sets:
    """The sets of a model."""
    return Sets(model)


def domains_of(puzzle: Puzzle) -> tuple[int, ...]:
    """The values that rules, givens and marks leave each cell, before any deduction."""
    pairs = zip(puzzle.domains, puzzle.model.compiled.domains, strict=True)
    return tuple(domain & rule for domain, rule in pairs)


def start(puzzle: Puzzle) -> int:
    """The board on which a path begins: the domains, without what the givens exclude."""
    sets, board = sets_of(puzzle.model), 0
    for cell, domain in enumerate(domains_of(puzzle)):
        board |= domain << (cell * sets.size)
    for cell, given in enumerate(puzzle.givens):
        if given is not None:
            board &= ~sets.peers[cell * sets.size + given]
    return board
