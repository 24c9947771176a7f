"""Kinds of columns for ``wild_tables.py``: usual ones, ones written in many ways, and ones that nobody should bring.

Each kind is a function of a random generator and a number of rows that returns a list of cells.
"""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

_SCALES = (
    ("low", "medium", "high"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("no", "yes"),
    ("nein", "ja", "weiß nicht"),
    ("male", "female", "Male", "F"),
    ("S", "M", "L", "XL"),
    ("0-9", "10-19", "20-29", "30+"),
)
_DATES = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%y", "%b %d, %Y", "%Y%m%d", "%Y-%m-%dT%H:%M:%S", "%b-%y", "%Y")
_TIMES = ("%H:%M", "%H:%M:%S", "%I:%M %p")
_CURRENCIES = ("${}", "€ {}", "{} €", "{} USD", "£{}", "{} zł", "CHF {}", "¥{}")
_UNITS = ("kg", "mg", "km/h", "°C", "%", "GB", "min", "k", "m²")
_STRANGE = (
    *("", " ", "NA", "n/a", "?", "-", "--", ".", "nan", "NULL", "None", "#N/A", "#DIV/0!", "inf", "-inf", "1e999"),
    *(
        "1,5",
        "1.5.2",
        "1,234,567",
        "1'000",
        "12%",
        "5-10",
        ">3",
        "<0.1",
        "1/2",
        "½",
        "٣",
        "１２",
        "x" * 300,
        "\x00",
        "é",
    ),
    *(
        "2020-02-30",
        "31.12.9999",
        "0000-00-00",
        "25:61",
        "true",
        "TRUE",
        "wahr",
        "=A1+B1",
        "line\nbreak",
        'quo"te',
        "'",
    ),
    *(0, 1, -1, True, False, None, np.nan, np.inf, -np.inf, 10**30, -(10**400), 1e300, 5e-324, -0.0, 2**63, 1 + 2j),
    *(b"bytes", [1, 2], {"a": 1}, (1,), {3}, decimal.Decimal("1.10"), decimal.Decimal("NaN"), datetime.time(3, 4)),
    *(datetime.date(2020, 1, 1), datetime.datetime(1, 1, 1), datetime.timedelta(days=3), pd.NaT, pd.NA),
    *(pd.Timestamp("2021-05-05", tz="UTC"), pd.Interval(0, 1), pd.Period("2020Q1"), np.float32(1.5), np.int8(3)),
)


def _numbers(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Return numbers of a random shape and scale."""
    shape = rng.integers(5)
    values = [rng.normal, rng.standard_cauchy, rng.exponential, rng.random, rng.laplace][shape](size=rows)
    return values * 10.0 ** rng.integers(-3, 5) + rng.choice([0, 0, 1, 1000])


def _moments(rng: np.random.Generator, rows: int) -> pd.DatetimeIndex:
    step = int(rng.choice([60, 3600, 86_400, 30 * 86_400]))
    seconds = np.sort(rng.integers(0, 20 * max(rows, 1), rows)) if rng.random() < 0.5 else rng.integers(0, 5000, rows)
    start = pd.Timestamp(str(rng.choice(["1995-01-01", "2019-12-30", "1970-01-01"])))
    return start + pd.to_timedelta(np.minimum(seconds * step, 9 * 10**8), unit="s")


def _normal(rng: np.random.Generator, rows: int) -> list[Any]:
    return _numbers(rng, rows).tolist()


def _rounded(rng: np.random.Generator, rows: int) -> list[Any]:
    return np.round(_numbers(rng, rows), int(rng.integers(0, 4))).tolist()


def _counts(rng: np.random.Generator, rows: int) -> list[Any]:
    return rng.poisson(float(rng.choice([0.2, 3, 50])), rows).tolist()


def _booleans(rng: np.random.Generator, rows: int) -> list[Any]:
    return (rng.random(rows) < rng.random()).tolist()


def _constant(rng: np.random.Generator, rows: int) -> list[Any]:
    return [_STRANGE[int(rng.integers(len(_STRANGE)))]] * rows


def _nearly_constant(rng: np.random.Generator, rows: int) -> list[Any]:
    cells = [0.0] * rows
    if rows:
        cells[int(rng.integers(rows))] = 1.0
    return cells


def _empty(rng: np.random.Generator, rows: int) -> list[Any]:
    return [None] * rows


def _scale(rng: np.random.Generator, rows: int) -> list[Any]:
    return rng.choice(_SCALES[int(rng.integers(len(_SCALES)))], rows).tolist()


def _words(rng: np.random.Generator, rows: int) -> list[Any]:
    return [f"word {k}" for k in rng.zipf(1.7, rows) % int(rng.integers(2, 60))]


def _dates(rng: np.random.Generator, rows: int) -> list[Any]:
    return _moments(rng, rows).strftime(str(rng.choice(_DATES))).tolist()


def _times(rng: np.random.Generator, rows: int) -> list[Any]:
    return _moments(rng, rows).strftime(str(rng.choice(_TIMES))).tolist()


def _timestamps(rng: np.random.Generator, rows: int) -> list[Any]:
    moments = _moments(rng, rows)
    return list(moments.tz_localize("Asia/Tokyo") if rng.random() < 0.3 else moments)


def _durations(rng: np.random.Generator, rows: int) -> list[Any]:
    minutes = rng.integers(0, 3000, rows)
    if rng.random() < 0.5:
        return [f"{m // 60}:{m % 60:02d}" for m in minutes.tolist()]
    return list(pd.to_timedelta(minutes, unit="min"))


def _currency(rng: np.random.Generator, rows: int) -> list[Any]:
    pattern = str(rng.choice(_CURRENCIES))
    return [pattern.format(f"{v:,.2f}") for v in np.abs(_numbers(rng, rows)).tolist()]


def _percent(rng: np.random.Generator, rows: int) -> list[Any]:
    return [f"{v:.1f}%" for v in (100 * rng.random(rows)).tolist()]


def _decimal_comma(rng: np.random.Generator, rows: int) -> list[Any]:
    texts = [f"{v:,.2f}" for v in _numbers(rng, rows).tolist()]
    return [text.replace(",", "_").replace(".", ",").replace("_", ".") for text in texts]


def _with_unit(rng: np.random.Generator, rows: int) -> list[Any]:
    unit = str(rng.choice(_UNITS))
    return [f"{v:.1f} {unit}" for v in _numbers(rng, rows).tolist()]


def _numbers_as_text(rng: np.random.Generator, rows: int) -> list[Any]:
    return [f"{v:.{int(rng.integers(0, 5))}g}" for v in _numbers(rng, rows).tolist()]


def _counter(rng: np.random.Generator, rows: int) -> list[Any]:
    first = int(rng.integers(0, 2))
    return list(range(first, first + rows))


def _identifier(rng: np.random.Generator, rows: int) -> list[Any]:
    numbers = rng.permutation(10 * max(rows, 1))[:rows] + 10 ** int(rng.integers(2, 9))
    return [f"P-{n:08d}" for n in numbers] if rng.random() < 0.5 else numbers.tolist()


def _codes(rng: np.random.Generator, rows: int) -> list[Any]:
    return [f"{n:05d}" for n in rng.choice([1067, 10115, 20095, 80331], rows)]


def _sentinels(rng: np.random.Generator, rows: int) -> list[Any]:
    codes = rng.choice([-99, 999, -1, 9999])
    return np.where(rng.random(rows) < 0.1, codes, rng.integers(18, 90, rows)).tolist()


def _huge_and_tiny(rng: np.random.Generator, rows: int) -> list[Any]:
    return (rng.normal(size=rows) * float(rng.choice([1e300, 1e-300, 1e15]))).tolist()


def _with_infinity(rng: np.random.Generator, rows: int) -> list[Any]:
    return np.where(rng.random(rows) < 0.1, np.inf, rng.normal(size=rows)).tolist()


def _some_strange(rng: np.random.Generator, rows: int) -> list[Any]:
    """Numbers with a few cells of any kind."""
    cells: list[Any] = rng.normal(size=rows).round(2).tolist()
    for k in np.flatnonzero(rng.random(rows) < rng.choice([0.01, 0.1])):
        cells[k] = _STRANGE[int(rng.integers(len(_STRANGE)))]
    return cells


def _all_strange(rng: np.random.Generator, rows: int) -> list[Any]:
    return [_STRANGE[k] for k in rng.integers(len(_STRANGE), size=rows)]


def _characters(rng: np.random.Generator, rows: int) -> list[Any]:
    """Random characters of all planes."""
    sizes = rng.integers(0, 8, rows)
    points = [
        rng.choice([rng.integers(32, 127), rng.integers(160, 0xD800), rng.integers(0x10000, 0x1F800)]) for _ in sizes
    ]
    return ["".join(chr(int(p) + k) for k in range(n)) for n, p in zip(sizes.tolist(), points, strict=True)]


def _prose(rng: np.random.Generator, rows: int) -> list[Any]:
    return [f"on day {k} the patient felt {'well' if k % 3 else 'tired, but better'}" for k in range(rows)]


def _lists_of_answers(rng: np.random.Generator, rows: int) -> list[Any]:
    options = ("bus", "train", "car")
    return [", ".join(o for o in options if rng.random() < 0.5) for _ in range(rows)]


COLUMNS: dict[str, Callable[[np.random.Generator, int], list[Any]]] = {
    "numbers": _normal,
    "rounded numbers": _rounded,
    "counts": _counts,
    "booleans": _booleans,
    "constant": _constant,
    "nearly constant": _nearly_constant,
    "empty": _empty,
    "scale": _scale,
    "words": _words,
    "dates": _dates,
    "times": _times,
    "timestamps": _timestamps,
    "durations": _durations,
    "currency": _currency,
    "percent": _percent,
    "decimal comma": _decimal_comma,
    "with unit": _with_unit,
    "numbers as text": _numbers_as_text,
    "counter": _counter,
    "identifier": _identifier,
    "codes": _codes,
    "sentinels": _sentinels,
    "huge and tiny": _huge_and_tiny,
    "with infinity": _with_infinity,
    "some strange cells": _some_strange,
    "only strange cells": _all_strange,
    "characters": _characters,
    "prose": _prose,
    "lists of answers": _lists_of_answers,
}
"""Every kind of column by name."""


def wild_column(kind: str, rng: np.random.Generator, rows: int) -> list[Any]:
    """Return the cells of a column of that kind."""
    return COLUMNS[kind](rng, rows)
