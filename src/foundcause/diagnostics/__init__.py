"""What looks wrong with a table before any graph: cells, columns and shapes that mislead, each in a sentence."""

from foundcause.diagnostics.look import suspicions

__all__ = ["suspicions"]
