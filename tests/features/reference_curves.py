"""A slow, obvious numpy twin of the curves within a pair, missing cells included.

It takes the dict of ``reference_statistics.columns``, of so few rows that none is left out.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from reference_pairs import circle, own_negentropy
from reference_statistics import negentropy

Columns = dict[str, np.ndarray]
KNOTS = 8


def knots_of(v: np.ndarray) -> np.ndarray:
    """Eight even quantiles, each the mean of the neighbouring order statistics."""
    v = np.sort(v)
    levels = [Fraction(k * (len(v) - 1), KNOTS - 1) for k in range(KNOTS)]
    return np.array([(v[math.floor(level)] + v[math.ceil(level)]) / 2 for level in levels])


def hats(v: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(L, places) piecewise linear functions that are 1 at their place and 0 at the others."""
    return np.stack([np.interp(v, places, row) for row in np.eye(len(places))], 1)


def heights(B: np.ndarray, y: np.ndarray, ridge: float) -> np.ndarray:
    n = len(y)
    return np.linalg.solve(B.T @ B / n + ridge * np.eye(B.shape[1]), B.T @ y / n)


def curves(cols: Columns) -> dict[str, np.ndarray]:
    """Both scales, and the difference of the entropies."""
    seen, D = cols["seen"], cols["seen"].shape[1]
    n = np.maximum(seen.astype(float).T @ seen, 1)
    out = {}
    for scale in ("x", "g"):
        found = _curves(cols, scale)
        entropy = found["curve_entropy"]
        found["curve_entropy_z"] = np.array(
            [[math.asinh(n[i, j] * (entropy[j, i] - entropy[i, j]) / 4) for j in range(D)] for i in range(D)]
        )
        out |= {f"{name}_{scale}": value for name, value in found.items()}
    return out


def _curves(cols: Columns, scale: str) -> dict[str, np.ndarray]:
    seen, D = cols["seen"], cols["seen"].shape[1]
    names = (
        "curve_error", "curve_deviation", "curve_negentropy", "curve_entropy", "curve_dependence", "curve_roughness",
        "curve_monotone", "deviation_spread", "deviation_trend",
    )  # fmt: skip
    out = {name: np.zeros((D, D)) for name in names}
    for i in range(D):
        v = cols[scale][:, i].astype(np.float32)  # as ours, so that cells equal to a knot are so here too
        for j in range(D):
            both = seen[:, i] & seen[:, j]
            n = int(both.sum())
            if i == j or n < 3:
                continue
            knots = knots_of(v[seen[:, i]])
            places = np.unique(knots)
            B = hats(v[both], places) if len(places) > 1 else np.ones((n, 1))
            ridge = (1e-3 + 0.5 / n) * max((B**2).sum() / n / KNOTS, 1e-6)
            y = cols[scale][both, j]
            curve = heights(B, y, ridge)
            e = y - B @ curve
            variance = max((e**2).mean(), 1e-4)
            bend = heights(B, e**2, ridge)
            spread = np.maximum(B @ bend, 0.03 * variance)
            s = e / np.sqrt(spread)
            s = s / math.sqrt(max((s**2).mean(), 1e-4))
            t_s, t_i, t_all = circle(s), circle(v[both]), circle(v[seen[:, i]])
            covariances = sum(((p * q).mean() - p.mean() * q.mean()) ** 2 for p in t_s for q in t_i)
            expected = max(t_s.var(1).sum(), 0.05) * max(t_all.var(1).sum(), 0.05)
            out["curve_error"][i, j] = math.log(variance) / 2
            out["curve_deviation"][i, j] = np.log(spread).mean() / 2
            out["curve_negentropy"][i, j] = negentropy(s)
            own = own_negentropy(cols[scale][seen[:, i], i])
            out["curve_entropy"][i, j] = np.log(spread).mean() / 2 - negentropy(s) - own
            out["curve_dependence"][i, j] = math.log1p(n * covariances / expected)
            at = np.searchsorted(places, knots)
            f, w = curve[at], np.log(np.maximum(bend[at], 0.03 * variance))
            travel = 0.1 + np.abs(np.diff(f)).sum()
            out["curve_roughness"][i, j] = np.abs(np.diff(f, 2)).sum() / travel
            out["curve_monotone"][i, j] = abs(f[-1] - f[0]) / travel
            out["deviation_spread"][i, j] = w.std()
            out["deviation_trend"][i, j] = ((f - f.mean()) * (w - w.mean())).mean() / max(f.std() * w.std(), 1e-3)
    return out
