"""What the order of the rows of a time series tells: what is new in each row, and what comes first.

A column of a series mostly repeats itself. What is left of it beside its own past, its news, is new in every row: two
columns that have nothing to do with each other have unrelated news, however long both drift. And where the past of one
column helps to foretell another beyond that one's own past (Granger 1969), the first one led.

N rows in the order of time, D variables; normal scores throughout, so that no scale and no single cell matters.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from foundcause.features.extended_assembly import Layout, Quantity, assemble, features_of
from foundcause.features.extended_columns import prepare
from foundcause.features.extended_linear import compress
from foundcause.features.registry import FeatureSet

QUANTITIES: tuple[Quantity, ...] = (
    Quantity("news_z", "symmetric", "dependence", "z of the correlation of the news of i and j beside the own past"),
    Quantity("news_partial_z", "symmetric", "dependence", "z of their partial correlation given all other news"),
    Quantity("news_all_z", "symmetric", "dependence", "z of the correlation of news beside the past of all columns"),
    Quantity("news_all_partial_z", "symmetric", "dependence", "z of their partial correlation given all others"),
    Quantity("lead_z", "directed", "direction", "z of i one row before with j, beside two rows of the past of j"),
    Quantity("lead_two_z", "directed", "direction", "the same of i one and two rows before together"),
    Quantity("lead_all_z", "directed", "direction", "t of i one row before as j is regressed on all one row before"),
    Quantity("memory", "marginal", "reliability", "share of the variance that the own past foretells"),
    Quantity("rows_a_row", "size", "reliability", "ln(N / number of rows that the series is worth)"),
)
LAGGED = FeatureSet("lagged", features_of(QUANTITIES))
_LAYOUT = Layout(QUANTITIES)

ROWS = 10_000  # of longer series the latest
_FEWEST_ROWS = 12
_RIDGE = 1e-3
_SHRINK = 0.1  # of correlations, times D / N
_LARGEST = 0.999


@torch.no_grad()
def lagged_statistics(values_ND: Tensor, observed_ND: Tensor, *, worth: int) -> Tensor:
    """(D, D, F) float32 features of :data:`LAGGED` for one unpadded series, its rows in the order of time.

    worth: how many independent rows it is worth. All features are 0 where that is all, for there is no series then.
    """
    N, D = values_ND.shape
    if worth >= N or N < _FEWEST_ROWS:
        return torch.zeros(D, D, len(LAGGED))
    columns = prepare(values_ND[-ROWS:], observed_ND[-ROWS:])
    scores = columns.g.double()
    if not columns.complete:
        scores = _interpolated(scores, columns.observed)
    scores = scores - scores.mean(0)
    found = _features(scores / scores.std(0, correction=0).clamp_min(1e-9))
    found["rows_a_row"] = torch.log(torch.tensor(N / worth))
    return assemble(_LAYOUT, found, torch.ones(D, D, dtype=torch.bool))


def _features(z_ND: Tensor) -> dict[str, Tensor]:
    """Values of :data:`QUANTITIES` from standardised columns without gaps, but for the size."""
    now, before, earlier = z_ND[2:], z_ND[1:-1], z_ND[:-2]
    N, D = now.shape
    past = _OwnPast(before, earlier)
    news = past.beside(now)
    spread = news.square().sum(0)

    # i before j: what of the lags of i is left beside the past of j, and how it goes with the news of j
    one, two = news.T @ before, news.T @ earlier  # [j, i]
    left = past.left(before, before), past.left(before, earlier), past.left(earlier, earlier)
    gain_one = one.square() / left[0].clamp_min(_RIDGE * N)
    determinant = (left[0] * left[2] - left[1].square()).clamp_min((_RIDGE * N) ** 2)
    gain_two = (one.square() * left[2] - 2 * one * two * left[1] + two.square() * left[0]) / determinant

    inverse = torch.linalg.inv(before.T @ before + N * (_RIDGE + _SHRINK * D / N) * torch.eye(D, dtype=z_ND.dtype))
    weights = inverse @ (before.T @ now)  # [i, j]
    beside_all = now - before @ weights
    deviation = (beside_all.square().sum(0) / max(N - D, N / 4)).sqrt()
    lead_all = weights / (inverse.diagonal().sqrt()[:, None] * deviation).clamp_min(1e-12)

    return {
        **_together("news", news),
        **_together("news_all", beside_all),
        "lead_z": compress(_z(gain_one / spread[:, None], N).T),
        "lead_two_z": compress(_z(gain_two / spread[:, None], N).T),
        "lead_all_z": compress(lead_all.abs()),
        "memory": 1 - spread / now.square().sum(0).clamp_min(1e-9),
    }


def _together(name: str, news_ND: Tensor) -> dict[str, Tensor]:
    """z of correlations and of partial correlations of news."""
    N, D = news_ND.shape
    centred = news_ND - news_ND.mean(0)
    unit = centred / centred.square().sum(0).sqrt().clamp_min(1e-9)
    correlation = unit.T @ unit
    inverse = torch.linalg.inv(correlation + (_RIDGE + _SHRINK * D / N) * torch.eye(D, dtype=unit.dtype))
    size = inverse.diagonal().sqrt()
    partial = inverse / (size[:, None] * size)
    return {
        f"{name}_z": compress(_z(correlation.square(), N)),
        f"{name}_partial_z": compress(_z(partial.square(), max(N - D, N // 4))),
    }


def _z(explained: Tensor, rows: float) -> Tensor:
    """How many standard errors a share of the variance is worth, that of one regressor."""
    root = explained.clamp(0, _LARGEST**2).sqrt()
    return torch.atanh(root) * max(rows - 3, 1) ** 0.5


class _OwnPast:
    """Regressions of anything on two rows of the past of every column j, solved at once."""

    def __init__(self, before_ND: Tensor, earlier_ND: Tensor) -> None:
        self.before, self.earlier = before_ND, earlier_ND
        ridge = _RIDGE * len(before_ND)
        self.first = before_ND.square().sum(0) + ridge
        self.second = earlier_ND.square().sum(0) + ridge
        self.both = (before_ND * earlier_ND).sum(0)
        self.determinant = self.first * self.second - self.both.square()

    def beside(self, now_ND: Tensor) -> Tensor:
        """(N, D) what of every column its own past does not foretell."""
        one, two = (now_ND * self.before).sum(0), (now_ND * self.earlier).sum(0)
        weight_one = (one * self.second - two * self.both) / self.determinant
        weight_two = (two * self.first - one * self.both) / self.determinant
        return now_ND - self.before * weight_one - self.earlier * weight_two

    def left(self, one_ND: Tensor, other_ND: Tensor) -> Tensor:
        """(D, D) of [j, i]: the product of two lags of column i beside the past of column j."""
        a, b = self.before.T @ one_ND, self.earlier.T @ one_ND
        c, d = self.before.T @ other_ND, self.earlier.T @ other_ND
        first, second, both = self.first[:, None], self.second[:, None], self.both[:, None]
        taken = (a * c * second - (a * d + b * c) * both + b * d * first) / self.determinant[:, None]
        return (one_ND * other_ND).sum(0) - taken


def _interpolated(scores_ND: Tensor, observed_ND: Tensor) -> Tensor:
    """Scores with gaps bridged by straight lines between the cells around them."""
    place = np.arange(len(scores_ND))
    filled = scores_ND.numpy().copy()
    for column, seen in zip(filled.T, observed_ND.numpy().T, strict=True):
        if seen.any() and not seen.all():
            column[~seen] = np.interp(place[~seen], place[seen], column[seen])
    return torch.from_numpy(filled)
