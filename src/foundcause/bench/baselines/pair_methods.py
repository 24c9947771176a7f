"""Direction of a single pair of columns.

An asymmetry is a number that is positive when x is taken for the cause of y; swapping the arguments flips its sign.
SLOPPY and HECI are written from their papers. Shape letters: N rows.
"""

from __future__ import annotations

import bz2
import warnings
from collections.abc import Callable

import numpy as np

from foundcause.bench.baselines.method import Method, Table
from foundcause.bench.case import Answer
from foundcause.errors import InputError

Asymmetry = Callable[[np.ndarray, np.ndarray], float]


def _orient(asymmetry: Callable[[np.ndarray, np.ndarray, np.random.Generator], float]) -> Callable[[Table], Answer]:
    def run(table: Table) -> Answer:
        if table.values.shape[1] != 2:
            raise InputError(f"a pair method was given {table.values.shape[1]} columns")
        complete = table.values[np.isfinite(table.values).all(axis=1)]
        value = asymmetry(complete[:, 0], complete[:, 1], np.random.default_rng(table.seed))
        scores = np.array([[0.0, value], [-value, 0.0]])
        return Answer(adjacency=scores > 0, scores=scores)

    return run


def _plain(asymmetry: Asymmetry) -> Callable[[np.ndarray, np.ndarray, np.random.Generator], float]:
    return lambda x, y, rng: asymmetry(x, y)


def _pair_method(
    name: str, label: str, run: Callable[[Table], Answer], settings: str, paper: str | None = None
) -> Method:
    return Method(name, label, run, settings, paper=paper, graphs=False, pairs=True, random=name == "anm")


ANM_ROWS = 400


def anm(x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> float:
    """Hoyer et al. 2009 with Gaussian process regression and normalised HSIC on at most 400 rows."""
    if len(x) > ANM_ROWS:
        chosen = rng.choice(len(x), ANM_ROWS, replace=False)
        x, y = x[chosen], y[chosen]
    x, y = _standardise(x), _standardise(y)
    return hsic(y, _residual(y, x)) - hsic(x, _residual(x, y))


def hsic(a: np.ndarray, b: np.ndarray) -> float:
    """Normalised HSIC with Gaussian kernels of median width: 0 for independence, 1 for equal kernels."""
    first, second = _centred_kernel(a), _centred_kernel(b)
    return float((first * second).sum() / np.sqrt((first**2).sum() * (second**2).sum()))


def _residual(cause: np.ndarray, effect: np.ndarray) -> np.ndarray:
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, WhiteKernel

    model = GaussianProcessRegressor(RBF(1.0, (0.05, 20)) + WhiteKernel(0.3, (1e-4, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a width at its bound is no fault here
        model.fit(cause[:, None], effect)
    return effect - model.predict(cause[:, None])


def _centred_kernel(x: np.ndarray) -> np.ndarray:
    square = (x[:, None] - x[None, :]) ** 2
    positive = square[square > 0]
    width = np.median(positive) if positive.size else 1.0
    kernel = np.exp(-square / width)
    return kernel - kernel.mean(axis=0) - kernel.mean(axis=1)[:, None] + kernel.mean()


def _standardise(x: np.ndarray) -> np.ndarray:
    spread = x.std()
    return (x - x.mean()) / (spread if spread > 0 else 1.0)


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


METHODS = (
    _pair_method("anm", "ANM", _orient(anm), f"Gaussian process and HSIC on at most {ANM_ROWS} rows"),
    _pair_method("igci", "IGCI", _orient(_plain(igci)), "slope estimator, uniform reference, ties by their mean"),
    _pair_method("reci", "RECI", _orient(_plain(reci)), "cubic polynomials on the unit range"),
    _pair_method("cds", "CDS", _orient(_plain(cds)), "13 levels over six standard deviations, the outer ones open"),
    _pair_method("bz2", "Compression (bz2)", _orient(_plain(compression)), "8-bit columns, bz2 sizes"),
    _pair_method(
        "sloppy",
        "SLOPPY (re-written)",
        _orient(_plain(sloppy)),
        "polynomials, exponential, logarithm, reciprocals and cubic splines on the unit range, BIC",
        "SLOPPY",
    ),
    _pair_method("heci", "HECI (re-written)", _orient(_plain(heci)), "20 bins, polynomials to degree 3", "HECI"),
)
