"""Words that are known: spellings of a missing value, pairs for true and false, scales of answers, months, weekdays."""

from __future__ import annotations

NO_VALUE = frozenset(
    {
        "",
        "na",
        "n/a",
        "n.a.",
        "#n/a",
        "#na",
        "<na>",
        "nan",
        "-nan",
        "nat",
        "null",
        "<null>",
        "(null)",
        "\\n",
        "?",
        ".",
        "..",
        "./.",  # of genotypes
        ".|.",
        "#value!",
        "#ref!",
        "#div/0!",
        "#null!",
        "#num!",
        "0000-00-00",
        "0000-00-00 00:00:00",
        "00/00/0000",
        "00.00.0000",
    }
)
"""Casefolded spellings of a cell without a value."""

PERHAPS_NO_VALUE = frozenset(
    {
        "missing",
        "unknown",
        "unk",
        "-",
        "--",
        "*",
        "n.d.",
        "k.a.",
        "refused",
        "not available",
        "not applicable",
        "no answer",
        "no response",
        "don't know",
        "dont know",
        "prefer not to say",
        "prefer not to answer",
        "keine angabe",
        "weiss nicht",
    }
)
"""Casefolded words that mostly stand for no value, but are a value in columns such as refused/accepted."""

NOTHING = frozenset({"none", "nil", "dk", "not sure"})
"""Casefolded words that are a value among words (dk: Denmark) and stand for no value among numbers and scales."""

_MISSING = NO_VALUE | PERHAPS_NO_VALUE | NOTHING

TRUTHS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("no", "yes"), ("n", "y"), ("false", "true"), ("f", "t"), ("0", "1")),
    (("negative", "positive"), ("neg", "pos")),
    (("absent", "present"),),
    (("off", "on"),),
    (("nein", "ja"),),
    (("non", "oui"),),
    (("no", "si"),),
    (("no", "sí"),),
    (("-", "+"),),
    (("female", "male"), ("f", "m")),
    (("woman", "man"),),
    (("control", "treated"),),
    (("control", "treatment"),),
)
"""Pairs of words for false and true, and pairs that are always coded alike; those of one line may be spellings."""

# Each scale is a list of steps from low to high; a step lists the words that mean it.
SCALES: tuple[tuple[tuple[str, ...], ...], ...] = (
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
        ("none", "nil", "absent", "no"),
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
    (("no", "never"), ("maybe", "perhaps", "unsure", "not sure", "possibly"), ("yes", "always")),
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
        ("some college",),
        ("college", "vocational"),
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

LEVEL_WORDS = [
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
    # scales of medicine
    "asa",
    "nyha",
    "ecog",
    "figo",
    "killip",
    "gleason",
    "cin",
    "ckd",
    "ctcae",
    "gold",
    "isup",
    "who",
    "bi-?rads",
    "pi-?rads",
]


def is_missing(text: str) -> bool:
    """Whether a cell's text is a usual spelling of "no value", also one that may be a value of its own."""
    return text.strip().casefold().replace("’", "'") in _MISSING


def is_blank(text: str) -> bool:
    """Whether a cell's text is nothing but a spelling of "no value"."""
    return text.strip().casefold() in NO_VALUE
