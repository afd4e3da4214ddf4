"""The ladder: techniques in order of difficulty, each time the cheapest step there is, to the end or to an honest stop.

Every step is verified by `nonant.csp.proofs.check` as it is made; an unproved step is a bug, and stops the solve with
the step in the message. No technique looks at the solution.

Proofs are monotone: what was proved on a board stays proved as candidates vanish. So a search is not repeated after
every step: it is a generator that is resumed, and of each find the part that is still on the board is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from nonant.csp.errors import ModelError
from nonant.csp.masks import bits, mask_of
from nonant.csp.model import Model, Puzzle
from nonant.csp.plain.search import Searcher
from nonant.csp.proofs.records import Cover
from nonant.strategies.board import Board
from nonant.strategies.definition import Technique
from nonant.strategies.kernels import metered
from nonant.strategies.path import CONTRADICTION, DEAD_END, SOLVED, STUCK, Path, is_solution, verify_step
from nonant.strategies.step import Step
from nonant.strategies.table import each, technique


def rungs(
    max_level: int | None = None,
    only: Sequence[str] | None = None,
    without: Sequence[str] = (),
    unique: bool = False,
    more: Sequence[Technique] = (),
) -> Rungs:
    """The techniques of a ladder, in order.

    Args:
        max_level: none above it.
        only: just these, in the order of the table; also those that a ladder tries only by name.
        without: none of these.
        unique: with the techniques that assume a unique solution.
        more: techniques of one's own, last in their level; what they prove is checked like everything else.

    Raises:
        ModelError: for a name that no technique has, or that one of `more` shares with another.
    """
    for own in more:
        if sum(_same_name(own, known) for known in each(more)) > 1:
            raise ModelError(f"there is a technique called {own.name!r} already; give yours another name")
    chosen = None if only is None else {technique(name, more).name for name in only}
    dropped = {technique(name, more).name for name in without}
    return Rungs(
        known
        for known in each(more)
        if (known.name in chosen if chosen is not None else not known.asked)
        and known.name not in dropped
        and (max_level is None or known.level <= max_level)
        and (unique or not known.unique)
    )


def _same_name(one: Technique, other: Technique) -> bool:
    return one.name.casefold() == other.name.casefold()


class Rungs:
    """The techniques of a ladder, as often as one likes; each is looked up when it is first reached."""

    def __init__(self, techniques: Iterator[Technique]) -> None:
        self._reached: list[Technique] = []
        self._rest = techniques

    def __iter__(self) -> Iterator[Technique]:
        at = 0
        while True:
            if at == len(self._reached):
                following = next(self._rest, None)
                if following is None:
                    return
                self._reached.append(following)
            yield self._reached[at]
            at += 1


def explain(
    question: Puzzle | Model | Board,
    *,
    max_level: int | None = None,
    only: Sequence[str] | None = None,
    without: Sequence[str] = (),
    unique: bool = False,
    rounds: bool = False,
    more: Sequence[Technique] = (),
) -> Path:
    """Solve a puzzle step by step, each one proved.

    Args:
        question: a puzzle, a model without givens, or any position.
        max_level, only, without, unique, more: see `rungs`.
        rounds: all steps of one technique from one snapshot at once, in place of one step at a time.

    Raises:
        ModelError: for an unknown technique.
        UnprovedStep: for a step that its proof does not carry: a bug, with the step in the message.
    """
    board, techniques = _board_of(question), rungs(max_level, only, without, unique, more)
    try:
        return _climbed(board, techniques, rounds, tuple(more))
    except SystemError as error:  # how numba tells that Ctrl-C came while a kernel handed its answer over
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise


def _climbed(board: Board, techniques: Rungs, rounds: bool, more: tuple[Technique, ...]) -> Path:
    begun, steps, sizes = board, list[Step](), list[int]()
    pools = Pools()
    removed = -1
    while True:
        end = dead_end(board, removed)
        if end is not None:
            steps.append(end)
            sizes.append(1)
            return Path(begun, tuple(steps), CONTRADICTION, board, tuple(sizes) if rounds else (), more)
        found: list[Step] = []
        if not board.solved:
            with metered():
                found = _next_round(board, techniques) if rounds else _next_step(board, techniques, pools)
        if not found:
            result = SOLVED if board.solved and is_solution(board) else STUCK
            return Path(begun, tuple(steps), result, board, tuple(sizes) if rounds else (), more)
        removed = placed = 0
        for step in found:
            verify_step(board, step)
            removed |= step.removed
            placed |= mask_of(step.places)
        steps += found
        sizes.append(len(found))
        board = board.without(removed, placed & ~removed)


def next_step(
    board: Board,
    *,
    max_level: int | None = None,
    only: Sequence[str] | None = None,
    without: Sequence[str] = (),
    unique: bool = False,
    more: Sequence[Technique] = (),
) -> Step | None:
    """The first step of the ladder on a board, verified; None where no technique applies. See `explain`."""
    end = dead_end(board)
    if end is not None:
        return end
    with metered():
        found = _next_step(board, rungs(max_level, only, without, unique, more), Pools())
    for step in found:
        verify_step(board, step)
        return step
    return None


def _board_of(question: Puzzle | Model | Board) -> Board:
    if isinstance(question, Board):
        return question
    return Board.from_puzzle(question.puzzle() if isinstance(question, Model) else question)


def _next_round(board: Board, techniques: Rungs) -> list[Step]:
    for known in techniques:
        found = list(_distinct(board, known))
        if found:
            return found
    return []


@dataclass
class Pools:
    """The searches in hand: for each technique what an earlier board gave and is not used up."""

    live: int = 0
    lead: dict[str, Iterator[Step]] = field(default_factory=dict)

    def alive(self) -> int:
        """The candidates left now."""
        return self.live


def _next_step(board: Board, techniques: Rungs, pools: Pools) -> list[Step]:
    pools.live = board.live
    for known in techniques:
        if known.name in pools.lead:
            for found in pools.lead[known.name]:
                step = narrowed(board, found)
                if step is not None:
                    return [step]
            del pools.lead[known.name]
        fresh = known.lead(board, pools.alive)
        for found in fresh:
            step = narrowed(board, found)
            if step is not None:
                pools.lead[known.name] = fresh
                return [step]
    return []


def narrowed(board: Board, step: Step) -> Step | None:
    """The part of a step found on an earlier board that is still to be done, or None."""
    places = tuple(candidate for candidate in step.places if not board.placed >> candidate & 1)
    removes = tuple(candidate for candidate in step.removes if board.live >> candidate & 1)
    if not places and not removes:
        return None
    if len(removes) == len(step.removes) and len(places) == len(step.places):
        return step
    return replace(step, places=places, removes=removes)


def _distinct(board: Board, known: Technique) -> Iterator[Step]:
    seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    for step in known.find(board):
        does = (step.places, step.removes)
        if does not in seen:
            seen.add(does)
            yield step


def find_all(name: str | Technique, board: Board) -> list[Step]:
    """All distinct steps of a technique (its name, or one of one's own) on a board, each verified.

    Raises:
        ModelError: for an unknown technique.
        UnprovedStep: for a step that its proof does not carry.
    """
    with metered():
        found = list(_distinct(board, name if isinstance(name, Technique) else technique(name)))
    for step in found:
        verify_step(board, step)
    return found


def dead_end(board: Board, removed: int = -1) -> Step | None:
    """The step that shows a board to have no solution, where a truth has no candidate left; else None.

    Args:
        board: the board.
        removed: what went since the last look (a mask); all truths are looked at where it is not given.
    """
    sets, live = board.sets, board.live
    if removed >= 0:
        masks, is_truth = sets.masks, sets.is_truth
        if all(masks[link] & live or not is_truth[link] for gone in bits(removed) for link in sets.links_of(gone)):
            return None
    elif not any(one.base & ~one.gathered(live)[0] for one in board.model.compiled.once(Searcher).patterns if one.full):
        return None
    for number, mask in enumerate(sets.masks):
        if sets.is_truth[number] and not mask & board.live:
            cell = (number,) if number < board.model.n_cells else ()
            reason = f"{sets.names[number]} has no {'value' if cell else 'place'} left: there is no solution"
            return Step(DEAD_END, (), (), Cover((number,), ()), reason, cell, (), True)
    return None
