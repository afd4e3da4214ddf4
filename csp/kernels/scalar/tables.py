"""A compiled model as two flat arrays: what the numba kernels read.

`links` (int64) holds the whole structure. Its first words are a header: counts, and for each list of lists the offset
of its row starts. Starts are offsets in `links` itself, so that row i of a list L is

    for k in range(links[links[L] + i], links[links[L] + i + 1]): links[k]

`masks` (uint64) holds the sets of values: cage sets and supports. Two arrays instead of thirty: numba counts references
to every array that passes through a call, and those counts cost ten times what the search itself does.

Every constraint has one number, in this order: units, cages, binaries, tables, sums, parities.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from nonant.csp.forms import RULE_CLASSES, Binary, Cage, Compiled, Linear, Table, Xor

MAX_VALUES = 64  # a domain is one 64-bit word


# Header: counts.
N_CELLS, N_VALUES, N_CONSTRAINTS = 0, 1, 2
# Header: the number of each class's first constraint (units start at 0).
FIRST_CAGE, FIRST_BINARY, FIRST_TABLE, FIRST_SUM, FIRST_PARITY = 3, 4, 5, 6, 7
FIRST = {Cage: FIRST_CAGE, Binary: FIRST_BINARY, Table: FIRST_TABLE, Linear: FIRST_SUM, Xor: FIRST_PARITY}
# Header: lists of lists, by cell, by constraint, by unit, by table, by sum.
PEERS, WATCH, SCOPE, FULL, OVERLAPS, ROWS, WEIGHTS = 8, 9, 10, 11, 12, 13, 14
# Header: plain lists, by sum, by parity, by value, by cage.
RELATION, TOTAL, PARITY, NUMBERS, CAGE = 15, 16, 17, 18, 19
HEADER = 20

RELATIONS = {"==": 0, "<=": 1, ">=": 2, "!=": 3}
# `masks`: all values, the odd ones, then the supports (per binary: forward, backward), then the cage sets.
EVERY, ODD, SUPPORTS = 0, 1, 2


class Tables(NamedTuple):
    """The two arrays of one compiled model."""

    links: Any
    masks: Any


class _Writer:
    """Lays lists one behind another and notes their offsets in the header."""

    def __init__(self) -> None:
        self.words: list[int] = [0] * HEADER

    def plain(self, field: int, items: Sequence[int]) -> None:
        self.words[field] = len(self.words)
        self.words += items

    def lists(self, field: int, rows: Sequence[Sequence[int]]) -> None:
        starts = self.words[field] = len(self.words)
        self.words += [0] * (len(rows) + 1)
        for number, row in enumerate(rows):
            self.words[starts + number] = len(self.words)
            self.words += row
        self.words[starts + len(rows)] = len(self.words)


def tables_of(compiled: Compiled) -> Tables:
    """The arrays of a compiled model; it must not have more than 64 values."""
    units, size = compiled.units, compiled.n_values
    scopes = [*units, *compiled.scopes]
    watch: list[list[int]] = [[] for _ in range(compiled.n_cells)]
    for number, scope in enumerate(scopes):
        for cell in scope:
            watch[cell].append(number)

    out = _Writer()
    out.words[N_CELLS], out.words[N_VALUES], out.words[N_CONSTRAINTS] = compiled.n_cells, size, len(scopes)
    for number, kind in enumerate(RULE_CLASSES):
        before = RULE_CLASSES[:number]
        out.words[FIRST[kind]] = len(units) + sum(isinstance(rule, before) for rule in compiled.rules)
    out.lists(PEERS, compiled.peers)
    out.lists(WATCH, watch)
    out.lists(SCOPE, scopes)
    out.plain(FULL, [int(full) for full in compiled.full])
    out.lists(OVERLAPS, _overlaps(compiled))
    out.lists(ROWS, [list(chain.from_iterable(table.tuples)) for table in compiled.tables])
    out.lists(WEIGHTS, [linear.weights for linear in compiled.sums])
    out.plain(RELATION, [RELATIONS[linear.relation] for linear in compiled.sums])
    out.plain(TOTAL, [linear.total for linear in compiled.sums])
    out.plain(PARITY, [int(xor.odd) for xor in compiled.parities])
    out.plain(NUMBERS, compiled.numbers)
    masks = [(1 << size) - 1, compiled.odd_mask]
    for binary in compiled.binaries:
        masks += [*binary.forward, *binary.backward]
    ends = [len(masks)]
    for cage in compiled.cages:
        masks += cage.sets
        ends.append(len(masks))
    out.plain(CAGE, ends)
    return Tables(np.array(out.words, np.int64), np.array(masks, np.uint64))


def _overlaps(compiled: Compiled) -> list[list[int]]:
    """For each unit its overlaps, one behind another: three lengths, the shared cells, its rest, the other's rest."""
    found: list[list[int]] = [[] for _ in compiled.units]
    for first, second, shared in compiled.overlaps:
        inside = frozenset(shared)
        mine = [cell for cell in compiled.units[first] if cell not in inside]
        other = [cell for cell in compiled.units[second] if cell not in inside]
        found[first] += [len(shared), len(mine), len(other), *shared, *mine, *other]
    return found
