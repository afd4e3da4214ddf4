"""The folder of compiled kernels: keys, damage, two writers at once; and that kernels from it are called rightly."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from nonant.csp.machine import compiled, object_store
from nonant.csp.machine.compiled import Kernel, kernel, signature_of
from nonant.csp.machine.object_store import Stored
from tests.support.files import ROOT

LINES = "nonant.csp.kernels.text.lines"
TEXT = np.frombuffer(b"123.\n# nothing\n\n1234\n12\n", np.uint8)
FOUND, STARTS, NUMBERS = (3, 5), [0, 16, -1], [0, 3, 4]
PUZZLE = "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(object_store.VARIABLE, str(tmp_path))
    return tmp_path


def find_puzzles(find: Any) -> None:
    """Call the kernel on a small text, and check what comes out."""
    starts, numbers = np.zeros(20, np.int64), np.zeros(20, np.int64)
    assert find(TEXT, 4, starts, numbers) == FOUND
    assert starts[:3].tolist() == STARTS
    assert numbers[:3].tolist() == NUMBERS


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.object"))


# -- what is kept ------------------------------------------------------------------------------------------------------


def test_code_is_kept_and_used_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_puzzles(Kernel(LINES, "find_puzzles"))
    (path,) = files(folder)
    assert path.name.startswith("lines.find_puzzles-")
    monkeypatch.setattr(compiled, "BUILDING", "no.such.module")  # whoever wants to compile now, fails
    find_puzzles(Kernel(LINES, "find_puzzles"))
    monkeypatch.setenv(object_store.VARIABLE, str(folder / "another"))
    with pytest.raises(ModuleNotFoundError):
        find_puzzles(Kernel(LINES, "find_puzzles"))


@pytest.mark.parametrize("cut", [0, 5, 25, 52, 500, -1])
def test_a_damaged_file_is_made_anew(folder: Path, cut: int) -> None:
    find_puzzles(Kernel(LINES, "find_puzzles"))
    (path,) = files(folder)
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    assert object_store.read(path) is None
    find_puzzles(Kernel(LINES, "find_puzzles"))
    stored = object_store.read(path)
    assert stored is not None
    assert stored.results == 2


def test_every_changed_byte_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "some.object"
    assert object_store.write(path, Stored("name", 1, bytes(range(256))))
    assert object_store.read(path) == Stored("name", 1, bytes(range(256)))
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert object_store.read(path) is None, at


def test_writers_and_readers_at_once(tmp_path: Path) -> None:
    path = tmp_path / "some.object"
    choices = [Stored(f"name{number}", number, bytes([number]) * 100_000) for number in range(4)]
    assert object_store.write(path, choices[0])

    def write(number: int) -> bool:
        return all(object_store.write(path, choices[number]) for _ in range(30))

    with ThreadPoolExecutor(4) as pool:
        writing = [pool.submit(write, number) for number in range(4)]
        while not all(future.done() for future in writing):
            assert object_store.read(path) in choices
        assert all(future.result() for future in writing)
    assert list(tmp_path.iterdir()) == [path]


def test_two_processes_compile_at_once(folder: Path) -> None:
    code = (
        "import numpy as np\nfrom nonant.csp.machine.compiled import kernel\n"
        f"found = kernel({LINES!r}, 'find_puzzles')\n"
        "print(found(np.frombuffer(b'12.4\\n', np.uint8), 4, np.zeros(9, np.int64), np.zeros(9, np.int64)))"
    )
    command = [sys.executable, "-c", code]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(2)]
    assert [process.communicate(timeout=300)[0] for process in running] == ["(1, 1)\n"] * 2
    (path,) = files(folder)
    assert object_store.read(path) is not None
    assert list(folder.iterdir()) == [path]


def test_without_a_folder_numba_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "BUILDING", "no.such.module")
    (tmp_path / "file").write_text("not a folder")
    for setting in (object_store.OFF, str(tmp_path / "file")):
        monkeypatch.setenv(object_store.VARIABLE, setting)
        find_puzzles(Kernel(LINES, "find_puzzles"))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_files_that_nobody_reads_go(tmp_path: Path) -> None:
    old, used = tmp_path / "old.object", tmp_path / "used.object"
    for path in (old, used):
        assert object_store.write(path, Stored("name", 0, b""))
        os.utime(path, (1, 1))
    assert object_store.read(used) is not None
    assert object_store.write(tmp_path / "new.object", Stored("name", 0, b""))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.object", "used.object"]


def test_where_the_folder_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(object_store.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert object_store.folder() == tmp_path / "nonant"
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert object_store.folder() == tmp_path / ".cache" / "nonant"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert object_store.folder() == tmp_path / "Library" / "Caches" / "nonant"


# -- keys --------------------------------------------------------------------------------------------------------------


def test_the_key_follows_every_source(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "nonant.csp.kernels.classic.lockstep9"
    before = object_store.key(module, "count_lines", "i")
    assert before == object_store.key(module, "count_lines", "i")
    assert before != object_store.key(module, "count_lines", "i,i")
    assert before != object_store.key(module, "another", "i")
    source = object_store._source
    every = object_store.sources(module)
    assert {"nonant.csp.kernels.classic.digit9", "nonant.csp.kernels.simd.lanes", "nonant.csp.kernels.simd.bits"} < set(
        every
    )
    for edited in every:
        monkeypatch.setattr(object_store, "_source", lambda name, edited=edited: source(name) + "#" * (name == edited))
        assert object_store.key(module, "count_lines", "i") != before, edited
    stranger = "nonant.csp.kernels.scalar.scalar"
    monkeypatch.setattr(object_store, "_source", lambda name: source(name) + "#" * (name == stranger))
    assert object_store.key(module, "count_lines", "i") == before


def test_the_key_follows_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    before = object_store.key(LINES, "find_puzzles", "i")
    machine = object_store._machine()
    for at in range(len(machine)):
        other = (*machine[:at], "another", *machine[at + 1 :])
        monkeypatch.setattr(object_store, "_machine", lambda other=other: other)
        assert object_store.key(LINES, "find_puzzles", "i") != before


def parsed_imports(path: Path) -> set[str]:
    """The kernel modules that a file imports, by Python's own parser, over the whole file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = {name for name in inside if file_of(name)}
            found |= modules | ({node.module} if modules < inside else set())
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if "kernels" in name.split(".")}


def file_of(module: str) -> Path | None:
    layer, *rest = module.removeprefix("nonant.").split(".")
    path = ROOT.joinpath(layer, *rest)
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


@pytest.mark.parametrize("layer", ["csp", "models", "strategies"])
def test_imports_are_read_rightly(layer: str) -> None:
    paths = [path for path in (ROOT / layer).rglob("*.py") if "kernels" in path.parent.parts]
    for path in paths:
        assert set(object_store.imports(path.read_text(encoding="utf-8"))) == parsed_imports(path), path
    assert paths or layer == "models"


def test_sources_are_followed_into_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "top.py": "from farm.kernels.deep import one, CONSTANT\nfrom farm.plain import other\n",
        "deep/__init__.py": "CONSTANT = 1\n",
        "deep/one.py": "def run():\n    import farm.kernels.late as late\n    return late\n",
        "late.py": "from farm.kernels.deep.deeper.last import (\n    f,  # one (1)\n    g,\n)\n",
        "deep/deeper/__init__.py": "",
        "deep/deeper/last.py": "f = g = 1\n",
        "stranger.py": "",
        "__init__.py": "",
    }
    for name, text in texts.items():
        file = tmp_path / "farm" / "kernels" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tmp_path / "farm" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    expected = ["deep", "deep.deeper.last", "deep.one", "late", "top"]
    assert object_store.sources("farm.kernels.top") == tuple(f"farm.kernels.{name}" for name in expected)


# -- calls -------------------------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    first: Any
    second: Any


def test_signatures_tell_types_apart() -> None:
    words, bytes_ = np.zeros(3, np.int64), np.zeros((2, 2), np.uint8)
    assert signature_of((words, 1, np.int32(2))) == "<i81,i,i"
    assert signature_of((bytes_,)) == "|u12"
    assert len({signature_of(each) for each in [(words, words), ((words, words),), (Pair(words, words),)]}) == 3
    with pytest.raises(TypeError, match="contiguous"):
        signature_of((np.zeros((4, 4))[:, 1],))
    with pytest.raises(TypeError, match="str"):
        signature_of(("text",))


def test_arrays_of_several_dimensions_and_tuples() -> None:
    # The scalar engine takes a named tuple of arrays, one of them of two dimensions.
    from nonant import count
    from nonant.csp.backends.native import Native
    from nonant.models import model

    assert count(model("classic-4"), backend=Native(engine="scalar")) == 288


def test_a_batch_of_classic_grids_needs_no_numba() -> None:
    code = (
        "import sys\nfrom nonant import verify_many\nfrom nonant.csp.backends.native import Native\n"
        "from nonant import count, read\n"
        f"assert verify_many([{PUZZLE!r}]).counts.tolist() == [1]\n"
        f"assert count(read({PUZZLE!r}), backend=Native(engine='kernel')) == 1\n"
        "print('numba' in sys.modules)"
    )
    for _ in range(2):  # the first one may compile
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "False\n"


def test_kernels_are_kept_in_memory() -> None:
    assert kernel(LINES, "find_puzzles") is kernel(LINES, "find_puzzles")


# -- older layouts -----------------------------------------------------------------------------------------------------

PLAIN_LAYOUT = {
    "shed/__init__.py": "",
    "shed/kernels/__init__.py": "",
    "shed/kernels/helper.py": "from nonant.csp.machine.jit import njit\n\n"
    "@njit(cache=True)\ndef step(x):\n    return x + 1\n",
    "shed/kernels/caller.py": "from nonant.csp.machine.jit import njit\nfrom shed.kernels.helper import step\n\n"
    "@njit(cache=True)\ndef run(x):\n    return step(x) * 10\n",
}


def lay(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        os.utime(file, (1_700_000_000, 1_700_000_000))  # as an update that keeps the times of its archive


def test_what_numba_has_cached_goes_with_an_edit_or_a_move_of_another_file(tmp_path: Path) -> None:
    def run() -> str:
        code = "from shed.kernels.caller import run; print(run(1), sum(run.stats.cache_hits.values()))"
        places = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **places}, check=True
        )
        return done.stdout.strip()

    lay(tmp_path, PLAIN_LAYOUT)
    assert [run(), run()] == ["20 0", "20 1"]
    edited = PLAIN_LAYOUT["shed/kernels/helper.py"].replace("x + 1", "x + 2")  # as many bytes as before
    lay(tmp_path, {"shed/kernels/helper.py": edited})
    assert [run(), run()] == ["30 0", "30 1"]
    moved = PLAIN_LAYOUT["shed/kernels/caller.py"].replace("shed.kernels.helper", "shed.kernels.deeper")
    lay(tmp_path, {"shed/kernels/deeper.py": PLAIN_LAYOUT["shed/kernels/helper.py"], "shed/kernels/caller.py": moved})
    assert [run(), run()] == ["20 0", "20 1"]


def test_object_code_of_an_older_layout_has_another_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, PLAIN_LAYOUT)
    lay(tmp_path, {"barn/__init__.py": "", "barn/kernels/__init__.py": ""})
    lay(tmp_path, {"barn/kernels/caller.py": PLAIN_LAYOUT["shed/kernels/caller.py"]})
    monkeypatch.syspath_prepend(tmp_path)
    keys = {object_store.key(f"{house}.kernels.caller", "run", "i") for house in ("shed", "barn")}
    assert len(keys) == 2  # the same text under another name
    object_store.sources.cache_clear()
    lay(tmp_path, {"shed/kernels/deeper.py": PLAIN_LAYOUT["shed/kernels/helper.py"]})
    moved = PLAIN_LAYOUT["shed/kernels/caller.py"].replace("shed.kernels.helper", "shed.kernels.deeper")
    lay(tmp_path, {"shed/kernels/caller.py": moved})
    assert object_store.key("shed.kernels.caller", "run", "i") not in keys


def test_every_kernel_is_compiled_with_a_cache_that_follows_its_sources() -> None:
    for layer in ("csp", "models", "strategies"):
        for path in (ROOT / layer).rglob("kernels/**/*.py"):
            assert not re.search(r"from numba import .*\bnjit\b|numba\.njit", path.read_text(encoding="utf-8")), path
