"""Files and folders that are written whole or not at all, and cells that no spreadsheet runs."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Iterator
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


@contextmanager
def replacing_files(folder: str | Path, names: Collection[str], last: str) -> Iterator[Path]:
    """Yield an empty folder; on success its files take the place of those in ``folder``, else they are removed.

    Parameters
    ----------
    folder : path
        Created when missing. Other files in it stay.
    names : collection of str
        Names that belong together: files of these names that are not written anew are removed.
    last : str
        The file that is removed first and comes back last. A folder without it is not complete.
    """
    target = Path(folder)
    partial = target.with_name(f".{target.name or 'result'}.partial{os.getpid()}")
    if target.resolve() == Path.cwd() or not target.name:
        partial = target / f".partial{os.getpid()}"
    try:
        partial.mkdir(parents=True)
        yield partial
        target.mkdir(exist_ok=True)
        (target / last).unlink(missing_ok=True)
        for name in names:
            if not (partial / name).exists():
                (target / name).unlink(missing_ok=True)
        for file in sorted(partial.iterdir(), key=lambda file: file.name == last):
            os.replace(file, target / file.name)
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(
            f"cannot write {target}: {error.strerror or error}; choose a place with room that you may write to"
        ) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


_FORMULA = re.compile("'*[=+\\-@\t\r]")


def escape_formula(text: str) -> str:
    """Return text for a CSV cell that no spreadsheet takes for a formula: such text gets an apostrophe in front."""
    return f"'{text}" if _FORMULA.match(text) else text


def unescape_formula(text: str) -> str:
    """Return the text that ``escape_formula`` was given."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text
