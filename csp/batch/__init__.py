"""Streams of puzzles: from any source, through kernels in threads or processes or on a cluster, to rows in a file."""
