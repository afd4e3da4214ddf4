"""numba's `njit`, whose cached code is dropped when any source that it was made of has changed.

numba's own cache tells that code is out of date by the time and size of one file. A kernel that takes helpers or
constants from another file would go on with the old ones after an edit of that file, an update that keeps times, or a
move. Here the stamp of a cached function has the digest of all the kernel sources that its module is made of, the same
that keys object code (`object_store.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core.caching import FunctionCache

from nonant.csp.machine.object_store import digest_of_sources

F = TypeVar("F", bound=Callable[..., Any])


def njit(**options: Any) -> Callable[[F], F]:
    """As `numba.njit(**options)`."""
    decorate = numba.njit(**options)

    def decorated(function: F) -> F:
        dispatcher: Any = decorate(function)
        cached = getattr(dispatcher, "_cache", None)
        if isinstance(cached, FunctionCache):
            file = cached._cache_file
            file._source_stamp = (file._source_stamp, digest_of_sources(function.__module__))
        made: F = dispatcher  # what type checkers go by is the function itself
        return made

    return decorated
