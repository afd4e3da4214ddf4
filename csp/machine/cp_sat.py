"""OR-Tools' CP-SAT solver, as all who use it want it set up: within a budget, and leaving Ctrl-C to Python."""

from __future__ import annotations

from typing import Any

from nonant.csp.budget import Budget

LEAST_SECONDS = 0.1  # of an optimisation: in less it has nothing to say


def solver(budget: Budget, least: float = 0.0) -> Any:
    """A solver that stops when the time of the budget is up.

    Args:
        budget: its nodes are not looked at.
        least: it has at least so many seconds, whatever is left.
    """
    from ortools.sat.python import cp_model

    made = cp_model.CpSolver()
    made.parameters.catch_sigint_signal = False  # else OR-Tools leaves Ctrl-C at "end the process"
    if budget.deadline is not None:
        made.parameters.max_time_in_seconds = max(least, budget.seconds_left())
    return made
