"""Chains and loops: the graph that they walk on, the searches over it, the names that players have for them."""
