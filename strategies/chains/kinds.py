"""Kinds of chains: what they walk on, how all of them are searched for, and how the victims of any.

`Kind.search` finds of each pair of ends the shortest chain (and each chain of the short shapes), which is what
`find_all` wants; `Kind.reach` is for the search from victims (`waves.py`), which is what the ladder wants. What chains
of a kind find, those of its `larger` kind find too: where these find nothing, the smaller is not searched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nonant.strategies.board import Board
from nonant.strategies.chains import shortest
from nonant.strategies.chains.graph import graph_of
from nonant.strategies.chains.search import Chain, search
from nonant.strategies.chains.waves import Reach, Waves, waves_of

LONGEST_OF_SETS = 8  # almost locked sets of a chain of more than three


@dataclass(frozen=True)
class Kind:
    """A kind of chain.

    Attributes:
        name: for messages, and to keep what was found on a board.
        search: all chains for `find_all`.
        reach: the same for the search from victims.
        larger: a kind that finds all that this one does.
    """

    name: str
    search: Callable[[Board], list[Chain]]
    reach: Reach
    larger: Kind | None = None

    def chains(self, board: Board) -> list[Chain]:
        """All chains of this kind, searched for once a board."""
        if self.larger is not None and not self.larger.chains(board):
            return []
        return board.once(f"chains: {self.name}", self.search)

    def waves(self, board: Board) -> Waves:
        """The victims of this kind, searched for once a board."""
        return board.once(f"waves: {self.name}", lambda board: waves_of(board, self.reach))

    def any(self, board: Board) -> bool:
        """Whether chains of this kind remove anything."""
        return (self.larger is None or self.larger.any(board)) and bool(self.waves(board).lengths)


def _plain(board: Board) -> list[Chain]:
    """All chains over single candidates."""
    return shortest.w_wings(board) + search(board, graph_of(board))


def _one_value(board: Board) -> list[Chain]:
    """Chains over single candidates of one value."""
    return shortest.turbots(board, False) + search(board, graph_of(board, "units"))


def _one_value_grouped(board: Board) -> list[Chain]:
    """Chains over candidates and groups of one value."""
    return shortest.turbots(board, True) + search(board, graph_of(board, "units", groups=True))


def _in_cells(board: Board) -> list[Chain]:
    """Chains over cells with two values."""
    return search(board, graph_of(board, "cells"))


def _grouped(board: Board) -> list[Chain]:
    """All chains over single candidates and groups."""
    return search(board, graph_of(board, groups=True))


def _locked_sets(board: Board) -> list[Chain]:
    """Chains of almost locked sets alone: of two or three each one, of more the shortest over sets of up to five."""
    few = shortest.almost_locked_pairs(board) + shortest.almost_locked_triples(board)
    return few + search(board, graph_of(board, "cells", largest=5), LONGEST_OF_SETS)


def _everything(board: Board) -> list[Chain]:
    """Chains over candidates, groups and almost locked sets of up to five cells."""
    return search(board, graph_of(board, groups=True, largest=5))


GROUPS = Kind("groups", _grouped, Reach(groups=True))
ALL = Kind("all", _plain, Reach(), GROUPS)
VALUE = Kind("value", _one_value, Reach("units"), GROUPS)
VALUE_GROUPS = Kind("value, groups", _one_value_grouped, Reach("units", groups=True), GROUPS)
CELLS = Kind("cells", _in_cells, Reach("cells"), GROUPS)
SETS = Kind("sets", _locked_sets, Reach("cells", largest=5, longest=6))
EVERYTHING = Kind("everything", _everything, Reach(groups=True, largest=5, longest=8))
KINDS = (GROUPS, ALL, VALUE, VALUE_GROUPS, CELLS, SETS, EVERYTHING)


def some_of_one_value(board: Board) -> bool:
    """Whether chains of one value remove anything: where they do not, colouring does not."""
    return VALUE.any(board)
