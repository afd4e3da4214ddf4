"""The classic 9x9 grid: sixteen puzzles in lockstep, and one alone."""
