"""Slow, obvious numpy twins of the regressions within a pair and of the support of a column, missing cells included.

They take the dict of ``reference_statistics.columns``, of so few rows that none is left out.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from reference_statistics import BINS, correlation, negentropy, precision, standard

Columns = dict[str, np.ndarray]

NOTHING = 33.669 * 0.5
"""The negentropy formula when both of its means are 0, as they are without any row."""


def circle(v: np.ndarray) -> np.ndarray:
    return np.stack([np.cos(v), np.sin(v), np.cos(2 * v), np.sin(2 * v)])


def polynomials(v: np.ndarray) -> np.ndarray:
    """(3, L) polynomials of degree 1 to 3 of the cells of one column, orthonormal up to a ridge of 0.001."""
    powers = np.stack([v, v**2, v**3])
    powers = powers - powers.mean(1, keepdims=True)
    powers = powers / np.sqrt(np.maximum((powers**2).mean(1, keepdims=True), 1e-9))
    gram = powers @ powers.T / len(v) + 1e-3 * np.eye(3)
    return np.linalg.solve(np.linalg.cholesky(gram), powers)


def own_negentropy(v: np.ndarray) -> float:
    """Negentropy of the observed cells of a column; with none, both of its means are 0."""
    return negentropy(standard(v)) if len(v) else NOTHING


def residuals(cols: Columns, scale: str) -> dict[str, np.ndarray]:
    """Cubic regressions within pairs: polynomials of all cells of i, coefficients and errors over the joint rows."""
    seen, D = cols["seen"], cols["seen"].shape[1]
    names = (
        "cubic_error", "noise_skewness", "noise_kurtosis", "noise_slope", "noise_bend", "noise_dependence",
        "noise_entropy",
    )  # fmt: skip
    out = {name: np.zeros((D, D)) for name in names}
    for i in range(D):
        v = cols[scale][:, i]
        basis, turned = np.zeros((3, len(v))), np.zeros((4, len(v)))
        spread_i = 0.0
        if seen[:, i].any():
            basis[:, seen[:, i]] = polynomials(v[seen[:, i]])
            turned[:, seen[:, i]] = circle(v[seen[:, i]])
            spread_i = turned[:, seen[:, i]].var(1).sum()
        for j in range(D):
            both = seen[:, i] & seen[:, j]
            n = int(both.sum())
            if i == j:
                continue
            if n == 0:
                # nothing is seen together: the values that empty sums give
                out["cubic_error"][i, j] = math.log(1e-4) / 2
                out["noise_kurtosis"][i, j] = math.asinh(-3)
                own = own_negentropy(v[seen[:, i]])
                out["noise_entropy"][i, j] = math.log(1e-4) / 2 - NOTHING - own
                continue
            b, y = basis[:, both], cols[scale][both, j]
            e = y - (b @ y / n) @ b
            variance = max((e**2).mean(), 1e-4)
            e = e / math.sqrt(variance)
            fourth = (e**4).mean()
            spread = math.sqrt(max(fourth - 1, 0.05))
            out["cubic_error"][i, j] = math.log(variance) / 2
            out["noise_skewness"][i, j] = math.asinh((e**3).mean())
            out["noise_kurtosis"][i, j] = math.asinh(fourth - 3)
            for name, degree in (("noise_slope", 0), ("noise_bend", 1)):
                covariance = (e**2 * b[degree]).mean() - (e**2).mean() * b[degree].mean()
                out[name][i, j] = np.clip(covariance / spread, -1, 1)
            t_e, t_i = circle(e), turned[:, both]
            covariances = sum(((p * q).mean() - p.mean() * q.mean()) ** 2 for p in t_e for q in t_i)
            expected = max(t_e.var(1).sum(), 0.05) * max(spread_i, 0.05)
            out["noise_dependence"][i, j] = math.log1p(n * covariances / expected)
            out["noise_entropy"][i, j] = math.log(variance) / 2 - negentropy(e) - own_negentropy(v[seen[:, i]])
    return {f"{name}_{scale}": value for name, value in out.items()}


def line_entropy(cols: Columns, c: np.ndarray) -> np.ndarray:
    """H(x_i) + H(e) with e = x_j - c_ij x_i over the joint rows, Gaussian constants removed."""
    seen, D = cols["seen"], cols["seen"].shape[1]
    out = np.zeros((D, D))
    for i in range(D):
        for j in range(D):
            both = seen[:, i] & seen[:, j]
            if i == j:
                continue
            e = cols["x"][both, j] - c[i, j] * cols["x"][both, i]
            found = NOTHING
            if len(e):
                found = negentropy(e / math.sqrt(max((e**2).mean(), 1e-4)))
            own = own_negentropy(cols["x"][seen[:, i], i])
            out[i, j] = math.log(max(1 - c[i, j] ** 2, 1e-4)) / 2 - found - own
    return out


def pairs(cols: Columns) -> dict[str, np.ndarray]:
    """Everything that compares regressions, both ways."""
    seen, D = cols["seen"], cols["seen"].shape[1]
    n = np.maximum(seen.astype(float).T @ seen, 1)
    c = correlation(cols["x"], seen)
    out = residuals(cols, "x") | residuals(cols, "g")
    line = out["line_entropy"] = line_entropy(cols, c)
    entropy, dependence = out["noise_entropy_x"], out["noise_dependence_x"]
    names = ("line_entropy_z", "noise_entropy_z", "noise_dependence_gap")
    out |= {name: np.zeros((D, D)) for name in names}
    for i in range(D):
        for j in range(D):
            out["line_entropy_z"][i, j] = math.asinh(n[i, j] * (line[j, i] - line[i, j]) / 4)
            out["noise_entropy_z"][i, j] = math.asinh(n[i, j] * (entropy[j, i] - entropy[i, j]) / 4)
            out["noise_dependence_gap"][i, j] = dependence[j, i] - dependence[i, j]
    return out | descriptions(cols, c, 2 * out["cubic_error_x"]) | slopes(cols)


def spans(cols: Columns) -> np.ndarray:
    """(D,) range of x, at least 0.001."""
    found = [cols["x"][cols["seen"][:, d], d] for d in range(cols["seen"].shape[1])]
    return np.array([max(np.ptp(v), 1e-3) if len(v) else 1e-3 for v in found])


def descriptions(cols: Columns, c: np.ndarray, log_cubic: np.ndarray) -> dict[str, np.ndarray]:
    """Log error variances of a line, a cubic and bin means of i, with log(n)/n paid for every parameter."""
    seen, D, span = cols["seen"], cols["seen"].shape[1], spans(cols)
    out = {name: np.zeros((D, D)) for name in ("unit_error", "description", "cubic_gain", "bend_gain")}
    for i in range(D):
        for j in range(D):
            if i == j:
                continue
            both = seen[:, i] & seen[:, j]
            n = max(int(both.sum()), 1)
            groups = [cols["x"][both & (cols["codes"][:, i] == a), j] for a in range(BINS)]
            groups = [v for v in groups if len(v)]
            within = sum(((v - v.mean()) ** 2).sum() for v in groups)
            log_bins = math.log(min(max(within / max(n - len(groups), 1), 1e-4), 1.0))
            log_line = math.log(max(1 - c[i, j] ** 2, 1e-4))
            price = math.log(max(n, 3)) / n
            lengths = (log_line + price, log_cubic[i, j] + 3 * price, log_bins + len(groups) * price)
            out["unit_error"][i, j] = (log_cubic[i, j] - 2 * math.log(span[j])) / 4
            out["description"][i, j] = min(lengths) / 2
            out["cubic_gain"][i, j] = math.asinh(log_line - log_cubic[i, j])
            out["bend_gain"][i, j] = math.asinh(log_cubic[i, j] - log_bins)
    return out


def slopes(cols: Columns) -> dict[str, np.ndarray]:
    """IGCI: mean log |rise of j| / |run of i| from one occupied bin of i to the next code, both ways, halved."""
    seen, D, span = cols["seen"], cols["seen"].shape[1], spans(cols)
    out = {}
    for scale in ("x", "g"):
        slope = np.zeros((D, D))
        for i in range(D):
            for j in range(D):
                both = seen[:, i] & seen[:, j]
                steps = []
                for a in range(BINS - 1):
                    here, there = both & (cols["codes"][:, i] == a), both & (cols["codes"][:, i] == a + 1)
                    if not (here.any() and there.any()):
                        continue
                    own_here, own_there = cols["codes"][:, i] == a, cols["codes"][:, i] == a + 1
                    rise = abs(cols[scale][there, j].mean() - cols[scale][here, j].mean()) + 0.02
                    run = abs(cols[scale][own_there, i].mean() - cols[scale][own_here, i].mean()) + 0.02
                    steps.append(math.log(rise / run))
                slope[i, j] = np.mean(steps) if steps else 0.0
                if scale == "x":
                    slope[i, j] += math.log(span[i]) - math.log(span[j])
        out[f"slope_{scale}"] = (slope - slope.T) / 2
    return out


def support(cols: Columns) -> dict[str, np.ndarray]:
    """Spacings, ends, end masses and grid of the observed cells of every column."""
    D = cols["seen"].shape[1]
    names = (
        "spacing_entropy", "spacing_entropy_unit", "lower_end", "upper_end", "lower_mass", "upper_mass", "grid",
    )  # fmt: skip
    out = {name: np.zeros(D) for name in names}
    for d in range(D):
        v = np.sort(cols["x"][cols["seen"][:, d], d])
        n = len(v)
        if n == 0:
            v = np.zeros(1)
        span = max(v[-1] - v[0], 1e-3)
        # the nearest order statistic of each of 21 levels, halves to even as numpy and torch both round
        at = [int(np.round(np.float32(k / 20) * np.float32(len(v) - 1))) for k in range(21)]
        spacing = [v[at[k + 1]] - v[at[k]] for k in range(20)]
        entropy = np.mean([math.log(max(20 * s, 0.02)) for s in spacing])
        out["spacing_entropy"][d] = (entropy - 1.4189) / 2
        out["spacing_entropy_unit"][d] = (entropy - math.log(span)) / 2
        out["lower_end"][d], out["upper_end"][d] = math.asinh(-v[0]), math.asinh(v[-1])
        # the masses are of the values as they came: winsorising x would pile up cells at its ends
        rank = cols["u"][cols["seen"][:, d], d] if n else np.zeros(1)
        out["lower_mass"][d], out["upper_mass"][d] = np.mean(rank == rank.min()), np.mean(rank == rank.max())
        gaps = [b - a for a, b in pairwise(v) if b - a > 1e-6]
        out["grid"][d] = math.log(min(max(min(gaps) / span, 1e-6), 1.0)) / 10 if gaps else 0.0
    return out


def conditional(cols: Columns) -> dict[str, np.ndarray]:
    """Cross moments of the residuals r_i, r_j given all others, expanded term by term.

    (r_i, r_j) = B (e_i, e_j) with e = P x and B the inverse of the pair's block of P. A mixed moment of e is taken
    over the joint rows, a moment of one column over all its cells; without missing cells this is the moment of r.
    """
    seen, D = cols["seen"], cols["seen"].shape[1]
    n = np.maximum(seen.astype(float).T @ seen, 1)
    P = precision(correlation(cols["x"], seen), n)
    e = np.where(seen, np.where(seen, cols["x"], 0.0) @ P, 0.0)
    deviation = np.sqrt(np.maximum((e**2).sum(0) / np.diag(n), 1e-6))
    e = np.clip(e / deviation, -6, 6)
    P = P / np.outer(deviation, deviation)
    out = {"conditional_21": np.zeros((D, D)), "conditional_31": np.zeros((D, D))}

    def moment(i: int, j: int, a: int, b: int) -> float:
        rows = seen[:, i] if b == 0 else seen[:, j] if a == 0 else seen[:, i] & seen[:, j]
        return float((e[rows, i] ** a * e[rows, j] ** b).mean()) if rows.any() else 0.0

    for i in range(D):
        for j in range(D):
            if i == j:
                continue
            B = np.linalg.inv(P[np.ix_([i, j], [i, j])])
            found = {}
            for power in (2, 3):
                # coefficients of (B_00 e_i + B_01 e_j)^power (B_10 e_i + B_11 e_j), by powers of e_i
                line_i, line_j = np.poly1d([B[0, 0], B[0, 1]]), np.poly1d([B[1, 0], B[1, 1]])
                whole = line_i**power * line_j
                total = sum(whole[a] * moment(i, j, a, power + 1 - a) for a in range(power + 2))
                found[power] = total / (B[0, 0] ** (power / 2) * math.sqrt(B[1, 1]))
            rho = B[0, 1] / math.sqrt(B[0, 0] * B[1, 1])
            out["conditional_21"][i, j] = math.asinh(found[2] * np.sign(rho))
            out["conditional_31"][i, j] = math.asinh(found[3] - 3 * rho)
    return out
