"""The joint-histogram sketch: an 8 x 8 table of every pair on the rank scale, for a network to read by itself.

N rows, D variables, Q = 8 bins.
"""

from __future__ import annotations

import torch
from torch import Tensor

from foundcause.features.extended_columns import prepare
from foundcause.features.registry import Feature, FeatureSet

CELLS = 8
ROW_TILE = 4096


def _feature(a: int, b: int) -> Feature:
    formula = f"asinh(sqrt(n) d)/2, d = (p_ab - p_a p_b)/sqrt(p_a p_b + 1/n), rank bins a = {a} of i, b = {b} of j"
    name = f"cell_{a}{b}"
    if a == b:
        return Feature(name=name, symmetry="symmetric", group="direction", formula=formula)
    return Feature(name=name, symmetry="directed", group="direction", formula=formula, partner=f"cell_{b}{a}")


SKETCH = FeatureSet("sketch", tuple(_feature(a, b) for a in range(CELLS) for b in range(CELLS)))


@torch.no_grad()
def sketch_statistics(values_ND: Tensor, observed_ND: Tensor, *, seed: int = 0) -> Tensor:
    """(D, D, 64) float32: standardised residuals from independence of the 8 x 8 rank histograms of all pairs.

    Cell (a, b) of the pair (i, j) is cell (b, a) of (j, i). Columns of at most eight values fill one bin a value (the
    first bins, in order); others are binned by average rank. The diagonal pairs are 0.
    """
    columns = prepare(values_ND, observed_ND)
    N, D = columns.x.shape
    by_rank = (columns.u * CELLS).long().clamp(0, CELLS - 1)
    codes = torch.where(columns.distinct <= CELLS, columns.codes.clamp_min(0), by_rank)
    counts = torch.zeros(D * CELLS, D * CELLS)
    for start in range(0, N, ROW_TILE):
        rows = slice(start, start + ROW_TILE)
        tile = torch.zeros(codes[rows].shape[0], D, CELLS)
        tile.scatter_(2, codes[rows][:, :, None], columns.mask[rows][:, :, None])
        flat = tile.view(-1, D * CELLS)
        counts += flat.T @ flat
    table = counts.view(D, CELLS, D, CELLS)
    n = columns.joint[:, None, :, None]
    p = table / n
    expected = p.sum(3, keepdim=True) * p.sum(1, keepdim=True)
    residual = (p - expected) * (expected + 1 / n).rsqrt() * n.sqrt()
    out = (torch.asinh(residual) / 2).permute(0, 2, 1, 3).reshape(D, D, CELLS * CELLS).contiguous()
    out[torch.arange(D), torch.arange(D)] = 0.0
    return torch.nan_to_num(out)
