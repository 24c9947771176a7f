"""One task from (mixture, seed, index): the same bytes in any process and any order. N rows, D columns, V nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from foundcause.errors import ConfigError
from foundcause.simulate.corruptions.extra_columns import gaps_follow
from foundcause.simulate.corruptions.missing_cells import lose_cells, sanitize
from foundcause.simulate.corruptions.paper_artifacts import COPIES, SMALLEST_FOR_COPIES, collinear_group
from foundcause.simulate.draws import pick
from foundcause.simulate.extension import Component, component_named, corruptions
from foundcause.simulate.hidden_causes import hide_constants, marginalize
from foundcause.simulate.settings import Mixture
from foundcause.simulate.task import Draft, Scene, Task

_BLAS = ThreadpoolController()
_ATTEMPTS = 50  # scenes tried until two columns vary


def generator(seed: int, index: int) -> np.random.Generator:
    """Return the random stream of a task. Streams of different (seed, index) share nothing."""
    if seed < 0 or index < 0:
        raise ConfigError(f"seed {seed} and index {index} must not be negative; use 0 or more")
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence([seed, index])))


def make_task(mixture: Mixture, seed: int, index: int) -> Task:
    """Make task ``index`` of the mixture under ``seed``: a pure function of its arguments."""
    rng = generator(seed, index)
    component, variables, rows = _first_draws(rng, mixture)
    # One thread: matrix products split over threads round differently, and tasks are too small to gain from them.
    # Overflow is expected in deep chains, and `sanitize` marks it missing.
    with _BLAS.limit(limits=1, user_api="blas"), np.errstate(all="ignore"):
        reserved = _reserved(rng, mixture, component, variables)
        scene = _scene(rng, mixture, component, rows=rows, variables=variables - sum(reserved.values()))
        task = _corrupted(rng, mixture, component, scene, reserved)
    task.record.update(variables=variables, rows=rows)
    return task


def drawn_size(mixture: Mixture, seed: int, index: int) -> int:
    """Return the number of variables that ``make_task`` will be asked for, without making the task."""
    return drawn_shape(mixture, seed, index)[0]


def drawn_shape(mixture: Mixture, seed: int, index: int) -> tuple[int, int]:
    """Return the numbers of variables and rows that ``make_task`` will be asked for, without making the task."""
    _, variables, rows = _first_draws(generator(seed, index), mixture)
    return variables, rows


def _first_draws(rng: np.random.Generator, mixture: Mixture) -> tuple[Component, int, int]:
    """(component, variables, rows) of a task."""
    component = component_named(pick(rng, mixture.weights))
    variables, rows = mixture.sizes.draw(rng, component.name)
    return component, 2 if component.two_columns else variables, rows


def _reserved(rng: np.random.Generator, mixture: Mixture, component: Component, variables: int) -> dict[str, int]:
    """How many of a task's columns are made by corruptions, by their name."""
    reserved: dict[str, int] = {}
    free = variables
    for corruption in corruptions():
        if corruption.reserve is None or not corruption.concerns(component) or free < corruption.smallest:
            continue
        if _happens(rng, mixture, corruption.name):
            reserved[corruption.name] = corruption.reserve(rng, free)
            free -= reserved[corruption.name]
    return reserved


def _happens(rng: np.random.Generator, mixture: Mixture, name: str) -> bool:
    """Whether a corruption happens to this task. Nothing is drawn for one without a share."""
    share = mixture.corruptions.get(name, 0.0)
    return share > 0.0 and bool(rng.random() < share)


def _scene(rng: np.random.Generator, mixture: Mixture, component: Component, *, rows: int, variables: int) -> Scene:
    """A scene in which at least two observed variables vary."""
    fits = component.copies and variables >= SMALLEST_FOR_COPIES
    grouped = fits and rng.random() < mixture.artifacts.collinear_group
    copies = int(rng.integers(COPIES[0], min(COPIES[1], variables - 2) + 1)) if grouped else 1
    for _ in range(_ATTEMPTS):
        scene = component.draw(rng, mixture, rows=rows, variables=variables - copies + 1)
        if grouped:
            scene = collinear_group(rng, scene, copies)
        scene = hide_constants(scene)
        if np.count_nonzero(~scene.hidden) >= 2:
            return scene
    raise ConfigError(f"component {component.name!r} gave no table with two varying columns; ask for more rows")


def _corrupted(
    rng: np.random.Generator, mixture: Mixture, component: Component, scene: Scene, reserved: dict[str, int]
) -> Task:
    """Labels, corruptions, a random column order, missing cells and the last guard."""
    adjacency, confounding = marginalize(scene.graph, scene.hidden, scene.confounded)
    draft = Draft(
        mixture=mixture,
        component=component,
        values=scene.values[:, ~scene.hidden],
        discrete=scene.discrete[~scene.hidden],
        adjacency=adjacency,
        confounding=confounding,
        easy=bool(scene.record.get("easy")),
        reserved=reserved,
        applied=[name for name in ("collinear_group", "correlated_noise") if scene.record.get(name)],
    )
    for corruption in corruptions():
        if corruption.reserve is not None:
            happens = bool(reserved.get(corruption.name))
        else:
            concerned = corruption.concerns(component)
            happens = concerned and (corruption.always or _happens(rng, mixture, corruption.name))
        if happens:
            corruption.apply(rng, draft)
    order = rng.permutation(draft.values.shape[1])
    values = np.ascontiguousarray(draft.values[:, order])
    observed, missing = lose_cells(rng, mixture.missing, values)
    if draft.sources:
        position = np.argsort(order)
        moved = {int(position[k]): tuple(position[list(causes)]) for k, causes in draft.sources.items()}
        observed = gaps_follow(rng, observed, moved)
    values, observed = sanitize(rng, values, observed)
    record: dict[str, Any] = {
        "mixture": mixture.name,
        "component": component.name,
        "artifacts": draft.applied,
        "missing": missing,
        "discrete": np.flatnonzero(draft.discrete[order]).tolist(),
        "easy": False,
        "columns": int(values.shape[1]),
        **draft.counts,
        "hidden": int(scene.hidden.sum()),
        **{key: value for key, value in scene.record.items() if key != "component"},
    }
    return Task(
        values=values,
        observed=observed,
        adjacency=draft.adjacency[np.ix_(order, order)],
        confounding=draft.confounding[np.ix_(order, order)],
        record=record,
    )


def stream(mixture: Mixture, seed: int, *, start: int = 0, stride: int = 1) -> Iterator[Task]:
    """Make tasks ``start``, ``start + stride``, ... without end. Workers with one stride share the indices."""
    index = start
    while True:
        yield make_task(mixture, seed, index)
        index += stride
