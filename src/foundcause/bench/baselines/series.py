"""Methods for rows in the order of time. Shape letters: N rows, D variables.

Each answers with one graph: i causes j when i enters the equation of j in the same row or an earlier one.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import f as f_distribution

from foundcause.bench.answer import Answer
from foundcause.bench.baselines.method import Method, Table
from foundcause.bench.baselines.prepare import on_complete, standardised

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


METHODS = (
    Method(
        name="granger",
        label="Granger",
        run=on_complete(_granger),
        settings=f"ours: regression on {LAGS} rows before of all columns, F tests at {LEVEL}, Bonferroni over pairs",
        series=True,
    ),
    Method(
        name="var_lingam",
        label="VAR-LiNGAM",
        run=on_complete(_var_lingam),
        settings=f"causal-learn VARLiNGAM, up to {LAGS} lags by BIC, its own pruning",
        needs=("causallearn", "statsmodels"),
        series=True,
    ),
)
