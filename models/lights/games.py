"""The games of Lights Out: which lights each press changes, on rectangles and graphs. `lights_out` solves them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Literal

from nonant.csp.algebra import bitrows
from nonant.csp.errors import ModelError, ParseError
from nonant.csp.masks import bits
from nonant.csp.model import cell_name
from nonant.models.lights import modular
from nonant.models.lights import rectangle as gf2_boards

Rule = Literal["sigma-plus", "sigma"]
Neighbours = Literal["orthogonal", "king"]

LARGE_MODULAR_BOARD = 900  # from so many cells on, the nullity with more than two states is worth a compiled kernel


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
        return tuple(modular.echelon(sparse_rows(self.presses_of_light), self.n_cells, self.states).null_space())

    @cached_property
    def quiet_masks(self) -> tuple[int, ...]:
        """The same for two states, as bit masks."""
        if self.polynomial is not None and self.shape is not None:
            rows, columns = self.shape
            patterns = gf2_boards.quiet_patterns(rows, columns, self.polynomial)
            return tuple(joined(pattern, columns) for pattern in patterns)
        return tuple(null_space(self.presses_of_light, self.n_cells))

    @cached_property
    def invariants(self) -> tuple[int, ...]:
        """For two states: sets of lights, as bit masks, of which every press changes an even number; a basis."""
        if self.polynomial is not None or self.symmetric:
            return self.quiet_masks
        return tuple(null_space(self.lights_of_press, self.n_cells))

    @property
    def nullity(self) -> int:
        """How many independent quiet patterns there are."""
        if self.states == 2 and self.polynomial is not None and self.shape is not None:
            return gf2_boards.nullity(*self.shape, self.polynomial)
        if self.polynomial is not None and self.shape is not None and self.n_cells > LARGE_MODULAR_BOARD:
            from nonant.models.lights.modular_rectangle import nullity_modular

            return nullity_modular(*self.shape, self.states, self.polynomial)
        return len(self.quiet_masks if self.states == 2 else self.quiet)

    def vector(self, mask: int) -> tuple[int, ...]:
        """A bit mask as one 0 or 1 a cell."""
        return tuple(map(int, f"{mask:0{self.n_cells}b}"[::-1])) if self.n_cells else ()

    def __repr__(self) -> str:
        size = "x".join(map(str, self.shape)) if self.shape else f"{self.n_cells} cells"
        return f"Game({size}, {self.states} states)"


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
    check_rule(rule, states)
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
    check_rule(rule, states)
    nodes = tuple(graph.nodes)
    index = {node: at for at, node in enumerate(nodes)}
    reach = []
    for node in nodes:
        found = {index[other] for other in graph.neighbors(node)} - {index[node]}
        reach.append(tuple(sorted(found | {index[node]} if rule == "sigma-plus" else found)))
    return Game(nodes, tuple(map(str, nodes)), tuple(reach), states)


def check_rule(rule: str, states: int) -> None:
    """Raise a ModelError for an unknown rule, or a number of states that is no prime."""
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
        ParseError: for a symbol in a string that is no digit, with its line and column.
        ModelError: for a wrong number of states, or a state that the game does not have.
    """
    if isinstance(lights, int):
        found = [lights] * game.n_cells
    elif isinstance(lights, str) and lights in ("all", "none"):
        found = [int(lights == "all")] * game.n_cells
    elif isinstance(lights, str):
        found = list(_digits(lights))
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


def _digits(text: str) -> Iterator[int]:
    for number, line in enumerate(text.splitlines(), 1):
        for column, symbol in enumerate(line, 1):
            if symbol in "0123456789":
                yield int(symbol)
            elif not symbol.isspace():
                mend = "write one digit a light, or all or none"
                raise ParseError(f"a light cannot be {symbol!r}", line=number, column=column, expected=mend)


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


# -- rows and masks ----------------------------------------------------------------------------------------------------


def sparse_rows(rows: Iterable[int]) -> list[dict[int, int]]:
    """Bit masks as rows for `modular`."""
    return [dict.fromkeys(bits(mask), 1) for mask in rows]


def joined(rows: Sequence[int], columns: int) -> int:
    """Rows of a board as one mask."""
    return sum(row << (at * columns) for at, row in enumerate(rows))


def null_space(rows: Sequence[int], columns: int) -> list[int]:
    """A basis of the vectors that every row is orthogonal to: by plain ints while there are few, else compiled."""
    from nonant.csp.algebra import gf2

    if gf2.by_ints(len(rows), columns):
        return bitrows.null_space(rows, columns)
    return gf2.null_space(gf2.BitMatrix.of_ints(rows, columns)).ints()
