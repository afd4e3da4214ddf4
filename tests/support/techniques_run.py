"""Techniques by their compiled searches, or by plain Python, whatever the tests before have spent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

from nonant.strategies.kernels import METER


@contextmanager
def techniques_run(compiled: bool) -> Iterator[None]:
    """Within, compiled searches are used always, or never."""
    before = METER.price, METER.spent
    METER.price, METER.spent = (0.0 if compiled else inf), 0.0
    try:
        yield
    finally:
        METER.price, METER.spent = before
