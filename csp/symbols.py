"""Signs, said once: what stands for an empty cell, and the symbols of numbers."""

from __future__ import annotations

# An empty cell, in order of preference when one is written; a sign that is a value of the model is no blank in it.
BLANKS = (".", "0", "_", "-", "*")
# The symbol of a number up to 35 is one character, as in every large Sudoku: 10 is A.
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
