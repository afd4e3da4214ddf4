"""Compiled searches. The plain-Python ones give the same answers, and do until there is work enough to load these."""

from __future__ import annotations

import sys
from typing import Any

NAMES = ("flat_waves", "forcing", "reach", "rounds", "scouts", "sectors")


def load() -> None:
    """Load them, since there are puzzles enough: they are used from then on (a first compilation takes seconds)."""
    import nonant.strategies.kernels.flat_waves
    import nonant.strategies.kernels.forcing
    import nonant.strategies.kernels.reach
    import nonant.strategies.kernels.rounds
    import nonant.strategies.kernels.scouts
    import nonant.strategies.kernels.sectors  # noqa: F401


def loaded(name: str) -> Any:
    """A module of `NAMES`, or None while nothing compiled is loaded."""
    return sys.modules.get(f"{__name__}.{name}")
