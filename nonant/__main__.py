"""`python -m nonant`: the command line."""

from nonant.cli import main

main()
