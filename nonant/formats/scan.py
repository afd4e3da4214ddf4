"""From a line of text to tokens with their positions. Nothing here knows what the tokens mean.

A line is blank, a comment, a heading, a border, or a row of tokens. What stands between tokens (blanks, commas, bars,
brackets, quotes, box-drawing characters) is dropped, and so are tokens that are only drawn: `+`, `---+---`, `*-----*`,
`.-----.`. So a decorated grid, a list of numbers, JSON and a picture that this library printed all scan alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

# U+2500..U+257F are the box-drawing characters; U+00A0 is the blank that comes along when one copies from a page.
SEPARATORS = " \t\u00a0,;:|'\"()[]{}" + "".join(map(chr, range(0x2500, 0x2580)))
DRAWN = frozenset("-+*=~.`")
# Letters that only draw: a token of them is never a run of symbols. Dots are symbols unless dashes stand beside them.
PURELY_DRAWN = frozenset("-+*=~`")

_TOKEN = re.compile(f"[^{re.escape(SEPARATORS)}]+")
_SECTION = re.compile(r"\s*\[\s*([A-Za-z][A-Za-z ]{0,30})\]\s*")
_HEADING = re.compile(r"\s*(?:grid|puzzle|sudoku|game|board|plane|layer|level)s?\b[^,;|]{0,60}", re.IGNORECASE)


class Token(NamedTuple):
    """A run of characters and where it starts (both counted from 1)."""

    text: str
    line: int
    column: int


@dataclass(frozen=True)
class Row:
    """A line that holds tokens."""

    number: int
    tokens: tuple[Token, ...]
    text: str = ""


@dataclass(frozen=True)
class Break:
    """What separates one puzzle from the next: a blank line, a heading, the start of a section.

    Attributes:
        title: what the heading says.
        section: for a heading in brackets its name in lower case.
    """

    title: str = ""
    section: str | None = None


def scan(number: int, text: str) -> Row | Break | None:
    """The line as a row or a break; None for a comment or a border, which stand for nothing."""
    if not text.strip():
        return Break()
    if is_comment(text):
        return None
    if section := _SECTION.fullmatch(text):
        return Break(section=section[1].strip().lower())
    if _HEADING.fullmatch(text):
        return Break(title=text.strip())
    tokens = tuple(tokens_of(number, without_comment(text)))
    return Row(number, tokens, text) if tokens else None


def is_comment(text: str) -> bool:
    """True for a line that is only a comment."""
    return text.lstrip().startswith(("#", ";", "//"))


def without_comment(text: str) -> str:
    """The line up to the comment at its end."""
    for mark in ("#", "//"):
        at = text.find(mark)
        if at >= 0:
            text = text[:at]
    return text


def tokens_of(number: int, text: str, start: int = 0) -> Iterator[Token]:
    """The tokens of a piece of line `number` that starts `start` characters into it."""
    for match in _TOKEN.finditer(text):
        found = match[0]
        if found.isalnum() or not is_drawn(found):
            yield Token(found, number, start + match.start() + 1)


def is_drawn(token: str) -> bool:
    """True for a token that is a piece of a border: `+`, `*---*`, and `.---.` but not `...` or `-1`."""
    kinds = set(token)
    return kinds <= PURELY_DRAWN or (kinds <= DRAWN and ("--" in token or "==" in token))


def symbols_of(tokens: tuple[Token, ...]) -> Iterator[Token]:
    """Each character as a token of its own."""
    for text, line, column in tokens:
        for offset, symbol in enumerate(text):
            yield Token(symbol, line, column + offset)
