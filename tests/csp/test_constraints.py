"""A constraint class is known wherever it must be: what a class that is added later would be missing from."""

from __future__ import annotations

import inspect
from typing import Any, get_args

import pytest

import nonant
from nonant.csp import constraints, forms
from nonant.csp.compare import contestants
from nonant.csp.constraints import CONSTRAINT_CLASSES, CONSTRAINT_NAMES, Compare, Parity, Relation, Sum, Unit
from nonant.csp.errors import ModelError
from nonant.csp.model import Model
from tests.support.files import ROOT
from tests.support.random_models import random_puzzle

EXAMPLES = (
    Unit("abc", "u"),
    Sum("abc", 7, (1, 2, 1), name="s"),
    Relation("abc", lambda a, b, c: a <= b <= c, "r"),
    Parity("abc", odd=True, name="p"),
    Compare("a", "<", "b", 1, "c"),
)


def test_each_class_has_an_example_here() -> None:
    assert {type(example) for example in EXAMPLES} == set(CONSTRAINT_CLASSES) == set(get_args(constraints.Constraint))


@pytest.mark.parametrize("kind", CONSTRAINT_CLASSES)
def test_a_class_is_one_file_a_public_name_and_in_the_readme(kind: type) -> None:
    assert inspect.getfile(kind) == str(ROOT / "csp" / "constraints" / f"{kind.__name__.lower()}.py")
    assert getattr(nonant, kind.__name__) is kind
    assert getattr(constraints, kind.__name__) is kind
    assert f"`{kind.__name__}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_random_models_that_every_engine_is_tested_on_hold_every_class_and_every_form() -> None:
    models = [random_puzzle(seed).model for seed in range(300)]
    assert {type(made) for model in models for made in model.constraints} == set(CONSTRAINT_CLASSES)
    compiled = [model.compiled for model in models]
    assert {type(rule) for each in compiled for rule in each.rules} == set(forms.RULE_CLASSES)
    assert set(forms.RULE_CLASSES) == set(get_args(forms.Rule))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda made: type(made).__name__)
def test_every_backend_that_takes_a_class_finds_the_solutions_that_it_holds_for(example: Any) -> None:
    model = Model("one", cells="abc", values=(1, 2, 3, 4), constraints=[example])
    rows = [(a, b, c) for a in model.values for b in model.values for c in model.values]
    at = {"a": 0, "b": 1, "c": 2}
    expected = sum(example.holds([row[at[cell]] for cell in example.cells]) for row in rows)
    taking = [found for found in contestants(None) if not found.missing and found.why_not(model) is None]
    assert len(taking) >= 3
    for found in taking:
        assert nonant.count(model.puzzle(), backend=found.name) == expected, found.name


def test_what_is_no_constraint_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(ModelError) as error:
        Model("none", cells="ab", values=(1, 2), constraints=[5])
    assert all(name in str(error.value) for name in CONSTRAINT_NAMES)


def test_every_rule_of_a_compiled_model_has_its_cells_in_the_scopes() -> None:
    for seed in range(100):
        compiled = random_puzzle(seed).model.compiled
        assert compiled.scopes == tuple(rule.cells for rule in compiled.rules)
        parts = (*compiled.cages, *compiled.binaries, *compiled.tables, *compiled.sums, *compiled.parities)
        assert parts == compiled.rules
