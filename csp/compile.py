"""From a model to its compiled forms (`forms.py`), made once and shared by all solvers.

Every constraint reduces itself to the strongest of the forms that says it (`csp/constraints/`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nonant.csp.constraints import CONSTRAINT_CLASSES
from nonant.csp.form_builder import FormBuilder
from nonant.csp.forms import RULE_CLASSES, Compiled

if TYPE_CHECKING:
    from nonant.csp.model import Model


def compile_model(model: Model) -> Compiled:
    """Compile a model; use `model.compiled`, which keeps the result.

    Raises:
        ModelError: for a predicate over too many tuples, or a sum over values that are not whole numbers.
    """
    forms = FormBuilder(model)
    for kind in CONSTRAINT_CLASSES:
        for constraint in model.constraints:
            if isinstance(constraint, kind):
                constraint.reduce(forms)
    units = _needed(forms.units, model.n_values)
    numeric = all(isinstance(value, int) for value in model.values)
    return Compiled(
        n_cells=model.n_cells,
        n_values=model.n_values,
        domains=tuple(forms.domains),
        units=tuple(cells for cells, _ in units),
        unit_names=tuple(name for _, name in units),
        full=tuple(len(cells) == model.n_values for cells, _ in units),
        rules=tuple(sorted(forms.rules, key=lambda rule: RULE_CLASSES.index(type(rule)))),
        numbers=tuple(int(value) for value in model.values) if numeric else tuple(range(model.n_values)),
        odd_mask=forms.odd_mask,
        infeasible=forms.infeasible,
    )


def _needed(units: dict[frozenset[int], str], n_values: int) -> list[tuple[tuple[int, ...], str]]:
    """The units without those that a larger one implies, in the order they were declared."""
    of: dict[int, list[frozenset[int]]] = {}
    for unit in units:
        for cell in unit:
            of.setdefault(cell, []).append(unit)
    kept = []
    for unit, name in units.items():
        some = next(iter(unit))
        if not any(unit < other for other in of[some]):
            kept.append((tuple(sorted(unit)), name))
    return kept
