"""Almost locked sets around an intersection or a stem cell: Sue de Coq and death blossom.

*Sue de Coq*: cells in the intersection of two units, with cells of either unit alone. Each value needs one link (all
its places among the cells in one of the units) or two; if there are as many cells as links, every link is full: a cover
of rank 0. Source: Sue de Coq, "two-sector disjoint subsets" (2005).

*Death blossom*: a stem cell, and for each of its values an almost locked set (a petal) that would lose that value. One
of the petals is locked in the end; a value that all petals have is excluded where all its places there are seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from nonant.csp.masks import bits
from nonant.csp.proofs.records import Cover, Several
from nonant.strategies import kernels
from nonant.strategies.board import Board
from nonant.strategies.chains.graph import AlmostLocked, almost_locked_sets
from nonant.strategies.definition import ANY, PATTERN, Technique
from nonant.strategies.sentences import cell_names, not_these, values_of
from nonant.strategies.step import Step
from nonant.strategies.techniques.covers import common_link, full_cover, seen_by_all, tied
from nonant.strategies.techniques.subsets import open_cells


def may_be_sue_de_coq(board: Board) -> bool:
    """Whether there may be a Sue de Coq."""
    compiled = kernels.loaded("exists_sue_de_coq")
    return compiled is None or compiled.may_be_sue_de_coq(board)


def sue_de_coq(board: Board, technique: Technique) -> Iterator[Step]:
    """All Sue de Coq patterns; a cell set of one unit alone may have up to four cells."""
    first, size, layout = board.model.n_cells, board.model.n_values, board.layout
    for one, other, shared in layout.meets:
        if one > other:
            continue
        common = [(cell, mask) for cell, mask in open_cells(board, one) if shared >> (cell * size) & 1]
        if len(common) < 2:
            continue
        wings, tails = (
            _wings([row for row in open_cells(board, unit) if not shared >> (row[0] * size) & 1])
            for unit in (one, other)
        )
        for middle in (some for number in range(2, len(common) + 1) for some in combinations(common, number)):
            held = _union(middle)
            spare = held.bit_count() - len(middle)  # values to be locked by the wings: each saves at least one
            if spare < 2:
                continue
            saving = [
                [(cells, values, len(cells) - (values & ~held).bit_count()) for cells, values in some if values & held]
                for some in (wings, tails)
            ]
            for wing, in_wing, first_saves in saving[0]:
                if not 0 < first_saves < spare:
                    continue
                for tail, in_tail, second_saves in saving[1]:
                    # A value that both have needs two links: where the middle has none of it both have counted it.
                    if first_saves + second_saves - (in_wing & in_tail & held).bit_count() != spare:
                        continue
                    cells = (*(cell for cell, _ in middle), *wing, *tail)
                    in_one = [first + one * size + value for value in bits(in_wing)]
                    rest = in_tail | held & ~in_wing
                    in_other = [first + other * size + value for value in bits(rest)]
                    proof = full_cover(board.sets, board.live, cells, (*in_one, *in_other))
                    if proof is None:
                        continue
                    # With what links of the same work add, and without: some players look at the two units only.
                    alone = proof.parts[:1] if isinstance(proof, Several) else ()
                    for some_proof in (proof, *(part for part in alone if isinstance(part, Cover))):
                        reason = technique.reason.format(
                            pattern=f"{cell_names(board, cells)} in {layout.names[one]} and {layout.names[other]} "
                            f"hold {values_of(board, held | in_wing | in_tail)} between them",
                            removes=not_these(board, some_proof.removes),
                        )
                        removes = some_proof.removes
                        yield Step(technique.name, (), removes, some_proof, reason, cells, (one, other))


Row = tuple[int, int]


def _union(rows: Sequence[Row]) -> int:
    held = 0
    for _, mask in rows:
        held |= mask
    return held


def _wings(rows: list[Row]) -> list[tuple[tuple[int, ...], int]]:
    """Sets of one to four cells, with their values."""
    return [
        (tuple(cell for cell, _ in some), _union(some))
        for number in range(1, min(4, len(rows)) + 1)
        for some in combinations(rows, number)
    ]


def death_blossom(board: Board, technique: Technique) -> Iterator[Step]:
    """A stem cell of two to four values, with petals of up to five cells."""
    petals = board.once("almost locked sets", lambda board: almost_locked_sets(board, 5))
    size, solved = board.model.n_values, board.solved_cells
    by_value: dict[int, list[tuple[AlmostLocked, dict[int, int]]]] = {}
    for petal in petals:
        places = dict(petal.places)
        for value in places:
            by_value.setdefault(value, []).append((petal, places))
    for stem, values in enumerate(board.cells):
        if solved >> (stem * size) & 1 or not 2 <= values.bit_count() <= 4:
            continue
        options = []
        for value in bits(values):
            candidate = 1 << (stem * size + value)
            seen = board.sets.peers[stem * size + value]
            options.append(
                [
                    (petal, places)
                    for petal, places in by_value.get(value, ())
                    if stem not in petal.cells
                    and not places[value] & ~seen
                    and common_link(board.sets, places[value] | candidate) is not None
                ]
            )
        alike: dict[tuple[int, ...], list[Step]] = {}  # the same petals, with other common values
        for target in range(size):
            for step in _blossoms(board, technique, stem, list(bits(values)), options, target):
                covers = step.proof.parts if isinstance(step.proof, Several) else (step.proof,)
                truths = covers[0].truths if isinstance(covers[0], Cover) else ()
                alike.setdefault(truths, []).append(step)
                yield step
        for steps in alike.values():
            if len(steps) > 1:
                yield _united(board, steps)


def _united(board: Board, steps: Sequence[Step]) -> Step:
    """One step of several that share their truths."""
    parts: list[Any] = []
    for step in steps:
        parts += step.proof.parts if isinstance(step.proof, Several) else (step.proof,)
    proof = Several(tuple(parts))
    why, _, _ = steps[0].reason.partition(", so ")
    return replace(steps[0], removes=proof.removes, proof=proof, reason=f"{why}, so {not_these(board, proof.removes)}")


def _blossoms(
    board: Board,
    technique: Technique,
    stem: int,
    values: list[int],
    options: list[list[tuple[AlmostLocked, dict[int, int]]]],
    target: int,
) -> Iterator[Step]:
    first, size, sets = board.model.n_cells, board.model.n_values, board.sets
    column = sum(1 << (cell * size + target) for cell in range(first)) & board.open
    fitting = [
        [
            (petal, places, seen_by_all(sets, places[target]) & column)
            for petal, places in some
            if target in places and target != value
        ]
        for value, some in zip(values, options, strict=True)
    ]

    def choose(at: int, victims: int, chosen: tuple[tuple[AlmostLocked, dict[int, int]], ...]) -> Iterator[Step]:
        if at < len(fitting):
            for petal, places, seen in fitting[at]:
                if victims & seen:
                    yield from choose(at + 1, victims & seen, (*chosen, (petal, places)))
            return
        truths, links, ends = [stem], list[int](), list[int]()
        for value, (petal, places) in zip(values, chosen, strict=True):
            truths += petal.cells
            rest = petal.values & ~(1 << value | 1 << target)
            links += [first + petal.unit * size + other for other in bits(rest)]
            link = common_link(sets, places[value] | 1 << (stem * size + value))
            links += [] if link is None else [link]
            ends.append(places[target])
        victims &= ~(((1 << size) - 1) << (stem * size)) if (board.cells[stem] >> target & 1) else -1
        proof = tied(sets, truths, links, ends, tuple(bits(victims)))
        if proof is not None and proof.removes:
            cells = tuple(dict.fromkeys(truths))
            reason = technique.reason.format(
                pattern=f"each value of {board.model.names[stem]} leaves {board.model.symbols[target]} to one of "
                f"{len(chosen)} almost locked sets",
                removes=not_these(board, proof.removes),
            )
            yield Step(technique.name, (), proof.removes, proof, reason, cells)

    if all(fitting):
        yield from choose(0, column, ())


TECHNIQUES = (
    Technique(
        "sue de coq",
        6,
        ANY,
        sue_de_coq,
        PATTERN,
        ("Two-Sector Disjoint Subsets",),
        "Sue de Coq",
        scout=may_be_sue_de_coq,
    ),
    Technique("death blossom", 7, ANY, death_blossom, PATTERN, ("Death Blossom",), "folklore", asked=True),
)
