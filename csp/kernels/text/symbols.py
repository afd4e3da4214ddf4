"""What the bytes of a text mean to the kernels that read it (`lines.py`)."""

from __future__ import annotations

NO_PUZZLE = -1  # the start of a line that is too short or too long
EMPTY, UNKNOWN = 0, 255  # what a symbol table says of a byte: an empty cell, no symbol at all; else index of value + 1
