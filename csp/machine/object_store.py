"""The folder in which compiled kernels are kept, one file of object code each.

A file's name ends in a key: a digest of everything that the code depends on, so that code is never out of date, and
two versions, or two kinds of processor with one home folder, live side by side. What is read is checked against a
digest of its own; a file that is damaged or cut off counts as absent. A file is written under another name and then
renamed, which is one step: whoever reads meanwhile, or writes the same, sees the old one, or the new one, whole.

The folder is the environment variable NONANT_CACHE, else where the system wants caches of a user. With NONANT_CACHE=off
nothing is read or kept, and numba compiles and caches by itself, as it does where the folder cannot be written. Like
`__pycache__`, it must be a folder in which nobody else can write.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from time import time
from typing import Any

FORMAT = 2
VARIABLE, OFF = "NONANT_CACHE", "off"
SUFFIX = ".object"
UNUSED_DAYS = 90  # files that nobody read for so long are removed when a new one is written
_MAGIC = b"nonant object code\n"
_DIGEST = hashlib.sha256().digest_size
KERNELS = "kernels"  # what a folder of kernels is called, at any depth
# Statements that begin a line; as a rule only these are parsed, since parsing all sources costs a process 30 ms.
_IMPORT = re.compile(r"^[ \t]*((?:from|import)[ \t][^\n(]*(?:\([^)]*\))?)", re.MULTILINE)


@dataclass(frozen=True)
class Stored:
    """A compiled kernel.

    Attributes:
        symbol: the name of the function in the object code.
        results: how many int64 it returns.
        code: the object code.
    """

    symbol: str
    results: int
    code: bytes


def folder() -> Path | None:
    """Where compiled kernels are kept, or None for nowhere."""
    named = os.environ.get(VARIABLE)
    if named == OFF:
        return None
    if named:
        return Path(named)
    home = Path(os.path.expanduser("~"))
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "nonant" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "nonant"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "nonant"


# -- keys --------------------------------------------------------------------------------------------------------------


@cache
def sources(module: str) -> tuple[str, ...]:
    """The kernel modules that a kernel module is made of: itself, and what it imports, directly or not; sorted."""
    found: set[str] = set()
    open_modules = [module]
    while open_modules:
        name = open_modules.pop()
        if name not in found:
            found.add(name)
            open_modules += imports(_source(name))
    return tuple(sorted(found))


def imports(source: str) -> list[str]:
    """The kernel modules that a source imports, from whatever folder."""
    statements = [some for some in _IMPORT.findall(source) if KERNELS in some]
    try:
        nodes: list[ast.AST] = [node for some in statements for node in ast.parse(some).body]
    except SyntaxError:  # words of a docstring, or a bracket in a comment: the parser has to look at all of it
        nodes = list(ast.walk(ast.parse(source)))
    found: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and KERNELS in node.module.split("."):
            found += [_module_of(node.module, alias.name) for alias in node.names]
    return [module for module in dict.fromkeys(found) if KERNELS in module.split(".")]


def _module_of(module: str, name: str) -> str:
    """The module that `from module import name` reads: `module.name` where that is one."""
    spec = find_spec(module)
    inside = f"{module}.{name}"
    return inside if spec and spec.submodule_search_locations is not None and find_spec(inside) else module


def _source(module: str) -> str:
    spec = find_spec(module)
    loader: Any = spec.loader if spec else None
    source: str | None = loader.get_source(module) if loader else None
    if source is None:
        raise FileNotFoundError(f"no source of {module}")
    return source


@cache
def _machine() -> tuple[str, ...]:
    """What object code depends on besides its source."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    settings = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_"))
    versions = version("numba"), version("llvmlite"), sys.version, sys.platform
    return (*versions, llvm.get_host_cpu_name(), features.flatten(), *settings)


def key(module: str, function: str, signature: str) -> str:
    """The digest of all that the code of a kernel, called with arguments of these types, depends on."""
    parts = [FORMAT, module, function, signature, *_machine(), digest_of_sources(module)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40]


def digest_of_sources(module: str) -> str:
    """The digest of the names and texts of the sources of a kernel module."""
    texts = [(name, hashlib.sha256(_source(name).encode()).hexdigest()) for name in sources(module)]
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def place(module: str, function: str, signature: str) -> Path | None:
    """The file for the code of a kernel; None if nothing is kept, or there is no folder that can be written."""
    where = folder()
    if where is None or not _is_writable(where):
        return None
    return where / f"{module.rpartition('.')[2]}.{function}-{key(module, function, signature)}{SUFFIX}"


def _is_writable(where: Path) -> bool:
    with suppress(OSError):
        where.mkdir(parents=True, exist_ok=True, mode=0o700)
    return os.access(where, os.W_OK | os.X_OK)


# -- files -------------------------------------------------------------------------------------------------------------


def read(path: Path) -> Stored | None:
    """What a file holds; None if it is absent or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, body = content[len(_MAGIC) :][:_DIGEST], content[len(_MAGIC) + _DIGEST :]
    if not content.startswith(_MAGIC) or hashlib.sha256(body).digest() != digest:
        return None
    head, _, code = body.partition(b"\n")
    symbol, results = json.loads(head)
    with suppress(OSError):
        os.utime(path)  # it is in use, see UNUSED_DAYS
    return Stored(symbol, results, code)


def write(path: Path, stored: Stored) -> bool:
    """Keep the code of a kernel; false if that cannot be."""
    body = json.dumps([stored.symbol, stored.results]).encode() + b"\n" + stored.code
    try:
        number, name = tempfile.mkstemp(dir=path.parent, prefix=".")
        try:
            with os.fdopen(number, "wb") as file:
                file.write(_MAGIC + hashlib.sha256(body).digest() + body)
            os.replace(name, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
    except OSError:
        return False
    _remove_unused(path.parent)
    return True


def _remove_unused(where: Path) -> None:
    oldest = time() - UNUSED_DAYS * 86_400
    for path in where.glob(f"*{SUFFIX}"):
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()
