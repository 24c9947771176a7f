"""Standardized and ranked columns, moments over jointly observed rows, shrunk precision matrices, and colliders.

These are the symmetric, cross-moment, regression and V-structure features of the paper's statistics (Appendix A,
"Pairwise Statistics"). Moments are float64: the products are few and their digits are needed.

Shape letters: N rows, D variables. Columns are worked on as (D, N) where sorting or scanning is along rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

TILE = 2**18


@dataclass(frozen=True, kw_only=True)
class PairMoments:
    """Moments over the rows that i and j share, all (D, D).

    joint: number of those rows. correlation: Pearson's, 0 where undefined. third: mean of z_i^2 z_j for z standardized
    (with n - 1) on those rows. variance: of j on those rows, [i, j]. defined: three rows or more, both varying.
    """

    joint: Tensor
    correlation: Tensor
    third: Tensor
    variance: Tensor
    defined: Tensor


def pair_moments(x_ND: Tensor, observed_ND: Tensor | None) -> PairMoments:
    """Pairwise-complete moments of columns that are standardized on their own observed cells (unobserved cells 0)."""
    N, D = x_ND.shape
    square = x_ND.square()
    product, skewed = x_ND.T @ x_ND, square.T @ x_ND
    if observed_ND is None:
        joint = x_ND.new_full((D, D), float(N))
        first = x_ND.sum(dim=0)[:, None].expand(D, D)
        second = square.sum(dim=0)[:, None].expand(D, D)
    else:
        mask = observed_ND.to(x_ND.dtype)
        joint, first, second = mask.T @ mask, x_ND.T @ mask, square.T @ mask
    n = joint.clamp(min=1.0)
    mean = first / n  # [i, j]: of i over the rows shared with j
    unbias = n / (n - 1.0).clamp(min=1.0)
    variance = (second / n - mean.square()).clamp(min=0.0) * unbias
    defined = (joint >= 3) & (variance > 1e-9) & (variance.T > 1e-9)
    covariance = (product / n - mean * mean.T) * unbias
    scale = torch.where(defined, variance, 1.0)
    correlation = torch.where(defined, covariance / (scale * scale.T).sqrt(), 0.0).clamp(-1.0, 1.0)
    central = skewed / n - 2.0 * mean * product / n - mean.T * second / n + 2.0 * mean.square() * mean.T
    third = torch.where(defined, central / (scale * scale.T.sqrt()), 0.0)
    return PairMoments(joint=joint, correlation=correlation, third=third, variance=variance.T, defined=defined)


def shrinkage(correlation: Tensor, rows: Tensor | float, variables: int) -> Tensor:
    """Oracle-approximating shrinkage intensity in [0.01, 1] of a correlation matrix of ``rows`` effective rows."""
    d = float(max(variables, 2))
    trace, square = correlation.diagonal().sum(), correlation.square().sum()
    numerator = (1.0 - 2.0 / d) * square + trace.square()
    return (numerator / ((rows + 1.0 - 2.0 / d) * (square - trace.square() / d)).clamp(min=1e-8)).clamp(0.01, 1.0)


@dataclass(frozen=True, kw_only=True)
class PrecisionFeatures:
    """partial: partial correlations. coefficient: [i, j], of i when j is regressed on all others.
    diagonal: (D,) absolute diagonal. coupling: (D,) absolute row sums off the diagonal."""

    partial: Tensor
    coefficient: Tensor
    diagonal: Tensor
    coupling: Tensor


def precision_features(omega: Tensor) -> PrecisionFeatures:
    """What the features need of a precision matrix (D, D); non-finite entries count as 0."""
    omega = torch.where(omega.isfinite(), omega, 0.0)
    magnitude = omega.diagonal().abs()
    weight = magnitude.clamp(min=1e-8)
    return PrecisionFeatures(
        partial=(-omega / (weight[:, None] * weight).sqrt()).clamp(-1.0, 1.0),
        coefficient=(-omega / weight).clamp(-5.0, 5.0),
        diagonal=magnitude,
        coupling=(omega.abs().sum(dim=1) - weight).clamp(min=1e-8),
    )


@dataclass(frozen=True, kw_only=True)
class ColliderFeatures:
    """neighbor: i and j apart but both near some k. child: [i, j], j near both i and some k that is apart from i."""

    neighbor: Tensor
    child: Tensor


def collider_features(correlation: Tensor, *, tile: int = TILE) -> ColliderFeatures:
    """Third-variable patterns of absolute correlations: D^3 minima and maxima, a few rows at a time."""
    near = correlation.abs()
    D = len(near)
    apart = (1.0 - near).clamp(min=0.0)
    off = ~torch.eye(D, dtype=torch.bool, device=near.device)
    near_other, apart_other = torch.where(off, near, 0.0), torch.where(off, apart, 0.0)
    step = max(1, tile // (D * D))
    neighbor, child = [], []
    for start in range(0, D, step):
        rows = slice(start, start + step)
        shared = torch.minimum(near_other[rows, None, :], near_other[None])  # [i, j, k]
        neighbor.append(shared.amax(dim=2))
        pulled = torch.minimum(near[rows, :, None], near_other[None])  # [i, j, k]: min(A_ij, A_jk), 0 at k = j
        child.append((pulled * apart_other[rows, None, :]).amax(dim=2))  # 0 at k = i
    return ColliderFeatures(neighbor=(apart * torch.cat(neighbor)).clamp(0.0, 5.0), child=torch.cat(child))


# Columns

WINSOR = 10.0  # in units of 1.4826 mean absolute deviations
_CEILING = 1e15


def winsorize(values_ND: Tensor, observed_ND: Tensor) -> Tensor:
    """Values clipped to the mean +- 10 * 1.4826 mean absolute deviations of their column; unobserved cells 0."""
    values = torch.where(observed_ND, values_ND, 0.0)
    count = observed_ND.sum(dim=0).clamp(min=1)
    mean = values.sum(dim=0) / count
    deviation = torch.where(observed_ND, (values - mean).abs(), 0.0).sum(dim=0) / count
    reach = WINSOR * (1.4826 * deviation).clamp(min=1e-8)
    clipped = torch.minimum(torch.maximum(values, mean - reach), mean + reach).clamp(-_CEILING, _CEILING)
    return torch.where(observed_ND, clipped, 0.0)


def center(values_ND: Tensor, observed_ND: Tensor) -> Tensor:
    """Values minus the mean of the observed cells of their column; unobserved cells 0."""
    mean = torch.where(observed_ND, values_ND, 0.0).sum(dim=0) / observed_ND.sum(dim=0).clamp(min=1)
    return torch.where(observed_ND, values_ND - mean, 0.0)


def standardize(values_ND: Tensor, observed_ND: Tensor, *, floor: float = 1e-8) -> Tensor:
    """Mean 0 and variance 1 (with n - 1) over the observed cells of each column; unobserved cells 0."""
    centered = center(values_ND, observed_ND)
    freedom = (observed_ND.sum(dim=0) - 1).clamp(min=1)
    return centered / (centered.square().sum(dim=0) / freedom).sqrt().clamp(min=floor)


def row_order(values_ND: Tensor, observed_ND: Tensor, *, stable: bool = True) -> Tensor:
    """Rows (N, D) of each column in ascending order, unobserved cells last; ties in row order if ``stable``."""
    filled = values_ND.masked_fill(~observed_ND, torch.inf)
    # Columns become contiguous first: sorting along a strided dimension is several times slower.
    return torch.sort(filled.T.contiguous(), dim=1, stable=stable).indices.T.contiguous()


def rank_order(ranks: TiedRanks, observed_ND: Tensor) -> Tensor:
    """The same of values whose ranks are known: only columns with ties need sorting."""
    seen = observed_ND.T
    D, N = seen.shape
    order = torch.empty((D, N), dtype=torch.int64, device=seen.device)
    tied = ranks.tied.nonzero()[:, 0]
    if len(tied) < D:
        unseen = ~seen
        last = seen.sum(dim=1, keepdim=True) - 1 + unseen.cumsum(dim=1)
        place = torch.where(seen, ranks.average.T.to(torch.int64), last)
        # ranks of columns with ties may fall on one place; those columns are overwritten below
        order.scatter_(1, place, torch.arange(N, device=seen.device).expand(D, N))
    if len(tied):
        order[tied] = row_order(ranks.average[:, tied], observed_ND[:, tied]).T
    return order.T.contiguous()


def positions(order_ND: Tensor) -> Tensor:
    """Float32 position (N, D) of every row in its column's order: ranks 0, 1, ... without ties."""
    place = torch.arange(len(order_ND), dtype=torch.float32, device=order_ND.device)
    return torch.empty(order_ND.shape, dtype=torch.float32, device=order_ND.device).scatter_(
        0, order_ND, place[:, None].expand(order_ND.shape)
    )


@dataclass(frozen=True, kw_only=True)
class TiedRanks:
    """Ranks among the observed cells of each column, all (N, D) float64; unobserved cells 0.

    average: 0 .. n - 1, tied cells share the mean of their places.
    at_most: number of cells that are no larger. at_least: number of cells that are no smaller.
    tied: (D,) whether a column repeats a value.
    """

    average: Tensor
    at_most: Tensor
    at_least: Tensor
    tied: Tensor


def tied_ranks(values_ND: Tensor, observed_ND: Tensor) -> TiedRanks:
    """Ranks with ties kept as ties."""
    filled = values_ND.masked_fill(~observed_ND, torch.inf).T.contiguous()
    ascending, order = torch.sort(filled, dim=1)
    D, N = filled.shape
    place = torch.arange(N, device=filled.device)
    fresh = torch.ones_like(ascending, dtype=torch.bool)
    fresh[:, 1:] = ascending[:, 1:] != ascending[:, :-1]
    first = torch.where(fresh, place, 0).cummax(dim=1).values
    ends = torch.ones_like(fresh)
    ends[:, :-1] = fresh[:, 1:]
    last = torch.where(ends, place, N).flip(1).cummin(dim=1).values.flip(1)
    seen = observed_ND.T
    count = seen.sum(dim=1, keepdim=True)

    def in_rows(sorted_DN: Tensor) -> Tensor:
        ranks = torch.empty((D, N), dtype=torch.float64, device=filled.device).scatter_(1, order, sorted_DN.double())
        return torch.where(seen, ranks, 0.0).T.contiguous()

    return TiedRanks(
        average=in_rows((first + last) * 0.5),
        at_most=in_rows(last + 1),
        at_least=in_rows(count - first),
        tied=((~fresh) & (place < count)).any(dim=1),
    )
