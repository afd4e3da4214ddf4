"""MAGIC: nine keys flip cells of a 3 x 3 box of zeros and ones; reach the target, ones around a lone zero.

After Dave Ziemann's article "Exploring MAGIC" (Vector), which plays it backwards from the target through all 512
states. Everything in the article is here, for its keys (`MAGIC`) and for any keys and target of your own:

    MAGIC.solution(186)              # (0, 1, 2, 3, 4, 5, 6, 7, 8)
    MAGIC.trace(32)                  # ((0, 400), (5, 473), (6, 495)): key, state after it
    Magic.of(["110 110 000", ...], target="111 101 111")

A state is a number: its cells in reading order are its binary digits, the first cell the highest (the article's `bd`
and `db`). Keys are numbered from 0.

The article ends with the feeling that there must be a very simple way of knowing what key to press. There is. Let M be
the matrix that maps a set of keys to the cells they flip. For the nine keys M^4 is the identity, so the inverse of M is
M^3: **read the wrong cells as key numbers and press those keys on an empty box; do it twice more with what comes out;
the last box shows the keys to press.** Each key thus hangs on the parity of a few wrong cells: `rule_in_words`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nonant.csp.algebra import bitrows, coset_leaders
from nonant.csp.errors import ModelError
from nonant.csp.masks import bits

MOST_CELLS = 20  # the pools of states by distance are listed up to 2^20 states

Picture = tuple[str, ...]  # a box as lines of 0 and 1


def number(box: Any) -> int:
    """The number of a box: rows of 0 and 1 in any form (the article's `bd`)."""
    digits = "".join(str(int(cell)) for cell in _cells(box))
    return int(digits, 2) if digits else 0


def _cells(box: Any) -> Iterable[Any]:
    for item in "".join(box.split()) if isinstance(box, str) else box:
        if isinstance(item, str) and len(item) == 1:
            if item not in "01":
                raise ModelError(f"a box holds 0 and 1 only, not {item!r}")
            yield item
        elif isinstance(item, str) or hasattr(item, "__iter__"):
            yield from _cells(item)
        else:
            if item not in (0, 1):
                raise ModelError(f"a box holds 0 and 1 only, not {item!r}")
            yield item


@dataclass(frozen=True, eq=False)
class Magic:
    """A game: which cells each key flips, and the target.

    Attributes:
        keys: the boxes of the keys as numbers.
        target: the state to reach.
        rows: the number of rows of a box.
        columns: the number of columns.
    """

    keys: tuple[int, ...]
    target: int
    rows: int = 3
    columns: int = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", tuple(self.keys))
        for what, value in [("the target", self.target), *((f"key {at}", key) for at, key in enumerate(self.keys))]:
            self._check(value, what)

    @staticmethod
    def of(keys: Iterable[Any], target: Any, rows: int = 3, columns: int = 3) -> Magic:
        """A game from boxes: numbers, or rows of 0 and 1 in any form."""
        return Magic(tuple(_number(key) for key in keys), _number(target), rows, columns)

    @property
    def n_cells(self) -> int:
        """How many cells a box has."""
        return self.rows * self.columns

    def _check(self, state: int, what: str = "the state") -> None:
        if not 0 <= state < 1 << self.n_cells:
            raise ModelError(
                f"{what} is {state}, but a box of {self.rows}x{self.columns} has the numbers 0 to "
                f"{(1 << self.n_cells) - 1}"
            )

    def read(self, state: Any) -> int:
        """A state from a number, its digits, or rows of 0 and 1.

        A text of exactly as many zeros and ones as there are cells is a box, any other text of digits a number.
        """
        if isinstance(state, str):
            digits = "".join(state.split())
            if len(digits) != self.n_cells or set(digits) - {"0", "1"}:
                if not digits.isdecimal() or len(state.split()) > 1:
                    raise ModelError(
                        f"{state!r} is no state: give a number from 0 to {(1 << self.n_cells) - 1}, "
                        f"or {self.n_cells} zeros and ones"
                    )
                state = int(digits)
        found = _number(state)
        self._check(found)
        return found

    def box(self, state: int) -> tuple[tuple[int, ...], ...]:
        """The rows of a state's box (the article's `db`)."""
        self._check(state)
        digits = f"{state:0{self.n_cells}b}"
        return tuple(
            tuple(int(digit) for digit in digits[row * self.columns : (row + 1) * self.columns])
            for row in range(self.rows)
        )

    def picture(self, state: int) -> Picture:
        """The box as lines of text."""
        return tuple("".join(map(str, row)) for row in self.box(state))

    # -- states and pools ---------------------------------------------------------------------------------------------

    @cached_property
    def state_table(self) -> tuple[tuple[int, ...], ...]:
        """For each state the states that the keys lead to."""
        self._check_small("the state table")
        return tuple(tuple(state ^ key for key in self.keys) for state in range(1 << self.n_cells))

    def states_from(self, states: int | Iterable[int]) -> tuple[int, ...]:
        """The states from which one key leads to one of these, ascending (the article's `statesFrom`)."""
        wanted = {states} if isinstance(states, int) else set(states)
        return tuple(sorted({state ^ key for state in wanted for key in self.keys}))

    @cached_property
    def pools(self) -> tuple[tuple[int, ...], ...]:
        """The states by distance, the farthest pool first and the target last (the article's `stateTrans`).

        States that no keys bring to the target are in no pool.
        """
        self._check_small("the list of pools")
        seen = {self.target}
        found: list[tuple[int, ...]] = [(self.target,)]
        while True:
            fresh = tuple(state for state in self.states_from(found[-1]) if state not in seen)
            if not fresh:
                return tuple(reversed(found))
            seen.update(fresh)
            found.append(fresh)

    @cached_property
    def _distances(self) -> dict[int, int]:
        farthest = len(self.pools) - 1
        return {state: farthest - at for at, pool in enumerate(self.pools) for state in pool}

    def _check_small(self, what: str) -> None:
        if self.n_cells > MOST_CELLS:
            raise ModelError(f"{what} has 2^{self.n_cells} states; it is made up to {MOST_CELLS} cells")

    def keys_between(self, state: int, states: int | Iterable[int]) -> tuple[int, ...]:
        """The keys that lead from a state to one of these (the article's `keyBetweenStates`)."""
        wanted = {states} if isinstance(states, int) else set(states)
        return tuple(at for at, key in enumerate(self.keys) if state ^ key in wanted)

    @cached_property
    def key_pools(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """For each pool and each state in it the keys that lead to the next pool (the article's `keyTrans`)."""
        following = [*self.pools[1:], ()]
        return tuple(
            tuple(self.keys_between(state, set(after)) for state in pool)
            for pool, after in zip(self.pools, following, strict=True)
        )

    # -- solving ------------------------------------------------------------------------------------------------------

    @cached_property
    def _rows(self) -> list[int]:
        """For each bit of a state the keys that flip it: the system of equations."""
        return bitrows.transposed(self.keys, self.n_cells)

    @cached_property
    def _idle(self) -> list[int]:
        """Sets of keys that flip nothing together, a basis; none for independent keys."""
        return bitrows.null_space(self._rows, len(self.keys))

    def _shortest(self, state: int) -> int | None:
        wrong = state ^ self.target
        some, _ = bitrows.solve(self._rows, len(self.keys), wrong)
        return None if some is None else coset_leaders.leader(some, self._idle, seconds=None).mask

    def solution(self, state: int) -> tuple[int, ...] | None:
        """The keys of a shortest solution, ascending; None when there is none. Their order does not matter."""
        self._check(state)
        found = self._shortest(state)
        return None if found is None else tuple(bits(found))

    def distance(self, state: int) -> int | None:
        """How many keys a shortest solution takes; None when there is none."""
        found = self.solution(state)
        return None if found is None else len(found)

    def right_keys(self, state: int) -> tuple[int, ...]:
        """All keys that begin a shortest solution (the article's `keysAfterState`)."""
        found = self.solution(state)
        if not found:
            return ()
        if not self._idle:
            return found  # the keys are independent: there is no other solution
        return tuple(at for at, key in enumerate(self.keys) if self.distance(state ^ key) == len(found) - 1)

    def trace(self, state: int) -> tuple[tuple[int, int], ...]:
        """(key, state after it) as far as the target, always by the lowest right key (`traceFromState`).

        Raises:
            ModelError: when no keys lead from this state to the target.
        """
        if self.solution(state) is None:
            raise ModelError(f"no keys lead from state {state} to the target {self.target}")
        found = []
        while state != self.target:
            key = self.right_keys(state)[0]
            state ^= self.keys[key]
            found.append((key, state))
        return tuple(found)

    def states_after(self, state: int, keys: Sequence[int]) -> tuple[int, ...]:
        """The state, then the state after each key (the article's `applyKeys`)."""
        found = [state]
        for key in keys:
            if not 0 <= key < len(self.keys):
                raise ModelError(f"there is no key {key}; the keys are 0 to {len(self.keys) - 1}")
            found.append(found[-1] ^ self.keys[key])
        return tuple(found)

    def solves(self, state: int, keys: Sequence[int]) -> bool:
        """True when these keys lead from the state to the target (the article's `checkSolution`)."""
        return self.states_after(state, keys)[-1] == self.target

    def trace_picture(self, state: int) -> str:
        """A game side by side, as in the article: key numbers, the keys' boxes, and the boxes they lead to.

        The first column is the state that the game starts from.
        """
        blank = (" " * self.columns,) * self.rows
        columns = [("", self.picture(state), blank)]
        columns += [(str(key), self.picture(self.keys[key]), self.picture(to)) for key, to in self.trace(state)]
        lines = ["  ".join(title.center(self.columns) for title, _, _ in columns)]
        for part in (1, 2):
            lines.append("")
            lines += ["  ".join(column[part][row] for column in columns) for row in range(self.rows)]
        return "\n".join(line.rstrip() for line in lines)

    # -- the rule -----------------------------------------------------------------------------------------------------

    @cached_property
    def order(self) -> int | None:
        """The least k with M^k the identity; None where M has no inverse (or is not square).

        M maps keys to cells, key k standing for cell k in reading order. Then M^(k-1) is its inverse.
        """
        matrix = self._reading_order()
        if len(self.keys) != self.n_cells or bitrows.rank(matrix) < self.n_cells:
            return None
        identity = [1 << at for at in range(self.n_cells)]
        power, exponent = matrix, 1
        while power != identity:
            power, exponent = bitrows.product(power, matrix), exponent + 1
        return exponent

    def _reading_order(self) -> list[int]:
        """The keys' boxes as masks with bit k for cell k in reading order."""
        return [int(f"{key:0{self.n_cells}b}"[::-1], 2) for key in self.keys]

    @cached_property
    def rule(self) -> tuple[tuple[int, ...], ...] | None:
        """For each key the cells (0-based, in reading order) whose wrong ones decide: press the key if they are odd.

        None where the keys are not independent: then no such rule exists. Where the keys do not reach every state, it
        holds for the states that have a solution.
        """
        if self._idle:
            return None
        form = bitrows.transposed(self._reading_order(), self.n_cells)
        # Row c of the form says which keys flip cell c; tag it with the cell, and eliminate to one key a row.
        n = len(self.keys)
        found, pivots = bitrows.reduced((row | 1 << (n + cell) for cell, row in enumerate(form)), n)
        by_key = dict(zip(pivots, found, strict=True))
        return tuple(tuple(bits(by_key[key] >> n)) for key in range(n))

    def rule_in_words(self) -> str:
        """What key to press from any state, in words.

        Raises:
            ModelError: where the keys are not independent.
        """
        rule = self.rule
        if rule is None:
            raise ModelError("these keys are not independent: some of them together flip nothing, so no rule exists")
        lines = [
            f"Call a cell wrong if it differs from the target {' '.join(self.picture(self.target))}.",
            "Each key is pressed once or not at all, in any order. Press",
        ]
        for key, cells in enumerate(rule):
            named = [f"r{cell // self.columns + 1}c{cell % self.columns + 1}" for cell in cells]
            if len(named) == 1:
                lines.append(f"  key {key} if {named[0]} is wrong")
            else:
                lines.append(f"  key {key} if an odd number of {', '.join(named[:-1])} and {named[-1]} are wrong")
        if self.order is not None:
            times = self.order - 1
            lines += [
                f"All at once: M^{self.order} = I for the matrix M of the keys, so M^{times} is its inverse. Read the "
                "wrong cells as key numbers",
                f"(0 to {len(self.keys) - 1} in reading order), press those keys on an empty box, and do so "
                f"{times} times in all, each time with the",
                "cells that came out; the last box shows the keys to press.",
            ]
        return "\n".join(lines)


def _number(box: Any) -> int:
    return number(box) if isinstance(box, str) or hasattr(box, "__iter__") else int(box)


KEYS = tuple(
    number(box)
    for box in (
        "110 110 000", "111 000 000", "011 011 000",
        "100 100 100", "010 111 010", "001 001 001",
        "000 110 110", "000 000 111", "000 011 011",
    )
)  # fmt: skip
WIN = number("111 101 111")
MAGIC = Magic(KEYS, WIN)
