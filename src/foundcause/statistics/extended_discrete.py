"""Direction evidence from contingency tables: the entropy of the noise each direction would need.

D variables, K bins, C a chunk of causes i; tables are laid out [i, j, a, b] with a the bin of i and b that of j.
"""

from __future__ import annotations

import torch
from torch import Tensor

from foundcause.statistics.contingency import Tables, wilson_hilferty
from foundcause.statistics.extended_assembly import Quantity
from foundcause.statistics.extended_columns import BINS
from foundcause.statistics.extended_linear import compress

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
    conditional = (counts + p_b[:, :, None]) / (n_a + 1)[..., None]
    seen = n_a > 0
    counted = n_a >= torch.minimum(torch.tensor(5.0), n_a.amax(2, keepdim=True))
    ordered = conditional.sort(dim=3, descending=True).values.cumsum(3)
    meet = torch.where(counted[..., None], ordered, torch.inf).amin(2)
    meet = torch.diff(meet, dim=2, prepend=torch.zeros_like(meet[..., :1])).clamp(0.0, 1.0)
    H_meet = torch.special.entr(meet).sum(2)

    shift = counts.argmax(3)  # (C, D, K)
    K_j = states[None, :, None, None]
    index = torch.arange(BINS) + shift[..., None]
    index = torch.where(index >= K_j, index - K_j, index).clamp_max(BINS - 1)
    noise = torch.where(torch.arange(BINS) < K_j, counts.gather(3, index), 0.0)
    p_e = noise.sum(2) / n[..., None]
    H_e = torch.special.entr(p_e).sum(2)
    K_i, K_e = seen.sum(2), (p_e > 0).sum(2)
    degrees = ((K_i - 1) * (K_e - 1)).clamp_min(1).float()
    excess = (H_i + H_e - H_ij).clamp_min(0.0)
    varied = (K_i > 1) & (K_e > 1)

    H_a = torch.special.entr(conditional).sum(3)
    mean = (p_a * H_a).sum(2, keepdim=True)
    deviation = (H_a - mean) * seen
    spread = (p_a * deviation.square()).sum(2).clamp_min(0.0).sqrt()
    count = K_i.clamp_min(1).float()
    from_p = (p_a - 1 / count[..., None]) * seen
    from_H = (H_a - (H_a * seen).sum(2, keepdim=True) / count[..., None]) * seen
    align = (from_p * from_H).sum(2) / (from_p.square().sum(2) * from_H.square().sum(2) + 1e-6).sqrt()
    return {
        "entropic_excess": (H_i + H_meet - H_ij).clamp(-1.0, 3.0),
        "cyclic_excess": excess,
        "cyclic_dependence_z": compress(wilson_hilferty(2 * n * excess, degrees)).masked_fill(~varied, 0.0),
        "entropy_spread": spread,
        "entropy_align": align,
        "sure_states": (p_a * (conditional.amax(3) > 0.95)).sum(2),
    }
