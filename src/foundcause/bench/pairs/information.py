"""Scores from distributions and code lengths: IGCI, CDS, compression. Shape letters: N rows."""

from __future__ import annotations

import bz2

import numpy as np

from foundcause.bench.pairs.regression import unit_range


def igci(x: np.ndarray, y: np.ndarray) -> float:
    """Janzing et al. 2012, slope estimator with the uniform reference: the effect's mean log slope is smaller."""
    x, y = unit_range(x), unit_range(y)
    return _log_slope(y, x) - _log_slope(x, y)


def _log_slope(cause: np.ndarray, effect: np.ndarray) -> float:
    # Rows with equal causes meet in their mean: which of them comes first must not decide the slope.
    levels, where, count = np.unique(cause, return_inverse=True, return_counts=True)
    mean = np.bincount(where, effect) / count
    run, rise = np.diff(levels), np.diff(mean)
    usable = rise != 0
    if not usable.any():
        return 0.0
    return float(np.average(np.log(np.abs(rise[usable]) / run[usable]), weights=count[:-1][usable]))


def cds(x: np.ndarray, y: np.ndarray) -> float:
    """After Fonollosa 2016: given the cause, the effect's centred distribution varies less from level to level."""
    return _conditional_spread(y, x) - _conditional_spread(x, y)


def _conditional_spread(cause: np.ndarray, effect: np.ndarray, levels: int = 13, reach: float = 3.0) -> float:
    cause = (cause - cause.mean()) / cause.std()
    effect = (effect - effect.mean()) / effect.std()
    level = np.clip(np.round(cause * levels / (2 * reach)), -(levels // 2), levels // 2).astype(int)
    edges = np.linspace(-reach, reach, levels + 1)
    rows = []
    for value in np.unique(level):
        inside = effect[level == value]
        if len(inside) >= 12:
            counts = np.histogram(np.clip(inside - inside.mean(), -reach, reach), edges)[0]
            rows.append(counts / counts.sum())
    if len(rows) < 2:
        return 0.0
    return float(np.std(rows, axis=0).mean())


def compression(x: np.ndarray, y: np.ndarray) -> float:
    """The effect, read in the order of its cause, packs better: bz2 sizes relative to the unordered column."""
    x_bytes, y_bytes = _bytes(x), _bytes(y)
    y_given_x = _relative(y_bytes, x_bytes)
    x_given_y = _relative(x_bytes, y_bytes)
    return x_given_y - y_given_x


def _bytes(x: np.ndarray) -> np.ndarray:
    return np.round(255 * unit_range(x)).astype(np.uint8)


def _relative(target: np.ndarray, given: np.ndarray) -> float:
    ordered = target[np.lexsort((target, given))]
    # differences of neighbours show smoothness to a compressor that only sees repeats
    packed = len(bz2.compress(np.diff(ordered, prepend=ordered[:1]).tobytes()))
    return packed / len(bz2.compress(np.sort(target)[np.argsort(_mix(len(target)))].tobytes()))


def _mix(size: int) -> np.ndarray:
    """A fixed shuffle, so that the unordered size does not depend on how the file was sorted."""
    return np.random.default_rng(size).random(size)
