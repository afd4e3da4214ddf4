"""Between lines of text and numbers, without a Python object a puzzle."""
