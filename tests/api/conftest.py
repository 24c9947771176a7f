"""The weights that tests of the whole call answer with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiny_network import save_tiny


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("weights") / "tiny.safetensors")
