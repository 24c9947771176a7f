"""Sentences about the limits of a table and of its answer."""

from foundcause.findings.finding import Entry

ANSWERS: dict[str, Entry] = {}
