"""Findings: every remark about a table or an answer, as data."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["critical", "caution", "note"]
SEVERITIES: tuple[Severity, ...] = ("critical", "caution", "note")
Section = Literal["read", "knowledge"]
SHOWN = 3


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
    values : tuple
        Column names that join the option. For ``tiers``, lists of column names.
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
        Stable and greppable, such as ``near-copy``. It must be a key of ``CATALOG``.
    columns : sequence of str
        The columns it is about, each once, in the order that the sentence names them.
    details : mapping of str to JSON values
        The figures behind it. NumPy values and tuples become plain numbers and lists.
    fix : Fix or None
        What would remedy it.
    severity : {"critical", "caution", "note"} or None
        None takes the severity of the catalog entry.
    """

    code: str
    columns: Sequence[str] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    fix: Fix | None = None
    severity: Severity | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(dict.fromkeys(self.columns)))
        object.__setattr__(self, "details", {str(key): _plain(value) for key, value in self.details.items()})
        object.__setattr__(self, "severity", self.severity or CATALOG[self.code].severity)

    @property
    def message(self) -> str:
        """The sentence of the catalog: what was seen, what it means, what to do."""
        return CATALOG[self.code].sentence(self)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values, the message included."""
        fix = self.fix and {"section": self.fix.section, "option": self.fix.option, "values": _plain(self.fix.values)}
        return {
            "code": self.code,
            "severity": self.severity,
            "columns": list(self.columns),
            "details": dict(self.details),
            "fix": fix,
            "message": self.message,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Finding:
        """Read what ``to_dict`` wrote. A code that this version does not know becomes a ``remark`` with its text."""
        if content["code"] not in CATALOG:
            return cls(code="remark", columns=content["columns"], details={"text": content["message"]})
        fix = content["fix"] and Fix(**{**content["fix"], "values": tuple(content["fix"]["values"])})
        return cls(
            code=content["code"],
            columns=content["columns"],
            details=content["details"],
            fix=fix or None,
            severity=content["severity"],
        )


@dataclass(frozen=True)
class Entry:
    """An entry of the catalog: how serious a code is, and its sentence."""

    severity: Severity
    sentence: Callable[[Finding], str]


CATALOG: dict[str, Entry] = {}
"""One entry for each code. The package fills it from ``reading.py`` and ``answers.py``."""


def remark(text: str, severity: Severity | None = None) -> Finding:
    """Return a finding that is only a sentence, as result files of schema 1 hold them."""
    return Finding(code="remark", details={"text": text}, severity=severity)


def warn_of_critical(findings: Iterable[Finding], *, stacklevel: int = 2) -> None:
    """Issue each critical finding as a ``FoundCauseWarning``, so that scripts notice it."""
    for finding in findings:
        if finding.severity == "critical":
            warnings.warn(finding.message, FoundCauseWarning, stacklevel=stacklevel + 1)


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings, the most serious first. Equal ones keep their order, and exact repetitions appear once."""
    unique: list[Finding] = []
    for finding in findings:
        if finding not in unique:
            unique.append(finding)
    return sorted(unique, key=lambda finding: SEVERITIES.index(finding.severity or "note"))


def shown(findings: Iterable[Finding], limit: int | None = SHOWN) -> tuple[list[Finding], list[Finding]]:
    """Split findings into those to show in full and those to fold away.

    Parameters
    ----------
    findings : iterable of Finding
        In any order.
    limit : int or None, default=3
        How many are shown in full. None shows all.

    Returns
    -------
    tuple of two lists of Finding
        The most serious ones, and the rest.
    """
    ordered = by_severity(findings)
    return (ordered, []) if limit is None else (ordered[:limit], ordered[limit:])


def _plain(value: Any) -> Any:
    """Return a value as JSON would give it back."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.item() if hasattr(value, "item") else value
