"""The Solve Path Notation under the name of a text form: everything is in `nonant.spn`."""

from __future__ import annotations

from nonant.spn import *  # noqa: F403
from nonant.spn import __all__ as __all__
