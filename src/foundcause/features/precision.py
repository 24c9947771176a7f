"""Numbers of 32 bits, whatever other packages have told torch to use by default.

Some packages set torch's default to 64 bits for the whole process as they are imported; weights and statistics are of
32 bits, and answers must not depend on who else is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def single_precision() -> Iterator[None]:
    """New torch tensors have 32 bits inside, and the default from before is back afterwards; also a decorator."""
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
