"""foundcause: from an observational table to its causal graph, hidden common causes included.

Heavy imports (torch, pandas, matplotlib) happen on first use, so ``import foundcause`` costs milliseconds.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_LAZY = {
    "check": "foundcause.effects.decisions",
    "discover": "foundcause.api",
    "discover_many": "foundcause.many",
    "load": "foundcause.api",
    "Knowledge": "foundcause.knowledge",
    "Result": "foundcause.result",
    "ReadOptions": "foundcause.data",
    "Table": "foundcause.data",
    "read_table": "foundcause.data",
    "CausalDiscovery": "foundcause.estimator",
}

__all__ = [
    "CausalDiscovery",
    "Knowledge",
    "ReadOptions",
    "Result",
    "Table",
    "__version__",
    "check",
    "discover",
    "discover_many",
    "load",
    "read_table",
]

if TYPE_CHECKING:
    from foundcause.api import discover, load
    from foundcause.data import ReadOptions, Table, read_table
    from foundcause.effects.decisions import check
    from foundcause.estimator import CausalDiscovery
    from foundcause.knowledge import Knowledge
    from foundcause.many import discover_many
    from foundcause.result import Result


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'foundcause' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
