"""Systems that move in time: memory, inertia, effects that come late. V nodes, N moments in order, one or more a row.

Laws and noises are those of the diverse path; what is new every moment is not new altogether. Nodes that have nothing
to do with each other drift together by chance, the more so the longer they remember. What comes first need not be a
cause: see ``series_time``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter
from scipy.stats import rankdata

from foundcause.simulate import noise, paths, series_time
from foundcause.simulate.blueprint import Samples
from foundcause.simulate.chance import pick, some
from foundcause.simulate.latents import choose_hidden, with_circumstances
from foundcause.simulate.mechanisms import MECHANISMS, centred
from foundcause.simulate.noise import SharedNoise
from foundcause.simulate.settings import Mixture
from foundcause.simulate.task import Scene

NAME = "series"
_LAWS = {**dict.fromkeys((name for name, law in MECHANISMS.items() if law.additive), 0.03), "linear": 0.45}
_LONGEST_MEMORY = 0.995
_LINGERS = 0.6  # memory from which a cause of the moment before still shows in the row
_WALKS, _LONGEST_WALK = 0.06, 0.999  # share of scenes that all but walk at random, as prices do
_FINER = 0.35  # share of scenes that move faster than rows are written, so that late effects look simultaneous
_MOST_MOMENTS = 20_000  # what a scene may cost: longer tables have fewer moments a row
_TOLD_LATE = 0.15  # share of scenes in which some columns come from late reports, so that effects may lead their causes
_RHYTHMS = 0.25  # share of scenes with a day, a year or a trend in them that many nodes feel and no column tells
_CHANGES = 0.10  # share of scenes with effects of how a cause changes, or of all it has been: leads without likeness
_TRENDS = 0.15  # share of scenes with a root that trends, of those without hidden drivers that it would resemble


@dataclass(frozen=True, kw_only=True)
class Pace:
    """What the nodes of a scene have in common.

    memory: typical share of a noise that is left a row later.
    late: share of effects that follow their cause with a delay.
    inert: share of nodes that approach where their causes drive them.
    clock: moments a row.
    averaged: rows show the mean of their moments, not the last.
    told_late: share of the columns that are told late.
    rhythms: most hidden drivers of many nodes.
    changes: share of effects that follow changes or running sums of their causes.
    trend: one root has a trend; a second one would resemble it for no reason that the graph tells.
    """

    memory: float
    late: float
    inert: float
    clock: int = 1
    averaged: bool = False
    told_late: float = 0.0
    rhythms: int = 0
    changes: float = 0.0
    trend: bool = False

    def a_moment(self, kept: float) -> float:
        """What is left a moment later where ``kept`` is left a row later."""
        return float(kept ** (1.0 / self.clock))


def draw_pace(rng: np.random.Generator, rows: int) -> Pace:
    """The pace of a scene of so many rows."""
    memory = float(rng.choice([rng.uniform(0.2, 0.7), rng.uniform(0.7, 0.95), rng.uniform(0.95, _LONGEST_MEMORY)]))
    if rng.random() < _WALKS:
        memory = rng.uniform(_LONGEST_MEMORY, _LONGEST_WALK)
    most = _MOST_MOMENTS // (rows + series_time.LEAD_IN)
    clock = max(1, min(int(rng.integers(2, 7)), most)) if rng.random() < _FINER else 1
    # Hardly any effect takes no time at all; a finer clock is what shows it.
    late = rng.uniform(0.5, 1.0) if clock > 1 else float(rng.choice([0.0, rng.uniform(0.1, 0.8)]))
    rhythms = int(rng.integers(1, 3)) if rng.random() < _RHYTHMS else 0
    return Pace(
        memory=memory,
        late=late,
        inert=float(rng.choice([0.0, rng.uniform(0.1, 0.6)])),
        clock=clock,
        averaged=clock > 1 and bool(rng.random() < 0.5),
        told_late=rng.uniform(0.1, 0.4) if rng.random() < _TOLD_LATE else 0.0,
        rhythms=rhythms,
        changes=rng.uniform(0.1, 0.5) if rng.random() < _CHANGES else 0.0,
        trend=not rhythms and bool(rng.random() < _TRENDS),
    )


def series(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int, pace: Pace | None = None) -> Scene:
    """A scene of ``variables`` observed nodes on a graph of the diverse path; a pace is drawn unless one is given."""
    extra = mixture.hiding.draw(rng, variables)
    graph, topology = paths.draw_graph(rng, mixture, "diverse", variables + extra)
    hidden = choose_hidden(rng, graph, extra)
    if mixture.hiding.draw_circumstances(rng):
        graph, hidden = with_circumstances(rng, graph, hidden)
    pace = pace or draw_pace(rng, rows)
    time_N = series_time.moments(rows, pace.clock)
    blueprint = paths.draw_blueprint(rng, mixture, graph, rows=rows, hidden=hidden, drawn_rows=len(time_N))
    drivers = series_time.drivers(rng, time_N, pace.rhythms, rows)
    if drivers:
        blueprint = series_time.with_drivers(rng, blueprint, len(drivers))
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
        drawn = shared.mix(node, remembering(rng, noise.FAMILIES[family](rng, len(time_N)), memory))
        samples.noises[family] += 1
        values = drawn
        if node == trending:
            values = centred(values) + np.float32(rng.uniform(0.5, 3.0)) * series_time.line(rng, time_N)
        if parents.size:
            law = pick(rng, laws)
            samples.mechanisms[law] += 1
            felt_PN = np.stack([_felt(rng, samples.values_VN[k], memories[k], pace) for k in parents])
            scale = np.float32(mixture.diverse.noise_scale.draw(rng))
            values = (centred(MECHANISMS[law].function(rng, felt_PN, drawn)) + scale * drawn) / np.hypot(1.0, scale)
            if rng.random() < pace.inert:
                values = _approached(values, pace.a_moment(rng.uniform(0.2, 0.9)))
        for driver in causes[causes < len(drivers)]:
            values = centred(values) + drivers[driver].felt(rng)
        samples.values_VN[node] = centred(values)
    shown_VN = series_time.rows_of(samples.values_VN, pace.clock, pace.averaged)
    told: list[dict[str, int]] = []
    if pace.told_late:
        told = series_time.tell_late(rng, shown_VN, some(rng, np.flatnonzero(~blueprint.hidden), pace.told_late))
    samples.values_VN = shown_VN[:, series_time.LEAD_IN :]
    return samples.scene(
        blueprint,
        topology=topology,
        memory=round(pace.memory, 4),
        late=round(pace.late, 3),
        clock=pace.clock,
        averaged=pace.averaged,
        told_late=told,
        rhythms=len(drivers),
        changes=round(pace.changes, 3),
        trending=trending,
    )


def remembering(rng: np.random.Generator, values_N: np.ndarray, memory: float) -> np.ndarray:
    """The same values (N,) in an order in which each resembles the one before it, as in autoregressive noise."""
    shocks = rng.standard_normal(len(values_N))
    shocks[0] /= np.sqrt(1 - memory**2)
    places = rankdata(lfilter([1.0], [1.0, -memory], shocks), method="ordinal").astype(int) - 1
    return np.sort(values_N)[places]


def _lasting(rng: np.random.Generator, shared: SharedNoise, pace: Pace) -> SharedNoise:
    """The noise that nodes share, remembered together: each in an order of its own, they would share nothing."""
    memory = pace.a_moment(pace.memory)
    moved: dict[int, np.ndarray] = {}
    for drawn, _ in shared.parts.values():
        if id(drawn) not in moved:
            moved[id(drawn)] = remembering(rng, drawn, memory)
    parts = {node: (moved[id(drawn)], weight) for node, (drawn, weight) in shared.parts.items()}
    return SharedNoise(confounded=shared.confounded, parts=parts)


def _felt(rng: np.random.Generator, cause_N: np.ndarray, memory: float, pace: Pace) -> np.ndarray:
    """What an effect feels of a cause, centred (N,): what it is now, what it was, or what it has been for a while.

    Now and then also how it has changed since the row before, or what has come together of it.
    """
    if pace.changes and rng.random() < pace.changes:
        if rng.random() < 0.5:
            return centred(cause_N - np.concatenate([cause_N[: pace.clock], cause_N[: -pace.clock]]))
        return centred(_approached(cause_N, pace.a_moment(rng.uniform(0.9, 0.98))))
    if rng.random() >= pace.late:
        return cause_N
    if memory > _LINGERS and rng.random() < 0.5:
        delay = int(rng.integers(1, 3))
        return np.concatenate([cause_N[:delay], cause_N[:-delay]])
    return centred(_approached(cause_N, rng.uniform(0.2, 0.8)))


def _approached(values_N: np.ndarray, stay: float) -> np.ndarray:
    """(N,) values that go only part of the way at a time."""
    return lfilter([1.0 - stay], [1.0, -stay], values_N).astype(np.float32)
