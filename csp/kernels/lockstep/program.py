"""From a model to a program for the generic lockstep kernel (`lockstep.py`): its units.

What is not a unit comes before them, see `constraint_program.py`. A cage counts as a unit too: what makes a unit *full*
is that all values must stand in it, and in a cage some must, which a row of memory tells.

**Segments.** Two units that share two cells or more meet in a *segment* (a row and a box in three cells). Most of what
a pass computes of a unit is computed of its segments, and each segment is computed once for all units that share it.
The segments of one unit may overlap; disjoint ones are put together in a *group*. A group and the cells of the unit
that are in none of its segments, its *rest*, make up the unit. The first group of a unit speaks for the unit; further
ones are there for locked candidates only.

**Stages.** A pass has up to three stages: first the segments with the first family of units (in a grid: the rows), then
those with the second (the columns), then all others. Each stage applies to the cells what it has found, so that the
next one works with it: a quarter fewer passes than all at once.

**The program** is one array of words, read as a stream: an instruction is an opcode, a count, a row, and so many
records, of which each begins with its lengths unless the opcode says them. A *row* is one word a lane; all rows stand
in one memory, and the program names a row by its first word there:

    DOMAINS    the values left, a row a cell
    SINGLES    the same where one value is left, else 0
    must       a row a cage: the values that must stand in it
    scratch    what a constraint needs while it is looked at
    then, used by each stage anew:
    segment    five rows: values in it, in two of its cells, of its singles, of two of its singles; number of bivalues
    unit       three rows: values of its singles, values with one place left, number of bivalues
    loose      a row a group: values that are in two parts of it or need not occur in the unit (not full)
    locked     a row a group: values that some other unit confines to a segment of the group
    gone       a row a segment: values that it loses by locked candidates
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nonant.csp.forms import Compiled
from nonant.csp.kernels.lockstep import constraint_program
from nonant.csp.kernels.lockstep.constraint_program import ALL_MUST, NONE_MUST, Must, Parts, parts_of

# Opcodes. _3 and _4 say that every record has so many segments or cells, which the kernel then need not loop over.
# Their order tells the kernel the kinds apart: each kind begins with its general opcode.
END, SEGMENTS, SEGMENTS_3, SEGMENTS_4, GROUPS, GROUPS_3, GROUPS_4 = range(7)
LOCKED, LOCKED_3, LOCKED_4, GONE, GONE_2, CELLS, CELLS_3, CELLS_4 = range(7, 15)
LAST = 15  # added to an opcode in the last stage, which counts bivalues and looks for the cell to branch on
SEGMENT_ROWS, UNIT_ROWS = 5, 3
NO_VALUE, EVERY_VALUE = 0, 1  # must stand in a unit; any other word is the row of those that must
NO_UNIT = 0  # instead of a unit's rows: this group does not speak for its unit (row 0 is a domain, no unit's)


@dataclass(frozen=True, eq=False)
class Program:
    """A compiled structure.

    Attributes:
        rules: uint32, the instructions of the constraints.
        masks: what these use up, one after another; a lane's word holds each.
        words: uint32, the instructions of the units.
        rows: how many rows of memory it needs.
        lanes: how many lanes a row has.
        order: int64, the cells in the order in which the last stage looks at them.
    """

    rules: Any
    masks: tuple[int, ...]
    words: Any
    rows: int
    lanes: int
    order: Any


@dataclass
class _Group:
    """Disjoint segments of one unit."""

    unit: int
    main: bool
    covered: set[int] = field(default_factory=set)
    segments: list[tuple[int, int]] = field(default_factory=list)  # (segment, the other unit)


@dataclass
class _Stage:
    pairs: list[tuple[int, int]]
    units: set[int]


def families(units: Sequence[Sequence[int]]) -> list[int]:
    """For each unit the number of its family: units that are disjoint, each put in the first family that it fits."""
    covered: list[set[int]] = []
    found = []
    for unit in units:
        cells = set(unit)
        number = next((at for at, taken in enumerate(covered) if not taken & cells), len(covered))
        if number == len(covered):
            covered.append(set())
        covered[number] |= cells
        found.append(number)
    return found


def program_of(compiled: Compiled, lanes: int) -> Program:
    """The program for a compiled model; `constraint_program.why_not` says which it cannot be written for."""
    parts = parts_of(compiled)
    must_row = 2 * compiled.n_cells
    rules, masks, scratch = constraint_program.write(parts, lanes, must_row, must_row + parts.must_rows)
    writer = _Writer(parts, lanes, must_row, must_row + parts.must_rows + scratch)
    stages = _stages(parts)
    for stage in stages:
        writer.stage(stage, stage is stages[-1])
    order = np.array(writer.order, np.int64)
    words = np.array([*writer.words, END], np.uint32)
    return Program(np.array(rules, np.uint32), tuple(masks), words, writer.rows, lanes, order)


def _stages(parts: Parts) -> list[_Stage]:
    units = [unit.cells for unit in parts.units]
    family = families(units)
    units_of: list[list[int]] = [[] for _ in range(parts.n_cells)]
    for number, unit in enumerate(units):
        for cell in unit:
            units_of[cell].append(number)
    by_stage: dict[int, list[tuple[int, int]]] = {}
    for first, unit in enumerate(units):
        shared = Counter(second for cell in unit for second in units_of[cell] if second > first)
        for second, number in shared.items():
            if number >= 2 and any(parts.units[at].row != NONE_MUST for at in (first, second)):
                by_stage.setdefault(min(family[first], family[second]), []).append((first, second))
    pairs = [by_stage[number] for number in sorted(by_stage)]
    pairs[2:] = [[pair for some in pairs[2:] for pair in some]] if len(pairs) > 2 else []
    stages = [_Stage(some, {unit for pair in some for unit in pair}) for some in pairs]
    left = set(range(len(units))).difference(*(stage.units for stage in stages))
    if left and stages:
        stages[0].units |= left
    elif left or not stages:
        stages = [_Stage([], {unit for unit in left if family[unit] == at}) for at in range(max(family, default=0) + 1)]
    return stages


class _Layout:
    """Where the rows of a stage stand, and what it computes.

    Attributes:
        last: LAST in the last stage, else 0; added to its opcodes.
        segments, groups, group_of: see `_grouped`.
        units: the units of the stage, in order.
        parted: the groups that have segments, with their numbers.
        end: the first row after those of the stage.
    """

    def __init__(self, parts: Parts, stage: _Stage, first_row: int, last: bool) -> None:
        self.last = LAST if last else 0
        self.segments, self.groups, self.group_of = _grouped(parts, stage)
        self.units = sorted(stage.units)
        self.parted = [(number, group) for number, group in enumerate(self.groups) if group.segments]
        self.first_segment = first_row
        self.first_unit = self.first_segment + SEGMENT_ROWS * len(self.segments)
        self.first_loose = self.first_unit + UNIT_ROWS * len(self.units)
        self.first_locked = self.first_loose + len(self.groups)
        self.first_gone = self.first_locked + len(self.groups)
        self.end = self.first_gone + len(self.segments)
        self.row_of = {unit: self.first_unit + UNIT_ROWS * at for at, unit in enumerate(self.units)}

    def segment(self, number: int) -> int:
        """The first row of a segment."""
        return self.first_segment + SEGMENT_ROWS * number

    def confining(self, unit: int, other: int) -> int:
        """The row that says what is not confined to the segment of two units: that of the first one's group."""
        return self.first_loose + self.group_of[unit, other]


class _Writer:
    """Writes the stages one behind another; their rows beyond those of the cells are the same memory."""

    def __init__(self, parts: Parts, lanes: int, must_row: int, first_row: int) -> None:
        self.parts, self.lanes = parts, lanes
        self.must_row = must_row
        self.words: list[int] = []
        self.order: list[int] = []
        self.rows = self.first = first_row

    def instruction(self, opcode: int, count: int, row: int = 0) -> None:
        self.words += [opcode, count, row * self.lanes]

    def at(self, rows: Sequence[int]) -> list[int]:
        """Rows by their first words."""
        return [row * self.lanes for row in rows]

    def must(self, unit: Must) -> int:
        """The word that says which values must stand in a unit."""
        if unit.row == NONE_MUST:
            return NO_VALUE
        return EVERY_VALUE if unit.row == ALL_MUST else self.at([self.must_row + unit.row])[0]

    def stage(self, stage: _Stage, last: bool) -> None:
        layout = _Layout(self.parts, stage, self.first, last)
        self.rows = max(self.rows, layout.end)
        if layout.segments:
            self.write_segments(layout)
        self.write_groups(layout)
        if layout.segments:
            self.write_locked(layout)
        self.write_cells(layout)

    def write_segments(self, layout: _Layout) -> None:
        size = _only({len(segment) for segment in layout.segments})
        opcode = {3: SEGMENTS_3, 4: SEGMENTS_4}.get(size, SEGMENTS)
        self.instruction(opcode + layout.last, len(layout.segments), layout.first_segment)
        for segment in layout.segments:
            self.words += [] if size in (3, 4) else [len(segment)]
            self.words += self.at(sorted(segment))

    def write_groups(self, layout: _Layout) -> None:
        units, groups = self.parts.units, layout.groups
        whole = all(group.main and group.covered == set(units[group.unit].cells) for group in groups)
        whole = whole and all(units[group.unit].row == ALL_MUST for group in groups)
        size = _only({len(group.segments) for group in groups}) if whole else 0
        self.instruction({3: GROUPS_3, 4: GROUPS_4}.get(size, GROUPS) + layout.last, len(groups))
        for number, group in enumerate(groups):
            rest = sorted(self.rest(group))
            speaks = layout.row_of[group.unit] if group.main else NO_UNIT
            self.words += self.at([speaks, layout.first_loose + number])
            if size not in (3, 4):
                self.words += [self.must(units[group.unit]), len(group.segments), len(rest)]
            self.words += self.at([layout.segment(segment) for segment, _ in group.segments])
            self.words += self.at(rest)

    def rest(self, group: _Group) -> set[int]:
        """The cells of a group's unit that are in none of its segments."""
        return set(self.parts.units[group.unit].cells) - group.covered

    def write_locked(self, layout: _Layout) -> None:
        """What is locked in each group, and what each segment loses by it."""
        size = _only({len(group.segments) for _, group in layout.parted})
        self.instruction({3: LOCKED_3, 4: LOCKED_4}.get(size, LOCKED) + layout.last, len(layout.parted))
        sources: list[list[int]] = [[] for _ in layout.segments]
        for number, group in layout.parted:
            locked = layout.first_locked + number
            self.words += self.at([locked]) + ([] if size in (3, 4) else [len(group.segments)])
            for segment, other in group.segments:
                # The group of the other unit that holds this segment says what is confined to it.
                confining = layout.confining(other, group.unit)
                self.words += self.at([layout.segment(segment), confining])
                sources[segment] += self.at([locked, confining])
        pairs = _only({len(source) // 2 for source in sources})
        self.instruction((GONE_2 if pairs == 2 else GONE) + layout.last, len(sources), layout.first_gone)
        for source in sources:
            self.words += source if pairs == 2 else [len(source) // 2, *source]

    def write_cells(self, layout: _Layout) -> None:
        """The cells; those that read the same rows (mostly a segment's) are one record, which reads them once."""
        alike: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
        for cell, (mine, lost) in enumerate(zip(*self.read_by_cells(layout), strict=True)):
            if mine or lost or layout.last:
                alike.setdefault((tuple(mine), tuple(lost)), []).append(cell)
        sizes = {(len(mine), len(lost), len(some)) for (mine, lost), some in alike.items()}
        opcode = {(2, 1, 3): CELLS_3, (2, 1, 4): CELLS_4}.get(next(iter(sizes)), CELLS) if len(sizes) == 1 else CELLS
        self.instruction(opcode + layout.last, len(alike))
        for (of_units, losses), some in alike.items():
            self.words += [] if opcode != CELLS else [len(of_units), len(losses), len(some)]
            self.words += self.at([*of_units, *losses, *some])
            self.order += some if layout.last else []

    def read_by_cells(self, layout: _Layout) -> tuple[list[list[int]], list[list[int]]]:
        """For each cell the rows of its units, and those of what it loses."""
        n_cells = self.parts.n_cells
        of_units: list[list[int]] = [[] for _ in range(n_cells)]
        losses: list[list[int]] = [[] for _ in range(n_cells)]
        if layout.last:
            for first, second in self.parts.peers:
                losses[first].append(n_cells + second)  # the row of its single
                losses[second].append(n_cells + first)
        for unit in layout.units:
            for cell in self.parts.units[unit].cells:
                of_units[cell].append(layout.row_of[unit])
        for number, segment in enumerate(layout.segments):
            for cell in segment:
                losses[cell].append(layout.first_gone + number)
        for number, group in layout.parted:
            for cell in self.rest(group):
                losses[cell].append(layout.first_locked + number)
        return of_units, losses


def _only(sizes: set[int]) -> int:
    """The one size there is, or 0."""
    return next(iter(sizes)) if len(sizes) == 1 else 0


def _grouped(parts: Parts, stage: _Stage) -> tuple[list[frozenset[int]], list[_Group], dict[tuple[int, int], int]]:
    """The segments of a stage, the groups of its units, and for (unit, other unit) the group with their segment."""
    sets = {unit: frozenset(parts.units[unit].cells) for unit in stage.units}
    partners: dict[int, list[int]] = {unit: [] for unit in stage.units}
    for first, second in stage.pairs:
        partners[first].append(second)
        partners[second].append(first)
    numbers: dict[frozenset[int], int] = {}
    groups: list[_Group] = []
    group_of: dict[tuple[int, int], int] = {}
    for unit in sorted(stage.units):
        mine: list[_Group] = []
        for other in sorted(partners[unit]):
            shared = sets[unit] & sets[other]
            number = numbers.setdefault(shared, len(numbers))
            group = next((group for group in mine if not group.covered & shared), None)
            if group is None:
                group = _Group(unit, False)
                mine.append(group)
            group.covered |= shared
            group.segments.append((number, other))
        mine = sorted(mine, key=lambda group: -len(group.covered)) or [_Group(unit, True)]
        mine[0].main = True
        for group in mine:
            for _, other in group.segments:
                group_of[unit, other] = len(groups)
            groups.append(group)
    return list(numbers), groups, group_of
