"""Lights Out: pressing a cell changes lights around it; switch all of them off (or to any target).

    game = rectangle(5, 5)                     # or torus=True, neighbours="king", rule="sigma", states=3
    game = on_graph(networkx.petersen_graph())
    solve(game, "all").presses                 # one solution; .solutions counts them all; .witness says why none
    fewest(game, "all").weight                 # 15, .optimal says that it is proved
    solve_board(lit)                           # numpy in, numpy out; ten thousand rows and columns in a blink

The order of presses does not matter, and pressing a cell twice is the same as not at all (with p states: p times), so
a game is one system of linear equations over GF(2) (GF(p)): presses x with M x = the change wanted. Solutions differ by
*quiet patterns*, presses that change nothing. If there is no solution, some set of lights shows it: every press changes
an even number of them, but an odd number must change; no third case exists. If M is symmetric, as it is unless the
graph is directed, those sets are the quiet patterns themselves.

A light has a state 0 .. states - 1; a press adds one to each light it reaches. Two rules: *sigma-plus*, where a press
reaches its own cell and its neighbours, and *sigma*, where it reaches only the neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nonant.csp.algebra import bitrows, coset_leaders
from nonant.csp.errors import ModelError, NonantError
from nonant.csp.masks import bits
from nonant.csp.model import Model, Parity
from nonant.models.lights import modular, modular_leaders, radius_proofs
from nonant.models.lights import rectangle as gf2_boards
from nonant.models.lights.games import (
    Game,
    Neighbours,
    Rule,
    after,
    check_rule,
    joined,
    on_graph,
    read_lights,
    rectangle,
    sparse_rows,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Answer",
    "Game",
    "Neighbours",
    "Rule",
    "Unsolvable",
    "after",
    "distances",
    "fewest",
    "hardest",
    "model",
    "on_graph",
    "prove_hardest",
    "proves_hardest",
    "read_lights",
    "rectangle",
    "solve",
    "solve_board",
]

SMALL_BOARD = 1 << 18  # boards of so many cells are solved in plain Python, in milliseconds


class Unsolvable(NonantError):
    """A board that no presses solve.

    Attributes:
        witness: an array in the board's shape: the lights that show it (with more than two states: their weights).
            Every press changes their number (weighted sum) by a multiple of the number of states; the board asks for
            another change.
    """

    def __init__(self, witness: Any, states: int = 2) -> None:
        self.witness = witness
        if states == 2:
            reason = (
                f"each changes an even number of the {int(witness.sum())} lights in the witness, "
                "but an odd number of them must change"
            )
        else:
            reason = (
                f"each changes the weighted sum of the lights in the witness by a multiple of {states}, "
                "but the board asks for another change"
            )
        super().__init__(f"no presses solve this board: {reason}")


@dataclass(frozen=True)
class Answer:
    """What `solve` and `fewest` found.

    Attributes:
        solvable: whether there is a solution.
        nullity: how many independent quiet patterns there are.
        solutions: the number of solutions.
        presses: how often each cell is pressed, 0 .. states - 1; None when there is no solution.
        weight: all presses together.
        lower_bound: no solution takes fewer presses.
        witness: when there is no solution, a weight for each light (0 or 1 with two states): no press changes the
            weighted sum of the lights modulo the number of states, but the target has another.
        witness_cells: the names of the lights with a weight that is not 0.
    """

    solvable: bool
    nullity: int
    solutions: int
    presses: tuple[int, ...] | None
    weight: int | None
    lower_bound: int
    witness: tuple[int, ...] | None
    witness_cells: tuple[str, ...]

    @property
    def optimal(self) -> bool:
        """True when no solution takes fewer presses: proved, not hoped."""
        return self.weight is not None and self.weight == self.lower_bound


def model(game: Game, lights: Any = "all", target: Any = "none") -> Model:
    """The game as a model of `Parity` constraints over its presses, for every backend that takes them.

    Raises:
        ModelError: for more than two states, which parities cannot say.
    """
    if game.states != 2:
        raise ModelError(f"a model of parities has two states a light, not {game.states}; use lights_out.solve")
    change = _wanted(game, lights, target)
    constraints = [
        Parity([game.cells[press] for press in bits(mask)], bool(odd), name)
        for mask, odd, name in zip(game.presses_of_light, change, game.names, strict=True)
    ]
    return Model("lights-out", shape=game.shape, cells=game.cells, values=(0, 1), constraints=constraints)


# -- solving -----------------------------------------------------------------------------------------------------------


def solve(game: Game, lights: Any, target: Any = "none") -> Answer:
    """One solution and the number of all, or the witness that there is none."""
    wanted = _wanted(game, lights, target)
    member, witness = _solve_two(game, wanted) if game.states == 2 else _solve_more(game, wanted)
    if member is None:
        assert witness is not None
        cells = tuple(name for name, weight in zip(game.names, witness, strict=True) if weight)
        return Answer(False, game.nullity, 0, None, None, 0, witness, cells)
    nullity, weight = game.nullity, sum(member)
    bound = weight if not nullity else min(weight, _floor(game, wanted))
    return Answer(True, nullity, game.states**nullity, member, weight, bound, None, ())


def fewest(game: Game, lights: Any, target: Any = "none", seconds: float | None = 60.0) -> Answer:
    """A solution with as few presses as possible; `optimal` tells whether that is proved, `lower_bound` what is.

    Args:
        game: the game.
        lights: the lights as they are.
        target: the lights as they shall be.
        seconds: after this much time the best solution so far is returned; None is no limit.
    """
    found = solve(game, lights, target)
    if found.presses is None or found.optimal:
        return found
    floor = _floor(game, _wanted(game, lights, target))
    if game.states == 2:
        member = _mask(found.presses)
        light = coset_leaders.leader(member, game.quiet_masks, game.presses_of_light, seconds, floor)
        presses, weight, bound = game.vector(light.mask), light.weight, light.lower_bound
    else:
        rows = sparse_rows(game.presses_of_light)
        best = modular_leaders.leader(found.presses, game.quiet, rows, game.states, seconds, floor)
        presses, weight, bound = best.member, best.weight, best.lower_bound
    return Answer(True, found.nullity, found.solutions, presses, weight, bound, None, ())


def distances(game: Game) -> tuple[int, ...]:
    """How many solvable boards take 0, 1, 2, ... presses at least.

    Raises:
        ModelError: for more than two states, or where it is out of reach.
    """
    _two_states(game, "the distance distribution")
    return tuple(coset_leaders.leader_weights(game.quiet_masks, game.n_cells))


def hardest(game: Game, seconds: float = 60.0) -> coset_leaders.Radius | None:
    """God's number: the most presses that a solvable board may need, with such presses; None when time ran out.

    `after(game, "none", game.vector(found.deepest))` is a board that needs so many.
    """
    _two_states(game, "the hardest board")
    return coset_leaders.covering_radius(game.quiet_masks, game.n_cells, seconds)


def prove_hardest(game: Game, presses: int, seconds: float = 600.0) -> radius_proofs.Refutation | None:
    """A proof that no solvable board needs more than `presses`; None when one does, or time ran out.

    `proves_hardest(game, proof)` checks it, by whole numbers alone.
    """
    _two_states(game, "the hardest board")
    return radius_proofs.refute(game.quiet_masks, game.n_cells, presses + 1, seconds)


def proves_hardest(game: Game, proof: radius_proofs.Refutation) -> bool:
    """True when the proof shows that every solvable board takes fewer than `proof.radius` presses."""
    return radius_proofs.check(game.quiet_masks, game.n_cells, proof)


def _two_states(game: Game, what: str) -> None:
    if game.states != 2:
        raise ModelError(f"{what} is known for two states only, not {game.states}")


def _wanted(game: Game, lights: Any, target: Any) -> tuple[int, ...]:
    """What must be added to each light."""
    pairs = zip(read_lights(game, lights), read_lights(game, target), strict=True)
    return tuple((end - start) % game.states for start, end in pairs)


def _floor(game: Game, wanted: Sequence[int]) -> int:
    """Each press adds one to at most so many lights."""
    most = max(map(len, game.reach), default=0)
    return -(-sum(wanted) // most) if most else 0


def _solve_two(game: Game, wanted: Sequence[int]) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
    change = _mask(wanted)
    if game.polynomial is not None and game.shape is not None:
        columns, every = game.shape[1], (1 << game.shape[1]) - 1
        rows = [change >> at & every for at in range(0, game.n_cells, columns)]
        board = gf2_boards.solve_rows(rows, columns, game.polynomial)
        if board.presses is not None:
            return game.vector(joined(board.presses, columns)), None
    odd = [mask for mask in game.invariants if (mask & change).bit_count() % 2]
    if odd:
        return None, game.vector(_lightest_odd(odd, [mask for mask in game.invariants if mask not in odd]))
    return _solution(game.presses_of_light, game.n_cells, wanted), None


def _lightest_odd(odd: Sequence[int], even: Sequence[int]) -> int:
    """A small set of lights says more to a person than a large one; the odd invariants are a coset of the even."""
    if len(odd) + len(even) > coset_leaders.PLAIN_DIMENSION:
        return min(odd, key=int.bit_count)
    return coset_leaders.leader(odd[0], [*even, *(mask ^ odd[0] for mask in odd[1:])]).mask


def _solve_more(game: Game, wanted: Sequence[int]) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
    found = modular.solve(sparse_rows(game.presses_of_light), game.n_cells, wanted, game.states)
    if found is not None:
        return found, None
    invariants: Sequence[tuple[int, ...]] = game.quiet
    if not game.symmetric:
        form = modular.echelon(sparse_rows(game.lights_of_press), game.n_cells, game.states)
        invariants = form.null_space()
    odd = [
        weights
        for weights in invariants
        if sum(weight * change for weight, change in zip(weights, wanted, strict=True)) % game.states
    ]
    return None, min(odd, key=lambda weights: sum(map(bool, weights)))


def _mask(values: Iterable[int]) -> int:
    """Zeros and ones as a bit mask (through text, which is linear in their number; a sum of shifts is not)."""
    digits = "".join(map(str, values))
    return int(digits[::-1], 2) if digits else 0


def _solution(rows: Sequence[int], columns: int, side: Sequence[int]) -> tuple[int, ...]:
    from nonant.csp.algebra import gf2

    if gf2.by_ints(len(rows), columns):
        mask, _ = bitrows.solve(rows, columns, side)
        assert mask is not None
        return tuple(mask >> at & 1 for at in range(columns))
    found = gf2.solve(gf2.BitMatrix.of_ints(rows, columns), list(side)).solution
    assert found is not None
    return tuple(found.tolist())


# -- large boards ------------------------------------------------------------------------------------------------------


def solve_board(lit: Any, rule: Rule = "sigma-plus", states: int = 2) -> NDArray[np.uint8]:
    """Presses that switch a rectangle off, by polynomials (see `nonant.models.lights.rectangle`).

    Args:
        lit: a two-dimensional array, one state a light.
        rule: whether a press reaches its own cell.
        states: how many states a light has; a prime up to 251. A press adds one to each light it reaches.

    Returns:
        How often each cell is pressed, in an array of the same shape.

    Raises:
        Unsolvable: with the witness, when no presses do it.
        ModelError: for an array that has not two dimensions, or holds other states.
    """
    import numpy as np

    from nonant.csp.algebra.gf2 import BitMatrix

    check_rule(rule, states)
    plus = rule == "sigma-plus"
    if states != 2:
        from nonant.models.lights.modular_rectangle import solve_modular

        board = np.asarray(lit)
        if board.dtype.kind not in "bui" or (board.size and (board.min() < 0 or board.max() >= states)):
            raise ModelError(f"a light of {states} states holds 0 to {states - 1}, this array other numbers too")
        modular_board = solve_modular(states - board.astype(np.int16), states, plus)
        if modular_board.presses is None:
            assert modular_board.witness is not None
            raise Unsolvable(modular_board.witness, states)
        return modular_board.presses
    packed = BitMatrix.of(lit)
    if packed.words.shape[0] * packed.columns <= SMALL_BOARD:
        small = gf2_boards.solve_rows(packed.ints(), packed.columns, plus)
        if small.presses is None:
            raise Unsolvable(BitMatrix.of_ints(small.witness or (), packed.columns).bits())
        return BitMatrix.of_ints(small.presses, packed.columns).bits()
    large = gf2_boards.solve_packed(packed, plus)
    if large.presses is None:
        assert large.witness is not None
        raise Unsolvable(large.witness.bits())
    return large.presses.bits()
