"""The README's Python is run, its output compared with its comments, and its picture with what the command prints."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.support.files import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_of_the_readme_prints_what_it_says() -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", README, re.S))
    wanted = re.findall(r"print\(.*\)\s+# (.+)", code)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines() == wanted
    assert len(wanted) >= 3


def test_the_picture_is_what_the_command_finds() -> None:
    from nonant import picture, read, verify

    puzzle = re.search(r"\$ nonant verify (\S+)", README)
    assert puzzle is not None
    found = verify(read(puzzle[1]))
    assert f"{found.verdict.name}: {found.message}" in README
    drawings = [picture(solution, differs=found.differs).splitlines() for solution in found.solutions]
    for left, right in zip(*drawings, strict=True):
        assert f"{left}   {right}" in README


def test_the_shell_commands_of_the_readme_exist() -> None:
    from nonant.cli import COMMANDS

    named = set(re.findall(r"`nonant (\w+)", README)) | set(re.findall(r"nonant (\w+) \S+", README))
    assert {"solve", "verify", "count", "candidates", "models", "convert", "backends"} <= named
    assert {name for name in named if name in COMMANDS} >= {"solve", "verify"}
    for name in re.findall(r"`nonant ([a-z]+)", README):
        assert name in COMMANDS


def test_the_files_that_the_readme_links_exist() -> None:
    for path in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / path).exists(), path
