"""What holds for all tests: Ctrl-C works, also where the shell that started them had switched it off."""

from __future__ import annotations

import signal

# Shells run background jobs with SIGINT ignored, and children inherit that: tests of Ctrl-C would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
