"""Lights Out on a rectangle by polynomials over GF(2), on 64-bit words. The mathematics is in `rectangle`.

A polynomial is an array of words, bit k of the whole the coefficient of t^k. A board has one row of words a row. For a
board of n x n cells everything here takes O(n^2 / 64) word operations:

- F_{m+1} by doubling: squaring is one carry-less product of a word with itself;
- Euclid's algorithm in windows (Lehmer, 1938): the quotients of 32 degrees are found on the top words alone, gathered
  in a 2 x 2 matrix of words, and applied to the whole by four carry-less products a word.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.kernels.simd.bits import count_ones, leading_zeros
from nonant.csp.kernels.simd.instructions import carryless_product
from nonant.csp.machine.jit import njit

ONE, ZERO, FULL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
W63 = np.uint64(63)

Words = Any  # an array of uint64


# -- polynomials -------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def degree(f: Words) -> Any:
    """The degree; -1 for zero."""
    for at in range(f.size - 1, -1, -1):
        if f[at]:
            return 64 * at + 63 - leading_zeros(f[at])
    return -1


@njit(cache=True, nogil=True)
def _square(f: Words) -> Words:
    """The square, cut to the size of `f`."""
    out = np.zeros_like(f)
    for at in range((f.size + 1) // 2):
        low, high = carryless_product(f[at], f[at])
        out[2 * at] = low
        if 2 * at + 1 < f.size:
            out[2 * at + 1] = high
    return out


@njit(cache=True, nogil=True)
def _times_argument(f: Words, plus: bool) -> Words:
    """f times t, or times t + 1."""
    out, carry = np.empty_like(f), ZERO
    for at in range(f.size):
        out[at] = (f[at] << ONE) | carry
        carry = f[at] >> W63
        if plus:
            out[at] ^= f[at]
    return out


@njit(cache=True, nogil=True)
def fibonacci(index: int, plus: bool, n_words: int) -> Words:
    """F_index at t, or at t + 1."""
    low, high = np.zeros(n_words, np.uint64), np.zeros(n_words, np.uint64)
    high[0] = 1
    digits = 0
    while index >> digits:
        digits += 1
    for digit in range(digits - 1, -1, -1):
        low_squared, high_squared = _square(low), _square(high)
        if (index >> digit) & 1:
            low, high = low_squared ^ high_squared, _times_argument(high_squared, plus)
        else:
            low, high = _times_argument(low_squared, plus), low_squared ^ high_squared
    return low


@njit(cache=True, nogil=True)
def divide(f: Words, g: Words) -> Any:
    """Quotient and remainder, by 64 shifted copies of the divisor."""
    top = degree(g)
    width = (top >> 6) + 2
    rest, quotient, shifted = f.copy(), np.zeros(f.size, np.uint64), np.zeros((64, width), np.uint64)
    for by in range(64):
        for at in range(min(g.size, width)):
            shifted[by, at] |= g[at] << np.uint64(by)
            if by and at + 1 < width:
                shifted[by, at + 1] |= g[at] >> np.uint64(64 - by)
    for at in range(rest.size - 1, -1, -1):
        if 64 * at + 63 < top:
            break
        while rest[at]:
            shift = 64 * at + 63 - leading_zeros(rest[at]) - top
            if shift < 0:
                break
            word, bit = shift >> 6, shift & 63
            quotient[word] |= ONE << np.uint64(bit)
            for k in range(min(width, rest.size - word)):
                rest[word + k] ^= shifted[bit, k]
    return quotient, rest


@njit(cache=True, nogil=True)
def multiply(f: Words, g: Words) -> Words:
    """The product."""
    n_f, n_g = (degree(f) >> 6) + 1, (degree(g) >> 6) + 1
    out = np.zeros(n_f + n_g + 1, np.uint64)
    for at in range(n_f):
        carry = ZERO
        for k in range(n_g):
            low, high = carryless_product(f[at], g[k])
            out[at + k] ^= low ^ carry
            carry = high
        out[at + n_g] ^= carry
    return out


# -- Euclid ------------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _top_window(f: Words, top: int) -> Any:
    """The coefficients of degrees top - 63 .. top."""
    word, down = (top - 63) >> 6, np.uint64((top - 63) & 63)
    found = f[word] >> down
    if down and word + 1 < f.size:
        found |= f[word + 1] << (np.uint64(64) - down)
    return found


@njit(cache=True, nogil=True)
def _add_shifted(f: Words, g: Words, shift: int) -> None:
    """f += g t^shift, cut to the size of f."""
    word, up = shift >> 6, np.uint64(shift & 63)
    carry = ZERO
    for at in range(f.size - word):
        f[at + word] ^= (g[at] << up) | carry
        carry = g[at] >> (np.uint64(64) - up) if up else ZERO


@njit(cache=True, nogil=True)
def _combine(out_f: Words, out_g: Words, f: Words, g: Words, matrix: Any, n_words: int) -> None:
    """(out_f, out_g) = matrix (f, g), over the first `n_words` words."""
    ff, fg, gf, gg = matrix
    carry_f, carry_g = ZERO, ZERO
    for at in range(n_words):
        a, a_high = carryless_product(ff, f[at])
        b, b_high = carryless_product(fg, g[at])
        c, c_high = carryless_product(gf, f[at])
        d, d_high = carryless_product(gg, g[at])
        out_f[at], carry_f = a ^ b ^ carry_f, a_high ^ b_high
        out_g[at], carry_g = c ^ d ^ carry_g, c_high ^ d_high
    if n_words < out_f.size:
        out_f[n_words], out_g[n_words] = carry_f, carry_g


@njit(cache=True, nogil=True)
def _window_quotients(x: np.uint64, y: np.uint64, x_cofactor_larger: bool) -> Any:
    """Euclid on two top windows while both keep 32 degrees, as a 2 x 2 matrix of polynomials.

    On equal degrees the one with the larger cofactor is reduced: else a cofactor may outgrow its array.
    """
    ff, fg, gf, gg = ONE, ZERO, ZERO, ONE
    top_x, top_y = 63 - leading_zeros(x), 63 - leading_zeros(y)
    while top_x >= 32 and top_y >= 32:
        if top_x == top_y:
            reduce_x = x_cofactor_larger if (fg | gf) == 0 else (ff | fg) >= (gf | gg)
        else:
            reduce_x = top_x > top_y
        if reduce_x:
            up = np.uint64(top_x - top_y)
            x ^= y << up
            ff ^= gf << up
            fg ^= gg << up
            top_x = 63 - leading_zeros(x)
        else:
            up = np.uint64(top_y - top_x)
            y ^= x << up
            gf ^= ff << up
            gg ^= fg << up
            top_y = 63 - leading_zeros(y)
    return ff, fg, gf, gg


@njit(cache=True, nogil=True)
def bezout(f: Words, modulus: Words) -> Any:
    """(g, s) with g the greatest common divisor, and s f = g modulo `modulus`."""
    size = modulus.size + 1
    a, b = np.zeros(size, np.uint64), np.zeros(size, np.uint64)
    a[: modulus.size] = modulus
    b[: f.size] = f
    s, t = np.zeros(size, np.uint64), np.zeros(size, np.uint64)
    t[0] = 1
    a_next, b_next, s_next, t_next = np.zeros_like(a), np.zeros_like(a), np.zeros_like(a), np.zeros_like(a)
    top_a, top_b, used = degree(a), degree(b), 1  # used: words of s and t that may be nonzero
    while top_a >= 0 and top_b >= 0:
        top = max(top_a, top_b)
        if top >= 64 and abs(top_a - top_b) < 32:
            matrix = _window_quotients(_top_window(a, top), _top_window(b, top), degree(s) >= degree(t))
            n_words = min((top >> 6) + 1, size)
            # The arrays that are swapped out hold higher words of earlier rounds: clear them, or they come back.
            a_next[:], b_next[:], s_next[:], t_next[:] = 0, 0, 0, 0
            _combine(a_next, b_next, a, b, matrix, n_words)
            used = min(used + 1, size)
            _combine(s_next, t_next, s, t, matrix, used)
            a, a_next, b, b_next = a_next, a, b_next, b
            s, s_next, t, t_next = s_next, s, t_next, t
            top_a, top_b = degree(a[:n_words]), degree(b[:n_words])
        elif top_a > top_b or (top_a == top_b and degree(s) >= degree(t)):
            _add_shifted(a, b, top_a - top_b)
            _add_shifted(s, t, top_a - top_b)
            top_a, used = degree(a), size
        else:
            _add_shifted(b, a, top_b - top_a)
            _add_shifted(t, s, top_b - top_a)
            top_b, used = degree(b), size
        while used > 1 and s[used - 1] == 0 and t[used - 1] == 0:
            used -= 1
    if top_a >= 0:
        return a[: modulus.size].copy(), s[: modulus.size].copy()
    return b[: modulus.size].copy(), t[: modulus.size].copy()


@njit(cache=True, nogil=True)
def equation(rows: int, columns: int, plus: bool) -> Any:
    """(modulus, g, s): the characteristic polynomial, its gcd with f = F_{rows+1}, and s with s f = g."""
    n_words = ((columns + 1) >> 6) + 1
    modulus = fibonacci(columns + 1, False, n_words)
    f = fibonacci(rows + 1, plus, ((max(rows, columns) + 1) >> 6) + 1)
    if rows >= columns:
        f = divide(f, modulus)[1]
    f = f[:n_words].copy()
    if degree(f) < 0:
        return modulus, modulus.copy(), np.zeros(n_words, np.uint64)
    g, s = bezout(f, modulus)
    return modulus, g, s


# -- rows --------------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True, inline="always")
def _top_mask(columns: int) -> np.uint64:
    return FULL if columns & 63 == 0 else (ONE << np.uint64(columns & 63)) - ONE


@njit(cache=True, nogil=True)
def chase(lit: Words, first: Words, columns: int, plus: bool, presses: Words) -> Words:
    """The row after the last that `first` forces; the rows before it go to `presses`, where that has any rows."""
    rows, width = lit.shape
    last, centre = _top_mask(columns), FULL if plus else ZERO
    row, other = np.zeros(width + 2, np.uint64), np.zeros(width + 2, np.uint64)  # a zero word at both ends
    row[1 : width + 1] = first
    for at in range(rows):
        lights = lit[at]
        if presses.shape[0]:
            presses[at] = row[1 : width + 1]
        for j in range(width):
            here = row[j + 1]
            sideways = (here << ONE) ^ (row[j] >> W63) ^ (here >> ONE) ^ (row[j + 2] << W63)
            other[j + 1] ^= lights[j] ^ sideways ^ (here & centre)
        other[width] &= last
        row, other = other, row
    return row[1 : width + 1].copy()


@njit(cache=True, nogil=True)
def polynomial_of(row: Words, columns: int, n_words: int) -> Words:
    """The polynomial p with p(A) e = row, by Clenshaw's rule."""
    last, before = np.zeros(n_words + 1, np.uint64), np.zeros(n_words + 1, np.uint64)  # word 0 stays zero
    for at in range(columns - 1, -1, -1):
        for j in range(1, min(n_words, ((columns - 1 - at) >> 6) + 1) + 1):
            before[j] ^= (last[j] << ONE) | (last[j - 1] >> W63)
        before[1] ^= (row[at >> 6] >> np.uint64(at & 63)) & ONE
        last, before = before, last
    return last[1:].copy()


@njit(cache=True, nogil=True)
def row_of(p: Words, columns: int, width: int) -> Words:
    """The row p(A) e, by Horner's rule."""
    row, other, last = np.zeros(width + 2, np.uint64), np.zeros(width + 2, np.uint64), _top_mask(columns)
    top = degree(p)
    for at in range(top, -1, -1):
        for j in range(1, min(width, ((top - at) >> 6) + 1) + 1):
            other[j] = (row[j] << ONE) ^ (row[j - 1] >> W63) ^ (row[j] >> ONE) ^ (row[j + 1] << W63)
        other[width] &= last
        other[1] ^= (p[at >> 6] >> np.uint64(at & 63)) & ONE
        row, other = other, row
    return row[1 : width + 1].copy()


@njit(cache=True, nogil=True)
def first_row(residue: Words, columns: int, modulus: Words, g: Words, s: Words) -> Any:
    """The first row of a solution, and whether there is one."""
    width = residue.size
    quotient = polynomial_of(residue, columns, modulus.size)
    if degree(g) > 0:
        quotient, rest = divide(quotient, g)
        if degree(rest) >= 0:
            return np.zeros(width, np.uint64), False
    if degree(quotient) < 0 or degree(s) < 0:
        return np.zeros(width, np.uint64), True
    return row_of(divide(multiply(s, quotient), modulus)[1], columns, width), True


@njit(cache=True, nogil=True)
def odd_quiet_row(residue: Words, columns: int, modulus: Words, g: Words) -> Words:
    """The first row of a quiet pattern that has an odd number of cells in common with the residue."""
    width, last = residue.size, _top_mask(columns)
    row, other = np.zeros(width + 2, np.uint64), np.zeros(width + 2, np.uint64)
    row[1 : width + 1] = row_of(divide(modulus, g)[0], columns, width)
    for _ in range(degree(g)):
        common = 0
        for j in range(width):
            common += count_ones(row[j + 1] & residue[j])
        if common & 1:
            break
        for j in range(1, width + 1):
            other[j] = (row[j] << ONE) ^ (row[j - 1] >> W63) ^ (row[j] >> ONE) ^ (row[j + 1] << W63)
        other[width] &= last
        row, other = other, row
    return row[1 : width + 1].copy()
