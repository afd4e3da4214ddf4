"""GF(2) on a board: of an exactly-one set an odd number of candidates is true, and such equations can be added.

A cell takes exactly one value, and in a full unit each value stands exactly once. Read modulo 2, each such set is a
linear equation over the candidates: their sum is 1. Adding equations where sets overlap leaves fewer candidates than
any of them had; what is left may be

- one candidate: it is true, or false;
- two candidates: they are equal, or opposite;
- none, but the sum is 1: there is no solution.

Elimination finds every such consequence at once, and here each comes with the names of the equations whose sum it is,
so that anybody can add them up again. The parities that a model states take part too. It is sound, and it is not
complete: "at least one, at most one" says more than "an odd number".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nonant.csp.algebra import bitrows
from nonant.csp.masks import bits
from nonant.csp.model import Model, Parity


@dataclass(frozen=True)
class Equation:
    """The sum of the candidates in `mask` (bits of a board) is odd, or even."""

    name: str
    mask: int
    odd: bool


@dataclass(frozen=True)
class Forced:
    """A candidate (its bit on the board) that is true or false, and the equations whose sum says so."""

    candidate: int
    true: bool
    summed: tuple[Equation, ...]


@dataclass(frozen=True)
class Linked:
    """Two candidates that are equal (`same`) or opposite, and the equations whose sum says so."""

    first: int
    second: int
    same: bool
    summed: tuple[Equation, ...]


@dataclass(frozen=True)
class Parities:
    """What the equations of a board imply.

    Attributes:
        contradiction: equations whose sum is 0 = 1, or None; where there are some, the rest is empty.
        forced: candidates that are decided.
        linked: candidates that are equal or opposite, each to the first of its kind; any two of them follow.
    """

    contradiction: tuple[Equation, ...] | None
    forced: tuple[Forced, ...]
    linked: tuple[Linked, ...]


def equations(model: Model, board: int) -> list[Equation]:
    """The equations of a board: cells, values in full units, and the model's own parities."""
    compiled, size = model.compiled, model.n_values
    every, found = (1 << size) - 1, []
    for cell in range(compiled.n_cells):
        found.append(Equation(f"cell {model.names[cell]}", board & every << (cell * size), True))
    for unit, name, full in zip(compiled.units, compiled.unit_names, compiled.full, strict=True):
        if full:
            column = sum(1 << (cell * size) for cell in unit)
            for value, symbol in enumerate(model.symbols):
                found.append(Equation(f"{symbol} in {name}", board & column << value, True))
    for number, parity in enumerate((c for c in model.constraints if isinstance(c, Parity)), 1):
        odd = 0
        for cell in model.indices(parity):
            odd ^= compiled.odd_mask << (cell * size)  # a cell that is named twice drops out
        found.append(Equation(parity.name or f"parity {number}", board & odd, parity.odd))
    return found


def parities(model: Model, board: int) -> Parities:
    """Eliminate over the equations of a board (bit `cell * n_values + value`: that candidate is possible)."""
    return eliminate(equations(model, board))


def eliminate(given: Sequence[Equation]) -> Parities:
    """Everything that sums of these equations say about one or two candidates."""
    live = 0
    for equation in given:
        live |= equation.mask
    candidates = list(bits(live))
    place = {candidate: at for at, candidate in enumerate(candidates)}
    n = len(candidates)

    # A row: its candidates, then the right-hand side, then a tag that remembers which equations were added.
    rows = []
    for number, equation in enumerate(given):
        row = sum(1 << place[candidate] for candidate in bits(equation.mask))
        rows.append(row | equation.odd << n | 1 << (n + 1 + number))
    form, pivots = bitrows.reduced(rows, n + 1)

    def named(row: int) -> tuple[Equation, ...]:
        return tuple(given[number] for number in bits(row >> (n + 1)))

    if pivots and pivots[-1] == n:
        return Parities(named(form[-1]), (), ())

    # Two candidates differ by a constant exactly if they stand with the same free candidates in the reduced form.
    variables = (1 << n) - 1
    by_pivot = dict(zip(pivots, form, strict=True))
    forced: list[Forced] = []
    linked: list[Linked] = []
    first_with: dict[int, tuple[int, int]] = {}
    for at, candidate in enumerate(candidates):
        row = by_pivot.get(at, 0)
        depends = row & variables ^ 1 << at if row else 1 << at  # a free candidate stands for itself
        if not depends:
            forced.append(Forced(candidate, bool(row >> n & 1), named(row)))
        elif depends in first_with:
            other, other_row = first_with[depends]
            total = row ^ other_row
            linked.append(Linked(other, candidate, not total >> n & 1, named(total)))
        else:
            first_with[depends] = candidate, row
    return Parities(None, tuple(forced), tuple(linked))
