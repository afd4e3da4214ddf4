"""A unit definition and a family of somebody else's, in a file outside the package: from Python and from the shell."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from nonant import Model, Unit, available, contention_graph, contention_map, contention_of, count, peers_by_kind

FILE = '''
from nonant import Model, Unit
from nonant.csp.units import columns, rows


def broken_diagonals(geometry):
    """The wrapped diagonals of a square: a unit definition as any other."""
    n = geometry.shape[0]
    for shift in range(n):
        yield Unit([(row, (row + shift) % n) for row in range(n)], f"diagonal {shift + 1}", "diagonal")


def family(n):
    return Model(f"wrapped-{n}", shape=(n, n), values=range(1, n + 1), constraints=[rows, columns, broken_diagonals])


FIVE = family(5)
'''


def shell(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "nonant", *arguments], capture_output=True, text=True, check=False)


def test_a_family_of_one_s_own_from_the_shell(tmp_path: Path) -> None:
    file = tmp_path / "wrapped.py"
    file.write_text(FILE)
    counted = shell("count", "." * 25, "--model", f"{file}:FIVE", "--json")
    assert counted.returncode == 0, counted.stderr
    # Of the cyclic squares (each row is the one above, moved by k) those with k = 1, 2, 3 have such diagonals.
    assert json.loads(counted.stdout)["count"] == 3 * 120
    for command in ("solve", "verify", "explain", "candidates"):
        answered = shell(command, "12345" + "." * 20, "--model", f"{file}:FIVE")
        assert "Traceback" not in answered.stderr, command
        assert answered.stdout, command


def test_a_unit_definition_of_one_s_own_in_every_backend(tmp_path: Path) -> None:
    space: dict[str, object] = {}
    exec(FILE, space)
    five = space["FIVE"]
    assert isinstance(five, Model)
    assert sum(isinstance(one, Unit) for one in five.constraints) == 15
    answers = {int(count(five, backend=name)) for name in ("native", "sat", "cpsat", "learner")}
    assert answers == {3 * 120}


def test_contention_is_a_public_name() -> None:
    model = Model("two", shape=(2, 2), values=(1, 2), constraints=[lambda g: [Unit([(0, 0), (0, 1)], "row 1", "row")]])
    table = contention_map(model)
    assert table.tolist() == [
        [True, True, False, False],
        [True, True, False, False],
        [False, False, True, False],
        [False, False, False, True],
    ]
    first = model.names[0]
    assert contention_of(model, first).sum() == 2
    assert peers_by_kind(model, first) == {"row": (model.names[1],)}
    assert list(contention_graph(model).edges) != []
    assert available(model.puzzle({model.names[1]: 1}), first) == (2,)
