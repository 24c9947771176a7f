"""Regressions of columns on one another by a line or a cubic, and what their errors show in both directions.

N rows, D variables, K bins, L rows of a sample, C a chunk of causes i, E of effects j, S = 2 scales: values x and
normal scores g. Residual tensors are (S, C, E, L): j regressed on i.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from foundcause.features.conditional_moments import bin_rows, bin_sums
from foundcause.features.correlations import linear
from foundcause.features.nonlinear import row_samples
from foundcause.features.registry import Statistic, register
from foundcause.features.row_samples import SampledColumns, measure_in_samples
from foundcause.features.standardize import FEWEST, Columns, TableState
from foundcause.features.tensor_math import Piece, as_array, asinh, indices, kernels_for, pieces

REGRESSIONS: tuple[Statistic, ...] = (
    *(
        Statistic(f"{name}_{scale}", "directed", "direction", formula.replace("#", scale))
        for scale in ("x", "g")
        for name, formula in (
            ("cubic_error", "log of the variance of e = #_j minus its cubic regression on #_i, divided by 2"),
            ("noise_skewness", "asinh of the skewness of e"),
            ("noise_kurtosis", "asinh of the excess kurtosis of e"),
            ("noise_slope", "corr of e^2 with #_i"),
            ("noise_bend", "corr of e^2 with the quadratic of #_i"),
            (
                "noise_dependence",
                "log1p of n times the summed squared covariances of cos, sin of e, 2e with those of #_i, "
                "over their expectation when independent",
            ),
            ("noise_entropy", "H(#_i) + H(e) by Hyvarinen's approximation, Gaussian constant removed"),
        )
    ),
    Statistic("line_entropy", "directed", "direction", "H(x_i) + H(e), e the residual of a line (DirectLiNGAM)"),
    Statistic(
        "line_entropy_z", "antisymmetric", "direction", "asinh(n d / 4), d = line_entropy of (j, i) minus of (i, j)"
    ),
    Statistic("noise_entropy_z", "antisymmetric", "direction", "asinh(n d / 4), the same of noise_entropy_x"),
    Statistic("noise_dependence_gap", "antisymmetric", "direction", "noise_dependence_x of (j, i) minus of (i, j)"),
    Statistic(
        "unit_error", "directed", "direction", "log variance of the cubic error of j scaled to [0, 1], over 4 (RECI)"
    ),
    Statistic(
        "description",
        "directed",
        "direction",
        "least description of j given i: line, cubic or bins, log variance plus parameters log n / n, over 2",
    ),
    Statistic("cubic_gain", "directed", "direction", "log of line error over cubic error, x, asinh"),
    Statistic("bend_gain", "directed", "direction", "asinh of the log of cubic error over bin error, x"),
    Statistic(
        "slope_x",
        "antisymmetric",
        "direction",
        "IGCI slope over bin means of x, unit range, i to j minus j to i, over 2",
    ),
    Statistic("slope_g", "antisymmetric", "direction", "IGCI slope over bin means of g, i to j minus j to i, over 2"),
    Statistic(
        "conditional_21", "directed", "direction", "asinh(E[r_i^2 r_j] sign), residuals of i, j given all others"
    ),
    Statistic("conditional_31", "directed", "direction", "asinh(E[r_i^3 r_j] - 3 corr), the same residuals"),
)


@register("extended", *REGRESSIONS)
def pair_regressions(table: TableState) -> dict[str, Tensor]:
    """Errors of regressions within a pair, what their noise looks like, and conditional moments."""
    columns, found = table.columns, table.get(linear)
    correlation = found.correlation[0]
    samples = table.get(row_samples)
    out, shared = measure_in_samples(columns, samples, lambda sample: _regressions(sample, correlation))
    line, entropy, leftover = out["line_entropy"], out["noise_entropy_x"], out["noise_dependence_x"]
    out["line_entropy_z"] = asinh(shared * (line.T - line) / 4)
    out["noise_entropy_z"] = asinh(shared * (entropy.T - entropy) / 4)
    out["noise_dependence_gap"] = leftover.T - leftover
    rows, sums = table.get(bin_rows), table.get(bin_sums)
    out |= _descriptions(columns, correlation, out["cubic_error_x"] * 2, rows, sums)
    if bool((shared < FEWEST).any()):
        # errors over next to no rows are 0, which would look perfectly explained
        out = {name: value * (shared >= FEWEST) for name, value in out.items()}
    out |= _slopes(columns, rows, sums)
    out |= _conditional(columns, found.precision[0].float())
    return out


def _regressions(sample: SampledColumns, correlation_x: Tensor) -> dict[str, Tensor]:
    rows = sample.shared.clamp_min(1.0)
    found = residuals(torch.stack([sample.x, sample.g]), sample.mask, rows, sample.pairs)
    out = {f"{name}_{scale}": value[k] for name, value in found.items() for k, scale in enumerate(("x", "g"))}
    return out | {"line_entropy": line_entropy(sample.x, sample.mask, rows, correlation_x, sample.pairs)}


def _descriptions(columns: Columns, c: Tensor, log_cubic: Tensor, count: Tensor, sums: Tensor) -> dict[str, Tensor]:
    """Errors of a line, a cubic and bins compared."""
    held = count.clamp_min(1.0)
    total = count.sum(1).clamp_min(1.0)
    mean = sums[:, :, 0] / held
    within = ((sums[:, :, 1] / held - mean.square()).clamp_min(0) * count).sum(1)
    bins = (count > 0).sum(1).float()
    log_bins = (within / (total - bins).clamp_min(1.0)).clamp(1e-4, 1.0).log()
    log_line = (1 - c.square()).clamp_min(1e-4).log()
    price = columns.joint.clamp_min(3).log() / columns.joint
    description = torch.minimum(torch.minimum(log_line + price, log_cubic + 3 * price), log_bins + bins * price)
    return {
        "unit_error": (log_cubic - 2 * span(columns).log()[None, :]) / 4,
        "description": description / 2,
        "cubic_gain": asinh(log_line - log_cubic),
        "bend_gain": asinh(log_cubic - log_bins),
    }


def _slopes(columns: Columns, count: Tensor, sums: Tensor) -> dict[str, Tensor]:
    """IGCI slopes over bin means."""
    D = columns.variables
    mean = sums[:, :, (0, 3)] / count.clamp_min(1.0)[:, :, None]  # (D, K, 2, D)
    present = count > 0
    steps = present[:, 1:] & present[:, :-1]
    log_span = span(columns).log()
    slopes = []
    for k in range(2):
        m = mean[:, :, k]
        own = m[torch.arange(D), :, torch.arange(D)]  # (D, K): mean of i in its own bins
        rise = (m[:, 1:] - m[:, :-1]).abs() + 0.02
        run = (own[:, 1:] - own[:, :-1]).abs()[:, :, None] + 0.02
        slope = ((rise / run).log() * steps).sum(1) / steps.sum(1).clamp_min(1)
        if k == 0:
            slope = slope + log_span[:, None] - log_span[None, :]
        slopes.append((slope - slope.T) / 2)
    return {"slope_x": slopes[0], "slope_g": slopes[1]}


def _conditional(columns: Columns, precision: Tensor) -> dict[str, Tensor]:
    """Third and fourth cross moments of the residuals r_i, r_j of i and j given all other columns.

    With e = P x, (r_i, r_j) is the inverse of the pair's block of P times (e_i, e_j), so the moments of r are
    polynomials of those of e, which are four matrix products.
    """
    e = columns.x @ precision
    n, n_D = columns.joint, columns.counts
    e = e * columns.mask
    scale = (e.square().sum(0) / n_D).clamp_min(1e-6).rsqrt()
    e = (e * scale).clamp(-6, 6)
    e2 = e.square()
    m21, m31, m22 = e2.T @ e / n, (e2 * e).T @ e / n, e2.T @ e2 / n
    m30, m40 = ((e2 * e).sum(0) / n_D)[:, None], (e2.square().sum(0) / n_D)[:, None]
    P = precision * scale[:, None] * scale[None, :]
    a = P.diagonal()[:, None]
    d, b = a.T, P
    gap = (a * d - b * b).clamp_min(1e-6)
    al, be, de = d / gap, -b / gap, a / gap
    third = al**2 * be * m30 + (al**2 * de + 2 * al * be**2) * m21 + (2 * al * be * de + be**3) * m21.T
    third = (third + be**2 * de * m30.T) / (al * de.sqrt())
    fourth = al**3 * be * m40 + (al**3 * de + 3 * al**2 * be**2) * m31 + 3 * (al**2 * be * de + al * be**3) * m22
    fourth = fourth + (3 * al * be**2 * de + be**4) * m31.T + be**3 * de * m40.T
    fourth = fourth / (al.pow(1.5) * de.sqrt())
    rho = be / (al * de).sqrt()
    return {"conditional_21": asinh(third * torch.sign(rho)), "conditional_31": asinh(fourth - 3 * rho)}


def residuals(columns_SDL: Tensor, mask_DL: Tensor | None, n: Tensor, pairs: Tensor | None = None) -> dict[str, Tensor]:
    """Cubic regression of every j on every i on S scales and what its error shows; each result is (S, D, D).

    ``n`` (D, D) are the rows that pairs share. Given ``pairs`` (D, D), the results of others are 0. The error e is 0 in
    rows not shared, and so is every function of it that is summed (cos e - 1 for cos e, which has the same
    covariances), so that nothing but e needs the mask.
    """
    S, D, L = columns_SDL.shape
    count = n.diagonal()
    basis, circle = _basis(columns_SDL, mask_DL, count), circle_of(columns_SDL, mask_DL, count).contiguous()
    own = negentropy(columns_SDL, mask_DL, count)
    spread_i = (circle.square().sum((2, 3)) / count).clamp_min(0.05)
    # the regressions of all pairs are one product: [s, i, j, power]
    slopes = (columns_SDL @ basis.view(S, D * 3, L).transpose(1, 2)).view(S, D, D, 3).transpose(1, 2) / n[..., None]
    if mask_DL is not None:
        # functions of i are centered on all its rows, not on the shared ones: their means there, [s, i, j, function]
        functions = torch.cat([basis[:, :, :2], circle], 2).view(S, D * 6, L)
        lean = (functions @ mask_DL.T).view(S, D, 6, D).transpose(2, 3) / n[..., None]
    kernels = kernels_for(D)
    work_to_do = pieces(pairs, D, S * L if kernels is None else S * PAIR_SUMS)
    arrays = columns_SDL, mask_DL, basis, circle, slopes.contiguous(), n
    space = torch.empty(8, max(piece.size for piece in work_to_do) * S * L) if kernels is None else None
    out: dict[str, Tensor] = {}
    for piece in work_to_do:
        i, rows = piece.causes, piece.between(n[None])[0]
        if kernels is None:
            assert space is not None
            sums, variance = _residual_sums(piece, *arrays, space)
        else:
            sums = torch.empty(S, piece.count, piece.effect_count, PAIR_SUMS)
            kernels.regression_sums(*map(as_array, arrays), *indices(piece), sums.numpy())
            variance = sums[..., 27]
        third, fourth, even, odd = (sums[..., k] / rows for k in range(4))
        gap = negentropy_from(odd, even - (L - rows) / rows)  # exp is 1 in the rows that are not shared
        bent, turned = sums[..., 4:7] / rows[..., None], (sums[..., 7:27] / rows[..., None]).unflatten(3, (5, 4))
        if mask_DL is not None:
            leaning = piece.between(lean)  # (S, C, E, 6)
            bent[..., 1:] -= bent[..., :1] * leaning[..., :2]
            turned[..., 1:, :] -= turned[..., :1, :] * leaning[..., 2:, None]
        scale = (fourth - 1).clamp_min(0.05).rsqrt()
        log_deviation = variance.clamp_min(1e-4).log() / 2
        found = {
            "cubic_error": log_deviation,
            "noise_skewness": asinh(third),
            "noise_kurtosis": asinh(fourth - 3),
            "noise_slope": (bent[..., 1] * scale).clamp(-1, 1),
            "noise_bend": (bent[..., 2] * scale).clamp(-1, 1),
            "noise_dependence": dependence(turned, spread_i[:, i], rows),
            "noise_entropy": log_deviation - gap - own[:, i, None],
        }
        for name, value in found.items():
            piece.put(value, out.setdefault(name, torch.zeros(S, D, D)))
    return out


PAIR_SUMS = 28


def _residual_sums(
    piece: Piece,
    columns_SDL: Tensor,
    mask_DL: Tensor | None,
    basis: Tensor,
    circle: Tensor,
    slopes: Tensor,
    n: Tensor,
    space: Tensor,
) -> tuple[Tensor, Tensor]:
    """Sums (S, C, E, 27) over the rows of a piece as ``kernels.regression_sums`` has them, and variances (S, C, E)."""
    S, _, L = columns_SDL.shape
    i, C, E = piece.causes, piece.count, piece.effect_count
    rows, size = piece.between(n[None])[0], S * C * E * L
    e, e2, work, weight = (part[:size].view(S, C, E, L) for part in space[:4])
    circles = space[4:].view(-1)[: 4 * size].view(S, C, 4, E, L)
    torch.bmm(piece.between(slopes).reshape(-1, E, 3), basis[:, i].reshape(-1, 3, L), out=e.view(-1, E, L))
    torch.sub(piece.effects_of(columns_SDL), e, out=e)
    if mask_DL is not None:
        e.mul_(torch.mul(mask_DL[i, None], piece.effects_of(mask_DL[None])[0], out=weight[0]))
    variance = torch.linalg.vector_norm(e, dim=3).square() / rows
    e.mul_(variance.clamp_min(1e-4).rsqrt()[..., None])
    torch.mul(e, e, out=e2)
    third = torch.mul(e2, e, out=work).sum(3)
    fourth = torch.linalg.vector_norm(e2, dim=3).square()
    torch.mul(e2, -0.5, out=work).exp_()
    even = work.sum(3)
    moments = [third, fourth, even, work.mul_(e).sum(3)]
    one = torch.ones(S, C, 1, L)
    bent = _sums(e2[:, :, None], torch.cat([one, basis[:, i, :2]], 2))[:, :, :, 0].transpose(2, 3)
    turned = circle_sums(e, circles, torch.cat([one, circle[:, i]], 2))
    return torch.cat([torch.stack(moments, 3), bent, turned], 3), variance


def circle_sums(e: Tensor, circles: Tensor, turning: Tensor) -> Tensor:
    """(S, C, E, 20) sums of (1, circle of the cause) times (cos e - 1, sin e, sin^2 e, sin e cos e).

    ``circles`` (S, C, 4, E, L) is space to work in, ``turning`` (S, C, 5, L) are one and the circle of the cause.
    """
    cos, sin, sin_sin, sin_cos = circles.unbind(2)
    torch.cos(e, out=cos)
    torch.sin(e, out=sin)
    torch.mul(sin, cos, out=sin_cos)
    torch.mul(sin, sin, out=sin_sin)
    cos.sub_(1.0)
    return _sums(circles, turning).permute(0, 1, 4, 2, 3).flatten(3)


def dependence(turned: Tensor, spread: Tensor, rows: Tensor) -> Tensor:
    """(S, C, E) how far an error e depends on its cause: log 2 if it does not.

    ``turned`` (S, C, E, 5, 4) are the means of :func:`circle_sums`, and ``spread`` (S, C) the summed variances of the
    circle of the cause.
    """
    covariances = turned[..., 1:, :].square().sum(3)
    covariances = covariances[..., :2].sum(3) + 4 * covariances[..., 2:].sum(3)  # cos 2e = 1 - 2 sin^2 e
    # cos^2 + sin^2 = 1 at both turns, so the summed variances follow from the means
    cos_e, sin_e, sin_sin_e, sin_cos_e = turned[..., 0, :].unbind(3)
    spread_e = 2 - (1 + cos_e).square() - sin_e.square() - (1 - 2 * sin_sin_e).square() - 4 * sin_cos_e.square()
    return torch.log1p(rows * covariances / (spread_e.clamp_min(0.05) * spread[:, :, None]))


def _sums(values: Tensor, functions: Tensor) -> Tensor:
    """(S, C, P, Q, E) sums of P functions (S, C, P, L) of a cause times Q values (S, C, Q, E, L)."""
    S, C, Q, E, L = values.shape
    P = functions.shape[2]
    sums = torch.bmm(functions.reshape(S * C, P, L), values.view(S * C, Q * E, L).transpose(1, 2))
    return sums.view(S, C, P, Q, E)


def line_entropy(columns_DL: Tensor, mask: Tensor | None, n: Tensor, c: Tensor, pairs: Tensor | None = None) -> Tensor:
    """(D, D) H(x_i) + H(residual of j on a line in i), without the Gaussian constant and up to H(x_j)'s scale.

    Given ``pairs`` (D, D), 0 for others.
    """
    D, L = columns_DL.shape
    own = negentropy(columns_DL, mask, n.diagonal())
    left = (1 - c.square()).clamp_min(1e-4).log() / 2
    out = torch.zeros(D, D)
    kernels = kernels_for(D)
    work_to_do = pieces(pairs, D, L if kernels is None else 2)
    space = torch.empty(2, max(piece.size for piece in work_to_do) * L) if kernels is None else None
    for piece in work_to_do:
        rows, error = (piece.between(matrix[None])[0] for matrix in (n, left))
        if kernels is None:
            assert space is not None
            even, odd = _line_sums(piece, columns_DL, mask, c, n, space)
        else:
            sums = torch.empty(piece.count, piece.effect_count, 2)
            kernels.line_sums(*map(as_array, (columns_DL, mask, c, n)), *indices(piece), sums.numpy())
            even, odd = sums.unbind(2)
        gap = negentropy_from(odd / rows, (even - (L - rows)) / rows)  # exp is 1 in the rows that are not shared
        piece.put((error - gap - own[piece.causes, None])[None], out[None])
    return out


def _line_sums(
    piece: Piece, columns_DL: Tensor, mask: Tensor | None, c: Tensor, n: Tensor, space: Tensor
) -> tuple[Tensor, Tensor]:
    """Sums (C, E) of exp(-e^2 / 2) and e exp(-e^2 / 2) as ``kernels.line_sums`` has them."""
    L = columns_DL.shape[1]
    i, C, E = piece.causes, piece.count, piece.effect_count
    rows, slope = (piece.between(matrix[None])[0] for matrix in (n, c))
    e, bell = space[:, : C * E * L].view(2, C, E, L)
    targets = piece.effects_of(columns_DL[None])[0]
    torch.addcmul(targets, slope[..., None], columns_DL[i, None, :], value=-1, out=e)
    if mask is not None:
        e.mul_(piece.effects_of(mask[None])[0]).mul_(mask[i, None])
    e.mul_((torch.linalg.vector_norm(e, dim=2).square() / rows).clamp_min(1e-4).rsqrt()[..., None])
    torch.mul(e, e, out=bell).mul_(-0.5).exp_()
    even = bell.sum(2)
    return even, bell.mul_(e).sum(2)


def _centered(stack: Tensor, mask_DL: Tensor | None, count: Tensor) -> Tensor:
    """Functions (S, D, P, L) of columns, less their means on the observed cells; 0 elsewhere."""
    held = None if mask_DL is None else mask_DL[:, None]
    if held is not None:
        stack = stack * held
    stack = stack - stack.sum(3, keepdim=True) / count[:, None, None]
    return stack if held is None else stack * held


def _basis(columns: Tensor, mask_DL: Tensor | None, count: Tensor) -> Tensor:
    """(S, D, 3, L) orthonormal polynomials of degree 1 to 3."""
    n = count[:, None, None]
    powers = _centered(torch.stack([columns, columns.square(), columns.pow(3)], 2), mask_DL, count).double()
    scale = (powers.square().sum(3, keepdim=True) / n).clamp_min(1e-9).rsqrt()
    powers = powers * scale
    gram = powers @ powers.transpose(2, 3) / n + 1e-3 * torch.eye(3, dtype=torch.float64)
    factor = torch.linalg.cholesky(gram)
    return torch.linalg.solve_triangular(factor, powers, upper=False).float().contiguous()


def circle_of(columns: Tensor, mask_DL: Tensor | None, count: Tensor) -> Tensor:
    """(S, D, 4, L) centered cos v, sin v, cos 2v, sin 2v."""
    cos, sin = torch.cos(columns), torch.sin(columns)
    return _centered(torch.stack([cos, sin, cos.square() - sin.square(), 2 * sin * cos], 2), mask_DL, count)


def negentropy_from(odd: Tensor, even: Tensor) -> Tensor:
    """Hyvarinen's (1998) negentropy of a standardized e from E[e exp(-e^2/2)] and E[exp(-e^2/2)]."""
    return 7.4129 * odd.square() + 33.669 * (even - math.sqrt(0.5)).square()


def negentropy(columns: Tensor, mask: Tensor | None, count: Tensor) -> Tensor:
    """(..., D) negentropy of columns (..., D, L), standardized on these rows first."""
    e = columns - (columns.sum(-1) / count)[..., None]
    if mask is not None:
        e = e * mask
    e = e * (e.square().sum(-1) / count).clamp_min(1e-6).rsqrt()[..., None]
    bell = torch.exp(e.square() * -0.5)
    if mask is not None:
        bell = bell * mask
    return negentropy_from((bell * e).sum(-1) / count, bell.sum(-1) / count)


# Where the values of a column lie

SUPPORT: tuple[Statistic, ...] = (
    Statistic(
        "spacing_entropy",
        "marginal",
        "reliability",
        "half the mean log spacing of 20 quantiles of x, less 1.42 (Gaussian)",
    ),
    Statistic("spacing_entropy_unit", "marginal", "reliability", "the same with x scaled to [0, 1]"),
    Statistic("lower_end", "marginal", "reliability", "asinh of -min x"),
    Statistic("upper_end", "marginal", "reliability", "asinh of max x"),
    Statistic("lower_mass", "marginal", "reliability", "share of cells equal to the smallest value"),
    Statistic("upper_mass", "marginal", "reliability", "share of cells equal to the greatest value"),
    Statistic("grid", "marginal", "reliability", "log of the smallest spacing over the range, divided by 10"),
)


def span(columns: Columns) -> Tensor:
    """(D,) range of x."""
    return (columns.sorted_x[-1] - columns.sorted_x[0]).clamp_min(1e-3)


@register("extended", *SUPPORT)
def marginal_support(table: TableState) -> dict[str, Tensor]:
    """Where the values of a column lie: spacings, ends, masses at the ends and grid, (D,) each."""
    columns = table.columns
    x, levels = columns.sorted_x, 20
    N = x.shape[0]
    n_D = columns.counts
    at = (torch.linspace(0, 1, levels + 1)[:, None] * (n_D - 1)).round().long().clamp(0, N - 1)
    spacing = torch.diff(x.gather(0, at), dim=0)
    entropy = (spacing * levels).clamp_min(0.02).log().mean(0)
    width = span(columns)
    rank_low = torch.where(columns.observed, columns.u, 2.0).amin(0)
    rank_high = columns.u.amax(0)
    gaps = torch.diff(x, dim=0)
    least = torch.where(gaps > 1e-6, gaps, torch.inf).amin(0) if N > 1 else torch.full_like(width, torch.inf)
    return {
        "spacing_entropy": (entropy - 1.4189) / 2,
        "spacing_entropy_unit": (entropy - width.log()) / 2,
        "lower_end": asinh(-x[0]),
        "upper_end": asinh(x[-1]),
        "lower_mass": (2 * rank_low).clamp(0, 1),
        "upper_mass": (2 * (1 - rank_high)).clamp(0, 1),
        "grid": torch.where(torch.isfinite(least), (least / width).clamp(1e-6, 1.0).log() / 10, 0.0),
    }
