"""The boxes or regions of a two-dimensional model, as a map: what pictures draw and what the jigsaw form writes."""

from __future__ import annotations

from nonant.csp.model import Model, Unit


def region_numbers(model: Model) -> tuple[int, ...] | None:
    """For each cell the number of its box or region (from 0, in the order of the units); None unless each has one."""
    numbers: list[int | None] = [None] * model.n_cells
    for number, unit in enumerate(region_units(model)):
        for cell in model.indices(unit):
            if numbers[cell] is not None:
                return None
            numbers[cell] = number
    found = tuple(number for number in numbers if number is not None)
    return found if len(found) == model.n_cells and found else None


def region_units(model: Model) -> tuple[Unit, ...]:
    """The units that are boxes or regions to a person; in a solid those of its slices too."""
    return tuple(
        unit for unit in model.constraints if isinstance(unit, Unit) and unit.kind.split(" ")[0] in ("box", "region")
    )
