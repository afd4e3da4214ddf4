"""A backend from another package: the one of docs/backends.md, laid out as pip would install it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.files import ROOT

FOUR = "1..." "..2." ".3.." "...4"  # fmt: skip
NINE = "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"


def snippet() -> str:
    """The backend in the documentation."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "backends.md").read_text(encoding="utf-8"), re.DOTALL)
    return str(next(block for block in blocks if "class Plain" in block))


def install(folder: Path, package: str, module: str, code: str, entries: dict[str, str]) -> None:
    """What installing a package leaves in site-packages: the module, and its metadata beside it."""
    (folder / f"{module}.py").write_text(code, encoding="utf-8")
    metadata = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {reference}" for name, reference in entries.items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[nonant.backends]", *lines, ""]))


def nonant(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "-m", "nonant", *arguments)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=60, cwd=ROOT, env=environment
    )


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A folder in which the backend of the documentation is installed."""
    install(tmp_path, "nonant-plain", "plain_backend", snippet(), {"plain": "plain_backend:Plain"})
    return tmp_path


def test_it_is_listed(plain: Path) -> None:
    listed = [line.split()[0] for line in nonant(plain, "backends").stdout.splitlines()]
    assert {"auto", "native", "sat", "cpsat", "plain"} <= set(listed)


def test_it_solves_and_counts(plain: Path) -> None:
    native = nonant(plain, "solve", FOUR, "--all", "--backend", "native").stdout.split()
    done = nonant(plain, "solve", FOUR, "--all", "--backend", "plain")
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.split()) == sorted(native)
    counted = nonant(plain, "count", "." * 16, "--backend", "plain", "--json").stdout
    assert json.loads(counted) == {"count": 288, "complete": True}
    assert nonant(plain, "count", "." * 16, "--backend", "plain", "--node-limit", "50").returncode == 5


def test_it_refuses_with_its_own_reason(plain: Path) -> None:
    done = nonant(plain, "solve", NINE, "--backend", "plain")
    assert done.returncode == 2
    assert "81 cells are too many to try" in done.stderr


def test_it_is_compared(plain: Path) -> None:
    done = nonant(plain, "compare", FOUR, "--json")
    found = json.loads(done.stdout)
    rows = {row["backend"]: row for row in found["rows"]}
    assert done.returncode == 0
    assert found["agree"]
    assert rows["plain"]["status"] == rows["native"]["status"]
    assert rows["plain"]["nodes"] > 0
    done = nonant(plain, "compare", NINE, "--backends", "plain,native")
    assert done.returncode == 0
    assert "plain    unsupported" in done.stdout
    assert "plain: 81 cells are too many to try, at most 40" in done.stdout


def test_it_is_right_about_random_models(plain: Path) -> None:
    code = (
        "from nonant.csp.backends import registry\nfrom nonant.csp.backends.base import Limits, Progress\n"
        "from tests.support.random_models import Random, brute_force, random_only, random_puzzle\n"
        "for seed in range(60):\n"
        "    puzzle = random_puzzle(seed)\n"
        "    for only in (None, random_only(puzzle, Random(seed))):\n"
        "        progress = Progress()\n"
        "        found = list(registry.get('plain').session(puzzle).run(progress, Limits(), only))\n"
        "        assert progress.exhausted and len(set(found)) == len(found), seed\n"
        "        assert set(found) == brute_force(puzzle, only), seed\n"
    )
    done = run(plain, "-c", code)
    assert (done.returncode, done.stderr) == (0, "")


def test_two_plugins_of_one_name_are_both_named(plain: Path) -> None:
    install(plain, "nonant-rival", "rival_backend", snippet(), {"plain": "rival_backend:Plain"})
    for arguments in (("backends",), ("solve", FOUR, "--backend", "plain"), ("compare", FOUR)):
        done = nonant(plain, *arguments)
        assert done.returncode == 2
        assert "plain_backend:Plain" in done.stderr
        assert "rival_backend:Plain" in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_plugin_may_not_take_the_name_of_a_built_in_backend(tmp_path: Path) -> None:
    install(tmp_path, "nonant-rival", "rival_backend", snippet(), {"native": "rival_backend:Plain"})
    done = nonant(tmp_path, "backends")
    assert done.returncode == 2
    assert "nonant.csp.backends.native:BACKEND and rival_backend:Plain" in done.stderr


@pytest.mark.parametrize(
    ("was", "becomes", "message"),
    [
        ("def session(", "def opened(", "has no method session()"),
        ("def why_not(", "def refuses(", "has no method why_not()"),
        ('name = "plain"', 'name = "plane"', "calls itself 'plane'"),
        ("capabilities = Capabilities()", "capabilities = None", "has no Capabilities record"),
        ("Capabilities()\n", "Capabilities(constraints=frozenset({'Magic'}))\n", "unknown constraint classes: Magic"),
        ("class Plain:", "class Other:", "cannot be loaded"),
    ],
)
def test_what_is_wrong_with_a_plugin_is_named(tmp_path: Path, was: str, becomes: str, message: str) -> None:
    code = snippet().replace(was, becomes)
    assert code != snippet()
    install(tmp_path, "nonant-plain", "plain_backend", code, {"plain": "plain_backend:Plain"})
    done = nonant(tmp_path, "solve", FOUR, "--backend", "plain")
    assert done.returncode == 2
    assert "'plain' (plain_backend:Plain)" in done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_plugin_that_cannot_be_loaded_is_a_row_with_its_reason(tmp_path: Path) -> None:
    code = "import no_such_solver\n" + snippet()
    install(tmp_path, "nonant-plain", "plain_backend", code, {"plain": "plain_backend:Plain"})
    done = nonant(tmp_path, "compare", FOUR, "--backends", "native,plain", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["rows"][1]["status"] == "unavailable"
    assert "no_such_solver" in nonant(tmp_path, "compare", FOUR, "--backends", "native,plain").stdout
