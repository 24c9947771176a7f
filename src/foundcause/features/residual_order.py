"""The topological order of a linear table by residuals: sources are taken out one after the other.

Where noise is not Gaussian, a pair shows its direction by the entropies of its residuals, but only if no third column
causes both. So the column that looks most like a source is found (Shimizu et al. 2011, with the likelihood ratios of
Hyvarinen and Smith 2013), regressed out of all others, and the rest is judged again. The statistics are what a pair
shows then, where both stand in the order, and how well a regression on all that came before explains a column.

N rows (R of them read), D variables, d variables left, L of the columns are distinct.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import torch
from torch import Tensor

from foundcause.features.correlations import compress
from foundcause.features.registry import Statistic, register
from foundcause.features.row_samples import content_subset
from foundcause.features.standardize import Columns, TableState
from foundcause.features.tensor_math import CHUNK, asinh, kernels_for

STATISTICS: tuple[Statistic, ...] = (
    Statistic(
        "peel_margin",
        "antisymmetric",
        "direction",
        "asinh(R d / 4), d = H(j) + H(i given j) - H(i) - H(j given i), residuals of all taken out before both",
    ),
    Statistic("peel_place", "antisymmetric", "direction", "place of j minus place of i in the order, over D"),
    Statistic(
        "peel_t", "directed", "direction", "asinh(t/4), |t| of i as j is regressed on all before it; 0 if i is not"
    ),
    Statistic(
        "peel_leftover",
        "symmetric",
        "dependence",
        "asinh(z/4), greatest |z| of the correlations of e_i, |e_i| with e_j, |e_j|, e given all before",
    ),
    Statistic("peel_negentropy", "marginal", "direction", "asinh(R J / 4), J the negentropy of e"),
    Statistic(
        "peel_doubt",
        "marginal",
        "direction",
        "asinh(R q / 4), q^2 = sum over the others of min(0, d)^2 when it was taken for a source",
    ),
    Statistic("peel_explained", "marginal", "direction", "R2 given all before it"),
)
MOST_ROWS, FEWEST_ROWS = 1500, 200
CELLS = 18_000_000  # rows read times D cubed, between these bounds
ONE_BY_ONE = 24  # of more columns than this, one in twelve is taken out at a time

# Hyvarinen's (1998) approximation of entropy, by one odd and one even function that share an exponential
_ODD = 36 / (8 * math.sqrt(3) - 9)
_EVEN = 24 / (16 * math.sqrt(3) - 27)
_GAUSSIAN = math.sqrt(0.5)
_STEEPEST = 0.99999
_NOTHING = 1e-3  # deviation that is left of a variable which others determine


@dataclass(frozen=True, kw_only=True)
class Peeled:
    """An order and what was seen on the way.

    order: (L,) columns, sources first. settled: (D - L,) columns of which the others leave nothing; they have no place
    among each other. margin: (D, D) antisymmetric entropy differences d at the step that took out the first of the two.
    residuals: (D, R) of each column given all taken out before it, standardized, 0 for settled ones.
    doubt: (D,) root of the summed squares of contrary margins at the step that took it out.
    """

    order: Tensor
    settled: Tensor
    margin: Tensor
    residuals: Tensor
    doubt: Tensor


@register("peeled", *STATISTICS)
def residual_order_statistics(table: TableState) -> dict[str, Tensor]:
    """Where a pair stands in the order, what it shows when its first column is taken out, and how far to trust it."""
    live, first = distinct_columns(table.columns)
    return spread_to_copies(STATISTICS, _statistics(table.columns, live, table.seed), live, first)


def _statistics(columns: Columns, live: Tensor, seed: int) -> dict[str, Tensor]:
    """Values of :data:`STATISTICS` for the columns ``live``, of which no two are copies and none is constant."""
    x, D = columns.x[:, live], len(live)
    if D < 2:
        return {}
    wanted = min(max(CELLS // D**3, FEWEST_ROWS), MOST_ROWS)
    kept = content_subset(columns.u, columns.observed, wanted, seed=seed)
    peeled = peel(x[kept].T.contiguous())
    rows = len(kept)
    place = torch.full((D,), len(peeled.order))
    place[peeled.order] = torch.arange(len(peeled.order))
    t, explained = _regressions(x, peeled.order, peeled.settled)
    negentropies = negentropy(peeled.residuals)
    negentropies[peeled.settled] = 0.0
    return {
        "peel_margin": asinh(rows * peeled.margin / 4),
        "peel_place": (place[None, :] - place[:, None]) / D,
        "peel_t": compress(t),
        "peel_leftover": compress(_leftover(peeled.residuals)),
        "peel_negentropy": asinh(rows * negentropies / 4),
        "peel_doubt": asinh(rows * peeled.doubt / 4),
        "peel_explained": explained,
    }


def negentropy(centered: Tensor, deviation: Tensor | None = None, *, space: Tensor | None = None) -> Tensor:
    """Negentropy over the last axis of variables of mean 0, at least 0 and 0 for Gaussian ones.

    deviation: of each variable, 1 by default. space: as large as ``centered``, to be written over.
    """
    scale = torch.ones(centered.shape[:-1]) if deviation is None else 1 / deviation
    bell = torch.square(centered, out=space).mul_(-0.5 * scale.square()[..., None]).exp_()
    even = bell.mean(-1)
    return _from_moments(scale * bell.mul_(centered).mean(-1), even)


def _from_moments(odd: Tensor, even: Tensor) -> Tensor:
    return _ODD * odd.square() + _EVEN * (even - _GAUSSIAN).square()


def peel(rows_DR: Tensor) -> Peeled:
    """Take columns (D, R) out one after the other, or some at once where there are many, sources first."""
    D, R = rows_DR.shape
    if (kernels := kernels_for(D)) is not None:
        return _compiled(rows_DR, kernels)
    left, names = _standardized(rows_DR), np.arange(D)
    order: list[int] = []
    settled: list[int] = []
    margin, doubt, residuals = np.zeros((D, D), dtype=np.float32), np.zeros(D, dtype=np.float32), torch.zeros(D, R)
    shape = negentropy(left).numpy()
    # kept, as fresh pages would cost more than the arithmetic on them
    space = torch.empty(2, max(D * R, min(D * D * R, CHUNK)))
    while True:
        varies = left.any(1).numpy()
        if not varies.all():
            settled += names[~varies].tolist()
            left, names = left[torch.from_numpy(varies)], names[varies]
        d = len(names)
        if d < 2:
            break
        c = (left @ left.T).div_(R).clamp_(-_STEEPEST, _STEEPEST)
        alone = negentropy(left).numpy()
        together = _given_one(left, c, space)
        ahead = together - together.T - alone[None, :] + alone[:, None]  # the Gaussian parts of the entropies cancel
        np.fill_diagonal(ahead, 0.0)
        contrary = np.square(np.minimum(ahead, 0.0)).sum(1)
        # Of two columns that nothing speaks against, the one that more speaks for goes first. Exact relations leave
        # columns equal but for rounding: among these the shape they had at first decides.
        against = contrary - 1e-9 * ahead.sum(1)
        equal = c.abs().numpy() >= _STEEPEST
        against = np.where(equal, against, np.inf).min(1)
        gone = np.lexsort((-shape[names], against))[: 1 if d <= ONE_BY_ONE else d // 12]
        stays = np.ones(d, dtype=bool)
        for k in gone:
            stays[k] = False
            margin[names[k], names[stays]] = ahead[k, stays]
            margin[names[stays], names[k]] = -ahead[k, stays]
        doubt[names[gone]] = np.sqrt(contrary[gone])
        rest = torch.from_numpy(np.flatnonzero(stays))
        # those taken out together are explained by each other in their order, as all the others are by them
        basis = _orthogonal(left[torch.from_numpy(gone)])
        found = basis.any(1).numpy()
        order += names[gone[found]].tolist()
        settled += names[gone[~found]].tolist()
        residuals[names[gone]] = basis
        left = left[rest]
        left = _standardized(torch.addmm(left, left @ basis.T, basis, alpha=-1 / R))
        names = names[stays]
    order += names.tolist()
    residuals[names] = left
    return Peeled(
        order=torch.tensor(order, dtype=torch.long),
        settled=torch.tensor(settled, dtype=torch.long),
        margin=torch.from_numpy(margin),
        residuals=residuals,
        doubt=torch.from_numpy(doubt),
    )


def _compiled(rows_DR: Tensor, kernels: ModuleType) -> Peeled:
    """The same by compiled loops."""
    D, R = rows_DR.shape
    left = _standardized(rows_DR).contiguous()
    margin, doubt, residuals = torch.zeros(D, D), torch.zeros(D), torch.zeros(D, R)
    found = np.empty((2, D), dtype=np.int64)
    constants = np.array([_ODD, _EVEN, _GAUSSIAN, _STEEPEST, _NOTHING])
    arrays = margin.numpy(), doubt.numpy(), residuals.numpy(), *found
    n_order, n_settled = kernels.residual_order(left.numpy(), constants, ONE_BY_ONE, *arrays)
    order, settled = torch.from_numpy(found[0, :n_order]), torch.from_numpy(found[1, :n_settled])
    return Peeled(order=order, settled=settled, margin=margin, residuals=residuals, doubt=doubt)


def _given_one(left: Tensor, c: Tensor, space: Tensor) -> np.ndarray:
    """(d, d) negentropy of j given i, [i, j], of standardized variables (d, R) with correlations ``c``."""
    d, R = left.shape
    deviation = (1 - c.square()).sqrt()
    found = torch.empty(d, d)
    step = max(1, space.shape[1] // (d * R))
    for start in range(0, d, step):
        i = slice(start, min(start + step, d))
        given, bell = (part[: (i.stop - start) * d * R].view(-1, d, R) for part in space)
        torch.addcmul(left[None], c[i, :, None], left[i, None], value=-1, out=given)
        found[i] = negentropy(given, deviation[i], space=bell)
    return found.numpy()


def _orthogonal(rows: Tensor) -> Tensor:
    """Each of some standardized rows less what the rows before it explain, standardized again."""
    if len(rows) == 1:
        return rows
    out = torch.empty_like(rows)
    for k, row in enumerate(rows):
        out[k] = _standardized(row - (out[:k] @ row) @ out[:k] / rows.shape[1])
    return out


def _standardized(rows: Tensor) -> Tensor:
    """Mean 0 and variance 1; 0 where next to nothing of a variable that had variance 1 is left."""
    centered = rows - rows.mean(-1, keepdim=True)
    deviation = centered.square().mean(-1, keepdim=True).sqrt()
    return torch.where(deviation > _NOTHING, centered / deviation.clamp_min(_NOTHING), 0.0)


def _regressions(x: Tensor, order: Tensor, settled: Tensor) -> tuple[Tensor, Tensor]:
    """(D, D) |t| of i as j is regressed on all before it, settled columns on the whole order; (D,) R2 of these.

    With S = L L^T in that order, a row of inv(L) holds the coefficients of a regression over the deviation of its
    residual, and the squares of the rows before it add up to the diagonal of the inverse of their part of S.
    """
    N, D = x.shape
    places, count = torch.cat([order, settled]), len(order)
    if count == 0:  # nothing varies in the rows that were read
        return torch.zeros(D, D), torch.zeros(D)
    ordered = x[:, places].double()
    S = ordered.T @ ordered / N
    S.diagonal().add_(1e-6)
    L = torch.linalg.cholesky_ex(S[:count, :count])[0]
    inverse = torch.linalg.solve_triangular(L, torch.eye(count, dtype=torch.float64), upper=False)
    whitened = S[count:, :count] @ inverse.T  # what the order explains of settled columns
    rest = (S.diagonal()[count:] - whitened.square().sum(1)).clamp_min(1e-6)
    coefficients = torch.cat([torch.tril(inverse, -1), whitened @ inverse / rest.sqrt()[:, None]])
    before = inverse.square().cumsum(0)
    before = torch.cat([before[:1], before[:-1], before[-1:].expand(len(settled), -1)])
    degrees = (N - torch.arange(D).clamp_max(count)).clamp_min(1)[:, None]
    t = torch.zeros(D, D, dtype=torch.float64)
    t[:, :count] = coefficients.abs() * (degrees / before.clamp_min(1e-12)).sqrt()
    explained = 1 - torch.cat([L.diagonal().square(), rest]) / S.diagonal()
    back = torch.empty_like(places)
    back[places] = torch.arange(D)
    return torch.nan_to_num(t.T[back][:, back]).float(), explained[back].clamp(0.0, 1.0).float()


def _leftover(residuals: Tensor) -> Tensor:
    """(D, D) greatest |z| among correlations of residuals and their sizes: in a linear order they are independent."""
    D, R = residuals.shape
    both = torch.cat([residuals, _standardized(residuals.abs())])
    c = (both @ both.T / R).abs().clamp_max(_STEEPEST).view(2, D, 2, D)
    return (torch.atanh(c.amax((0, 2))) * math.sqrt(max(R - 3, 1))).fill_diagonal_(0.0)


# Copies of a column: statistics of whole tables read one of them


def distinct_columns(columns: Columns) -> tuple[Tensor, Tensor]:
    """(L,) columns that vary and are no copies, and (D,) for every column the first that says the same in its cells.

    Copies would be perfect causes of each other.
    """
    first = torch.arange(columns.variables)
    if columns.alike is not None:
        one, other = columns.alike.nonzero(as_tuple=True)
        copies = torch.zeros_like(columns.alike)
        copies[one, other] = (columns.x[:, one] - columns.x[:, other]).abs().amax(0) < 1e-4
        first = torch.where(copies, first, columns.variables).amin(1)
    return ((columns.distinct > 1) & (first == torch.arange(columns.variables))).nonzero()[:, 0], first


def spread_to_copies(
    statistics: Sequence[Statistic], found: dict[str, Tensor], live: Tensor, first: Tensor
) -> dict[str, Tensor]:
    """Values of all columns from those of the columns ``live``; copies have what was found for the first of them."""
    D = len(first)
    values = {}
    for s in statistics:
        whole = torch.zeros(D) if s.kind == "marginal" else torch.zeros(D, D)
        if s.name in found:
            place = (live,) if whole.dim() == 1 else (live[:, None], live)
            whole[place] = found[s.name]
            whole = whole[first] if whole.dim() == 1 else whole[first[:, None], first]
        values[s.name] = whole
    return values
