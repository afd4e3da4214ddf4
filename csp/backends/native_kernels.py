"""The compiled searches of the native engine, in one shape: opened below a set of domains, advanced by so many nodes.

`single9.py` takes the classic 9x9 grid and is some twenty to sixty times faster there; `scalar.py` takes every model
whose domains and sums fit machine words. Importing this loads numpy; the kernels load when a search is opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from nonant.csp.forms import Compiled
from nonant.csp.kernels.classic import single9_memory
from nonant.csp.machine.compiled import kernel

SCALAR = "nonant.csp.kernels.scalar.scalar"
SINGLE9 = "nonant.csp.kernels.classic.single9"
FIRST_CUTOFF = 2_000  # nodes before the first restart; each later one waits half as long again
UNBOUNDED = 1 << 62


@dataclass(frozen=True)
class Slice:
    """What one call of a kernel did.

    Attributes:
        nodes: branchings.
        found: solutions.
        rows: these as places of values, unless they were only counted.
        exhausted: nothing is left below the domains.
        full: there was no room for more solutions.
    """

    nodes: int
    found: int
    rows: list[list[int]]
    exhausted: bool
    full: bool


class Search(Protocol):
    """A search below a set of domains."""

    def advance(self, nodes: int, room: int) -> Slice:
        """Go on for at most so many branchings, and until `room` solutions are written; 0: they are only counted."""
        ...


class Single9Search:
    """The kernel for the classic grid."""

    def __init__(self, domains: Sequence[int]) -> None:
        self._stack, self._work = single9_memory.workspace()  # each search has its own: runs may overlap
        self._advance = kernel(SINGLE9, "advance")
        start = np.array(domains, np.uint64)
        kernel(SINGLE9, "begin")(self._stack, self._work, start, single9_memory.layout())

    def advance(self, nodes: int, room: int) -> Slice:
        """See `Search`."""
        work, cells = self._work, single9_memory.CELLS
        before_nodes, before_found = int(work[single9_memory.NODES]), int(work[single9_memory.FOUND])
        out = np.empty(room * cells, np.uint8)
        why = self._advance(self._stack, work, nodes, room or UNBOUNDED, out)
        found = int(work[single9_memory.FOUND]) - before_found
        return Slice(
            nodes=int(work[single9_memory.NODES]) - before_nodes,
            found=found,
            rows=(out[: found * cells] - 1).reshape(-1, cells).tolist() if room else [],
            exhausted=why == single9_memory.EXHAUSTED,
            full=why == single9_memory.ROOM,
        )


class ScalarSearch:
    """The kernel for any model. It restarts until it has found a solution, keeping the weights of its cells.

    Args:
        weights: of an earlier search over the same model, to start from; `weights` are its own.
    """

    def __init__(self, compiled: Compiled, domains: Sequence[int], weights: Any = None) -> None:
        from nonant.csp.kernels.scalar import scalar
        from nonant.csp.kernels.scalar.tables import tables_of

        self._scalar, self._advance = scalar, kernel(SCALAR, "advance")
        self._tables = compiled.once(tables_of)
        self._domains = np.array(domains, np.uint64)
        self._state = scalar.new_state(self._tables, self._domains)
        if weights is not None:
            scalar.weights(self._state)[:] = weights
        self._cutoff, self._since_restart, self._found = FIRST_CUTOFF, 0, False

    @property
    def weights(self) -> Any:
        """What the cells weigh now."""
        return self._scalar.weights(self._state).copy()

    def advance(self, nodes: int, room: int) -> Slice:
        """See `Search`."""
        scalar, work = self._scalar, self._state.work
        before_nodes, before_found = int(work[scalar.NODES]), int(work[scalar.FOUND])
        if not self._found:
            nodes = min(nodes, self._cutoff - self._since_restart)
        out = np.empty((room, len(self._domains)), np.uint8)
        why = self._advance(*self._tables, *self._state, nodes, out)
        spent, found = int(work[scalar.NODES]) - before_nodes, int(work[scalar.FOUND]) - before_found
        self._since_restart += spent
        self._found = self._found or found > 0
        if why == scalar.DEEPER:
            self._state = scalar.deeper(self._state)
        elif why != scalar.EXHAUSTED and not self._found and self._since_restart >= self._cutoff:
            self._state = scalar.restarted(self._state, self._domains)
            self._cutoff, self._since_restart = self._cutoff + self._cutoff // 2, 0
        return Slice(spent, found, out[:found].tolist(), why == scalar.EXHAUSTED, why == scalar.ROOM)
