"""Tables of numbers: small causal models of our own, defects put into them, series, and tasks of the simulator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import adapter
from tables import add, causal_frame, causal_values, clinic, example

_COMPONENTS = (
    "textbook",
    "series",
    "mixed",
    "surveys",
    "sensors",
    "studies",
    "telemetry",
    "expert",
    "markets",
    "excerpts",
    "pairs",
    "unrelated",
)
_MOST_ROWS, _MOST_COLUMNS = 600, 30


def _simulated_task(component: str, seed: int, index: int) -> np.ndarray:
    """Return the table of a task with NaN for what is missing."""
    made = adapter.task("SHIPPED", seed, index, component)
    values = np.where(made["observed"], made["values"].astype(float), np.nan)
    return values[:_MOST_ROWS, :_MOST_COLUMNS]


for _index, _component in enumerate(_COMPONENTS):  # another index, another size
    add(f"task_{_component}", lambda _, name=_component, index=_index: _simulated_task(name, 1, index))


# ---- sizes and models ------------------------------------------------------------------------------------------------


@example()
def linear(folder: Path) -> pd.DataFrame:
    return causal_frame(300, 8, 1)


@example(random_state=3)
def nonlinear(folder: Path) -> pd.DataFrame:
    return causal_frame(400, 8, 2, nonlinear=True)


@example(protocol="paper")
def linear_by_the_papers_protocol(folder: Path) -> pd.DataFrame:
    return causal_frame(300, 6, 3)


@example(threshold=0.3)
def dense_with_a_given_threshold(folder: Path) -> pd.DataFrame:
    return causal_frame(500, 10, 4, degree=4.0)


@example()
def two_columns(folder: Path) -> pd.DataFrame:
    return causal_frame(200, 2, 5, degree=2.0)


@example()
def six_rows(folder: Path) -> pd.DataFrame:
    return causal_frame(6, 4, 6)


@example()
def four_rows(folder: Path) -> pd.DataFrame:
    """Too few: refused."""
    return causal_frame(4, 4, 6)


@example()
def one_column(folder: Path) -> pd.DataFrame:
    """Too few: refused."""
    return causal_frame(100, 1, 6)


@example(n_passes=2)
def wide_60(folder: Path) -> pd.DataFrame:
    return causal_frame(200, 60, 7)


@example(n_passes=2)
def more_columns_than_rows(folder: Path) -> pd.DataFrame:
    return causal_frame(20, 25, 8)


@example(max_rows=500)
def sampled_from_many_rows(folder: Path) -> pd.DataFrame:
    return causal_frame(3000, 5, 9)


@example(names=["rain", "soil", "yield", "price"])
def array_with_given_names(folder: Path) -> np.ndarray:
    return causal_values(250, 4, 10)


@example()
def array_of_whole_numbers(folder: Path) -> np.ndarray:
    return np.floor(np.abs(causal_values(300, 6, 11)) * 3).astype(int)


@example()
def yes_or_no_only(folder: Path) -> pd.DataFrame:
    return causal_frame(500, 7, 12) > 0.4


@example()
def array_of_single_precision(folder: Path) -> np.ndarray:
    return causal_values(250, 5, 13).astype(np.float32)


# ---- defects ---------------------------------------------------------------------------------------------------------


@example()
def gaps_10_percent(folder: Path) -> pd.DataFrame:
    frame = causal_frame(300, 8, 20)
    return frame.mask(np.random.default_rng(0).random(frame.shape) < 0.10)


@example()
def gaps_30_percent(folder: Path) -> pd.DataFrame:
    frame = clinic()
    return frame.mask(np.random.default_rng(1).random(frame.shape) < 0.30)


@example()
def gaps_where_another_column_is_high(folder: Path) -> pd.DataFrame:
    frame = causal_frame(300, 5, 21)
    frame["v1"] = frame["v1"].where(frame["v0"] < 0.3)
    return frame


@example()
def outlier_cells_and_infinity(folder: Path) -> pd.DataFrame:
    frame = causal_frame(300, 6, 22)
    frame.loc[3, "v0"], frame.loc[7, "v2"], frame.loc[9, "v3"] = 1e9, -4e6, np.inf
    return frame


@example()
def scales_far_apart(folder: Path) -> pd.DataFrame:
    return causal_frame(300, 5, 23) * [1e-12, 1e12, 1.0, 1e-3, 1e6] + [0.0, 1e12, 1e4, 0.0, -1e8]


@example()
def constants_and_empty_columns(folder: Path) -> pd.DataFrame:
    frame = causal_frame(200, 4, 24).assign(site=3, note=np.nan, nearly=0.0)
    frame.loc[5, "nearly"] = 1.0
    return frame


@example(constant="drop", empty="drop", identifier="drop", duplicate="drop")
def unfit_columns_dropped(folder: Path) -> pd.DataFrame:
    frame = causal_frame(200, 4, 25)
    return frame.assign(id=np.arange(200), site=3, note=np.nan, again=frame["v0"])


@example(duplicate="exclude")
def copies_isolated(folder: Path) -> pd.DataFrame:
    frame = causal_frame(200, 4, 26)
    return frame.assign(again=frame["v0"], scaled=frame["v1"] * 2.54)


@example()
def copies_sums_and_ratios(folder: Path) -> pd.DataFrame:
    frame = np.exp(causal_frame(300, 4, 27))
    return frame.assign(
        total=frame["v0"] + frame["v1"] + frame["v2"],
        ratio=frame["v3"] / frame["v0"],
        rounded=frame["v2"].round(1),
    )


@example()
def sorted_by_a_column(folder: Path) -> pd.DataFrame:
    return causal_frame(300, 6, 28).sort_values("v2", ignore_index=True)


@example()
def repeated_rows(folder: Path) -> pd.DataFrame:
    return causal_frame(60, 5, 29).loc[np.repeat(np.arange(60), 5)].reset_index(drop=True)


@example()
def rounded_with_ties_and_floors(folder: Path) -> pd.DataFrame:
    return causal_frame(300, 6, 30).clip(lower=-0.5).round(1)


@example()
def hidden_cause_of_all(folder: Path) -> pd.DataFrame:
    rng = np.random.default_rng(31)
    return causal_frame(300, 7, 31) + 1.5 * rng.normal(size=(300, 1))


# ---- knowledge -------------------------------------------------------------------------------------------------------


@example(knowledge={"tiers": [["v3", "v1"], ["v0"], ["v5", "v2"]], "forbid_within_tiers": True})
def knowledge_tiers(folder: Path) -> pd.DataFrame:
    return causal_frame(300, 7, 40)


@example(knowledge={"required": ["v0 -> v1", "v4 -> v2"], "forbidden": ["v2 -> v3", "v5 -> v0"], "sinks": ["v3"]})
def knowledge_edges(folder: Path) -> pd.DataFrame:
    return causal_frame(300, 6, 41)


@example(knowledge={"roots": ["age", "male"], "sinks": ["response"], "required": [("dose", "response")]})
def knowledge_roots_and_sinks(folder: Path) -> pd.DataFrame:
    return clinic(seed=42)


@example(knowledge={"roots": ["nowhere"]})
def knowledge_of_an_unknown_column(folder: Path) -> pd.DataFrame:
    """Refused."""
    return clinic(seed=43)


# ---- rows in time ----------------------------------------------------------------------------------------------------


def _walks(rows: int, columns: int, seed: int) -> pd.DataFrame:
    """Return a vector autoregression in which each column follows the one before it."""
    rng = np.random.default_rng(seed)
    values = np.zeros((rows, columns))
    for t in range(1, rows):
        values[t] = 0.7 * values[t - 1] + rng.normal(size=columns)
        values[t, 1:] += 0.5 * values[t - 1, :-1]
    return pd.DataFrame(values, columns=[f"s{k}" for k in range(columns)])


@example()
def series_without_a_date(folder: Path) -> pd.DataFrame:
    return _walks(300, 5, 50)


@example()
def series_of_rising_dates(folder: Path) -> pd.DataFrame:
    frame = _walks(250, 4, 51)
    frame.insert(0, "day", pd.date_range("2020-03-01", periods=250, freq="D"))
    return frame


@example()
def series_of_falling_dates(folder: Path) -> pd.DataFrame:
    frame = _walks(250, 4, 52)
    frame.insert(0, "day", pd.date_range("2020-03-01", periods=250, freq="D").strftime("%Y-%m-%d"))
    return frame.iloc[::-1].reset_index(drop=True)


@example()
def series_with_a_datetime_index_and_gaps(folder: Path) -> pd.DataFrame:
    frame = _walks(200, 4, 53)
    frame = frame.mask(np.random.default_rng(2).random(frame.shape) < 0.1)
    return frame.set_index(pd.date_range("2021-01-01", periods=200, freq="h", tz="Europe/Berlin", name="time"))


@example()
def series_of_years(folder: Path) -> pd.DataFrame:
    return _walks(60, 3, 54).assign(year=np.arange(1950, 2010))


@example()
def series_of_months_in_words(folder: Path) -> pd.DataFrame:
    months = pd.date_range("2008-01-01", periods=120, freq="MS").strftime("%b %Y")
    return _walks(120, 3, 55).assign(month=months)


@example()
def panel_of_firms_and_years(folder: Path) -> pd.DataFrame:
    parts = [_walks(20, 3, 60 + k).assign(firm=f"firm {k}", year=np.arange(2000, 2020)) for k in range(12)]
    return pd.concat(parts, ignore_index=True)


@example()
def days_in_random_order(folder: Path) -> pd.DataFrame:
    frame = _walks(200, 4, 56).assign(day=pd.date_range("2019-01-01", periods=200, freq="D"))
    return frame.sample(frac=1, random_state=0).reset_index(drop=True)
