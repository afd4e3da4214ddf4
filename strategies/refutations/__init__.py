"""Refutations: a candidate assumed, and what is forced followed to a contradiction."""
