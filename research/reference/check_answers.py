"""Compare today's answers with the committed reference answers, table by table.

    python research/reference/check_answers.py                   # exit code 1 if anything changed
    python research/reference/check_answers.py --only 'csv_*' --jobs 2
    python research/reference/check_answers.py --write           # after a change on purpose; say why in the commit

A pure move of code changes nothing. Where reading changes on purpose, the printed table belongs into the commit.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import fnmatch
import gzip
import json
import multiprocessing
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import adapter
import tables

ANSWERS = Path(__file__).with_name("answers.json.gz")
TOLERANCE = 1e-6
N_PASSES = 3
_MATRICES = ("edges", "existence", "confounding", "adjacency")
_SYMMETRIC = ("existence", "confounding")
_DECIMALS = 9
_SHOWN = 3


def answer(example: tables.Example) -> dict[str, Any]:
    """Return what foundcause says of a table, JSON-ready: columns and matrices, or the kind of its refusal."""
    options = {"n_passes": N_PASSES, **example.options}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), adapter.one_thread():
        warnings.simplefilter("ignore")
        try:
            source = example.make(Path(folder))
            table, found = adapter.read(source, options), adapter.discover(source, options)
        except adapter.OUR_ERROR as error:
            return {"refused": type(error).__name__}
        except Exception as error:
            return {"crashed": f"{type(error).__name__}: {error}"}
    return {
        "rows": [len(table["values"]), table["total_rows"]],
        "columns": _described(table),
        "names": found["names"],
        "thresholds": [round(found[name], _DECIMALS) for name in ("threshold", "confounding_threshold")],
        **{name: _packed(found[name], name) for name in _MATRICES},
    }


def differences(old: dict[str, Any], new: dict[str, Any], *, tolerance: float = TOLERANCE) -> list[str]:
    """Return what changed between two answers to one table, a line each; empty when nothing did."""
    if outcome := _changed_outcome(old, new):
        return [outcome]
    if "refused" in old:
        return []
    lines = _changed_columns(old["columns"], new["columns"])
    if old["rows"] != new["rows"]:
        lines.append(f"rows (used, of the source): {old['rows']} -> {new['rows']}")
    if old["names"] != new["names"] and sorted(old["names"]) == sorted(new["names"]):
        lines.append("the order of the columns")
    thresholds = zip(("threshold", "confounding threshold"), old["thresholds"], new["thresholds"], strict=True)
    for name, before, after in thresholds:
        if not abs(before - after) <= tolerance:
            lines.append(f"{name}: {before:.6f} -> {after:.6f}")
    shared = [name for name in old["names"] if name in new["names"]]
    for matrix in _MATRICES:
        if line := _changed_matrix(matrix, old, new, shared, tolerance):
            lines.append(line)
    return lines


def load(path: Path = ANSWERS) -> dict[str, Any]:
    """Return the committed reference: ``environment`` and ``answers`` by name of the table."""
    return json.loads(gzip.decompress(path.read_bytes()))


def answers_of(examples: Sequence[tables.Example], jobs: int = 1) -> Iterable[dict[str, Any]]:
    """Return the answers in the order of the examples, made by ``jobs`` processes."""
    if jobs <= 1:
        yield from map(answer, examples)
        return
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
        yield from pool.map(_answer_by_name, [example.name for example in examples])


def _answer_by_name(name: str) -> dict[str, Any]:
    return answer(next(example for example in tables.examples() if example.name == name))


def _described(table: dict[str, Any]) -> dict[str, Any]:
    """Return how each column was read, with a digest and a summary of its numbers."""
    described = {}
    for k, column in enumerate(table["columns"]):
        entry = {key: column[key] for key in ("kind", "status", "distinct")}
        entry["missing"] = round(column["missing"], _DECIMALS)
        if k < table["values"].shape[1]:  # columns that were dropped have no values
            values = table["values"][:, k]
            text = " ".join(f"{value:.9g}" for value in values)
            seen = values[~np.isnan(values)]
            entry["digest"] = adapter.digest(np.frombuffer(text.encode(), dtype=np.uint8))
            entry["summary"] = [float(f"{v:.6g}") for v in (seen.min(), seen.mean(), seen.max())] if seen.size else []
        described[column["name"]] = entry
    return described


def _packed(matrix: np.ndarray, name: str) -> list[Any]:
    """Return a matrix as lists; of symmetric ones the part above the diagonal."""
    if name in _SYMMETRIC:
        if not np.array_equal(matrix, matrix.T):
            raise ValueError(f"{name} is not symmetric")
        return np.round(matrix[np.triu_indices(len(matrix), 1)], _DECIMALS).tolist()
    if name == "adjacency":
        return np.argwhere(matrix).tolist()
    return np.round(matrix, _DECIMALS).tolist()


def _unpacked(content: dict[str, Any], name: str) -> np.ndarray:
    D = len(content["names"])
    matrix = np.zeros((D, D))
    if name in _SYMMETRIC:
        matrix[np.triu_indices(D, 1)] = content[name]
        return matrix + matrix.T
    if name == "adjacency":
        for i, j in content[name]:
            matrix[i, j] = 1
        return matrix
    return np.array(content[name], dtype=float).reshape(D, D)


def _changed_outcome(old: dict[str, Any], new: dict[str, Any]) -> str | None:
    """Return a line if the table is refused, answered or crashes otherwise than before."""
    said = [
        next((f"{key} {content[key]}" for key in ("crashed", "refused") if key in content), "answered")
        for content in (old, new)
    ]
    return None if said[0] == said[1] and "crashed" not in new else f"{said[0]} -> {said[1]}"


def _changed_columns(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    gone, added = [name for name in old if name not in new], [name for name in new if name not in old]
    lines = [
        f"{what} columns: {', '.join(map(repr, names))}" for what, names in (("gone", gone), ("new", added)) if names
    ]
    for name in (name for name in old if name in new):
        changes = []
        for key in ("kind", "status", "distinct", "missing"):
            if old[name][key] != new[name][key]:
                changes.append(f"{key} {old[name][key]} -> {new[name][key]}")
        if old[name].get("digest") != new[name].get("digest"):
            changes.append(f"values (min, mean, max) {old[name].get('summary')} -> {new[name].get('summary')}")
        if changes:
            lines.append(f"column {name!r}: {'; '.join(changes)}")
    return lines


def _changed_matrix(
    matrix: str, old: dict[str, Any], new: dict[str, Any], shared: Sequence[str], tolerance: float
) -> str | None:
    """Return a line with the number of changed entries and the largest ones, compared by the names of columns."""
    pair = []
    for content in (old, new):
        places = [content["names"].index(name) for name in shared]
        pair.append(_unpacked(content, matrix)[np.ix_(places, places)])
    before, after = pair
    difference = np.abs(before - after)
    changed = np.argwhere(~(difference <= tolerance))
    if not len(changed):
        return None
    largest = sorted(changed.tolist(), key=lambda ij: -difference[ij[0], ij[1]])[:_SHOWN]
    shown = ", ".join(f"{shared[i]} -> {shared[j]} {before[i, j]:.6f} to {after[i, j]:.6f}" for i, j in largest)
    return f"{matrix}: {len(changed)} entries beyond {tolerance:g}, e.g. {shown}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the check and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the reference anew (of the chosen tables)")
    parser.add_argument("--only", metavar="PATTERN", default="*", help="names of tables, such as 'csv_*'")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, help="largest difference that is no change")
    options = parser.parse_args(arguments)

    chosen = [example for example in tables.examples() if fnmatch.fnmatch(example.name, options.only)]
    if not chosen:
        print(f"no table is called {options.only!r}")
        return 2
    reference = load() if ANSWERS.exists() else {"environment": {}, "answers": {}}
    start = time.perf_counter()
    found = dict(zip([example.name for example in chosen], answers_of(chosen, options.jobs), strict=True))
    changes = {
        name: differences(reference["answers"][name], new, tolerance=options.tolerance)
        if name in reference["answers"]
        else [f"not in the reference; {new.get('crashed', 'answered')}"]
        for name, new in found.items()
    }
    if options.only == "*":
        changes |= {name: ["no longer among the tables"] for name in reference["answers"] if name not in found}
    changes = {name: lines for name, lines in changes.items() if lines}
    _report(changes, reference["environment"], len(found), time.perf_counter() - start)
    if options.write:
        if crashed := [name for name, new in found.items() if "crashed" in new]:
            print(f"not written, because these crashed: {', '.join(crashed)}")
            return 1
        kept = {} if options.only == "*" else reference["answers"]
        _write({"environment": adapter.environment(), "answers": {**kept, **found}})
        return 0
    return 1 if changes else 0


def _report(changes: dict[str, list[str]], environment: dict[str, str], tables_seen: int, seconds: float) -> None:
    for name, lines in sorted(changes.items()):
        print(name)
        for line in lines:
            print(f"    {line}")
    print(f"{len(changes)} of {tables_seen} tables changed ({seconds:.0f} s)")
    here = adapter.environment()
    if changes and environment and environment != here:
        other = [
            f"{key} {environment.get(key)} -> {here.get(key)}" for key in here if environment.get(key) != here[key]
        ]
        print(f"the reference was written in another environment, which moves last bits: {', '.join(other)}")


def _write(content: dict[str, Any]) -> None:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    ANSWERS.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"wrote {ANSWERS.name}: {len(content['answers'])} tables, {ANSWERS.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    sys.exit(main())
