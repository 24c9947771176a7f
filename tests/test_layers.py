"""The layers of docs/architecture.md: who may import whom, read from the source."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import networkx as nx
import pytest

import foundcause

PACKAGE = Path(foundcause.__file__).parent
ORDER = ("errors", "findings", "data", "features", "model", "inference", "result")
"""Each may import those before it, at any depth."""
APART = {
    "errors": {"*"},
    "findings": {"*", "-errors"},
    "knowledge": {
        "features",
        "model",
        "paper",
        "inference",
        "training",
        "bench",
        "web",
        "simulate",
        "report",
        "result",
    },
    "engines": {"*", "-errors"},
    "files": {"*", "-errors"},
    "features": {"paper"},
    "model": {"paper", "training", "bench", "web", "simulate", "inference", "api", "result", "report"},
    "paper": {"training", "bench", "web", "simulate", "api", "report"},
    "inference": {"training", "bench", "web", "simulate", "api", "report"},
    "simulate": {"model", "paper", "inference", "training", "bench", "web", "api", "report"},
    "training": {"bench", "web", "api", "report"},
    "diagnostics": {"model", "paper", "training", "bench", "web", "api"},
    "effects": {"model", "paper", "training", "bench", "web", "api"},
    "data": {"bench", "training", "simulate", "web", "api", "report"},
}
"""Package to what it never imports; * is everything of ours but what is named with a minus."""


def imported(path: Path, package: Path) -> set[str]:
    """Every module of ours that a file imports, at any depth; not what only type checkers read."""
    module = ("foundcause", *path.relative_to(package).with_suffix("").parts)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unread = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    names: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in unread:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(module[: len(module) - node.level]) if node.level else ""
            origin = ".".join(part for part in (base, node.module) if part)
            names |= {f"{origin}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            names |= {str(leaf.value) for leaf in ast.walk(node) if isinstance(leaf, ast.Constant)}
    return {name for name in names if name == "foundcause" or name.startswith("foundcause.")}


def layer(name: str) -> str:
    """First part below foundcause: a package or a module at the top."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else ""


@pytest.fixture(scope="module")
def edges() -> dict[str, dict[str, set[str]]]:
    """Layer to imported layer to the files that do it."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        mine = relative.parts[0].removesuffix(".py")
        for name in imported(path, PACKAGE):
            found[mine][layer(name)].add(str(relative))
    return found


@pytest.mark.parametrize("mine", sorted(APART))
def test_what_stays_apart_is_not_imported(edges: dict[str, dict[str, set[str]]], mine: str) -> None:
    allowed = {name.removeprefix("-") for name in APART[mine] if name.startswith("-")} | {mine, "__version__", ""}
    for other, files in edges[mine].items():
        forbidden = other not in allowed if "*" in APART[mine] else other in APART[mine]
        assert not forbidden, f"{mine} imports {other} in {sorted(files)}"


@pytest.mark.parametrize("mine", ORDER)
def test_layers_import_downwards(edges: dict[str, dict[str, set[str]]], mine: str) -> None:
    above = set(ORDER[ORDER.index(mine) + 1 :])
    assert not {other: sorted(edges[mine][other]) for other in above & set(edges[mine])}


def test_no_two_packages_import_each_other(edges: dict[str, dict[str, set[str]]]) -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    both = {
        tuple(sorted((a, b))): (sorted(edges[a][b]), sorted(edges[b][a]))
        for a in packages
        for b in packages
        if a < b and b in edges[a] and a in edges[b]
    }
    assert not both


def test_no_import_cycles() -> None:
    """Between modules, counting only imports that run when a module is imported."""
    graph = nx.DiGraph()
    modules = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        modules[".".join(("foundcause", *parts)).removesuffix(".__init__")] = path
    for module, path in modules.items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("foundcause"):
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    graph.add_edge(module, full if full in modules else node.module)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    assert [sorted(cycle) for cycle in nx.strongly_connected_components(graph) if len(cycle) > 1] == []


def test_the_check_sees_imports_of_every_form(tmp_path: Path) -> None:
    (tmp_path / "training").mkdir()
    for text in (
        "import foundcause.bench.runner",
        "from foundcause import bench",
        "from ..bench import run",
        "def f():\n    from foundcause.bench.graph_metrics import counts",
        "import importlib\nimportlib.import_module('foundcause.bench.runner')",
    ):
        path = tmp_path / "training" / "x.py"
        path.write_text(text)
        assert any(layer(name) == "bench" for name in imported(path, tmp_path)), text
    path.write_text("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from foundcause import bench\n")
    assert not imported(path, tmp_path)


def test_the_registries_of_the_benchmark_import_no_heavy_library() -> None:
    code = (
        "import sys, foundcause.bench.datasets, foundcause.bench.baselines, foundcause.bench.experiments\n"
        "heavy = ('torch', 'causallearn', 'castle', 'dagma', 'pgmpy', 'gadjid', 'matplotlib', 'sklearn')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
