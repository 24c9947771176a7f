"""Conditional moments per bin, cross moments, marginal shape and table size.

N rows, D variables, K bins. Per-bin sums of [x, x^2, x^3, g, g^2, g^3] for every bin of every column are one product.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from foundcause.features.correlations import linear
from foundcause.features.registry import Statistic, register
from foundcause.features.standardize import BINS, TableState
from foundcause.features.tensor_math import asinh, entropy_terms

_SCALES = ("x", "g")
CHUNK = 4_000_000
"""Most elements of a working tensor of sums in bins."""

STATISTICS: tuple[Statistic, ...] = (
    *(
        Statistic(f"{name}_{scale}", "directed", "direction", formula.replace("#", scale))
        for scale in _SCALES
        for name, formula in (
            ("mean_variance", "share of the variance of #_j between the bins of i"),
            ("log_variance", "mean over bins of i of log variance of #_j within, divided by 2"),
            ("variance_spread", "coefficient of variation over bins of i of the variance of #_j within, asinh"),
            ("mean_skewness", "mean over bins of i of the skewness of #_j within, asinh"),
            ("square_skewness", "mean over bins of i of the squared skewness of #_j within, asinh"),
            ("mean_travel", "total variation of the mean of #_j over the ordered bins of i, divided by 4"),
            ("mean_turns", "mean_travel minus |last - first| conditional mean, divided by 4"),
        )
    ),
    Statistic("cross_21", "directed", "direction", "asinh(E[x_i^2 x_j] sign(c_ij))"),
    Statistic("cross_22", "symmetric", "dependence", "asinh(E[x_i^2 x_j^2] - 1 - 2 c^2)"),
    Statistic("cross_31", "directed", "direction", "asinh(E[x_i^3 x_j] - 3 c)"),
    Statistic(
        "cross_21_g", "directed", "direction", "asinh(E[g_i^2 g_j] sign(c_ij)) of normal scores, c the correlation of x"
    ),
    Statistic("lingam", "antisymmetric", "direction", "4 c_ij (E[x_i tanh x_j] - E[tanh x_i x_j])"),
    Statistic("lingam_z", "antisymmetric", "direction", "asinh(sqrt(n) (E[x_i tanh x_j] - E[tanh x_i x_j]) sign c)"),
    Statistic("skewness", "marginal", "reliability", "asinh of the skewness of x"),
    Statistic("kurtosis", "marginal", "reliability", "asinh of the excess kurtosis of x"),
    Statistic("negentropy", "marginal", "reliability", "E log cosh x minus its Gaussian value 0.37457, times 10"),
    Statistic("distinct", "marginal", "reliability", "log of the number of distinct values, divided by 4"),
    Statistic("distinct_share", "marginal", "reliability", "distinct values over observed cells"),
    Statistic("discrete", "marginal", "reliability", "1 when binned by value"),
    Statistic("mode_mass", "marginal", "reliability", "largest share of a bin"),
    Statistic("entropy", "marginal", "reliability", "entropy of the bins over log 10"),
    Statistic("missing", "marginal", "reliability", "share of unobserved cells"),
    Statistic("log_rows", "size", "reliability", "log(N / 500) / 2"),
    Statistic("crowding", "size", "reliability", "asinh(10 D / N) / 2"),
    Statistic("log_variables", "size", "reliability", "log(D / 20) / 2"),
    Statistic(
        "joint_share",
        "symmetric",
        "reliability",
        "n_ij / N; 0, as all features of a pair are, below 3 joint rows",
    ),
)


def bin_sums(table: TableState) -> Tensor:
    """(D, K, 6, D) sums over joint rows: [i, a, s, j] of x, x^2, x^3, g, g^2, g^3 of column j where i is in bin a."""
    columns = table.columns
    x, g = columns.x, columns.g
    x2, g2 = x.square(), g.square()
    return (columns.onehot.T @ torch.cat([x, x2, x2 * x, g, g2, g2 * g], 1)).view(-1, BINS, 6, columns.variables)


def bin_rows(table: TableState) -> Tensor:
    """(D, K, D) joint rows: [i, a, j] with i in bin a."""
    columns = table.columns
    return (columns.onehot.T @ columns.mask).view(-1, BINS, columns.variables)


@register("extended", *STATISTICS)
def moments(table: TableState) -> dict[str, Tensor]:
    """Shape of j within the bins of i, cross moments, marginal shape, and the size of the table."""
    columns, rows = table.columns, table.n_rows
    D, c = columns.variables, table.get(linear).correlation[0]
    x, g, n = columns.x, columns.g, columns.joint
    x2, g2 = x.square(), g.square()
    out: dict[str, Tensor] = {}
    step = max(1, CHUNK // (D * BINS * 6))
    rows_DKD, sums = table.get(bin_rows).split(step), table.get(bin_sums).split(step)
    parts = [conditional_shape(*part) for part in zip(rows_DKD, sums, strict=True)]
    shape = {name: torch.cat([part[name] for part in parts]) for name in parts[0]}
    out |= {f"{name}_{scale}": value[:, k] for name, value in shape.items() for k, scale in enumerate(_SCALES)}

    sign = torch.sign(c)
    tanh = torch.tanh(x)
    left = torch.cat([x2, x2 * x, tanh], 1)
    products = (left.T @ x).view(3, D, D) / n
    out["cross_21"] = asinh(products[0] * sign)
    out["cross_22"] = asinh(x2.T @ x2 / n - 1 - 2 * c.square())
    out["cross_31"] = asinh(products[1] - 3 * c)
    out["cross_21_g"] = asinh(g2.T @ g / n * sign)
    ratio = products[2].T - products[2]
    out["lingam"] = 4 * c * ratio
    out["lingam_z"] = asinh(ratio * sign * n.sqrt())

    n_D = columns.counts
    out["skewness"] = asinh((x2 * x).sum(0) / n_D)
    out["kurtosis"] = asinh(x2.square().sum(0) / n_D - 3)
    log_cosh = (x.abs() + torch.log1p(torch.exp(-2 * x.abs())) - math.log(2)).mul(columns.mask)
    out["negentropy"] = (log_cosh.sum(0) / n_D - 0.37457) * 10
    out["distinct"] = columns.distinct.clamp_min(1).float().log() / 4
    out["distinct_share"] = columns.distinct / n_D
    out["discrete"] = columns.discrete.float()
    p_DK = columns.onehot.sum(0).view(D, BINS) / n_D[:, None]
    out["mode_mass"] = p_DK.amax(1)
    out["entropy"] = entropy_terms(p_DK).sum(1) / math.log(BINS)
    out["missing"] = 1 - columns.mask.mean(0)
    out["log_rows"] = torch.tensor(math.log(max(rows, 1) / 500) / 2)
    out["crowding"] = torch.tensor(math.asinh(10 * D / max(rows, 1)) / 2)
    out["log_variables"] = torch.tensor(math.log(max(D, 1) / 20) / 2)
    out["joint_share"] = n / columns.rows
    return out


def conditional_shape(count_CKD: Tensor, sums: Tensor) -> dict[str, Tensor]:
    """Shape of j within the bins of C causes i on both scales: each result is (C, 2, D), [i, scale, j].

    Takes counts (C, K, D) and sums (C, K, 6, D) of v, v^2, v^3 for both scales. Bins of fewer than three rows are
    passed over where a spread or a skewness is needed.
    """
    C, _, D = count_CKD.shape
    count = count_CKD[:, :, None]  # (D, K, 1, D)
    total = count.sum(1, keepdim=True).clamp_min(1.0)
    mean, square, cube = (sums / count.clamp_min(1.0)).view(C, BINS, 2, 3, D).unbind(3)  # (C, K, 2, D) each
    weight = count / total
    variance = (square - mean.square()).clamp_min(0.0)
    overall = (weight * mean).sum(1, keepdim=True)
    between = (weight * (mean - overall).square()).sum(1)
    within = (weight * variance).sum(1)
    # a tenth of a row's worth of the pooled variance keeps log and ratios tame in tiny or constant bins
    unbiased = (variance * count + (0.1 * within + 1e-3)[:, None]) / (count - 1).clamp_min(1.0)
    w = weight * (count >= 3)
    w = w / w.sum(1, keepdim=True).clamp_min(1e-9)
    mean_variance = (w * unbiased).sum(1)
    spread = (w * (unbiased - mean_variance[:, None]).square()).sum(1).sqrt() / mean_variance.clamp_min(1e-3)
    third = cube - 3 * mean * square + 2 * mean * mean * mean
    held = unbiased.clamp_min(1e-3)
    skewness = (third / (held * held.sqrt())).clamp(-5, 5)
    travel, net = _travel(mean, (count > 0).expand_as(mean))
    return {
        "mean_variance": between / (between + within).clamp_min(1e-6),
        "log_variance": (w * unbiased.log()).sum(1) / 2,
        "variance_spread": asinh(spread),
        "mean_skewness": asinh((w * skewness).sum(1)),
        "square_skewness": asinh((w * skewness.square()).sum(1)),
        "mean_travel": asinh(travel / 4),
        "mean_turns": asinh((travel - net.abs()) / 4),
    }


def _travel(mean: Tensor, present: Tensor) -> tuple[Tensor, Tensor]:
    """Sum of |steps| of the mean along present bins, and last minus first, both (D, 2, D)."""
    position = torch.arange(BINS)[None, :, None, None]
    # an absent bin repeats the last present one before it (or the first present one of all)
    latest = torch.where(present, position, -1).cummax(1).values
    first = (latest < 0).sum(1, keepdim=True).clamp_(max=BINS - 1)
    filled = mean.gather(1, torch.where(latest < 0, first, latest))
    return torch.diff(filled, dim=1).abs().sum(1), filled[:, -1] - filled[:, 0]
