"""The ladder: techniques in order of difficulty, each time the cheapest step there is, to the end or to an honest stop.

Every step is verified by `nonant.csp.proof` as it is made; an unproved step is a bug, and stops the solve with the step
in the message. No technique looks at the solution.

Proofs are monotone: what was proved on a board stays proved as candidates vanish. So a search is not repeated after
every step: it is a generator that is resumed, and of each find the part that is still on the board is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nonant.csp.model import Model, Puzzle
from nonant.csp.patterns import Pattern
from nonant.csp.proof import Cover, ProofError, bits, check, check_contradiction, mask_of
from nonant.strategies.board import Board
from nonant.strategies.step import Step
from nonant.strategies.table import TECHNIQUES, Technique, technique

SOLVED, STUCK, CONTRADICTION = "solved", "stuck", "contradiction"
REFUTATIONS = 9  # the first level that is no pattern
DEAD_END = "dead end"  # the technique of the step that ends a contradiction


class UnprovedStep(ProofError):
    """A technique made a step that its proof does not carry: a bug of the technique."""


@dataclass(frozen=True)
class Path:
    """How a puzzle was solved.

    Attributes:
        board: where it began.
        steps: what was done, in order; rounds: in rounds mode how many steps each round has.
        result: "solved", "stuck" (no technique of the ladder applies) or "contradiction" (the last step proves it).
        end: where it ended.
    """

    board: Board
    steps: tuple[Step, ...]
    result: str
    end: Board
    rounds: tuple[int, ...] = ()

    @property
    def techniques(self) -> dict[str, int]:
        """How often each technique was used, in the order of the table."""
        times = Counter(step.technique for step in self.steps)
        order = {known.name: at for at, known in enumerate(TECHNIQUES)}
        return dict(sorted(times.items(), key=lambda item: order.get(item[0], len(order))))

    @property
    def assumes_unique(self) -> bool:
        """Whether some step holds only if there is one solution."""
        return any(step.assumes_unique for step in self.steps)

    @property
    def depth(self) -> int:
        """How deep refutations were nested: 0 when patterns were enough.

        Colouring and some rectangles are patterns whose proof is written as a short refutation; they count as patterns.
        """
        patterns = {known.name for known in TECHNIQUES if known.level < REFUTATIONS}
        return max((step.depth for step in self.steps if step.technique not in patterns), default=0)

    @property
    def level(self) -> int:
        """The level of the hardest technique used."""
        levels = {known.name: known.level for known in TECHNIQUES}
        return max((levels.get(step.technique, 0) for step in self.steps), default=0)

    @property
    def bill(self) -> str:
        """One line on what it took."""
        took = "needs refutations" + (f" nested {self.depth} deep" if self.depth > 1 else "") if self.depth else ""
        how = {SOLVED: "solved", STUCK: "stuck: no technique of this ladder applies", CONTRADICTION: "no solution"}
        hardest = ([name for name in self.techniques if name != DEAD_END] or ["nothing"])[-1]
        unique = ", assumes that there is one solution" if self.assumes_unique else ""
        return f"{how[self.result]}; hardest: {hardest}; {took or 'patterns only'}{unique}; {len(self.steps)} steps"

    def check(self) -> bool:
        """Verify every step anew, in order, and the end.

        Raises:
            ProofError: at the first step that does not hold.
        """
        board = self.board
        groups = self.rounds or (1,) * len(self.steps)
        at = 0
        for number in groups:
            removed = placed = 0
            for step in self.steps[at : at + number]:
                verify_step(board, step)
                removed |= step.removed
                placed |= mask_of(step.places)
            board, at = board.without(removed, placed & ~removed), at + number
        if board.live != self.end.live or board.placed != self.end.placed:
            raise ProofError("the steps do not lead to the end of the path")
        if self.result == SOLVED and not _holds(board):
            raise ProofError("the path ends in a grid that breaks a rule")
        return True

    def to_json(self) -> dict[str, Any]:
        """The path as scripts get it."""
        return {
            "result": self.result,
            "grid": self.end.line,
            "steps": [step.to_json(self.board.model) for step in self.steps],
            "techniques": self.techniques,
            "assumes_unique": self.assumes_unique,
            "depth": self.depth,
            "checked": self.check(),
        }


def _holds(board: Board) -> bool:
    values: list[Any] = [None] * board.model.n_cells
    for candidate in bits(board.placed):
        cell, value = divmod(candidate, board.model.n_values)
        values[cell] = board.model.values[value]
    return board.solved and board.model.holds(values)


def verify_step(board: Board, step: Step) -> None:
    """Check the proof of a step on the board before it, and that it says what the step does.

    Raises:
        UnprovedStep: where it does not.
    """
    try:
        if step.contradiction:
            check_contradiction(board.model, board.live, step.proof)
            return
        proved = check(board.model, board.live, step.proof, board.domains)
        if step.removed & ~proved:
            name = board.sets.candidate(next(bits(step.removed & ~proved)), "<>")
            raise ProofError(f"the proof says nothing of {name}")
        after = board.live & ~step.removed
        for place in step.places:
            sets = board.sets
            if not any(sets.is_truth[one] and after & sets.masks[one] == 1 << place for one in sets.links_of(place)):
                raise ProofError(f"{sets.candidate(place)} is not the last candidate of any truth")
            if after & sets.peers[place]:
                raise ProofError(f"{sets.candidate(place)} is written in, but what it excludes is not removed")
    except ProofError as error:
        raise UnprovedStep(f"a step of {step.technique} is not proved: {error}; {step.to_json(board.model)}") from error


def rungs(
    max_level: int | None = None,
    only: Sequence[str] | None = None,
    without: Sequence[str] = (),
    unique: bool = False,
) -> tuple[Technique, ...]:
    """The techniques of a ladder, in order.

    Args:
        max_level: none above it.
        only: just these, in the order of the table; also those that a ladder tries only by name.
        without: none of these.
        unique: with the techniques that assume a unique solution.

    Raises:
        ModelError: for a name that the table does not have.
    """
    chosen = None if only is None else {technique(name).name for name in only}
    dropped = {technique(name).name for name in without}
    return tuple(
        known
        for known in TECHNIQUES
        if (known.name in chosen if chosen is not None else not known.asked)
        and known.name not in dropped
        and (max_level is None or known.level <= max_level)
        and (unique or not known.unique)
    )


def explain(
    question: Puzzle | Model | Board,
    *,
    max_level: int | None = None,
    only: Sequence[str] | None = None,
    without: Sequence[str] = (),
    unique: bool = False,
    rounds: bool = False,
) -> Path:
    """Solve a puzzle step by step, each one proved.

    Args:
        question: a puzzle, a model without givens, or any position.
        max_level, only, without, unique: see `rungs`.
        rounds: all steps of one technique from one snapshot at once, in place of one step at a time.

    Raises:
        ModelError: for an unknown technique.
        UnprovedStep: for a step that its proof does not carry: a bug, with the step in the message.
    """
    board = _board_of(question)
    techniques = rungs(max_level, only, without, unique)
    begun, steps, sizes = board, list[Step](), list[int]()
    pools = Pools()
    removed = -1
    while True:
        end = dead_end(board, removed)
        if end is not None:
            steps.append(end)
            sizes.append(1)
            return Path(begun, tuple(steps), CONTRADICTION, board, tuple(sizes) if rounds else ())
        found = _next_round(board, techniques) if rounds else _next_step(board, techniques, pools)
        if not found:
            result = SOLVED if board.solved and _holds(board) else STUCK
            return Path(begun, tuple(steps), result, board, tuple(sizes) if rounds else ())
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
) -> Step | None:
    """The first step of the ladder on a board, verified; None where no technique applies. See `explain`."""
    end = dead_end(board)
    if end is not None:
        return end
    for step in _next_step(board, rungs(max_level, only, without, unique), Pools()):
        verify_step(board, step)
        return step
    return None


def _board_of(question: Puzzle | Model | Board) -> Board:
    if isinstance(question, Board):
        return question
    return Board.from_puzzle(question.puzzle() if isinstance(question, Model) else question)


def _next_round(board: Board, techniques: Sequence[Technique]) -> list[Step]:
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


def _next_step(board: Board, techniques: Sequence[Technique], pools: Pools) -> list[Step]:
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


def find_all(name: str, board: Board) -> list[Step]:
    """All distinct steps of a technique on a board, each verified.

    Raises:
        ModelError: for an unknown technique.
        UnprovedStep: for a step that its proof does not carry.
    """
    found = list(_distinct(board, technique(name)))
    for step in found:
        verify_step(board, step)
    return found


def _full_patterns(board: Board) -> Iterator[Pattern]:
    return (pattern for pattern in board.model.compiled.searcher.patterns if pattern.full)


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
    elif all(not pattern.base & ~pattern.gathered(live)[0] for pattern in _full_patterns(board)):
        return None
    for number, mask in enumerate(sets.masks):
        if sets.is_truth[number] and not mask & board.live:
            cell = (number,) if number < board.model.n_cells else ()
            reason = f"{sets.names[number]} has no {'value' if cell else 'place'} left: there is no solution"
            return Step(DEAD_END, (), (), Cover((number,), ()), reason, cell, (), True)
    return None
