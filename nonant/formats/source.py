"""Where the text comes from: a string, a file (plain or gzip) or a stream, always as numbered lines.

Lines are read one at a time and no line is read past `LONGEST`, so a list of many gigabytes, or a file that is one
endless line, takes no more memory than a line does. Bytes that are not UTF-8 come through as lone surrogates, which no
alphabet holds: they are then reported where they stand, like any other wrong symbol.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import IO, TextIO

from nonant.csp.errors import ParseError

Source = str | os.PathLike[str] | TextIO
Line = tuple[int, str]

# Above the longest line that a puzzle needs: a 25x25x25 cube as numbers has under 50,000 characters.
LONGEST = 200_000
SUFFIXES = (".txt", ".sdm", ".sdk", ".csv", ".tsv", ".ss", ".sud", ".gz")


def numbered_lines(source: Source) -> Iterator[Line]:
    """The lines of the source with their numbers, without their line ends.

    Raises:
        ParseError: for a file that cannot be read, and for a line that is too long.
    """
    if isinstance(source, str):
        if is_path(source):
            yield from _file_lines(source)
        else:
            # newline=None: all three line ends, and no others (str.splitlines would also split at form feeds).
            yield from _stream_lines(io.StringIO(source.removeprefix("\ufeff"), newline=None))
    elif isinstance(source, os.PathLike):
        yield from _file_lines(os.fspath(source))
    else:
        yield from _stream_lines(source)


def is_path(text: str) -> bool:
    """True for the name of a file or folder that exists, and for what can only be meant as one."""
    if not text or len(text) > 4096 or "\n" in text or "\r" in text or "\0" in text:
        return False
    try:
        if os.path.exists(text):
            return True
    except (OSError, ValueError):
        return False
    # "4..8.1... // easy" is a puzzle with a comment, "lists/easy" is not a puzzle at all.
    words = text.replace(",", " ").split()
    has_folder = any(separator in words[0] for separator in (os.sep, os.altsep) if separator) if words else False
    return (has_folder and "//" not in text) or text.lower().endswith(SUFFIXES)


def _file_lines(path: str) -> Iterator[Line]:
    shown = shortened(path, 80)
    try:
        if os.path.isdir(path):
            raise ParseError(f"{shown} is a folder", expected="give a file, or the text of a puzzle")
        with open(path, "rb") as file:
            zipped = file.peek(2)[:2] == b"\x1f\x8b"
            with _unzipped(file) if zipped else file as binary:
                yield from _stream_lines(
                    io.TextIOWrapper(binary, encoding="utf-8-sig", errors="surrogateescape", newline=None)
                )
    except FileNotFoundError:
        raise ParseError(
            f"no such file: {shown}", expected="give a file that exists, or the text of a puzzle"
        ) from None
    except ParseError:
        raise
    except (OSError, EOFError, ValueError) as error:  # gzip.BadGzipFile is an OSError, an embedded NUL a ValueError
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise ParseError(f"cannot read {shown}: {one_line(reason)}") from None
    except Exception as error:
        # zlib.error has no common parent with the others, and importing zlib for its name would be for nothing.
        if type(error).__module__ != "zlib":
            raise
        raise ParseError(f"cannot read {shown}: {one_line(str(error))}", expected="the file is damaged") from None


def _unzipped(file: IO[bytes]) -> IO[bytes]:
    import gzip  # only for those who need it: it costs as much as reading a small file

    return gzip.GzipFile(fileobj=file)  # type: ignore[return-value]


def _stream_lines(stream: TextIO) -> Iterator[Line]:
    number = 0
    while True:
        number += 1
        try:
            line = stream.readline(LONGEST + 1)
        except UnicodeDecodeError as error:
            raise ParseError(
                f"the text is not {error.encoding} after line {number - 1}", line=number, expected="save it as UTF-8"
            ) from None
        if not isinstance(line, str):
            raise TypeError(f"read takes text, a path or a text stream; this stream gives {type(line).__name__}")
        if not line:
            return
        if len(line) > LONGEST:
            raise ParseError(
                f"this line has over {LONGEST:,} characters", line=number, expected="put one puzzle on a line"
            )
        if number == 1:
            line = line.removeprefix("\ufeff")
        yield number, line.rstrip("\r\n")


def shortened(text: str, most: int = 20) -> str:
    """The text for a message: quoted, in printable ASCII, and cut when it is long."""
    return ascii(text if len(text) <= most else text[:most] + "...")


def one_line(text: str) -> str:
    """The text without line ends."""
    return " ".join(text.split())
