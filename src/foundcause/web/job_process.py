"""What runs in a process of its own: reading an uploaded table, or a discovery.

Messages to the server are JSON, never pickles, because a process that has read a stranger's file is not trusted.
"""

from __future__ import annotations

import json
import signal
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from foundcause.errors import FoundcauseError, TableError

PRELOADED = (
    "foundcause.api",
    "foundcause.report.export",
    "foundcause.report",
    "foundcause.features",
    "foundcause.model.network",
    "foundcause.model.checkpoints",
    "matplotlib.backends.backend_agg",
    "matplotlib.figure",
    "matplotlib.patches",
    "networkx",
    "pyarrow.pandas_compat",
)
EVERYTHING = "everything.zip"
EMBEDDED_ROWS = 400
"""Rows that the page gets for its plots. The exports hold none."""
ANSWER = "answer.json"  # the JSON of the page, with rows and timing

Progress = Callable[[int, int, str], None]

_SIGNATURES = {
    b"%PDF": "a PDF document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"PK\x03\x04": "a spreadsheet or archive",
    b"\xd0\xcf\x11\xe0": "a spreadsheet",
    b"\x1f\x8b": "a compressed file",
    b"BZh": "a compressed file",
    b"\x28\xb5\x2f\xfd": "a compressed file",
    b"7z\xbc\xaf": "an archive",
    b"\x7fELF": "a program",
    b"MZ\x90": "a program",
    b"SQLite format": "a database",
    b"{\\rtf": "a text document",
    b"<!DOCTYPE": "a web page",
    b"<html": "a web page",
}


def main(sender: Connection, task: dict[str, Any]) -> None:
    """Do one task and send what came of it: progress, then ``done`` or ``refused``."""
    with suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when a worker stops
    _bound(int(task["memory_bytes"]))

    def say(**message: Any) -> None:
        sender.send_bytes(json.dumps(message).encode())

    def report(done: int, total: int, stage: str) -> None:
        say(event="progress", done=int(done), total=int(total), stage=str(stage))

    try:
        work = {"read": read, "discover": discover}[task["kind"]]
        _answer(say, lambda: work(task, report), task)
    except (BrokenPipeError, ConnectionError, KeyboardInterrupt):
        pass  # the server stopped, or does not want the answer any more
    finally:
        sender.close()


def _answer(say: Callable[..., None], work: Callable[[], dict[str, Any]], task: dict[str, Any]) -> None:
    try:
        say(event="done", answer=work())
    except FoundcauseError as error:
        say(event="refused", error=_without_path(str(error), task))
    except MemoryError:
        say(event="refused", error="this table needs more memory than the server gives. Use fewer columns or rows.")


def read(task: dict[str, Any], report: Progress) -> dict[str, Any]:
    """Describe how the uploaded table was read."""
    from foundcause.api import MIN_ROWS
    from foundcause.data import TableEncoder, read_table
    from foundcause.diagnostics import diagnose_table
    from foundcause.findings import by_severity

    path = Path(task["path"])
    report(0, 0, "reading")
    refuse_foreign(path, task["name"])
    _refuse_large_parquet(path, task)
    table = read_table(path)
    columns = len(table.frame.columns)
    if columns < 2:
        raise TableError(
            f"{task['name']!r} has one column. A causal graph needs at least two. Is the separator one of , ; tab |?"
        )
    if len(table.frame) < MIN_ROWS:
        raise TableError(f"{task['name']!r} has {len(table.frame)} rows. At least {MIN_ROWS} are needed.")
    _refuse_size(table.total_rows, columns, task)
    matrix = TableEncoder().fit(table).transform(table)
    findings = [*table.findings, *diagnose_table(matrix)]
    return {
        "rows": table.total_rows,
        "sampled_rows": len(table.frame),
        "columns": [asdict(column) for column in table.columns],
        "findings": [finding.to_dict() for finding in by_severity(findings)],
    }


def discover(task: dict[str, Any], report: Progress) -> dict[str, Any]:
    """Discover the graph and write every export next to the table."""
    import torch

    from foundcause import api
    from foundcause.report import given_pairs

    torch.set_num_threads(int(task["threads"]))
    report(0, 0, "loading")
    result = api.discover(
        Path(task["path"]),
        knowledge=task["knowledge"],
        n_passes=task["n_passes"],
        random_state=task["random_state"],
        threshold=task["threshold"],
        read={"drop": task["drop"], "nominal": task["nominal"]},
        checkpoint=task["checkpoint"],
        progress=report,
    )
    # The visitor's name of the file, not the one under which it lies here.
    data = {**result.provenance["data"], "source": task["name"]}
    result = replace(result, provenance={**result.provenance, "data": data})
    report(0, 0, "writing")
    folder = Path(task["folder"])
    result.save(folder)
    with zipfile.ZipFile(folder / EVERYTHING, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            if file.name != EVERYTHING:
                archive.write(file, file.name)
    result.to_json(folder / ANSWER, embed_rows=EMBEDDED_ROWS)
    return given_pairs(result)


def refuse_foreign(path: Path, name: str) -> None:
    """Refuse files that are not tables, whatever their names."""
    with path.open("rb") as file:
        head = file.read(1 << 14)
    if not head:
        raise TableError(f"{name!r} is empty. Give a CSV or Parquet file with a few rows.")
    for signature, what in _SIGNATURES.items():
        if head.lstrip(b"\xef\xbb\xbf \r\n").startswith(signature):
            raise TableError(f"{name!r} is {what}, not a table. Give a CSV or Parquet file.")
    if head.startswith((b"PAR1", b"\xff\xfe", b"\xfe\xff")):
        return
    strange = sum(byte < 32 and byte not in b"\0\t\n\r\f" for byte in head)
    zeros = head.count(0)
    wide = zeros and min(head[::2].count(0), head[1::2].count(0)) < zeros / 20  # UTF-16 without a mark
    if strange > len(head) / 100 or (zeros > len(head) / 100 and not wide):
        raise TableError(f"{name!r} is a binary file of an unknown kind. Give a CSV or Parquet file.")


def _refuse_large_parquet(path: Path, task: dict[str, Any]) -> None:
    """Refuse by the header of a Parquet file, because a few bytes can unpack to billions of rows."""
    with path.open("rb") as file:
        if file.read(4) != b"PAR1":
            return
    import pyarrow as pa
    import pyarrow.parquet as pa_parquet

    try:
        metadata = pa_parquet.read_metadata(path)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise TableError(f"{task['name']!r} is not a readable Parquet file: {str(error).splitlines()[0]}") from error
    _refuse_size(metadata.num_rows, metadata.num_columns, task)


def _refuse_size(rows: int, columns: int, task: dict[str, Any]) -> None:
    if columns > task["max_columns"]:
        raise TableError(
            f"{task['name']!r} has {columns:,} columns. This server takes {task['max_columns']:,}. Choose those that "
            "matter, or use `foundcause discover` in a terminal"
        )
    if rows > task["max_rows"]:
        raise TableError(
            f"{task['name']!r} has {rows:,} rows. This server takes {task['max_rows']:,}. Draw rows at random, or use "
            "`foundcause discover` in a terminal"
        )


def _without_path(text: str, task: dict[str, Any]) -> str:
    """The message with the visitor's file name for the server's path."""
    for place in (task["path"], str(Path(task["path"]).parent)):
        text = text.replace(repr(place), repr(task["name"])).replace(place, task["name"])
    return text


def _bound(memory_bytes: int) -> None:
    """Allow no core files, which would hold a visitor's data, and no more memory than the limit."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Memory that is written to. Libraries map far more address space than they use.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
