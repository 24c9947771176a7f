"""The benchmark stays apart: nothing that trains or decodes knows it, and listing it imports nothing heavy."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import foundcause

PACKAGE = Path(foundcause.__file__).parent
APART = ("training", "inference", "simulate", "model", "features", "data", "diagnostics")


def imported(path: Path) -> set[str]:
    """Every module a file imports, at any depth, relative ones resolved."""
    module = ("foundcause", *path.relative_to(PACKAGE).with_suffix("").parts)
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(module[: len(module) - node.level]) if node.level else ""
            origin = ".".join(part for part in (base, node.module) if part)
            names |= {origin, *(f"{origin}.{alias.name}" for alias in node.names)}
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("foundcause.bench")
        ):
            names.add(node.value)  # an import by name
    return names


@pytest.mark.parametrize("part", APART)
def test_what_trains_or_decodes_never_imports_bench(part: str) -> None:
    files = sorted((PACKAGE / part).rglob("*.py"))
    assert files
    for path in files:
        strangers = {
            name for name in imported(path) if name == "foundcause.bench" or name.startswith("foundcause.bench.")
        }
        assert not strangers, f"{path.relative_to(PACKAGE)} imports {strangers}"


def test_the_check_sees_imports_of_every_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path)
    (tmp_path / "train").mkdir()
    for text in (
        "import foundcause.bench.runner",
        "from foundcause import bench",
        "from ..bench import run",
        "def f():\n    from foundcause.bench.graph_metrics import counts",
        "import importlib\nimportlib.import_module('foundcause.bench.runner')",
    ):
        path = tmp_path / "train" / "x.py"
        path.write_text(text)
        assert any(name.startswith("foundcause.bench") for name in imported(path)), text


def test_the_registries_import_no_heavy_library() -> None:
    code = (
        "import sys, foundcause.bench.datasets, foundcause.bench.baselines, foundcause.bench.experiments\n"
        "heavy = ('torch', 'causallearn', 'castle', 'dagma', 'pgmpy', 'gadjid', 'matplotlib', 'sklearn')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
