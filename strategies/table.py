"""The table of techniques: it drives the ladder, `find_all`, `nonant techniques` and docs/techniques.md.

The order is the order of the ladder. `finder` names the function that finds the technique, with its arguments; the
module is imported when it is first asked for, so that an easy puzzle loads no chains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from nonant.csp.errors import ModelError

if TYPE_CHECKING:
    from nonant.strategies.board import Board
    from nonant.strategies.step import Step

UNLIKE_UNITS = "sums, relations, comparisons, parities"
UNITS_ONLY = "cells that only units constrain"
ANY, FULL, GRID = "any units", "full units", "full units in parallel classes"


@dataclass(frozen=True)
class Technique:
    """One technique.

    Attributes:
        name: what the command line and `find_all` take.
        level: 1 (singles) to 9 (refutations), 10 (nested ones).
        scope: on which models it finds anything.
        finder: "module:function" of `nonant.strategies`, called with the board, the technique and `arguments`.
        reason: the template of its sentence.
        aliases: what others call it (HoDoKu, SudokuWiki, Sudoku Explainer, Larsdoku).
        source: who described it.
        unique: whether it assumes that there is one solution.
        leads: "module:function" by which the ladder finds it sooner: not every pattern, but some step wherever there
            is one; called with the board, the technique, what tells the candidates still alive, and `arguments`.
        asked: true when the ladder tries it only by name: it is costly and seldom finds what the others do not.
    """

    name: str
    level: int
    scope: str
    finder: str
    reason: str
    aliases: tuple[str, ...] = ()
    source: str = ""
    arguments: tuple[Any, ...] = ()
    unique: bool = False
    asked: bool = False
    leads: str = ""

    @cached_property
    def _function(self) -> Any:
        return _function(self.finder)

    @cached_property
    def _leads(self) -> Any:
        return _function(self.leads)

    def find(self, board: Board) -> Iterator[Step]:
        """The steps of this technique on a board, one by one; the same eliminations may come more than once."""
        found: Iterator[Step] = self._function(board, self, *self.arguments)
        return found

    def lead(self, board: Board, alive: Callable[[], int]) -> Iterator[Step]:
        """Steps for the ladder: at least one for each candidate that the technique removes, the cheapest first.

        Args:
            board: the board.
            alive: the candidates left when the next step is asked for: steps that come too late are not made.
        """
        found: Iterator[Step] = self._leads(board, self, alive, *self.arguments) if self.leads else self.find(board)
        return found


def _function(place: str) -> Any:
    module, _, function = place.partition(":")
    return getattr(import_module(f"nonant.strategies.{module}"), function)


SINGLE = "in {units} the only place left for {value} is {cell}"
SUBSET = "{cells} in {unit} hold only {values} between them, so {removes}"
HIDDEN = "in {unit} the values {values} have only {cells} between them, so {removes}"
FISH = "{value} in {bases} stands only in {covers}{fins}, so {removes}"
CHAIN = "either {start} or {end}: {chain}; both exclude the same, so {removes}"
LOOP = "a loop from {start} to {end}: {chain}; each of its links is full, so {removes}"
PATTERN = "{pattern}, so {removes}"
UNIQUE = "{cells} could be exchanged, were it not for a candidate besides {values}, so {removes}"
REFUTED = "if {candidate}, then {chain} force one after another that {end} has no candidate left, so {removes}"

_LISTED: tuple[Technique, ...] = (
    Technique(
        "full house",
        1,
        FULL,
        "techniques.singles:full_house",
        "{cell} is the last open cell of {units}, and {value} is missing there",
        ("Last Remaining Cell", "Full House"),
        "folklore",
    ),
    Technique(
        "hidden single",
        1,
        FULL,
        "techniques.singles:hidden_single",
        SINGLE,
        ("Cross Hatching", "Pinned Digit"),
        "folklore",
    ),
    Technique(
        "naked single",
        1,
        ANY,
        "techniques.singles:naked_single",
        "{cell} has no other value left than {value}",
        ("Sole Candidate", "Singleton"),
        "folklore",
    ),
    Technique(
        "locked candidates",
        2,
        FULL,
        "techniques.locked:locked_candidates",
        "{value} must be in {places} in {unit}, all of them in {other}, so {removes}",
        ("Pointing", "Claiming", "Box/Line Reduction", "Intersection Removal", "Locked Candidates Type 1 and 2"),
        "folklore",
    ),
    Technique(
        "law of leftovers",
        2,
        GRID,
        "techniques.locked:law_of_leftovers",
        "{value} in {bases} stands only in {covers}, as often as it must stand there, so {removes}",
        ("LoL", "Innies and Outies"),
        "jigsaw players",
    ),
    Technique(
        "locked pair",
        2,
        ANY,
        "techniques.subsets:locked",
        SUBSET,
        ("Locked Pair",),
        "HoDoKu, B. Hobiger",
        arguments=(2,),
    ),
    Technique(
        "locked triple",
        2,
        ANY,
        "techniques.subsets:locked",
        SUBSET,
        ("Locked Triple",),
        "HoDoKu, B. Hobiger",
        arguments=(3,),
    ),
    Technique("naked pair", 3, ANY, "techniques.subsets:naked", SUBSET, ("Disjoint Pair",), "folklore", arguments=(2,)),
    Technique(
        "hidden pair", 3, FULL, "techniques.subsets:hidden", HIDDEN, ("Hidden Pair",), "folklore", arguments=(2,)
    ),
    Technique(
        "naked triple", 3, ANY, "techniques.subsets:naked", SUBSET, ("Disjoint Triple",), "folklore", arguments=(3,)
    ),
    Technique(
        "hidden triple", 3, FULL, "techniques.subsets:hidden", HIDDEN, ("Hidden Triple",), "folklore", arguments=(3,)
    ),
    Technique(
        "naked quadruple", 3, ANY, "techniques.subsets:naked", SUBSET, ("Naked Quad",), "folklore", arguments=(4,)
    ),
    Technique(
        "hidden quadruple", 3, FULL, "techniques.subsets:hidden", HIDDEN, ("Hidden Quad",), "folklore", arguments=(4,)
    ),
    Technique("x-wing", 4, GRID, "techniques.fish:basic", FISH, ("Basic Fish of 2",), "folklore", (2,)),
    Technique("swordfish", 4, GRID, "techniques.fish:basic", FISH, ("Basic Fish of 3",), "folklore", (3,)),
    Technique("jellyfish", 4, GRID, "techniques.fish:basic", FISH, ("Basic Fish of 4",), "folklore", (4,)),
    Technique("finned x-wing", 5, GRID, "techniques.fish:finned", FISH, (), "players' forum", (2, False)),
    Technique("sashimi x-wing", 5, GRID, "techniques.fish:finned", FISH, (), "players' forum", (2, True)),
    Technique("finned swordfish", 5, GRID, "techniques.fish:finned", FISH, (), "players' forum", (3, False)),
    Technique("sashimi swordfish", 5, GRID, "techniques.fish:finned", FISH, (), "players' forum", (3, True)),
    Technique(
        "finned jellyfish", 6, GRID, "techniques.fish:finned", FISH, (), "players' forum", (4, False), asked=True
    ),
    Technique(
        "sashimi jellyfish", 6, GRID, "techniques.fish:finned", FISH, (), "players' forum", (4, True), asked=True
    ),
    Technique("franken x-wing", 7, GRID, "techniques.fish:franken", FISH, (), "Ultimate Fish Guide", (2,), asked=True),
    Technique(
        "franken swordfish", 7, GRID, "techniques.fish:franken", FISH, (), "Ultimate Fish Guide", (3,), asked=True
    ),
    Technique(
        "franken jellyfish", 7, GRID, "techniques.fish:franken", FISH, (), "Ultimate Fish Guide", (4,), asked=True
    ),
    Technique("mutant x-wing", 7, FULL, "techniques.fish:mutant", FISH, (), "Ultimate Fish Guide", (2,), asked=True),
    Technique("mutant swordfish", 7, FULL, "techniques.fish:mutant", FISH, (), "Ultimate Fish Guide", (3,), asked=True),
    Technique("mutant jellyfish", 7, FULL, "techniques.fish:mutant", FISH, (), "Ultimate Fish Guide", (4,), asked=True),
    Technique("skyscraper", 4, GRID, "chains.named:find", CHAIN, ("Turbot Fish",), "HoDoKu", ("value",)),
    Technique("two-string kite", 4, GRID, "chains.named:find", CHAIN, ("2-String Kite",), "HoDoKu", ("value",)),
    Technique("turbot fish", 4, FULL, "chains.named:find", CHAIN, (), "N. Noodler", ("value",)),
    Technique("xy-wing", 4, ANY, "chains.named:find", CHAIN, ("Y-Wing", "Bent Triple"), "folklore", ("cells",)),
    Technique("w-wing", 4, FULL, "chains.named:find", CHAIN, ("Semi-Remote Naked Pair",), "folklore", ("all",)),
    Technique("remote pair", 5, ANY, "chains.named:remote_pair", CHAIN, ("Remote Pairs",), "folklore"),
    Technique("x-chain", 5, FULL, "chains.named:find", CHAIN, ("X-Cycle", "Fishy Cycle"), "folklore", ("value",)),
    Technique("x-loop", 5, FULL, "chains.named:find", LOOP, ("X-Cycle Type 1",), "folklore", ("value",)),
    Technique("xy-chain", 5, ANY, "chains.named:find", CHAIN, ("XY-Chain",), "folklore", ("cells",)),
    Technique(
        "aic",
        6,
        FULL,
        "chains.named:find",
        CHAIN,
        ("Alternating Inference Chain", "Discontinuous Nice Loop"),
        "M. Tarek",
        ("all",),
    ),
    Technique(
        "continuous loop",
        6,
        FULL,
        "chains.named:find",
        LOOP,
        ("Continuous Nice Loop", "AIC Ring"),
        "folklore",
        ("all",),
    ),
    Technique("empty rectangle", 4, FULL, "chains.named:find", CHAIN, ("Hinge",), "folklore", ("value, groups",)),
    Technique("grouped x-loop", 6, FULL, "chains.named:find", LOOP, (), "folklore", ("value, groups",)),
    Technique(
        "grouped x-chain", 6, FULL, "chains.named:find", CHAIN, ("Grouped X-Cycle",), "folklore", ("value, groups",)
    ),
    Technique(
        "grouped aic",
        6,
        FULL,
        "chains.named:find",
        CHAIN,
        ("Grouped AIC", "Grouped Discontinuous Nice Loop"),
        "folklore",
        ("groups",),
    ),
    Technique(
        "grouped continuous loop",
        6,
        FULL,
        "chains.named:find",
        LOOP,
        ("Grouped Continuous Nice Loop",),
        "folklore",
        ("groups",),
    ),
    Technique("xyz-wing", 4, ANY, "techniques.bent:xyz_wing", PATTERN, ("XYZ-Wing",), "folklore"),
    Technique("wxyz-wing", 6, ANY, "chains.named:find", CHAIN, ("WXYZ-Wing", "Bent Quad"), "folklore", ("sets",)),
    Technique(
        "als-xz",
        6,
        ANY,
        "chains.named:find",
        CHAIN,
        ("ALS-XZ", "Almost Locked Sets XZ"),
        "B. Eppstein",
        ("sets", "als-xz", "xyz-wing", "wxyz-wing"),
    ),
    Technique("als-xy-wing", 7, ANY, "chains.named:find", CHAIN, ("ALS-XY-Wing",), "folklore", ("sets",)),
    Technique(
        "almost locked loop",
        7,
        ANY,
        "chains.named:find",
        LOOP,
        ("Doubly Linked ALS-XZ", "ALS Ring"),
        "folklore",
        ("sets",),
    ),
    Technique("als chain", 7, ANY, "chains.named:find", CHAIN, ("ALS-XY-Chain",), "folklore", ("sets",)),
    Technique("almost locked aic", 7, FULL, "chains.named:find", CHAIN, ("AIC with ALS",), "folklore", ("everything",)),
    Technique(
        "simple colouring",
        4,
        FULL,
        "techniques.colouring:simple",
        PATTERN,
        ("Simple Colors", "Singles Chains"),
        "folklore",
    ),
    Technique(
        "multi colouring",
        5,
        FULL,
        "techniques.colouring:multi",
        PATTERN,
        ("Multi Colors", "Multi-Coloring"),
        "folklore",
    ),
    Technique("3d medusa", 6, FULL, "techniques.colouring:medusa", PATTERN, ("3D Medusa",), "R. van der Veen"),
    Technique(
        "sue de coq", 6, ANY, "techniques.bent:sue_de_coq", PATTERN, ("Two-Sector Disjoint Subsets",), "Sue de Coq"
    ),
    Technique(
        "death blossom", 7, ANY, "techniques.bent:death_blossom", PATTERN, ("Death Blossom",), "folklore", asked=True
    ),
    Technique(
        "unique rectangle 1",
        4,
        UNITS_ONLY,
        "techniques.uniqueness:rectangle",
        UNIQUE,
        ("Uniqueness Test 1",),
        "folklore",
        ("1",),
        unique=True,
    ),
    Technique(
        "unique rectangle 2",
        4,
        UNITS_ONLY,
        "techniques.uniqueness:rectangle",
        UNIQUE,
        ("Uniqueness Test 2 and 5",),
        "folklore",
        ("2",),
        unique=True,
    ),
    Technique(
        "unique rectangle 3",
        4,
        UNITS_ONLY,
        "techniques.uniqueness:rectangle",
        UNIQUE,
        ("Uniqueness Test 3",),
        "folklore",
        ("3",),
        unique=True,
    ),
    Technique(
        "unique rectangle 4",
        4,
        UNITS_ONLY,
        "techniques.uniqueness:rectangle",
        UNIQUE,
        ("Uniqueness Test 4",),
        "folklore",
        ("4",),
        unique=True,
    ),
    Technique(
        "unique rectangle 6",
        4,
        UNITS_ONLY,
        "techniques.uniqueness:rectangle",
        UNIQUE,
        ("Uniqueness Test 6",),
        "folklore",
        ("6",),
        unique=True,
    ),
    Technique(
        "hidden rectangle",
        4,
        UNITS_ONLY,
        "techniques.uniqueness:rectangle",
        UNIQUE,
        ("Hidden Unique Rectangle",),
        "folklore",
        ("hidden",),
        unique=True,
    ),
    Technique(
        "avoidable rectangle",
        4,
        UNITS_ONLY,
        "techniques.uniqueness:avoidable",
        UNIQUE,
        ("Avoidable Rectangle 1 and 2",),
        "folklore",
        unique=True,
    ),
    Technique(
        "extended rectangle",
        5,
        UNITS_ONLY,
        "techniques.uniqueness:extended",
        UNIQUE,
        ("Extended Unique Rectangle", "BUG Lite"),
        "players' forum",
        unique=True,
    ),
    Technique(
        "unique loop", 5, UNITS_ONLY, "techniques.uniqueness:loop", UNIQUE, ("Unique Loop",), "folklore", unique=True
    ),
    Technique(
        "bug",
        4,
        UNITS_ONLY,
        "techniques.uniqueness:grave",
        UNIQUE,
        ("BUG+1", "BUG+n", "Bivalue Universal Grave"),
        "N. Noodler",
        unique=True,
    ),
    Technique("whip", 9, FULL, "refutations.refute:find", REFUTED, ("Whip",), "D. Berthier", (False,)),
    Technique(
        "braid",
        9,
        FULL,
        "refutations.refute:find",
        REFUTED,
        ("Forcing Chain", "Forcing Net", "Forcing Contradiction", "Nishio"),
        "D. Berthier",
        (False,),
    ),
    Technique("g-whip", 9, FULL, "refutations.refute:find", REFUTED, (), "D. Berthier", (True,)),
    Technique("g-braid", 9, FULL, "refutations.refute:find", REFUTED, (), "D. Berthier", (True,)),
    Technique("constraint braid", 9, UNLIKE_UNITS, "refutations.constraint_braids:find", REFUTED, (), "D. Berthier"),
    Technique(
        "forcing truth",
        10,
        FULL,
        "refutations.refute:forcing",
        PATTERN,
        ("Cell Forcing Chain", "Unit Forcing Chain", "Digit Forcing Chain", "Forcing Net Verity"),
        "folklore",
    ),
    Technique(
        "nested braid", 10, FULL, "refutations.refute:nested", REFUTED, ("Dynamic Forcing Net",), "D. Berthier", (2,)
    ),
    Technique("deep braid", 11, FULL, "refutations.refute:nested", REFUTED, (), "D. Berthier", (3,), asked=True),
    Technique(
        "constraint",
        2,
        UNLIKE_UNITS,
        "techniques.algebra:constraint",
        "{pattern} allows no tuple with it, so {removes}",
        ("Cage Combinations", "Arc Consistency"),
        "folklore",
    ),
    Technique(
        "parity",
        8,
        "parities, with the truths of cells and full units",
        "techniques.algebra:parity",
        PATTERN,
        ("GF(2) Elimination",),
        "linear algebra",
        (False,),
    ),
    Technique(
        "parity of truths", 8, FULL, "techniques.algebra:parity", PATTERN, (), "linear algebra", (True,), asked=True
    ),
    Technique(
        "multi-sector locked sets",
        8,
        GRID,
        "techniques.algebra:locked_sectors",
        PATTERN,
        ("MSLS", "SK-Loop", "Rank-0 Logic"),
        "D. P. Bird",
        (4,),
        asked=True,
    ),
)

# How the ladder finds what a finder would give in full.
_LEADS = {
    "chains.named:find": "chains.leads:chain",
    "chains.named:remote_pair": "chains.leads:remote",
    "techniques.colouring:simple": "chains.leads:gated",
    "techniques.colouring:multi": "chains.leads:gated",
    "techniques.locked:locked_candidates": "techniques.locked:leads",
    "techniques.subsets:naked": "chains.leads:scouted",
    "techniques.subsets:locked": "chains.leads:scouted",
    "techniques.subsets:hidden": "chains.leads:scouted",
    "techniques.fish:basic": "chains.leads:scouted",
    "techniques.fish:finned": "chains.leads:scouted",
    "techniques.bent:sue_de_coq": "chains.leads:scouted",
    "techniques.colouring:medusa": "chains.leads:scouted",
}

# By level; inside a level as listed.
TECHNIQUES: tuple[Technique, ...] = tuple(
    replace(known, leads=_LEADS.get(known.finder, "")) for known in sorted(_LISTED, key=lambda known: known.level)
)


def technique(name: str) -> Technique:
    """The technique of a name or alias, in any case, `-` and `_` as spaces.

    Raises:
        ModelError: if there is none.
    """
    wanted = _plain(name)
    for found in TECHNIQUES:
        if _plain(found.name) == wanted:
            return found
    for found in TECHNIQUES:
        if wanted in map(_plain, found.aliases):
            return found
    near = [known.name for known in TECHNIQUES if wanted and wanted.split()[0] in _plain(known.name)]
    mend = f"did you mean {', '.join(near[:4])}?" if near else "`nonant techniques` lists them"
    raise ModelError(f"there is no technique called {name!r}; {mend}")


def _plain(name: str) -> str:
    return " ".join(name.lower().replace("-", " ").replace("_", " ").split())
