"""The paper's 45 pairwise statistics exactly as the released model computes them, known defects included.

Official weights were trained on these. Networks of our own use ``foundcause.paper.statistics``.

Shape letters: N rows, D variables.
"""

from __future__ import annotations

import torch
from torch import Tensor

from foundcause.features.pairwise import Task
from foundcause.features.registry import register_set
from foundcause.features.row_samples import content_subset
from foundcause.paper.kernel_regression import (
    PAPER_CONSTANTS,
    TILE,
    RffConstants,
    kernel_sums,
    squared_difference_quantile,
)
from foundcause.paper.pair_moments import (
    center,
    collider_features,
    positions,
    precision_features,
    row_order,
    shrinkage,
    standardize,
    winsorize,
)
from foundcause.paper.quantile_bins import bin_features, bin_index
from foundcause.paper.rank_steps import adjacent_steps
from foundcause.paper.statistic_names import FEATURES, RELEASE, Blocks, blocks_for

_JITTER = 1e-7


@register_set("release", RELEASE.features)
def release_features(task: Task, wanted: list[int]) -> Tensor:
    """Features of one table, padding included; gaps are never filled."""
    constants = task.constants
    assert constants is None or isinstance(constants, RffConstants)
    return release_statistics(
        task.values,
        task.observed,
        task.variables,
        constants=constants,
        seed=task.seed,
        kernel_rows=task.kernel_rows,
        blocks=blocks_for(wanted),
    )


def release_statistics(
    values_ND: Tensor,
    observed_ND: Tensor,
    variables_D: Tensor | None = None,
    *,
    constants: RffConstants | None = None,
    seed: int = 0,
    kernel_rows: int | None = None,
    blocks: Blocks | None = None,
    tile: int = TILE,
) -> Tensor:
    """Float32 (D, D, 45) of one dataset, the diagonal included; pairs with a padding variable are 0.

    variables_D: False marks padding, which two of the reliability features see. constants: those of the checkpoint
    whose weights will read the features. seed: of the noise that breaks ties. kernel_rows: at most so many rows in
    the kernel block (None, the released definition, is all). tile bounds the memory, not the result.
    """
    blocks = blocks or Blocks()
    N, D = values_ND.shape
    real = torch.ones(D, dtype=torch.bool, device=values_ND.device) if variables_D is None else variables_D
    values, observed = values_ND[:, real], observed_ND[:, real]
    d = values.shape[1]
    complete = bool(observed.all())
    s = torch.zeros(d, d, FEATURES, device=values.device)
    joint = observed.to(torch.float32).T @ observed.to(torch.float32)

    # float32 throughout, as in the release: near-constant columns turn its rounding into numbers of order one.
    winsorized = winsorize(values.to(torch.float32), observed)
    x = standardize(winsorized, observed)
    _moments(s, x, observed, joint)
    diagonal = _precision(s, joint)
    noise = torch.Generator(device=values.device).manual_seed(seed)
    _spearman(s, x, observed, joint, noise)
    if blocks.kernel:
        rows = None if kernel_rows is None else content_subset(values, observed, kernel_rows, seed)
        part = (x, observed) if rows is None or len(rows) == N else (x[rows], observed[rows])
        _kernel(s, *part, (constants or PAPER_CONSTANTS) if blocks.random_features else None, tile)
    if blocks.bins:
        # Centering changes nothing but the digits that float32 keeps.
        centered = center(winsorized, observed)
        bins = bin_index(winsorized, observed)
        found = bin_features(centered, None if complete else observed, bins, tile=tile)
        s[:, :, 18] = (found.entropy - found.entropy.T).clamp(-5.0, 5.0)
        s[:, :, 24], s[:, :, 25] = found.local_r2, found.local_r2.T
        s[:, :, 26], s[:, :, 27] = found.variation, found.variation.T
    if blocks.order:
        _order(s, x, observed, complete, noise, tile)
    if blocks.collider:
        found_collider = collider_features(s[:, :, 0], tile=tile)
        s[:, :, 37] = found_collider.neighbor
        s[:, :, 39], s[:, :, 40] = found_collider.child.clamp(0.0, 5.0), found_collider.child.T.clamp(0.0, 5.0)

    if d < D:  # padding variables count as precision 1
        diagonal = torch.cat([diagonal, diagonal.new_ones(1)])
    s[:, :, 41] = (diagonal.max() / diagonal.min().clamp(min=1e-6)).log().clamp(-10.0, 10.0)
    everywhere = observed_ND.sum(dim=1).to(torch.float64).square().sum() / (D * D)
    s[:, :, 42] = (max(d, 2) / everywhere.clamp(min=1.0)).clamp(0.0, 1.0)
    raw = values.to(torch.float32)
    share = (raw.std(dim=0) / (raw.amax(dim=0) - raw.amin(dim=0)).clamp(min=1e-8)).clamp(0.0, 1.0)
    s[:, :, 43] = torch.minimum(share[:, None], share)
    s[:, :, 44] = (joint / N).clamp(0.0, 1.0)

    statistics = torch.zeros(D, D, FEATURES, device=values.device)
    place = real.nonzero()[:, 0]
    statistics[place[:, None], place] = torch.where(s.isfinite(), s, 0.0)
    return statistics


def _moments(s: Tensor, x: Tensor, observed: Tensor, joint: Tensor) -> None:
    count = observed.sum(dim=0).clamp(min=1)
    pairs = joint.clamp(min=2.0)
    square = x.square()
    skewness = ((square * x).sum(dim=0) / count).clamp(-5.0, 5.0)
    kurtosis = (square.square().sum(dim=0) / count - 3.0).clamp(-5.0, 100.0)
    third = square.T @ x / pairs
    bounded = third.clamp(-5.0, 5.0).abs()
    s[:, :, 0] = (x.T @ x / (pairs - 1.0)).clamp(-1.0, 1.0)
    s[:, :, 1] = (skewness[:, None] * skewness).clamp(-5.0, 5.0)
    s[:, :, 5] = (kurtosis[:, None] * kurtosis).clamp(-500.0, 10000.0)
    s[:, :, 6] = ((bounded + bounded.T) / 2.0).clamp(0.0, 5.0)
    s[:, :, 9] = (skewness[:, None] - skewness).clamp(-5.0, 5.0)
    s[:, :, 10] = kurtosis[:, None] - kurtosis
    s[:, :, 11] = third.clamp(-10.0, 10.0)
    s[:, :, 12] = s[:, :, 11].T


def _precision(s: Tensor, joint: Tensor) -> Tensor:
    """Fills 2, 20, 21, 28, 29, 38 and returns the absolute diagonal of the precision matrix (D,)."""
    r = s[:, :, 0].to(torch.float64)
    d = len(r)
    rho = shrinkage(r, joint.mean().clamp(min=3.0), d)
    eye = torch.eye(d, dtype=r.dtype, device=r.device)
    shrunk = (1.0 - rho) * r + (rho * r.diagonal().sum() / max(d, 2) + 1e-6) * eye
    found = precision_features(torch.linalg.inv_ex(shrunk).inverse)
    s[:, :, 2] = found.partial
    s[:, :, 20], s[:, :, 21] = found.coefficient, found.coefficient.T
    weight, coupling = found.diagonal.clamp(min=1e-8).log(), found.coupling.log()
    s[:, :, 28] = (weight[:, None] - weight).clamp(-10.0, 10.0)
    s[:, :, 29] = (coupling[:, None] - coupling).clamp(-10.0, 10.0)
    s[:, :, 38] = (s[:, :, 2].abs() - s[:, :, 0].abs()).clamp(-2.0, 2.0)
    return found.diagonal


def _jittered_order(x: Tensor, observed: Tensor, noise: torch.Generator) -> Tensor:
    jitter = torch.randn(x.shape, generator=noise, device=x.device) * _JITTER
    return row_order(x + jitter, observed, stable=False)


def _spearman(s: Tensor, x: Tensor, observed: Tensor, joint: Tensor, noise: torch.Generator) -> None:
    ranks = positions(_jittered_order(x, observed, noise))
    ranks = standardize(torch.where(observed, ranks, 0.0), observed)
    s[:, :, 3] = (ranks.T @ ranks / (joint.clamp(min=2.0) - 1.0)).clamp(-1.0, 1.0)
    s[:, :, 4] = s[:, :, 3].abs() - s[:, :, 0].abs()


def _kernel(s: Tensor, x: Tensor, observed: Tensor, constants: RffConstants | None, tile: int) -> None:
    N, d = x.shape
    mask = observed.to(torch.float32)
    joint = mask.T @ mask
    pairs = joint.clamp(min=2.0)
    # The release takes the lower median of all N^2 ordered pairs, unobserved ones and self-pairs at infinity; every
    # unordered pair stands there twice.
    position = torch.full((d,), ((N * N - 1) // 2) // 2, dtype=torch.int64, device=x.device)
    bandwidth = squared_difference_quantile(x, observed, position)
    sums = kernel_sums(
        x, None if bool(observed.all()) else observed, bandwidth, constants, joint_means=False, tile=tile
    )
    freedom = (observed.sum(dim=0) - 1).clamp(min=1)
    total = (x.square().sum(dim=0) / freedom).clamp(min=1e-8)
    variance = sums.residual2 / (pairs - 1.0).clamp(min=1.0)
    deviation = variance.sqrt().clamp(min=1e-8)
    left = (variance / total).clamp(0.0, 5.0)
    skewness = (sums.residual3 / deviation**3 / pairs).clamp(-5.0, 5.0)
    kurtosis = (sums.residual4 / deviation**4 / pairs - 3.0).clamp(-5.0, 100.0)
    fitted = (sums.fitted2 / pairs - (sums.fitted1 / pairs).square()).clamp(min=0.0)
    fitted = (fitted / total).clamp(0.0, 5.0)
    ratio = ((1.0 - s[:, :, 0].square()).clamp(min=0.0) / left.clamp(min=0.01)).clamp(0.0, 10.0)
    s[:, :, 7], s[:, :, 8] = left, left.T
    if constants is not None and sums.dependence is not None:
        amplitude = (2.0 / len(constants.frequencies)) ** 2 * len(constants.frequencies)
        s[:, :, 13] = (amplitude * sums.dependence).clamp(max=10.0)
        s[:, :, 14] = s[:, :, 13].T
    s[:, :, 15] = (skewness - skewness.T).clamp(-5.0, 5.0)
    s[:, :, 16], s[:, :, 17] = kurtosis, kurtosis.T
    s[:, :, 22], s[:, :, 23] = ratio, ratio.T
    s[:, :, 32], s[:, :, 33] = fitted, fitted.T
    bend = sums.curvature.to(torch.float64).var(dim=0).clamp(0.0, 50.0)
    s[:, :, 36] = (bend[:, None] - bend).clamp(-50.0, 50.0)


def _order(s: Tensor, x: Tensor, observed: Tensor, complete: bool, noise: torch.Generator, tile: int) -> None:
    N = len(x)
    order = row_order(x, observed, stable=False)
    jittered = positions(_jittered_order(x, observed, noise))
    sums = adjacent_steps(order, positions(order), jittered, None if complete else observed, tile=tile)
    variance = (sums.slope_square - sums.slope.square()).clamp(0.0, 20.0)
    count = observed.sum(dim=0)
    # Two unobserved cells of i meet at infinity in the release, and the whole row i becomes 0.
    spoilt = (count <= N - 2)[:, None]
    slope, variance = sums.slope.masked_fill(spoilt, 0.0), variance.masked_fill(spoilt, 0.0)
    s[:, :, 19] = (slope - slope.T).clamp(-10.0, 10.0)
    s[:, :, 34], s[:, :, 35] = variance, variance.T
    xi = (1.0 - 3.0 * sums.travel / (sums.steps * count.clamp(min=2)).clamp(min=1.0)).clamp(-0.5, 1.0)
    s[:, :, 30], s[:, :, 31] = xi, xi.T
