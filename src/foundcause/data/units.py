"""Units behind numbers, currencies before them, and multipliers such as k: what the cells of a column share."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from foundcause.data.reading import counted

_POWER_OF_TEN = r"(?:[x×]\s?)?10(?:(?:\^|\*{1,2}|[eE])\d{1,2}|[⁰¹²³⁴-⁹]{1,2})(?=/)"  # of blood counts: x10^9/L, 10*9/L
_NAME = (
    r"mm Hg|cm H2O"
    r"|[^\W\d_]{0,10}\[[^\W\d_]{1,12}\]"  # as UCUM writes them: mm[Hg]
    r"|[^\W\d_]{1,10}(?:(?<=m)[23]|\^[23])?|°[CFK]?|[%‰$€£¥₹₩₽₺]"
)
_PER = r"/(?:\d[\d.]*\s)?[\w.·^]{1,10}"  # also per 1.73 m2, per 24 h
UNIT = rf"(?:(?:{_POWER_OF_TEN}|{_NAME})(?:{_PER}){{0,2}}|/[^\W\d_]{{1,10}})"
"""Pattern of a unit behind a number."""

_MULTIPLIERS = {
    **dict.fromkeys(("k", "K", "thousand", "tsd", "Tsd"), 1e3),
    **dict.fromkeys(("lakh", "lakhs", "lac"), 1e5),
    **dict.fromkeys(("M", "mn", "mln", "mio", "Mio", "million"), 1e6),
    **dict.fromkeys(("crore", "crores"), 1e7),
    **dict.fromkeys(("B", "G", "bn", "billion", "mrd", "Mrd"), 1e9),
    **dict.fromkeys(("tn", "trillion"), 1e12),
}
_ALSO_UNITS = {"m": 1e6, "b": 1e9, "T": 1e12}  # metres, bits, tesla, unless '900k' or money stands in the column
MULTIPLIER = "|".join(sorted(_MULTIPLIERS | _ALSO_UNITS, key=len, reverse=True))
"""Pattern of a multiplier behind a number."""

_SPELLINGS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹µμ×", "0123456789uux", "^* ")


@dataclass(frozen=True, kw_only=True)
class Units:
    """Units of a column: the one its cells share, or factors of multipliers such as k; neither for mixed units."""

    unit: str = ""
    factors: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, matches: Sequence[re.Match[str] | None]) -> Units:
        """The units that stand ``before`` and ``after`` the numbers of a column."""
        found = [match for match in matches if match]
        afters = {match["after"] for match in found if match["after"]}
        money = all(match["before"] for match in found if match["after"])
        known = _MULTIPLIERS | (_ALSO_UNITS if money or afters & _MULTIPLIERS.keys() else {})
        # '300 K' throughout is no thousand, '$300K' is.
        shared = len(afters) == 1 and all(match["after"] for match in found) and not money
        factors = {after: known[after] for after in afters} if afters <= known.keys() and not shared else {}
        units = {_written(match, factors) for match in found} - {""}
        if len(set(map(same_unit, units))) > 1:
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
        """Whether a number stands alone or with the units of the column."""
        return same_unit(_written(match, self.factors)) in ("", same_unit(self.unit))

    def with_all_multipliers(self) -> Units:
        """Where k means thousand, M means million although no cell had it."""
        return dataclasses.replace(self, factors=_MULTIPLIERS | _ALSO_UNITS) if self.factors else self

    def notes(
        self,
        name: str,
        words: Sequence[str],
        matches: Sequence[re.Match[str] | None],
        values: np.ndarray,
        counts: np.ndarray,
    ) -> list[str]:
        """A warning when some cells have a unit or a multiplier and others (zero needs none) have nothing."""
        found = np.isfinite(values) & (values != 0)
        marked = np.array([bool(match and (match["after"] or match["before"])) for match in matches]) & found
        bare = found & ~marked
        if not (marked.any() and bare.any()) or not (self.unit or self.factors):
            return []
        example, without = words[int(np.argmax(marked))], words[int(np.argmax(bare))]
        if self.factors:
            value = values[int(np.argmax(marked))]
            return [f"column {name!r}: {example!r} is read as {value:,.10g} and {without!r} as it stands; check both"]
        lacking, having = f"such as {without!r}", f"such as {example!r}"
        bare_cells = counted(int(counts[bare].sum()), f"cell {lacking} has", f"cells {lacking} have")
        marked_cells = counted(int(counts[marked].sum()), f"{having} has", f"{having} have")
        return [f"column {name!r}: {bare_cells} no unit and {marked_cells}; all are taken to be in {self.unit}"]


def _written(match: re.Match[str], factors: Mapping[str, float]) -> str:
    """The unit of a number without multipliers: what stands before and behind it, as in '$5/month'."""
    after = match["after"] or ""
    return (match["before"] or "") + ("" if after in factors else after)


def singular(unit: str) -> str:
    """The unit of '30 years' as in '1 year'; short ones stay, for ms are no metres and mAs no amperes."""
    return unit[:-1] if unit.endswith("s") and (len(unit) > 3 or (len(unit) == 3 and unit.islower())) else unit


def same_unit(unit: str) -> str:
    """What all spellings of a unit share: 'x10^9/L' and '10*9/L', 'µg' and 'ug', 'years' and 'year'."""
    unit = unit.translate(_SPELLINGS)
    return singular(unit[1:] if unit.startswith("x10") else unit)
