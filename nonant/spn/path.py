"""A solve path as text: its records, and the way to them and back. Names only; no model is needed here.

`write` is canonical: what it wrote reads back to an equal path, and that is written the same byte for byte.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from nonant.csp.errors import ModelError, ParseError
from nonant.formats.source import shortened
from nonant.spn.names import CandidateName
from nonant.spn.proof import Claim, grouped, proof_text, read_proof, read_values
from nonant.spn.tokens import (
    END,
    MOST_NAG,
    NAG,
    STRING,
    SUFFIXES,
    WORD,
    Stream,
    commented,
    folded,
    quoted,
)

VERSION = "1.0"
VERSION_TAG = "SPN"
_TECHNIQUE = re.compile(r"[\w+\-]+(\[[\w+\-]+\])?")
_TAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_MARKS = {number: suffix for suffix, number in SUFFIXES.items()}


@dataclass(frozen=True)
class Move:
    """A move: one deduction.

    Attributes:
        technique: its name in CamelCase.
        places: what is written in. What these candidates exclude goes with them, and is not listed.
        removes: the candidates that go besides.
        contradiction: true when the move shows that the board has no solution.
        nags: marks, as in chess: 1 is !, 2 is ?.
        comments: what people say of it.
        proof: why; empty for none.
        line: where it stood in the text.
    """

    technique: str
    places: tuple[CandidateName, ...] = ()
    removes: tuple[CandidateName, ...] = ()
    contradiction: bool = False
    nags: tuple[int, ...] = ()
    comments: tuple[str, ...] = ()
    proof: tuple[Claim, ...] = ()
    line: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not _TECHNIQUE.fullmatch(self.technique):
            raise ModelError(f"{shortened(self.technique)} cannot name a technique; use one word, as in HiddenSingle")
        if bool(self.places or self.removes) == self.contradiction:
            raise ModelError(
                f"a move of {shortened(self.technique)} has to place or remove something, or show a contradiction; "
                "one of the two"
            )
        if not all(0 <= nag <= MOST_NAG for nag in self.nags):
            raise ModelError(f"a mark of a move is a number from 0 to {MOST_NAG}")

    @property
    def notation(self) -> str:
        """What the move does, on one line: `HiddenSingle R9C3=7`, `NakedPair R1C2<>3,5`."""
        does = [text for one in self.places for text in grouped("=", [one])] + grouped("<>", self.removes)
        return " ".join([self.technique, *does, *(["#"] if self.contradiction else [])])


@dataclass(frozen=True)
class SolvePath:
    """A solve path.

    Attributes:
        tags: the header, in order, without the version.
        moves: what was done, in order.
        comments: what people say of the whole.
        version: of the notation.
        line: where it began in the text.
    """

    tags: tuple[tuple[str, str], ...] = ()
    moves: tuple[Move, ...] = ()
    comments: tuple[str, ...] = ()
    version: str = VERSION
    line: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        times = Counter(name for name, _ in self.tags)
        for name, number in times.items():
            if not _TAG_NAME.fullmatch(name) or name == VERSION_TAG or number > 1:
                raise ModelError(f"a header cannot have the tag {shortened(name)}, or has it twice")

    def tag(self, name: str) -> str | None:
        """The value of a tag, or None."""
        return next((value for known, value in self.tags if known == name), None)

    @property
    def puzzle(self) -> str | None:
        """The givens on one line."""
        return self.tag("Puzzle")

    @property
    def solution(self) -> str | None:
        """The solution on one line."""
        return self.tag("Solution")


# -- writing -----------------------------------------------------------------------------------------------------------


def write(path: SolvePath) -> str:
    """The path as text, with a line end at its end."""
    lines = [f"[{name} {quoted(value)}]" for name, value in ((VERSION_TAG, path.version), *path.tags)]
    lines.append("")
    lines += [commented(comment) for comment in path.comments if folded(comment)]
    for number, move in enumerate(path.moves, 1):
        parts = [f"{number}.", move.notation, *(f"${nag}" for nag in move.nags)]
        parts += [commented(comment) for comment in move.comments if folded(comment)]
        parts += [f"({proof_text(move.proof)})"] if move.proof else []
        lines.append(" ".join(parts))
    return "\n".join(lines).rstrip("\n") + "\n"


# -- reading -----------------------------------------------------------------------------------------------------------


def parse(text: str) -> SolvePath:
    """The one path of a text.

    Raises:
        ParseError: if it is none, or holds several; with the line.
    """
    found = list(islice(parse_all(text), 2))
    if not found:
        raise ParseError("there is no solve path here", line=1, expected='begin with a header, e.g. [Puzzle "4...3.."]')
    if len(found) > 1:
        raise ParseError("there are several paths here", line=1, expected="give one, or read them with parse_all")
    return found[0]


def parse_all(text: str) -> Iterator[SolvePath]:
    """The paths of a text, one after the other.

    Raises:
        ParseError: at the first thing that is no path, with its line and column.
    """
    stream = Stream(text)
    stream.skip_comments()
    while stream.peek().kind != END:
        yield _read_path(stream)


def _read_path(stream: Stream) -> SolvePath:
    tags: dict[str, str] = {}
    line = stream.peek().line
    while stream.at("["):
        name = stream.peek(1)
        if name.text == VERSION_TAG and tags:
            break  # the header of another path
        stream.take()
        if name.kind != WORD or not _TAG_NAME.fullmatch(name.text):
            stream.fail('a tag is a name and a string, as in [Puzzle "4...3.."]')
        if name.text in tags:
            stream.fail("no tag comes twice in a header")
        stream.take()
        if stream.peek().kind != STRING:
            stream.fail(f"expected the value of the tag {shortened(name.text)} in quotes")
        tags[name.text] = stream.take().text
        stream.expect("]")
    version = tags.pop(VERSION_TAG, VERSION)
    if version.split(".")[0] != VERSION.split(".")[0]:
        raise ParseError(
            f"this path is in version {shortened(version)} of the notation",
            line=stream.peek().line,
            expected=f"this reader knows {VERSION}",
        )
    moves: list[Move] = []
    comments = _set_aside(stream)
    while stream.at_number():
        if stream.peek().text != str(len(moves) + 1):
            stream.fail(f"the next move is number {len(moves) + 1}")
        moves.append(_read_move(stream))
    if stream.peek().kind != END and not stream.at("["):
        stream.fail(f"expected move {len(moves) + 1}, as in {len(moves) + 1}. HiddenSingle R9C3=7")
    return SolvePath(tuple(tags.items()), tuple(moves), comments, version, line)


def _set_aside(stream: Stream) -> tuple[str, ...]:
    found = tuple(stream.comments)
    stream.comments.clear()
    return found


def _read_move(stream: Stream) -> Move:
    line = stream.take().line
    stream.expect(".")
    if stream.peek().kind != WORD:
        stream.fail("expected the name of a technique in one word, as in HiddenSingle")
    technique = stream.take().text
    if stream.accept("["):
        technique += f"[{_plain(stream)}]"
        stream.expect("]")
    places: list[CandidateName] = []
    removes: list[CandidateName] = []
    while stream.peek().kind in (WORD, STRING) and not stream.at_number():
        cell = stream.name("a cell")
        if stream.accept("="):
            places.append(CandidateName(cell, stream.name("a value")))
        elif stream.accept("<>"):
            removes += [CandidateName(cell, value) for value in read_values(stream)]
        else:
            stream.fail("behind a cell comes = or <> and a value")
    contradiction = not (places or removes) and bool(stream.accept("#"))
    if not (places or removes or contradiction):
        stream.fail("a move places (R9C3=7), removes (R1C2<>3) or shows that there is no solution (#)")
    nags: list[int] = []
    proof: tuple[Claim, ...] = ()
    while True:
        if stream.peek().kind == NAG:
            if int(stream.peek().text) > MOST_NAG:
                stream.fail(f"a mark is $0 to ${MOST_NAG}")
            nags.append(int(stream.take().text))
        elif stream.at("("):
            if proof:
                stream.fail("a move has one proof")
            proof = read_proof(stream)
        else:
            break
    return Move(technique, tuple(places), tuple(removes), contradiction, tuple(nags), _set_aside(stream), proof, line)


def _plain(stream: Stream) -> str:
    return stream.take().text if stream.peek().kind == WORD else stream.fail("expected a word, as in Whip[5]")


# -- remarks and summaries ---------------------------------------------------------------------------------------------


def annotation(move: Move) -> str:
    """The marks and comments of a move, as people read them: `! the only place in row 9`."""
    marks = [_MARKS.get(nag, f"${nag}") for nag in move.nags]
    return " ".join([*marks, *filter(None, map(folded, move.comments))])


def annotated(path: SolvePath, number: int, comment: str = "", *nags: int) -> SolvePath:
    """The path with a comment and marks (1 to 255; 1 is !, 2 is ?) added to a move, counted from 1.

    Raises:
        ModelError: if there is no such move or mark.
    """
    if not 1 <= number <= len(path.moves):
        raise ModelError(f"there is no move {number}; the path has {len(path.moves)}")
    move = path.moves[number - 1]
    said = (folded(comment),) if folded(comment) else ()
    move = replace(move, comments=move.comments + said, nags=move.nags + nags)
    return replace(path, moves=(*path.moves[: number - 1], move, *path.moves[number:]))


def tech_summary(path: SolvePath) -> dict[str, int]:
    """How often each technique is used, in the order of first use."""
    times: dict[str, int] = {}
    for move in path.moves:
        times[move.technique] = times.get(move.technique, 0) + 1
    return times
