"""Time series that services make: daily traffic, heavy-tailed times, incidents, idle gaps. N rows, S services."""

from __future__ import annotations

import numpy as np
from scipy.signal import lfilter


def smooth_noise(rng: np.random.Generator, rows: int, columns: int, memory: np.ndarray) -> np.ndarray:
    """First-order autoregressive noise of unit variance, (N, columns); ``memory`` (columns,) in [0, 1)."""
    shocks = rng.normal(size=(rows, columns)) * np.sqrt(1.0 - memory**2)
    shocks[0] /= np.sqrt(1.0 - memory**2)
    if not memory.any():
        return shocks
    return np.stack([lfilter([1.0], [1.0, -m], shocks[:, k]) for k, m in enumerate(memory)], axis=1)


def traffic(rng: np.random.Generator, rows: int, *, services: int) -> np.ndarray:
    """Positive load curves of mean about one, (N, S), each independent: days, slow wandering, bursts."""
    time = np.arange(rows)[:, None]
    period = rows / rng.uniform(1.0, 12.0, services)
    daily = rng.uniform(0.0, 0.8, services) * (rng.random(services) < 0.6)
    log = daily * np.sin(2 * np.pi * (time / period + rng.random(services)))
    memory = np.where(rng.random(services) < 0.7, rng.uniform(0.3, 0.98, services), 0.0)
    log = log + rng.uniform(0.05, 0.6, services) * smooth_noise(rng, rows, services, memory)
    burst = rng.random((rows, services)) < 0.01 * (rng.random(services) < 0.3)
    log = log + burst * rng.exponential(1.0, (rows, services))
    curve = np.exp(np.clip(log, -6, 6))
    return curve / curve.mean(axis=0)


def own_times(rng: np.random.Generator, requests: np.ndarray, services: int) -> np.ndarray:
    """Time each service spends itself, (N, S): log-normal, gamma, Pareto or nearly constant; averaged over requests."""
    rows = len(requests)
    base = np.exp(rng.normal(0.0, rng.choice([0.3, 1.0]), services))
    shape = rng.choice(["lognormal", "gamma", "pareto", "steady"], size=services, p=[0.4, 0.25, 0.15, 0.2])
    few = np.minimum(requests if requests.ndim == 2 else requests[:, None], 400.0) + np.zeros((rows, services))
    own = np.empty((rows, services))
    memory = np.where(rng.random(services) < rng.choice([0.0, 0.5]), rng.uniform(0.3, 0.95, services), 0.0)
    drift = np.exp(rng.uniform(0.02, 0.35, services) * smooth_noise(rng, rows, services, memory))
    averaged = rng.random() < 0.5
    for kind in np.unique(shape):
        mine = shape == kind
        size = (rows, int(mine.sum()))
        if kind == "lognormal":
            width = rng.uniform(0.1, 1.0, size[1]) / (np.sqrt(few[:, mine]) if averaged else 1.0)
            own[:, mine] = np.exp(width * rng.normal(size=size))
        elif kind == "gamma":
            order = rng.uniform(0.7, 6.0, size[1]) * (few[:, mine] if averaged else 1.0)
            own[:, mine] = rng.gamma(order, size=size) / order
        elif kind == "pareto":
            own[:, mine] = 1.0 + 0.3 * np.minimum(rng.pareto(rng.uniform(1.8, 4.0, size[1]), size=size), 200.0)
        else:
            own[:, mine] = 1.0 + 0.03 * rng.normal(size=size)
    return base * own * drift


def incidents(rng: np.random.Generator, own: np.ndarray) -> tuple[np.ndarray, int]:
    """Own times with a few stretches in which one service is slow, and how many such stretches there are."""
    rows, services = own.shape
    count = int(rng.integers(1, 6)) if rng.random() < 0.4 else 0
    own = own.copy()
    for _ in range(count):
        length = max(2, int(rows * rng.uniform(0.01, 0.08)))
        start = int(rng.integers(rows - length))
        own[start : start + length, rng.integers(services)] *= rng.uniform(1.5, 8.0)
    return own, count


def idle_gaps(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    """Values with NaN where a service was idle: whole stretches, and single moments of rarely used services."""
    rows, columns = values.shape
    values = values.copy()
    # Rarely used services miss more; at least three cells in ten of any column stay.
    idle = np.minimum(rng.beta(0.6, 3.0, columns) * rng.choice([0.3, 1.0]), 0.6)
    missing = rng.random((rows, columns)) < idle
    for _ in range(int(rng.integers(0, 3))):
        length = max(1, int(rows * rng.uniform(0.01, 0.05)))
        start = int(rng.integers(rows - length))
        missing[start : start + length, rng.random(columns) < rng.choice([0.2, 1.0])] = True
    # Columns that only just vary keep every cell.
    missing[:, np.ptp(np.where(missing, values[0], values), axis=0) <= 0] = False
    values[missing] = np.nan
    return values
