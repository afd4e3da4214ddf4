"""Many puzzles of one model: arrays, texts, files and iterables of any size, answered by compiled code in threads.

    found = verify_many("list.txt.gz")          # counts, verdicts, bad lines; all in numpy arrays
    for part in stream("all.txt", limit=2):     # the same in parts, in bounded memory and in the order of the input
        ...

No Python object is made for a puzzle. A text is cut into blocks of whole lines, a block into shares for the threads.
The kernels release the interpreter's lock, and the next block is read (and unzipped) while this one is worked on.

A line that is no puzzle does not stop a run: its count is BAD and `bad` tells its line and why; with `strict=True` it
raises a ParseError instead.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import numpy as np

from nonant.csp.batch.engines import Engine, classic, engine_for, is_textual, symbol_table
from nonant.csp.batch.source import Block, blocks
from nonant.csp.errors import ModelError, ParseError
from nonant.csp.kernels.text.job import BAD as _BAD
from nonant.csp.kernels.text.job import Job
from nonant.csp.kernels.text.symbols import UNKNOWN
from nonant.csp.symbols import BLANKS

if TYPE_CHECKING:
    from nonant.csp.model import Model

BAD = _BAD  # the count and the verdict of a line that is no puzzle
NONE, UNIQUE, MULTIPLE = 0, 1, 2  # verdicts
VERDICTS = ("bad", "none", "unique", "multiple")  # the words for BAD, NONE, UNIQUE, MULTIPLE
NO_LIMIT = 1 << 62
SHARES = 2  # shares of a block for each thread: at the end of each most lanes of a kernel are empty, for 0.1 ms


@dataclass(frozen=True)
class BadLine:
    """A line that is no puzzle.

    Attributes:
        line: its number in the text, from 1; of an array, its row.
        reason: what is wrong with it, in one line.
    """

    line: int
    reason: str


@dataclass(frozen=True, eq=False)
class Results:
    """What was found for a number of puzzles, in their order.

    Attributes:
        counts: int64, the number of solutions of each, no more than `limit`; BAD for a line that is no puzzle.
        solutions: uint8 (puzzles, cells), a solution of each as indices of values, counted from 1 (so that in a
            classic they are the digits); zeros where there is none. None unless asked for.
        bad: the lines that are no puzzles.
        limit: what the counts stop at.
        branchings: how often the search branched.
        end: how far the source has been read, in bytes of the text (rows of an array).
        passed: how many puzzles before these were passed over.
    """

    counts: Any
    solutions: Any | None
    bad: tuple[BadLine, ...]
    limit: int
    branchings: int
    end: int = 0
    passed: int = 0

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def verdicts(self) -> Any:
        """int8: BAD, NONE, UNIQUE or MULTIPLE. With a limit of 1 UNIQUE says only that there is a solution."""
        return np.minimum(self.counts, MULTIPLE).astype(np.int8)

    def tally(self) -> dict[str, int]:
        """How many puzzles have each verdict."""
        numbers = np.bincount(self.verdicts + 1, minlength=4)
        return {word: int(number) for word, number in zip(VERDICTS, numbers, strict=True)}


# -- asking ------------------------------------------------------------------------------------------------------------


def verify_many(
    data: Any,
    limit: int = 2,
    threads: int | None = None,
    model: Model | None = None,
    *,
    solutions: bool = False,
    strict: bool = False,
    engine: str | None = None,
) -> Results:
    """How many solutions each of many puzzles has, up to `limit` (2: none, one, or several).

    Args:
        data: bytes of text with one puzzle a line; the name of such a file (plain or gzip), or an open binary file; an
            (n, cells) array of values with 0 for empty; or an iterable of lines, puzzles or arrays.
        limit: no puzzle is searched for more solutions than this.
        threads: how many to use; None for as many as there are processors.
        model: the rules; None for those of the puzzles, or the classic 9x9 grid.
        solutions: whether to keep a solution of each puzzle.
        strict: whether a line that is no puzzle raises a ParseError.
        engine: the name of a kernel, to compare them; None for the fastest.

    Raises:
        ParseError: for a file that cannot be read, and with `strict` for a bad line.
        ModelError, Unsupported: for a model that no engine takes, and for data that cannot be puzzles.
    """
    parts = stream(data, limit, threads, model, solutions=solutions, strict=strict, engine=engine)
    return gathered(parts, limit)


def solve_many(
    data: Any,
    threads: int | None = None,
    model: Model | None = None,
    *,
    strict: bool = False,
    engine: str | None = None,
) -> Results:
    """A solution of each of many puzzles, without looking for a second one; see `verify_many`."""
    return verify_many(data, 1, threads, model, solutions=True, strict=strict, engine=engine)


def count_many(
    data: Any,
    limit: int | None = None,
    threads: int | None = None,
    model: Model | None = None,
    *,
    strict: bool = False,
    engine: str | None = None,
) -> Results:
    """The number of solutions of each of many puzzles, without a limit unless one is given; see `verify_many`."""
    return verify_many(data, NO_LIMIT if limit is None else limit, threads, model, strict=strict, engine=engine)


def stream(
    data: Any,
    limit: int = 2,
    threads: int | None = None,
    model: Model | None = None,
    *,
    solutions: bool = False,
    strict: bool = False,
    engine: str | None = None,
    skip: int = 0,
    block: int | None = None,
) -> Iterator[Results]:
    """The results of `verify_many` in parts, as they come, in the order of the input and in bounded memory.

    Args:
        skip: so many puzzles (bad lines among them) are passed over at the start, unsolved.
        block: about how many bytes of text make one part.
    """
    if limit < 1:
        raise ModelError(f"limit is {limit}; give a number from 1")
    if threads is not None and threads < 1:
        raise ModelError(f"threads is {threads}; give a number from 1, or None for all processors")
    crew = processors() if threads is None else threads
    parts, rules = blocks(data, model or model_of(data), block)
    return _run(parts, engine_for(rules, engine), Question(rules, limit, solutions, strict), crew, skip)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def gathered(parts: Iterable[Results], limit: int) -> Results:
    """Several parts as one."""
    found = list(parts)
    counts = np.concatenate([part.counts for part in found]) if found else np.zeros(0, np.int64)
    kept = [part.solutions for part in found if part.solutions is not None]
    bad = tuple(line for part in found for line in part.bad)
    branchings, end = sum(part.branchings for part in found), found[-1].end if found else 0
    return Results(counts, np.concatenate(kept) if kept else None, bad, limit, branchings, end)


def model_of(data: Any) -> Model:
    """The model of the puzzles in a list of them, else the classic one."""
    from nonant.csp.model import Puzzle

    if isinstance(data, list | tuple) and data and isinstance(data[0], Puzzle):
        return data[0].model
    return classic()


# -- working -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of every line of a source; see `verify_many`."""

    model: Model
    limit: int
    solutions: bool
    strict: bool


def _run(parts: Iterator[Block], engine: Engine, question: Question, threads: int, skip: int) -> Iterator[Results]:
    spaces: SimpleQueue[Any] = SimpleQueue()
    for _ in range(threads):
        spaces.put(engine.workspace())
    stop = np.zeros(1, np.int64)
    work = _Work(engine, question, 1 if threads == 1 else threads * SHARES, spaces, stop)
    name = "nonant-batch"
    with ThreadPoolExecutor(threads, name) as pool, ThreadPoolExecutor(1, f"{name}-reader") as reader:
        # Two blocks at a time, so that no thread waits for the slowest share of a block.
        begun: deque[_Begun] = deque()
        try:
            for part in _ahead(parts, reader.submit):
                passed = min(skip, len(part.starts))
                skip -= passed
                begun.append(work.begin(part.after(passed), passed, pool))
                if len(begun) > 1:
                    yield begun.popleft().results(question)
            while begun:
                yield begun.popleft().results(question)
        finally:
            # Whoever is interrupted, or wants no more, need not wait for a search that may never end.
            stop[0] = 1
            for some in begun:
                for share in some.shares:
                    share.cancel()


def _ahead(parts: Iterator[Block], submit: Callable[..., Future[Block | None]]) -> Iterator[Block]:
    """The blocks, the next one being read while this one is worked on."""
    coming = submit(next, parts, None)
    while True:
        part = coming.result()
        if part is None:
            return
        coming = submit(next, parts, None)
        yield part


@dataclass(frozen=True, eq=False)
class _Begun:
    """A block whose shares are being worked on: they write into `counts` and `kept`."""

    part: Block
    passed: int
    counts: Any
    kept: Any
    shares: tuple[Future[int], ...]

    def results(self, question: Question) -> Results:
        """Wait for the shares, and put together what they found."""
        branchings = sum(share.result() for share in self.shares)
        return results_of(question, self.part, self.counts, self.kept, branchings, self.passed)


@dataclass(frozen=True, eq=False)
class _Work:
    """What all shares of all blocks need."""

    engine: Engine
    question: Question
    most_shares: int
    spaces: SimpleQueue[Any]
    stop: Any

    def begin(self, part: Block, passed: int, pool: ThreadPoolExecutor) -> _Begun:
        """Hand the shares of a block to the threads."""
        number = len(part.starts)
        counts = np.zeros(number, np.int64)
        kept = np.zeros(number * self.question.model.n_cells if self.question.solutions else 0, np.uint8)

        def share(begin: int, end: int) -> int:
            space = self.spaces.get()
            try:
                job = Job(part.text, part.starts, begin, end, self.question.limit, counts, kept, self.stop)
                return self.engine.run(job, space)
            finally:
                self.spaces.put(space)

        shares = max(1, min(number, self.most_shares))
        bounds = [number * at // shares for at in range(shares + 1)]
        return _Begun(part, passed, counts, kept, tuple(pool.submit(share, *pair) for pair in pairwise(bounds)))


def results_of(question: Question, part: Block, counts: Any, kept: Any, branchings: int, passed: int) -> Results:
    """What was found for some lines, with the reasons of bad ones.

    Args:
        question: what was asked.
        part: the lines.
        counts: int64, one a line.
        kept: uint8, flat, a solution of each, if asked for.
        branchings, passed: see `Results`.

    Raises:
        ParseError: for a bad line, if the question is strict.
    """
    model = question.model
    bad = tuple(_bad_line(part, int(at), model) for at in np.flatnonzero(counts == BAD))
    if question.strict and bad:
        raise ParseError(bad[0].reason, line=bad[0].line, expected="mend the line, or run without strict")
    shaped = kept.reshape(len(counts), model.n_cells) if question.solutions else None
    return Results(counts, shaped, bad, question.limit, branchings, part.end, passed)


def _bad_line(part: Block, at: int, model: Model) -> BadLine:
    """Why a line is no puzzle."""
    line, cells = int(part.numbers[at]) + 1, model.n_cells
    start = int(part.starts[at])
    if start < 0:
        return BadLine(line, f"the line has not {cells} symbols, the cells of model {model.name!r}, before its end")
    table = symbol_table(model)
    symbols = bytes(part.text[start : start + cells])
    column = next((column for column, byte in enumerate(symbols) if table[byte] == UNKNOWN), 0)
    shown = ascii(chr(symbols[column]))
    what = f"{model.symbols[0]} to {model.symbols[-1]}, or one of {' '.join(BLANKS)} for an empty cell"
    if not is_textual(model):
        return BadLine(line, f"cell {model.names[column]} is {symbols[column]}; model {model.name!r} has no such value")
    return BadLine(line, f"column {column + 1} is {shown}; model {model.name!r} takes {what}")
