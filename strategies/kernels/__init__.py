"""Compiled searches. The plain-Python ones give the same answers, and do until there is work enough to load these."""

from __future__ import annotations

import sys
from typing import Any

NAMES = ("chain_starts", "exists", "exists_medusa", "exists_sue_de_coq", "flat_waves", "forcing", "rounds")


def load() -> None:
    """Load them, since there are puzzles enough: they are used from then on (a first compilation takes seconds)."""
    import nonant.strategies.kernels.chain_starts
    import nonant.strategies.kernels.exists
    import nonant.strategies.kernels.exists_medusa
    import nonant.strategies.kernels.exists_sue_de_coq
    import nonant.strategies.kernels.flat_waves
    import nonant.strategies.kernels.forcing
    import nonant.strategies.kernels.rounds  # noqa: F401


def loaded(name: str) -> Any:
    """A module of `NAMES`, or None while nothing compiled is loaded."""
    return sys.modules.get(f"{__name__}.{name}")
