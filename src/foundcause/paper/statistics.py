"""The paper's 45 pairwise statistics (Appendix A, "Pairwise Statistics") with the release's defects corrected.

Free of scale and of the order of rows and columns, right under missing cells, blind to padding: empty rows are dropped,
columns without variation give 0 (reliability features aside), ties are averaged or placed by what the rows hold, and
moments are taken over the rows that a pair shares. Shape letters: N rows, D variables.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from foundcause.features.pairwise import Task
from foundcause.features.registry import register_set
from foundcause.features.row_samples import content_keys
from foundcause.paper.kernel_regression import PAPER_CONSTANTS, TILE, kernel_sums, squared_difference_quantile
from foundcause.paper.pair_moments import (
    PairMoments,
    TiedRanks,
    collider_features,
    pair_moments,
    precision_features,
    rank_order,
    shrinkage,
    standardize,
    tied_ranks,
    winsorize,
)
from foundcause.paper.quantile_bins import bin_features, bin_index
from foundcause.paper.rank_steps import shared_steps
from foundcause.paper.statistic_names import FEATURES, PAPER, Blocks, blocks_for

PAPER_KERNEL_ROWS = 256  # the bandwidth does not shrink with N, so more rows only average more
_EIGENVALUE_FLOOR = 0.01  # the least shrinkage: complete data never reach below it
_DEPENDENCE_SCALE = 32.0
_EXACT_FIT = 1e-9


@register_set("paper", PAPER.features)
def paper_features(task: Task, wanted: list[int]) -> Tensor:
    """Features of one table, padding included."""
    kernel_rows = task.kernel_rows or PAPER_KERNEL_ROWS
    inner = paper_statistics(*task.table, seed=task.seed, kernel_rows=kernel_rows, blocks=blocks_for(wanted))
    return task.with_padding(inner)


@dataclass(frozen=True, kw_only=True)
class _Table:
    """Columns that vary, rows in an order that only their content decides.

    x: (N, D) float64, winsorized and standardized. observed: (N, D). complete: whether nothing is missing.
    ranks: of the raw values. share: (D,) standard deviation over range.
    """

    x: Tensor
    observed: Tensor
    complete: bool
    ranks: TiedRanks
    share: Tensor

    @property
    def mask(self) -> Tensor | None:
        return None if self.complete else self.observed


def paper_statistics(
    values_ND: Tensor,
    observed_ND: Tensor,
    *,
    seed: int = 0,
    kernel_rows: int = PAPER_KERNEL_ROWS,
    blocks: Blocks | None = None,
    tile: int = TILE,
) -> Tensor:
    """Float32 (D, D, 45) of one dataset without padding variables, the diagonal included.

    seed: of the placement of tied rows in xi and of the choice of kernel rows, both by row content. tile bounds the
    memory, not the result.
    """
    blocks = blocks or Blocks()
    N, D = values_ND.shape
    s = torch.zeros(D, D, FEATURES, device=values_ND.device)
    filled = observed_ND.any(dim=1)
    if not bool(filled.all()):
        values_ND, observed_ND = values_ND[filled], observed_ND[filled]
    N = max(len(values_ND), 1)
    mask = observed_ND.to(torch.float64)
    joint = mask.T @ mask
    s[:, :, 42] = (D / joint.mean().clamp(min=1.0)).clamp(0.0, 1.0)
    s[:, :, 44] = joint / N
    varies = _varying(values_ND, observed_ND)
    if not bool(varies.any()):
        return s
    table = _prepare(values_ND[:, varies], observed_ND[:, varies], seed)
    inner = _varying_columns(table, kernel_rows, blocks, tile)
    place = varies.nonzero()[:, 0]
    s[:, :, 41] = inner[0, 0, 41]
    reliability = s[:, :, [42, 44]]
    s[place[:, None], place] = torch.where(inner.isfinite(), inner, 0.0)
    s[:, :, [42, 44]] = reliability
    return s


def _varying(values: Tensor, observed: Tensor) -> Tensor:
    """Columns (D,) with three observed cells or more that differ by more than the rounding of their type."""
    low = values.masked_fill(~observed, torch.inf).amin(dim=0)
    high = values.masked_fill(~observed, -torch.inf).amax(dim=0)
    rounding = 4.0 * torch.finfo(values.dtype).eps * torch.maximum(low.abs(), high.abs())
    return (observed.sum(dim=0) >= 3) & (high / 2 - low / 2 > rounding / 2)


def _prepare(values: Tensor, observed: Tensor, seed: int) -> _Table:
    ranks = tied_ranks(values, observed)
    # Ranks, unlike values, do not change when a column is rescaled, so neither does the order of the rows.
    rows = torch.argsort(content_keys(ranks.average, observed, seed), stable=True)
    values, observed = values[rows].to(torch.float64), observed[rows]
    low = values.masked_fill(~observed, torch.inf).amin(dim=0)
    high = values.masked_fill(~observed, -torch.inf).amax(dim=0)
    half = high / 2 - low / 2
    unit = torch.where(observed, (values / 2 - (low / 4 + high / 4)) / (half / 2), 0.0)  # in [-1, 1]
    freedom = (observed.sum(dim=0) - 1).clamp(min=1)
    middle = unit.sum(dim=0) / observed.sum(dim=0)
    deviation = torch.where(observed, unit - middle, 0.0).square().sum(dim=0).div(freedom).sqrt()
    return _Table(
        x=standardize(winsorize(unit, observed), observed),
        observed=observed,
        complete=bool(observed.all()),
        ranks=TiedRanks(
            average=ranks.average[rows], at_most=ranks.at_most[rows], at_least=ranks.at_least[rows], tied=ranks.tied
        ),
        share=(deviation / 2).clamp(0.0, 1.0),
    )


def _varying_columns(table: _Table, kernel_rows: int, blocks: Blocks, tile: int) -> Tensor:
    D = table.x.shape[1]
    s = torch.zeros(D, D, FEATURES, device=table.x.device)
    moments = pair_moments(table.x, table.mask)
    _marginal(s, table)
    s[:, :, 0] = moments.correlation
    s[:, :, 11] = moments.third.clamp(-10.0, 10.0)
    s[:, :, 12] = s[:, :, 11].T
    bounded = moments.third.abs().clamp(max=5.0)
    s[:, :, 6] = (bounded + bounded.T) / 2.0
    s[:, :, 3] = pair_moments(standardize(table.ranks.average, table.observed), table.mask).correlation
    s[:, :, 4] = s[:, :, 3].abs() - s[:, :, 0].abs()
    _precision(s, moments)
    if blocks.kernel:
        _kernel(s, table, kernel_rows, blocks.random_features, tile)
    undefined = ~moments.defined
    if blocks.bins or blocks.order:
        order = rank_order(table.ranks, table.observed)  # ties by content, because the rows stand so
    if blocks.bins:
        x = table.x.to(torch.float32)
        found = bin_features(x, table.mask, bin_index(table.ranks.average, table.observed, order), tile=tile)
        entropy = found.entropy.masked_fill(undefined, 0.0)
        local, variation = found.local_r2.masked_fill(undefined, 0.0), found.variation.masked_fill(undefined, 0.0)
        s[:, :, 18] = (entropy - entropy.T).clamp(-5.0, 5.0)
        s[:, :, 24], s[:, :, 25] = local, local.T
        s[:, :, 26], s[:, :, 27] = variation, variation.T
    if blocks.order:
        _order(s, table, order, moments, tile)
    if blocks.collider:
        collider = collider_features(moments.correlation, tile=tile)
        s[:, :, 37] = collider.neighbor
        s[:, :, 39], s[:, :, 40] = collider.child, collider.child.T
    s[:, :, 43] = torch.minimum(table.share[:, None], table.share)
    return s


def _marginal(s: Tensor, table: _Table) -> None:
    count = table.observed.sum(dim=0)
    square = table.x.square()
    skewness = ((square * table.x).sum(dim=0) / count).clamp(-5.0, 5.0)
    kurtosis = (square.square().sum(dim=0) / count - 3.0).clamp(-5.0, 100.0)
    s[:, :, 1] = (skewness[:, None] * skewness).clamp(-5.0, 5.0)
    s[:, :, 5] = _signed_log((kurtosis[:, None] * kurtosis).clamp(-500.0, 10000.0))
    s[:, :, 9] = (skewness[:, None] - skewness).clamp(-5.0, 5.0)
    s[:, :, 10] = _signed_log(kurtosis[:, None] - kurtosis)


def _signed_log(value: Tensor) -> Tensor:
    return value.sign() * value.abs().log1p()


def _precision(s: Tensor, moments: PairMoments) -> None:
    r = moments.correlation
    D = len(r)
    rho = shrinkage(r, moments.joint.mean().clamp(min=3.0), D)
    eye = torch.eye(D, dtype=r.dtype, device=r.device)
    values, vectors = torch.linalg.eigh((1.0 - rho) * r + rho * eye)
    omega = (vectors / values.clamp(min=_EIGENVALUE_FLOOR)) @ vectors.T
    found = precision_features((omega + omega.T) / 2.0)
    s[:, :, 2] = found.partial
    s[:, :, 20], s[:, :, 21] = found.coefficient, found.coefficient.T
    weight, coupling = found.diagonal.log(), found.coupling.log()
    s[:, :, 28] = (weight[:, None] - weight).clamp(-10.0, 10.0)
    s[:, :, 29] = (coupling[:, None] - coupling).clamp(-10.0, 10.0)
    s[:, :, 38] = (s[:, :, 2].abs() - s[:, :, 0].abs()).clamp(-2.0, 2.0)
    s[:, :, 41] = (found.diagonal.max() / found.diagonal.min()).log().clamp(-10.0, 10.0)


def _kernel(s: Tensor, table: _Table, kernel_rows: int, random_features: bool, tile: int) -> None:
    observed = table.observed[:kernel_rows]
    x = standardize(table.x[:kernel_rows], observed)
    mask = None if table.complete else observed
    moments = pair_moments(x, mask)
    count = observed.sum(dim=0)
    position = torch.div(count * (count - 1) // 2 - 1, 2, rounding_mode="floor").clamp(min=0)
    bandwidth = squared_difference_quantile(x, observed, position)
    sums = kernel_sums(x, mask, bandwidth, PAPER_CONSTANTS if random_features else None, joint_means=True, tile=tile)
    undefined = ~moments.defined
    pairs = moments.joint.clamp(min=2.0)
    total = moments.variance.masked_fill(undefined, 1.0)
    variance = sums.residual2 / (pairs - 1.0)
    deviation = variance.sqrt().clamp(min=1e-8)
    exact = undefined | (variance < _EXACT_FIT * total)  # residuals of rounding noise have no shape
    left = (variance / total).clamp(0.0, 5.0).masked_fill(undefined, 0.0)
    skewness = (sums.residual3 / deviation**3 / pairs).clamp(-5.0, 5.0).masked_fill(exact, 0.0)
    kurtosis = (sums.residual4 / deviation**4 / pairs - 3.0).clamp(-5.0, 100.0).masked_fill(exact, 0.0)
    fitted = (sums.fitted2 / pairs - (sums.fitted1 / pairs).square()).clamp(min=0.0)
    fitted = (fitted / total).clamp(0.0, 5.0).masked_fill(undefined, 0.0)
    ratio = ((1.0 - moments.correlation.square()) / left.clamp(min=0.01)).clamp(0.0, 10.0).masked_fill(undefined, 0.0)
    s[:, :, 7], s[:, :, 8] = left, left.T
    if sums.dependence is not None:
        s[:, :, 13] = (_DEPENDENCE_SCALE * sums.dependence).clamp(max=10.0).masked_fill(undefined, 0.0)
        s[:, :, 14] = s[:, :, 13].T
    s[:, :, 15] = (skewness - skewness.T).clamp(-5.0, 5.0)
    s[:, :, 16], s[:, :, 17] = kurtosis, kurtosis.T
    s[:, :, 22], s[:, :, 23] = ratio, ratio.T
    s[:, :, 32], s[:, :, 33] = fitted, fitted.T
    bend = _variance(sums.curvature, observed).clamp(0.0, 50.0)
    s[:, :, 36] = (bend[:, None] - bend).clamp(-50.0, 50.0)


def _variance(values: Tensor, observed: Tensor) -> Tensor:
    """Variance (with n - 1) of the observed cells of each column (D,)."""
    count = observed.sum(dim=0)
    cells = torch.where(observed, values.to(torch.float64), 0.0)
    mean = cells.sum(dim=0) / count.clamp(min=1)
    return torch.where(observed, cells - mean, 0.0).square().sum(dim=0) / (count - 1).clamp(min=1)


def _order(s: Tensor, table: _Table, order: Tensor, moments: PairMoments, tile: int) -> None:
    count = table.observed.sum(dim=0)
    sums = shared_steps(order, table.ranks.average, table.ranks.at_most, table.mask, table.ranks.tied, tile=tile)
    undefined = ~moments.defined
    slope = sums.slope.masked_fill(undefined, 0.0)
    variance = (sums.slope_square - sums.slope.square()).clamp(0.0, 20.0).masked_fill(undefined, 0.0)
    s[:, :, 19] = (slope - slope.T).clamp(-10.0, 10.0)
    s[:, :, 34], s[:, :, 35] = variance, variance.T
    # Chatterjee: 1 - n sum |steps| / (2 sum l (n - l)), with the shares of j's own cells standing for l / n
    least = table.ranks.at_least / count
    spread = least * (1.0 - least)
    if table.complete:
        spread_sum = spread.sum(dim=0).expand(len(count), -1)
    else:
        spread_sum = table.observed.to(torch.float64).T @ spread
    travel = sums.travel / count
    xi = (1.0 - travel / (2.0 * spread_sum).clamp(min=1e-12)).clamp(-0.5, 1.0).masked_fill(undefined, 0.0)
    s[:, :, 30], s[:, :, 31] = xi, xi.T
