"""One independent stream of randomness per (what, seed)."""

from __future__ import annotations

import zlib

import numpy as np


def generator(purpose: str, seed: int) -> np.random.Generator:
    """A generator that depends on both; the same on every machine and in every process."""
    return np.random.default_rng([zlib.crc32(purpose.encode()), seed])


def integer(purpose: str, seed: int) -> int:
    """A 31-bit seed for libraries that want an integer."""
    return int(generator(purpose, seed).integers(2**31))
