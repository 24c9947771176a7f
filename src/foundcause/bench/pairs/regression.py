"""Regression-error scores: RECI, and two in the manner of SLOPPY and HECI, written from their papers.

An asymmetry is a number that is positive when x is taken for the cause of y; swapping the arguments flips its sign.
Shape letters: N rows.
"""

from __future__ import annotations

import numpy as np

_FLOOR = 1e-9  # of a residual variance on a unit range: finer than any measured column


def unit_range(x: np.ndarray) -> np.ndarray:
    """(N,) moved and scaled to [0, 1]."""
    return (x - x.min()) / (x.max() - x.min())


def reci(x: np.ndarray, y: np.ndarray) -> float:
    """Bloebaum et al. 2018: the effect is predicted with the smaller error (cubic polynomials, both on [0, 1])."""
    return _cubic_error(y, x) - _cubic_error(x, y)


def _cubic_error(cause: np.ndarray, effect: np.ndarray) -> float:
    return _variance(_polynomial(unit_range(cause), 3), unit_range(effect))


def sloppy(x: np.ndarray, y: np.ndarray) -> float:
    """After Marx and Vreeken 2019: the direction whose regularised regression has the smaller error.

    Candidates are polynomials of degree 1 to 5, an exponential, a logarithm, reciprocals, and cubic regression splines
    of 3 to 9 knots, both columns on [0, 1]; each costs the Gaussian code length of its residuals plus half a logarithm
    of N per parameter (BIC); the cheapest candidate of a direction counts.
    """
    return _regularised(y, x) - _regularised(x, y)


def _regularised(cause: np.ndarray, effect: np.ndarray) -> float:
    cause, effect = unit_range(cause), unit_range(effect)
    rows = len(cause)
    return min(
        0.5 * np.log(_variance(design, effect)) + 0.5 * design.shape[1] * np.log(rows) / rows
        for design in _candidates(cause)
    )


def _candidates(x: np.ndarray) -> list[np.ndarray]:
    """(N, parameters) designs of the candidates, x on [0, 1]; the curves start at 1, where all are finite."""
    designs = [_polynomial(x, degree) for degree in range(1, 6)]
    curves = (np.exp(x), np.log1p(x), 1 / (1 + x), 1 / (1 + x) ** 2)
    designs += [np.stack([np.ones_like(x), curve], axis=1) for curve in curves]
    return designs + [_spline(x, knots) for knots in (3, 5, 7, 9)]


def heci(x: np.ndarray, y: np.ndarray, bins: int = 20) -> float:
    """After Xu et al. 2022: the cause's range is cut so that a polynomial and a noise level per piece cost least.

    Heteroscedastic noise is thereby allowed. Pieces are unions of neighbouring bins, chosen by dynamic programming.
    """
    return _piecewise(y, x, bins) - _piecewise(x, y, bins)


def _piecewise(cause: np.ndarray, effect: np.ndarray, bins: int, least: int = 10) -> float:
    cause, effect = unit_range(cause), unit_range(effect)
    rows = len(cause)
    order = np.argsort(cause, kind="stable")
    cause, effect = cause[order], effect[order]
    edges = np.searchsorted(cause, np.linspace(0, 1, bins + 1)[1:-1], side="left")
    cuts = [0]
    for cut in [*edges.tolist(), rows]:
        if cut - cuts[-1] >= least:
            cuts.append(int(cut))
    cuts[-1] = rows if len(cuts) > 1 else cuts[-1]
    if len(cuts) == 1:
        cuts.append(rows)
    cost = [0.0] + [np.inf] * (len(cuts) - 1)
    for end in range(1, len(cuts)):
        for start in range(end):
            piece = slice(cuts[start], cuts[end])
            cost[end] = min(cost[end], cost[start] + _piece(cause[piece], effect[piece], rows))
    return cost[-1] / rows


def _piece(cause: np.ndarray, effect: np.ndarray, rows: int) -> float:
    return min(
        0.5 * len(cause) * np.log(_variance(_polynomial(cause, degree), effect)) + 0.5 * (degree + 2) * np.log(rows)
        for degree in (1, 2, 3)
    )


def _polynomial(x: np.ndarray, degree: int) -> np.ndarray:
    return np.stack([x**k for k in range(degree + 1)], axis=1)


def _spline(x: np.ndarray, knots: int) -> np.ndarray:
    places = np.unique(np.quantile(x, np.linspace(0, 1, knots + 2)[1:-1]))
    hinges = np.maximum(x[:, None] - places[None, :], 0) ** 3
    return np.concatenate([_polynomial(x, 3), hinges], axis=1)


def _variance(design: np.ndarray, target: np.ndarray) -> float:
    coefficients = np.linalg.lstsq(design, target, rcond=None)[0]
    return float(max(np.mean((target - design @ coefficients) ** 2), _FLOOR))
