"""Lines of prose above a header that their commas split into cells, as a table's own lines are."""

from __future__ import annotations

from foundcause.data.cells import usual_width

_LOOKED_AT = 50
_WORDS_OF_A_NAME = 3


def is_prose(rows: list[list[str]]) -> bool:
    """Whether the first row is a sentence or a label with its value: blanks stand behind its commas, but in no table.

    rows: as split, with blanks kept; those below must be without.
    """
    first = rows[0]
    if len(first) > 1 and all(cell[:1] == " " and cell.strip() for cell in first[1:]):
        told = _is_sentence(first) or len(first) != usual_width(_table(rows))[0]
        return told and not any(cell[:1] == " " for row in _table(rows) for cell in row[1:])
    return len(first) > 2 and first[0].rstrip().endswith(":") and not any(cell.strip() for cell in first[2:])


def _is_sentence(row: list[str]) -> bool:
    """Whether cells do not read like the names that somebody typed for as many columns."""
    if ":" in row[0] or row[-1].rstrip().endswith("."):
        return True
    return any(cell.strip().isdigit() or len(cell.split()) > _WORDS_OF_A_NAME for cell in row)


def _table(rows: list[list[str]]) -> list[list[str]]:
    """The last of the rows, which other lines of prose do not reach."""
    return rows[len(rows) // 2 :][:_LOOKED_AT]
