"""From a clean table to one as people have them: the paper's post-processing, in its order.

N rows, D columns. Columns are chosen without regard to their place in the graph, so causes and effects are treated
alike; discrete columns are left as they are. A change that would leave a column constant is not made.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from foundcause.simulate import transforms
from foundcause.simulate.chance import some
from foundcause.simulate.settings import Artefacts, WorldArtefacts
from foundcause.simulate.task import Scene

COPIES = (3, 6)  # noisy copies of a collinear group
SMALLEST_FOR_COPIES = 6  # variables a table needs to hold such a group and something else
_FEW_VALUES = 10  # distinct values among the first rows of a column that counts as discrete
_PROBE = 128


def detect_discrete(values_ND: np.ndarray) -> np.ndarray:
    """(D,) bool: columns of whole numbers, or with at most ten distinct values among the first 128 rows."""
    probe = np.sort(values_ND[:_PROBE], axis=0)
    few = (np.diff(probe, axis=0) > 0).sum(axis=0) < _FEW_VALUES
    whole = few.copy()
    check = np.flatnonzero((np.round(probe) == probe).all(axis=0) & ~few)
    whole[check] = (np.round(values_ND[:, check]) == values_ND[:, check]).all(axis=0)
    return whole


def spoil(
    rng: np.random.Generator, settings: Artefacts, values_ND: np.ndarray, discrete_D: np.ndarray
) -> tuple[np.ndarray, list[str], dict[str, int]]:
    """(N, D) float32 table with artefacts, their names, and how many columns are continuous and how many rounded."""
    values = np.array(values_ND.T, dtype=np.float32, order="C")  # one contiguous row of memory per column
    free = np.flatnonzero(~(discrete_D | detect_discrete(values_ND)))
    applied: list[str] = []

    def maybe(name: str, chance: float, change: transforms.Transform, share: float | None = None) -> None:
        if rng.random() >= chance or free.size == 0:
            return
        applied.append(name)
        for column in some(rng, free, rng.uniform(0.2, 1.0) if share is None else share):
            _change(values, int(column), change(rng, values[column]))

    noise_size = rng.uniform(0.05, 0.5)
    maybe("autocorrelation", settings.autocorrelation, transforms.autocorrelate, 0.5)
    maybe("batch_effects", settings.batch_effects, transforms.batch_effect, 0.5)
    maybe("independent_noise", settings.independent_noise, _noise_of(noise_size), 1.0)
    maybe("measurement_noise", settings.measurement_noise, _own_noise)
    maybe("outliers", settings.outliers, transforms.add_outliers)
    maybe("bounded_or_positive", settings.bounded_or_positive, transforms.bound_or_make_positive)
    maybe("monotone", settings.monotone, transforms.monotone)
    if len(values) == 2:
        maybe("pair_warps", settings.pair_warps, transforms.pair_warp, 1.0)
    maybe("log_augmentation", settings.log_augmentation, transforms.skew, 1.0)
    maybe("zero_inflation_or_censoring", settings.zero_inflation_or_censoring, transforms.zero_inflate_or_censor)
    maybe("discretisation", settings.discretisation, transforms.discretise)
    rounded = free[rng.random(free.size) < settings.rounding_share.draw(rng)]
    if rounded.size:
        applied.append("rounding")
        for column in rounded:
            _change(values, int(column), transforms.round_values(rng, values[column]))
    maybe("scales", settings.scales, _rescale, 1.0)
    maybe("extreme_scales", settings.extreme_scales, _extreme_scale, 1.0)
    return values.T, applied, {"continuous": int(free.size), "rounded": int(rounded.size)}


def touch_up(
    rng: np.random.Generator, settings: WorldArtefacts, values_ND: np.ndarray, discrete_D: np.ndarray
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
            _change(values, int(column), transforms.round_values(rng, values[column]))
    if scales:
        applied.append("scales")
        values[free] *= (10.0 ** rng.uniform(-2.0, 2.0, (free.size, 1))).astype(np.float32)
    return values.T, applied


def collinear_group(rng: np.random.Generator, scene: Scene, copies: int) -> Scene:
    """The scene with one observed continuous variable hidden behind ``copies`` noisy copies of it.

    The copies are its children, so marginalising the graph labels them: causes of the source cause each copy, and the
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
    return lambda rng, values_N: transforms.add_noise(rng, values_N, size)


def _own_noise(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    return transforms.add_noise(rng, values_N, float(np.exp(rng.uniform(np.log(0.02), np.log(0.5)))))


def _rescale(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    scale = np.exp(rng.uniform(np.log(0.1), np.log(10.0))) * (1.0 if rng.random() < 0.5 else -1.0)
    return values_N * np.float32(scale)


def _extreme_scale(rng: np.random.Generator, values_N: np.ndarray) -> np.ndarray:
    return values_N * np.float32(10.0 ** rng.uniform(-3.0, 3.0))
