"""The arrows between the layers, the names that must never be imported, and what the short path must not load."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import networkx as nx
import pytest

from tests.support.files import ROOT

# layer -> what it may import of this project
ALLOWED = {
    "csp": {"nonant.csp"},
    "models": {"nonant.csp", "nonant.models"},
    "strategies": {"nonant.csp", "nonant.strategies"},
}
DOOR = "nonant"  # the fourth layer, which may import all of them
# What `csp` may not be heard to speak of: it knows no puzzle.
PUZZLES = ("lights", "sudoku", "jigsaw", "windoku", "killer")
HEAVY = ("numpy", "numba", "networkx", "ortools", "pysat", "rich")
PUZZLE = "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            yield node.module or ""


@pytest.mark.parametrize("layer", ALLOWED)
def test_layers_import_only_what_is_below(layer: str) -> None:
    files = list((ROOT / layer).rglob("*.py"))
    assert files
    for file in files:
        for name in imported(file):
            if name.split(".")[0] == "nonant":
                assert any(name == known or name.startswith(known + ".") for known in ALLOWED[layer]), f"{file}: {name}"


def modules() -> dict[str, Path]:
    found = {}
    for layer in (*ALLOWED, DOOR):
        for file in (ROOT / layer).rglob("*.py"):
            parts = list(file.relative_to(ROOT).with_suffix("").parts)
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            found[".".join(parts if layer == DOOR else [DOOR, *parts])] = file
    return found


def needed(file: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules of this project that a file imports, now or later; not those that only type checkers read."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    typing = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    skipped = {id(inner) for node in typing for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and id(node) not in skipped:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in known else node.module or "" for name in names)


def test_no_module_needs_itself_by_way_of_others() -> None:
    known = modules()
    graph = nx.DiGraph((name, other) for name, file in known.items() for other in needed(file, known) if other in known)
    circles = [sorted(some) for some in nx.strongly_connected_components(graph) if len(some) > 1]
    assert circles == []
    assert len(graph) > 150


def test_the_framework_is_not_the_door() -> None:
    # What installs as nonant.formats, nonant.commands and so on belongs to the door: no layer below may reach up.
    for layer in ALLOWED:
        for file in (ROOT / layer).rglob("*.py"):
            for name in imported(file):
                assert name != DOOR, file
                assert not name.startswith(("nonant.formats", "nonant.commands", "nonant.spn", "nonant.cli")), file


def test_the_framework_names_no_puzzle_in_its_modules() -> None:
    for file in (ROOT / "csp").rglob("*.py"):
        assert not any(word in file.name for word in PUZZLES), file


def test_the_backends_that_check_the_native_engine_share_no_inference_with_it() -> None:
    own = {
        "nonant.csp.plain.search",
        "nonant.csp.plain.patterns",
        "nonant.csp.plain.propagators",
        "nonant.csp.algebra.parity_system",
    }
    for name in ("sat", "cpsat", "clauses", "cryptominisat", "learner"):
        assert not own & set(imported(ROOT / "csp" / "backends" / f"{name}.py")), name


def test_nothing_imports_the_folders_by_their_bare_names() -> None:
    # csp, models and strategies are other people's packages.
    for folder in ("nonant", "csp", "models", "strategies", "tests", "benchmarks"):
        for file in (ROOT / folder).rglob("*.py"):
            for name in imported(file):
                assert name.split(".")[0] not in ALLOWED, f"{file}: {name}"


def test_no_module_of_a_bare_name_is_loaded() -> None:
    code = "import nonant, sys; nonant.verify(nonant.read('.' * 16)); print([n for n in %r if n in sys.modules])"
    names = tuple(ALLOWED)
    done = subprocess.run([sys.executable, "-c", code % (names,)], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", ["solve", "verify", "count"])
def test_a_small_puzzle_is_answered_without_heavy_imports(command: str) -> None:
    code = (
        "import sys\nfrom nonant.cli import main\n"
        f"try:\n    main([{command!r}, {PUZZLE!r}])\nfinally:\n"
        f"    print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_killer_is_answered_without_heavy_imports() -> None:
    code = (
        "import sys, nonant\nfrom nonant.csp.units import rows, columns, cages\n"
        "rules = [rows, columns, cages([(3, ['r1c1', 'r2c1'])])]\n"
        "m = nonant.Model('k', shape=(3, 3), values=(1, 2, 3), constraints=rules)\n"
        "assert nonant.count(m) == 4\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_the_library_does_not_print() -> None:
    for folder in ("csp", "models", "strategies", "nonant/formats"):
        for file in (ROOT / folder).rglob("*.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
            assert not [call for call in calls if isinstance(call, ast.Name) and call.id == "print"], file


def test_the_public_names_exist() -> None:
    import nonant

    for name in nonant.__all__:
        assert getattr(nonant, name) is not None
    with pytest.raises(AttributeError):
        nonant.no_such_name  # noqa: B018


def test_no_public_name_is_that_of_a_module_beside_it() -> None:
    # A name that loads when it is first used would be the function once, and the module from then on.
    for package in ("nonant", "nonant.strategies"):
        module = import_module(package)
        beside = {found.name for found in iter_modules(module.__path__)}
        assert not beside & set(module.__all__), package


def test_no_test_imports_another() -> None:
    for file in (ROOT / "tests").rglob("*.py"):
        for name in imported(file):
            assert not name.startswith("tests.") or name.startswith("tests.support."), f"{file}: {name}"
