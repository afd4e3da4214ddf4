"""Human techniques, one family a file; the ladder that uses them; hints. Every step carries a proof.

The names load when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "Board": "board",
    "Path": "path",
    "Rating": "ratings",
    "Step": "step",
    "TECHNIQUES": "table",
    "Technique": "definition",
    "UnprovedStep": "path",
    "explain": "ladder",
    "find_all": "ladder",
    "hint": "hints",
    "next_step": "ladder",
    "rate": "ratings",
    "rivals": "rival_candidates",
    "technique": "table",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"nonant.strategies.{_HOME[name]}"), name)
    raise AttributeError(f"module 'nonant.strategies' has no attribute {name!r}")
