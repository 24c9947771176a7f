"""Prepared tasks on disk: validation suites, and training tasks that several runs share.

Simulation and statistics cost more than a training pass, so runs that are compared with each other should not repeat
them. A file name changes with anything its content depends on: the recipe and the code behind it.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import foundcause
from foundcause.errors import OutputError
from foundcause.files import replacing
from foundcause.training.prepare import Prepared

_ARRAYS = ("values", "observed", "statistics", "adjacency", "confounding")
_FILES_PER_FOLDER = 1000


def cache_folder() -> Path:
    """Where prepared tasks are kept: ``FOUNDCAUSE_CACHE``, or ``foundcause`` in the user's cache folder."""
    own = os.environ.get("FOUNDCAUSE_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "foundcause" / "validation"


def kept(path: Path, make: Callable[[], list[Prepared]], *, half: bool = False) -> list[Prepared]:
    """The items in ``path``, or those of ``make``, written there; a damaged file is made anew.

    half: keep statistics in 16 bits. They are rounded before the first use too, so a run sees the same numbers
    whether the file was there or not.
    """
    if path.exists():
        with suppress(OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return _read(path)
    items = make()
    with suppress(OutputError):  # no place for a cache: prepare again next time
        _write(path, items, half=half)
        return _read(path) if half else items
    return items


def suite_path(recipe: Any, count: int) -> Path:
    """The file of the first ``count`` tasks of a recipe."""
    return cache_folder() / f"{_key(repr((recipe, count)))}.npz"


def task_path(folder: Path, recipe: Any, index: int, views: Sequence[int]) -> Path:
    """The file of some views of one task."""
    shelf = folder / _key(repr(recipe)) / f"{index // _FILES_PER_FOLDER:05d}"
    return shelf / f"{index}-{'-'.join(map(str, views))}.npz"


@lru_cache(maxsize=64)
def _key(description: str) -> str:
    digest = hashlib.sha256(description.encode())
    root = Path(foundcause.__file__).parent
    for package in ("simulate", "features"):
        for file in sorted((root / package).rglob("*.py")):
            digest.update(file.read_bytes())
    for name in ("training/prepare.py",):
        digest.update((root / name).read_bytes())
    return digest.hexdigest()[:24]


def _write(path: Path, items: list[Prepared], *, half: bool) -> None:
    arrays: dict[str, Any] = {}
    for k, item in enumerate(items):
        arrays |= {f"{k}.{name}": getattr(item, name) for name in _ARRAYS}
        if half:
            arrays[f"{k}.statistics"] = item.statistics.astype(np.float16)
    arrays["about"] = np.array(json.dumps([[item.index, item.view, item.rows, item.record] for item in items]))
    with replacing(path) as partial:
        np.savez(partial, **arrays)


def _read(path: Path) -> list[Prepared]:
    with np.load(path, allow_pickle=False) as stored:
        arrays = dict(stored)
    about = json.loads(str(arrays["about"]))
    items = []
    for k, (index, view, rows, record) in enumerate(about):
        content = {name: arrays[f"{k}.{name}"] for name in _ARRAYS}
        content["statistics"] = content["statistics"].astype(np.float32, copy=False)
        items.append(Prepared(index=index, view=view, rows=rows, record=record, **content))
    return items
