"""Nonant: a constraint-programming framework for puzzles.

The public names load when they are first used, so that a small question is answered before numpy, numba, networkx,
ortools or pysat have been imported.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "0.1.0"

_root = Path(__file__).resolve().parent.parent
if (_root / "csp" / "model.py").is_file():
    # In a checkout csp/, models/ and strategies/ stand beside nonant/; installed, they stand inside it.
    __path__.append(str(_root))

_HOME = {
    "Compare": "nonant.csp.model",
    "Model": "nonant.csp.model",
    "Parity": "nonant.csp.model",
    "Puzzle": "nonant.csp.model",
    "Relation": "nonant.csp.model",
    "Sum": "nonant.csp.model",
    "Unit": "nonant.csp.model",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'nonant' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
