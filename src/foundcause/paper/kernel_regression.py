"""Leave-one-out kernel regression of every variable on every other, its bandwidths and its random frequencies.

The residual variance, the kernel dependence (HSIC with random Fourier features), the shape of residuals and the
curvature of the paper's statistics (Appendix A, "Pairwise Statistics") come from here.

Shape letters: N rows, D variables, C causes in hand, T rows of a tile, M random frequencies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from foundcause.errors import InputError

PAPER_CONSTANTS_SEED = 20250
PAPER_FREQUENCIES = 16


@dataclass(frozen=True, eq=False)
class RffConstants:
    """frequencies: M draws from N(0, 1). phases: M draws from U(0, 2 pi). Official checkpoints carry their own 32."""

    frequencies: Tensor
    phases: Tensor

    def __post_init__(self) -> None:
        if self.frequencies.ndim != 1 or self.frequencies.shape != self.phases.shape or len(self.phases) == 0:
            raise InputError(
                f"RFF constants need one phase per frequency, got shapes {tuple(self.frequencies.shape)} and "
                f"{tuple(self.phases.shape)}; pass two vectors of the same length"
            )


def drawn_constants(seed: int, count: int) -> RffConstants:
    """Constants from a seed; RandomState streams never change between numpy versions, so neither do features."""
    rng = np.random.RandomState(seed)
    frequencies = rng.standard_normal(count)
    phases = rng.uniform(0.0, 2.0 * np.pi, count)
    return RffConstants(torch.tensor(frequencies, dtype=torch.float32), torch.tensor(phases, dtype=torch.float32))


PAPER_CONSTANTS = drawn_constants(PAPER_CONSTANTS_SEED, PAPER_FREQUENCIES)


TILE = 2**19  # floats per work array: about what the second-level cache of a core and its share of the third hold


@dataclass(frozen=True, kw_only=True)
class KernelSums:
    """Sums over jointly observed rows, [i, j] of the regression of j on i; all (D, D) unless said otherwise.

    residual2, residual3, residual4: powers of the residuals. fitted1, fitted2: powers of the fitted values.
    dependence: mean over frequencies of the squared covariance between features of the cause and of the residual,
        None when no constants were given. curvature: (N, D) local second derivative of the density over the density.
    """

    residual2: Tensor
    residual3: Tensor
    residual4: Tensor
    fitted1: Tensor
    fitted2: Tensor
    dependence: Tensor | None
    curvature: Tensor


def kernel_sums(
    x_ND: Tensor,
    observed_ND: Tensor | None,
    bandwidth_D: Tensor,
    constants: RffConstants | None,
    *,
    joint_means: bool,
    tile: int = TILE,
) -> KernelSums:
    """Nadaraya-Watson fits with a Gaussian kernel of variance ``bandwidth``, and what the features need of them.

    observed_ND None means complete. joint_means: centre the cause's features over the rows that each pair shares
    (the release centres over all observed rows of the cause). tile bounds the memory, not the result.
    """
    x = x_ND.to(torch.float32)
    N, D = x.shape
    bandwidth = bandwidth_D.to(torch.float32)
    mask = None if observed_ND is None else observed_ND.to(torch.float32)
    together = max(1, min(D, tile // (N * max(N, D))))
    sums = x.new_zeros(5, D, D)
    curvature = x.new_zeros(N, D)
    dependence = x.new_zeros(D, D)
    ones = x.new_ones(N, 1)
    voters = torch.cat([x, ones], dim=1) if mask is None else torch.cat([x * mask, ones, mask], dim=1)
    # every slice of causes works in the same memory: fresh pages cost more than the arithmetic on them
    height = max(1, min(N, tile // (together * N)))
    space = (x.new_empty(together, height, N), x.new_empty(together, height, N))
    fitted_space, residual_space = x.new_empty(together, N, D), x.new_empty(together, N, D)
    for start in range(0, D, together):
        causes = slice(start, min(start + together, D))
        C = causes.stop - causes.start
        fitted, residual = fitted_space[:C], residual_space[:C]
        q = _fit(x, mask, voters, bandwidth, causes, fitted, space)
        torch.sub(x, fitted, out=residual)
        if mask is not None:
            for part in (residual, fitted):
                part.mul_(mask).mul_(mask.T[causes, :, None])
            q *= mask.T[causes]
        curvature[:, causes] = q.T
        sums[3, causes] = fitted.sum(dim=1)
        sums[4, causes] = fitted.square_().sum(dim=1)
        power = torch.mul(residual, residual, out=fitted)
        sums[0, causes] = power.sum(dim=1)
        sums[1, causes] = power.mul_(residual).sum(dim=1)
        sums[2, causes] = power.mul_(residual).sum(dim=1)
        if constants is not None:
            dependence[causes] = _dependence(x, mask, bandwidth, causes, residual, constants, joint_means, fitted, tile)
    return KernelSums(
        residual2=sums[0],
        residual3=sums[1],
        residual4=sums[2],
        fitted1=sums[3],
        fitted2=sums[4],
        dependence=dependence if constants is not None else None,
        curvature=curvature,
    )


def _fit(
    x: Tensor,
    mask: Tensor | None,
    voters: Tensor,
    bandwidth: Tensor,
    causes: slice,
    fitted: Tensor,
    space: tuple[Tensor, Tensor],
) -> Tensor:
    """Writes fitted values (C, N, D) for a slice of causes and gives the curvature (C, N).

    voters: (N, D + 1) values and ones, followed by the mask (N, D) if there is one. space: two work arrays.
    """
    N, D = x.shape
    cause = x.T[causes].contiguous()
    C = len(cause)
    rate = -1.0 / (2.0 * bandwidth[causes, None, None] + 1e-8)
    right = voters if mask is None else mask.T[causes, :, None] * voters
    mass = x.new_empty(C, N)
    spread = x.new_empty(C, N)
    height = space[0].shape[1]
    for top in range(0, N, height):
        rows = slice(top, min(top + height, N))
        square, weight = (part[:C, : rows.stop - rows.start] for part in space)
        torch.sub(cause[:, rows, None], cause[:, None, :], out=square).square_()
        torch.mul(square, rate, out=weight).exp_()
        weight.diagonal(offset=top, dim1=1, dim2=2).zero_()  # a row does not vote for itself
        total = weight.reshape(-1, N) @ right if mask is None else torch.bmm(weight, right)
        total = total.view(C, -1, total.shape[-1])
        mass[:, rows] = total[:, :, D]
        below = total[:, :, D : D + 1] if mask is None else total[:, :, D + 1 :]
        torch.div(total[:, :, :D], below.clamp(min=1e-8), out=fitted[:, rows])
        square *= weight
        if mask is not None:
            square *= mask.T[causes, None]
        spread[:, rows] = square.sum(dim=2)
    width = bandwidth[causes, None].clamp(min=1e-4)
    q = (spread / width.square() - mass / width) / mass.clamp(min=1e-8)
    return q.clamp_(-1000.0, 1000.0)


def _dependence(
    x: Tensor,
    mask: Tensor | None,
    bandwidth: Tensor,
    causes: slice,
    residual: Tensor,
    constants: RffConstants,
    joint_means: bool,
    space: Tensor,
    tile: int,
) -> Tensor:
    """Mean over M of cov(cos(w_m cause + b_m), cos(w_m residual + b_m))^2 for a slice of causes, (C, D).

    residual: (C, N, D), overwritten. space: work array of the same shape.
    """
    N, D = x.shape
    frequency = constants.frequencies.to(x)
    phase = constants.phases.to(x)
    scale = bandwidth.sqrt().clamp(min=1e-4)
    C, M = residual.shape[0], len(frequency)
    cause = x.T[causes] / scale[causes, None]
    alpha = torch.addcmul(phase[:, None], frequency[:, None], cause[:, None, :]).cos_()  # (C, M, N)
    # Centering alpha first makes cov a plain sum, which also spares float32 a cancellation.
    if mask is None:
        alpha -= alpha.mean(dim=2, keepdim=True)
        weights = alpha[:, :, None, :]
        joint = x.new_full((C, D), float(max(N, 2)))
    else:
        seen = mask.T[causes]
        count = seen.sum(dim=1).clamp(min=1.0)
        alpha -= ((alpha * seen[:, None]).sum(dim=2) / count[:, None])[:, :, None]
        alpha *= seen[:, None]
        weights = torch.stack([alpha, seen[:, None].expand_as(alpha)], dim=2) if joint_means else alpha[:, :, None, :]
        joint = (seen @ mask).clamp(min=2.0)
    scaled = residual.mul_(1.0 / (0.75 * scale))
    width = weights.shape[2]
    if M * scaled.numel() <= tile:
        beta = torch.addcmul(phase[:, None, None], frequency[:, None, None], scaled[:, None]).cos_()
        sums = torch.bmm(weights.reshape(-1, width, N), beta.view(-1, N, D)).view(C, M, width, D)
    else:
        sums = x.new_empty(C, M, width, D)
        for m, factor in enumerate(frequency.tolist()):
            beta = torch.add(phase[m], scaled, alpha=factor, out=space).cos_()
            sums[:, m] = torch.bmm(weights[:, m], beta)
    if mask is not None:  # unobserved residuals stood in as 0, i.e. as cos(phase): take them out again
        sums -= phase.cos()[:, None, None] * (weights @ (1.0 - mask))
    covariance = sums[:, :, 0] / joint[:, None]
    if mask is not None and joint_means:
        drift = alpha @ mask / joint[:, None]
        covariance -= drift * sums[:, :, 1] / joint[:, None]
    return covariance.square_().mean(dim=1)


# Bandwidths: an order statistic of all squared differences of a column, in memory linear in the rows

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
