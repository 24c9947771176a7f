"""Mechanism families of the diverse path: how a variable follows from its causes.

P parents, N rows. ``parents_PN`` are float32, centered and scaled. ``noise_N`` is float32 noise of unit nominal scale.
An additive family returns a signal (N,), to which the caller adds noise. Any other family uses the noise itself and
returns finished values. A family draws its own parameters, so one call is one random function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from foundcause.simulate.draws import signed

Function = Callable[[np.random.Generator, np.ndarray, np.ndarray], np.ndarray]
_FEATURES = 32  # random Fourier features of one Gaussian-process draw
_CLIP = 6.0  # inputs of families that grow fast are limited to this many scales


@dataclass(frozen=True, kw_only=True)
class Mechanism:
    """A family of functions.

    function: draws one function and applies it to (parents_PN, noise_N).
    additive: the caller adds the noise.
    discrete: the values are codes or counts.
    """

    function: Function
    additive: bool = True
    discrete: bool = False


def centered(values: np.ndarray) -> np.ndarray:
    """(N,) with mean 0 and the mean absolute value of a standard normal. Far tails weigh less than by variance."""
    shifted = values - values.mean()
    spread = float(np.abs(shifted).mean()) * 1.2533
    return shifted / np.float32(spread) if spread > 1e-12 else shifted


def _project(rng: np.random.Generator, parents_PN: np.ndarray) -> np.ndarray:
    """(N,) one random direction through the parents, of about unit scale."""
    weight = signed(rng, 0.4, 1.6, len(parents_PN))
    return (weight / np.float32(np.sqrt((weight * weight).sum()))) @ parents_PN


def _positive(parents_PN: np.ndarray) -> np.ndarray:
    """Concentrations: softplus of the parents."""
    return np.log1p(np.exp(np.clip(parents_PN, -20.0, 20.0)))


def linear(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    return _project(rng, parents_PN)


def gaussian_process(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """A draw from a Gaussian process with squared-exponential kernel, by random Fourier features."""
    length = rng.uniform(0.6, 3.0) * np.sqrt(len(parents_PN))
    frequency = rng.standard_normal((_FEATURES, len(parents_PN)), dtype=np.float32) / np.float32(length)
    phase = rng.random((_FEATURES, 1), dtype=np.float32) * np.float32(2 * np.pi)
    return rng.standard_normal(_FEATURES, dtype=np.float32) @ np.cos(frequency @ parents_PN + phase)


def _hidden_layer(rng: np.random.Generator, parents_PN: np.ndarray, gain: float) -> tuple[np.ndarray, np.ndarray]:
    """Pre-activations (units, N) of one random layer, and output weights (units,)."""
    units = int(rng.integers(6, 25))
    weight = rng.standard_normal((units, len(parents_PN)), dtype=np.float32)
    weight *= np.float32(gain / np.sqrt(len(parents_PN)))
    bias = rng.uniform(-1.5, 1.5, (units, 1)).astype(np.float32)
    return weight @ parents_PN + bias, rng.standard_normal(units, dtype=np.float32)


def tanh_mlp(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    inner, out = _hidden_layer(rng, parents_PN, rng.uniform(0.7, 2.5))
    return out @ np.tanh(inner, out=inner)


def sigmoid_mlp(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    inner, out = _hidden_layer(rng, parents_PN, rng.uniform(1.0, 4.0))
    return out @ np.tanh(np.multiply(inner, 0.5, out=inner), out=inner)


def relu_mlp(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    inner, out = _hidden_layer(rng, parents_PN, 1.0)
    return out @ np.maximum(inner, 0.0, out=inner)


def michaelis_menten(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    amount = _positive(parents_PN)
    half = rng.uniform(0.1, 2.0, (len(parents_PN), 1)).astype(np.float32)
    return signed(rng, 0.5, 2.0, len(parents_PN)) @ (amount / (half + amount))


def hill(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    half = rng.uniform(0.3, 1.5, (len(parents_PN), 1)).astype(np.float32)
    ratio = (_positive(parents_PN) / half) ** np.float32(rng.integers(2, 6))
    return signed(rng, 0.5, 2.0, len(parents_PN)) @ (ratio / (1.0 + ratio))


def piecewise_linear(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    knots = np.sort(rng.uniform(-2.5, 2.5, int(rng.integers(3, 8))))
    heights = np.cumsum(rng.standard_normal(knots.size)) if rng.random() < 0.5 else rng.standard_normal(knots.size)
    return np.interp(_project(rng, parents_PN), knots, heights).astype(np.float32)


def polynomial(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    x = np.clip(_project(rng, parents_PN), -_CLIP, _CLIP)
    a, b, c = rng.standard_normal(3).tolist()
    return ((0.3 * c * (rng.random() < 0.5) * x + 0.7 * b) * x + a) * x


def step(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    knots = np.sort(rng.uniform(-1.5, 1.5, int(rng.integers(1, 6))))
    heights = rng.standard_normal(knots.size + 1).astype(np.float32)
    return heights[np.searchsorted(knots, _project(rng, parents_PN))]


def interaction(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """Products of pairs of parents and their main effects. One parent alone interacts with itself."""
    x = np.clip(parents_PN, -_CLIP, _CLIP)
    partner = x[rng.permutation(len(x))]
    main = signed(rng, 0.2, 0.8, len(x)) @ x
    return signed(rng, 0.5, 1.5, len(x)) @ (x * partner) + main


def competitive_inhibition(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    amount = _positive(parents_PN)
    inhibitors = amount[1:].sum(axis=0) if len(amount) > 1 else amount[0]
    half, strength = rng.uniform(0.3, 2.0), rng.uniform(0.2, 1.5)
    substrate = amount[0] if len(amount) > 1 else np.float32(rng.uniform(0.5, 2.0))
    return substrate / (half * (1.0 + inhibitors / strength) + substrate)


def sinusoidal(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    return np.sin(rng.uniform(0.5, 2.5) * _project(rng, parents_PN) + rng.uniform(0.0, 2 * np.pi))


def exponential(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    return np.exp(np.clip(rng.uniform(0.4, 1.2) * _project(rng, parents_PN), -_CLIP, _CLIP))


def logarithmic(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    x = rng.uniform(1.0, 8.0) * parents_PN
    return signed(rng, 0.5, 1.5, len(x)) @ np.copysign(np.log1p(np.abs(x)), x)


def radial(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """A bump around a random center."""
    center = rng.uniform(-1.0, 1.0, (len(parents_PN), 1)).astype(np.float32)
    away = (parents_PN - center) ** 2
    return np.exp(-away.mean(axis=0) / rng.uniform(0.5, 2.0))


def maximum(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """The largest of several affine responses, as of a bottleneck."""
    slope = signed(rng, 0.5, 1.5, len(parents_PN))[:, None] * parents_PN
    shift = rng.uniform(-1.0, 1.0, (len(parents_PN), 1)).astype(np.float32)
    response = (slope + shift).max(axis=0)
    return response if len(parents_PN) > 1 else np.maximum(response, np.float32(rng.uniform(-1.0, 0.5)))


def softplus(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    return _positive(rng.uniform(1.0, 3.0) * _project(rng, parents_PN) + rng.uniform(-1.0, 1.0))


def log_space(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """Additive noise in log space: a product of powers of the causes times log-normal noise."""
    power = rng.uniform(0.4, 1.0) * _project(rng, np.log(_positive(parents_PN) + 0.05))
    return np.exp(np.clip(power + rng.uniform(0.1, 0.5) * noise_N, -_CLIP, _CLIP))


def post_nonlinear(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """An invertible distortion of a noisy sum."""
    x = _project(rng, parents_PN) + rng.uniform(0.1, 0.8) * noise_N
    kind = int(rng.integers(4))
    if kind == 0:
        return np.tanh(rng.uniform(0.5, 1.5) * x)
    if kind == 1:
        return np.exp(np.clip(rng.uniform(0.3, 1.0) * x, -_CLIP, _CLIP))
    if kind == 2:
        return x + 0.3 * np.clip(x, -10.0, 10.0) ** 3
    return np.copysign(np.abs(x) ** np.float32(rng.uniform(0.4, 0.8)), x)


def multiplicative(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """Noise whose size follows the causes, on a weak signal."""
    size = _positive(rng.uniform(0.5, 1.5) * _project(rng, parents_PN))
    return rng.uniform(0.2, 1.5) * _project(rng, parents_PN) + size * noise_N


def threshold_binary(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """0 or 1: a noisy sum above a quantile."""
    x = _project(rng, parents_PN) + rng.uniform(0.1, 0.8) * noise_N
    return (x > np.quantile(x, rng.uniform(0.1, 0.9))).astype(np.float32)


def categorical(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """Codes 0 to K - 1, K from 3 to 6, drawn from a softmax of random scores."""
    levels = int(rng.integers(3, 7))
    score = rng.standard_normal((levels, len(parents_PN)), dtype=np.float32) @ np.clip(parents_PN, -_CLIP, _CLIP)
    score *= np.float32(rng.uniform(0.8, 2.5) / np.sqrt(len(parents_PN)))
    weight = np.exp(score - score.max(axis=0))
    level = np.cumsum(weight, axis=0)
    return (level < uniform_from(noise_N) * level[-1]).sum(axis=0).clip(0, levels - 1).astype(np.float32)


def ordinal(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """Grades 0 to K - 1, K from 3 to 7: a noisy sum cut at quantiles."""
    x = _project(rng, parents_PN) + rng.uniform(0.2, 1.0) * noise_N
    share = np.cumsum(rng.dirichlet(np.full(int(rng.integers(3, 8)), 4.0)))[:-1]
    return np.searchsorted(np.quantile(x, share), x).astype(np.float32)


def count(rng: np.random.Generator, parents_PN: np.ndarray, noise_N: np.ndarray) -> np.ndarray:
    """Counts around a log-linear rate, over-dispersed by the noise."""
    rate = rng.uniform(0.3, 0.9) * _project(rng, parents_PN) + rng.uniform(0.0, 0.4) * noise_N + rng.uniform(0.0, 3.0)
    return rng.poisson(np.exp(np.clip(rate, -_CLIP, _CLIP))).astype(np.float32)


def uniform_from(noise_N: np.ndarray) -> np.ndarray:
    """(N,) numbers in (0, 1) that grow with the noise, close to uniform for Gaussian noise."""
    return 0.5 * (1.0 + np.tanh(0.8 * noise_N))


MECHANISMS: dict[str, Mechanism] = {
    "linear": Mechanism(function=linear),
    "gaussian_process": Mechanism(function=gaussian_process),
    "tanh_mlp": Mechanism(function=tanh_mlp),
    "sigmoid_mlp": Mechanism(function=sigmoid_mlp),
    "relu_mlp": Mechanism(function=relu_mlp),
    "michaelis_menten": Mechanism(function=michaelis_menten),
    "hill": Mechanism(function=hill),
    "piecewise_linear": Mechanism(function=piecewise_linear),
    "polynomial": Mechanism(function=polynomial),
    "step": Mechanism(function=step),
    "interaction": Mechanism(function=interaction),
    "competitive_inhibition": Mechanism(function=competitive_inhibition),
    "sinusoidal": Mechanism(function=sinusoidal),
    "exponential": Mechanism(function=exponential),
    "logarithmic": Mechanism(function=logarithmic),
    "radial": Mechanism(function=radial),
    "maximum": Mechanism(function=maximum),
    "softplus": Mechanism(function=softplus),
    "log_space": Mechanism(function=log_space, additive=False),
    "post_nonlinear": Mechanism(function=post_nonlinear, additive=False),
    "multiplicative": Mechanism(function=multiplicative, additive=False),
    "threshold_binary": Mechanism(function=threshold_binary, additive=False, discrete=True),
    "categorical": Mechanism(function=categorical, additive=False, discrete=True),
    "ordinal": Mechanism(function=ordinal, additive=False, discrete=True),
    "count": Mechanism(function=count, additive=False, discrete=True),
}
