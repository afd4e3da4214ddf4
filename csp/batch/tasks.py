"""What a batch can be asked, and what its answers are called in every form that rows are written in."""

from __future__ import annotations

TASKS = ("verify", "solve", "count")
COLUMN = {"verify": "verdict", "solve": "status", "count": "count"}
# For counts of -1 (bad), 0, 1 and more.
WORDS = {"verify": ("bad", "none", "unique", "multiple"), "solve": ("bad", "none", "solved"), "count": ("bad",)}
TEXT_FORMS = ("txt", "csv", "jsonl")  # of rows, see `rows.py`
FILE_FORMS = ("parquet", "npy")  # no text, see `saver.py`
