"""Slow, obvious numpy twins of the block quantities: whitened functions of columns, one pair and one set at a time.

They take the dict of ``reference_statistics.columns`` and return a dict from name to matrix or vector. Only the
functions a column really uses are kept, so a column's block has as many rows as the column has functions.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from reference_statistics import BINS, compress, copy_to_equals, strongest, wilson_hilferty

Blocks = dict[tuple[int, int], np.ndarray]


def functions(cols: dict[str, np.ndarray], d: int) -> tuple[np.ndarray, np.ndarray]:
    """(N, m) centred functions of column d, 0 where it is missing, and (m,) the ridge of each variance."""
    seen, codes, distinct = cols["seen"][:, d], cols["codes"][:, d], int(cols["distinct"][d])
    n = max(int(seen.sum()), 1)
    found: list[np.ndarray] = []
    ridge: list[float] = []
    if distinct <= BINS:
        often = sorted(range(distinct), key=lambda a: -int((codes == a).sum()))
        for a in often[: min(distinct - 1, 4) if distinct <= 5 else 3]:
            found.append((codes == a).astype(float))
            ridge.append(2 / n)
        if distinct > 5:
            found.append(cols["g"][:, d])
            ridge.append(1e-4)
    else:
        t = 2 * cols["u"][:, d] - 1
        found = [cols["g"][:, d], np.polynomial.Legendre.basis(2)(t), np.polynomial.Legendre.basis(3)(t)]
        ridge = [1e-4] * 3
    phi = np.zeros((len(seen), len(found)))
    for a, f in enumerate(found):
        phi[seen, a] = f[seen] - f[seen].mean()
    return phi, np.array(ridge)


def correlations(cols: dict[str, np.ndarray], n: np.ndarray) -> Blocks:
    """R_ij (m_i, m_j) of every pair of columns; the functions of a column are made orthonormal one after another.

    Pairs of fewer than three joint rows count as independent.
    """
    D = n.shape[0]
    white = []
    for d in range(D):
        phi, ridge = functions(cols, d)
        own = phi.T @ phi / n[d, d] + np.diag(ridge)
        white.append(phi @ np.linalg.inv(np.linalg.cholesky(own)).T if phi.shape[1] else phi)
    told = {(i, j): n[i, j] >= 3 for i in range(D) for j in range(D)}
    R = {(i, j): told[i, j] * np.clip(white[i].T @ white[j] / n[i, j], -1, 1) for i in range(D) for j in range(D)}
    return R | {(i, i): np.eye(white[i].shape[1]) for i in range(D)}


def given(R: Blocks, i: int, j: int, k: int) -> float:
    """||corr(functions of i, functions of j | functions of k)||^2; no function keeps less than 2% of its variance."""
    left_i = np.maximum(1 - (R[i, k] ** 2).sum(1), 0.02)
    left_j = np.maximum(1 - (R[j, k] ** 2).sum(1), 0.02)
    inner = (R[i, j] - R[i, k] @ R[k, j]) / np.sqrt(np.outer(left_i, left_j))
    return min(float((inner**2).sum()), 1e3)


def full_order(R: Blocks, sizes: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(D, D) ||partial R_ij||^2 given all other columns, and (D,) mean explained variance of a column's functions."""
    D = len(sizes)
    noise = sum(((1 - R[i, j] ** 2) ** 2 / n[i, j]).sum() for i in range(D) for j in range(D) if i != j)
    signal = sum((R[i, j] ** 2).sum() for i in range(D) for j in range(D) if i != j)
    intensity = min(max(noise / max(signal, 1e-9), 0.01), 1.0)
    whole = np.block([[R[i, j] for j in range(D)] for i in range(D)])
    shrunk = whole * (1 - intensity) + np.eye(len(whole)) * intensity
    spectrum, vectors = np.linalg.eigh(shrunk)
    if spectrum.min() <= 0:
        shrunk = vectors @ np.diag(np.maximum(spectrum, 1e-2)) @ vectors.T
    Q = np.linalg.inv(shrunk)
    ends = np.cumsum([0, *sizes])
    place = [slice(ends[d], ends[d + 1]) for d in range(D)]
    strength, explained = np.zeros((D, D)), np.zeros(D)
    for i in range(D):
        if sizes[i]:
            explained[i] = np.mean(1 - 1 / np.diag(Q)[place[i]])
        for j in range(D):
            if sizes[i] and sizes[j] and i != j:
                # the squared norm of Q_ii^-1/2 Q_ij Q_jj^-1/2, whatever the roots
                first = np.linalg.inv(Q[place[i], place[i]]) @ Q[place[i], place[j]]
                strength[i, j] = np.trace(first @ np.linalg.inv(Q[place[j], place[j]]) @ Q[place[j], place[i]])
    return strength, explained


def blocks(cols: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Every block quantity."""
    seen = cols["seen"].astype(float)
    D = seen.shape[1]
    n = np.maximum(seen.T @ seen, 1)
    R = correlations(cols, n)
    sizes = np.array([R[i, i].shape[0] for i in range(D)])
    names = (
        "block", "block_z", "block_partial", "block_partial_z", "block_order1_z", "block_order1_gain",
        "block_collider", "block_chain", "block_collider_gain",
    )  # fmt: skip
    out = {name: np.zeros((D, D)) for name in names}

    def significance(strength: float, rows: float, i: int, j: int) -> float:
        if sizes[i] == 0 or sizes[j] == 0:
            return 0.0
        return max(wilson_hilferty(rows * strength, sizes[i] * sizes[j]), 0.0)

    partial, out["block_explained"] = full_order(R, sizes, n)
    z, least = np.zeros((D, D)), np.zeros((D, D))
    z_given: dict[tuple[int, int, int], float] = {}
    for i in range(D):
        for j in range(D):
            if i == j:
                continue
            strength = float((R[i, j] ** 2).sum())
            smaller = max(min(sizes[i], sizes[j]), 1)
            z[i, j] = significance(strength, n[i, j], i, j)
            out["block"][i, j] = math.sqrt(strength / smaller)
            out["block_z"][i, j] = compress(z[i, j])
            others = sum(sizes[k] for k in range(D) if k not in (i, j))
            rows = max(n[i, j] - 1 - others, n[i, j] / 4)
            out["block_partial"][i, j] = math.sqrt(partial[i, j] / smaller)
            out["block_partial_z"][i, j] = compress(significance(partial[i, j], rows, i, j))
            for k in range(D):
                if k not in (i, j):
                    z_given[i, j, k] = significance(given(R, i, j, k), max(n[i, j] - sizes[k], 1), i, j)
            tried = [z[i, j], *(z_given[i, j, k] for k in range(D) if k not in (i, j))]
            least[i, j] = min(tried)
            out["block_order1_z"][i, j] = compress(min(tried))
            out["block_order1_gain"][i, j] = compress(max(tried) - z[i, j])
    for i in range(D):
        for j in range(D):
            collider = chain = gain = 0.0
            for k in range(D):
                if len({i, j, k}) < 3:
                    continue
                z_ikj = z_given[i, k, j]
                collider = max(collider, min(z[i, j], z[k, j], z_ikj) * math.exp(-(z[i, k] ** 2) / 4))
                chain = max(chain, min(z[i, j], z[k, j], z[i, k]) * math.exp(-(z_ikj**2) / 4))
                gain = max(gain, (z_ikj - z[i, k]) * math.exp(-(least[i, k] ** 2) / 8))
            out["block_collider"][i, j] = compress(collider)
            out["block_chain"][i, j] = compress(chain)
            out["block_collider_gain"][i, j] = compress(gain)
    return out | sets(cols, R, sizes, n, out["block_order1_z"] + 1e-3 * out["block"])


def sets(
    cols: dict[str, np.ndarray], R: Blocks, sizes: np.ndarray, n: np.ndarray, strength: np.ndarray
) -> dict[str, np.ndarray]:
    """Least z and BIC gain over the sets of at most two of the four strongest columns of every target."""
    D = len(sizes)
    out = {name: np.zeros((D, D)) for name in ("block_order2_z", "block_bic_gain")}
    for j in range(D):
        candidates = strongest(cols, strength, j, 4)
        n_j = n[j].mean()
        for i in range(D):
            if i == j or sizes[i] == 0 or sizes[j] == 0:
                continue
            df = sizes[i] * sizes[j]
            zs, without, together = [], [], []
            for s in (s for size in range(3) for s in combinations(candidates, size) if i not in s):
                m = int(sum(sizes[k] for k in s))
                left_j, left_i, inner = np.ones(sizes[j]), np.ones(sizes[i]), R[i, j]
                if m:
                    block = np.block([[R[a, b] for b in s] for a in s])
                    np.fill_diagonal(block, 1.01)
                    if np.linalg.eigvalsh(block).min() <= 0:
                        continue
                    R_is, R_js = np.hstack([R[i, k] for k in s]), np.hstack([R[j, k] for k in s])
                    inverse = np.linalg.inv(block)
                    left_j, left_i = 1 - np.diag(R_js @ inverse @ R_js.T), 1 - np.diag(R_is @ inverse @ R_is.T)
                    inner = R[i, j] - R_is @ inverse @ R_js.T
                if left_j.min() < -0.05:
                    continue
                left_j, left_i = np.maximum(left_j, 0.02), np.maximum(left_i, 0.02)
                statistic = min(float((inner**2 / np.outer(left_i, left_j)).sum()), 1e3)
                zs.append(max(wilson_hilferty(max(n[i, j] - m, 1) * statistic, df), 0.0))
                score = n_j * np.log(left_j).sum() + sizes[j] * m * math.log(max(n_j, 2))
                share = min(statistic / math.sqrt(df), 0.999)
                gain = -n[i, j] * math.sqrt(df) * math.log(1 - share) - df * math.log(max(n_j, 2))
                without.append(score)
                together.append(score - gain)
            out["block_order2_z"][i, j] = compress(min(zs))
            out["block_bic_gain"][i, j] = math.asinh((min(without) - min(together)) / 8) / 2
    copy_to_equals(cols, out)
    return out
