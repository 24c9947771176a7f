"""Compiled loops (numba) behind the slowest statistics; their torch twins serve small tables and the tests.

Every kernel computes raw sums over rows, and the formulas on top of them are shared with the twin. Arithmetic is
float32 with sums in lanes, so values agree with the twin to about 1e-6. Kernels release Python's lock and use one
thread. They are compiled once per machine and cached; importing this module loads them.

Shape letters: L rows, D variables, S scales, C causes in hand, E effects of each, K knots.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

_f = np.float32
_FAST: dict[str, Any] = {
    "fastmath": {"reassoc", "contract", "arcp", "nsz"},
    "nogil": True,
    "cache": True,
    "error_model": "numpy",
}
PAIR_SUMS = 28
"""third, fourth, exp, exp e, (1, basis 1, basis 2) e^2, (1, circle of the cause) x (cos - 1, sin, sin^2, sin cos),
variance: sums over rows of a standardized error e."""
CURVE_SUMS = 40
"""log deviation, exp, exp e, variance, heights of the curve and of the squared error at K knots, and the same twenty
sums over the circle."""
KNOTS = 8


@njit(inline="always")
def _exp(x):
    """Cephes expf for x <= 0."""
    x = max(x, _f(-87.0))
    n = np.floor(x * _f(1.44269504) + _f(0.5))
    r = x - n * _f(0.693359375) + n * _f(2.12194440e-4)
    p = _f(1.9875691500e-4) * r + _f(1.3981999507e-3)
    p = p * r + _f(8.3334519073e-3)
    p = p * r + _f(4.1665795894e-2)
    p = p * r + _f(1.6666665459e-1)
    p = p * r + _f(5.0000001201e-1)
    p = p * r * r + r + _f(1.0)
    bits = (np.int32(n) + np.int32(127)) << np.int32(23)
    return p * np.int32(bits).view(np.float32)


@njit(inline="always")
def _log(x):
    """Cephes logf for normal x > 0."""
    bits = _f(x).view(np.int32)
    n = _f((bits >> np.int32(23)) - np.int32(126))
    m = np.int32((bits & np.int32(0x007FFFFF)) | np.int32(0x3F000000)).view(np.float32)
    small = m < _f(0.70710678)
    n = n - (_f(1.0) if small else _f(0.0))
    r = m + (m if small else _f(0.0)) - _f(1.0)
    p = _f(7.0376836292e-2) * r - _f(1.1514610310e-1)
    p = p * r + _f(1.1676998740e-1)
    p = p * r - _f(1.2420140846e-1)
    p = p * r + _f(1.4249322787e-1)
    p = p * r - _f(1.6668057665e-1)
    p = p * r + _f(2.0000714765e-1)
    p = p * r - _f(2.4999993993e-1)
    p = p * r + _f(3.3333331174e-1)
    z = r * r
    return r + (p * r * z - n * _f(2.12194440e-4) - _f(0.5) * z) + n * _f(0.693359375)


@njit(inline="always")
def _sin_cos(x):
    """Sine and cosine of |x| below some thousands, reduced to a quarter turn (Cephes)."""
    q = np.floor(x * _f(0.636619772) + _f(0.5))
    r = ((x - q * _f(1.5703125)) - q * _f(4.837512969970703125e-4)) - q * _f(7.54978995489188216e-8)
    z = r * r
    s = ((_f(-1.9515295891e-4) * z + _f(8.3321608736e-3)) * z - _f(1.6666654611e-1)) * z * r + r
    c = ((_f(2.443315711809948e-5) * z - _f(1.388731625493765e-3)) * z + _f(4.166664568298827e-2)) * z * z
    c = c - _f(0.5) * z + _f(1.0)
    k = np.int32(q) & np.int32(3)
    odd = (k & np.int32(1)) != 0
    sine = c if odd else s
    cosine = s if odd else c
    sine = -sine if (k & np.int32(2)) != 0 else sine
    cosine = -cosine if ((k + np.int32(1)) & np.int32(2)) != 0 else cosine
    return sine, cosine


@njit(
    "void(float32[:,::1], float32[:,::1], float32[:,::1], float32[:,::1], int64[::1], int64[:,::1], float32[:,:,::1])",
    **_FAST,
)
def line_sums(columns_DL, mask_DL, slope_DD, rows_DD, causes_C, effects_CE, out_CE2):
    """Sums of exp(-e^2 / 2) and e exp(-e^2 / 2) of e, the standardized residual of an effect on a line in its cause."""
    L = columns_DL.shape[1]
    masked = len(mask_DL) > 0
    e = np.empty(L, np.float32)
    for c in range(len(causes_C)):
        i = causes_C[c]
        for n in range(effects_CE.shape[1]):
            j = effects_CE[c, n]
            k, square = slope_DD[i, j], _f(0.0)
            if masked:
                for t in range(L):
                    e[t] = (columns_DL[j, t] - k * columns_DL[i, t]) * mask_DL[i, t] * mask_DL[j, t]
            else:
                for t in range(L):
                    e[t] = columns_DL[j, t] - k * columns_DL[i, t]
            for t in range(L):
                square += e[t] * e[t]
            scale = _f(1.0) / np.sqrt(max(square / rows_DD[i, j], _f(1e-4)))
            odd, even = _f(0.0), _f(0.0)
            for t in range(L):
                value = e[t] * scale
                bell = _exp(_f(-0.5) * value * value)
                odd += bell * value
                even += bell
            out_CE2[c, n, 0], out_CE2[c, n, 1] = even, odd


@njit(inline="always")
def _turned(e, circle_4L, work_4L, out, first):
    """Sums of (1, circle of the cause) times (cos e - 1, sin e, sin^2 e, sin e cos e)."""
    L = len(e)
    for t in range(L):
        sine, cosine = _sin_cos(e[t])
        work_4L[0, t] = cosine - _f(1.0)
        work_4L[1, t] = sine
        work_4L[2, t] = sine * sine
        work_4L[3, t] = sine * cosine
    for q in range(4):
        a, b, c, d, g = _f(0.0), _f(0.0), _f(0.0), _f(0.0), _f(0.0)
        for t in range(L):
            w = work_4L[q, t]
            a += w
            b += w * circle_4L[0, t]
            c += w * circle_4L[1, t]
            d += w * circle_4L[2, t]
            g += w * circle_4L[3, t]
        out[first + q], out[first + 4 + q], out[first + 8 + q] = a, b, c
        out[first + 12 + q], out[first + 16 + q] = d, g


@njit(
    "void(float32[:,:,::1], float32[:,::1], float32[:,:,:,::1], float32[:,:,:,::1], float32[:,:,:,::1], "
    "float32[:,::1], int64[::1], int64[:,::1], float32[:,:,:,::1])",
    **_FAST,
)
def regression_sums(columns_SDL, mask_DL, basis_SD3L, circle_SD4L, slopes_SDD3, rows_DD, causes_C, effects_CE, out):
    """:data:`PAIR_SUMS` of the residuals of cubic regressions, (S, C, E, 28)."""
    S, _, L = columns_SDL.shape
    masked = len(mask_DL) > 0
    e, work = np.empty(L, np.float32), np.empty((4, L), np.float32)
    for s in range(S):
        for c in range(len(causes_C)):
            i = causes_C[c]
            basis, circle = basis_SD3L[s, i], circle_SD4L[s, i]
            for n in range(effects_CE.shape[1]):
                j = effects_CE[c, n]
                found, y = out[s, c, n], columns_SDL[s, j]
                b0, b1, b2 = slopes_SDD3[s, i, j, 0], slopes_SDD3[s, i, j, 1], slopes_SDD3[s, i, j, 2]
                if masked:
                    for t in range(L):
                        error = y[t] - b0 * basis[0, t] - b1 * basis[1, t] - b2 * basis[2, t]
                        e[t] = error * mask_DL[i, t] * mask_DL[j, t]
                else:
                    for t in range(L):
                        e[t] = y[t] - b0 * basis[0, t] - b1 * basis[1, t] - b2 * basis[2, t]
                square = _f(0.0)
                for t in range(L):
                    square += e[t] * e[t]
                variance = square / rows_DD[i, j]
                scale = _f(1.0) / np.sqrt(max(variance, _f(1e-4)))
                third, fourth, even, odd = _f(0.0), _f(0.0), _f(0.0), _f(0.0)
                second, first_bend, second_bend = _f(0.0), _f(0.0), _f(0.0)
                for t in range(L):
                    value = e[t] * scale
                    e[t] = value
                    power = value * value
                    bell = _exp(_f(-0.5) * power)
                    even += bell
                    odd += bell * value
                    third += power * value
                    fourth += power * power
                    second += power
                    first_bend += power * basis[0, t]
                    second_bend += power * basis[1, t]
                found[0], found[1], found[2], found[3] = third, fourth, even, odd
                found[4], found[5], found[6], found[27] = second, first_bend, second_bend, variance
                _turned(e, circle, work, found, 7)


@njit(
    "void(float32[:,:,::1], float32[:,::1], float32[:,:,:,::1], float32[:,:,:,::1], float32[:,:,:,:,::1], "
    "float32[:,:,:,::1], float32[:,::1], float64, int64[::1], int64[:,::1], float32[:,:,:,::1])",
    **_FAST,
)
def curve_sums(
    columns_SDL, mask_DL, hats_SDKL, circle_SD4L, inverse_SDEKK, sums_SDDK, rows_DD, least, causes_C, effects_CE, out
):
    """:data:`CURVE_SUMS` of the errors of piecewise linear curves over their deviation, (S, C, E, 40).

    inverse: (S, D, 1 or D, K, K) of the mean products of the hats. least: share of the mean variance.
    """
    S, _, L = columns_SDL.shape
    masked, shared = len(mask_DL) > 0, inverse_SDEKK.shape[2] == 1
    e, deviation, work = np.empty(L, np.float32), np.empty(L, np.float32), np.empty((4, L), np.float32)
    curve, bend, sums = np.empty(KNOTS, np.float32), np.empty(KNOTS, np.float32), np.empty(KNOTS, np.float32)
    for s in range(S):
        for c in range(len(causes_C)):
            i = causes_C[c]
            hats, circle = hats_SDKL[s, i], circle_SD4L[s, i]
            for n in range(effects_CE.shape[1]):
                j = effects_CE[c, n]
                found, y, rows = out[s, c, n], columns_SDL[s, j], rows_DD[i, j]
                inverse = inverse_SDEKK[s, i, 0 if shared else j]
                for a in range(KNOTS):
                    value = _f(0.0)
                    for b in range(KNOTS):
                        value += sums_SDDK[s, i, j, b] / rows * inverse[b, a]
                    curve[a] = value
                k0, k1, k2, k3 = curve[0], curve[1], curve[2], curve[3]
                k4, k5, k6, k7 = curve[4], curve[5], curve[6], curve[7]
                for t in range(L):
                    below = k0 * hats[0, t] + k1 * hats[1, t] + k2 * hats[2, t] + k3 * hats[3, t]
                    above = k4 * hats[4, t] + k5 * hats[5, t] + k6 * hats[6, t] + k7 * hats[7, t]
                    e[t] = y[t] - (below + above)
                if masked:
                    for t in range(L):
                        e[t] *= mask_DL[i, t] * mask_DL[j, t]
                square = _f(0.0)
                for t in range(L):
                    deviation[t] = e[t] * e[t]
                    square += deviation[t]
                variance = max(square / rows, _f(1e-4))
                for b in range(KNOTS):
                    value = _f(0.0)
                    for t in range(L):
                        value += deviation[t] * hats[b, t]
                    sums[b] = value / rows
                for a in range(KNOTS):
                    value = _f(0.0)
                    for b in range(KNOTS):
                        value += sums[b] * inverse[b, a]
                    bend[a] = value
                k0, k1, k2, k3 = bend[0], bend[1], bend[2], bend[3]
                k4, k5, k6, k7 = bend[4], bend[5], bend[6], bend[7]
                floor, logs, square = _f(least) * variance, _f(0.0), _f(0.0)
                for t in range(L):
                    below = k0 * hats[0, t] + k1 * hats[1, t] + k2 * hats[2, t] + k3 * hats[3, t]
                    above = k4 * hats[4, t] + k5 * hats[5, t] + k6 * hats[6, t] + k7 * hats[7, t]
                    size = max(below + above, floor)
                    value = e[t] / np.sqrt(size)
                    e[t] = value
                    square += value * value
                    deviation[t] = _log(size)
                if masked:
                    for t in range(L):
                        logs += deviation[t] * mask_DL[i, t] * mask_DL[j, t]
                else:
                    for t in range(L):
                        logs += deviation[t]
                scale = _f(1.0) / np.sqrt(max(square / rows, _f(1e-4)))
                even, odd = _f(0.0), _f(0.0)
                for t in range(L):
                    value = e[t] * scale
                    e[t] = value
                    bell = _exp(_f(-0.5) * value * value)
                    even += bell
                    odd += bell * value
                found[0], found[1], found[2], found[3] = logs, even, odd, variance
                for a in range(KNOTS):
                    found[4 + a], found[4 + KNOTS + a] = curve[a], bend[a]
                _turned(e, circle, work, found, 20)


@njit("void(float64[:,::1], float64[:,::1], float64[::1], float64, float64, int64, float64[:,::1])", **_FAST)
def order_gains(U, before, costs, half, price, furthest, gains):
    """Gains (D, D) of moving the column at place v to place r, as ``sparsest_order.Factor.gains`` describes them.

    One mover at a time: its row and those of the columns it passes are rotated place by place.
    """
    D = len(U)
    ahead, behind, mover, reach = np.empty(D), np.empty(D), np.empty(D), np.empty(D)
    for v in range(D):
        gains[v, v] = 0.0
        # towards the front: the mover comes to stand ahead of the column at place ``at``, which is behind it then
        for t in range(v + 1):
            mover[t] = U[v, t]
        passed = 0.0
        for at in range(v - 1, max(v - furthest, 0) - 1, -1):
            across, straight = mover[at], U[at, at]
            length = math.hypot(across, straight)
            across, straight = across / length, straight / length
            cost_ahead, cost_behind = 0.0, 0.0
            # entries beyond ``at`` are 0 in the passed row, and in the mover but for its own place
            for t in range(at):
                up = straight * mover[t] - across * U[at, t]
                down = across * mover[t] + straight * U[at, t]
                base = before[at, t]
                cost_ahead += min(half * up * up / (base + 1e-100), price)
                cost_behind += min(half * down * down / (base + up * up + 1e-100), price)
                ahead[t] = up
            own = straight * mover[v]
            down = across * mover[v]
            cost_behind += min(half * down * down / (own * own + 1e-100), price)
            for t in range(at):
                mover[t] = ahead[t]
            mover[at], mover[v] = 0.0, own
            passed += costs[at] - cost_behind
            gains[v, at] = passed + costs[v] - cost_ahead
        # towards the back: the mover stays behind in place, and each column it passes comes to stand ahead of it
        for t in range(D):
            mover[t], reach[t] = U[v, t] if t <= v else 0.0, before[v, t]
        passed = 0.0
        for at in range(v + 1, min(v + furthest + 1, D)):
            across, straight = U[at, v], mover[v]
            length = math.hypot(across, straight)
            across, straight = across / length, straight / length
            cost_ahead, cost_behind = 0.0, 0.0
            for t in range(at + 1):
                up = straight * U[at, t] - across * mover[t]
                down = across * U[at, t] + straight * mover[t]
                if t == v:
                    up = 0.0
                base = reach[t]
                cost_ahead += min(half * up * up / (base + 1e-100), price)
                cost_behind += min(half * down * down / (base + up * up + 1e-100), price)
                behind[t] = down
                reach[t] = base + up * up
            for t in range(at + 1):
                mover[t] = behind[t]
            passed += costs[at] - (cost_ahead - price)
            gains[v, at] = passed + costs[v] - (cost_behind - price)


@njit(inline="always")
def _bell_sums(row):
    """Sums of exp(-e^2 / 2) and e exp(-e^2 / 2)."""
    even, odd = _f(0.0), _f(0.0)
    for t in range(len(row)):
        bell = _exp(_f(-0.5) * row[t] * row[t])
        even += bell
        odd += bell * row[t]
    return even, odd


@njit(inline="always")
def _standardize(row, least):
    """Give a row mean 0 and variance 1, or 0 where its deviation is at most ``least``."""
    total, square, L = _f(0.0), _f(0.0), len(row)
    for t in range(L):
        total += row[t]
    mean = total / _f(L)
    for t in range(L):
        row[t] -= mean
        square += row[t] * row[t]
    deviation = np.sqrt(square / _f(L))
    scale = _f(1.0) / deviation if deviation > least else _f(0.0)
    for t in range(L):
        row[t] *= scale
    return deviation > least


@njit("float32(float32[::1], float32[::1])", **_FAST)
def _dot(a, b):
    total = _f(0.0)
    for t in range(len(a)):
        total += a[t] * b[t]
    return total


@njit(
    "UniTuple(int64, 2)(float32[:,::1], float64[::1], int64, float32[:,::1], float32[::1], float32[:,::1], "
    "int64[::1], int64[::1])",
    **_FAST,
)
def residual_order(left, constants, one_by_one, margin, doubt, residuals, order, settled):
    """Fill margin, doubt, residuals, order and settled as ``residual_order.peel`` describes.

    ``left`` holds standardized rows and is overwritten. ``constants``: the weights of the odd and the even moment of
    the negentropy, its Gaussian value, the greatest correlation and the least deviation. Returns how many columns are
    in the order and how many are settled.
    """
    D, R = left.shape
    odd_weight, even_weight, gaussian = _f(constants[0]), _f(constants[1]), _f(constants[2])
    steepest, least = _f(constants[3]), _f(constants[4])
    names = np.arange(D)
    shape, alone, against, contrary, lowest = np.empty((5, D), np.float32)
    c, together = np.empty((2, D, D), np.float32)
    n_order, n_settled, d = 0, 0, D
    first = True
    while True:
        kept = 0
        for k in range(d):
            if np.any(left[k] != _f(0.0)):
                if kept != k:
                    left[kept], names[kept] = left[k], names[k]
                kept += 1
            else:
                settled[n_settled] = names[k]
                n_settled += 1
        d = kept
        if d < 2:
            break
        for i in range(d):
            even, odd = _bell_sums(left[i])
            alone[i] = odd_weight * (odd / _f(R)) ** 2 + even_weight * (even / _f(R) - gaussian) ** 2
            if first:
                shape[names[i]] = alone[i]
            c[i, i] = steepest
            for j in range(i):
                value = min(max(_dot(left[i], left[j]) / _f(R), -steepest), steepest)
                c[i, j], c[j, i] = value, value
        first = False
        for i in range(d):
            for j in range(d):
                k = c[i, j]
                scale, even, odd = _f(1.0) / np.sqrt(_f(1.0) - k * k), _f(0.0), _f(0.0)
                for t in range(R):
                    e = (left[j, t] - k * left[i, t]) * scale
                    bell = _exp(_f(-0.5) * e * e)
                    odd += bell * e
                    even += bell
                together[i, j] = odd_weight * (odd / _f(R)) ** 2 + even_weight * (even / _f(R) - gaussian) ** 2
        for i in range(d):
            total, wrong = _f(0.0), _f(0.0)
            for j in range(d):
                if i != j:
                    ahead = together[i, j] - together[j, i] - alone[j] + alone[i]
                    total += ahead
                    wrong += min(ahead, _f(0.0)) ** 2
            contrary[i], against[i] = wrong, wrong - _f(1e-9) * total
        for i in range(d):  # columns that exact relations make equal share the least of theirs
            lowest[i] = against[i]
            for j in range(d):
                if abs(c[i, j]) >= steepest:
                    lowest[i] = min(lowest[i], against[j])
        gone = 1 if d <= one_by_one else d // 12
        stays = np.ones(d, np.bool_)
        chosen = np.empty(gone, np.int64)
        for g in range(gone):
            best = -1
            for i in range(d):
                if stays[i]:
                    tie = best >= 0 and lowest[i] == lowest[best] and shape[names[i]] > shape[names[best]]
                    if best < 0 or lowest[i] < lowest[best] or tie:
                        best = i
            stays[best], chosen[g] = False, best
            for j in range(d):
                if stays[j]:
                    ahead = together[best, j] - together[j, best] - alone[j] + alone[best]
                    margin[names[best], names[j]], margin[names[j], names[best]] = ahead, -ahead
        for g in range(gone):
            k = chosen[g]
            doubt[names[k]] = np.sqrt(contrary[k])
            basis = residuals[names[k]]
            basis[:] = left[k]
            for h in range(g):  # those taken out together are explained by each other in their order
                before = residuals[names[chosen[h]]]
                weight = _dot(before, left[k]) / _f(R)
                for t in range(R):
                    basis[t] -= weight * before[t]
            varies = _standardize(basis, least) if gone > 1 else True
            if varies:
                order[n_order] = names[k]
                n_order += 1
            else:
                settled[n_settled] = names[k]
                n_settled += 1
        weights = np.empty(gone, np.float32)
        for i in range(d):
            if stays[i]:
                for g in range(gone):
                    weights[g] = _dot(left[i], residuals[names[chosen[g]]]) / _f(R)
                for g in range(gone):
                    basis = residuals[names[chosen[g]]]
                    for t in range(R):
                        left[i, t] -= weights[g] * basis[t]
                _standardize(left[i], least)
        kept = 0
        for i in range(d):
            if stays[i]:
                if kept != i:
                    left[kept], names[kept] = left[i], names[i]
                kept += 1
        d = kept
    for k in range(d):
        order[n_order] = names[k]
        n_order += 1
        residuals[names[k]] = left[k]
    return n_order, n_settled


@njit("void(float32[:,::1], float32[:,::1], int64[:,::1], float32[:,:,::1])", **_FAST)
def hat_functions(columns_DL, knots_DK, first_DK, out_DKL):
    """Hat functions of the knots at the values of columns; knots of one place share the function of the first."""
    D, L = columns_DL.shape
    for i in range(D):
        knots, first, out = knots_DK[i], first_DK[i], out_DKL[i]
        out[:] = _f(0.0)
        for t in range(L):
            value, below = columns_DL[i, t], 0
            for k in range(1, KNOTS - 1):
                below += value >= knots[k]
            width, weight = knots[below + 1] - knots[below], _f(0.0)
            if width > _f(0.0):
                weight = min(max((value - knots[below]) / max(width, _f(1e-12)), _f(0.0)), _f(1.0))
            out[first[below], t] += _f(1.0) - weight
            out[first[below + 1], t] += weight


@njit("void(float32[:,:,::1], float32[:,::1], float32[:,::1], float32[:,:,:,::1])", **_FAST)
def shared_inverses(hats_DKL, mask_DL, rows_DD, out_DDKK):
    """Inverses of the ridged mean products of the hats of i over the rows shared with j."""
    D, _, L = hats_DKL.shape
    gram, lower, inverse = np.empty((KNOTS, KNOTS)), np.zeros((KNOTS, KNOTS)), np.zeros((KNOTS, KNOTS))
    shared = np.empty(L, np.float32)
    for i in range(D):
        hats = hats_DKL[i]
        for j in range(D):
            rows = rows_DD[i, j]
            trace = 0.0
            for a in range(KNOTS):
                for t in range(L):
                    shared[t] = hats[a, t] * mask_DL[j, t]
                for b in range(a + 1):
                    gram[a, b] = _dot(shared, hats[b]) / rows
                trace += gram[a, a]
            trace = max(trace / KNOTS, 1e-6)
            for a in range(KNOTS):
                gram[a, a] += (1e-3 + 0.5 / rows) * trace
                for b in range(a + 1):
                    value = gram[a, b]
                    for k in range(b):
                        value -= lower[a, k] * lower[b, k]
                    lower[a, b] = math.sqrt(value) if a == b else value / lower[b, b]
            for b in range(KNOTS):  # the inverse of the triangle, column by column
                for a in range(b, KNOTS):
                    value = 1.0 if a == b else 0.0
                    for k in range(b, a):
                        value -= lower[a, k] * inverse[k, b]
                    inverse[a, b] = value / lower[a, a]
            for a in range(KNOTS):
                for b in range(KNOTS):
                    value = 0.0
                    for k in range(max(a, b), KNOTS):
                        value += inverse[k, a] * inverse[k, b]
                    out_DDKK[i, j, a, b] = value


_LOOSE: dict[str, Any] = {**_FAST, "fastmath": True}
"""For kernels without NaN and infinity, whose minima and maxima run in lanes."""


@njit(inline="always")
def _half_log_ratio(c):
    """atanh of 0 <= c < 1."""
    return _f(0.5) * _log((_f(1.0) + c) / (_f(1.0) - c))


@njit("void(float32[:,::1], float32[:,::1], float32[:,::1], float32[:,::1])", **_LOOSE)
def order1_extremes(c, scale, least, most):
    """Least and greatest |corr(i, k | j)| over third j, and without one, for all pairs."""
    D = len(c)
    for i in range(D):
        least[i, i] = most[i, i] = abs(c[i, i])
        for k in range(i):
            low, high, plain = abs(c[i, k]), abs(c[i, k]), c[i, k]
            for j in range(D):
                given = min(abs(plain - c[i, j] * c[k, j]) * scale[i, j] * scale[k, j], _f(1.0))
                given = abs(plain) if j == i or j == k else given  # noqa: SIM109 (numba)
                low, high = min(low, given), max(high, given)
            least[i, k] = least[k, i] = low
            most[i, k] = most[k, i] = high


@njit(
    "void(float32[:,::1], float32[:,::1], float32[:,::1], float32[:,::1], float32[:,::1], float32[:,::1], "
    "float32[:,::1], float32[:,::1], float32[:,::1], float32[:,::1], float32[:,::1], float32[:,:,::1])",
    **_LOOSE,
)
def third_variables(c, scale, z, root, open_ik, separable, P, share, rest, full_z, full_root, out):
    """Evidence of colliders and chains, out (8, D, D) of [quantity, effect j, i], over third variables k.

    The quantities are those of ``correlations._colliders``: six greatest values and two sums. ``share`` and ``rest``
    are [j, i]. Evidence is symmetric in i and k, so that each pair of them is judged once for every j.
    """
    D = len(c)
    for j in range(D):
        for i in range(D - 1):
            if i == j:
                continue
            c_ij, s_ij, z_ij, share_ij, rest_ij = c[j, i], scale[j, i], z[j, i], share[j, i], rest[j, i]
            b0, b1, b2, b3, b4, b5 = out[0, j, i], out[1, j, i], out[2, j, i], out[3, j, i], out[4, j, i], out[5, j, i]
            t0, t1 = _f(0.0), _f(0.0)
            for k in range(i + 1, D):
                third = _f(0.0) if k == j else _f(1.0)
                given = min(abs(c[i, k] - c_ij * c[j, k]) * s_ij * scale[j, k], _f(0.9999))
                z_given = _half_log_ratio(given) * root[i, k]
                closed = _exp(max(_f(-0.125) * z_given * z_given, _f(-40.0)))
                both = min(z_ij, z[j, k])
                q0 = min(both, z_given) * open_ik[i, k] * third
                q1 = min(both, z[i, k]) * closed * closed * third
                gap = (z_given - z[i, k]) * third
                q2, q3 = gap * separable[i, k], -gap * closed
                left = min(abs(P[i, k] - share_ij * P[j, k]) * rest_ij * rest[j, k], _f(0.9999))
                q4 = (full_z[i, k] - _half_log_ratio(left) * full_root[i, k]) * third
                more0, more1 = max(q0 - _f(2.0), _f(0.0)), max(q1 - _f(2.0), _f(0.0))
                b0, b1, b2 = max(b0, q0), max(b1, q1), max(b2, q2)
                b3, b4, b5 = max(b3, q3), max(b4, q4), max(b5, -q4)
                t0, t1 = t0 + more0, t1 + more1
                out[0, j, k], out[1, j, k] = max(out[0, j, k], q0), max(out[1, j, k], q1)
                out[2, j, k], out[3, j, k] = max(out[2, j, k], q2), max(out[3, j, k], q3)
                out[4, j, k], out[5, j, k] = max(out[4, j, k], q4), max(out[5, j, k], -q4)
                out[6, j, k] += more0
                out[7, j, k] += more1
            out[0, j, i], out[1, j, i], out[2, j, i] = b0, b1, b2
            out[3, j, i], out[4, j, i], out[5, j, i] = b3, b4, b5
            out[6, j, i] += t0
            out[7, j, i] += t1


@njit(
    "void(float32[:,::1], int64, float32[:,::1], float32[:,::1], float32[::1], float32[:,::1], float32[:,::1], "
    "float32[:,::1], float32[:,::1], float32[:,::1], float32[:,:,::1])",
    **_LOOSE,
)
def third_functions(R, M, z, rows, sizes, degrees, alive, open_ij, least, most, best):
    """Extremes of z of i and j as blocks of functions given a third column k, and evidence of colliders and chains.

    ``best`` (3, D, D) is [quantity, k, i] as in ``nonlinear._order1``. Two rounds: the last quantity needs ``least``.
    """
    D = len(z)
    root, strength, separable = np.empty(M * D, np.float32), np.empty(D, np.float32), np.empty(D, np.float32)
    for turn in range(2):
        for k in range(D):
            for p in range(M * D):
                square = _f(0.0)
                for m in range(M):
                    square += R[m * D + k, p] * R[m * D + k, p]
                root[p] = _f(1.0) / max(_f(1.0) - square, _f(0.02))
            for i in range(D - 1):
                if i == k:
                    continue
                for j in range(i + 1, D):
                    strength[j] = _f(0.0)
                for a in range(M):
                    own, p = root[a * D + i], a * D + i
                    for b in range(M):
                        c0 = R[k, p]
                        c1 = R[(D if M > 1 else 0) + k, p] if M > 1 else _f(0.0)
                        c2 = R[(2 * D if M > 2 else 0) + k, p] if M > 2 else _f(0.0)
                        c3 = R[(3 * D if M > 3 else 0) + k, p] if M > 3 else _f(0.0)
                        r0, r1 = R[k], R[(D if M > 1 else 0) + k]
                        r2, r3 = R[(2 * D if M > 2 else 0) + k], R[(3 * D if M > 3 else 0) + k]
                        shift = b * D
                        for j in range(i + 1, D):
                            q = shift + j
                            given = R[p, q] - (c0 * r0[q] + c1 * r1[q] + c2 * r2[q] + c3 * r3[q])
                            strength[j] += own * root[q] * given * given
                if turn == 1:
                    for j in range(i + 1, D):
                        separable[j] = _exp(_f(-0.125) * least[i, j] * least[i, j])
                b0, b1, b2 = best[0, k, i], best[1, k, i], best[2, k, i]
                for j in range(i + 1, D):
                    df = degrees[i, j]
                    statistic = min(strength[j], _f(1e3)) * max(rows[i, j] - sizes[k], _f(1.0)) / df
                    spread = _f(2.0) / (_f(9.0) * df)
                    cube = _exp(_log(max(statistic, _f(1e-30))) * _f(1 / 3))
                    value = max((cube - (_f(1.0) - spread)) / np.sqrt(spread) * alive[i, j], _f(0.0))
                    third = _f(0.0) if j == k else _f(1.0)
                    gain = (value - z[i, j]) * third
                    if turn == 0:
                        given = z[i, j] + gain
                        least[i, j], most[i, j] = min(least[i, j], given), max(most[i, j], given)
                        both = min(z[k, i], z[k, j])
                        q0 = min(both, given) * open_ij[i, j] * third
                        q1 = _exp(max(_f(-0.25) * given * given, _f(-80.0))) * min(both, z[i, j]) * third
                        b0, b1 = max(b0, q0), max(b1, q1)
                        best[0, k, j], best[1, k, j] = max(best[0, k, j], q0), max(best[1, k, j], q1)
                    else:
                        q2 = gain * separable[j]
                        b2 = max(b2, q2)
                        best[2, k, j] = max(best[2, k, j], q2)
                best[0, k, i], best[1, k, i], best[2, k, i] = b0, b1, b2
    for i in range(D):
        for j in range(i):
            least[i, j], most[i, j] = least[j, i], most[j, i]
