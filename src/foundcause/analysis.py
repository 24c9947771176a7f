"""The options file of an analysis: TOML with a ``[read]`` and a ``[knowledge]`` part.

The command line, the page, suggestions and questions read and write it here and nowhere else.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from foundcause.data.options import ReadOptions
from foundcause.errors import ConfigError, KnowledgeError
from foundcause.files import write_text
from foundcause.findings import Finding, Fix
from foundcause.knowledge import Knowledge

_SECTIONS = ("read", "knowledge")


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """How to read a table, and what is known of it.

    Parameters
    ----------
    read : ReadOptions
        The ``[read]`` part.
    knowledge : Knowledge or None
        The ``[knowledge]`` part. None when nothing is known.
    """

    read: ReadOptions = field(default_factory=ReadOptions)
    knowledge: Knowledge | None = None

    @classmethod
    def from_file(cls, path: str | Path) -> Analysis:
        """Read an options file.

        Parameters
        ----------
        path : path
            A TOML file, or a JSON file when its name ends in ``.json``. A file without sections is knowledge.

        Returns
        -------
        Analysis
        """
        path = Path(path)
        content = _load(path)
        if any(isinstance(content.get(section), Mapping) for section in _SECTIONS):
            if unknown := [key for key in content if key not in _SECTIONS]:
                raise ConfigError(
                    f"{str(path)!r} has the entry {unknown[0]!r} outside [read] and [knowledge]; move it into one"
                )
        else:
            content = {"knowledge": content}
        knowledge = content.get("knowledge")
        return cls(
            read=ReadOptions.of(content.get("read")),
            knowledge=Knowledge.from_dict(knowledge) if knowledge else None,
        )

    def with_fixes(self, fixes: Iterable[Fix | Finding]) -> Analysis:
        """Return the analysis with the fixes of findings applied.

        A fix that contradicts what is already stated is left out. So are tiers when there are some already, and
        statements about columns that are dropped.
        """
        found = self
        for given in fixes:
            fix = given.fix if isinstance(given, Finding) else given
            if fix is not None:
                with suppress(KnowledgeError):
                    found = found._with_fix(fix)
        return found

    def _with_fix(self, fix: Fix) -> Analysis:
        read, knowledge = self.read.to_dict(), (self.knowledge or Knowledge()).to_dict()
        section = read if fix.section == "read" else knowledge
        values = [list(value) if isinstance(value, tuple) else value for value in fix.values]
        present = section[fix.option]
        if not isinstance(present, list):
            section[fix.option] = values[0]
        elif not (present and fix.option == "tiers"):
            section[fix.option] = [*present, *(value for value in values if value not in present)]
        knowledge = _without(knowledge, set(read["drop"]))
        return Analysis(read=ReadOptions.of(read), knowledge=Knowledge.from_dict(knowledge) or None)

    def arguments(self) -> list[str]:
        """Return the options of ``foundcause discover`` that say the same, as far as there are some."""
        known = self.knowledge or Knowledge()
        edges = {"forbid": known.forbidden, "require": known.required, "upstream": known.upstream}
        edges["not-upstream"] = known.not_upstream
        listed = {"drop": self.read.drop, "nominal": self.read.nominal, "root": known.roots, "sink": known.sinks}
        listed |= {option: tuple(f"{cause} -> {effect}" for cause, effect in pairs) for option, pairs in edges.items()}
        listed["tier"] = tuple(",".join(map(_quoted, tier)) for tier in known.tiers)
        return [word for option, values in listed.items() for value in values for word in (f"--{option}", value)]

    def to_toml(self) -> str:
        """Return the file as text, with what differs from the defaults."""
        default = ReadOptions()
        read = {f.name: getattr(self.read, f.name) for f in fields(default)}
        read = {key: value for key, value in read.items() if value != getattr(default, key)}
        known = (self.knowledge or Knowledge()).to_dict()
        knowledge = {key: value for key, value in known.items() if value != Knowledge().to_dict()[key]}
        parts = {"read": read, "knowledge": knowledge}
        sections = [
            "\n".join([f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in entries.items()), ""])
            for name, entries in parts.items()
            if entries
        ]
        return "\n".join(sections)

    def save(self, path: str | Path) -> Path:
        """Write the options file and return its path."""
        return write_text(path, self.to_toml())


def _load(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors mark UTF-8 files
        content = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except OSError as error:
        raise KnowledgeError(f"cannot read the options file {str(path)!r}: {error.strerror or error}") from error
    except ValueError as error:  # also what tomllib and json raise
        raise KnowledgeError(f"the options file {str(path)!r} is not valid TOML or JSON: {error}") from error
    if not isinstance(content, dict):
        raise KnowledgeError(f"the options file {str(path)!r} must hold entries, e.g. forbidden = [...]")
    return content


def _without(knowledge: dict[str, Any], names: set[str]) -> dict[str, Any]:
    """The statements that do not name any of these columns."""
    kept: dict[str, Any] = {}
    for key, value in knowledge.items():
        if key == "tiers":
            kept[key] = [tier for tier in ([name for name in tier if name not in names] for tier in value) if tier]
        elif isinstance(value, list):
            kept[key] = [item for item in value if not names & set([item] if isinstance(item, str) else item)]
        else:
            kept[key] = value
    return kept


def _quoted(name: str) -> str:
    """A name as one cell of a CSV line, which is how ``--tier`` separates names."""
    return '"' + name.replace('"', '""') + '"' if set(name) & set(',"') else name


def _toml(value: Any) -> str:
    """A value as TOML writes it, whose strings are those of JSON."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
