"""Findings from the names of columns: edges into ages, dates and randomized arms, edges from later to earlier waves.

Shapes: D columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from foundcause.data.table import Column
from foundcause.findings import Finding, Fix

_WORD = re.compile(r"[^\W\d_]+|\d+")
_HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\W\d_A-Z])")

_AGE = {"age", "ages", "alter", "âge", "edad", "età", "leeftijd", "idade"}
_ORIGIN = {
    *("sex", "gender", "race", "ethnicity", "dob", "yob", "birthdate", "birthday", "birthyear"),
    *("geschlecht", "geburtsjahr", "geburtsdatum", "sexe", "sexo", "sesso", "geslacht"),
}
_BIRTHS = {("birth", "date"), ("birth", "day"), ("birth", "year"), ("date", "birth"), ("year", "birth")}
_NOT_ORIGIN = {  # sex partners, race times
    *("partner", "partners", "ratio", "gap", "role", "roles", "ideology", "education", "equality", "attitude"),
    *("attitudes", "drive", "risk", "time", "times", "distance", "share", "percent", "pct", "mean", "median", "avg"),
    *("average", "diff", "difference", "same", "unprotected", "safe"),
}
_NOT_AGE_OF_A_PERSON = {
    *("house", "building", "home", "dwelling", "property", "car", "vehicle", "machine", "equipment", "engine", "tree"),
    *("stand", "forest", "wine", "account", "company", "firm", "business", "store", "loan", "credit", "bone", "brain"),
    *("mental", "gestational", "gestation", "at", "first", "last", "onset", "start", "started", "begin", "began"),
    *("stop", "stopped", "quit", "when", "diagnosis", "death", "marriage", "married", "menarche", "menopause"),
    *("retirement", "soil", "rock", "sample", "structure"),
}
_AT_THE_START = {"baseline", "entry", "enrolment", "enrollment", "inclusion", "admission", "interview", "survey"}

_ASSIGNED = {"treat", "treatment", "treatments", "trt", "randomized", "randomised", "randomization", "randomisation"}
_ASSIGNED_IF_FEW = {"arm", "group", "rx"}  # an arm may be measured, and anything may be grouped
_WITH_ASSIGNED = {"study", "trial", "assigned", "assignment", "allocation", "random", "code", "cd"}
_FEW_ARMS = 6

_CALENDAR = {"year", "yr", "date", "day", "month", "week", "quarter", "timestamp", "datetime", "jahr", "datum"}
_WITH_CALENDAR = {"calendar", "of", "survey", "interview", "observation", "measurement", "sample", "sampling", "obs"}

_WAVES = {
    *("wk", "week", "day", "month", "mon", "quarter", "qtr", "year", "yr", "hour", "hr", "time", "visit", "wave"),
    *("period", "session", "semester", "grade", "followup"),
}
_QUANTILES = {"p", "q", "pct", "top", "v", "x", "var", "item"}  # p50 and p90, v70 and v71


def words_of(name: str) -> list[str]:
    """Split a column's name into words and numbers in lower case: ``preOp_gender2`` is pre, op, gender, 2."""
    return [word.casefold() for run in _WORD.findall(name) for word in _HUMP.split(run)]


def name_findings(guessed: np.ndarray, columns: Sequence[Column]) -> list[Finding]:
    """Report edges that the names of their columns make implausible, with the knowledge that rules them out.

    Parameters
    ----------
    guessed : bool ndarray of shape (D, D)
        Edges that no knowledge requires.
    columns : sequence of Column

    Returns
    -------
    list of Finding
    """
    effects = [columns[k] for k in np.flatnonzero(guessed.any(axis=0)).tolist()]
    words = {column.name: words_of(column.name) for column in effects}
    found = []
    for code, chosen in (
        ("edge-into-origin", [column for column in effects if _is_origin(words[column.name])]),
        ("edge-into-date", [column for column in effects if _is_calendar(words[column.name])]),
        ("edge-into-arm", [column for column in effects if _is_assigned(words[column.name], column.distinct)]),
    ):
        if chosen:
            names = [column.name for column in chosen]
            found.append(
                Finding(code=code, columns=names, fix=Fix(section="knowledge", option="roots", values=tuple(names)))
            )
    return [*found, *_waves(guessed, [column.name for column in columns])]


def _waves(guessed: np.ndarray, names: Sequence[str]) -> list[Finding]:
    """Edges from a later to an earlier column of those numbered by times: ``wk2 -> wk1``, ``price82 -> price71``.

    A number alone does not mean a time, as items of a questionnaire are numbered too. The name has to contain a word
    such as week or visit before the number, or all numbers are years.
    """
    siblings: dict[tuple[str, ...], dict[int, int]] = {}
    for k, name in enumerate(names):
        *words, last = words_of(name) or [""]
        if words and last.isdecimal() and len(last) <= 4:
            siblings.setdefault(tuple(words), {})[k] = int(last)
    backward: list[list[str]] = []
    tiers: dict[int, list[str]] = {}
    scales = set()
    for stem, times in siblings.items():
        if not _are_times(stem, list(times.values())):
            continue
        edges = [[names[i], names[j]] for i in times for j in times if guessed[i, j] and times[i] > times[j]]
        if edges:
            backward += edges
            scales.add(stem[-1] if stem[-1] in _WAVES else "year")
            for k, time in times.items():
                tiers.setdefault(time, []).append(names[k])
    if not backward:
        return []
    # Week 2 of one group of columns does not follow visit 1 of another.
    fix = None
    if len(scales) == 1:
        fix = Fix(section="knowledge", option="tiers", values=tuple(tiers[time] for time in sorted(tiers)))
    columns = [name for edge in backward for name in edge]
    return [Finding(code="later-to-earlier", columns=columns, details={"edges": backward}, fix=fix)]


def _are_times(stem: tuple[str, ...], numbers: list[int]) -> bool:
    if stem[-1] in _WAVES or (stem[-1] == "t" and len(stem) > 1):  # t3 and t4 alone are hormones
        return True
    years = all(1900 <= number <= 2100 for number in numbers) or all(50 <= number <= 99 for number in numbers)
    return years and stem[-1] not in _QUANTILES


def _is_calendar(words: list[str]) -> bool:
    said = {word for word in words if not word.isdigit()}
    return bool(said & _CALENDAR) and said <= _CALENDAR | _WITH_CALENDAR


def _is_origin(words: list[str]) -> bool:
    said = set(words)
    if said & _AGE:
        return not said & (_NOT_ORIGIN | _NOT_AGE_OF_A_PERSON) or bool(said & _AT_THE_START)
    without_of = [word for word in words if word != "of"]
    births = any(pair in _BIRTHS for pair in pairwise(without_of))
    return (bool(said & _ORIGIN) or births) and not said & _NOT_ORIGIN


def _is_assigned(words: list[str], levels: int) -> bool:
    said = {word for word in words if not word.isdigit()}
    if not said or not said <= _ASSIGNED | _ASSIGNED_IF_FEW | _WITH_ASSIGNED:
        return False
    if said & _ASSIGNED:
        return levels <= _FEW_ARMS
    return bool(said & _ASSIGNED_IF_FEW) and levels <= _FEW_ARMS
