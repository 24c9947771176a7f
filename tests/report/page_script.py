"""Runs the report's scripts in Node, without a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from typing import Any

import pytest

STATIC = files("foundcause.report") / "static"
SCRIPTS = ("acyclic.js", "answer.js", "details.js", "graph_layout.js", "graph_view.js")


def run_script(expression: str, given: Any) -> Any:
    """The value of a JavaScript expression that may speak of ``given`` and of everything the scripts define."""
    node = shutil.which("node") or _browser_node()
    if node is None:
        pytest.skip("neither Node nor Playwright, which brings one, is installed")
    scripts = "\n".join((STATIC / name).read_text(encoding="utf-8") for name in SCRIPTS)
    program = f"""{scripts}
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify({expression}));"""
    done = subprocess.run([node, "-e", program], input=json.dumps(given), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _browser_node() -> str | None:
    """The Node that Playwright brings along for its browsers."""
    try:
        from playwright._impl._driver import compute_driver_executable
    except ImportError:
        return None
    return str(compute_driver_executable()[0])
