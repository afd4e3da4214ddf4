"""The constraints that are not units, each as one function from a board to the candidates that it removes.

Plain Python over the masks of a few cells: the readable counterpart of the kernels' propagators. Parities are looked at
one by one, which is cheap and names the one that fails, and then all together (`parity_system.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from nonant.csp.algebra import bitrows
from nonant.csp.algebra.parity_system import ParitySystem, parity_system
from nonant.csp.forms import Binary, Cage, Compiled, Linear, Rule, Table, Xor
from nonant.csp.masks import bits

Propagator = Callable[[int], int]  # a board -> the candidates that it removes


def propagators_of(compiled: Compiled) -> tuple[Propagator, ...]:
    """One function a constraint that is not a unit: from a board to the candidates that it removes.

    The last parity's function also looks at the system of all parities.
    """
    made = list(one_by_one(compiled))
    full = (unit for unit, full in zip(compiled.units, compiled.full, strict=True) if full)
    parities = [(xor.cells, xor.odd) for xor in compiled.parities]
    system = parity_system(full, parities, compiled.odd_mask.bit_count())
    if system is not None:
        made[-1] = _both(made[-1], _system(system, compiled))
    return tuple(made)


def one_by_one(compiled: Compiled) -> tuple[Propagator, ...]:
    """As `propagators_of`, each constraint by itself; in the order of `Compiled.rules`."""
    return tuple(_propagator(rule, compiled) for rule in compiled.rules)


def _propagator(rule: Rule, compiled: Compiled) -> Propagator:
    size = compiled.n_values
    match rule:
        case Cage():
            return _cage(rule, size)
        case Binary():
            return _binary(rule, size)
        case Table():
            return _table(rule, size)
        case Linear():
            return _linear(rule, size, compiled.numbers)
        case Xor():
            return _xor(rule, size, compiled.odd_mask)
        case _:
            assert_never(rule)


def _both(first: Propagator, second: Propagator) -> Propagator:
    def removes(board: int) -> int:
        gone = first(board)
        return gone | second(board & ~gone)

    return removes


def _cage(cage: Cage, size: int) -> Propagator:
    every, places = (1 << size) - 1, [cell * size for cell in cage.cells]

    def removes(board: int) -> int:
        domains = [board >> place & every for place in places]
        union = 0
        for domain in domains:
            union |= domain
        may, must = 0, every
        for some in cage.sets:
            if not some & ~union and all(some & domain for domain in domains):
                may |= some
                must &= some
        once = twice = 0
        for domain in domains:
            twice |= once & domain
            once |= domain
        needed = must & once & ~twice  # these values have one cell left in the cage
        removed = 0
        for place, domain in zip(places, domains, strict=True):
            keep = domain & needed or domain & may
            removed |= (domain & ~keep) << place
        return removed if may else board

    return removes


def _binary(binary: Binary, size: int) -> Propagator:
    every, a, b = (1 << size) - 1, binary.first * size, binary.second * size

    def removes(board: int) -> int:
        first, second = board >> a & every, board >> b & every
        support = 0
        for value, mask in enumerate(binary.forward):
            if first >> value & 1:
                support |= mask
        second_left = second & support
        support = 0
        for value, mask in enumerate(binary.backward):
            if second_left >> value & 1:
                support |= mask
        return (first & ~support) << a | (second & ~second_left) << b

    return removes


def _table(table: Table, size: int) -> Propagator:
    rows = [
        sum(1 << (cell * size + value) for cell, value in zip(table.cells, row, strict=True)) for row in table.tuples
    ]
    scope = sum(((1 << size) - 1) << (cell * size) for cell in table.cells)

    def removes(board: int) -> int:
        gone, support = ~board, 0
        for row in rows:
            if not row & gone:
                support |= row
        return board & scope & ~support

    return removes


def _linear(linear: Linear, size: int, numbers: tuple[int, ...]) -> Propagator:
    every, places = (1 << size) - 1, [cell * size for cell in linear.cells]
    products = [[weight * number for number in numbers] for weight in linear.weights]

    def removes(board: int) -> int:
        left = [
            [(at, row[at]) for at in range(size) if board >> place >> at & 1]
            for place, row in zip(places, products, strict=True)
        ]
        if not all(left):
            return board
        low = [min(term for _, term in terms) for terms in left]
        high = [max(term for _, term in terms) for terms in left]
        lowest, highest, removed = sum(low), sum(high), 0
        open_cells = sum(len(terms) > 1 for terms in left)
        for place, terms, least, most in zip(places, left, low, high, strict=True):
            for at, term in terms:
                if (
                    (linear.relation in ("==", "<=") and lowest - least + term > linear.total)
                    or (linear.relation in ("==", ">=") and highest - most + term < linear.total)
                    or (
                        linear.relation == "!="
                        and open_cells - (len(terms) > 1) == 0
                        and lowest - least + term == linear.total
                    )
                ):
                    removed |= 1 << (place + at)
        return removed & board & sum(every << place for place in places)

    return removes


def _xor(xor: Xor, size: int, odd_mask: int) -> Propagator:
    every, places = (1 << size) - 1, [cell * size for cell in xor.cells]

    def removes(board: int) -> int:
        odd, free = xor.odd, -1
        for place in places:
            domain = board >> place & every
            if domain & odd_mask and domain & ~odd_mask:
                if free >= 0:
                    return 0
                free = place
            elif domain & odd_mask:
                odd = not odd
        if free < 0:
            return board if odd else 0  # every cell is decided: the parity must be right
        return (board >> free & every & (~odd_mask if odd else odd_mask)) << free

    return removes


def _system(system: ParitySystem, compiled: Compiled) -> Propagator:
    # An equation as a mask of the board's own bits: a cell is the bit of its first value. Then a few shifts tell for
    # all cells at once which of them may be odd, or even.
    size, odd_mask = compiled.n_values, compiled.odd_mask
    even_mask, side = (1 << size) - 1 & ~odd_mask, 1 << compiled.n_cells * size
    place = [*(1 << cell * size for cell in system.cells), side]
    rows = [sum(place[variable] for variable in bits(row)) for row in system.rows]
    base = sum(place[:-1])

    def removes(board: int) -> int:
        odd = even = 0
        for value in range(size):
            if odd_mask >> value & 1:
                odd |= board >> value
            else:
                even |= board >> value
        if (odd | even) & base != base:
            return board  # a cell has no value left
        free, ones = odd & even & base | side, odd & ~even & base
        form, _ = bitrows.reduced(row & free ^ ((row & ones).bit_count() & 1) * side for row in rows)
        removed = 0
        for row in form:
            cell = row & ~side
            if not cell:
                return board  # the equations add up to 0 = 1
            if not cell & (cell - 1):
                removed |= board & cell * (even_mask if row & side else odd_mask)
        return removed

    return removes
