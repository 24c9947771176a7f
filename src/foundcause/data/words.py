"""Words to numbers: each different text of a column is looked at once. Shapes: N rows, W different words."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from foundcause.data.clock import are_full_hours, read_clock_times
from foundcause.data.compound import GenotypeStyle, HeightStyle, ScoreStyle, read_compound
from foundcause.data.dates import DateStyle, read_dates, tell_odd_days
from foundcause.data.durations import read_durations
from foundcause.data.gaps import find_gaps, taken_for_missing, taken_for_values, tell_lone_value
from foundcause.data.guarded import without_guards
from foundcause.data.intervals import order_of_intervals, without_months
from foundcause.data.labelled import LabelledStyle, read_labelled
from foundcause.data.numbers import Decimal, NumberStyle, read_numbers
from foundcause.data.numeric import count_different, encode_numbers
from foundcause.data.periods import read_two_years
from foundcause.data.reading import Codes, Encoded, Reading, counted, quote, shorten
from foundcause.data.scales import are_perhaps_codes, find_scale, fold, known_grades, known_order, known_truth
from foundcause.data.sizes import SizeStyle, read_sizes
from foundcause.data.table import Kind
from foundcause.data.unread import are_lists, tell_measures, tell_numbers
from foundcause.data.vocabulary import is_missing

WITHOUT_ORDER = "categories without a known order"

_NUMERIC_SHARE = 0.95  # below this share of readable numbers a text column is text,
_LEAST_SHARE, _LEAST_SHARE_MANY = 0.8, 0.5  # unless all else are few words beside few or many different numbers
_FEW_WORDS, _MANY_NUMBERS, _SHORT_SCALE = 5, 20, 12
_SHOWN_STEPS = 12
_CODE_DIGITS = 4
_BOUND = re.compile(r"([<>≤≥]=?\s*[-+]?[\d.,]*\d|[-+]?[\d.,]*\d\s*\+)(\s*\S{0,10})?")

_LEADING_ZERO, _WITH_LETTER = re.compile(r"0\d+"), re.compile(r"\d+[A-Z]")

_OF_NUMBERS = (NumberStyle, LabelledStyle, HeightStyle, ScoreStyle, GenotypeStyle, SizeStyle)


def encode_texts(name: str, texts: pd.Series, decimal: Decimal, *, nominal: bool = False) -> Encoded:
    """Cells of text (None where missing) as numbers; with ``nominal`` they are categories, whatever they look like."""
    texts, guards = without_guards(name, texts)
    places, words = _different(texts)
    counts = np.bincount(places[places >= 0], minlength=len(words))

    def known(chosen: np.ndarray) -> Encoded | None:
        return None if nominal else _known(name, *_chosen(words, counts, chosen), decimal)

    gaps = find_gaps(words, lambda chosen: known(chosen) is None)
    told = (*guards, *taken_for_missing(name, words, counts, gaps))
    if gaps.all():
        values = np.full(len(texts), np.nan)
        return Encoded(values=values, kind="empty", encoding="no value", notes=told, style=Codes(numbers={}))
    found = [words[k] for k in np.flatnonzero(~gaps)]
    encoded = known(~gaps)
    if encoded is None:
        encoded = _categories(name, found, counts[~gaps])
        if encoded.kind == "nominal":
            numbers = [] if nominal else tell_numbers(name, found, counts[~gaps], decimal)
            told = (*(tell_measures(name, found) or numbers), *told)
        told = (*taken_for_values(name, words, counts, gaps), *told)
    of_word = np.full(len(words), np.nan)
    of_word[~gaps] = encoded.values
    values = _spread(of_word, places)
    if isinstance(encoded.style, _OF_NUMBERS):
        different = count_different(pd.Series(found, dtype=object), encoded.values)
        return encode_numbers(
            name, values, (*guards, *encoded.notes), encoding=encoded.encoding, style=encoded.style, different=different
        )
    if isinstance(encoded.style, DateStyle):
        told = (*told, *tell_odd_days(name, values))
    if len(np.unique(encoded.values[~np.isnan(encoded.values)])) == 1:
        told = (*told, *tell_lone_value(name, found[0], values))
    return dataclasses.replace(encoded, values=values, notes=(*encoded.notes, *told))


def encode_texts_as_before(name: str, texts: pd.Series, reading: Reading) -> Encoded:
    """Cells of text as another table's were read; words that were never seen or are written otherwise are missing."""
    texts, _ = without_guards(name, texts)
    places, words = _different(texts)
    of_word = reading.style.read(words) if words else np.zeros(0)
    known_missing = np.array([is_missing(word) for word in words], dtype=bool)
    strange = np.flatnonzero(np.isnan(of_word) & ~known_missing)
    notes: tuple[str, ...] = ()
    if len(strange):
        shown = f"({quote(words[k] for k in strange[:3])}) cannot be read as in the table before ({reading.encoding})"
        said = counted(int(np.isin(places, strange).sum()), f"cell {shown} and is", f"cells {shown} and are")
        notes = (f"column {name!r}: {said} treated as missing",)
    values = _spread(of_word, places)
    values[np.isinf(values)] = np.nan
    return Encoded(values=values, kind=reading.kind, encoding=reading.encoding, notes=notes, style=reading.style)


def _different(texts: pd.Series) -> tuple[np.ndarray, list[str]]:
    """Which of the different words each cell holds, -1 for none; sorted, so that the order of rows never matters."""
    places, words = pd.factorize(texts, sort=True, use_na_sentinel=True)
    return places, [str(word) for word in words]


def _spread(of_word: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The number of each cell, (N,); the last entry answers place -1, a missing cell."""
    return np.append(of_word, np.nan)[places]


def _chosen(words: list[str], counts: np.ndarray, chosen: np.ndarray) -> tuple[list[str], np.ndarray]:
    return [words[k] for k in np.flatnonzero(chosen)], counts[chosen]


def _known(name: str, words: list[str], counts: np.ndarray, decimal: Decimal) -> Encoded | None:
    """A number for each different text, ``values`` (W,), when its meaning is known; None for other categories."""
    return (
        read_labelled(name, words)
        or _numbers(name, words, counts, decimal)
        or read_compound(name, words, counts)
        or _ranks(name, [word.casefold() for word in words], known_truth(words), "{}={}", ", ")
        or read_two_years(words)
        or read_dates(name, words, counts, decimal_commas=decimal.mark == ",")
        or read_durations(name, words, counts)
        or read_sizes(name, words, counts, decimal)
        or read_clock_times(name, words, counts)
        or _ordered(name, words, known_order(words, decimal))
        or _grades(name, words)
        or _mangled_bins(name, words, decimal)
        or _mostly_ordered(name, words, counts)
    )


def _ranks(name: str, words: list[str], ranks: list[int] | None, step: str, between: str) -> Encoded | None:
    """Words in a known order; the encoding shows the ``step`` of each rank, and all spellings that share one."""
    if ranks is None:
        return None
    spellings: dict[int, dict[str, str]] = {}
    for word, rank in sorted(zip(words, ranks, strict=True)):
        spellings.setdefault(rank, {}).setdefault(fold(word), word)
    merged = [" = ".join(map(repr, map(shorten, group.values()))) for group in spellings.values() if len(group) > 1]
    notes: tuple[str, ...] = ()
    if merged:
        notes = (
            f"column {name!r}: {', '.join(merged)} are taken for spellings of one value; if they mean different "
            "things, name the column in nominal",
        )
    shown = [(rank, "/".join(map(shorten, spellings[rank].values()))) for rank in sorted(spellings)]
    encoding = between.join(step.format(word, rank) for rank, word in shown[:_SHOWN_STEPS])
    kind: Kind = "binary" if len(spellings) == 2 else "ordinal"
    return _coded(words, np.array(ranks, dtype=float), kind, encoding, notes)


def _ordered(name: str, words: list[str], ranks: list[int] | None) -> Encoded | None:
    """Words of a scale; numbers before answers may be codes without an order."""
    encoded = _ranks(name, words, ranks, "{}", " < ")
    if encoded is None or not are_perhaps_codes(words):
        return encoded
    note = (
        f"column {name!r}: {quote(words[:2])}, ... are ordered by their numbers; if these are mere codes, name the "
        "column in nominal"
    )
    return _with_note(encoded, note)


def _grades(name: str, words: list[str]) -> Encoded | None:
    """Grades of schools, of which A is the best."""
    note = (
        f"column {name!r}: {quote(words[:3])}, ... are read as grades, A the highest; else name the column in nominal"
    )
    return _with_note(_ranks(name, words, known_grades(name, words), "{}", " < "), note)


def _mangled_bins(name: str, words: list[str], decimal: Decimal) -> Encoded | None:
    """Bins such as '10-14' of which a spreadsheet turned some into dates."""
    bins = without_months(words)
    if bins is None:
        return None
    word, meant = next((word, meant) for word, meant in zip(words, bins, strict=True) if word != meant)
    note = (
        f"column {name!r}: {quote([word])} is read as {quote([meant])}, which a spreadsheet turned into a date; write "
        f"{quote([meant.replace('-', ' to ')])}"
    )
    return _with_note(_ranks(name, words, order_of_intervals(bins, decimal), "{}", " < "), note)


def _with_note(encoded: Encoded | None, note: str) -> Encoded | None:
    return None if encoded is None else dataclasses.replace(encoded, notes=(*encoded.notes, note))


def _mostly_ordered(name: str, words: list[str], counts: np.ndarray) -> Encoded | None:
    """Words of a scale beside few cells that hold something else."""
    chosen = find_scale(words, counts)
    if chosen is None:
        return None
    steps, _ = _chosen(words, counts, chosen)
    encoded = _ordered(name, steps, known_order(steps))
    if encoded is None:
        return None
    values = np.full(len(words), np.nan)
    values[chosen] = encoded.values
    strange = _share(words, counts, ~chosen, "does not belong to the scale", "do not belong to the scale")
    return dataclasses.replace(encoded, values=values, notes=(*encoded.notes, f"column {name!r}: {strange}"))


def _categories(name: str, words: list[str], counts: np.ndarray) -> Encoded:
    """Codes of words without a known order, by how frequent they are: of two, the rarer is 1."""
    total: dict[str, int] = {}
    for word, count in zip(words, counts, strict=True):
        total[word.casefold()] = total.get(word.casefold(), 0) + int(count)
    ranked = sorted(total, key=lambda word: (-total[word], word))
    code = {word: float(k) for k, word in enumerate(ranked)}
    values = np.array([code[word.casefold()] for word in words])
    if len(ranked) <= 2:
        return _coded(words, values, "binary", ", ".join(f"{shorten(word)}={k}" for k, word in enumerate(ranked)))
    more = ", ..." if len(ranked) > 3 else ""
    note = (
        f"column {name!r} holds {len(ranked)} {WITHOUT_ORDER}; they are coded by how frequent they "
        f"are ({quote(ranked[:3])}{more} = 0, 1, 2{more}), so the shape of its relations means little"
    )
    return _coded(words, values, "nominal", "frequency rank", (note,))


def _coded(words: Sequence[str], values: np.ndarray, kind: Kind, encoding: str, notes: tuple[str, ...] = ()) -> Encoded:
    style = Codes(numbers=dict(zip((word.casefold() for word in words), values.tolist(), strict=True)))
    return Encoded(values=values, kind=kind, encoding=encoding, notes=notes, style=style)


def _numbers(name: str, words: list[str], counts: np.ndarray, decimal: Decimal) -> Encoded | None:
    if are_lists(words, points=decimal.points) or are_full_hours(words) or _are_codes(words):
        return None
    read = read_numbers(name, words, counts, decimal)
    readable = ~np.isnan(read.values)
    notes = [*read.notes, *_tell_codes(name, words)]
    if decimal.points and read.style.marks.commas == "decimal":
        shown = quote(next([word] for word in words if "," in word))
        notes.append(
            f"column {name!r}: the comma of {shown} is read as a decimal mark, but other columns have decimal points; "
            "write all numbers alike"
        )
    if not readable.all():
        if not _are_numbers(words, counts, readable, decimal):
            return None
        bounds = ~readable & np.array([_BOUND.fullmatch(word) is not None for word in words])
        if (strange := ~readable & ~bounds).any():
            notes.append(f"column {name!r}: {_share(words, counts, strange, 'is no number', 'are no numbers')}")
        if bounds.any():
            told = _share(words, counts, bounds, "only bounds the value", "only bound the value")
            notes.append(f"column {name!r}: {told}; such cells are not missing at random")
    return Encoded(values=read.values, kind="continuous", encoding=read.encoding, notes=tuple(notes), style=read.style)


def _share(words: list[str], counts: np.ndarray, chosen: np.ndarray, one: str, several: str) -> str:
    """Such as ``3 cells (1%) are no numbers ('ND') and are treated as missing``."""
    shown = quote([words[k] for k in np.flatnonzero(chosen)[:3]])
    many = int(counts[chosen].sum())
    share = f"({many / counts.sum():.0%})"
    said = counted(many, f"cell {share} {one} ({shown}) and is", f"cells {share} {several} ({shown}) and are")
    return f"{said} treated as missing"


def _tell_codes(name: str, words: list[str]) -> list[str]:
    """A hint when all numbers have the same digits, zeros in front too, as codes have."""
    zeros = [word for word in words if word.startswith("0")]
    lengths = {len(word) for word in words}
    if not zeros or len(lengths) > 1 or min(lengths) < _CODE_DIGITS or not all(map(str.isdecimal, words)):
        return []
    return [
        f"column {name!r}: {quote(zeros[:1])} begins with zeros, as codes do; it is used as a number, name the column "
        "in nominal or drop it"
    ]


def _are_codes(words: list[str]) -> bool:
    """Whether '01' stands beside '2A', which is then no 2 with a unit; departments of France are numbered so."""
    return any(map(_LEADING_ZERO.fullmatch, words)) and any(map(_WITH_LETTER.fullmatch, words))


def _are_numbers(words: list[str], counts: np.ndarray, readable: np.ndarray, decimal: Decimal) -> bool:
    """Whether a column with strange words holds numbers: nearly all cells do, or most do and few words are strange."""
    if len(words) <= _SHORT_SCALE and known_order(words, decimal) is not None:
        return False  # '0', '1', '2', '3+' are a scale
    if readable.sum() < 2:
        return False  # '0' and 'n' are two words
    share = counts[readable].sum() / counts.sum()
    if share >= _NUMERIC_SHARE:
        return True
    few = sum(_BOUND.fullmatch(words[k]) is None for k in np.flatnonzero(~readable)) <= _FEW_WORDS
    return bool(few and share >= (_LEAST_SHARE_MANY if readable.sum() > _MANY_NUMBERS else _LEAST_SHARE))
