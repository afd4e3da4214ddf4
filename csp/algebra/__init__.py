"""Linear algebra over GF(2), and the parities of a model."""
