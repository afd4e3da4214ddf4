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
    "nonant.csp.batch.run": ("count_many", "solve_many", "verify_many"),
    "nonant.csp.compare": ("compare",),
    "nonant.csp.contention": ("available", "contention_graph", "contention_map", "contention_of", "peers_by_kind"),
    "nonant.csp.errors": (
        "BackendUnavailable",
        "Disagreement",
        "ModelError",
        "NonantError",
        "ParseError",
        "Unsupported",
    ),
    "nonant.csp.faults": ("Fault", "faults", "fits", "is_solved"),
    "nonant.csp.model": ("Compare", "Model", "Parity", "Puzzle", "Relation", "Sum", "Unit"),
    "nonant.csp.results": ("Candidates", "Count", "Solution", "SolveResult", "Status", "Uniqueness", "Verdict"),
    "nonant.csp.solve": ("candidates", "count", "solutions", "solve"),
    "nonant.csp.verify": ("verify",),
    "nonant.formats": ("read", "read_all", "write"),
    "nonant.pictures": ("picture",),
    "nonant.strategies.board": ("Board",),
    "nonant.strategies.hints": ("hint",),
    "nonant.strategies.ladder": ("explain", "find_all"),
    "nonant.strategies.rival_candidates": ("rivals",),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(_MODULE)


def __getattr__(name: str) -> Any:
    if name in _MODULE:
        return getattr(import_module(_MODULE[name]), name)
    raise AttributeError(f"module 'nonant' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
