"""Memory for vectors, without numba: what is needed to call a kernel that is compiled already."""

from __future__ import annotations

from typing import Any

import numpy as np

BITS = 512  # in a vector


def aligned(words: int, dtype: Any) -> Any:
    """A zeroed array that starts at a whole multiple of a vector's size."""
    size, step = np.dtype(dtype).itemsize, BITS // 8
    room = np.zeros(words * size + step, np.uint8)
    start = -room.ctypes.data % step
    return room[start : start + words * size].view(dtype)
