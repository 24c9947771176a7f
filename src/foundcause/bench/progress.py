"""What a run shows while it goes on: a bar on a terminal, one plain line per finished cell elsewhere."""

from __future__ import annotations

from collections import Counter
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from foundcause.bench.results import Record

_LOST = ("failed", "timeout")


class RunProgress:
    """Counts finished cells and tells of each."""

    def __init__(self, console: Console, name: str, total: int) -> None:
        self.counts: Counter[str] = Counter()
        self._console = console
        self._total = total
        self._bar: Progress | None = None
        if console.is_terminal:  # in a file nobody sees the bar move, and drawing it takes time from the methods
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
            self._bar = Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console)
            self._task = self._bar.add_task(name, total=total)

    def __enter__(self) -> RunProgress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def finished(self, record: Record) -> None:
        """Tell of a cell: on a terminal the bar moves and only lost cells are printed."""
        self.counts[record["status"]] += 1
        if self._bar is not None:
            self._bar.update(self._task, advance=1, description=f"{record['method']} on {record['dataset']}")
        if self._bar is None or record["status"] in _LOST:
            text = line(record, self.counts.total(), self._total)
            self._console.print(text, markup=False, soft_wrap=True)

    def summary(self) -> str:
        """How many cells ended in which way."""
        return ", ".join(f"{count} {status}" for status, count in sorted(self.counts.items())) or "nothing to run"


def line(record: Record, number: int, total: int) -> str:
    """``k/n method dataset seed status seconds``, and why a cell was lost.

    A variant joins its data set, as in ``asia/n=100``.
    """
    variant = record.get("variant")
    dataset = f"{record['dataset']}/{variant}" if variant else record["dataset"]
    text = (
        f"{number}/{total} {record['method']} {dataset} {record['seed']} {record['status']} {record['seconds']:.2f} s"
    )
    return f"{text}: {' '.join(str(record['error']).split())}" if record["status"] in _LOST else text
