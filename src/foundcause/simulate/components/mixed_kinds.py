"""Tables of mixed kinds: yes and no, grades, codes, counts, amounts and measurements.

Every column is of a kind, and what its causes do to it is done on a scale of its own: the odds of a yes, the rate of a
count, the logarithm of an amount, the steps of a grade. Effects are mostly weak, and causes are felt as they are
written down. V nodes, N rows, P parents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from foundcause.simulate.components.paths import draw_graph
from foundcause.simulate.draws import pick
from foundcause.simulate.extension import component
from foundcause.simulate.hidden_causes import choose_hidden, no_shared_noise, with_circumstances
from foundcause.simulate.mechanisms import MECHANISMS, centered
from foundcause.simulate.noise import NOISE_FAMILIES, ROOT_FAMILIES
from foundcause.simulate.scene_building import Blueprint, Conditions, Samples
from foundcause.simulate.settings import Mixture
from foundcause.simulate.task import Scene

_LAWS = {**dict.fromkeys((name for name, law in MECHANISMS.items() if law.additive), 0.03), "linear": 0.5}
_STRENGTH = (0.25, 2.5)  # of what causes do, in deviations of what chance does
_UNEVEN = 0.15  # share of measurements whose chance grows with what their causes do
_NO_AMOUNT = 0.25  # share of amounts that are often zero
_LARGEST_SCORE = 6.0


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of column.

    usual: how much of a table it makes up, as the parameter of a Dirichlet distribution.
    write: (rng, effect of the causes (N,), noise (N,) of unit scale) to the values (N,).
    seen: (rng, values (N,)) to what an effect depends on (N,).
    discrete: the values are codes or counts.
    """

    usual: float
    write: Callable[[np.random.Generator, np.ndarray, np.ndarray], np.ndarray]
    seen: Callable[[np.random.Generator, np.ndarray], np.ndarray]
    discrete: bool = True


@component("mixed")
def mixed(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """A scene of ``variables`` observed nodes on a graph of the diverse path."""
    extra = mixture.hiding.draw(rng, variables)
    graph, topology = draw_graph(rng, mixture, "diverse", variables + extra)
    hidden = choose_hidden(rng, graph, extra)
    if mixture.hiding.draw_circumstances(rng):
        graph, hidden = with_circumstances(rng, graph, hidden)
    shares = dict(zip(KINDS, rng.dirichlet([kind.usual for kind in KINDS.values()]).tolist(), strict=True))
    samples = Samples(len(graph), rows)
    seen_VN = np.empty_like(samples.values_VN)
    for node in range(len(graph)):
        parents = np.flatnonzero(graph[:, node])
        name = "measurement" if hidden[node] and rng.random() < 0.5 else pick(rng, shares)
        family = pick(rng, mixture.diverse.noise)
        drawn = NOISE_FAMILIES[family](rng, rows)
        if parents.size:
            law = pick(rng, _LAWS)
            samples.mechanisms[law] += 1
            samples.noises[family] += 1
            moved = centered(MECHANISMS[law].function(rng, seen_VN[parents], drawn))
            strength = np.exp(rng.uniform(*np.log(_STRENGTH)))
            score = np.clip(strength * moved, -_LARGEST_SCORE, _LARGEST_SCORE)
        else:
            samples.roots[name] += 1
            score = np.zeros(rows)
            if name == "measurement":
                drawn = centered(ROOT_FAMILIES[pick(rng, _MEASURED_ROOTS)](rng, rows))
        kind = KINDS[name]
        values = kind.write(rng, score, drawn)
        samples.values_VN[node] = values
        samples.discrete[node] = kind.discrete
        seen_VN[node] = centered(kind.seen(rng, samples.values_VN[node]))
    blueprint = Blueprint(
        graph=graph, hidden=hidden, shared=no_shared_noise(len(graph)), conditions=Conditions(), rows=rows
    )
    kinds = {name: round(share, 3) for name, share in shares.items()}
    return samples.scene(blueprint, topology=topology, kinds=kinds)


def _measurement(rng: np.random.Generator, score_N: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    if rng.random() < _UNEVEN:
        noise_N = noise_N * np.exp(np.clip(rng.uniform(0.2, 0.6) * score_N, -2.0, 2.0))
    return score_N + noise_N


def _amount(rng: np.random.Generator, score_N: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """Skewed and positive. Often zero, which the same causes may decide."""
    size = rng.uniform(0.3, 1.0)
    if rng.random() < 0.5:
        values = np.exp(size * np.clip(score_N + noise_N, -_LARGEST_SCORE, _LARGEST_SCORE))
    else:
        values = np.exp(size * score_N) * rng.standard_gamma(rng.uniform(0.7, 6.0), len(score_N))
    if rng.random() < _NO_AMOUNT:
        values = values * _answer(rng, score_N if rng.random() < 0.6 else np.zeros_like(score_N), noise_N)
    return values


def _answer(rng: np.random.Generator, score_N: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """Yes or no, by the odds. Some are rare."""
    usual = np.clip(rng.beta(1.2, 1.6), 0.02, 0.98)
    odds = np.log(usual / (1.0 - usual)) + 1.7 * score_N
    return (rng.random(len(score_N)) < 1.0 / (1.0 + np.exp(-odds))).astype(float)


def _grade(rng: np.random.Generator, score_N: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """3 to 10 ranked classes of an unobserved quantity."""
    quantity = score_N + noise_N
    shares = np.cumsum(rng.dirichlet(np.full(int(rng.integers(3, 11)), rng.uniform(1.0, 5.0))))[:-1]
    return np.searchsorted(np.quantile(quantity, shares), quantity).astype(float)


def _code(rng: np.random.Generator, score_N: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """3 to 8 classes without an order, each with its own response to the causes."""
    levels = int(rng.integers(3, 9))
    likes = rng.standard_normal((levels, 1)) * score_N + rng.normal(0.0, 0.7, (levels, 1))
    return (likes + rng.gumbel(size=likes.shape)).argmax(axis=0).astype(float)


def _count(rng: np.random.Generator, score_N: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """How often: around a rate, in half of the columns with more spread than such counts have."""
    rate = np.exp(rng.uniform(0.3, 0.9) * score_N + rng.uniform(-1.5, 3.5))
    if rng.random() < 0.5:
        form = rng.uniform(0.5, 5.0)
        rate = rate * rng.standard_gamma(form, len(score_N)) / form
    return rng.poisson(np.minimum(rate, 1e6)).astype(float)


def _as_told(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    return values_N


def _mostly_logarithm(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    return np.log1p(values_N) if rng.random() < 0.7 else values_N


def _level_effects(rng: np.random.Generator, codes_N: np.ndarray) -> np.ndarray:
    which = codes_N.astype(int)
    return rng.standard_normal(int(which.max()) + 1, dtype=np.float32)[which]


def _mostly_ranked(rng: np.random.Generator, grades_N: np.ndarray) -> np.ndarray:
    """Grades by even steps, by steps of their own, or without regard to their order."""
    chance = rng.random()
    if chance < 0.6:
        return grades_N
    which = grades_N.astype(int)
    steps = rng.standard_exponential(int(which.max()) + 1, dtype=np.float32)
    return np.cumsum(steps)[which] if chance < 0.9 else steps[which]


KINDS: dict[str, Kind] = {
    "answer": Kind(usual=1.2, write=_answer, seen=_as_told),
    "grade": Kind(usual=0.7, write=_grade, seen=_mostly_ranked),
    "code": Kind(usual=0.3, write=_code, seen=_level_effects),
    "count": Kind(usual=0.7, write=_count, seen=_mostly_logarithm),
    "amount": Kind(usual=0.8, write=_amount, seen=_mostly_logarithm, discrete=False),
    "measurement": Kind(usual=1.5, write=_measurement, seen=_as_told, discrete=False),
}
_MEASURED_ROOTS = {**dict.fromkeys(ROOT_FAMILIES, 1.0), "gaussian": 3.0}
