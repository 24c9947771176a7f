"""Time series: how strongly rows depend on their neighbors, which way time runs, and what the order of rows says.

Two columns that both drift agree by chance more often than independent rows would. A correlation of two
autoregressive columns has the variance of one over N / tau rows, tau = (1 + f g) / (1 - f g), where f and g are the
lag-1 autocorrelations (Bartlett 1935). A series is therefore read as N / tau rows.

Autocorrelation is measured within short windows and only in columns that are autocorrelated beyond what sorting
explains. A table that was sorted, or put together from blocks, keeps all its rows.

Shape letters: N rows in the order of the source, D variables, W rows of a window. NaN marks a missing cell.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from foundcause.data.clock import SINCE_MIDNIGHT
from foundcause.data.naming import names_occasions, names_time, names_units
from foundcause.features.registry import FeatureSet, Statistic, features_of, register_set

if TYPE_CHECKING:
    from torch import Tensor

    from foundcause.data.table import Matrix
    from foundcause.features.pairwise import Task

WINDOW = 24
MOST_WINDOWS = 40  # spread over the table
FEWEST_WINDOWS = 2
LEAST_TAU = 1.15  # below it, rows count as independent
FEWEST_ROWS = 20  # networks are trained on at least so many

_FEW_PAIRS_OF_ROWS = 30
_FEW_STEPS = 20
_LEAST_CORRELATION = 0.25
_MOST_MISSING = 0.5
_MOST_SEGMENTS, _SEGMENT_ROWS = 20, 30
_BLOCK_ROWS = 10
_NO_SPREAD = 1e-9  # of the rows, as a deviation of ranks
_MINUTES = 24 * 60
_MEETINGS = 15.0  # rows of one unit and one occasion that chance would bring about, while there are none
_FIRST_YEAR, _LAST_YEAR = 1800, 2199


@dataclass(frozen=True, kw_only=True)
class RowDependence:
    """How strongly the rows of a table depend on each other.

    n_rows: rows of the table.
    n_effective: effective sample size, at most ``n_rows``; fewer mean that the rows are a series.
    direction: 1 where the first row of a series is the oldest, -1 where the last one is, 0 where rows are no series.
    autocorrelated: positions of the columns whose values go with those of the next row.
    """

    n_rows: int
    n_effective: int
    direction: int
    autocorrelated: tuple[int, ...]

    @property
    def is_series(self) -> bool:
        """Whether the rows carry less information than as many independent ones."""
        return self.n_effective < self.n_rows


def row_dependence(
    values_ND: np.ndarray,
    *,
    table: Matrix | None = None,
    columns: Sequence[int] | None = None,
    dates: Collection[int] = (),
) -> RowDependence:
    """Estimate how strongly neighboring rows depend on each other.

    Parameters
    ----------
    values_ND : ndarray of shape (N, D)
        Cells in the order of the source, NaN where missing.
    table : Matrix, optional
        The table that the values come from. Its columns of dates tell the direction of time.
    columns : sequence of int, optional
        Positions in ``table`` of the D columns. All of them by default.
    dates : collection of int, optional
        Positions among the D columns of dates, where no table is given.

    Returns
    -------
    RowDependence
        Effective sample size, direction of time, and the columns that are autocorrelated.
    """
    if table is not None:
        positions = range(len(table.names)) if columns is None else columns
        dates = [place for place, k in enumerate(positions) if table.columns[k].kind == "date"]
    n_rows, n_variables = values_ND.shape
    n_effective = n_rows
    autocorrelated: tuple[int, ...] = ()
    if n_rows >= _FEW_PAIRS_OF_ROWS and n_variables:
        residuals, sort_keys = residualize_on_sort_keys(values_ND, dates=dates)
        autocorrelated = tuple(_autocorrelated(residuals, sort_keys))
        n_effective = _effective_rows(values_ND, residuals, autocorrelated)
    direction = 0
    if n_effective < n_rows:
        direction = -1 if table is not None and time_direction(table) < 0 else 1
    return RowDependence(n_rows=n_rows, n_effective=n_effective, direction=direction, autocorrelated=autocorrelated)


def _effective_rows(values_ND: np.ndarray, residuals_ND: np.ndarray, autocorrelated: Sequence[int]) -> int:
    """N, or fewer where at least two columns are autocorrelated beside the sort keys."""
    N, D = values_ND.shape
    if len(autocorrelated) < 2 or N < FEWEST_WINDOWS * WINDOW or _tau(lag_one_correlation(values_ND)) < LEAST_TAU:
        return N
    correlation = np.zeros(D)
    correlation[list(autocorrelated)] = lag_one_correlation(residuals_ND[:, list(autocorrelated)])
    tau = _tau(correlation)
    return N if tau < LEAST_TAU else max(min(FEWEST_ROWS, N), round(N / tau))


def _tau(correlation_D: np.ndarray) -> float:
    """Rows that carry the information of one independent row, on average over pairs of columns."""
    both = np.outer(correlation_D, correlation_D)[np.triu_indices(len(correlation_D), 1)]
    return float(((1 + both) / (1 - both)).mean())


def lag_one_correlation(values_ND: np.ndarray) -> np.ndarray:
    """(D,) lag-1 autocorrelation of every column, from 0 to 0.995, by ranks within windows of neighboring rows."""
    windows = len(values_ND) // WINDOW
    starts = np.linspace(0, len(values_ND) - WINDOW, min(windows, MOST_WINDOWS)).astype(int)
    rows = (starts[:, None] + np.arange(WINDOW)).ravel()
    ranks = column_ranks(values_ND[rows]).reshape(len(starts), WINDOW, -1)
    steps, observed = np.diff(ranks, axis=1), ~np.isnan(ranks)
    number = observed.sum(1)
    centered = np.where(observed, ranks - _ratio(np.where(observed, ranks, 0.0).sum(1), number)[:, None], 0.0)
    spread = _ratio(np.square(centered).sum((0, 1)), np.maximum(number - 1, 0).sum(0))
    step = _ratio(0.5 * np.nansum(np.square(steps), (0, 1)), (~np.isnan(steps)).sum((0, 1)))
    return np.interp(1 - _ratio(step, spread, default=1.0), _APPARENT, _TRUE)


def _ratio(above: np.ndarray, below: np.ndarray, *, default: float = 0.0) -> np.ndarray:
    """A quotient; ``default`` where the divisor is 0."""
    return np.divide(above, below, out=np.full(np.shape(above), default), where=below > 0)


def _apparent_within_windows(correlation: np.ndarray) -> np.ndarray:
    """Expectation of 1 - (half the mean square of steps) / (variance within windows) for autoregressive columns.

    A window is too short to show how far a column drifts, so that the apparent correlation is less than the true one.
    """
    lags = np.arange(1, WINDOW)
    within = 1 - 2 / (WINDOW * (WINDOW - 1)) * (correlation[:, None] ** lags @ (WINDOW - lags))
    return 1 - (1 - correlation) / within


_TRUE = np.linspace(0.0, 0.995, 200)
_APPARENT = _apparent_within_windows(_TRUE)


# Which columns are autocorrelated, beside those that the table is sorted by


def autocorrelated_columns(values_ND: np.ndarray, *, dates: Collection[int] = ()) -> list[int]:
    """Columns that go with themselves one row on, as those of a time series do.

    Sorted columns show how the table was sorted, not that time passes, and so do columns that follow them. Only
    ``dates`` explain nothing away, because a table sorted by a date is ordered in time.
    """
    if len(values_ND) < _FEW_PAIRS_OF_ROWS:
        return []
    return _autocorrelated(*residualize_on_sort_keys(values_ND, dates=dates))


def residualize_on_sort_keys(values_ND: np.ndarray, *, dates: Collection[int] = ()) -> tuple[np.ndarray, list[int]]:
    """Ranks (N, D) less what the columns that the table is sorted by explain of them, and these columns."""
    keys = _sort_keys(np.apply_along_axis(_numbered_blocks, 0, values_ND))
    residuals = column_ranks(values_ND)
    for n, key in enumerate(keys):
        if key in dates or np.isnan(values_ND[:, key]).mean() > _MOST_MISSING:
            continue
        for k in range(values_ND.shape[1]):
            if k not in keys[: n + 1]:
                residuals[:, k] = _residualize(residuals[:, k], residuals[:, key])
    return residuals, keys


def column_ranks(values_ND: np.ndarray) -> np.ndarray:
    """Ranks (N, D) from 1 among the observed cells of each column, ties sharing their mean; NaN stays NaN."""
    N, D = values_ND.shape
    order = np.argsort(values_ND, axis=0)  # missing cells come last
    ascending = np.take_along_axis(values_ND, order, axis=0)
    place = np.arange(N)[:, None]
    fresh = np.ones((N, D), dtype=bool)
    fresh[1:] = ascending[1:] != ascending[:-1]
    first = np.maximum.accumulate(np.where(fresh, place, 0), axis=0)
    ends = np.ones((N, D), dtype=bool)
    ends[:-1] = fresh[1:]
    last = np.minimum.accumulate(np.where(ends, place, N)[::-1], axis=0)[::-1]
    ranks = np.empty((N, D))
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=0)
    return np.where(np.isnan(values_ND), np.nan, ranks)


def _autocorrelated(residuals_ND: np.ndarray, sort_keys: Collection[int]) -> list[int]:
    """Columns but the sort keys that go with themselves one row on."""
    return [k for k in range(residuals_ND.shape[1]) if k not in sort_keys and _goes_with_next(residuals_ND[:, k])]


def _goes_with_next(column: np.ndarray) -> bool:
    """Whether ranks (N,), or residuals of them, are correlated with those one row on.

    Residuals are not ranked again: of a column that is nearly always 0, those ranks would follow what was taken away.
    """
    here, next_one = column[:-1], column[1:]
    both = ~np.isnan(here) & ~np.isnan(next_one)
    if both.sum() < _FEW_PAIRS_OF_ROWS:
        return False
    here, next_one = here[both], next_one[both]
    if min(here.std(), next_one.std()) <= _NO_SPREAD * len(column):
        return False
    correlation = float(np.corrcoef(here, next_one)[0, 1])
    return abs(correlation) > max(_LEAST_CORRELATION, 4 / np.sqrt(both.sum()))


def _sort_keys(values_ND: np.ndarray) -> list[int]:
    """Columns by which the rows are sorted: all rows by the first ones, their ties by the next, and so on."""
    steps = np.diff(values_ND, axis=0)
    keys: list[int] = []
    tied = np.ones(len(steps), dtype=bool)
    while tied.sum() >= _FEW_STEPS:
        more = [k for k in range(values_ND.shape[1]) if k not in keys and _one_way(steps[tied, k])]
        if not more:
            break
        keys += more
        tied &= ((steps[:, more] == 0) | np.isnan(steps[:, more])).all(axis=1)
    return keys


def _numbered_blocks(column: np.ndarray) -> np.ndarray:
    """(N,) a column of few values, each in one block of rows, numbered in the order of its blocks; others as they are.

    The rows are then sorted by it, although the codes of its categories may have another order.
    """
    observed = ~np.isnan(column)
    cells = column[observed]
    block = np.cumsum(np.r_[False, cells[1:] != cells[:-1]]) if len(cells) else np.zeros(0, dtype=int)
    if len(cells) == 0 or (block[-1] + 1) * _BLOCK_ROWS > len(cells) or len(np.unique(cells)) != block[-1] + 1:
        return column
    numbered = column.copy()
    numbered[observed] = block
    return numbered


def _one_way(steps: np.ndarray) -> bool:
    steps = steps[~np.isnan(steps)]
    return len(steps) >= _FEW_STEPS and bool((steps >= 0).all() or (steps <= 0).all())


def _residualize(column: np.ndarray, sort_key: np.ndarray) -> np.ndarray:
    """(N,) ranks less what the sort key explains of them; NaN where either is missing.

    The dependence may have any shape: a line for each of a few segments of the key's range, a mean for each level.
    """
    residual = np.full(len(column), np.nan)
    both = np.flatnonzero(~np.isnan(column) & ~np.isnan(sort_key))
    heights, along = column[both], column_ranks(sort_key[both, None])[:, 0]
    segments = int(np.clip(len(both) // _SEGMENT_ROWS, 1, _MOST_SEGMENTS))
    levels, segment = np.unique(along, return_inverse=True)
    if len(levels) > segments:
        segment = ((along - 0.5) * segments / len(both)).astype(int)
    for k in np.unique(segment):
        inside = segment == k
        centered = along[inside] - along[inside].mean()
        slope = centered @ heights[inside] / max(centered @ centered, 1e-300)
        residual[both[inside]] = heights[inside] - heights[inside].mean() - slope * centered
    return residual


# Which way time runs


def time_direction(table: Matrix) -> int:
    """1 where the rows rise in time, -1 where they fall, 0 where that is unknown.

    Sorted columns of dates decide, ties included, or years where there are no dates. The direction is unknown where
    they disagree, where none is sorted, and where rows of one moment belong to several stations.
    """
    columns = (moments(table) or _years(table)).values()
    directions = {direction for column in columns if (direction := monotone_direction(column))}
    one_way = len(directions) == 1 and not any(shares_moments(table, column) for column in columns)
    return directions.pop() if one_way else 0


def moments(table: Matrix) -> dict[str, np.ndarray]:
    """Columns of dates by name, (N,) each, NaN for missing; a single day goes with a single time of day."""
    columns = table.columns[: len(table.names)]
    dated = {column.name: table.values[:, k] for k, column in enumerate(columns) if column.kind == "date"}
    encodings = {column.name: column.encoding for column in columns}
    clocks = [name for name in dated if encodings[name].startswith(SINCE_MIDNIGHT)]
    days = [name for name in dated if name not in clocks]
    if len(days) == len(clocks) == 1 and _are_integers(dated[days[0]]):
        minutes = dated[clocks[0]]
        if encodings[clocks[0]] != SINCE_MIDNIGHT:  # times of a night count on from the day before, as 24:00 does
            minutes = minutes % _MINUTES
        return {days[0]: dated[days[0]] + minutes / _MINUTES}
    return {name: dated[name] for name in days or clocks}


def monotone_direction(column: np.ndarray) -> int:
    """1 for numbers (N,) that never fall, -1 for those that never rise, 0 for others and for a constant."""
    steps = np.diff(column[~np.isnan(column)])
    if not (steps != 0).any():
        return 0
    return int((steps >= 0).all()) - int((steps <= 0).all())


def shares_moments(table: Matrix, moments: np.ndarray) -> bool:
    """Whether rows of one moment (N,) belong to several stations, which a column of words or of units names."""
    observed = moments[~np.isnan(moments)]
    if len(np.unique(observed)) == len(observed):
        return False
    return any(
        _tells_apart(table.values[:, k], moments)
        for k, column in enumerate(table.columns[: len(table.names)])
        if (column.kind in ("nominal", "binary", "ordinal") and not names_occasions(column.name))
        or (column.kind != "date" and names_units(column.name))
    )


def _tells_apart(unit: np.ndarray, other: np.ndarray) -> bool:
    """Whether no two rows share both values, although many would by chance."""
    both = ~np.isnan(unit) & ~np.isnan(other)
    rows = int(both.sum())
    if 2 * rows < len(unit):
        return False
    codes = [np.unique(values[both], return_inverse=True)[1].reshape(-1) for values in (unit, other)]
    shares = [np.bincount(code) / rows for code in codes]
    if rows * (rows - 1) / 2 * np.prod([(share**2).sum() for share in shares]) < _MEETINGS:
        return False
    return len(np.unique(codes[0].astype(np.int64) * len(shares[1]) + codes[1])) == rows


def _years(table: Matrix) -> dict[str, np.ndarray]:
    """Columns of years, 2020, and of their months, 202001, by name: numbers, for cases have years, too."""
    return {
        column.name: table.values[:, k]
        for k, column in enumerate(table.columns[: len(table.names)])
        if column.kind == "count" and names_time(column.name) and _are_years(table.values[:, k])
    }


def _are_years(column: np.ndarray) -> bool:
    observed = column[~np.isnan(column)]
    years, months = np.divmod(observed, 100)
    by_month = ((months >= 1) & (months <= 12)).all() and bool(observed.min() > _LAST_YEAR)
    years = years if by_month else observed
    return bool(((years >= _FIRST_YEAR) & (years <= _LAST_YEAR)).all())


def _are_integers(column: np.ndarray) -> bool:
    observed = column[~np.isnan(column)]
    return bool((observed == np.round(observed)).all())


# What the order of the rows of a series says

LAGGED_STATISTICS: tuple[Statistic, ...] = (
    Statistic("news_z", "symmetric", "dependence", "z of the correlation of the news of i and j beside the own past"),
    Statistic("news_partial_z", "symmetric", "dependence", "z of their partial correlation given all other news"),
    Statistic("news_all_z", "symmetric", "dependence", "z of the correlation of news beside the past of all columns"),
    Statistic("news_all_partial_z", "symmetric", "dependence", "z of their partial correlation given all others"),
    Statistic("lead_z", "directed", "direction", "z of i one row before with j, beside two rows of the past of j"),
    Statistic("lead_two_z", "directed", "direction", "the same of i one and two rows before together"),
    Statistic("lead_all_z", "directed", "direction", "t of i one row before as j is regressed on all one row before"),
    Statistic("memory", "marginal", "reliability", "share of the variance that the own past foretells"),
    Statistic("rows_a_row", "size", "reliability", "ln(N / number of rows that the series is worth)"),
)
LAGGED = FeatureSet("lagged", features_of(LAGGED_STATISTICS))

LAGGED_ROWS = 10_000  # of longer series the latest
_FEWEST_LAGGED_ROWS = 12
_RIDGE = 1e-3
_SHRINK = 0.1  # of correlations, times D / N
_LARGEST = 0.999


def lagged_statistics(values_ND: np.ndarray, dependence: RowDependence) -> np.ndarray | None:
    """Measure how columns of a series lead each other, and how their innovations are correlated.

    An innovation is what the past of a column does not predict. Unrelated columns have unrelated innovations, however
    far both drift. A column whose past helps to predict another beyond that one's own past leads it (Granger 1969).
    Values are normal scores, so that neither scales nor outliers matter.

    Parameters
    ----------
    values_ND : ndarray of shape (N, D)
        Cells in the order of the source, NaN where missing.
    dependence : RowDependence
        How the rows depend on each other and which way time runs.

    Returns
    -------
    ndarray of shape (D, D, L) or None
        Features of :data:`LAGGED`, float32. None where the rows are no series.
    """
    if not dependence.is_series or len(values_ND) < _FEWEST_LAGGED_ROWS:
        return None
    import torch

    from foundcause.features.pairwise import assembled, layout_of
    from foundcause.features.standardize import prepare

    rising = values_ND[::-1] if dependence.direction < 0 else values_ND
    latest = np.ascontiguousarray(rising[-LAGGED_ROWS:])
    observed = ~np.isnan(latest)
    scores = prepare(torch.from_numpy(np.where(observed, latest, 0.0)), torch.from_numpy(observed)).g.numpy()
    scores = _interpolated(scores.astype(np.float64), observed)
    scores -= scores.mean(0)
    with np.errstate(divide="ignore", invalid="ignore"):  # columns without innovations
        found = _lagged_quantities(scores / np.maximum(scores.std(0), 1e-9))
    found["rows_a_row"] = np.log(dependence.n_rows / dependence.n_effective)
    tensors = {name: torch.as_tensor(value) for name, value in found.items()}
    D = values_ND.shape[1]
    together = torch.ones(D, D, dtype=torch.bool)
    parts = [part.numpy() for _, part in assembled(layout_of(LAGGED_STATISTICS), tensors, together)]
    return np.ascontiguousarray(np.concatenate(parts))


@register_set("lagged", LAGGED.features)
def lagged_features(task: Task, _wanted: list[int]) -> Tensor | None:
    """Features of a whole series, computed beforehand; None where the rows are no series."""
    return task.lagged


def _lagged_quantities(z_ND: np.ndarray) -> dict[str, np.ndarray]:
    """Values of :data:`LAGGED_STATISTICS` from standardized columns without gaps, but for the size."""
    now, before, earlier = z_ND[2:], z_ND[1:-1], z_ND[:-2]
    N, D = now.shape
    past = _OwnPast(before, earlier)
    innovations = past.residuals(now)
    spread = np.square(innovations).sum(0)

    # i before j: residuals of the lags of i given the past of j, and how they go with the innovations of j
    one, two = innovations.T @ before, innovations.T @ earlier  # [j, i]
    left = past.products(before, before), past.products(before, earlier), past.products(earlier, earlier)
    gain_one = np.square(one) / np.maximum(left[0], _RIDGE * N)
    determinant = np.maximum(left[0] * left[2] - np.square(left[1]), (_RIDGE * N) ** 2)
    gain_two = (np.square(one) * left[2] - 2 * one * two * left[1] + np.square(two) * left[0]) / determinant

    inverse = np.linalg.inv(before.T @ before + N * (_RIDGE + _SHRINK * D / N) * np.eye(D))
    weights = inverse @ (before.T @ now)  # [i, j]
    beside_all = now - before @ weights
    deviation = np.sqrt(np.square(beside_all).sum(0) / max(N - D, N / 4))
    lead_all = weights / np.maximum(np.sqrt(np.diagonal(inverse))[:, None] * deviation, 1e-12)
    return {
        **_innovation_correlations("news", innovations),
        **_innovation_correlations("news_all", beside_all),
        "lead_z": _compress(_z(gain_one / spread[:, None], N).T),
        "lead_two_z": _compress(_z(gain_two / spread[:, None], N).T),
        "lead_all_z": _compress(np.abs(lead_all)),
        "memory": 1 - spread / np.maximum(np.square(now).sum(0), 1e-9),
    }


def _innovation_correlations(name: str, innovations_ND: np.ndarray) -> dict[str, np.ndarray]:
    """z of correlations and of partial correlations of innovations."""
    N, D = innovations_ND.shape
    centered = innovations_ND - innovations_ND.mean(0)
    unit = centered / np.maximum(np.sqrt(np.square(centered).sum(0)), 1e-9)
    correlation = unit.T @ unit
    inverse = np.linalg.inv(correlation + (_RIDGE + _SHRINK * D / N) * np.eye(D))
    size = np.sqrt(np.diagonal(inverse))
    partial = inverse / (size[:, None] * size)
    return {
        f"{name}_z": _compress(_z(np.square(correlation), N)),
        f"{name}_partial_z": _compress(_z(np.square(partial), max(N - D, N // 4))),
    }


def _z(explained: np.ndarray, rows: float) -> np.ndarray:
    """z-value of a share of the variance that one regressor explains."""
    return np.arctanh(np.sqrt(np.clip(explained, 0, _LARGEST**2))) * max(rows - 3, 1) ** 0.5


def _compress(z: np.ndarray) -> np.ndarray:
    return np.arcsinh(z / 4)


class _OwnPast:
    """Regressions of anything on two rows of the past of every column j, solved at once."""

    def __init__(self, before_ND: np.ndarray, earlier_ND: np.ndarray) -> None:
        self.before, self.earlier = before_ND, earlier_ND
        ridge = _RIDGE * len(before_ND)
        self.first = np.square(before_ND).sum(0) + ridge
        self.second = np.square(earlier_ND).sum(0) + ridge
        self.both = (before_ND * earlier_ND).sum(0)
        self.determinant = self.first * self.second - np.square(self.both)

    def residuals(self, now_ND: np.ndarray) -> np.ndarray:
        """(N, D) what the own past of every column does not predict."""
        one, two = (now_ND * self.before).sum(0), (now_ND * self.earlier).sum(0)
        weight_one = (one * self.second - two * self.both) / self.determinant
        weight_two = (two * self.first - one * self.both) / self.determinant
        return now_ND - self.before * weight_one - self.earlier * weight_two

    def products(self, one_ND: np.ndarray, other_ND: np.ndarray) -> np.ndarray:
        """(D, D) of [j, i]: the product of two lags of column i, both less what the past of column j explains."""
        a, b = self.before.T @ one_ND, self.earlier.T @ one_ND
        c, d = self.before.T @ other_ND, self.earlier.T @ other_ND
        first, second, both = self.first[:, None], self.second[:, None], self.both[:, None]
        explained = (a * c * second - (a * d + b * c) * both + b * d * first) / self.determinant[:, None]
        return (one_ND * other_ND).sum(0) - explained


def _interpolated(scores_ND: np.ndarray, observed_ND: np.ndarray) -> np.ndarray:
    """Scores with gaps bridged by straight lines between the cells around them."""
    place = np.arange(len(scores_ND))
    for column, seen in zip(scores_ND.T, observed_ND.T, strict=True):
        if seen.any() and not seen.all():
            column[~seen] = np.interp(place[~seen], place[seen], column[seen])
    return scores_ND
