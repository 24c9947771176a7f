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
    return _average_change(cause[:, None], np.ones(1), effect, covariates)


def additive_effect(cause: np.ndarray, effect: np.ndarray, covariates: np.ndarray) -> Estimate:
    """Estimate the mean change of the effect when the cause rises by one unit around each row.

    Cause and covariates enter by restricted cubic splines, so that curves neither hide an effect nor leave confounding.

    Parameters
    ----------
    cause, effect : ndarray of shape (N,)
    covariates : ndarray of shape (N, P)

    Returns
    -------
    Estimate
        That of ``linear_effect`` where rows are too few for curves.
    """
    N = len(cause)
    curves = [spline(column) for column in covariates.T]
    knots = _knots(cause)
    if knots is None or 10 * (3 + sum(curve.shape[1] for curve in curves)) > N:
        return linear_effect(cause, effect, np.column_stack([*curves]) if curves and N > 200 else covariates)
    change = (_spline(cause + 0.5, knots) - _spline(cause - 0.5, knots)).mean(axis=0)
    return _average_change(_spline(cause, knots), change, effect, np.column_stack([np.zeros((N, 0)), *curves]))


def spline(values: np.ndarray) -> np.ndarray:
    """Return a column and its restricted cubic spline terms, (N, 1 or 3).

    Parameters
    ----------
    values : ndarray of shape (N,)

    Returns
    -------
    ndarray of shape (N, 1) or (N, 3)
        One column where the values are too few to bend.
    """
    knots = _knots(values)
    return values[:, None] if knots is None else _spline(values, knots)


def _knots(values: np.ndarray) -> np.ndarray | None:
    knots = np.quantile(values, [0.05, 0.35, 0.65, 0.95])
    return knots if np.diff(knots).min() > 0.05 * values.std() > 0 and len(np.unique(values)) > 5 else None


def _spline(values: np.ndarray, knots: np.ndarray) -> np.ndarray:
    """(N, 3): linear beyond the outer knots (Stone and Koo, "Additive splines in statistics", 1985)."""
    cubes = np.maximum(values[:, None] - knots, 0.0) ** 3
    before, last = knots[-2], knots[-1]
    bends = [
        (
            cubes[:, k]
            - cubes[:, 2] * (last - knots[k]) / (last - before)
            + cubes[:, 3] * (before - knots[k]) / (last - before)
        )
        / (last - knots[0]) ** 2
        for k in range(2)
    ]
    return np.column_stack([values, *bends])


def _average_change(terms: np.ndarray, change: np.ndarray, effect: np.ndarray, covariates: np.ndarray) -> Estimate:
    """Estimate ``change @ coefficients`` of the terms (N, T) of the cause, given covariates (HC3)."""
    N = len(effect)
    basis, singular, _ = np.linalg.svd(np.column_stack([np.ones(N), covariates]), full_matrices=False)
    basis = basis[:, singular > 1e-8 * singular[0]]
    rest = terms - basis @ (basis.T @ terms)
    if (rest[:, 0] ** 2).sum() <= 1e-10 * N * max(float(terms[:, 0].var()), 1e-300):
        return Estimate(0.0, float("inf"))
    if basis.shape[1] + terms.shape[1] + 1 > N:
        return Estimate(0.0, float("inf"))
    response = effect - basis @ (basis.T @ effect)
    inverse = np.linalg.pinv(rest.T @ rest, rcond=1e-10, hermitian=True)
    coefficients = inverse @ (rest.T @ response)
    residual = response - rest @ coefficients
    leverage = np.minimum((basis**2).sum(axis=1) + ((rest @ inverse) * rest).sum(axis=1), 1 - 1e-6)
    influence = rest @ (inverse @ change) * residual / (1 - leverage)
    return Estimate(float(change @ coefficients), float(np.sqrt((influence**2).sum())))


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
