"""Statistics of ordered pairs of columns: which columns depend on each other, and in which direction.

``compute`` gives them for a batch of tables, ``feature_set`` names and describes them. torch is imported on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_HOMES = {
    "FAMILIES": "pairwise",
    "Feature": "registry",
    "FeatureSet": "registry",
    "PAPER": "paper_features",
    "PAPER_CONSTANTS": "constants",
    "PAPER_KERNEL_ROWS": "paper",
    "RELEASE": "release_features",
    "RffConstants": "constants",
    "compute": "pairwise",
    "family": "pairwise",
    "feature_set": "pairwise",
    "selection": "pairwise",
}

__all__ = [
    "FAMILIES",
    "PAPER",
    "PAPER_CONSTANTS",
    "PAPER_KERNEL_ROWS",
    "RELEASE",
    "Feature",
    "FeatureSet",
    "RffConstants",
    "compute",
    "family",
    "feature_set",
    "selection",
]

if TYPE_CHECKING:
    from foundcause.features.constants import PAPER_CONSTANTS, RffConstants
    from foundcause.features.pairwise import FAMILIES, compute, family, feature_set, selection
    from foundcause.features.paper import PAPER_KERNEL_ROWS
    from foundcause.features.paper_features import PAPER
    from foundcause.features.registry import Feature, FeatureSet
    from foundcause.features.release_features import RELEASE


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"foundcause.features.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'foundcause.features' has no attribute {name!r}")
