"""Vectors for numba: values that live in vector registers, one integer a lane, and what can be done with them.

numba vectorises plain loops, but it has no way to keep a value in a register over a hundred operations, and that is
what a solver with one puzzle a lane, or a product of bit matrices, is made of. Each function here is an `@intrinsic`:
it hands LLVM the instruction itself, on a vector type of a fixed number of lanes. What LLVM makes of sixteen lanes of
32 bits:

    processor            registers    an operation here becomes
    AVX-512              32 x 512     one instruction; any logic of three values is one (`vpternlogd`)
    AVX2                 16 x 256     two instructions
    SSE4, NEON           16 x 128     four instructions

So the code is the same everywhere and needs no feature of any processor; for those that one may lack, see
`instructions.py`. A vector's type follows from the words it is made of: a pointer to (an array of, a splat of) uint8,
uint16, uint32, uint64 gives 64, 32, 16, 8 lanes, 512 bits always. All operations take every width, so that a kernel
written once is compiled for each width it is called with.

A *mask of lanes* is an ordinary uint64 with bit l for lane l; a *mask of bytes* likewise, for 32 bytes.

Why pointers, not arrays: see `bits.py`. Memory need not be aligned, but is read faster when it is; see `aligned`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types as numba_types
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import models, register_model

from nonant.csp.kernels.simd.memory import BITS as BITS
from nonant.csp.kernels.simd.memory import aligned as aligned

# numba's own annotations describe how an intrinsic is written, not how compiled code calls it.
types: Any = numba_types
intrinsic: Any = numba_intrinsic

_BIT, _BYTE, _WORD = ir.IntType(1), ir.IntType(8), ir.IntType(64)


class Vector(numba_types.Type):
    """`count` lanes of `bits` bits each, held as one LLVM vector."""

    def __init__(self, bits: int, count: int) -> None:
        self.bits, self.count = bits, count
        super().__init__(name=f"Vector({count} x {bits})")


@register_model(Vector)
class VectorModel(models.PrimitiveModel):
    """How numba holds a Vector."""

    def __init__(self, manager: Any, declared: Any) -> None:
        super().__init__(manager, declared, _llvm(declared))  # type: ignore[no-untyped-call]


def _llvm(vector: Any) -> Any:
    return ir.VectorType(ir.IntType(vector.bits), vector.count)


def _of(word: Any) -> Vector:
    """The vector type of 512 bits with lanes as wide as this integer type."""
    return Vector(word.bitwidth, BITS // word.bitwidth)


def _word(vector: Any) -> Any:
    return getattr(types, f"uint{vector.bits}")


def _spread(builder: Any, word: Any, vector: Any) -> Any:
    """The word in every lane."""
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, word, ir.Constant(ir.IntType(32), 0))
    lane_0 = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, undefined, lane_0)


def _lane_mask(builder: Any, condition: Any, count: int) -> Any:
    """A vector of conditions as a uint64."""
    packed = builder.bitcast(condition, ir.IntType(count))
    return packed if count == 64 else builder.zext(packed, _WORD)


def declared(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """An intrinsic function of LLVM."""
    known = builder.module.globals.get(name)
    return known or ir.Function(builder.module, ir.FunctionType(result, arguments), name)


def _at(builder: Any, pointer: Any, offset: Any, vector: Any) -> Any:
    return builder.bitcast(builder.gep(pointer, [offset]), vector.as_pointer())


def _pointer(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The pointer itself, or one to the first item of an array."""
    return context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value


# -- memory ------------------------------------------------------------------------------------------------------------


@intrinsic
def load(typing: Any, pointer: Any, offset: Any) -> Any:
    """The lanes that stand in memory from `offset` on, counted in words."""
    kind = _of(pointer.dtype)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = _pointer(context, builder, signature.args[0], args[0])
        loaded = builder.load(_at(builder, data, args[1], _llvm(kind)))
        loaded.align = kind.bits // 8
        return loaded

    return kind(pointer, types.int64), code


@intrinsic
def store(typing: Any, pointer: Any, offset: Any, value: Any) -> Any:
    """Write the lanes to memory from `offset` on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = _pointer(context, builder, signature.args[0], args[0])
        done = builder.store(args[2], _at(builder, data, args[1], _llvm(value)))
        done.align = value.bits // 8
        return context.get_constant_null(types.none)

    return types.void(pointer, types.int64, value), code


@intrinsic
def splat(typing: Any, word: Any) -> Any:
    """The word in every lane; its type says how wide the lanes are."""
    kind = _of(word)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _spread(builder, args[0], _llvm(kind))

    return kind(word), code


# -- lane by lane ------------------------------------------------------------------------------------------------------


def _binary(operation: str, doc: str) -> Any:
    def typed(typing: Any, first: Any, second: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, operation)(args[0], args[1])

        return first(first, first), code

    typed.__doc__ = doc
    return intrinsic(typed)


both = _binary("and_", "Bits of both.")
either = _binary("or_", "Bits of one or both.")
differ = _binary("xor", "Bits of one of the two.")
plus = _binary("add", "The sums.")
minus = _binary("sub", "The differences.")


@intrinsic
def differ_3(typing: Any, first: Any, second: Any, third: Any) -> Any:
    """The XOR of three: one instruction where the processor has ternary logic."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.xor(builder.xor(args[0], args[1]), args[2])

    return first(first, first, first), code


@intrinsic
def without(typing: Any, first: Any, second: Any) -> Any:
    """The bits of the first that the second does not have."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.and_(args[0], builder.not_(args[1]))

    return first(first, first), code


@intrinsic
def merged(typing: Any, mask: Any, first: Any, second: Any) -> Any:
    """The bits of the first where the mask has ones, those of the second elsewhere: one instruction on AVX-512."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        # In this form LLVM computes no complement of the mask, which it would keep in a register of its own.
        return builder.xor(args[2], builder.and_(builder.xor(args[1], args[2]), args[0]))

    return mask(mask, mask, mask), code


def _shift(operation: str, doc: str) -> Any:
    def typed(typing: Any, value: Any, distance: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            narrow = ir.IntType(value.bits)
            amount = args[1] if value.bits == 64 else builder.trunc(args[1], narrow)
            return getattr(builder, operation)(args[0], _spread(builder, amount, _llvm(value)))

        return value(value, types.uint64), code

    typed.__doc__ = doc
    return intrinsic(typed)


shifted_up = _shift("shl", "Every lane shifted to the higher bits.")
shifted_down = _shift("lshr", "Every lane shifted to the lower bits.")


@intrinsic
def popcounts(typing: Any, value: Any) -> Any:
    """The number of ones in each lane."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = _llvm(value)
        return builder.call(declared(builder, f"llvm.ctpop.v{value.count}i{value.bits}", vector, [vector]), [args[0]])

    return value(value), code


@intrinsic
def smaller(typing: Any, first: Any, second: Any) -> Any:
    """The smaller of two, unsigned."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.icmp_unsigned("<", args[0], args[1]), args[0], args[1])

    return first(first, first), code


def _choice(relation: str, doc: str) -> Any:
    def typed(typing: Any, first: Any, second: Any, yes: Any, no: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.select(builder.icmp_unsigned(relation, args[0], args[1]), args[2], args[3])

        return first(first, first, first, first), code

    typed.__doc__ = doc
    return intrinsic(typed)


if_less = _choice("<", "In each lane `yes` where first < second (unsigned), else `no`.")
if_equal = _choice("==", "In each lane `yes` where first == second, else `no`.")


@intrinsic
def nonzero_lanes(typing: Any, value: Any) -> Any:
    """The mask of the lanes that are not zero."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        condition = builder.icmp_unsigned("!=", args[0], ir.Constant(_llvm(value), None))
        return _lane_mask(builder, condition, value.count)

    return types.uint64(value), code


@intrinsic
def less_lanes(typing: Any, first: Any, second: Any) -> Any:
    """The mask of the lanes in which the first is less (unsigned)."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _lane_mask(builder, builder.icmp_unsigned("<", args[0], args[1]), first.count)

    return types.uint64(first, first), code


@intrinsic
def chosen(typing: Any, mask: Any, yes: Any, no: Any) -> Any:
    """The lanes of `yes` that are in the mask of lanes, the other ones of `no`."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        narrow = args[0] if yes.count == 64 else builder.trunc(args[0], ir.IntType(yes.count))
        return builder.select(builder.bitcast(narrow, ir.VectorType(_BIT, yes.count)), args[1], args[2])

    return yes(types.uint64, yes, yes), code


# -- from lane to lane -------------------------------------------------------------------------------------------------


def shuffler(order: Sequence[int], bits: int | None = None) -> Any:
    """Makes a function of two vectors that puts lane `order[l]` into lane l.

    The lanes of the second vector count on from those of the first. With `bits` it moves pieces of so many bits,
    whatever the lanes are.

    The order is known when the code is made: where it stays within quarters of 128 bits it is one cheap instruction.
    """
    numbers = ir.Constant(ir.VectorType(ir.IntType(32), len(order)), list(order))

    def typed(typing: Any, first: Any, second: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if bits is None:
                return builder.shuffle_vector(args[0], args[1], numbers)
            pieces = ir.VectorType(ir.IntType(bits), first.bits * first.count // bits)
            found = builder.shuffle_vector(builder.bitcast(args[0], pieces), builder.bitcast(args[1], pieces), numbers)
            return builder.bitcast(found, _llvm(first))

        return (Vector(first.bits, len(order)) if bits is None else first)(first, first), code

    return intrinsic(typed)


@intrinsic
def first_lane(typing: Any, value: Any) -> Any:
    """The word in lane 0."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.extract_element(args[0], ir.Constant(_WORD, 0))

    return _word(value)(value), code


# -- bytes, for reading and writing text -------------------------------------------------------------------------------

BYTES = Vector(8, 32)


def byte_reader(positions: Sequence[int]) -> Any:
    """Makes a function (pointer to bytes, start) -> 32 bytes: those at these positions of a text of 81.

    The positions are known when the code is made, so that the whole is two loads and a shuffle. The text is read as
    64 from the start and 64 up to the end: nothing beside them is touched.
    """
    # Bytes of the second load are numbered from 64 on; it starts at byte 17 of the text.
    numbers = [position if position < 64 else 64 + position - 17 for position in positions]
    wide = ir.VectorType(_BYTE, 64)
    order = ir.Constant(ir.VectorType(ir.IntType(32), len(numbers)), numbers)

    def typed(typing: Any, pointer: Any, start: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            parts = []
            for skip in (0, 17):
                offset = builder.add(args[1], ir.Constant(_WORD, skip))
                part = builder.load(_at(builder, args[0], offset, wide))
                part.align = 1
                parts.append(part)
            return builder.shuffle_vector(parts[0], parts[1], order)

        return BYTES(pointer, types.int64), code

    return intrinsic(typed)


def byte_writer(positions: Sequence[int]) -> Any:
    """Makes a function (pointer, start, three times 32 bytes) that writes 81: byte i is the one at `positions[i]`.

    A position counts through the three vectors: 0-31, 32-63, 64-95.
    """
    half = ir.VectorType(_BYTE, 32)

    def indices(numbers: Sequence[int]) -> Any:
        return ir.Constant(ir.VectorType(ir.IntType(32), len(numbers)), list(numbers))

    def typed(typing: Any, pointer: Any, start: Any, first: Any, second: Any, third: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            low = builder.shuffle_vector(args[2], args[3], indices(range(64)))
            high = builder.shuffle_vector(args[4], ir.Constant(half, ir.Undefined), indices(range(64)))
            at = 0
            for size in (64, 16, 1):
                part = builder.shuffle_vector(low, high, indices(positions[at : at + size]))
                offset = builder.add(args[1], ir.Constant(_WORD, at))
                done = builder.store(part, _at(builder, args[0], offset, ir.VectorType(_BYTE, size)))
                done.align = 1
                at += size
            return context.get_constant_null(types.none)

        return types.void(pointer, types.int64, BYTES, BYTES, BYTES), code

    return intrinsic(typed)


@intrinsic
def load_bytes(typing: Any, pointer: Any, offset: Any) -> Any:
    """The 32 bytes that stand in memory from `offset` on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        loaded = builder.load(_at(builder, args[0], args[1], _llvm(BYTES)))
        loaded.align = 1
        return loaded

    return BYTES(pointer, types.int64), code


@intrinsic
def bytes_equal(typing: Any, value: Any, byte: Any) -> Any:
    """The mask of the bytes that equal this one, as uint32."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wanted = _spread(builder, args[1], _llvm(BYTES))
        return builder.bitcast(builder.icmp_unsigned("==", args[0], wanted), ir.IntType(32))

    return types.uint32(BYTES, types.uint8), code


@intrinsic
def no_bytes(typing: Any) -> Any:
    """Thirty-two zero bytes."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_llvm(BYTES), None)

    return BYTES(), code


@intrinsic
def bytes_set(typing: Any, value: Any, mask: Any, byte: Any) -> Any:
    """The bytes, with those of a uint32 mask set to this one."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        chosen = builder.bitcast(args[1], ir.VectorType(_BIT, 32))
        return builder.select(chosen, _spread(builder, args[2], _llvm(BYTES)), args[0])

    return BYTES(BYTES, types.uint32, types.uint8), code
