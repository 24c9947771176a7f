"""Linear dependence: moments over jointly observed rows, shrunk precision matrices, and collider patterns.

Shape letters: N rows, D variables. Everything here is float64: the products are few and their digits are needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

TILE = 2**18


@dataclass(frozen=True, kw_only=True)
class PairMoments:
    """Moments over the rows that i and j share, all (D, D).

    joint: number of those rows. correlation: Pearson's, 0 where undefined. third: mean of z_i^2 z_j for z standardised
    (with n - 1) on those rows. variance: of j on those rows, [i, j]. defined: three rows or more, both varying.
    """

    joint: Tensor
    correlation: Tensor
    third: Tensor
    variance: Tensor
    defined: Tensor


def pair_moments(x_ND: Tensor, observed_ND: Tensor | None) -> PairMoments:
    """Pairwise-complete moments of columns that are standardised on their own observed cells (unobserved cells 0)."""
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
    """neighbour: i and j apart but both near some k. child: [i, j], j near both i and some k that is apart from i."""

    neighbour: Tensor
    child: Tensor


def collider_features(correlation: Tensor, *, tile: int = TILE) -> ColliderFeatures:
    """Third-variable patterns of absolute correlations: D^3 minima and maxima, a few rows at a time."""
    near = correlation.abs()
    D = len(near)
    apart = (1.0 - near).clamp(min=0.0)
    off = ~torch.eye(D, dtype=torch.bool, device=near.device)
    near_other, apart_other = torch.where(off, near, 0.0), torch.where(off, apart, 0.0)
    step = max(1, tile // (D * D))
    neighbour, child = [], []
    for start in range(0, D, step):
        rows = slice(start, start + step)
        shared = torch.minimum(near_other[rows, None, :], near_other[None])  # [i, j, k]
        neighbour.append(shared.amax(dim=2))
        pulled = torch.minimum(near[rows, :, None], near_other[None])  # [i, j, k]: min(A_ij, A_jk), 0 at k = j
        child.append((pulled * apart_other[rows, None, :]).amax(dim=2))  # 0 at k = i
    return ColliderFeatures(neighbour=(apart * torch.cat(neighbour)).clamp(0.0, 5.0), child=torch.cat(child))
