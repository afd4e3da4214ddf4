"""Object code: kernels called without numba, kept in a folder, built when they are first needed."""
