"""The names of a model's cells, values and units in the Solve Path Notation, both ways.

A cell of a grid is written in capitals (R9C3, X1Y2Z3), any other as its label. A value in a unit is `7@row4`: the
unit's name without its blanks (`box_1_of_slice_x2` where more than a number follows), or `#12` for the twelfth unit
where names are no use.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NoReturn

from nonant.csp.errors import ModelError
from nonant.csp.model import Model
from nonant.csp.proofs.sets import sets_of
from nonant.formats.source import shortened
from nonant.spn.tokens import is_word


@dataclass(frozen=True, slots=True)
class SetName:
    """A truth or link as it is written: a cell, a value in a unit, or neither (the guard of a uniqueness proof)."""

    cell: str | None = None
    value: str = ""
    unit: str = ""
    times: int = 1


@dataclass(frozen=True, slots=True)
class CandidateName:
    """A candidate as it is written."""

    cell: str
    value: str


class Names:
    """The names of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.cells = tuple(name.upper() if model.shape is not None else name for name in model.names)
        short = [_short(name) for name in model.compiled.unit_names]
        times = Counter(short)
        self.units = tuple(
            name if times[name] == 1 and is_word(name) else f"#{number}" for number, name in enumerate(short, 1)
        )

    @cached_property
    def _cell(self) -> dict[str, int]:
        return _any_case(self.model.names) | {name: at for at, name in enumerate(self.cells)} | _exact(self.model.names)

    @cached_property
    def _value(self) -> dict[str, int]:
        return _any_case(self.model.symbols) | _exact(self.model.symbols)

    @cached_property
    def _unit(self) -> dict[str, int]:
        numbers = {f"#{number}": number - 1 for number in range(1, len(self.units) + 1)}
        return numbers | {name: at for at, name in enumerate(self.units)}

    def candidate(self, candidate: int) -> CandidateName:
        """The name of a candidate."""
        cell, value = divmod(candidate, self.model.n_values)
        return CandidateName(self.cells[cell], self.model.symbols[value])

    def set(self, number: int) -> SetName:
        """The name of a truth or link."""
        if number == sets_of(self.model).guard:
            return SetName()
        if number < self.model.n_cells:
            return SetName(cell=self.cells[number])
        unit, value = divmod(number - self.model.n_cells, self.model.n_values)
        return SetName(value=self.model.symbols[value], unit=self.units[unit])

    def find_cell(self, name: str) -> int:
        """The cell of a name.

        Raises:
            ModelError: if there is none; so have the functions below.
        """
        found = self._cell.get(name, self._cell.get(name.casefold(), -1))
        return found if found >= 0 else self._unknown("cell", name, self.cells)

    def find_value(self, name: str) -> int:
        """The index of a value."""
        found = self._value.get(name, self._value.get(name.casefold(), -1))
        return found if found >= 0 else self._unknown("value", name, self.model.symbols)

    def find_candidate(self, name: CandidateName) -> int:
        """The candidate of a name."""
        return self.find_cell(name.cell) * self.model.n_values + self.find_value(name.value)

    def find_set(self, name: SetName) -> int:
        """The number of a truth or link."""
        if name.unit:
            unit = self._unit.get(name.unit, -1)
            if unit < 0:
                self._unknown("unit", name.unit, self.units)
            return self.model.n_cells + unit * self.model.n_values + self.find_value(name.value)
        return sets_of(self.model).guard if name.cell is None else self.find_cell(name.cell)

    def _unknown(self, what: str, name: str, known: tuple[str, ...]) -> NoReturn:
        shown = ", ".join(shortened(one).strip("'") for one in known[:3]) + (", ..." if len(known) > 3 else "")
        raise ModelError(
            f"model {shortened(self.model.name)} has no {what} {shortened(name)}; its {what}s are {shown or 'none'}"
        )


def _short(name: str) -> str:
    """The name of a unit as one word."""
    return "_".join(re.sub(r"([^\W\d_])\s+(\d)", r"\1\2", name, count=1).replace(",", "_").split())


def _exact(names: tuple[str, ...]) -> dict[str, int]:
    return {name: at for at, name in enumerate(names)}


def _any_case(names: tuple[str, ...]) -> dict[str, int]:
    """Names in small letters, where that leaves them distinct."""
    times = Counter(name.casefold() for name in names)
    return {name.casefold(): at for at, name in enumerate(names) if times[name.casefold()] == 1}


# Frozen values of frozen models, and bounded, since models may come from a stream of region maps.
@lru_cache(maxsize=16)
def names_of(model: Model) -> Names:
    """The names of a model."""
    return Names(model)
