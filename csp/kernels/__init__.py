"""Compiled kernels. Importing one imports numba: only do it where a kernel is about to run."""
