"""Answers as one numpy array in a .npy file that grows: `np.load` reads it at any moment, memory-mapped if need be.

The format's header says how many rows follow, and readers do not look beyond them. Rows are appended first, and the
header is then overwritten with one write of a few hundred bytes: a writer that is killed leaves a file with the rows
that its header says. Who resumes cuts off what comes after them. The text of the header is numpy's own (`lib.format`),
drawn out to a size that holds any number of rows.

Without solutions the array is of counts, one a puzzle: int8 verdicts (-1 bad, 0 none, 1 unique, 2 multiple) for the
task `verify`; int8 (-1, 0, 1 solved) for `solve`; int64 for `count`. With solutions it is structured: that column, and
`solution`, uint8 (cells), as in `run.Results`.
"""

from __future__ import annotations

import os
from io import BytesIO
from tokenize import TokenError
from typing import TYPE_CHECKING, Self

import numpy as np

from nonant.csp.batch.tasks import COLUMN
from nonant.csp.errors import ParseError

if TYPE_CHECKING:
    from nonant.csp.batch.run import Results
    from nonant.csp.model import Model

HEADER = 256  # bytes; the format asks for a multiple of 64
_START = np.lib.format.MAGIC_LEN + 2  # of the text: it follows the magic bytes and its length


class ArrayFile:
    """A .npy file that answers are written to; a context manager. It has `done` rows.

    Args:
        path: the file, made if it is not there.
        task: see `tasks.TASKS`.
        model: the rules.
        solutions: whether there is a column for them.
        resume: go on after the rows that are there.

    Raises:
        ParseError: if the file has something in it that this does not go on with.
    """

    def __init__(self, path: str, task: str, model: Model, solutions: bool = False, resume: bool = False) -> None:
        self.column, self.solutions = COLUMN[task], solutions
        plain = np.dtype(np.int64 if task == "count" else np.int8)
        self.kind = np.dtype([(self.column, plain), ("solution", np.uint8, (model.n_cells,))]) if solutions else plain
        self.file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        try:
            self.done = self._rows_before(path, resume)
        except BaseException:
            os.close(self.file)
            raise

    def _rows_before(self, path: str, resume: bool) -> int:
        size = os.fstat(self.file).st_size
        done = 0
        if size and not resume:
            raise ParseError(f"{path} exists", expected="resume to go on with it, or name another file")
        if size >= HEADER:
            head = os.read(self.file, HEADER)
            done = self._rows_said(head)
            if done < 0:
                raise ParseError(
                    f"{path} was not written by this command", expected="give another file, or the options it had"
                )
            done = min(done, (size - HEADER) // self.kind.itemsize)
        elif size:
            always = self._header(0).partition(b"'shape'")[0]
            if not always.startswith(os.read(self.file, size)[: len(always)]):
                raise ParseError(f"{path} was not written by this command", expected="give another file")
        self._say(done)
        os.ftruncate(self.file, HEADER + done * self.kind.itemsize)
        os.lseek(self.file, 0, os.SEEK_END)
        return done

    def _header(self, rows: int) -> bytes:
        out = BytesIO()
        described = np.lib.format.dtype_to_descr(self.kind)
        np.lib.format.write_array_header_1_0(out, {"descr": described, "fortran_order": False, "shape": (rows,)})
        head, length = out.getvalue(), (HEADER - _START).to_bytes(2, "little")
        return head[: _START - 2] + length + head[_START:].rstrip().ljust(HEADER - _START - 1) + b"\n"

    def _rows_said(self, head: bytes) -> int:
        """The number of rows in a header; -1 if it is not one of these."""
        file = BytesIO(head)
        try:
            version = np.lib.format.read_magic(file)
            shape, by_columns, kind = np.lib.format.read_array_header_1_0(file)
        except (ValueError, SyntaxError, TokenError):
            return -1
        fits = version == (1, 0) and file.tell() == HEADER and len(shape) == 1 and not by_columns and kind == self.kind
        return int(shape[0]) if fits else -1

    def _say(self, rows: int) -> None:
        os.lseek(self.file, 0, os.SEEK_SET)
        os.write(self.file, self._header(rows))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, found: Results) -> None:
        """Add the rows of some results."""
        rows = np.empty(len(found), self.kind)
        counts = rows[self.column] if self.solutions else rows
        counts[:] = found.counts if self.column == "count" else found.verdicts
        if self.solutions:
            rows["solution"] = found.solutions
        left = memoryview(rows.tobytes())
        while left:
            left = left[os.write(self.file, left) :]
        self.done += len(found)
        self._say(self.done)
        os.lseek(self.file, 0, os.SEEK_END)

    def close(self) -> None:
        """Close the file."""
        os.close(self.file)
