"""Sets of small numbers as one Python int (bit n is one when n is in the set): boards, domains, rows over GF(2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def bits(mask: int) -> Iterator[int]:
    """The places of the ones, from the lowest."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(numbers: Iterable[int]) -> int:
    """The mask with a one at each of these places; a place that is named twice is one all the same."""
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask
