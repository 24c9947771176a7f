"""``discover``: read, encode, infer, decode, diagnose. ``load``: a saved result."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from foundcause.data import Matrix, ReadOptions, Table, TableEncoder, read_table
from foundcause.diagnostics import diagnose
from foundcause.errors import ConfigError, InputError, TableError
from foundcause.features.series import RowDependence, row_dependence
from foundcause.findings import Finding, by_severity, warn_of_critical
from foundcause.inference.decoding import Decoded, Passes, decode
from foundcause.inference.memory import estimate
from foundcause.inference.passes import Plan, Progress, most_passes, plan, run_passes
from foundcause.inference.protocols import Protocol
from foundcause.inference.provenance import file_digest, table_digest, versions
from foundcause.inference.stored_passes import load_passes
from foundcause.knowledge import Knowledge
from foundcause.model.calibration import Calibration
from foundcause.report.evidence import evidence_matrices
from foundcause.report.export import PASSES_FILE
from foundcause.result import Result
from foundcause.weights import checkpoint_path

MIN_ROWS = 5
PREVIEW_ROWS = 400
_LONG_SECONDS = 10.0


def discover(
    data: Any,
    *,
    knowledge: Knowledge | Mapping[str, Any] | str | Path | None = None,
    n_passes: int | Literal["auto"] = "auto",
    threshold: float | None = None,
    random_state: int = 0,
    device: str = "auto",
    checkpoint: str | Path | None = None,
    protocol: str | Protocol | None = None,
    read: ReadOptions | Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    on_update: Callable[[Result], None] | None = None,
) -> Result:
    """Discover the causal graph of a table.

    Parameters
    ----------
    data : path, DataFrame, array or mapping
        A CSV, TSV or Parquet file, a pandas or polars frame, an Arrow table, a NumPy array or a dict of columns.
    knowledge : Knowledge, mapping, path or None
        What is known beforehand; a path names a TOML or JSON file. The answer never violates it.
    n_passes : int or "auto", default="auto"
        Passes over resampled rows. "auto" adds passes until the answer has settled, at most 10.
    threshold : float or None
        Probability from which an edge is shown. None adapts it to the table.
    random_state : int, default=0
        Seed of every random choice. The same seed gives the same result.
    device : str, default="auto"
        Where the network runs: "cpu", "cuda", ... "auto" takes a CUDA device if there is one.
    checkpoint : path or None
        Weights to use instead of the shipped ones.
    protocol : {"default", "paper", "release"}, Protocol or None
        How passes are drawn and turned into a graph. None is "default".
    read : ReadOptions, mapping or None
        How to read the table.
    progress : callable or None
        Called as ``progress(done, total, stage)``.
    on_update : callable or None
        Called with a provisional result whenever more passes of "auto" are done.

    Returns
    -------
    Result
        The graph, its probabilities, and what limits them.
    """
    clock, source = _Clock(), data if isinstance(data, str | os.PathLike) else None
    seed = _whole("random_state", random_state, least=0)
    chosen = plan(protocol, "auto" if n_passes == "auto" else _whole("n_passes", n_passes, least=1), seed)
    threshold = None if threshold is None else _share("threshold", threshold)
    given = Knowledge.of(knowledge)
    reading = data.options if isinstance(data, Table) and read is None else ReadOptions.of(read)
    reading = replace(reading, random_state=seed) if reading.random_state is None else reading

    typed = read_table(data, reading)
    table = TableEncoder().fit(typed).transform(typed)
    _refuse_too_little(table, typed, reading.drop, of_file=source is not None)
    dropped = [*reading.drop, *(column.name for column in typed.columns if column.role == "dropped")]
    (given or Knowledge()).refuse_unknown(table.names, left_out=dropped)
    clock.lap("read")
    from foundcause.model.checkpoints import load_network

    place, device = checkpoint_path(checkpoint), _device(device)
    network = load_network(place, device)
    clock.lap("load")
    discovery = _Discovery(
        source=None if source is None else Path(source).name,
        typed=typed,
        table=table,
        rows=_row_dependence(table, chosen),
        network=network,
        weights=place,
        chosen=chosen,
        knowledge=given,
        threshold=threshold,
        options={"random_state": seed, "threshold": threshold, "device": device, "read": reading.to_dict()},
        clock=clock,
    )
    _announce(progress, network, table, chosen)
    update = None if on_update is None else lambda passes: on_update(discovery.result(passes, final=False))
    passes = run_passes(network, table, discovery.rows, chosen, progress, left_out=dropped, on_update=update)
    clock.lap("passes")
    return discovery.result(passes)


def load(path: str | Path) -> Result:
    """Read a saved result.

    Parameters
    ----------
    path : path
        Its JSON file, or the folder that ``Result.save`` wrote. With the folder come the passes, so that
        ``Result.with_knowledge`` works.
    """
    place = Path(path)
    if place.is_dir():
        candidates = [file for file in (place / "result.json", *sorted(place.glob("*.json"))) if file.is_file()]
        if not candidates:
            raise InputError(f"{str(place)!r} holds no result; give a folder written by Result.save")
        place = candidates[0]
    if not place.is_file():
        raise InputError(f"there is no file {str(place)!r}; give a result written by foundcause")
    try:
        result = Result.from_json(place)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {str(place)!r}: {error}") from error
    stored = load_passes(place.with_name(PASSES_FILE), result.key)
    return result if stored is None else replace(result, passes=stored[0], calibration=stored[1])


@dataclass(frozen=True, kw_only=True)
class _Discovery:
    """Everything that a result is made of besides the passes."""

    source: str | None
    typed: Table
    table: Matrix
    rows: RowDependence
    network: Any
    weights: Path
    chosen: Plan
    knowledge: Knowledge | None
    threshold: float | None
    options: dict[str, Any]
    clock: _Clock

    def result(self, passes: Passes, *, final: bool = True) -> Result:
        """Decode passes, diagnose the answer, and say what it was made from."""
        table, calibration = self.table, Calibration.from_metadata(self.network.metadata)
        answer = decode(passes, calibration, self.knowledge, self.threshold, self.rows)
        evidence: dict[str, np.ndarray] = {}
        if passes.statistics is not None:
            names = self.network.features.names
            evidence = evidence_matrices(passes.statistics, names, passes.columns, table.values)
        self.clock.lap("decode")
        findings = [*self.typed.findings, *self._diagnosis(answer, len(passes))]
        if final:
            warn_of_critical(findings)
        provenance = self._provenance(len(passes))
        self.clock.lap("report")
        return Result(
            names=table.names,
            decoded=answer,
            findings=by_severity(findings),
            provenance=provenance,
            timing=dict(self.clock.times),
            column_info=self.typed.columns,
            knowledge=self.knowledge,
            preview=_preview(table.values, self.options["random_state"]),
            evidence=evidence,
            passes=replace(passes, statistics=None),
            calibration=calibration,
        )

    def _diagnosis(self, answer: Decoded, n_passes: int) -> list[Finding]:
        config, known = self.network.config, self.knowledge or Knowledge()
        forbidden, required = known.masks(self.table.names)
        return diagnose(
            self.table,
            answer,
            metadata=self.network.metadata,
            n_passes=n_passes,
            own_scale=self.chosen.protocol.temperature is not None,
            threshold_given=self.threshold is not None,
            n_effective=self.rows.n_effective,
            direction=(self.rows.direction or 1) if config.reads_lags else 0,
            filled=config.fills_gaps,
            required=required,
            forbidden=forbidden,
            roots=known.uncaused(self.table.names),
            contradicting=answer.contradicting,
        )

    def _provenance(self, n_passes: int) -> dict[str, Any]:
        table, config = self.table, self.network.config
        gaps = config.fills_gaps and bool(np.isnan(table.values[:, table.active]).any())
        data = {
            "source": self.source,
            "digest": table_digest(table.values, table.names),
            "rows": len(table.values),
            "total_rows": table.total_rows,
            "n_effective": self.rows.n_effective,
            "columns": len(table.names),
            "active_columns": int(table.active.sum()),
            "gaps": "filled from similar rows" if gaps else None,
        }
        return {
            "versions": versions(),
            "data": data,
            "weights": {"file": self.weights.name, "digest": file_digest(self.weights), "network": config.name},
            "options": {"n_passes": n_passes, "protocol": self.chosen.protocol.name, **self.options},
        }


class _Clock:
    """Seconds between laps."""

    def __init__(self) -> None:
        self.times: dict[str, float] = {}
        self._start = self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.times[name] = round(now - self._last, 4)
        self.times["total"] = round(now - self._start, 4)
        self._last = now


def _whole(option: str, number: Any, *, least: int) -> int:
    """An option that counts something, as a plain number that any file format can hold."""
    if not isinstance(number, int | np.integer) or number < least:
        raise ConfigError(f"{option}={number!r} must be a whole number of at least {least}")
    return int(number)


def _device(given: str) -> str:
    """The device of a name, a CUDA device for "auto" where there is one."""
    if given != "auto":
        return given
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _share(option: str, number: Any) -> float:
    if not (isinstance(number, int | float | np.number) and 0 <= number <= 1):
        raise ConfigError(f"{option}={number!r} must lie between 0 and 1")
    return float(number)


def _refuse_too_little(read: Matrix, table: Table, drop: Sequence[str], *, of_file: bool) -> None:
    rows = len(read.values)
    if len(read.columns) < 2:
        name = table.columns[0].name
        if drop:
            raise TableError(f"drop leaves one column, {name!r}; a graph needs at least two, so drop fewer")
        hint = ". Is the separator right (separator=, --separator)?" if of_file else ""
        raise TableError(f"the table has one column, {name!r}; a graph needs at least two{hint}")
    if rows < MIN_ROWS <= read.total_rows:
        raise TableError(f"max_rows={rows} leaves {rows} of {read.total_rows:,} rows; give at least {MIN_ROWS}")
    if rows < MIN_ROWS:
        raise TableError(f"the table has {rows} rows; at least {MIN_ROWS} are needed, and 100 are advised")


def _announce(progress: Progress | None, network: Any, table: Matrix, chosen: Plan) -> None:
    """Tell the columns, time and memory of long work before it starts."""
    columns, rows = int(table.active.sum()), min(len(table.values), chosen.protocol.max_rows)
    if progress is None or columns < 2:
        return
    n_passes = chosen.n_passes or most_passes(1, columns)
    sizes = {"rows": rows, "variables": columns, "features": network.features.count}
    expected = estimate(network.config, n_passes=n_passes, **sizes)
    if expected.seconds is not None and expected.seconds >= _LONG_SECONDS:
        minutes = expected.seconds / 60
        time = f"{minutes:.0f} minutes" if minutes >= 2 else f"{expected.seconds:.0f} s"
        progress(0, 0, f"{columns:,} columns, {rows:,} rows: about {time} and {expected.gigabytes:.1f} GB")


def _row_dependence(table: Matrix, chosen: Plan) -> RowDependence:
    """How the rows depend on each other, as far as the protocol asks."""
    active, rows = np.flatnonzero(table.active), len(table.values)
    if not chosen.protocol.uses_effective_size:
        return RowDependence(n_rows=rows, n_effective=rows, direction=0, autocorrelated=())
    return row_dependence(table.values[:, active], table=table, columns=active.tolist())


def _preview(values: np.ndarray, seed: int) -> np.ndarray:
    if len(values) <= PREVIEW_ROWS:
        return values.copy()
    rows = np.random.default_rng(seed).choice(len(values), PREVIEW_ROWS, replace=False)
    return values[np.sort(rows)]
