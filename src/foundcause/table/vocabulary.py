"""Words whose order is known: scales of answers, months, weekdays, intervals such as '18-25'."""

from __future__ import annotations

import re
from collections.abc import Sequence

MISSING = frozenset(
    {
        "na",
        "n/a",
        "n.a.",
        "#n/a",
        "#na",
        "nan",
        "-nan",
        "null",
        "nil",
        "missing",
        "unknown",
        "unk",
        "?",
        "-",
        "--",
        ".",
        "..",
        "*",
        "nat",
        "n.d.",
        "k.a.",
        "refused",
        "#value!",
        "#ref!",
        "#div/0!",
        "#null!",
        "#num!",
        "<na>",
        "<null>",
        "(null)",
        "\\n",
        "",
        "not available",
        "not applicable",
        "no answer",
        "no response",
        "don't know",
        "dont know",
        "keine angabe",
    }
)
"""Casefolded spellings of a cell without a value."""

POSITIVE = frozenset({"yes", "y", "true", "t", "present", "positive", "pos", "on", "ja", "oui", "si", "sí", "1"})
NEGATIVE = frozenset({"no", "n", "false", "f", "absent", "negative", "neg", "off", "nein", "non", "0"})

# Each scale is a list of steps from low to high; a step lists the words that mean it.
_SCALES: tuple[tuple[tuple[str, ...], ...], ...] = (
    (
        ("none", "zero"),
        ("very low", "very small", "minimal"),
        ("low", "small", "lo"),
        ("medium low", "low medium"),
        ("medium", "moderate", "mid", "middle", "normal", "average", "avg", "med"),
        ("medium high", "high medium"),
        ("high", "large", "big", "hi"),
        ("very high", "very large", "extreme"),
    ),
    (
        ("extra small", "xxs"),
        ("xs",),
        ("s", "small"),
        ("m", "medium"),
        ("l", "large"),
        ("xl", "extra large"),
        ("xxl",),
        ("xxxl",),
    ),
    (
        ("none", "absent", "no"),
        ("trace",),
        ("mild", "slight"),
        ("moderate",),
        ("severe", "strong"),
        ("very severe", "critical"),
    ),
    (
        ("never",),
        ("almost never", "very rarely", "hardly ever"),
        ("rarely", "seldom"),
        ("occasionally",),
        ("sometimes",),
        ("often", "frequently", "regularly"),
        ("usually",),
        ("very often", "almost always", "mostly"),
        ("always", "constantly"),
    ),
    (("never",), ("yearly", "annually"), ("monthly",), ("weekly",), ("daily",), ("hourly",)),
    (
        ("strongly disagree", "completely disagree", "totally disagree"),
        ("disagree",),
        ("somewhat disagree", "slightly disagree"),
        ("neutral", "neither agree nor disagree", "undecided", "neither"),
        ("somewhat agree", "slightly agree"),
        ("agree",),
        ("strongly agree", "completely agree", "totally agree"),
    ),
    (
        ("very dissatisfied", "very unsatisfied"),
        ("dissatisfied", "unsatisfied"),
        ("somewhat dissatisfied",),
        ("neutral", "neither"),
        ("somewhat satisfied",),
        ("satisfied",),
        ("very satisfied",),
    ),
    (("very unlikely",), ("unlikely",), ("neutral", "possible", "maybe"), ("likely",), ("very likely",)),
    (("no", "never"), ("maybe", "perhaps", "unsure", "possibly"), ("yes", "always")),
    (("never", "never smoked", "non-smoker"), ("former", "ex", "ex-smoker"), ("current", "smoker")),
    (
        ("terrible", "awful", "very bad", "very poor"),
        ("bad", "poor"),
        ("fair", "ok", "okay", "average", "acceptable"),
        ("good",),
        ("very good",),
        ("excellent", "great", "outstanding"),
    ),
    (
        ("worse", "decreased", "down", "decrease"),
        ("same", "unchanged", "stable", "equal"),
        ("better", "increased", "up", "increase"),
    ),
    (("lowest",), ("lower",), ("middle",), ("upper", "higher"), ("highest",)),
    (
        ("not at all",),
        ("a little", "slightly", "a little bit"),
        ("somewhat", "moderately"),
        ("quite a bit", "very", "very much"),
        ("extremely",),
    ),
    (
        ("unimportant", "not important"),
        ("slightly important",),
        ("moderately important",),
        ("important",),
        ("very important",),
    ),
    (("slow",), ("medium", "moderate", "normal"), ("fast",), ("very fast",)),
    (("cold",), ("cool",), ("mild", "warm"), ("hot",), ("very hot",)),
    (("young",), ("middle-aged", "middle aged", "adult"), ("old", "elderly", "senior")),
    (("infant", "baby"), ("child",), ("teenager", "adolescent"), ("adult",), ("senior", "elderly")),
    (("early",), ("mid", "middle"), ("late",)),
    (
        ("no education", "none"),
        ("primary", "elementary", "primary school"),
        ("secondary", "middle school", "lower secondary"),
        ("high school", "upper secondary"),
        ("college", "some college", "vocational"),
        ("bachelor", "bachelors", "bachelor's", "undergraduate"),
        ("master", "masters", "master's", "graduate"),
        ("phd", "doctorate", "doctoral"),
    ),
    (
        ("first",),
        ("second",),
        ("third",),
        ("fourth",),
        ("fifth",),
        ("sixth",),
        ("seventh",),
        ("eighth",),
        ("ninth",),
        ("tenth",),
    ),
    (("i",), ("ii",), ("iii",), ("iv",), ("v",), ("vi",), ("vii",), ("viii",), ("ix",), ("x",)),
    (("low risk",), ("intermediate risk", "medium risk", "moderate risk"), ("high risk",)),
    (("bronze",), ("silver",), ("gold",), ("platinum",)),
    (("debug",), ("info",), ("warning", "warn"), ("error",), ("critical", "fatal")),
    tuple(
        (full, full[:3], *more)
        for full, more in zip(
            [
                "january",
                "february",
                "march",
                "april",
                "may",
                "june",
                "july",
                "august",
                "september",
                "october",
                "november",
                "december",
            ],
            ((),) * 8 + (("sept",),) + ((),) * 3,
            strict=True,
        )
    ),
    tuple(
        (full, full[:3], *more)
        for full, more in zip(
            ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
            ((), ("tues",), (), ("thur", "thurs"), (), (), ()),
            strict=True,
        )
    ),
)

_LEVEL_WORDS = [
    "grade",
    "level",
    "stage",
    "class",
    "phase",
    "step",
    "wave",
    "year",
    "week",
    "day",
    "month",
    "quarter",
    "tier",
    "score",
    "q",
]
_LEVEL = re.compile(rf"(?P<word>{'|'.join(_LEVEL_WORDS)})[ _-]?(?P<number>\d+)")
_NUMBER = r"[-+]?\d+(?:[.,]\d+)?"
_RANGE = re.compile(rf"[\[(]?\s*({_NUMBER})\s*(?:-|–|—|to|until|\.\.|,|;|bis)\s*({_NUMBER})\s*[\])]?(?:\s*\S{{0,10}})?")
_BELOW = re.compile(rf"(?:<=?|≤|under|below|less than|up to)\s*({_NUMBER})(?:\s*\S{{0,10}})?")
_ABOVE = re.compile(rf"(?:>=?|≥|over|above|more than|at least)\s*({_NUMBER})(?:\s*\S{{0,10}})?")
_ALONE = re.compile(rf"({_NUMBER})")
_AND_MORE = re.compile(rf"({_NUMBER})\s*(?:\+|and (?:over|older|more|above)|or (?:more|older|above))(?:\s*\S{{0,10}})?")


def known_order(words: Sequence[str]) -> list[int] | None:
    """Rank of each word (0 the lowest; synonyms share a rank) when a known scale holds all of them, else None."""
    folded = [_fold(word) for word in words]
    if len(folded) < 2:
        return None
    for scale in _SCALES:
        step = {word: k for k, synonyms in reversed(list(enumerate(scale))) for word in synonyms}
        if all(word in step for word in folded):
            return _dense([float(step[word]) for word in folded])
    for reader in (_interval, _level):
        positions = [reader(word) for word in folded]
        if all(position is not None for position in positions):
            if reader is _level and len({_level_word(word) for word in folded}) > 1:
                continue
            return _dense([position for position in positions if position is not None])
    return None


def is_missing(text: str) -> bool:
    """Whether a cell's text is a usual spelling of "no value"."""
    return text.strip().casefold() in MISSING


def _fold(word: str) -> str:
    return re.sub(r"[\s_]+", " ", word.strip().casefold())


def _interval(word: str) -> float | None:
    """Where an interval such as '18-25', '<18', '65+' (or a number beside such) lies; open ends go just outside."""
    for pattern, place in ((_RANGE, None), (_BELOW, -1e-6), (_AND_MORE, 1e-6), (_ABOVE, 1e-6), (_ALONE, 0.0)):
        match = pattern.fullmatch(word)
        if match is None:
            continue
        ends = [float(end.replace(",", ".")) for end in match.groups()]
        if place is None:
            return (ends[0] + ends[1]) / 2 if ends[0] <= ends[1] else None
        return ends[0] + place * max(1.0, abs(ends[0]))
    return None


def _level(word: str) -> float | None:
    match = _LEVEL.fullmatch(word)
    return float(match["number"]) if match else None


def _level_word(word: str) -> str:
    match = _LEVEL.fullmatch(word)
    return match["word"] if match else ""


def _dense(positions: Sequence[float]) -> list[int]:
    order = {position: k for k, position in enumerate(sorted(set(positions)))}
    return [order[position] for position in positions]
