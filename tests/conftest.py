"""What tests share: where optional reference data lies, one browser, examples that are the same in every run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import chromium

_ABSENT = "no {} on this machine; set {} to their folder ({} says how to get them)"
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
        pytest.skip(_ABSENT.format("golden vectors of the released model", "FOUNDCAUSE_GOLDEN", "CONTRIBUTING.md"))
    return folder


@pytest.fixture(scope="session")
def benchmark_data() -> Path:
    """Benchmark data (not committed)."""
    folder = _folder("FOUNDCAUSE_DATA", _BESIDE / "data")
    if folder is None:
        pytest.skip(_ABSENT.format("benchmark data", "FOUNDCAUSE_DATA", "`foundcause bench fetch`"))
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One Chromium for the whole run: Playwright refuses a second in the same process."""
    pytest.importorskip("playwright.sync_api", reason="Playwright is not installed; `pip install playwright`")
    if chromium.PATH is None:
        pytest.skip("Chromium is not installed; `apt-get install chromium chromium-driver`, as .ci/run does")
    with chromium.opened() as running:
        yield running


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights of a tiny untrained network, for tests of the whole call."""
    from tiny_network import save_tiny

    return save_tiny(tmp_path_factory.mktemp("weights") / "tiny.safetensors")
