"""Sentences: cells, values and eliminations as a person would name them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nonant.csp.masks import bits
from nonant.strategies.board import Board

MOST = 6  # a list longer than this is cut short


def listed(items: Iterable[str], word: str = "and") -> str:
    """a, b and c; at most `MOST` of them."""
    names = list(items)
    if len(names) > MOST:
        return f"{', '.join(names[: MOST - 1])} {word} {len(names) - MOST + 1} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}" if names else "none"


def cell_names(board: Board, cells: Iterable[int], word: str = "and") -> str:
    """r1c1, r1c2 and r1c3."""
    return listed((board.model.names[cell] for cell in dict.fromkeys(cells)), word)


def values_of(board: Board, mask: int, word: str = "and") -> str:
    """The values of a mask: 1, 2 and 3."""
    return listed((board.model.symbols[value] for value in bits(mask)), word)


def places_of(board: Board, candidates: int, word: str = "or") -> str:
    """The cells of some candidates: r4c1 or r4c2."""
    return cell_names(board, (candidate // board.model.n_values for candidate in bits(candidates)), word)


def set_names(board: Board, sets: Iterable[int]) -> str:
    """Truths or links by name, each once."""
    names = board.sets.names
    return listed("the guard" if number == board.sets.guard else names[number] for number in dict.fromkeys(sets))


def not_these(board: Board, removes: Sequence[int]) -> str:
    """r1c2 and r1c3 cannot be 4, r2c2 cannot be 5."""
    by_value: dict[int, list[int]] = {}
    for candidate in removes:
        cell, value = divmod(candidate, board.model.n_values)
        by_value.setdefault(value, []).append(cell)
    parts = (f"{cell_names(board, cells)} cannot be {board.model.symbols[value]}" for value, cells in by_value.items())
    return "; ".join(parts) if by_value else "nothing goes"
