"""How answers are judged; every convention by its own name."""

from foundcause.bench.metrics.structure import Counts, counts, directed_f1, shd_entries, shd_pairs, skeleton_f1

__all__ = ["Counts", "counts", "directed_f1", "shd_entries", "shd_pairs", "skeleton_f1"]
