"""Which few columns a target is conditioned on: the strongest, one of each group of columns with the same ranks.

D variables, M candidates. Columns with equal ranks tie exactly, and a plain top-k would settle the tie by their order.
Only one of them is therefore a candidate, and what is found for it holds for the others of its group.
"""

from __future__ import annotations

import torch
from torch import Tensor

from foundcause.features.standardize import Columns


def stand_ins(columns: Columns) -> Tensor | None:
    """(D, D) of [j, i]: the column that stands for i among the candidates of j; None when no two columns are alike."""
    alike, D = columns.alike, columns.variables
    if alike is None:
        return None
    eye = torch.eye(D, dtype=torch.bool)
    position = torch.arange(D)
    # a target has no part in its own group: a copy of it is a candidate as any other column is
    first = torch.where(alike[None] & ~eye[:, None, :], position, D).amin(2)
    return torch.where(eye, position, first)


def strongest(strength: Tensor, stand_in: Tensor | None, count: int) -> Tensor:
    """(D, M) the ``count`` candidates of every target by a symmetric ``strength`` >= 0; stand-ins go before copies."""
    ranked = strength.clone()
    if stand_in is not None:
        ranked -= 100.0 * (stand_in != torch.arange(strength.shape[0]))
    return ranked.fill_diagonal_(-1000.0).topk(count, dim=1).indices


def copied(found: dict[str, Tensor], stand_in: Tensor | None) -> dict[str, Tensor]:
    """Matrices [j, i] in which every column has what was found for its stand-in; vectors stay as they are."""
    if stand_in is None:
        return found
    return {name: value.gather(1, stand_in) if value.dim() == 2 else value for name, value in found.items()}


def whitening(square: Tensor, subsets: Tensor) -> Tensor:
    """(J, T, S, M F) maps from all candidates of a target to whitened members of each set.

    square: (J, T, S, S) covariances of the members of every set, of F components each. subsets: (T, S / F) positions of
    the members among M candidates, M for an empty place. One product with the candidates serves all sets.
    """
    J, T, S, _ = square.shape
    F = S // subsets.shape[1]
    M = int(subsets.max())  # the empty set has none but empty places
    factor = torch.linalg.cholesky_ex(square)[0]
    inverse = torch.linalg.solve_triangular(factor, torch.eye(S).expand(J, T, S, S), upper=False)
    place = (subsets[:, :, None] * F + torch.arange(F)).view(1, T, 1, S).expand(J, T, S, S)
    return torch.zeros(J, T, S, (M + 1) * F).scatter_(3, place, inverse)[..., : M * F]
