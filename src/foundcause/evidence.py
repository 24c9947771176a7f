"""A few readable statistics of each pair, shown beside an edge. Shapes: D columns, A active columns, F features."""

from __future__ import annotations

import numpy as np

_MAX_COLUMNS = 100
# What people read -> features that say it, the first one the network uses.
_SHOWN: dict[str, tuple[str, ...]] = {
    "correlation": ("pearson",),
    "rank correlation": ("spearman",),
    "partial correlation": ("partial_correlation", "pearson_partial", "copula_partial"),
    "mutual information": ("information",),
    "variance left unexplained": ("residual_variance", "cubic_error_x_forward"),
    "what is left depends on the cause": ("residual_dependence", "noise_dependence_x_forward"),
    "changing spread": ("variance_variation", "variance_spread_x_forward"),
    "non-Gaussian direction score": ("lingam", "third_moment"),
}


def evidence_matrices(statistics: np.ndarray, features: str, chosen: np.ndarray, columns: int) -> dict[str, np.ndarray]:
    """Named (D, D) matrices, NaN at columns that took no part.

    statistics: (A, A, F) of the feature set ``features``; ``chosen`` are the places of the A columns among the D.
    """
    from foundcause.statistics import feature_set

    if columns > _MAX_COLUMNS:
        return {}
    position: dict[str, int] = {}
    for k, feature in enumerate(feature_set(features).features):
        position.setdefault(feature.name.split(".")[-1], k)  # families put their name before a dot
    found: dict[str, np.ndarray] = {}
    for words, candidates in _SHOWN.items():
        name = next((candidate for candidate in candidates if candidate in position), None)
        if name is None:
            continue
        matrix = np.full((columns, columns), np.nan)
        matrix[np.ix_(chosen, chosen)] = statistics[:, :, position[name]]
        np.fill_diagonal(matrix, np.nan)
        found[words] = matrix
    return found
