"""How much work a file may cause: counted in operations, so that the same file gets the same answer anywhere.

Whoever checks a file has not written it. A line of a few characters can ask for a search over millions of rows, and a
file can hold thousands of such lines; so a file has one budget for all that it asks, which grows with its length. An
operation takes something like a microsecond in plain Python.
"""

from __future__ import annotations

from nonant.csp.errors import NonantError

LEAST = 10_000_000  # operations that the shortest file may take
PER_CHARACTER = 150  # operations more for each; honest proofs take 5 to 30


class OutOfEffort(NonantError, ValueError):
    """A check was given up. Nothing was found wrong; it takes more operations than it was allowed."""


class Effort:
    """The operations that are left; counted down by whatever checks.

    Attributes:
        allowed: how many there were.
        left: how many there are.
    """

    def __init__(self, allowed: int) -> None:
        self.allowed = self.left = allowed

    def spend(self, operations: int) -> None:
        """Count operations that were done, or are about to be.

        Raises:
            OutOfEffort: if that is more than there are left.
        """
        self.left -= operations
        if self.left < 0:
            raise OutOfEffort(
                f"given up: it takes more than the {self.allowed:,} operations that a file of this length may take; "
                "allow more (--effort 10: ten times as many)"
            )


def effort_for(characters: int, factor: float = 1.0) -> Effort:
    """The effort that a file of so many characters may take, times a factor."""
    return Effort(int((LEAST + PER_CHARACTER * characters) * factor))


def endless() -> Effort:
    """No limit: for what one's own program has made."""
    return Effort(1 << 62)
