"""The arrows between the layers, the names that must never be imported, and what the short path must not load."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# layer -> what it may import of this project
ALLOWED = {
    "csp": {"nonant.csp"},
    "models": {"nonant.csp", "nonant.models"},
    "strategies": {"nonant.csp", "nonant.strategies"},
}
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


def test_the_backends_that_check_the_native_engine_share_no_inference_with_it() -> None:
    own = {"nonant.csp.search", "nonant.csp.patterns", "nonant.csp.propagators", "nonant.csp.parity_system"}
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
