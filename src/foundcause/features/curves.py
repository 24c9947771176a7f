"""Direction evidence from curves within a pair: where j lies and how far it spreads along i, and what noise is left.

N rows, D variables, L a capped number of rows, C a chunk of causes i, E of effects j, S = 2 scales (values x, normal
scores g), K knots at even quantiles of i. Location and variance of j are piecewise linear between the knots; dividing
the error by the deviation leaves noise that is independent of i where j = f(i) + s(i) noise.
"""

from __future__ import annotations

import torch
from torch import Tensor

from foundcause.features.nonlinear import row_samples
from foundcause.features.registry import Statistic, register
from foundcause.features.regressions import circle_of, circle_sums, dependence, negentropy, negentropy_from
from foundcause.features.row_samples import SampledColumns, measure_in_samples
from foundcause.features.standardize import FEWEST, TableState
from foundcause.features.tensor_math import Piece, as_array, asinh, indices, kernels_for, pieces

KNOTS = 8
_SCALES = ("x", "g")
_LEAST_SHARE = 0.03  # of the mean variance, so that no row weighs too much

STATISTICS: tuple[Statistic, ...] = (
    *(
        Statistic(f"{name}_{scale}", "directed", "direction", formula.replace("#", scale))
        for scale in _SCALES
        for name, formula in (
            ("curve_error", "log of the variance of e = #_j minus its curve over #_i (8 knots), divided by 2"),
            ("curve_deviation", "mean of log s(i), s^2 the curve of e^2 over #_i, at least 3% of its mean"),
            ("curve_negentropy", "Hyvarinen's negentropy of e / s(i)"),
            ("curve_entropy", "H(#_i) + mean log s(i) + H(e / s(i)), Gaussian constant removed"),
            ("curve_dependence", "dependence of e / s(i) on #_i, as noise_dependence"),
            ("curve_roughness", "total second difference of the curve at the knots over 0.1 + its total variation"),
            ("curve_monotone", "|last - first| over 0.1 + the total variation of the curve"),
            ("deviation_spread", "standard deviation of log s^2 over the knots"),
            ("deviation_trend", "correlation over the knots of the curve and log s^2"),
        )
    ),
    *(
        Statistic(
            f"curve_entropy_z_{scale}",
            "antisymmetric",
            "direction",
            f"asinh(n d / 4), d = curve_entropy_{scale} of (j, i) minus of (i, j)",
        )
        for scale in _SCALES
    ),
)


@register("extended", *STATISTICS)
def curve_statistics(table: TableState) -> dict[str, Tensor]:
    """Location and spread of j along i, and the noise that is left."""
    out, shared = measure_in_samples(table.columns, table.get(row_samples), _curves_of)
    for scale in _SCALES:
        entropy = out[f"curve_entropy_{scale}"]
        out[f"curve_entropy_z_{scale}"] = asinh(shared * (entropy.T - entropy) / 4)
    if bool((shared < FEWEST).any()):
        # curves through next to no rows explain everything
        out = {name: value * (shared >= FEWEST) for name, value in out.items()}
    return out


def _curves_of(sample: SampledColumns) -> dict[str, Tensor]:
    found = curves(torch.stack([sample.x, sample.g]), sample.mask, sample.shared.clamp_min(1.0), sample.pairs)
    return {f"{name}_{scale}": value[k] for name, value in found.items() for k, scale in enumerate(_SCALES)}


def curves(columns_SDL: Tensor, mask_DL: Tensor | None, n: Tensor, pairs: Tensor | None = None) -> dict[str, Tensor]:
    """Curves of every j over every i on S scales and what they leave; each result is (S, D, D).

    ``n`` (D, D) are the rows that pairs share. Errors are 0 in other rows. Given ``pairs`` (D, D), the results of
    others are 0.
    """
    S, D, L = columns_SDL.shape
    count = n.diagonal()
    hats, first = _hats(columns_SDL, mask_DL, count)
    circle = circle_of(columns_SDL, mask_DL, count).contiguous()
    own = negentropy(columns_SDL, mask_DL, count)
    spread = (circle.square().sum((2, 3)) / count).clamp_min(0.05)
    if mask_DL is not None:
        lean = (circle.view(S, D * 4, L) @ mask_DL.T).view(S, D, 4, D).transpose(2, 3) / n[..., None]
    inverse = _inverse(hats, mask_DL, n)
    # cells are 0 where unobserved, and so are the hats: one product sums over the shared rows of all pairs
    sums = (columns_SDL @ hats.view(S, D * KNOTS, L).transpose(1, 2)).view(S, D, D, KNOTS).transpose(1, 2)
    kernels = kernels_for(D)
    work_to_do = pieces(pairs, D, S * (L if kernels is None else CURVE_SUMS))
    arrays = columns_SDL, mask_DL, hats, circle, inverse, sums.contiguous(), n
    space = torch.empty(7, max(piece.size for piece in work_to_do) * S * L) if kernels is None else None
    out: dict[str, Tensor] = {}
    for piece in work_to_do:
        i, C, E, rows = piece.causes, piece.count, piece.effect_count, piece.between(n[None])[0]
        if kernels is None:
            assert space is not None
            part = _curve_sums(piece, *arrays, space)
        else:
            part = torch.empty(S, C, E, CURVE_SUMS)
            kernels.curve_sums(*map(as_array, arrays), _LEAST_SHARE, *indices(piece), part.numpy())
        logs, even, odd, variance = part[..., :4].unbind(3)
        curve, bend = part[..., 4 : 4 + KNOTS], part[..., 4 + KNOTS : 4 + 2 * KNOTS]
        turned = (part[..., 4 + 2 * KNOTS :] / rows[..., None]).unflatten(3, (5, 4))
        if mask_DL is not None:
            turned[..., 1:, :] -= turned[..., :1, :] * piece.between(lean)[..., None]
        log_deviation = logs / rows / 2
        gap = negentropy_from(odd / rows, (even - (L - rows)) / rows)  # exp is 1 in the rows that are not shared
        at_knots = first[:, i, None].expand(S, C, E, KNOTS)
        least = _LEAST_SHARE * variance[..., None]
        found = {
            "curve_error": variance.log() / 2,
            "curve_deviation": log_deviation,
            "curve_negentropy": gap,
            "curve_entropy": log_deviation - gap - own[:, i, None],
            "curve_dependence": dependence(turned, spread[:, i], rows),
            **_shape(curve.gather(3, at_knots), torch.maximum(bend.gather(3, at_knots), least).log()),
        }
        for name, value in found.items():
            piece.put(value, out.setdefault(name, torch.zeros(S, D, D)))
    return out


CURVE_SUMS = 4 + 2 * KNOTS + 20


def _curve_sums(
    piece: Piece,
    columns_SDL: Tensor,
    mask_DL: Tensor | None,
    hats: Tensor,
    circle: Tensor,
    inverse: Tensor,
    sums: Tensor,
    n: Tensor,
    space: Tensor,
) -> Tensor:
    """Sums (S, C, E, 40) over the rows of a piece as ``kernels.curve_sums`` has them."""
    S, _, L = columns_SDL.shape
    i, C, E = piece.causes, piece.count, piece.effect_count
    rows, size = piece.between(n[None])[0], S * C * E * L
    e, work, square = (part[:size].view(S, C, E, L) for part in space[:3])
    circles = space[3:].view(-1)[: 4 * size].view(S, C, 4, E, L)
    hat, solve = hats[:, i], inverse[:, i] if mask_DL is None else piece.between(inverse)
    joint = None if mask_DL is None else mask_DL[i, None] * piece.effects_of(mask_DL[None])[0]
    curve = _solved(piece.between(sums), solve, rows)
    torch.bmm(curve.view(-1, E, KNOTS), hat.reshape(-1, KNOTS, L), out=e.view(-1, E, L))
    torch.sub(piece.effects_of(columns_SDL), e, out=e)
    if joint is not None:
        e.mul_(joint)
    torch.mul(e, e, out=square)
    variance = (square.sum(3) / rows).clamp_min(1e-4)
    bend = _solved(torch.bmm(square.view(-1, E, L), hat.reshape(-1, KNOTS, L).transpose(1, 2)), solve, rows)
    torch.bmm(bend.view(-1, E, KNOTS), hat.reshape(-1, KNOTS, L), out=work.view(-1, E, L))
    torch.maximum(work, _LEAST_SHARE * variance[..., None], out=work)
    e.mul_(torch.rsqrt(work, out=square))
    work.log_()
    logs = (work if joint is None else work.mul_(joint)).sum(3)
    e.mul_((torch.linalg.vector_norm(e, dim=3).square() / rows).clamp_min(1e-4).rsqrt()[..., None])
    torch.mul(e, e, out=square).mul_(-0.5).exp_()
    even = square.sum(3)
    odd = square.mul_(e).sum(3)
    turned = circle_sums(e, circles, torch.cat([torch.ones(S, C, 1, L), circle[:, i]], 2))
    curve, bend = (heights.view(S, C, E, KNOTS) for heights in (curve, bend))
    return torch.cat([torch.stack([logs, even, odd, variance], 3), curve, bend, turned], 3)


def _hats(columns: Tensor, mask_DL: Tensor | None, count: Tensor) -> tuple[Tensor, Tensor]:
    """(S, D, K, L) hat functions on the knots, 0 where unobserved, and (S, D, K) the first knot of equal place.

    Knots that fall on one place share the function of the first of them.
    """
    S, D, L = columns.shape
    ascending = (columns if mask_DL is None else columns.masked_fill(mask_DL == 0, torch.inf)).sort(dim=2).values
    parts, top = KNOTS - 1, (count.long() - 1).clamp_min(0)[:, None] * torch.arange(KNOTS)
    low, high = (at.expand(S, D, KNOTS) for at in (top // parts, (top + parts - 1) // parts))
    # means of the two neighbouring order statistics, so that mirroring a column mirrors its knots
    knots = (ascending.gather(2, low) + ascending.gather(2, high)) / 2
    knots = torch.where(torch.isfinite(knots), knots, 0.0)
    fresh = torch.ones_like(knots, dtype=torch.bool)
    fresh[:, :, 1:] = knots[:, :, 1:] > knots[:, :, :-1]
    first = torch.where(fresh, torch.arange(KNOTS), 0).cummax(2).values
    if (kernels := kernels_for(D)) is not None:
        hats = torch.empty(S, D, KNOTS, L)
        kernels.hat_functions(
            columns.reshape(S * D, L).numpy(),
            knots.reshape(S * D, KNOTS).numpy(),
            first.reshape(S * D, KNOTS).numpy(),
            hats.view(S * D, KNOTS, L).numpy(),
        )
        return (hats if mask_DL is None else hats.mul_(mask_DL[:, None])), first
    below = (columns[:, :, None] >= knots[:, :, 1:-1, None]).sum(2)  # (S, D, L), 0 to K - 2
    left, right = knots.gather(2, below), knots.gather(2, below + 1)
    width = right - left
    weight = torch.where(width > 0, (columns - left) / width.clamp_min(1e-12), 0.0).clamp_(0.0, 1.0)
    hats = torch.zeros(S, D, KNOTS, L)
    hats.scatter_add_(2, first.gather(2, below)[:, :, None], (1 - weight)[:, :, None])
    hats.scatter_add_(2, first.gather(2, below + 1)[:, :, None], weight[:, :, None])
    return (hats if mask_DL is None else hats.mul_(mask_DL[:, None])), first


def _inverse(hats: Tensor, mask_DL: Tensor | None, n: Tensor) -> Tensor:
    """(S, D, 1 or D, K, K) inverse of the ridged mean products of the hats of i over its rows shared with j."""
    S, D, K, L = hats.shape
    if mask_DL is None:
        gram = (hats @ hats.transpose(2, 3) / L)[:, :, None]
        rows = n[:, :1]
    elif (kernels := kernels_for(D)) is not None:
        inverse = torch.empty(S, D, D, K, K)
        for s in range(S):
            kernels.shared_inverses(hats[s].numpy(), mask_DL.numpy(), n.numpy(), inverse[s].numpy())
        return inverse
    else:
        a, b = torch.triu_indices(K, K)
        half = ((hats[:, :, a] * hats[:, :, b]).view(S, -1, L) @ mask_DL.T).view(S, D, -1, D).transpose(2, 3)
        place = torch.zeros(K, K, dtype=torch.long)
        place[a, b] = place[b, a] = torch.arange(len(a))
        gram = (half[..., place.flatten()]).view(S, D, D, K, K) / n[..., None, None]
        rows = n
    gram = gram.double()
    trace = gram.diagonal(dim1=-2, dim2=-1).mean(-1).clamp_min(1e-6)
    ridge = (1e-3 + 0.5 / rows.double()) * trace
    factor = torch.linalg.cholesky(gram + ridge[..., None, None] * torch.eye(K, dtype=torch.float64))
    return torch.cholesky_inverse(factor).float()


def _solved(sums: Tensor, inverse: Tensor, rows: Tensor) -> Tensor:
    """(S, C, E, K) heights at the knots from sums of values times hats, of the same size in any shape."""
    S, C = inverse.shape[:2]
    means = sums.reshape(S, C, -1, KNOTS) / rows[..., None]
    if inverse.shape[2] == 1:
        return means @ inverse[:, :, 0]
    return (means[..., None] * inverse).sum(-2)


def _shape(curve: Tensor, log_variance: Tensor) -> dict[str, Tensor]:
    """Shape of the curve and of the spread from their heights (S, C, E, K) at the knots; each result is (S, C, E)."""
    steps = curve.diff(dim=3)
    travel = 0.1 + steps.abs().sum(3)
    centered = log_variance - log_variance.mean(3, keepdim=True)
    level = curve - curve.mean(3, keepdim=True)
    scale = (level.square().mean(3) * centered.square().mean(3)).sqrt().clamp_min(1e-3)
    return {
        "curve_roughness": steps.diff(dim=3).abs().sum(3) / travel,
        "curve_monotone": (curve[..., -1] - curve[..., 0]).abs() / travel,
        "deviation_spread": centered.square().mean(3).sqrt(),
        "deviation_trend": (level * centered).mean(3) / scale,
    }
