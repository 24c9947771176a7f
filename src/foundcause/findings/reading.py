"""Sentences about how a table was read: what was seen, what it means, what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from foundcause.findings.finding import Entry, Finding, Severity

_SHOWN = 5
READING: dict[str, Entry] = {}
"""One entry for each code."""


def _entry(code: str, severity: Severity = "note") -> Callable[[Callable[[Finding], str]], Callable[[Finding], str]]:
    """Register the sentence of a code."""

    def register(sentence: Callable[[Finding], str]) -> Callable[[Finding], str]:
        READING[code] = Entry(severity, sentence)
        return sentence

    return register


def _columns(finding: Finding) -> str:
    """Return the columns as the subject of a sentence: 'a', 'b' and 3 more columns."""
    names = [repr(name) for name in finding.columns]
    if len(names) > _SHOWN:
        return f"{', '.join(names[:_SHOWN])} and {len(names) - _SHOWN} more columns"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _is(finding: Finding) -> str:
    return "is" if len(finding.columns) == 1 else "are"


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(map(repr, words))


def _cells(finding: Finding) -> str:
    return _counted(finding.details["cells"], "cell")


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _option(finding: Finding, option: str) -> str:
    """Return the command-line option that a fix stands for, ready to paste."""
    return " ".join(
        f"--{option} {name!r}" if " " in name else f"--{option} {name}" for name in finding.columns[:_SHOWN]
    )


# ---- the source ------------------------------------------------------------------------------------------------------


@_entry("other-encoding")
def _(finding: Finding) -> str:
    called = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}[finding.details["encoding"]]
    return f"The file is not UTF-8 and was read as {called}. Check letters with accents."


@_entry("title-lines")
def _(finding: Finding) -> str:
    return f"{_counted(finding.details['lines'], 'line')} above the table: skipped {_quoted(finding.details['words'])}."


@_entry("ragged-rows", "caution")
def _(finding: Finding) -> str:
    rows = _counted(finding.details["rows"], "row")
    return f"Skipped {rows} with another number of cells than the first. Check the separator and the quotation marks."


@_entry("no-header")
def _(finding: Finding) -> str:
    return "The file has no header row, so its columns are named x1, x2, ... If its first line names them: --header"


@_entry("row-names")
def _(finding: Finding) -> str:
    return "The header is one field short. The first column was read as row names."


@_entry("first-sheet")
def _(finding: Finding) -> str:
    details = finding.details
    return f"Read the sheet {details['sheet']!r}. To read another ({_quoted(details['others'])}), save it as a file."


@_entry("index-left-out")
def _(finding: Finding) -> str:
    return f"The index {_columns(finding)} was left out. To use it as a variable: index=True"


@_entry("nested-columns", "caution")
def _(finding: Finding) -> str:
    return f"{_columns(finding)} {_is(finding)} left out: cells hold lists or records. Make a column of each part."


@_entry("sampled-rows")
def _(finding: Finding) -> str:
    details = finding.details
    return (
        f"{details['rows']:,} of {details['total']:,} rows were drawn at random (seed {details['random_state']}). "
        "To use more: --max-rows"
    )


@_entry("unnamed-columns")
def _(finding: Finding) -> str:
    return f"Columns without a name got one: {_columns(finding)}."


@_entry("repeated-names")
def _(finding: Finding) -> str:
    return f"Some column names stand more than once. The later ones are now called {_columns(finding)}."


@_entry("empty-rows")
def _(finding: Finding) -> str:
    return f"Left out {_counted(finding.details['rows'], 'row')} without a value in any variable."


@_entry("total-rows")
def _(finding: Finding) -> str:
    rows = finding.details["rows"]
    last = "The last row is a total" if rows == 1 else f"The last {rows} rows are totals"
    return f"{last} ({finding.details['word']!r}), not data. Left out."


# ---- missing values --------------------------------------------------------------------------------------------------


@_entry("missing-words")
def _(finding: Finding) -> str:
    words = _quoted(finding.details["words"])
    return f"{_columns(finding)}: {words} ({_cells(finding)}) read as missing. If it is a real answer, rename it."


@_entry("perhaps-missing-words", "caution")
def _(finding: Finding) -> str:
    words = _quoted(finding.details["words"])
    return f"{_columns(finding)}: {words} ({_cells(finding)}) read as a value. If it means missing, empty those cells."


@_entry("missing-code", "caution")
def _(finding: Finding) -> str:
    why = {"far": "far from all other values", "below zero": "the only ones below zero"}[finding.details["why"]]
    holds = "holds" if len(finding.columns) == 1 else "hold"
    return (
        f"{_columns(finding)} {holds} {finding.details['value']} in {_cells(finding)}, {why}. "
        "If it stands for a missing value, empty those cells."
    )


@_entry("value-or-empty")
def _(finding: Finding) -> str:
    details = finding.details
    return (
        f"{_columns(finding)}: only {details['word']!r} ({_cells(finding)}) or empty ({details['empty']:,}). "
        "If empty means no, write it."
    )


@_entry("infinite-cells", "caution")
def _(finding: Finding) -> str:
    return f"{_columns(finding)}: {_cells(finding)} with infinite numbers read as missing."


@_entry("strange-cells", "caution")
def _(finding: Finding) -> str:
    details = finding.details
    return (
        f"{_columns(finding)}: {_cells(finding)} ({_quoted(details['words'])}) are no {details['what']} and were read "
        "as missing. Correct or empty them."
    )


@_entry("bounded-cells", "caution")
def _(finding: Finding) -> str:
    words = _quoted(finding.details["words"])
    return (
        f"{_columns(finding)}: {_cells(finding)} ({words}) only bound the value and were read as missing. "
        "Such cells are not missing at random. Write a number instead, such as half the limit."
    )


@_entry("unseen-words", "caution")
def _(finding: Finding) -> str:
    words = _quoted(finding.details["words"])
    return f"{_columns(finding)}: {_cells(finding)} ({words}) do not occur in the fitted table and count as missing."


# ---- numbers ---------------------------------------------------------------------------------------------------------


@_entry("ambiguous-decimal-mark", "caution")
def _(finding: Finding) -> str:
    details = finding.details
    return (
        f"{_columns(finding)}: {details['word']!r} was read as {details['read_as']} but may mean {details['or_else']}. "
        "Write numbers without thousands separators."
    )


@_entry("mixed-decimal-marks", "caution")
def _(finding: Finding) -> str:
    return (
        f"{_columns(finding)}: the comma of {finding.details['word']!r} was read as a decimal mark, but other columns "
        "have decimal points. Write all numbers alike."
    )


@_entry("some-units", "caution")
def _(finding: Finding) -> str:
    details = finding.details
    return (
        f"{_columns(finding)}: {_counted(details['bare'], 'cell')} such as {details['without']!r} have no unit, "
        f"{_cells(finding)} such as {details['word']!r} do. All were read as {details['unit']}."
    )


@_entry("some-multipliers", "caution")
def _(finding: Finding) -> str:
    details = finding.details
    return (
        f"{_columns(finding)}: {details['word']!r} was read as {details['read_as']:,.10g} and {details['without']!r} "
        "as it stands. Check both."
    )


@_entry("flagged-numbers")
def _(finding: Finding) -> str:
    words = _quoted(finding.details["words"])
    return (
        f"{_columns(finding)}: {_cells(finding)} such as {words} carry a mark, and only the number was read. "
        "If the mark matters, make a column of it."
    )


@_entry("leading-zeros", "caution")
def _(finding: Finding) -> str:
    return (
        f"{_columns(finding)}: {finding.details['word']!r} begins with zeros, as codes do, but was read as a number. "
        f"If it is a code: {_option(finding, 'nominal')}"
    )


@_entry("guarded-cells")
def _(finding: Finding) -> str:
    return (
        f"{_columns(finding)}: {_cells(finding)} such as {finding.details['word']!r} are guarded against a spreadsheet "
        f"and were read without the guard. If they are codes: {_option(finding, 'nominal')}"
    )


@_entry("rounded-integers", "caution")
def _(finding: Finding) -> str:
    details = finding.details
    return (
        f"{_columns(finding)}: {details['different']:,} different whole numbers beyond 2^53 became {details['kept']:,} "
        "by rounding. Subtract the same large number from all."
    )


@_entry("complex-numbers", "caution")
def _(finding: Finding) -> str:
    return f"{_columns(finding)}: complex numbers. Only their absolute value is used."


@_entry("perhaps-codes", "caution")
def _(finding: Finding) -> str:
    named = "is named like a code of categories" if len(finding.columns) == 1 else "are named like codes of categories"
    return f"{_columns(finding)} {named} but read as numbers. If the order means nothing: {_option(finding, 'nominal')}"


# ---- dates -----------------------------------------------------------------------------------------------------------


@_entry("digits-as-dates")
def _(finding: Finding) -> str:
    return f"{_columns(finding)}: numbers such as {finding.details['word']} were read as dates (year, month, day)."


@_entry("numbers-as-dates")
def _(finding: Finding) -> str:
    details = finding.details
    since = "1899-12-30, as Excel counts them" if details["unit"] == "days" else "1970-01-01 (Unix time)"
    return f"{_columns(finding)}: {details['word']} was read as {details['unit']} since {since}: {details['date']}."


@_entry("unknown-day-order", "caution")
def _(finding: Finding) -> str:
    first = "day" if finding.details["day_first"] else "month"
    return (
        f"{_columns(finding)}: dates such as {finding.details['word']!r} may begin with the day or the month. "
        f"They were read {first} first. If that is wrong, write the year first."
    )


@_entry("mixed-day-order", "caution")
def _(finding: Finding) -> str:
    (days, months), (day, month) = finding.details["cells"], finding.details["words"]
    first = "day" if finding.details["day_first"] else "month"
    return (
        f"{_columns(finding)}: {_counted(days, 'date')} can only begin with the day ({day!r}), {months:,} only with "
        f"the month ({month!r}). Dates that can be both were read {first} first. Write all alike."
    )


@_entry("two-digit-years")
def _(finding: Finding) -> str:
    return (
        f"{_columns(finding)}: years have two digits, as in {finding.details['word']!r}. Those after "
        f"{finding.details['latest']} were read as 19xx. Write years with four digits."
    )


# ---- words -----------------------------------------------------------------------------------------------------------


@_entry("nominal-codes")
def _(finding: Finding) -> str:
    categories = finding.details["categories"]
    count = f"{categories:,} categories" if len(finding.columns) == 1 else "categories"
    return (
        f"{_columns(finding)}: {count} without a known order. They are coded by frequency (0 is the most frequent), "
        "so the shape of their relations means little."
    )


@_entry("merged-spellings")
def _(finding: Finding) -> str:
    words = _quoted(finding.details["words"])
    otherwise = _option(finding, "nominal")
    return f"{_columns(finding)}: {words} were read as spellings of one value. If they differ: {otherwise}"


@_entry("ordered-by-number")
def _(finding: Finding) -> str:
    words = _quoted(finding.details["words"])
    return (
        f"{_columns(finding)}: {words}, ... are ordered by their numbers. If these are codes: "
        f"{_option(finding, 'nominal')}"
    )


@_entry("mostly-numbers", "caution")
def _(finding: Finding) -> str:
    details = finding.details
    return (
        f"{_columns(finding)}: {details['share']:.0%} of the cells are numbers, but {_cells(finding)} are not "
        f"({_quoted(details['words'])}), so all were read as categories. Correct or empty those cells."
    )


@_entry("several-units", "caution")
def _(finding: Finding) -> str:
    units = _quoted(finding.details["units"])
    return f"{_columns(finding)}: numbers with different units ({units}) were read as categories. Use one unit."


@_entry("several-numbers", "caution")
def _(finding: Finding) -> str:
    return (
        f"{_columns(finding)}: a cell such as {finding.details['word']!r} holds several numbers, so the column was "
        "read as categories. Make a column of each number."
    )


@_entry("split-pairs")
def _(finding: Finding) -> str:
    parts = f", {_quoted(finding.details['into'])}" if len(finding.columns) == 1 else " each"
    return f"{_columns(finding)}: cells hold two numbers and were read as two columns{parts}."


@_entry("lists-of-answers", "caution")
def _(finding: Finding) -> str:
    return (
        f"{_columns(finding)}: a cell such as {finding.details['word']!r} lists several answers, so the column was "
        "read as categories. Make a column of each answer."
    )


# ---- roles -----------------------------------------------------------------------------------------------------------


@_entry("time-of-rows")
def _(finding: Finding) -> str:
    return (
        f"{_columns(finding)}: a regular time index, used as a variable. What changes over time looks like its effect, "
        f"and rows of a series are not independent. To leave it out: {_option(finding, 'drop')}"
    )


@_entry("rank-of-rows")
def _(finding: Finding) -> str:
    return (
        f"{_columns(finding)}: a rank, used as a variable. If it was computed from other columns: "
        f"{_option(finding, 'drop')}"
    )


@_entry("groups")
def _(finding: Finding) -> str:
    values, rows = finding.details["values"], finding.details["rows"]
    return (
        f"{_columns(finding)}: named like an identifier, but its {values:,} values share {rows:,} rows. "
        f"It was read as groups. If they mean nothing: {_option(finding, 'drop')}"
    )


@_entry("constant-column")
def _(finding: Finding) -> str:
    return f"{_columns(finding)}: constant. It has no edges."


@_entry("empty-column")
def _(finding: Finding) -> str:
    cells = finding.details["cells"]
    values = f"only {_counted(cells, 'value')}" if cells else "no values"
    return f"{_columns(finding)}: {values}. It has no edges."


@_entry("row-counter")
def _(finding: Finding) -> str:
    counts = "only counts the rows and was" if len(finding.columns) == 1 else "only count the rows and were"
    return f"{_columns(finding)} {counts} excluded. To use it as a variable: --identifier keep"


@_entry("identifier-column")
def _(finding: Finding) -> str:
    details = finding.details
    seen = f"{details['distinct']:,} different values in {details['rows']:,} rows"
    names = "names" if len(finding.columns) == 1 else "name"
    more = " Rows that share one are not independent." if details["why"] == "cases" else ""
    was = "was" if len(finding.columns) == 1 else "were"
    return (
        f"{_columns(finding)} {names} the rows ({seen}) and {was} excluded.{more} "
        "To use it as a variable: --identifier keep"
    )


@_entry("copied-column", "caution")
def _(finding: Finding) -> str:
    return (
        f"{_columns(finding)}: a copy of {finding.details['of']!r}. Edges of one may belong to the other. "
        f"Drop one: {_option(finding, 'drop')}"
    )
