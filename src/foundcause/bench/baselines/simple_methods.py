"""Baselines written here: correlation, sorting, SCORE, and Granger for rows in the order of time.

A method for series answers with one graph: i causes j when i enters the equation of j in the same row or an earlier
one. Shape letters: N rows, D variables.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import f as f_distribution

from foundcause.bench.baselines.method import Method, Table, on_complete, standardised
from foundcause.bench.case import Answer

CORRELATION = 0.3
SCORE_ROWS = 1000
SCORE_LEVEL = 0.001


def _naive(values: np.ndarray, table: Table) -> Answer:
    correlation = np.abs(np.corrcoef(values.T))
    forward = np.triu(np.random.default_rng(table.seed).random(correlation.shape) < 0.5, 1)
    forward = forward | np.tril(~forward.T, -1)
    return Answer(adjacency=(correlation > CORRELATION) & forward)


def _variance_sort(values: np.ndarray, table: Table) -> Answer:
    return Answer(adjacency=regress_in_order(values, np.argsort(values.var(axis=0), kind="stable")))


def _r2_sort(values: np.ndarray, table: Table) -> Answer:
    # The ridge lets columns that others determine be explained fully, where a pseudo-inverse would say not at all.
    precision = np.linalg.inv(np.corrcoef(values.T) + 1e-9 * np.eye(values.shape[1]))
    explained = 1 - 1 / np.maximum(np.diag(precision), 1.0)
    return Answer(adjacency=regress_in_order(values, np.argsort(explained, kind="stable")))


def regress_in_order(values: np.ndarray, order: np.ndarray) -> np.ndarray:
    """(D, D) bool: each variable on its predecessors by adaptive lasso, the penalty chosen by BIC.

    As in sort-and-regress of Reisach et al. (2021, 2023).
    """
    from sklearn.linear_model import LassoLarsIC, LinearRegression

    scaled = standardised(values)
    adjacency = np.zeros((len(order), len(order)), dtype=bool)
    for position in range(1, len(order)):
        before, target = order[:position], order[position]
        weight = np.abs(LinearRegression().fit(scaled[:, before], scaled[:, target]).coef_)
        lasso = LassoLarsIC(criterion="bic").fit(scaled[:, before] * weight, scaled[:, target])
        adjacency[before, target] = np.abs(lasso.coef_ * weight) > 0
    return adjacency


def _score(values: np.ndarray, table: Table) -> Answer:
    """SCORE (Rolland et al. 2022): the leaf is where the score's Jacobian varies least; then pruning by F tests."""
    rng = np.random.default_rng(table.seed)
    if len(values) > SCORE_ROWS:
        values = values[np.sort(rng.choice(len(values), SCORE_ROWS, replace=False))]
    spread = values.std(axis=0)
    scaled = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    left = list(range(scaled.shape[1]))
    order: list[int] = []
    while len(left) > 1:
        leaf = int(np.argmin(stein_diagonal(scaled[:, left]).var(axis=0)))
        order.insert(0, left.pop(leaf))
    order.insert(0, left[0])
    return Answer(adjacency=prune(scaled, np.array(order)))


def stein_diagonal(values: np.ndarray, ridge: float = 0.01) -> np.ndarray:
    """(N, D) diagonal of the Jacobian of the score at every row, by Stein's identities with an RBF kernel."""
    rows = len(values)
    length = (values**2).sum(axis=1)
    square = np.maximum(length[:, None] + length[None, :] - 2 * values @ values.T, 0.0)  # (N, N) distances
    width = np.sqrt(np.median(square[np.triu_indices(rows, 1)])) or 1.0
    kernel = np.exp(-square / (2 * width**2)) / width
    # sums over the other row of the kernel times a power of the difference, multiplied out: no (N, N, D) array
    total, moved, moved_square = kernel.sum(axis=1)[:, None], kernel @ values, kernel @ values**2
    first = (values * total - moved) / width**2
    inverse = np.linalg.inv(kernel + ridge * np.eye(rows))
    gradient = inverse @ first
    second = (values**2 * total - 2 * values * moved + moved_square) / width**4 - total / width**2
    return -(gradient**2) + inverse @ second


def prune(values: np.ndarray, order: np.ndarray, most: int = 20) -> np.ndarray:
    """(D, D) bool: predecessors whose cubic terms improve an additive regression (F test, level 0.001).

    At most ``most`` predecessors, those most correlated with the variable, enter one regression.
    """
    rows, variables = values.shape
    adjacency = np.zeros((variables, variables), dtype=bool)
    powers = np.stack([values, values**2, values**3], axis=2)  # (N, D, 3)
    powers = (powers - powers.mean(axis=0)) / np.maximum(powers.std(axis=0), 1e-12)
    for position in range(1, variables):
        target = order[position]
        before = order[:position]
        linked = np.abs(values[:, before].T @ values[:, target])
        before = before[np.argsort(-linked, kind="stable")[:most]]
        free = rows - 3 * len(before) - 1
        if free < 10:
            before = before[: max(1, (rows - 11) // 3)]
            free = rows - 3 * len(before) - 1
        design = powers[:, before].reshape(rows, -1)
        full = _residual(design, values[:, target])
        for k, candidate in enumerate(before):
            reduced = _residual(np.delete(design, slice(3 * k, 3 * k + 3), axis=1), values[:, target])
            statistic = ((reduced - full) / 3) / max(full / free, 1e-300)
            adjacency[candidate, target] = f_distribution.sf(statistic, 3, free) < SCORE_LEVEL
    return adjacency


def _residual(design: np.ndarray, target: np.ndarray) -> float:
    design = np.column_stack([np.ones(len(target)), design])
    coefficients = np.linalg.lstsq(design, target, rcond=None)[0]
    return float(((target - design @ coefficients) ** 2).sum())


SIMPLE = (
    Method(
        "naive_correlation",
        "Naive correlation",
        on_complete(_naive),
        f"absolute correlation above {CORRELATION}, direction by a coin",
        paper="Naive correlation",
        random=True,
        pairs=True,
    ),
    Method(
        "var_sort",
        "Variance sort and regress",
        on_complete(_variance_sort),
        "order by variance of the raw columns, adaptive lasso with BIC",
        needs=("sklearn",),
        pairs=True,
    ),
    Method(
        "r2_sort",
        "R2 sort and regress",
        on_complete(_r2_sort),
        "order by explained variance given all other columns, adaptive lasso with BIC",
        needs=("sklearn",),
    ),
    Method(
        "score",
        "SCORE",
        on_complete(_score),
        f"ours: Stein estimator on at most {SCORE_ROWS} rows, pruning by cubic F tests at {SCORE_LEVEL}",
        paper="SCORE",
    ),
)


LAGS = 2
LEVEL = 0.05


def _granger(values: np.ndarray, table: Table) -> Answer:
    """Granger (1969): do the lags of i improve the regression of j on the lags of all?"""
    scaled = standardised(values)
    now = scaled[LAGS:]
    past = np.concatenate([scaled[LAGS - lag : -lag] for lag in range(1, LAGS + 1)], axis=1)  # (N, LAGS * D)
    rows, variables = now.shape
    free = rows - past.shape[1] - 1
    full = _unexplained(past, now)
    adjacency = np.zeros((variables, variables), dtype=bool)
    for cause in range(variables):
        without = np.delete(past, [cause + variables * lag for lag in range(LAGS)], axis=1)
        statistic = (_unexplained(without, now) - full) / LAGS / np.maximum(full / max(free, 1), 1e-300)
        adjacency[cause] = f_distribution.sf(statistic, LAGS, max(free, 1)) < LEVEL / (variables * (variables - 1))
    np.fill_diagonal(adjacency, False)
    return Answer(adjacency=adjacency)


def _unexplained(past: np.ndarray, now: np.ndarray) -> np.ndarray:
    """(D,) residual sums of squares of every column of ``now``."""
    design = np.column_stack([np.ones(len(past)), past])
    return np.asarray(((now - design @ np.linalg.lstsq(design, now, rcond=None)[0]) ** 2).sum(axis=0))


def _var_lingam(values: np.ndarray, table: Table) -> Answer:
    from causallearn.search.FCMBased.lingam import VARLiNGAM

    model = VARLiNGAM(lags=LAGS, criterion="bic", prune=True, random_state=table.seed)
    model.fit(standardised(values))
    effects = np.abs(np.stack(model.adjacency_matrices_)).max(axis=0)  # [j, i]: i on j, now or earlier
    adjacency = effects.T > 0
    np.fill_diagonal(adjacency, False)
    return Answer(adjacency=adjacency)


SERIES = (
    Method(
        "granger",
        "Granger",
        on_complete(_granger),
        f"ours: regression on {LAGS} rows before of all columns, F tests at {LEVEL}, Bonferroni over pairs",
        series=True,
    ),
    Method(
        "var_lingam",
        "VAR-LiNGAM",
        on_complete(_var_lingam),
        f"causal-learn VARLiNGAM, up to {LAGS} lags by BIC, its own pruning",
        needs=("causallearn", "statsmodels"),
        series=True,
    ),
)
