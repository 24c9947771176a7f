"""The hand-made result as a fixture."""

from __future__ import annotations

import pytest
from made_result import make_result

from foundcause.result import Result


@pytest.fixture
def result() -> Result:
    return make_result()
