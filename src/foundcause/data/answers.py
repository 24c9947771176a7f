"""Scales of answers: words whose order everybody knows, from low to high; months and weekdays too."""

from __future__ import annotations

from foundcause.data.answers_abroad import SCALES_ABROAD, Step
from foundcause.data.calendar_words import ENGLISH_MONTHS, ENGLISH_WEEKDAYS

_STRONGLY = ("strongly", "completely", "totally", "extremely")
_SLIGHTLY = ("somewhat", "slightly")


def _two_sided(bad: str, good: str, *between: str) -> tuple[Step, ...]:
    """From 'strongly disagree' to 'strongly agree'."""
    neither = (f"neither {good} nor {bad}", f"neither {bad} nor {good}")
    bads, goods = (
        [
            tuple(f"{how} {word}" for how in _STRONGLY),
            (f"very {word}",),
            (word,),
            (f"moderately {word}",),
            tuple(f"{how} {word}" for how in _SLIGHTLY),
        ]
        for word in (bad, good)
    )
    return (*bads, ("neutral", "neither", *neither, *between), *reversed(goods))


def _times(how_often: str, span: str) -> Step:
    """'once a week' and 'once per week'; several times are a few, too."""
    words = (how_often, "a few times", "multiple times") if how_often == "several times" else (how_often,)
    return tuple(f"{word} {a} {span}" for word in words for a in ("a", "per"))


def _degree(who: str) -> Step:
    """'master', 'masters', 'master\'s', with and without 'degree'."""
    return tuple(f"{word}{degree}" for word in (who, f"{who}s", f"{who}'s") for degree in ("", " degree"))


def _of_schooling(*kinds: str) -> Step:
    return tuple(f"{kind} {noun}" for kind in kinds for noun in ("school", "education"))


# Each scale is a list of steps from low to high; a step lists the words that mean it, as ``fold`` writes them.
SCALES: tuple[tuple[Step, ...], ...] = (
    (
        ("none", "zero"),
        ("very low", "very small", "minimal"),
        ("low", "small", "lo"),
        ("medium low", "low medium", "lower middle"),
        ("medium", "moderate", "mid", "middle", "normal", "average", "avg", "med", "intermediate"),
        ("medium high", "high medium", "upper middle"),
        ("high", "large", "big", "hi"),
        ("very high", "very large", "extreme"),
        ("urgent", "critical"),
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
        ("none", "nil", "absent", "no"),
        ("trace",),
        ("mild", "slight"),
        ("moderate",),
        ("severe", "strong"),
        ("very severe", "critical", "life threatening"),
        ("fatal", "death"),
    ),
    (("trivial",), ("minor", "slight"), ("moderate",), ("major", "serious"), ("critical",), ("fatal", "blocker")),
    (
        ("never",),
        ("almost never", "very rarely", "hardly ever"),
        ("rarely", "seldom"),
        ("occasionally",),
        ("sometimes",),
        ("about half the time", "half the time", "half of the time"),
        ("often", "frequently", "regularly"),
        ("usually",),
        ("very often", "almost always", "mostly", "most of the time"),
        ("always", "constantly"),
    ),
    (
        ("never",),
        ("rarely", "less often", "less than monthly", "less than once a month", "monthly or less"),
        ("yearly", "annually", *_times("once", "year"), "every year"),
        _times("several times", "year"),
        ("monthly", *_times("once", "month"), "every month"),
        (*_times("several times", "month"), *_times("2-4 times", "month")),
        ("weekly", *_times("once", "week"), "every week"),
        (*_times("several times", "week"), *_times("2-3 times", "week")),
        _times("4 or more times", "week"),
        ("daily", *_times("once", "day"), "every day", "almost daily", "daily or almost daily"),
        _times("several times", "day"),
        ("hourly",),
    ),
    (("not at all",), ("several days",), ("more than half the days",), ("nearly every day", "almost every day")),
    (("none",), ("a little", "few"), ("some",), ("about half", "half"), ("a good bit", "many"), ("most",), ("all",)),
    _two_sided("disagree", "agree", "undecided"),
    _two_sided("dissatisfied", "satisfied"),
    _two_sided("unsatisfied", "satisfied"),
    _two_sided("unlikely", "likely", "possible", "maybe"),
    _two_sided("unhappy", "happy"),
    _two_sided("difficult", "easy"),
    _two_sided("negative", "positive"),
    (("no", "never"), ("maybe", "perhaps", "unsure", "not sure", "possibly"), ("yes", "always")),
    (
        ("never", "never smoked", "non smoker"),
        ("former", "ex", "ex smoker", "formerly smoked", "past"),
        ("current", "smoker", "smokes"),
    ),
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
        ("not at all", "not"),
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
    (("young",), ("middle aged", "adult"), ("old", "elderly", "senior")),
    (("infant", "baby"), ("child",), ("teenager", "adolescent"), ("adult",), ("senior", "elderly")),
    (("early",), ("mid", "middle"), ("late",)),
    (
        ("no education", "none", "no formal education", "no schooling"),
        ("preschool",),
        ("primary", "elementary", *_of_schooling("primary", "elementary")),
        ("1st-4th",),
        ("5th-6th",),
        ("7th-8th",),
        ("less than high school", "lower secondary"),
        ("secondary", "middle school", *_of_schooling("secondary")),
        *((grade,) for grade in ("9th", "10th", "11th")),
        ("some high school", "12th"),
        ("high school", "upper secondary", "hs grad", "high school graduate", "high school diploma"),
        ("some college", "some university"),
        ("vocational", "trade school", "assoc voc"),
        ("college", "assoc acdm", *_degree("associate")),
        ("tertiary", *_of_schooling("tertiary", "higher")),
        ("undergraduate", "university", "university degree", *_degree("bachelor")),
        ("graduate", "postgraduate", "post graduate", "graduate school", "graduate degree", *_degree("master")),
        ("professional degree", "prof school"),
        ("phd", "ph.d.", "doctorate", "doctorate degree", "doctoral", "doctoral degree"),
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
    (
        ("-", "neg", "neg.", "negative", "nil", "none", "absent"),
        ("±", "+-", "+/-", "(+)", "trace"),
        *(("+",), ("++",), ("+++",), ("++++",)),
    ),
    (
        ("-", "neg", "neg.", "negative", "nil", "none", "absent", "0"),
        ("±", "+-", "+/-", "(+)", "trace"),
        *(("1+",), ("2+",), ("3+",), ("4+",)),
    ),
    (("neg", "neg.", "negative"), ("±", "+/-", "trace"), ("+1",), ("+2",), ("+3",), ("+4",)),  # here - is no value
    (("*",), ("**",), ("***",), ("****",), ("*****",)),
    (("easy",), ("medium", "moderate"), ("hard", "difficult")),
    (("weak",), ("medium", "moderate"), ("strong",), ("very strong",)),
    (("quiet",), ("average", "moderate"), ("loud",), ("very loud",)),
    (("underweight",), ("normal", "normal weight", "healthy weight"), ("overweight",), ("obese", "obesity")),
    (("sedentary", "inactive"), ("lightly active",), ("moderately active",), ("active",), ("very active",)),
    (("never",), ("once",), ("twice",), ("three times", "more than twice")),
    tuple(
        (word,)
        for word in [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    ),
    (("lower",), ("working",), ("middle",), ("upper",)),
    (("bronze",), ("silver",), ("gold",), ("platinum",)),
    (("debug",), ("info",), ("warning", "warn"), ("error",), ("critical", "fatal")),
    ENGLISH_MONTHS,
    ENGLISH_WEEKDAYS,
    *SCALES_ABROAD,
)
