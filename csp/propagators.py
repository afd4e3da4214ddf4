"""The constraints that are not units, each as one function from a board to the candidates that it removes.

Plain Python over the masks of a few cells: the readable counterpart of the kernels' propagators.
"""

from __future__ import annotations

from collections.abc import Callable

from nonant.csp.compile import Binary, Cage, Compiled, Linear, Table, Xor

Propagator = Callable[[int], int]  # a board -> the candidates that it removes


def propagators_of(compiled: Compiled) -> tuple[Propagator, ...]:
    """One function a constraint that is not a unit: from a board to the candidates that it removes."""
    size = compiled.n_values
    made: list[Propagator] = []
    made += [_cage(cage, size) for cage in compiled.cages]
    made += [_binary(binary, size) for binary in compiled.binaries]
    made += [_table(table, size) for table in compiled.tables]
    made += [_linear(linear, size, compiled.numbers) for linear in compiled.sums]
    made += [_xor(xor, size, compiled.odd_mask) for xor in compiled.parities]
    return tuple(made)


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
