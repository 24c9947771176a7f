"""Scripts outside the package: every name they import from it still exists."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = [*sorted((ROOT / "benchmarks").rglob("*.py")), *sorted((ROOT / "research").rglob("*.py"))]


def imports(text: str) -> list[tuple[str, str | None]]:
    """Module and name of every import from foundcause, also inside functions."""
    found: list[tuple[str, str | None]] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.module, alias.name) for alias in node.names]
    return [(module, name) for module, name in found if module.split(".")[0] == "foundcause"]


def exists(module: str, name: str | None) -> bool:
    """Whether the import would succeed."""
    try:
        if name is None or hasattr(importlib.import_module(module), name):
            return importlib.import_module(module) is not None
        return importlib.import_module(f"{module}.{name}") is not None
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("foundcause"):
            return False
        raise


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_script_imports_only_what_exists(script: Path) -> None:
    missing = [found for found in imports(script.read_text(encoding="utf-8")) if not exists(*found)]
    assert not missing


def test_missing_names_are_noticed() -> None:
    text = "def f():\n    from foundcause.api import discover, no_such\nimport foundcause.nowhere\n"
    missing = {found for found in imports(text) if not exists(*found)}
    assert missing == {("foundcause.api", "no_such"), ("foundcause.nowhere", None)}
