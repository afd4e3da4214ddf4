"""Object code from a kernel: compiled by numba without what a call from Python would need.

What is left is machine code that names no function outside itself (but one that is never called, see `compiled.py`), so
that it can be linked into a process that has no numba. That is checked here, since linking code with a name that nobody
knows ends the process.

numba's own cache tells that code is out of date by the time and size of one file: it does not see that a module was
edited from which the function takes constants or other functions. So it is not used for code that goes to the folder.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numba import njit as numba_njit
from numba import types as numba_types
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher
from numba.np.numpy_support import from_dtype

from nonant.csp.machine.object_store import Stored, sources

# numba's own annotations leave out what is used here.
njit: Any = numba_njit
types: Any = numba_types
# Functions of the C library, in every process; and the one that is never called.
KNOWN = {"memset", "memcpy", "memmove", "NRT_MemInfo_call_dtor"}
_OPTIONS = {"cache", "nopython"}  # of a decorator, that mean nothing here


def built(module: str, function: str, arguments: tuple[Any, ...]) -> Stored | None:
    """Compile a kernel for arguments like these; None for one whose code needs something from outside."""
    dispatcher = getattr(import_module(module), function)
    options = {name: value for name, value in dispatcher.targetoptions.items() if name not in _OPTIONS}
    compiled = njit(**options, no_cpython_wrapper=True, no_cfunc_wrapper=True)(dispatcher.py_func)
    _forget_caches(module)
    compiled.compile(tuple(_type(argument) for argument in arguments))
    result = next(iter(compiled.overloads.values()))
    final = result.library._final_module
    declared = {each.name for each in final.functions if each.is_declaration and not each.name.startswith("llvm.")}
    results = _results(result.signature.return_type)
    if declared - KNOWN or results is None:
        return None
    code: bytes = result.library.codegen._tm.emit_object(final)
    return Stored(result.fndesc.llvm_func_name, results, code)


def _forget_caches(module: str) -> None:
    """From here on nothing is used that was compiled before this process began to build, from files or from memory."""
    for name in sources(module):
        dispatchers: list[Any] = [each for each in vars(import_module(name)).values() if isinstance(each, Dispatcher)]
        for dispatcher in dispatchers:
            if not isinstance(dispatcher._cache, NullCache):
                dispatcher._cache = NullCache()
                dispatcher.overloads.clear()
                dispatcher._reset_overloads()


def _type(argument: Any) -> Any:
    if isinstance(argument, np.ndarray):
        return types.Array(from_dtype(argument.dtype), argument.ndim, "C")
    if isinstance(argument, tuple):
        members = tuple(_type(member) for member in argument)
        return types.NamedTuple(members, type(argument)) if hasattr(argument, "_fields") else types.Tuple(members)
    return types.int64


def _results(kind: Any) -> int | None:
    """How many int64 a function returns; None if it returns something else."""
    if kind == types.none:
        return 0
    if kind == types.int64:
        return 1
    return int(kind.count) if isinstance(kind, types.UniTuple) and kind.dtype == types.int64 else None
