"""The paper's post-processing, in its order: noise, outliers, bins, bounds, censoring, scales. N rows, D columns.

Columns are chosen without regard to their place in the graph, so causes and effects are treated alike. Discrete columns
are left as they are. A change that would leave a column constant is not made. A ``Transform`` takes (rng, values_N
float32) and returns new values. None looks at another column.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from foundcause.simulate.draws import some
from foundcause.simulate.extension import corruption
from foundcause.simulate.settings import Artifacts, LightArtifacts
from foundcause.simulate.task import Draft, Scene

COPIES = (3, 6)  # noisy copies of a collinear group
SMALLEST_FOR_COPIES = 6  # variables a table needs to hold such a group and something else
_FEW_VALUES = 10  # distinct values among the first rows of a column that counts as discrete
_PROBE = 128


def detect_discrete(values_ND: np.ndarray) -> np.ndarray:
    """(D,) bool: columns of whole numbers, or with at most ten distinct values among the first 128 rows."""
    probe = np.sort(values_ND[:_PROBE], axis=0)
    few = (np.diff(probe, axis=0) > 0).sum(axis=0) < _FEW_VALUES
    discrete = few.copy()
    check = np.flatnonzero((np.round(probe) == probe).all(axis=0) & ~few)
    discrete[check] = (np.round(values_ND[:, check]) == values_ND[:, check]).all(axis=0)
    return discrete


@corruption("artifacts", always=True)
def artifacts(rng: np.random.Generator, draft: Draft) -> None:
    """Apply the paper's artifacts, or the few that tables of fields and pairs may get."""
    kind, mixture = draft.component.artifacts, draft.mixture
    if kind == "light":
        draft.values, names = touch_up(rng, mixture.light_artifacts, draft.values, draft.discrete)
    elif draft.easy or kind == "none":
        return
    else:
        draft.values, names, counts = apply_artifacts(rng, mixture.artifacts, draft.values, draft.discrete)
        draft.counts |= counts
    draft.applied = draft.applied + names


def apply_artifacts(
    rng: np.random.Generator, settings: Artifacts, values_ND: np.ndarray, discrete_D: np.ndarray
) -> tuple[np.ndarray, list[str], dict[str, int]]:
    """(N, D) float32 table with artifacts, their names, and how many columns are continuous and how many rounded."""
    values = np.array(values_ND.T, dtype=np.float32, order="C")  # one contiguous row of memory per column
    free = np.flatnonzero(~(discrete_D | detect_discrete(values_ND)))
    applied: list[str] = []

    def maybe(name: str, chance: float, change: Transform, share: float | None = None) -> None:
        if rng.random() >= chance or free.size == 0:
            return
        applied.append(name)
        for column in some(rng, free, rng.uniform(0.2, 1.0) if share is None else share):
            _change(values, int(column), change(rng, values[column]))

    noise_size = rng.uniform(0.05, 0.5)
    maybe("autocorrelation", settings.autocorrelation, autocorrelate, 0.5)
    maybe("batch_effects", settings.batch_effects, batch_effect, 0.5)
    maybe("independent_noise", settings.independent_noise, _noise_of(noise_size), 1.0)
    maybe("measurement_noise", settings.measurement_noise, _own_noise)
    maybe("outliers", settings.outliers, add_outliers)
    maybe("bounded_or_positive", settings.bounded_or_positive, bound_or_make_positive)
    maybe("monotone", settings.monotone, monotone)
    if len(values) == 2:
        maybe("pair_warps", settings.pair_warps, pair_warp, 1.0)
    maybe("log_augmentation", settings.log_augmentation, skew, 1.0)
    maybe("zero_inflation_or_censoring", settings.zero_inflation_or_censoring, zero_inflate_or_censor)
    maybe("discretization", settings.discretization, discretize)
    rounded = free[rng.random(free.size) < settings.rounding_share.draw(rng)]
    if rounded.size:
        applied.append("rounding")
        for column in rounded:
            _change(values, int(column), round_values(rng, values[column]))
    maybe("scales", settings.scales, _rescale, 1.0)
    maybe("extreme_scales", settings.extreme_scales, _extreme_scale, 1.0)
    return values.T, applied, {"continuous": int(free.size), "rounded": int(rounded.size)}


def touch_up(
    rng: np.random.Generator, settings: LightArtifacts, values_ND: np.ndarray, discrete_D: np.ndarray
) -> tuple[np.ndarray, list[str]]:
    """The little that is done to tables of worlds: positive scales and occasional rounding."""
    rounding, scales = rng.random() < settings.rounding, rng.random() < settings.scales
    if not (rounding or scales):
        return values_ND, []
    values = np.array(values_ND.T, dtype=np.float32, order="C")
    free = np.flatnonzero(~(discrete_D | detect_discrete(values_ND)))
    applied = []
    if rounding:
        applied.append("rounding")
        for column in some(rng, free, rng.uniform(0.1, 0.6)):
            _change(values, int(column), round_values(rng, values[column]))
    if scales:
        applied.append("scales")
        values[free] *= (10.0 ** rng.uniform(-2.0, 2.0, (free.size, 1))).astype(np.float32)
    return values.T, applied


def collinear_group(rng: np.random.Generator, scene: Scene, copies: int) -> Scene:
    """The scene with one observed continuous variable hidden behind ``copies`` noisy copies of it.

    The copies are its children, so marginalizing the graph labels them: causes of the source cause each copy, and the
    copies share a hidden cause with one another and with the source's other children.
    """
    candidates = np.flatnonzero(~scene.hidden & ~scene.discrete)
    if candidates.size == 0:
        return scene
    source = int(rng.choice(candidates))
    rows, nodes = scene.values.shape
    column = np.asarray(scene.values[:, source], dtype=np.float32)
    size = np.exp(rng.uniform(np.log(0.02), np.log(0.3), copies)) * float(column.std())
    noisy = column[:, None] + rng.standard_normal((rows, copies), dtype=np.float32) * size.astype(np.float32)
    graph = np.pad(scene.graph, (0, copies))
    graph[source, nodes:] = True
    hidden = np.concatenate([scene.hidden, np.zeros(copies, dtype=bool)])
    hidden[source] = True
    return dataclasses.replace(
        scene,
        values=np.concatenate([scene.values, noisy], axis=1),
        graph=graph,
        hidden=hidden,
        confounded=np.pad(scene.confounded, (0, copies)),
        discrete=np.concatenate([scene.discrete, np.zeros(copies, dtype=bool)]),
        record={**scene.record, "collinear_group": copies},
    )


def _change(values_DN: np.ndarray, column: int, changed_N: np.ndarray) -> None:
    if changed_N.min() < changed_N.max():  # False for NaN too
        values_DN[column] = changed_N


def _noise_of(size: float) -> Callable[[np.random.Generator, np.ndarray], np.ndarray]:
    return lambda rng, values_N: add_noise(rng, values_N, size)


def _own_noise(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    return add_noise(rng, values_N, float(np.exp(rng.uniform(np.log(0.02), np.log(0.5)))))


def _rescale(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    scale = np.exp(rng.uniform(np.log(0.1), np.log(10.0))) * (1.0 if rng.random() < 0.5 else -1.0)
    return values_N * np.float32(scale)


def _extreme_scale(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    return values_N * np.float32(10.0 ** rng.uniform(-3.0, 3.0))


Transform = Callable[[np.random.Generator, np.ndarray], np.ndarray]


def standard(values_N: np.ndarray) -> np.ndarray:
    """(N,) centered and scaled to unit variance. Non-finite cells stay so and do not count."""
    finite = values_N if np.isfinite(values_N).all() else values_N[np.isfinite(values_N)]
    if finite.size == 0:
        return values_N
    spread = float(finite.std(dtype=np.float64))
    return ((values_N - finite.mean(dtype=np.float64)) / max(spread, 1e-30)).astype(np.float32)


def discretize(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    """Middles of 5 to 100 equal bins."""
    low, high = float(values_N.min()), float(values_N.max())
    width = max(high - low, 1e-30) / int(rng.integers(5, 101))
    return (low + (np.floor((values_N - low) / width) + 0.5) * width).astype(np.float32)


def bound_or_make_positive(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    """Values in (0, 1), in (-1, 1), clipped at quantiles, or above zero."""
    x = standard(values_N) * np.float32(rng.uniform(0.5, 2.0))
    kind = int(rng.integers(5))
    if kind == 0:
        return _sigmoid(x)
    if kind == 1:
        return np.tanh(x)
    if kind == 2:
        return np.clip(x, *np.quantile(x, [0.02, 0.98]).astype(np.float32))
    return np.exp(np.clip(x, -10.0, 10.0)) if kind == 3 else _softplus(x)


def monotone(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    """Log, square root, power, sigmoid or softplus."""
    x = standard(values_N)
    kind = int(rng.integers(5))
    if kind == 0:
        return np.copysign(np.log1p(np.abs(x) * np.float32(rng.uniform(1.0, 5.0))), x)
    if kind == 1:
        return np.sqrt(x - x.min() + np.float32(1e-3))
    if kind == 2:
        return np.copysign(np.abs(x) ** np.float32(rng.uniform(0.4, 2.5)), x)
    return _sigmoid(np.float32(rng.uniform(0.5, 2.5)) * x) if kind == 3 else _softplus(np.float32(2.0) * x)


def zero_inflate_or_censor(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    """5 to 40% of cells at zero below all others, or values stopped at a limit on one side."""
    share = rng.uniform(0.05, 0.4)
    if rng.random() < 0.5:
        x = values_N - values_N.min()
        return np.where(rng.random(len(x)) < share, np.float32(0.0), x)
    if rng.random() < 0.5:
        return np.maximum(values_N, np.float32(np.quantile(values_N, share)))
    return np.minimum(values_N, np.float32(np.quantile(values_N, 1.0 - share)))


def round_values(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    """Values rounded to 1, 2 or 5 times a power of ten, 2 to 50 such steps per standard deviation."""
    spread = float(values_N.std())
    if not spread > 0.0 or not np.isfinite(spread):
        return values_N
    step = spread / np.exp(rng.uniform(np.log(2.0), np.log(50.0)))
    power = 10.0 ** np.floor(np.log10(step))
    step = power * (1.0, 2.0, 5.0)[int(np.searchsorted((2.0, 5.0), step / power))]
    return (np.round(values_N.astype(np.float64) / step) * step).astype(np.float32)


def add_noise(rng: np.random.Generator, values_N: np.ndarray, size: float) -> np.ndarray:
    """Gaussian noise of ``size`` standard deviations."""
    return values_N + np.float32(size) * values_N.std() * rng.standard_normal(len(values_N), dtype=np.float32)


def add_outliers(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    """0.5 to 3% of cells moved 3 to 8 standard deviations out."""
    count = max(1, int(rng.uniform(0.005, 0.03) * len(values_N)))
    rows = rng.choice(len(values_N), size=count, replace=False)
    changed = values_N.copy()
    side = np.where(rng.random(count) < 0.5, -1.0, 1.0)
    changed[rows] = values_N.mean() + values_N.std() * (side * rng.uniform(3.0, 8.0, count)).astype(np.float32)
    return changed


def autocorrelate(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    """A first-order autoregression driven by the values, with their variance."""
    keep = rng.uniform(0.2, 0.7)
    center = values_N.mean()
    x = (values_N - center) * np.float32(np.sqrt(1.0 - keep**2))
    lag = 1
    while lag < min(len(x), 64):  # doubling: after k rounds the last 2^k rows are summed with weights keep^lag
        x[lag:] += np.float32(keep**lag) * x[:-lag].copy()
        lag *= 2
    return x + center


def batch_effect(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    """2 to 5 batches of rows, each shifted and scaled."""
    count = int(rng.integers(2, 6))
    batch = rng.integers(count, size=len(values_N))
    shift = (rng.normal(0.0, 0.6, count) * float(values_N.std())).astype(np.float32)
    scale = np.exp(rng.normal(0.0, 0.15, count)).astype(np.float32)
    center = values_N.mean()
    return center + (values_N - center) * scale[batch] + shift[batch]


def skew(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    """Positive, skewed values, as of fluorescence readings."""
    size = np.float32(rng.uniform(0.5, 1.5))
    return np.exp(np.clip(size * standard(values_N), -8.0, 8.0)) * np.float32(10.0 ** rng.uniform(-1.0, 2.0))


def pair_warp(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    """A smooth monotone distortion of random strength, then sometimes rounding: how real pairs are measured."""
    x = standard(values_N)
    kind = int(rng.integers(4))
    if kind == 0:
        x = np.exp(np.clip(np.float32(rng.uniform(0.2, 1.0)) * x, -8.0, 8.0))
    elif kind == 1:
        x = np.log(x - x.min() + np.float32(rng.uniform(0.1, 2.0)))
    elif kind == 2:
        x = np.copysign(np.abs(x) ** np.float32(rng.uniform(0.5, 1.8)), x)
    else:
        weight = np.float32(rng.uniform(0.2, 1.0))
        curvature = np.float32(rng.uniform(0.5, 2.0))
        x = x + weight * np.tanh(curvature * (x - np.float32(rng.uniform(-1.0, 1.0))))
    x = x * np.float32(10.0 ** rng.uniform(-1.0, 3.0))
    return round_values(rng, x) if rng.random() < 0.4 else x


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def _softplus(x: np.ndarray) -> np.ndarray:
    return np.log1p(np.exp(np.clip(x, -20.0, 20.0)))
