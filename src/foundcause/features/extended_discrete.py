"""Direction evidence from contingency tables: the entropy of the noise each direction would need.

D variables, K bins, C a chunk of causes i; tables are laid out [a, b, i, j] with a the bin of i and b that of j.
"""

from __future__ import annotations

import torch
from torch import Tensor

from foundcause.features.contingency import Tables, wilson_hilferty
from foundcause.features.elementwise import entropy_terms
from foundcause.features.extended_assembly import Quantity
from foundcause.features.extended_columns import BINS
from foundcause.features.extended_linear import compress

QUANTITIES: tuple[Quantity, ...] = (
    Quantity(
        "entropic_excess",
        "directed",
        "direction",
        "H(i) + H(E) - H(i, j), E the least noise driving j given i (meet of sorted conditionals, a lower bound)",
    ),
    Quantity(
        "cyclic_excess",
        "directed",
        "direction",
        "H(i) + H(E) - H(i, j), E = (j - mode of j given i) modulo the states of j: additive noise on codes",
    ),
    Quantity(
        "cyclic_dependence_z", "directed", "direction", "asinh(z/4) of the dependence of that E on i by its G-test"
    ),
    Quantity("entropy_spread", "directed", "direction", "standard deviation over bins a of i of H(j | a)"),
    Quantity("entropy_align", "directed", "direction", "correlation over bins a of i of p(a) and H(j | a)"),
    Quantity("sure_states", "directed", "direction", "share of rows whose bin of i leaves one bin of j above 95%"),
)


def discrete_features(tables: Tables, states: Tensor) -> dict[str, Tensor]:
    """Values of :data:`QUANTITIES` for a chunk of causes: (C, D) each; ``states`` (D,) are the bins of each column."""
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
