"""Whatever is fed to the reader of solve paths: a path or one line that names the line, soon, and never a traceback.

And what is then replayed: an answer, or one line; and never "verified" for moves that lose the solution.
"""

from __future__ import annotations

import re
from functools import lru_cache
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nonant import explain
from nonant.csp.errors import ModelError, ParseError
from nonant.formats import spn
from nonant.models import families, model
from tests.support.positions import path_of, puzzles, solution_of

LONGEST_MESSAGE = 400
# Tokens of the notation, and what comes near to some.
PIECES = (
    *'[](){}=,.:/@#*|$!?;~"\\ \n\t0192',
    *("1. ", "2. ", "1.", "[SPN ", '"1.0"]', '[Puzzle "', '[Variant "X"]', '[Size "9"]', '[RegionMap "1122"]'),
    *("<>", "=>"),
    *("R1C1=1", "R2C2<>3,4", "HiddenSingle ", "Whip[5]", "DeadEnd #", "(cover ", "(refute R1C1=2:", "(constraint 1"),
    *("(parity ", "(unique ", "guard", "4*7@row1", "7@#3", "[R1C1=1:", "$300", "{", "}", "\\u{41}", "\\u{110000}"),
)
NEAR = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
WILD = st.text(alphabet=st.characters(exclude_categories=()), max_size=200)
# Values that a mutation may put in place of a word.
WORDS = ("R1C1", "R9C9", "1", "5", "9", "0", "10", "row1", "box3", "guard", "X1Y1Z1", "cover", "99999999", "Cube")


def check(text: str) -> spn.SolvePath | None:
    """A path, or one short line with the place; a path is written the same twice."""
    problem: ParseError | None = None
    try:
        path = spn.parse(text)
    except ParseError as error:
        problem = error
    if problem is not None:
        told = str(problem)
        assert problem.line is not None
        assert 1 <= problem.line <= len(re.findall("\r\n|\r|\n", text)) + 1
        assert told.startswith("line ")
        assert told.isprintable()
        assert len(told) < LONGEST_MESSAGE
        return None
    once = spn.write(path)
    assert all(line.isprintable() for line in once.split("\n"))
    again = spn.parse(once)
    assert again == path
    assert spn.write(again) == once
    return path


def replayed(path: spn.SolvePath) -> spn.Replay | None:
    """The replay, or None with one line."""
    told = ""
    try:
        found = spn.replay(path)
    except ModelError as error:
        told = str(error)
    if not told:
        assert found.bill.isprintable()
        return found
    assert told.isprintable()
    assert len(told) < LONGEST_MESSAGE
    return None


@lru_cache
def seeds() -> tuple[tuple[str, int], ...]:
    """Paths as text, each with the solution of its puzzle as a board."""
    own = list(puzzles())
    some = [(path_of(at), solution_of(own[at])) for at in (0, 3, 4, 6, 7)]
    some += [(explain(one.example_puzzle(), max_level=2), -1) for one in families() if one.name == "surface-cube"]
    texts = [(spn.write(spn.from_path(path, reasons=at % 2 == 0)), truth) for at, (path, truth) in enumerate(some)]
    bare = spn.from_path(path_of(4), proofs=False)
    marked = explain(model("classic-4").puzzle(".1..2........31.", {"r1c1": [3, 4]}))
    return (*texts, (spn.write(bare), solution_of(own[4])), (spn.write(spn.from_path(marked)), -1))


def mutated(text: str, random: Random) -> str:
    """The text with a few changes, as of a slip of the hand or of the disk."""
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(text) + 1)
        kind = random.randrange(7)
        words = list(re.finditer(r"[\w+\-]+", text))
        if kind == 0:
            text = text[:at] + text[at + random.randint(1, 30) :]
        elif kind == 1:
            text = text[:at] + random.choice(PIECES) + text[at:]
        elif kind == 2:
            text = text[:at] + text[at : at + random.randint(1, 80)] * 2 + text[at:]
        elif kind == 3 and words:
            word = random.choice(words)
            text = text[: word.start()] + random.choice(WORDS) + text[word.end() :]
        elif kind == 4 and words:
            one, other = random.choice(words), random.choice(words)
            text = text[: one.start()] + other[0] + text[one.end() :]
        elif kind == 5:
            lines = text.split("\n")
            first, second = random.randrange(len(lines)), random.randrange(len(lines))
            lines[first], lines[second] = lines[second], lines[first]
            text = "\n".join(lines)
        else:
            text = text[:at] + chr(random.choice((0, 9, 13, 0x85, 0x2028, 0xDC80, 0x1F600, 127))) + text[at + 1 :]
    return text


def check_mutation(seed: int) -> str:
    """One mutation: read, written, replayed; what became of it."""
    random = Random(seed)
    original, truth = random.choice(seeds())
    path = check(mutated(original, random))
    if path is None:
        return "no path"
    found = replayed(path)
    if found is None:
        return "no rules"
    before = spn.parse(original)
    if found.verified and not found.assumes_unique and truth >= 0 and path.tags == before.tags:
        assert found.end.live & truth == truth, seed
    return "verified" if found.verified else "refused" if found.refused else "consistent"


@settings(max_examples=300, deadline=None)
@given(st.one_of(NEAR, WILD))
@example("\udc80")
@example("{" * 1000)
@example('[A "' + "\\" * 999)
@example("1. A #" + " (refute R1C1=1:" + "[R1C1=1:" * 2000)
@example("1. A # (cover 999999999*R1C1 / 999999999*R1C1)")
@example("1. A # (cover 1000000000*R1C1 /)")
@example("\\")
@example("{" + "\\u{41}" * 50)
@example("{\\u{7f}a} 1. A #")
def test_any_text(text: str) -> None:
    path = check(text)
    if path is not None:
        replayed(path)


def test_mutations_of_paths() -> None:
    became = [check_mutation(seed) for seed in range(250)]
    # Each of these must come about, else the mutations are too wild or too tame.
    assert {"no path", "refused", "verified"} <= set(became)


@pytest.mark.long
def test_ten_thousand_inputs() -> None:
    for seed in range(10_000):
        check_mutation(seed)
    random = Random(1)
    for _ in range(5_000):
        path = check("".join(random.choice(PIECES) for _ in range(random.randint(0, 60))))
        if path is not None:
            replayed(path)


def test_hostile_paths_end_soon() -> None:
    begin = '[Puzzle "' + "." * 81 + '"]\n'
    numbers = " ".join(map(str, range(1, 28)))
    for move in (
        "1. A # (cover 999999999*R1C1 / 999999999*R1C1)",
        f"1. A R1C1<>1 (constraint {numbers})",
        f"1. A R1C1<>1 (constraint {numbers} {numbers} {numbers})",
        "1. A R1C1<>1 (parity " + "R1C1 " * 20_000 + ")",
        "1. A R1C1<>1 (refute R1C1=1: " + "R9C9 " * 20_000 + ")",
        "1. A R1C1<>1 (cover / " + "R1C1 " * 20_000 + ")",
        "1. A R1C1<>1" + " (cover /)" * 2,
        "1. A R1C1<>1 (cover /" + " | cover /" * 10_000 + ")",
        "1. A R1C1" + "<>1,2,3" * 10_000,
        "1. A " + "R1C1<>1 " * 20_000,
        "1. A R1C1<>1 " + "{x} $1 " * 20_000,
        "{" + "\\}" * 50_000,
        '[A "' + "\\u{41}" * 20_000 + '"]',
        "\n" * 50_000 + "x",
    ):
        path = check(begin + move)
        if path is not None:
            found = replayed(path)
            assert found is None or not found.moves or not found.verified
    many = "".join(f'[T{number} "x"]\n' for number in range(10_000))
    assert check(many) is not None
    large = spn.parse(f'[Variant "Classic"] [Size "49"] [Puzzle "{"." * 81}"]')
    assert replayed(large) is None
