"""Slow, obvious numpy twins of the significances, collider sums and best parent sets of the copula correlation.

They take the dict of ``reference_statistics.columns``. Unlike ``reference_statistics.linear`` they hold the floors that
keep duplicated columns finite, so they serve for degenerate tables too.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from reference_statistics import compress, copy_to_equals, correlation, fisher, strongest

Columns = dict[str, np.ndarray]

COLLIDERS = ("collider", "chain", "collider_gain", "chain_gain", "collider_full", "chain_full")


def joint(cols: Columns) -> np.ndarray:
    seen = cols["seen"].astype(float)
    return np.maximum(seen.T @ seen, 1)


def inverse(c: np.ndarray, n: np.ndarray, intensity: float | None = None) -> np.ndarray:
    """Inverse of c shrunk to the identity, by Schaefer and Strimmer unless the intensity is given."""
    D = len(c)
    pairs = [(i, j) for i in range(D) for j in range(D) if i != j]
    if intensity is None:
        noise = sum((1 - c[i, j] ** 2) ** 2 / n[i, j] for i, j in pairs)
        intensity = min(max(noise / max(sum(c[i, j] ** 2 for i, j in pairs), 1e-12), 1e-3), 1.0)
    shrunk = c * (1 - intensity) + np.eye(D) * intensity
    spectrum, vectors = np.linalg.eigh(shrunk)
    if spectrum.min() <= 0:
        # pairwise deletion can leave an indefinite matrix: its spectrum is lifted, its diagonal kept at 1
        shrunk = vectors @ np.diag(np.maximum(spectrum, 1e-2)) @ vectors.T
        shrunk = shrunk / np.sqrt(np.outer(np.diag(shrunk), np.diag(shrunk)))
    return np.linalg.inv(shrunk)


def partial(P: np.ndarray) -> np.ndarray:
    return -P / np.sqrt(np.outer(np.diag(P), np.diag(P)))


def given(c: np.ndarray, i: int, j: int, k: int) -> float:
    """|corr(i, j | k)|, at most 1; neither variance left by k counts as less than 0.001."""
    left = max(1 - c[i, k] ** 2, 1e-3) * max(1 - c[j, k] ** 2, 1e-3)
    return min(abs(c[i, j] - c[i, k] * c[j, k]) / math.sqrt(left), 1.0)


def linear(cols: Columns) -> dict[str, np.ndarray]:
    """Significances, order-1 tests and collider evidence."""
    n = joint(cols)
    D = len(n)
    degrees = np.maximum(n - 1 - D, n / 4)
    names = (
        "pearson_z", "pearson_partial_z", "spearman_partial_z", "copula_partial_z", "copula_regression_t",
        "order1_min", "order1_gain", "order1_min_z", "order1_gain_z", "collider", "chain", "collider_gain",
        "chain_gain", "collider_sum", "chain_sum", "copula_z", "collider_full", "chain_full",
    )  # fmt: skip
    out = {name: np.zeros((D, D)) for name in names}
    c = {key: correlation(cols[key], cols["seen"]) for key in "xrg"}
    P = {key: inverse(c[key], n) for key in "xrg"}
    loose = partial(inverse(c["g"], n, 1e-3))
    g, shrunk_g = c["g"], np.linalg.inv(P["g"])
    z, least_z = np.zeros((D, D)), np.zeros((D, D))
    for i in range(D):
        for j in range(D):
            if i == j:
                continue
            z[i, j] = fisher(g[i, j], n[i, j] - 3)
            out["copula_z"][i, j] = compress(z[i, j])
            out["pearson_z"][i, j] = compress(fisher(c["x"][i, j], n[i, j] - 3))
            for name, key in (("pearson", "x"), ("spearman", "r"), ("copula", "g")):
                out[f"{name}_partial_z"][i, j] = compress(fisher(partial(P[key])[i, j], degrees[i, j]))
            p = loose[i, j]
            t = abs(p) * math.sqrt(max(degrees[i, j], 1) / max(1 - p**2, 1e-4))
            out["copula_regression_t"][i, j] = compress(t)
            tried = [abs(g[i, j]), *(given(g, i, j, k) for k in range(D) if k not in (i, j))]
            least_z[i, j] = fisher(min(tried), n[i, j] - 4)
            out["order1_min"][i, j] = min(tried)
            out["order1_gain"][i, j] = max(tried) - abs(g[i, j])
            out["order1_min_z"][i, j] = compress(least_z[i, j])
            out["order1_gain_z"][i, j] = compress(max(fisher(max(tried), n[i, j] - 4) - z[i, j], 0))
    for i in range(D):
        for j in range(D):
            rest = [k for k in range(D) if k != j]
            without_j = np.zeros((D, D))
            without_j[np.ix_(rest, rest)] = partial(np.linalg.inv(shrunk_g[np.ix_(rest, rest)]))
            scores: dict[str, list[float]] = {name: [0.0] for name in COLLIDERS}
            for k in range(D):
                if len({i, j, k}) < 3:
                    continue
                z_ikj = fisher(given(g, i, k, j), n[i, k] - 4)
                scores["collider"].append(min(z[i, j], z[k, j], z_ikj) * math.exp(-(z[i, k] ** 2) / 4))
                scores["chain"].append(min(z[i, j], z[k, j], z[i, k]) * math.exp(-(z_ikj**2) / 4))
                scores["collider_gain"].append((z_ikj - z[i, k]) * math.exp(-(least_z[i, k] ** 2) / 8))
                scores["chain_gain"].append((z[i, k] - z_ikj) * math.exp(-(z_ikj**2) / 8))
                lost = fisher(partial(P["g"])[i, k], degrees[i, k]) - fisher(without_j[i, k], degrees[i, k])
                scores["collider_full"].append(lost)
                scores["chain_full"].append(-lost)
            for name, found in scores.items():
                out[name][i, j] = compress(max(found))
            for name in ("collider", "chain"):
                out[f"{name}_sum"][i, j] = math.log1p(sum(max(s - 2, 0) for s in scores[name])) / 2
    for name, key in (("pearson", "x"), ("spearman", "r"), ("copula", "g")):
        out |= {name: c[key], f"{name}_partial": partial(P[key])}
    diagonal = np.diag(P["g"])
    out |= {"explained": 1 - 1 / diagonal, "log_precision": np.log(diagonal)}
    out["regression"] = np.arcsinh(-P["g"] / diagonal[None, :])
    out["explained_x"] = 1 - 1 / np.diag(P["x"])
    near = [sum(1 / (1 + math.exp(-2 * (least_z[i, k] - 3))) for k in range(D) if k != i) for i in range(D)]
    return out | {"neighbours": np.log1p(near)}


def local(cols: Columns) -> dict[str, np.ndarray]:
    """BIC gains, least correlations and the best set, over sets of at most three of the six strongest candidates."""
    n = joint(cols)
    D = len(n)
    c = correlation(cols["g"], cols["seen"])
    strength = np.maximum(linear(cols)["order1_min"] - 1e-4, 0) + 1e-3 * np.abs(c)
    names = ("bic_gain", "bic_gain_best", "best_partial", "order3_min", "order2_min_z", "order3_min_z")
    out: Columns = {name: np.zeros((D, D)) for name in names}
    out |= {name: np.zeros(D) for name in ("local_parents", "local_explained")}

    def left_over(a: int, b: int, s: tuple[int, ...]) -> float:
        """Covariance of a and b given the set."""
        block = c[np.ix_(s, s)] + 1e-3 * np.eye(len(s))
        return c[a, b] - c[a, list(s)] @ np.linalg.solve(block, c[list(s), b]) if s else c[a, b]

    for j in range(D):
        candidates = strongest(cols, strength, j, 6)
        n_j = n[j].mean()
        price = math.log(max(n_j, 2))
        sets = [s for size in range(4) for s in combinations(candidates, size) if left_over(j, j, s) >= -0.01]
        score = {s: n_j * math.log(max(left_over(j, j, s), 1e-4)) + len(s) * price for s in sets}
        chosen = min(sets, key=score.__getitem__)
        out["local_parents"][j] = len(chosen) / 3
        out["local_explained"][j] = 1 - max(left_over(j, j, chosen), 1e-4)
        for i in range(D):
            if i == j:
                continue
            usable = [s for s in sets if i not in s]
            corr = {}
            for s in usable:
                variance = max(left_over(j, j, s), 1e-4) * max(left_over(i, i, s), 1e-3)
                corr[s] = np.clip(left_over(i, j, s) / math.sqrt(variance), -0.9999, 0.9999)
            gain = {s: -n[i, j] * math.log(1 - corr[s] ** 2) - price for s in usable}
            z = {s: fisher(corr[s], n[i, j] - 3 - len(s)) for s in usable}
            best = min(usable, key=score.__getitem__)
            worth = score[best] - min(score[s] - gain[s] for s in usable)
            out["bic_gain"][i, j] = math.asinh(worth / 4) / 2
            out["bic_gain_best"][i, j] = math.asinh(gain[best] / 4) / 2
            out["best_partial"][i, j] = corr[best]
            out["order3_min"][i, j] = min(abs(r) for r in corr.values())
            out["order3_min_z"][i, j] = compress(min(z.values()))
            out["order2_min_z"][i, j] = compress(min(z[s] for s in usable if len(s) <= 2))
    copy_to_equals(cols, out)
    out["order3_min_both_z"] = np.minimum(out["order3_min_z"], out["order3_min_z"].T)
    return out
