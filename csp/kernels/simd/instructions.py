"""Instructions that a processor may lack: products over GF(2), of 8 x 8 bit matrices and of polynomials.

They act on words and on vectors of eight 64-bit lanes (`lanes.py`), which run on any processor.

**Compiling such an instruction for a processor without it aborts the process.** `has()` answers from the processor's
flags, before anything is compiled; callers of `affine` must ask it first, `carryless_product` asks it itself.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config as numba_config
from numba import types as numba_types
from numba.core import codegen as numba_codegen
from numba.extending import intrinsic as numba_intrinsic

from nonant.csp.kernels.simd.lanes import BITS, Vector, declared

# numba's own annotations describe how an intrinsic is written, not how compiled code calls it.
config: Any = numba_config
types: Any = numba_types
intrinsic: Any = numba_intrinsic
codegen: Any = numba_codegen

_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_BYTES = ir.VectorType(_I8, BITS // 8)
_words = Vector(64, BITS // 64)


def has(*features: str) -> bool:
    """True when the processor that numba compiles for has all these features, by LLVM's names (`gfni`, `pclmul`)."""
    # The very list that numba hands to LLVM: what a user switches off there must not be used either.
    known = config.CPU_FEATURES if config.CPU_FEATURES is not None else codegen.get_host_cpu_features()
    return {"+" + feature for feature in features} <= set(known.split(","))


@intrinsic
def affine(typing: Any, rows: Any, matrix: Any) -> Any:
    """GFNI: eight 8 x 8 bit products at once. Needs `has("gfni", "avx512f", "avx512bw")`.

    In each lane, byte r of `rows` becomes the byte whose bit i is the parity of (byte 7 - i of `matrix` AND byte r).
    The instruction counts the matrix's bytes backwards; `kernels/gf2/gfni.py` stores its multiplicands that way.
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function = declared(builder, "llvm.x86.vgf2p8affineqb.512", _BYTES, [_BYTES, _BYTES, _I8])
        product = builder.call(
            function, [builder.bitcast(args[0], _BYTES), builder.bitcast(args[1], _BYTES), ir.Constant(_I8, 0)]
        )
        return builder.bitcast(product, ir.VectorType(_I64, BITS // 64))

    return _words(_words, _words), code


def shift_and_add(first: Any, second: Any) -> Any:
    """The carry-less product of two words as (low, high), without a special instruction: one step a bit."""
    low, high = first & (first ^ first), second & (second ^ second)
    for at in range(64):
        bit = (second >> types.uint64(at)) & types.uint64(1)
        mask = types.uint64(0) - bit
        low ^= (first << types.uint64(at)) & mask
        if at:
            high ^= (first >> types.uint64(64 - at)) & mask
    return low, high


@intrinsic
def carryless_product(typing: Any, first: Any, second: Any) -> Any:
    """The product of two polynomials over GF(2) of degree below 64, as (low word, high word).

    One instruction (PCLMULQDQ) where the processor has it, else `shift_and_add`: some sixty times slower, same answer.
    """
    pair = types.UniTuple(types.uint64, 2)

    def in_hardware(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        two = ir.VectorType(_I64, 2)
        function = declared(builder, "llvm.x86.pclmulqdq", two, [two, two, _I8])
        zero, one, nothing = ir.Constant(_I32, 0), ir.Constant(_I32, 1), ir.Constant(two, [0, 0])
        words = [builder.insert_element(nothing, word, zero) for word in args]
        product = builder.call(function, [*words, ir.Constant(_I8, 0)])
        halves = [builder.extract_element(product, zero), builder.extract_element(product, one)]
        return context.make_tuple(builder, signature.return_type, halves)

    def in_software(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.compile_internal(builder, shift_and_add, signature, args)

    return pair(types.uint64, types.uint64), in_hardware if has("pclmul") else in_software
