"""The constraint classes, one a file: `Unit`, `Sum`, `Relation`, `Parity`, `Compare`.

Each is a frozen record with `cells`, `name`, one plain `holds(values)`, the oracle against which every encoder of every
backend is tested, and `reduce(forms)`, which says it in the forms of a compiled model (`csp/forms.py`); every engine
takes all forms, and so every constraint. Cells may be given by coordinates, label or name; the model resolves them.
"""

from __future__ import annotations

from nonant.csp.constraints.common import OPERATORS, title
from nonant.csp.constraints.compare import Compare
from nonant.csp.constraints.parity import Parity
from nonant.csp.constraints.relation import Relation
from nonant.csp.constraints.sum import Sum
from nonant.csp.constraints.unit import Unit

__all__ = [
    "CONSTRAINT_CLASSES",
    "CONSTRAINT_NAMES",
    "OPERATORS",
    "Compare",
    "Constraint",
    "Parity",
    "Relation",
    "Sum",
    "Unit",
    "title",
]

Constraint = Unit | Compare | Relation | Parity | Sum
# In the order in which they are reduced: what makes cells differ comes before the sums, which are cages where they do.
CONSTRAINT_CLASSES = (Unit, Compare, Relation, Parity, Sum)
CONSTRAINT_NAMES = tuple(kind.__name__ for kind in CONSTRAINT_CLASSES)
