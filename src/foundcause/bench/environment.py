"""On what a result was made: versions and hardware."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from functools import cache
from importlib import metadata
from typing import Any

_PACKAGES = (
    "foundcause",
    "numpy",
    "scipy",
    "scikit-learn",
    "torch",
    "causal-learn",
    "gcastle",
    "dagma",
    "pgmpy",
    "gadjid",
)


@cache
def environment() -> dict[str, Any]:
    """Versions, processor and an ``id`` that is the digest of the rest."""
    content = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "packages": {name: _version(name) for name in _PACKAGES},
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:10]
    return {"id": digest, **content}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor()
