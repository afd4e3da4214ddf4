"""Linear algebra over GF(2) and Lights Out boards, beside other programs, in one interleaved run.

    python benchmarks/gf2.py                      # matrices of 1000, 4000, 10000; boards of 100 .. 10000
    python benchmarks/gf2.py --matrices 1000 --boards 100 1000
    python benchmarks/gf2.py --slow               # lets the slow peers run on large matrices too

Times are medians of thread CPU milliseconds on one thread, from packed rows to packed rows, our own change of layout
included. A ratio is the peer's time over ours: above 1 we are ahead. Peers that are not installed are left out with a
note: M4RI (the C library with its headers, and a C compiler), and the Python packages `gf2` and `galois`.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# This file is called gf2, as one of the peers: keep its folder off the path, and put the checkout on it.
sys.path = [str(HERE.parent), *(entry for entry in sys.path if Path(entry or ".").resolve() != HERE)]

import numpy as np  # noqa: E402

from nonant.csp.algebra import gf2  # noqa: E402
from nonant.csp.algebra.gf2 import BitMatrix  # noqa: E402
from nonant.models.lights import rectangle as gf2_boards  # noqa: E402
from nonant.models.lights_out import solve_board  # noqa: E402

LIMITS = {"gf2": 1000, "galois": 300}  # the largest matrix that a slow peer gets without --slow

Job = Callable[[], Any]


def cpu(job: Job, times: int) -> float:
    """Mean thread CPU seconds of a run; a job that times itself returns a float."""
    start, own = time.thread_time(), 0.0
    for _ in range(times):
        result = job()
        own += result if isinstance(result, float) else 0.0
    return (own or time.thread_time() - start) / times


def interleaved(jobs: dict[str, Job], repeats: int) -> dict[str, float]:
    """Median milliseconds of each job, all jobs in turn in every round.

    A short job runs for some 10 ms in its turn: else it would be timed with the caches that the job before it left.
    """
    often = {}
    for name, job in jobs.items():
        job()  # compile, and warm the caches
        often[name] = max(1, min(100, int(0.01 / max(1e-6, cpu(job, 1)))))
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(repeats):
        for name, job in jobs.items():
            times[name].append(cpu(job, often[name]))
    return {name: 1000 * sorted(found)[len(found) // 2] for name, found in times.items()}


def line(title: str, times: dict[str, float], ours: str) -> None:
    """One row of the table."""
    cells = [f"{name} {ms:.2f}" + ("" if name == ours else f" ({ms / times[ours]:.2f}x)") for name, ms in times.items()]
    print(f"{title:16} " + "   ".join(cells), flush=True)


# -- peers -------------------------------------------------------------------------------------------------------------


def m4ri() -> Any:
    """The harness, compiled; None with a note where that cannot be."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        print("note: no C compiler, so M4RI is left out")
        return None
    library = Path(tempfile.mkdtemp()) / "m4ri_harness.so"
    command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(library), str(HERE / "m4ri_harness.c"), "-lm4ri"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode:
        print("note: M4RI is left out; its library and headers (libm4ri-dev) do not seem to be installed")
        return None
    loaded = ctypes.CDLL(str(library))
    loaded.run.restype = ctypes.c_double
    loaded.run.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    return loaded


def package(name: str) -> Any:
    """A Python package, or None with a note."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"note: the package {name} is not installed and left out")
        return None


def package_jobs(name: str, module: Any, bits: Any, other: Any, side: Any) -> dict[str, Job]:
    """Operation -> job, for the operations that a package has; its own matrices are made before."""
    if name == "galois":
        field = module.GF(2)
        a, b, v = field(bits), field(other), field(side)
        return {
            "rref": a.row_reduce,
            "rank": lambda: np.linalg.matrix_rank(a),
            "solve": lambda: np.linalg.solve(a, v),
            "inverse": lambda: np.linalg.inv(a),
            "multiply": lambda: a @ b,
        }
    n, v = len(bits), side.tolist()
    a, b = module.DenseGF2Matrix(n, n), module.DenseGF2Matrix(n, n)
    a.data[:], b.data[:] = BitMatrix.of(bits).words, BitMatrix.of(other).words  # the same layout as ours
    return {
        "rref": lambda: module.reduced_row_echelon_form(a),
        "rank": lambda: module.rank(a),
        "solve": lambda: module.solve(a, v),
        "inverse": lambda: module.inverse(a),
        "multiply": lambda: module.multiply(a, b),
    }


# -- tables ------------------------------------------------------------------------------------------------------------


def invertible(n: int, source: Any) -> Any:
    """A random invertible matrix: some peers raise on others."""
    while True:
        bits = source.integers(0, 2, (n, n), dtype=np.uint8)
        if gf2.rank(bits) == n:
            return bits


def our_jobs(way: gf2.Method, a: BitMatrix, b: BitMatrix, side: Any) -> dict[str, Job]:
    """Operation -> job, by one of our ways."""
    return {
        "rref": lambda: gf2.reduced(a, way),
        "rank": lambda: gf2.rank(a, way),
        "solve": lambda: gf2.solve(a, side, way),
        "inverse": lambda: gf2.inverse(a, way),
        "multiply": lambda: gf2.multiply(a, b, way),
    }


def m4ri_job(library: Any, n: int, operation: str) -> Job:
    """M4RI on its own random matrices; the harness measures."""
    code = b"k" if operation == "rank" else operation[:1].encode()
    return lambda: library.run(n, code, 7)


def matrices(n: int, library: Any, peers: dict[str, Any]) -> None:
    """Dense random matrices of one size."""
    source = np.random.default_rng(n)
    bits, other = invertible(n, source), source.integers(0, 2, (n, n), dtype=np.uint8)
    a, b, side = BitMatrix.of(bits), BitMatrix.of(other), source.integers(0, 2, n, dtype=np.uint8)
    ways: tuple[gf2.Method, ...] = ("affine", "tables") if gf2.compiled_method() == "affine" else ("tables",)
    everybody = {way: our_jobs(way, a, b, side) for way in ways}
    everybody |= {name: package_jobs(name, module, bits, other, side) for name, module in peers.items()}
    for operation in ("rref", "rank", "solve", "inverse", "multiply"):
        jobs = {name: found[operation] for name, found in everybody.items()}
        if library is not None:
            jobs["M4RI"] = m4ri_job(library, n, operation)
        line(f"{n} {operation}", interleaved(jobs, 3 if n > 5000 or peers else 9), ways[0])


def board(n: int, library: Any) -> None:
    """A solvable random board of n x n lights."""
    source = np.random.default_rng(n)
    presses = BitMatrix.of(source.integers(0, 2, (n, n), dtype=np.uint8))
    rows = gf2_boards.apply(presses.ints(), n)
    lit = BitMatrix.of_ints(rows, n)
    entries, three = lit.bits(), changed(source.integers(0, 3, (n, n))) % 3
    jobs: dict[str, Job] = {
        "packed": lambda: gf2_boards.solve_packed(lit),
        "plain Python": lambda: gf2_boards.solve_rows(rows, n),
        "solve_board (0/1 array)": lambda: solve_board(entries),
    }
    if n <= 1000:
        jobs["three states"] = lambda: solve_board(three, states=3)
    if n <= 4000:
        jobs["chasing + n x n elimination"] = lambda: by_chasing(rows, n)
    if n <= 100 and library is not None:
        jobs["M4RI, n^2 unknowns"] = m4ri_job(library, n * n, "solve")
    line(str(n), interleaved(jobs, 3 if n > 3000 else 5), "packed")


def changed(presses: Any) -> Any:
    """What presses add to the lights."""
    found = presses.copy()
    found[1:] += presses[:-1]
    found[:-1] += presses[1:]
    found[:, 1:] += presses[:, :-1]
    found[:, :-1] += presses[:, 1:]
    return found


def by_chasing(rows: tuple[int, ...], n: int) -> Any:
    """The usual way to large boards: chase the lights, then eliminate n unknowns."""
    # F_{n+1}(A + 1) e_k is what the first row's cell k does to the row after the last; its matrix is symmetric, and
    # each of its rows comes from the two before it.
    every, before, last = (1 << n) - 1, 0, gf2_boards.chase((0,) * n, 1, n, True)[-1]
    matrix = []
    for _ in range(n):
        matrix.append(last)
        before, last = last, (last << 1 ^ last >> 1) & every ^ before
    residue = gf2_boards.chase(rows, 0, n, True)[-1]
    side = BitMatrix.of_ints([residue], n).bits()[0]
    first = gf2.solve(BitMatrix.of_ints(matrix, n), side).solution
    assert first is not None
    return gf2_boards.chase(rows, BitMatrix.of(first[None, :]).ints()[0], n, True)


def main() -> None:
    """Run the tables that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matrices", type=int, nargs="*", default=[300, 1000, 4000, 10_000])
    parser.add_argument("--boards", type=int, nargs="*", default=[100, 1000, 2000, 5000, 10_000])
    parser.add_argument("--slow", action="store_true", help="let slow peers run on large matrices too")
    options = parser.parse_args()
    library = m4ri()
    peers = {name: module for name in LIMITS if (module := package(name)) is not None}
    print("dense n x n, ms; (time / the first way's time)")
    for n in options.matrices:
        matrices(n, library, {name: peers[name] for name in peers if options.slow or n <= LIMITS[name]})
    print("\nLights Out, n x n, ms; (time / packed)")
    for n in options.boards:
        board(n, library)


if __name__ == "__main__":
    main()
