"""The table of techniques: which files have some, and in which order the ladder goes through their rows.

Rows stand beside their finders (`TECHNIQUES` of each file). They are ordered by level, and inside a level as the files
stand here. A file is imported when the ladder comes to its lowest level, so that an easy puzzle loads no chains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

from nonant.csp.errors import ModelError
from nonant.strategies.definition import Technique

# A file of `nonant.strategies`, and the lowest level in it.
FILES = (
    ("techniques.singles", 1),
    ("techniques.locked", 2),
    ("techniques.subsets", 2),
    ("techniques.fish", 4),
    ("chains.techniques", 4),
    ("techniques.wings", 4),
    ("techniques.colouring", 4),
    ("techniques.almost_locked", 6),
    ("techniques.uniqueness", 4),
    ("refutations.refute", 9),
    ("refutations.constraint_braids", 9),
    ("techniques.algebra", 2),
)
HIGHEST = 11


def each(more: Iterable[Technique] = ()) -> Iterator[Technique]:
    """The techniques in the order of the ladder; those of `more` come last in their level."""
    own = sorted(more, key=lambda known: known.level)
    for level in range(1, HIGHEST + 1):
        for file, lowest in FILES:
            if lowest <= level:
                yield from (known for known in _rows(file) if known.level == level)
        yield from (known for known in own if known.level == level)
    yield from (known for known in own if not 1 <= known.level <= HIGHEST)


@cache
def _rows(file: str) -> tuple[Technique, ...]:
    rows: tuple[Technique, ...] = import_module(f"nonant.strategies.{file}").TECHNIQUES
    return rows


def __getattr__(name: str) -> Any:
    if name == "TECHNIQUES":  # all of them: loads every file
        return tuple(each())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def technique(name: str, more: Iterable[Technique] = ()) -> Technique:
    """The technique of a name or alias, in any case, `-` and `_` as spaces.

    Args:
        name: the name.
        more: techniques that are not in the table.

    Raises:
        ModelError: if there is none.
    """
    wanted = _plain(name)
    known = []
    for found in each(more):
        if _plain(found.name) == wanted:
            return found
        known.append(found)
    for found in known:
        if wanted in map(_plain, found.aliases):
            return found
    near = [found.name for found in known if wanted and wanted.split()[0] in _plain(found.name)]
    mend = f"did you mean {', '.join(near[:4])}?" if near else "`nonant techniques` lists them"
    raise ModelError(f"there is no technique called {name!r}; {mend}")


def _plain(name: str) -> str:
    return " ".join(name.lower().replace("-", " ").replace("_", " ").split())
