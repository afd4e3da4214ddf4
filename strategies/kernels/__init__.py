"""Compiled searches of techniques: the answers of the plain-Python ones, which work until loading these is worth it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from time import perf_counter
from typing import Any

from nonant.csp.machine.loading import meter

NAMES = ("chain_starts", "exists", "exists_medusa", "exists_sue_de_coq", "flat_waves", "forcing", "rounds")
# Seconds of search in plain Python, some fifteen hard grids, that loading costs (a first compilation twice as much).
METER = meter("techniques", 1.5)


def load() -> None:
    """Use them from now on: for who knows that there is work enough."""
    METER.pay()
    for name in NAMES:
        loaded(name)


def loaded(name: str) -> Any:
    """A module of `NAMES`, or None while searching in plain Python has cost less than loading would."""
    return import_module(f"{__name__}.{name}") if METER.paid() else None


@contextmanager
def metered() -> Iterator[None]:
    """What is searched within counts for when the compiled searches are loaded."""
    if METER.paid():
        yield
        return
    begun = perf_counter()
    try:
        yield
    finally:
        METER.add(perf_counter() - begun)
