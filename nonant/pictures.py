"""Pictures for a terminal: the grid in box-drawing characters, with its boxes or regions framed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from nonant.csp.model import Puzzle
from nonant.csp.results import Solution
from nonant.formats.frames import BOX_DRAWING, framed
from nonant.formats.sheets import sheets_of


def picture(item: Puzzle | Solution, differs: Iterable[object] = (), width: int = 80) -> str:
    """The puzzle or solution as a picture, without a line end at its end.

    A grid is framed, with borders between cells of different boxes or regions. The planes of a cube stand beside each
    other when they fit into `width`, else one below another, each under its name. A model without a grid is a list
    `cell = value`. Pencil marks are shown where a puzzle has them.

    Args:
        item: what to draw.
        differs: cells (names, coordinates or labels) to mark with a star: those in which two solutions differ.
        width: how many characters fit on a line.

    Raises:
        ModelError: for a cell in `differs` that does not exist.
    """
    model = item.model
    texts = _texts(item)
    starred = {model.index(cell) for cell in differs}
    if starred:
        texts = [text + ("*" if index in starred else " ") for index, text in enumerate(texts)]
    if not model.n_cells:
        return ""
    if model.shape is None:
        longest = max(map(len, model.names))
        return "\n".join(f"{name:{longest}} = {text}".rstrip() for name, text in zip(model.names, texts, strict=True))
    pictures = []
    for sheet in sheets_of(model):
        drawn = framed(
            sheet.shape, {cell: texts[index] for cell, index in sheet.indices.items()}, sheet.regions, BOX_DRAWING
        )
        pictures.append([sheet.title, *drawn] if sheet.title else drawn)
    return "\n".join(_arranged(pictures, width))


def _texts(item: Puzzle | Solution) -> list[str]:
    symbols = item.model.symbols
    if isinstance(item, Solution):
        return [symbols[value] for value in item.places]
    every = (1 << item.model.n_values) - 1
    separator = "" if all(len(symbol) == 1 for symbol in symbols) else ","
    texts = []
    for given, mask in zip(item.givens, item.marks, strict=True):
        if given is not None:
            texts.append(symbols[given])
        elif mask == every:
            texts.append(".")
        else:
            texts.append(separator.join(symbol for at, symbol in enumerate(symbols) if mask >> at & 1) or "!")
    return texts


def _arranged(pictures: Sequence[Sequence[str]], width: int) -> list[str]:
    """Beside each other, as many as fit into the width; if not even two fit, one below another."""
    across = max(len(line) for picture in pictures for line in picture)
    beside = max(1, (width + 2) // (across + 2))
    lines: list[str] = []
    for start in range(0, len(pictures), beside):
        rows = zip_longest(*pictures[start : start + beside], fillvalue="")
        lines.extend("  ".join(part.ljust(across) for part in row).rstrip() for row in rows)
        lines.append("")
    return lines[:-1]
