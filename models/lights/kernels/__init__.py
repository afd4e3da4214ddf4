"""Lights Out on rectangles by polynomials, compiled. Importing one imports numba."""
