"""Polynomials over GF(2) in plain Python: an int, bit k the coefficient of t^k; adding is `^`.

Beside the arithmetic stand the Fibonacci polynomials F_0 = 0, F_1 = 1, F_{k+1}(t) = t F_k(t) + F_{k-1}(t), which are
what light chasing on a grid multiplies by (`rectangle`). Over GF(2) they double cheaply, since squaring only spreads
the bits: F_{2k} = t F_k^2 and F_{2k+1} = F_k^2 + F_{k+1}^2.
"""

from __future__ import annotations


def degree(f: int) -> int:
    """The degree; -1 for zero."""
    return f.bit_length() - 1


def multiply(f: int, g: int) -> int:
    """The product."""
    if f.bit_count() > g.bit_count():
        f, g = g, f
    total = 0
    while f:
        low = f & -f
        total ^= g << (low.bit_length() - 1)
        f ^= low
    return total


def divide(f: int, g: int) -> tuple[int, int]:
    """Quotient and remainder; `g` must not be zero."""
    quotient, size = 0, g.bit_length()
    while (shift := f.bit_length() - size) >= 0:
        quotient |= 1 << shift
        f ^= g << shift
    return quotient, f


def square(f: int) -> int:
    """The square: a zero between every two bits."""
    return int(bin(f)[2:], 4)


def bezout(f: int, modulus: int) -> tuple[int, int]:
    """(g, s) with g the greatest common divisor of `f` and `modulus`, and s f = g modulo `modulus`."""
    s, s_next, g, g_next = 1, 0, f, modulus
    while g_next:
        size = g_next.bit_length()
        while (shift := g.bit_length() - size) >= 0:
            g ^= g_next << shift
            s ^= s_next << shift
        g, g_next, s, s_next = g_next, g, s_next, s
    return g, s


def fibonacci(index: int, argument: int = 0b10, modulus: int = 0) -> int:
    """F_index at the polynomial `argument` (t or t + 1), reduced by `modulus` where one is given.

    With a modulus the index may be astronomical: it takes two squarings a binary digit.
    """

    def short(f: int) -> int:
        return divide(f, modulus)[1] if modulus else f

    low, high = 0, short(1)  # F_k and F_{k+1}, for k the digits read so far
    for digit in bin(index)[2:]:
        low_squared, high_squared = square(low), square(high)
        if digit == "1":
            low, high = low_squared ^ high_squared, multiply(argument, high_squared)
        else:
            low, high = multiply(argument, low_squared), low_squared ^ high_squared
        low, high = short(low), short(high)
    return low
