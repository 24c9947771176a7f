"""Fast elementwise functions, compiled kernels, and work over pairs of columns cut into pieces that fit the cache.

D variables, C causes of a piece, E effects of each of them, S any leading axis.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType

import numpy as np
import torch
from torch import Tensor

CHUNK = 300_000
"""Most elements of a piece: small enough to stay in cache, large enough to make calls cheap."""


@dataclass(frozen=True)
class Piece:
    """causes: which columns. effects: (C, E) the columns paired with each, or None for all columns with all."""

    causes: slice | Tensor
    effects: Tensor | None
    count: int
    effect_count: int

    @property
    def size(self) -> int:
        """Number of pairs."""
        return self.count * self.effect_count

    def between(self, values: Tensor) -> Tensor:
        """(S, C, E, ...) of values (S, D, D, ...) of pairs."""
        if self.effects is None:
            return values[:, self.causes]
        assert isinstance(self.causes, Tensor)
        return values[:, self.causes[:, None], self.effects]

    def effects_of(self, values: Tensor) -> Tensor:
        """(S, C or 1, E, ...) of values (S, D, ...) of columns."""
        return values[:, None] if self.effects is None else values[:, self.effects]

    def put(self, found: Tensor, target: Tensor) -> None:
        """Write (S, C, E) into (S, D, D)."""
        if self.effects is None:
            target[:, self.causes] = found
        else:
            assert isinstance(self.causes, Tensor)
            target[:, self.causes[:, None], self.effects] = found


def as_array(values: Tensor | None) -> np.ndarray:
    """An array for a kernel; an empty one for a mask that is None."""
    return np.empty((0, 0), np.float32) if values is None else values.contiguous().numpy()


def indices(piece: Piece) -> tuple[np.ndarray, np.ndarray]:
    """Causes (C,) and effects (C, E) of a piece as integers, for kernels."""
    causes, effects = piece.causes, piece.effects
    if effects is None:
        assert isinstance(causes, slice)
        listed = np.arange(causes.start, causes.stop)
        return listed, np.tile(np.arange(piece.effect_count), (piece.count, 1))  # a view would be read-only
    assert isinstance(causes, Tensor)
    return np.ascontiguousarray(causes.numpy()), np.ascontiguousarray(effects.numpy())


def pieces(pairs: Tensor | None, variables: int, cells: int) -> list[Piece]:
    """All pairs of so many columns, or the given ones (D, D), each of so many ``cells``; no piece without a pair."""
    return list(_all(variables, cells) if pairs is None else _chosen(pairs, cells))


def _all(variables: int, cells: int) -> Iterator[Piece]:
    step = max(1, min(variables, CHUNK // (variables * cells)))
    for start in range(0, variables, step):
        stop = min(start + step, variables)
        yield Piece(slice(start, stop), None, stop - start, variables)


def _chosen(pairs: Tensor, cells: int) -> Iterator[Piece]:
    """Causes with about as many effects share a piece; the shorter lists repeat their last effect."""
    counts = pairs.sum(1)
    listed = torch.argsort(pairs.to(torch.uint8), dim=1, descending=True, stable=True)
    causes = torch.argsort(counts, descending=True)
    causes = causes[counts[causes] > 0]
    most = max(1, CHUNK // cells)
    start = 0
    while start < len(causes):
        longest = int(counts[causes[start]])
        group = causes[start : start + max(1, most // longest)]
        last = (counts[group] - 1)[:, None]
        for first in range(0, longest, most):
            place = torch.minimum(torch.arange(first, min(first + most, longest))[None], last)
            yield Piece(group, listed[group].gather(1, place), len(group), place.shape[1])
        start += len(group)


COMPILED_FROM = 24
"""Variables from which on compiled kernels are worth loading for a single table."""
_compiled: ContextVar[bool | None] = ContextVar("compiled", default=None)


@contextmanager
def use_kernels(compiled: bool | None) -> Iterator[None]:
    """Choose whether compiled kernels are used inside; None leaves it to the width of a table.

    Loading them takes half a second, which small tables do not earn back. Values differ in the last bits.
    """
    token = _compiled.set(compiled)
    try:
        yield
    finally:
        _compiled.reset(token)


def kernels_for(variables: int) -> ModuleType | None:
    """The compiled kernels for a table of so many variables; None where torch is used."""
    compiled = _compiled.get()
    wanted = variables >= COMPILED_FROM if compiled is None else compiled
    return _kernels() if wanted else None


@lru_cache(maxsize=1)
def _kernels() -> ModuleType | None:
    try:
        return importlib.import_module("foundcause.features.kernels")
    except ImportError:  # numba comes later to a new Python than others do
        return None


_SMALL = 4096  # smaller tensors spend their time on the call itself and take torch's own functions
_TINY = 1e-37


def asinh(x: Tensor) -> Tensor:
    """Inverse hyperbolic sine; about six times as fast as torch.asinh, and as precise."""
    if x.numel() <= _SMALL or x.dtype != torch.float32:
        return torch.asinh(x)
    size = x.abs().clamp_max_(1e18)  # its square is finite
    # log1p(s + s^2 / (1 + sqrt(s^2 + 1))) keeps the digits of small values
    square = size * size
    root = (square + 1.0).sqrt_().add_(1.0)
    return square.div_(root).add_(size).log1p_().copysign_(x)


def entropy_terms(p: Tensor) -> Tensor:
    """-p log p, 0 at 0; four times as fast as torch.special.entr."""
    if p.numel() <= _SMALL:
        return torch.special.entr(p)
    return p.clamp_min(_TINY).log_().mul_(p).neg_()


def cube_root(x: Tensor) -> Tensor:
    """Cube root of values that are not negative."""
    if x.numel() <= _SMALL:
        return x.pow(1 / 3)
    return x.log().mul_(1 / 3).exp_()
