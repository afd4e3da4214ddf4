"""Calling compiled kernels without importing numba: their object code is kept in a folder and linked by llvmlite alone.

    count_lines = kernel("nonant.csp.kernels.classic.lockstep9", "count_lines")
    count_lines(text, starts, 0, 10, ...)

The first call with arguments of some types looks for the object code (`object_store.py`). Where there is none, numba
compiles the function (`building.py`) and the code is kept; where none can be kept, numba's function is called.
Importing numba and loading what it caches itself costs a process half a second, importing llvmlite and linking object
code a tenth.

Arguments are whole numbers (int64), contiguous arrays, and tuples of these. What a kernel gets of an array is what
numba's calling convention says: no owner, so that nothing is counted; its size, its data, its shape and strides.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from nonant.csp.machine import object_store
from nonant.csp.machine.object_store import Stored

BUILDING = "nonant.csp.machine.building"  # imported when something is to be compiled
_NO_OWNER = 0
_LOCK = Lock()
# numba's code for letting go of an array's owner names this function; without owners it is never called.
_NEVER_CALLED = "NRT_MemInfo_call_dtor"


@dataclass(frozen=True)
class Linked:
    """Machine code that can be called.

    Attributes:
        function: takes the addresses of the result and of an error, then the words of all arguments.
        results: how many int64 it returns.
        keeps: what must live as long as the code.
    """

    function: Callable[..., int]
    results: int
    keeps: Any

    def __call__(self, arguments: tuple[Any, ...]) -> Any:
        """Call it with arguments of the types that it was compiled for."""
        returned, error = (ctypes.c_int64 * max(1, self.results))(), ctypes.c_void_p()
        status = self.function(ctypes.addressof(returned), ctypes.addressof(error), *_words(arguments))
        if status > 0:
            raise RuntimeError(f"a kernel failed with status {status}: please report this")
        if self.results == 0:
            return None
        return returned[0] if self.results == 1 else tuple(returned)


@dataclass(frozen=True, eq=False)
class Kernel:
    """A function of a kernel module, compiled for whatever types it is called with."""

    module: str
    function: str
    linked: dict[str, Callable[[tuple[Any, ...]], Any]] = field(default_factory=dict)

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        signature = signature_of(arguments)
        found = self.linked.get(signature)
        if found is None:
            with _LOCK:
                found = self.linked.get(signature) or self._prepared(signature, arguments)
                self.linked[signature] = found
        return found(arguments)

    def _prepared(self, signature: str, arguments: tuple[Any, ...]) -> Callable[[tuple[Any, ...]], Any]:
        path = object_store.place(self.module, self.function, signature)
        stored = None if path is None else object_store.read(path) or self._built(path, arguments)
        if stored is None:
            dispatcher = getattr(import_module(self.module), self.function)
            return lambda some: dispatcher(*some)
        return linked(stored, len(_words(arguments)))

    def _built(self, path: Path, arguments: tuple[Any, ...]) -> Stored | None:
        """Compile the function, and keep its code; None for code that cannot be called without numba."""
        stored: Stored | None = import_module(BUILDING).built(self.module, self.function, arguments)
        if stored is not None:
            object_store.write(path, stored)
        return stored


@cache
def kernel(module: str, function: str) -> Kernel:
    """The function of a kernel module, given by its full name."""
    return Kernel(module, function)


def signature_of(arguments: tuple[Any, ...]) -> str:
    """The types of arguments, in words: those with the same can be given to the same code.

    Raises:
        TypeError: for what a kernel cannot be given.
    """
    parts = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            if not argument.flags.c_contiguous:
                raise TypeError("a kernel takes contiguous arrays only")
            parts.append(f"{argument.dtype.str}{argument.ndim}")
        elif isinstance(argument, tuple):
            parts.append(f"{type(argument).__name__}({signature_of(argument)})")
        elif isinstance(argument, int | np.integer):
            parts.append("i")
        else:
            raise TypeError(f"a kernel cannot be given a {type(argument).__name__}")
    return ",".join(parts)


def _words(arguments: tuple[Any, ...]) -> list[int]:
    """The machine words of arguments, in the order of numba's calling convention."""
    words: list[int] = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            words += (_NO_OWNER, _NO_OWNER, argument.size, argument.itemsize, _address(argument))
            words += (*argument.shape, *argument.strides)
        elif isinstance(argument, tuple):
            words += _words(argument)
        else:
            words.append(int(argument))
    return words


def _address(array: Any) -> int:
    """Where the data of an array are."""
    if array.nbytes and array.flags.writeable:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # four times as fast as the line below
    return int(array.ctypes.data)


def linked(stored: Stored, words: int) -> Linked:
    """Object code made callable; its function takes so many words."""
    import llvmlite.binding as llvm

    target = _target()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
    engine.add_object_file(llvm.ObjectFileRef.from_data(stored.code))
    engine.finalize_object()
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int64] * words)
    return Linked(kind(engine.get_function_address(stored.symbol)), stored.results, engine)


@cache
def _never_called() -> Any:
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _owner: None)


def _target() -> Any:
    """The machine to link for."""
    import llvmlite.binding as llvm

    with suppress(RuntimeError):  # newer versions do it by themselves, and say so
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    if not llvm.address_of_symbol(_NEVER_CALLED):
        llvm.add_symbol(_NEVER_CALLED, ctypes.cast(_never_called(), ctypes.c_void_p).value)
    return llvm.Target.from_default_triple().create_target_machine()
