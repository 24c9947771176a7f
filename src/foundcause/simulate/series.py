"""Systems that move in time, one row a moment: memory, inertia, effects that come late. N rows in order, V nodes.

Laws and noises are those of the diverse path; what is new every moment is not new altogether. Nodes that have nothing
to do with each other drift together by chance, the more so the longer they remember.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter
from scipy.stats import rankdata

from foundcause.simulate import noise, paths
from foundcause.simulate.blueprint import Samples
from foundcause.simulate.chance import pick
from foundcause.simulate.latents import choose_hidden, with_circumstances
from foundcause.simulate.mechanisms import MECHANISMS, centred
from foundcause.simulate.settings import Mixture
from foundcause.simulate.task import Scene

NAME = "series"
_LAWS = {**dict.fromkeys((name for name, law in MECHANISMS.items() if law.additive), 0.03), "linear": 0.45}
_LONGEST_MEMORY = 0.995
_LINGERS = 0.6  # memory from which a cause of the moment before still shows in the row


@dataclass(frozen=True, kw_only=True)
class Pace:
    """What the nodes of a scene have in common.

    memory: typical share of a noise that is left a moment later.
    late: share of effects that follow their cause with a delay.
    inert: share of nodes that approach where their causes drive them.
    """

    memory: float
    late: float
    inert: float


def series(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """A scene of ``variables`` observed nodes on a graph of the diverse path."""
    extra = mixture.hiding.draw(rng, variables)
    graph, topology = paths.draw_graph(rng, mixture, "diverse", variables + extra)
    hidden = choose_hidden(rng, graph, extra)
    if mixture.hiding.draw_circumstances(rng):
        graph, hidden = with_circumstances(rng, graph, hidden)
    pace = Pace(
        memory=float(rng.choice([rng.uniform(0.2, 0.7), rng.uniform(0.7, 0.95), rng.uniform(0.95, _LONGEST_MEMORY)])),
        late=float(rng.choice([0.0, rng.uniform(0.1, 0.8)])),
        inert=float(rng.choice([0.0, rng.uniform(0.1, 0.6)])),
    )
    blueprint = paths.draw_blueprint(rng, mixture, graph, rows=rows, hidden=hidden)
    samples = Samples(len(graph), rows)
    memories = np.clip(pace.memory + 0.1 * rng.standard_normal(len(graph)), 0.0, _LONGEST_MEMORY)
    laws = {"linear": 1.0} if rng.random() < 0.3 else _LAWS
    for node, memory in enumerate(memories):
        parents = np.flatnonzero(graph[:, node])
        family = pick(rng, mixture.diverse.noise)
        drawn = remembering(rng, blueprint.shared.mix(node, noise.FAMILIES[family](rng, rows)), memory)
        samples.noises[family] += 1
        values = drawn
        if parents.size:
            law = pick(rng, laws)
            samples.mechanisms[law] += 1
            felt_PN = np.stack([_felt(rng, samples.values_VN[k], memories[k], pace) for k in parents])
            scale = np.float32(mixture.diverse.noise_scale.draw(rng))
            values = (centred(MECHANISMS[law].function(rng, felt_PN, drawn)) + scale * drawn) / np.hypot(1.0, scale)
            if rng.random() < pace.inert:
                values = _approached(values, rng.uniform(0.2, 0.9))
        samples.values_VN[node] = centred(values)
    return samples.scene(blueprint, topology=topology, memory=round(pace.memory, 3))


def remembering(rng: np.random.Generator, values_N: np.ndarray, memory: float) -> np.ndarray:
    """The same values (N,) in an order in which each resembles the one before it, as in autoregressive noise."""
    shocks = rng.standard_normal(len(values_N))
    shocks[0] /= np.sqrt(1 - memory**2)
    places = rankdata(lfilter([1.0], [1.0, -memory], shocks), method="ordinal").astype(int) - 1
    return np.sort(values_N)[places]


def _felt(rng: np.random.Generator, cause_N: np.ndarray, memory: float, pace: Pace) -> np.ndarray:
    """What an effect feels of a cause, centred (N,): what it is now, what it was, or what it has been for a while."""
    if rng.random() >= pace.late:
        return cause_N
    if memory > _LINGERS and rng.random() < 0.5:
        delay = int(rng.integers(1, 3))
        return np.concatenate([cause_N[:delay], cause_N[:-delay]])
    return centred(_approached(cause_N, rng.uniform(0.2, 0.8)))


def _approached(values_N: np.ndarray, stay: float) -> np.ndarray:
    """(N,) values that go only part of the way at a time."""
    return lfilter([1.0 - stay], [1.0, -stay], values_N).astype(np.float32)
