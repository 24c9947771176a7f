"""Every word that reading knows: missing values, yes and no, answer scales, months, units and currencies.

To teach the reader a word, add it here. Words stand as ``fold`` writes them: small letters, blanks for hyphens.
"""

from __future__ import annotations

import re
import unicodedata

Scale = tuple[tuple[str, ...], ...]
"""Steps from low to high, each with the words that mean it."""

_BETWEEN_WORDS = re.compile(r"[\s_]+|(?<=[^\W\d_])-(?=[^\W\d_])")


def fold(word: str) -> str:
    """Return the word without what never tells two apart: letter case, kinds of blanks, hyphens inside words."""
    return _BETWEEN_WORDS.sub(" ", word.strip().casefold()).replace("’", "'")


# ---- missing values --------------------------------------------------------------------------------------------------


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split("|"))


NO_VALUE = _words(
    "|na|n/a|n.a.|#n/a|#na|<na>|nan|-nan|nat|null|<null>|(null)|\\n|?|.|..|...|…|:"
    "|#value!|#ref!|#div/0!|#null!|#num!|0000-00-00|0000-00-00 00:00:00|00/00/0000|00.00.0000"
)
"""Spellings of a cell without a value."""

PERHAPS_NO_VALUE = _words(
    "missing|unknown|unk|-|--|---|–|—|*|n.d.|k.a.|refused|not available|not applicable|no answer|no response"
    "|don't know|dont know|prefer not to say|prefer not to answer"
)
"""Words that mostly stand for no value, but are a value in columns such as refused/accepted."""

NOTHING = frozenset({"none", "nil", "dk", "not sure"})
"""Words that are a value among words (dk: Denmark) and stand for no value among numbers and scales."""

_LONGEST_GAP = 60  # letters; long cells are never compared
_MISSING = NO_VALUE | PERHAPS_NO_VALUE | NOTHING
_REPEATED_NA = re.compile(r"(na|nan|null)([_ /|-]\1)+")  # na_na, where programs have joined two gaps


def is_blank(text: str) -> bool:
    """Return whether a cell's text is nothing but a spelling of "no value"."""
    if _is_plainly_a_value(text):
        return False
    word = text.strip().casefold()
    return word in NO_VALUE or (word[:1] == "n" and _REPEATED_NA.fullmatch(word) is not None)


def is_missing(text: str) -> bool:
    """Return whether a cell's text usually stands for "no value", even where it may be a value of its own."""
    if _is_plainly_a_value(text):
        return False
    return text.strip().casefold().replace("’", "'") in _MISSING or is_blank(text)


def _is_plainly_a_value(text: str) -> bool:
    """Return whether a look at length and ends is enough, as it is for nearly all cells."""
    return len(text) > _LONGEST_GAP or (text[-1:].isdigit() and text[0] != "0")


# ---- two values ------------------------------------------------------------------------------------------------------

TRUTHS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("no", "yes"), ("n", "y"), ("false", "true"), ("f", "t"), ("0", "1")),
    (("negative", "positive"), ("neg", "pos")),
    (("absent", "present"),),
    (("off", "on"),),
    (("nein", "ja"), ("n", "j"), ("falsch", "wahr"), ("0", "1")),
    (("non", "oui"), ("n", "o"), ("faux", "vrai"), ("0", "1")),
    (("no", "si"), ("falso", "verdadero")),
    (("no", "sí"), ("falso", "verdadero")),
    (("no", "sì"), ("falso", "vero")),
    (("não", "sim"), ("falso", "verdadeiro")),
    (("nee", "ja"), ("n", "j"), ("onwaar", "waar")),
    (("-", "+"),),
    (("female", "male"), ("f", "m")),
    (("woman", "man"),),
    (("control", "treated"),),
    (("control", "treatment"),),
)
"""Pairs of words for 0 and 1. Those of one line may be spellings of each other."""

# ---- ordered answers -------------------------------------------------------------------------------------------------


def _scale(text: str) -> Scale:
    return tuple(tuple(step.strip().split("|")) for step in text.split("<"))


def _two_sided(bad: str, good: str, *middle: str) -> Scale:
    """Return the steps from 'strongly disagree' to 'strongly agree'."""
    sides = []
    for word in (bad, good):
        strongly = [f"{how} {word}" for how in ("strongly", "completely", "totally", "extremely")]
        slightly = [f"{how} {word}" for how in ("somewhat", "slightly")]
        sides.append([tuple(strongly), (f"very {word}",), (word,), (f"moderately {word}",), tuple(slightly)])
    neutral = ("neutral", "neither", f"neither {good} nor {bad}", f"neither {bad} nor {good}", *middle)
    return (*sides[0], neutral, *reversed(sides[1]))


def _times(span: str) -> str:
    counts = ("several times", "a few times", "multiple times")
    return "|".join(f"{count} {per} {span}" for count in counts for per in ("a", "per"))


def _once(span: str) -> str:
    return f"once a {span}|once per {span}|every {span}"


MONTHS = _scale(
    "january|jan < february|feb < march|mar < april|apr < may < june|jun < july|jul < august|aug"
    "< september|sep|sept < october|oct < november|nov < december|dec"
)
WEEKDAYS = _scale(
    "monday|mon < tuesday|tue|tues < wednesday|wed < thursday|thu|thur|thurs < friday|fri < saturday|sat < sunday|sun"
)
SCALES: tuple[Scale, ...] = (
    _scale(
        "none|zero < very low|very small|minimal < low|small|lo < medium low|low medium|lower middle"
        "< medium|moderate|mid|middle|normal|average|avg|med|intermediate < medium high|high medium|upper middle"
        "< high|large|big|hi < very high|very large|extreme < urgent|critical"
    ),
    _scale("extra small|xxs < xs < s|small < m|medium < l|large < xl|extra large < xxl < xxxl"),
    _scale(
        "none|nil|absent|no < trace < mild|slight < moderate < severe|strong"
        "< very severe|critical|life threatening < fatal|death"
    ),
    _scale("trivial < minor|slight < moderate < major|serious < critical < fatal|blocker"),
    _scale(
        "never < almost never|very rarely|hardly ever < rarely|seldom < occasionally < sometimes"
        "< about half the time|half the time|half of the time < often|frequently|regularly < usually"
        "< very often|almost always|mostly|most of the time < always|constantly"
    ),
    _scale(
        "never < rarely|less often|less than monthly|less than once a month|monthly or less"
        f"< yearly|annually|{_once('year')} < {_times('year')} < monthly|{_once('month')}"
        f"< {_times('month')}|2-4 times a month|2-4 times per month < weekly|{_once('week')}"
        f"< {_times('week')}|2-3 times a week|2-3 times per week < 4 or more times a week|4 or more times per week"
        f"< daily|{_once('day')}|almost daily|daily or almost daily < {_times('day')} < hourly"
    ),
    _scale("not at all < several days < more than half the days < nearly every day|almost every day"),
    _scale("none < a little|few < some < about half|half < a good bit|many < most < all"),
    _two_sided("disagree", "agree", "undecided"),
    _two_sided("dissatisfied", "satisfied"),
    _two_sided("unsatisfied", "satisfied"),
    _two_sided("unlikely", "likely", "possible", "maybe"),
    _two_sided("unhappy", "happy"),
    _two_sided("difficult", "easy"),
    _two_sided("negative", "positive"),
    _scale("no|never < maybe|perhaps|unsure|not sure|possibly < yes|always"),
    _scale("never|never smoked|non smoker < former|ex|ex smoker|formerly smoked|past < current|smoker|smokes"),
    _scale(
        "terrible|awful|very bad|very poor < bad|poor < fair|ok|okay|average|acceptable < good < very good"
        "< excellent|great|outstanding"
    ),
    _scale("worse|decreased|down|decrease < same|unchanged|stable|equal < better|increased|up|increase"),
    _scale("lowest < lower < middle < upper|higher < highest"),
    _scale(
        "not at all|not < a little|slightly|a little bit < somewhat|moderately < quite a bit|very|very much < extremely"
    ),
    _scale("unimportant|not important < slightly important < moderately important < important < very important"),
    _scale("slow < medium|moderate|normal < fast < very fast"),
    _scale("cold < cool < mild|warm < hot < very hot"),
    _scale("young < middle aged|adult < old|elderly|senior"),
    _scale("infant|baby < child < teenager|adolescent < adult < senior|elderly"),
    _scale("early < mid|middle < late"),
    _scale(
        "no education|none|no formal education|no schooling < preschool"
        "< primary|elementary|primary school|elementary school|primary education < 1st-4th < 5th-6th < 7th-8th"
        "< less than high school|lower secondary < secondary|middle school|secondary school|secondary education"
        "< 9th < 10th < 11th < some high school|12th"
        "< high school|upper secondary|hs grad|high school graduate|high school diploma"
        "< some college|some university < vocational|trade school|assoc voc"
        "< college|assoc acdm|associate|associates|associate's|associate degree|associate's degree"
        "< tertiary|tertiary education|higher education"
        "< undergraduate|university|university degree|bachelor|bachelors|bachelor's|bachelor degree|bachelor's degree"
        "< graduate|postgraduate|post graduate|graduate school|graduate degree"
        "|master|masters|master's|master degree|master's degree"
        "< professional degree|prof school < phd|ph.d.|doctorate|doctorate degree|doctoral|doctoral degree"
    ),
    _scale("first < second < third < fourth < fifth < sixth < seventh < eighth < ninth < tenth"),
    _scale("i < ii < iii < iv < v < vi < vii < viii < ix < x"),
    _scale("-|neg|neg.|negative|nil|none|absent < ±|+-|+/-|(+)|trace < + < ++ < +++ < ++++"),
    _scale("-|neg|neg.|negative|nil|none|absent|0 < ±|+-|+/-|(+)|trace < 1+ < 2+ < 3+ < 4+"),
    _scale("* < ** < *** < **** < *****"),
    _scale("easy < medium|moderate < hard|difficult"),
    _scale("weak < medium|moderate < strong < very strong"),
    _scale("underweight < normal|normal weight|healthy weight < overweight < obese|obesity"),
    _scale("sedentary|inactive < lightly active < moderately active < active < very active"),
    _scale("never < once < twice < three times|more than twice"),
    _scale("zero < one < two < three < four < five < six < seven < eight < nine < ten < eleven < twelve"),
    _scale("lower < working < middle < upper"),
    _scale("bronze < silver < gold < platinum"),
    _scale("debug < info < warning|warn < error < critical|fatal"),
    MONTHS,
    WEEKDAYS,
)
"""Scales that are read as ordered. A column must fit one of them entirely."""

LEVEL_WORDS = (
    "grade|level|stage|class|phase|step|wave|year|week|day|month|quarter|tier|score|q"
    "|asa|nyha|ecog|figo|killip|gleason|cin|ckd|ctcae|gold|isup|who|bi-?rads|pi-?rads"
)
"""Pattern of the words before the number of a level: 'stage II', 'NYHA 3'."""

# ---- dates -----------------------------------------------------------------------------------------------------------


def without_accents(word: str) -> str:
    """Return the word in plain letters, as it may be typed: 'aout' for 'août'."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", word) if not unicodedata.combining(letter))


_MONTHS_ABROAD = (
    "januar|jan|janner|jaenner februar|feb marz|maerz|mar|mrz april|apr mai juni|jun juli|jul august|aug"
    " september|sep|sept oktober|okt november|nov dezember|dez",
    "janvier|janv fevrier|fevr|fev mars avril|avr mai juin juillet|juil aout septembre|sept octobre|oct novembre|nov"
    " decembre|dec",
    "enero|ene febrero|feb marzo|mar abril|abr mayo|may junio|jun julio|jul agosto|ago septiembre|sep|setiembre"
    " octubre|oct noviembre|nov diciembre|dic",
    "gennaio|gen febbraio|feb marzo|mar aprile|apr maggio|mag giugno|giu luglio|lug agosto|ago settembre|set"
    " ottobre|ott novembre|nov dicembre|dic",
    "janeiro|jan fevereiro|fev marco|mar abril|abr maio|mai junho|jun julho|jul agosto|ago setembro|set"
    " outubro|out novembro|nov dezembro|dez",
    "januari|jan februari|feb maart|mrt april|apr mei juni|jun juli|jul augustus|aug september|sep oktober|okt"
    " november|nov december|dec",
)
MONTH_NUMBER: dict[str, int] = {
    name: number
    for year in [" ".join("|".join(step) for step in MONTHS), *_MONTHS_ABROAD]
    for number, names in enumerate(year.split(), start=1)
    for name in names.split("|")
}
"""Number of each month by its name or short name without accents, in English, German, French, Spanish, Italian,
Portuguese and Dutch."""

# ---- numbers ---------------------------------------------------------------------------------------------------------

CURRENCY = (
    r"US\$|R\$|S?Fr\.|[$€£¥₹₩₽₺]"
    "|USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|KRW|SGD|HKD|TRY"
)
"""Pattern of a currency before or behind a number."""

MULTIPLIERS = {
    **dict.fromkeys(("k", "K", "thousand", "tsd", "Tsd"), 1e3),
    **dict.fromkeys(("lakh", "lakhs", "lac"), 1e5),
    **dict.fromkeys(("M", "mn", "mln", "mio", "Mio", "million"), 1e6),
    **dict.fromkeys(("crore", "crores"), 1e7),
    **dict.fromkeys(("B", "G", "bn", "billion", "mrd", "Mrd"), 1e9),
    **dict.fromkeys(("tn", "trillion"), 1e12),
}
MULTIPLIERS_OR_UNITS = {"m": 1e6, "b": 1e9, "T": 1e12}
"""Multipliers only where '900k' or money stands in the column. Elsewhere they are meters, bits and tesla."""

SECONDS = {
    unit: seconds
    for seconds, units in {
        1e-9: "ns nanosecond nanoseconds",
        1e-6: "us µs μs microsecond microseconds",
        1e-3: "ms msec msecs millisecond milliseconds",
        1.0: "s sec secs second seconds",
        60.0: "m min mins minute minutes",
        3600.0: "h hr hrs hour hours",
        86400.0: "d day days",
        7 * 86400.0: "w wk wks week weeks",
        30.4375 * 86400.0: "mo mos month months",
        365.25 * 86400.0: "y yr yrs year years",
    }.items()
    for unit in units.split()
}
"""Length of the units of time, in seconds."""
