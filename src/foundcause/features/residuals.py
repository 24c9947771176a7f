"""Regressions of columns on one another by a line or a cubic, and what their errors show.

D variables, L a capped number of rows, C a chunk of causes i, E of effects j, S scales. Residual tensors are
(S, C, E, L): j regressed on i.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from foundcause.features.elementwise import asinh
from foundcause.features.pieces import pieces


def residuals(columns_SDL: Tensor, mask_DL: Tensor | None, n: Tensor, pairs: Tensor | None = None) -> dict[str, Tensor]:
    """Cubic regression of every j on every i on S scales and what its error shows; each result is (S, D, D).

    ``n`` (D, D) are the rows that pairs share. Given ``pairs`` (D, D), the results of others are 0. The error e is 0 in
    rows not shared, and so is every function of it that is summed (cos e - 1 for cos e, which has the same
    covariances), so that nothing but e needs the mask.
    """
    S, D, L = columns_SDL.shape
    count = n.diagonal()
    basis, circle = _basis(columns_SDL, mask_DL, count), circle_of(columns_SDL, mask_DL, count)
    own = negentropy(columns_SDL, mask_DL, count)
    spread_i = (circle.square().sum((2, 3)) / count).clamp_min(0.05)
    # the regressions of all pairs are one product: [s, i, j, power]
    slopes = (columns_SDL @ basis.view(S, D * 3, L).transpose(1, 2)).view(S, D, D, 3).transpose(1, 2) / n[..., None]
    one = torch.ones(S, D, 1, L)
    straight, turning = torch.cat([one, basis[:, :, :2]], 2), torch.cat([one, circle], 2)
    if mask_DL is not None:
        # functions of i are centred on all its rows, not on the shared ones: their means there, [s, i, j, function]
        functions = torch.cat([basis[:, :, :2], circle], 2).view(S, D * 6, L)
        lean = (functions @ mask_DL.T).view(S, D, 6, D).transpose(2, 3) / n[..., None]
    work_to_do = pieces(pairs, D, S * L)
    space = torch.empty(8, max(piece.size for piece in work_to_do) * S * L)
    out: dict[str, Tensor] = {}
    for piece in work_to_do:
        i, C, E = piece.causes, piece.count, piece.effect_count
        rows, size = piece.between(n[None])[0], S * C * E * L
        e, e2, work, weight = (part[:size].view(S, C, E, L) for part in space[:4])
        circles = space[4:].view(-1)[: 4 * size].view(S, C, 4, E, L)
        torch.bmm(piece.between(slopes).reshape(-1, E, 3), basis[:, i].reshape(-1, 3, L), out=e.view(-1, E, L))
        torch.sub(piece.effects_of(columns_SDL), e, out=e)
        leaning = None
        if mask_DL is not None:
            e.mul_(torch.mul(mask_DL[i, None], piece.effects_of(mask_DL[None])[0], out=weight[0]))
            leaning = piece.between(lean).transpose(2, 3)  # (S, C, 6, E)
        variance = torch.linalg.vector_norm(e, dim=3).square() / rows
        e.mul_(variance.clamp_min(1e-4).rsqrt()[..., None])
        torch.mul(e, e, out=e2)
        third = torch.mul(e2, e, out=work).sum(3) / rows
        fourth = torch.linalg.vector_norm(e2, dim=3).square() / rows
        torch.mul(e2, -0.5, out=work).exp_()
        even = (work.sum(3) - (L - rows)) / rows  # exp is 1 in the rows that are not shared
        gap = negentropy_from(work.mul_(e).sum(3) / rows, even)
        bent = _means(e2[:, :, None], straight[:, i], rows)[:, :, :, 0]  # (S, C, 3, E)
        if leaning is not None:
            bent[:, :, 1:] -= bent[:, :, :1] * leaning[:, :, :2]
        scale = (fourth - 1).clamp_min(0.05).rsqrt()
        log_deviation = variance.clamp_min(1e-4).log() / 2
        found = {
            "cubic_error": log_deviation,
            "noise_skewness": asinh(third),
            "noise_kurtosis": asinh(fourth - 3),
            "noise_slope": (bent[:, :, 1] * scale).clamp(-1, 1),
            "noise_bend": (bent[:, :, 2] * scale).clamp(-1, 1),
            "noise_dependence": dependence(
                e, circles, turning[:, i], None if leaning is None else leaning[:, :, 2:], spread_i[:, i], rows
            ),
            "noise_entropy": log_deviation - gap - own[:, i, None],
        }
        for name, value in found.items():
            piece.put(value, out.setdefault(name, torch.zeros(S, D, D)))
    return out


def dependence(
    e: Tensor, circles: Tensor, turning: Tensor, lean: Tensor | None, spread: Tensor, rows: Tensor
) -> Tensor:
    """(S, C, E) how far an error e (S, C, E, L), 0 in rows not shared, depends on its cause: log 2 if it does not.

    ``circles`` (S, C, 4, E, L) is space to work in, ``turning`` (S, C, 5, L) are one and the circle of the cause with
    the means ``lean`` (S, C, 4, E) on the shared rows, and ``spread`` (S, C) its summed variances.
    """
    cos, sin, sin_sin, sin_cos = circles.unbind(2)  # cos e - 1, sin e, sin^2 e, sin e cos e
    torch.cos(e, out=cos)
    torch.sin(e, out=sin)
    torch.mul(sin, cos, out=sin_cos)
    torch.mul(sin, sin, out=sin_sin)
    cos.sub_(1.0)
    turned = _means(circles, turning, rows)  # (S, C, 5, 4, E)
    if lean is not None:
        turned[:, :, 1:] -= turned[:, :, :1] * lean[:, :, :, None]
    covariances = turned[:, :, 1:].square().sum(2)
    covariances = covariances[:, :, :2].sum(2) + 4 * covariances[:, :, 2:].sum(2)  # cos 2e = 1 - 2 sin^2 e
    # cos^2 + sin^2 = 1 at both turns, so the summed variances follow from the means
    cos_e, sin_e, sin_sin_e, sin_cos_e = turned[:, :, 0].unbind(2)
    spread_e = 2 - (1 + cos_e).square() - sin_e.square() - (1 - 2 * sin_sin_e).square() - 4 * sin_cos_e.square()
    return torch.log1p(rows * covariances / (spread_e.clamp_min(0.05) * spread[:, :, None]))


def _means(values: Tensor, functions: Tensor, rows: Tensor) -> Tensor:
    """(S, C, P, Q, E) means of P functions (S, C, P, L) of a cause times Q values (S, C, Q, E, L)."""
    S, C, Q, E, L = values.shape
    P = functions.shape[2]
    sums = torch.bmm(functions.reshape(S * C, P, L), values.view(S * C, Q * E, L).transpose(1, 2))
    return sums.view(S, C, P, Q, E) / rows[:, None, None]


def line_entropy(columns_DL: Tensor, mask: Tensor | None, n: Tensor, c: Tensor, pairs: Tensor | None = None) -> Tensor:
    """(D, D) H(x_i) + H(residual of j on a line in i), without the Gaussian constant and up to H(x_j)'s scale.

    Given ``pairs`` (D, D), 0 for others.
    """
    D, L = columns_DL.shape
    own = negentropy(columns_DL, mask, n.diagonal())
    left = (1 - c.square()).clamp_min(1e-4).log() / 2
    out = torch.zeros(D, D)
    work_to_do = pieces(pairs, D, L)
    space = torch.empty(2, max(piece.size for piece in work_to_do) * L)
    for piece in work_to_do:
        i, C, E = piece.causes, piece.count, piece.effect_count
        rows, slope, error = (piece.between(matrix[None])[0] for matrix in (n, c, left))
        e, bell = space[:, : C * E * L].view(2, C, E, L)
        targets = piece.effects_of(columns_DL[None])[0]
        torch.addcmul(targets, slope[..., None], columns_DL[i, None, :], value=-1, out=e)
        if mask is not None:
            e.mul_(piece.effects_of(mask[None])[0]).mul_(mask[i, None])
        e.mul_((torch.linalg.vector_norm(e, dim=2).square() / rows).clamp_min(1e-4).rsqrt()[..., None])
        torch.mul(e, e, out=bell).mul_(-0.5).exp_()
        even = (bell.sum(2) - (L - rows)) / rows  # exp is 1 in the rows that are not shared
        piece.put((error - negentropy_from(bell.mul_(e).sum(2) / rows, even) - own[i, None])[None], out[None])
    return out


def _centred(stack: Tensor, mask_DL: Tensor | None, count: Tensor) -> Tensor:
    """Functions (S, D, P, L) of columns, less their means on the observed cells; 0 elsewhere."""
    held = None if mask_DL is None else mask_DL[:, None]
    if held is not None:
        stack = stack * held
    stack = stack - stack.sum(3, keepdim=True) / count[:, None, None]
    return stack if held is None else stack * held


def _basis(columns: Tensor, mask_DL: Tensor | None, count: Tensor) -> Tensor:
    """(S, D, 3, L) orthonormal polynomials of degree 1 to 3."""
    n = count[:, None, None]
    powers = _centred(torch.stack([columns, columns.square(), columns.pow(3)], 2), mask_DL, count).double()
    scale = (powers.square().sum(3, keepdim=True) / n).clamp_min(1e-9).rsqrt()
    powers = powers * scale
    gram = powers @ powers.transpose(2, 3) / n + 1e-3 * torch.eye(3, dtype=torch.float64)
    factor = torch.linalg.cholesky(gram)
    return torch.linalg.solve_triangular(factor, powers, upper=False).float().contiguous()


def circle_of(columns: Tensor, mask_DL: Tensor | None, count: Tensor) -> Tensor:
    """(S, D, 4, L) centred cos v, sin v, cos 2v, sin 2v."""
    cos, sin = torch.cos(columns), torch.sin(columns)
    return _centred(torch.stack([cos, sin, cos.square() - sin.square(), 2 * sin * cos], 2), mask_DL, count)


def negentropy_from(odd: Tensor, even: Tensor) -> Tensor:
    """Hyvarinen's (1998) negentropy of a standardised e from E[e exp(-e^2/2)] and E[exp(-e^2/2)]."""
    return 7.4129 * odd.square() + 33.669 * (even - math.sqrt(0.5)).square()


def negentropy(columns: Tensor, mask: Tensor | None, count: Tensor) -> Tensor:
    """(..., D) negentropy of columns (..., D, L), standardised on these rows first."""
    e = columns - (columns.sum(-1) / count)[..., None]
    if mask is not None:
        e = e * mask
    e = e * (e.square().sum(-1) / count).clamp_min(1e-6).rsqrt()[..., None]
    bell = torch.exp(e.square() * -0.5)
    if mask is not None:
        bell = bell * mask
    return negentropy_from((bell * e).sum(-1) / count, bell.sum(-1) / count)
