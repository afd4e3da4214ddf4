"""The former name of `instructions.py`, under which `algebra/gf2.py` asks for what the processor has."""

from __future__ import annotations

from nonant.csp.kernels.simd.instructions import has as has
