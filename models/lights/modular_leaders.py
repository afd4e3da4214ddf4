"""Fewest presses with p states: the member of a coset of a linear code modulo p with the least sum of entries.

As `coset_leaders`, for a prime p above 2: all p^d members are looked at, a table of sums at a time, while there are
few; beyond that CP-SAT minimises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import isfinite

from nonant.csp.budget import Budget
from nonant.csp.machine import cp_sat

WALK_LIMIT = 1 << 21  # members x cells / 100 that are looked at one by one
TABLE = 1 << 12  # members looked at in one step


@dataclass(frozen=True)
class ModularLeader:
    """A light member; `weight` is the sum of its entries, and `lower_bound` what no member is below."""

    member: tuple[int, ...]
    weight: int
    lower_bound: int

    @property
    def optimal(self) -> bool:
        """True when no member is lighter."""
        return self.weight == self.lower_bound


def leader(
    member: Sequence[int],
    basis: Sequence[Sequence[int]],
    rows: Sequence[Mapping[int, int]],
    p: int,
    seconds: float | None = 60.0,
    floor: int = 0,
) -> ModularLeader:
    """The lightest of member + code.

    Args:
        member: any member.
        basis: a basis of the code.
        rows: sparse equations that define the code, for CP-SAT.
        seconds: after this much time the best member so far is returned; None is no limit.
        floor: a lower bound that the caller knows.
    """
    if not basis:
        return ModularLeader(tuple(member), sum(member), sum(member))
    if p ** len(basis) * len(member) <= WALK_LIMIT * 100:
        return _walk(member, basis, p)
    return _minimise(member, rows, p, seconds, floor)


def _walk(member: Sequence[int], basis: Sequence[Sequence[int]], p: int) -> ModularLeader:
    import numpy as np

    # Residues up to twice a prime, in the narrowest type that holds them.
    dtype = np.uint8 if p < 128 else np.int64
    inner = 0
    while inner < len(basis) and p ** (inner + 1) <= TABLE:
        inner += 1
    table = np.zeros((1, len(member)), dtype)
    for row in basis[:inner]:
        multiples = np.array([[factor * entry % p for entry in row] for factor in range(p)], dtype)
        table = ((table[None, :, :] + multiples[:, None, :]) % p).reshape(-1, len(member))
    best, lightest = None, -1
    for factors in product(range(p), repeat=len(basis) - inner):
        here = np.array(member, np.int64)
        for factor, row in zip(factors, basis[inner:], strict=True):
            here += factor * np.array(row, np.int64)
        members = table + (here % p).astype(dtype)
        members = np.where(members >= p, members - p, members)
        sums = members.sum(axis=1, dtype=np.int64)
        at = int(sums.argmin())
        if best is None or sums[at] < lightest:
            best, lightest = members[at].tolist(), int(sums[at])
    assert best is not None
    return ModularLeader(tuple(best), lightest, lightest)


def _minimise(
    member: Sequence[int], rows: Sequence[Mapping[int, int]], p: int, seconds: float | None, floor: int
) -> ModularLeader:
    from ortools.sat.python import cp_model

    budget = Budget.within(seconds)
    model = cp_model.CpModel()
    cells = [model.new_int_var(0, p - 1, f"c{at}") for at in range(len(member))]
    for number, row in enumerate(rows):
        wanted = sum(entry * member[at] for at, entry in row.items()) % p
        turns = model.new_int_var(0, sum(row.values()) * (p - 1) // p + 1, f"t{number}")
        model.add(sum(entry * cells[at] for at, entry in row.items()) == wanted + p * turns)
    for variable, entry in zip(cells, member, strict=True):
        model.add_hint(variable, entry)
    model.minimize(sum(cells))
    solver = cp_sat.solver(budget, cp_sat.LEAST_SECONDS)
    status = solver.solve(model)
    best = tuple(member)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        best = min(best, tuple(solver.value(variable) for variable in cells), key=sum)
    known = solver.best_objective_bound
    bound = max(floor, round(known) if isfinite(known) else 0)
    return ModularLeader(best, sum(best), min(sum(best), bound))
