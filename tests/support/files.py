"""Where things are: the repository, and the folder of puzzle lists beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def shared_data() -> Path | None:
    """The folder of puzzle lists beside the repository, or None where it is not there."""
    folder = ROOT.parent / "shared" / "data"
    return folder if folder.is_dir() else None


def shared_file(name: str) -> Path:
    """A file of that folder, e.g. `jigsaw/jigsaw_layouts.csv`; the calling test is skipped where it is not there."""
    folder = shared_data()
    if folder is None or not (folder / name).is_file():
        pytest.skip(f"the shared data has no {name} here")
    return folder / name
