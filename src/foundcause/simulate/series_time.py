"""What time does to series beside their causes: a clock finer than the rows, rhythms, trends, columns told late.

All of it makes leads and lags that are no directions of causes, as real series have them.
V nodes, N moments or rows, K moments a row.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter

from foundcause.simulate.blueprint import Blueprint
from foundcause.simulate.chance import signed
from foundcause.simulate.mechanisms import centred
from foundcause.simulate.noise import SharedNoise

LEAD_IN = 20  # rows before the first of the table: filters are under way by then, and late columns have a past to tell
_STRENGTH = (0.3, 1.5)  # of what a node feels of a hidden driver, in its own scales: from hardly seen to half of it
_DRIFT = 0.2  # share of scenes with hidden drivers whose driver is no rhythm but a trend that many nodes follow
_FEW_PERIODS = 0.2  # share of rhythms that come round only once or twice, and so look like trends
_OVERTONE = 0.4  # share of rhythms that are no plain sine
_ROWS_A_PERIOD = 4  # at least; of faster ones rows show little but chance
_APART = 3.0  # times as many periods as the rhythm before: slow rhythms that are close are one in a short table
_SHOWS = 0.3  # likeness to itself that a column needs to be told late: else its edges would be edges nobody can see


@dataclass(frozen=True, kw_only=True)
class Driver:
    """What drives many nodes and no column tells: the hour, the season, the times.

    place: how far it has come (N,): angles of a rhythm, heights of a trend.
    overtone: size of a rhythm's second harmonic; None for a trend.
    scatter: how far apart, in angles, nodes feel a rhythm.
    """

    place: np.ndarray
    overtone: float | None
    scatter: float

    def wave(self, shift: float = 0.0) -> np.ndarray:
        """(N,) of about unit scale, ``shift`` angles earlier."""
        if self.overtone is None:
            return self.place.astype(np.float32)
        angle = self.place + shift
        return centred((np.sin(angle) + self.overtone * np.sin(2.0 * angle + 1.0)).astype(np.float32))

    def felt(self, rng: np.random.Generator) -> np.ndarray:
        """(N,) what one node feels of it: in its own phase, strength and sign."""
        return signed(rng, *_STRENGTH, 1)[0] * self.wave(self.scatter * rng.uniform(-1.0, 1.0))


def moments(rows: int, clock: int) -> np.ndarray:
    """(N,) times of all moments of a table: from 0 to 1 within it, below 0 before it."""
    return np.arange((rows + LEAD_IN) * clock) / (rows * clock) - LEAD_IN / rows


def drivers(rng: np.random.Generator, time_N: np.ndarray, number: int, rows: int) -> list[Driver]:
    """Hidden drivers: rhythms far enough from each other to be told apart, or one trend.

    Two slow ones would resemble each other, and nodes that feel one of them those that feel the other, for no reason
    that a label tells.
    """
    if number and rng.random() < _DRIFT:
        return [Driver(place=line(rng, time_N), overtone=None, scatter=0.0)]
    most = max(3.0, min(40.0, rows / _ROWS_A_PERIOD))
    found: list[Driver] = []
    periods = rng.uniform(1.0, 2.0) if rng.random() < _FEW_PERIODS else np.exp(rng.uniform(np.log(3.0), np.log(most)))
    for _ in range(number):
        overtone = rng.uniform(0.2, 0.8) if rng.random() < _OVERTONE else 0.0
        angle = 2.0 * np.pi * (periods * time_N + rng.random())
        found.append(Driver(place=angle, overtone=overtone, scatter=rng.uniform(0.0, np.pi)))
        if _APART * periods > most:
            break
        periods = np.exp(rng.uniform(np.log(_APART * periods), np.log(most)))
    return found


def line(rng: np.random.Generator, time_N: np.ndarray) -> np.ndarray:
    """(N,) a trend of unit scale: a straight line, or one that breaks up to three times."""
    if rng.random() < 0.5:
        return centred(signed(rng, 1.0, 1.0, 1)[0] * time_N.astype(np.float32))
    breaks = np.sort(rng.uniform(0.0, 1.0, int(rng.integers(1, 4))))
    places = np.concatenate([time_N[:1], breaks, time_N[-1:]])
    return centred(np.interp(time_N, places, np.cumsum(rng.standard_normal(len(places)))).astype(np.float32))


def with_drivers(rng: np.random.Generator, blueprint: Blueprint, number: int) -> Blueprint:
    """The blueprint with ``number`` hidden nodes before the others, each a cause of many of them.

    They have no noise, so none of the noise that others share is theirs.
    """
    graph = np.pad(blueprint.graph, ((number, 0), (number, 0)))
    graph[:number, number:] = rng.random((number, len(blueprint.graph))) < rng.uniform(0.3, 1.0, (number, 1))
    shared = SharedNoise(
        confounded=np.pad(blueprint.shared.confounded, ((number, 0), (number, 0))),
        parts={node + number: part for node, part in blueprint.shared.parts.items()},
    )
    hidden = np.concatenate([np.ones(number, dtype=bool), blueprint.hidden])
    return dataclasses.replace(blueprint, graph=graph, hidden=hidden, shared=shared)


def rows_of(values_VN: np.ndarray, clock: int, averaged: bool) -> np.ndarray:
    """(V, rows) what rows show of the moments between them: their mean, or the last of them; all on one scale."""
    if clock == 1:
        return values_VN
    moments_VNK = values_VN.reshape(len(values_VN), -1, clock)
    shown_VN = moments_VNK.mean(axis=2) if averaged else moments_VNK[:, :, -1]
    return np.stack([centred(shown) for shown in shown_VN])


def tell_late(rng: np.random.Generator, values_VN: np.ndarray, nodes: np.ndarray) -> list[dict[str, int]]:
    """Tell these nodes late, in place: as they were one to three rows ago, or as the mean of their last rows.

    Returns which nodes, and by how many rows (``delay``) or over how many (``mean``). The others never feel it.
    """
    told = []
    for node in nodes.tolist():
        values = values_VN[node]
        delay, width = int(rng.integers(1, 4)), int(rng.integers(2, 7))
        if rng.random() < 0.5 and _likeness(values, delay) >= _SHOWS:
            values[delay:] = values[:-delay].copy()
            told.append({"node": node, "delay": delay})
        else:
            values[:] = lfilter(np.full(width, 1.0 / width), [1.0], values)
            told.append({"node": node, "mean": width})
    return told


def _likeness(values_N: np.ndarray, delay: int) -> float:
    """Correlation of (N,) values with themselves ``delay`` rows ago; 0 of values that are all the same."""
    shifted = values_N - values_N.mean()
    spread = float(np.square(shifted).mean())
    return float((shifted[delay:] * shifted[:-delay]).mean()) / spread if spread > 0.0 else 0.0
