"""Numbers as people write them: decimal commas, thousands separators, signs, currencies, units and multipliers.

What a mark means is decided once for a column, never cell by cell: '1.459' beside '987' is 1459 or 1.459 throughout.
Shapes: W different words.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from foundcause.data.typed import examples, note
from foundcause.data.vocabulary import CURRENCY, MULTIPLIERS, MULTIPLIERS_OR_UNITS, is_missing
from foundcause.findings import Finding

Mark = Literal[".", ","]
Use = Literal["group", "decimal"]

_MOSTLY = 0.8
_LONGEST = 60
_MOST_UNITS = 10
_MANY_GROUPS = 30  # so many different numbers that all have three decimals were hardly rounded
_SPACES = "'’\u00a0\u202f "
_POWER_OF_TEN = r"(?:[x×]\s?)?10(?:(?:\^|\*{1,2}|[eE])\d{1,2}|[⁰¹²³⁴-⁹]{1,2})(?=/)"  # of blood counts: x10^9/L
_UNIT_NAME = (
    r"mm Hg|cm H2O|[^\W\d_]{0,10}\[[^\W\d_]{1,12}\]"
    r"|[^\W\d_]{1,10}(?:(?<=m)[23]|\^[23])?|°[CFK]?|[%‰$€£¥₹₩₽₺]"
)
_PER = r"/(?:\d[\d.]*\s)?[\w.·^]{1,10}"  # also per 1.73 m2, per 24 h
_UNIT = rf"(?:(?:{_POWER_OF_TEN}|{_UNIT_NAME})(?:{_PER}){{0,2}}|/[^\W\d_]{{1,10}})"
_WRITTEN = re.compile(
    rf"(?P<sign>[-+]?)\s*(?P<before>{CURRENCY})?\s*"
    rf"(?P<number>[-+]?[\d.,][\d.,{_SPACES}]*?(?:[eE][-+]?\d+)?)\s*"
    rf"(?:(?P<after>{_UNIT})(?:(?<=[^\W\d_])\.)?)?"
)
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_DIGITS = re.compile(r"[-+]?[\d.,]*\d([eE][-+]?\d+)?")
_SPACED_GROUPS = re.compile(rf"[-+]?[1-9]\d{{0,2}}([{_SPACES}]\d{{3}})+([.,]\d+)?")
_COMMA_GROUPS = re.compile(r"[-+]?([1-9]\d{0,2}(,\d{3})+|[1-9]\d?(,\d{2})+,\d{3})(\.\d+)?")  # also 7,00,000
_DOT_GROUPS = re.compile(r"[-+]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?")
_DECIMAL_COMMA = re.compile(r"[-+]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][-+]?\d+)?")
_ONLY_DECIMAL = r"[-+]?(\d*{mark}(\d{{1,2}}|\d{{4,}})|0{mark}\d+|\d{{4,}}{mark}\d+|\d{{1,3}}({group}\d{{3}})+{mark}\d+)"
_SHOWS: dict[Mark, re.Pattern[str]] = {
    ",": re.compile(_ONLY_DECIMAL.format(mark=",", group=r"\.")),
    ".": re.compile(_ONLY_DECIMAL.format(mark=r"\.", group=",")),
}
_MULTIPLIER = "|".join(sorted(MULTIPLIERS | MULTIPLIERS_OR_UNITS, key=len, reverse=True))
_ENCLOSED = re.compile(rf"({CURRENCY})?\s*\(([^()]*\d[^()]*)\)")
_DASH = re.compile(rf"(?<![\w.,)])[\u2010-\u2013](?=\s*(?:{CURRENCY})?\s*[\d.,])")  # a minus, as typesetters write it
_NO_MONEY = re.compile(rf"^(?:({CURRENCY})\s*[-\u2013\u2014]|[-\u2013\u2014]\s*({CURRENCY}))$")  # of accountants
_NO_CENTS = re.compile(r"(?<=\d)[.,][-\u2013\u2014]{1,2}(?=\s|$)")  # 500.- of Switzerland
_MULTIPLIED = re.compile(rf"([-+]?[\d.,]*\d)\s?({_MULTIPLIER})\.?\s?({CURRENCY})")
_SIGNS = r"[*!?†‡§↑↓]"
_FLAGGED = re.compile(
    rf"(?P<before>(?:[~≈]|(?i:ca|circa|approx)\.?)\s*)?(?P<core>.*?\d.*?)"
    rf"(?P<after>(?:\s*(?:{_SIGNS}|[(\[](?:{_SIGNS}|HH?|LL?|(?i:high|low|est\.?))[)\]]))*)"
)
_FLAG_STARTS, _FLAG_ENDS = frozenset("~≈cCaA"), frozenset("*!?†‡§↑↓)]")
_SPELLINGS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹µμ×", "0123456789uux", "^* ")


@dataclass(frozen=True, kw_only=True)
class Decimal:
    """The decimal mark of a table.

    certain: whether other columns show it, or it is only the likelier one.
    points: whether some column shows decimal points, so that a comma elsewhere may separate the answers of a list.
    """

    mark: Mark = "."
    certain: bool = False
    points: bool = False


@dataclass(frozen=True, kw_only=True)
class Written:
    """What a column's different words mean as numbers: values (W,), NaN for no number; how they are written."""

    values: np.ndarray
    style: NumberStyle
    encoding: str = "as is"
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, kw_only=True)
class NumberStyle:
    """How the numbers of a column are written. ``decimal`` decides about marks that the column does not hold."""

    marks: Marks
    units: Units
    decimal: Decimal

    def read(self, words: Sequence[str]) -> np.ndarray:
        plain, readable = _plain_numbers(words)
        if readable.all() and (self.marks.dots == "decimal" or not any("." in word for word in words)):
            return plain
        # A column that lies in parentheses throughout holds no numbers, so here they mean a minus.
        matches = [_match(text) for text in _with_leading_sign(_without_flags(words)[0], minus=True)]
        seen = Marks.of([match["number"] for match in matches if match], self.decimal)
        marks = dataclasses.replace(seen, commas=self.marks.commas or seen.commas, dots=self.marks.dots or seen.dots)
        units = self.units.with_all_multipliers() if self.units.unit or self.units.factors else Units.of(matches)
        return _with_plain(_values(matches, marks, units), plain, words, marks)


def guess_decimal(columns: Iterable[pd.Series], separator: str | None) -> Decimal:
    """Return the decimal mark that columns of text agree on. Without any, files with semicolons have commas."""
    shown: set[Mark] = set()
    points = False
    for column in columns:
        cells = [cell for cell in column.tolist() if isinstance(cell, str)]
        # Looking for a letter is quick. The pattern runs only where it can show something new.
        if any(mark not in shown and any(mark in cell for cell in cells) for mark in _SHOWS):
            marks = _shown_marks(cells)
            shown |= marks
            points |= marks == {"."}
    points = points and separator != ";"  # semicolons go with decimal commas, and 24.12 may be a day
    if len(shown) == 1:
        return Decimal(mark=shown.pop(), certain=True, points=points)
    return Decimal(mark="," if separator == ";" and not shown else ".", points=points)


def _shown_marks(cells: list[str]) -> set[Mark]:
    """Return the decimal marks that a column shows without doubt, if most of its cells are numbers."""
    written = [_match(cell.strip()) for cell in cells if not is_missing(cell)]
    numbers = [match["number"] for match in written if match and _DIGITS.fullmatch(match["number"])]
    if len(numbers) < _MOSTLY * len(written):
        return set()
    return {mark for mark, pattern in _SHOWS.items() if any(pattern.fullmatch(number) for number in numbers)}


def read_numbers(name: str, words: Sequence[str], counts: np.ndarray, decimal: Decimal) -> Written:
    """Return the number that each different word of a column means. ``counts`` (W,) says how many cells hold it."""
    plain, readable = _plain_numbers(words)
    dotted = [word for word in words if "." in word]
    if readable.all() and not (dotted and all(_DOT_GROUPS.fullmatch(word) for word in dotted)):
        marks = Marks(dots="decimal" if dotted else None)
        return Written(values=plain, style=NumberStyle(marks=marks, units=Units(), decimal=decimal))
    unflagged, flagged = _without_flags(words)
    matches = [_match(text) for text in _with_leading_sign(unflagged)]
    marks, units = Marks.of([match["number"] for match in matches if match], decimal), Units.of(matches)
    style = NumberStyle(marks=marks, units=units, decimal=decimal)
    written = _values(matches, marks, units)
    findings = [*marks.findings(name), *units.findings(name, words, matches, written, counts)]
    if (flagged & np.isfinite(written)).any():
        shown = examples(words[k] for k in np.flatnonzero(flagged).tolist())
        findings.append(note("flagged-numbers", name, words=shown, cells=int(counts[flagged].sum())))
    differs = np.isfinite(written) & ~(readable & (written == plain))
    values = _with_plain(written, plain, words, marks) if differs.any() else plain
    encoding = units.encoding if differs.any() else "as is"
    return Written(values=values, style=style, encoding=encoding, findings=tuple(findings))


def different_units(words: Sequence[str]) -> list[str]:
    """Return the units of words that are numbers with several units, most of them at least; else none."""
    matches = [match for match in map(_match, words) if match and _DIGITS.fullmatch(match["number"])]
    # '12A' and '12B' are seats: a single letter is a unit where a blank stands before it.
    if any(match["after"] and re.fullmatch(r"\S+[^\W\d_]", match[0]) and len(match["after"]) == 1 for match in matches):
        return []
    units = {unit for match in matches for unit in match.group("before", "after") if unit}
    unlike = len(set(map(_same_unit, units))) > 1 and len(units) <= _MOST_UNITS
    return sorted(units) if unlike and len(matches) >= _MOSTLY * len(words) else []


def _plain_numbers(words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers that a programmer would write so, (W,), and whether each is one."""
    plain = pd.to_numeric(pd.Series(words, dtype=object), errors="coerce").to_numpy(dtype=float)
    # "infinity" is a number to the parser. It becomes a missing cell further on.
    infinite = np.array([word.casefold().lstrip("+-") in ("inf", "infinity") for word in words], dtype=bool)
    return plain, np.isfinite(plain) | infinite


def _without_flags(words: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Return words without marks beside their numbers, '105.2*', '5.7 (H)' and '~50', and (W,) which had one."""
    texts, flagged = list(words), np.zeros(len(words), dtype=bool)
    for k, word in enumerate(words):
        if len(word) > _LONGEST or (word[:1] not in _FLAG_STARTS and word[-1:] not in _FLAG_ENDS):
            continue
        match = _FLAGGED.fullmatch(word)
        if match and match["core"] != word and _match(match["core"].strip()):
            texts[k], flagged[k] = match["core"].strip(), True
    return texts, flagged


def _with_leading_sign(words: Sequence[str], *, minus: bool = False) -> list[str]:
    """Return '(12.50)' and '12.50-' as '-12.50', '$ -' as '$ 0', and '1.2M USD' as 'USD 1.2M'.

    Parentheses around all words are no sign unless ``minus``.
    """
    texts = [_DASH.sub("-", _NO_CENTS.sub("", word).replace("\u2212", "-")).strip() for word in words]
    texts = [_NO_MONEY.sub(r"\1\2 0", text) for text in texts]
    texts = [f"{match[3]} {match[1]}{match[2]}" if (match := _MULTIPLIED.fullmatch(text)) else text for text in texts]
    enclosed = [_ENCLOSED.fullmatch(text) for text in texts]
    if minus or not all(enclosed):
        texts = [f"-{match[1] or ''}{match[2]}" if match else text for text, match in zip(texts, enclosed, strict=True)]
    return [re.sub(r"^([^-+].*\d)-$", r"-\1", text) for text in texts]


def _values(matches: Sequence[re.Match[str] | None], marks: Marks, units: Units) -> np.ndarray:
    values = np.full(len(matches), np.nan)
    for k, match in enumerate(matches):
        if match is None or not units.allow(match):
            continue
        text = match["sign"] + marks.normal(match["number"])
        if _NUMBER.fullmatch(text):
            values[k] = float(text) * units.factors.get(match["after"], 1.0)
    return values


def _with_plain(written: np.ndarray, plain: np.ndarray, words: Sequence[str], marks: Marks) -> np.ndarray:
    """Return written numbers, and plain ones where these are none; '1.5' is none where dots group thousands."""
    grouped = np.array([marks.dots == "group" and "." in word for word in words], dtype=bool)
    return np.where(np.isfinite(written) | grouped, written, plain)


def _match(text: str) -> re.Match[str] | None:
    # No number is long, and the search takes time with the square of a run of blanks.
    return _WRITTEN.fullmatch(text) if len(text) <= _LONGEST else None


@dataclass(frozen=True, kw_only=True)
class Marks:
    """What commas and dots mean in a column, None for none seen; ``doubtful``: a number for which it is not certain."""

    commas: Use | None = None
    dots: Use | None = None
    doubtful: str = ""

    @classmethod
    def of(cls, numbers: list[str], decimal: Decimal) -> Marks:
        numbers = [number for number in numbers if _DIGITS.fullmatch(number)]
        commas = [number for number in numbers if "," in number]
        dots = [number for number in numbers if "." in number]
        commas_fit = bool(commas) and all(_COMMA_GROUPS.fullmatch(number) for number in commas)
        dots_fit = bool(dots) and all(_DOT_GROUPS.fullmatch(number) for number in dots)
        # Several groups, the other mark behind a group, or the other mark as a clear decimal mark leave no doubt.
        commas_sure = any(n.count(",") > 1 or "." in n for n in commas) or (bool(dots) and not dots_fit)
        dots_sure = any(n.count(".") > 1 or "," in n for n in dots) or (bool(commas) and not commas_fit)
        # Beside whole numbers, rounded decimals hardly all have three places. Below a thousand there are no groups.
        plain = [number for number in numbers if number.lstrip("-+").isdigit()]
        seem_grouped = bool(plain) and (len(dots) >= _MANY_GROUPS or all(abs(int(number)) < 1000 for number in plain))
        doubtful = ""
        if commas_fit and not commas_sure and not decimal.certain:
            doubtful = commas[0]
        elif dots_fit and not dots_sure and not decimal.certain:
            doubtful = dots[0]
        commas_group = commas_fit and (commas_sure or decimal.mark == ".")
        dots_group = dots_fit and (dots_sure or (decimal.mark == "," and (decimal.certain or seem_grouped)))
        return cls(
            commas=None if not commas else "group" if commas_group else "decimal",
            dots=None if not dots else "group" if dots_group else "decimal",
            doubtful=doubtful,
        )

    def normal(self, number: str) -> str:
        """Return the number with a decimal point and without groups; empty when its marks mean something else here."""
        if _SPACED_GROUPS.fullmatch(number):
            return re.sub(r"[^-+\d.,]", "", number).replace(",", ".")
        if self.commas == "group" and "," in number:
            return number.replace(",", "") if _COMMA_GROUPS.fullmatch(number) else ""
        if _DECIMAL_COMMA.fullmatch(number):
            return number.replace(".", "").replace(",", ".")
        if self.dots == "group" and "." in number:
            return number.replace(".", "") if _DOT_GROUPS.fullmatch(number) else ""
        return number

    def findings(self, name: str) -> list[Finding]:
        if not self.doubtful:
            return []
        taken = self.normal(self.doubtful)
        whole, fraction = re.sub("[.,]", "", self.doubtful), re.sub(",", ".", self.doubtful)
        other = whole if taken == fraction else fraction
        return [note("ambiguous-decimal-mark", name, word=self.doubtful, read_as=taken, or_else=other)]


@dataclass(frozen=True, kw_only=True)
class Units:
    """Units of a column: the one its cells share, or factors of multipliers such as k; neither for mixed units."""

    unit: str = ""
    factors: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, matches: Sequence[re.Match[str] | None]) -> Units:
        """Return the units that stand before and behind the numbers of a column."""
        found = [match for match in matches if match]
        afters = {match["after"] for match in found if match["after"]}
        money = all(match["before"] for match in found if match["after"])
        known = MULTIPLIERS | (MULTIPLIERS_OR_UNITS if money or afters & MULTIPLIERS.keys() else {})
        # '300 K' throughout is no thousand, '$300K' is.
        shared = len(afters) == 1 and all(match["after"] for match in found) and not money
        factors = {after: known[after] for after in afters} if afters <= known.keys() and not shared else {}
        units = {_unit_of(match, factors) for match in found} - {""}
        if len(set(map(_same_unit, units))) > 1:
            return cls()
        return cls(unit=max(units, key=lambda unit: (len(unit), unit), default=""), factors=factors)

    @property
    def encoding(self) -> str:
        """What became of the units, in words."""
        if self.factors:
            return f"number as written ({', '.join(f'{u} = {f:,.0f}' for u, f in sorted(self.factors.items()))})"
        if self.unit[:1].isalpha() or self.unit.startswith(("°", "1", "×", "[", "/")):
            return f"number of {self.unit}"
        return "number as written (separators and signs removed)"

    def allow(self, match: re.Match[str]) -> bool:
        """Return whether a number stands alone or with the units of the column."""
        return _same_unit(_unit_of(match, self.factors)) in ("", _same_unit(self.unit))

    def with_all_multipliers(self) -> Units:
        """Return units that know M as a million where k means thousand, although no cell had it."""
        return dataclasses.replace(self, factors=MULTIPLIERS | MULTIPLIERS_OR_UNITS) if self.factors else self

    def findings(
        self,
        name: str,
        words: Sequence[str],
        matches: Sequence[re.Match[str] | None],
        values: np.ndarray,
        counts: np.ndarray,
    ) -> list[Finding]:
        """Return a finding when some cells have a unit or a multiplier and others (zero needs none) have nothing."""
        seen = np.isfinite(values) & (values != 0)
        marked = np.array([bool(match and (match["after"] or match["before"])) for match in matches]) & seen
        bare = seen & ~marked
        if not (marked.any() and bare.any()) or not (self.unit or self.factors):
            return []
        example, without = words[int(np.argmax(marked))], words[int(np.argmax(bare))]
        if self.factors:
            value = float(values[int(np.argmax(marked))])
            return [note("some-multipliers", name, word=example, read_as=value, without=without)]
        bare_cells, marked_cells = int(counts[bare].sum()), int(counts[marked].sum())
        return [
            note("some-units", name, without=without, bare=bare_cells, word=example, cells=marked_cells, unit=self.unit)
        ]


def _unit_of(match: re.Match[str], factors: Mapping[str, float]) -> str:
    """Return the unit of a number without multipliers: what stands before and behind it, as in '$5/month'."""
    after = match["after"] or ""
    return (match["before"] or "") + ("" if after in factors else after)


def singular(unit: str) -> str:
    """Return the unit of '30 years' as in '1 year'; short ones stay, for ms are no meters and mAs no amperes."""
    return unit[:-1] if unit.endswith("s") and (len(unit) > 3 or (len(unit) == 3 and unit.islower())) else unit


def _same_unit(unit: str) -> str:
    """Return what all spellings of a unit share: 'x10^9/L' and '10*9/L', 'µg' and 'ug', 'years' and 'year'."""
    unit = unit.translate(_SPELLINGS)
    return singular(unit[1:] if unit.startswith("x10") else unit)
