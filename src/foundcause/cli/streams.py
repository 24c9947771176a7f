"""What commands share: reading standard input, printing into pipes, and telling how far the work is."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import typer

from foundcause.errors import ConfigError, OutputError, TableError

if TYPE_CHECKING:
    import pandas as pd

    from foundcause.inference.passes import Progress

EXIT_CLOSED_PIPE = 128 + 13  # what shells report of a program that SIGPIPE ended
_SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def printing() -> Iterator[None]:
    """Turn a closed pipe into a quiet exit, and a full disk into a message.

    rich and click both end with 1 on a broken pipe, which would look like a defect.
    """
    out = sys.stdout
    try:
        yield
        out.flush()
    except BrokenPipeError:
        pass
    except OSError as error:
        _print_nowhere(out)
        raise OutputError(f"cannot print the result ({error.strerror}); make room, or send it elsewhere") from error
    except SystemExit as end:
        if not isinstance(end.__context__, BrokenPipeError):
            raise
    else:
        return
    _print_nowhere(out)
    raise typer.Exit(EXIT_CLOSED_PIPE)


def _print_nowhere(out: TextIO) -> None:
    """Python flushes once more when it ends, and would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def print_json(text: str) -> None:
    """Print JSON; escapes stand for characters that the terminal's encoding lacks."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(json.loads(text))
    sys.stdout.write(text + "\n")


def print_table(table: pd.DataFrame, title: str, as_json: bool) -> None:
    """Print a table in the terminal, or as JSON records."""
    if as_json:
        print(table.to_json(orient="records"))
        return
    from rich.console import Console
    from rich.table import Table

    shown = Table(title=title, title_justify="left")
    for name in table.columns:
        shown.add_column(str(name).replace("_", " "))
    for row in table.itertuples(index=False):
        shown.add_row(*[f"{cell:.3g}" if isinstance(cell, float) else _text(cell) for cell in row])
    Console(highlight=False).print(shown)


@contextmanager
def readable(file: str) -> Iterator[str | Path]:
    """Give the file itself, or for ``-`` a temporary file with what comes through the pipe."""
    if file != "-":
        yield file
        return
    if sys.stdin.isatty():
        raise ConfigError("standard input is the keyboard; pipe a table into it, or give a file")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "standard-input"
        with place.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        try:
            yield place
        except TableError as error:
            raise TableError(str(error).replace(repr(str(place)), "standard input")) from error


class ProgressOnStderr:
    """How far the work is: a bar in a terminal, otherwise a line every few seconds of long work.

    Entering it gives what ``discover`` calls, or None when nothing is shown.
    """

    def __init__(self, *, show: bool) -> None:
        self._show, self._terminal = show, sys.stderr.isatty()

    def __enter__(self) -> Progress | None:
        if not self._show:
            return None
        if not self._terminal:
            self._last: float | None = None
            return self._line
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("{task.description:<12}"),
            BarColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._bar.start()
        task = self._bar.add_task("reading", total=None)

        def advance(done: int, total: int, stage: str) -> None:
            if total == 0:
                self._bar.console.print(stage)
                return
            self._bar.update(task, completed=done, total=total, description=stage)

        return advance

    def _line(self, done: int, total: int, stage: str) -> None:
        now = time.monotonic()
        self._last = self._last or now
        if total == 0:  # what long work will take
            print(stage, file=sys.stderr, flush=True)
        elif now - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = now
            share = f" {done / total:.0%}" if total else ""
            print(f"{stage}{share}", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self._show and self._terminal:
            self._bar.stop()


def refuse_unwritable(folder: Path) -> None:
    """Raise OutputError before the work, not after it, when the results have no place to go."""
    try:
        nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    except OSError as error:  # a name too long for the system
        raise OutputError(f"cannot write to {str(folder)!r} ({error.strerror}); choose another --out") from error
    if not nearest.is_dir():
        raise OutputError(f"--out {str(folder)!r}: {str(nearest)!r} is a file; give a folder")
    try:
        tempfile.TemporaryDirectory(dir=nearest).cleanup()
    except OSError as error:
        raise OutputError(f"cannot write to {str(folder)!r} ({error.strerror}); choose another --out") from error


def refuse_replacing(folder: Path, *inputs: str | Path | None) -> None:
    """Raise OutputError when an answer would replace what it is made from, or a file that is no answer."""
    from foundcause.report.export import FILES, refuse_replacing_others

    sources = [place for given in inputs if given and (place := Path(given).expanduser()).is_file()]
    for name in FILES:
        for source in sources if (folder / name).exists() else ():
            if source.samefile(folder / name):
                raise OutputError(
                    f"the result would replace {str(source)!r}, which it is made of; choose another --out"
                )
    refuse_replacing_others(folder)


def _text(cell: Any) -> str:
    return ", ".join(map(str, cell)) if isinstance(cell, tuple) else str(cell)
