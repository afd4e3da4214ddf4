"""What an accepted proof has shown, as one sentence that names all it rests on; nothing else may be printed of it."""

from __future__ import annotations

from collections.abc import Sequence

from nonant.csp.model import Puzzle


def claim(puzzle: Puzzle, solutions: Sequence[str], position: str = "", if_unique: bool = False) -> str:
    """The sentence of a proof that has all solutions of a puzzle.

    Args:
        puzzle: its rules, givens and pencil marks.
        solutions: all solutions, each on one line; none: there is none.
        position: what was believed besides: cells filled in, candidates gone.
        if_unique: whether the proof assumes that there is exactly one solution.
    """
    about = puzzle.statement + (f", {position} as told," if position else "")
    if if_unique:
        if not solutions:
            return f"{about} does not have exactly one solution"
        return f"if {about} has exactly one solution, it is {solutions[0]}"
    if len(solutions) > 1:
        return f"{about} has exactly these {len(solutions)} solutions: {' and '.join(solutions)}"
    return f"{about} has {f'exactly this solution: {solutions[0]}' if solutions else 'no solution'}"
