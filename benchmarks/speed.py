"""The compiled kernels beside the prototypes they grew from: one thread, interleaved, thread-CPU time, as ratios.

    python benchmarks/speed.py [--data FOLDER] [--prototypes FOLDER] [--rounds 5] [--width host|avx2|sse] [--cpsat]

FOLDER of the data has the lists of `../shared/data/classic`. What is timed of ours goes from the bytes of the lines to
the array of counts: finding the lines and reading the symbols are in it; the prototypes are given parsed arrays. Each
round runs all of them one after another; the ratio is that of the best times, and the spread is that of the ratios of
the single rounds. Without the prototypes (--prototypes "") the rates stand alone. A narrower width is what LLVM makes
for a processor without AVX-512 (or AVX2): the same code, other instructions.

With --cpsat killers and 16x16 grids follow, in the generic kernel and in CP-SAT: see `variants.py`.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2] / "shared"
LISTS = {
    "17 clues": ("royle17_49158.txt.gz", 15_000, 1),
    "random minimal": ("random_minimal_20000.txt.gz", 20_000, 1),
    "easy": ("easy_32clues_20000.txt.gz", 20_000, 1),
    "Top1465": ("top1465.txt", 1_465, 1),
    "hardest": ("forum_hardest_1905_11plus_48766.txt.gz", 6_000, 8),
}
# What numba is told to compile for: a processor and its features, by LLVM's names.
WIDTHS = {
    "avx2": ("haswell", "+avx2,+bmi,+bmi2,+lzcnt,+popcnt,+sse4.2"),
    "sse": ("nehalem", "+popcnt,+sse4.2"),
}
Run = Callable[[bytes, Any], tuple[float, Any]]


def lines_of(folder: Path, name: str) -> bytes:
    """Some puzzles of a list, one a line of exactly 81 symbols."""
    file, number, step = LISTS[name]
    path = folder / file
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    found = [line[:81] for line in text.split(b"\n") if len(line) >= 81 and not line.startswith(b"#")]
    return b"\n".join(found[::step][:number]) + b"\n"


def ours(engine_name: str) -> Run:
    """One of the project's engines, from bytes to counts."""
    import numpy as np

    from nonant.csp.batch.engines import classic, engine_for
    from nonant.csp.kernels.text.job import Job
    from nonant.csp.machine.compiled import kernel

    engine, find_puzzles = engine_for(classic(), engine_name), kernel("nonant.csp.kernels.text.lines", "find_puzzles")
    space = engine.workspace()

    def run(text: bytes, _cells: Any) -> tuple[float, Any]:
        room = len(text) // 82 + 1
        begun = time.thread_time()
        starts, numbers, raw = np.empty(room, np.int64), np.empty(room, np.int64), np.frombuffer(text, np.uint8)
        found, _ = find_puzzles(raw, 81, starts, numbers)
        counts = np.zeros(found, np.int64)
        engine.run(Job(raw, starts, 0, found, 2, counts, np.zeros(0, np.uint8), np.zeros(1, np.int64)), space)
        return time.thread_time() - begun, counts

    return run


def prototypes(folder: Path) -> dict[str, Run]:
    """The three prototypes, from parsed arrays to counts."""
    sys.dont_write_bytecode = True
    os.environ["TRI"] = "0"  # vec9b without triads, which is its faster form
    sys.path[:0] = [str(folder / "lanes"), str(folder)]
    import batch5
    import gb8
    import gmodel8
    import vec9b

    generic, units = gb8.build(32, 16), gmodel8.gmodel(*gmodel8.sudoku_units(3), 32)

    def special(_text: bytes, cells: Any) -> tuple[float, Any]:
        counts, _, seconds = batch5.run(cells)
        return seconds, counts

    def any_units(_text: bytes, cells: Any) -> tuple[float, Any]:
        counts, _, seconds = generic(cells, units, 2)
        return seconds, counts

    def single(_text: bytes, cells: Any) -> tuple[float, Any]:
        counts, _, seconds = vec9b.run(cells)
        return seconds, counts

    return {"batch5.py": special, "vec9b.py": single, "gb8.py": any_units}


def main() -> None:
    """Print one line a list."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=ROOT / "data" / "classic")
    parser.add_argument("--prototypes", default=str(ROOT / "prototypes"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--width", choices=("host", *WIDTHS), default="host")
    parser.add_argument("--cpsat", action="store_true", help="killers and 16x16 grids too, beside CP-SAT")
    options = parser.parse_args()
    if options.width != "host":
        # Read by numba when it is first imported; it keeps its caches apart by these names.
        os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = WIDTHS[options.width]
    import numpy as np

    runs = {name: ours(name) for name in ("lockstep9", "single9", "lockstep", "one by one")}
    pairs = [("lockstep9", "batch5.py"), ("single9", "vec9b.py"), ("lockstep", "gb8.py")]
    if options.prototypes:
        runs |= prototypes(Path(options.prototypes))
    else:
        pairs = [(name, "one by one") for name in ("lockstep9", "single9", "lockstep")]
    sets = {}
    for name in LISTS:
        text = lines_of(options.data, name)
        symbols = np.frombuffer(text, np.uint8).reshape(-1, 82)[:, :81]
        sets[name] = text, np.where((symbols >= 49) & (symbols <= 57), symbols - 48, 0).astype(np.uint8)
    few_text, few_cells = sets["Top1465"]
    for run in runs.values():
        run(few_text[: 82 * 20], few_cells[:20])  # compiling is not what is measured

    print(f"thousand puzzles a second of thread time, width {options.width}, best of {options.rounds} rounds")
    print(f"{'list':16}" + "".join(f"{name:>12}" for name in runs) + "   ratios (least to greatest of a round)")
    for name, (text, cells) in sets.items():
        times: dict[str, list[float]] = {kind: [] for kind in runs}
        for number in range(options.rounds):
            for kind, run in runs.items():
                if kind == "one by one" and number:
                    times[kind].append(times[kind][0])  # slow, and not what the targets are about
                    continue
                seconds, counts = run(text, cells)
                assert (np.asarray(counts) == 1).all(), (name, kind)
                times[kind].append(seconds)
        rates = "".join(f"{len(cells) / min(taken) / 1e3:12.1f}" for taken in times.values())
        shown = []
        for mine, other in pairs:
            each = [theirs / my for my, theirs in zip(times[mine], times[other], strict=True)]
            best = min(times[other]) / min(times[mine])
            shown.append(f"{mine}/{other} {best:.2f} ({min(each):.2f}-{max(each):.2f})")
        print(f"{name:16}{rates}   {', '.join(shown)}", flush=True)
    if options.cpsat:
        import variants  # beside this file

        variants.main(options.data.parent)


if __name__ == "__main__":
    main()
