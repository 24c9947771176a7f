"""One column of anything to one column of numbers, with the rule in words (docs/tables.md lists the rules).

Shapes: N rows. Values are (N,) float64 with NaN where unobserved.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from foundcause.columns import Kind
from foundcause.table.numbers import Decimal, read_numbers
from foundcause.table.vocabulary import NEGATIVE, POSITIVE, is_missing, known_order

_NUMERIC_SHARE = 0.95  # below this share of readable numbers (or dates) a text column is text,
_LEAST_SHARE, _LEAST_SHARE_MANY = 0.8, 0.5  # unless all else are few words beside few or many different numbers
_FEW_WORDS, _MANY_NUMBERS, _SHORT_SCALE = 5, 20, 12
_COUNT_LIMIT = 1e6
_DATE_SHAPE = re.compile(
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?(Z|UTC|[+-]\d{2}:?\d{2}))?)?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}(,?[T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[AaPp][Mm])?)?"
    r"|\d{1,2}[- ][A-Za-z]{3,9}[- ,]+\d{2,4}|[A-Za-z]{3,9} \d{1,2},? \d{4}"
)
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(?: ?([ap])\.?m\.?)?", re.IGNORECASE)
_BOUND = re.compile(r"([<>≤≥]=?\s*[-+]?[\d.,]*\d|[-+]?[\d.,]*\d\s*\+)(\s*\S{0,10})?")
_CODES_FOR_MISSING = (  # -99, 99, -999, ..., and the ends of 32-bit numbers
    *(sign * (10.0**k - 1) for sign in (-1, 1) for k in range(2, 16)),
    -(2.0**31),
    2.0**31 - 1,
)


_ANY_DECIMAL = Decimal()


@dataclass(frozen=True, kw_only=True)
class Encoded:
    """A column as numbers.

    values: (N,) float64, NaN where unobserved.
    kind, encoding: as in ``ColumnInfo``.
    notes: sentences for the result's warnings; each names the column.
    was_text: whether cells were words, so that nearly all-distinct cells mean an identifier.
    codes: the number of each word, small letters throughout, where words became codes.
    """

    values: np.ndarray
    kind: Kind
    encoding: str
    notes: tuple[str, ...] = ()
    was_text: bool = False
    codes: Mapping[str, float] = field(default_factory=dict)


def encode_column(
    name: str,
    column: pd.Series,
    *,
    nominal: bool = False,
    decimal: Decimal = _ANY_DECIMAL,
    codes: Mapping[str, float] | None = None,
) -> Encoded:
    """Turn a column of any type into numbers.

    nominal: its cells are categories without an order, whatever they look like.
    decimal: the decimal mark of the table, for numbers in text.
    codes: the number of each word, when it was settled by another table; other words are missing cells.
    """
    dtype = column.dtype
    if codes:
        texts = [_label(cell) if nominal else _text(cell) for cell in column.astype(object)]
        values = np.array([np.nan if text is None else codes.get(text.casefold(), np.nan) for text in texts])
        return Encoded(values=values, kind="nominal", encoding="as before", was_text=True, codes=codes)
    if nominal:
        return _encode_texts(name, pd.Series([_label(cell) for cell in column], dtype=object), decimal, nominal=True)
    if isinstance(dtype, pd.CategoricalDtype):
        return _encode_category(name, column, decimal)
    if pd.api.types.is_bool_dtype(dtype):
        values = column.astype("object").map({True: 1.0, False: 0.0}).to_numpy(dtype=float, na_value=np.nan)
        return Encoded(values=values, kind="binary", encoding="false=0, true=1")
    if pd.api.types.is_complex_dtype(dtype):
        note = f"column {name!r} holds complex numbers; only their absolute value is used"
        return _encode_numbers(name, np.abs(column.to_numpy()), [note])
    if pd.api.types.is_numeric_dtype(dtype):
        return _encode_numbers(name, column.to_numpy(dtype=float, na_value=np.nan), [])
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return _encode_dates(column)
    if pd.api.types.is_timedelta64_dtype(dtype):
        return Encoded(values=_without_infinity(column.dt.total_seconds()), kind="continuous", encoding="seconds")
    if isinstance(dtype, pd.PeriodDtype):
        return _encode_dates(column.dt.to_timestamp())
    if isinstance(dtype, pd.IntervalDtype):
        return Encoded(
            values=_without_infinity(column.map(lambda cell: cell.mid)),
            kind="ordinal",
            encoding="middle of the interval",
        )
    return _encode_objects(name, column, decimal)


def _encode_numbers(name: str, values: np.ndarray, notes: list[str], encoding: str = "as is") -> Encoded:
    values = np.array(values, dtype=float)
    infinite = np.isinf(values)
    if infinite.any():
        notes = [*notes, f"column {name!r}: {int(infinite.sum())} infinite cells are treated as missing"]
        values[infinite] = np.nan
    seen = np.unique(values[np.isfinite(values)])
    kind: Kind = "continuous"
    if len(seen) == 2:
        kind = "binary"
    elif len(seen) and (seen == np.round(seen)).all() and np.abs(seen).max() < _COUNT_LIMIT:
        kind = "count"
    return Encoded(values=values, kind=kind, encoding=encoding, notes=(*notes, *_suspicious_codes(name, values, seen)))


def _suspicious_codes(name: str, values: np.ndarray, seen: np.ndarray) -> list[str]:
    """A warning when -999, 9999 or the like stands far outside all other values, and more than once."""
    found = []
    others = seen[~np.isin(seen, _CODES_FOR_MISSING)]  # two codes in a column do not hide each other
    for code in (seen[0], seen[-1]) if len(others) > 2 else ():
        times = int((values == code).sum())
        gap = np.abs(others - code).min()
        if code in _CODES_FOR_MISSING and times > 1 and gap > 2 * (others[-1] - others[0]):
            found.append(
                f"column {name!r} holds {code:.0f} in {times} rows, far from all other values; if it stands for "
                "a missing value, empty those cells"
            )
    return found


def _encode_dates(column: pd.Series, notes: tuple[str, ...] = ()) -> Encoded:
    if getattr(column.dt, "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    # Nanosecond units overflow for years outside 1678-2262; seconds reach every date.
    moments = column.to_numpy().astype("datetime64[s]")
    values = moments.astype("int64") / 86400.0
    values[np.isnat(moments)] = np.nan
    return Encoded(values=values, kind="date", encoding="days since 1970-01-01", notes=notes)


def _encode_category(name: str, column: pd.Series, decimal: Decimal) -> Encoded:
    categories = column.cat.categories
    codes = column.cat.codes.to_numpy().astype(float)
    codes[codes < 0] = np.nan
    # Ordered numbers keep their distances, unless they are declared in another order than their own.
    if column.cat.ordered and not (
        pd.api.types.is_numeric_dtype(categories.dtype) and categories.is_monotonic_increasing
    ):
        words = [str(category) for category in categories]
        return Encoded(values=codes, kind="ordinal", encoding=" < ".join(words[:12]))
    plain = pd.Series(categories.to_numpy(dtype=object), dtype=object).reindex(
        np.where(np.isnan(codes), -1, codes).astype(int)
    )
    return _encode_objects(name, plain.infer_objects() if len(plain) else plain, decimal)


def _encode_objects(name: str, column: pd.Series, decimal: Decimal) -> Encoded:
    """Cells of mixed Python types: look at each different text once."""
    if column.dtype != object and not pd.api.types.is_string_dtype(column.dtype):
        return encode_column(name, column) if _is_plain(column) else _encode_texts(name, column.astype(str), decimal)
    cells = column.to_numpy(dtype=object)
    return _encode_texts(name, pd.Series([_text(cell) for cell in cells], dtype=object), decimal)


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


def _encode_texts(name: str, texts: pd.Series, decimal: Decimal, *, nominal: bool = False) -> Encoded:
    codes, uniques = pd.factorize(texts, use_na_sentinel=True)
    words = [str(word) for word in uniques]
    missing = np.array([is_missing(word) for word in words], dtype=bool)
    nothing = np.array([word.casefold() == "none" for word in words], dtype=bool)
    if nothing.any() and not _is_scale(words, ~missing):
        missing |= nothing
    kept = np.flatnonzero(~missing)
    counts = np.bincount(codes[codes >= 0], minlength=len(words))
    if not len(kept):
        return Encoded(values=np.full(len(texts), np.nan), kind="empty", encoding="no value")
    found = [words[k] for k in kept]
    encoded = _categories(name, found, counts[kept]) if nominal else _encode_words(name, found, counts[kept], decimal)
    table = np.full(len(words) + 1, np.nan)  # the last cell answers code -1, a missing cell
    table[kept] = encoded.values
    values = table[codes]
    if encoded.kind in ("continuous", "count") and encoded.encoding != "frequency rank":
        return _encode_numbers(name, values, list(encoded.notes), encoding=encoded.encoding)
    number_of = dict(zip((word.casefold() for word in found), encoded.values.tolist(), strict=True))
    return dataclasses.replace(encoded, values=values, codes={} if encoded.kind == "date" else number_of)


def _is_scale(words: list[str], kept: np.ndarray) -> bool:
    return known_order([word for word, keep in zip(words, kept, strict=True) if keep]) is not None


def _encode_words(name: str, words: list[str], counts: np.ndarray, decimal: Decimal) -> Encoded:
    """A number for each different text; ``values`` has one entry per word."""
    encoded = _numbers(name, words, counts, decimal)
    if encoded is not None:
        return encoded
    for attempt in (_truths, _dates, _clock_times):
        encoded = attempt(name, words, counts)
        if encoded is not None:
            return encoded
    order = known_order(words)
    if order is not None:
        by_rank: dict[int, str] = {}
        for word, rank in sorted(zip(words, order, strict=True)):
            by_rank.setdefault(rank, word)
        kind: Kind = "binary" if len(by_rank) == 2 else "ordinal"
        scale = " < ".join(by_rank[rank] for rank in sorted(by_rank)[:12])
        return Encoded(values=np.array(order, dtype=float), kind=kind, encoding=scale, was_text=True)
    return _categories(name, words, counts)


def _categories(name: str, words: list[str], counts: np.ndarray) -> Encoded:
    """Codes of words without a known order: two alphabetically, more by how frequent they are."""
    folded = [word.casefold() for word in words]
    levels = sorted(set(folded))
    if len(levels) <= 2:
        position = {word: float(k) for k, word in enumerate(levels)}
        encoding = ", ".join(f"{word}={k}" for k, word in enumerate(levels))
        return Encoded(
            values=np.array([position[word] for word in folded]), kind="binary", encoding=encoding, was_text=True
        )
    total: dict[str, int] = {}
    for word, count in zip(folded, counts, strict=True):
        total[word] = total.get(word, 0) + int(count)
    ranked = sorted(total, key=lambda word: (-total[word], word))
    code = {word: float(k) for k, word in enumerate(ranked)}
    note = (
        f"column {name!r} holds {len(ranked)} categories without a known order; they are coded by how frequent they "
        f"are ({', '.join(repr(word) for word in ranked[:3])}, ... = 0, 1, 2, ...), so the shape of its relations "
        "means little"
    )
    values = np.array([code[word] for word in folded])
    return Encoded(values=values, kind="nominal", encoding="frequency rank", notes=(note,), was_text=True)


def _numbers(name: str, words: list[str], counts: np.ndarray, decimal: Decimal) -> Encoded | None:
    read = read_numbers(name, words, counts, decimal)
    readable = ~np.isnan(read.values)
    if readable.all():
        return Encoded(values=read.values, kind="continuous", encoding=read.encoding, notes=read.notes)
    strange = [word for word, ok in zip(words, readable, strict=True) if not ok]
    if not _are_numbers(words, counts, readable, strange):
        return None
    bounds = np.array([not ok and _BOUND.fullmatch(word) is not None for word, ok in zip(words, readable, strict=True)])
    notes = list(read.notes)
    for chosen, what in (
        (~readable & ~bounds, "are no numbers ({}) and are treated as missing"),
        (bounds, "only bound the value ({}) and are treated as missing; such cells are not missing at random"),
    ):
        if chosen.any():
            share = f"{int(counts[chosen].sum())} cells ({counts[chosen].sum() / counts.sum():.0%})"
            shown = ", ".join(repr(word) for word in sorted(np.array(words)[chosen].tolist())[:3])
            notes.append(f"column {name!r}: {share} " + what.format(shown))
    return Encoded(values=read.values, kind="continuous", encoding=read.encoding, notes=tuple(notes))


def _are_numbers(words: list[str], counts: np.ndarray, readable: np.ndarray, strange: list[str]) -> bool:
    """Whether a column with strange words holds numbers: nearly all cells do, or most do and few words are strange."""
    if len(words) <= _SHORT_SCALE and known_order(words) is not None:
        return False  # '0', '1', '2', '3+' are a scale
    share = counts[readable].sum() / counts.sum()
    if share >= _NUMERIC_SHARE:
        return True
    few = sum(_BOUND.fullmatch(word) is None for word in strange) <= _FEW_WORDS
    return bool(few and share >= (_LEAST_SHARE_MANY if readable.sum() > _MANY_NUMBERS else _LEAST_SHARE))


def _truths(name: str, words: list[str], counts: np.ndarray) -> Encoded | None:
    folded = [word.casefold() for word in words]
    if not all(word in POSITIVE or word in NEGATIVE for word in folded):
        return None
    values = np.array([float(word in POSITIVE) for word in folded])
    low = next((word for word in sorted(folded) if word in NEGATIVE), None)
    high = next((word for word in sorted(folded) if word in POSITIVE), None)
    encoding = ", ".join(f"{word}={k}" for k, word in ((0, low), (1, high)) if word is not None)
    return Encoded(values=values, kind="binary", encoding=encoding, was_text=True)


def _dates(name: str, words: list[str], counts: np.ndarray) -> Encoded | None:
    if not all(_DATE_SHAPE.fullmatch(word) for word in words[:50]):
        return None
    shaped = np.array([_DATE_SHAPE.fullmatch(word) is not None for word in words])
    if counts[shaped].sum() < _NUMERIC_SHARE * counts.sum():
        return None
    leading = [re.match(r"(\d{1,2})[-/.](\d{1,2})[-/.]\d{2,4}", word) for word in words]
    pairs = [(int(match[1]), int(match[2])) for match in leading if match]
    day_first = any(first > 12 for first, _ in pairs)
    notes: tuple[str, ...] = ()
    if pairs and not day_first and all(second <= 12 for _, second in pairs):
        notes = (f"column {name!r}: it cannot be told whether dates are written day or month first; month is assumed",)
    parsed = pd.to_datetime(pd.Series(words), errors="coerce", format="mixed", dayfirst=day_first, utc=True)
    good = int(counts[parsed.notna().to_numpy()].sum())
    if good < _NUMERIC_SHARE * counts.sum():
        return None
    if good < counts.sum():
        notes += (f"column {name!r}: {int(counts.sum()) - good} cells are no dates and are treated as missing",)
    return _encode_dates(parsed, notes)


def _clock_times(name: str, words: list[str], counts: np.ndarray) -> Encoded | None:
    matches = [_CLOCK.fullmatch(word) for word in words]
    if not all(matches):
        return None
    values = np.array([_minutes(*match.groups()) for match in matches if match])
    return Encoded(values=values, kind="date", encoding="minutes since midnight")


def _minutes(hour: str, minute: str, second: str | None, half: str | None) -> float:
    hours = int(hour) if half is None else int(hour) % 12 + (12 if half.lower() == "p" else 0)
    return 60.0 * hours + int(minute) + int(second or 0) / 60.0


def _without_infinity(column: pd.Series) -> np.ndarray:
    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    return np.where(np.isfinite(values), values, np.nan)
