"""Systems that move in time: memory, inertia, delays, rhythms, trends. V nodes, N moments in order, K moments a row.

Laws and noises are those of the diverse path. Nodes that have nothing to do with each other drift together by chance,
the more so the longer they remember. A lead need not be a cause: a clock finer than the rows, hidden rhythms
and columns reported late make leads and lags that are no directions of causes.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter

from foundcause.simulate.components.paths import draw_blueprint, draw_graph
from foundcause.simulate.draws import pick, signed, some
from foundcause.simulate.extension import component
from foundcause.simulate.hidden_causes import SharedNoise, choose_hidden, with_circumstances
from foundcause.simulate.mechanisms import MECHANISMS, centered
from foundcause.simulate.noise import NOISE_FAMILIES
from foundcause.simulate.scene_building import Blueprint, Samples
from foundcause.simulate.settings import Mixture
from foundcause.simulate.task import Scene

_LAWS = {**dict.fromkeys((name for name, law in MECHANISMS.items() if law.additive), 0.03), "linear": 0.45}
_LONGEST_MEMORY = 0.995
_LINGERS = 0.6  # memory from which a cause of the moment before still shows in the row
_WALKS, _LONGEST_WALK = 0.06, 0.999  # share of scenes that all but walk at random, as prices do
_FINER = 0.35  # share of scenes that move faster than rows are written, so that late effects look simultaneous
_MOST_MOMENTS = 20_000  # limit on the cost of a scene: longer tables have fewer moments a row
_TOLD_LATE = 0.15  # share of scenes in which some columns come from late reports, so that effects may lead their causes
_RHYTHMS = 0.25  # share of scenes with a hidden day, year or trend that many nodes follow
_CHANGES = 0.10  # share of scenes with effects of how a cause changes, or of all it has been: leads without likeness
_TRENDS = 0.15  # share of scenes with a root that trends, of those without hidden drivers that it would resemble


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Parameters that the nodes of a scene share.

    memory: typical share of a noise that is left a row later.
    late: share of effects that follow their cause with a delay.
    inert: share of nodes that approach where their causes drive them.
    clock: moments a row.
    averaged: rows show the mean of their moments, not the last.
    delayed: share of the columns that are reported late.
    rhythms: most hidden drivers of many nodes.
    changes: share of effects that follow changes or running sums of their causes.
    trend: one root has a trend. A second one would resemble it without a cause in the graph.
    """

    memory: float
    late: float
    inert: float
    clock: int = 1
    averaged: bool = False
    delayed: float = 0.0
    rhythms: int = 0
    changes: float = 0.0
    trend: bool = False

    def a_moment(self, kept: float) -> float:
        """The share left a moment later where ``kept`` is left a row later."""
        return float(kept ** (1.0 / self.clock))


def draw_pace(rng: np.random.Generator, rows: int) -> Pace:
    """The pace of a scene of so many rows."""
    memory = float(rng.choice([rng.uniform(0.2, 0.7), rng.uniform(0.7, 0.95), rng.uniform(0.95, _LONGEST_MEMORY)]))
    if rng.random() < _WALKS:
        memory = rng.uniform(_LONGEST_MEMORY, _LONGEST_WALK)
    most = _MOST_MOMENTS // (rows + LEAD_IN)
    clock = max(1, min(int(rng.integers(2, 7)), most)) if rng.random() < _FINER else 1
    # Few effects are instantaneous, which a finer clock shows.
    late = rng.uniform(0.5, 1.0) if clock > 1 else float(rng.choice([0.0, rng.uniform(0.1, 0.8)]))
    rhythms = int(rng.integers(1, 3)) if rng.random() < _RHYTHMS else 0
    return Pace(
        memory=memory,
        late=late,
        inert=float(rng.choice([0.0, rng.uniform(0.1, 0.6)])),
        clock=clock,
        averaged=clock > 1 and bool(rng.random() < 0.5),
        delayed=rng.uniform(0.1, 0.4) if rng.random() < _TOLD_LATE else 0.0,
        rhythms=rhythms,
        changes=rng.uniform(0.1, 0.5) if rng.random() < _CHANGES else 0.0,
        trend=not rhythms and bool(rng.random() < _TRENDS),
    )


@component("series")
def series(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int, pace: Pace | None = None) -> Scene:
    """A scene of ``variables`` observed nodes on a graph of the diverse path. A pace is drawn unless one is given."""
    extra = mixture.hiding.draw(rng, variables)
    graph, topology = draw_graph(rng, mixture, "diverse", variables + extra)
    hidden = choose_hidden(rng, graph, extra)
    if mixture.hiding.draw_circumstances(rng):
        graph, hidden = with_circumstances(rng, graph, hidden)
    pace = pace or draw_pace(rng, rows)
    time_N = moment_times(rows, pace.clock)
    blueprint = draw_blueprint(rng, mixture, graph, rows=rows, hidden=hidden, drawn_rows=len(time_N))
    drivers = draw_drivers(rng, time_N, pace.rhythms, rows)
    if drivers:
        blueprint = with_drivers(rng, blueprint, len(drivers))
    graph = blueprint.graph
    trending = int(rng.choice(np.flatnonzero(~graph.any(axis=0)))) if pace.trend else None
    shared = _lasting(rng, blueprint.shared, pace)
    samples = Samples(len(graph), len(time_N))
    longest = max(_LONGEST_MEMORY, pace.memory)
    kept = np.clip(pace.memory + 0.1 * rng.standard_normal(len(graph)), 0.0, longest)
    memories = [pace.a_moment(memory) for memory in kept]
    laws = {"linear": 1.0} if rng.random() < 0.3 else _LAWS
    for node, memory in enumerate(memories):
        if node < len(drivers):
            samples.values_VN[node] = drivers[node].wave()
            continue
        causes = np.flatnonzero(graph[:, node])
        parents = causes[causes >= len(drivers)]
        family = pick(rng, mixture.diverse.noise)
        drawn = shared.mix(node, remembering(rng, NOISE_FAMILIES[family](rng, len(time_N)), memory))
        samples.noises[family] += 1
        values = drawn
        if node == trending:
            values = centered(values) + np.float32(rng.uniform(0.5, 3.0)) * trend_line(rng, time_N)
        if parents.size:
            law = pick(rng, laws)
            samples.mechanisms[law] += 1
            signals_PN = np.stack([_cause_signal(rng, samples.values_VN[k], memories[k], pace) for k in parents])
            scale = np.float32(mixture.diverse.noise_scale.draw(rng))
            values = (centered(MECHANISMS[law].function(rng, signals_PN, drawn)) + scale * drawn) / np.hypot(1.0, scale)
            if rng.random() < pace.inert:
                values = _approached(values, pace.a_moment(rng.uniform(0.2, 0.9)))
        for driver in causes[causes < len(drivers)]:
            values = centered(values) + drivers[driver].effect(rng)
        samples.values_VN[node] = centered(values)
    shown_VN = shown_rows(samples.values_VN, pace.clock, pace.averaged)
    delays: list[dict[str, int]] = []
    if pace.delayed:
        delays = delay_columns(rng, shown_VN, some(rng, np.flatnonzero(~blueprint.hidden), pace.delayed))
    samples.values_VN = shown_VN[:, LEAD_IN:]
    return samples.scene(
        blueprint,
        topology=topology,
        memory=round(pace.memory, 4),
        late=round(pace.late, 3),
        clock=pace.clock,
        averaged=pace.averaged,
        delayed=delays,
        rhythms=len(drivers),
        changes=round(pace.changes, 3),
        trending=trending,
    )


def remembering(rng: np.random.Generator, values_N: np.ndarray, memory: float) -> np.ndarray:
    """The same values (N,) in an order in which each resembles the one before it, as in autoregressive noise."""
    shocks = rng.standard_normal(len(values_N))
    shocks[0] /= np.sqrt(1 - memory**2)
    ordered = np.empty_like(values_N)
    ordered[np.argsort(lfilter([1.0], [1.0, -memory], shocks), kind="stable")] = np.sort(values_N)
    return ordered


def _lasting(rng: np.random.Generator, shared: SharedNoise, pace: Pace) -> SharedNoise:
    """The noise that nodes share, reordered together: in orders of their own they would be independent."""
    memory = pace.a_moment(pace.memory)
    moved: dict[int, np.ndarray] = {}
    for drawn, _ in shared.parts.values():
        if id(drawn) not in moved:
            moved[id(drawn)] = remembering(rng, drawn, memory)
    parts = {node: (moved[id(drawn)], weight) for node, (drawn, weight) in shared.parts.items()}
    return SharedNoise(confounded=shared.confounded, parts=parts)


def _cause_signal(rng: np.random.Generator, cause_N: np.ndarray, memory: float, pace: Pace) -> np.ndarray:
    """What an effect feels of a cause, centered (N,): what it is now, what it was, or what it has been for a while.

    Now and then also how it has changed since the row before, or what has come together of it.
    """
    if pace.changes and rng.random() < pace.changes:
        if rng.random() < 0.5:
            return centered(cause_N - np.concatenate([cause_N[: pace.clock], cause_N[: -pace.clock]]))
        return centered(_approached(cause_N, pace.a_moment(rng.uniform(0.9, 0.98))))
    if rng.random() >= pace.late:
        return cause_N
    if memory > _LINGERS and rng.random() < 0.5:
        delay = int(rng.integers(1, 3))
        return np.concatenate([cause_N[:delay], cause_N[:-delay]])
    return centered(_approached(cause_N, rng.uniform(0.2, 0.8)))


def _approached(values_N: np.ndarray, stay: float) -> np.ndarray:
    """(N,) values that go only part of the way at a time."""
    return lfilter([1.0 - stay], [1.0, -stay], values_N).astype(np.float32)


LEAD_IN = (
    20  # rows before the first of the table: filters are under way by then, and delayed columns have a past to show
)
_STRENGTH = (0.3, 1.5)  # effect of a hidden driver, in scales of the node
_DRIFT = 0.2  # share of scenes with hidden drivers whose driver is no rhythm but a trend that many nodes follow
_FEW_PERIODS = 0.2  # share of rhythms that come round only once or twice, and so look like trends
_OVERTONE = 0.4  # share of rhythms that are no plain sine
_ROWS_A_PERIOD = 4  # at least: rows hardly show faster ones
_APART = 3.0  # times as many periods as the rhythm before: slow rhythms that are close are one in a short table
_SHOWS = 0.3  # autocorrelation that a column needs to be delayed: without it its edges would be invisible


@dataclass(frozen=True, kw_only=True)
class Driver:
    """A hidden driver of many nodes: the hour, the season, the times.

    place: how far it has come (N,): angles of a rhythm, heights of a trend.
    overtone: size of a rhythm's second harmonic. None for a trend.
    scatter: how far apart, in angles, nodes feel a rhythm.
    """

    course: np.ndarray
    overtone: float | None
    scatter: float

    def wave(self, shift: float = 0.0) -> np.ndarray:
        """(N,) of about unit scale, ``shift`` angles earlier."""
        if self.overtone is None:
            return self.course.astype(np.float32)
        angle = self.course + shift
        return centered((np.sin(angle) + self.overtone * np.sin(2.0 * angle + 1.0)).astype(np.float32))

    def effect(self, rng: np.random.Generator) -> np.ndarray:
        """(N,) what one node feels of it: in its own phase, strength and sign."""
        return signed(rng, *_STRENGTH, 1)[0] * self.wave(self.scatter * rng.uniform(-1.0, 1.0))


def moment_times(rows: int, clock: int) -> np.ndarray:
    """(N,) times of all moments of a table: from 0 to 1 within it, below 0 before it."""
    return np.arange((rows + LEAD_IN) * clock) / (rows * clock) - LEAD_IN / rows


def draw_drivers(rng: np.random.Generator, time_N: np.ndarray, number: int, rows: int) -> list[Driver]:
    """Hidden drivers: rhythms far enough from each other to be distinguished, or one trend.

    Two slow ones would resemble each other, and nodes that feel one of them those that feel the other, for no reason
    that a label tells.
    """
    if number and rng.random() < _DRIFT:
        return [Driver(course=trend_line(rng, time_N), overtone=None, scatter=0.0)]
    most = max(3.0, min(40.0, rows / _ROWS_A_PERIOD))
    waves: list[Driver] = []
    periods = rng.uniform(1.0, 2.0) if rng.random() < _FEW_PERIODS else np.exp(rng.uniform(np.log(3.0), np.log(most)))
    for _ in range(number):
        overtone = rng.uniform(0.2, 0.8) if rng.random() < _OVERTONE else 0.0
        angle = 2.0 * np.pi * (periods * time_N + rng.random())
        waves.append(Driver(course=angle, overtone=overtone, scatter=rng.uniform(0.0, np.pi)))
        if _APART * periods > most:
            break
        periods = np.exp(rng.uniform(np.log(_APART * periods), np.log(most)))
    return waves


def trend_line(rng: np.random.Generator, time_N: np.ndarray) -> np.ndarray:
    """(N,) a trend of unit scale: a straight line, or one that breaks up to three times."""
    if rng.random() < 0.5:
        return centered(signed(rng, 1.0, 1.0, 1)[0] * time_N.astype(np.float32))
    breaks = np.sort(rng.uniform(0.0, 1.0, int(rng.integers(1, 4))))
    places = np.concatenate([time_N[:1], breaks, time_N[-1:]])
    return centered(np.interp(time_N, places, np.cumsum(rng.standard_normal(len(places)))).astype(np.float32))


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


def shown_rows(values_VN: np.ndarray, clock: int, averaged: bool) -> np.ndarray:
    """(V, rows) what rows show of the moments between them: their mean, or the last of them. All on one scale."""
    if clock == 1:
        return values_VN
    moments_VNK = values_VN.reshape(len(values_VN), -1, clock)
    shown_VN = moments_VNK.mean(axis=2) if averaged else moments_VNK[:, :, -1]
    return np.stack([centered(shown) for shown in shown_VN])


def delay_columns(rng: np.random.Generator, values_VN: np.ndarray, nodes: np.ndarray) -> list[dict[str, int]]:
    """Delay the columns of these nodes, in place: by one to three rows, or as the mean of their last rows.

    Returns which nodes, and by how many rows (``delay``) or over how many (``mean``). The others never feel it.
    """
    delays = []
    for node in nodes.tolist():
        values = values_VN[node]
        delay, width = int(rng.integers(1, 4)), int(rng.integers(2, 7))
        if rng.random() < 0.5 and _likeness(values, delay) >= _SHOWS:
            values[delay:] = values[:-delay].copy()
            delays.append({"node": node, "delay": delay})
        else:
            values[:] = lfilter(np.full(width, 1.0 / width), [1.0], values)
            delays.append({"node": node, "mean": width})
    return delays


def _likeness(values_N: np.ndarray, delay: int) -> float:
    """Correlation of (N,) values with themselves ``delay`` rows ago. 0 of values that are all the same."""
    shifted = values_N - values_N.mean()
    spread = float(np.square(shifted).mean())
    return float((shifted[delay:] * shifted[:-delay]).mean()) / spread if spread > 0.0 else 0.0
