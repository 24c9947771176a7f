"""Every remark about a table or an answer, as data, and the one catalog that turns them into sentences.

A check creates a ``Finding`` with a code, the columns and the figures. No code reads the sentences: the terminal,
page, report, notebook and JSON all render the same findings, the most serious first.

To add a finding, write the check where its facts are known and add one entry to the catalog: ``reading.py`` for what
happened while a table was read, ``answers.py`` for the limits of tables and answers.
"""

from foundcause.findings.answers import ANSWERS
from foundcause.findings.finding import (
    CATALOG,
    SEVERITIES,
    Entry,
    Finding,
    Fix,
    FoundCauseWarning,
    Severity,
    by_severity,
    remark,
    shown,
    warn_of_critical,
)
from foundcause.findings.reading import READING

CATALOG.update(READING)
CATALOG.update(ANSWERS)

__all__ = [
    "CATALOG",
    "SEVERITIES",
    "Entry",
    "Finding",
    "Fix",
    "FoundCauseWarning",
    "Severity",
    "by_severity",
    "remark",
    "shown",
    "warn_of_critical",
]
