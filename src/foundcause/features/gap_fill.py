"""Missing cells filled with observed values of similar rows. N rows, D variables, P predictors.

Statistics over the observed cells of each pair are biased where gaps depend on other columns, and no two of them speak
of the same rows. Instead every gap takes the value of a donor: a row whose predicted value is close to its own
(predictive mean matching). Which of the close donors is left to chance, so that passes with different seeds show how
much the gaps leave open.
"""

from __future__ import annotations

import numpy as np

SWEEPS = 2
DONORS = 5
_RIDGE = 0.5  # times the number of predictors: coefficients are taken to share one variance


def gap_seed(seed: int, view: int) -> int | None:
    """The gap treatment of a pass: a seed of donors, or None for every fourth pass, which judges pairs by joint rows.

    Both treatments err, and differently: the average is better than either (research/training_log.md).
    """
    if view % 4 == 3:
        return None
    return int(np.random.SeedSequence([seed, view]).generate_state(1)[0])


def fill_gaps(values_ND: np.ndarray, observed_ND: np.ndarray, *, seed: int = 0) -> np.ndarray:
    """(N, D) values without gaps; observed cells are untouched, and columns without any observed cell become 0."""
    values = np.where(observed_ND, values_ND, 0.0)
    if observed_ND.all():
        return values
    rng = np.random.default_rng(seed)
    regression = _Regression(_normal_scores(values, observed_ND))
    # The fullest columns first: what is filled later leans on them.
    counts = (~observed_ND).sum(axis=0)
    targets = [int(k) for k in np.argsort(counts, kind="stable") if 0 < counts[k] < len(values)]
    for _ in range(SWEEPS):
        for k in targets:
            seen = observed_ND[:, k]
            donors = _donors(rng, regression.predict(k, ~seen), seen)
            values[~seen, k] = values[donors, k]
            regression.replace(k, ~seen, donors)
    return values


def _donors(rng: np.random.Generator, predicted: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """A row for every gap: one of the observed rows whose predictions are nearest."""
    rows = np.flatnonzero(seen)
    # Rows that look the same are ordered by chance, not by place.
    rows = rows[rng.permutation(len(rows))]
    rows = rows[np.argsort(predicted[rows], kind="stable")]
    wanted = predicted[~seen]
    low, high = (np.searchsorted(predicted[rows], wanted, side=side) for side in ("left", "right"))
    place = low + (rng.random(len(wanted)) * (high - low + 1)).astype(int)
    first = np.clip(place - DONORS // 2, 0, max(len(rows) - DONORS, 0))
    return rows[np.minimum(first + rng.integers(0, DONORS, len(first)), len(rows) - 1)]


class _Regression:
    """Ridge regression of any column on all others, its sums of products kept up to date as gaps change hands."""

    def __init__(self, scores_ND: np.ndarray) -> None:
        self._basis = np.concatenate([scores_ND, np.ones((len(scores_ND), 1))], axis=1)
        self._products = self._basis.T @ self._basis

    def predict(self, k: int, gaps: np.ndarray) -> np.ndarray:
        """(N,) prediction of column ``k``, learned from the rows where it is observed."""
        others = np.delete(np.arange(self._basis.shape[1]), k)
        lost = self._basis[gaps]
        products = self._products - lost.T @ lost
        penalty = np.full(len(others), _RIDGE * (len(others) - 1) + 1e-9)
        penalty[-1] = 1e-9  # the constant
        weights = np.linalg.solve(products[np.ix_(others, others)] + np.diag(penalty), products[others, k])
        return self._basis[:, others] @ weights

    def replace(self, k: int, gaps: np.ndarray, donors: np.ndarray) -> None:
        """Give the gaps of column ``k`` the scores of their donors."""
        self._basis[gaps, k] = self._basis[donors, k]
        self._products[k] = self._products[:, k] = self._basis[:, k] @ self._basis


def _normal_scores(values: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """(N, D) normal scores of average ranks, standardized over observed cells; 0 in gaps."""
    from scipy.special import ndtri
    from scipy.stats import rankdata  # half a second to import, and most tables have no gaps

    scores = np.zeros(values.shape)
    for k in range(values.shape[1]):
        seen = observed[:, k]
        if not seen.any():
            continue
        column = ndtri((rankdata(values[seen, k]) - 0.5) / seen.sum())
        spread = column.std()
        scores[seen, k] = (column - column.mean()) / (spread if spread > 1e-12 else 1.0)
    return scores
