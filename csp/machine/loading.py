"""When compiled code is worth its loading: decided in one place, by the work that this process has done without it.

Importing and linking compiled code costs a tenth of a second to a second, and compiling it, once a machine, more. What
has a readable form in plain Python is answered by that first; what plain Python has spent is added up here, and once it
comes to the price of loading, the compiled form is used from then on. Only the speed hangs on this: both forms give the
same answer to the same question (where an order of solutions could tell them apart, see `Limits.any_order`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass
class Meter:
    """What plain Python has spent in place of some compiled code.

    Attributes:
        price: what loading costs, in the unit in which work is counted.
        spent: so far, in this process.
    """

    price: float
    spent: float = 0.0

    def add(self, work: float) -> None:
        """So much has been done in plain Python."""
        self.spent += work

    def pay(self) -> None:
        """The compiled code has been loaded, whatever was spent: from now on it costs nothing."""
        self.spent = max(self.spent, self.price)

    def paid(self, more: float = 0.0) -> bool:
        """Whether to use the compiled code for the next piece of work, which would cost `more` without it."""
        return self.spent + more >= self.price


@cache
def meter(name: str, price: float) -> Meter:
    """The meter of some compiled code, one for the whole process."""
    return Meter(price)
