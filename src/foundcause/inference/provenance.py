"""What an answer was made from: digests of the table and the weights, and versions of the libraries."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

_LIBRARIES = ("torch", "numpy", "scipy", "pandas", "scikit-learn")
_DIGITS = 16


def table_digest(values: np.ndarray, names: Sequence[str]) -> str:
    """Return a digest of a table as it was read.

    Parameters
    ----------
    values : ndarray of shape (N, D)
        Encoded cells, NaN where one is missing.
    names : sequence of str
        The D columns.

    Returns
    -------
    str
        The same for equal tables, whether they came from a file or from memory.
    """
    content = hashlib.sha256(repr((values.shape, list(names))).encode())
    cells = np.ascontiguousarray(values, dtype="<f8") + 0.0  # one bit pattern for zero
    cells[np.isnan(cells)] = np.nan  # and one for missing
    content.update(cells.tobytes())
    return content.hexdigest()[:_DIGITS]


def file_digest(path: Path) -> str:
    """Return a digest of a file's bytes. It is remembered until the file changes."""
    status = path.stat()
    return _file_digest(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _file_digest(path: Path, modified: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS]


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Return the versions of foundcause, Python and the libraries behind an answer."""
    from foundcause import __version__

    libraries = {name: importlib.metadata.version(name) for name in _LIBRARIES}
    return {"foundcause": __version__, "python": platform.python_version(), **libraries}
