"""Sentences about how a table was read."""

from foundcause.findings.finding import Entry

READING: dict[str, Entry] = {}
