"""The Solve Path Notation: a solve, move by move, as text that people read and programs check; see docs/spn.md.

A path is to a puzzle what PGN is to a game of chess: a header of tags, numbered moves, comments and marks. A move may
carry its proof, which `replay` checks without any solver. The idea is Lars Rocha's ("a PGN for a solve's reasoning",
his WSRF Sudoku Path Notation, whose grammar is not public); the grammar here is our own.

    path = from_path(explain(puzzle))     a path of the ladder in notation
    text = write(path)                    parse(text) == path, byte for byte the same when written again
    replay(parse(text)).verified          every move checked
"""

from __future__ import annotations

from nonant.spn.board import camel, from_path, header, import_81, model_of, start_of
from nonant.spn.path import (
    VERSION,
    Move,
    SolvePath,
    annotated,
    annotation,
    parse,
    parse_all,
    tech_summary,
    write,
)
from nonant.spn.replay import Checked, Replay, hint, replay

__all__ = [
    "VERSION",
    "Checked",
    "Move",
    "Replay",
    "SolvePath",
    "annotated",
    "annotation",
    "camel",
    "from_path",
    "header",
    "hint",
    "import_81",
    "model_of",
    "parse",
    "parse_all",
    "replay",
    "start_of",
    "tech_summary",
    "write",
]
