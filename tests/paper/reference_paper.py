"""A slow twin of the mended statistics: numpy, float64, one obvious loop per feature."""

from __future__ import annotations

import itertools
import math
import struct

import numpy as np

BITS = 2**64


def reference_paper(values, observed, *, frequencies, phases, seed=0, kernel_rows=256):
    """(D, D, 45) of one table; [i, j] speaks of i as a cause of j."""
    values, observed = np.asarray(values), np.asarray(observed, bool)
    kept = observed.any(axis=1)
    rounding = 4.0 * np.finfo(values.dtype).eps
    values, observed = values[kept].astype(float), observed[kept]
    N, D = values.shape
    s = np.zeros((D, D, 45))
    joint = np.array([[np.sum(observed[:, i] & observed[:, j]) for j in range(D)] for i in range(D)])
    s[:, :, 42] = min(D / max(joint.mean(), 1.0), 1.0)
    s[:, :, 44] = joint / N
    live = [i for i in range(D) if varies(values[observed[:, i], i], rounding)]
    if not live:
        return s
    rank = np.zeros((N, D))
    for i in live:
        rank[observed[:, i], i] = average_ranks(values[observed[:, i], i])
    order = canonical_rows(rank[:, live], observed[:, live], seed)
    values, observed, rank = values[order], observed[order], rank[order]

    x = np.zeros((N, D))
    for i in live:
        x[observed[:, i], i] = standardised(winsorised(values[observed[:, i], i]))
    marginal(s, x, observed, values, live)
    linear(s, x, rank, observed, live)
    precision(s, joint, live)
    kernel(s, x[:kernel_rows], observed[:kernel_rows], live, frequencies, phases)
    bins(s, x, observed, live)
    orders(s, values, rank, observed, live)
    colliders(s, live)
    return s


def varies(cells, rounding):
    return len(cells) >= 3 and cells.max() - cells.min() > rounding * np.abs(cells).max()


def winsorised(cells):
    mean = cells.mean()
    reach = 10 * 1.4826 * np.abs(cells - mean).mean()
    return np.clip(cells, mean - reach, mean + reach)


def standardised(cells):
    return (cells - cells.mean()) / cells.std(ddof=1)


def average_ranks(cells):
    return np.array([np.sum(cells < c) + (np.sum(cells == c) - 1) / 2 for c in cells])


def clip(value, low, high):
    return min(max(value, low), high)


def signed_log(value):
    return math.copysign(math.log1p(abs(value)), value) if value else 0.0


def canonical_rows(rank, observed, seed):
    """Row order by a hash of the ranks, with integer arithmetic modulo 2^64 written out."""
    N, D = rank.shape
    salt = mix(seed)

    def bits(n, i):
        if not observed[n, i]:
            return 0x5BD1E995
        return struct.unpack("<i", struct.pack("<f", rank[n, i]))[0]

    cell = [[mix(bits(n, i) + salt) for i in range(D)] for n in range(N)]
    row = [mix(sum(cell[n])) for n in range(N)]
    column = [mix(sum(mix(cell[n][i] + row[n]) for n in range(N))) for i in range(D)]
    key = [mix(sum(mix(cell[n][i] + column[i]) for i in range(D))) for n in range(N)]
    return sorted(range(N), key=lambda n: key[n])


def mix(number):
    number = signed(number)
    number = signed((number ^ (number >> 32)) * -0x61C8864680B583EB)
    number = signed((number ^ (number >> 29)) * -0x4B47D0C5B5A5B7E3)
    return number ^ (number >> 32)


def signed(number):
    number %= BITS
    return number - BITS if number >= BITS // 2 else number


def marginal(s, x, observed, values, live):
    skewness, kurtosis, share = {}, {}, {}
    for i in live:
        cells, raw = x[observed[:, i], i], values[observed[:, i], i]
        skewness[i] = clip(np.mean(cells**3), -5, 5)
        kurtosis[i] = clip(np.mean(cells**4) - 3, -5, 100)
        share[i] = raw.std(ddof=1) / (raw.max() - raw.min())
    for i in live:
        for j in live:
            s[i, j, 1] = clip(skewness[i] * skewness[j], -5, 5)
            s[i, j, 5] = signed_log(clip(kurtosis[i] * kurtosis[j], -500, 10000))
            s[i, j, 9] = clip(skewness[i] - skewness[j], -5, 5)
            s[i, j, 10] = signed_log(kurtosis[i] - kurtosis[j])
            s[i, j, 43] = min(share[i], share[j])


def on_shared(column_i, column_j):
    """Whether a pair's shared cells allow a correlation, and the correlation."""
    fit = len(column_i) >= 3 and column_i.var(ddof=1) > 1e-9 and column_j.var(ddof=1) > 1e-9
    return fit, np.corrcoef(column_i, column_j)[0, 1] if fit else 0.0


def linear(s, x, rank, observed, live):
    third = np.zeros(s.shape[:2])
    for i in live:
        for j in live:
            both = observed[:, i] & observed[:, j]
            fit, s[i, j, 0] = on_shared(x[both, i], x[both, j])
            _, s[i, j, 3] = on_shared(
                standardised_on(rank, observed, i)[both], standardised_on(rank, observed, j)[both]
            )
            if fit:
                third[i, j] = np.mean(standardised(x[both, i]) ** 2 * standardised(x[both, j]))
            s[i, j, 4] = abs(s[i, j, 3]) - abs(s[i, j, 0])
    for i in live:
        for j in live:
            s[i, j, 6] = (min(abs(third[i, j]), 5) + min(abs(third[j, i]), 5)) / 2
            s[i, j, 11], s[i, j, 12] = clip(third[i, j], -10, 10), clip(third[j, i], -10, 10)


def standardised_on(rank, observed, i):
    column = np.zeros(len(rank))
    column[observed[:, i]] = standardised(rank[observed[:, i], i])
    return column


def precision(s, joint, live):
    r = s[np.ix_(live, live)][:, :, 0]
    d = max(len(live), 2)
    n = max(joint[np.ix_(live, live)].mean(), 3)
    trace, square = np.trace(r), np.sum(r**2)
    rho = ((1 - 2 / d) * square + trace**2) / max((n + 1 - 2 / d) * (square - trace**2 / d), 1e-8)
    rho = clip(rho, 0.01, 1)
    eigenvalues, vectors = np.linalg.eigh((1 - rho) * r + rho * np.eye(len(live)))
    omega = vectors @ np.diag(1 / np.maximum(eigenvalues, 0.01)) @ vectors.T
    weight = np.diag(omega)
    coupling = np.maximum(np.abs(omega).sum(axis=1) - weight, 1e-8)
    s[:, :, 41] = clip(math.log(weight.max() / weight.min()), -10, 10)
    for a, i in enumerate(live):
        for b, j in enumerate(live):
            s[i, j, 2] = clip(-omega[a, b] / math.sqrt(weight[a] * weight[b]), -1, 1)
            s[i, j, 20] = clip(-omega[a, b] / weight[b], -5, 5)
            s[i, j, 21] = clip(-omega[a, b] / weight[a], -5, 5)
            s[i, j, 28] = clip(math.log(weight[a] / weight[b]), -10, 10)
            s[i, j, 29] = clip(math.log(coupling[a] / coupling[b]), -10, 10)
            s[i, j, 38] = clip(abs(s[i, j, 2]) - abs(s[i, j, 0]), -2, 2)


def kernel(s, x, observed, live, frequencies, phases):
    N, D = x.shape
    z = np.zeros((N, D))
    for i in live:
        seen = observed[:, i]
        centred = x[seen, i] - x[seen, i].mean() if seen.any() else x[seen, i]
        z[seen, i] = centred / max(math.sqrt(np.sum(centred**2) / max(seen.sum() - 1, 1)), 1e-8)
    bandwidth = {i: median_square(z[observed[:, i], i]) for i in live}
    curvature = {i: curvature_variance(z[observed[:, i], i], bandwidth[i]) for i in live}
    skewness = np.zeros((D, D))
    for i in live:
        for j in live:
            s[i, j, 36] = clip(curvature[i] - curvature[j], -50, 50)
            both = observed[:, i] & observed[:, j]
            cause, effect = z[both, i], z[both, j]
            fit, r = on_shared(cause, effect)
            if not fit:
                continue
            fitted = np.zeros(len(cause))
            for m in range(len(cause)):
                weight = np.exp(-((cause[m] - cause) ** 2) / (2 * bandwidth[i] + 1e-8))
                weight[m] = 0
                fitted[m] = np.sum(weight * effect) / max(np.sum(weight), 1e-8)
            residual = effect - fitted
            total = effect.var(ddof=1)
            variance = np.sum(residual**2) / (len(residual) - 1)
            unit = residual / max(math.sqrt(variance), 1e-8)
            s[i, j, 7] = clip(variance / total, 0, 5)
            if variance > 1e-9 * total:
                s[i, j, 16] = clip(np.mean(unit**4) - 3, -5, 100)
                skewness[i, j] = clip(np.mean(unit**3), -5, 5)
            s[i, j, 22] = clip((1 - r**2) / max(s[i, j, 7], 0.01), 0, 10)
            s[i, j, 32] = clip(np.var(fitted) / total, 0, 5)
            squares = []
            for w, b in zip(frequencies, phases, strict=True):
                left = np.cos(w * cause / math.sqrt(bandwidth[i]) + b)
                right = np.cos(w * residual / (0.75 * math.sqrt(bandwidth[j])) + b)
                squares.append((np.mean(left * right) - np.mean(left) * np.mean(right)) ** 2)
            s[i, j, 13] = min(32 * np.mean(squares), 10)
    for i in live:
        for j in live:
            for a, b in ((7, 8), (13, 14), (16, 17), (22, 23), (32, 33)):
                s[i, j, b] = s[j, i, a]
            s[i, j, 15] = clip(skewness[i, j] - skewness[j, i], -5, 5)


def median_square(cells):
    squares = sorted((a - b) ** 2 for k, a in enumerate(cells) for b in cells[:k])
    return clip(squares[(len(squares) - 1) // 2], 0.01, 100) if squares else 100.0


def curvature_variance(cells, bandwidth):
    q = []
    for m in range(len(cells)):
        square = (cells[m] - cells) ** 2
        weight = np.exp(-square / (2 * bandwidth + 1e-8))
        weight[m] = 0
        total = np.sum(weight * (square / bandwidth**2 - 1 / bandwidth))
        q.append(clip(total / max(np.sum(weight), 1e-8), -1000, 1000))
    return clip(np.var(q, ddof=1), 0, 50) if len(q) > 1 else 0.0


def bins(s, x, observed, live):
    D = s.shape[0]
    entropy = np.zeros((D, D))
    for i in live:
        cells = np.sort(x[observed[:, i], i])
        cuts = []
        for k in range(1, 20):
            share = np.linspace(0, 1, 21, dtype=np.float32)[k]
            at = int(np.round(share * np.float32(max(len(cells), 20) - 1)))
            if at < len(cells):
                cuts.append(cells[at])
        bin_of = np.array([sum(cut < v for cut in cuts) for v in x[:, i]])
        for j in live:
            both = observed[:, i] & observed[:, j]
            if not on_shared(x[both, i], x[both, j])[0]:
                continue
            shares, variances = [], []
            for q in range(20):
                inside = x[both & (bin_of == q), j]
                if len(inside) >= 2:
                    shares.append(len(inside) / both.sum())
                    variances.append(max(inside.var(), 1e-8))
            shares, variances = np.array(shares), np.array(variances)
            entropy[i, j] = np.sum(shares * 0.5 * np.log(variances))
            typical = max(np.sum(shares * variances), 1e-8)
            s[i, j, 26] = clip(math.sqrt(np.sum(shares * (variances - typical) ** 2)) / typical, 0, 5)
            local = []
            for g in range(5):
                rows = both & (bin_of // 4 == g)
                if rows.sum() >= 3:
                    a, b = x[rows, i], x[rows, j]
                    deviation = math.sqrt(max(a.var(), 1e-8) * max(b.var(), 1e-8))
                    covariance = np.mean((a - a.mean()) * (b - b.mean()))
                    local.append(clip(covariance / max(deviation, 1e-4), -1, 1) ** 2)
            s[i, j, 24] = np.var(local) if local else 0.0
    for i in live:
        for j in live:
            s[i, j, 18] = clip(entropy[i, j] - entropy[j, i], -5, 5)
            s[i, j, 25], s[i, j, 27] = s[j, i, 24], s[j, i, 26]


def orders(s, values, rank, observed, live):
    D = s.shape[0]
    slope = np.zeros((D, D))
    for i in live:
        for j in live:
            both = observed[:, i] & observed[:, j]
            if not on_shared(standardised_on(rank, observed, i)[both], standardised_on(rank, observed, j)[both])[0]:
                continue
            own_i, own_j = observed[:, i].sum(), observed[:, j].sum()
            level_i, level_j = rank[both, i] / (own_i - 1), rank[both, j] / (own_j - 1)
            points = [(u, np.mean(level_j[level_i == u])) for u in sorted(set(level_i))]
            logs = []
            for (u0, v0), (u1, v1) in itertools.pairwise(points):
                if abs(v1 - v0) > 1e-9:
                    logs.append(clip(math.log(abs(v1 - v0)) - math.log(u1 - u0), -10, 10))
            slope[i, j] = np.mean(logs) if logs else 0.0
            s[i, j, 34] = clip(np.var(logs), 0, 20) if logs else 0.0

            target = values[observed[:, j], j]
            most = np.array([np.sum(target <= v) for v in values[both, j]]) / own_j
            least = np.array([np.sum(target >= v) for v in values[both, j]]) / own_j
            along = np.argsort(level_i, kind="stable")
            steps = np.sum(np.abs(np.diff(most[along])))
            s[i, j, 30] = clip(1 - steps / (2 * np.sum(least * (1 - least))), -0.5, 1)
    for i in live:
        for j in live:
            s[i, j, 19] = clip(slope[i, j] - slope[j, i], -10, 10)
            s[i, j, 31], s[i, j, 35] = s[j, i, 30], s[j, i, 34]


def colliders(s, live):
    near = np.abs(s[:, :, 0])
    child = np.zeros(near.shape)
    for i in live:
        for j in live:
            others = [k for k in live if k not in (i, j)]
            s[i, j, 37] = (1 - near[i, j]) * max([min(near[i, k], near[j, k]) for k in others], default=0)
            child[i, j] = max([min(near[i, j], near[k, j]) * (1 - near[i, k]) for k in others], default=0)
    s[:, :, 39], s[:, :, 40] = child, child.T
