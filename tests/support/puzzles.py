"""A puzzle with one solution, one with six and one with none; and many of them."""

from __future__ import annotations

from nonant.csp.batch.run import MULTIPLE, NONE, UNIQUE

ONE = "4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........"
SOLVED = "468931527751624839392578461134756298289413675675289314846192753513867942927345186"
SIX = "92..8.65.6..2.43..3..5.9.72.7.953.......7.......6..5....142..3.....31..6.6.7..1.."
CLASH = "11" + "." * 79
LINES = [ONE, SIX, CLASH] * 50
COUNTS = [1, 6, 0] * 50
VERDICTS = [UNIQUE, MULTIPLE, NONE] * 50
