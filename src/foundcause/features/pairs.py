"""Direction evidence from regressions within a pair: errors, leftover dependence and noise shape, both ways.

N rows, D variables, K bins, S = 2 scales: values x and normal scores g.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from foundcause.features.elementwise import asinh
from foundcause.features.extended_assembly import Quantity
from foundcause.features.extended_columns import FEWEST, Columns
from foundcause.features.looks import Look, Sample, layered
from foundcause.features.residuals import line_entropy, residuals
from foundcause.features.support import span

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
)


def pair_block(
    columns: Columns,
    looks: Sequence[Look],
    correlation: Tensor,
    precision_x: Tensor,
    counts_KKDD: Tensor,
    sums: Tensor,
) -> dict[str, Tensor]:
    """Values of :data:`QUANTITIES`, regressions of each pair on the rows of the closest of ``looks`` at it.

    ``correlation`` is (S, D, D), ``precision_x`` (D, D) of the value scale, ``sums`` the (D, K, 6, D) bin sums of
    x, x^2, x^3, g, g^2, g^3.
    """
    out, shared = layered(columns, looks, lambda sample: _regressions(sample, correlation[0]))
    line, entropy, leftover = out["line_entropy"], out["noise_entropy_x"], out["noise_dependence_x"]
    out["line_entropy_z"] = asinh(shared * (line.T - line) / 4)
    out["noise_entropy_z"] = asinh(shared * (entropy.T - entropy) / 4)
    out["noise_dependence_gap"] = leftover.T - leftover
    out |= _descriptions(columns, correlation[0], out["cubic_error_x"] * 2, counts_KKDD, sums)
    if bool((shared < FEWEST).any()):
        # errors over next to no rows are 0, which would look perfectly explained
        out = {name: value * (shared >= FEWEST) for name, value in out.items()}
    out |= _slopes(columns, counts_KKDD, sums)
    out |= _conditional(columns, precision_x)
    return out


def _regressions(sample: Sample, correlation_x: Tensor) -> dict[str, Tensor]:
    rows = sample.shared.clamp_min(1.0)
    found = residuals(torch.stack([sample.x, sample.g]), sample.mask, rows, sample.pairs)
    out = {f"{name}_{scale}": value[k] for name, value in found.items() for k, scale in enumerate(("x", "g"))}
    return out | {"line_entropy": line_entropy(sample.x, sample.mask, rows, correlation_x, sample.pairs)}


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
        "unit_error": (log_cubic - 2 * span(columns).log()[None, :]) / 4,
        "description": description / 2,
        "cubic_gain": asinh(log_line - log_cubic),
        "bend_gain": asinh(log_cubic - log_bins),
    }


def _slopes(columns: Columns, counts_KKDD: Tensor, sums: Tensor) -> dict[str, Tensor]:
    """IGCI slopes over bin means."""
    D = columns.variables
    count = counts_KKDD.sum(1).transpose(0, 1)  # (D, K, D)
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
