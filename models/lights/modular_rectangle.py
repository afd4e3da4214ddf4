"""Lights Out with p states a light on a rectangle, by polynomials modulo the prime p.

Everything is as in `rectangle`, with signs. Let x_i be the presses of row i and b_i what must be added to the lights
there; then x_{i+1} = b_i - (A + c) x_i - x_{i-1}, so that the row after the last is x_{m+1} = f(A) x_1 + r, where f is
the m-th of f_0 = 1, f_{k+1} = -(t + c) f_k - f_{k-1}. Rows are polynomials modulo the characteristic polynomial of A,
which comes from S_{k+1} = t S_k - S_{k-1}, and f x = -r is solved by one run of Euclid's algorithm. Up to scaling these
are Chebyshev polynomials of the second kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nonant.csp.errors import ModelError
from nonant.models.lights.modular import check_prime

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LARGEST_PRIME = 251  # the kernel keeps residues in 32-bit floats, where products up to this prime's square are exact


@dataclass(frozen=True, eq=False)
class ModularSolved:
    """The answer for a rectangle.

    Attributes:
        presses: one solution, an array of 0 .. p - 1, or None.
        witness: where there is none, a weight 0 .. p - 1 for each light, such that every press changes the weighted
            sum by a multiple of p, but what is asked for would not.
        nullity: there are p^nullity press patterns that change nothing.
    """

    presses: NDArray[np.uint8] | None
    witness: NDArray[np.uint8] | None
    nullity: int


def solve_modular(wanted: Any, p: int, plus: bool = True) -> ModularSolved:
    """Find presses that add `wanted` (a two-dimensional array) to the lights, modulo the prime p.

    Raises:
        ModelError: if p is no prime or above `LARGEST_PRIME`, or the array has not two dimensions.
    """
    import numpy as np

    check_prime(p)
    if p > LARGEST_PRIME:
        raise ModelError(f"the polynomial method takes up to {LARGEST_PRIME} states, not {p}; use modular.solve")
    board = np.asarray(wanted)
    if board.ndim != 2:
        raise ModelError(f"a board has two dimensions, this array has the shape {board.shape}")
    if 0 in board.shape:
        return ModularSolved(np.zeros(board.shape, np.uint8), None, 0)

    from nonant.models.lights.kernels import boards_p as kernel

    rows, columns = board.shape
    inside = board.min() >= 0 and board.max() <= p
    lights = np.ascontiguousarray(board if inside else board % p, np.float32)
    out = np.empty((rows + 2, columns + 2), np.float32)
    modulus, g, s = kernel.equation(rows, columns, p, int(plus))
    nullity = int(kernel.degree(g))
    kernel.chase(lights, np.zeros(columns, np.float32), p, int(plus), out)
    residue = out[rows + 1, 1:-1].copy()
    first, solvable = kernel.first_row(residue, p, modulus, g, s)
    if solvable:
        kernel.chase(lights, first, p, int(plus), out)
        return ModularSolved(out[1:-1, 1:-1].astype(np.uint8), None, nullity)
    first = kernel.odd_quiet_row(residue, p, modulus, g)
    kernel.chase(np.zeros_like(lights), first, p, int(plus), out)
    return ModularSolved(None, out[-2:0:-1, 1:-1].astype(np.uint8), nullity)


def nullity_modular(rows: int, columns: int, p: int, plus: bool = True) -> int:
    """How many independent press patterns change nothing."""
    check_prime(p)
    from nonant.models.lights.kernels import boards_p as kernel

    return int(kernel.degree(kernel.equation(rows, columns, p, int(plus))[1]))
