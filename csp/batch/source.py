"""What a batch takes, cut into blocks of text: bytes, files (plain or gzip), arrays, lines, puzzles."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from nonant.csp.batch.engines import codes, is_textual
from nonant.csp.errors import ModelError, ParseError
from nonant.csp.machine.compiled import kernel
from nonant.csp.model import Puzzle

if TYPE_CHECKING:
    from nonant.csp.model import Model

BLOCK = 1 << 22  # bytes of text worked on at a time: about 50,000 lines of 81 symbols
LINES = "nonant.csp.kernels.text.lines"
LONGEST = 1 << 20  # a line longer than this is no list of puzzles


@dataclass(frozen=True, eq=False)
class Block:
    """Some whole lines.

    Attributes:
        text: uint8.
        starts: int64, where each puzzle starts in the text; negative for a line of a wrong length.
        numbers: int64, the line of each in the whole source, from 0.
        end: bytes of the source up to the end of the block.
    """

    text: Any
    starts: Any
    numbers: Any
    end: int

    def after(self, passed: int) -> Block:
        """Without the first puzzles."""
        return Block(self.text, self.starts[passed:], self.numbers[passed:], self.end) if passed else self


def blocks(data: Any, model: Model, size: int | None = None) -> tuple[Iterator[Block], Model]:
    """The blocks of a source, and the model of its puzzles; see `run.verify_many` for what a source can be.

    Raises:
        ModelError: for data that cannot be puzzles of the model.
    """
    size = size or BLOCK
    if isinstance(data, str) and ("\n" in data or len(data) == model.n_cells):
        data = data.encode()
    if isinstance(data, str | os.PathLike):
        return _text(_file_pieces(os.fspath(data), size), model), model
    if isinstance(data, bytes | bytearray | memoryview):
        return _text(_slices(bytes(data), size), model), model
    if isinstance(data, np.ndarray):
        return _array(data, model, size), model
    if hasattr(data, "read"):
        return _text(_pieces(data, size), model), model
    if isinstance(data, Iterable):
        return _items(iter(data), model, size), model
    raise ModelError(f"puzzles come as bytes, a file, an array or an iterable, not as {type(data).__name__}")


# -- text --------------------------------------------------------------------------------------------------------------


def opened(path: str) -> io.BufferedReader:
    """A file for reading, still zipped if it is.

    Raises:
        ParseError: if it cannot be opened.
    """
    try:
        return open(path, "rb")
    except OSError as error:
        raise ParseError(
            f"cannot read {path}: {error.strerror}", expected="give a file with one puzzle a line"
        ) from None


def unzipped(file: Any) -> Any:
    """The file itself, or what is in it if it is gzip."""
    if not hasattr(file, "peek") or file.peek(2)[:2] != b"\x1f\x8b":
        return file
    import gzip  # only for those who need it

    return gzip.GzipFile(fileobj=file)


def _file_pieces(path: str, size: int) -> Iterator[bytes | memoryview]:
    with opened(path) as file:
        yield from _pieces(file, size, path)


def _pieces(file: Any, size: int, name: str = "the input") -> Iterator[bytes | memoryview]:
    """The bytes of a file (unzipped), about `size` at a time, cut at line ends."""
    import zlib

    rest = memoryview(b"")
    while True:
        try:
            file = unzipped(file)
            whole = _read_after(rest, file, size)
        except (OSError, EOFError, zlib.error) as error:
            raise ParseError(f"cannot read {name}: {error}", expected="it is damaged") from None
        if len(whole) == len(rest):
            break
        cut = _after_last_newline(whole)
        if cut:
            yield whole[:cut]
        rest = whole[cut:]
        if len(rest) > LONGEST:
            raise ParseError(f"a line has over {LONGEST:,} bytes", expected="put one puzzle on a line")
    if rest:
        yield rest


def _read_after(rest: memoryview, file: Any, size: int) -> memoryview:
    """Some bytes, and behind them about `size` more from a file, in new memory: each byte is copied once."""
    if hasattr(file, "readinto"):
        room: Any = np.empty(len(rest) + size, np.uint8)
        whole = memoryview(room)
        read = file.readinto(whole[len(rest) :]) or 0
    else:
        more = file.read(size)
        if isinstance(more, str):
            raise ModelError("the file is open as text; open it in binary, mode 'rb'")
        whole, read = memoryview(bytearray(len(rest) + len(more))), len(more)
        whole[len(rest) :] = more
    whole[: len(rest)] = rest
    return whole[: len(rest) + read]


def _after_last_newline(text: memoryview) -> int:
    """How many bytes there are up to the last newline and with it."""
    begin, step = len(text), 1 << 12
    while begin > 0:
        end, begin = begin, max(0, begin - step)
        at = bytes(text[begin:end]).rfind(b"\n")
        if at >= 0:
            return begin + at + 1
        step *= 2
    return 0


def _slices(data: bytes, size: int) -> Iterator[bytes | memoryview]:
    """Bytes in memory, about `size` at a time, cut at line ends, without a copy."""
    view, begin = memoryview(data), 0
    while begin < len(data):
        end = data.find(b"\n", begin + size - 1) + 1 or len(data)
        yield view[begin:end]
        begin = end


def _text(pieces: Iterator[bytes | memoryview], model: Model) -> Iterator[Block]:
    if not is_textual(model):
        raise ModelError(
            f"a batch reads one byte a cell, but model {model.name!r} writes some values with more than one; "
            "give the puzzles as an array of values (0 for empty)"
        )
    line = end = 0
    # Used for all pieces: fresh memory must be cleared by the system, which took as long as finding the lines.
    starts, numbers = np.empty(0, np.int64), np.empty(0, np.int64)
    for piece in pieces:
        text = np.frombuffer(piece, np.uint8)
        room = len(piece) // 2 + 1  # a line that is noted has a byte and its end
        if room > len(starts):
            starts, numbers = np.empty(room, np.int64), np.empty(room, np.int64)
        found, lines = kernel(LINES, "find_puzzles")(text, model.n_cells, starts, numbers)
        end += len(piece)
        yield Block(text, starts[:found].copy(), numbers[:found] + line, end)
        line += lines


# -- arrays and items --------------------------------------------------------------------------------------------------


def _array(data: Any, model: Model, size: int) -> Iterator[Block]:
    """An (n, cells) array of values (0 for empty), or of bytes of symbols."""
    shape = data.shape if data.ndim == 2 else (len(data), int(np.prod(data.shape[1:])))
    if shape[1] != model.n_cells or data.dtype.kind not in "iub":
        raise ModelError(
            f"an array of shape {data.shape} and type {data.dtype} holds no puzzles of model {model.name!r}; "
            f"give whole numbers of shape (n, {model.n_cells})"
        )
    table = _value_bytes(model)
    rows = max(1, size // max(1, model.n_cells))
    for first in range(0, len(data), rows):
        some = np.asarray(data[first : first + rows]).reshape(-1, shape[1])
        # Numbers outside the table stand for nothing: byte 255 is no symbol of any model.
        text = table[np.where((some < 0) | (some > 255), 255, some).astype(np.uint8)]
        at = np.arange(len(some), dtype=np.int64)
        yield Block(text.ravel(), at * model.n_cells, at + first, first + len(some))


def _value_bytes(model: Model) -> Any:
    """For each number its byte in a text of the model: values and 0; bytes of symbols stay what they are."""
    known, table = codes(model), np.full(256, 255, np.uint8)
    if is_textual(model):
        table[33:127] = np.arange(33, 127)
    table[0] = known[0]
    for index, value in enumerate(model.values):
        if type(value) is int and 0 <= value < 255:
            table[value] = known[index + 1]
    return table


def _items(items: Iterator[Any], model: Model, size: int) -> Iterator[Block]:
    """Lines (str or bytes), puzzles, or arrays: what the first one is, all must be."""
    first = next(items, None)
    if first is None:
        return
    items = chain((first,), items)
    if isinstance(first, np.ndarray) and first.ndim >= 2:
        done = 0
        for array in items:
            for part in _array(array, model, size):
                yield Block(part.text, part.starts, part.numbers + done, part.end + done)
            done += len(array)
    elif isinstance(first, np.ndarray):
        rows = max(1, size // max(1, model.n_cells))
        yield from _items(_stacked(items, rows), model, size)
    else:
        yield from _text(_joined(items, model, size), model)


def _stacked(items: Iterator[Any], rows: int) -> Iterator[Any]:
    some: list[Any] = []
    for item in items:
        some.append(np.asarray(item))
        if len(some) == rows:
            yield np.stack(some)
            some = []
    if some:
        yield np.stack(some)


def _joined(items: Iterator[Any], model: Model, size: int) -> Iterator[bytes | memoryview]:
    """Lines and puzzles as pieces of text."""
    lines: list[bytes] = []
    length = 0
    for number, item in enumerate(items):
        line = _line(item, model, number)
        lines.append(line)
        length += len(line)
        if length >= size:
            yield b"".join(lines)
            lines, length = [], 0
    if lines:
        yield b"".join(lines)


def _line(item: Any, model: Model, number: int) -> bytes:
    if isinstance(item, Puzzle):
        if item.model is not model and item.model.name != model.name:
            raise ModelError(
                f"puzzle {number + 1} is of model {item.model.name!r}, the batch of {model.name!r}; give model="
            )
        every = (1 << model.n_values) - 1
        if any(mark != every for mark in item.marks):
            raise ModelError(f"puzzle {number + 1} has pencil marks, which a batch does not read; verify it alone")
        return item.line.encode() + b"\n"
    if isinstance(item, str):
        item = item.encode("utf-8", "replace")
    if not isinstance(item, bytes):
        raise ModelError(f"item {number + 1} is a {type(item).__name__}; give lines, puzzles or arrays")
    return item if item.endswith(b"\n") else item + b"\n"
