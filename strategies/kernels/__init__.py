"""Compiled searches, loaded when there is work enough for them. The plain-Python ones give the same answers."""

from __future__ import annotations


def load() -> None:
    """Load them, since there are puzzles enough: they are used from then on (a first compilation takes seconds)."""
    import nonant.strategies.kernels.flat_waves
    import nonant.strategies.kernels.forcing
    import nonant.strategies.kernels.reach
    import nonant.strategies.kernels.rounds
    import nonant.strategies.kernels.scouts
    import nonant.strategies.kernels.sectors  # noqa: F401
