"""One column of anything to one column of numbers, with the rule in words (docs/tables.md lists the rules).

Shapes: N rows. Values are (N,) float64 with NaN where unobserved.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pyarrow as pa

from foundcause.data.arrow import to_series
from foundcause.data.dates import DigitStyle, days, tell_odd_days
from foundcause.data.epochs import EpochStyle
from foundcause.data.gaps import tell_lone_value
from foundcause.data.numbers import Decimal
from foundcause.data.numeric import count_different, encode_numbers
from foundcause.data.reading import Codes, Encoded, Reading, shorten
from foundcause.data.words import encode_texts, encode_texts_as_before

_ANY_DECIMAL = Decimal()
_TRUTH = Codes(numbers={"false": 0.0, "0": 0.0, "0.0": 0.0, "true": 1.0, "1": 1.0, "1.0": 1.0})


def encode_column(
    name: str,
    column: pd.Series,
    *,
    nominal: bool = False,
    decimal: Decimal = _ANY_DECIMAL,
    reading: Reading | None = None,
) -> Encoded:
    """Turn a column of any type into numbers.

    nominal: its cells are categories without an order, whatever they look like.
    decimal: the decimal mark of the table, for numbers in text.
    reading: how the column was read in another table, when it is to be read alike.
    """
    column = _with_plain_type(column)
    if reading is not None:
        return _encode_as_before(name, column, reading, nominal=nominal)
    if nominal:
        return _encode_codes(name, column, decimal)
    if isinstance(column.dtype, pd.CategoricalDtype):
        return _encode_category(name, column, decimal)
    if pd.api.types.is_bool_dtype(column.dtype):
        values = column.astype("object").map({True: 1.0, False: 0.0}).to_numpy(dtype=float, na_value=np.nan)
        seen = set(values[~np.isnan(values)])
        notes = tell_lone_value(name, str(bool(seen.pop())), values) if len(seen) == 1 else ()
        return Encoded(values=values, kind="binary", encoding="false=0, true=1", notes=notes, style=_TRUTH)
    return _encode_plain(name, column) or _encode_objects(name, column, decimal)


def _with_plain_type(column: pd.Series) -> pd.Series:
    """Times of Arrow, and durations among Python objects, as pandas' own types."""
    if isinstance(column.dtype, pd.ArrowDtype) and pa.types.is_temporal(column.dtype.pyarrow_dtype):
        return to_series(pa.array(column))
    if column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) in ("timedelta", "timedelta64"):
        return pd.to_timedelta(column, errors="coerce")
    return column


def _encode_as_before(name: str, column: pd.Series, reading: Reading, *, nominal: bool) -> Encoded:
    plain = None if isinstance(reading.style, Codes | DigitStyle | EpochStyle) else _encode_plain(name, column)
    if plain is not None:
        return dataclasses.replace(plain, kind=reading.kind, style=reading.style)
    codes = nominal or reading.kind == "nominal"
    texts = [_label(cell) if codes else _text(cell) for cell in column.astype(object)]
    return encode_texts_as_before(name, pd.Series(texts, dtype=object), reading)


def _encode_plain(name: str, column: pd.Series) -> Encoded | None:
    """Columns whose type says what their cells mean; None for all others."""
    dtype = column.dtype
    if pd.api.types.is_complex_dtype(dtype):
        note = f"column {name!r} holds complex numbers; only their absolute value is used"
        return encode_numbers(name, np.abs(column.to_numpy()), (note,))
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype):
        values = column.to_numpy(dtype=float, na_value=np.nan)
        return encode_numbers(name, values, different=count_different(column, values))
    if isinstance(dtype, pd.PeriodDtype):
        column, dtype = column.dt.to_timestamp(), np.dtype("datetime64[ns]")
    if pd.api.types.is_datetime64_any_dtype(dtype):
        values = days(column)
        return Encoded(values=values, kind="date", encoding="days since 1970-01-01", notes=tell_odd_days(name, values))
    if pd.api.types.is_timedelta64_dtype(dtype):
        return Encoded(values=_without_infinity(column.dt.total_seconds()), kind="continuous", encoding="seconds")
    if isinstance(dtype, pd.IntervalDtype):
        return _encode_intervals(column)
    return None


def _encode_intervals(column: pd.Series) -> Encoded:
    middle = pd.to_numeric(column.map(lambda cell: cell.mid), errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    if not np.isinf(middle).any():
        return Encoded(values=middle, kind="ordinal", encoding="middle of the interval")
    places, _ = pd.factorize(column, sort=True)
    return Encoded(values=np.where(places < 0, np.nan, places), kind="ordinal", encoding="place of the interval")


def _encode_category(name: str, column: pd.Series, decimal: Decimal) -> Encoded:
    categories = column.cat.categories
    codes = column.cat.codes.to_numpy().astype(float)
    codes[codes < 0] = np.nan
    # Ordered numbers keep their distances, unless they are declared in another order than their own.
    if column.cat.ordered and not (
        pd.api.types.is_numeric_dtype(categories.dtype) and categories.is_monotonic_increasing
    ):
        words = [_text(category) or "" for category in categories]
        numbers = {word: float(k) for k, word in enumerate(words)}
        style = Codes(numbers={word.casefold(): k for word, k in numbers.items()} | numbers)
        return Encoded(values=codes, kind="ordinal", encoding=" < ".join(map(shorten, words[:12])), style=style)
    plain = pd.Series(categories.to_numpy(dtype=object), dtype=object).reindex(
        np.where(np.isnan(codes), -1, codes).astype(int)
    )
    if not column.cat.ordered and _are_codes(categories.to_numpy()[np.unique(codes[~np.isnan(codes)]).astype(int)]):
        return _encode_codes(name, plain, decimal)
    return _encode_objects(name, plain.infer_objects() if len(plain) else plain, decimal)


def _encode_codes(name: str, column: pd.Series, decimal: Decimal) -> Encoded:
    return encode_texts(name, pd.Series([_label(cell) for cell in column], dtype=object), decimal, nominal=True)


def _are_codes(categories: np.ndarray) -> bool:
    """Whether whole numbers were made categories, which nobody does with amounts; two of them need no order."""
    numbers = pd.api.types.is_numeric_dtype(categories.dtype) and not pd.api.types.is_bool_dtype(categories.dtype)
    return numbers and len(categories) > 2 and bool((categories == np.round(categories)).all())


def _encode_objects(name: str, column: pd.Series, decimal: Decimal) -> Encoded:
    """Cells of mixed Python types."""
    if column.dtype != object and not pd.api.types.is_string_dtype(column.dtype):
        return encode_column(name, column) if _is_plain(column) else encode_texts(name, column.astype(str), decimal)
    cells = column.to_numpy(dtype=object)
    return encode_texts(name, pd.Series([_text(cell) for cell in cells], dtype=object), decimal)


def _is_plain(column: pd.Series) -> bool:
    kinds = (pd.api.types.is_numeric_dtype, pd.api.types.is_datetime64_any_dtype, pd.api.types.is_timedelta64_dtype)
    return any(is_kind(column.dtype) for is_kind in kinds)


def _text(cell: object) -> str | None:
    if cell is None or cell is pd.NaT or cell is pd.NA:
        return None
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, bytes):
        return cell.decode("utf-8", errors="replace").strip()
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if isinstance(cell, float | np.floating):
        return None if np.isnan(cell) else repr(float(cell))
    return str(cell).strip()


def _label(cell: object) -> str | None:
    """A category's name; 3.0 is called '3', as a column of whole numbers with a gap holds it."""
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))
    return _text(cell)


def _without_infinity(column: pd.Series) -> np.ndarray:
    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    return np.where(np.isfinite(values), values, np.nan)
