"""Rivals: a ranking of a cell's candidates, honest about being no proof.

A rival of a candidate is another empty cell of one of the cell's units that holds the value too, counted once for each
unit that both are in. Fewest rivals first. Source: L. Rocha's SIRO, as the Larsdoku page tells it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nonant.csp.model import Puzzle
from nonant.strategies.board import Board


@dataclass(frozen=True)
class Rival:
    """A candidate of the cell with its rivals: `total`, and how many in each unit (by name)."""

    value: Any
    total: int
    units: Mapping[str, int]


@dataclass(frozen=True)
class Ranking:
    """The candidates of a cell, fewest rivals first; ties in the order of the values. It ranks and does not prove.

    Attributes:
        cell: the cell's name.
        rivals: its candidates; none for a filled cell.
        confidence: the gap between the last total and the first.
    """

    cell: str
    rivals: tuple[Rival, ...]

    @property
    def confidence(self) -> int:
        """The gap between the last total and the first."""
        return self.rivals[-1].total - self.rivals[0].total if self.rivals else 0

    def to_json(self) -> dict[str, Any]:
        """The ranking as scripts get it."""
        return {
            "cell": self.cell,
            "rivals": [{"value": one.value, "total": one.total, "units": dict(one.units)} for one in self.rivals],
            "confidence": self.confidence,
            "proves": False,
        }


def rivals(position: Puzzle | Board, cell: Any) -> Ranking:
    """Rank the candidates of a cell.

    Raises:
        ModelError: for a cell that does not exist.
    """
    board = position if isinstance(position, Board) else Board.from_puzzle(position)
    model, compiled, size = board.model, board.model.compiled, board.model.n_values
    place = model.index(cell)
    if board.solved_cells >> (place * size) & 1:
        return Ranking(model.names[place], ())
    ranked = []
    for value in range(size):
        if not board.cells[place] >> value & 1:
            continue
        counts = {}
        for unit in compiled.units_of[place]:
            others = (other for other in compiled.units[unit] if other != place)
            held = sum(board.open >> (other * size + value) & 1 for other in others)
            counts[compiled.unit_names[unit]] = held
        ranked.append(Rival(model.values[value], sum(counts.values()), counts))
    return Ranking(model.names[place], tuple(sorted(ranked, key=lambda one: one.total)))
