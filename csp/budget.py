"""Limits on time and branchings, and the size of the next slice of work: said once, for every search.

A search that can be cut short takes `Limits` from its caller and makes a `Budget` of them, which it counts down. What
cannot be interrupted runs in slices: `Pace` learns how large one may be to take a set time.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import monotonic


@dataclass
class Limits:
    """When a run must stop, and what its caller leaves open.

    Attributes:
        seconds: from the start of the run; None is no limit.
        nodes: branchings, or conflicts where a backend counts those; None is no limit.
        any_order: the caller does not mind which solutions come first, so that the fastest way may be taken. A run
            without it yields the same solutions in the same order in every process, however warm.
        renewed: the caller will ask again with more seconds, which are no more than a pause to look at its affairs: so
            they do not decide who is given the puzzle.
    """

    seconds: float | None = None
    nodes: int | None = None
    any_order: bool = False
    renewed: bool = False


@dataclass
class Budget:
    """What a search may still spend; None is no limit.

    Attributes:
        nodes: branchings (or conflicts) in all.
        deadline: a value of `time.monotonic()`.
        spent: branchings so far; the search adds to it.
    """

    nodes: int | None = None
    deadline: float | None = None
    spent: int = 0

    @classmethod
    def of(cls, limits: Limits) -> Budget:
        """The budget of a run that starts now."""
        return cls(limits.nodes, None if limits.seconds is None else monotonic() + limits.seconds)

    @classmethod
    def within(cls, seconds: float | None) -> Budget:
        """A budget of time alone, from now on."""
        return cls.of(Limits(seconds))

    def late(self) -> bool:
        """True when the time is up."""
        return self.deadline is not None and monotonic() >= self.deadline

    def out(self) -> bool:
        """True when a limit is reached."""
        return (self.nodes is not None and self.spent >= self.nodes) or self.late()

    def seconds_left(self) -> float:
        """How long the search may still take; infinite without a limit."""
        return inf if self.deadline is None else max(0.0, self.deadline - monotonic())

    def at_most(self, nodes: int) -> int:
        """So many branchings, or what is left of them."""
        return nodes if self.nodes is None else min(nodes, self.nodes - self.spent)

    def share(self, parts: float) -> Budget:
        """One of so many equal parts of the time that is left, from now on."""
        return Budget.within(None if self.deadline is None else self.seconds_left() / parts)

    def left(self) -> Limits:
        """What is left, as limits of a part of the search."""
        seconds = None if self.deadline is None else self.seconds_left()
        return Limits(seconds, None if self.nodes is None else max(0, self.nodes - self.spent))


@dataclass
class Pace:
    """The size of the next slice of work of a search that is not to be interrupted.

    Without a time limit sizes grow by counts alone, so that what a search does hangs on the question and not on the
    machine; with one, slices are made to take about `seconds`.

    Attributes:
        size: of the next slice, in whatever is counted.
        seconds: what a slice should take.
        most: what that is in slices without a clock.
        least: no slice is smaller.
        growth: a slice is at most so many times as large as the one before: the first are short, and tell little.
    """

    size: int
    seconds: float
    most: int
    least: int = 1
    growth: int = 4

    def learn(self, done: int, took: float, budget: Budget, share: float = 1.0) -> None:
        """A slice did so much in so many seconds; the next should take at most a share of the time that is left."""
        larger = self.growth * self.size
        if budget.deadline is None:
            self.size = min(larger, max(self.most, self.least))
            return
        seconds = min(self.seconds, share * budget.seconds_left())
        self.size = max(self.least, min(larger, int(done / max(took, 1e-6) * seconds)))
