"""A compiled model as clauses.

One variable a live candidate. Cells and full units are exactly-one sets, other units at-most-one sets. Every other
constraint but parities becomes one thing, a layered decision diagram (a node is a state of what was read so far, an
edge a literal), and is encoded node by node, as MiniSat+ does with BDDs (Een & Sorensson 2006) and Abio et al. (2016)
with MDDs: one encoder for cages, tables and sums alike. Parities are cut into short XORs.

Auxiliary variables need not be determined by the candidates: whoever enumerates blocks solutions on the candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import combinations, product
from typing import Any, assert_never

from nonant.csp.forms import Binary, Cage, Compiled, Linear, Table, Xor
from nonant.csp.masks import bits
from nonant.csp.model import OPERATORS

PAIRWISE = 12  # at-most-one sets up to this size take a clause a pair
CHUNK = 5  # larger ones are cut into pieces of this size
XOR_CHUNK = 4  # cells a short XOR, cut variables included

DECIDED = "decided"  # the state of a sum that can no longer fail

State = Hashable
Choice = tuple[int, Any]  # a literal, and what it means to the step function of a diagram
Layer = dict[State, list[tuple[int, State]]]  # a state -> its edges: a literal, and the state that it leads to


# -- clauses -----------------------------------------------------------------------------------------------------------


class Encoder:
    """Clauses of a compiled model over the candidates that `domains` leave.

    Attributes:
        variables: for each cell its live values and their variables.
        clauses: the clauses, as literals.
        top: the largest variable in use.
        dead: true when some constraint has nothing left; the clauses do not say so.
        xors: with `native_xor`, the parities as literals and whether an odd number of them is true; else empty.
    """

    def __init__(self, compiled: Compiled, domains: Sequence[int], native_xor: bool = False) -> None:
        self.compiled = compiled
        self.native_xor = native_xor
        self.xors: list[tuple[list[int], bool]] = []
        self.top = 0
        self.dead = False
        self.clauses: list[Sequence[int]] = []
        self.variables = [{value: self.new() for value in bits(domain)} for domain in domains]
        for live in self.variables:
            self.clauses.append(list(live.values()))
            self.at_most_one(list(live.values()))
        for unit, full in zip(compiled.units, compiled.full, strict=True):
            self.unit(unit, full)
        for rule in compiled.rules:
            match rule:
                case Cage():
                    self.cage(rule)
                case Binary():
                    self.binary(rule)
                case Table():
                    self.table(rule)
                case Linear():
                    self.sum(rule)
                case Xor():
                    self.parity(rule)
                case _:
                    assert_never(rule)

    def new(self) -> int:
        """A new variable."""
        self.top += 1
        return self.top

    def at_most_one(self, literals: list[int]) -> None:
        """At most one of these literals is true."""
        while len(literals) > PAIRWISE:
            # Either one of the first few, or (`other`) one of the rest.
            other = self.new()
            self.at_most_one([*literals[:CHUNK], other])
            literals = [-other, *literals[CHUNK:]]
        self.clauses.extend(combinations([-literal for literal in literals], 2))

    def unit(self, unit: tuple[int, ...], full: bool) -> None:
        """Each value stands at most once in the unit, in a full one exactly once."""
        where: list[list[int]] = [[] for _ in range(self.compiled.n_values)]
        for cell in unit:
            for value, variable in self.variables[cell].items():
                where[value].append(variable)
        for places in where:
            if full:
                self.clauses.append(places)
                self.dead |= not places
            if len(places) > 1:
                self.at_most_one(places)

    def any_of(self, literals: list[int]) -> int:
        """A literal that is true exactly when one of these is."""
        if len(literals) == 1:
            return literals[0]
        made = self.new()
        self.clauses.append([-made, *literals])
        self.clauses.extend([made, -literal] for literal in literals)
        return made

    def binary(self, binary: Binary) -> None:
        """A value of one cell needs one of its partners in the other."""
        for cell, other, masks in (
            (binary.first, binary.second, binary.forward),
            (binary.second, binary.first, binary.backward),
        ):
            for value, variable in self.variables[cell].items():
                support = [there for at, there in self.variables[other].items() if masks[value] >> at & 1]
                if len(support) < len(self.variables[other]):
                    self.clauses.append([-variable, *support])

    def parity(self, xor: Xor) -> None:
        """A chain of short XORs over the cells' "is odd" literals; a cut variable carries each one's result on."""
        odd, literals = xor.odd, []
        for cell in xor.cells:
            live = self.variables[cell]
            odds = [variable for value, variable in live.items() if self.compiled.odd_mask >> value & 1]
            if odds and len(odds) < len(live):
                literals.append(self.any_of(odds))
            elif odds:
                odd = not odd
        if self.native_xor and len(literals) > 1:
            self.xors.append((literals, odd))
            return
        while len(literals) > XOR_CHUNK:
            cut = self.new()
            self.short_xor([*literals[: XOR_CHUNK - 1], cut], False)
            literals = [*literals[XOR_CHUNK - 1 :], cut]
        self.short_xor(literals, odd)

    def short_xor(self, literals: list[int], odd: bool) -> None:
        """A clause against each assignment of the wrong parity."""
        for signs in product((1, -1), repeat=len(literals)):
            if (signs.count(-1) % 2 == 1) != odd:  # the clause is false when exactly the -1 are true
                self.clauses.append([sign * literal for sign, literal in zip(signs, literals, strict=True)])

    # -- decision diagrams ---------------------------------------------------------------------------------------------

    def cage(self, cage: Cage) -> None:
        """Reads the values in order, used in the cage or not; a state is the value sets that are still open."""
        places: dict[int, list[int]] = {}
        for cell in cage.cells:
            for value, variable in self.variables[cell].items():
                places.setdefault(value, []).append(variable)
        values = sorted(places)
        unreachable = ~sum(1 << value for value in values)
        used = [self.any_of(places[value]) for value in values]

        def step(depth: int, sets: Any, takes: bool) -> State | None:
            value = values[depth]
            # Without the bits already read, equal futures become equal states.
            open_sets: State = tuple(some >> value + 1 << value + 1 for some in sets if (some >> value & 1) == takes)
            return open_sets or None

        root = tuple(sorted(some for some in cage.sets if not some & unreachable))
        self.diagram([[(literal, True), (-literal, False)] for literal in used], root, step)

    def table(self, table: Table) -> None:
        """Reads the cells in order; a state is the rows that are still open, without the columns already read."""
        live = [self.variables[cell] for cell in table.cells]
        rows = tuple(row for row in table.tuples if all(map(dict.__contains__, live, row)))
        groups: dict[State, dict[int, list[tuple[int, ...]]]] = {}

        def step(depth: int, rows: Any, value: int) -> State | None:
            group = groups.get(rows)
            if group is None:
                group = groups[rows] = {}
                for row in rows:
                    group.setdefault(row[0], []).append(row[1:])
            return tuple(group[value]) if value in group else None

        self.diagram([[(variable, value) for value, variable in cell.items()] for cell in live], rows, step)

    def sum(self, linear: Linear) -> None:
        """Reads the cells in order; a state is the sum so far, or DECIDED once the rest cannot break an inequality."""
        choices = [
            [(variable, weight * self.compiled.numbers[value]) for value, variable in self.variables[cell].items()]
            for cell, weight in zip(linear.cells, linear.weights, strict=True)
        ]
        low, high = [0], [0]  # what the last 0, 1, 2, ... cells add at least, at most
        for options in reversed(choices):
            low.append(low[-1] + min(term for _, term in options))
            high.append(high[-1] + max(term for _, term in options))
        holds = OPERATORS[linear.relation]

        def step(depth: int, so_far: Any, term: int) -> State | None:
            if so_far == DECIDED:
                return DECIDED
            total: int = so_far + term
            rest = len(choices) - depth - 1
            least, most = total + low[rest], total + high[rest]
            if linear.relation == "==":
                return total if least <= linear.total <= most else None
            if linear.relation == "!=":
                never = not least <= linear.total <= most
                return DECIDED if never else (total if rest else None)
            if holds(least, linear.total) and holds(most, linear.total):
                return DECIDED
            return total if holds(least, linear.total) or holds(most, linear.total) else None

        self.diagram(choices, 0, step)

    def diagram(
        self, choices: Sequence[Sequence[Choice]], root: State, step: Callable[[int, Any, Any], State | None]
    ) -> None:
        """The literals chosen, one a layer, follow a path from the root.

        Each layer of `choices` is an exactly-one set. `step(depth, state, choice)` is the next state, or None where
        there is no way on. A true node and a true literal lead to the next node; the same clauses backwards, and one
        for "some node of each layer", only help the solver to prune.
        """
        layers = _unfold(choices, root, step)
        if not layers:
            self.dead = True
            return
        nodes: dict[State, int] = {root: 0}  # the variable of each node; 0: the root, true
        for depth, (options, layer) in enumerate(zip(choices, layers, strict=True)):
            parents: dict[State, dict[int, list[int]]] = {}
            following: dict[State, int] = {}
            last = depth == len(layers) - 1
            for state, edges in layer.items():
                node = nodes[state]
                unless = [-node] if node else []
                leaving = dict(edges)
                for literal, _ in options:
                    if literal not in leaving:
                        self.clauses.append([*unless, -literal])
                    elif not last:
                        target = leaving[literal]
                        if target not in following:
                            following[target] = self.new()
                        parents.setdefault(target, {}).setdefault(literal, []).append(node)
                        self.clauses.append([*unless, -literal, following[target]])
            for target, there in following.items():
                for literal, _ in options:
                    before = parents[target].get(literal, [])
                    if 0 not in before:
                        self.clauses.append([-there, -literal, *before])
            if following:
                self.clauses.append(list(following.values()))
            nodes = following


def _unfold(
    choices: Sequence[Sequence[Choice]], root: State, step: Callable[[int, Any, Any], State | None]
) -> list[Layer]:
    """The layers of a diagram without its dead ends; empty when nothing leads from the root to the end."""
    layers: list[Layer] = []
    states: Iterable[State] = [root]
    for depth, options in enumerate(choices):
        layer: Layer = {}
        for state in states:
            edges = [(literal, step(depth, state, choice)) for literal, choice in options]
            layer[state] = [(literal, target) for literal, target in edges if target is not None]
        layers.append(layer)
        states = dict.fromkeys(target for edges in layer.values() for _, target in edges)
    alive = set(states)
    for depth in reversed(range(len(layers))):
        kept = {
            state: [(literal, target) for literal, target in edges if target in alive]
            for state, edges in layers[depth].items()
        }
        layers[depth] = {state: edges for state, edges in kept.items() if edges}
        alive = set(layers[depth])
    return layers if alive else []


def without_given_values(compiled: Compiled, domains: Sequence[int]) -> list[int] | None:
    """The domains without what single values remove from their peers, or None when a cell is left nothing.

    This is all that a backend infers by itself before it encodes. It is written out here, and not taken from the native
    engine's propagation, so that the backends stay a check on that engine.
    """
    left = [domain & own for domain, own in zip(domains, compiled.domains, strict=True)]
    singles = [cell for cell, domain in enumerate(left) if domain & (domain - 1) == 0]
    while singles:
        cell = singles.pop()
        for peer in compiled.peers[cell]:
            if left[peer] & left[cell]:
                left[peer] &= ~left[cell]
                if left[peer] & (left[peer] - 1) == 0:
                    singles.append(peer)
    return left if all(left) else None
