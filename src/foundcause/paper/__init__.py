"""Everything that exists to reproduce the paper, with its equation numbers."""
