"""Contingency tables of pairs: dependence of binned columns, and the entropy of the noise that a direction needs.

D variables, K bins, C a chunk of causes i. Columns of few distinct values are binned by value, others by quantile.
A table holds the jointly observed rows only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from foundcause.features.correlations import compress
from foundcause.features.registry import Statistic, register
from foundcause.features.standardize import BINS, Columns, TableState
from foundcause.features.tensor_math import cube_root, entropy_terms

CHUNK = 2_000_000
"""Most elements of a (K, K, C, D) working tensor."""

VERY_WIDE = 300
"""Variables up to which the tables of all pairs are counted at once."""

WIDE = 32
"""Variables from which on the symmetry of the tables is worth the calls it takes."""

ASSOCIATION: tuple[Statistic, ...] = (
    Statistic(
        "information", "symmetric", "dependence", "sqrt of the mutual information MI of the binned pair, in nats"
    ),
    Statistic("information_corrected", "symmetric", "dependence", "sqrt of max(MI - df/(2n), 0), df = (K_i-1)(K_j-1)"),
    Statistic("information_count", "symmetric", "dependence", "log1p(n MI)/4"),
    Statistic("information_z", "symmetric", "dependence", "asinh(z/4) of G = 2n MI by Wilson-Hilferty for df"),
    Statistic("information_min", "symmetric", "dependence", "MI / min(H_i, H_j)"),
    Statistic("information_share", "directed", "direction", "MI / H_j"),
    Statistic("conditional_entropy", "directed", "direction", "H(j | i) / log K_j"),
    Statistic(
        "guess", "directed", "direction", "share of wrong guesses of j that knowing i removes (Goodman-Kruskal lambda)"
    ),
    Statistic(
        "variation_explained", "directed", "direction", "Goodman-Kruskal tau: Gini variance of j that i explains"
    ),
    Statistic(
        "empty_cells",
        "symmetric",
        "dependence",
        "log1p of the number of empty cells where more than 3 are expected, over 2",
    ),
)


ENTROPIC_NOISE: tuple[Statistic, ...] = (
    Statistic(
        "entropic_excess",
        "directed",
        "direction",
        "H(i) + H(E) - H(i, j), E the least noise driving j given i (meet of sorted conditionals, a lower bound)",
    ),
    Statistic(
        "cyclic_excess",
        "directed",
        "direction",
        "H(i) + H(E) - H(i, j), E = (j - mode of j given i) modulo the states of j: additive noise on codes",
    ),
    Statistic(
        "cyclic_dependence_z", "directed", "direction", "asinh(z/4) of the dependence of that E on i by its G-test"
    ),
    Statistic("entropy_spread", "directed", "direction", "standard deviation over bins a of i of H(j | a)"),
    Statistic("entropy_align", "directed", "direction", "correlation over bins a of i of p(a) and H(j | a)"),
    Statistic("sure_states", "directed", "direction", "share of rows whose bin of i leaves one bin of j above 95%"),
)


@register("extended", *ASSOCIATION)
def association(table: TableState) -> dict[str, Tensor]:
    """How strongly the bins of two columns depend on each other."""
    return {s.name: table.get(_by_chunk)[s.name] for s in ASSOCIATION}


@register("extended", *ENTROPIC_NOISE)
def entropic_noise(table: TableState) -> dict[str, Tensor]:
    """The entropy of the noise that each direction of a pair would need."""
    return {s.name: table.get(_by_chunk)[s.name] for s in ENTROPIC_NOISE}


def _by_chunk(table: TableState) -> dict[str, Tensor]:
    """Statistics of both kinds, some causes at a time."""
    states = table.columns.states
    parts = [_association(tables) | _entropic_noise(tables, states) for tables in _chunks(table.columns)]
    return {name: torch.cat([part[name] for part in parts]) for name in parts[0]}


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


def _chunks(columns: Columns) -> Iterator[Tables]:
    """Tables of successive chunks of causes, small enough to work on."""
    D = columns.variables
    counts_KKDD = pair_counts(columns) if D <= VERY_WIDE else None
    step = max(1, CHUNK // (D * BINS * BINS))
    for start in range(0, D, step):
        if counts_KKDD is None:  # all counts at once would not fit into memory
            causes = columns.onehot[:, start * BINS : (start + step) * BINS]
            counts = (causes.T @ columns.onehot).view(-1, BINS, D, BINS).permute(1, 3, 0, 2).contiguous()
        else:
            counts = counts_KKDD[:, :, start : start + step].contiguous()
        n_i = counts.sum(1)
        n = n_i.sum(0).clamp_min(1.0)
        p = counts / n
        p_i, p_j = n_i / n, p.sum(0)
        H_ij = entropy_terms(p).sum((0, 1))
        H_i, H_j = entropy_terms(p_i).sum(0), entropy_terms(p_j).sum(0)
        yield Tables(counts=counts, n=n, p=p, n_i=n_i, p_i=p_i, p_j=p_j, H_i=H_i, H_j=H_j, H_ij=H_ij)


def _association(tables: Tables) -> dict[str, Tensor]:
    """Values of :data:`ASSOCIATION` for a chunk of causes: (C, D) each."""
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


def _entropic_noise(tables: Tables, states: Tensor) -> dict[str, Tensor]:
    """Values of :data:`ENTROPIC_NOISE` for a chunk of causes: (C, D) each; ``states`` (D,) are the bins of columns."""
    counts, n, n_a, p_a, p_b = tables.counts, tables.n, tables.n_i, tables.p_i, tables.p_j
    H_i, H_ij = tables.H_i, tables.H_ij
    # one pseudo-row of the marginal keeps the conditionals of rare bins from looking deterministic
    conditional = (counts + p_b) / (n_a + 1)[:, None]
    seen = n_a > 0
    counted = n_a >= n_a.amax(0).clamp_max(5.0)
    cumulated = torch.stack(_descending(conditional)).cumsum(0)  # (K, K, C, D): [rank, a, i, j]
    meet = cumulated.add_(9.0 * ~counted).amin(1)  # shares sum to 1: what is not counted is never the least
    meet = torch.diff(meet, dim=0, prepend=torch.zeros_like(meet[:1])).clamp_(0.0, 1.0)
    H_meet = entropy_terms(meet).sum(0)

    bins = torch.arange(BINS)[:, None, None]
    # the first bin of the greatest count: exact in float32 below a million rows, and many times faster than argmax
    shift = BINS - 1 - (counts * 16 + (BINS - 1 - bins)).amax(1).remainder_(16).long()  # (K, C, D)
    index = bins + shift[:, None]
    index.sub_(states * (index >= states)).clamp_(max=BINS - 1)
    p_e = (counts.gather(1, index).sum(0) * (bins < states)) / n
    H_e = entropy_terms(p_e).sum(0)
    K_i, K_e = seen.sum(0), (p_e > 0).sum(0)
    degrees = ((K_i - 1) * (K_e - 1)).clamp_min(1).float()
    excess = (H_i + H_e - H_ij).clamp_min(0.0)
    varied = (K_i > 1) & (K_e > 1)

    H_a = entropy_terms(conditional).sum(1)
    deviation = (H_a - (p_a * H_a).sum(0)) * seen
    spread = (p_a * deviation.square()).sum(0).clamp_min(0.0).sqrt()
    count = K_i.clamp_min(1).float()
    from_p = (p_a - 1 / count) * seen
    from_H = (H_a - (H_a * seen).sum(0) / count) * seen
    align = (from_p * from_H).sum(0) / (from_p.square().sum(0) * from_H.square().sum(0) + 1e-6).sqrt()
    return {
        "entropic_excess": (H_i + H_meet - H_ij).clamp(-1.0, 3.0),
        "cyclic_excess": excess,
        "cyclic_dependence_z": compress(wilson_hilferty(2 * n * excess, degrees)).masked_fill(~varied, 0.0),
        "entropy_spread": spread,
        "entropy_align": align,
        "sure_states": (p_a * (conditional.amax(1) > 0.95)).sum(0),
    }


# the 29 comparisons that sort ten values (Waksman), many times faster on whole matrices than a sort of short rows
_COMPARISONS = (
    (4, 9), (3, 8), (2, 7), (1, 6), (0, 5), (1, 4), (6, 9), (0, 3), (5, 8), (0, 2), (3, 6), (7, 9), (0, 1), (2, 4),
    (5, 7), (8, 9), (1, 2), (4, 6), (7, 8), (3, 5), (2, 5), (6, 8), (1, 3), (4, 7), (2, 3), (6, 7), (3, 4),
    (5, 6), (4, 5),
)  # fmt: skip


def _descending(values: Tensor) -> list[Tensor]:
    """The ten slices of ``values`` along its second axis, sorted elementwise from greatest to least."""
    slices = list(values.unbind(1))
    for a, b in _COMPARISONS:
        slices[a], slices[b] = torch.maximum(slices[a], slices[b]), torch.minimum(slices[a], slices[b])
    return slices
