"""Kernel bandwidths: an order statistic of all squared differences of a column, in memory linear in the rows.

Shape letters: N rows, D variables.
"""

from __future__ import annotations

import torch
from torch import Tensor

LOWEST, HIGHEST = 0.01, 100.0
_SMALL = 4096
_MANY_CUTS = 16


def squared_difference_quantile(x_ND: Tensor, observed_ND: Tensor, position_D: Tensor) -> Tensor:
    """The ``position``-th smallest (from 0) squared difference over pairs of observed rows, clipped to [0.01, 100].

    Counting the pairs closer than t takes one binary search per row of the sorted column, and t is found by bisection
    over the bit patterns of float32, which order positive floats. A position beyond the last pair gives the cap.
    """
    filled = x_ND.to(torch.float32).masked_fill(~observed_ND, torch.inf).T.contiguous()
    ascending = torch.sort(filled, dim=1).values
    D, N = ascending.shape
    finite = ascending.isfinite()
    own = torch.arange(1, N + 1, device=x_ND.device)
    wanted = position_D + 1
    low = _bits(LOWEST**0.5, x_ND.device).expand(D).clone()
    high = _bits(HIGHEST**0.5, x_ND.device).expand(D).clone()
    # Small tables spend their time on calls, not on counting: they try many distances at once.
    cuts = torch.arange(1, _MANY_CUTS if N * D <= _SMALL else 2, device=x_ND.device)[:, None]
    parts = len(cuts) + 1
    while bool((low < high).any()):
        middle = low + (high - low) * cuts // parts  # (cuts, D), ascending
        reach = middle.T.contiguous().to(torch.int32).view(torch.float32)
        query = (ascending[:, None, :] + reach[:, :, None]).view(D, -1)
        closer = torch.searchsorted(ascending, query, right=True).view(D, -1, N) - own
        enough = ((closer * finite[:, None]).sum(dim=2) >= wanted[:, None]).T
        low = torch.where(enough, low, middle + 1).amax(dim=0)
        high = torch.where(enough, middle, high).amin(dim=0)
    return high.to(torch.int32).view(torch.float32).square().clamp(LOWEST, HIGHEST)


def _bits(value: float, device: torch.device) -> Tensor:
    return torch.tensor([value], dtype=torch.float32, device=device).view(torch.int32).to(torch.int64)
