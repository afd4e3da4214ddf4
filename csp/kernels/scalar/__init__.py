"""Any model, one board at a time, depth first."""
