"""The technique library of the shared data: boards with what a named technique must remove there.

A line is `:code:candidates:givens:deleted:eliminations:placements:extra:`; a + before a digit: it was placed and
not given, a candidate is written value, row, column, and a code that ends in -x must find nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nonant.csp.proofs.sets import sets_of
from nonant.models import model
from nonant.strategies import Board, find_all

# code -> the techniques that may make its elimination; codes with a variant (-1) mean the same technique
CODES: dict[str, tuple[str, ...]] = {
    "0000": ("full house",),
    "0002": ("hidden single",),
    "0003": ("naked single",),
    "0100": ("locked candidates",),
    "0101": ("locked candidates",),
    "0110": ("locked pair",),
    "0111": ("locked triple",),
    "0200": ("naked pair",),
    "0201": ("naked triple",),
    "0202": ("naked quadruple",),
    "0210": ("hidden pair",),
    "0211": ("hidden triple",),
    "0212": ("hidden quadruple",),
    "0300": ("x-wing",),
    "0301": ("swordfish",),
    "0302": ("jellyfish",),
    "0310": ("finned x-wing",),
    "0311": ("finned swordfish",),
    "0312": ("finned jellyfish",),
    "0320": ("sashimi x-wing",),
    "0321": ("sashimi swordfish",),
    "0322": ("sashimi jellyfish",),
    "0331": ("franken swordfish",),
    "0332": ("franken jellyfish",),
    "0340": ("franken x-wing",),
    "0341": ("franken swordfish",),
    "0342": ("franken jellyfish",),
    "0362": ("mutant jellyfish",),
    "0400": ("skyscraper",),
    "0401": ("two-string kite",),
    "0402": ("empty rectangle", "turbot fish", "skyscraper", "two-string kite"),
    "0403": ("turbot fish",),
    "0404": ("two-string kite", "x-loop", "turbot fish"),
    "0405": ("empty rectangle", "grouped x-loop", "turbot fish", "two-string kite"),
    "0500": ("simple colouring",),
    "0501": ("simple colouring",),
    "0503": ("multi colouring",),
    "0600": ("unique rectangle 1",),
    "0601": ("unique rectangle 2",),
    "0602": ("unique rectangle 3",),
    "0603": ("unique rectangle 4",),
    "0604": ("unique rectangle 2",),
    "0605": ("unique rectangle 6",),
    "0606": ("hidden rectangle",),
    "0607": ("avoidable rectangle",),
    "0608": ("avoidable rectangle",),
    "0610": ("bug",),
    "0904": ("death blossom",),
    "1101": ("sue de coq",),
    "0701": ("x-chain",),
    "0702": ("xy-chain",),
    "0703": ("remote pair",),
    "0706": ("continuous loop",),
    "0707": ("aic",),
    "0708": ("aic",),
    "0709": ("grouped continuous loop", "almost locked loop"),
    "0710": ("grouped aic",),
    "0711": ("grouped aic",),
    "0709-2": ("almost locked loop",),
    "0710-3": ("almost locked aic",),
    "0710-4": ("almost locked aic",),
    "0711-3": ("almost locked aic",),
    "0711-4": ("almost locked aic",),
    "0800": ("xy-wing",),
    "0801": ("xyz-wing",),
    "0803": ("w-wing",),
    "0901": ("als-xz", "almost locked loop"),
    "0902": ("als-xy-wing",),
    "0903": ("als chain",),
}


@dataclass(frozen=True)
class Case:
    """One line of the library: `wanted` is the mask of what must go, or of what must be placed."""

    code: str
    names: tuple[str, ...]
    board: Board
    wanted: int
    places: bool
    fails: bool
    line: str


def cases(path: Path) -> Iterator[Case]:
    """The cases of the codes above."""
    classic = model("classic-9")
    sets = sets_of(classic)
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith(":"):
            continue
        code, _, givens, deleted, removes, places = line.split(":")[1:7]
        names = CODES.get(code) or CODES.get(code.split("-")[0])
        if names is None:
            continue
        live, placed, at = (1 << 729) - 1, 0, 0
        domains = [(1 << 9) - 1] * 81
        was_placed = False
        for symbol in givens:
            if symbol == "+":
                was_placed = True
                continue
            if symbol in "123456789":
                value = int(symbol) - 1
                live &= ~sets.peers[at * 9 + value]
                placed |= 1 << (at * 9 + value)
                if not was_placed:
                    domains[at] = 1 << value
            at, was_placed = at + 1, False
        for text in deleted.split():
            live &= ~(1 << bit(text))
        wanted = sum({1 << bit(text) for text in (removes or places).split()})
        board = Board(classic, live, placed, tuple(domains))
        yield Case(code, names, board, wanted, not removes, code.endswith("x"), line)


def verdict(case: Case) -> str:
    """How well the techniques of a case find what it states.

    exact; union (several steps make it up); superset (a step removes it and more); missed; wrongly found.
    """
    steps = [step for name in case.names for step in find_all(name, case.board)]
    if case.fails:
        return "wrongly found" if steps else "exact"
    found = [sum(1 << place for place in step.places) if case.places else step.removed for step in steps]
    if case.wanted in found:
        return "exact"
    inside = 0
    for gone in found:
        inside |= gone if not gone & ~case.wanted else 0
    if inside == case.wanted:
        return "union"
    return "superset" if any(gone & case.wanted == case.wanted for gone in found) else "missed"


def bit(text: str) -> int:
    """value, row, column -> the candidate."""
    return (9 * (int(text[1]) - 1) + int(text[2]) - 1) * 9 + int(text[0]) - 1
