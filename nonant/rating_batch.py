"""`nonant batch rate`: W, B, depth and hardest technique of every puzzle of a list, in processes, in order.

Here and not in `csp`, since it asks the ladder and the ratings of `strategies`. The compiled batch says first which
lines are puzzles and which have one solution; only those are rated. Much of that is plain Python, so the work goes to
processes: each has a pipe of its own and gets a few lines at a time, the first to be free the next ones. A worker whose
parent has been killed leaves. (Not the pool of `concurrent.futures`: before Python 3.14 it cannot end a worker that is
at work, so a Ctrl-C would wait for ratings that take minutes; and its workers outlive a parent that was killed.)
"""

from __future__ import annotations

import json
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from nonant.csp.batch.rows import Form
from nonant.csp.errors import NonantError

if TYPE_CHECKING:
    from nonant.csp.model import Model
    from nonant.strategies.ratings import Rating

SOLVED, STUCK, MULTIPLE, NONE, BAD = "solved", "stuck", "multiple", "none", "bad"
WORDS = (SOLVED, STUCK, MULTIPLE, NONE, BAD)
BLOCK = 1 << 14  # bytes of text read at a time: rows come soon
FEW = 40  # puzzles that are not worth the start of processes (a second or two)
SHARE = 4  # puzzles handed to a worker at a time
AHEAD = 16  # shares for each worker that may be handed out before the first of them is written


@dataclass(frozen=True)
class Asked:
    """A line of a list.

    Attributes:
        line: its number, from 1. text: its symbols. end: bytes of the list read so far.
        status: "bad", "none", "multiple", or "" for a puzzle to rate. reason: what is bad.
    """

    line: int
    text: str
    end: int
    status: str
    reason: str = ""


@dataclass(frozen=True)
class Row:
    """The answer to a line: a word of WORDS, and for a puzzle with one solution its ratings and how the ladder went."""

    status: str
    rating: Rating | None = None
    depth: int = 0
    hardest: str = ""


class WorkerLost(NonantError, RuntimeError):
    """A worker process ended before its work did."""


# -- reading and rating ------------------------------------------------------------------------------------------------


def asked(file: Any, model: Model) -> Iterator[Asked]:
    """The lines of an open binary file (plain or gzip), with what the compiled batch says of each.

    Raises:
        ParseError, ModelError: see `nonant.csp.batch.run.verify_many`.
    """
    from nonant.csp.batch.run import BAD as BAD_COUNT
    from nonant.csp.batch.run import verify_many
    from nonant.csp.batch.source import blocks

    words = {BAD_COUNT: BAD, 0: NONE, 1: "", 2: MULTIPLE}
    wrong = b"?" * (model.n_cells + 1)  # a line of a wrong length
    parts, _ = blocks(file, model, BLOCK)
    for part in parts:
        starts = part.starts.tolist()
        lines = [bytes(part.text[at : at + model.n_cells]) if at >= 0 else wrong for at in starts]
        found = verify_many(b"\n".join(lines), 2, 1, model)
        reasons = {bad.line: bad.reason for bad in found.bad}
        for number, (line, count) in enumerate(zip(lines, found.counts.tolist(), strict=True)):
            text = line.decode("latin-1")
            yield Asked(int(part.numbers[number]) + 1, text, part.end, words[count], reasons.get(number + 1, ""))


def row_of(item: Asked, model: Model) -> Row:
    """The row of a line."""
    if item.status:
        return Row(item.status)
    from nonant.strategies.ladder import explain
    from nonant.strategies.ratings import rate

    puzzle = model.puzzle(item.text)
    path = explain(puzzle)
    hardest = list(path.techniques)
    return Row(path.result, rate(puzzle), path.depth, hardest[-1] if hardest else "")


def rated(items: Iterable[Asked], rules: Callable[[], Model], workers: int) -> Iterator[tuple[Asked, Row]]:
    """Each line with its row, in order.

    Args:
        items: the lines.
        rules: makes the model, here and in each worker (a function of a module, or a partial of one).
        workers: how many processes; 1 for none but this one, as for a short list.
    """
    from nonant.strategies.kernels import load

    coming = iter(items)
    start = list(islice(coming, FEW))
    if len(start) == FEW and workers > 1:
        yield from _shared_out(chain(start, coming), rules, workers)
        return
    if len(start) == FEW:
        load()
    model = rules()
    for item in chain(start, coming):
        yield item, row_of(item, model)


# -- processes ---------------------------------------------------------------------------------------------------------


def _shared_out(items: Iterator[Asked], rules: Callable[[], Model], workers: int) -> Iterator[tuple[Asked, Row]]:
    import multiprocessing
    from multiprocessing.connection import Connection, wait

    context = multiprocessing.get_context("spawn")  # a fork would hold the other workers' pipes open
    crew: dict[Connection, Any] = {}
    try:
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, rules), daemon=True, name="nonant-rate")
            process.start()
            theirs.close()
            crew[ours] = process
        free, shares = list(crew), deque[list[Asked]]()
        doing: dict[Connection, int] = {}  # who works on which share
        done: dict[int, list[Row]] = {}
        first = number = 0  # the shares that are written next, and handed out next
        while True:
            while free and number - first < workers * AHEAD:
                share = list(islice(items, SHARE))
                if not share:
                    break
                worker = free.pop()
                _send(worker, share)
                shares.append(share)
                doing[worker] = number
                number += 1
            if not doing and not done:
                return
            while first in done:
                yield from zip(shares.popleft(), done.pop(first), strict=True)
                first += 1
            for ready in wait(list(doing)) if doing else ():
                assert isinstance(ready, Connection)
                done[doing.pop(ready)] = _received(ready)
                free.append(ready)
    finally:
        for connection, process in crew.items():
            connection.close()
            process.terminate()
            process.join()


def _send(worker: Any, share: list[Asked]) -> None:
    try:
        worker.send(share)
    except OSError:
        raise _lost() from None


def _received(worker: Any) -> list[Row]:
    try:
        found = worker.recv()
    except (EOFError, OSError):
        raise _lost() from None
    if isinstance(found, NonantError):
        raise found
    rows: list[Row] = found
    return rows


def _lost() -> WorkerLost:
    return WorkerLost("a worker process ended early (killed, or out of memory); --resume goes on where the rows end")


def _serve(pipe: Any, rules: Callable[[], Model]) -> None:
    """What a worker does: shares of lines come in, rows go out, until the pipe ends."""
    from multiprocessing import parent_process
    from threading import Thread

    from nonant.strategies.kernels import load

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    parent = parent_process()
    if parent is not None:
        Thread(target=_leave_after, args=(parent,), daemon=True).start()

    with suppress(EOFError, OSError):
        try:
            load()
            model = rules()
            while True:
                pipe.send([row_of(item, model) for item in pipe.recv()])
        except NonantError as error:
            pipe.send(NonantError(str(error)))


def _leave_after(parent: Any) -> None:
    """Leave when the parent has gone, whatever there is to do: nobody will read it."""
    parent.join()
    os._exit(1)


# -- writing -----------------------------------------------------------------------------------------------------------


def form_of(form: str) -> Form:
    """How the rows of a form begin, for `nonant.csp.batch.rows.resume_point`."""
    if form == "csv":
        return Form(b"puzzle,status,W,B,depth,hardest\n", (), (b"", b",", b"", b"", b""))
    if form == "jsonl":
        return Form(b"", (), (b'{"puzzle": ', b', "status": ', b"", b"", b""))
    return Form(b"", (), (b"", b"", b"", b"", b""))


def written(number: int, row: Row, form: str) -> bytes:
    """A row as text: see docs/ratings.md."""
    rating = row.rating
    if form == "jsonl":
        record: dict[str, Any] = {"puzzle": number, "status": row.status}
        if rating is not None:
            record |= {"W": rating.whips, "B": rating.braids, "depth": row.depth, "hardest": row.hardest}
            if not rating.exact:
                record |= {"W_least": rating.least_whips, "B_least": rating.least_braids}
        return json.dumps(record).encode() + b"\n"
    fields = ["", "", "", ""]
    if rating is not None:
        fields = [*figures(rating), str(row.depth), row.hardest]
    if form == "csv":
        return ",".join([str(number), row.status, *fields]).encode() + b"\n"
    return (row.status if rating is None else " ".join(fields)).encode() + b"\n"


def figures(rating: Rating) -> Sequence[str]:
    """W and B as words: 5; 5..7 where the least is not known; 9.. where only that is known; - where there is none."""
    if rating.result != "rated" and rating.exact:
        return "-", "-"
    pairs = ((rating.whips, rating.least_whips), (rating.braids, rating.least_braids))
    return [
        f"{least}.." if found is None else str(found) if found == least else f"{least}..{found}"
        for found, least in pairs
    ]
