"""The bytes of a shard of tasks, and of single readable tables. Nothing is pickled.

A shard holds T tasks in flat arrays: shapes (T, 2) of rows N and columns D, then the values, masks and labels of all
tasks end to end (bits packed per task), and their records as JSON.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from foundcause.errors import InputError
from foundcause.simulate.task import Task

_RENAMED = {"artefacts": "artifacts", "bystanders": "unrelated_columns", "flavour": "flavor", "told_late": "delayed"}
"""Keys of records in older shards, by the names that they are read under."""


def shard_bytes(tasks: list[Task]) -> bytes:
    """Return tasks as the content of an ``.npz`` file."""
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
    return buffer.getvalue()


def tasks_of_shard(content: bytes, name: str = "this file") -> list[Task]:
    """Return the tasks of a shard, as they were made. ``name`` is for the error of a broken one."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        return list(_tasks(arrays, json.loads(arrays["records"].tobytes())))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{name} is no shard of tasks ({error}); write it again with `foundcause simulate`") from error


def _tasks(arrays: dict[str, np.ndarray], records: list[dict[str, Any]]) -> Iterator[Task]:
    position = dict.fromkeys(("values", "observed", "adjacency", "confounding"), 0)

    def bits(name: str, rows: int, columns: int) -> np.ndarray:
        size = -(-rows * columns // 8)
        packed = arrays[name][position[name] : position[name] + size]
        position[name] += size
        return np.unpackbits(packed, count=rows * columns).view(bool).reshape(rows, columns)

    for (rows, columns), record in zip(arrays["shapes"].tolist(), records, strict=True):
        start = position["values"]
        position["values"] += rows * columns
        yield Task(
            values=arrays["values"][start : position["values"]].reshape(rows, columns),
            observed=bits("observed", rows, columns),
            adjacency=bits("adjacency", columns, columns),
            confounding=bits("confounding", columns, columns),
            record={_RENAMED.get(key, key): value for key, value in record.items()},
        )


def table_files(name: str, task: Task) -> dict[str, bytes]:
    """Return a task as files: ``name.csv`` (empty cells are missing), ``name.graph.csv`` and ``name.json``."""
    variables = [f"x{k}" for k in range(task.values.shape[1])]
    cells = np.where(task.observed, task.values.astype(str), "")
    edges = [[variables[i], variables[j], "causes"] for i, j in np.argwhere(task.adjacency)]
    hidden = [[variables[i], variables[j], "hidden common cause"] for i, j in np.argwhere(np.triu(task.confounding))]
    return {
        f"{name}.csv": _csv([variables, *cells.tolist()]),
        f"{name}.graph.csv": _csv([["first", "second", "relation"], *edges, *hidden]),
        f"{name}.json": json.dumps(task.record, indent=1).encode(),
    }


def _joined(parts: list[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate(parts) if parts else np.empty(0, dtype=dtype)


def _csv(lines: list[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()
