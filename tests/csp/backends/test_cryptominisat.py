"""The optional backend with native XORs: against brute force, and on what only elimination solves."""

from __future__ import annotations

from random import Random

import pytest

from nonant import Model, Parity, count, verify
from nonant.csp.backends import registry
from nonant.csp.backends.base import Limits, Progress
from nonant.csp.errors import BackendUnavailable
from nonant.models import model
from tests.support.random_models import brute_force, random_only, random_puzzle


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pycryptosat", None)
    with pytest.raises(BackendUnavailable, match=r"pip install 'nonant\[xor\]'"):
        registry.get("cryptominisat").session(model("classic-4").puzzle())


class TestWithTheLibrary:
    @pytest.fixture(autouse=True)
    def _library(self) -> None:
        pytest.importorskip("pycryptosat", reason="the optional extra 'xor' is not installed")

    def test_equals_brute_force(self) -> None:
        backend = registry.get("cryptominisat")
        for seed in range(120):
            puzzle = random_puzzle(seed)
            session = backend.session(puzzle)
            progress = Progress()
            found = list(session.run(progress, Limits()))
            assert progress.exhausted
            assert len(found) == len(set(found)), seed
            assert set(found) == brute_force(puzzle), seed
            only = random_only(puzzle, Random(seed))
            assert set(session.run(Progress(), Limits(), only)) == brute_force(puzzle, only), seed

    def test_a_dense_system_is_a_matter_of_elimination(self) -> None:
        random, cells = Random(5), range(120)
        planted = [random.randint(0, 1) for _ in cells]
        rules = []
        for _ in range(118):
            some = random.sample(cells, 40)
            rules.append(Parity(some, odd=sum(planted[cell] for cell in some) % 2 == 1))
        assert count(Model("xors", cells=cells, values=(0, 1), constraints=rules), backend="cryptominisat") % 4 == 0

    def test_time_limits_are_results(self) -> None:
        found = verify(model("classic-9"), backend="cryptominisat", time_limit=0.0)
        assert found.verdict.value == "unknown"
