"""MAGIC: every number that the article prints, all 512 states, the rule it missed, and other people's keys."""

from __future__ import annotations

import csv
import random
from collections import Counter

import numpy as np
import pytest

from nonant.csp.errors import ModelError
from nonant.models.magic import KEYS, MAGIC, WIN, Magic, number
from tests.support.files import shared_file


def text(keys):
    return "".join(map(str, keys))


def test_boxes_and_numbers():
    assert KEYS == (432, 448, 216, 292, 186, 73, 54, 7, 27)
    assert WIN == MAGIC.target == 495
    assert MAGIC.box(123) == ((0, 0, 1), (1, 1, 1), (0, 1, 1))
    assert 123 ^ 42 == number([[0, 0, 1], [0, 1, 0], [0, 0, 1]]) == 81
    for form in (
        "111101111",
        "111 101 111",
        "111\n101\n111",
        [[1, 1, 1], [1, 0, 1], [1, 1, 1]],
        np.array([1] * 9) - np.eye(1, 9, 4, dtype=int)[0],
    ):
        assert number(form) == MAGIC.read(form) == 495
    assert MAGIC.read("186") == MAGIC.read(186) == MAGIC.read("010 111 010") == 186
    assert all(number(MAGIC.box(state)) == state for state in range(512))


def test_state_table():
    assert (len(MAGIC.state_table), len(MAGIC.state_table[0])) == (512, 9)
    assert MAGIC.state_table[186][4] == 0
    assert MAGIC.states_from(WIN) == (47, 95, 203, 311, 341, 422, 473, 488, 500)


POOLS = """186 0   7  18  3  1  2  19  47 495
           .   98  27 23  6  4  8  22  95
           .   140 43 24  9  5  13 25  203
           .   161 46 28  12 10 17 40  311
           .   189 54 29  16 11 20 52  341
           .   243 73 41  21 14 30 68  422
           .   266 84 44  26 15 32 88  473
           .   378 94 45  31 34 37 102 488
           .   414 101 48 33 35 51 105 500
           .   .   121 49 36 38 56 113
           .   .   139 53 42 39 61 130
           .   .   151 69 50 58 67 135"""


def test_pools():
    assert [len(pool) for pool in MAGIC.pools] == [1, 9, 36, 84, 126, 126, 84, 36, 9, 1]
    for at, row in enumerate(line.split() for line in POOLS.splitlines()):
        for pool, printed in zip(MAGIC.pools, row, strict=False):
            assert printed == "." or pool[at] == int(printed)
    assert sorted(state for pool in MAGIC.pools for state in pool) == list(range(512))
    assert [MAGIC.pools[0], MAGIC.pools[9]] == [(186,), (495,)]


def test_keys_between_states():
    assert MAGIC.keys_between(186, 1) == ()
    assert MAGIC.keys_between(186, 0) == (4,)
    assert MAGIC.keys_between(186, 98) == (2,)
    assert MAGIC.keys_between(0, {43, 73, 101, 121}) == (5,)
    assert MAGIC.keys_between(98, {43, 73, 101, 121}) == (5, 7, 8)


TRANSITIONS = """0 01235678   7 0123568   18 345678  3 12457   1 0134
                 98 01345678  27 0123567  23 024678  6 01347   4 1245
                 140 01234578 43 0134678  24 124578  9 34567   5 1678
                 161 01234567 46 1245678  28 012356  12 02467  10 0578
                 189 01234568 54 0123578  29 013478  16 02468  11 0246
                 243 01234678 73 0123678  41 124568  21 34568  14 3456
                 266 12345678 84 0134578  44 013468  26 01348  15 2378
                 378 02345678 94 0245678  45 012357  31 12458  34 2367
                 414 01245678 101 0134568 48 013467  33 02478  35 3458"""
LATER = """121 0134567  49 012358  36 34578  38 0248
           139 0123458  53 124567  42 01235  39 0567
           151 0123457  69 024567  50 12456  58 0247"""


def test_key_transitions():
    assert text(MAGIC.key_pools[0][0]) == "012345678"
    for table, first in ((TRANSITIONS, 0), (LATER, 9)):
        for at, row in enumerate(line.split() for line in table.splitlines()):
            pools = range(1 if first == 0 else 2, 6)
            for pool, state, keys in zip(pools, row[::2], row[1::2], strict=True):
                assert MAGIC.pools[pool][first + at] == int(state)
                assert text(MAGIC.key_pools[pool][first + at]) == keys
    assert {len(keys) for keys in MAGIC.key_pools[2]} == {7}
    assert len(MAGIC.key_pools[2]) == 36
    assert MAGIC.key_pools[-1] == ((),)
    assert [len(pool) * len(keys[0]) for pool, keys in zip(MAGIC.pools, MAGIC.key_pools, strict=True)][:9] == (
        [9, 72, 252, 504, 630, 504, 252, 72, 9]
    )


def test_solutions_and_traces():
    assert MAGIC.right_keys(186) == tuple(range(9))
    assert MAGIC.right_keys(42) == (0, 1, 2, 3, 5)
    assert MAGIC.right_keys(500) == (8,)
    assert MAGIC.trace(186)[0] == (0, 266)
    assert MAGIC.trace(186) == (
        (0, 266), (1, 202), (2, 18), (3, 310), (4, 396), (5, 453), (6, 499), (7, 500), (8, 495)
    )  # fmt: skip
    assert MAGIC.states_after(186, (0, 1, 2)) == (186, 266, 202, 18)
    assert [MAGIC.picture(state) for state in MAGIC.states_after(186, (0, 1, 2))] == [
        ("010", "111", "010"), ("100", "001", "010"), ("011", "001", "010"), ("000", "010", "010")
    ]  # fmt: skip
    assert MAGIC.trace(495) == ()
    assert MAGIC.right_keys(495) == ()


def test_the_pictures_of_the_article():
    assert MAGIC.trace_picture(32).splitlines() == [
        "      0    5    6",
        "",
        "000  110  001  000",
        "100  110  001  110",
        "000  000  001  110",
        "",
        "     110  111  111",
        "     010  011  101",
        "     000  001  111",
    ]
    lines = MAGIC.trace_picture(186).splitlines()
    assert lines[0].split() == list("012345678")
    assert lines[2].split() == ["010", "110", "111", "011", "100", "010", "001", "000", "000", "000"]
    assert lines[6].split() == ["100", "011", "000", "100", "110", "111", "111", "111", "111"]
    assert lines[8].split() == ["010", "010", "010", "110", "100", "101", "011", "100", "111"]


def test_all_512_states():
    rows = list(csv.DictReader(shared_file("lightsout/magic_512.csv").open()))
    assert len(rows) == 512
    for row in rows:
        state = int(row["state"])
        assert MAGIC.distance(state) == int(row["distance"])
        assert text(MAGIC.right_keys(state)) == text(MAGIC.solution(state)) == row["keys"]


def test_every_trace_solves():
    for state in range(512):
        keys = [key for key, _ in MAGIC.trace(state)]
        assert MAGIC.solves(state, keys)
        assert MAGIC.solves(state, keys[::-1])
        assert [len(MAGIC.right_keys(to)) for to in MAGIC.states_after(state, keys)] == list(range(len(keys), -1, -1))
    assert not MAGIC.solves(186, (0, 1))


def test_the_rule():
    """M^4 = I: three times the key map finds the keys; each key is a parity of the wrong cells."""
    assert MAGIC.order == 4
    for state in range(512):
        marks = wrong = state ^ WIN
        for _ in range(3):
            marks = MAGIC.states_after(0, [cell for cell in range(9) if marks >> (8 - cell) & 1])[-1]
        keys = tuple(key for key in range(9) if marks >> (8 - key) & 1)
        assert keys == MAGIC.solution(state)
        by_parity = tuple(
            key for key, cells in enumerate(MAGIC.rule) if sum(wrong >> (8 - cell) & 1 for cell in cells) % 2
        )
        assert by_parity == keys
    words = MAGIC.rule_in_words()
    assert "key 1 if an odd number of r1c1, r1c2, r1c3, r2c1, r2c2 and r2c3 are wrong" in words
    assert "M^4 = I" in words


def test_the_pools_are_symmetric_for_independent_keys_only():
    """Not because complementing commutes, as it always does: two equal keys commute too."""
    other = Magic((*KEYS[:8], KEYS[0] ^ KEYS[1]), WIN)
    sizes = [len(pool) for pool in other.pools]
    assert sum(sizes) == 256
    assert sizes != sizes[::-1]


def test_other_keys():
    plus = Magic.of(["110 100 000", "111 010 000", "011 001 000"], "000 000 000")
    assert plus.solution(number("111 010 000")) == (1,)
    assert plus.solution(number("000 000 001")) is None
    assert plus.distance(1) is None
    with pytest.raises(ModelError, match="no keys lead"):
        plus.trace(1)
    assert plus.order is None
    assert len(plus.rule) == 3
    assert plus.rule_in_words()
    source = random.Random(5)
    for _ in range(40):
        rows, columns = source.randrange(1, 4), source.randrange(1, 4)
        cells = rows * columns
        game = Magic(
            tuple(source.randrange(1 << cells) for _ in range(source.randrange(1, 8))),
            source.randrange(1 << cells), rows, columns,
        )  # fmt: skip
        distances = Counter()
        for state in range(1 << cells):
            expected = next((len(game.pools) - 1 - at for at, pool in enumerate(game.pools) if state in pool), None)
            assert game.distance(state) == expected
            distances[expected] += 1
            if expected is None:
                continue
            keys = [key for key, _ in game.trace(state)]
            assert (len(keys), game.solves(state, keys)) == (expected, True)
            nearer = set(game.pools[len(game.pools) - expected]) if expected else set()
            assert game.right_keys(state) == game.keys_between(state, nearer)
            if game.rule is not None:
                wrong = state ^ game.target
                assert game.solution(state) == tuple(
                    key for key, hit in enumerate(game.rule) if sum(wrong >> (cells - 1 - cell) & 1 for cell in hit) % 2
                )
            else:
                with pytest.raises(ModelError, match="not independent"):
                    game.rule_in_words()
        assert sum(distances.values()) == 1 << cells


def test_large_boxes():
    # A Lights Out board of 6 x 6 as a game of MAGIC: too many states to list, still solved.
    keys = []
    for row in range(6):
        for column in range(6):
            cells = [(row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
            keys.append(sum(1 << (35 - 6 * r - c) for r, c in cells if 0 <= r < 6 and 0 <= c < 6))
    game = Magic(tuple(keys), 0, 6, 6)
    assert game.distance((1 << 36) - 1) == 28
    assert game.order is not None
    with pytest.raises(ModelError, match="up to 20 cells"):
        _ = game.pools


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: MAGIC.read("512"), "0 to 511"),
        (lambda: MAGIC.read("12 13"), "no state"),
        (lambda: MAGIC.read("hello"), "no state"),
        (lambda: MAGIC.read([[0, 2, 0]]), "0 and 1 only"),
        (lambda: MAGIC.read(-1), "0 to 511"),
        (lambda: Magic((1, 512), 0), "key 1 is 512"),
        (lambda: MAGIC.states_after(0, [9]), "no key 9"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ModelError, match=message):
        call()
