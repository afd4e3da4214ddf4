"""The generic lockstep kernel: its program against the units, its rules against plain sets, its answers everywhere."""

from __future__ import annotations

import csv
from random import Random
from typing import Any

import numpy as np
import pytest

from nonant import Model, Unit, count_many, verify_many
from nonant.csp.batch import engines
from nonant.csp.batch.run import stream
from nonant.csp.kernels.lockstep import program
from nonant.csp.kernels.lockstep.constraint_program import parts_of
from nonant.csp.kernels.lockstep.lockstep_memory import lanes_of, word_for
from nonant.csp.units import boxes, columns, rows
from nonant.models import model
from nonant.models.jigsaw import jigsaw
from tests.support.files import shared_file
from tests.support.lists import latin_squares
from tests.support.random_models import brute_force

SIX = "92..8.65.6..2.43..3..5.9.72.7.953.......7.......6..5....142..3.....31..6.6.7..1.."
VARIANTS = {"x": "x-9", "windoku": "windoku-9", "disjoint_groups": "disjoint-groups-9", "latin9": "latin-9"}
VARIANTS |= {"mini6x6": "classic-6", "shidoku4x4": "classic-4"}


def column(name: str, field: str) -> list[str]:
    with shared_file(name).open() as file:
        csv.field_size_limit(1 << 24)
        return [row[field] for row in csv.DictReader(line for line in file if not line.startswith("#"))]


# -- the program -------------------------------------------------------------------------------------------------------


def test_widths() -> None:
    assert [word_for(n) for n in (1, 16, 17, 32, 33, 64)] == [np.uint16] * 2 + [np.uint32] * 2 + [np.uint64] * 2
    assert [lanes_of(word) for word in (np.uint16, np.uint32, np.uint64)] == [32, 16, 8]


def test_families_of_a_grid() -> None:
    units = model("classic-4").compiled.units
    assert program.families(units) == [0] * 4 + [1] * 4 + [2] * 4
    assert program.families([(0, 1), (1, 2), (2, 3), (3, 0)]) == [0, 1, 0, 1]


def test_program_of_a_classic_grid() -> None:
    compiled = model("classic-9").compiled
    made = program.program_of(compiled, 1)
    words = made.words.tolist()
    # Rows meet boxes in 27 segments of three cells; each of the 18 units has one group of three.
    assert words[:3] == [program.SEGMENTS_3, 27, 162]
    segments = [tuple(words[3 + 3 * at : 6 + 3 * at]) for at in range(27)]
    assert {tuple(range(cell, cell + 3)) for cell in range(0, 81, 3)} == set(segments)
    assert words[3 + 81] == program.GROUPS_3
    assert words[3 + 82] == 18
    assert sorted(made.order.tolist()) == list(range(81))
    assert words[-1] == program.END
    # Two stages; rows of cells, then the larger stage's segments, units, groups.
    assert made.rows == 162 + 27 * 5 + 18 * 3 + 18 * 2 + 27
    assert program.program_of(compiled, 32).words.max() >= 32 * 162


def test_every_unit_speaks_once_a_stage() -> None:
    for name in ("classic-9", "x-9", "windoku-9", "latin-5", "classic-6", "pandiagonal-7"):
        compiled = model(name).compiled
        parts = parts_of(compiled)
        units = [unit.cells for unit in parts.units]
        assert set(units) == set(compiled.units)
        stages = program._stages(parts)
        assert set().union(*(stage.units for stage in stages)) == set(range(len(units)))
        for stage in stages:
            segments, groups, group_of = program._grouped(parts, stage)
            assert sorted(group.unit for group in groups if group.main) == sorted(stage.units)
            for group in groups:
                sets = [segments[number] for number, _ in group.segments]
                assert sum(map(len, sets)) == len(group.covered)
                assert group.covered <= set(units[group.unit])
                for number, other in group.segments:
                    assert segments[number] == set(units[group.unit]) & set(units[other])
                    assert any(number == at for at, _ in groups[group_of[other, group.unit]].segments)


# -- the answers -------------------------------------------------------------------------------------------------------


def both_engines(lines: list[str], rules: Model, limit: int = 2) -> list[int]:
    """The counts, which must be the same with and without lanes, and in parts."""
    mine = verify_many(lines, limit, model=rules, engine="lockstep", solutions=True)
    other = verify_many(lines, limit, model=rules, engine="one by one")
    assert mine.counts.tolist() == other.counts.tolist()
    assert mine.solutions is not None
    for number, solution in zip(mine.counts, mine.solutions, strict=True):
        if number > 0:
            assert rules.holds([rules.values[place - 1] for place in solution.tolist()])
    found: list[int] = mine.counts.tolist()
    return found


@pytest.mark.parametrize("file", VARIANTS)
def test_generated_variants(file: str) -> None:
    lines = column(f"variants/{file}_generated.csv", "puzzle")
    rules = model(VARIANTS[file])
    assert engines.engine_for(rules).name == "lockstep"
    assert both_engines(lines, rules) == [1] * len(lines)
    random = Random(file)
    fewer = ["".join("." if random.random() < 0.15 else symbol for symbol in line) for line in lines]
    wrong = [line[:5] + rules.symbols[random.randrange(rules.n_values)] + line[6:] for line in lines]
    assert len(set(both_engines(fewer + wrong, rules, 30))) > 1


def test_jigsaws() -> None:
    maps, lines = column("jigsaw/jigsaw_generated.csv", "regions"), column("jigsaw/jigsaw_generated.csv", "puzzle")
    for number, (regions, line) in enumerate(zip(maps, lines, strict=True)):
        if number % 3 == 0:
            fewer = line.replace(next(symbol for symbol in line if symbol not in ".0"), ".", 1)
            counts = both_engines([line, fewer, "." * 81], jigsaw(regions), 3)
            assert counts[0] == 1


@pytest.mark.parametrize("name", ["top1465.txt", "edge"])
def test_classic_lists(name: str) -> None:
    if name == "edge":
        lines = column("edge/tdoku_test_counts.csv", "puzzle")
        wanted = [int(number) for number in column("edge/tdoku_test_counts.csv", "solutions")]
        assert count_many(lines, engine="lockstep").counts.tolist() == wanted
    else:
        found = verify_many(str(shared_file(f"classic/{name}")), engine="lockstep")
        assert found.tally()["unique"] == len(found) == 1465


@pytest.mark.long
@pytest.mark.parametrize("name", ["royle17_49158.txt.gz", "forum_hardest_1905_11plus_48766.txt.gz"])
def test_long_classic_lists(name: str) -> None:
    found = verify_many(str(shared_file(f"classic/{name}")), engine="lockstep")
    assert found.tally()["unique"] == len(found)


def test_large_grids() -> None:
    sizes, frames = column("large/large_grids.csv", "n"), column("large/large_grids.csv", "box")
    grids, numbers = column("large/large_grids.csv", "grid"), column("large/large_grids.csv", "solutions")
    tried = 0
    for size, box, grid, number in zip(sizes, frames, grids, numbers, strict=True):
        if int(size) <= 16:
            puzzle = np.array([[int(cell) for cell in grid.split()]])
            found = verify_many(puzzle, model=model(f"classic-{size}-{box}"), engine="lockstep")
            assert found.counts.tolist() == [min(2, int(number.lstrip(">=")))]
            tried += 1
    assert tried > 3


def test_latin_squares() -> None:
    for puzzle, recorded in latin_squares():
        if puzzle.model.n_values <= 9 and engines.takes_lockstep(puzzle.model):
            wanted = int(recorded.lstrip(">="))
            assert count_many([puzzle], limit=wanted + 1, model=puzzle.model).counts.tolist() == [wanted]


def random_units(random: Random) -> Model:
    """Units of any size, overlapping as they like."""
    cells, values = random.randint(2, 7), random.randint(2, 4)
    units = [
        Unit(random.sample(range(cells), random.randint(2, min(cells, values)))) for _ in range(random.randint(1, 6))
    ]
    return Model("random", cells=range(cells), values=range(1, values + 1), constraints=units)


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_random_units_equal_brute_force(start: int) -> None:
    for seed in range(start, start + 100):
        random = Random(seed)
        rules = random_units(random)
        symbols = [".", ".", ".", *rules.symbols]
        lines = ["".join(random.choice(symbols) for _ in range(rules.n_cells)) for _ in range(40)]
        wanted = [len(brute_force(rules.puzzle(line))) for line in lines]
        if engines.takes_lockstep(rules):
            assert count_many(lines, model=rules, engine="lockstep").counts.tolist() == wanted, f"seed {seed}"


def test_counts_known_to_everybody() -> None:
    for name, number in (("classic-4", 288), ("latin-4", 576), ("latin-5", 161_280)):
        rules = model(name)
        assert count_many(["." * rules.n_cells], model=rules).counts.tolist() == [number]


def test_bad_lines_and_parts() -> None:
    text = f"{SIX}\nxx\n{SIX[:80]}x\n".encode() * 200
    parts: list[Any] = list(stream(text, limit=9, engine="lockstep", block=1000, threads=3))
    assert np.concatenate([part.counts for part in parts]).tolist() == [6, -1, -1] * 200


def test_which_engine() -> None:
    assert engines.engine_for(model("classic-9")).name == "lockstep9"
    own = Model("mine", shape=(9, 9), values=range(1, 10), constraints=[boxes(3, 3), columns, rows])
    assert engines.engine_for(own).name == "lockstep9"
    assert engines.engine_for(model("x-9")).name == "lockstep"
    assert engines.engine_for(model("classic-25")).name == "one by one"
    cage = Model("sum", shape=(2, 2), values=(1, 2, 3), constraints=[rows, lambda _: []])
    assert engines.engine_for(cage).name == "lockstep"
