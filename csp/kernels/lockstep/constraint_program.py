"""From the constraints of a model that are not units to a program for the generic lockstep kernel.

A pass begins with these; the units (`program.py`) come after them and work with what they found. `constraint_rules.py`
says what each instruction does. What is done here, once a model:

- A unit of two cells becomes two *extra peers*: a cell loses the values of those that are single. As a unit it would
  be gathered and spread like a row of nine.
- A relation of two cells that says `second >= first + d` of the indices of their values becomes an *order*: eight
  operations whatever the number of values. Orders stand twice, along chains for the lower bounds and back for the upper
  ones, so that one pass sees through a whole thermometer.
- Any other relation becomes *boxes*: products of sets of values, which together hold its tuples. A value is kept while
  some box that holds it meets all domains, which is arc consistency whatever the boxes are. Tuples are merged to boxes
  one cell after another: x < y < z over nine values has 84 tuples and 28 boxes.
- A cage is a list of value sets. It also is a unit whose values must not all occur: those in every feasible set must,
  the others need not. A pass writes them into a row, one mask a puzzle, and from there on hidden singles and locked
  candidates work on a cage as on a full unit. The same for few tuples over cells that differ.
- What cages leave of a full unit is a cage, as the sum of all values is known (the "rule of 45" of killers).
- A sum keeps its bounds, in words of a lane: each term is counted from its least value, so that nothing is negative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import assert_never

from nonant.csp.forms import Binary, Cage, Compiled, Linear, Table, Xor
from nonant.csp.masks import bits

# Opcodes of the part before the units; END ends it.
END, CAGES, PAIRS, BOXES, AT_LEAST, AT_MOST, SUMS, PARITIES = range(8)
# Relations of a sum.
EQUAL, AT_MOST_TOTAL, AT_LEAST_TOTAL, UNEQUAL = range(4)
NO_MUST = 0  # instead of a row (row 0 is a domain): values that must occur are not asked for
NONE_MUST, ALL_MUST = -1, -2  # the same of a unit: it is short, or full
LARGEST_SUM = (1 << 16) - 1  # of all terms at once, in a lane of 16 bits
MOST_LEFT = 3  # cells of a unit that make a cage of their own where known sums leave them
MOST_TUPLES = 50_000  # of one relation: merging them takes a while
_RELATIONS = {"==": EQUAL, "<=": AT_MOST_TOTAL, ">=": AT_LEAST_TOTAL, "!=": UNEQUAL}

Box = tuple[int, ...]  # a mask of values for each cell


@dataclass(frozen=True)
class Must:
    """Cells that differ, and what a pass knows of the values that must stand in them.

    `row` is the row that a constraint writes these values into, counted from 0, or NONE_MUST or ALL_MUST.
    """

    cells: tuple[int, ...]
    row: int


@dataclass(frozen=True)
class CageRow:
    """Cells that differ, the value sets they may take together, and the row of its `Must`."""

    cells: tuple[int, ...]
    sets: tuple[int, ...]
    row: int


@dataclass(frozen=True)
class Boxed:
    """Cells, the boxes of values they may take, and the row of its `Must`, or None."""

    cells: tuple[int, ...]
    boxes: tuple[Box, ...]
    row: int | None


@dataclass(frozen=True)
class Order:
    """The index of the value of `second` is at least that of `first` + `distance`."""

    first: int
    second: int
    distance: int


@dataclass(frozen=True)
class Bounded:
    """A sum of terms that are not negative: `terms[i]` are those of the values of `cells[i]`."""

    cells: tuple[int, ...]
    terms: tuple[tuple[int, ...], ...]
    relation: int
    total: int


@dataclass(frozen=True)
class Parts:
    """A compiled model in the forms of this kernel.

    Attributes:
        units: the units that need rows of their own, cages among them.
        must_rows: how many rows the constraints write.
        peers: pairs of cells that must differ and are in no unit of `units`.
    """

    n_cells: int
    units: tuple[Must, ...]
    must_rows: int
    peers: tuple[tuple[int, int], ...]
    cages: tuple[CageRow, ...]
    boxed: tuple[Boxed, ...]
    orders: tuple[Order, ...]
    sums: tuple[Bounded, ...]
    parities: tuple[tuple[tuple[int, ...], bool], ...]
    odd_mask: int


def why_not(compiled: Compiled) -> str | None:
    """Why the constraints of a model cannot be put into lanes, or None."""
    for rule in compiled.rules:
        match rule:
            case Table():
                if len(rule.tuples) > MOST_TUPLES:
                    return f"a relation has more than {MOST_TUPLES} tuples"
            case Linear():
                if _reach(rule, compiled.numbers) > LARGEST_SUM:
                    return f"the terms of a sum differ by more than {LARGEST_SUM}"
            case Cage() | Binary() | Xor():
                pass
            case _:
                assert_never(rule)
    return None


def parts_of(compiled: Compiled) -> Parts:
    """Bring a model into the forms of this kernel; see the module."""
    peers = [frozenset(some) for some in compiled.peers]
    rows: dict[frozenset[int], int] = {}

    def row_of(cells: Iterable[int]) -> int:
        return rows.setdefault(frozenset(cells), len(rows))

    sets: dict[tuple[int, ...], set[int]] = {}
    for cage in compiled.cages:
        known = sets.setdefault(tuple(sorted(cage.cells)), set(cage.sets))
        known &= set(cage.sets)
    for cells, some in _left_of_units(compiled, sets):
        sets[cells] = sets.get(cells, some) & some
    cages = [CageRow(cells, tuple(sorted(some)), row_of(cells)) for cells, some in sets.items()]
    boxed, orders = [], []
    for (first, second), forward in _merged(compiled.binaries, peers).items():
        distance = _distance(forward)
        back = _distance(_transposed(forward))
        if distance is not None:
            orders.append(Order(first, second, distance))
        elif back is not None:
            orders.append(Order(second, first, back))
        else:
            tuples = [(a, b) for a, mask in enumerate(forward) for b in bits(mask)]
            boxed.append(_boxed((first, second), tuples, peers, compiled.n_values, row_of))
    for table in compiled.tables:
        boxed.append(_boxed(table.cells, table.tuples, peers, compiled.n_values, row_of))
    full = dict(zip(map(frozenset, compiled.units), compiled.full, strict=True))
    units, pairs = [], []
    for unit in compiled.units:
        members = frozenset(unit)
        if full[members]:
            units.append(Must(unit, ALL_MUST))
        elif len(unit) == 2 and members not in rows:
            pairs.append((unit[0], unit[1]))
        else:
            units.append(Must(unit, rows.get(members, NONE_MUST)))
    units += [Must(tuple(sorted(members)), row) for members, row in rows.items() if members not in full]
    sums = [bounded for linear in compiled.sums for bounded in _bounded(linear, compiled.numbers)]
    parities = tuple((xor.cells, xor.odd) for xor in compiled.parities)
    return Parts(
        compiled.n_cells,
        tuple(units),
        len(rows),
        tuple(pairs),
        tuple(cages),
        tuple(boxed),
        tuple(_along_chains(orders)),
        tuple(sums),
        parities,
        compiled.odd_mask,
    )


# -- cages -------------------------------------------------------------------------------------------------------------


def _left_of_units(
    compiled: Compiled, cages: Mapping[tuple[int, ...], set[int]]
) -> list[tuple[tuple[int, ...], set[int]]]:
    """What cages leave of a full unit is a cage too: all values stand in the unit, so its sum is known."""
    numbers = compiled.numbers

    def total(mask: int) -> int:
        return sum(numbers[value] for value in bits(mask))

    totals = {cells: {total(some) for some in sets} for cells, sets in cages.items()}
    for binary in compiled.binaries:
        both = {numbers[a] + numbers[b] for a, mask in enumerate(binary.forward) for b in bits(mask)}
        totals.setdefault((min(binary.first, binary.second), max(binary.first, binary.second)), both)
    sums = {cells: min(some) for cells, some in totals.items() if len(some) == 1}
    of_cell: dict[int, list[tuple[int, ...]]] = {}
    for cells in sums:
        of_cell.setdefault(cells[0], []).append(cells)
    found = []
    for unit, full in zip(compiled.units, compiled.full, strict=True):
        left, known = set(unit), 0
        for cells in (some for cell in unit for some in of_cell.get(cell, ()) if full):
            if left.issuperset(cells):
                left.difference_update(cells)
                known += sums[cells]
        if 0 < len(left) <= MOST_LEFT and len(left) < len(unit):
            wanted = sum(numbers) - known
            choices = combinations(range(compiled.n_values), len(left))
            sets = {sum(1 << at for at in some) for some in choices if sum(numbers[at] for at in some) == wanted}
            found.append((tuple(sorted(left)), sets))
    return found


# -- relations ---------------------------------------------------------------------------------------------------------


def _transposed(forward: Sequence[int]) -> list[int]:
    size = len(forward)
    return [sum(1 << a for a in range(size) if forward[a] >> b & 1) for b in range(size)]


def _merged(binaries: Sequence[Binary], peers: Sequence[frozenset[int]]) -> dict[tuple[int, int], list[int]]:
    """For each pair of cells the relation of all its binaries together; cells that differ take no value twice."""
    found: dict[tuple[int, int], list[int]] = {}
    for binary in binaries:
        first, second = binary.first, binary.second
        forward: Sequence[int] = binary.forward
        if first > second:
            first, second, forward = second, first, binary.backward
        known = found.setdefault((first, second), list(forward))
        for value, mask in enumerate(forward):
            known[value] &= mask
            if second in peers[first]:
                known[value] &= ~(1 << value)
    return found


def _distance(forward: Sequence[int]) -> int | None:
    """d, not negative, if the relation is exactly: the second value's index is at least the first's and d more."""
    size = len(forward)
    every = (1 << size) - 1
    distance = (forward[0] & -forward[0]).bit_length() - 1
    fits = distance >= 0 and all(mask == every & (every << value + distance) for value, mask in enumerate(forward))
    return distance if fits else None


def _boxed(
    cells: tuple[int, ...],
    tuples: Sequence[tuple[int, ...]],
    peers: Sequence[frozenset[int]],
    n_values: int,
    row_of: Callable[[Iterable[int]], int],
) -> Boxed:
    """A relation as boxes; few tuples over cells that differ tell which values must stand in them."""
    differ = all(b in peers[a] for a, b in combinations(cells, 2))
    if differ:
        tuples = [row for row in tuples if len(set(row)) == len(row)]
    row = row_of(cells) if differ and len(tuples) <= n_values else None
    if row is not None:
        return Boxed(cells, tuple(tuple(1 << value for value in some) for some in tuples), row)
    return Boxed(cells, boxes_of(tuples, len(cells)), None)


def boxes_of(tuples: Iterable[tuple[int, ...]], arity: int) -> tuple[Box, ...]:
    """Boxes that together hold exactly these tuples: those alike but for one cell are merged, cell by cell."""
    found: set[Box] = {tuple(1 << value for value in row) for row in tuples}
    while True:
        before = len(found)
        for at in reversed(range(arity)):
            alike: dict[Box, int] = {}
            for box in found:
                key = (*box[:at], 0, *box[at + 1 :])
                alike[key] = alike.get(key, 0) | box[at]
            found = {(*key[:at], mask, *key[at + 1 :]) for key, mask in alike.items()}
        if len(found) == before:
            return tuple(sorted(found))


def _along_chains(orders: Sequence[Order]) -> list[Order]:
    """The orders sorted so that a chain comes in its own order; what runs in a circle keeps its position."""
    depth: dict[int, int] = {}
    for _ in range(len(orders)):
        changed = False
        for order in orders:
            least = depth.get(order.first, 0) + 1
            if depth.get(order.second, 0) < least <= len(orders):
                depth[order.second], changed = least, True
        if not changed:
            break
    return sorted(orders, key=lambda order: depth.get(order.first, 0))


# -- sums --------------------------------------------------------------------------------------------------------------


def _terms(linear: Linear, numbers: Sequence[int]) -> list[list[int]]:
    return [[weight * number for number in numbers] for weight in linear.weights]


def _reach(linear: Linear, numbers: Sequence[int]) -> int:
    """By how much the greatest sum exceeds the least."""
    return sum(max(terms) - min(terms) for terms in _terms(linear, numbers))


def _bounded(linear: Linear, numbers: Sequence[int]) -> list[Bounded]:
    """A sum with terms from 0 on; nothing for one that always holds."""
    terms = _terms(linear, numbers)
    total, most = linear.total - sum(map(min, terms)), _reach(linear, numbers)
    relation = _RELATIONS[linear.relation]
    always = {
        EQUAL: False,
        AT_MOST_TOTAL: total >= most,
        AT_LEAST_TOTAL: total <= 0,
        UNEQUAL: not 0 <= total <= most,
    }
    if always[relation]:
        return []
    if not 0 <= total <= most:
        # Nothing satisfies it; said within a lane: no sum of terms is at most 0 and at least 1.
        never = tuple((1,) * len(numbers) for _ in linear.cells)
        return [Bounded(linear.cells, never, AT_MOST_TOTAL, 0)]
    positive = tuple(tuple(term - min(some) for term in some) for some in terms)
    return [Bounded(linear.cells, positive, relation, total)]


# -- words -------------------------------------------------------------------------------------------------------------


def write(parts: Parts, lanes: int, must_row: int, scratch_row: int) -> tuple[list[int], list[int], int]:
    """The instructions, the masks that they use up in their order, and how many scratch rows they need.

    Rows are named by their first words. `must_row` is the row of `Must.row` 0.
    """
    words: list[int] = []
    masks: list[int] = []
    scratch = 0

    def at(row: int) -> int:
        return row * lanes

    def instruction(opcode: int, count: int) -> None:
        words.extend((opcode, count, at(scratch_row)))

    if parts.orders:
        instruction(AT_LEAST, len(parts.orders))
        for order in parts.orders:
            words.extend((at(order.first), at(order.second), order.distance))
        instruction(AT_MOST, len(parts.orders))
        for order in reversed(parts.orders):
            words.extend((at(order.first), at(order.second), order.distance))
    two = [boxed for boxed in parts.boxed if len(boxed.cells) == 2]
    more = [boxed for boxed in parts.boxed if len(boxed.cells) != 2]
    for opcode, some in ((PAIRS, two), (BOXES, more)):
        if some:
            instruction(opcode, len(some))
        for boxed in some:
            must = NO_MUST if boxed.row is None else at(must_row + boxed.row)
            words.extend(([] if opcode == PAIRS else [len(boxed.cells)]) + [len(boxed.boxes), must])
            words.extend(map(at, boxed.cells))
            for box in boxed.boxes:
                masks.extend(box)
            scratch = max(scratch, len(boxed.cells))
    if parts.sums:
        instruction(SUMS, len(parts.sums))
        for bounded in parts.sums:
            words.extend((len(bounded.cells), bounded.relation, len(bounded.terms[0])))
            words.extend(map(at, bounded.cells))
            masks.append(bounded.total)
            for terms in bounded.terms:
                masks.extend(terms)
            scratch = max(scratch, 2 * len(bounded.cells))
    if parts.parities:
        instruction(PARITIES, len(parts.parities))
        masks.append(parts.odd_mask)
        for cells, odd in parts.parities:
            words.extend((len(cells), int(odd), *map(at, cells)))
    if parts.cages:
        instruction(CAGES, len(parts.cages))
        for cage in parts.cages:
            words.extend((len(cage.cells), len(cage.sets), at(must_row + cage.row), *map(at, cage.cells)))
            masks.extend(cage.sets)
    return [*words, END], masks, scratch
