"""Slow, obvious numpy twins of contingency features, coarse parent-set scores with missing cells, and marginals.

They take the dict of ``reference_statistics.columns`` and return a dict from quantity name to matrix, vector or number.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
from reference_blocks import blocks
from reference_statistics import BINS, compress, copy_to_equals, correlation, strongest, wilson_hilferty

Columns = dict[str, np.ndarray]


def entropy(p: np.ndarray) -> float:
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def tables(cols: Columns) -> dict[str, np.ndarray]:
    """Empty cells, the test of cyclic noise and the alignment of shares and entropies, a pair at a time."""
    codes, D = cols["codes"], cols["codes"].shape[1]
    out = {name: np.zeros((D, D)) for name in ("empty_cells", "cyclic_dependence_z", "entropy_align")}
    for i in range(D):
        for j in range(D):
            both = (codes[:, i] >= 0) & (codes[:, j] >= 0)
            n = int(both.sum())
            if i == j or n == 0:
                continue
            a, b = codes[both, i], codes[both, j]
            t = np.array([[((a == s) & (b == r)).sum() for r in range(BINS)] for s in range(BINS)], float)
            expected = np.outer(t.sum(1), t.sum(0)) / n
            out["empty_cells"][i, j] = math.log1p(((t == 0) & (expected > 3)).sum()) / 2

            mode = t.argmax(1)
            noise = (b - mode[a]) % cols["states"][j]
            e = np.array([[((a == s) & (noise == r)).sum() for r in range(BINS)] for s in range(BINS)]) / n
            df = ((e.sum(1) > 0).sum() - 1) * ((e.sum(0) > 0).sum() - 1)
            if df > 0:
                information = max(entropy(e.sum(1)) + entropy(e.sum(0)) - entropy(e.ravel()), 0)
                out["cyclic_dependence_z"][i, j] = compress(wilson_hilferty(2 * n * information, df))

            present = [s for s in range(BINS) if t[s].sum() > 0]
            share = np.array([t[s].sum() / n for s in present])
            H = np.array([entropy((t[s] + t.sum(0) / n) / (t[s].sum() + 1)) for s in present])
            share, H = share - share.mean(), H - H.mean()
            out["entropy_align"][i, j] = (share * H).sum() / math.sqrt((share**2).sum() * (H**2).sum() + 1e-6)
    return out


def table_scores(cols: Columns) -> dict[str, np.ndarray]:
    """BIC and AIC gains and least G-tests on coarse tables.

    A set is scored against no parents on the rows that have the target and all its members, with the price of so many
    rows. Two sets are compared by the row, on the rows of the one that has fewer; sets of fewer than ten say nothing.
    """
    seen, (N, D) = cols["seen"], cols["seen"].shape
    few = cols["distinct"] <= 5
    coarse = np.where(few, cols["codes"], np.minimum((cols["u"] * 4).astype(int), 3))
    states = np.where(few, np.maximum(cols["distinct"], 1), 4)
    found_blocks = blocks(cols)
    order = found_blocks["block_order1_z"] + 1e-3 * found_blocks["block"]

    def rows_of(j: int, parents: tuple[int, ...]) -> list[int]:
        return [r for r in range(N) if seen[r, j] and all(seen[r, k] for k in parents)]

    def fit(j: int, parents: tuple[int, ...], rows: list[int]) -> tuple[float, int]:
        """Log-likelihood of j given its parents on some rows, and how many configurations of the parents are there."""
        whole = Counter((tuple(coarse[r, k] for k in parents), coarse[r, j]) for r in rows)
        above = Counter(tuple(coarse[r, k] for k in parents) for r in rows)
        total = sum(count * math.log(count / above[configuration]) for (configuration, _), count in whole.items())
        return total, len(above)

    def score(j: int, s: tuple[int, ...], aic: bool) -> float:
        """BIC or AIC by the row, less that without parents on the same rows."""
        rows = rows_of(j, s)
        (with_s, q), (without, _) = fit(j, s, rows), fit(j, (), rows)
        price = 2.0 if aic else math.log(len(rows))
        return (-2 * (with_s - without) + (states[j] - 1) * (q - 1) * price) / len(rows)

    def worth(j: int, ours: list[tuple[int, ...]], others: list[tuple[int, ...]], aic: bool = False) -> float:
        """The best of our sets over the best of the others."""
        if not ours:
            return 0.0
        n = {s: len(rows_of(j, s)) for s in ours + others}
        at = {s: score(j, s, aic) for s in ours + others}
        return max(min(min(n[s], n[o]) * (at[o] - at[s]) for o in others) for s in ours)

    names = ("table_bic_gain", "table_aic_gain", "table_min_z")
    out = {name: np.zeros((D, D)) for name in names} | {"table_parents": np.zeros(D)}
    for j in range(D):
        candidates = strongest(cols, order, j, 4)
        sets = [s for size in range(4) for s in combinations(sorted(candidates), size) if len(rows_of(j, s)) >= 10]
        total = {s: len(rows_of(j, s)) * score(j, s, aic=False) for s in sets}
        margin = 0.01 + 1e-5 * len(rows_of(j, ()))
        best = [s for s in sets if total[s] <= min(total.values()) + margin]
        out["table_parents"][j] = min((len(s) for s in best), default=0) / 3
        for i in range(D):
            if i == j or len(rows_of(j, (i,))) < 10:
                continue
            if i not in candidates:
                out["table_bic_gain"][i, j] = math.asinh(worth(j, [(i,)], sets) / 8) / 2
                continue
            ours, others = [s for s in sets if i in s], [s for s in sets if i not in s]
            for name in ("table_bic_gain", "table_aic_gain"):
                out[name][i, j] = math.asinh(worth(j, ours, others, aic=name == "table_aic_gain") / 8) / 2
            zs = []
            for s in ours:
                rows = rows_of(j, s)
                (with_i, q), (without, fewer) = fit(j, s, rows), fit(j, tuple(k for k in s if k != i), rows)
                zs.append(wilson_hilferty(2 * (with_i - without), max((states[j] - 1) * (q - fewer), 1)))
            out["table_min_z"][i, j] = compress(max(min(zs), 0))
    copy_to_equals(cols, out)
    return out


def marginals(cols: Columns) -> dict[str, np.ndarray]:
    """Shape, support and missing share of every column, size of the table, and what is left of its pairs."""
    seen, (N, D) = cols["seen"], cols["seen"].shape
    names = (
        "skewness", "kurtosis", "negentropy", "distinct", "distinct_share", "discrete", "mode_mass", "entropy",
        "missing",
    )  # fmt: skip
    out = {name: np.zeros(D) for name in names}
    for d in range(D):
        v, codes = cols["x"][seen[:, d], d], cols["codes"][seen[:, d], d]
        n, distinct = max(len(v), 1), int(cols["distinct"][d])
        out["skewness"][d] = math.asinh((v**3).sum() / n)
        out["kurtosis"][d] = math.asinh((v**4).sum() / n - 3)
        out["negentropy"][d] = 10 * (np.log(np.cosh(v)).sum() / n - 0.37457)
        out["distinct"][d] = math.log(max(distinct, 1)) / 4
        out["distinct_share"][d] = distinct / n
        out["discrete"][d] = float(distinct <= BINS)
        share = np.array([(codes == a).sum() / n for a in range(BINS)])
        out["mode_mass"][d] = share.max()
        out["entropy"][d] = entropy(share) / math.log(10)
        out["missing"][d] = (~seen[:, d]).mean()
    out["log_rows"] = np.array(math.log(N / 500) / 2)
    out["crowding"] = np.array(math.asinh(10 * D / N) / 2)
    out["log_variables"] = np.array(math.log(D / 20) / 2)
    out |= {name: np.zeros((D, D)) for name in ("joint_share", "cross_21_g")}
    c = correlation(cols["x"], seen)
    for i in range(D):
        for j in range(D):
            both = seen[:, i] & seen[:, j]
            n = max(int(both.sum()), 1)
            out["joint_share"][i, j] = n / N
            product = (cols["g"][both, i] ** 2 * cols["g"][both, j]).sum() / n
            out["cross_21_g"][i, j] = math.asinh(product * np.sign(c[i, j]))
    return out
