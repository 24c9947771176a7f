"""Findings about the shape of a table: counts of cases, long or transposed tables, time across columns, survey designs.

Shapes: N rows, D columns. NaN is a missing cell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from foundcause.data import Matrix
from foundcause.data.copies import mean_ranks
from foundcause.data.dates import moments_across
from foundcause.diagnostics.column_names import words_of
from foundcause.findings import Finding, Fix

_COUNTS = {"freq", "frequency", "n", "count", "counts", "weight"}
_MEETINGS = 2.0  # expected pairs of equal rows if the cases were independent

_LONG_NAMES = {  # an item may be a thing that has a value
    *("variable", "measure", "measurement", "parameter", "param", "metric", "indicator", "feature"),
    *("test", "analyte", "attribute", "question", "sensor", "channel", "signal", "tag", "series", "pollutant"),
    *("variable_name", "series_id", "series_name", "indicator_name", "measure_name", "sensor_id", "datatype"),
}
_LONG_VALUES = {
    *("value", "values", "val", "result", "measurement", "reading", "obs_value", "wert", "messwert", "valeur"),
}
_LONG_COLUMNS = 5
_LEAST_REPEATED = 3
_LEVEL = 0.5  # share of the variance of ranks between the names

_ONE_CASE = re.compile(
    r"(sample|patient|subject|participant|person|case|donor|mouse|rat|animal|individual|specimen|replicate|respondent"
    r"|student|gsm|cell|obs|observation)s?[\W_]*\d+",
    re.IGNORECASE,
)
_LEAST_CASES = 4
_MOSTLY_MOMENTS = 0.5  # of the columns

_DESIGN = {"pweight", "pwt", "finalwt", "fnlwgt", "fpc", "psu", "strata", "stratum", "cluster"}
_BY_SURVEYS = re.compile(  # NHANES; ESS; IPUMS, CPS and ACS; GSS; BRFSS, NHIS and PISA
    r"wt(mec|int|saf|dr[12d]|sa|sb|sc|ph|mci)\w*|sdmv(psu|stra)"
    r"|(psp|d|p|an)(weight|wght)"
    r"|(per|hh|asec|earn|person|house(hold)?|samp(le|ling)?|fin(al)?|fnl|pop|resp|rake|raked)(wt|wgt|wght|weight)"
    r"|wt(finl|supp)|p?wgtp|wtss(all|nr|ps|nrps)?|_?llcpwt\w*|wtfa\w*|w_f(stu|sch)r?wt\w*",
    re.IGNORECASE,
)
_WEIGHT = {"wt", "wgt", "wght", "weight", "weights"}
_SHORT = {"wt", "wgt", "wght"}
_OF_A_SURVEY = {
    *("final", "survey", "sampling", "sample", "samp", "design", "analysis", "replicate", "raked", "poststrat", "pop"),
    *("population", "probability", "household", "respondent"),
}
_OF_A_BODY = {
    *("body", "birth", "baby", "fetal", "kg", "kgs", "lb", "lbs", "g", "dry", "wet", "net", "gross", "tare"),
    *("car", "vehicle", "baseline", "before", "after", "pre", "post", "start", "end", "initial", "gain", "loss"),
    *("change", "diff", "lost", "gained", "current", "ideal", "max", "min"),
}
_BODIES = {"ht", "hgt", "height", "heights", "bmi", "waist"}
_MEAN_ONE = 0.05  # weights that are scaled to the number of cases have the mean 1,
_HUGE = 10_000  # those that count people are larger than any body
_VARIED = 0.5  # deviation by the mean; what bodies weigh varies less


def design_findings(table: Matrix) -> list[Finding]:
    """Report tables whose rows are not cases or whose columns are not variables."""
    found = []
    if name := counts_column(table):
        found.append(Finding(code="counts-column", columns=[name]))
    if long := looks_long(table):
        found.append(Finding(code="long-table", columns=long))
    found += _time_across(table)
    if looks_transposed(table):
        found.append(Finding(code="transposed-table", columns=table.names[:3]))
    part = np.flatnonzero(table.active).tolist()
    if designs := design_columns([table.names[k] for k in part], table.values[:, part]):
        fix = Fix(section="read", option="drop", values=tuple(designs))
        found.append(Finding(code="survey-design", columns=designs, fix=fix))
    return found


def _time_across(table: Matrix) -> list[Finding]:
    """Most columns are named by moments. The table may be meant so, with one case a row."""
    moments = moments_across(table.names)
    if len(moments) <= _MOSTLY_MOMENTS * len(table.names):
        return []
    others = [name for k, name in enumerate(table.names) if k not in set(moments)]
    return [Finding(code="time-across", columns=[table.names[k] for k in moments], details={"others": others})]


def counts_column(table: Matrix) -> str | None:
    """Return the column that counts the cases of each row: each combination of the other columns occurs once.

    Independent cases with as many values would repeat some combinations.
    """
    others = [k for k in np.flatnonzero(table.active).tolist() if table.names[k].casefold() not in _COUNTS]
    named = [k for k, name in enumerate(table.names) if name.casefold() in _COUNTS]
    if len(named) != 1 or not others:
        return None
    counts = table.values[:, named[0]]
    if not ((counts >= 0) & (counts == np.round(counts))).all() or (counts <= 1).all():
        return None
    rows = len(counts)
    codes = np.column_stack([np.unique(table.values[:, k], return_inverse=True)[1].reshape(-1) for k in others])
    shares = [np.bincount(column) / rows for column in codes.T]
    meetings = rows * (rows - 1) / 2 * np.prod([(share**2).sum() for share in shares])
    few_valued = all(len(share) <= rows / 2 for share in shares)
    if not few_valued or meetings < _MEETINGS or len(np.unique(codes, axis=0)) < rows:
        return None
    return table.names[named[0]]


def looks_long(table: Matrix) -> tuple[str, str] | None:
    """Return the columns of names and of values of a long table: the level of the values depends on the names."""
    if len(table.names) > _LONG_COLUMNS:
        return None
    words = [k for k in _named(table, _LONG_NAMES) if table.columns[k].kind in ("nominal", "binary", "ordinal")]
    numbers = [k for k in _named(table, _LONG_VALUES) if table.columns[k].kind in ("continuous", "count")]
    for name in words:
        for value in numbers:
            both = ~np.isnan(table.values[:, [name, value]]).any(axis=1)
            _, group, counts = np.unique(table.values[both, name], return_inverse=True, return_counts=True)
            if len(counts) < 2 or counts.min() < _LEAST_REPEATED:
                continue
            ranks = mean_ranks(table.values[both, value])
            means = np.bincount(group, weights=ranks) / counts
            if means[group].var() > _LEVEL * ranks.var():
                return table.names[name], table.names[value]
    return None


def looks_transposed(table: Matrix) -> bool:
    """Return whether the columns are cases (``sample_1``, ``sample_2``, ...) and the first one names the variables."""
    first, *rest = table.columns[: len(table.names)]
    if first.kind not in ("nominal", "identifier") or first.encoding == "as is" or first.distinct < len(table.values):
        return False
    numeric = all(column.kind in ("continuous", "count", "binary", "constant") for column in rest)
    return len(rest) >= _LEAST_CASES and numeric and all(_ONE_CASE.fullmatch(column.name) for column in rest)


def design_columns(names: Sequence[str], values: np.ndarray | None = None) -> list[str]:
    """Return the names of survey weights and of the design of a sample, but not of body weights.

    Parameters
    ----------
    names : sequence of str
    values : ndarray of shape (N, D) or None
        Distinguish weights of cases from weights of bodies where a name is ambiguous. None judges by the names alone.

    Returns
    -------
    list of str
    """
    words = [words_of(name) for name in names]
    bodies = any(set(said) & _BODIES for said in words)
    return [
        name
        for k, (name, said) in enumerate(zip(names, words, strict=True))
        if _is_design(name, said, bodies=bodies, cells=None if values is None else values[:, k])
    ]


def _is_design(name: str, words: list[str], *, bodies: bool, cells: np.ndarray | None) -> bool:
    if _BY_SURVEYS.fullmatch(name) or set(words) & _DESIGN:
        return True
    if not set(words) & _WEIGHT or set(words) & _OF_A_BODY:
        return False
    if any({first, second} & _WEIGHT and {first, second} & _OF_A_SURVEY for first, second in pairwise(words)):
        return True
    short = bool(set(words) & _SHORT)
    if bodies or (not short and sum(not word.isdigit() for word in words) > 1):
        return False
    return short if cells is None else _weigh_cases(cells[~np.isnan(cells)], varied=short)


def _weigh_cases(cells: np.ndarray, *, varied: bool) -> bool:
    """Whether observed cells look like weights of cases. ``varied``: a large variation is enough."""
    if len(cells) == 0 or (cells < 0).any():
        return False
    mean, median = float(cells.mean()), float(np.median(cells))
    return abs(mean - 1) < _MEAN_ONE or median > _HUGE or (varied and float(cells.std()) > _VARIED * mean)


def _named(table: Matrix, names: set[str]) -> list[int]:
    return [k for k in np.flatnonzero(table.active).tolist() if table.names[k].casefold() in names]
