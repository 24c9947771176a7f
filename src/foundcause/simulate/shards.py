"""Tasks on disk: shards of many tasks, or single readable tables. Nothing is pickled; files appear whole or not at all.

A shard holds T tasks in flat arrays: shapes (T, 2) of rows N and columns D, then the values, masks and labels of all
tasks end to end (bits packed per task), and their records as JSON.
"""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from foundcause.errors import InputError, OutputError
from foundcause.simulate.task import Task

PART = ".part"


def write_shard(path: Path, tasks: list[Task]) -> None:
    """Write tasks to an ``.npz`` file, under a temporary name first."""
    buffer = io.BytesIO()
    np.savez(
        buffer,
        shapes=np.array([task.values.shape for task in tasks], dtype=np.int32).reshape(-1, 2),
        values=_joined([task.values.ravel() for task in tasks], np.float32),
        observed=_joined([np.packbits(task.observed) for task in tasks], np.uint8),
        adjacency=_joined([np.packbits(task.adjacency) for task in tasks], np.uint8),
        confounding=_joined([np.packbits(task.confounding) for task in tasks], np.uint8),
        records=np.frombuffer(json.dumps([task.record for task in tasks]).encode(), dtype=np.uint8),
    )
    write_whole(path, buffer.getvalue())


def read_shard(path: Path) -> list[Task]:
    """The tasks of a shard, as they were made."""
    return list(iterate_shard(path))


def iterate_shard(path: Path) -> Iterator[Task]:
    """The tasks of a shard, one by one."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            shards = {name: archive[name] for name in archive.files}
        records = json.loads(shards["records"].tobytes())
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise InputError(f"{path} is no shard of tasks ({error}); write it again with `foundcause simulate`") from error
    at = dict.fromkeys(("values", "observed", "adjacency", "confounding"), 0)

    def bits(name: str, rows: int, columns: int) -> np.ndarray:
        size = -(-rows * columns // 8)
        packed = shards[name][at[name] : at[name] + size]
        at[name] += size
        return np.unpackbits(packed, count=rows * columns).view(bool).reshape(rows, columns)

    for (rows, columns), record in zip(shards["shapes"].tolist(), records, strict=True):
        start = at["values"]
        at["values"] += rows * columns
        yield Task(
            values=shards["values"][start : at["values"]].reshape(rows, columns),
            observed=bits("observed", rows, columns),
            adjacency=bits("adjacency", columns, columns),
            confounding=bits("confounding", columns, columns),
            record=record,
        )


def write_csv(folder: Path, name: str, task: Task) -> None:
    """Write ``name.csv`` (empty cells are missing), ``name.graph.csv`` and, last, ``name.json`` (the record)."""
    variables = [f"x{k}" for k in range(task.values.shape[1])]
    cells = np.where(task.observed, task.values.astype(str), "")
    write_whole(folder / f"{name}.csv", _csv([variables, *cells.tolist()]))
    edges = [[variables[i], variables[j], "causes"] for i, j in np.argwhere(task.adjacency)]
    hidden = [[variables[i], variables[j], "hidden common cause"] for i, j in np.argwhere(np.triu(task.confounding))]
    write_whole(folder / f"{name}.graph.csv", _csv([["first", "second", "relation"], *edges, *hidden]))
    write_whole(folder / f"{name}.json", json.dumps(task.record, indent=1).encode())


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under a temporary name and rename it, so that a kill leaves no half file."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=PART)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise OutputError(f"cannot write {path} ({error.strerror}); choose another --out or free some space") from error


def _joined(parts: list[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate(parts) if parts else np.empty(0, dtype=dtype)


def _csv(lines: list[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()
