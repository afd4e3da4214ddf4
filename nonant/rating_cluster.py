"""`nonant batch rate --cluster`: the ratings of `rating_batch.py`, worked out by the workers of a Dask cluster.

The caller finds out which lines are puzzles with one solution, as ever; the workers rate those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from nonant.csp.batch.cluster import Share, in_order, packed, same_version, unpacked
from nonant.csp.errors import NonantError

if TYPE_CHECKING:
    from nonant.csp.model import Model
    from nonant.rating_batch import Asked, Row

SHARE = 16  # lines handed to a worker at a time: a fraction of a second, and for the hardest ones some minutes


def rated(client: Any, items: Iterable[Asked], model: Model) -> Iterator[tuple[Asked, Row]]:
    """Each line with its row, in order; see `rating_batch.rated`, and `csp.batch.cluster.connected` for the client.

    Raises:
        ClusterError: see `nonant.csp.batch.cluster.in_order`.
    """
    for share, found in in_order(client, rows, packed(model), _shares(iter(items))):
        yield from zip(share.about, found, strict=True)


def _shares(items: Iterator[Asked]) -> Iterator[Share]:
    while some := list(islice(items, SHARE)):
        name = f"lines {some[0].line} to {some[-1].line}"
        yield Share(some, (some,), sum(len(item.text) for item in some), name)


def rows(wanted: str, rules: bytes, items: list[Asked]) -> list[Row] | NonantError:
    """What a worker does with a share."""
    from nonant.rating_batch import row_of

    wrong = same_version(wanted)
    if wrong is not None:
        return wrong
    _load()
    try:
        return [row_of(item, unpacked(rules)) for item in items]
    except NonantError as error:
        return NonantError(str(error))  # some kinds of error cannot be pickled


@cache
def _load() -> None:
    from nonant.strategies.kernels import load

    load()
