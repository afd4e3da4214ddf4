"""Rows of answers as text, CSV or JSON lines, and how far a file of them has come; other forms: `saver.py`.

A file of rows is only ever appended to, one row a puzzle in the order of the input. Whatever stops the writer, what
stands in the file up to its last line end is right, and the number of its rows tells where to go on.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nonant.csp.batch.engines import codes
from nonant.csp.batch.tasks import COLUMN, WORDS
from nonant.csp.errors import ParseError
from nonant.csp.machine.compiled import kernel

if TYPE_CHECKING:
    from nonant.csp.batch.run import Results
    from nonant.csp.model import Model

_PIECE = 1 << 20


@dataclass(frozen=True)
class Form:
    """How rows are written.

    Attributes:
        header: the line before the rows, or nothing.
        words: what stands for a count of -1, 0, 1, ...; see `kernels.lines.write_rows`.
        pieces: what stands around a row's number, word and solution: before the number, after it, before the
            solution, after it, and instead of a solution that is not there.
    """

    header: bytes
    words: tuple[bytes, ...]
    pieces: tuple[bytes, bytes, bytes, bytes, bytes]


def form_of(task: str, form: str, solutions: bool) -> Form:
    """The rows of a task in a form of text (`tasks.py`), with or without solutions."""
    column, words = COLUMN[task], WORDS[task]
    if form == "csv":
        header = f"puzzle,{column}" + (",solution" if solutions else "")
        pieces = ("", ",", ",", "\n", ",\n") if solutions else ("", ",", "", "\n", "\n")
        return _form(header + "\n", words, pieces)
    if form == "jsonl":
        quoted = ("null",) if task == "count" else tuple(f'"{word}"' for word in words)
        before, after = '{"puzzle": ', f', "{column}": '
        if solutions:
            return _form("", quoted, (before, after, ', "solution": "', '"}\n', ', "solution": null}\n'))
        return _form("", quoted, (before, after, "", "}\n", "}\n"))
    if task == "solve":
        return _form("", ("bad", "none", ""), ("", "", "", "\n", "\n"))
    return _form("", words, ("", "", " ", "\n", "\n"))


def _form(header: str, words: tuple[str, ...], pieces: tuple[str, str, str, str, str]) -> Form:
    first, second, third, fourth, fifth = (piece.encode() for piece in pieces)
    return Form(header.encode(), tuple(word.encode() for word in words), (first, second, third, fourth, fifth))


def rows(found: Results, form: Form, model: Model, first: int) -> bytes:
    """The rows of some results; `first` is the number of the first one, from 1."""
    solutions = np.zeros(0, np.uint8) if found.solutions is None else found.solutions.ravel()
    cells = model.n_cells if found.solutions is not None else 0
    longest = sum(map(len, form.pieces)) + max(map(len, form.words)) + 40 + cells
    out = np.empty(len(found) * longest, np.uint8)
    words, ends = _laid(form.words)
    pieces, parts = _laid(form.pieces)
    write_rows = kernel("nonant.csp.kernels.text.lines", "write_rows")
    size = write_rows(first, found.counts, words, ends, solutions, codes(model), pieces, parts, out)
    return out[:size].tobytes()


def _laid(texts: tuple[bytes, ...]) -> tuple[Any, Any]:
    """Texts one behind another, and where each ends."""
    return np.frombuffer(b"".join(texts) or b"\0", np.uint8), np.cumsum([len(text) for text in texts])


def resume_point(path: str, form: Form) -> int:
    """How many rows a file holds. What was being written when its writer was stopped is cut off.

    Raises:
        ParseError: if the file holds other rows than these.
    """
    if not os.path.exists(path):
        return 0
    with open(path, "r+b") as file:
        size = whole = lines = 0
        first = last = b""
        while piece := file.read(_PIECE):
            if not first:
                first = piece[: piece.find(b"\n") + 1]
            lines += piece.count(b"\n")
            cut = piece.rfind(b"\n") + 1
            if cut:
                whole = size + cut
                last = (last + piece[:cut])[-_PIECE:]
            size += len(piece)
        if size > whole:
            file.truncate(whole)
    done = lines - (1 if form.header and lines else 0)
    before, after = form.pieces[:2]
    end = last.rstrip(b"\n").rpartition(b"\n")[2]
    expected = before + str(done).encode() + after
    if (form.header and lines and first != form.header) or (after and done and not end.startswith(expected)):
        raise ParseError(f"{path} was not written by this command", expected="give another -o, or the options it had")
    return done
