"""The readable engine: search and propagation in plain Python, and what answers a small question at once."""
