"""Shortcuts in synthetic data: how far the causal order can be read off variances or predictabilities alone.

Varsortability: Reisach, Seiler, Weichwald (2021). R2-sortability: Reisach et al. (2023). One half means no information.
N rows, D columns.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.task import Task

_RIDGE = 1e-6  # keeps collinear columns invertible


def sortability(score_D: np.ndarray, adjacency: np.ndarray) -> float:
    """Share of directed paths, counted once per length and pair of ends, along which the score grows.

    Ties count one half; NaN without edges.
    """
    edges = adjacency.astype(np.float64)
    grows = np.sign(score_D[None, :] - score_D[:, None]) * 0.5 + 0.5
    close = np.isclose(score_D[None, :], score_D[:, None], rtol=1e-9, atol=0.0)
    grows[close] = 0.5
    total, right = 0.0, 0.0
    paths = edges.copy()
    for _ in range(len(edges)):
        if not paths.any():
            break
        here = paths > 0
        total += here.sum()
        right += grows[here].sum()
        paths = (paths @ edges > 0).astype(np.float64)
    return float(right / total) if total else float("nan")


def varsortability(values_ND: np.ndarray, adjacency: np.ndarray) -> float:
    """Sortability by variance."""
    return sortability(np.nanvar(values_ND.astype(np.float64), axis=0), adjacency)


def r2_sortability(values_ND: np.ndarray, adjacency: np.ndarray) -> float:
    """Sortability by the R2 of each column given all others; it does not depend on scales."""
    return sortability(r2(values_ND), adjacency)


def r2(values_ND: np.ndarray) -> np.ndarray:
    """(D,) R2 of the linear regression of each column on all others; missing cells are replaced by the mean."""
    values = values_ND.astype(np.float64)
    values = values - np.nanmean(values, axis=0)
    values = np.nan_to_num(values)
    values /= np.maximum(values.std(axis=0), 1e-300)
    correlation = values.T @ values / len(values)
    precision = np.linalg.inv(correlation + _RIDGE * np.eye(len(correlation)))
    return 1.0 - 1.0 / np.diag(precision)


def report(task: Task) -> tuple[float, float]:
    """(varsortability, R2-sortability) of a task's table as it stands."""
    values = np.where(task.observed, task.values, np.nan)
    return varsortability(values, task.adjacency), r2_sortability(values, task.adjacency)
