"""The commands, one a file; `nonant.cli` lists them."""
