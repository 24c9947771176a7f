"""Local scores: what i adds to the best small parent set of j, under a Gaussian copula.

D variables, M candidates of each target, T subsets of at most three of them. For every target j all subsets of its
strongest candidates are tried at once, so conditional independence up to order three and BIC gains come from one pass.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import torch
from torch import Tensor

from foundcause.features.candidates import copied, stand_ins, strongest, whitening
from foundcause.features.elementwise import asinh
from foundcause.features.extended_assembly import Quantity
from foundcause.features.extended_columns import Columns
from foundcause.features.extended_linear import Linear, compress, fisher_z

CANDIDATES = 6
LARGEST_SET = 3
CHUNK = 1_000_000
_NEVER = 1e30

QUANTITIES: tuple[Quantity, ...] = (
    Quantity(
        "bic_gain",
        "directed",
        "direction",
        "asinh(b/4)/2, b = best BIC of j over sets without i (of its 6 strongest, at most 3) minus that with i added",
    ),
    Quantity(
        "bic_gain_best", "directed", "direction", "asinh(b/4)/2, b = BIC gain of i on top of the best set without i"
    ),
    Quantity("best_partial", "directed", "direction", "corr(g_i, g_j | best set of j without i)"),
    Quantity("order3_min", "directed", "dependence", "min over those sets T of |corr(g_i, g_j | T)|"),
    Quantity(
        "order3_min_z", "directed", "dependence", "asinh(z/4) of the least z = atanh|corr| sqrt(n - 3 - |T|) over T"
    ),
    Quantity("order2_min_z", "directed", "dependence", "the same over sets of at most two"),
    Quantity("order3_min_both_z", "symmetric", "dependence", "the lesser order3_min_z of the two directions"),
    Quantity("local_explained", "marginal", "direction", "R2 of j given its best set by BIC"),
    Quantity("local_parents", "marginal", "direction", "size of the best set by BIC, divided by 3"),
)


@lru_cache(maxsize=8)
def _subsets(candidates: int) -> tuple[Tensor, Tensor]:
    """(T, 3) positions of every subset of at most three candidates (padded with ``candidates``), and (T,) sizes."""
    rows, sizes = [], []
    for size in range(min(LARGEST_SET, candidates) + 1):
        for subset in combinations(range(candidates), size):
            rows.append(list(subset) + [candidates] * (LARGEST_SET - size))
            sizes.append(size)
    return torch.tensor(rows), torch.tensor(sizes)


def score_block(columns: Columns, linear: Linear) -> dict[str, Tensor]:
    """Values of :data:`QUANTITIES`; candidates are ranked by the order-1 minimum of the copula correlation."""
    D = columns.variables
    parts = []
    subsets, _ = _subsets(min(CANDIDATES, D - 1))
    stand_in = stand_ins(columns)
    # of columns that a third one explains away, the more correlated go first; rounding would choose otherwise
    strength = (linear.order1_min - 1e-4).clamp_min(0.0) + 1e-3 * linear.correlation[2].abs()
    chosen = strongest(strength, stand_in, min(CANDIDATES, D - 1))
    step = max(1, CHUNK // (len(subsets) * LARGEST_SET * D))
    for start in range(0, D, step):
        targets = torch.arange(start, min(start + step, D))
        parts.append(_targets(columns, linear.correlation[2], targets, chosen[targets]))
    merged = copied({name: torch.cat([part[name] for part in parts]) for name in parts[0]}, stand_in)
    out = {name: value.T if value.dim() == 2 else value for name, value in merged.items()}
    out["order3_min_both_z"] = torch.minimum(out["order3_min_z"], out["order3_min_z"].T)
    return out


def _targets(columns: Columns, c: Tensor, targets: Tensor, chosen: Tensor) -> dict[str, Tensor]:
    """Quantities of some targets j with their (J, M) candidates, laid out [j, i]; ``c`` are copula correlations."""
    D, J, M = columns.variables, len(targets), chosen.shape[1]
    subsets, sizes = _subsets(M)
    n_ji = columns.joint[targets]
    n_j = n_ji.mean(1)

    members = torch.cat([chosen, torch.full((J, 1), D)], 1)[:, subsets]  # (J, T, 3), D is the empty place
    near = c[chosen]  # (J, M, D)
    among = torch.zeros(J, M + 1, M + 1)
    among[:, :M, :M] = near.gather(2, chosen[:, None].expand(-1, M, -1))
    square = among[:, subsets[:, :, None], subsets[:, None, :]]  # (J, T, 3, 3)
    torch.diagonal(square, dim1=-2, dim2=-1).fill_(1.0 + 1e-3)
    # an indefinite square (pairwise deletion) leaves a broken factor: such a set is passed over below
    maps = whitening(square, subsets).view(J, -1, M)
    whitened = torch.bmm(maps, near).view(J, len(subsets), LARGEST_SET, D)
    own = whitened.gather(3, targets[:, None, None, None].expand(-1, *whitened.shape[1:3], 1))  # (J, T, 3, 1)
    remaining = torch.ones(J, len(subsets), D)  # variance of every variable given the set
    covariance = c[targets][:, None].repeat(1, len(subsets), 1)
    for place in range(LARGEST_SET):
        part = whitened[:, :, place]
        remaining.addcmul_(part, part, value=-1)
        covariance.addcmul_(part, own[:, :, place], value=-1)
    left = remaining.gather(2, targets[:, None, None].expand(-1, len(subsets), 1))  # (J, T, 1)
    broken = ~torch.isfinite(left) | (left < -0.01)
    if bool(broken.any()):
        left, covariance = torch.where(broken, 1.0, left), torch.where(broken, 0.0, covariance)
        remaining = torch.where(broken, 1.0, remaining)
    left = left.clamp_min(1e-4)
    partial = covariance * (left * remaining.clamp_min(1e-3)).rsqrt()
    partial = partial.clamp(-0.9999, 0.9999)

    # added to what a minimum is taken of, where i belongs to the set (or the set is broken)
    unusable = torch.zeros(J, len(subsets), D + 1).scatter_(2, members, _NEVER)[..., :D] + _NEVER * broken
    price = n_j.clamp_min(2).log()
    without = n_j[:, None] * left[..., 0].log() + sizes * price[:, None]  # (J, T)
    gain = -n_ji[:, None] * torch.log1p(-partial.square()) - price[:, None, None]
    without_i = without[:, :, None] + unusable
    best_without, best_set = without_i.min(1)
    best_with = (without_i - gain).amin(1)
    gain_best = gain.gather(1, best_set[:, None])[:, 0]
    z = fisher_z(partial, n_ji[:, None] - 3 - sizes[None, :, None]).add_(unusable)
    least = partial.abs().add_(unusable).amin(1)
    plain = without.masked_fill(broken[..., 0], torch.inf)
    best_plain = plain.argmin(1)
    return {
        "bic_gain": asinh((best_without - best_with) * 0.25) * 0.5,
        "bic_gain_best": asinh(gain_best * 0.25) * 0.5,
        "best_partial": partial.gather(1, best_set[:, None])[:, 0],
        "order3_min": least,
        "order3_min_z": compress(z.amin(1)),
        "order2_min_z": compress(z[:, sizes <= 2].amin(1)),
        "local_explained": 1 - left[..., 0].gather(1, best_plain[:, None])[:, 0],
        "local_parents": sizes[best_plain] / LARGEST_SET,
    }
