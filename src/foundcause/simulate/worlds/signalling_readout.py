"""What an instrument shows of log levels: background, saturation, counting, the reported scale. N rows, C nodes."""

from __future__ import annotations

import numpy as np

_SCALES = {
    "cascade": {"raw": 0.4, "log": 0.25, "arcsinh": 0.2, "bins": 0.15},
    "regulation": {"raw": 0.2, "log": 0.4, "counts": 0.12, "log_counts": 0.18, "bins": 0.1},
    "expression": {"raw": 0.15, "log": 0.75, "bins": 0.1},
}


def read_out(rng: np.random.Generator, levels: np.ndarray, flavour: str) -> tuple[np.ndarray, np.ndarray, str]:
    """Measured values (N, C), which of them are discrete (C,), and the name of the scale."""
    scale = str(rng.choice(list(_SCALES[flavour]), p=list(_SCALES[flavour].values())))
    rows, core = levels.shape
    amount = np.exp(np.clip(levels, -9, 9))
    if scale in ("counts", "log_counts"):
        return *_counted(rng, amount, log=scale == "log_counts"), scale
    jitter = rng.choice([0.0, rng.uniform(0.02, 0.3)])
    if jitter:
        amount = amount * np.exp(jitter * rng.normal(size=(rows, core)))
    # Autofluorescence and unspecific binding: a floor with noise of its own.
    background = rng.choice([0.0, 1.0]) * rng.uniform(0.0, 0.6, core)
    floor_noise = rng.uniform(0.0, 0.15, core)
    amount = amount + background + floor_noise * np.abs(rng.normal(size=(rows, core)))
    capped = rng.random(core) < rng.choice([0.0, 0.15])
    if capped.any():
        top = np.quantile(amount, rng.uniform(0.93, 1.0), axis=0)
        amount = np.where(capped, np.minimum(amount, top), amount)
    gain = np.exp(rng.normal(3.0, 1.2, core))
    if scale == "raw":
        return amount * gain, np.zeros(core, dtype=bool), scale
    if scale == "log":
        return np.log(amount * gain), np.zeros(core, dtype=bool), scale
    if scale == "arcsinh":
        return np.arcsinh(amount * gain / rng.uniform(1.0, 50.0)), np.zeros(core, dtype=bool), scale
    return _binned(rng, np.log(amount)), np.ones(core, dtype=bool), scale


def _counted(rng: np.random.Generator, amount: np.ndarray, *, log: bool) -> tuple[np.ndarray, np.ndarray]:
    """Molecules counted at one depth for all cells (another for each would be a hidden cause of all genes)."""
    core = amount.shape[1]
    rate = np.exp(rng.normal(rng.uniform(0.5, 4.0), 0.8, core))
    mean = np.minimum(amount / amount.mean(axis=0) * rate, 1e6)
    counts = rng.poisson(mean).astype(np.float64)
    # A gene seen nowhere tells nothing: one molecule in a few cells keeps its column alive.
    for gene in np.flatnonzero((counts > 0).sum(axis=0) < 3):
        counts[np.argsort(mean[:, gene])[-3:], gene] += 1.0
    if log:
        return np.log1p(counts), np.zeros(core, dtype=bool)
    return counts, np.ones(core, dtype=bool)


def _binned(rng: np.random.Generator, logs: np.ndarray) -> np.ndarray:
    """Levels called low, medium, high: equal shares, equal widths, or uneven cuts; (N, C) codes."""
    count = int(rng.choice([2, 3, 3, 4, 5]))
    rule = str(rng.choice(["shares", "widths", "uneven"]))
    if rule == "widths":
        low, high = np.quantile(logs, [0.02, 0.98], axis=0)
        cuts = low + (high - low) * np.arange(1, count)[:, None] / count
    else:
        even = np.arange(1, count) / count
        at = even if rule == "shares" else np.sort(np.clip(even + rng.uniform(-0.1, 0.1, count - 1), 0.05, 0.95))
        cuts = np.quantile(logs, at, axis=0)
    return (logs[None] > cuts[:, None]).sum(axis=0).astype(np.float64)
