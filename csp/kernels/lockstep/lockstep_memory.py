"""What the generic lockstep kernel is given to work in, without numba: see `lockstep.py`."""

from __future__ import annotations

from typing import Any, NamedTuple

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


class Rules(NamedTuple):
    """What a model gives the kernel.

    Attributes:
        masks: int64, for each byte the values that it stands for; negative for what is no symbol.
        rules, words, order: the program, see `program.Program`.
        root: the domains, in words of a lane.
        constants: such words: all values, 1, and the masks of the program.
    """

    masks: Any
    rules: Any
    words: Any
    order: Any
    root: Any
    constants: Any


class Space(NamedTuple):
    """What one thread needs: the rows of memory and two for the choice, the lanes, their stacks."""

    memory: Any
    lanes: Any
    stack: Any


def workspace(program: Program, cells: int, word: Any) -> Space:
    """A space to work in."""
    lanes = program.lanes
    memory = aligned((program.rows + 2) * lanes, word)
    stack = aligned(lanes * cells * cells, word)
    return Space(memory, np.zeros(lanes * LANE_WORDS, np.int64), stack)
