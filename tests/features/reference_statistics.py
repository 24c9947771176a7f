"""Slow, obvious numpy twins of the extended statistics: one pair, one bin, one set at a time.

They take raw (N, D) values with NaN for missing cells and return a dict from quantity name to matrix or vector.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

BINS = 10


def columns(values: np.ndarray) -> dict[str, np.ndarray]:
    """x, r, g, u, bin codes (-1 where missing), states and distinct counts, column by column."""
    N, D = values.shape
    out = {name: np.zeros((N, D)) for name in "xrgu"}
    codes = np.full((N, D), -1)
    states, distinct = np.ones(D, int), np.zeros(D, int)
    for d in range(D):
        seen = ~np.isnan(values[:, d])
        v = values[seen, d]
        n = len(v)
        if n == 0:
            continue
        u = (stats.rankdata(v) - 0.5) / n
        levels = np.unique(v)
        distinct[d] = len(levels)
        out["u"][seen, d] = u
        out["r"][seen, d] = standard(u)
        out["g"][seen, d] = standard(stats.norm.ppf(u))
        q = [
            0.5 * (np.sort(v)[math.floor(p * (n - 1))] + np.sort(v)[math.ceil(p * (n - 1))]) for p in (0.25, 0.5, 0.75)
        ]
        spread = (q[2] - q[0]) / 1.349
        if spread <= 1e-9 * 1.2533 * np.abs(v - q[1]).mean():
            spread = 1.2533 * np.abs(v - q[1]).mean()
        out["x"][seen, d] = standard(np.clip(v - q[1], -8 * spread, 8 * spread))
        if len(levels) <= BINS:
            states[d] = max(len(levels), 1)
            codes[seen, d] = np.searchsorted(levels, v)
        else:
            states[d] = int(np.clip(math.floor(math.sqrt(n / 5)), 3, BINS))
            codes[seen, d] = np.minimum((u * states[d]).astype(int), states[d] - 1)
    return out | {"codes": codes, "states": states, "distinct": distinct, "seen": ~np.isnan(values)}


def standard(v: np.ndarray) -> np.ndarray:
    centred = v - v.mean()
    scale = centred.std()
    return centred / scale if scale > 1e-9 * max(1.0, np.abs(v).max()) else np.zeros_like(v)


def compress(z: float) -> float:
    return math.asinh(z / 4)


def wilson_hilferty(statistic: float, df: float) -> float:
    s = 2 / (9 * df)
    return ((max(statistic, 0) / df) ** (1 / 3) - (1 - s)) / math.sqrt(s)


def correlation(v: np.ndarray, seen: np.ndarray) -> np.ndarray:
    D = v.shape[1]
    c = np.eye(D)
    for i in range(D):
        for j in range(D):
            both = seen[:, i] & seen[:, j]
            if i != j and both.sum() >= 3 and v[both, i].std() > 1e-2 and v[both, j].std() > 1e-2:
                c[i, j] = np.corrcoef(v[both, i], v[both, j])[0, 1]
    return c


def precision(c: np.ndarray, n: np.ndarray) -> np.ndarray:
    D = len(c)
    noise = sum((1 - c[i, j] ** 2) ** 2 / n[i, j] for i in range(D) for j in range(D) if i != j)
    signal = sum(c[i, j] ** 2 for i in range(D) for j in range(D) if i != j)
    intensity = min(max(noise / max(signal, 1e-12), 1e-3), 1.0)
    return np.linalg.inv(c * (1 - intensity) + np.eye(D) * intensity)


def given(c: np.ndarray, i: int, j: int, others: tuple[int, ...]) -> float:
    """corr(i, j | others) from a correlation matrix, by the inverse of its block."""
    index = [i, j, *others]
    P = np.linalg.inv(c[np.ix_(index, index)])
    return -P[0, 1] / math.sqrt(P[0, 0] * P[1, 1])


def fisher(c: float, degrees: float) -> float:
    return math.atanh(min(abs(c), 0.9999)) * math.sqrt(max(degrees, 1))


def stand_in(cols: dict[str, np.ndarray], i: int, j: int) -> int:
    """The first column other than j with the ranks of i: the one of its group that may be a candidate of j."""
    u = cols["u"].astype(np.float32)
    return next(k for k in range(u.shape[1]) if k != j and (u[:, k] == u[:, i]).all())


def strongest(cols: dict[str, np.ndarray], strength: np.ndarray, j: int, count: int) -> list[int]:
    """The strongest candidates of j; copies of another candidate come last."""
    others = [k for k in range(len(strength)) if k != j]
    return sorted(others, key=lambda k: (stand_in(cols, k, j) != k, -strength[k, j]))[:count]


def copy_to_equals(cols: dict[str, np.ndarray], out: dict[str, np.ndarray]) -> None:
    """Gives every column what was found for the one that stands for it."""
    for value in out.values():
        if value.ndim == 2:
            D = len(value)
            value[:] = [[value[i if i == j else stand_in(cols, i, j), j] for j in range(D)] for i in range(D)]


def tables(cols: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Contingency-table features, a pair at a time."""
    codes, D = cols["codes"], cols["codes"].shape[1]
    names = (
        "information", "information_corrected", "information_count", "information_z", "information_min",
        "information_share", "conditional_entropy", "guess", "variation_explained", "entropic_excess",
        "cyclic_excess", "entropy_spread", "sure_states",
    )  # fmt: skip
    out = {name: np.zeros((D, D)) for name in names}

    def entropy(p: np.ndarray) -> float:
        p = p[p > 0]
        return float(-(p * np.log(p)).sum())

    for i in range(D):
        for j in range(D):
            both = (codes[:, i] >= 0) & (codes[:, j] >= 0)
            n = int(both.sum())
            if i == j or n == 0:
                continue
            t = np.zeros((BINS, BINS))
            for a, b in zip(codes[both, i], codes[both, j], strict=True):
                t[a, b] += 1
            p, pi, pj = t / n, t.sum(1) / n, t.sum(0) / n
            H_i, H_j, H_ij = entropy(pi), entropy(pj), entropy(p.ravel())
            K_i, K_j = (pi > 0).sum(), (pj > 0).sum()
            mi = max(H_i + H_j - H_ij, 0)
            df = max((K_i - 1) * (K_j - 1), 1)
            out["information"][i, j] = math.sqrt(mi)
            out["information_corrected"][i, j] = math.sqrt(max(mi - df / (2 * n), 0))
            out["information_count"][i, j] = math.log1p(n * mi) / 4
            if min(K_i, K_j) > 1:
                out["information_z"][i, j] = compress(wilson_hilferty(2 * n * mi, df))
            out["information_min"][i, j] = mi / max(min(H_i, H_j), 1e-3)
            out["information_share"][i, j] = mi / max(H_j, 1e-3)
            out["conditional_entropy"][i, j] = max(H_j - mi, 0) / math.log(max(K_j, 2))
            out["guess"][i, j] = (p.max(1).sum() - pj.max()) / max(1 - pj.max(), 1e-3)
            gini = 1 - (pj**2).sum()
            kept = 1 - sum((p[a] ** 2).sum() / pi[a] for a in range(BINS) if pi[a] > 0)
            out["variation_explained"][i, j] = max(gini - kept, 0) / max(gini, 1e-3)

            conditional = [(t[a] + pj) / (t[a].sum() + 1) for a in range(BINS)]
            enough = min(5, t.sum(1).max())
            cumulated = [np.cumsum(np.sort(q)[::-1]) for a, q in enumerate(conditional) if t[a].sum() >= enough]
            meet = np.diff(np.min(cumulated, axis=0), prepend=0)
            out["entropic_excess"][i, j] = np.clip(H_i + entropy(np.clip(meet, 0, 1)) - H_ij, -1, 3)
            noise = np.zeros(BINS)
            for a in range(BINS):
                if t[a].sum() > 0:
                    shift = int(t[a].argmax())
                    for b in range(cols["states"][j]):
                        noise[b] += t[a, (b + shift) % cols["states"][j]] / n
            out["cyclic_excess"][i, j] = max(H_i + entropy(noise) - H_ij, 0)
            H_a = np.array([entropy(q) for q in conditional])
            mean = (pi * H_a).sum()
            out["entropy_spread"][i, j] = math.sqrt((pi * (H_a - mean) ** 2).sum())
            out["sure_states"][i, j] = sum(pi[a] for a in range(BINS) if conditional[a].max() > 0.95)
    return out


def moments(cols: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Conditional and cross moments, a pair and a bin at a time."""
    codes, seen, D = cols["codes"], cols["seen"], cols["codes"].shape[1]
    out: dict[str, np.ndarray] = {}
    for scale in ("x", "g"):
        names = ("mean_variance", "log_variance", "variance_spread", "mean_skewness", "square_skewness")
        part = {name: np.zeros((D, D)) for name in (*names, "mean_travel", "mean_turns")}
        for i in range(D):
            for j in range(D):
                both = seen[:, i] & seen[:, j]
                n = both.sum()
                if i == j or n == 0:
                    continue
                groups = [cols[scale][both & (codes[:, i] == a), j] for a in range(BINS)]
                groups = [v for v in groups if len(v)]
                overall = np.concatenate(groups).mean()
                between = sum(len(v) * (v.mean() - overall) ** 2 for v in groups) / n
                within = sum(len(v) * v.var() for v in groups) / n
                part["mean_variance"][i, j] = between / max(between + within, 1e-6)
                means = [v.mean() for v in groups]
                travel = np.abs(np.diff(means)).sum()
                part["mean_travel"][i, j] = math.asinh(travel / 4)
                part["mean_turns"][i, j] = math.asinh((travel - abs(means[-1] - means[0])) / 4)
                large = [v for v in groups if len(v) >= 3]
                if not large:
                    continue
                w = np.array([len(v) for v in large]) / sum(len(v) for v in large)
                s2 = np.array([(v.var() * len(v) + 0.1 * within + 1e-3) / (len(v) - 1) for v in large])
                third = np.array([((v - v.mean()) ** 3).mean() for v in large])
                skew = np.clip(third / np.maximum(s2, 1e-3) ** 1.5, -5, 5)
                part["log_variance"][i, j] = (w * np.log(s2)).sum() / 2
                spread = math.sqrt((w * (s2 - (w * s2).sum()) ** 2).sum())
                part["variance_spread"][i, j] = math.asinh(spread / max((w * s2).sum(), 1e-3))
                part["mean_skewness"][i, j] = math.asinh((w * skew).sum())
                part["square_skewness"][i, j] = math.asinh((w * skew**2).sum())
        out |= {f"{name}_{scale}": value for name, value in part.items()}
    c = correlation(cols["x"], seen)
    names = ("cross_21", "cross_22", "cross_31", "lingam", "lingam_z")
    out |= {name: np.zeros((D, D)) for name in names}
    for i in range(D):
        for j in range(D):
            both = seen[:, i] & seen[:, j]
            if i == j or not both.any():
                continue
            a, b = cols["x"][both, i], cols["x"][both, j]
            out["cross_21"][i, j] = math.asinh((a**2 * b).mean() * np.sign(c[i, j]))
            out["cross_22"][i, j] = math.asinh((a**2 * b**2).mean() - 1 - 2 * c[i, j] ** 2)
            out["cross_31"][i, j] = math.asinh((a**3 * b).mean() - 3 * c[i, j])
            ratio = (a * np.tanh(b)).mean() - (np.tanh(a) * b).mean()
            out["lingam"][i, j] = 4 * c[i, j] * ratio
            out["lingam_z"][i, j] = math.asinh(ratio * np.sign(c[i, j]) * math.sqrt(both.sum()))
    return out


def negentropy(e: np.ndarray) -> float:
    bell = np.exp(-(e**2) / 2)
    return 7.4129 * (e * bell).mean() ** 2 + 33.669 * (bell.mean() - math.sqrt(0.5)) ** 2


def conditional(cols: dict[str, np.ndarray], P: np.ndarray) -> dict[str, np.ndarray]:
    """Cross moments of the residuals of i and j given all others, formed explicitly (complete tables)."""
    e = cols["x"] @ P
    e = np.clip(e / np.sqrt((e**2).mean(0)), -6, 6) * np.sqrt((e**2).mean(0))
    D = P.shape[0]
    out = {"conditional_21": np.zeros((D, D)), "conditional_31": np.zeros((D, D))}
    for i in range(D):
        for j in range(D):
            if i == j:
                continue
            block = np.linalg.inv(P[np.ix_([i, j], [i, j])])
            r = e[:, [i, j]] @ block
            r_i, r_j = r[:, 0] / math.sqrt(block[0, 0]), r[:, 1] / math.sqrt(block[1, 1])
            rho = block[0, 1] / math.sqrt(block[0, 0] * block[1, 1])
            out["conditional_21"][i, j] = math.asinh((r_i**2 * r_j).mean() * np.sign(rho))
            out["conditional_31"][i, j] = math.asinh((r_i**3 * r_j).mean() - 3 * rho)
    return out


def nominal_strength(codes_i: np.ndarray, codes_j: np.ndarray) -> float:
    """phi^2 of two nominal columns: the chi-squared statistic over n."""
    t = np.zeros((codes_i.max() + 1, codes_j.max() + 1))
    np.add.at(t, (codes_i, codes_j), 1)
    expected = np.outer(t.sum(1), t.sum(0)) / t.sum()
    return float((((t - expected) ** 2) / expected).sum() / t.sum())


def sketch(cols: dict[str, np.ndarray]) -> np.ndarray:
    """(D, D, 64) standardised residuals of the 8 x 8 histograms, a pair at a time."""
    D = cols["codes"].shape[1]
    small = cols["distinct"] <= 8
    codes = np.where(small, cols["codes"], np.minimum((cols["u"] * 8).astype(int), 7))
    out = np.zeros((D, D, 64))
    for i in range(D):
        for j in range(D):
            both = cols["seen"][:, i] & cols["seen"][:, j]
            n = both.sum()
            if i == j or n == 0:
                continue
            p = np.zeros((8, 8))
            for a, b in zip(codes[both, i], codes[both, j], strict=True):
                p[a, b] += 1 / n
            expected = np.outer(p.sum(1), p.sum(0))
            out[i, j] = (np.arcsinh(np.sqrt(n) * (p - expected) / np.sqrt(expected + 1 / n)) / 2).ravel()
    return out
