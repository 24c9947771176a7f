"""Names of columns: unique text, whatever the source calls them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from foundcause.errors import TableError
from foundcause.findings import Finding

_SHOWN = 10


def names_given(wanted: Any) -> list[str]:
    """Return the names that an option gives: one name alone is one name, a set has its own order, None gives none."""
    if wanted is None:
        return []
    if isinstance(wanted, str) or not isinstance(wanted, Iterable):
        return [as_text(wanted)]
    texts = [as_text(name) for name in wanted]
    return sorted(texts) if isinstance(wanted, set | frozenset) else texts


def known_names(option: str, wanted: Any, names: list[str]) -> set[str]:
    """The names that an option gives, each of which must be a column."""
    chosen = names_given(wanted)
    for name in chosen:
        if name not in names:
            near = get_close_matches(name, names, n=3, cutoff=0.5)
            hint = f"did you mean {', '.join(map(repr, near))}?" if near else f"the columns are {_some(names)}"
            raise TableError(f"{option}: there is no column {name!r}; {several_names(name, names) or hint}")
    return set(chosen)


def several_names(text: str, names: Sequence[str]) -> str:
    """A remedy for columns that were given as one name, 'age,sex'; empty for other names."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) < 2 or not set(parts) <= set(names):
        return ""
    return f"these are {len(parts)} columns: repeat the option for each, in Python give a list, {parts!r}"


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(repr, names[:_SHOWN])) + more


def unique_names(raw: Sequence[Any]) -> tuple[list[str], list[Finding]]:
    """Return names as unique, non-empty text, and what had to be changed."""
    texts = [as_text(name) for name in raw]
    blank = [k for k, text in enumerate(texts) if not text]
    for k in blank:
        texts[k] = f"column_{k + 1}"
    findings = [Finding(code="unnamed-columns", columns=[texts[k] for k in blank])] if blank else []
    taken, seen = set(texts), set()
    repeated: list[str] = []
    for k, text in enumerate(texts):
        if text in seen:
            number = 2
            while f"{text}_{number}" in taken:
                number += 1
            texts[k] = f"{text}_{number}"
            taken.add(texts[k])
            repeated.append(texts[k])
        seen.add(texts[k])
    if repeated:
        findings.append(Finding(code="repeated-names", columns=repeated))
    return texts, findings


def as_text(name: Any) -> str:
    """A name as the table shows it; those of several levels become one."""
    if isinstance(name, tuple):
        name = " / ".join(map(str, name))
    text = "" if name is None or (isinstance(name, float) and np.isnan(name)) else str(name)
    # 'ö' may be one letter or an o with dots, by system; both look the same.
    text = unicodedata.normalize("NFC", text)
    # Lone surrogates cannot be written to any file, and control characters break every printed table.
    text = text.encode("utf-8", errors="replace").decode("utf-8")
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
