"""The effect of one variable given covariates: regression, cross-fitted boosting, and doubly robust averages.

Shapes: N rows, P covariates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foundcause.errors import InputError

_FOLDS = 5
_CLIP = 0.02  # propensities are kept this far from 0 and 1


@dataclass(frozen=True)
class Estimate:
    """A value with its standard error."""

    value: float
    error: float


def linear_effect(cause: np.ndarray, effect: np.ndarray, covariates: np.ndarray) -> Estimate:
    """Estimate a slope by least squares, with a standard error that allows unequal noise (HC3).

    Parameters
    ----------
    cause, effect : ndarray of shape (N,)
    covariates : ndarray of shape (N, P)

    Returns
    -------
    Estimate
        Infinite error if the covariates determine the cause.
    """
    N = len(cause)
    basis, singular, _ = np.linalg.svd(np.column_stack([np.ones(N), covariates]), full_matrices=False)
    basis = basis[:, singular > 1e-8 * singular[0]]
    rest = cause - basis @ (basis.T @ cause)
    spread = float(rest @ rest)
    if spread <= 1e-10 * N * max(float(cause.var()), 1e-300) or basis.shape[1] + 2 > N:
        return Estimate(0.0, float("inf"))
    response = effect - basis @ (basis.T @ effect)
    slope = float(rest @ response) / spread
    residual = response - slope * rest
    leverage = np.minimum((basis**2).sum(axis=1) + rest**2 / spread, 1 - 1e-6)
    error = float(np.sqrt(((rest * residual / (1 - leverage)) ** 2).sum())) / spread
    return Estimate(slope, error)


def partially_linear(cause: np.ndarray, effect: np.ndarray, covariates: np.ndarray, *, seed: int = 0) -> Estimate:
    """Estimate a slope after gradient boosting has explained cause and effect by the covariates.

    Each row is predicted by models that did not see it (Chernozhukov et al., "Double/debiased machine learning", 2018).

    Parameters
    ----------
    cause, effect : ndarray of shape (N,)
    covariates : ndarray of shape (N, P)
    seed : int
        Of folds and models.

    Returns
    -------
    Estimate
    """
    if not covariates.shape[1]:
        return linear_effect(cause, effect, covariates)
    rest = cause - _cross_fitted(covariates, cause, seed)
    response = effect - _cross_fitted(covariates, effect, seed)
    return linear_effect(rest, response, np.zeros((len(cause), 0)))


def doubly_robust(cause: np.ndarray, effect: np.ndarray, covariates: np.ndarray, *, seed: int = 0) -> Estimate:
    """Estimate the average effect of a treatment with two values (augmented inverse probability weighting).

    Parameters
    ----------
    cause : ndarray of shape (N,)
        Zeros and ones.
    effect : ndarray of shape (N,)
    covariates : ndarray of shape (N, P)
    seed : int
        Of folds and models.

    Returns
    -------
    Estimate
    """
    if not np.isin(cause, (0.0, 1.0)).all():
        raise InputError("the doubly robust estimator needs a treatment with two values; use 'linear' or 'boosting'")
    if not covariates.shape[1]:
        return linear_effect(cause, effect, covariates)
    chance = np.clip(_cross_fitted(covariates, cause, seed, classify=True), _CLIP, 1 - _CLIP)
    treated = _cross_fitted(covariates, effect, seed, only=cause == 1)
    untreated = _cross_fitted(covariates, effect, seed, only=cause == 0)
    scores = treated - untreated
    scores += cause * (effect - treated) / chance - (1 - cause) * (effect - untreated) / (1 - chance)
    return Estimate(float(scores.mean()), float(scores.std(ddof=1)) / len(scores) ** 0.5)


def _cross_fitted(
    covariates: np.ndarray, target: np.ndarray, seed: int, *, only: np.ndarray | None = None, classify: bool = False
) -> np.ndarray:
    """Predictions (N,) of each row by models fitted to the other folds, on the rows of ``only``."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.model_selection import KFold

    options = {
        "max_iter": 100,
        "max_leaf_nodes": 8,
        "learning_rate": 0.06,
        "min_samples_leaf": 20,
        "random_state": seed,
    }
    predictions = np.empty(len(target))
    for train, test in KFold(_FOLDS, shuffle=True, random_state=seed).split(covariates):
        chosen = train if only is None else train[only[train]]
        if len(chosen) < 5 or np.ptp(target[chosen]) == 0:
            predictions[test] = target[chosen].mean() if len(chosen) else target.mean()
        elif classify:
            model = HistGradientBoostingClassifier(**options).fit(covariates[chosen], target[chosen] > 0.5)
            predictions[test] = model.predict_proba(covariates[test])[:, 1]
        else:
            predictions[test] = (
                HistGradientBoostingRegressor(**options)
                .fit(covariates[chosen], target[chosen])
                .predict(covariates[test])
            )
    return predictions
