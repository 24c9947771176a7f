"""One column of anything becomes typed numbers: where every rule of reading a cell starts.

``type_column`` looks at the type that a column has. Text goes through ``type_words``, which tries numbers, yes and no,
dates, durations and known orders in turn; what is left are categories. docs/tables.md lists the rules.
Shapes: N rows, W different words.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from foundcause.data.clock import are_full_hours, read_clock_times, read_durations
from foundcause.data.dates import (
    SINCE_1970,
    DateStyle,
    DigitStyle,
    EpochStyle,
    days,
    days_of_digits,
    find_epoch,
    read_dates,
)
from foundcause.data.missing import (
    find_gaps,
    lone_value,
    missing_codes,
    missing_days,
    missing_words,
    perhaps_missing_words,
)
from foundcause.data.numbers import Decimal, NumberStyle, different_units, read_numbers
from foundcause.data.scales import are_perhaps_codes, find_scale, known_order, known_truth
from foundcause.data.stores import arrow_series
from foundcause.data.table import Kind
from foundcause.data.typed import Codes, Typed, examples, is_text, note, shorten
from foundcause.data.vocabulary import fold, is_missing
from foundcause.findings import Finding

_COUNT_LIMIT = 1e6
_LEAST_DATES = 5
_EXACT = 2.0**53  # float64 holds every whole number up to here
_NUMERIC_SHARE = 0.95  # below this share of readable numbers a text column is text,
_LEAST_SHARE, _LEAST_SHARE_MANY = 0.8, 0.5  # unless all else are few words beside few or many different numbers
_FEW_WORDS, _MANY_NUMBERS, _SHORT_SCALE = 5, 20, 12
_MOSTLY = 2 / 3
_SHOWN_STEPS = 12
_CODE_DIGITS = 4
_BOUND = re.compile(r"([<>≤≥]=?\s*[-+]?[\d.,]*\d|[-+]?[\d.,]*\d\s*\+)(\s*\S{0,10})?")
_LEADING_ZERO, _WITH_LETTER = re.compile(r"0\d+"), re.compile(r"\d+[A-Z]")
_FORMULA = re.compile(r'="(.*)"', re.DOTALL)  # guards a cell against a spreadsheet, as does an apostrophe
_APOSTROPHE = re.compile(r"'([-+=]?[\d.,]+)")
_LABELED = re.compile(
    r"(?P<number>[-+]?\d{1,3})(?:\s*[-\u2013\u2014=:.)]\s+(?P<label>[^\W\d].*)|\s*\((?P<enclosed>[^\W\d].*)\))?"
)
_LIST = re.compile(r"[1-9]\d?(?:,\s?[1-9]\d?)+")
_TWO_NUMBERS = re.compile(r"\d+(?:[.,]\d+)?\s*[/x×:|]\s*\d+(?:[.,]\d+)?")  # a blood pressure, a size
_PART = r"[-+−–]?\d+(?:[.,]\d+)?"
_SEVERAL_NUMBERS = re.compile(
    rf"[NSEWO]?\s*{_PART}\s*[°º].*|[(\[]?{_PART}\s*[,;]\s*{_PART}[)\]]?"  # a place
    rf"|{_PART}\s*(?:±|\+/?-)\s*{_PART}|{_PART}\s*[(\[]{_PART}(?:\s*(?:[-–,;]|to)\s*{_PART})?[)\]]"  # an estimate
    r"|\d{1,3}\s?['’′]\s?\d{1,2}\s?(?:[\"”″]|'')?"  # feet and inches
)
_TRUTH = Codes(numbers={"false": 0.0, "0": 0.0, "0.0": 0.0, "true": 1.0, "1": 1.0, "1.0": 1.0})
_ANY_DECIMAL = Decimal()


def type_column(
    name: str,
    column: pd.Series,
    *,
    nominal: bool = False,
    decimal: Decimal = _ANY_DECIMAL,
    like: Typed | None = None,
) -> Typed:
    """Turn a column of any type into typed numbers.

    Parameters
    ----------
    name : str
        Its name, which decides what some numbers mean.
    column : Series of shape (N,)
        Cells of any type.
    nominal : bool
        Whether its cells are categories without an order, whatever they look like.
    decimal : Decimal
        The decimal mark of the table, for numbers in text.
    like : Typed or None
        The column of another table whose words, dates and numbers mean the same here.

    Returns
    -------
    Typed
        The numbers, and how they came about.
    """
    column = _with_plain_type(column)
    if like is not None:
        return _type_like(name, column, like, nominal=nominal)
    if nominal:
        return type_words(name, [_label(cell) for cell in column], decimal, nominal=True)
    if isinstance(column.dtype, pd.CategoricalDtype):
        return _type_category(name, column, decimal)
    if pd.api.types.is_bool_dtype(column.dtype):
        values = column.astype("object").map({True: 1.0, False: 0.0}).to_numpy(dtype=float, na_value=np.nan)
        seen = set(values[~np.isnan(values)])
        findings = tuple(lone_value(name, str(bool(seen.pop())), values)) if len(seen) == 1 else ()
        labels = {0.0: "false", 1.0: "true"}
        return Typed(
            values=values, kind="binary", encoding="false=0, true=1", findings=findings, style=_TRUTH, labels=labels
        )
    typed = _type_plain(name, column)
    return typed or type_words(name, [_text(cell) for cell in column.astype(object)], decimal)


def type_numbers(name: str, values: np.ndarray, *, like: Typed | None = None, n_integers: int | None = None) -> Typed:
    """Turn numbers (N,) into a typed column. ``like`` has the findings, encoding and style of numbers in text."""
    values = np.array(values, dtype=float)
    typed = like or Typed(values=values, kind="continuous")
    findings = list(typed.findings)
    infinite = np.isinf(values)
    if infinite.any():
        findings.append(note("infinite-cells", name, cells=int(infinite.sum())))
        values[infinite] = np.nan
    seen = np.unique(values[np.isfinite(values)])
    # Hardly one number in thirty is a date by chance.
    if len(seen) >= _LEAST_DATES and np.isfinite(days_of_digits(seen)).all():
        values = days_of_digits(values)
        findings += [note("digits-as-dates", name, word=f"{seen[0]:.0f}"), *missing_days(name, values)]
        return Typed(values=values, kind="date", encoding=SINCE_1970, findings=tuple(findings), style=DigitStyle())
    if epoch := find_epoch(name, seen, numbers=typed.style):
        first = np.datetime64(round(float(epoch.days(seen[:1])[0]) * 86_400), "s").astype(object)
        findings.append(note("numbers-as-dates", name, word=f"{seen[0]:.15g}", unit=epoch.unit, date=str(first)))
        return Typed(values=epoch.days(values), kind="date", encoding=SINCE_1970, findings=tuple(findings), style=epoch)
    kind: Kind = "continuous"
    if len(seen) == 2:
        kind = "binary"
    elif len(seen) and (seen == np.round(seen)).all() and np.abs(seen).max() < _COUNT_LIMIT:
        kind = "count"
    if len(seen) == 1:
        findings += lone_value(name, f"{seen[0]:.10g}", values)
    if n_integers is not None and n_integers > len(seen):
        findings.append(note("rounded-integers", name, different=n_integers, kept=len(seen)))
    findings += missing_codes(name, values)
    return dataclasses.replace(typed, values=values, kind=kind, findings=tuple(findings), n_integers=n_integers)


def type_words(name: str, cells: Sequence[str | None], decimal: Decimal, *, nominal: bool = False) -> Typed:
    """Turn cells of text (None where missing) into a typed column; with ``nominal`` they are categories."""
    cells, guards = _without_guards(name, cells)
    places, words = _factorize(cells)
    counts = np.bincount(places[places >= 0], minlength=len(words))

    def known(chosen: np.ndarray) -> Typed | None:
        kept = [words[k] for k in np.flatnonzero(chosen)]
        return None if nominal else _known(name, kept, counts[chosen], decimal)

    gaps = find_gaps(words, lambda chosen: known(chosen) is None)
    findings = [*guards, *missing_words(name, words, counts, gaps)]
    if gaps.all():
        values = np.full(len(cells), np.nan)
        return Typed(
            values=values, kind="empty", encoding="no value", findings=tuple(findings), style=Codes(numbers={})
        )
    kept = [words[k] for k in np.flatnonzero(~gaps)]
    typed = known(~gaps)
    if typed is None:
        typed = _categories(name, kept, counts[~gaps])
        if typed.kind == "nominal" and not nominal:
            findings = [*_hidden_numbers(name, kept, counts[~gaps], decimal), *findings]
        findings = [*perhaps_missing_words(name, words, counts, gaps), *findings]
    of_word = np.append(np.full(len(words), np.nan), np.nan)  # the last entry answers place -1, a missing cell
    of_word[np.flatnonzero(~gaps)] = typed.values
    values = of_word[places]
    if isinstance(typed.style, NumberStyle):
        different = count_integers(pd.Series(kept, dtype=object), typed.values)
        typed = dataclasses.replace(typed, findings=(*guards, *typed.findings))
        return type_numbers(name, values, like=typed, n_integers=different)
    if isinstance(typed.style, DateStyle):
        findings += missing_days(name, values)
    if len(np.unique(typed.values[~np.isnan(typed.values)])) == 1:
        findings += lone_value(name, kept[0], values)
    return dataclasses.replace(typed, values=values, findings=(*typed.findings, *findings))


def count_integers(cells: pd.Series, values: np.ndarray) -> int | None:
    """Return how many different whole numbers cells hold (int, or digits as text); None while float64 can tell."""
    long = np.abs(values) > _EXACT
    if not long.any():
        return None
    whole = pd.Series(cells[long].astype(str)).str.fullmatch(r"[-+]?\d+")
    return int(cells[np.isfinite(values)].nunique()) if whole.all() else None


# ---- types that say what their cells mean ----------------------------------------------------------------------------


def _with_plain_type(column: pd.Series) -> pd.Series:
    """Return times of Arrow, and durations among Python objects, as pandas' own types."""
    if isinstance(column.dtype, pd.ArrowDtype) and column.dtype.kind in "mMO":
        return arrow_series(column.array.__arrow_array__())
    if column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) in ("timedelta", "timedelta64"):
        return pd.to_timedelta(column, errors="coerce")
    return column


def _type_plain(name: str, column: pd.Series) -> Typed | None:
    """Return columns whose type says what their cells mean; None for all others."""
    dtype = column.dtype
    if pd.api.types.is_complex_dtype(dtype):
        typed = type_numbers(name, np.abs(column.to_numpy()))
        return dataclasses.replace(typed, findings=(note("complex-numbers", name), *typed.findings))
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype):
        values = column.to_numpy(dtype=float, na_value=np.nan)
        return type_numbers(name, values, n_integers=count_integers(column, values))
    if isinstance(dtype, pd.PeriodDtype):
        column, dtype = column.dt.to_timestamp(), np.dtype("datetime64[ns]")
    if pd.api.types.is_datetime64_any_dtype(dtype):
        values = days(column)
        return Typed(values=values, kind="date", encoding=SINCE_1970, findings=tuple(missing_days(name, values)))
    if pd.api.types.is_timedelta64_dtype(dtype):
        seconds = pd.to_numeric(column.dt.total_seconds(), errors="coerce").to_numpy(dtype=float, na_value=np.nan)
        return Typed(values=np.where(np.isfinite(seconds), seconds, np.nan), kind="continuous", encoding="seconds")
    if isinstance(dtype, pd.IntervalDtype):
        return _type_intervals(column)
    return None


def _type_intervals(column: pd.Series) -> Typed:
    middle = pd.to_numeric(column.map(lambda cell: cell.mid), errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    if not np.isinf(middle).any():
        return Typed(values=middle, kind="ordinal", encoding="middle of the interval")
    places, _ = pd.factorize(column, sort=True)
    return Typed(values=np.where(places < 0, np.nan, places), kind="ordinal", encoding="rank of the interval")


def _type_category(name: str, column: pd.Series, decimal: Decimal) -> Typed:
    categories = column.cat.categories
    codes = column.cat.codes.to_numpy().astype(float)
    codes[codes < 0] = np.nan
    numeric = pd.api.types.is_numeric_dtype(categories.dtype) and not pd.api.types.is_bool_dtype(categories.dtype)
    # Ordered numbers keep their distances, unless they are declared in another order than their own.
    if column.cat.ordered and not (numeric and categories.is_monotonic_increasing):
        words = [_text(category) or "" for category in categories]
        numbers = {word: float(k) for k, word in enumerate(words)}
        style = Codes(numbers={word.casefold(): k for word, k in numbers.items()} | numbers)
        encoding = " < ".join(map(shorten, words[:_SHOWN_STEPS]))
        return Typed(values=codes, kind="ordinal", encoding=encoding, style=style, labels=dict(enumerate(words)))
    positions = np.where(np.isnan(codes), -1, codes).astype(int)
    plain = pd.Series(categories.to_numpy(dtype=object), dtype=object).reindex(positions)
    seen = categories.to_numpy()[np.unique(positions[positions >= 0])]
    # Nobody makes categories of whole numbers that are amounts; two of them need no order.
    if not column.cat.ordered and numeric and len(seen) > 2 and bool((seen == np.round(seen)).all()):
        return type_words(name, [_label(cell) for cell in plain], decimal, nominal=True)
    if len(plain) and not is_text(pd.Series(categories[:1])):
        plain = plain.infer_objects()
    return _type_plain(name, plain) or type_words(name, [_text(cell) for cell in plain], decimal)


def _type_like(name: str, column: pd.Series, like: Typed, *, nominal: bool) -> Typed:
    """Return a column as another table's was read; words that were never seen or are written otherwise are missing."""
    typed = None if isinstance(like.style, Codes | DigitStyle | EpochStyle) else _type_plain(name, column)
    if typed is not None or like.style is None:
        typed = typed or _type_plain(name, column) or type_column(name, column, nominal=nominal)
        return dataclasses.replace(typed, kind=like.kind, style=like.style)
    as_label = nominal or like.kind == "nominal"
    cells, _ = _without_guards(name, [_label(cell) if as_label else _text(cell) for cell in column.astype(object)])
    places, words = _factorize(cells)
    of_word = like.style.read(words) if words else np.zeros(0)
    strange = np.isnan(of_word) & ~np.array([is_missing(word) for word in words], dtype=bool)
    findings: tuple[Finding, ...] = ()
    if strange.any():
        odd = examples(words[k] for k in np.flatnonzero(strange))
        cells_hit = int(np.isin(places, np.flatnonzero(strange)).sum())
        findings = (note("unseen-words", name, words=odd, cells=cells_hit, encoding=like.encoding),)
    values = np.append(of_word, np.nan)[places]
    values[np.isinf(values)] = np.nan
    return dataclasses.replace(like, values=values, findings=findings)


# ---- words -----------------------------------------------------------------------------------------------------------


def _known(name: str, words: list[str], counts: np.ndarray, decimal: Decimal) -> Typed | None:
    """Return a number for each different word, ``values`` (W,), when its meaning is known; None for categories."""
    return (
        _labeled_numbers(name, words)
        or _numbers(name, words, counts, decimal)
        or _ranks(name, [word.casefold() for word in words], known_truth(words), "{}={}", ", ")
        or read_dates(name, words, counts, decimal_commas=decimal.mark == ",")
        or read_durations(name, words, counts)
        or read_clock_times(name, words, counts)
        or _ordered(name, words, known_order(words, decimal))
        or _mostly_ordered(name, words, counts)
    )


def _numbers(name: str, words: list[str], counts: np.ndarray, decimal: Decimal) -> Typed | None:
    # Where '01' stands beside '2A', that is no 2 with a unit; departments of France are numbered so.
    codes = any(map(_LEADING_ZERO.fullmatch, words)) and any(map(_WITH_LETTER.fullmatch, words))
    if codes or _are_lists(words, points=decimal.points) or are_full_hours(words):
        return None
    written = read_numbers(name, words, counts, decimal)
    readable = ~np.isnan(written.values)
    findings = [*written.findings]
    zeros = [word for word in words if word.startswith("0")]
    if zeros and len({len(word) for word in words}) == 1 and len(words[0]) >= _CODE_DIGITS and _all_digits(words):
        findings.append(note("leading-zeros", name, fix="nominal", word=zeros[0]))
    if decimal.points and written.style.marks.commas == "decimal":
        findings.append(note("mixed-decimal-marks", name, word=next(word for word in words if "," in word)))
    if not readable.all():
        if not _are_numbers(words, counts, readable, decimal):
            return None
        bounds = ~readable & np.array([_BOUND.fullmatch(word) is not None for word in words])
        for code, chosen in (("strange-cells", ~readable & ~bounds), ("bounded-cells", bounds)):
            if chosen.any():
                odd = examples(words[k] for k in np.flatnonzero(chosen))
                findings.append(note(code, name, words=odd, cells=int(counts[chosen].sum()), what="numbers"))
    return Typed(
        values=written.values,
        kind="continuous",
        encoding=written.encoding,
        findings=tuple(findings),
        style=written.style,
    )


def _are_numbers(words: list[str], counts: np.ndarray, readable: np.ndarray, decimal: Decimal) -> bool:
    """Return whether a column with strange words holds numbers: nearly all cells do, or most and few are strange."""
    if len(words) <= _SHORT_SCALE and known_order(words, decimal) is not None:
        return False  # '0', '1', '2', '3+' are a scale
    if readable.sum() < 2:
        return False  # '0' and 'n' are two words
    share = counts[readable].sum() / counts.sum()
    if share >= _NUMERIC_SHARE:
        return True
    few = sum(_BOUND.fullmatch(words[k]) is None for k in np.flatnonzero(~readable)) <= _FEW_WORDS
    return bool(few and share >= (_LEAST_SHARE_MANY if readable.sum() > _MANY_NUMBERS else _LEAST_SHARE))


def _labeled_numbers(name: str, words: list[str]) -> Typed | None:
    """Return the number of each word when some are bare numbers and the others the same with a label; else None.

    Numbers and labels must all differ: '5' beside '5 (estimated)' is no step of a scale.
    """
    matches = [match for match in map(_LABELED.fullmatch, words) if match]
    labels = [label.casefold() for match in matches if (label := match["label"] or match["enclosed"])]
    if len(matches) < len(words) or not 0 < len(labels) < len(words) or len(set(labels)) < len(labels):
        return None
    numbers = [float(match["number"]) for match in matches]
    if len(set(numbers)) < len(words):
        return None
    style = Codes(numbers=dict(zip(words, numbers, strict=True)) | {f"{number:.0f}": number for number in numbers})
    return Typed(values=np.array(numbers), kind="count", encoding="number before the label", style=style)


def _ranks(name: str, words: list[str], ranks: list[int] | None, step: str, between: str) -> Typed | None:
    """Return words in a known order; the encoding shows the ``step`` of each rank, and all spellings that share one."""
    if ranks is None:
        return None
    spellings: dict[int, dict[str, str]] = {}
    for word, rank in sorted(zip(words, ranks, strict=True)):
        spellings.setdefault(rank, {}).setdefault(fold(word), word)
    merged = [list(map(shorten, group.values())) for group in spellings.values() if len(group) > 1]
    findings = (note("merged-spellings", name, fix="nominal", words=merged[0]),) if merged else ()
    labels = {float(rank): "/".join(map(shorten, spellings[rank].values())) for rank in sorted(spellings)}
    encoding = between.join(step.format(word, f"{rank:.0f}") for rank, word in [*labels.items()][:_SHOWN_STEPS])
    kind: Kind = "binary" if len(spellings) == 2 else "ordinal"
    return _coded(words, np.array(ranks, dtype=float), kind, encoding, labels, findings)


def _ordered(name: str, words: list[str], ranks: list[int] | None) -> Typed | None:
    """Return words of a scale; numbers before answers may be codes without an order."""
    typed = _ranks(name, words, ranks, "{}", " < ")
    if typed is None or not are_perhaps_codes(words):
        return typed
    about = note("ordered-by-number", name, fix="nominal", words=examples(words, most=2))
    return dataclasses.replace(typed, findings=(*typed.findings, about))


def _mostly_ordered(name: str, words: list[str], counts: np.ndarray) -> Typed | None:
    """Return words of a scale beside few cells that hold something else."""
    chosen = find_scale(words, counts)
    if chosen is None:
        return None
    steps = [words[k] for k in np.flatnonzero(chosen)]
    typed = _ordered(name, steps, known_order(steps))
    if typed is None:
        return None
    values = np.full(len(words), np.nan)
    values[chosen] = typed.values
    odd = examples(words[k] for k in np.flatnonzero(~chosen))
    about = note("strange-cells", name, words=odd, cells=int(counts[~chosen].sum()), what="steps of the scale")
    return dataclasses.replace(typed, values=values, findings=(*typed.findings, about))


def _categories(name: str, words: list[str], counts: np.ndarray) -> Typed:
    """Return codes of words without a known order, by how frequent they are: of two, the rarer is 1."""
    total: dict[str, int] = {}
    spelled: dict[str, str] = {}
    for word, count in sorted(zip(words, counts, strict=True), key=lambda pair: -pair[1]):
        total[word.casefold()] = total.get(word.casefold(), 0) + int(count)
        spelled.setdefault(word.casefold(), word)
    ranked = sorted(total, key=lambda word: (-total[word], word))
    code = {word: float(k) for k, word in enumerate(ranked)}
    values = np.array([code[word.casefold()] for word in words])
    labels = {float(k): spelled[word] for k, word in enumerate(ranked)}
    if len(ranked) <= 2:
        encoding = ", ".join(f"{shorten(word)}={k}" for k, word in enumerate(ranked))
        return _coded(words, values, "binary", encoding, labels)
    about = note("nominal-codes", name, categories=len(ranked), words=examples(ranked, most=3))
    return _coded(words, values, "nominal", "frequency rank", labels, (about,))


def _coded(
    words: Sequence[str],
    values: np.ndarray,
    kind: Kind,
    encoding: str,
    labels: dict[float, str],
    findings: tuple[Finding, ...] = (),
) -> Typed:
    style = Codes(numbers=dict(zip((word.casefold() for word in words), values.tolist(), strict=True)))
    return Typed(values=values, kind=kind, encoding=encoding, findings=findings, style=style, labels=labels)


def _hidden_numbers(name: str, words: list[str], counts: np.ndarray, decimal: Decimal) -> list[Finding]:
    """Return a finding about words that hold numbers which cannot be used as they are written."""
    if _are_lists(words, points=True):
        return [note("lists-of-answers", name, word=next(word for word in words if "," in word))]
    if units := different_units(words):
        return [note("several-units", name, units=examples(units))]
    nearly_all = _NUMERIC_SHARE * len(words)
    if sum(bool(_TWO_NUMBERS.fullmatch(word) or _SEVERAL_NUMBERS.fullmatch(word)) for word in words) >= nearly_all:
        return [note("several-numbers", name, word=shorten(words[0]))]
    readable = np.isfinite(read_numbers(name, words, counts, decimal).values)
    share = counts[readable].sum() / counts.sum()
    if share < _MOSTLY or readable.sum() <= _MANY_NUMBERS:
        return []
    often = sorted(np.flatnonzero(~readable), key=lambda k: (-counts[k], words[k]))
    odd = examples((words[k] for k in often), most=2)
    return [note("mostly-numbers", name, share=float(share), cells=int(counts[~readable].sum()), words=odd)]


def _are_lists(words: list[str], *, points: bool) -> bool:
    """Return whether words are rising numbers of answers, '1' and '1,3'; ``points``: the table has decimal points."""
    lists = [[int(part) for part in word.split(",")] for word in words if _LIST.fullmatch(word)]
    alone = {int(word) for word in words if re.fullmatch(r"[1-9]\d?", word)}
    if not alone or len(lists) + len(alone) < len(words) or any(sorted(set(parts)) != parts for parts in lists):
        return False
    ends = {parts[-1] for parts in lists}
    # Three answers leave no doubt. '1,5' and '2,5' are halves, '1,25' and '1,75' quarters: 25 is no answer of its own.
    return any(len(parts) > 2 for parts in lists) or (points and len(ends) > 1 and len(ends & alone) >= len(ends) / 2)


def _factorize(cells: Sequence[str | None]) -> tuple[np.ndarray, list[str]]:
    """Return which of the different words each cell holds, -1 for none; sorted, so that the order of rows is free."""
    words = sorted({cell for cell in cells if cell is not None})
    place = {word: k for k, word in enumerate(words)}
    return np.fromiter((-1 if cell is None else place[cell] for cell in cells), dtype=int, count=len(cells)), words


def _without_guards(name: str, cells: Sequence[str | None]) -> tuple[list[str | None], list[Finding]]:
    """Return '="123"' and "'123", which guard a cell against a spreadsheet, without the guard."""
    bare = list(cells)
    guarded = []
    for k, cell in enumerate(cells):
        if cell and cell[0] in "='" and (match := _FORMULA.fullmatch(cell) or _APOSTROPHE.fullmatch(cell)):
            bare[k] = match[1].strip()
            guarded.append(cell)
    if not guarded:
        return bare, []
    return bare, [note("guarded-cells", name, fix="nominal", word=shorten(guarded[0]), cells=len(guarded))]


def _all_digits(words: list[str]) -> bool:
    return all(map(str.isdecimal, words))


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
    """Return a category's name; 3.0 is called '3', as a column of whole numbers with a gap holds it."""
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))
    return _text(cell)
