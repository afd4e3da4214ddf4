"""Ratings W and B: the shortest whips, the shortest braids that solve a puzzle; and the chains themselves.

A chain of length n on a target z is n truths (Berthier's CSP variables), taken in order. Let z hold. Of each truth but
the last one candidate is left, its right-linked one; of the last none is left, so that z is false. "Left" means: linked
neither to z nor to a right-linked candidate before. In a *braid* that is all. In a *whip* each truth holds besides a
candidate (left-linked) that is linked to the right-linked one of the truth just before it, or to z for the first.

The rating B (W) of a puzzle is the smallest n such that singles and braids (whips) of at most n truths solve it.
Source: D. Berthier, "Pattern-Based Constraint Satisfaction and Logic Puzzles".

The order of the steps does not matter for B: what some braid removes is on every smaller board gone, or removed by a
braid that is no longer. A whip can lose its left-linked candidates: for W, simplest first is only an upper bound. That
no order does better is shown by *loose* whips, whose left-linked candidates may be any of the first board's: every whip
of every order is one of these, and they are as indifferent to order as braids. Where they leave a gap, `_Rater.shorter`
looks closer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from nonant.csp.errors import ModelError
from nonant.csp.masks import bits
from nonant.csp.model import Model, Puzzle
from nonant.csp.proofs.records import Refutation
from nonant.strategies.board import Board

WHIP, BRAID = "whip", "braid"
RATED, BEYOND, CONTRADICTION, UNFINISHED = "rated", "beyond braids", "contradiction", "unfinished"
LONGEST = 60  # truths of a chain; longer ones are not looked for
NODES = 2_000_000  # of one search: about two seconds


@dataclass(frozen=True)
class Rating:
    """The ratings of a puzzle.

    A figure is exact where it equals its `least` (`exact` says so of both). `whips` above `least_whips` means: whips of
    that length solve the puzzle, and shorter ones were neither found nor excluded. A figure that is None where `result`
    is "unfinished" was not reached: it is `least` or more, or there is none.

    Attributes:
        result: "rated"; "beyond braids": braids of any length do not solve it, so that it has neither rating (a proven
            answer; a puzzle with several solutions is always of that kind); "contradiction": it has no solution;
            "unfinished": some search came to its limit.
        whips: W, the length of the longest whip needed, 0 if singles are enough.
        braids: B, the same of braids.
        least_whips, least_braids: no smaller figure is possible (proven).
        simplest_first: the longest whip of a solve that always takes a shortest one; `whips` or more.
        nodes: how many candidates were pushed in all searches.
    """

    result: str
    whips: int | None
    braids: int | None
    least_whips: int = 0
    least_braids: int = 0
    simplest_first: int | None = None
    nodes: int = 0

    @property
    def exact(self) -> bool:
        """Whether both figures are proven (that there are none, where there are none)."""
        if self.result in (BEYOND, CONTRADICTION):
            return True
        return (self.whips, self.braids) == (self.least_whips, self.least_braids)


@dataclass(frozen=True)
class Chain:
    """A whip or braid.

    Attributes:
        kind: "whip" or "braid".
        target: the candidate that it removes.
        truths: its truths, as numbers of `nonant.csp.proofs.sets.Sets`, in order; there is no shorter chain of the
            kind on the target.
    """

    kind: str
    target: int
    truths: tuple[int, ...]

    @property
    def length(self) -> int:
        """How many truths."""
        return len(self.truths)

    @property
    def proof(self) -> Refutation:
        """The proof that `nonant.csp.proofs.check.check` takes."""
        return Refutation(self.target, self.truths)


# -- chains ------------------------------------------------------------------------------------------------------------


def find_whips(board: Board, length: int) -> list[Chain]:
    """The whips of at most so many truths: a shortest one for each candidate that has one, shortest first."""
    return list(_chains(board, WHIP, length, NODES))


def find_braids(board: Board, length: int) -> list[Chain]:
    """The braids of at most so many truths: a shortest one for each candidate that has one, shortest first."""
    return list(_chains(board, BRAID, length, NODES))


def exact_refutations(board: Board, kind: str, most: int, nodes: int = NODES) -> Iterator[Refutation]:
    """Proofs by whips or braids of at most `most` truths, shortest first, one for each candidate that has one.

    A generator: the next length is searched when it is asked for, so whoever takes the first one pays for no more.

    Args:
        board: any board.
        kind: "whip" or "braid".
        most: truths.
        nodes: limit of the search for one candidate and one length; one that comes to it counts as without a chain.

    Raises:
        ModelError: for another kind, or a length below 1.
    """
    return (chain.proof for chain in _chains(board, kind, most, nodes))


def _chains(board: Board, kind: str, most: int, nodes: int) -> Iterator[Chain]:
    if kind not in (WHIP, BRAID):
        raise ModelError(f"there is no kind of chain called {kind!r}; give {WHIP!r} or {BRAID!r}")
    if most < 1:
        raise ModelError(f"the length of a {kind} is {most}; give a number from 1")
    return _searched(board, kind, min(most, LONGEST), nodes)


def _searched(board: Board, kind: str, most: int, nodes: int) -> Iterator[Chain]:
    import numpy as np

    from nonant.strategies.kernels import truths, whips

    kernel: Any = whips
    program = truths.program_of(board.model)
    live, placed = program.flags(board.live), program.flags(board.placed)
    small, large = truths.room(program, most)
    targets = list(bits(board.open))
    for length in range(1, most + 1):
        rows, out = np.zeros((len(targets), most), np.int32), np.zeros(len(targets), np.int64)
        wanted = np.array(targets, np.int32)
        code = whips.BRAID if kind == BRAID else whips.WHIP
        kernel.find(*program.arrays, live, live, placed, code, most, length, wanted, nodes, small, large, rows, out)
        for target, row, size in zip(targets, rows.tolist(), out.tolist(), strict=True):
            if size > 0:
                yield Chain(kind, target, tuple(program.numbers[truth] for truth in row[:size]))
        targets = [target for target, size in zip(targets, out.tolist(), strict=True) if size <= 0]
        if not targets:
            return


# -- ratings -----------------------------------------------------------------------------------------------------------


def rate(question: Puzzle | Model | Board, nodes: int = NODES) -> Rating:
    """The ratings W and B of a puzzle, of a model without givens, or of any position.

    Only truths and links count: a puzzle that needs the model's sums, relations or parities is "beyond braids".

    Args:
        question: what to rate.
        nodes: limit of each search (a solve by chains of one kind), in candidates pushed.
    """
    if isinstance(question, Model):
        question = question.puzzle()
    board = question if isinstance(question, Board) else Board.from_puzzle(question)
    return _Rater(board, nodes).rating()


@dataclass(frozen=True)
class _Solve:
    """How a solve by chains ended (a code of the kernel), the longest chain used, its limit, and what was left."""

    end: int
    rating: int
    length: int
    board: Any


class _Rater:
    """One rating in progress: the arrays of the puzzle, and the nodes used."""

    def __init__(self, board: Board, nodes: int) -> None:
        from nonant.strategies.kernels import rating, truths, whips

        self.kernel: Any = rating
        self.chains: Any = whips
        self.board, self.limit, self.used = board, nodes, 0
        self.program = truths.program_of(board.model)
        self.live, self.placed = self.program.flags(board.live), self.program.flags(board.placed)
        self.memory = truths.room(self.program, LONGEST)

    def rating(self) -> Rating:
        """Braids first: they tell fast whether there is any rating."""
        kernel = self.kernel
        braids = self.solve(self.chains.BRAID)
        if braids.end == kernel.CONTRADICTION or (braids.end == kernel.SOLVED and not self.holds(braids)):
            return Rating(CONTRADICTION, None, None, nodes=self.used)
        if braids.end == kernel.BEYOND:
            return Rating(BEYOND, None, None, nodes=self.used)
        done = braids.end == kernel.SOLVED
        least = braids.rating if done else max(braids.rating, braids.length)
        whips = self.solve(self.chains.WHIP)
        first = whips.rating if whips.end == kernel.SOLVED else None
        shortest, least_whips = (None, least) if first is None else self.least_whips(first, least)
        result = RATED if done and first is not None else UNFINISHED
        return Rating(result, shortest, least if done else None, least_whips, least, first, self.used)

    def solve(self, kind: int, longest: int = LONGEST, kept: int = -1, board: Any = None) -> _Solve:
        """Singles and the shortest chains, from `board` or from the beginning; see the kernel's `rate`."""
        import numpy as np

        left, out = (self.live if board is None else board).copy(), np.zeros(4, np.int64)
        options = (kind, longest, kept, self.limit)
        self.kernel.rate(*self.program.arrays, left, self.live, self.placed, *options, *self.memory, out)
        end, rating, length, nodes = map(int, out)
        self.used += nodes
        return _Solve(end, rating, length, left)

    def holds(self, solved: _Solve) -> bool:
        """Whether the grid that a solve came to satisfies the model; sums and the like are no truths."""
        model = self.board.model
        values = [model.values[candidate % model.n_values] for candidate in solved.board.nonzero()[0].tolist()]
        return model.holds(values)

    def least_whips(self, first: int, least: int) -> tuple[int, int]:
        """The rating W, or what was found, and what is proven of it; from that of simplest first and from B."""
        best = first
        while best > least:
            loose = self.solve(self.chains.LOOSE, best - 1)
            if loose.end == self.kernel.STUCK:
                return best, best
            if loose.end != self.kernel.SOLVED:
                return best, least
            shorter = self.shorter(best - 1)
            if shorter is None:
                return best, max(least, loose.rating)
            if not shorter:
                return best, best
            best -= 1
        return best, best

    def shorter(self, most: int) -> bool | None:
        """Whether whips of at most `most` truths solve the puzzle in some order, though simplest first gets stuck.

        Say it is stuck at the board S. Another order must at some time remove a first candidate z of S, on a board X
        that holds all of S and some of the candidates that have *gone* from S; the whip that does it is on S a loose
        one, whose left-linked candidates are in X. If g in X has gone from S, then z falls by loose whips while g is
        kept. So: for each g, solve while g is kept, by whips (does it get further?), and by loose ones, which tells the
        z that g may help. Where no z has on S a loose whip with links to S and to the g that may help it, no order
        gets further than S.

        Returns:
            None where that decides nothing, or the nodes are spent.
        """
        import numpy as np

        kernel, chains = self.kernel, self.chains
        stuck = self.solve(chains.WHIP, most)
        if stuck.end != kernel.STUCK:
            return None
        helps: dict[int, list[int]] = {}
        for gone in (self.live & ~stuck.board & 1).nonzero()[0].tolist():
            further = self.solve(chains.WHIP, most, gone)
            if (stuck.board > further.board).any() and self.solve(
                chains.WHIP, most, board=further.board
            ).end == kernel.SOLVED:
                return True
            loose = self.solve(chains.LOOSE, most, gone)
            if loose.end == kernel.SPENT:
                return None
            for target in (stuck.board > loose.board).nonzero()[0].tolist():
                helps.setdefault(target, []).append(gone)
        for target, some in helps.items():
            linked, out = stuck.board.copy(), np.zeros(1, np.int64)
            linked[some] = 1
            rows, targets = np.zeros((1, LONGEST), np.int32), np.array([target], np.int32)
            options = (chains.LOOSE, LONGEST, most, targets, self.limit)
            boards = (stuck.board, linked, self.placed)
            chains.find(*self.program.arrays, *boards, *options, *self.memory, rows, out)
            if out[0]:
                return None
        return False
