"""The catalog: one entry a code."""

from foundcause.findings.answers import ANSWERS
from foundcause.findings.finding import Entry
from foundcause.findings.reading import READING

CATALOG: dict[str, Entry] = {**READING, **ANSWERS}
