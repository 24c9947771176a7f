"""Tables in which time runs across the columns, a column for each month, while rows should be moments."""

from __future__ import annotations

import json

from foundcause.data import Matrix
from foundcause.data.headings import moments_across
from foundcause.diagnostics.wording import listed

_MOST = 0.5  # of the columns
_SHOWN_NAMES = 3


def time_across_warnings(table: Matrix) -> list[str]:
    """A warning where most columns are named by moments; the table may be meant so, one case a row."""
    moments = moments_across(table.names)
    if len(moments) <= _MOST * len(table.names):
        return []
    others = [name for k, name in enumerate(table.names) if k not in set(moments)]
    index = ", ".join(json.dumps(name, ensure_ascii=False) for name in others[:_SHOWN_NAMES])
    index += ", ..." if len(others) > _SHOWN_NAMES else ""
    turned = f"df.set_index({index if len(others) == 1 else f'[{index}]'}).T" if others else "df.T"
    return [
        f"time runs across the columns ({listed([repr(table.names[k]) for k in moments])}): each moment is taken for a "
        f"variable and each row for a case; if rows are series, transpose the table, in pandas {turned}, so that each "
        "row is a moment and each column a series; if they are cases, tell the order of the moments by tiers "
        "(tiers, --tier)"
    ]
