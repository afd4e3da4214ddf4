"""What the generic lockstep kernel is given to work in, without numba: see `lockstep.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from nonant.csp.kernels.lockstep.program import Program
from nonant.csp.kernels.simd.memory import BITS, aligned

# What a lane knows of its puzzle, in int64 words: the level it is at, the puzzle's number, the solutions found, and the
# branchings since the last of these.
DEPTH, PUZZLE, FOUND, FRUITLESS = 0, 1, 2, 3
LANE_WORDS = 4


def word_for(n_values: int) -> Any:
    """The type of a lane that holds so many values (at most 64)."""
    return next(word for word, bits in ((np.uint16, 16), (np.uint32, 32), (np.uint64, 64)) if n_values <= bits)


def lanes_of(word: Any) -> int:
    """How many lanes of this type a vector has."""
    return BITS // (8 * int(np.dtype(word).itemsize))


def workspace(program: Program, cells: int, word: Any) -> tuple[Any, Any, Any]:
    """What one thread needs: the rows of memory and two for the choice, the lanes, their stacks."""
    lanes = program.lanes
    memory = aligned((program.rows + 2) * lanes, word)
    stack = aligned(lanes * cells * cells, word)
    return memory, np.zeros(lanes * LANE_WORDS, np.int64), stack
