"""``read_table``: a path, data frame or array becomes a ``Table`` of numbers. Shapes: N rows, D columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from foundcause.columns import ColumnInfo, Kind
from foundcause.errors import InputError, TableError
from foundcause.table.encode import Encoded, encode_column
from foundcause.table.files import RawFile, read_file
from foundcause.table.numbers import guess_decimal
from foundcause.table.sample import sampled_rows
from foundcause.table.screen import Finding, Policies, Policy, find_unfit, refuse

MAX_ROWS = 20_000
MAX_COLUMNS = 20_000
_NOTES_TOGETHER = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """A table of numbers.

    values: (N, D) float64, NaN where unobserved; never infinite.
    names: D unique column names, in the order of the source.
    columns: what each column was taken for; those with status ``isolated`` take no part in the graph. Columns with
        status ``dropped`` stand at the end and have no values.
    total_rows: rows of the source before sampling.
    warnings: what a reader of the result should know about the table.
    codes: for columns of words, the number of each word.
    """

    values: np.ndarray
    names: tuple[str, ...]
    columns: tuple[ColumnInfo, ...]
    total_rows: int
    warnings: tuple[str, ...]
    codes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def observed(self) -> np.ndarray:
        """(N, D) bool."""
        return ~np.isnan(self.values)

    @property
    def active(self) -> np.ndarray:
        """(D,) bool: columns that take part in the graph."""
        return np.array([column.status == "used" for column in self.columns[: len(self.names)]], dtype=bool)


def read_table(
    source: Any,
    *,
    max_rows: int = MAX_ROWS,
    seed: int = 0,
    constant: Policy = "isolate",
    empty: Policy = "isolate",
    identifier: Policy = "isolate",
    duplicate: Policy = "keep",
    separator: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    nominal: Sequence[str] = (),
    codes: Mapping[str, Mapping[str, float]] | None = None,
) -> Table:
    """Read a CSV, TSV or Parquet file, a pandas or polars frame, an Arrow table, a NumPy array, or a dict of columns.

    max_rows: larger tables are sampled, without replacement, by ``seed``.
    constant, empty, identifier, duplicate: what to do with such columns: ``isolate`` (keep them without edges),
        ``drop``, ``error``; for the last two also ``keep`` (use them all the same).
    separator, header: of text files, when the guess is wrong.
    names: column names, for arrays.
    drop: columns to leave out of the table.
    nominal: columns whose numbers are codes of categories without an order, such as zip codes.
    codes: ``Table.codes`` of a table read before, so that its words mean the same numbers here.
    """
    policies = Policies(constant=constant, empty=empty, identifier=identifier, duplicate=duplicate)
    if not isinstance(max_rows, int | np.integer) or max_rows < 1:
        raise InputError(f"max_rows={max_rows!r} must be a whole number of at least 1")
    raw = _raw(source, max_rows=max_rows, seed=seed, separator=separator, header=header)
    warnings = [note for note in raw.notes if names is None or "no header row" not in note]
    frame, rows = raw.frame, len(raw.frame)
    if frame.shape[1] == 0:
        raise TableError("the table has no columns; give a table with at least two")
    if rows == 0:
        raise TableError("the table has no rows; give a table with at least a few dozen")
    if frame.shape[1] > MAX_COLUMNS:
        raise TableError(f"the table has {frame.shape[1]:,} columns; choose at most {MAX_COLUMNS:,}")
    if raw.total_rows > rows:
        warnings.append(
            f"{rows:,} of {raw.total_rows:,} rows were drawn at random (seed {seed}); max_rows sets how many"
        )
    if names is not None and len(names) != frame.shape[1]:
        raise InputError(f"{len(names)} names were given for {frame.shape[1]} columns")
    unique = _unique_names(list(names) if names is not None else list(frame.columns), warnings)
    left_out, categories = _known_names("drop", drop, unique), _known_names("nominal", nominal, unique)
    if left_out == set(unique):
        raise TableError("drop names every column; leave at least two in the table")
    columns = {name: frame.iloc[:, k].reset_index(drop=True) for k, name in enumerate(unique) if name not in left_out}
    unique = list(columns)
    decimal = guess_decimal((column for column in columns.values() if _is_text(column)), raw.separator)
    known = codes or {}
    encoded = [
        encode_column(name, column, nominal=name in categories, decimal=decimal, codes=known.get(name))
        for name, column in columns.items()
    ]
    findings = find_unfit(unique, encoded, policies, places=raw.places, total_rows=raw.total_rows)
    warnings += _coding_notes(unique, encoded, findings)
    return _assemble(unique, encoded, findings, policies, raw.total_rows, warnings)


def _raw(source: Any, *, max_rows: int, seed: int, separator: str | None, header: bool | None) -> RawFile:
    """The source as a pandas frame of at most ``max_rows`` rows."""
    if isinstance(source, str | os.PathLike):
        return read_file(_place(source), max_rows=max_rows, seed=seed, separator=separator, header=header)
    total = _length(source)
    rows = None if total is None else sampled_rows(total, max_rows, seed)
    try:
        frame = _frame(source, rows)
    except TableError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise TableError(
            f"this {type(source).__name__} cannot be read as a table: {str(error).splitlines()[0]}"
        ) from error
    places = np.arange(len(frame)) if rows is None else rows
    return RawFile(frame=frame, places=places, total_rows=len(frame) if total is None else total)


def _is_text(column: pd.Series) -> bool:
    return column.dtype == object or pd.api.types.is_string_dtype(column.dtype)


def names_given(wanted: Iterable[str]) -> list[str]:
    """The names that an option gives: one name alone is one name, and a set has an order of its own."""
    if isinstance(wanted, str):
        return [wanted]
    return sorted(wanted, key=str) if isinstance(wanted, set | frozenset) else list(wanted)


def _known_names(option: str, wanted: Sequence[str], names: list[str]) -> set[str]:
    """The names that an option gives, each of which must be a column."""
    chosen = names_given(wanted)
    for name in chosen:
        if name not in names:
            near = get_close_matches(str(name), names, n=3, cutoff=0.5) or names[:5]
            raise TableError(f"{option}: there is no column {name!r}; did you mean {', '.join(map(repr, near))}?")
    return set(chosen)


def _place(source: str | os.PathLike[str]) -> Path:
    text = os.fspath(source)
    if "://" in text:
        raise TableError(f"{text!r} is an address; download it first, foundcause never goes online")
    return Path(source).expanduser()


def _length(source: Any) -> int | None:
    if isinstance(source, pd.DataFrame | np.ndarray) or type(source).__module__.split(".")[0] in (
        "polars",
        "pyarrow",
        "torch",
    ):
        try:
            return len(source)
        except TypeError:
            return None
    return None


def _frame(source: Any, rows: np.ndarray | None) -> pd.DataFrame:
    library = type(source).__module__.split(".")[0]
    if isinstance(source, pd.DataFrame):
        return source if rows is None else source.iloc[rows]
    if isinstance(source, pd.Series):
        return source.to_frame()
    if library == "polars":
        frame = source.collect() if hasattr(source, "collect") else source
        frame = frame.to_frame() if not hasattr(frame, "columns") else frame
        chosen = frame if rows is None else frame[rows]
        columns = [chosen[name].to_arrow().to_pandas() for name in chosen.columns]
        return pd.DataFrame(dict(enumerate(columns))).set_axis(list(chosen.columns), axis=1)
    if library == "pyarrow":
        chosen = source if rows is None else source.take(rows)
        columns = [chosen.column(k).to_pandas() for k in range(chosen.num_columns)]
        return pd.DataFrame(dict(enumerate(columns))).set_axis(list(chosen.schema.names), axis=1)
    if library == "torch":
        source = source.detach().cpu().numpy()
    if isinstance(source, np.ma.MaskedArray):
        source = np.ma.filled(source.astype(float), np.nan)
    if isinstance(source, np.ndarray):
        return _array_frame(source if rows is None else source[rows])
    if isinstance(source, Mapping):
        return pd.DataFrame(dict(source))
    if isinstance(source, Sequence):
        if source and isinstance(source[0], Mapping):
            return pd.DataFrame(list(source))
        return _array_frame(np.asarray(source, dtype=None if _is_rectangular_numbers(source) else object))
    raise TableError(
        f"a {type(source).__name__} is no table; give a file path, a pandas or polars frame, or a two-dimensional array"
    )


def _is_rectangular_numbers(rows: Sequence[Any]) -> bool:
    return all(isinstance(row, Sequence | np.ndarray) and all(isinstance(c, int | float) for c in row) for row in rows)


def _array_frame(array: np.ndarray) -> pd.DataFrame:
    if array.dtype.names is not None:
        return pd.DataFrame({name: array[name] for name in array.dtype.names})
    if array.ndim != 2:
        raise TableError(f"an array of {array.ndim} dimensions is no table; give rows x columns")
    frame = pd.DataFrame(array)
    frame.columns = pd.Index([f"x{k + 1}" for k in range(array.shape[1])], dtype=object)
    return frame


def _unique_names(raw: list[Any], warnings: list[str]) -> list[str]:
    """Names as unique, non-empty text."""
    texts = [" / ".join(map(str, name)) if isinstance(name, tuple) else _name_text(name) for name in raw]
    blank = [k for k, text in enumerate(texts) if not text]
    for k in blank:
        texts[k] = f"column_{k + 1}"
    if blank:
        shown = ", ".join(repr(texts[k]) for k in blank[:3]) + (", ..." if len(blank) > 3 else "")
        verb = "columns have no name and are" if len(blank) > 1 else "column has no name and is"
        warnings.append(f"{len(blank)} {verb} called {shown}")
    taken: set[str] = set(texts)
    seen: set[str] = set()
    repeated: list[str] = []
    for k, text in enumerate(texts):
        if text in seen:
            number = 2
            while f"{text}_{number}" in taken:
                number += 1
            texts[k] = f"{text}_{number}"
            taken.add(texts[k])
            repeated.append(texts[k])
        seen.add(texts[k])
    if repeated:
        shown = ", ".join(map(repr, repeated[:3]))
        warnings.append(f"{len(repeated)} column names were used more than once; the later ones are now called {shown}")
    return texts


def _name_text(name: Any) -> str:
    text = "" if name is None or (isinstance(name, float) and np.isnan(name)) else str(name)
    # Lone surrogates cannot be written to any file, and control characters break every printed table.
    text = text.encode("utf-8", errors="replace").decode("utf-8")
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _coding_notes(names: list[str], encoded: list[Encoded], findings: list[Finding | None]) -> list[str]:
    """Notes of the columns that take part; those of many nominal columns become one."""
    active = [(name, column) for name, column, found in zip(names, encoded, findings, strict=True) if found is None]
    nominal = [name for name, column in active if column.kind == "nominal"]
    together = len(nominal) > _NOTES_TOGETHER
    notes = [note for _, column in active if not (together and column.kind == "nominal") for note in column.notes]
    if together:
        notes.append(
            f"columns {', '.join(map(repr, nominal))} hold categories without a known order; they are coded by how "
            "frequent they are (0 the most frequent), so the shape of their relations means little"
        )
    return notes


_STATUS: dict[str, Literal["used", "isolated", "dropped"]] = {"keep": "used", "isolate": "isolated", "drop": "dropped"}


def _assemble(
    names: list[str],
    encoded: list[Encoded],
    findings: list[Finding | None],
    policies: Policies,
    total_rows: int,
    warnings: list[str],
) -> Table:
    rows = len(encoded[0].values)
    kept: list[int] = []
    columns: list[ColumnInfo] = []
    dropped: list[ColumnInfo] = []
    told: dict[str, list[str]] = {}
    for k, (name, column, finding) in enumerate(zip(names, encoded, findings, strict=True)):
        policy = getattr(policies, finding.case) if finding else "keep"
        if finding and policy == "error":
            raise refuse(name, finding, rows)
        observed = ~np.isnan(column.values)
        kind: Kind = column.kind
        if finding is not None and finding.case != "duplicate":
            kind = finding.case
        info = ColumnInfo(
            name=name,
            kind=kind,
            encoding=column.encoding,
            missing=float(1 - observed.mean()),
            distinct=len(np.unique(column.values[observed])),
            status=_STATUS[policy],
            reason="" if finding is None else finding.reason,
        )
        if finding is not None:
            verb = {
                "drop": "dropped",
                "keep": "nothing in the table tells the two apart, so edges of one may belong to the other",
            }.get(policy, "kept without edges")
            told.setdefault(f"{finding.reason}; {verb}", []).append(name)
        if info.status == "dropped":
            dropped.append(info)
        else:
            kept.append(k)
            columns.append(info)
    for fate, which in told.items():
        shown = ", ".join(map(repr, which[:5])) + (f" and {len(which) - 5} more" if len(which) > 5 else "")
        warnings.append(f"column{'s' if len(which) > 1 else ''} {shown}: {fate}")
    values = np.column_stack([encoded[k].values for k in kept]) if kept else np.zeros((rows, 0))
    return Table(
        values=values,
        names=tuple(names[k] for k in kept),
        columns=(*columns, *dropped),
        total_rows=total_rows,
        warnings=tuple(dict.fromkeys(warnings)),
        codes={names[k]: encoded[k].codes for k in kept if encoded[k].codes},
    )
