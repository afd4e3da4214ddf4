"""A technique: a row of data beside its finder, in one file. `table.py` only puts the rows in order.

A finder is a function of a board, its row, and the row's arguments; it yields steps with proofs. Nothing else knows a
technique: the checker judges proofs, whoever made them, so that a row of a user's own is as good as one of these:

    def mine(board, technique): yield Step(technique.name, (), removes, proof, reason)

    explain(puzzle, more=[Technique("mine", 5, ANY, mine, "{pattern}, so {removes}")])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nonant.strategies.board import Board
    from nonant.strategies.step import Step

# On which models a technique finds anything.
ANY, FULL, GRID = "any units", "full units", "full units in parallel classes"
UNITS_ONLY = "cells that only units constrain"
UNLIKE_UNITS = "sums, relations, comparisons, parities"
# The sentence of techniques that describe what they see themselves.
PATTERN = "{pattern}, so {removes}"

Alive = Callable[[], int]  # the candidates left when it is called


@dataclass(frozen=True)
class Technique:
    """One technique.

    Attributes:
        name: what the command line and `find_all` take.
        level: 1 (singles) to 8 (algebra), 9 (refutations), 10 and 11 (refutations inside each other).
        scope: on which models it finds anything.
        finder: called with the board, this row and `arguments`; yields steps.
        reason: the template of its sentence.
        aliases: what others call it (HoDoKu, SudokuWiki, Sudoku Explainer, Larsdoku).
        source: who described it.
        arguments: what tells it from others of the same finder.
        unique: whether it assumes that there is one solution.
        asked: true when the ladder tries it only by name: it is costly and seldom finds what the others do not.
        leads: how the ladder finds it sooner: not every pattern, but some step wherever there is one; called with the
            board, this row, what tells the candidates still alive, and `arguments`. None: by `finder`.
        scout: a quick "is there any?" for the ladder, called with the board and `arguments`; its no is always true.
    """

    name: str
    level: int
    scope: str
    finder: Callable[..., Iterator[Step]]
    reason: str
    aliases: tuple[str, ...] = ()
    source: str = ""
    arguments: tuple[Any, ...] = ()
    unique: bool = False
    asked: bool = False
    leads: Callable[..., Iterator[Step]] | None = None
    scout: Callable[..., bool] | None = None

    def find(self, board: Board) -> Iterator[Step]:
        """The steps of this technique on a board, one by one; the same eliminations may come more than once."""
        return self.finder(board, self, *self.arguments)

    def lead(self, board: Board, alive: Alive) -> Iterator[Step]:
        """Steps for the ladder: at least one for each candidate that the technique removes, the cheapest first.

        Args:
            board: the board.
            alive: the candidates left when the next step is asked for: steps that come too late are not made.
        """
        if self.scout is not None and not self.scout(board, *self.arguments):
            return
        if self.leads is None:
            yield from self.find(board)
        else:
            yield from self.leads(board, self, alive, *self.arguments)
