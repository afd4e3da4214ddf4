"""Techniques that look for a pattern, one family a file."""
