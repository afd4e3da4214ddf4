"""Vector registers for numba: a type that is LLVM's `<8 x i64>`, and the few operations that the GF(2) kernels need.

numba vectorises plain loops, but it cannot be told to keep a value in a register, to transpose bytes inside one, or to
use an instruction for which there is no Python operator. An `@intrinsic` can: it hands LLVM the instruction itself.
LLVM splits the 512 bits where a processor has narrower registers, so the code is the same everywhere; only `affine` and
the hardware form of `carryless_product` ask for an instruction that a processor may lack.

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
from numba.extending import models, register_model

# numba's own annotations describe how an intrinsic is written, not how compiled code calls it.
config: Any = numba_config
types: Any = numba_types
intrinsic: Any = numba_intrinsic
codegen: Any = numba_codegen

I8, I32, I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
LANES = ir.VectorType(I64, 8)
BYTES = ir.VectorType(I8, 64)


def has(*features: str) -> bool:
    """True when the processor that numba compiles for has all these features, by LLVM's names (`gfni`, `pclmul`)."""
    # The very list that numba hands to LLVM: what a user switches off there must not be used either.
    known = config.CPU_FEATURES if config.CPU_FEATURES is not None else codegen.get_host_cpu_features()
    return {"+" + feature for feature in features} <= set(known.split(","))


class LanesType(numba_types.Type):
    """Eight 64-bit lanes."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


@register_model(LanesType)
class LanesModel(models.PrimitiveModel):
    """Held as one LLVM vector."""

    def __init__(self, manager: Any, declared: Any) -> None:
        super().__init__(manager, declared, LANES)  # type: ignore[no-untyped-call]


lanes = LanesType()


# -- memory ------------------------------------------------------------------------------------------------------------


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), LANES.as_pointer())


def _splat(builder: Any, word: Any) -> Any:
    undefined = ir.Constant(LANES, ir.Undefined)
    first = builder.insert_element(undefined, word, ir.Constant(I32, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(I32, 8), [0] * 8))


@intrinsic
def load(typing: Any, array: Any, index: Any) -> Any:
    """The eight words of a flat uint64 array from `index` on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        loaded = builder.load(_pointer(context, builder, signature.args[0], args[0], args[1]))
        loaded.align = 8
        return loaded

    return lanes(array, types.int64), code


@intrinsic
def store(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write eight words to a flat uint64 array from `index` on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        done = builder.store(args[2], _pointer(context, builder, signature.args[0], args[0], args[1]))
        done.align = 8
        return context.get_constant_null(types.none)

    return types.void(array, types.int64, lanes), code


@intrinsic
def splat(typing: Any, word: Any) -> Any:
    """The word in every lane."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _splat(builder, args[0])

    return lanes(types.uint64), code


@intrinsic
def zeros(typing: Any) -> Any:
    """All bits zero."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(LANES, None)

    return lanes(), code


@intrinsic
def load_bytes(typing: Any, array: Any, index: Any) -> Any:
    """The 64 bytes of a flat uint8 array from `index` on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        loaded = builder.load(_pointer(context, builder, signature.args[0], args[0], args[1]))
        loaded.align = 1
        return loaded

    return lanes(array, types.int64), code


@intrinsic
def nonzero_bytes(typing: Any, value: Any) -> Any:
    """One bit a byte: whether it is not zero."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        nonzero = builder.icmp_unsigned("!=", builder.bitcast(args[0], BYTES), ir.Constant(BYTES, None))
        return builder.bitcast(nonzero, I64)

    return types.uint64(lanes), code


@intrinsic
def store_bits_as_bytes(typing: Any, array: Any, index: Any, word: Any) -> Any:
    """Write the 64 bits of a word as 64 bytes 0 or 1 to a flat uint8 array from `index` on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        spread = builder.zext(builder.bitcast(args[2], ir.VectorType(ir.IntType(1), 64)), BYTES)
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        done = builder.store(builder.bitcast(spread, LANES), pointer)
        done.align = 1
        return context.get_constant_null(types.none)

    return types.void(array, types.int64, types.uint64), code


# -- lane by lane ------------------------------------------------------------------------------------------------------


def _binary(operation: str) -> Any:
    @intrinsic
    def made(typing: Any, first: Any, second: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, operation)(args[0], args[1])

        return lanes(lanes, lanes), code

    return made


xor, both, either, plus = _binary("xor"), _binary("and_"), _binary("or_"), _binary("add")


@intrinsic
def xor3(typing: Any, first: Any, second: Any, third: Any) -> Any:
    """The XOR of three: one instruction where the processor has ternary logic."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.xor(builder.xor(args[0], args[1]), args[2])

    return lanes(lanes, lanes, lanes), code


def _shift(operation: str) -> Any:
    @intrinsic
    def made(typing: Any, value: Any, distance: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, operation)(args[0], _splat(builder, args[1]))

        return lanes(lanes, types.uint64), code

    return made


shift_left, shift_right = _shift("shl"), _shift("lshr")


@intrinsic
def popcounts(typing: Any, value: Any) -> Any:
    """The number of ones in each lane."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.call(_declared(builder, "llvm.ctpop.v8i64", LANES, [LANES]), [args[0]])

    return lanes(lanes), code


@intrinsic
def any_bit(typing: Any, value: Any) -> Any:
    """Nonzero when some bit is one."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        nonzero = builder.icmp_unsigned("!=", args[0], ir.Constant(LANES, None))
        return builder.zext(builder.bitcast(nonzero, I8), I64)

    return types.uint64(lanes), code


@intrinsic
def any_less(typing: Any, first: Any, second: Any) -> Any:
    """Nonzero when some lane of the first is less than the same lane of the second."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        less = builder.icmp_unsigned("<", args[0], args[1])
        return builder.zext(builder.bitcast(less, I8), I64)

    return types.uint64(lanes, lanes), code


def _declared(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    known = builder.module.globals.get(name)
    return known or ir.Function(builder.module, ir.FunctionType(result, arguments), name)


@intrinsic
def affine(typing: Any, rows: Any, matrix: Any) -> Any:
    """GFNI: eight 8 x 8 bit products at once. Needs `has("gfni", "avx512f", "avx512bw")`.

    In each lane, byte r of `rows` becomes the byte whose bit i is the parity of (byte 7 - i of `matrix` AND byte r).
    The instruction counts the matrix's bytes backwards; `kernels/gf2/gfni.py` stores its multiplicands that way.
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function = _declared(builder, "llvm.x86.vgf2p8affineqb.512", BYTES, [BYTES, BYTES, I8])
        product = builder.call(
            function, [builder.bitcast(args[0], BYTES), builder.bitcast(args[1], BYTES), ir.Constant(I8, 0)]
        )
        return builder.bitcast(product, LANES)

    return lanes(lanes, lanes), code


# -- shuffles ----------------------------------------------------------------------------------------------------------


def _shuffle(bits: int, places: list[int]) -> Any:
    """Elements of `bits` bits taken from two registers: places 0.. from the first, then from the second."""
    vector = ir.VectorType(ir.IntType(bits), 512 // bits)
    mask = ir.Constant(ir.VectorType(I32, len(places)), places)

    @intrinsic
    def made(typing: Any, first: Any, second: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            moved = builder.shuffle_vector(builder.bitcast(args[0], vector), builder.bitcast(args[1], vector), mask)
            return builder.bitcast(moved, LANES)

        return lanes(lanes, lanes), code

    return made


def _interleave(bits: int, high: bool) -> Any:
    """The low (or high) halves of each 128 bits of two registers, element by element in turn."""
    per, count = 128 // bits, 512 // bits
    places = []
    for quarter in range(4):
        for at in range(per // 2):
            element = quarter * per + at + (per // 2 if high else 0)
            places += [element, element + count]
    return _shuffle(bits, places)


low_bytes, high_bytes = _interleave(8, False), _interleave(8, True)
low_pairs, high_pairs = _interleave(16, False), _interleave(16, True)
low_fours, high_fours = _interleave(32, False), _interleave(32, True)
quarters_01 = _shuffle(64, [0, 1, 8, 9, 2, 3, 10, 11])
quarters_23 = _shuffle(64, [4, 5, 12, 13, 6, 7, 14, 15])
low_halves = _shuffle(64, [0, 1, 2, 3, 8, 9, 10, 11])
high_halves = _shuffle(64, [4, 5, 6, 7, 12, 13, 14, 15])
# The 8 x 8 bytes of the first register transposed, and the same with lanes reversed; the second is ignored.
transposed = _shuffle(8, [8 * lane + byte for byte in range(8) for lane in range(8)])
transposed_reversed = _shuffle(8, [8 * (7 - lane) + byte for byte in range(8) for lane in range(8)])


# -- single words ------------------------------------------------------------------------------------------------------


@intrinsic
def trailing_zeros(typing: Any, word: Any) -> Any:
    """The place of the lowest one; undefined for 0."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), code


@intrinsic
def leading_zeros(typing: Any, word: Any) -> Any:
    """The number of zeros above the highest one; 64 for 0."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), code


@intrinsic
def popcount(typing: Any, word: Any) -> Any:
    """The number of ones in a word."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.call(_declared(builder, "llvm.ctpop.i64", I64, [I64]), [args[0]])

    return types.int64(types.uint64), code


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
        two = ir.VectorType(I64, 2)
        function = _declared(builder, "llvm.x86.pclmulqdq", two, [two, two, I8])
        zero, one, nothing = ir.Constant(I32, 0), ir.Constant(I32, 1), ir.Constant(two, [0, 0])
        words = [builder.insert_element(nothing, word, zero) for word in args]
        product = builder.call(function, [*words, ir.Constant(I8, 0)])
        halves = [builder.extract_element(product, zero), builder.extract_element(product, one)]
        return context.make_tuple(builder, signature.return_type, halves)

    def in_software(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.compile_internal(builder, shift_and_add, signature, args)

    return pair(types.uint64, types.uint64), in_hardware if has("pclmul") else in_software
