"""The command line in a process of its own."""

from __future__ import annotations

import subprocess
import sys

from tests.support.files import ROOT


def nonant(*arguments: str, stdin: str | bytes = "", timeout: float = 60) -> subprocess.CompletedProcess[str]:
    text = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [sys.executable, "-m", "nonant", *arguments], input=text, capture_output=True, timeout=timeout, cwd=ROOT
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace")
    )
