"""Random systems of parities with a few units on top: the native engine with and without elimination, CP-SAT and SAT.

    python benchmarks/xor.py [--seconds 20] [--rounds 1]

Each model has a number of cells in rows of as many cells as there are values; some rows are units, and random parities
of 3 to 5 cells are laid over all of them. `planted` parities hold in a hidden solution; `broken` ones do too, all but
one, and have no solution by themselves. The question is whether there are 0, 1 or more solutions: wall seconds from
puzzle to verdict, building included, and nodes (conflicts for SAT); "-" where the limit came first. "alone" is the
native kernel without the parity system: each parity is looked at by itself.

Forward checking needs time exponential in the number of cells that the equations tie together; elimination sees the
same in a pass. Where the parities leave much open, search decides, and elimination must merely not be in the way.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from itertools import islice
from unittest.mock import patch

from nonant.csp.backends import registry
from nonant.csp.backends.base import Limits, Progress, Session
from nonant.csp.backends.native import Native
from nonant.csp.model import Model, Parity, Puzzle, Unit

PLAIN, KERNEL = "nonant.csp.plain.propagators", "nonant.csp.kernels.scalar.parity"
SOLVERS = ("native", "alone", "cpsat", "sat")


def xor_model(seed: int, n_cells: int, n_values: int, n_parities: int, n_units: int, broken: bool) -> Model:
    """A random system of parities over rows of cells, the first `n_units` of which are units."""
    rng = random.Random(seed)
    hidden = [value for _ in range(-(-n_cells // n_values)) for value in rng.sample(range(n_values), n_values)]
    units = [Unit(tuple(range(at * n_values, (at + 1) * n_values))) for at in range(n_units)]
    scopes = [tuple(rng.sample(range(n_cells), rng.randint(3, 5))) for _ in range(n_parities)]
    odd = [sum(hidden[cell] for cell in scope) % 2 == 1 for scope in scopes]
    if broken:
        # A parity more: the sum of many others, but the other way round.
        chosen = rng.sample(range(n_parities), n_parities // 2)
        total: set[int] = set()
        for at in chosen:
            total ^= set(scopes[at])
        scopes.append(tuple(sorted(total)))
        odd.append(sum(odd[at] for at in chosen) % 2 == 0)
    parities = [Parity(scope, side) for scope, side in zip(scopes, odd, strict=True)]
    return Model(f"xor {seed}", cells=tuple(range(n_cells)), values=range(n_values), constraints=[*units, *parities])


def timed(puzzle: Puzzle, solver: str, seconds: float) -> tuple[float | None, int, int]:
    """(seconds or None at the limit, nodes, solutions up to 2)."""
    begun, progress = time.perf_counter(), Progress()
    if solver == "native":
        found = _run(Native(engine="kernel").session(puzzle), progress, seconds)
    else:
        # The peers propagate with our plain Python before they build: without elimination, to be themselves.
        with patch(f"{PLAIN}.parity_system", return_value=None), patch(f"{KERNEL}.parity_system", return_value=None):
            backend = Native(engine="kernel") if solver == "alone" else registry.get(solver)
            found = _run(backend.session(puzzle), progress, seconds)
    took = time.perf_counter() - begun
    return (took if progress.exhausted or found == 2 else None), progress.nodes, found


def _run(session: Session, progress: Progress, seconds: float) -> int:
    return len(list(islice(session.run(progress, Limits(seconds)), 2)))


def cases() -> Iterator[tuple[str, Model]]:
    """The models, with a title each."""
    for n_values, n_cells, n_parities, n_units, broken in (
        (2, 60, 50, 5, True),
        (2, 60, 55, 5, False),
        (2, 200, 180, 10, False),
        (2, 400, 380, 10, True),
        (4, 60, 50, 15, False),
        (4, 60, 40, 15, True),
        (8, 64, 40, 8, True),
        (8, 64, 30, 8, False),
    ):
        title = f"{n_cells} cells of {n_values}, {n_parities} parities, {n_units} units, "
        yield (
            title + ("broken" if broken else "planted"),
            xor_model(1, n_cells, n_values, n_parities, n_units, broken),
        )


def main() -> None:
    """Print one line a model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    warm = xor_model(0, 12, 2, 8, 2, False).puzzle()
    for solver in SOLVERS:
        timed(warm, solver, 5.0)
    print(f"{'':58}" + "".join(f"{solver:>22}" for solver in SOLVERS))
    for title, model in cases():
        model.compiled  # noqa: B018 (compiled once, and shared)
        texts = []
        for solver in SOLVERS:
            runs = [timed(model.puzzle(), solver, options.seconds) for _ in range(options.rounds)]
            took, nodes, _ = min(runs, key=lambda run: options.seconds if run[0] is None else run[0])
            texts.append(f"{'-' if took is None else f'{took:.4f} s'} {nodes:>8} n")
        print(f"{title:58}" + "".join(f"{text:>22}" for text in texts), flush=True)


if __name__ == "__main__":
    main()
