"""Whether the rows of a table rise or fall in time, by its columns of dates or years. Shapes: N rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from foundcause.data.clock import SINCE_MIDNIGHT
from foundcause.data.naming import names_occasions, names_time, names_units
from foundcause.data.panel import tells_apart

if TYPE_CHECKING:
    from foundcause.data.read import Table

_MINUTES = 24 * 60
_FIRST_YEAR, _LAST_YEAR = 1800, 2199


def time_order(table: Table) -> int:
    """+1 where the rows rise in time, -1 where they fall, 0 where that is unknown.

    Columns of dates that are sorted decide, with ties, and years where there are no dates; it is unknown where they
    disagree, where none is sorted, and where rows of one moment belong to several stations.
    """
    columns = (moments(table) or _years(table)).values()
    orders = {order for column in columns if (order := order_of(column))}
    return orders.pop() if len(orders) == 1 and not any(shares_moments(table, column) for column in columns) else 0


def moments(table: Table) -> dict[str, np.ndarray]:
    """The columns of dates by name, (N,) each and NaN for missing; a lone day is told with a lone time of day."""
    columns = table.columns[: len(table.names)]
    dated = {column.name: table.values[:, k] for k, column in enumerate(columns) if column.kind == "date"}
    encodings = {column.name: column.encoding for column in columns}
    clocks = [name for name in dated if encodings[name].startswith(SINCE_MIDNIGHT)]
    days = [name for name in dated if name not in clocks]
    if len(days) == len(clocks) == 1 and _are_whole(dated[days[0]]):
        minutes = dated[clocks[0]]
        if encodings[clocks[0]] != SINCE_MIDNIGHT:  # times of a night count on from the day before, as 24:00 does
            minutes = minutes % _MINUTES
        return {days[0]: dated[days[0]] + minutes / _MINUTES}
    return {name: dated[name] for name in days or clocks}


def order_of(column: np.ndarray) -> int:
    """+1 for numbers (N,) that never fall, -1 for those that never rise, 0 for others and for one number only."""
    steps = np.diff(column[~np.isnan(column)])
    if not (steps != 0).any():
        return 0
    return int((steps >= 0).all()) - int((steps <= 0).all())


def shares_moments(table: Table, moments: np.ndarray) -> bool:
    """Whether rows of one moment (N,) belong to several stations, which a column of words or of units tells apart."""
    seen = moments[~np.isnan(moments)]
    if len(np.unique(seen)) == len(seen):
        return False
    return any(
        tells_apart(table.values[:, k], moments)
        for k, column in enumerate(table.columns[: len(table.names)])
        if (column.kind in ("nominal", "binary", "ordinal") and not names_occasions(column.name))
        or (column.kind != "date" and names_units(column.name))
    )


def _years(table: Table) -> dict[str, np.ndarray]:
    """The columns of years, 2020, and of their months, 202001, by name: numbers, for cases have years, too."""
    return {
        column.name: table.values[:, k]
        for k, column in enumerate(table.columns[: len(table.names)])
        if column.kind == "count" and names_time(column.name) and _are_years(table.values[:, k])
    }


def _are_years(column: np.ndarray) -> bool:
    seen = column[~np.isnan(column)]
    years, months = np.divmod(seen, 100)
    by_month = ((months >= 1) & (months <= 12)).all() and bool(seen.min() > _LAST_YEAR)
    years = years if by_month else seen
    return bool(((years >= _FIRST_YEAR) & (years <= _LAST_YEAR)).all())


def _are_whole(column: np.ndarray) -> bool:
    seen = column[~np.isnan(column)]
    return bool((seen == np.round(seen)).all())
