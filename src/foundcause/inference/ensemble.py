"""K passes of the network over resampled rows and permuted columns.

Shapes: K passes, B passes of one batch, N rows, D variables, F features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from foundcause.errors import ConfigError
from foundcause.features.precision import single_precision
from foundcause.inference.far_cells import without_isolated
from foundcause.inference.protocol import Passes, Protocol
from foundcause.inference.release import column_orders, row_choice
from foundcause.inference.threads import side_by_side

if TYPE_CHECKING:
    import torch

    from foundcause.model.interface import Network

Progress = Callable[[int, int, str], None]

_CACHED_PAIRS = 1024  # pairs of one call of the network: more do not make it faster, and leave less to share out


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What each pass sees.

    rows: per pass, indices of its rows, or None for all. columns: per pass, its column order, or None for none.
    sparing: per pass, whether cells far from all others are missing to it.
    """

    rows: tuple[np.ndarray | None, ...]
    columns: tuple[np.ndarray | None, ...]
    sparing: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.rows)


def plan_passes(
    protocol: Protocol, *, rows: int, variables: int, runs: int, seed: int, worth: int | None = None
) -> Plan:
    """Row samples and column orders of all passes; a function of its arguments alone.

    worth: how many independent rows the table is worth, for protocols that heed it; by default all.
    """
    if runs < 1:
        raise ConfigError(f"runs={runs} must be at least 1")
    if protocol.name == "release":
        chosen = row_choice(rows, protocol.max_rows)
        return Plan(rows=(chosen,) * runs, columns=tuple(column_orders(variables, runs)), sparing=(False,) * runs)
    generators = [np.random.default_rng([seed, k]) for k in range(runs)]
    worth = rows if worth is None or not protocol.heeds_neighbours else worth
    samples = tuple(_sample(protocol, rows, worth, k, rng) for k, rng in enumerate(generators))
    orders = tuple(rng.permutation(variables) if protocol.permute else None for rng in generators)
    # Whether a far cell is a slip or the best evidence there is, nobody knows: half of the passes do without it.
    sparing = tuple(protocol.spares_far_cells and k % 2 == 1 for k in range(runs))
    return Plan(rows=samples, columns=orders, sparing=sparing)


def _sample(protocol: Protocol, rows: int, worth: int, k: int, rng: np.random.Generator) -> np.ndarray | None:
    limit = min(worth, protocol.max_rows)
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
    values: np.ndarray,
    plan: Plan,
    *,
    batch_size: int = 8,
    seed: int = 0,
    lagged: np.ndarray | None = None,
    progress: Progress | None = None,
) -> tuple[Passes, np.ndarray]:
    """Logits of all passes in table order, and the statistics (D, D, F) of the first pass.

    values: (N, D), NaN where unobserved. lagged: (D, D, L) of ``foundcause.features.series``, the same in all passes.
    Statistics of passes over the same rows are computed once and permuted, which is exact because they do not depend on
    the order of columns (but between exact copies of a column).
    """
    import torch

    device = next(network.parameters()).device
    lags = None if lagged is None else torch.from_numpy(lagged).to(device)[None]
    tables = (values, without_isolated(values) if any(plan.sparing) else values)
    found: dict[str, list[np.ndarray | None]] = {name: [None] * len(plan) for name in _HEADS}
    first: np.ndarray | None = None
    done, total = 0, 2 * len(plan)
    most = _CACHED_PAIRS // values.shape[1] ** 2 if device.type == "cpu" else None
    shared: dict[tuple[int, bool], torch.Tensor] = {}

    def answers(passes: list[int]) -> dict[str, np.ndarray]:
        keys = [_key(plan, k) for k in passes]
        inputs = [_permuted(*samples[key], shared[key], plan.columns[k]) for k, key in zip(passes, keys, strict=True)]
        cells, observed, statistics = (torch.stack(part) for part in zip(*inputs, strict=True))
        with torch.no_grad():
            prediction = network(cells, observed, None, statistics, seed=seed)
        return {name: getattr(prediction, field).double().cpu().numpy() for name, field in _HEADS.items()}

    for window in _windows(len(plan), batch_size):
        samples = {_key(plan, k): _tensors(tables[plan.sparing[k]], plan.rows[k], device) for k in window}
        missing = {key: sample for key, sample in samples.items() if key not in shared}
        shared = {key: table for key, table in shared.items() if key in samples}
        # Every pass looks at gaps in its own way.
        looks = [next(k for k in window if _key(plan, k) == key) for key in missing]
        found_now = _statistics_of(network, list(missing.values()), seed, looks, lags)
        for key, table in zip(missing, found_now, strict=True):
            shared[key] = table
            _report(progress, min(done + len(shared), total), total, "statistics")
        if first is None:
            first = shared[_key(plan, 0)].cpu().numpy()
        done += len(window)
        _report(progress, done, total, "statistics")
        groups = list(_together(plan, window, most))
        spread_out = side_by_side(answers, groups) if device.type == "cpu" else map(answers, groups)
        for group, logits in zip(groups, spread_out, strict=True):
            for name, matrices in logits.items():
                for k, matrix in zip(group, matrices, strict=True):
                    found[name][k] = _in_table_order(matrix, plan.columns[k])
            done += len(group)
            _report(progress, done, total, "network")
    stacked = {
        name: np.stack([matrix for matrix in matrices if matrix is not None]) for name, matrices in found.items()
    }
    assert first is not None
    return Passes(**stacked, factored=not network.released), first


_HEADS = {
    "edges": "edge_logits",
    "existence": "existence_logits",
    "direction": "direction_logits",
    "confounding": "confounding_logits",
}


def _windows(passes: int, size: int) -> Iterator[range]:
    """Passes whose statistics are held at once, in order."""
    return (range(start, min(start + size, passes)) for start in range(0, passes, size))


def _together(plan: Plan, window: range, most: int | None) -> Iterator[list[int]]:
    """Neighbouring passes with equally many rows, which the network can take at once, at most ``most`` (or one)."""
    for _, group in groupby(window, key=lambda k: _length(plan.rows[k])):
        passes = list(group)
        size = len(passes) if most is None else max(1, most)
        yield from (passes[start : start + size] for start in range(0, len(passes), size))


def _permuted(
    cells: torch.Tensor, observed: torch.Tensor, statistics: torch.Tensor, order: np.ndarray | None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """A pass in its column order."""
    import torch

    if order is None:
        return cells, observed, statistics
    index = torch.as_tensor(order, device=cells.device)
    return cells[:, index], observed[:, index], statistics[index][:, index]


def _length(rows: np.ndarray | None) -> int:
    return -1 if rows is None else len(rows)


def _tensors(values: np.ndarray, rows: np.ndarray | None, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    chosen = values if rows is None else values[rows]
    observed = ~np.isnan(chosen)
    filled = np.where(observed, chosen, 0.0).astype(np.float32)
    return torch.from_numpy(filled).to(device), torch.from_numpy(observed).to(device)


def _key(plan: Plan, k: int) -> tuple[int, bool]:
    """Passes that share it see the same table."""
    rows = plan.rows[k]
    return -1 if rows is None else id(rows), plan.sparing[k]


def _statistics_of(
    network: Network,
    samples: list[tuple[torch.Tensor, torch.Tensor]],
    seed: int,
    looks: list[int],
    lags: torch.Tensor | None,
) -> Iterator[torch.Tensor]:
    """(D, D, F) of each sample, in order, each with a look of its own.

    On a CPU, samples run side by side with one torch thread each: statistics are many small operations, which gain
    little from threads of their own, and a fixed count of one gives the same bits on every machine.
    """

    def statistics(job: tuple[tuple[torch.Tensor, torch.Tensor], int]) -> torch.Tensor:
        (values, observed), look = job
        return _statistics(network, values, observed, seed, look, lags)

    jobs = list(zip(samples, looks, strict=True))
    if samples and samples[0][0].device.type == "cpu":
        return side_by_side(statistics, jobs)
    return map(statistics, jobs)


def _statistics(
    network: Network,
    values: torch.Tensor,
    observed: torch.Tensor,
    seed: int,
    look: int,
    lags: torch.Tensor | None,
) -> torch.Tensor:
    """(D, D, F) of one pass. One pass at a time, so that the batch size cannot change a single bit."""
    import torch

    from foundcause.model.interface import Inputs

    everything = torch.ones(1, values.shape[1], dtype=torch.bool, device=values.device)
    inputs = Inputs(values=values[None], observed=observed[None], variables=everything)
    return network.statistics(inputs, seed=seed, look=look, lagged_BDDL=lags)[0]


def _in_table_order(logits: np.ndarray, order: np.ndarray | None) -> np.ndarray:
    if order is None:
        return logits
    restored = np.empty_like(logits)
    restored[np.ix_(order, order)] = logits
    return restored


def _report(progress: Progress | None, done: int, total: int, stage: str) -> None:
    if progress is not None:
        progress(done, total, stage)
