"""`nonant warm`: compile now what would be compiled when it is first needed, as the last step of an installation.

Each part is made to work once, on something small: what that needs is compiled and kept. Parts whose code is kept by
Nonant go to the folder of `nonant.csp.machine.object_store`, the others to numba's caches.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import click

from nonant.commands.common import echo_json

CLASSIC = "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9"
SIZE = 300  # of a linear system that is left to compiled code


def _batches() -> None:
    from nonant.csp.batch import rows
    from nonant.csp.batch import run as batch
    from nonant.models import model

    found = batch.verify_many([CLASSIC], threads=1)
    rows.rows(found, rows.form_of("verify", "txt", False), model("classic-9"), 1)


def _grid() -> None:
    from nonant.csp.batch.run import verify_many

    _solve("kernel")
    verify_many([CLASSIC], threads=1, engine="single9")


def _units() -> None:
    from nonant.csp.batch.run import verify_many

    verify_many([CLASSIC], threads=1, engine="lockstep")


def _any_model() -> None:
    from nonant.csp.batch.run import verify_many

    _solve("scalar")
    verify_many([CLASSIC], threads=1, engine="one by one")


def _solve(engine: str) -> None:
    from nonant.csp.backends.native import Native
    from nonant.csp.solve import count
    from nonant.models import model

    count(model("classic-9").puzzle(CLASSIC), backend=Native(engine=engine))


def _parities() -> None:
    import numpy as np

    from nonant.csp.algebra import gf2
    from nonant.models.lights import rectangle as gf2_boards

    # One on the diagonal and above: of full rank, and there is something to eliminate.
    matrix = np.triu(np.ones((SIZE, SIZE), np.uint8))
    gf2.solve(matrix, matrix[:, 0], gf2.compiled_method())
    gf2_boards.solve_packed(gf2.BitMatrix.of(matrix))


def _techniques() -> None:
    from nonant.models import model
    from nonant.strategies.kernels import load
    from nonant.strategies.ladder import explain

    load()
    explain(model("classic-9").puzzle(CLASSIC))


def _learner() -> None:
    from nonant.csp.solve import count
    from nonant.models import model

    count(model("classic-4"), backend="learner")


PARTS: dict[str, tuple[str, Callable[[], None]]] = {
    "batches": ("lists of classic grids", _batches),
    "grid": ("one classic grid", _grid),
    "units": ("lists of puzzles made of units", _units),
    "any": ("any other model", _any_model),
    "parities": ("linear algebra over GF(2)", _parities),
    "learner": ("hard large grids", _learner),
    "techniques": ("explanations of many puzzles", _techniques),
}


@click.command("warm")
@click.argument("parts", nargs=-1, type=click.Choice(tuple(PARTS)), metavar="[PART]...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a part.")
def command(parts: tuple[str, ...], as_json: bool) -> None:
    """Compile everything now, or some parts, and say what it took.

    Parts: batches, grid, units, any, parities, learner, techniques.

    What is compiled already takes a moment. The folder of the code is NONANT_CACHE, or the system's for caches.
    """
    from nonant.csp.machine import object_store

    begun = perf_counter()
    for name in parts or PARTS:
        title, work = PARTS[name]
        start = perf_counter()
        work()
        seconds = perf_counter() - start
        if as_json:
            echo_json({"part": name, "what": title, "seconds": round(seconds, 3)})
        else:
            click.echo(f"{name:11} {title:32} {seconds:6.1f} s")
    where = object_store.folder()
    if not as_json:
        kept = f"kept in {where}, and by numba" if where else "nothing is kept but by numba: NONANT_CACHE is off"
        click.echo(f"{'':11} {'':32} {perf_counter() - begun:6.1f} s   {kept}")
