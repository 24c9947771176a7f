"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from foundcause.errors import OutputError


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; on success it takes the place of ``path``, else it is removed.

    The temporary name keeps the suffix, because writers choose their format by it.
    """
    target = Path(path)
    if target.is_dir():
        raise OutputError(f"cannot write {target}: it is a folder; give the name of a file in it")
    partial = target.with_name(f".{target.stem}.partial{os.getpid()}{target.suffix}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield partial
        os.replace(partial, target)
    except OSError as error:
        raise OutputError(
            f"cannot write {target}: {error.strerror or error}; choose a place with room that you may write to"
        ) from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> Path:
    """Write UTF-8 text whole or not at all."""
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8")
    return Path(path)
