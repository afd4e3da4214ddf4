"""What numba lacks: vectors that stay in registers, single machine instructions, aligned memory."""
