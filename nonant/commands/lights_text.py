"""What `nonant lights` reads and says: a board from text or a file; its answer in lines, JSON or pictures."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from math import isqrt
from typing import Any

from nonant.csp.errors import ParseError
from nonant.formats.source import is_path, one_line, shortened
from nonant.models.lights.answers import Board, Found, Listed, Question, weight_of

NAMED = 40  # lights that a sentence names


def read_board(source: str, shape: tuple[int, int] | None, states: int) -> Board:
    """A board from a text, a file (plain or gzip), or `-`, standard input.

    Several lines are rows; so are the words of one line, unless each is one digit. One row is a square board when its
    length is a square, unless `shape` says otherwise.

    Raises:
        ParseError: with the line and column of what is wrong.
    """
    lines = _bytes_of(source).removeprefix(b"\xef\xbb\xbf").splitlines()
    known = b"0123456789"[:states]
    rows: list[bytes] = []
    for number, line in enumerate(lines, 1):
        row = line.translate(None, b" \t")
        if not row or row.startswith(b"#"):
            continue
        if row.translate(None, known):
            column = next(at for at, digit in enumerate(line, 1) if digit not in known + b" \t")
            symbol = shortened(line[column - 1 : column].decode("latin-1"))
            expected = f"write one digit a light, {', '.join(map(chr, known[:-1]))} or {chr(known[-1])}"
            raise ParseError(f"a light cannot be {symbol}", line=number, column=column, expected=expected)
        words = line.split()
        rows += words if len(lines) == 1 and any(len(word) > 1 for word in words) else [row]
    if not rows:
        raise ParseError("no board in the input", expected="give rows of zeros and ones, or one line of them")
    digits = b"".join(rows)
    if shape is not None:
        if len(digits) != shape[0] * shape[1]:
            size = f"{shape[0]}x{shape[1]}"
            raise ParseError(
                f"the board has {len(digits)} lights, but --size {size} means {shape[0] * shape[1]}",
                expected="give one digit a light",
            )
        return Board(*shape, digits)
    if len(rows) == 1:
        side = isqrt(len(digits))
        if side * side != len(digits):
            raise ParseError(
                f"one line of {len(digits)} lights, which is no square board",
                expected=f"add --size RxC, e.g. --size 1x{len(digits)}",
            )
        return Board(side, side, digits)
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ParseError(
                f"row {number} has {len(row)} lights, but row 1 has {len(rows[0])}",
                expected="give rows of the same length",
            )
    return Board(len(rows), len(rows[0]), digits)


def _bytes_of(source: str) -> bytes:
    if source == "-":
        return sys.stdin.buffer.read()
    if not is_path(source):
        return source.encode("utf-8", "surrogateescape")
    try:
        with open(source, "rb") as file:
            data = file.read()
        if data.startswith(b"\x1f\x8b"):
            import gzip

            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read()
    except FileNotFoundError:
        raise ParseError(f"no such file: {shortened(source, 80)}", expected="give a file that exists") from None
    except (OSError, EOFError) as error:
        reason = one_line(error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise ParseError(f"cannot read {shortened(source, 80)}: {reason}") from None
    return data


def record(found: Found, states: int) -> dict[str, Any]:
    """What `--json` prints; a number of solutions that is no exact double stands as a power, in a string."""
    number = states**found.nullity if found.solvable else 0
    answer: dict[str, Any] = {
        "solvable": found.solvable,
        "nullity": found.nullity,
        "solutions": number if number < 1 << 53 else f"{states}^{found.nullity}",
        "presses": found.presses,
        "weight": found.weight,
        "optimal": found.optimal,
        "lower_bound": found.lower_bound,
    }
    if not found.solvable:
        answer["witness"] = list(found.witness)
    return answer


def reason(found: Found, states: int) -> str:
    """Why a board has no solution."""
    names = ", ".join(found.witness[:NAMED])
    if len(found.witness) > NAMED:
        names += f" and {len(found.witness) - NAMED} more (--json names them)"
    if states == 2:
        every = f"every press changes an even number of the lights {names}"
        return f"none: {every}, but an odd number of them must change"
    every = f"every press changes a weighted sum of the lights {names} by a multiple of {states}"
    return f"none: {every}, but the board asks for another change"


def shown(question: Question, found: Found, listed: Listed | None, width: int) -> str:
    """Pictures for a terminal `width` characters wide, and a line that says what is known."""
    board, states, game = question.board, question.states, found.game
    if game is None or board.columns > width:
        drawings = []
    elif found.presses is None:
        named = set(found.witness)
        marked = "".join("01"[name in named] for name in game.names)
        drawings = [("lights", _drawn(board.digits.decode(), board.columns, "●", states))]
        drawings.append(("witness", _drawn(marked, board.columns, "?", 2)))
    else:
        lines = [found.presses] if listed is None else listed.lines
        drawings = [("lights", _drawn(board.digits.decode(), board.columns, "●", states))]
        for line in lines:
            title = "presses" if len(lines) == 1 else f"{weight_of(line)} presses"
            drawings.append((title, _drawn(line, board.columns, "X", states)))
    last = _summary(found, states) if found.solvable else reason(found, states)
    if not drawings and found.solvable:
        last += "; too large for a picture here: a pipe or --json gets the presses"
    return "\n".join([*_beside(drawings, width), last])


def _summary(found: Found, states: int) -> str:
    number = f"{found.weight} press{'' if found.weight == 1 else 'es'}"
    if not found.nullity:
        return f"{number}: the only solution"
    if found.optimal:
        known = "no solution takes fewer"
    else:
        known = f"every solution takes at least {found.lower_bound} (--fewest looks for the shortest)"
    power = f"{states}^{found.nullity}"
    return (
        f"{number}: {known}; there are {power}{f' = {states**found.nullity}' if found.nullity < 40 else ''} solutions"
    )


def _drawn(line: str, columns: int, one: str, states: int) -> list[str]:
    """A line of digits as rows, with a dot for 0, and a symbol for 1 where there is nothing else."""
    drawn = line.replace("0", "·")
    drawn = drawn.replace("1", one) if states == 2 else drawn
    return [drawn[at : at + columns] for at in range(0, len(drawn), columns)]


def _beside(drawings: Sequence[tuple[str, list[str]]], width: int) -> list[str]:
    """Drawings side by side under their titles, as many as fit; spaced out where there is room."""
    if not drawings:
        return []
    spaced = 2 * len(drawings[0][1][0]) <= width
    drawn = [(title, [" ".join(row) if spaced else row for row in rows]) for title, rows in drawings]
    across = max(len(line) for title, rows in drawn for line in [title, *rows])
    beside = max(1, (width + 3) // (across + 3))
    lines: list[str] = []
    for start in range(0, len(drawn), beside):
        some = drawn[start : start + beside]
        for row in zip(*([title, *rows] for title, rows in some), strict=True):
            lines.append("   ".join(part.ljust(across) for part in row).rstrip())
        lines.append("")
    return lines
