"""Which models a text may be a puzzle of: what the reader knows from its `model` argument before it sees the text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from nonant.csp.model import Model
from nonant.models import FAMILY_NAMES, family
from nonant.models import model as model_of

# No text makes the reader build a larger model than this; who has one hands it over as a Model.
MOST_CELLS = 20_000
# And of a family no smaller one: else each line of a latin square of four would be a latin square of two.
LEAST_CELLS = 8
# The largest grid that is recognised from its shape alone.
MOST_ROWS = 64


@dataclass(frozen=True)
class Rules:
    """The models that a text may have.

    Attributes:
        for_cells: the model of a number of cells, or None.
        fixed: the only model there is, when the caller gave one.
        from_map: makes the model of a region map, where a region map may follow the givens.
        unsaid: true when the caller said nothing, and the shape decides.
    """

    for_cells: Callable[[int], Model | None]
    fixed: Model | None = None
    from_map: Callable[[str], Model] | None = None
    unsaid: bool = False


def rules_for(model: Model | str | None) -> Rules:
    """The rules that a `model` argument stands for: a model, the name of a model or family, or None.

    Raises:
        ModelError: for a name that is no model's and no family's.
    """
    if model is None:
        return Rules(usual, from_map=_jigsaw, unsaid=True)
    if isinstance(model, Model):
        return _fixed(model)
    if model not in FAMILY_NAMES:
        return _fixed(model_of(model))
    named = family(model)
    if named.from_map is not None:
        return Rules(lambda n_cells: None, from_map=lambda text: model_of(f"{named.name}-{text}"))
    return Rules(lambda n_cells: of_family(named.name, n_cells))


def _fixed(model: Model) -> Rules:
    return Rules(lambda n_cells: model if n_cells == model.n_cells else None, fixed=model)


def _jigsaw(region_map: str) -> Model:
    return model_of(f"jigsaw-{region_map}")


def usual(n_cells: int) -> Model | None:
    """The model that a number of cells stands for when nothing else is said: a classic grid; 27 cells are a cube."""
    if n_cells == 27:
        return of_family("cube", 27)
    return of_family("classic", n_cells) if 16 <= n_cells <= MOST_ROWS**2 else None


# A cache of frozen values: a list of puzzles asks for the same model at every line.
@lru_cache(maxsize=64)
def of_family(name: str, n_cells: int) -> Model | None:
    """The model of this family with so many cells; None if there is none, or it is too large or small."""
    found = family(name).for_cells(n_cells) if LEAST_CELLS <= n_cells <= MOST_CELLS else None
    return None if found is None else model_of(found.name)


@lru_cache(maxsize=64)
def layouts(model: Model) -> tuple[tuple[int, ...], ...]:
    """The ways to cut the model's cells into lines of text, as numbers of cells: rows first, all on one line last.

    A cube may also stand with one plane on a line. A model without a grid has the one line only.
    """
    cells, rank = model.cells or (), len(model.shape or ())
    found = []
    if rank > 1 and list(cells) == sorted(cells):
        for depth in range(rank - 1, 0, -1):
            lines = groupby(cells, key=lambda cell, depth=depth: cell[:depth])  # type: ignore[misc]
            found.append(tuple(len(tuple(line)) for _, line in lines))
    return (*found, (len(cells),))
