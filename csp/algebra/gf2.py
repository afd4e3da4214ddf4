"""Linear algebra over GF(2): rank, reduced form, solve, inverse, null space, product, and why there is no solution.

    rank([[1, 0, 1], [0, 1, 1], [1, 1, 0]])            # 2
    solve(matrix, side).solution                       # 0/1 array, or None: then .witness says why

A matrix is any two-dimensional array of zeros and ones, or a `BitMatrix`: its rows packed 64 columns a word, which is
what the functions return (`np.asarray(matrix)` or `.bits()` unpacks it). Vectors are arrays of zeros and ones.

Four ways lead to the same answers; `method` chooses, "auto" is the first that fits:

- "ints": plain Python (`bitrows`), without loading a compiler: for tiny matrices, and for larger ones while all that
  were eliminated so had fewer entries than loading the kernels is worth;
- "affine": the GFNI instruction (`kernels/gf2/gfni.py`), where the processor has it;
- "tables": four Russians (`kernels/gf2/tables.py`), on any processor.

numpy and numba are imported by the functions that need them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from nonant.csp.algebra import bitrows
from nonant.csp.errors import ModelError
from nonant.csp.machine.loading import meter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bits = NDArray[np.uint8]
    Words = NDArray[np.uint64]

Method = Literal["auto", "ints", "affine", "tables"]

TINY = 32 * 32  # entries: plain Python is as quick as the call of a kernel
# So many entries plain Python eliminates in less time than loading the kernels takes.
LOADING = 1_600_000
LARGE = 1 << 20  # from so many entries on, packing and unpacking are compiled too

_NOT_BITS = "a matrix over GF(2) holds 0 and 1 only; reduce the entries modulo 2 first"


@dataclass(frozen=True, eq=False)
class BitMatrix:
    """A matrix over GF(2), packed: column c of a row is bit `c % 64` of its word `c // 64`; unused bits are zero."""

    words: Words
    columns: int

    @staticmethod
    def of(matrix: Any) -> BitMatrix:
        """Pack a two-dimensional array of zeros and ones; a `BitMatrix` is returned as it is.

        Raises:
            ModelError: if it has another number of dimensions, or an entry that is neither 0 nor 1.
        """
        import numpy as np

        if isinstance(matrix, BitMatrix):
            return matrix
        array = np.asarray(matrix)
        if array.ndim != 2:
            raise ModelError(f"a matrix over GF(2) has two dimensions, this array has the shape {array.shape}")
        rows, columns = array.shape
        if array.size >= LARGE and array.dtype in (np.bool_, np.uint8) and array.flags.c_contiguous:
            from nonant.csp.kernels.simd import packing

            words = np.empty((rows, -(-columns // 64)), np.uint64)
            if not packing.pack(array.view(np.uint8).reshape(-1), rows, columns, words.reshape(-1)):
                raise ModelError(_NOT_BITS)
            return BitMatrix(words, columns)
        entries = array.astype(np.uint8)
        if array.size and (entries.max() > 1 or (entries != array).any()):
            raise ModelError(_NOT_BITS)
        packed = np.zeros((rows, -(-columns // 64) * 8), np.uint8)
        packed[:, : -(-columns // 8)] = np.packbits(entries, axis=1, bitorder="little")
        return BitMatrix(packed.view("<u8").astype(np.uint64, copy=False), columns)

    @staticmethod
    def of_ints(rows: Iterable[int], columns: int) -> BitMatrix:
        """Pack rows given as ints, bit c the column c."""
        import numpy as np

        listed, width = list(rows), -(-columns // 64) * 8
        data = b"".join(row.to_bytes(width, "little") for row in listed)
        words = np.frombuffer(data, "<u8").astype(np.uint64).reshape(len(listed), width // 8)
        return BitMatrix(words, columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.words.shape[0]), self.columns

    def bits(self) -> Bits:
        """The entries, one a byte."""
        import numpy as np

        rows = self.words.shape[0]
        if rows * self.columns >= LARGE:
            from nonant.csp.kernels.simd import packing

            entries = np.empty(rows * self.columns, np.uint8)
            packing.unpack(np.ascontiguousarray(self.words).reshape(-1), rows, self.columns, entries)
            return entries.reshape(rows, self.columns)
        data = np.ascontiguousarray(self.words.astype("<u8", copy=False)).view(np.uint8)
        return np.unpackbits(data, axis=1, count=self.columns, bitorder="little")

    def ints(self) -> list[int]:
        """The rows as ints, bit c the column c."""
        words = self.words.astype("<u8", copy=False)
        return [int.from_bytes(row.tobytes(), "little") for row in words]

    def transposed(self) -> BitMatrix:
        """Rows and columns exchanged."""
        return BitMatrix.of(self.bits().T)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """The entries, for `np.asarray`."""
        return self.bits() if dtype is None else self.bits().astype(dtype)


@dataclass(frozen=True, eq=False)
class Reduced:
    """A reduced row echelon form.

    Attributes:
        matrix: as many rows as the original, those beyond the rank zero.
        pivots: the pivot columns, ascending; row k has its first one in column `pivots[k]`.
    """

    matrix: BitMatrix
    pivots: tuple[int, ...]

    @property
    def rank(self) -> int:
        """The number of pivots."""
        return len(self.pivots)


@dataclass(frozen=True, eq=False)
class Solved:
    """The answer to A x = b: a solution or a witness, never both.

    Attributes:
        solution: x, with zeros in the columns without pivots; None when there is none.
        witness: then a set y of rows, with y A = 0 and y b = 1: the sum of these equations says 0 = 1.
    """

    solution: Bits | None
    witness: Bits | None


# -- which way ---------------------------------------------------------------------------------------------------------


@cache
def compiled_method() -> Literal["affine", "tables"]:
    """The compiled way that suits this processor; asked of its flags, before anything is compiled."""
    instructions = import_module("nonant.csp.kernels.simd.instructions")
    return "affine" if instructions.has(*_kernel("affine").FEATURES) else "tables"


def by_ints(rows: int, columns: int) -> bool:
    """Whether an elimination of this size, which is to follow, is one for `bitrows`: ints may stay ints."""
    return _chosen("auto", rows, columns) == "ints"


def _chosen(method: Method, rows: int, columns: int) -> Literal["ints", "affine", "tables"]:
    if method == "auto":
        entries, plain = rows * columns, meter("GF(2) matrices", LOADING)
        if entries > TINY and plain.paid(entries):
            plain.pay()
            return compiled_method()
        plain.add(entries)
        return "ints"
    if method not in ("ints", "affine", "tables"):
        raise ModelError(f"there is no method {method!r}; use auto, ints, affine or tables")
    if method == "affine" and compiled_method() != "affine":
        raise ModelError("method 'affine' needs a processor with GFNI and AVX-512; use 'tables' or 'auto'")
    return method


def _kernel(method: str) -> Any:
    return import_module("nonant.csp.kernels.gf2.gfni" if method == "affine" else "nonant.csp.kernels.gf2.tables")


class _Work:
    """A matrix in a kernel's layout, with room for an elimination in place."""

    def __init__(self, kernel: Any, matrix: BitMatrix) -> None:
        import numpy as np

        self.kernel = kernel
        self.rows, self.columns = matrix.shape
        self.strips = -(-self.columns // kernel.STRIP)
        self.blocks = _aligned(kernel.size(self.rows, self.columns))
        flat = np.ascontiguousarray(matrix.words).reshape(-1)
        kernel.to_blocks(flat, self.rows, matrix.words.shape[1], self.blocks, self.strips)

    def eliminate(self, columns: int, mode: int) -> int:
        """Run the kernel's elimination; the rank."""
        import numpy as np

        whole = -(-self.rows // self.kernel.GROUP) * self.kernel.GROUP
        self.pivot_rows = np.full(self.strips * self.kernel.STRIP, -1, np.int64)
        self.used = np.zeros(whole, np.uint8)
        self.used[self.rows :] = 1
        return int(
            self.kernel.eliminate(self.blocks, self.rows, columns, self.strips, mode, self.pivot_rows, self.used)
        )

    def packed(self, order: Any, rows: int, columns: int) -> BitMatrix:
        """The rows `order` first, then zero rows."""
        import numpy as np

        n_words = -(-columns // 64)
        place = np.full(self.rows, -1, np.int64)
        place[order] = np.arange(len(order))
        out = np.empty((rows, n_words), np.uint64)
        out[len(order) :] = 0
        self.kernel.from_blocks(self.blocks, self.rows, self.strips, out.reshape(-1), n_words, place)
        return BitMatrix(out, columns)


def _aligned(n_words: int, clear: bool = False) -> Words:
    """An array that starts on a cache line: the kernels' registers then never straddle two."""
    import numpy as np

    room = np.zeros(n_words + 8, np.uint64) if clear else np.empty(n_words + 8, np.uint64)
    skip = -room.ctypes.data % 64 // 8
    return room[skip : skip + n_words]


# -- the operations ----------------------------------------------------------------------------------------------------


def rank(matrix: Any, method: Method = "auto") -> int:
    """The rank over GF(2)."""
    given = BitMatrix.of(matrix)
    way = _chosen(method, *given.shape)
    if way == "ints" or 0 in given.shape:
        return bitrows.rank(given.ints())
    kernel = _kernel(way)
    return _Work(kernel, given).eliminate(given.columns, kernel.ECHELON)


def reduced(matrix: Any, method: Method = "auto") -> Reduced:
    """The reduced row echelon form."""
    given = BitMatrix.of(matrix)
    rows, columns = given.shape
    way = _chosen(method, rows, columns)
    if way == "ints" or 0 in given.shape:
        found, pivots = bitrows.reduced(given.ints())
        return Reduced(BitMatrix.of_ints(found + [0] * (rows - len(found)), columns), tuple(pivots))
    kernel = _kernel(way)
    work = _Work(kernel, given)
    work.eliminate(columns, kernel.REDUCED)
    held = work.pivot_rows[:columns] >= 0
    order = work.pivot_rows[:columns][held]
    return Reduced(work.packed(order, rows, columns), tuple(held.nonzero()[0].tolist()))


def solve(matrix: Any, side: Any, method: Method = "auto") -> Solved:
    """Solve matrix x = side.

    Raises:
        ModelError: if `side` has not one entry, 0 or 1, a row.
    """
    import numpy as np

    given = BitMatrix.of(matrix)
    rows, columns = given.shape
    wanted = np.asarray(side).reshape(-1)
    right = wanted.astype(np.uint8)
    if right.size != rows or (right.size and (right.max() > 1 or (right != wanted).any())):
        raise ModelError(f"the right-hand side needs {rows} entries 0 or 1, one a row; it has {right.size} numbers")
    way = _chosen(method, rows, columns)
    if way == "ints" or 0 in given.shape:
        solution, witness = bitrows.solve(given.ints(), columns, right.tolist())
        return Solved(_vector(solution, columns), _vector(witness, rows))
    solved = _solve_compiled(_kernel(way), given, right)
    if solved is not None:
        return Solved(solved, None)
    # Fredholm's alternative: where A x = b has no solution, A^T y = 0 with b y = 1 has one.
    against = BitMatrix.of(np.vstack([given.bits().T, right]))
    witness_bits = _solve_compiled(_kernel(way), against, np.eye(1, columns + 1, columns, np.uint8)[0])
    assert witness_bits is not None
    return Solved(None, witness_bits)


def _vector(mask: int | None, length: int) -> Bits | None:
    return None if mask is None else BitMatrix.of_ints([mask], length).bits()[0]


def _solve_compiled(kernel: Any, given: BitMatrix, right: Bits) -> Bits | None:
    import numpy as np

    rows, columns = given.shape
    # The right-hand side rides along as one more column, which gets no pivot.
    words = np.zeros((rows, columns // 64 + 1), np.uint64)
    words[:, : given.words.shape[1]] = given.words
    words[:, columns // 64] |= right.astype(np.uint64) << np.uint64(columns % 64)
    work = _Work(kernel, BitMatrix(words, columns + 1))
    found = work.eliminate(columns, kernel.ECHELON)
    left = np.zeros(work.used.size, np.uint8)
    kernel.read_column(work.blocks, rows, columns, left)
    if found < rows and left[work.used == 0].any():
        return None
    out = np.zeros(work.strips * kernel.STRIP // 64, np.uint64)
    kernel.back_substitute(work.blocks, rows, columns, work.pivot_rows, left, out)
    solution: Bits = BitMatrix(out[None, :], columns).bits()[0]
    return solution


def inverse(matrix: Any, method: Method = "auto") -> BitMatrix | None:
    """The inverse, or None if the matrix has none.

    Raises:
        ModelError: if the matrix is not square.
    """
    import numpy as np

    given = BitMatrix.of(matrix)
    n, columns = given.shape
    if n != columns:
        raise ModelError(f"only a square matrix has an inverse; this one is {n} x {columns}")
    way = _chosen(method, n, n)
    if way == "ints" or n == 0:
        found = bitrows.inverse(given.ints())
        return None if found is None else BitMatrix.of_ints(found, n)
    kernel = _kernel(way)
    work = _Work(kernel, given)
    if work.eliminate(n, kernel.INVERSE) < n:
        return None
    # In place, the row of pivot c is row c of the inverse, and column c belongs to the original row of that pivot.
    source = work.pivot_rows[:n]
    if (source != np.arange(n)).any():
        out = _aligned(work.blocks.size, clear=True)
        kernel.permute_columns(work.blocks, out, n, n, source)
        work.blocks = out
    return work.packed(source, n, n)


def null_space(matrix: Any, method: Method = "auto") -> BitMatrix:
    """A basis of the vectors x with matrix x = 0, one a row: one for each column without a pivot, ascending."""
    import numpy as np

    given = BitMatrix.of(matrix)
    rows, columns = given.shape
    if _chosen(method, rows, columns) == "ints" or 0 in given.shape:
        return BitMatrix.of_ints(bitrows.null_space(given.ints(), columns), columns)
    form = reduced(given, method)
    free = np.setdiff1d(np.arange(columns), np.array(form.pivots, np.int64))
    basis = np.zeros((free.size, columns), np.uint8)
    basis[np.arange(free.size), free] = 1
    if free.size and form.rank:
        pivots, down = np.array(form.pivots), (free % 64).astype(np.uint64)
        for first in range(0, form.rank, 256):  # a slice of rows at a time: a word for each entry is much memory
            last = min(first + 256, form.rank)
            chosen = form.matrix.words[first:last][:, free // 64] >> down & np.uint64(1)
            basis[:, pivots[first:last]] = chosen.T
    return BitMatrix.of(basis)


def multiply(left: Any, right: Any, method: Method = "auto") -> BitMatrix:
    """The product.

    Raises:
        ModelError: if the left matrix has not as many columns as the right has rows.
    """
    first, second = BitMatrix.of(left), BitMatrix.of(right)
    (rows, inner), (inner_too, columns) = first.shape, second.shape
    if inner != inner_too:
        raise ModelError(f"a {rows} x {inner} matrix cannot be multiplied by one of {inner_too} x {columns}")
    way = _chosen(method, rows, max(inner, columns))
    if way == "ints" or 0 in (rows, inner, columns):
        return BitMatrix.of_ints(bitrows.product(first.ints(), second.ints()), columns)
    import numpy as np

    kernel = _kernel(way)
    a, b = _Work(kernel, first), _Work(kernel, second)
    out = _aligned(kernel.size(rows, columns), clear=True)
    kernel.multiply(a.blocks, b.blocks, out, rows, inner, b.strips)
    a.blocks, a.strips = out, b.strips
    return a.packed(np.arange(rows), rows, columns)
