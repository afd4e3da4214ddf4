"""The framework: models, solvers, verification. It knows no puzzle."""
