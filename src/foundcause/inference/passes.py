"""Passes of the network over resampled rows and permuted columns, until the answer has settled.

Shapes: K passes, N rows, A columns that the passes see, F features, L features of the row order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Literal

import numpy as np

from foundcause.errors import ConfigError
from foundcause.features.precision import single_precision
from foundcause.features.series import RowDependence, lagged_statistics
from foundcause.inference.canonical_order import canonical_order, standardized
from foundcause.inference.decoding import Passes, preliminary
from foundcause.inference.memory import choose_batch, refuse_too_much
from foundcause.inference.outlier_cells import without_outliers
from foundcause.inference.protocols import Protocol, protocol_named
from foundcause.inference.threads import side_by_side
from foundcause.model.calibration import Calibration
from foundcause.model.config import WIDE

if TYPE_CHECKING:
    import torch

    from foundcause.data import Matrix
    from foundcause.model.interface import Network

Progress = Callable[[int, int, str], None]
Update = Callable[[Passes], None]

MOST_PASSES = 10
_STEP = 2  # passes between two looks at whether the answer has settled
_EDGES_CHANGED, _PROBABILITY_CHANGED, _AGREEMENT_CHANGED = 0.05, 0.03, 0.1
"""The answer has settled when the last step changed at most so large a share of the edges, and probabilities and
agreement of the edges by at most so much on average. Chosen on 260 synthetic tasks of the calibration: 6.7 passes on
average, and F1, log-loss and calibration error of ten passes within their standard errors."""
_CACHED_PAIRS = 1024  # pairs of one call of the network: more do not make it faster, and leave less to share out
_HEADS = {
    "edges": "edge_logits",
    "existence": "existence_logits",
    "direction": "direction_logits",
    "confounding": "confounding_logits",
}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How many passes to run, by which protocol and seed; ``n_passes`` None runs until the answer has settled."""

    protocol: Protocol
    n_passes: int | None
    random_state: int


@dataclass(frozen=True, kw_only=True)
class Draw:
    """What one pass sees.

    rows: indices of its rows, or None for all. columns: its column order, or None for none.
    omits_outliers: whether outlier cells are missing to it.
    """

    rows: np.ndarray | None
    columns: np.ndarray | None
    omits_outliers: bool


def plan(
    protocol: str | Protocol | None = None, n_passes: int | Literal["auto"] = "auto", random_state: int = 0
) -> Plan:
    """Decide on the passes before the table is looked at.

    Parameters
    ----------
    protocol : str or Protocol, optional
        By default the default protocol.
    n_passes : int or "auto"
        "auto" runs as many as the protocol says; the default one runs until the answer has settled.
    random_state : int
        Seed of rows, column orders, ties and donors.
    """
    chosen = protocol_named(protocol)
    count = chosen.n_passes if n_passes == "auto" else n_passes
    if count is not None and count < 1:
        raise ConfigError(f"n_passes={count} must be at least 1")
    return Plan(protocol=chosen, n_passes=count, random_state=random_state)


def draw_passes(plan: Plan, *, rows: int, variables: int, n_effective: int | None = None) -> list[Draw]:
    """Draw what every pass sees; a function of its arguments alone, and more passes extend fewer.

    Parameters
    ----------
    plan : Plan
    rows, variables : int
        Size of the table.
    n_effective : int, optional
        Effective sample size, for protocols that use it; by default all rows.
    """
    protocol, count = plan.protocol, plan.n_passes or MOST_PASSES
    if protocol.draws is not None:
        chosen, orders = protocol.draws(rows, variables, count)
        return [Draw(rows=chosen, columns=order, omits_outliers=False) for order in orders]
    limit = min(protocol.max_rows, n_effective if n_effective and protocol.uses_effective_size else rows)
    draws = []
    for k in range(count):
        rng = np.random.default_rng([plan.random_state, k])
        sample = _sample(protocol, rows, limit, k, rng)
        order = rng.permutation(variables) if protocol.permute else None
        # An outlier may be a slip or the best evidence there is: half of the passes do without it.
        draws.append(Draw(rows=sample, columns=order, omits_outliers=protocol.omits_outliers and k % 2 == 1))
    return draws


def _sample(protocol: Protocol, rows: int, limit: int, k: int, rng: np.random.Generator) -> np.ndarray | None:
    if protocol.resampling == "bootstrap":
        return np.sort(rng.integers(0, rows, size=limit))
    if protocol.resampling == "subsample" and k > 0:
        # Tables beyond the limit are resampled anyway: every pass may then see as many rows as it can take.
        size = limit if rows > limit else max(min(rows, 3), round(protocol.share * rows))
        return np.sort(rng.choice(rows, size=size, replace=False))
    return None if limit == rows else np.sort(rng.choice(rows, size=limit, replace=False))


@single_precision()
def run_passes(
    network: Network,
    matrix: Matrix | np.ndarray,
    rows: RowDependence,
    plan: Plan,
    progress: Progress | None = None,
    *,
    left_out: Sequence[str] = (),
    on_update: Update | None = None,
) -> Passes:
    """Run the passes of a plan over a table.

    Parameters
    ----------
    network : Network
        In evaluation mode.
    matrix : Matrix or ndarray of shape (N, D)
        NaN where a cell is missing. Of a Matrix, columns with another role than variable are left out.
    rows : RowDependence
        How the rows depend on each other.
    plan : Plan
    progress : callable, optional
        Called as ``progress(done, total, stage)``.
    left_out : sequence of str
        Names of dropped columns, which knowledge must not name.
    on_update : callable, optional
        Called with the passes so far whenever more of them are done, where their number is not fixed.

    Returns
    -------
    Passes
        Their columns stand in canonical order, so that the order of the table cannot matter in the last bit.
    """
    if isinstance(matrix, np.ndarray):
        cells, names, active = matrix, tuple(f"x{k}" for k in range(matrix.shape[1])), np.arange(matrix.shape[1])
    else:
        cells, names, active = matrix.values, matrix.names, np.flatnonzero(matrix.active)
    row_order, columns = _working_order(cells[:, active], plan.protocol)
    columns = active[columns]
    reads_lags = plan.protocol.uses_effective_size and network.config.reads_lags
    lags = lagged_statistics(cells[:, columns], rows) if reads_lags else None
    values = _scaled(cells[:, columns][row_order], network)
    passes: Passes | None = None
    for passes in _run(network, values, rows, plan, lags, progress):
        passes = replace(passes, names=names, columns=columns, left_out=tuple(left_out))
        if on_update is not None and plan.n_passes is None:
            on_update(passes)
    assert passes is not None
    return passes


def _working_order(values: np.ndarray, protocol: Protocol) -> tuple[np.ndarray, np.ndarray]:
    """Row and column order of the work: canonical, unless the protocol draws by position in the source."""
    if protocol.draws is not None:
        return np.arange(values.shape[0]), np.arange(values.shape[1])
    return canonical_order(values)


def _scaled(values: np.ndarray, network: Network) -> np.ndarray:
    """Cells as the network reads them; the released network sees them raw, because its statistics know the scale."""
    if network.released:
        limit = float(np.finfo(np.float32).max)
        return np.clip(values, -limit, limit)
    return standardized(values)


def least_passes(network: Network, values: np.ndarray, plan: Plan) -> int:
    """Passes that an answer needs: every kind of pass that matters for the table has run.

    Where cells are missing, every fourth pass leaves them; where there are outlier cells, every second one omits them.
    """
    if network.config.fills_gaps and bool(np.isnan(values).any()):
        return 4
    if not plan.protocol.omits_outliers:
        return 1
    # Tables that are not wide get a second pass in any case, because one says nothing about agreement.
    return 2 if values.shape[1] < WIDE or without_outliers(values) is not values else 1


def most_passes(least: int, variables: int) -> int:
    """Passes that are run at most: ten, and fewer over wide tables, where one pass sees many pairs and takes long."""
    return max(least, MOST_PASSES if variables < WIDE else int(MOST_PASSES * (WIDE / variables) ** 2))


def settled(before: Passes, now: Passes, calibration: Calibration, rows: int) -> bool:
    """Whether the last passes changed the answer by less than the tolerance."""
    (edges, graph, agreed), (new_edges, new_graph, new_agreed) = (
        preliminary(passes, calibration, rows) for passes in (before, now)
    )
    either = graph | new_graph
    if not either.any():
        return True
    changes = (graph != new_graph)[either], np.abs(edges - new_edges)[either], np.abs(agreed - new_agreed)[either]
    limits = (_EDGES_CHANGED, _PROBABILITY_CHANGED, _AGREEMENT_CHANGED)
    return all(change.mean() <= limit for change, limit in zip(changes, limits, strict=True))


def _windows(plan: Plan, batch: int, least: int, most: int) -> Iterator[tuple[range, bool]]:
    """Passes that run at once, and whether to look at the answer after them."""
    stops = [plan.n_passes] if plan.n_passes else [least, *range(least + _STEP, most, _STEP), most]
    start = 0
    for stop in stops:
        while start < stop:
            end = min(start + batch, stop)
            yield range(start, end), plan.n_passes is None and end == stop
            start = end


def _run(
    network: Network,
    values: np.ndarray,
    rows: RowDependence,
    plan: Plan,
    lags: np.ndarray | None,
    progress: Progress | None,
) -> Iterator[Passes]:
    """The passes so far, each time that more are done; the last ones are the answer."""
    N, A = values.shape
    if A < 2:
        zeros = np.zeros((1, A, A), dtype=np.float32)
        yield Passes(edges=zeros, existence=zeros, direction=zeros, confounding=zeros, factored=not network.released)
        return
    least = least_passes(network, values, plan)
    most = plan.n_passes or most_passes(least, A)
    sizes = {"rows": min(N, plan.protocol.max_rows), "variables": A, "features": network.features.count}
    batch = choose_batch(network.config, n_passes=most, **sizes)
    refuse_too_much(network.config, batch=batch, **sizes)
    draws = draw_passes(plan, rows=N, variables=A, n_effective=rows.n_effective)
    kept = without_outliers(values) if any(draw.omits_outliers for draw in draws[:most]) else values
    runner = _Runner(network, (values, kept), plan.random_state, lags)
    calibration = Calibration.from_metadata(network.metadata)
    found: dict[str, list[np.ndarray]] = {name: [] for name in _HEADS}
    before: Passes | None = None
    passes: Passes | None = None
    done, total = 0, 2 * most
    for window, look in _windows(plan, batch, least, most):
        for ready in runner.prepare(draws, window):
            _report(progress, min(done + ready, total), total, "statistics")
        done += len(window)
        _report(progress, done, total, "statistics")
        for logits in runner.answers(draws, window):
            for name, matrices in logits.items():
                found[name].extend(matrices)
            done += len(logits["edges"])
            _report(progress, done, total, "network")
        if look or window.stop == most:
            before, passes = passes, _stacked(found, network, plan, runner.first)
            yield passes
            if look and before is not None and settled(before, passes, calibration, rows.n_effective):
                break
    _report(progress, total, total, "network")


def _stacked(
    logits: dict[str, list[np.ndarray]], network: Network, plan: Plan, statistics: np.ndarray | None
) -> Passes:
    return Passes(
        edges=np.stack(logits["edges"]),
        existence=np.stack(logits["existence"]),
        direction=np.stack(logits["direction"]),
        confounding=np.stack(logits["confounding"]),
        factored=not network.released,
        protocol=plan.protocol,
        statistics=statistics,
    )


class _Runner:
    """Statistics and logits of passes over one table, a window of passes at a time.

    Statistics of passes over the same rows are computed once and permuted, which is exact because they do not depend on
    the order of columns (but between exact copies of a column). On a CPU, passes run side by side with one torch thread
    each: they are many small operations, which gain little from threads of their own, and a fixed count of one gives
    the same bits on every machine.
    """

    def __init__(
        self, network: Network, tables: tuple[np.ndarray, np.ndarray], seed: int, lags: np.ndarray | None
    ) -> None:
        import torch

        self.network, self.seed = network, seed
        self.device = next(network.parameters()).device
        self.lags = None if lags is None else torch.from_numpy(lags).to(self.device)[None]
        self.tables = tables  # with and without outlier cells
        self.first: np.ndarray | None = None
        self._samples: dict[tuple[int, bool], tuple[torch.Tensor, torch.Tensor]] = {}
        self._statistics: dict[tuple[int, bool], torch.Tensor] = {}

    def prepare(self, draws: Sequence[Draw], window: range) -> Iterator[int]:
        """Compute the statistics of a window; yields how many different ones are ready."""
        keys = {_key(draws[k]): k for k in reversed(window)}  # every pass treats gaps in its own way: the first decides
        kept = {key: table for key, table in self._statistics.items() if key in keys}
        self._statistics = {}
        self._samples = {key: self._sample(draws[k]) for key, k in keys.items()}
        missing = [k for k in window if keys[_key(draws[k])] == k and _key(draws[k]) not in kept]
        self._statistics = kept
        spread_out = side_by_side if self.device.type == "cpu" else map
        for k, table in zip(missing, spread_out(lambda k: self._computed(draws[k], k), missing), strict=True):
            self._statistics[_key(draws[k])] = table
            yield len(self._statistics)
        if self.first is None and self.tables[0].shape[1] < WIDE:  # those of wide tables are too large to keep
            self.first = self._statistics[_key(draws[window[0]])].cpu().numpy()

    def answers(self, draws: Sequence[Draw], window: range) -> Iterator[dict[str, np.ndarray]]:
        """Logits of the passes of a window, some at a time, each (A, A) in table order."""
        import torch

        variables = self.tables[0].shape[1]
        if variables >= WIDE and self.device.type == "cpu" and self._in_blocks():
            for k in window:
                yield self._wide_answer(draws[k])
            return
        most = max(1, _CACHED_PAIRS // variables**2) if self.device.type == "cpu" else len(window)

        def answer(passes: list[int]) -> dict[str, np.ndarray]:
            inputs = [self._permuted(draws[k]) for k in passes]
            cells, observed, statistics = (torch.stack(part) for part in zip(*inputs, strict=True))
            with torch.no_grad():
                prediction = self.network(cells, observed, None, statistics, seed=self.seed)
            found = {name: getattr(prediction, field).float().cpu().numpy() for name, field in _HEADS.items()}
            return {
                name: np.stack([_in_table_order(m, draws[k].columns) for m, k in zip(part, passes, strict=True)])
                for name, part in found.items()
            }

        groups = list(_together(draws, window, most))
        yield from (side_by_side if self.device.type == "cpu" else map)(answer, groups)

    def _in_blocks(self) -> bool:
        """Whether the network has a forward pass in blocks of pairs."""
        return self.network.architecture == "pairs" and not self.network.off

    def _wide_answer(self, draw: Draw) -> dict[str, np.ndarray]:
        """Logits of one pass over a wide table; its blocks of pairs run side by side."""
        from foundcause.model.wide import wide_forward

        _, _, statistics = self._permuted(draw)
        prediction = wide_forward(self.network, statistics, side_by_side)
        return {
            name: _in_table_order(getattr(prediction, field)[0].numpy(), draw.columns)[None]
            for name, field in _HEADS.items()
        }

    def _sample(self, draw: Draw) -> tuple[torch.Tensor, torch.Tensor]:
        import torch

        values = self.tables[draw.omits_outliers]
        chosen = values if draw.rows is None else values[draw.rows]
        observed = ~np.isnan(chosen)
        filled = np.where(observed, chosen, 0.0).astype(np.float32)
        return torch.from_numpy(filled).to(self.device), torch.from_numpy(observed).to(self.device)

    def _computed(self, draw: Draw, k: int) -> torch.Tensor:
        """(A, A, F) of one pass. One pass at a time, so that the batch size cannot change a single bit."""
        import torch

        from foundcause.model.interface import Inputs

        values, observed = self._samples[_key(draw)]
        everything = torch.ones(1, values.shape[1], dtype=torch.bool, device=self.device)
        inputs = Inputs(values=values[None], observed=observed[None], variables=everything)
        return self.network.statistics(inputs, seed=self.seed, look=k, lagged_BDDL=self.lags)[0]

    def _permuted(self, draw: Draw) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Cells, mask and statistics of a pass in its column order."""
        import torch

        (cells, observed), statistics = self._samples[_key(draw)], self._statistics[_key(draw)]
        if draw.columns is None:
            return cells, observed, statistics
        index = torch.as_tensor(draw.columns, device=self.device)
        return cells[:, index], observed[:, index], statistics[index][:, index]


def _together(draws: Sequence[Draw], window: range, most: int) -> Iterator[list[int]]:
    """Neighboring passes with equally many rows, which the network can take at once, at most ``most``."""

    def length(k: int) -> int:
        rows = draws[k].rows
        return -1 if rows is None else len(rows)

    for _, group in groupby(window, key=length):
        passes = list(group)
        yield from (passes[start : start + most] for start in range(0, len(passes), most))


def _key(draw: Draw) -> tuple[int, bool]:
    """Passes that share it see the same table."""
    return -1 if draw.rows is None else id(draw.rows), draw.omits_outliers


def _in_table_order(logits: np.ndarray, order: np.ndarray | None) -> np.ndarray:
    if order is None:
        return logits
    restored = np.empty_like(logits)
    restored[np.ix_(order, order)] = logits
    return restored


def _report(progress: Progress | None, done: int, total: int, stage: str) -> None:
    if progress is not None:
        progress(done, total, stage)
