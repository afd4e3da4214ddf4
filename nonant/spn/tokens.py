"""The words of the Solve Path Notation: tokens with their line and column, and the quoting of what is no plain word.

Everything that is written is printable: whatever else a name or a comment holds goes into `\\u{...}`, so that a file
is UTF-8 text on any machine, and reads back to the same.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from nonant.csp.errors import ParseError
from nonant.formats.source import shortened

WORD, STRING, SIGN, NAG, COMMENT, END = "word", "string", "sign", "NAG", "comment", "end of the text"
# The suffixes of chess, and the NAG that each stands for.
SUFFIXES = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
MOST_NAG = 255

_PLAIN = re.compile(r"[\w+\-]+")
_TOKEN = re.compile(
    r"""
    (?P<word> [\w+\-]+ )
    | " (?P<string> [^"\\\n]*+ (?: \\ [^\n] [^"\\\n]*+ )*+ ) "
    | (?P<sign> <> | => | [=,\[\]().:/@\#*|] )
    | \$ (?P<nag> [0-9]{1,3} )
    | (?P<suffix> [!?]{1,2} )
    | \{ (?P<comment> [^}\\]*+ (?: \\ (?> u\{[0-9a-fA-F]{1,6}\} | . ) [^}\\]*+ )*+ ) \}
    | ; (?P<rest> [^\n]* )
    """,
    re.VERBOSE | re.DOTALL,
)
_BLANK = re.compile(r"\s*")
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|(.))", re.DOTALL)
_UNCLOSED = {'"': 'this string has no " behind it on its line', "{": "this comment has no } behind it"}


@dataclass(frozen=True, slots=True)
class Token:
    """A token.

    Attributes:
        kind: word, string, sign, NAG, comment, or the end of the text.
        text: what it stands for, unquoted.
        line: its line, from 1. column: its column, from 1.
    """

    kind: str
    text: str
    line: int
    column: int


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text; the last is its end.

    Raises:
        ParseError: at what is no token.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    at, line, begin = 0, 1, 0  # begin: where the line begins
    while True:
        blank = _BLANK.match(text, at)
        found = None if blank is None else _TOKEN.match(text, blank.end())
        if blank is not None and blank.end() > at:
            line, begin = _moved(text, at, blank.end(), line, begin)
            at = blank.end()
        column = at - begin + 1
        if found is None:
            if at == len(text):
                yield Token(END, "", line, column)
                return
            message = _UNCLOSED.get(text[at], f"{shortened(text[at])} has no meaning here")
            raise ParseError(message, line=line, column=column, expected="docs/spn.md tells the notation")
        kind = found.lastgroup or ""
        value = found[kind]
        if kind == "suffix" and value not in SUFFIXES:  # cannot be with two characters, but the table may grow
            raise ParseError(f"{value} is no mark", line=line, column=column, expected=f"use {' '.join(SUFFIXES)}")
        if kind in ("string", "comment", "rest"):
            try:
                value = _unescaped(value)
            except ValueError:
                raise ParseError(
                    "an escape \\u{...} here is no character", line=line, column=column, expected="use up to 10ffff"
                ) from None
        if kind in ("comment", "rest"):
            kind, value = COMMENT, folded(value)
        elif kind in ("nag", "suffix"):
            kind, value = NAG, value if kind == "nag" else str(SUFFIXES[value])
        yield Token(kind, value, line, column)
        if kind == COMMENT:
            line, begin = _moved(text, at, found.end(), line, begin)
        at = found.end()


def _moved(text: str, start: int, end: int, line: int, begin: int) -> tuple[int, int]:
    """The line, and where it begins, at `end`."""
    breaks = text.count("\n", start, end)
    return (line + breaks, text.rindex("\n", start, end) + 1) if breaks else (line, begin)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else found[2], text) if "\\" in text else text


def _escaped(text: str, special: str) -> str:
    def written(sign: str) -> str:
        if sign in special or sign == "\\":
            return "\\" + sign
        return sign if sign.isprintable() else f"\\u{{{ord(sign):x}}}"

    return "".join(map(written, text))


def folded(text: str) -> str:
    """A comment with one blank for each run of white space."""
    return " ".join(text.split())


def quoted(text: str) -> str:
    """A text as a string token."""
    return f'"{_escaped(text, chr(34))}"'


def commented(text: str) -> str:
    """A text as a comment token."""
    return f"{{{_escaped(folded(text), '}')}}}"


def word(text: str) -> str:
    """A name as one token: as it is, or as a string where it is no plain word, or the word that has a meaning."""
    return text if _PLAIN.fullmatch(text) and text != "guard" else quoted(text)


def is_word(text: str) -> bool:
    """Whether the text is a plain word."""
    return _PLAIN.fullmatch(text) is not None


class Stream:
    """Tokens to be taken one by one, with a look ahead. Comments are set aside in `comments` as they go by."""

    def __init__(self, text: str) -> None:
        self._tokens = tokens(text)
        self._ahead: deque[Token] = deque()
        self.comments: list[str] = []

    def peek(self, ahead: int = 0) -> Token:
        """The token to be taken next, or one behind it."""
        while len(self._ahead) <= ahead:
            if self._ahead and self._ahead[-1].kind == END:
                return self._ahead[-1]
            self._ahead.append(next(self._tokens))
        return self._ahead[ahead]

    def skip_comments(self) -> None:
        """Set the comments aside that come next."""
        while self.peek().kind == COMMENT:
            comment = self._ahead.popleft().text
            if comment:
                self.comments.append(comment)

    def take(self) -> Token:
        """The next token."""
        token = self.peek()
        if token.kind != END:
            self._ahead.popleft()
        self.skip_comments()
        return token

    def at(self, *signs: str) -> bool:
        """Whether one of these signs comes next."""
        token = self.peek()
        return token.kind == SIGN and token.text in signs

    def accept(self, *signs: str) -> str:
        """Take one of these signs if it comes next; else nothing."""
        return self.take().text if self.at(*signs) else ""

    def expect(self, *signs: str) -> str:
        """Take one of these signs.

        Raises:
            ParseError: if none comes next.
        """
        return self.accept(*signs) or self.fail(f"expected {' or '.join(signs)}")

    def name(self, what: str) -> str:
        """Take a word or a string.

        Raises:
            ParseError: if neither comes next.
        """
        return self.take().text if self.peek().kind in (WORD, STRING) else self.fail(f"expected {what}")

    def number(self, what: str) -> int:
        """Take a whole number from 1 on.

        Raises:
            ParseError: if none comes next.
        """
        text = self.peek().text
        if self.peek().kind != WORD or not _is_number(text):
            self.fail(f"expected {what}")
        return int(self.take().text)

    def at_number(self) -> bool:
        """Whether a number and a dot come next: a move."""
        token, behind = self.peek(), self.peek(1)
        return token.kind == WORD and _is_number(token.text) and (behind.kind, behind.text) == (SIGN, ".")

    def fail(self, expected: str) -> NoReturn:
        """Raise a ParseError at the next token."""
        token = self.peek()
        shown = token.kind if token.kind == END else shortened(token.text)
        raise ParseError(f"{shown} stands here", line=token.line, column=token.column, expected=expected)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0
