"""The vector operations against numpy, for every width of lane."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from nonant.csp.kernels.simd import lanes
from nonant.csp.kernels.simd.bits import pointer_to
from nonant.csp.kernels.simd.lanes import (
    BITS,
    both,
    bytes_equal,
    bytes_set,
    differ,
    either,
    if_equal,
    if_less,
    load,
    load_bytes,
    merged,
    minus,
    no_bytes,
    nonzero_lanes,
    plus,
    popcounts,
    shifted_down,
    shifted_up,
    smaller,
    splat,
    store,
    without,
)

WIDTHS = (np.uint16, np.uint32, np.uint64)


@njit
def all_operations(first_: Any, second_: Any, third_: Any, word: Any, out_: Any, count: int) -> Any:
    first, second, third, out = pointer_to(first_), pointer_to(second_), pointer_to(third_), pointer_to(out_)
    a, b, c = load(first, 0), load(second, 0), load(third, 0)
    store(out, 0, both(a, b))
    store(out, count, either(a, b))
    store(out, 2 * count, differ(a, b))
    store(out, 3 * count, plus(a, b))
    store(out, 4 * count, minus(a, b))
    store(out, 5 * count, without(a, b))
    store(out, 6 * count, merged(a, b, c))
    store(out, 7 * count, shifted_up(a, 3))
    store(out, 8 * count, shifted_down(a, 5))
    store(out, 9 * count, popcounts(a))
    store(out, 10 * count, smaller(a, b))
    store(out, 11 * count, if_less(a, b, c, a))
    store(out, 12 * count, if_equal(a, b, c, a))
    store(out, 13 * count, splat(word))
    return nonzero_lanes(c)


@pytest.mark.parametrize("width", WIDTHS)
def test_operations(width: Any) -> None:
    bits = np.dtype(width).itemsize * 8
    count = BITS // bits
    random = np.random.default_rng(bits)
    for _ in range(20):
        a, b, c = random.integers(0, 1 << bits, (3, count), np.uint64, endpoint=False).astype(width)
        b[:3] = a[:3]
        c[random.integers(0, 2, count) == 0] = 0
        out = np.zeros(14 * count, width)
        mask = all_operations(a, b, c, width(77), out, count)
        wanted = [a & b, a | b, a ^ b, a + b, a - b, a & ~b, (b & a) | (c & ~a), a << width(3), a >> width(5)]
        wanted += [np.bitwise_count(a).astype(width), np.minimum(a, b), np.where(a < b, c, a), np.where(a == b, c, a)]
        wanted.append(np.full(count, 77, width))
        assert out.reshape(14, count).tolist() == [row.tolist() for row in wanted]
        assert mask == sum(1 << lane for lane in range(count) if c[lane])


def test_aligned_memory() -> None:
    for words in (1, 5, 1000):
        room = lanes.aligned(words, np.uint32)
        assert (len(room), room.ctypes.data % (BITS // 8), int(room.sum())) == (words, 0, 0)


PLACES = np.random.default_rng(1).permutation(81).tolist()
read_some = lanes.byte_reader(PLACES[40:72])
write_some = lanes.byte_writer([64 + at if at < 32 else at for at in range(81)])


@njit
def through_bytes(text_: Any, out_: Any) -> Any:
    text, out = pointer_to(text_), pointer_to(out_)
    found = bytes_equal(read_some(text, 1), np.uint8(7))
    marked = bytes_set(no_bytes(), found, np.uint8(9))
    write_some(out, 2, load_bytes(text, 0), load_bytes(text, 32), marked)
    return found


def test_bytes() -> None:
    text = np.arange(90, dtype=np.uint8) % 11
    out = np.full(90, 255, np.uint8)
    found = through_bytes(text, out)
    wanted = [text[1 + place] == 7 for place in PLACES[40:72]]
    assert [bool(int(found) >> at & 1) for at in range(32)] == wanted
    assert out[2:34].tolist() == [9 * int(hit) for hit in wanted]
    assert out[34:83].tolist() == text[32:64].tolist() + [9 * int(hit) for hit in wanted[:17]]
    assert (out[:2] == 255).all()
    assert (out[83:] == 255).all()
