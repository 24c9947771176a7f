"""Correlations, partial correlations and what follows from them: order-1 tests, regressions, colliders.

N rows, D variables; S = 3 scales: values x, ranks r, normal scores g. Significances are z-values compressed by
asinh(z / 4), so that the doubtful range 1 < z < 6 keeps its resolution.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from foundcause.features.registry import Statistic, register
from foundcause.features.standardize import Columns, TableState
from foundcause.features.tensor_math import as_array, asinh, kernels_for

CHUNK = 2_000_000
"""Most elements of a (rows, D, D) working tensor."""

CUBE = 200_000
"""The same where many passes are made over it, which then stays in cache."""

STATISTICS: tuple[Statistic, ...] = (
    Statistic("pearson", "symmetric", "dependence", "corr of x over joint rows"),
    Statistic("spearman", "symmetric", "dependence", "corr of average ranks"),
    Statistic("copula", "symmetric", "dependence", "corr of normal scores g"),
    Statistic("pearson_partial", "symmetric", "dependence", "partial corr given all others, shrunk inverse, of x"),
    Statistic("spearman_partial", "symmetric", "dependence", "the same of average ranks"),
    Statistic("copula_partial", "symmetric", "dependence", "the same of normal scores"),
    Statistic("pearson_z", "symmetric", "dependence", "asinh(z/4), z = atanh|corr x| sqrt(n_ij - 3)"),
    Statistic("copula_z", "symmetric", "dependence", "asinh(z/4), z = atanh|corr g| sqrt(n_ij - 3)"),
    Statistic("pearson_partial_z", "symmetric", "dependence", "asinh(z/4), z = atanh|partial x| sqrt(n_ij - 1 - D)"),
    Statistic("spearman_partial_z", "symmetric", "dependence", "asinh(z/4), z = atanh|partial r| sqrt(n_ij - 1 - D)"),
    Statistic("copula_partial_z", "symmetric", "dependence", "asinh(z/4), z = atanh|partial g| sqrt(n_ij - 1 - D)"),
    Statistic("copula_regression_t", "symmetric", "dependence", "asinh(t/4), t of i in the nearly unshrunk regression"),
    Statistic("order1_min", "symmetric", "dependence", "min over k of |corr(g_i, g_j | g_k)|, at most |corr|"),
    Statistic("order1_min_z", "symmetric", "dependence", "asinh(z/4) of order1_min, z with sqrt(n_ij - 4)"),
    Statistic("order1_gain", "symmetric", "collider", "max over k of |corr(g_i, g_j | g_k)| minus |corr|"),
    Statistic("order1_gain_z", "symmetric", "collider", "asinh(dz/4), dz the largest gain over k in z"),
    Statistic("regression", "directed", "direction", "asinh of the coefficient of i in the regression of j on all, g"),
    Statistic("log_precision", "marginal", "direction", "log diag of the shrunk inverse correlation of g"),
    Statistic("explained", "marginal", "direction", "R2 given all others, 1 - 1/diag of the inverse, of g"),
    Statistic("explained_x", "marginal", "direction", "R2 given all others on the value scale"),
    Statistic("neighbours", "marginal", "reliability", "log1p of sum over k of sigmoid(2 (order1_min z - 3))"),
    Statistic(
        "collider",
        "directed",
        "collider",
        "asinh(z/4), z = max_k min(z_ij, z_kj, z_ik|j) exp(-z_ik^2/4): i -> j <- k with i, k independent",
    ),
    Statistic(
        "chain",
        "directed",
        "collider",
        "asinh(z/4), z = max_k min(z_ij, z_kj, z_ik) exp(-z_ik|j^2/4): j separates i from k",
    ),
    Statistic("collider_gain", "directed", "collider", "asinh(z/4), z = max_k (z_ik|j - z_ik) exp(-zmin_ik^2/8)"),
    Statistic("chain_gain", "directed", "collider", "asinh(z/4), z = max_k (z_ik - z_ik|j) exp(-z_ik|j^2/8)"),
    Statistic("collider_full", "directed", "collider", "asinh(z/4), z = max_k z_ik|all - z_ik|all but j"),
    Statistic("chain_full", "directed", "collider", "asinh(z/4), z = max_k z_ik|all but j - z_ik|all"),
    Statistic(
        "collider_sum",
        "directed",
        "collider",
        "log1p, over 2, of the sum over k of what collider scores exceed z = 2 by",
    ),
    Statistic(
        "chain_sum", "directed", "collider", "log1p, over 2, of the sum over k of what chain scores exceed z = 2 by"
    ),
)


@dataclass(frozen=True)
class Linear:
    """Matrices that other blocks build on.

    correlation: (S, D, D) of x, r, g with a unit diagonal.
    precision: (S, D, D) float64 inverse of the shrunk correlation.
    order1_min, order1_max: (D, D) least and greatest absolute copula correlation given at most one other variable.
    order1_min_z: (D, D) z-value of the least.
    """

    correlation: Tensor
    precision: Tensor
    order1_min: Tensor
    order1_max: Tensor
    order1_min_z: Tensor


def compress(z: Tensor) -> Tensor:
    """asinh(z / 4)."""
    return asinh(z * 0.25)


def fisher_z(correlation: Tensor, degrees: Tensor) -> Tensor:
    """atanh(|c|) sqrt(degrees), |c| limited to 0.9999, degrees to at least 1."""
    return torch.atanh(correlation.abs().clamp_max(0.9999)) * degrees.clamp_min(1.0).sqrt()


def correlations(columns: Columns) -> Tensor:
    """(S, D, D) correlations of x, r, g over jointly observed rows, centered and scaled on those rows."""
    S_SND = torch.stack([columns.x, columns.r, columns.g])
    product = S_SND.transpose(1, 2) @ S_SND
    if columns.complete:
        c = product / max(columns.rows, 1)
    else:
        n = columns.joint
        mean = S_SND.transpose(1, 2) @ columns.mask / n  # [i, j]: mean of i over the rows where j is observed too
        square = S_SND.square().transpose(1, 2) @ columns.mask / n
        variance = square - mean.square()
        scale = (variance * variance.transpose(1, 2)).clamp_min(1e-8).sqrt()
        flat = (variance < 1e-4) | (variance.transpose(1, 2) < 1e-4)
        c = ((product / n - mean * mean.transpose(1, 2)) / scale).masked_fill(flat, 0.0)
        c = torch.where(n < 3, 0.0, c)
    c = torch.nan_to_num(c).clamp(-1.0, 1.0)
    torch.diagonal(c, dim1=1, dim2=2).fill_(1.0)
    return c


def precisions(correlation: Tensor, joint: Tensor, shrink: bool = True) -> Tensor:
    """(S, D, D) float64 inverses of correlations shrunk to the identity as Schaefer and Strimmer (2005) estimate it.

    The intensity is sum of var(c_ij) over sum of c_ij^2, var = (1 - c^2)^2 / n, between 0.001 and 1;
    without ``shrink`` it is 0.001.
    """
    c = correlation.double()
    D = c.shape[-1]
    eye = torch.eye(D, dtype=torch.float64)
    off = 1.0 - eye
    if shrink:
        square = c.square()
        noise = ((1 - square).square() / joint * off).sum((-1, -2))
        signal = (square * off).sum((-1, -2))
        intensity = (noise / signal.clamp_min(1e-12)).clamp(1e-3, 1.0)[:, None, None]
    else:
        intensity = torch.full((c.shape[0], 1, 1), 1e-3, dtype=torch.float64)
    shrunk = c * (1 - intensity) + eye * intensity
    factor, failed = torch.linalg.cholesky_ex(shrunk)
    if bool(failed.any()):
        # pairwise deletion can leave an indefinite matrix: lift its spectrum, keep the unit diagonal
        spectrum, vectors = torch.linalg.eigh(shrunk)
        lifted = vectors * spectrum.clamp_min(1e-2)[:, None, :] @ vectors.transpose(-1, -2)
        scale = torch.diagonal(lifted, dim1=1, dim2=2).rsqrt()
        factor = torch.linalg.cholesky(lifted * scale[:, :, None] * scale[:, None, :])
    return torch.cholesky_inverse(factor)


def partials(precision: Tensor) -> Tensor:
    """(S, D, D) float32 partial correlations of precision matrices."""
    scale = torch.diagonal(precision, dim1=1, dim2=2).rsqrt()
    return (-precision * scale[:, :, None] * scale[:, None, :]).clamp(-1.0, 1.0).float()


def linear(table: TableState) -> Linear:
    """Correlations, precisions and order-1 minima of a table."""
    correlation = correlations(table.columns)
    precision = precisions(correlation, table.columns.joint.double())
    order1_min, order1_max = _order1(correlation[2])
    order1_min_z = fisher_z(order1_min, table.columns.joint - 4)
    order1_min_z.fill_diagonal_(0.0)
    return Linear(
        correlation=correlation,
        precision=precision,
        order1_min=order1_min,
        order1_max=order1_max,
        order1_min_z=order1_min_z,
    )


@register("extended", *STATISTICS)
def linear_statistics(table: TableState) -> dict[str, Tensor]:
    """Correlations, partial correlations, order-1 tests, and colliders and chains over third variables."""
    D, n, found = table.columns.variables, table.columns.joint, table.get(linear)
    correlation, precision = found.correlation, found.precision
    partial = partials(precision)
    loose = partials(precisions(correlation[2:], n.double(), shrink=False))[0]
    full_degrees = torch.maximum(n - 1 - D, n / 4)
    z = fisher_z(correlation, n - 3)
    partial_z = fisher_z(partial, full_degrees)
    c = correlation[2]
    out: dict[str, Tensor] = dict(zip(("pearson", "spearman", "copula"), correlation, strict=True))
    out |= dict(zip(("pearson_partial", "spearman_partial", "copula_partial"), partial, strict=True))
    out |= {"pearson_z": compress(z[0]), "copula_z": compress(z[2])}
    names = ("pearson_partial_z", "spearman_partial_z", "copula_partial_z")
    out |= dict(zip(names, compress(partial_z), strict=True))
    t = loose.abs() * (full_degrees.clamp_min(1) / (1 - loose.square()).clamp_min(1e-4)).sqrt()
    out["copula_regression_t"] = compress(t)
    out["order1_min"] = found.order1_min
    out["order1_min_z"] = compress(found.order1_min_z)
    out["order1_gain"] = found.order1_max - c.abs()
    out["order1_gain_z"] = compress((fisher_z(found.order1_max, n - 4) - z[2]).clamp_min(0.0))

    P = precision[2]
    diagonal = P.diagonal()
    out["regression"] = asinh(-P / diagonal[None, :]).float()
    out["log_precision"] = diagonal.log().float()
    out["explained"] = (1 - 1 / diagonal).float()
    out["explained_x"] = (1 - 1 / precision[0].diagonal()).float()
    out["neighbours"] = torch.log1p(torch.sigmoid(2 * (found.order1_min_z - 3)).fill_diagonal_(0.0).sum(1))
    return out | _colliders(c, z[2], found.order1_min_z, P.float(), partial_z[2], n, full_degrees)


def _excluded(start: int, stop: int, D: int) -> Tensor:
    """(rows, D, D) bool of [i, a, b]: b is i or a, which is no third variable."""
    eye = torch.eye(D, dtype=torch.bool)
    return eye[start:stop, None, :] | eye[None, :, :]


def _order1(c: Tensor) -> tuple[Tensor, Tensor]:
    """Least and greatest |corr(i, j | k)| over k, the unconditional one included."""
    D = c.shape[0]
    scale = (1 - c.square()).clamp_min(1e-3).rsqrt()
    size = c.abs()
    least, most = torch.empty_like(c), torch.empty_like(c)
    if (kernels := kernels_for(D)) is not None:
        kernels.order1_extremes(*map(as_array, (c, scale)), least.numpy(), most.numpy())
        return least, most
    step = max(1, CHUNK // (D * D))
    for start in range(0, D, step):
        stop = min(start + step, D)
        given = torch.addcmul(c[start:stop, :, None], c[start:stop, None, :], c[None], value=-1)
        given = given.mul_(scale[start:stop, None, :]).mul_(scale[None]).abs_().clamp_(max=1.0)
        given = torch.where(_excluded(start, stop, D), size[start:stop, :, None], given)
        least[start:stop] = given.amin(2)
        most[start:stop] = given.amax(2)
    return torch.minimum(least, size), torch.maximum(most, size)


def third_variables(start: int, stop: int, D: int) -> Tensor:
    """(rows, D, D) float32 of [a, b, c], a from start to stop: 1 where all three differ, else 0."""
    third = torch.ones(stop - start, D, D)
    third.diagonal(dim1=1, dim2=2).zero_()
    third.diagonal(offset=start, dim1=0, dim2=1).zero_()
    third.diagonal(offset=start, dim1=0, dim2=2).zero_()
    return third


def _colliders(
    c: Tensor, z: Tensor, order1_min_z: Tensor, P: Tensor, full_z: Tensor, n: Tensor, full_degrees: Tensor
) -> dict[str, Tensor]:
    """Collider and chain evidence of ordered pairs (i, j) over third variables k, working on [i, k, j]."""
    D = c.shape[0]
    scale = (1 - c.square()).clamp_min(1e-3).rsqrt()
    root = (n - 4).clamp_min(1.0).sqrt()
    full_root = full_degrees.clamp_min(1.0).sqrt()
    diagonal = P.diagonal()
    share = P / diagonal[None, :]  # [k, j] -> P_kj / P_jj
    rest = (diagonal[:, None] - P * share).clamp_min(1e-4).rsqrt()  # [i, j]: precision of i when j is left out
    best = torch.zeros(6, D, D)
    sums = torch.zeros(2, D, D)
    open_ik = torch.exp(-z.square() / 4)
    separable_ik = torch.exp(-order1_min_z.square() / 8)
    if (kernels := kernels_for(D)) is not None:
        found = torch.zeros(8, D, D)
        by_effect = share.T, rest.T
        arrays = c, scale, z, root, open_ik, separable_ik, P, *by_effect, full_z, full_root
        kernels.third_variables(*map(as_array, arrays), found.numpy())
        found = found.transpose(1, 2)
        return _named_evidence(found[:6], found[6:])
    step = max(1, min(D, CUBE // (D * D)))
    space = torch.empty(4, step, D, D)  # kept, as fresh pages would cost more than the arithmetic on them
    for start in range(0, D if D > 2 else 0, step):
        i = slice(start, min(start + step, D))
        z_given, closed, both, work = space[:, : i.stop - start]
        third = third_variables(start, i.stop, D)
        z_ik = z[i, :, None]
        torch.addcmul(c[i, :, None], c[i, None, :], c, value=-1, out=z_given)
        z_given.mul_(scale[i, None, :]).mul_(scale).abs_().clamp_(max=0.9999).atanh_().mul_(root[i, :, None])
        torch.mul(z_given, z_given, out=closed).mul_(-0.125).clamp_min_(-40.0).exp_()  # too small numbers are slow
        torch.minimum(z[i, None, :], z, out=both)
        torch.minimum(both, z_given, out=work).mul_(open_ik[i, :, None]).mul_(third)
        best[0, i] = work.amax(1)
        sums[0, i] = work.sub_(2).clamp_min_(0).sum(1)
        torch.minimum(both, z_ik, out=work).mul_(closed).mul_(closed).mul_(third)
        best[1, i] = work.amax(1)
        sums[1, i] = work.sub_(2).clamp_min_(0).sum(1)
        torch.sub(z_given, z_ik, out=work).mul_(third)
        best[2, i] = torch.mul(work, separable_ik[i, :, None], out=both).amax(1)
        best[3, i] = -work.mul_(closed).amin(1)
        torch.addcmul(P[i, :, None], share[i, None, :], P, value=-1, out=work)
        work.mul_(rest[i, None, :]).mul_(rest).abs_().clamp_(max=0.9999).atanh_().mul_(full_root[i, :, None])
        torch.sub(full_z[i, :, None], work, out=work).mul_(third)
        best[4, i] = work.amax(1)
        best[5, i] = -work.amin(1)
    return _named_evidence(best, sums)


def _named_evidence(best: Tensor, sums: Tensor) -> dict[str, Tensor]:
    """Statistics of greatest values (6, D, D) and sums (2, D, D) over third variables."""
    names = ("collider", "chain", "collider_gain", "chain_gain", "collider_full", "chain_full")
    out = dict(zip(names, compress(best), strict=True))
    return out | dict(zip(("collider_sum", "chain_sum"), torch.log1p(sums) * 0.5, strict=True))
