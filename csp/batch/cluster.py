"""Many machines: the batches of `run.py`, searched by the workers of a Dask cluster.

    with connected("tcp://head:8786") as client:
        for part in stream(client, "all.txt"):  # the parts of `run.stream`, in the order of the input
            ...

The caller reads, cuts and writes; the workers only search. Puzzles go out in shares, each with its text inside its
task: what a lost worker had in hand the scheduler gives to another, and nothing that is needed ever lies on one worker
alone. So many shares are out at a time as keep the workers busy, answers are taken in the order of the shares, and
memory is bounded. Shares start small and grow until one takes a fraction of a second, so that a short list of hard
puzzles is spread too, and a long list of easy ones is not cut to dust.

A cluster runs what it is sent (Dask sends pickled code): use one that only its users can reach.
"""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from threading import Event, Thread
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from nonant.csp.batch.engines import Engine, engine_for
from nonant.csp.batch.run import Question, Results, model_of, results_of
from nonant.csp.batch.source import Block, blocks
from nonant.csp.errors import BackendUnavailable, ModelError, NonantError
from nonant.csp.kernels.text.job import Job

if TYPE_CHECKING:
    from nonant.csp.model import Model

RETRIES = 3  # of a share whose worker failed at it; a share whose worker died goes to as many others as Dask allows
PATIENCE = 60.0  # seconds without a single worker after which nobody waits any longer
CONNECT = 20.0  # seconds to wait for the scheduler
BLOCK = 1 << 23  # bytes of text read at a time, and the most in a share
AIM = 0.25  # seconds that a share should take, since it costs some milliseconds beside the search
AIM_A_THREAD = 0.01  # the same for each thread of the workers: a scheduler handles so many shares a second, not more
FIRST, GROWTH = 64, 8  # puzzles in the first shares, and how much larger shares become at most in one go
AHEAD = 2  # shares out for each thread of the workers: one at work, one at hand
MOST_OUT = 1 << 30  # bytes of shares out, however many workers there are
_LOOK = 2.0  # seconds between looks at the cluster


class ClusterError(NonantError, RuntimeError):
    """The cluster cannot be reached, has lost its workers, or fails at a share again and again."""


@dataclass(frozen=True, eq=False)
class Share:
    """A piece of work.

    Attributes:
        about: whatever the caller wants back with the answer.
        arguments: for the function, besides the rules.
        size: about how many bytes it has.
        name: what messages call it.
    """

    about: Any
    arguments: tuple[Any, ...]
    size: int
    name: str


# -- the cluster -------------------------------------------------------------------------------------------------------


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the cluster whose scheduler is at an address ("tcp://host:8786"), or in a scheduler file (.json).

    Raises:
        BackendUnavailable: if Dask is not installed here.
        ClusterError: if no scheduler answers there.
    """
    try:
        dask: Any = import_module("distributed")
    except ImportError:
        raise BackendUnavailable('a cluster needs Dask: pip install "nonant[cluster]"') from None
    where = {"address": address}
    if address.endswith(".json"):
        if not os.path.isfile(address):  # Dask would wait for it without end
            raise ClusterError(f"no such scheduler file: {address}; `dask scheduler --scheduler-file` writes one")
        where = {"scheduler_file": address}
    try:
        client = dask.Client(**where, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ClusterError(
            f"no Dask scheduler answers at {address} ({reason}); start one with `dask scheduler`, and workers with "
            "`dask worker ADDRESS`"
        ) from None
    try:
        yield client
    finally:
        with suppress(Exception):  # whatever a scheduler that has gone makes of a farewell
            client.close(timeout=5)


def packed(model: Model) -> bytes:
    """A model as bytes that a worker can make it from, a user's own functions included.

    Raises:
        ModelError: if it holds something that cannot travel.
    """
    import cloudpickle  # comes with Dask

    # Only what declares it: not what has been worked out and kept with it.
    bare = type(model)(model.name, model.shape, model.cells, model.values, model.constraints)
    try:
        return bytes(cloudpickle.dumps(bare))
    except Exception as error:  # whatever the user's objects raise when they are pickled
        raise ModelError(f"model {model.name!r} cannot be sent to a cluster: {type(error).__name__}: {error}") from None


@lru_cache(maxsize=8)
def unpacked(rules: bytes) -> Model:
    """The model again, made once in each worker."""
    model: Model = pickle.loads(rules)
    return model


def in_order(client: Any, function: Callable[..., Any], rules: bytes, shares: Iterable[Share]) -> Iterator[Any]:
    """Pairs of a share and `function(version_here(), rules, *share.arguments)`, run by the workers; in order.

    The shares are taken from their iterable only as workers come to need them. A NonantError that the function returns
    is raised here.

    Raises:
        ClusterError: if there has been no worker for some time, the scheduler has gone, or a share failed again and
            again.
    """
    watch, name = _Watch(client), f"nonant-{uuid4().hex[:12]}"
    out: deque[tuple[Share, Any]] = deque()
    size = number = 0
    try:
        for share in shares:
            while out and (len(out) >= watch.most() or size + share.size > MOST_OUT):
                first, future = out.popleft()
                size -= first.size
                yield first, _answer(first, future, watch)
            arguments = (version_here(), rules, *share.arguments)
            key = f"{name}-{number}"
            out.append((share, client.submit(function, *arguments, key=key, retries=RETRIES, pure=False)))
            size += share.size
            number += 1
        while out:
            first, future = out.popleft()
            yield first, _answer(first, future, watch)
    finally:
        if out:
            with suppress(Exception):
                client.cancel([future for _, future in out], force=True)


class _Watch:
    """How many threads the workers have, asked now and then."""

    def __init__(self, client: Any) -> None:
        self.client, self.threads, self.asked, self.seen = client, 0, -_LOOK, monotonic()

    def most(self) -> int:
        """So many shares may be out."""
        self.look()
        return max(2, AHEAD * self.threads)

    def look(self) -> None:
        """Ask, unless that was just done.

        Raises:
            ClusterError: if there has been no worker for too long, or the scheduler does not answer.
        """
        now = monotonic()
        if now - self.asked < _LOOK:
            return
        try:
            self.threads = sum(self.client.nthreads().values())
        except Exception as error:  # the kinds differ from release to release
            raise _gone(error) from None
        self.asked = monotonic()
        if self.threads:
            self.seen = self.asked
        elif self.asked - self.seen > PATIENCE:
            raise ClusterError(
                f"the cluster has had no worker for {PATIENCE:.0f} s; start some, and go on with --resume"
            )


def _gone(error: BaseException) -> ClusterError:
    return ClusterError(f"the scheduler does not answer ({type(error).__name__}); go on with --resume when it does")


def _answer(share: Share, future: Any, watch: _Watch) -> Any:
    """What the function returned for a share, however long it takes."""
    from concurrent.futures import CancelledError

    from distributed import CancelledError as Cancelled
    from distributed import TimeoutError as StillAtWork
    from distributed.scheduler import KilledWorker

    while True:
        try:
            found = future.result(timeout=_LOOK)
        except (StillAtWork, TimeoutError):
            if future.status != "error":
                watch.look()
                continue
            raise _failed(share, future.exception()) from None
        except KilledWorker:
            raise ClusterError(f"each worker that was given {share.name} died; go on with --resume") from None
        except (Cancelled, CancelledError) as error:
            raise _gone(error) from None
        except Exception as error:  # whatever the function raised on the worker
            raise _failed(share, error) from None
        if isinstance(found, NonantError):
            raise found
        return found


def _failed(share: Share, error: Any) -> ClusterError:
    if isinstance(error, ModuleNotFoundError):
        return ClusterError(f"the workers have no module {error.name!r}; install the same packages there as here")
    reason = f"{type(error).__name__}: {error}".splitlines()[0]
    return ClusterError(f"{share.name} failed on {RETRIES + 1} tries ({reason}); go on with --resume")


# -- on the worker -----------------------------------------------------------------------------------------------------


class Stopped(RuntimeError):
    """A share that nobody waits for any more."""


def version_here() -> str:
    """The version of this package that is installed here."""
    try:
        return version("nonant")
    except PackageNotFoundError:  # a checkout on the path
        return "not installed"


def same_version(wanted: str) -> NonantError | None:
    """What is wrong if a worker has not the version of the client."""
    found = version_here()
    if wanted == found:
        return None
    return ClusterError(f"a worker has nonant {found}, here it is {wanted}; install the same on both")


@lru_cache(maxsize=8)
def _engine(rules: bytes) -> Engine:
    """The engine for a model, ready to run: what is compiled or loaded is not part of a share's time."""
    engine = engine_for(unpacked(rules))
    nothing, none = np.zeros(0, np.uint8), np.zeros(0, np.int64)
    engine.run(Job(nothing, none, 0, 0, 2, none, nothing, np.zeros(1, np.int64)), engine.workspace())
    return engine


def search(wanted: str, rules: bytes, text: bytes, starts: bytes, limit: int, solutions: bool) -> Any:
    """What a worker does with a share.

    Args:
        wanted: the version of the client.
        rules: a model, see `packed`.
        text: the bytes of the share.
        starts: int32, where each puzzle starts in them; negative for a line that is no puzzle.
        limit: see `Job`.
        solutions: whether to send solutions.

    Returns:
        The counts in as few bytes each as the limit needs, the solutions (flat, perhaps empty), the branchings and the
        seconds; or the NonantError that says why not.
    """
    wrong = same_version(wanted)
    if wrong is not None:
        return wrong
    try:
        engine = _engine(rules)
    except NonantError as error:
        return NonantError(str(error))  # some kinds of error cannot be pickled
    at = np.frombuffer(starts, np.int32).astype(np.int64)
    counts = np.zeros(len(at), np.int64)
    kept = np.zeros(len(at) * unpacked(rules).n_cells if solutions else 0, np.uint8)
    stop = np.zeros(1, np.int64)
    begun = perf_counter()
    with _stopped_when_unwanted(stop):
        symbols = np.frombuffer(text, np.uint8)
        branchings = engine.run(Job(symbols, at, 0, len(at), limit, counts, kept, stop), engine.workspace())
    if stop[0]:
        raise Stopped("nobody waits for this share")
    return _small(counts), kept, branchings, perf_counter() - begun


def _small(counts: Any) -> Any:
    """Whole numbers in as few bytes each as the greatest needs."""
    greatest = int(counts.max(initial=0))
    kind = next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if greatest <= np.iinfo(kind).max)
    return counts.astype(kind)


@contextmanager
def _stopped_when_unwanted(stop: Any) -> Iterator[None]:
    """Stop a search when its share is cancelled, or its asker has gone: it might never end, and hold a thread."""
    done = Event()
    try:
        from distributed import get_worker

        worker = get_worker()
        key = worker.get_current_task()
    except (ImportError, ValueError):  # not on a worker
        yield
        return

    def look() -> None:
        while not done.wait(_LOOK):
            task = worker.state.tasks.get(key)
            if task is None or task.state == "cancelled":
                stop[0] = 1
                return

    Thread(target=look, daemon=True, name="nonant-share").start()
    try:
        yield
    finally:
        done.set()


# -- batches -----------------------------------------------------------------------------------------------------------


def stream(
    client: Any,
    data: Any,
    limit: int = 2,
    model: Model | None = None,
    *,
    solutions: bool = False,
    strict: bool = False,
    skip: int = 0,
    block: int | None = None,
) -> Iterator[Results]:
    """The results of `run.stream`, searched by a cluster; see there, and `connected` for the client.

    Raises:
        ClusterError: see `in_order`.
    """
    if limit < 1:
        raise ModelError(f"limit is {limit}; give a number from 1")
    parts, rules = blocks(data, model or model_of(data), block or BLOCK)
    engine_for(rules)  # says here and now if there is none
    return _run(client, parts, Question(rules, limit, solutions, strict), skip)


class _Pace:
    """How many puzzles make a share: so many as took `aim` seconds last time."""

    def __init__(self, aim: float) -> None:
        self.aim, self.puzzles = aim, FIRST

    def note(self, puzzles: int, seconds: float) -> None:
        """Learn from a share."""
        if puzzles >= self.puzzles or seconds > self.aim:
            fitting = int(puzzles * self.aim / max(seconds, 1e-6))
            self.puzzles = max(1, min(fitting, puzzles * GROWTH))


def _run(client: Any, parts: Iterator[Block], question: Question, skip: int) -> Iterator[Results]:
    watch = _Watch(client)
    watch.look()
    pace = _Pace(max(AIM, AIM_A_THREAD * watch.threads))
    shares = _shares(parts, question, skip, pace)
    for share, (counts, kept, branchings, seconds) in in_order(client, search, packed(question.model), shares):
        part, passed = share.about
        if len(counts):
            pace.note(len(counts), seconds)
        yield results_of(question, part, counts.astype(np.int64), kept, branchings, passed)


def _shares(parts: Iterator[Block], question: Question, skip: int, pace: _Pace) -> Iterator[Share]:
    """The blocks cut into shares as large as the pace says when they are taken."""
    passed = 0
    part = Block(np.zeros(0, np.uint8), np.zeros(0, np.int64), np.zeros(0, np.int64), 0)
    for part in parts:
        begin, number = min(skip, len(part.starts)), len(part.starts)
        skip -= begin
        passed += begin
        while begin < number:
            end = min(number, begin + pace.puzzles)
            yield _share(part, begin, end, passed, question)
            begin, passed = end, 0
    if passed:  # so that the caller, who skips, learns how far
        yield _share(part, 0, 0, passed, question)


def _share(part: Block, begin: int, end: int, passed: int, question: Question) -> Share:
    """The puzzles `begin` to `end` of a block."""
    some = Block(part.text, part.starts[begin:end], part.numbers[begin:end], part.end)
    stands = some.starts >= 0
    low = int(some.starts[stands].min()) if stands.any() else 0
    high = int(some.starts[stands].max()) + question.model.n_cells if stands.any() else 0
    starts = np.where(stands, some.starts - low, some.starts).astype(np.int32).tobytes()
    text = part.text[low:high].tobytes()
    name = f"lines {int(some.numbers[0]) + 1} to {int(some.numbers[-1]) + 1}" if end > begin else "no lines"
    return Share((some, passed), (text, starts, question.limit, question.solutions), len(text) + len(starts), name)
