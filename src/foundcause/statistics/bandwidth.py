"""Kernel bandwidths: an order statistic of all squared differences of a column, in memory linear in the rows.

Shape letters: N rows, D variables.
"""

from __future__ import annotations

import torch
from torch import Tensor

LOWEST, HIGHEST = 0.01, 100.0


def squared_difference_quantile(x_ND: Tensor, observed_ND: Tensor, position_D: Tensor) -> Tensor:
    """The ``position``-th smallest (from 0) squared difference over pairs of observed rows, clipped to [0.01, 100].

    Counting the pairs closer than t takes one binary search per row of the sorted column. t is found by interpolating
    the counts, and both ends of its range are drawn in to differences that occur, until they are one: few steps for
    smooth columns, and for columns of few values too. A position beyond the last pair gives the cap.
    """
    # differences of float32 are exact in float64, so that those counted and those named agree
    filled = x_ND.to(torch.float32).masked_fill(~observed_ND, torch.inf).T.contiguous()
    ascending = torch.sort(filled, dim=1).values.to(torch.float64)
    D, N = ascending.shape
    finite = ascending.isfinite()
    cells = torch.where(finite, ascending, -1e300)  # a missing cell is far from all others
    own = torch.arange(1, N + 1, device=x_ND.device)
    wanted = position_D + 1

    def within(reach: Tensor) -> tuple[Tensor, Tensor]:
        """How many cells (D, N) are not further than ``reach`` (D,) above each cell, and how many such pairs."""
        place = torch.searchsorted(ascending, ascending + reach[:, None], right=True)
        return place, ((place - own) * finite).sum(dim=1)

    ends = ascending.new_tensor([LOWEST**0.5, HIGHEST**0.5])
    (below, low_count), (above, high_count) = within(ends[:1].expand(D)), within(ends[1:].expand(D))
    settled = (low_count >= wanted) | (high_count < wanted)
    answer = torch.where(low_count >= wanted, ends[0], ends[1])
    turn = 0
    while True:
        # the smallest difference beyond the lower end, and the largest up to the upper one
        low = (ascending.gather(1, below.clamp(max=N - 1)) - cells).masked_fill_(below == N, torch.inf).amin(dim=1)
        high = (ascending.gather(1, above - 1) - ascending).nan_to_num_(nan=0.0).amax(dim=1)
        met = ~settled & (low >= high)
        answer = torch.where(met, high, answer)
        settled |= met
        if bool(settled.all()):
            return answer.square().clamp(LOWEST, HIGHEST).to(torch.float32)
        turn += 1
        share = (wanted - low_count - 0.5) / (high_count - low_count)
        if turn > 8 and turn % 2:  # counts that are far from straight are slow to interpolate
            share = torch.full_like(share, 0.5)
        place, count = within(torch.where(settled, 1.0, low + (high - low) * share))
        enough = count >= wanted
        below, above = torch.where(enough[:, None], below, place), torch.where(enough[:, None], place, above)
        low_count, high_count = torch.where(enough, low_count, count), torch.where(enough, count, high_count)
