"""Columns that by their names hardly anything in a table can cause, yet the graph says so. Shapes: D columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from foundcause.diagnostics.names import words_of
from foundcause.diagnostics.wording import joined, listed

_AGE = {"age", "ages", "alter", "âge", "edad", "età", "leeftijd", "idade"}
_ORIGIN = {
    *("sex", "gender", "race", "ethnicity", "dob", "yob", "birthdate", "birthday", "birthyear"),
    *("geschlecht", "geburtsjahr", "geburtsdatum", "sexe", "sexo", "sesso", "geslacht"),
}
_BIRTHS = {("birth", "date"), ("birth", "day"), ("birth", "year"), ("date", "birth"), ("year", "birth")}
_OTHERWISE = {  # sex partners, race times
    *("partner", "partners", "ratio", "gap", "role", "roles", "ideology", "education", "equality", "attitude"),
    *("attitudes", "drive", "risk", "time", "times", "distance", "share", "percent", "pct", "mean", "median", "avg"),
    *("average", "diff", "difference", "same", "unprotected", "safe"),
}
_NO_AGE_OF_A_PERSON = {
    *("house", "building", "home", "dwelling", "property", "car", "vehicle", "machine", "equipment", "engine", "tree"),
    *("stand", "forest", "wine", "account", "company", "firm", "business", "store", "loan", "credit", "bone", "brain"),
    *("mental", "gestational", "gestation", "at", "first", "last", "onset", "start", "started", "begin", "began"),
    *("stop", "stopped", "quit", "when", "diagnosis", "death", "marriage", "married", "menarche", "menopause"),
    *("retirement", "soil", "rock", "sample", "structure"),
}
_AT_THE_START = {"baseline", "entry", "enrolment", "enrollment", "inclusion", "admission", "interview", "survey"}

_ASSIGNED = {"treat", "treatment", "treatments", "trt", "randomized", "randomised", "randomization", "randomisation"}
_ASSIGNED_IF_FEW = {"arm", "group", "rx"}  # an arm may be measured, and anything may be grouped
_BESIDE_ASSIGNED = {"study", "trial", "assigned", "assignment", "allocation", "random", "code", "cd"}
_FEW_ARMS = 6


def given_warnings(guessed: np.ndarray, names: Sequence[str], *, levels: Sequence[int] | None) -> list[str]:
    """Hints when the graph has causes of what people are born or grow old with, or of an arm of a trial.

    guessed: (D, D) bool, edges that no knowledge requires. levels: how many different values each column has.
    """
    caused = np.flatnonzero(guessed.any(axis=0)).tolist()
    found = []
    if people := [repr(names[k]) for k in caused if _is_given(words_of(names[k]))]:
        found.append(
            f"the graph has causes of {listed(people)}, but hardly anything in a table causes people's age, sex or "
            "origin; if nothing does here, say so (roots, --root), and other edges gain too"
        )
    few = [k for k in caused if _is_assigned(words_of(names[k]), None if levels is None else levels[k])]
    if arms := [repr(names[k]) for k in few]:
        one = len(arms) == 1
        found.append(
            f"the graph has causes of {joined(arms)}; if {'it was' if one else 'they were'} assigned at random, "
            f"nothing causes {'it' if one else 'them'}: say so (roots, --root), and other edges gain too"
        )
    return found


def _is_given(words: list[str]) -> bool:
    said = set(words)
    if said & _AGE:
        return not said & (_OTHERWISE | _NO_AGE_OF_A_PERSON) or bool(said & _AT_THE_START)
    without_of = [word for word in words if word != "of"]
    births = any(pair in _BIRTHS for pair in pairwise(without_of))
    return (bool(said & _ORIGIN) or births) and not said & _OTHERWISE


def _is_assigned(words: list[str], levels: int | None) -> bool:
    said = {word for word in words if not word.isdigit()}
    if not said or not said <= _ASSIGNED | _ASSIGNED_IF_FEW | _BESIDE_ASSIGNED:
        return False
    if said & _ASSIGNED:
        return levels is None or levels <= _FEW_ARMS
    return bool(said & _ASSIGNED_IF_FEW) and levels is not None and levels <= _FEW_ARMS
