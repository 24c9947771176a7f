"""Sentences about the limits of a table and of its answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from foundcause.findings.finding import Entry, Finding

_SHOWN = 5
_GROUPS = 10
_DAYS = {"year": 365.25, "month": 30.44, "week": 7.0, "day": 1.0, "hour": 1 / 24, "minute": 1 / 1440}
_SECONDS = 86_400.0
_NEARLY_ONE = 0.925  # of a unit: months and years differ in length


# ---- how columns, pairs and groups are listed ----------------------------------------------------------------------


def joined(items: Sequence[str]) -> str:
    """List all items: ``a``, ``a and b``, ``a, b and c``."""
    return "".join(items) if len(items) < 2 else f"{', '.join(items[:-1])} and {items[-1]}"


def listed(items: Sequence[str], shown: int = _SHOWN) -> str:
    """List the first five items and count the rest."""
    return joined(items) if len(items) <= shown + 1 else f"{', '.join(items[:shown])} and {len(items) - shown} more"


def _quoted(names: Sequence[str]) -> str:
    return listed([repr(name) for name in names])


def _columns(finding: Finding) -> str:
    return _quoted(finding.columns)


def _edges(finding: Finding) -> str:
    return listed([f"{cause} → {effect}" for cause, effect in finding.details["edges"]])


def _groups(groups: Sequence[Sequence[str]]) -> str:
    texts = [_quoted(group) for group in groups]
    return "; ".join(texts[:_GROUPS]) + (f"; and {len(texts) - _GROUPS} more" if len(texts) > _GROUPS else "")


def _drop(finding: Finding) -> str:
    """The option that applies the fix, ready to paste."""
    names = finding.fix.values if finding.fix else ()
    return " ".join(f"--drop {_shell(name)}" for name in names[:_SHOWN]) + (" ..." if len(names) > _SHOWN else "")


def _roots(finding: Finding) -> str:
    names = finding.fix.values if finding.fix else ()
    return " ".join(f"--root {_shell(name)}" for name in names[:_SHOWN]) + (" ..." if len(names) > _SHOWN else "")


def _shell(name: str) -> str:
    plain = name.replace("_", "").replace("-", "").replace(".", "")
    return name if plain.isalnum() and plain.isascii() and not name.startswith("-") else f'"{name}"'


def _python(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


# ---- rows and cells ------------------------------------------------------------------------------------------------


def _missing(finding: Finding) -> str:
    shares = finding.details["shares"]
    shown = listed([f"{name!r} ({share:.0%})" for name, share in zip(finding.columns, shares, strict=True)])
    done = {True: " Most passes filled the gaps from similar rows.", None: ""}.get(
        finding.details["filled"], " Each pair is judged by the rows that show both columns."
    )
    biased = " They are biased if the chance that a cell is missing depends on its value."
    return (
        f"More than a tenth of the cells is missing in {shown}.{done} Edges at "
        f"{'it' if len(shares) == 1 else 'them'} are less certain.{biased if finding.details['heavy'] else ''}"
    )


def _together(how: str) -> Callable[[Finding], str]:
    def sentence(finding: Finding) -> str:
        pairs = [f"{first!r} and {second!r}" for first, second in finding.details["pairs"]]
        rest = "What is said about them comes from the other columns."
        if not finding.details["other_columns"]:
            rest = "The table cannot show how they are related."
        return f"{listed(pairs)} are {how.format(**finding.details)}. {rest}"

    return sentence


def _outlier(finding: Finding) -> str:
    values, rows = finding.details["values"], finding.details["rows"]
    shown = joined([f"{value:.10g} (row {row})" for value, row in zip(values, rows, strict=True)])
    one = len(values) == 1
    return (
        f"{_columns(finding)}: {shown} {'is' if one else 'are'} far from all other values. Check "
        f"{'it' if one else 'them'}: a single outlier can reverse edges."
    )


def _nearly_constant(finding: Finding) -> str:
    counts = finding.details["differing"]
    named = [
        f"{name!r} ({count} row{'' if count == 1 else 's'})"
        for name, count in zip(finding.columns, counts, strict=True)
    ]
    one = len(named) == 1
    return (
        f"{listed(named)}: nearly constant, only so few rows differ. Edges at {'it' if one else 'them'} are "
        "unreliable. "
        f"Leave {'it' if one else 'them'} out: {_drop(finding)}"
    )


def _ordered(finding: Finding) -> str:
    details = finding.details
    where = f" in {_columns(finding)}" if finding.columns else ""
    text = f"Neighboring rows are similar{where}, as in a time series or in groups."
    if details["n_effective"] < details["rows"]:
        text += (
            f" The {details['rows']:,} rows carry about as much information as {details['n_effective']:,} "
            "independent ones, and probabilities account for that."
        )
        if details["direction"]:
            text += f" The {'first' if details['direction'] > 0 else 'last'} row was read as the oldest."
        elif details["drifting"]:
            text += " The columns drift, so changes from row to row may be more informative."
    return f"{text} Common trends can still look like edges or hidden common causes."


# ---- relations between columns ---------------------------------------------------------------------------------------


def _near_copies(finding: Finding) -> str:
    return (
        f"Nearly the same columns: {_groups(finding.details['groups'])}. Edges among them and to others may be "
        "swapped. "
        f"Keep one of each: {_drop(finding)}"
    )


def _monotone(finding: Finding) -> str:
    return (
        "These columns rise or fall together without exception, as a number and its logarithm do: "
        f"{_groups(finding.details['groups'])}. An edge of one may belong to the other. Keep one of each: "
        f"{_drop(finding)}"
    )


def _functions(finding: Finding) -> str:
    groups = [f"{_quoted(group['columns'])} of {_quoted(group['of'])}" for group in finding.details["groups"]]
    return (
        f"Functions of other columns: {'; '.join(groups[:_GROUPS])}. Edges at them may be swapped. "
        f"Leave them out: {_drop(finding)}"
    )


def _exclusive(finding: Finding) -> str:
    return (
        f"Never 1 in the same row: {_groups(finding.details['groups'])}. If they are categories of one variable, edges "
        "among them only say that. Put them into one column."
    )


# ---- shape of the table --------------------------------------------------------------------------------------------


def _counts(finding: Finding) -> str:
    name = _python(finding.columns[0])
    return (
        f"{_columns(finding)} seems to count cases: each combination of the other columns is one row. Write one row "
        "for "
        f"each case. In pandas: df.loc[df.index.repeat(df[{name}])].drop(columns={name})"
    )


def _long(finding: Finding) -> str:
    name, value = finding.columns
    return (
        f"{value!r} seems to hold several variables, named by {name!r}. Give each variable a column. In pandas: "
        f"df.pivot(index=..., columns={_python(name)}, values={_python(value)})"
    )


def _transposed(finding: Finding) -> str:
    first, *cases = finding.columns
    return (
        f"The columns look like cases ({', '.join(map(repr, cases))}, ...) and {first!r} looks like names of "
        "variables. "
        f"If so, transpose the table. In pandas: df.set_index({_python(first)}).T"
    )


def _time_across(finding: Finding) -> str:
    others = [_python(name) for name in finding.details["others"]]
    index = ", ".join(others[:3]) + (", ..." if len(others) > 3 else "")
    turned = f"df.set_index({index if len(others) == 1 else f'[{index}]'}).T" if others else "df.T"
    return (
        f"Time runs across the columns ({_columns(finding)}). Each moment was read as a variable and each row as a "
        "case. "
        f"If the rows are series, transpose the table. In pandas: {turned}. If the rows are cases, declare the order "
        "of "
        "the moments as tiers."
    )


def _gaps_in_time(finding: Finding) -> str:
    details = finding.details
    usual, longest = (_length(details[key], details["unit"]) for key in ("usual", "longest"))
    return (
        f"{_columns(finding)}: {details['longer']} of {details['steps']} steps are longer than the usual {usual}. The "
        f"longest is {longest}. Neighboring rows are not always neighbors in time. If that matters, use a period "
        "without gaps."
    )


def _length(number: float, counted_in: str | None) -> str:
    """A duration in the largest unit that it contains: '1 day', '3 hours'. A plain number if its unit is unknown."""
    if not counted_in:
        return f"{number:.6g}"
    days = number * _DAYS[counted_in]
    unit, length = next(
        ((unit, length) for unit, length in _DAYS.items() if days > _NEARLY_ONE * length), ("second", 0.0)
    )
    number = round(days / length, 1) if length else round(days * _SECONDS, 1)
    return f"{number:g} {unit}{'' if number == 1 else 's'}"


# ---- the answer ----------------------------------------------------------------------------------------------------


def _dense(finding: Finding) -> str:
    details = finding.details
    untouched = details["untouched"]
    rest = f" It hardly touches {_quoted(untouched)}." if untouched else ""
    roots = " without roots" if details["without_roots"] else ""
    return (
        f"An unmeasured factor seems to influence most columns: {details['pairs']} of {details['of']} pairs{roots} may "
        f"share a hidden common cause.{rest} Do not interpret single pairs. Add a column that measures the factor, or "
        "analyze parts of the table."
    )


def _mostly_guessed(finding: Finding) -> str:
    details = finding.details
    expected = {0: "hardly one", 1: "only about one"}.get(details["expected"], f"only about {details['expected']}")
    why = "The table contains little information about its graph."
    if details["given"]:
        why = f"The threshold of {details['threshold']:g} is low."
    return (
        f"Of the {details['edges']} edges shown, {expected} can be expected to be right. {why} Look at the most "
        "probable "
        "ones, or set a higher threshold: --threshold 0.5"
    )


def _empty(finding: Finding) -> str:
    details = finding.details
    cause, effect = details["edge"]
    probability, threshold = details["probability"], details["threshold"]
    exact = str(float(probability))
    below = next((text for k in range(2, 9) if float(text := f"{probability:.{k}f}") < threshold), exact)
    return {
        "all-forbidden": "The graph has no edges because your knowledge forbids all of them.",
        "unstable": (
            f"The graph has no edges. The most probable one, {cause} → {effect} ({probability:.2f}), appeared in fewer "
            "than half of the passes, so it depends on which rows are sampled. More rows would help."
        ),
        "below-threshold": (
            f"No edge exceeds the threshold of {threshold:g}. The most probable one has {below}. Set a lower threshold "
            "to see it."
        ),
        "allowed-are-improbable": "No edge that your knowledge allows is probable enough to be shown.",
        "improbable": (
            "No edge is probable enough to be shown. The columns may be independent, or there may be too few rows."
        ),
    }[details["reason"]]


def _undecided(finding: Finding) -> str:
    count = len(finding.details["edges"])
    return (
        f"The direction of {count} edge{'' if count == 1 else 's'} is undecided: {_edges(finding)}. Declare what you "
        "know "
        "about the order of these columns, for example as tiers."
    )


def _later_to_earlier(finding: Finding) -> str:
    one = len(finding.details["edges"]) == 1
    return (
        f"{'An edge runs' if one else 'Edges run'} from later to earlier, judged by the numbers in names: "
        f"{_edges(finding)}. If these numbers are times, declare the columns as tiers (--tier)."
    )


ANSWERS: dict[str, Entry] = {
    # A sentence without data, as result files of schema 1 hold them.
    "remark": Entry("caution", lambda finding: str(finding.details["text"])),
    # Shape of the table
    "counts-column": Entry("critical", _counts),
    "long-table": Entry("critical", _long),
    "transposed-table": Entry("critical", _transposed),
    "time-across": Entry("caution", _time_across),
    "survey-design": Entry(
        "caution",
        lambda finding: (
            f"{_columns(finding)}: named like survey weights or a sampling design, but used as variables. If they are "
            f"no measurements, leave them out: {_drop(finding)}"
        ),
    ),
    # Rows and cells
    "few-rows": Entry(
        "caution",
        lambda finding: (
            f"There are only {finding.details['rows']} rows. With fewer than {finding.details['advised']}, weak edges "
            "are missed and many others are guesses."
        ),
    ),
    "untrained-width": Entry(
        "note",
        lambda finding: (
            f"There are {finding.details['columns']} columns, more than the {finding.details['trained']} of the "
            "network's training. Trust the ranking of edges more than their probabilities."
        ),
    ),
    "repeated-rows": Entry(
        "critical",
        lambda finding: (
            f"{finding.details['repeats']:,} of {finding.details['rows']:,} rows repeat others exactly, which is rare "
            f"for measurements. The table contains as much information as its {finding.details['different']:,} "
            "different rows, and probabilities are too high. Remove copied rows. In pandas: df.drop_duplicates()"
        ),
    ),
    "missing-cells": Entry("caution", _missing),
    "never-together": Entry("caution", _together("never observed together")),
    "rarely-together": Entry("caution", _together("observed together in fewer than {fewer_than} rows")),
    "outlier-cell": Entry("caution", _outlier),
    "nearly-constant": Entry("caution", _nearly_constant),
    "ordered-rows": Entry("caution", _ordered),
    "unsorted-rows": Entry(
        "caution",
        lambda finding: (
            f"{_columns(finding)} looks like a regular time index, but the rows are not sorted by it. Sort them, "
            "oldest "
            "first, so that autocorrelation can be measured."
        ),
    ),
    "repeated-times": Entry(
        "caution",
        lambda finding: (
            f"{_columns(finding)}: {finding.details['rows']} rows repeat the time of another row, but a series has one "
            "row for each time. Remove copies, or analyze each series by itself."
        ),
    ),
    "gaps-in-time": Entry("note", _gaps_in_time),
    # Relations between columns
    "near-copy": Entry("caution", _near_copies),
    "monotone-copy": Entry("caution", _monotone),
    "exact-relation": Entry(
        "caution",
        lambda finding: (
            f"{_columns(finding)} can each be computed from the other columns, for example as a sum. Edges between "
            "them "
            f"are arithmetic, not causal. Drop one: {_drop(finding)}"
        ),
    ),
    "constant-sum": Entry(
        "caution",
        lambda finding: (
            f"{_columns(finding)} add up to the same total in every row. If one is larger, others must be smaller. "
            "Edges between them are forced by that, even if you leave one of them out."
        ),
    ),
    "product-of-columns": Entry(
        "caution",
        lambda finding: (
            f"{_columns(finding)} are a product or ratio of each other. Edges between them are arithmetic, not causal. "
            f"Drop one: {_drop(finding)}"
        ),
    ),
    "function-of-columns": Entry("caution", _functions),
    "one-hot-columns": Entry("caution", _exclusive),
    "exclusive-columns": Entry("note", _exclusive),
    # The network
    "no-graph": Entry("critical", lambda _: "Fewer than two columns can be used, so there is no graph to learn."),
    "uncalibrated": Entry(
        "critical", lambda _: "These weights are not calibrated. Use the probabilities to rank edges only."
    ),
    "calibrated-on-single-passes": Entry(
        "note",
        lambda finding: (
            f"These weights were calibrated on single passes, but {finding.details['n_passes']} passes are averaged "
            "here. Probabilities and threshold are slightly off."
        ),
    ),
    # The graph
    "dense-confounding": Entry("critical", _dense),
    "mostly-guessed": Entry("critical", _mostly_guessed),
    "empty-graph": Entry("caution", _empty),
    "undecided-direction": Entry("caution", _undecided),
    "contradicts-knowledge": Entry(
        "caution",
        lambda finding: (
            f"Probable edges that contradict your knowledge were left out: {_edges(finding)}. Together with the edges "
            "shown, they would lead from a later to an earlier tier or close a cycle with a required path. Tiers for "
            "more columns would show which edge is wrong."
        ),
    ),
    "unsupported-edge": Entry(
        "caution",
        lambda finding: f"These required edges cannot be checked, because a column is excluded: {_edges(finding)}.",
    ),
    "edge-into-origin": Entry(
        "caution",
        lambda finding: (
            f"Edges point into {_columns(finding)}, which nothing in a table usually causes. To rule them out: "
            f"{_roots(finding)}"
        ),
    ),
    "edge-into-date": Entry(
        "caution",
        lambda finding: (
            f"Edges point into {_columns(finding)}, but nothing changes the calendar. To rule them out: "
            f"{_roots(finding)}"
        ),
    ),
    "edge-into-arm": Entry(
        "caution",
        lambda finding: (
            f"Edges point into {_columns(finding)}. If it was assigned at random, nothing causes it. To rule these "
            "edges "
            f"out: {_roots(finding)}"
        ),
    ),
    "later-to-earlier": Entry("caution", _later_to_earlier),
}
