"""Where answers go that are no text: numpy's array file, or a folder of Parquet parts. Each loads what it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from nonant.csp.batch.run import Results
    from nonant.csp.model import Model


class Saver(Protocol):
    """Where answers go that are no text; a context manager, which keeps what it has been given."""

    done: int  # rows, those of earlier runs among them

    def write(self, found: Results) -> None:
        """Add the rows of some results."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


def saver(form: str, path: str, task: str, model: Model, solutions: bool, resume: bool) -> Saver:
    """Where the answers of a task go in a form of FILE_FORMS.

    Raises:
        BackendUnavailable: if what the form needs is not installed.
        ParseError: if there is something at `path` that this does not go on with.
    """
    if form == "npy":
        from nonant.csp.batch.npy import ArrayFile

        return ArrayFile(path, task, model, solutions, resume)
    from nonant.csp.batch.parquet import Parts

    return Parts(path, task, model, solutions, resume)
