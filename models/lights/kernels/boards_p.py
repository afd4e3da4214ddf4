"""Lights Out with p states on a rectangle, by polynomials modulo a prime p. The mathematics is in `modular_rectangle`.

Residues are 32-bit floats: whole numbers below 2^24 are exact in them, sixteen fit a register, and unlike with small
ints no lane is widened on the way. `_residue` is the remainder without a division. A polynomial is an array with its
coefficients from the constant up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.machine.jit import njit

F4 = np.float32
HALF = F4(0.5)
EXACT = 16_000_000  # sums of products may grow to this (a little below 2^24) between reductions

Coefficients = Any  # a numpy array of float32


@njit(cache=True, nogil=True, inline="always")
def _residue(x: np.float32, p: np.float32, inverse: np.float32) -> Any:
    return x - p * np.floor((x + HALF) * inverse)


@njit(cache=True, nogil=True)
def _inverse(a: float, p: int) -> int:
    """1 / a, by Fermat's little theorem."""
    result, base, exponent = 1, int(a) % p, p - 2
    while exponent:
        if exponent & 1:
            result = result * base % p
        base = base * base % p
        exponent >>= 1
    return result


@njit(cache=True, nogil=True)
def degree(f: Coefficients) -> int:
    """The degree; -1 for zero."""
    for at in range(f.size - 1, -1, -1):
        if f[at] != 0:
            return at
    return -1


@njit(cache=True, nogil=True)
def _subtract(
    f: Coefficients, g: Coefficients, q: np.float32, shift: int, top: int, p: np.float32, i: np.float32
) -> None:
    """f -= q g t^shift, where g has degree at most `top`."""
    factor = p - q
    for at in range(top + 1):
        f[at + shift] = _residue(f[at + shift] + factor * g[at], p, i)


@njit(cache=True, nogil=True)
def divide(f: Coefficients, g: Coefficients, p: int) -> Any:
    """Quotient and remainder."""
    fp, fi, rest, quotient = F4(p), F4(1 / p), f.copy(), np.zeros_like(f)
    top = degree(g)
    lead = _inverse(g[top], p)
    for at in range(f.size - 1, top - 1, -1):
        if rest[at] != 0:
            q = F4(int(rest[at]) * lead % p)
            quotient[at - top] = q
            _subtract(rest, g, q, at - top, top, fp, fi)
    return quotient, rest


@njit(cache=True, nogil=True)
def multiply(f: Coefficients, g: Coefficients, p: int) -> Coefficients:
    """The product."""
    fp, fi, out = F4(p), F4(1 / p), np.zeros(f.size + g.size, F4)
    top, often, since = degree(g), EXACT // (p * p), 0
    for at in range(degree(f) + 1):
        factor = f[at]
        for k in range(top + 1):
            out[at + k] += factor * g[k]
        since += 1
        if since == often:
            since = 0
            for k in range(out.size):
                out[k] = _residue(out[k], fp, fi)
    for k in range(out.size):
        out[k] = _residue(out[k], fp, fi)
    return out


@njit(cache=True, nogil=True)
def bezout(f: Coefficients, modulus: Coefficients, p: int) -> Any:
    """(g, s) with g a greatest common divisor, and s f = g modulo `modulus`."""
    fp, fi, size = F4(p), F4(1 / p), modulus.size
    a, b, s, t = modulus.copy(), np.zeros(size, F4), np.zeros(size, F4), np.zeros(size, F4)
    b[: f.size] = f
    t[0] = 1
    top_a, top_b, top_s, top_t = degree(a), degree(b), -1, 0
    while top_b >= 0:
        lead = _inverse(b[top_b], p)
        while top_a >= top_b:
            q, shift = F4(int(a[top_a]) * lead % p), top_a - top_b
            _subtract(a, b, q, shift, top_b, fp, fi)
            _subtract(s, t, q, shift, min(top_t, size - 1 - shift), fp, fi)
            top_s = min(size - 1, max(top_s, top_t + shift))
            while top_a >= 0 and a[top_a] == 0:
                top_a -= 1
        a, b, s, t = b, a, t, s
        top_a, top_b, top_s, top_t = top_b, top_a, top_t, top_s
    return a, s


@njit(cache=True, nogil=True)
def _recurrence(steps: int, sign: int, c: int, p: int, size: int) -> Coefficients:
    """The polynomial with number `steps` of 0, 1, ..., sign (t + c) u_k - u_{k-1}."""
    fp, fi = F4(p), F4(1 / p)
    before, last = np.zeros(size + 1, F4), np.zeros(size + 1, F4)  # entry 0 stays zero
    last[1] = 1
    t, constant = F4(1 if sign > 0 else p - 1), F4(c * sign % p)
    for step in range(steps - 1):
        for at in range(1, min(size, step + 2) + 1):
            before[at] = _residue(t * last[at - 1] + constant * last[at] + fp - before[at], fp, fi)
        before, last = last, before
    return last[1:].copy()


@njit(cache=True, nogil=True)
def equation(rows: int, columns: int, p: int, c: int) -> Any:
    """(modulus, g, s): the characteristic polynomial, its gcd with f, and s with s f = g."""
    modulus = _recurrence(columns + 1, 1, 0, p, columns + 1)
    f = _recurrence(rows + 1, -1, c, p, max(rows, columns) + 1)
    f = divide(f, modulus, p)[1][: columns + 1].copy()
    if degree(f) < 0:
        return modulus, modulus.copy(), np.zeros(columns + 1, F4)
    g, s = bezout(f, modulus, p)
    return modulus, g, s


# -- rows --------------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def chase(lights: Any, first: Coefficients, p: int, c: int, out: Any) -> None:
    """Row i + 1 of `out` gets the presses of row i; all in a margin of zeros; the last row is what must be zero."""
    rows, columns = lights.shape
    fp, fi, factor, lift = F4(p), F4(1 / p), F4((p - c) % p), F4(3 * p)
    out[0], out[1] = 0, 0
    out[1, 1 : columns + 1] = first
    for at in range(1, rows + 1):
        above, row, below, wanted = out[at - 1], out[at], out[at + 1], lights[at - 1]
        below[0], below[columns + 1] = 0, 0
        for j in range(1, columns + 1):
            below[j] = _residue(wanted[j - 1] + factor * row[j] + lift - row[j - 1] - row[j + 1] - above[j], fp, fi)


@njit(cache=True, nogil=True)
def polynomial_of(row: Coefficients, size: int, p: int) -> Coefficients:
    """The polynomial q with q(A) e = row, by Clenshaw's rule."""
    fp, fi, columns = F4(p), F4(1 / p), row.size
    last, before = np.zeros(size + 1, F4), np.zeros(size + 1, F4)  # entry 0 stays zero
    for at in range(columns - 1, -1, -1):
        for j in range(1, min(size, columns - at) + 1):
            before[j] = _residue(last[j - 1] + fp - before[j], fp, fi)
        before[1] = _residue(before[1] + row[at], fp, fi)
        last, before = before, last
    return last[1:].copy()


@njit(cache=True, nogil=True)
def _sideways(row: Coefficients, out: Coefficients, fp: np.float32, fi: np.float32) -> None:
    for j in range(1, row.size - 1):
        out[j] = _residue(row[j - 1] + row[j + 1], fp, fi)


@njit(cache=True, nogil=True)
def row_of(q: Coefficients, columns: int, p: int) -> Coefficients:
    """The row q(A) e, by Horner's rule."""
    fp, fi = F4(p), F4(1 / p)
    row, other = np.zeros(columns + 2, F4), np.zeros(columns + 2, F4)
    for at in range(degree(q), -1, -1):
        _sideways(row, other, fp, fi)
        other[1] = _residue(other[1] + q[at], fp, fi)
        row, other = other, row
    return row[1 : columns + 1].copy()


@njit(cache=True, nogil=True)
def first_row(residue: Coefficients, p: int, modulus: Coefficients, g: Coefficients, s: Coefficients) -> Any:
    """The first row of a solution, and whether there is one."""
    columns, negative = residue.size, residue.copy()
    for at in range(columns):
        negative[at] = F4(p) - residue[at] if residue[at] else F4(0)
    quotient, rest = divide(polynomial_of(negative, columns + 1, p), g, p)
    if degree(rest) >= 0:
        return negative, False
    return row_of(divide(multiply(s, quotient, p), modulus, p)[1], columns, p), True


@njit(cache=True, nogil=True)
def odd_quiet_row(residue: Coefficients, p: int, modulus: Coefficients, g: Coefficients) -> Coefficients:
    """The first row of a pattern that changes nothing, whose product with the residue is not zero modulo p."""
    fp, fi, columns = F4(p), F4(1 / p), residue.size
    row, other = np.zeros(columns + 2, F4), np.zeros(columns + 2, F4)
    row[1 : columns + 1] = row_of(divide(modulus, g, p)[0], columns, p)
    for _ in range(degree(g)):
        product = 0
        for j in range(columns):
            product += int(row[j + 1]) * int(residue[j])
        if product % p:
            break
        _sideways(row, other, fp, fi)
        row, other = other, row
    return row[1 : columns + 1].copy()
