"""Lights Out on a rectangle by polynomials: linear in the board's size, where elimination is cubic in its cells.

Pressing a cell changes its neighbours above, below, left and right (the rule *sigma*), and itself (*sigma-plus*).

**Chasing.** Let x_i be the presses of row i, b_i the lights to change in row i, A the matrix that adds to each cell its
neighbours left and right, and c = 1 for sigma-plus, else 0. Row i comes out right if x_{i-1} + (A + c) x_i + x_{i+1} =
b_i. So the first row of presses decides all others: x_{i+1} = b_i + (A + c) x_i + x_{i-1}. The board is solved if the
row after the last, x_{m+1}, comes out zero.

**Polynomials.** By the same recurrence x_{m+1} = F_{m+1}(A + c) x_1 + r, with F the Fibonacci polynomials and r what
comes out if nothing is pressed in the first row. Every row of n cells is p(A) e for exactly one polynomial p of degree
below n, e being the first cell alone; and F_{n+1}, the characteristic polynomial of A, makes F_{n+1}(A) = 0. So rows
are polynomials modulo F_{n+1}, and the n equations in n unknowns become one:

    f(t) x(t) = r(t)   modulo F_{n+1}(t),   f(t) = F_{m+1}(t + c)

**Answer.** Let g = gcd(f, F_{n+1}). There is a solution exactly when g divides r; there are 2^(degree of g) of them;
Euclid's algorithm gives one. The quiet patterns (presses that change nothing) start with the multiples of F_{n+1} / g.

**Witness.** r is linear in the board, and the lights of the last row enter it unchanged. So if y is the first row of a
quiet pattern with an odd number of cells in common with r, that pattern upside down is a set of lights of which an odd
number must change, while every press changes an even number of them.

Sutner, "Linear cellular automata and the Garden-of-Eden" (1989) and "sigma-automata and Chebyshev polynomials" (2000).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nonant.models.lights import polynomials2 as poly

if TYPE_CHECKING:
    from nonant.csp.algebra.gf2 import BitMatrix

Rows = tuple[int, ...]  # one int a row of the board, bit c the cell in column c


@dataclass(frozen=True)
class BoardSolved:
    """The answer for a rectangle, its boards as rows of bits.

    Attributes:
        presses: one solution, or None.
        witness: where there is none, lights of which an odd number must change but every press changes an even number.
        nullity: there are 2^nullity quiet patterns.
    """

    presses: Rows | None
    witness: Rows | None
    nullity: int


@dataclass(frozen=True, eq=False)
class PackedSolved:
    """The same, its boards packed."""

    presses: BitMatrix | None
    witness: BitMatrix | None
    nullity: int


# -- rows and polynomials ----------------------------------------------------------------------------------------------


def apply(presses: Sequence[int], columns: int, plus: bool = True) -> Rows:
    """The lights that these presses change."""
    every, padded = (1 << columns) - 1, [0, *presses, 0]
    return tuple(
        (above ^ below ^ row << 1 ^ row >> 1 ^ (row if plus else 0)) & every
        for above, row, below in zip(padded, padded[1:], padded[2:], strict=False)
    )


def chase(lit: Sequence[int], first: int, columns: int, plus: bool) -> list[int]:
    """The rows of presses that `first` forces, and the row after the last, which must be zero."""
    every, above, row, found = (1 << columns) - 1, 0, first, [first]
    for lights in lit:
        above, row = row, (lights ^ above ^ row << 1 ^ row >> 1 ^ (row if plus else 0)) & every
        found.append(row)
    return found


def polynomial_of(row: int, columns: int) -> int:
    """The polynomial p with p(A) e = row, by Clenshaw's rule: cell k alone is F_{k+1}(A) e."""
    last = before = 0
    for at in range(columns - 1, -1, -1):
        last, before = (row >> at & 1) ^ last << 1 ^ before, last
    return last


def row_of(p: int, columns: int) -> int:
    """The row p(A) e, by Horner's rule."""
    every, row = (1 << columns) - 1, 0
    for at in range(p.bit_length() - 1, -1, -1):
        row = (row << 1 ^ row >> 1) & every ^ (p >> at & 1)
    return row


def _equation(rows: int, columns: int, plus: bool) -> tuple[int, int, int]:
    """(modulus, g, s): the characteristic polynomial, its gcd with f, and s with s f = g."""
    modulus = poly.fibonacci(columns + 1)
    f = poly.fibonacci(rows + 1, 0b11 if plus else 0b10, modulus)
    return (modulus, *(poly.bezout(f, modulus) if f else (modulus, 0)))


# -- the answers -------------------------------------------------------------------------------------------------------


def nullity(rows: int, columns: int, plus: bool = True) -> int:
    """How many independent quiet patterns a rectangle has; `rows` may have a hundred digits."""
    return poly.degree(_equation(rows, columns, plus)[1])


def quiet_first_rows(rows: int, columns: int, plus: bool = True) -> Iterator[int]:
    """The first rows of a basis of the quiet patterns."""
    modulus, g, _ = _equation(rows, columns, plus)
    every, row = (1 << columns) - 1, row_of(poly.divide(modulus, g)[0], columns)
    for _ in range(poly.degree(g)):
        yield row
        row = (row << 1 ^ row >> 1) & every  # times t


def quiet_patterns(rows: int, columns: int, plus: bool = True) -> list[Rows]:
    """A basis of the presses that change nothing."""
    dark = (0,) * rows
    return [tuple(chase(dark, first, columns, plus)[:-1]) for first in quiet_first_rows(rows, columns, plus)]


def solve_rows(lit: Sequence[int], columns: int, plus: bool = True) -> BoardSolved:
    """Solve a rectangle in plain Python."""
    rows = len(lit)
    if not rows or not columns:
        return BoardSolved((0,) * rows, None, 0)
    modulus, g, s = _equation(rows, columns, plus)
    residue = chase(lit, 0, columns, plus)[-1]
    quotient, rest = poly.divide(polynomial_of(residue, columns), g)
    if rest:
        for first in quiet_first_rows(rows, columns, plus):
            if (first & residue).bit_count() % 2:
                upside_down = chase((0,) * rows, first, columns, plus)[:-1]
                return BoardSolved(None, tuple(reversed(upside_down)), poly.degree(g))
    first = row_of(poly.divide(poly.multiply(s, quotient), modulus)[1], columns)
    return BoardSolved(tuple(chase(lit, first, columns, plus)[:-1]), None, poly.degree(g))


def solve_packed(lit: BitMatrix, plus: bool = True) -> PackedSolved:
    """Solve a rectangle with the compiled kernel: a hundred million cells in some ten milliseconds."""
    import numpy as np

    from nonant.csp.algebra.gf2 import BitMatrix
    from nonant.models.lights.kernels import boards2 as kernel

    rows, columns = lit.shape
    if not rows or not columns:
        return PackedSolved(BitMatrix(np.zeros_like(lit.words), columns), None, 0)
    words = np.ascontiguousarray(lit.words)
    nothing, nowhere = np.zeros(words.shape[1], np.uint64), np.empty((0, words.shape[1]), np.uint64)
    modulus, g, s = kernel.equation(rows, columns, plus)
    residue = kernel.chase(words, nothing, columns, plus, nowhere)
    out = np.empty_like(words)
    first, solvable = kernel.first_row(residue, columns, modulus, g, s)
    if solvable:
        kernel.chase(words, first, columns, plus, out)
        return PackedSolved(BitMatrix(out, columns), None, int(kernel.degree(g)))
    first = kernel.odd_quiet_row(residue, columns, modulus, g)
    kernel.chase(np.zeros_like(words), first, columns, plus, out)
    return PackedSolved(None, BitMatrix(np.ascontiguousarray(out[::-1]), columns), int(kernel.degree(g)))
