"""The backend "gf2": models of parities alone, by linear algebra over GF(2) instead of search.

All that a parity sees of a value is whether it is odd. So each cell is one bit, the parities are linear equations in
these bits, and the bits of all solutions are one solution plus the null space of the equations: 2^k of them. A bit then
stands for the odd, or the even, values that givens and pencil marks leave the cell; where they leave values of one kind
only, the bit is known, which is one more equation.

**Counting** needs no enumeration. A solution of the equations stands for the product, over the cells, of how many
values its bit has. Where that is the same for odd and even (two-valued puzzles, digits 0 to 9), the count is a power of
two times a product. The other cells are *uneven*; over their bits, the sum of products over a linear code is needed.
Parts of the code that share no cell are counted apart. A part is walked through vector by vector, or its dual code is,
whichever is smaller, by MacWilliams' identity (1963) for the coset x + P of a code P over the set S of cells:

    sum over v in x + P of prod f_c(v_c)  =  |P| / 2^|S|  *  sum over y orthogonal to P of (-1)^(y x) prod F_c(y_c)
    F_c(0) = f_c(0) + f_c(1),   F_c(1) = f_c(0) - f_c(1)

**Enumerating** goes through the null space in Gray-code order, one vector added a step, and never holds more than one
solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from time import perf_counter

from nonant.csp.algebra import bitrows
from nonant.csp.backends.base import Capabilities, Limits, Progress, count_by_running
from nonant.csp.budget import Budget
from nonant.csp.errors import Unsupported
from nonant.csp.masks import bits
from nonant.csp.model import Model, Parity, Puzzle

PLAIN_ENTRIES = 1 << 20  # a sparse system of 1000 cells: 40 ms in plain Python, where loading numba takes 600
FEW = 1_000  # up to so many solutions are looked for one by one: that ends, however hard it is to count all
CLOCK_STEPS = 1 << 12  # vectors of a code between two looks at the clock, while counting


@dataclass(frozen=True)
class Gf2:
    """The backend for models of parities alone."""

    name: str = "gf2"
    capabilities: Capabilities = Capabilities(count=True, constraints=frozenset({"Parity"}))  # noqa: RUF009 (frozen)

    def why_not(self, model: Model) -> str | None:
        """Parities are all it knows."""
        others = sorted({type(made).__name__ for made in model.constraints if not isinstance(made, Parity)})
        return f"it takes Parity constraints only, the model has {', '.join(others)} too" if others else None

    def session(self, puzzle: Puzzle) -> Gf2Session:
        """Open a session."""
        reason = self.why_not(puzzle.model)
        if reason is not None:
            raise Unsupported(self.name, reason)
        return Gf2Session(puzzle)


@dataclass(frozen=True)
class _Solved:
    """The solutions of the equations under some domains: bit c of a vector is "cell c takes an odd value".

    Attributes:
        some: one solution.
        basis: a basis of the null space.
        odd, even: for each cell the places of its odd and of its even values.
    """

    some: int
    basis: list[int]
    odd: list[list[int]]
    even: list[list[int]]


class Gf2Session:
    """A puzzle as a linear system, eliminated once; a run adds what is known of its cells."""

    name = "gf2"

    def __init__(self, puzzle: Puzzle) -> None:
        start = perf_counter()
        self.compiled = puzzle.model.compiled
        self._domains = [mask & own for mask, own in zip(puzzle.domains, self.compiled.domains, strict=True)]
        side = 1 << self.compiled.n_cells
        rows = [sum(1 << cell for cell in xor.cells) | xor.odd * side for xor in self.compiled.parities]
        self._rows, _ = _reduced(rows, self.compiled.n_cells + 1)
        self.build_s = perf_counter() - start

    def run(self, progress: Progress, limits: Limits, only: Sequence[int] | None = None) -> Iterator[tuple[int, ...]]:
        """Enumerate the solutions; see `Session.run`. A node is a step from one vector to the next."""
        budget = Budget.of(limits)
        solved = self._solve(only)
        if solved is not None:
            choices = list(zip(solved.even, solved.odd, strict=True))
            for step, vector in enumerate(_walk(solved.some, solved.basis)):
                if step:
                    if limits.nodes is not None and progress.nodes >= limits.nodes:
                        return
                    progress.nodes += 1
                bits = f"{vector:0{len(choices)}b}"[::-1] if choices else ""
                for places in product(*(pair[bit == "1"] for pair, bit in zip(choices, bits, strict=True))):
                    if budget.late():
                        return
                    yield places
        progress.exhausted = True

    def count(self, progress: Progress, limits: Limits, most: int | None = None) -> int:
        """Count the solutions without enumerating them; see the module's docstring for what may still take time."""
        if most is not None and most <= FEW:
            return count_by_running(self, progress, limits, most)
        budget = Budget.of(limits)
        solved = self._solve(None)
        found, complete = (0, True) if solved is None else _count(solved, progress, budget)
        progress.found = found if most is None else min(found, most)
        progress.exhausted = complete and (most is None or found <= most)
        return progress.found

    def _solve(self, only: Sequence[int] | None) -> _Solved | None:
        """All solutions under the domains, or None where there is none."""
        n, odd_mask = self.compiled.n_cells, self.compiled.odd_mask
        domains = self._domains if only is None else [a & b for a, b in zip(self._domains, only, strict=True)]
        if self.compiled.infeasible is not None or not all(domains):
            return None
        places = [list(bits(domain)) for domain in domains]
        odd = [[place for place in some if odd_mask >> place & 1] for some in places]
        even = [[place for place in some if not odd_mask >> place & 1] for some in places]
        ones = _mask(bool(some) and not others for some, others in zip(odd, even, strict=True))
        free = _mask(bool(some) and bool(others) for some, others in zip(odd, even, strict=True))
        side = 1 << n
        rows = self._rows
        if free != side - 1:  # what is known goes to the right-hand side
            rows = [row & (free | side) ^ ((row & ones).bit_count() & 1) * side for row in rows]
            rows, _ = _reduced(rows, n + 1)
        some = ones
        by_free: dict[int, int] = {cell: 1 << cell for cell in bits(free)}
        for row in rows:
            pivot = row & -row
            if pivot == side:
                return None  # the equations add up to 0 = 1
            some |= pivot if row & side else 0
            del by_free[pivot.bit_length() - 1]
        # The free columns of the reduced form are the null space: each moves the pivots of the rows that it stands in.
        for row in rows:
            pivot = row & -row
            for cell in bits(row & ~pivot & ~side):
                by_free[cell] |= pivot
        return _Solved(some, list(by_free.values()), odd, even)


def _mask(flags: Iterator[bool]) -> int:
    """Flags as a bit mask (through text, which is linear in their number)."""
    return int("".join("01"[flag] for flag in flags)[::-1] or "0", 2)


def _reduced(rows: Sequence[int], columns: int) -> tuple[list[int], list[int]]:
    """The reduced form: by plain ints while they are quicker than loading the compiled kernels would be."""
    if len(rows) * columns <= PLAIN_ENTRIES:
        return bitrows.reduced(rows)
    from nonant.csp.algebra import gf2

    form = gf2.reduced(gf2.BitMatrix.of_ints(rows, columns))
    return form.matrix.ints()[: form.rank], list(form.pivots)


def _walk(some: int, basis: Sequence[int]) -> Iterator[int]:
    """The vectors of some + code, in Gray-code order."""
    yield some
    for step in range(1, 1 << len(basis)):
        some ^= basis[(step & -step).bit_length() - 1]
        yield some


# -- counting ----------------------------------------------------------------------------------------------------------


class _Spent(Exception):
    """A limit was reached."""


@dataclass
class _Steps:
    """Counts the vectors that are walked through, and stops at a limit."""

    progress: Progress
    budget: Budget

    def taken(self, vectors: int) -> None:
        self.progress.nodes += vectors
        if (self.budget.nodes is not None and self.progress.nodes > self.budget.nodes) or self.budget.late():
            raise _Spent


def _count(solved: _Solved, progress: Progress, budget: Budget) -> tuple[int, bool]:
    """The number of solutions, or a lower bound of it where a limit comes first."""
    weights = [(len(even), len(odd)) for even, odd in zip(solved.even, solved.odd, strict=True)]
    uneven = _mask(bool(even) and bool(odd) and even != odd for even, odd in weights)
    code, _ = bitrows.reduced(vector & uneven for vector in solved.basis) if uneven else ([], [])
    from nonant.csp.algebra.coset_leaders import components

    # Vectors of the null space that are zero in all uneven cells come as a factor of two each.
    total, complete = 1 << (len(solved.basis) - len(code)), True
    parts = components(code) if code else []
    covered = 0
    steps = _Steps(progress, budget)
    for part in sorted(parts, key=len):
        support = 0
        for vector in part:
            support |= vector
        covered |= support
        cells = list(bits(support))
        # Renumbered, so that the vectors are as short as the part.
        small = [_gathered(vector, cells) for vector in part]
        found, whole = _part(_gathered(solved.some, cells), small, [weights[cell] for cell in cells], steps)
        total *= found
        complete = complete and whole
    total *= prod(pair[solved.some >> cell & 1] for cell, pair in enumerate(weights) if not covered >> cell & 1)
    return total, complete


def _gathered(vector: int, cells: Sequence[int]) -> int:
    return sum((vector >> cell & 1) << at for at, cell in enumerate(cells))


def _part(some: int, code: Sequence[int], weights: Sequence[tuple[int, int]], steps: _Steps) -> tuple[int, bool]:
    """The sum over some + code of the product of weights[cell][bit]; at a limit what came so far, and False."""
    n = len(weights)
    kinds: dict[tuple[int, int], int] = {}
    for at, pair in enumerate(weights):
        kinds[pair] = kinds.get(pair, 0) | 1 << at
    if 2 * len(code) <= n:
        total = 0
        try:
            for number, term in _terms(some, code, list(kinds.items()), steps):
                total += number * term
        except _Spent:
            return max(1, total), False  # `some` is a solution: at least one
        return total, True
    # The smaller dual. Its terms have both signs: a sum that is cut short says nothing.
    signed = [((even + odd, even - odd), mask) for (even, odd), mask in kinds.items()]
    sign = 1 << n  # one bit more for the sign, so that vectors of both signs are told apart
    dual = [row | (row & some).bit_count() % 2 * sign for row in bitrows.null_space(code, n)]
    total = 0
    try:
        for number, term in _terms(0, dual, [*signed, ((1, -1), sign)], steps):
            total += number * term
    except _Spent:
        return 1, False
    return total * (1 << len(code)) >> n, True


def _terms(
    some: int, code: Sequence[int], kinds: Sequence[tuple[tuple[int, int], int]], steps: _Steps
) -> Iterator[tuple[int, int]]:
    """(how many vectors, their product): a product hangs only on how many ones a vector has among cells of a kind."""
    masks = [mask for _, mask in kinds]

    def products(seen: dict[tuple[int, ...], int]) -> Iterator[tuple[int, int]]:
        for ones, number in seen.items():
            term = 1
            for count, ((zero, one), mask) in zip(ones, kinds, strict=True):
                term *= one**count * zero ** (mask.bit_count() - count)
            yield number, term

    seen: dict[tuple[int, ...], int] = {}
    for at, vector in enumerate(_walk(some, code), 1):
        ones = tuple([(vector & mask).bit_count() for mask in masks])
        seen[ones] = seen.get(ones, 0) + 1
        if not at % CLOCK_STEPS:
            yield from products(seen)
            seen.clear()
            steps.taken(CLOCK_STEPS)
    yield from products(seen)


BACKEND = Gf2()
