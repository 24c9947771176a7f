"""How a cause makes an effect: simple laws, and noise that enters in many ways. N rows."""

from __future__ import annotations

import numpy as np

from foundcause.simulate.pairs_functions import gaussian_process, random_noise, standard, warp

LAWS = {
    "linear": 0.13,
    "power": 0.1,
    "logarithm": 0.08,
    "saturation": 0.13,
    "sigmoid": 0.07,
    "exponential": 0.06,
    "decay": 0.06,
    "hump": 0.07,
    "hinge": 0.06,
    "threshold": 0.02,
    "wave": 0.02,
    "smooth": 0.1,
    "monotone": 0.1,
}
NOISES = {
    "additive": 0.34,
    "multiplicative": 0.14,
    "location_scale": 0.17,
    "post_nonlinear": 0.13,
    "inside": 0.12,
    "ceiling": 0.1,
}


def law(rng: np.random.Generator, cause: np.ndarray, name: str) -> np.ndarray:
    """The noiseless response to a cause (N,), standardised. Laws that need a zero take the low end of the cause."""
    x = standard(cause)
    span = np.quantile(cause, 0.98) - cause.min()
    unit = (cause - cause.min()) / (span if span > 1e-12 else 1.0)
    if name == "power":
        y = (unit + rng.choice([0.0, 0.1])) ** np.exp(rng.uniform(np.log(0.3), np.log(2.5)))
    elif name == "logarithm":
        y = np.log(unit + np.exp(rng.uniform(np.log(0.01), np.log(0.5))))
    elif name == "saturation":
        half = np.exp(rng.uniform(np.log(0.08), np.log(1.0)))
        y = unit / (unit + half) if rng.random() < 0.5 else 1.0 - np.exp(-unit / half)
    elif name == "sigmoid":
        y = 1.0 / (1.0 + np.exp(-np.clip(rng.uniform(1.0, 4.0) * (x - rng.normal(0.0, 0.6)), -30, 30)))
    elif name == "exponential":
        y = np.exp(np.minimum(rng.uniform(0.5, 3.0) * unit, 8.0))
    elif name == "decay":
        y = -1.0 / (unit + rng.uniform(0.08, 0.8))
    elif name == "hump":
        y = -((x - rng.normal(0.0, 0.9)) ** 2) + rng.normal() * x
    elif name == "hinge":
        at = rng.normal(0.0, 0.7)
        y = rng.normal(1.0, 0.6) * np.minimum(x - at, 0.0) + rng.normal(0.0, 0.8) * np.maximum(x - at, 0.0)
    elif name == "threshold":
        y = np.tanh(8.0 * (x - rng.normal(0.0, 0.5))) + 0.2 * x
    elif name == "wave":
        y = np.sin(rng.uniform(1.0, 2.5) * x + rng.uniform(0, 2 * np.pi)) + rng.normal(0.0, 0.4) * x
    elif name == "smooth":
        y = gaussian_process(rng, x[:, None], np.array([rng.uniform(0.7, 3.0)])) + rng.normal(0.0, 0.7) * x
    elif name == "monotone":
        y = warp(rng, x, strength=rng.uniform(0.3, 1.3), length=rng.uniform(0.6, 2.5))
    else:
        y = x
    return standard(y) * (1.0 if rng.random() < 0.65 else -1.0)


def noise_size(rng: np.random.Generator) -> float:
    """Noise relative to the signal, from hardly any to several times as much."""
    regime = rng.random()
    low, high = (0.03, 0.2) if regime < 0.17 else (0.2, 1.0) if regime < 0.7 else (1.0, 3.0)
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def effect(rng: np.random.Generator, cause: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, dict[str, str]]:
    """An effect of ``cause`` (N,) and standardised ``noise`` (N,), and the names of its law and its kind of noise."""
    law_name = str(rng.choice(list(LAWS), p=list(LAWS.values())))
    kind = str(rng.choice(list(NOISES), p=list(NOISES.values())))
    signal = law(rng, cause, law_name)
    size = noise_size(rng)
    if kind == "additive":
        result = signal + size * noise
    elif kind == "multiplicative":
        # A positive quantity whose relative error is the same everywhere.
        level = signal - signal.min() + rng.uniform(0.05, 1.0)
        relative = min(size * signal.std() / level.mean(), 1.2)
        result = level * np.exp(relative * np.clip(noise, -5, 5))
    elif kind == "location_scale":
        result = signal + size * _scale(rng, cause, signal) * noise
    elif kind == "post_nonlinear":
        result = _outer(rng, standard(signal + size * noise))
    elif kind == "inside":
        # The noise moves the response itself: f(x, e).
        x = standard(cause)
        inputs = np.stack([x, noise], axis=1)
        lengths = np.array([rng.uniform(0.8, 3.0), rng.uniform(0.8, 3.0) / min(size, 1.5)])
        result = gaussian_process(rng, inputs, lengths) + 0.5 * signal + 0.3 * size * noise
    else:
        result = standard(signal + size * noise)
        edge = np.quantile(result, rng.uniform(0.75, 0.98))
        # Near a ceiling effects are squeezed; sometimes they stop there.
        result = (
            np.minimum(result, edge) if rng.random() < 0.3 else edge - np.logaddexp(0.0, 2.0 * (edge - result)) / 2.0
        )
    return result, {"law": law_name, "noise": kind, "size": f"{size:.3f}"}


def _scale(rng: np.random.Generator, cause: np.ndarray, signal: np.ndarray) -> np.ndarray:
    """Spread of the noise along the cause, (N,), of mean one: with the level, with the cause, or smoothly varying."""
    kind = rng.random()
    if kind < 0.4:
        spread = signal - signal.min() + rng.uniform(0.1, 1.0)
    elif kind < 0.7:
        x = standard(cause)
        spread = np.log1p(np.exp(rng.uniform(0.5, 2.0) * rng.choice([-1.0, 1.0]) * x))
    else:
        spread = np.exp(0.7 * gaussian_process(rng, standard(cause)[:, None], np.array([rng.uniform(0.8, 2.5)])))
    return spread / spread.mean()


def _outer(rng: np.random.Generator, column: np.ndarray) -> np.ndarray:
    """The last, increasing step of a post-nonlinear effect, (N,)."""
    kind = int(rng.integers(5))
    if kind == 0:
        return np.exp(np.clip(rng.uniform(0.3, 1.2) * column, -8, 6))
    if kind == 1:
        return np.tanh(rng.uniform(0.4, 1.3) * column)
    if kind == 2:
        return np.sign(column) * np.abs(column) ** rng.uniform(0.6, 1.8)
    if kind == 3:
        return np.log1p(np.exp(rng.uniform(1.0, 3.0) * column))
    return warp(rng, column, strength=rng.uniform(0.2, 1.0), length=rng.uniform(0.7, 2.5))


def shaped_noise(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Noise of an effect, (N,)."""
    return standard(random_noise(rng, rows))
