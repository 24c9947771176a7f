"""Statistics with and without compiled kernels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from foundcause.features.tensor_math import use_kernels


@pytest.fixture(params=["torch", "compiled"])
def kernels(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every test that asks for it runs on torch and on compiled kernels."""
    with use_kernels(request.param == "compiled"):
        yield request.param
