"""How a cause makes an effect: natural laws, published forms, random nets, formulas and distributions. N rows.

``effect`` draws a simple law and one of many ways in which noise enters. The published forms are written from their
descriptions, with sizes of noise as in our other families: splines (Lopez-Paz et al., 2017), additive, location-scale
and multiplicative noise (Tagasovska et al., 2020), random nets and polynomials (Goudet et al., 2018).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.stats import rankdata

from foundcause.simulate.components.pair_causes import plain_cause
from foundcause.simulate.random_functions import gaussian_process, random_noise, standard, warp

NATURAL_LAWS = {
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
NOISE_KINDS = {
    "additive": 0.34,
    "multiplicative": 0.14,
    "location_scale": 0.17,
    "post_nonlinear": 0.13,
    "inside": 0.12,
    "ceiling": 0.1,
}


def natural_law(rng: np.random.Generator, cause: np.ndarray, name: str) -> np.ndarray:
    """The noiseless response to a cause (N,), standardized. Laws that need a zero take the low end of the cause."""
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
    """An effect of ``cause`` (N,) and standardized ``noise`` (N,), and the names of its law and its kind of noise."""
    law_name = str(rng.choice(list(NATURAL_LAWS), p=list(NATURAL_LAWS.values())))
    kind = str(rng.choice(list(NOISE_KINDS), p=list(NOISE_KINDS.values())))
    signal = natural_law(rng, cause, law_name)
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
        # Near a ceiling effects are squeezed, or they stop there.
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


NOISE_PLACES = ("added after", "multiplied after", "added before", "multiplied before")
_ACTIVATIONS = (np.tanh, np.sin, np.abs, lambda h: np.maximum(h, 0.0), lambda h: np.exp(-(h**2)))


def network_effect(rng: np.random.Generator, x: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """A random net of one or two hidden layers over cause and noise, (N,)."""
    layer = np.stack([standard(x), noise_size(rng) * noise], axis=1)
    for _ in range(int(rng.integers(1, 3))):
        units = int(rng.integers(4, 21))
        act = _ACTIVATIONS[int(rng.integers(len(_ACTIVATIONS)))]
        layer = act(layer @ (rng.normal(size=(layer.shape[1], units)) * rng.uniform(0.5, 1.5)) + rng.normal(size=units))
        layer = layer / np.sqrt(units)
    return standard(layer @ rng.normal(size=layer.shape[1]))


def polynomial_effect(rng: np.random.Generator, x: np.ndarray, noise: np.ndarray, place: str) -> np.ndarray:
    """A polynomial of degree one to four of the cause, its noise added or multiplied before or after, (N,)."""
    size = noise_size(rng)
    degree = int(rng.integers(1, 5))
    weight = rng.normal(size=degree) / np.arange(1, degree + 1)

    def law(v: np.ndarray) -> np.ndarray:
        powers = np.clip(v, -4.0, 4.0)[:, None] ** np.arange(1, degree + 1)
        return np.asarray(powers @ weight)

    def multiplied(level: np.ndarray) -> np.ndarray:
        # Relative to the level's own spread: high above zero the same factor would drown it.
        width = min(size * level.std() / level.mean(), 1.2)
        return level * np.exp(np.clip(width * noise, -3.0, 3.0))

    if place == "added after":
        return standard(law(x)) + size * noise
    if place == "multiplied after":
        curve = standard(law(x))
        return multiplied(curve - curve.min() + rng.uniform(0.05, 1.0))
    if place == "added before":
        return standard(law(standard(x + size * noise)))
    return standard(law(standard(multiplied(x - x.min() + rng.uniform(0.05, 1.0)))))


PUBLISHED_FORMS = ("AN", "AN-s", "LS", "LS-s", "MN-U")


def spline(x: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """A smooth curve through evenly spaced knots of these heights, reaching a little beyond the data, (N,)."""
    margin = x.std()
    knots = np.linspace(x.min() - margin, x.max() + margin, len(heights))
    return PchipInterpolator(knots, heights)(x)


def spline_effect(rng: np.random.Generator, x: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """A spline of the cause plus noise whose size is another spline, (N,)."""
    signal = standard(spline(x, rng.normal(size=int(rng.integers(4, 7)))))
    spread = spline(x, rng.uniform(0.0, 5.0, int(rng.integers(4, 7)))) if rng.random() < 0.7 else np.ones(len(x))
    return signal + noise_size(rng) * spread / (np.mean(spread) + 1e-9) * noise


def textbook_effect(rng: np.random.Generator, x: np.ndarray, noise: np.ndarray, form: str) -> np.ndarray:
    """An effect of one of the published forms, (N,). Multiplicative noise is even, in the order of ``noise``."""

    def curve() -> np.ndarray:
        if form.endswith("-s"):
            steep, shift = rng.uniform(0.5, 2.0) * rng.choice([-1.0, 1.0]), rng.uniform(-2.0, 2.0)
            inner = steep * (x + shift)
            return inner / (1.0 + np.abs(inner))
        return gaussian_process(rng, x[:, None], np.array([rng.uniform(0.8, 2.5)]))

    signal = standard(curve())
    if form == "MN-U":
        least, even = rng.uniform(0.0, 0.6), (rankdata(noise) - 0.5) / len(x)
        return (signal + rng.uniform(0.0, 2.0)) * (least + (1.0 - least) * even)
    if form.startswith("AN"):
        return signal + noise_size(rng) * noise
    spread = np.exp(rng.uniform(0.4, 1.0) * standard(curve()))
    return signal + noise_size(rng) * spread / spread.mean() * noise


RESPONSES = ("poisson", "negative_binomial", "binomial", "beta", "gamma", "weibull", "normal", "student")


def response(rng: np.random.Generator, x: np.ndarray, noise: np.ndarray, kind: str) -> np.ndarray:
    """An effect of ``x`` (N,) drawn from a distribution of that kind around a smooth predictor, (N,).

    The distribution is the noise. ``noise`` (N,) moves the predictor a little, as another cause would.
    """
    rows = len(x)
    x = standard(x) + rng.uniform(0.15, 0.5) * noise
    inner = standard(warp(rng, standard(x), strength=rng.uniform(0.0, 0.8), length=rng.uniform(1.0, 3.0)))
    if rng.random() < 0.25:
        inner = standard(inner - rng.uniform(0.2, 0.8) * inner**2)
    predictor = rng.choice([-1.0, 1.0]) * rng.uniform(0.2, 1.5) * inner
    grow = np.exp(np.clip(predictor, -4.0, 4.0))
    share = 1.0 / (1.0 + np.exp(-np.clip(predictor + rng.normal(), -6.0, 6.0)))
    if kind == "poisson":
        return rng.poisson(np.exp(rng.uniform(0.5, 4.0)) * grow).astype(np.float64)
    if kind == "negative_binomial":
        size = rng.uniform(0.7, 6.0)
        return rng.poisson(rng.gamma(size, np.exp(rng.uniform(0.5, 4.0)) * grow / size)).astype(np.float64)
    if kind == "binomial":
        return rng.binomial(int(rng.integers(8, 80)), share).astype(np.float64)
    if kind == "beta":
        total = np.exp(rng.uniform(0.7, 4.0))
        return rng.beta(share * total + 0.05, (1.0 - share) * total + 0.05)
    if kind == "gamma":
        shape = np.exp(rng.uniform(-0.3, 3.0))
        return rng.gamma(shape, grow / shape)
    if kind == "weibull":
        return grow * rng.weibull(rng.uniform(0.7, 3.5), size=rows)
    if kind == "normal":
        spread = np.exp(np.clip(rng.normal(0.0, 0.4) * inner, -2.0, 2.0))
        return predictor + rng.uniform(0.2, 1.5) * spread * rng.normal(size=rows)
    return predictor + rng.uniform(0.2, 1.0) * np.clip(rng.standard_t(rng.uniform(2.5, 6.0), size=rows), -12.0, 12.0)


_FARTHEST = 8.0  # standard deviations an intermediate value may lie from its mean
Unary = Callable[[np.random.Generator, np.ndarray], np.ndarray]
Binary = Callable[[np.random.Generator, np.ndarray, np.ndarray], np.ndarray]


def expression_cause(rng: np.random.Generator, rows: int) -> np.ndarray:
    """A formula of one to three plain sources, standardized, (N,)."""
    return expression(rng, [plain_cause(rng, rows) for _ in range(int(rng.integers(1, 4)))])


def expression_effect(rng: np.random.Generator, x: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """A formula of the cause (N,), which may stand in it twice, its noise (N,) and at times another one, (N,)."""
    terms = [standard(x), noise_size(rng) * noise]
    if rng.random() < 0.5:
        terms.append(min(noise_size(rng), 1.5) * random_noise(rng, len(x)))
    if rng.random() < 0.4:
        terms.append(standard(x))
    return expression(rng, terms)


def expression(rng: np.random.Generator, terms: list[np.ndarray]) -> np.ndarray:
    """All terms (N,) joined two by two by random operators, with random functions in between, (N,)."""
    parts = [_curved(rng, terms[k], 0.4) for k in rng.permutation(len(terms))]
    while len(parts) > 1:
        join = _BINARY[int(rng.integers(len(_BINARY)))]
        joined = _tame(join(rng, parts.pop(), parts.pop()))
        parts.insert(int(rng.integers(len(parts) + 1)), _curved(rng, joined, 0.5))
    return _curved(rng, parts[0], 0.5)


def _curved(rng: np.random.Generator, column: np.ndarray, chance: float) -> np.ndarray:
    """A random function of the column with that chance, else the column, (N,)."""
    if rng.random() >= chance:
        return column
    return _tame(_UNARY[int(rng.integers(len(_UNARY)))](rng, column))


def _tame(column: np.ndarray) -> np.ndarray:
    """Standardized, and bounded, so that formulas of formulas stay finite, (N,)."""
    return np.clip(standard(column), -_FARTHEST, _FARTHEST)


def _raised(rng: np.random.Generator, column: np.ndarray, least: float = 0.05) -> np.ndarray:
    """The column moved above a random small positive end, (N,)."""
    return column - column.min() + rng.uniform(least, 1.0)


def _inside(column: np.ndarray, level: float) -> float:
    """The level, moved to where the column passes it in one row of ten: a switch that never switches is no cause."""
    low, high = np.quantile(column, [0.1, 0.9])
    if high == column.max() > column.min():  # many rows share the largest value: the level stays below it
        high = column[column < high].max()
    return float(np.clip(level, min(low, high), high))


_UNARY: tuple[Unary, ...] = (
    lambda rng, a: np.tanh(rng.uniform(0.4, 2.0) * a + rng.normal()),
    lambda rng, a: np.exp(np.clip(rng.uniform(0.4, 2.0) * a, -6.0, 3.0)),
    lambda rng, a: np.log(_raised(rng, a)),
    lambda rng, a: np.sign(a) * np.abs(a) ** rng.uniform(0.4, 2.2),
    lambda rng, a: (a - rng.normal()) ** 2,
    lambda rng, a: np.sin(rng.uniform(0.4, 2.0) * a + rng.uniform(0.0, 2 * np.pi)),
    lambda rng, a: np.maximum(a, _inside(a, rng.normal())),
    lambda rng, a: 1.0 / _raised(rng, a, 0.1),
    lambda rng, a: warp(rng, a, strength=rng.uniform(0.2, 1.0)),
    lambda rng, a: np.abs(a - rng.normal()),
)


def _sum(rng: np.random.Generator, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a + rng.choice([-1.0, 1.0]) * np.exp(rng.normal(0.0, 0.7)) * b


_BINARY: tuple[Binary, ...] = (
    _sum,
    _sum,  # the commonest way for causes to meet
    lambda rng, a, b: a * b,
    lambda rng, a, b: a * np.exp(rng.uniform(0.3, 1.0) * b),
    lambda rng, a, b: np.maximum(a, b),
    lambda rng, a, b: np.where(a > _inside(a, rng.normal(0.0, 0.7)), b, rng.normal() * b + rng.normal()),
    lambda rng, a, b: _raised(rng, a) * _raised(rng, b),
    lambda rng, a, b: a / _raised(rng, b, 0.2),
)
