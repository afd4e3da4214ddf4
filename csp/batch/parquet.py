"""Answers as Parquet: a folder of part files, any number of which are right at any moment.

A Parquet file can be read only once its footer stands at its end, and cannot be appended to. So rows go to a file
`_unfinished`, which readers pass over by its name; after PART rows or SECONDS it gets its footer and, in one step, its
real name: `part-`, the number of its first row, `.parquet`. Whoever reads the folder (pyarrow, pandas, DuckDB, Polars,
Spark read one as a table) sees whole parts only. A writer that is killed loses the rows of its unfinished part, a
minute's work at most; who resumes counts the rows in the footers and goes on after them, nothing lost or doubled.

Columns are those of the other forms: `puzzle` (int64, from 1), then `verdict` or `status` (one of few words) or `count`
(int64, null for a bad line), and `solution` (text, null where there is none; bytes for a model whose symbols are not
single characters).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from nonant.csp.batch.engines import codes, is_textual
from nonant.csp.batch.tasks import COLUMN, WORDS
from nonant.csp.errors import BackendUnavailable, ParseError

if TYPE_CHECKING:
    from nonant.csp.batch.run import Results
    from nonant.csp.model import Model

PART = 1 << 22  # rows of a part
GROUP = 1 << 17  # rows of a row group: what is held in memory
SECONDS = 60.0  # a part is finished after so long, however few its rows
UNFINISHED = "_unfinished"
_NAME = re.compile(r"part-(\d+)\.parquet")


class Parts:
    """A folder that answers are written to; a context manager. It has `done` rows.

    Args:
        folder: made if it is not there.
        task: see `tasks.TASKS`.
        model: the rules.
        solutions: whether there is a column for them.
        resume: go on after the rows that are there.

    Raises:
        BackendUnavailable: if pyarrow is not installed.
        ParseError: if the folder has something in it that this does not go on with.
    """

    def __init__(self, folder: str, task: str, model: Model, solutions: bool = False, resume: bool = False) -> None:
        self.arrow, self.parquet = _arrow()
        self.folder, self.task, self.model, self.solutions = Path(folder), task, model, solutions
        self.schema = self._schema()
        self.done = self._rows_before(resume)
        self.first = self.done + 1  # row of the part at work
        self.waiting: list[Any] = []  # tables that are not yet in a row group
        self.n_waiting = 0
        self.writer: Any = None
        self.began = monotonic()

    def _schema(self) -> Any:
        arrow, column = self.arrow, COLUMN[self.task]
        kind = arrow.int64() if self.task == "count" else arrow.dictionary(arrow.int8(), arrow.string())
        fields = [arrow.field("puzzle", arrow.int64(), nullable=False), arrow.field(column, kind)]
        if self.solutions:
            fields.append(arrow.field("solution", arrow.string() if is_textual(self.model) else arrow.binary()))
        return arrow.schema(fields, {"nonant": f"{self.task} {self.model.name}"})

    def _rows_before(self, resume: bool) -> int:
        if self.folder.exists() and not self.folder.is_dir():
            raise ParseError(f"{self.folder} is a file", expected="Parquet goes to a folder of part files; name one")
        self.folder.mkdir(parents=True, exist_ok=True)
        names = sorted(entry.name for entry in self.folder.iterdir() if entry.name != UNFINISHED)
        if names and not resume:
            raise ParseError(f"{self.folder} is not empty", expected="resume to go on with it, or name another folder")
        done = 0
        for name in sorted(names, key=lambda name: (len(name), name)):
            match, rows = _NAME.fullmatch(name), None
            if match is not None and int(match[1]) == done + 1:
                rows = self._rows_of(self.folder / name)
            if rows is None:
                raise ParseError(
                    f"{self.folder / name} was not written by this command, or does not follow what is before it",
                    expected="give another folder, or the options it had",
                )
            done += rows
        (self.folder / UNFINISHED).unlink(missing_ok=True)
        return done

    def _rows_of(self, path: Path) -> int | None:
        """The rows of a part; None if it is none of ours."""
        try:
            with self.parquet.ParquetFile(path) as file:
                found = file.schema_arrow
                same = found.equals(self.schema) and (found.metadata or {}).get(b"nonant") == self._about()
                return int(file.metadata.num_rows) if same else None
        except (OSError, self.arrow.ArrowException):
            return None

    def _about(self) -> Any:
        return self.schema.metadata[b"nonant"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, found: Results) -> None:
        """Add the rows of some results."""
        if not len(found):
            return
        self.waiting.append(self._table(found))
        self.n_waiting += len(found)
        self.done += len(found)
        over = monotonic() - self.began > SECONDS
        if self.n_waiting >= GROUP or over:
            self._write_group()
        if over or self.done - self.first + 1 >= PART:
            self._finish_part()

    def close(self) -> None:
        """Write what is there, and finish the part."""
        self._write_group()
        self._finish_part()

    def _write_group(self) -> None:
        if not self.n_waiting:
            return
        table = self.arrow.concat_tables(self.waiting)
        self.waiting, self.n_waiting = [], 0
        if self.writer is None:
            # Dictionaries only for words: building one of numbers or solutions takes long and is then thrown away.
            words = [] if self.task == "count" else [COLUMN[self.task]]
            numbers = {"puzzle": "DELTA_BINARY_PACKED"}
            where = self.folder / UNFINISHED
            self.writer = self.parquet.ParquetWriter(where, self.schema, use_dictionary=words, column_encoding=numbers)
        self.writer.write_table(table, row_group_size=len(table))

    def _finish_part(self) -> None:
        if self.writer is not None:
            self.writer.close()
            self.writer = None
            os.rename(self.folder / UNFINISHED, self.folder / f"part-{self.first:012d}.parquet")
        self.first, self.began = self.done + 1, monotonic()

    def _table(self, found: Results) -> Any:
        arrow, number = self.arrow, len(found)
        columns = [arrow.array(np.arange(self.done + 1, self.done + number + 1))]
        if self.task == "count":
            columns.append(arrow.array(found.counts, mask=found.counts < 0))
        else:
            words = WORDS[self.task]
            chosen = np.minimum(found.counts + 1, len(words) - 1).astype(np.int8)
            columns.append(arrow.DictionaryArray.from_arrays(arrow.array(chosen), arrow.array(words)))
        if self.solutions:
            columns.append(self._texts(found))
        return arrow.Table.from_arrays(columns, schema=self.schema)

    def _texts(self, found: Results) -> Any:
        """Solutions as an Arrow array, laid out by hand: no Python object a row."""
        arrow, cells = self.arrow, self.model.n_cells
        kept = found.counts > 0
        assert found.solutions is not None
        symbols = codes(self.model)[found.solutions[kept]]
        ends = np.zeros(len(kept) + 1, np.int32)
        np.cumsum(np.where(kept, cells, 0), out=ends[1:])
        buffers = [arrow.py_buffer(part) for part in (np.packbits(kept, bitorder="little"), ends, symbols)]
        return arrow.Array.from_buffers(self.schema.field("solution").type, len(kept), buffers)


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise BackendUnavailable('Parquet needs pyarrow: pip install "nonant[parquet]"') from None
    return pyarrow, pyarrow.parquet
