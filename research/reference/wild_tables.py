"""Read thousands of random tables: each gives an answer or a clear error, never a traceback, NaN or a cycle.

    python research/reference/wild_tables.py --count 2000 --seed 0            # exit code 1 on any failure
    python research/reference/wild_tables.py --seed 0 --start 1234 --count 1 --show

Table ``index`` is a pure function of (seed, index). All are read and encoded; a share is also discovered, in one pass.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import datetime
import functools
import multiprocessing
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa

import adapter
from wild_columns import COLUMNS, wild_column

_NAMES = (
    "x",
    "age",
    "id",
    "date",
    "",
    " ",
    "Größe (cm)",
    "2019",
    "x",
    "a,b",
    'say "hi"',
    "Unnamed: 0",
    "名前",
    "\t",
    "%",
)
_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252")
_TITLES = ("Report 2023", "# made by hand", "sep=;", "", '"a title, with a comma"')
_FOOTERS = ("Total", "", "Source: our books", "a,b,c,d,e,f,g,h,i,j,k,l,m", '"never closed')
_SLOW_SECONDS = 10.0


class Wild(NamedTuple):
    """A random table: what a user would pass, its options, and how it was made, in words."""

    source: Any
    options: dict[str, Any]
    made_of: str


class Outcome(NamedTuple):
    """What became of a table: ``said`` is answered, refused or failed; ``details`` tell why."""

    index: int
    said: str
    details: str
    made_of: str
    seconds: float


# ---- making tables ---------------------------------------------------------------------------------------------------


def wild_table(seed: int, index: int, folder: Path) -> Wild:
    """Return table ``index``; files are written into the folder."""
    rng = np.random.default_rng([seed, index])
    rows = int(np.exp(rng.uniform(0, np.log(400)))) - (rng.random() < 0.03)
    width = int(np.exp(rng.uniform(0, np.log(25)))) + (rng.random() < 0.9)
    kinds = [str(kind) for kind in rng.choice(list(COLUMNS), size=width)]
    columns = [wild_column(kind, rng, rows) for kind in kinds]
    if width > 1 and rng.random() < 0.2:  # a copy
        columns[-1] = list(columns[0])
    gaps = float(rng.choice([0, 0, 0.02, 0.1, 0.3, 0.9]))
    blank = rng.choice(np.array([None, "", "NA", np.nan, "-"], dtype=object))
    columns = [[blank if gap < gaps else cell for cell, gap in zip(c, rng.random(rows), strict=True)] for c in columns]
    names = [str(rng.choice(_NAMES)) if rng.random() < 0.25 else f"c{k}" for k in range(width)]
    shape = str(rng.choice(["file", "frame", "typed frame", "dictionary", "array", "parquet"], p=_SHAPES))
    source, how = _as_source(shape, rng, names, columns, folder)
    return Wild(source, _options(rng, names), f"{rows} rows of {kinds}, {gaps:.0%} gaps, {how}")


_SHAPES = (0.45, 0.2, 0.15, 0.08, 0.07, 0.05)


def _as_source(
    shape: str, rng: np.random.Generator, names: list[str], columns: list[list[Any]], folder: Path
) -> tuple[Any, str]:
    """Return the table as a user may hold it, and what that is."""
    if shape == "file":
        return _file(rng, names, columns, folder)
    if shape == "dictionary":
        return dict(zip(names, columns, strict=True)), shape
    frame = pd.DataFrame({k: pd.Series(column, dtype=object) for k, column in enumerate(columns)})
    if shape == "array":
        if rng.random() < 0.5:
            return frame.to_numpy(object), "array of objects"
        return frame.map(_number).to_numpy(float), "array of numbers"
    if shape == "typed frame":
        try:
            frame = frame.infer_objects() if rng.random() < 0.5 else frame.convert_dtypes()
        except UnicodeEncodeError:  # halves of characters fit into no type of pandas
            shape = "frame"
    frame.columns = pd.Index(names)
    if rng.random() < 0.15 and names:
        frame.index = pd.Index(rng.permutation(len(frame)), name="index" if rng.random() < 0.5 else None)
    if shape == "parquet":
        frame = frame.loc[:, ~frame.columns.duplicated()].map(_storable)
        try:
            frame.infer_objects().to_parquet(folder / "wild.parquet")
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # columns of several types cannot be stored
            frame.map(str).to_parquet(folder / "wild.parquet")
        return folder / "wild.parquet", shape
    return frame, shape


def _number(cell: Any) -> float:
    return float(cell) if isinstance(cell, float | bool) or (isinstance(cell, int) and abs(cell) < 1e308) else np.nan


def _storable(cell: Any) -> Any:
    """Return the cell if Parquet can hold it, otherwise its text without halves of characters."""
    if isinstance(cell, bool | int | float | datetime.date) or cell is None:
        return cell
    return str(cell).encode(errors="replace").decode()


def _file(rng: np.random.Generator, names: list[str], columns: list[list[Any]], folder: Path) -> tuple[Path, str]:
    """Write the table as text: quoted where it must be, or carelessly."""
    separator = str(rng.choice([",", ";", "\t", "|", " "], p=[0.5, 0.2, 0.15, 0.1, 0.05]))
    quoting = str(rng.choice(["where needed", "everywhere", "nowhere"], p=[0.6, 0.2, 0.2]))

    def written(cell: Any) -> str:
        text = "" if cell is None else str(cell)
        if quoting == "everywhere" or (quoting == "where needed" and any(c in text for c in (separator, '"', "\n"))):
            return '"' + text.replace('"', '""') + '"'
        return text

    lines = [separator.join(map(written, row)) for row in zip(*columns, strict=True)]
    if rng.random() < 0.9:
        lines.insert(0, separator.join(map(written, names)))
    while rng.random() < 0.15:
        lines.insert(0, str(rng.choice(_TITLES)))
    if rng.random() < 0.1:
        lines.append(str(rng.choice(_FOOTERS)))
    if rng.random() < 0.1 and lines:
        k = int(rng.integers(len(lines)))
        lines[k] = lines[k][: int(rng.integers(len(lines[k]) + 1))]
    encoding, newline = str(rng.choice(_ENCODINGS, p=[0.6, 0.1, 0.1, 0.1, 0.1])), str(rng.choice(["\n", "\r\n", "\r"]))
    content = newline.join(lines).encode(encoding, errors="replace")
    if rng.random() < 0.03:  # cut off, in the middle of a character too
        content = content[: int(rng.integers(len(content) + 1))]
    path = folder / str(rng.choice(["wild.csv", "wild.txt", "wild.tsv"]))
    path.write_bytes(content)
    return path, f"{path.name} {encoding} separated by {separator!r}, quoted {quoting}"


def _options(rng: np.random.Generator, names: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if rng.random() < 0.1:
        options["nominal"] = [str(rng.choice(names))]
    if rng.random() < 0.1:
        options["drop"] = [str(rng.choice(names))]
    if rng.random() < 0.1:
        options["max_rows"] = int(rng.integers(1, 100))
    for policy in ("constant", "empty", "identifier", "duplicate"):
        if rng.random() < 0.1:
            choices = ["exclude", "drop", "error"] + ["keep"] * (policy in ("identifier", "duplicate"))
            options[policy] = str(rng.choice(choices))
    return options


# ---- looking at what becomes of them ---------------------------------------------------------------------------------


def outcome(seed: int, discover_share: float, index: int) -> Outcome:
    """Return what becomes of one table."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), adapter.one_thread():
        warnings.simplefilter("ignore")
        wild = wild_table(seed, index, Path(folder))
        said, details = "answered", ""
        try:
            problem = _problem_of_reading(adapter.read(wild.source, wild.options))
            # Shares are exact and spread over the kinds of tables: the golden ratio's multiples are even.
            if not problem and (index * 0.6180339887498949) % 1 < discover_share:
                problem = _problem_of_answer(adapter.discover(wild.source, {"n_passes": 1, **wild.options}))
            if problem:
                said, details = "failed", problem
        except adapter.OUR_ERROR as error:
            said, details = f"refused: {type(error).__name__}", str(error)
            if not str(error).strip():
                said, details = "failed", "an error of ours without a message"
        except Exception:
            said, details = "failed", traceback.format_exc(limit=-4)
    return Outcome(index, said, details, f"{wild.made_of}, options {wild.options}", time.perf_counter() - start)


def _problem_of_reading(table: dict[str, Any]) -> str:
    """Return what is wrong with an encoded table, or nothing."""
    values, columns = table["values"], table["columns"]
    names = [column["name"] for column in columns]
    kept = [column for column in columns if column["status"] != "dropped"]
    problems = {
        "values are not a float64 matrix": values.ndim != 2 or values.dtype != np.float64,
        "infinite values": bool(np.isinf(values).any()),
        "another number of columns than values": values.shape[1] != len(kept),
        "columns of one name": len(set(names)) != len(names),
        "a column without a name": not all(names),
        "more rows than the source": len(values) > table["total_rows"],
        "shares outside 0 to 1": not all(0 <= column["missing"] <= 1 for column in columns),
    }
    return "; ".join(words for words, wrong in problems.items() if wrong)


def _problem_of_answer(answer: dict[str, Any]) -> str:
    """Return what is wrong with an answer, or nothing."""
    matrices = [np.asarray(answer[name], dtype=float) for name in ("edges", "existence", "confounding", "adjacency")]
    graph = nx.from_numpy_array(np.asarray(answer["adjacency"], dtype=int), create_using=nx.DiGraph)
    finite = all(np.isfinite(matrix).all() for matrix in matrices)
    problems = {
        "NaN or infinity in the answer": not (finite and np.isfinite(answer["threshold"])),
        "probabilities outside 0 to 1": not all(((m >= 0) & (m <= 1)).all() for m in matrices),
        "a column that causes itself": any(np.diag(matrix).any() for matrix in matrices),
        "one-sided existence or confounding": not all(np.array_equal(m, m.T) for m in matrices[1:3]),
        "a cycle": not nx.is_directed_acyclic_graph(graph),
    }
    return "; ".join(words for words, wrong in problems.items() if wrong)


def outcomes(seed: int, indices: Iterable[int], discover_share: float, jobs: int = 1) -> Iterable[Outcome]:
    """Return what becomes of each table, in order."""
    one = functools.partial(outcome, seed, discover_share)
    if jobs <= 1:
        yield from map(one, indices)
        return
    with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(one, indices, chunksize=16)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the check and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="number of tables")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="index of the first table")
    parser.add_argument("--discover-share", type=float, default=0.15, help="share that is also discovered")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--show", action="store_true", help="say of every table what it is and what became of it")
    options = parser.parse_args(arguments)

    counts: collections.Counter[str] = collections.Counter()
    start = time.perf_counter()
    indices = range(options.start, options.start + options.count)
    for found in outcomes(options.seed, indices, options.discover_share, options.jobs):
        counts[found.said] += 1
        slow = found.seconds > _SLOW_SECONDS
        if options.show or slow or found.said == "failed":
            print(f"table {found.index}: {found.said} in {found.seconds:.1f} s{' (slow)' if slow else ''}")
            print(f"    {found.made_of}")
        if found.details and (options.show or found.said == "failed"):
            print("    " + found.details.strip().replace("\n", "\n    "))
    parts = ", ".join(f"{count} {said}" for said, count in counts.most_common())
    print(f"{sum(counts.values())} tables of seed {options.seed}: {parts} ({time.perf_counter() - start:.0f} s)")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
