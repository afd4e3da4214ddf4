"""Proofs: what makes one right, who writes them down, and checkers that share no code with whoever found them."""
