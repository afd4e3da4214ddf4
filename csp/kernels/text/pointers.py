"""A job as bare pointers: what the small functions of a kernel pass to each other (`simd/bits.py` says why)."""

from __future__ import annotations

from typing import Any

from nonant.csp.kernels.simd.bits import pointer_to
from nonant.csp.kernels.text.job import Job
from nonant.csp.machine.jit import njit


@njit(cache=True, inline="always")
def pointers_of(job: Job) -> Any:
    """The same record with a pointer in place of each array, which the caller must hold."""
    return Job(
        pointer_to(job.text),
        pointer_to(job.starts),
        job.begin,
        job.end,
        job.limit,
        pointer_to(job.counts),
        pointer_to(job.solutions),
        pointer_to(job.stop),
    )
