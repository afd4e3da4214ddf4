"""The classic 9x9 grid as plain data: cells, units, and a puzzle spoilt at random."""

from __future__ import annotations

from typing import Any

import numpy as np

CELLS = [(row, column) for row in range(9) for column in range(9)]
SOLVED = "468931527751624839392578461134756298289413675675289314846192753513867942927345186"


def solution_mask(line: str) -> Any:
    digits = np.array([int(symbol) for symbol in line]).reshape(9, 9)
    return np.arange(1, 10)[:, None, None] == digits


def units_of() -> list[list[tuple[int, int]]]:
    boxes = [[(r, c) for r, c in CELLS if (r // 3, c // 3) == (b // 3, b % 3)] for b in range(9)]
    return [[(r, c) for c in range(9)] for r in range(9)] + [[(r, c) for r in range(9)] for c in range(9)] + boxes


def broken(line: str, random: Any) -> str:
    """The puzzle with some givens taken away, and sometimes a wrong one put in."""
    symbols = list(line)
    for at in random.permutation(81)[: random.integers(0, 12)]:
        symbols[at] = "."
    if random.random() < 0.5:
        symbols[random.integers(81)] = str(random.integers(1, 10))
    return "".join(symbols)
