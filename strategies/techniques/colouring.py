"""Colouring: truths with two candidates join them to a component whose two colours are true in turn.

One of the two colours holds as a whole. So what excludes members of both is false (a *trap*), and a colour that
excludes itself, or leaves some truth nothing, is false as a whole (a *wrap*). *Simple* colouring stays with one value,
*multi* colouring sets two components of one value against each other, *3D Medusa* takes all values together.

The proof is a refutation by the component's own truths.

Sources: simple and multi colouring are folklore of the players' forum; 3D Medusa is by R. van der Veen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from nonant.csp.masks import bits
from nonant.csp.plain.search import Searcher
from nonant.csp.proofs.records import Refutation, Several
from nonant.strategies import kernels
from nonant.strategies.board import Board
from nonant.strategies.chains.kinds import some_of_one_value
from nonant.strategies.definition import FULL, PATTERN, Technique
from nonant.strategies.refutations.refute import refutation
from nonant.strategies.sentences import not_these, places_of
from nonant.strategies.step import Step


@dataclass(frozen=True)
class Component:
    """Two colours (masks of candidates), the truths that join them, and what each colour excludes."""

    colours: tuple[int, int]
    truths: tuple[int, ...]
    excluded: tuple[int, int]


def pairs(board: Board) -> list[tuple[int, int, int]]:
    """The truths with two candidates, and these."""
    sets, left, found = board.sets, board.open, []
    for number, mask in enumerate(sets.masks):
        members = mask & left
        if members and sets.is_truth[number] and members.bit_count() == 2:
            one, other = bits(members)
            found.append((number, one, other))
    return found


def components(board: Board, values: Sequence[int] | None) -> list[Component]:
    """The components over truths with two candidates: of one value each, or (None) of all values and cells together."""
    sets, size = board.sets, board.model.n_values
    n_cells = board.model.n_cells
    edges: dict[int, list[tuple[int, int]]] = {}
    for number, one, other in board.once("pairs", pairs):
        if values is not None and (number < n_cells or (number - n_cells) % size not in values):
            continue
        edges.setdefault(one, []).append((other, number))
        edges.setdefault(other, []).append((one, number))
    found, seen = [], 0
    for first in edges:
        if seen >> first & 1:
            continue
        colours, truths, stack = [1 << first, 0], set[int](), [(first, 0)]
        while stack:
            candidate, colour = stack.pop()
            for other, number in edges[candidate]:
                truths.add(number)
                if not (colours[0] | colours[1]) >> other & 1:
                    colours[1 - colour] |= 1 << other
                    stack.append((other, 1 - colour))
        seen |= colours[0] | colours[1]
        excluded = [0, 0]
        for colour in (0, 1):
            for candidate in bits(colours[colour]):
                excluded[colour] |= sets.peers[candidate]
        pair = (excluded[0] & board.live, excluded[1] & board.live)
        found.append(Component((colours[0], colours[1]), tuple(sorted(truths)), pair))
    return found


def simple(board: Board, technique: Technique) -> Iterator[Step]:
    """Traps and wraps of components of one value."""
    for value in range(board.model.n_values):
        for component in components(board, (value,)):
            yield from _alone(board, technique, component)


def may_be_medusa(board: Board) -> bool:
    """Whether there may be a 3D Medusa."""
    compiled = kernels.loaded("exists_medusa")
    return compiled is None or compiled.may_be_medusa(board)


def medusa(board: Board, technique: Technique) -> Iterator[Step]:
    """Traps and wraps of components over all values, and colours that leave a truth nothing."""
    sets, patterns = board.sets, board.model.compiled.once(Searcher).patterns
    for component in components(board, None):
        yield from _alone(board, technique, component)
        for colour in (0, 1):
            left = board.live & ~component.excluded[colour]
            if all(not pattern.base & ~pattern.gathered(left)[0] for pattern in patterns if pattern.full):
                continue  # every truth keeps a candidate
            for number, mask in enumerate(sets.masks):
                members = mask & board.live
                if sets.is_truth[number] and members and not members & left:
                    gone, truths = component.colours[colour], (*component.truths, number)
                    why = f"{places_of(board, gone, 'and')} would leave {sets.names[number]} nothing"
                    yield from _step(board, technique, gone, truths, why)
                    break


def multi(board: Board, technique: Technique) -> Iterator[Step]:
    """Two components of one value whose colours exclude each other."""
    for value in range(board.model.n_values):
        for one, other in permutations(components(board, (value,)), 2):
            truths = (*one.truths, *other.truths)
            for colour in (0, 1):
                met = [bool(one.excluded[colour] & other.colours[at]) for at in (0, 1)]
                name = places_of(board, one.colours[colour], "and")
                if met == [True, True]:
                    why = f"{name} would exclude both colours of another component"
                    yield from _step(board, technique, one.colours[colour], truths, why)
                for at in (0, 1):
                    if met[at]:
                        gone = one.excluded[1 - colour] & other.excluded[1 - at]
                        gone &= ~(one.colours[0] | one.colours[1] | other.colours[0] | other.colours[1])
                        why = f"{name} and {places_of(board, other.colours[at], 'and')} exclude each other"
                        yield from _step(board, technique, gone, truths, why)


def _alone(board: Board, technique: Technique, component: Component) -> Iterator[Step]:
    first, second = (places_of(board, colour, "and") for colour in component.colours)
    gone = component.excluded[0] & component.excluded[1] & ~(component.colours[0] | component.colours[1])
    yield from _step(board, technique, gone, component.truths, f"either {first} or {second} hold")
    for colour in (0, 1):
        if component.excluded[colour] & component.colours[colour]:
            why = f"{places_of(board, component.colours[colour], 'and')} exclude each other"
            yield from _step(board, technique, component.colours[colour], component.truths, why)


def _step(board: Board, technique: Technique, gone: int, truths: Sequence[int], why: str) -> Iterator[Step]:
    proofs: list[Refutation] = []
    for candidate in bits(gone & board.open):
        proof = refutation(board, candidate, truths)
        if proof is not None:
            proofs.append(proof)
    if proofs:
        removes = tuple(proof.assumes for proof in proofs)
        reason = technique.reason.format(pattern=why, removes=not_these(board, removes))
        proof_of_all = proofs[0] if len(proofs) == 1 else Several(tuple(proofs))
        cells = tuple(dict.fromkeys(cell for cell in (one // board.model.n_values for one in removes)))
        yield Step(technique.name, (), removes, proof_of_all, reason, cells)


TECHNIQUES = (
    Technique(
        "simple colouring",
        4,
        FULL,
        simple,
        PATTERN,
        ("Simple Colors", "Singles Chains"),
        "folklore",
        scout=some_of_one_value,
    ),
    Technique(
        "multi colouring",
        5,
        FULL,
        multi,
        PATTERN,
        ("Multi Colors", "Multi-Coloring"),
        "folklore",
        scout=some_of_one_value,
    ),
    Technique("3d medusa", 6, FULL, medusa, PATTERN, ("3D Medusa",), "R. van der Veen", scout=may_be_medusa),
)
