"""What numba lacks: bit counts as single machine instructions, and bare pointers.

Bare pointers matter: numba counts the references to every array that passes through a call, atomically, and in a search
made of small functions those counts cost ten times the work. A pointer is counted by nobody; the array that it points
into must be held by the caller for as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

if TYPE_CHECKING:  # how a kernel calls them; numba's first argument, the typing context, is its own affair

    def count_ones(word: Any) -> Any:
        """How many bits of a uint64 are set."""

    def lowest_place(word: Any) -> Any:
        """The index of the lowest set bit of a uint64 (64 for 0)."""

    def leading_zeros(word: Any) -> Any:
        """The number of zeros above the highest set bit of a uint64 (64 for 0)."""

    def pointer_to(array: Any) -> Any:
        """A bare pointer to the first item of a contiguous array."""

    def moved(pointer: Any, items: Any) -> Any:
        """The pointer, so many items further on."""

else:

    @intrinsic
    def count_ones(_context: Any, word: Any) -> Any:
        """How many bits of a uint64 are set, as int64."""

        def code(_c: Any, builder: Any, _s: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.int64(types.uint64), code

    @intrinsic
    def lowest_place(_context: Any, word: Any) -> Any:
        """The index of the lowest set bit of a uint64 (64 for 0), as int64."""

        def code(_c: Any, builder: Any, _s: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.uint64), code

    @intrinsic
    def leading_zeros(_context: Any, word: Any) -> Any:
        """The number of zeros above the highest set bit of a uint64 (64 for 0), as int64."""

        def code(_c: Any, builder: Any, _s: Any, arguments: Any) -> Any:
            return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.uint64), code

    @intrinsic
    def pointer_to(_context: Any, array: Any) -> Any:
        """A bare pointer to the first item of a contiguous array; index it like a one-dimensional array."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return context.make_array(signature.args[0])(context, builder, arguments[0]).data

        return types.CPointer(array.dtype)(array), code

    @intrinsic
    def moved(_context: Any, pointer: Any, items: Any) -> Any:
        """The pointer, so many items further on."""

        def code(_c: Any, builder: Any, _s: Any, arguments: Any) -> Any:
            return builder.gep(arguments[0], [arguments[1]])

        return pointer(pointer, types.int64), code
