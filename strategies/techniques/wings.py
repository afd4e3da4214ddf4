"""The XYZ-wing: a cell of three values with two of its pairs. (Other wings are chains.)"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from nonant.csp.masks import bits
from nonant.csp.proofs.records import Cover, Several
from nonant.strategies.board import Board
from nonant.strategies.definition import ANY, PATTERN, Technique
from nonant.strategies.sentences import cell_names, not_these
from nonant.strategies.step import Step
from nonant.strategies.techniques.covers import common_link, links_to, seen_by_all


def xyz_wing(board: Board, technique: Technique) -> Iterator[Step]:
    """A pivot xyz with the wings xz and yz: z goes where all three are seen."""
    sets, size, solved = board.sets, board.model.n_values, board.solved_cells
    peers = board.model.compiled.peers
    for pivot, values in enumerate(board.cells):
        if values.bit_count() != 3 or solved >> (pivot * size) & 1:
            continue
        around = [
            cell for cell in peers[pivot] if board.cells[cell].bit_count() == 2 and not board.cells[cell] & ~values
        ]
        for one, other in combinations(around, 2):
            common = board.cells[one] & board.cells[other]
            if common.bit_count() != 1:
                continue
            value = common.bit_length() - 1
            ends = sum(1 << (cell * size + value) for cell in (pivot, one, other))
            links = []
            for wing in (one, other):
                own = (board.cells[wing] & ~common).bit_length() - 1
                links.append(common_link(sets, 1 << (pivot * size + own) | 1 << (wing * size + own)))
            covers: list[Cover] = []
            for victim in bits(seen_by_all(sets, ends) & board.open):
                ties = links_to(sets, victim, ends)
                if ties is not None and None not in links:
                    tied_links = (*(link for link in links if link is not None), *ties)
                    covers.append(Cover((pivot, one, other), tied_links, (victim,)))
            if covers:
                proof = covers[0] if len(covers) == 1 else Several(tuple(covers))
                cells = (pivot, one, other)
                reason = technique.reason.format(
                    pattern=f"{cell_names(board, cells)} leave {board.model.symbols[value]} to one of them",
                    removes=not_these(board, proof.removes),
                )
                yield Step(technique.name, (), proof.removes, proof, reason, cells)


TECHNIQUES = (Technique("xyz-wing", 4, ANY, xyz_wing, PATTERN, ("XYZ-Wing",), "folklore"),)
