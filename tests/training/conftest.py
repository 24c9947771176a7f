"""The small mixture is known by its name in these tests, and in these alone."""

from __future__ import annotations

import pytest
from standins import small_mixture

from foundcause.simulate.mixture import MIXTURES


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MIXTURES, "FEW", small_mixture())
