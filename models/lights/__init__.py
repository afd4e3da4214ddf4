"""Lights Out: games and boards, the ways to solve them, the fewest presses, proofs of radii."""
