"""Puzzle families, one a file. `families()` lists them; `model("classic-16")` makes a model by its name.

A model's name says its family, its size, and its box where that is not the usual one of the size: `classic-9`,
`classic-12-2x6`, `latin-10`, `cube-3`. A family that is given by a region map has the map instead:
`jigsaw-1112132233243444`. Every model made here carries this name, and `model(name)` gives the same rules back. Two
short forms are read as well: a family alone is its usual size (`classic` is `classic-9`), and the usual box may be
written out (`classic-12-3x4` is `classic-12`).

A family's module is imported when the family is first asked for: who solves a classic loads no other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module

from nonant.csp.errors import ModelError
from nonant.csp.model import Model, Puzzle

# The family `disjoint-groups` is `FAMILY` in the module `disjoint_groups`. The order is the order of preference where a
# number of cells fits several families: a line of 81 symbols is a classic, one of 27 a cube.
FAMILY_NAMES = (
    "classic",
    "jigsaw",
    "latin",
    "x",
    "windoku",
    "disjoint-groups",
    "pandiagonal",
    "cube",
    "lattice-cube",
    "surface-cube",
)


@dataclass(frozen=True)
class Family:
    """A family of puzzles.

    Attributes:
        name: what `--model` takes.
        rule: the rule in one line.
        example: the givens of a small puzzle with one solution, on one line.
        example_model: the name of the model that the example is a puzzle of.
        build: makes the model of a size (None is the usual one) and a box (height, width; None is the usual one).
        for_cells: the model with this number of cells and the usual box, or None if the family has none.
        from_map: makes the model from the text of a region map; None where the family is given by a size. A family
            that has it cannot be built from a size: `build` then raises a ModelError that says so.
    """

    name: str
    rule: str
    example: str
    example_model: str
    build: Callable[[int | None, tuple[int, int] | None], Model]
    for_cells: Callable[[int], Model | None]
    from_map: Callable[[str], Model] | None = None

    def example_puzzle(self) -> Puzzle:
        """The example as a puzzle."""
        return model(self.example_model).puzzle(self.example)


def families() -> tuple[Family, ...]:
    """All families, in order of preference."""
    return tuple(family(name) for name in FAMILY_NAMES)


def family(name: str) -> Family:
    """The family of this name.

    Raises:
        ModelError: if there is none; the message lists what there is.
    """
    if name not in FAMILY_NAMES:
        raise ModelError(f"no puzzle family is called {name!r}; there are {', '.join(FAMILY_NAMES)}")
    found: Family = import_module(f"nonant.models.{name.replace('-', '_')}").FAMILY
    return found


def model(name: str) -> Model:
    """The model of this name: `classic`, `classic-16`, `classic-12-2x6`, `cube-3`, `jigsaw-1112132233243444`.

    Asked twice for the same rules it gives the same object, so that they are compiled once.

    Raises:
        ModelError: for an unknown family, a name that is not of this form, or a size that the family does not have.
    """
    made = _made(name)
    return made if made.name == name else _made(made.name)


def for_cells(n_cells: int) -> Iterator[Model]:
    """The models with this number of cells, one a family at most, the likeliest first: for 81 classic-9, then latin-9.

    Families are looked at, and loaded, one by one as the iterator is driven.
    """
    for name in FAMILY_NAMES:
        found = family(name).for_cells(n_cells)
        if found is not None:
            yield model(found.name)


@lru_cache(maxsize=256)
def _made(name: str) -> Model:
    chosen = family(_family_of(name))
    rest = name[len(chosen.name) + 1 :]
    if name == chosen.name:
        return chosen.build(None, None)
    if chosen.from_map is not None:
        return chosen.from_map(rest)
    size_and_box = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9})x([0-9]{1,9}))?", rest)
    if size_and_box is None:
        raise ModelError(
            f"the model name {name!r} ends in {rest!r}; after {chosen.name!r} comes a size, then perhaps a box of "
            "rows x columns, as in classic-12-3x4"
        )
    size, height, width = size_and_box.groups()
    return chosen.build(int(size), None if height is None else (int(height), int(width)))


def _family_of(name: str) -> str:
    for known in FAMILY_NAMES:
        if name == known or name.startswith(known + "-"):
            return known
    raise ModelError(
        f"no model is called {name!r}; a name is a family, then perhaps a size and a box (classic-12-3x4); "
        f"the families are {', '.join(FAMILY_NAMES)}"
    )
