"""Direction evidence from regressions within a pair: errors, leftover dependence and noise shape, both ways.

N rows, D variables, L a capped number of rows, C a chunk of causes i. Residual tensors are (C, D, L): j regressed on i
by a line or a cubic, on the value scale x or on the normal scores g.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from foundcause.statistics.extended_assembly import Quantity
from foundcause.statistics.extended_columns import FEWEST, Columns

PAIR_ROWS = 200
"""Most rows of the residual tensors."""

CHUNK = 150_000
"""Most elements of a residual tensor: small enough to stay in a core's cache."""

QUANTITIES: tuple[Quantity, ...] = (
    *(
        Quantity(f"{name}_{scale}", "directed", "direction", formula.replace("#", scale))
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
    Quantity("line_entropy", "directed", "direction", "H(x_i) + H(e), e the residual of a line (DirectLiNGAM)"),
    Quantity(
        "line_entropy_z", "antisymmetric", "direction", "asinh(n d / 4), d = line_entropy of (j, i) minus of (i, j)"
    ),
    Quantity("noise_entropy_z", "antisymmetric", "direction", "asinh(n d / 4), the same of noise_entropy_x"),
    Quantity("noise_dependence_gap", "antisymmetric", "direction", "noise_dependence_x of (j, i) minus of (i, j)"),
    Quantity(
        "unit_error", "directed", "direction", "log variance of the cubic error of j scaled to [0, 1], over 4 (RECI)"
    ),
    Quantity(
        "description",
        "directed",
        "direction",
        "least description of j given i: line, cubic or bins, log variance plus parameters log n / n, over 2",
    ),
    Quantity("cubic_gain", "directed", "direction", "log of line error over cubic error, x, asinh"),
    Quantity("bend_gain", "directed", "direction", "asinh of the log of cubic error over bin error, x"),
    Quantity(
        "slope_x",
        "antisymmetric",
        "direction",
        "IGCI slope over bin means of x, unit range, i to j minus j to i, over 2",
    ),
    Quantity("slope_g", "antisymmetric", "direction", "IGCI slope over bin means of g, i to j minus j to i, over 2"),
    Quantity("conditional_21", "directed", "direction", "asinh(E[r_i^2 r_j] sign), residuals of i, j given all others"),
    Quantity("conditional_31", "directed", "direction", "asinh(E[r_i^3 r_j] - 3 corr), the same residuals"),
    Quantity(
        "spacing_entropy",
        "marginal",
        "reliability",
        "half the mean log spacing of 20 quantiles of x, less 1.42 (Gaussian)",
    ),
    Quantity("spacing_entropy_unit", "marginal", "reliability", "the same with x scaled to [0, 1]"),
    Quantity("lower_end", "marginal", "reliability", "asinh of -min x"),
    Quantity("upper_end", "marginal", "reliability", "asinh of max x"),
    Quantity("lower_mass", "marginal", "reliability", "share of cells equal to the smallest value"),
    Quantity("upper_mass", "marginal", "reliability", "share of cells equal to the greatest value"),
    Quantity("grid", "marginal", "reliability", "log of the smallest spacing over the range, divided by 10"),
)


def pair_block(
    columns: Columns, rows: Tensor, correlation: Tensor, precision_x: Tensor, counts_KKDD: Tensor, sums: Tensor
) -> dict[str, Tensor]:
    """Values of :data:`QUANTITIES`.

    ``rows`` index the capped rows, ``correlation`` is (S, D, D), ``precision_x`` (D, D) of the value scale,
    ``sums`` the (D, K, 6, D) bin sums of x, x^2, x^3, g, g^2, g^3.
    """
    out: dict[str, Tensor] = {}
    mask = None if columns.complete else columns.mask[rows]
    for scale, values in (("x", columns.x[rows]), ("g", columns.g[rows])):
        found = residuals(values, mask)
        out |= {f"{name}_{scale}": value for name, value in found.items()}
    n = columns.joint.clamp_max(float(len(rows)))
    line = line_entropy(columns.x[rows], mask, correlation[0])
    out["line_entropy"] = line
    out["line_entropy_z"] = torch.asinh(n * (line.T - line) / 4)
    entropy, dependence = out["noise_entropy_x"], out["noise_dependence_x"]
    out["noise_entropy_z"] = torch.asinh(n * (entropy.T - entropy) / 4)
    out["noise_dependence_gap"] = dependence.T - dependence
    out |= _descriptions(columns, correlation[0], out["cubic_error_x"] * 2, counts_KKDD, sums)
    if mask is not None and not bool((together := mask.T @ mask >= FEWEST).all()):
        # errors over next to no rows are 0, which would look perfectly explained
        out = {name: value * together for name, value in out.items()}
    out |= _slopes(columns, counts_KKDD, sums)
    out |= _conditional(columns, precision_x)
    return out | marginal_support(columns)


def residuals(values: Tensor, mask: Tensor | None) -> dict[str, Tensor]:
    """Cubic regression of every j on every i over (L, D) values and what its error shows; each result is (D, D)."""
    L, D = values.shape
    basis_D3L, circle_D4L = _basis(values, mask)
    columns_DL = values.T.contiguous()
    own = _negentropy(columns_DL, None if mask is None else mask.T.contiguous())
    spread_i = circle_D4L.square().sum((1, 2)) / (L if mask is None else mask.sum(0).clamp_min(1))
    # one product with these gives every mean and covariance of the error's functions: 1, two polynomials, the circle
    probes_D7L = torch.cat([torch.ones(D, 1, L), basis_D3L[:, :2], circle_D4L], 1)
    step = max(1, CHUNK // (D * L))
    parts: list[dict[str, Tensor]] = []
    for start in range(0, D, step):
        i = slice(start, min(start + step, D))
        C = i.stop - i.start
        weight = None if mask is None else mask.T[i, None, :] * mask.T[None]
        n = torch.full((C, D), float(max(L, 1))) if weight is None else weight.sum(2).clamp_min(1.0)
        slopes = columns_DL @ basis_D3L[i].transpose(1, 2) / n[..., None]  # (C, D, 3)
        e = torch.baddbmm(columns_DL.expand(C, -1, -1), slopes, basis_D3L[i], alpha=-1)
        shown = torch.empty(C, 6, D, L)  # e^2, exp(-e^2/2), cos e, sin e, cos 2e, sin 2e
        e2, bell, cos, sin, cos2, sin2 = shown.unbind(1)
        if weight is not None:
            e.mul_(weight)
        variance = torch.linalg.vector_norm(e, dim=2).square() / n
        e.mul_(variance.clamp_min(1e-4).rsqrt()[..., None])
        torch.mul(e, e, out=e2)
        torch.mul(e2, -0.5, out=bell).exp_()
        torch.cos(e, out=cos)
        torch.sin(e, out=sin)
        torch.mul(sin, cos, out=sin2).mul_(2.0)
        torch.mul(sin, sin, out=cos2).mul_(-2.0).add_(1.0)
        if weight is not None:
            shown.mul_(weight[:, None])
        means = (shown.view(C, 6 * D, L) @ probes_D7L[i].transpose(1, 2)).view(C, 6, D, 7) / n[:, None, :, None]
        if weight is not None:
            # the probes are centred on all rows of i, not on the joint ones
            shift = weight @ probes_D7L[i, 1:].transpose(1, 2) / n[..., None]
            means[..., 1:] -= means[..., :1] * shift[:, None]
        fourth = torch.linalg.vector_norm(e2, dim=2).square() / n
        third = (e2 * e).sum(2) / n
        scale = (fourth - 1).clamp_min(0.05).rsqrt()
        odd = bell.mul_(e).sum(2) / n
        negentropy = _negentropy_of(odd, means[:, 1, :, 0])
        covariances = means[:, 2:, :, 3:].square().sum((1, 3))
        # cos^2 + sin^2 = 1 at both turns, so the summed variances follow from the means
        spread_e = 2 - means[:, 2:, :, 0].square().sum(1)
        independent = spread_e.clamp_min(0.05) * spread_i[i, None].clamp_min(0.05)
        log_deviation = variance.clamp_min(1e-4).log() / 2
        parts.append(
            {
                "cubic_error": log_deviation,
                "noise_skewness": torch.asinh(third),
                "noise_kurtosis": torch.asinh(fourth - 3),
                "noise_slope": (means[:, 0, :, 1] * scale).clamp(-1, 1),
                "noise_bend": (means[:, 0, :, 2] * scale).clamp(-1, 1),
                "noise_dependence": torch.log1p(n * covariances / independent),
                "noise_entropy": log_deviation - negentropy - own[i, None],
            }
        )
    return {name: torch.cat([part[name] for part in parts]) for name in parts[0]}


def line_entropy(values: Tensor, mask: Tensor | None, c: Tensor) -> Tensor:
    """(D, D) H(x_i) + H(residual of j on a line in i), without the Gaussian constant and up to H(x_j)'s scale."""
    L, D = values.shape
    columns_DL = values.T.contiguous()
    own = _negentropy(columns_DL, None if mask is None else mask.T.contiguous())
    left = (1 - c.square()).clamp_min(1e-4)
    out = torch.empty(D, D)
    step = max(1, CHUNK // (D * L))
    for start in range(0, D, step):
        i = slice(start, min(start + step, D))
        e = torch.addcmul(columns_DL, c[i, :, None], columns_DL[i, None, :], value=-1)
        weight = None if mask is None else mask.T[i, None, :] * mask.T[None]
        n = torch.tensor(float(max(L, 1))) if weight is None else weight.sum(2).clamp_min(1.0)
        if weight is not None:
            e.mul_(weight)
        e.mul_((torch.linalg.vector_norm(e, dim=2).square() / n).clamp_min(1e-4).rsqrt()[..., None])
        bell = (e * e).mul_(-0.5).exp_()
        if weight is not None:
            bell.mul_(weight)
        even = bell.sum(2) / n
        out[i] = left[i].log() / 2 - _negentropy_of(bell.mul_(e).sum(2) / n, even) - own[i, None]
    return out


def _basis(values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """(D, 3, L) orthonormal polynomials of degree 1 to 3 and (D, 4, L) centred cos v, sin v, cos 2v, sin 2v."""
    L = values.shape[0]
    v = values.T
    n = torch.full((v.shape[0], 1, 1), float(max(L, 1))) if mask is None else mask.sum(0).clamp_min(1)[:, None, None]
    held = None if mask is None else mask.T[:, None]

    def centre(stack: Tensor) -> Tensor:
        if held is not None:
            stack = stack * held
        stack = stack - stack.sum(2, keepdim=True) / n
        return stack if held is None else stack * held

    powers = centre(torch.stack([v, v.square(), v.pow(3)], 1)).double()
    scale = (powers.square().sum(2, keepdim=True) / n).clamp_min(1e-9).rsqrt()
    powers = powers * scale
    gram = powers @ powers.transpose(1, 2) / n + 1e-3 * torch.eye(3, dtype=torch.float64)
    factor = torch.linalg.cholesky(gram)
    basis = torch.linalg.solve_triangular(factor, powers, upper=False).float()
    cos, sin = torch.cos(v), torch.sin(v)
    circle = centre(torch.stack([cos, sin, cos.square() - sin.square(), 2 * sin * cos], 1))
    return basis, circle


def _negentropy_of(odd: Tensor, even: Tensor) -> Tensor:
    """Hyvarinen's (1998) negentropy of a standardised e from E[e exp(-e^2/2)] and E[exp(-e^2/2)]."""
    return 7.4129 * odd.square() + 33.669 * (even - math.sqrt(0.5)).square()


def _negentropy(values_DL: Tensor, weight: Tensor | None) -> Tensor:
    """(D,) negentropy of columns, standardised on these rows first."""
    n = torch.tensor(float(max(values_DL.shape[1], 1))) if weight is None else weight.sum(1).clamp_min(1)
    e = values_DL - (values_DL.sum(1) / n)[:, None]
    if weight is not None:
        e = e * weight
    e = e * (e.square().sum(1) / n).clamp_min(1e-6).rsqrt()[:, None]
    bell = torch.exp(e.square() * -0.5)
    if weight is not None:
        bell = bell * weight
    return _negentropy_of((bell * e).sum(1) / n, bell.sum(1) / n)


def _descriptions(
    columns: Columns, c: Tensor, log_cubic: Tensor, counts_KKDD: Tensor, sums: Tensor
) -> dict[str, Tensor]:
    """Errors of a line, a cubic and bins compared."""
    count = counts_KKDD.sum(1).transpose(0, 1)  # (D, K, D)
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
        "unit_error": (log_cubic - 2 * _span(columns).log()[None, :]) / 4,
        "description": description / 2,
        "cubic_gain": torch.asinh(log_line - log_cubic),
        "bend_gain": torch.asinh(log_cubic - log_bins),
    }


def _slopes(columns: Columns, counts_KKDD: Tensor, sums: Tensor) -> dict[str, Tensor]:
    """IGCI slopes over bin means."""
    D = columns.variables
    count = counts_KKDD.sum(1).transpose(0, 1)  # (D, K, D)
    mean = sums[:, :, (0, 3)] / count.clamp_min(1.0)[:, :, None]  # (D, K, 2, D)
    present = count > 0
    steps = present[:, 1:] & present[:, :-1]
    log_span = _span(columns).log()
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


def _span(columns: Columns) -> Tensor:
    """(D,) range of x."""
    return (columns.sorted_x[-1] - columns.sorted_x[0]).clamp_min(1e-3)


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
    return {"conditional_21": torch.asinh(third * torch.sign(rho)), "conditional_31": torch.asinh(fourth - 3 * rho)}


def marginal_support(columns: Columns) -> dict[str, Tensor]:
    """Spacing entropies, ends, end masses and grid of every column: (D,) each."""
    x, levels = columns.sorted_x, 20
    N = x.shape[0]
    n_D = columns.counts
    at = (torch.linspace(0, 1, levels + 1)[:, None] * (n_D - 1)).round().long().clamp(0, N - 1)
    spacing = torch.diff(x.gather(0, at), dim=0)
    entropy = (spacing * levels).clamp_min(0.02).log().mean(0)
    span = (x[-1] - x[0]).clamp_min(1e-3)
    rank_low = torch.where(columns.observed, columns.u, 2.0).amin(0)
    rank_high = columns.u.amax(0)
    gaps = torch.diff(x, dim=0)
    least = torch.where(gaps > 1e-6, gaps, torch.inf).amin(0) if N > 1 else torch.full_like(span, torch.inf)
    return {
        "spacing_entropy": (entropy - 1.4189) / 2,
        "spacing_entropy_unit": (entropy - span.log()) / 2,
        "lower_end": torch.asinh(-x[0]),
        "upper_end": torch.asinh(x[-1]),
        "lower_mass": (2 * rank_low).clamp(0, 1),
        "upper_mass": (2 * (1 - rank_high)).clamp(0, 1),
        "grid": torch.where(torch.isfinite(least), (least / span).clamp(1e-6, 1.0).log() / 10, 0.0),
    }
