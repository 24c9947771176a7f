"""What tests share: where optional reference data lies, one browser, examples that are the same in every run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import chromium

_BESIDE = Path(__file__).resolve().parents[2] / "shared"

# A run that fails now and then helps nobody; FOUNDCAUSE_EXPLORE=1 looks for new examples.
settings.register_profile("fixed", derandomize=True, database=None)
if not os.environ.get("FOUNDCAUSE_EXPLORE"):
    settings.load_profile("fixed")


def _folder(variable: str, beside: Path) -> Path | None:
    path = Path(os.environ.get(variable, beside))
    return path if path.is_dir() else None


@pytest.fixture(scope="session")
def golden() -> Path:
    """Golden vectors of the released model (not committed)."""
    folder = _folder("FOUNDCAUSE_GOLDEN", _BESIDE / "spec" / "golden")
    if folder is None:
        pytest.skip("golden vectors are not on this machine (set FOUNDCAUSE_GOLDEN)")
    return folder


@pytest.fixture(scope="session")
def benchmark_data() -> Path:
    """Benchmark data (not committed)."""
    folder = _folder("FOUNDCAUSE_DATA", _BESIDE / "data")
    if folder is None:
        pytest.skip("benchmark data is not on this machine (set FOUNDCAUSE_DATA)")
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One Chromium for the whole run: Playwright refuses a second in the same process."""
    pytest.importorskip("playwright.sync_api")
    if chromium.PATH is None:
        pytest.skip("Chromium is not installed")
    with chromium.opened() as running:
        yield running
