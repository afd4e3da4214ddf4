"""Any model of units, and most others: a puzzle a lane, driven by a program made from the model."""
