"""The sparsest order of a linear table: the one in which regressions on all columns before need the fewest of them.

A column that comes after its causes needs these alone; after one of its effects it needs more (Raskutti and Uhler
2018). An order costs, for every pair, what the likelihood loses without the earlier column in the regression of the
later one, t^2 / 2, but no more than the price of an edge. It is searched for by moves of one column to another place
(as Andrews et al. 2023 do), all of which are judged at once: exchanging neighbors turns two rows of the inverse
Cholesky factor into each other and leaves all others as they are.

N rows, D variables in places 0 to D - 1. Rows and columns of U, the inverse factor, stand for places: row j holds the
coefficients of a regression of the column at j on all before it, over the deviation of its residual.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from foundcause.features.correlations import compress
from foundcause.features.registry import Statistic, register
from foundcause.features.residual_order import distinct_columns, negentropy, spread_to_copies
from foundcause.features.standardize import Columns, TableState
from foundcause.features.tensor_math import asinh, kernels_for

STATISTICS: tuple[Statistic, ...] = (
    Statistic(
        "sparse_advantage",
        "antisymmetric",
        "direction",
        "asinh(a/4), a = what it costs at least to move one column so that i no longer comes before j",
    ),
    Statistic("sparse_place", "antisymmetric", "direction", "place of j minus place of i in the order, over D"),
    Statistic(
        "sparse_t", "directed", "direction", "asinh(t/4), |t| of i as j is regressed on all before it; 0 if i is not"
    ),
    Statistic("sparse_explained", "marginal", "direction", "R2 given all before it"),
)
FURTHEST = 24  # places that a column may be moved by at once
STEPS = 15  # rounds of moves of up to 30 columns; of more, fewer
DEAREST = 2.0  # an edge costs ln(N) / 2 and this
_LEAST_GAIN = 1e-3
_RIDGE = 1e-6
_TINY = 1e-100


@register("sparsest", *STATISTICS)
def sparsest_order_statistics(table: TableState) -> dict[str, Tensor]:
    """Where a pair stands in the sparsest order, what a turn would cost, and what the earlier column adds."""
    live, first = distinct_columns(table.columns)
    return spread_to_copies(STATISTICS, _statistics(table.columns, live), live, first)


def _statistics(columns: Columns, live: Tensor) -> dict[str, Tensor]:
    """Values of :data:`STATISTICS` for the columns ``live``, of which no two are copies and none is constant."""
    N, D = columns.rows, len(live)
    if D < 2:
        return {}
    x = columns.x[:, live]
    exact = x.double()
    correlation = (exact.T @ exact / N).numpy() + _RIDGE * np.eye(D)
    start = _by_explained(correlation, negentropy(x.T).numpy())
    price = 0.5 * np.log(max(N, 2)) + DEAREST
    found = sparsest_order(correlation, start, rows=max(N - D / 2, N / 4), price=price)
    place = np.empty(D, dtype=np.int64)
    place[found.order] = np.arange(D)
    by_column = np.ix_(place, place)
    t = np.sqrt(2 * found.losses)[by_column].T
    return {
        "sparse_advantage": asinh(torch.from_numpy(found.advantage[by_column]).float() / 4),
        "sparse_place": torch.from_numpy((place[None, :] - place[:, None]) / D).float(),
        "sparse_t": compress(torch.from_numpy(t).float()),
        "sparse_explained": torch.from_numpy((1 - found.variances / (1 + _RIDGE)).clip(0, 1)[place]).float(),
    }


def _by_explained(correlation: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """(D,) columns, those first of which the others explain least: where laws add up, effects are explained best.

    Columns explained alike, as all are that make up one sum, go by the ``shape`` of their distribution, so that the
    order in which columns are given settles nothing.
    """
    left = 1 / np.diagonal(np.linalg.inv(correlation))
    return np.lexsort((shape, -np.round(np.log(left), 2)))


@dataclass(frozen=True, kw_only=True)
class Found:
    """An order and what it costs; matrices are by place, not by column.

    order: (D,) columns. cost: of the whole order. losses: (D, D) t^2 / 2 of [later, earlier], 0 elsewhere.
    advantage: (D, D) antisymmetric, what the cheapest move costs after which i no longer comes before j.
    variances: (D,) of residuals.
    """

    order: np.ndarray
    cost: float
    losses: np.ndarray
    advantage: np.ndarray
    variances: np.ndarray


def sparsest_order(correlation: np.ndarray, start: np.ndarray, *, rows: float, price: float) -> Found:
    """An order that is reached from ``start`` by moves that each make it cheaper; those of one step lie apart."""
    order = start.copy()
    D = len(order)
    for _ in range(max(STEPS * 30 // max(D, 30), 8)):
        factor = Factor(correlation, order, rows, price)
        gains = factor.gains()
        moves = _apart(gains)
        if not moves:
            break
        for place, target in moves:
            order = np.insert(np.delete(order, place), target, order[place])
    else:
        factor = Factor(correlation, order, rows, price)
        gains = factor.gains()
    return Found(
        order=order,
        cost=float(factor.costs.sum()),
        losses=factor.losses,
        advantage=_advantage(gains),
        variances=1 / np.square(np.diagonal(factor.U)),
    )


def _apart(gains: np.ndarray) -> list[tuple[int, int]]:
    """The best moves (from, to) that do not touch each other's places.

    Orders of one equivalence class cost the same: of equal moves the first counts, not what rounding makes of them.
    """
    gains = np.round(gains, 6)
    best, target = gains.max(1), gains.argmax(1)
    taken = np.zeros(len(gains), dtype=bool)
    moves = []
    for place in np.argsort(-best, kind="stable"):
        if best[place] < _LEAST_GAIN:
            break
        low, high = sorted((int(place), int(target[place])))
        if not taken[low : high + 1].any():
            taken[low : high + 1] = True
            moves.append((int(place), int(target[place])))
    return moves


def _advantage(gains: np.ndarray) -> np.ndarray:
    """(D, D) by place: for i before j the least loss of a move of j before i or of i behind j, and its opposite."""
    forth = np.maximum.accumulate(gains, 1)  # [v, r]: v moved to r or before it
    back = np.maximum.accumulate(gains[:, ::-1], 1)[:, ::-1].T  # [r, v]: v moved to r or behind it
    loss = np.maximum(-np.maximum(forth.T, back.T), 0.0)  # [i, j]
    ahead = np.triu(loss, 1)
    return ahead - ahead.T


class Factor:
    """The inverse Cholesky factor U of an order, and what each of its regressions costs.

    before: (D, D), row j the diagonal of the inverse of the correlations of the places before j, 0 from j on.
    losses: (D, D) t^2 / 2. costs: (D,).
    """

    def __init__(self, correlation: np.ndarray, order: np.ndarray, rows: float, price: float) -> None:
        D = len(order)
        self.half, self.price = 0.5 * rows, price
        self.U = np.tril(np.linalg.inv(np.linalg.cholesky(correlation[np.ix_(order, order)])))
        self.before = np.zeros((D, D))
        self.before[1:] = np.square(self.U).cumsum(0)[:-1]
        self.losses = self._losses(self.U, self.before)
        self.costs = np.minimum(self.losses, price).sum(1)

    def _losses(self, rows: np.ndarray, before: np.ndarray) -> np.ndarray:
        """(..., D) t^2 / 2 of every place before in rows (..., D); 0 for places that are not, as the row's own."""
        return np.square(rows) * self.half / np.where(before > 0, before, np.inf)

    def _costs(self, rows: np.ndarray, before: np.ndarray) -> np.ndarray:
        """What regressions (..., D) cost. A row's own place, before which nothing stands, costs the price: it is taken
        off again, which is quicker than to leave it out."""
        losses = np.square(rows)
        losses *= self.half
        losses /= before + _TINY
        return np.minimum(losses, self.price, out=losses).sum(-1) - self.price

    def gains(self) -> np.ndarray:
        """(D, D) of [v, r]: how much cheaper the order gets if the column at place v is moved to place r.

        Every column is moved place by place to the front and to the back, each as if it moved alone. Of two
        neighbors, the one that comes to stand first loses the other from its regression: the combination of their
        rows that does not hold the other. The one behind it is what is left of the two rows. Both ways are one
        computation, whose first axis they are: the mover comes to stand first on its way to the front, second on its
        way to the back, and who is overtaken the other way round.
        """
        U, costs, D = self.U, self.costs, len(self.U)
        gains = np.full((D, D), -np.inf)
        if (kernels := kernels_for(D)) is not None:
            kernels.order_gains(U, self.before, costs, self.half, self.price, FURTHEST, gains)
            return gains
        np.fill_diagonal(gains, 0.0)
        to_front, to_back, before = U.copy(), U.copy(), self.before.copy()  # rows of the movers; before: of the latter
        passed_front, passed_back = np.zeros(D), np.zeros(D)
        for distance in range(1, min(D, FURTHEST + 1)):
            count = D - distance
            low, high, gone = slice(0, count), slice(distance, D), np.arange(count)
            first, second = np.stack([to_front[high], U[high]]), np.stack([U[low], to_back[low]])
            # both rows' entries for the column that leaves the regression of the other
            across, straight = first[:, gone, gone], second[:, gone, gone]
            length = np.hypot(across, straight)
            across, straight = (across / length)[..., None], (straight / length)[..., None]
            ahead, behind = straight * first, across * first
            ahead -= across * second
            behind += straight * second
            ahead[:, gone, gone] = 0.0
            known = np.stack([self.before[low], before[low]])
            cost_ahead = self._costs(ahead, known)
            known += np.square(ahead)
            cost_behind = self._costs(behind, known)
            to_front[high], to_back[low], before[low] = ahead[0], behind[1], known[1]
            passed_front[high] += costs[low] - cost_behind[0]
            passed_back[low] += costs[high] - cost_ahead[1]
            gains[gone + distance, gone] = passed_front[high] + costs[high] - cost_ahead[0]
            gains[gone, gone + distance] = passed_back[low] + costs[low] - cost_behind[1]
        return gains
