"""Findings: every remark about a table or an answer, as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["critical", "caution", "note"]
SEVERITIES: tuple[Severity, ...] = ("critical", "caution", "note")
Section = Literal["read", "knowledge"]


class FoundCauseWarning(UserWarning):
    """Issued once for every critical finding of an answer."""


@dataclass(frozen=True, kw_only=True)
class Fix:
    """A change that a program can apply: one entry of the options file.

    Parameters
    ----------
    section : {"read", "knowledge"}
        The part of the options file.
    option : str
        The option in that part, such as ``drop``, ``nominal``, ``roots`` or ``tiers``.
    values : tuple of str
        Column names (or other values) that join the option.
    """

    section: Section
    option: str
    values: tuple[Any, ...]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One remark about a table or an answer.

    Parameters
    ----------
    code : str
        Stable and greppable, such as ``near-copy``; a key of ``CATALOG``.
    columns : tuple of str
        The columns it is about, in the order that the sentence names them.
    details : mapping of str to JSON values
        The figures behind it.
    fix : Fix or None
        What would remedy it.
    severity : {"critical", "caution", "note"} or None
        None takes the severity of the catalog entry.
    """

    code: str
    columns: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    fix: Fix | None = None
    severity: Severity | None = None

    @property
    def message(self) -> str:
        """The sentence of the catalog: what was seen, what it means, what to do."""
        return _entry(self.code).sentence(self)

    @property
    def rank(self) -> Severity:
        """The severity, its own or that of the catalog."""
        return self.severity or _entry(self.code).severity


@dataclass(frozen=True)
class Entry:
    """What the catalog knows of a code: how serious it is, and how to say it."""

    severity: Severity
    sentence: Callable[[Finding], str]


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """Findings with the most serious first; equal ones keep their order, exact repetitions appear once."""
    unique: list[Finding] = []
    for finding in findings:
        if finding not in unique:
            unique.append(finding)
    return sorted(unique, key=lambda finding: SEVERITIES.index(finding.rank))


def _entry(code: str) -> Entry:
    from foundcause.findings.catalog import CATALOG  # the catalog builds on this module

    return CATALOG[code]
