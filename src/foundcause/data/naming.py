"""What the name of a column says: that it numbers or ranks rows, names cases or units, holds codes or tells the time.

The words are listed: so many English words end in 'id' (paid, acid, grid, valid) that an ending alone says nothing.
"""

from __future__ import annotations

import re

_BETWEEN = r"[\s_.-]*"
_AFTER = r"(?:.*[\s_.-])?"  # words before the one that counts
_COUNTED = rf"{_BETWEEN}(?:no|nr|num|number)\.?"
_PEOPLE = (
    "pat|pt|patient|u?subj|u?subject|part|participant|pers|person|resp|respondent|proband|case|ind|indiv|individual"
    "|stud|student|pupil|child|mother|father|twin|fam|family|cust|customer|client|user|member|emp|employee|worker"
    "|panelist|player|study|merge"
)
_LETTERS = "uu|gu|[uegip]"  # of uuid, uid, pid; 'bid' and 'tid' are doses, 'sid' and 'kid' other words
_THINGS = (
    "hh|household|house|sch|school|class|teacher|dist|district|county|state|country|region|city|site|center|centre"
    "|hosp|hospital|clinic|unit|firm|company|comp|plant|store|branch|bank|plot|tree|species|station|sensor|device"
    "|machine|item|product|prod|order|trans|transaction|session|event|visit|encounter|hadm|stay|icustay|record|row|obs"
    "|doc|file|image|sample|specimen|gene|tract|geo|loan|claim|account|acct|trip|game|post|tweet|listing"
)
# What studies call the cases themselves: SUBJID, MRN, "Patient No."
_CASE = (
    rf"(?i:(patient|subject|participant|person|respondent|proband|case)({_COUNTED})?|u?subjid|mrn|pid"
    rf"|(hospital|medical{_BETWEEN}record){_COUNTED}"
    rf"|{_AFTER}(({_PEOPLE}|{_THINGS}|{_LETTERS})ids?|id{_COUNTED}|id{_BETWEEN}(code|hh|{_PEOPLE})|seqn"
    rf"|(pat|subj){_BETWEEN}(no|nr)\.?))"
)
_NUMBERS_ROWS = re.compile(
    r"(?i:(.*[_\s.-])?(id|ids|uuid|guid|key|index|idx|rowid|row[_ ]?(number|no|nr|id)|record[_ ]?(number|no|nr)))"
    r"|.*[a-z]I[dD]|(?i:unnamed.*)|column_1"  # what a first column without a name is called
    # 'student_no' may be how many there are; a 'Nr' is never.
    rf"|(?i:row[\s_.-]?(names?|num)|nr|individual|{_AFTER}((obs|doc){_BETWEEN}(no|nr)\.?"
    rf"|(pupil|student|individual){_BETWEEN}nr\.?|(seq|sequence|serial|account|acct|invoice|order|ticket|passport){_COUNTED}))"
    # How people number rows by hand: #, No., S.No ('NO' is a gas); how programs call an index: level_0, ...1
    rf"|(?i:#|(s|sr|sl){_BETWEEN}no\.?|no\.|id{_BETWEEN}#|pk|row|obs|level_0|\.\.\.1)"
    rf"|{_CASE}"
)
# An index may be a measurement (body mass index), the number of a case is none.
_NAMES_CASES = re.compile(rf"(?i:(.*[_\s.-])?(ids?|uuid|guid|record[_ ]?(number|no|nr)))|.*[a-z]I[dD]|{_CASE}")
_OWNER = re.compile(rf"{_AFTER}(?P<noun>[^\s_.-]+?){_BETWEEN}(?:ids?|uuid|guid)", re.IGNORECASE)
_PERSON = re.compile(f"{_PEOPLE}|{_LETTERS}")
_UNIT_WORDS = (
    "nr|unit|individual|indiv|ind|person|pers|patient|pat|subject|subj|participant|panelist|respondent|respond|resp"
    "|proband|household|hh|hid|family|child|student|pupil|teacher|school|sch|district|county|municipality|state|province"
    "|region|country|nation|city|town|village|firm|company|enterprise|plant|establishment|bank|store|branch|industry"
    "|sector|hospital|clinic|center|centre|site|station|plot|tree|farm|farmer|herd|cow|pig|rat|mouse|dog|animal|chick"
    "|bird|team|player|customer|client|user|worker|employee|member|machine|device|sensor|judge|rater"
)
_UNIT = re.compile(
    rf"{_AFTER}(?:(?:{_UNIT_WORDS})(?:{_BETWEEN}(?:id|no|nr|num|number|code|name|key|fips?))?|(?:[a-z]|id|iso)?code|fips"
    "|cusip|gvkey|permno)",
    re.IGNORECASE,
)
_TIMES = frozenset(["year", "yr", "jahr", "date", "datum", "time", "day", "week", "month", "quarter"])
_OCCASIONS = _TIMES | frozenset(
    ["wave", "visit", "period", "occasion", "round", "decade", "season", "session", "trial", "hour", "minute", "age"]
)
_RANKS = frozenset(["rank", "ranking", "place", "placing", "position", "standing", "rang"])
# 'types' may be how many there are, and 'age_class' has an order.
_CODES = {
    *("code", "cd", "type", "kind", "region", "province", "state", "county", "district", "country", "nation", "city"),
    *("zip", "zipcode", "postcode", "fips", "occ", "occupation", "profession", "industry", "sector", "sic", "naics"),
    *("race", "ethnicity", "religion", "nationality", "marital", "species", "brand", "site", "hospital", "department"),
    *("dept", "color", "colour"),
}
_CODES_ALONE = {"category", "cat", "class"}
_AMOUNTS = {
    *("n", "no", "nr", "num", "number", "count", "total", "sum", "mean", "avg", "median", "max", "min", "share", "pct"),
    *("percent", "rate", "ratio", "index", "score", "size", "per", "level", "years", "age", "income", "days", "time"),
}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def numbers_rows(name: str) -> bool:
    """Whether whole numbers that all differ are identifiers in a column of this name: 'id', 'rownames', 'hhid'."""
    return _NUMBERS_ROWS.fullmatch(name) is not None


def names_cases(name: str) -> bool:
    """Whether a column of this name holds identifiers also where rows share them: 'patient_id', 'MRN', 'plot_id'."""
    return _NAMES_CASES.fullmatch(name) is not None


def may_name_groups(name: str) -> bool:
    """Whether identifiers in a column of this name are those of things, as of species, not of people or of no one."""
    found = _OWNER.fullmatch(name)
    return found is not None and _PERSON.fullmatch(found["noun"].casefold()) is None


def names_units(name: str) -> bool:
    """Whether a column of this name may tell which firm, person, country, ... a row belongs to."""
    return _UNIT.fullmatch(name) is not None or names_cases(name)


def names_time(name: str) -> bool:
    """Whether a column of this name tells the time: 'year', 'start_date'."""
    return not _TIMES.isdisjoint(_words(name))


def names_occasions(name: str) -> bool:
    """Whether a column of this name tells when a unit was looked at: a time, a wave, a visit, an age."""
    return not _OCCASIONS.isdisjoint(_words(name))


def names_ranks(name: str) -> bool:
    """Whether a column of this name holds ranks: 'rank', 'Overall rank', 'ranking_2019'."""
    return not _RANKS.isdisjoint(_words(name))


def names_codes(name: str) -> bool:
    """Whether whole numbers in a column of this name are codes of categories: 'occ', 'region_code', 'site_id'.

    A number at the end, as of 'region2', says nothing. Nor does the last word beside one of an amount: 'per_state'.
    """
    words = [word.casefold() for word in _WORD.findall(name)]
    if not words or not _AMOUNTS.isdisjoint(words):
        return False
    stem = name.rstrip("0123456789")
    alone = len(words) == 1 and words[0] in _CODES_ALONE
    return words[-1] in _CODES or alone or (names_cases(stem) and stem.casefold().endswith("id"))


def _words(name: str) -> set[str]:
    """The words of a name in small letters, in the singular."""
    words = {word.casefold() for word in _WORD.findall(name)}
    return words | {word.removesuffix("s") for word in words}
