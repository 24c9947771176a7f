"""Statistics of ordered pairs of columns: which columns depend on each other, and in which direction.

``compute`` gives them for a batch of tables, ``feature_set`` names and describes them, ``register`` adds another one.
torch is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foundcause.features.registry import Feature, FeatureSet, Statistic, feature_set, register, unregister

if TYPE_CHECKING:
    from foundcause.features.pairwise import compute

__all__ = ["Feature", "FeatureSet", "Statistic", "compute", "feature_set", "register", "unregister"]


def __getattr__(name: str) -> Any:
    if name == "compute":
        from foundcause.features import pairwise

        return pairwise.compute
    raise AttributeError(f"module 'foundcause.features' has no attribute {name!r}")
