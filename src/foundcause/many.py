"""``discover_many``: the graphs of many tables, on all cores or on a cluster."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from foundcause import __version__, engines
from foundcause.api import discover, load
from foundcause.data import ReadOptions
from foundcause.errors import ConfigError
from foundcause.files import write_text
from foundcause.knowledge import Knowledge
from foundcause.report.export import table_as_csv
from foundcause.result import Result
from foundcause.weights import checkpoint_path

IDENTITY_FILE = "source.json"
SUMMARY_FILE = "summary.csv"


@dataclass(frozen=True, kw_only=True)
class _Item:
    """One table: everything that a worker needs."""

    source: Any
    name: str
    folder: str | None
    identity: str | None
    options: Mapping[str, Any]


def discover_many(
    sources: Iterable[Any],
    *,
    jobs: int = -1,
    backend: str = "loky",
    address: str | None = None,
    out: str | Path | None = None,
    progress: Callable[[int, int, str], None] | None = None,
    **options: Any,
) -> Iterator[Result | Exception]:
    """Discover the graphs of many tables.

    Parameters
    ----------
    sources : iterable
        Whatever ``discover`` takes, one for each table. Paths must be readable by the workers.
    jobs : int, default=-1
        Tables at a time. -1 takes all cores.
    backend : {"loky", "dask", "ray"}
        This machine, a Dask cluster or a Ray cluster.
    address : str or None
        Address of the cluster.
    out : path or None
        Write each result into a folder of its own, and a table of all of them as ``summary.csv``. A table whose result
        is there already, from the same file with the same options, is not discovered again.
    progress : callable or None
        Called as ``progress(done, total, name)`` after each table.
    **options
        Those of ``discover``, for all tables.

    Yields
    ------
    Result or Exception
        In the order of the sources. A table that fails gives its error and does not stop the others.
    """
    if wrong := [name for name in ("progress", "on_update") if name in options]:
        raise ConfigError(f"{wrong[0]} is not an option of many tables")
    engines.check(backend, jobs, address)
    items = _items(list(sources), None if out is None else Path(out).absolute(), options)
    return _run(items, jobs, backend, address, None if out is None else Path(out), progress)


def _run(
    items: list[_Item],
    jobs: int,
    backend: str,
    address: str | None,
    out: Path | None,
    progress: Callable[[int, int, str], None] | None,
) -> Iterator[Result | Exception]:
    rows: dict[int, dict[str, Any]] = {}
    waiting: dict[int, Result | Exception] = {}
    following = 0
    try:
        for index, output in engines.run(_discover, items, backend=backend, jobs=jobs, address=address):
            answer, seconds = (output.error, None) if isinstance(output, engines.ItemError) else output
            answer = load(answer) if isinstance(answer, str) else answer
            rows[index] = _summary_row(items[index], answer, seconds)
            waiting[index] = answer
            if progress is not None:
                progress(len(rows), len(items), items[index].name)
            while following in waiting:
                yield waiting.pop(following)
                following += 1
    finally:
        if out is not None and rows:
            import pandas as pd

            summary = pd.DataFrame([rows[index] for index in sorted(rows)])
            write_text(out / SUMMARY_FILE, table_as_csv(summary, index=False))


def _discover(item: _Item) -> tuple[Result | str, float]:
    """The result, or the folder that holds it, and how long it took."""
    start = time.perf_counter()
    if item.folder is not None and _is_done(item):
        return item.folder, 0.0
    result = discover(item.source, **item.options)
    if item.folder is None:
        return result, time.perf_counter() - start
    result.save(item.folder)
    write_text(Path(item.folder) / IDENTITY_FILE, json.dumps({"source": item.name, "identity": item.identity}))
    return item.folder, time.perf_counter() - start


def _is_done(item: _Item) -> bool:
    folder = Path(item.folder or "")
    try:
        stored = json.loads((folder / IDENTITY_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(stored.get("identity") == item.identity and (folder / "result.json").is_file())


def _items(sources: list[Any], out: Path | None, options: Mapping[str, Any]) -> list[_Item]:
    """The tables with absolute paths, options that can be sent anywhere, and a folder for each."""
    known = Knowledge.of(options.get("knowledge"))
    shared = {
        **options,
        "knowledge": None if known is None else known.to_dict(),
        "read": ReadOptions.of(options.get("read")).to_dict(),
        "checkpoint": str(checkpoint_path(options.get("checkpoint")).absolute()),
    }
    items, taken = [], set()
    for number, source in enumerate(sources, start=1):
        is_path = isinstance(source, str | os.PathLike)
        path = Path(source).expanduser().absolute() if is_path else None
        name = f"table-{number}" if path is None else path.name
        folder = stem = f"table-{number}" if path is None else path.stem.split(".")[0] or "table"
        while folder in taken:
            folder = f"{stem}-{number}"
        taken.add(folder)
        items.append(
            _Item(
                source=source if path is None else str(path),
                name=name,
                folder=None if out is None else str(out / folder),
                identity=None if out is None else _identity(source if path is None else path, shared),
                options=shared,
            )
        )
    return items


def _identity(source: Any, options: Mapping[str, Any]) -> str:
    """What decides an answer: the file as it is now (or the table in memory), options, weights and version."""
    weights = Path(options["checkpoint"])
    facts: list[Any] = [__version__, dict(options), _stamp(weights)]
    if isinstance(source, Path):
        facts.append([str(source), _stamp(source)])
    else:
        import pandas as pd

        frame = source if isinstance(source, pd.DataFrame) else pd.DataFrame(np.asarray(source))
        facts.append([list(map(str, frame.columns)), int(pd.util.hash_pandas_object(frame.astype(str)).sum())])
    return hashlib.sha256(json.dumps(facts, default=str, sort_keys=True).encode()).hexdigest()


def _stamp(path: Path) -> list[int]:
    try:
        status = path.stat()
    except OSError:
        return []
    return [status.st_size, status.st_mtime_ns]


def _summary_row(item: _Item, answer: Result | Exception, seconds: float | None) -> dict[str, Any]:
    row: dict[str, Any] = {"source": item.name, "folder": "" if item.folder is None else Path(item.folder).name}
    if isinstance(answer, Exception):
        return {**row, "error": str(answer)}
    critical = sum(finding.severity == "critical" for finding in answer.findings)
    return {
        **row,
        "rows": answer.provenance["data"]["rows"],
        "columns": len(answer.names),
        "edges": len(answer.edges),
        "confounded_pairs": len(answer.confounded_pairs),
        "findings": len(answer.findings),
        "critical": critical,
        "seconds": None if seconds is None else round(seconds, 2),
        "error": "",
    }
