"""Features of the pairwise contingency tables: the honest dependence of discrete columns, and direction evidence.

D variables, K bins, C a chunk of causes i. Columns of few distinct values are binned by value, others by quantile.
A table holds the jointly observed rows only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from foundcause.features.elementwise import cube_root, entropy_terms
from foundcause.features.extended_assembly import Quantity
from foundcause.features.extended_columns import BINS, Columns
from foundcause.features.extended_linear import compress

CHUNK = 2_000_000
"""Most elements of a (K, K, C, D) working tensor."""

WIDE = 32
"""Variables from which on the symmetry of the tables is worth the calls it takes."""

QUANTITIES: tuple[Quantity, ...] = (
    Quantity("information", "symmetric", "dependence", "sqrt of the mutual information MI of the binned pair, in nats"),
    Quantity("information_corrected", "symmetric", "dependence", "sqrt of max(MI - df/(2n), 0), df = (K_i-1)(K_j-1)"),
    Quantity("information_count", "symmetric", "dependence", "log1p(n MI)/4"),
    Quantity("information_z", "symmetric", "dependence", "asinh(z/4) of G = 2n MI by Wilson-Hilferty for df"),
    Quantity("information_min", "symmetric", "dependence", "MI / min(H_i, H_j)"),
    Quantity("information_share", "directed", "direction", "MI / H_j"),
    Quantity("conditional_entropy", "directed", "direction", "H(j | i) / log K_j"),
    Quantity(
        "guess", "directed", "direction", "share of wrong guesses of j that knowing i removes (Goodman-Kruskal lambda)"
    ),
    Quantity("variation_explained", "directed", "direction", "Goodman-Kruskal tau: Gini variance of j that i explains"),
    Quantity(
        "empty_cells",
        "symmetric",
        "dependence",
        "log1p of the number of empty cells where more than 3 are expected, over 2",
    ),
)


def pair_counts(columns: Columns) -> Tensor:
    """(K, K, D, D) counts of the binned pairs: [a, b, i, j] rows with i in bin a and j in bin b.

    The bins come first, so that sums over them run along whole matrices.
    """
    D = columns.variables
    onehot = columns.onehot.view(-1, D, BINS)
    out = torch.empty(BINS, BINS, D, D)
    # the table of (j, i) is that of (i, j) turned: wide tables take half the product, block by block
    step = D if D < WIDE else -(-D // 4)
    for i in range(0, D, step):
        left = onehot[:, i : i + step].reshape(-1, min(step, D - i) * BINS).T
        for j in range(i, D, step):
            part = left @ onehot[:, j : j + step].reshape(-1, min(step, D - j) * BINS)
            tables = part.view(-1, BINS, min(step, D - j), BINS)
            out[:, :, i : i + step, j : j + step] = tables.permute(1, 3, 0, 2)
            if i < j:
                out[:, :, j : j + step, i : i + step] = tables.permute(3, 1, 2, 0)
    return out


def wilson_hilferty(statistic: Tensor, degrees: Tensor) -> Tensor:
    """Standard normal value of a chi-squared statistic."""
    spread = 2 / (9 * degrees)
    return (cube_root(statistic.clamp_min(0) / degrees) - (1 - spread)) * spread.rsqrt()


@dataclass(frozen=True)
class Tables:
    """Tables of a chunk of causes with what every feature of them needs.

    counts, p: (K, K, C, D) rows and shares, [a, b, i, j]; n: (C, D) joint rows, at least 1.
    n_i: (K, C, D) rows of each bin of i; p_i, p_j: (K, C, D) shares of the bins.
    H_i, H_j, H_ij: (C, D) entropies in nats.
    """

    counts: Tensor
    n: Tensor
    p: Tensor
    n_i: Tensor
    p_i: Tensor
    p_j: Tensor
    H_i: Tensor
    H_j: Tensor
    H_ij: Tensor


def chunks(counts_KKDD: Tensor) -> Iterator[Tables]:
    """Successive chunks of causes, small enough to work on."""
    D = counts_KKDD.shape[2]
    step = max(1, CHUNK // (D * BINS * BINS))
    for start in range(0, D, step):
        counts = counts_KKDD[:, :, start : start + step].contiguous()
        n_i = counts.sum(1)
        n = n_i.sum(0).clamp_min(1.0)
        p = counts / n
        p_i, p_j = n_i / n, p.sum(0)
        H_ij = entropy_terms(p).sum((0, 1))
        H_i, H_j = entropy_terms(p_i).sum(0), entropy_terms(p_j).sum(0)
        yield Tables(counts=counts, n=n, p=p, n_i=n_i, p_i=p_i, p_j=p_j, H_i=H_i, H_j=H_j, H_ij=H_ij)


def contingency_features(tables: Tables) -> dict[str, Tensor]:
    """Values of :data:`QUANTITIES` for a chunk of causes: (C, D) each."""
    n, p, p_i, p_j, H_i, H_j = tables.n, tables.p, tables.p_i, tables.p_j, tables.H_i, tables.H_j
    K_i, K_j = (p_i > 0).sum(0).float(), (p_j > 0).sum(0).float()
    information = (H_i + H_j - tables.H_ij).clamp_min(0.0)
    degrees = ((K_i - 1) * (K_j - 1)).clamp_min(1.0)
    flat = (K_i < 2) | (K_j < 2)
    floor = 1e-3
    expected = tables.n_i[:, None] * p_j
    top_j = p_j.amax(0)
    gini_j = 1 - p_j.square().sum(0)
    gini_given = 1 - (p.square().sum(1) / p_i.clamp_min(1e-9)).sum(0)
    return {
        "information": information.sqrt(),
        "information_corrected": (information - degrees / (2 * n)).clamp_min(0.0).sqrt(),
        "information_count": torch.log1p(n * information) / 4,
        "information_z": compress(wilson_hilferty(2 * n * information, degrees)).masked_fill(flat, 0.0),
        "information_min": information / torch.minimum(H_i, H_j).clamp_min(floor),
        "information_share": information / H_j.clamp_min(floor),
        "conditional_entropy": (H_j - information).clamp_min(0.0) / K_j.clamp_min(2).log(),
        "guess": (p.amax(1).sum(0) - top_j).clamp_min(0) / (1 - top_j).clamp_min(floor),
        "variation_explained": (gini_j - gini_given).clamp_min(0) / gini_j.clamp_min(floor),
        "empty_cells": torch.log1p(((tables.counts == 0) & (expected > 3)).float().sum((0, 1))) / 2,
    }
