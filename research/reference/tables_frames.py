"""Tables in memory: column types of pandas, other libraries' frames, strange names, categories and codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tables import causal_frame, causal_values, clinic, example

_LIKERT = ["strongly disagree", "disagree", "neutral", "agree", "strongly agree"]


def _cut(values: np.ndarray, words: list[str]) -> np.ndarray:
    """Return words for the quantile group of each value."""
    edges = np.quantile(values, np.linspace(0, 1, len(words) + 1)[1:-1])
    return np.array(words, dtype=object)[np.searchsorted(edges, values)]


@example()
def plain_clinic(folder: Path) -> pd.DataFrame:
    return clinic()


@example()
def dictionary_of_columns(folder: Path) -> dict[str, Any]:
    return {name: column.tolist() for name, column in clinic(seed=1).items()}


@example()
def polars_frame(folder: Path) -> pl.DataFrame:
    frame = clinic(seed=2)
    return pl.DataFrame({name: column.tolist() for name, column in frame.items()})


@example()
def arrow_table(folder: Path) -> pa.Table:
    return pa.Table.from_pandas(clinic(seed=3), preserve_index=False)


@example()
def parquet_file(folder: Path) -> Path:
    frame = clinic(seed=4).assign(visit=pd.date_range("2022-05-01", periods=240, freq="37min"))
    frame["group"] = pd.Categorical(_cut(frame["dose"].to_numpy(), ["low", "medium", "high"]))
    frame.to_parquet(folder / "clinic.parquet")
    return folder / "clinic.parquet"


@example()
def answers_of_a_survey(folder: Path) -> pd.DataFrame:
    values = causal_values(300, 6, 70)
    frame = pd.DataFrame({f"q{k}": _cut(values[:, k], _LIKERT) for k in range(4)})
    frame["how often"] = _cut(values[:, 4], ["never", "rarely", "sometimes", "often", "always"])
    frame["smokes"] = _cut(values[:, 5], ["no", "yes"])
    return frame


@example()
def answers_in_german(folder: Path) -> pd.DataFrame:
    values = causal_values(300, 4, 71)
    frame = pd.DataFrame({"Zufriedenheit": _cut(values[:, 0], ["niedrig", "mittel", "hoch"])})
    frame["Raucher"] = _cut(values[:, 1], ["nein", "ja"])
    frame["Dauer"] = values[:, 2].round(2)
    frame["Größe"] = values[:, 3].round(2)
    return frame


@example()
def ordered_and_plain_categories(folder: Path) -> pd.DataFrame:
    values = causal_values(300, 5, 72)
    frame = pd.DataFrame(values[:, :2], columns=["x", "y"])
    sizes = ["S", "M", "L", "XL"]
    frame["size"] = pd.Categorical(_cut(values[:, 2], sizes), categories=sizes, ordered=True)
    frame["color"] = pd.Categorical(_cut(values[:, 3], ["red", "green", "blue", "black"]))
    frame["city"] = _cut(values[:, 4], [f"city {k}" for k in range(12)])
    return frame


@example(nominal=["zip", "ward"])
def codes_declared_nominal(folder: Path) -> pd.DataFrame:
    frame = clinic(seed=5)
    rng = np.random.default_rng(5)
    return frame.assign(zip=rng.choice([10115, 20095, 50667, 80331], 240), ward=rng.integers(1, 9, 240))


@example(drop=["weight"], knowledge={"tiers": [["age", "male"], ["dose"], ["response"]]})
def columns_dropped_with_tiers(folder: Path) -> pd.DataFrame:
    return clinic(seed=6)


@example()
def numbers_as_text(folder: Path) -> pd.DataFrame:
    return clinic(seed=7).astype(str)


@example()
def nullable_types(folder: Path) -> pd.DataFrame:
    frame = clinic(seed=8)
    frame["visits"] = np.random.default_rng(8).poisson(frame["age"] / 20)
    frame = frame.convert_dtypes()
    frame.loc[::9, ["visits", "male", "dose"]] = pd.NA
    return frame


@example()
def nullable_types_of_arrow(folder: Path) -> pd.DataFrame:
    return clinic(seed=9).convert_dtypes(dtype_backend="pyarrow")


@example()
def times_durations_and_periods(folder: Path) -> pd.DataFrame:
    values = causal_values(240, 5, 73)
    start = pd.Timestamp("2023-01-01")
    frame = pd.DataFrame({"x": values[:, 0], "y": values[:, 1]})
    frame["admitted"] = start + pd.to_timedelta((values[:, 2] * 40).round(), unit="D")
    frame["stay"] = pd.to_timedelta((np.exp(values[:, 3]) * 24).round(), unit="h")
    frame["quarter"] = pd.PeriodIndex(start + pd.to_timedelta((values[:, 4] * 300).round(), unit="D"), freq="Q")
    return frame


@example()
def names_twice_empty_and_numeric(folder: Path) -> pd.DataFrame:
    frame = causal_frame(250, 6, 74)
    frame.columns = pd.Index(["x", "x", "", 7, None, " y "], dtype=object)
    return frame


@example()
def names_of_two_levels(folder: Path) -> pd.DataFrame:
    frame = causal_frame(250, 4, 75)
    frame.columns = pd.MultiIndex.from_tuples([("price", "open"), ("price", "close"), ("volume", ""), ("rate", "day")])
    return frame


@example()
def named_index(folder: Path) -> pd.DataFrame:
    frame = clinic(seed=10)
    return frame.set_index("age")


@example()
def row_counter_and_identifiers(folder: Path) -> pd.DataFrame:
    frame = clinic(seed=11)
    codes = np.random.default_rng(11).permutation(900)[:240] + 100_000
    frame.insert(0, "Unnamed: 0", np.arange(240))
    return frame.assign(patient=[f"P-{code}" for code in codes], record_id=codes * 7)


@example(identifier="keep")
def identifiers_kept(folder: Path) -> pd.DataFrame:
    return clinic(seed=12).assign(id=np.random.default_rng(12).permutation(240))


@example()
def repeated_patients(folder: Path) -> pd.DataFrame:
    patient = np.random.default_rng(13).permutation(np.arange(100, 160) * 3)
    return clinic(seed=13).assign(patient=np.repeat(patient, 4))


@example()
def sentinels_for_missing(folder: Path) -> pd.DataFrame:
    frame = clinic(seed=14)
    rng = np.random.default_rng(14)
    frame.loc[rng.random(240) < 0.1, "dose"] = -99
    frame.loc[rng.random(240) < 0.1, "age"] = 999
    return frame


@example()
def strange_cells_among_numbers(folder: Path) -> pd.DataFrame:
    frame = clinic(seed=15).astype(object)
    frame.loc[3, "dose"], frame.loc[9, "dose"], frame.loc[12, "weight"] = "high", "see notes", "?"
    frame.loc[20:30, "pressure"] = "unknown"
    return frame


@example()
def free_text_and_lists(folder: Path) -> pd.DataFrame:
    frame = clinic(seed=16)
    frame["comment"] = [f"patient came on day {k} and felt {'well' if k % 3 else 'tired'}" for k in range(240)]
    frame["symptoms"] = np.where(frame["dose"] > 30, "cough, fever", "fever")
    return frame


@example()
def intervals_of_pandas_cut(folder: Path) -> pd.DataFrame:
    frame = clinic(seed=17)
    return frame.assign(age=pd.cut(frame["age"], 6), dose=pd.qcut(frame["dose"], 4, labels=["a", "b", "c", "d"]))


@example()
def big_whole_numbers(folder: Path) -> pd.DataFrame:
    values = causal_values(200, 3, 76)
    return pd.DataFrame((values * 1e15).round().astype(np.int64) + 10**17, columns=list("abc"))


@example()
def rows_with_nothing_in_them(folder: Path) -> pd.DataFrame:
    frame = clinic(seed=18).astype(object)
    frame.loc[[4, 90, 91, 200]] = None
    return frame
