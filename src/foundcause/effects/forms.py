"""Questions as a form that a colleague or a language model fills in, and answers as an options file."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from foundcause.effects.questions import KINDS, Question
from foundcause.errors import InputError

_HEAD = """\
# Questions about a table, the most useful first.
# Write "yes" or "no" as the answer. Leave it empty if you do not know.
# Then: foundcause ask TABLE --answers THIS_FILE --out options.toml
"""


def questions_to_form(questions: Sequence[Question]) -> str:
    """Write questions as TOML with empty answers.

    Parameters
    ----------
    questions : sequence of Question
        Experiments are left out: they have no answer yet.

    Returns
    -------
    str
    """
    parts = [_HEAD]
    for question in questions:
        if question.kind != "experiment":
            columns = json.dumps(list(question.columns), ensure_ascii=False)
            text = json.dumps(question.text, ensure_ascii=False)
            parts.append(f'[[question]]\ntext = {text}\nkind = "{question.kind}"\ncolumns = {columns}\nanswer = ""\n')
    return "\n".join(parts)


def answers_to_knowledge(form: str | Path) -> str:
    """Turn a filled form into an options file with its knowledge.

    Parameters
    ----------
    form : path
        What ``questions_to_form`` wrote, with answers.

    Returns
    -------
    str
        TOML with a ``[knowledge]`` part.
    """
    roots: list[str] = []
    upstream: list[list[str]] = []
    not_upstream: list[list[str]] = []
    for kind, columns, yes in _answers(Path(form)):
        if kind == "root" and yes:
            roots.append(columns[0])
        elif kind == "upstream":
            (upstream if yes else not_upstream).append(columns)
        elif kind == "order":
            not_upstream.append(columns[::-1] if yes else columns)
    lines = ["[knowledge]"]
    for name, values in (("roots", roots), ("upstream", upstream), ("not_upstream", not_upstream)):
        if values:
            lines.append(f"{name} = {json.dumps(values, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


def _answers(path: Path) -> list[tuple[str, list[str], bool]]:
    try:
        content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"cannot read the form {str(path)!r}: {error}") from error
    found = []
    for number, question in enumerate(content.get("question", []), 1):
        answer = str(question.get("answer", "")).strip().lower()
        if answer in {"", "?", "unknown", "don't know"}:
            continue
        if answer not in {"yes", "no", "y", "n", "true", "false"}:
            raise InputError(f"question {number} of {str(path)!r} has the answer {answer!r}; write yes, no, or nothing")
        kind, columns = question.get("kind"), question.get("columns")
        if kind not in KINDS or not isinstance(columns, list) or len(columns) != (1 if kind == "root" else 2):
            raise InputError(f"question {number} of {str(path)!r} is damaged; write the form anew with foundcause ask")
        found.append((kind, [str(name) for name in columns], answer[0] in "yt"))
    return found
