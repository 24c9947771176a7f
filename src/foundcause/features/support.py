"""Where the values of a column lie: spacings, ends, masses at the ends and grid. N rows, D variables."""

from __future__ import annotations

import torch
from torch import Tensor

from foundcause.features.elementwise import asinh
from foundcause.features.extended_assembly import Quantity
from foundcause.features.extended_columns import Columns

QUANTITIES: tuple[Quantity, ...] = (
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


def span(columns: Columns) -> Tensor:
    """(D,) range of x."""
    return (columns.sorted_x[-1] - columns.sorted_x[0]).clamp_min(1e-3)


def marginal_support(columns: Columns) -> dict[str, Tensor]:
    """Spacing entropies, ends, end masses and grid of every column: (D,) each."""
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
