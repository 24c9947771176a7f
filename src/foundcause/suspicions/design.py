"""How a table was made, by the names of its columns and the pattern of their cells: counts, surveys, melted tables.

Shapes: N rows, D columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from foundcause.neighbours import mean_ranks
from foundcause.table import Table

_COUNTS = {"freq", "frequency", "n", "count", "counts", "weight"}
_MEETINGS = 2.0  # of rows that independent cases as many would have in expectation

_LONG_NAMES = {  # an item may be a thing that has a value
    *("variable", "measure", "measurement", "parameter", "param", "metric", "indicator", "feature"),
    *("test", "analyte", "attribute", "question"),
}
_LONG_VALUES = {"value", "values", "val", "result", "measurement", "reading"}
_LONG_COLUMNS = 5
_LEAST_REPEATED = 3
_LEVEL = 0.5  # share of the variance of ranks between the names

_ONE_CASE = re.compile(
    r"(sample|patient|subject|participant|person|case|donor|mouse|rat|animal|individual|specimen|replicate|respondent"
    r"|student|gsm|cell|obs|observation)s?[\W_]*\d+",
    re.IGNORECASE,
)
_LEAST_CASES = 4

_DESIGN = {"wt", "wgt", "pweight", "pwt", "finalwt", "fnlwgt", "fpc", "psu", "strata", "stratum", "cluster"}
_NHANES = re.compile(r"wt(mec|int|saf|dr[12d]|sa|sb|sc|ph|mci)\w*|sdmv(psu|stra)", re.IGNORECASE)
_OF_A_SURVEY = {
    *("final", "survey", "sampling", "sample", "design", "analysis", "replicate", "raked", "poststrat", "pop"),
    *("population", "probability"),
}
_OF_A_BODY = {
    *("body", "birth", "baby", "fetal", "kg", "kgs", "lb", "lbs", "g", "dry", "wet", "net", "gross", "tare"),
    *("car", "vehicle", "baseline"),
}
_BODIES = {"ht", "hgt", "height", "bmi", "waist"}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def counts_column(table: Table) -> str | None:
    """The column that tells how many cases each row stands for: each combination of the other columns occurs once.

    Independent cases with as many values would meet, so that this is no chance.
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


def looks_long(table: Table) -> tuple[str, str] | None:
    """The column of names and that of values of a melted table: the level of the one depends on the other."""
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


def looks_transposed(table: Table) -> bool:
    """Whether the columns are cases (``sample_1``, ``sample_2``, ...) and the first one names what was measured."""
    first, *rest = table.columns[: len(table.names)]
    if first.kind not in ("nominal", "identifier") or first.encoding == "as is" or first.distinct < len(table.values):
        return False
    numeric = all(column.kind in ("continuous", "count", "binary", "constant") for column in rest)
    return len(rest) >= _LEAST_CASES and numeric and all(_ONE_CASE.fullmatch(column.name) for column in rest)


def design_columns(names: Sequence[str]) -> list[str]:
    """The names that are those of survey weights or of the design of a sample; body weight is none."""
    words = {name: _words(name) for name in names}
    bodies = any(set(said) & _BODIES for said in words.values())
    return [name for name, said in words.items() if _is_design(name, said, bodies=bodies)]


def _is_design(name: str, words: list[str], *, bodies: bool) -> bool:
    if _NHANES.fullmatch(name):
        return True
    if set(words) & _OF_A_BODY or (bodies and words in (["wt"], ["wgt"])):
        return False
    weighs = any(
        {first, second} & {"weight", "weights"} and {first, second} & _OF_A_SURVEY for first, second in pairwise(words)
    )
    return weighs or bool(set(words) & _DESIGN)


def _words(name: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(name)]


def _named(table: Table, names: set[str]) -> list[int]:
    return [k for k in np.flatnonzero(table.active).tolist() if table.names[k].casefold() in names]
