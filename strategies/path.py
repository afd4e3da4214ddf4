"""How a puzzle was solved, as data: the steps in order, what they took, and the check of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nonant.csp.masks import bits, mask_of
from nonant.csp.proofs.check import check, check_contradiction
from nonant.csp.proofs.records import ProofError, Refutation, Several
from nonant.strategies.board import Board
from nonant.strategies.definition import Technique
from nonant.strategies.step import Step
from nonant.strategies.table import each

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
        more: techniques of the ladder that are not in the table.
    """

    board: Board
    steps: tuple[Step, ...]
    result: str
    end: Board
    rounds: tuple[int, ...] = ()
    more: tuple[Technique, ...] = ()

    @cached_property
    def levels(self) -> dict[str, int]:
        """The level of each technique used, in the order of the ladder; of a step that none has made 0."""
        missing = {step.technique for step in self.steps}
        found: dict[str, int] = {}
        for known in each(self.more) if missing - {DEAD_END} else ():
            if known.name in missing:
                found[known.name] = known.level
                missing.discard(known.name)
                if not missing - {DEAD_END}:
                    break
        return found | dict.fromkeys(sorted(missing), 0)

    @property
    def techniques(self) -> dict[str, int]:
        """How often each technique was used, in the order of the ladder."""
        times = Counter(step.technique for step in self.steps)
        return {name: times[name] for name in self.levels}

    @property
    def assumes_unique(self) -> bool:
        """Whether some step holds only if there is one solution."""
        return any(step.assumes_unique for step in self.steps)

    @cached_property
    def refutations(self) -> tuple[Refutation, ...]:
        """The refutations of the steps that are no patterns.

        Colouring and some rectangles are patterns whose proof is written as a short refutation; they count as patterns.
        """
        hard = (step.proof for step in self.steps if self.levels[step.technique] >= REFUTATIONS)
        parts = (part for proof in hard for part in (proof.parts if isinstance(proof, Several) else (proof,)))
        return tuple(part for part in parts if isinstance(part, Refutation))

    @property
    def depth(self) -> int:
        """How deep refutations were nested: 0 when patterns were enough."""
        return max((refutation.depth for refutation in self.refutations), default=0)

    @property
    def longest(self) -> int:
        """The truths of the longest refutation that is not nested: the n of braids[n]; 0 without one."""
        return max((len(one.items) for one in self.refutations if one.depth == 1), default=0)

    @property
    def inner(self) -> int:
        """The truths of the longest refutation inside another one; 0 without one."""
        return max((len(one.items) for outer in self.refutations for one in _inside(outer)), default=0)

    @property
    def level(self) -> int:
        """The level of the hardest technique used."""
        return max(self.levels.values(), default=0)

    @property
    def hardest(self) -> str:
        """The hardest technique used: the last one of the table."""
        return ([name for name in self.techniques if name != DEAD_END] or ["nothing"])[-1]

    @property
    def needs(self) -> str:
        """What it took: patterns, whips or braids of some length, or nesting."""
        if self.depth > 1:
            return f"needs nesting of depth {self.depth} with inner length {self.inner}"
        if self.depth == 1:
            kinds = [name for name, level in self.levels.items() if level >= REFUTATIONS]
            return f"needs {kinds[-1]}s[{self.longest}]"
        return "by patterns"

    @property
    def bill(self) -> str:
        """One line on what it took."""
        how = {SOLVED: "solved", STUCK: "stuck: no technique of this ladder applies", CONTRADICTION: "no solution"}
        begun = how[self.result] + (" " if self.result == SOLVED and not self.depth else "; ") + self.needs
        unique = "; assumes that there is one solution" if self.assumes_unique else ""
        return f"{begun}; hardest: {self.hardest}{unique}; {len(self.steps)} steps"

    def check(self) -> bool:
        """Verify every step anew, in order, and the end.

        Raises:
            ProofError: at the first step that does not hold.
        """
        board = self.board
        groups = self.rounds or (1,) * len(self.steps)
        if sum(groups) != len(self.steps):
            raise ProofError(f"the rounds hold {sum(groups)} steps, the path {len(self.steps)}")
        if any(step.contradiction for step in self.steps[:-1]):
            raise ProofError("steps follow one that shows that there is no solution")
        if (self.result == CONTRADICTION) != any(step.contradiction for step in self.steps):
            raise ProofError(f"the path ends {self.result}, its steps do not")
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
        if self.result == SOLVED and not is_solution(board):
            raise ProofError("the path does not end in a grid that holds every rule")
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
            "longest": self.longest,
            "inner": self.inner,
            "bill": self.bill,
        }


def is_solution(board: Board) -> bool:
    """Whether every cell is written in and every constraint holds."""
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


def _inside(refutation: Refutation) -> Iterator[Refutation]:
    """The refutations inside one, at any depth."""
    for item in refutation.items:
        if isinstance(item, Refutation):
            yield item
            yield from _inside(item)
