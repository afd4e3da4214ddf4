"""Linear algebra over GF(2): all ways give the same, right answers, and a witness where there is no solution."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonant.csp.algebra import bitrows, gf2
from nonant.csp.errors import ModelError
from nonant.models.lights import polynomials2

COMPILED = [
    pytest.param(
        "affine", marks=pytest.mark.skipif(gf2.compiled_method() != "affine", reason="this processor has no GFNI")
    ),
    "tables",
]
SHAPES = [(1, 1), (1, 70), (70, 1), (8, 8), (63, 64), (64, 65), (65, 63), (300, 520), (513, 512), (600, 1100)]


def random_matrix(source, rows, columns, kind):
    if kind == "sparse":
        return (source.random((rows, columns)) < 0.01).astype(np.uint8)
    if kind == "low rank":
        inner = max(1, min(rows, columns) // 3)
        return product(source.integers(0, 2, (rows, inner)), source.integers(0, 2, (inner, columns)))
    return source.integers(0, 2, (rows, columns)).astype(np.uint8)


def product(left, right):
    return (np.asarray(left, np.int64) @ np.asarray(right, np.int64) % 2).astype(np.uint8)


@pytest.mark.parametrize("method", COMPILED)
@pytest.mark.parametrize("kind", ["dense", "sparse", "low rank"])
def test_compiled_answers_are_those_of_plain_python(method, kind):
    source = np.random.default_rng(7)
    for rows, columns in SHAPES:
        matrix = random_matrix(source, rows, columns, kind)
        plain, compiled = gf2.reduced(matrix, "ints"), gf2.reduced(matrix, method)
        assert compiled.pivots == plain.pivots
        assert np.array_equal(compiled.matrix.words, plain.matrix.words)
        assert gf2.rank(matrix, method) == gf2.rank(matrix, "ints") == plain.rank
        assert np.array_equal(gf2.null_space(matrix, method).bits(), gf2.null_space(matrix, "ints").bits())
        for side in (product(matrix, source.integers(0, 2, (columns, 1)))[:, 0], source.integers(0, 2, rows)):
            one, two = gf2.solve(matrix, side, "ints"), gf2.solve(matrix, side, method)
            for first, second in ((one.solution, two.solution), (one.witness, two.witness)):
                assert (first is None) == (second is None)
                assert first is None or np.array_equal(first, second)


@pytest.mark.parametrize("method", ["ints", *COMPILED])
def test_solutions_solve_and_witnesses_refute(method):
    source, unsolvable = np.random.default_rng(8), 0
    for rows, columns in [(5, 3), (40, 40), (130, 90), (90, 130), (520, 500)]:
        for kind in ("dense", "low rank"):
            matrix, side = random_matrix(source, rows, columns, kind), source.integers(0, 2, rows)
            found = gf2.solve(matrix, side, method)
            if found.solution is not None:
                assert found.witness is None
                assert np.array_equal(product(matrix, found.solution), side)
            else:
                unsolvable += 1
                assert not product(found.witness, matrix).any()
                assert product(found.witness, side) == 1
            basis = gf2.null_space(matrix, method).bits()
            assert len(basis) == columns - gf2.rank(matrix, method)
            assert not product(matrix, basis.T).any()
    assert unsolvable > 3


@pytest.mark.parametrize("method", ["ints", *COMPILED])
def test_inverse_and_product(method):
    source, singular = np.random.default_rng(9), 0
    for n in (1, 2, 3, 60, 64, 130, 515):
        for _ in range(4):
            matrix = source.integers(0, 2, (n, n))
            found = gf2.inverse(matrix, method)
            if found is None:
                singular += 1
                assert gf2.rank(matrix, method) < n
            else:
                assert np.array_equal(product(found.bits(), matrix), np.eye(n))
                assert np.array_equal(gf2.multiply(matrix, found, method).bits(), np.eye(n))
    assert 4 < singular < 28
    left, right = source.integers(0, 2, (70, 600)), source.integers(0, 2, (600, 530))
    assert np.array_equal(gf2.multiply(left, right, method).bits(), product(left, right))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 12), st.lists(st.integers(0, (1 << 12) - 1), max_size=14), st.integers(0, (1 << 14) - 1))
def test_plain_rows(columns, rows, side):
    rows = [row & (1 << columns) - 1 for row in rows]
    form, pivots = bitrows.reduced(rows)
    assert len(pivots) == bitrows.rank(rows) == bitrows.rank(bitrows.transposed(rows, columns))
    for row, pivot in zip(form, pivots, strict=True):
        assert row & -row == 1 << pivot
        assert not any(other >> pivot & 1 for other in form if other is not row)
    side &= (1 << len(rows)) - 1
    solution, witness = bitrows.solve(rows, columns, side)
    exists = any(
        all((row & x).bit_count() % 2 == side >> at & 1 for at, row in enumerate(rows)) for x in range(1 << columns)
    )
    assert (solution is not None) == exists
    if witness is not None:
        assert (witness & side).bit_count() % 2
        assert bitrows.product([witness], rows) == [0]


def test_packing():
    source = np.random.default_rng(1)
    for shape in ((3, 5), (4, 64), (2, 130), (0, 7), (7, 0), (1030, 1027)):
        entries = source.integers(0, 2, shape).astype(np.uint8)
        packed = gf2.BitMatrix.of(entries)
        assert packed.shape == shape
        assert np.array_equal(packed.bits(), entries)
        assert np.array_equal(np.asarray(packed), entries)
        assert np.array_equal(gf2.BitMatrix.of_ints(packed.ints(), shape[1]).words, packed.words)
        assert np.array_equal(packed.transposed().bits(), entries.T)
    large = np.zeros((1100, 1000), np.uint8)
    large[1099, 999] = 2
    for wrong in (large, [[0, 2]], [[-1, 0]]):
        with pytest.raises(ModelError, match="0 and 1 only"):
            gf2.BitMatrix.of(wrong)


def test_empty_matrices():
    nothing = np.zeros((0, 4), np.uint8)
    assert gf2.rank(nothing) == 0
    assert np.array_equal(gf2.null_space(nothing).bits(), np.eye(4))
    assert gf2.solve(nothing, []).solution.tolist() == [0, 0, 0, 0]
    assert gf2.solve(np.zeros((2, 0), np.uint8), [0, 1]).witness.tolist() == [0, 1]
    assert gf2.inverse(np.zeros((0, 0), np.uint8)).shape == (0, 0)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: gf2.rank([1, 0]), "two dimensions"),
        (lambda: gf2.inverse([[1, 0]]), "square"),
        (lambda: gf2.multiply([[1, 0]], [[1]]), "cannot be multiplied"),
        (lambda: gf2.solve([[1, 0]], [1, 1]), "1 entries"),
        (lambda: gf2.rank([[1]], "fast"), "no method 'fast'"),
    ],
)
def test_errors_name_the_place(call, message):
    with pytest.raises(ModelError, match=message):
        call()


def test_small_matrices_need_no_compiler():
    script = (
        "import sys; from nonant.csp.algebra import gf2; gf2.solve([[1,1,0],[0,1,1]], [1,0]); "
        "gf2.inverse([[1,1],[0,1]]); "
        "assert 'numba' not in sys.modules; from nonant.csp.algebra import bitrows; print('ok')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "ok\n", done.stderr


def test_plain_import_needs_nothing():
    script = (
        "import sys; import nonant.csp.algebra.gf2, nonant.models.lights_out as l; l.fewest(l.rectangle(5, 5), 'all'); "
    )
    script += "import nonant.models.magic as m; m.MAGIC.trace(0); print(sorted({'numpy', 'numba'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", done.stderr


def test_processor_flags_decide_before_compiling():
    # As on a processor without the instruction: the choice must fall on the tables, or compiling aborts the process.
    script = (
        "import numpy as np; from nonant.csp.algebra import gf2; assert gf2.compiled_method() == 'tables'; "
        "print(gf2.rank(np.eye(500, dtype=np.uint8)))"
    )
    environment = {**os.environ, "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment)
    assert done.stdout == "500\n", done.stderr
    script = "from nonant.csp.algebra import gf2; print(gf2.compiled_method())"
    environment = {**os.environ, "NUMBA_ENABLE_AVX": "0"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment)
    assert done.stdout == "tables\n", done.stderr


def test_carryless_product_in_software():
    from numba import njit

    from nonant.csp.kernels.simd import instructions

    @njit
    def hardware(first, second):
        return instructions.carryless_product(first, second)

    software = njit(instructions.shift_and_add)
    source = np.random.default_rng(5)
    for first, second in source.integers(0, 2**64, (200, 2), dtype=np.uint64):
        low, high = software(first, second)
        assert int(high) << 64 | int(low) == polynomials2.multiply(int(first), int(second))
        assert hardware(first, second) == (low, high)


@given(st.integers(0, 1 << 40), st.integers(1, 1 << 30), st.integers(0, 200))
def test_polynomials(f, g, index):
    quotient, rest = polynomials2.divide(f, g)
    assert polynomials2.multiply(quotient, g) ^ rest == f
    assert polynomials2.degree(rest) < polynomials2.degree(g)
    assert polynomials2.square(f) == polynomials2.multiply(f, f)
    if f:
        divisor, s = polynomials2.bezout(f, g)
        assert polynomials2.divide(f, divisor)[1] == polynomials2.divide(g, divisor)[1] == 0
        assert polynomials2.divide(polynomials2.multiply(s, f) ^ divisor, g)[1] == 0
    before, last = 0, 1
    for _ in range(index):
        before, last = last, last << 1 ^ before
    assert polynomials2.fibonacci(index) == before
    assert polynomials2.fibonacci(index, modulus=g) == polynomials2.divide(before, g)[1]


@pytest.mark.long
@pytest.mark.parametrize("method", COMPILED)
def test_random_matrices_of_all_shapes(method):
    source = np.random.default_rng(11)
    for _ in range(60):
        rows, columns = (int(size) for size in source.integers(1, 1500, 2))
        matrix = random_matrix(source, rows, columns, str(source.choice(["dense", "sparse", "low rank"])))
        plain = gf2.reduced(matrix, "ints")
        assert np.array_equal(gf2.reduced(matrix, method).matrix.words, plain.matrix.words)
        assert gf2.rank(matrix, method) == plain.rank


@pytest.mark.long
@pytest.mark.parametrize("method", COMPILED)
def test_large_inverse(method):
    source = np.random.default_rng(12)
    matrix = gf2.BitMatrix.of(source.integers(0, 2, (4000, 4000), dtype=np.uint8))
    found = gf2.inverse(matrix, method)
    assert (found is None) == (gf2.rank(matrix, method) < 4000)
    if found is not None:
        assert np.array_equal(gf2.multiply(matrix, found, method).bits(), np.eye(4000))
