"""Puzzle families, one a file. `families()` lists them; `model("classic-16")` makes one by name.

A name is a family, then optionally a size and a box: `classic`, `classic-16`, `classic-12-3x4`, `cube-3`, `latin-10`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nonant.csp.model import Model


@dataclass(frozen=True)
class Family:
    """A family of puzzles.

    Attributes:
        name: what `--model` takes.
        rule: the rule in one line.
        example: a small puzzle with one solution, in a form that `nonant.read` takes.
        build: makes the model of a size (None is the usual one) and a box (height, width; None is the usual one).
        for_cells: the model with this number of cells, or None if the family has none.
    """

    name: str
    rule: str
    example: str
    build: Callable[[int | None, tuple[int, int] | None], Model]
    for_cells: Callable[[int], Model | None]
