"""The state of a solve: the candidates left, as one int (bit `cell * n_values + value`).

A board is made from a puzzle, from pencil marks, or from any position with eliminations. It never changes; `without`
makes the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from nonant.csp.errors import ModelError
from nonant.csp.masks import bits
from nonant.csp.model import Model, Puzzle
from nonant.csp.plain.search import Searcher
from nonant.csp.proofs.sets import Sets, domains_of, sets_of, start
from nonant.strategies.layout import Layout, layout_of

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Board:
    """The candidates left of a puzzle.

    Attributes:
        model: the rules.
        live: the candidates left.
        placed: the candidates that are written into their cell; what they exclude is gone from `live`.
        domains: for each cell the values that the puzzle itself leaves it (one value: a given). Only uniqueness
            techniques look at it: what is not given may be exchanged.
    """

    model: Model
    live: int
    placed: int
    domains: tuple[int, ...]
    _memo: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_puzzle(cls, puzzle: Puzzle) -> Board:
        """The board of a puzzle: its givens written in, what they exclude removed, its pencil marks kept."""
        size = puzzle.model.n_values
        placed = sum(1 << (cell * size + value) for cell, value in enumerate(puzzle.givens) if value is not None)
        live = start(puzzle)
        return cls(puzzle.model, live, placed & live, domains_of(puzzle))

    @classmethod
    def from_candidates(
        cls, model: Model, candidates: Mapping[Any, Iterable[Any]], givens: Mapping[Any, Any] | None = None
    ) -> Board:
        """Any position: the values that cells may still take; a cell that is not named may take each.

        A cell with one value counts as written in where nothing that it excludes is left; else it is a single that
        somebody has still to see. Without `givens` every cell with one value counts as given, so that no uniqueness
        technique exchanges it.

        Raises:
            ModelError: for an unknown cell or value.
        """
        size, sets = model.n_values, sets_of(model)
        every = (1 << size) - 1
        masks = [every] * model.n_cells
        for cell, values in candidates.items():
            masks[model.index(cell)] = sum(1 << _place(model, value) for value in set(values))
        masks = [mask & rule for mask, rule in zip(masks, model.compiled.domains, strict=True)]
        live = sum(mask << (cell * size) for cell, mask in enumerate(masks))
        placed = 0
        for cell, mask in enumerate(masks):
            if mask.bit_count() == 1:
                candidate = cell * size + mask.bit_length() - 1
                if not live & sets.peers[candidate]:
                    placed |= 1 << candidate
        if givens is None:
            domains = [mask if mask.bit_count() == 1 else every for mask in masks]
        else:
            domains = [every] * model.n_cells
            for cell, value in givens.items():
                domains[model.index(cell)] = 1 << _place(model, value)
        domains = [domain & rule for domain, rule in zip(domains, model.compiled.domains, strict=True)]
        return cls(model, live, placed, tuple(domains))

    def without(self, removed: int, placed: int = 0) -> Board:
        """The board without some candidates, and with some written in."""
        return Board(self.model, self.live & ~removed, self.placed | placed, self.domains)

    @cached_property
    def sets(self) -> Sets:
        """The truths and links."""
        return sets_of(self.model)

    @cached_property
    def layout(self) -> Layout:
        """The units and how they lie to each other."""
        return layout_of(self.model)

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """For each cell the mask of the values left."""
        size = self.model.n_values
        every = (1 << size) - 1
        return tuple(self.live >> (cell * size) & every for cell in range(self.model.n_cells))

    @cached_property
    def solved_cells(self) -> int:
        """All candidate bits of the cells that are written in."""
        patterns = self.model.compiled.once(Searcher).patterns
        if not patterns:
            return 0
        cells = patterns[0]  # the pattern of a cell with its values
        return cells.spread(cells.gathered(self.placed)[0] & cells.base)

    @cached_property
    def open(self) -> int:
        """The candidates of the cells that are not written in."""
        return self.live & ~self.solved_cells

    @property
    def solved(self) -> bool:
        """True when every cell is written in."""
        return self.placed.bit_count() == self.model.n_cells

    @property
    def line(self) -> str:
        """What is written in, on one line; empty cells are dots."""
        from nonant.csp.model import line_of

        places: list[int | None] = [None] * self.model.n_cells
        for candidate in bits(self.placed):
            cell, value = divmod(candidate, self.model.n_values)
            places[cell] = value
        return line_of(self.model, tuple(places))

    def once(self, key: str, make: Callable[[Board], T]) -> T:
        """What `make` gives for this board, worked out once: several techniques share one search."""
        if key not in self._memo:
            self._memo[key] = make(self)
        found: T = self._memo[key]
        return found


def _place(model: Model, value: Any) -> int:
    try:
        return model.value_index[value]
    except (KeyError, TypeError):
        known = ", ".join(map(str, model.values[:9]))
        raise ModelError(f"{model.name} has no value {value!r}; its values are {known}") from None
