"""Every error the library raises on purpose. Each message names the place, what was expected and the mend."""

from __future__ import annotations

from collections.abc import Mapping


class NonantError(Exception):
    """The root of all errors that Nonant raises on purpose."""


class ModelError(NonantError, ValueError):
    """A model or a puzzle that cannot be what its author meant (an unknown cell, a unit that names a cell twice)."""


class ParseError(NonantError, ValueError):
    """Text that is not a puzzle.

    Attributes:
        message: what is wrong, in one line.
        line: 1-based line of the text, or None where the text as a whole is wrong.
        column: 1-based column in that line, or None.
        expected: what would have been right, or how to mend it.
    """

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None, expected: str = "") -> None:
        self.message, self.line, self.column, self.expected = message, line, column, expected
        super().__init__(str(self))

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}: "
        if self.line is not None and self.column is not None:
            place = f"line {self.line}, column {self.column}: "
        return place + self.message + (f"; {self.expected}" if self.expected else "")


class BackendUnavailable(NonantError):
    """A backend is not known, or what it needs is not installed."""


class Unsupported(NonantError):
    """A backend cannot take a model. It says so, with its reason, before it starts."""

    def __init__(self, backend: str, reason: str) -> None:
        self.backend, self.reason = backend, reason
        super().__init__(f"backend {backend!r} cannot take this model: {reason}")


class Disagreement(NonantError):
    """Backends gave answers to one puzzle that cannot all be right: a bug, with the puzzle to reproduce it.

    Attributes:
        reason: what is wrong, and with which backend's answer.
        model: the name of the model.
        puzzle: the givens on one line.
        answers: what each backend said, by its name: the verdict, then the solutions it found.
    """

    def __init__(self, reason: str, *, model: str, puzzle: str, answers: Mapping[str, str]) -> None:
        self.reason, self.model, self.puzzle, self.answers = reason, model, puzzle, dict(answers)
        said = ", ".join(f"{backend} says {answer}" for backend, answer in answers.items())
        super().__init__(f"{reason}; model {model}, puzzle {puzzle}: {said}; this is a bug, please report this line")
