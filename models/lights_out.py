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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from nonant.csp import bitrows, coset_leaders, gf2_boards, modular, modular_leaders
from nonant.csp.errors import ModelError, NonantError
from nonant.csp.model import Model, Parity, cell_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Rule = Literal["sigma-plus", "sigma"]
Neighbours = Literal["orthogonal", "king"]

SMALL_BOARD = 1 << 18  # boards of so many cells are solved in plain Python, in milliseconds
LARGE_MODULAR_BOARD = 900  # from so many cells on, the nullity with more than two states is worth a compiled kernel


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


@dataclass(frozen=True, eq=False)
class Game:
    """Which lights each press changes. Make one with `rectangle` or `on_graph`.

    Attributes:
        cells: coordinates, or the nodes of the graph.
        names: what they are called.
        reach: for each press the places of the lights it changes.
        states: how many states a light has; a prime.
        shape: rows and columns of a rectangle, else None.
        polynomial: for a plain rectangle, where the polynomial method applies, whether a press reaches its own cell.
    """

    cells: tuple[Any, ...]
    names: tuple[str, ...]
    reach: tuple[tuple[int, ...], ...]
    states: int = 2
    shape: tuple[int, int] | None = None
    polynomial: bool | None = None

    @property
    def n_cells(self) -> int:
        """How many cells there are."""
        return len(self.cells)

    @cached_property
    def lights_of_press(self) -> tuple[int, ...]:
        """The lights that each press changes, as bit masks."""
        return tuple(sum(1 << light for light in lights) for lights in self.reach)

    @cached_property
    def presses_of_light(self) -> tuple[int, ...]:
        """The presses that change each light, as bit masks: the rows of the matrix."""
        return tuple(bitrows.transposed(self.lights_of_press, self.n_cells))

    @property
    def symmetric(self) -> bool:
        """True when a press reaches a light exactly if the press there reaches back."""
        return self.lights_of_press == self.presses_of_light

    @cached_property
    def quiet(self) -> tuple[tuple[int, ...], ...]:
        """A basis of the quiet patterns: presses, one number a cell, that change nothing."""
        if self.states == 2:
            return tuple(self.vector(mask) for mask in self.quiet_masks)
        return tuple(modular.echelon(_sparse(self.presses_of_light), self.n_cells, self.states).null_space())

    @cached_property
    def quiet_masks(self) -> tuple[int, ...]:
        """The same for two states, as bit masks."""
        if self.polynomial is not None and self.shape is not None:
            rows, columns = self.shape
            patterns = gf2_boards.quiet_patterns(rows, columns, self.polynomial)
            return tuple(_joined(pattern, columns) for pattern in patterns)
        return tuple(_null_space(self.presses_of_light, self.n_cells))

    @cached_property
    def invariants(self) -> tuple[int, ...]:
        """For two states: sets of lights, as bit masks, of which every press changes an even number; a basis."""
        if self.polynomial is not None or self.symmetric:
            return self.quiet_masks
        return tuple(_null_space(self.lights_of_press, self.n_cells))

    @property
    def nullity(self) -> int:
        """How many independent quiet patterns there are."""
        if self.states == 2 and self.polynomial is not None and self.shape is not None:
            return gf2_boards.nullity(*self.shape, self.polynomial)
        if self.polynomial is not None and self.shape is not None and self.n_cells > LARGE_MODULAR_BOARD:
            from nonant.csp.modular_boards import nullity_modular

            return nullity_modular(*self.shape, self.states, self.polynomial)
        return len(self.quiet_masks if self.states == 2 else self.quiet)

    def vector(self, mask: int) -> tuple[int, ...]:
        """A bit mask as one 0 or 1 a cell."""
        return tuple(map(int, f"{mask:0{self.n_cells}b}"[::-1])) if self.n_cells else ()

    def __repr__(self) -> str:
        size = "x".join(map(str, self.shape)) if self.shape else f"{self.n_cells} cells"
        return f"Game({size}, {self.states} states)"


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


# -- games -------------------------------------------------------------------------------------------------------------


def rectangle(
    rows: int,
    columns: int,
    rule: Rule = "sigma-plus",
    neighbours: Neighbours = "orthogonal",
    torus: bool = False,
    states: int = 2,
) -> Game:
    """A game on a rectangle.

    Args:
        rows: the number of rows.
        columns: the number of columns.
        rule: whether a press reaches its own cell (sigma-plus) or not (sigma).
        neighbours: cells that share an edge, or a chess king's moves.
        torus: opposite edges are joined. A neighbour in two directions (on two rows) is one neighbour.
        states: how many states a light has; a prime.
    """
    _check_rule(rule, states)
    if rows < 1 or columns < 1:
        raise ModelError(f"a board needs at least one row and one column, not {rows}x{columns}")
    if neighbours not in ("orthogonal", "king"):
        raise ModelError(f"there are no {neighbours!r} neighbours; use orthogonal or king")
    steps = [step for step in product((-1, 0, 1), repeat=2) if step != (0, 0) and (neighbours == "king" or 0 in step)]
    reach = []
    for row, column in product(range(rows), range(columns)):
        found = {row * columns + column} if rule == "sigma-plus" else set()
        for down, right in steps:
            at, to = row + down, column + right
            if torus:
                at, to = at % rows, to % columns
            if 0 <= at < rows and 0 <= to < columns and (at, to) != (row, column):
                found.add(at * columns + to)
        reach.append(tuple(sorted(found)))
    cells = tuple(product(range(rows), range(columns)))
    plain = rule == "sigma-plus" if neighbours == "orthogonal" and not torus else None
    return Game(cells, tuple(map(cell_name, cells)), tuple(reach), states, (rows, columns), plain)


def on_graph(graph: Any, rule: Rule = "sigma-plus", states: int = 2) -> Game:
    """A game on a networkx graph: a press reaches the neighbours of its node (in a directed graph, the successors)."""
    _check_rule(rule, states)
    nodes = tuple(graph.nodes)
    index = {node: at for at, node in enumerate(nodes)}
    reach = []
    for node in nodes:
        found = {index[other] for other in graph.neighbors(node)} - {index[node]}
        reach.append(tuple(sorted(found | {index[node]} if rule == "sigma-plus" else found)))
    return Game(nodes, tuple(map(str, nodes)), tuple(reach), states)


def _check_rule(rule: str, states: int) -> None:
    if rule not in ("sigma-plus", "sigma"):
        raise ModelError(f"there is no rule {rule!r}; use sigma-plus (a press changes its own light too) or sigma")
    modular.check_prime(states)


def read_lights(game: Game, lights: Any) -> tuple[int, ...]:
    """The state of each light.

    Args:
        game: the game.
        lights: "all" (every light at 1), "none", one number for all, a string of digits (spaces and line ends are
            skipped), a (nested) sequence or array with one state a cell, or a mapping cell -> state (0 where missing).

    Raises:
        ModelError: for a wrong number of states, or a state that the game does not have.
    """
    if isinstance(lights, int):
        found = [lights] * game.n_cells
    elif isinstance(lights, str) and lights in ("all", "none"):
        found = [int(lights == "all")] * game.n_cells
    elif isinstance(lights, str):
        symbols = "".join(lights.split())
        if not all(symbol in "0123456789" for symbol in symbols):
            strange = next(symbol for symbol in symbols if symbol not in "0123456789")
            raise ModelError(f"a light cannot be {strange!r}; write one digit a light, or all or none")
        found = [int(symbol) for symbol in symbols]
    elif isinstance(lights, Mapping):
        index = {**{name: at for at, name in enumerate(game.names)}, **{cell: at for at, cell in enumerate(game.cells)}}
        found = [0] * game.n_cells
        for cell, state in lights.items():
            if cell not in index:
                raise ModelError(f"the game has no cell {cell!r}; its cells are {', '.join(game.names[:3])}, ...")
            found[index[cell]] = int(state)
    else:
        found = [int(state) for state in _leaves(lights)]
    if len(found) != game.n_cells:
        raise ModelError(f"{len(found)} lights for a game of {game.n_cells} cells; give one a cell")
    for name, state in zip(game.names, found, strict=True):
        if not 0 <= state < game.states:
            raise ModelError(f"light {name} cannot be in state {state}; the states are 0 to {game.states - 1}")
    return tuple(found)


def _leaves(nested: Any) -> Iterable[Any]:
    for item in nested.tolist() if hasattr(nested, "tolist") else nested:
        if isinstance(item, (list, tuple)):
            yield from _leaves(item)
        else:
            yield item


def after(game: Game, lights: Any, presses: Sequence[int]) -> tuple[int, ...]:
    """The lights after these presses, one number a cell."""
    found = list(read_lights(game, lights))
    for lights_changed, times in zip(game.reach, presses, strict=True):
        if times:
            for light in lights_changed:
                found[light] = (found[light] + times) % game.states
    return tuple(found)


def model(game: Game, lights: Any = "all", target: Any = "none") -> Model:
    """The game as a model of `Parity` constraints over its presses, for every backend that takes them.

    Raises:
        ModelError: for more than two states, which parities cannot say.
    """
    if game.states != 2:
        raise ModelError(f"a model of parities has two states a light, not {game.states}; use lights_out.solve")
    change = _wanted(game, lights, target)
    constraints = [
        Parity([game.cells[press] for press in bitrows.bits(mask)], bool(odd), name)
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
        rows = _sparse(game.presses_of_light)
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
            return game.vector(_joined(board.presses, columns)), None
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
    found = modular.solve(_sparse(game.presses_of_light), game.n_cells, wanted, game.states)
    if found is not None:
        return found, None
    invariants: Sequence[tuple[int, ...]] = game.quiet
    if not game.symmetric:
        form = modular.echelon(_sparse(game.lights_of_press), game.n_cells, game.states)
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


def _sparse(rows: Iterable[int]) -> list[dict[int, int]]:
    return [dict.fromkeys(bitrows.bits(mask), 1) for mask in rows]


def _joined(rows: Sequence[int], columns: int) -> int:
    """Rows of a board as one mask."""
    return sum(row << (at * columns) for at, row in enumerate(rows))


def _null_space(rows: Sequence[int], columns: int) -> list[int]:
    from nonant.csp import gf2

    if len(rows) * columns <= gf2.PLAIN_BITS:
        return bitrows.null_space(rows, columns)
    return gf2.null_space(gf2.BitMatrix.of_ints(rows, columns)).ints()


def _solution(rows: Sequence[int], columns: int, side: Sequence[int]) -> tuple[int, ...]:
    from nonant.csp import gf2

    if len(rows) * columns <= gf2.PLAIN_BITS:
        mask, _ = bitrows.solve(rows, columns, side)
        assert mask is not None
        return tuple(mask >> at & 1 for at in range(columns))
    found = gf2.solve(gf2.BitMatrix.of_ints(rows, columns), list(side)).solution
    assert found is not None
    return tuple(found.tolist())


# -- large boards ------------------------------------------------------------------------------------------------------


def solve_board(lit: Any, rule: Rule = "sigma-plus", states: int = 2) -> NDArray[np.uint8]:
    """Presses that switch a rectangle off, by polynomials (see `nonant.csp.gf2_boards`).

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

    from nonant.csp.gf2 import BitMatrix

    _check_rule(rule, states)
    plus = rule == "sigma-plus"
    if states != 2:
        from nonant.csp.modular_boards import solve_modular

        board = np.asarray(lit)
        if board.size and (board.min() < 0 or board.max() >= states):
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
