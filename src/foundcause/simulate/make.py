"""One task from (mixture, seed, index): the same bytes in any process and any order. N rows, D columns, V nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from foundcause.errors import ConfigError
from foundcause.simulate import (
    artefacts,
    classes,
    derived,
    excerpts,
    linear,
    mishaps,
    missing,
    mixed,
    pairs,
    paths,
    resolution,
    scales,
    series,
    special,
    textbook,
    unrelated,
)
from foundcause.simulate.chance import pick
from foundcause.simulate.latents import marginalise
from foundcause.simulate.sanitise import sanitise
from foundcause.simulate.settings import HELD_OUT_WORLDS, OUR_PAIRS, PAIR_COMPONENTS, WORLD_NAMES, Mixture
from foundcause.simulate.task import Scene, Task
from foundcause.simulate.worlds import WORLDS

_SPECIALS: dict[str, Callable[..., Scene]] = {
    "bivariate": special.bivariate,
    "linear_gaussian": linear.gaussian_network,
    "discrete": special.discrete_network,
    "fog": linear.fog,
    "subpopulation": special.subpopulation,
    "interventions": special.interventions,
    "ultra_sparse": special.ultra_sparse,
    textbook.NAME: textbook.textbook,
    series.NAME: series.series,
    mixed.NAME: mixed.mixed,
}
_WORLDS = (*WORLD_NAMES, *HELD_OUT_WORLDS)
_BLAS = ThreadpoolController()
_ATTEMPTS = 50  # scenes tried until two columns vary


def generator(seed: int, index: int) -> np.random.Generator:
    """The random stream of a task; streams of different (seed, index) share nothing."""
    if seed < 0 or index < 0:
        raise ConfigError(f"seed {seed} and index {index} must not be negative; use 0 or more")
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence([seed, index])))


def make_task(mixture: Mixture, seed: int, index: int) -> Task:
    """Task ``index`` of the mixture under ``seed``: a pure function of its arguments."""
    rng = generator(seed, index)
    component, variables, rows = _first_draws(rng, mixture)
    # One thread: matrix products split over threads round differently, and tasks are too small to gain from them.
    # Overflow is expected in deep chains; `sanitise` marks it missing.
    with _BLAS.limit(limits=1, user_api="blas"), np.errstate(all="ignore"):
        bystanders = mishaps.number_of_bystanders(rng, mixture.mishaps, variables)
        computed = 0
        if component != unrelated.NAME:
            computed = derived.number_of_derived(rng, mixture.mishaps, variables - bystanders)
        scene, applied = _scene(rng, mixture, component, rows=rows, variables=variables - bystanders - computed)
        task = _finish(rng, mixture, component, scene, applied, bystanders, computed)
    task.record.update(variables=variables, rows=rows)
    return task


def drawn_size(mixture: Mixture, seed: int, index: int) -> int:
    """The number of variables that ``make_task`` will be asked for, without making the task."""
    return _first_draws(generator(seed, index), mixture)[1]


def _first_draws(rng: np.random.Generator, mixture: Mixture) -> tuple[str, int, int]:
    """(component, variables, rows) of a task."""
    component = pick(rng, mixture.weights)
    variables, rows = mixture.sizes.draw(rng, component)
    return component, 2 if component in PAIR_COMPONENTS else variables, rows


def _scene(
    rng: np.random.Generator, mixture: Mixture, component: str, *, rows: int, variables: int
) -> tuple[Scene, list[str]]:
    """A scene in which at least two observed variables vary, and the artefacts that are part of it."""
    copied = component not in (*_WORLDS, "discrete", unrelated.NAME, textbook.NAME, *PAIR_COMPONENTS)
    fits = copied and variables >= artefacts.SMALLEST_FOR_COPIES
    grouped = fits and rng.random() < mixture.artefacts.collinear_group
    copies = int(rng.integers(artefacts.COPIES[0], min(artefacts.COPIES[1], variables - 2) + 1)) if grouped else 1
    for _ in range(_ATTEMPTS):
        scene = draw_component(rng, mixture, component, rows=rows, variables=variables - copies + 1)
        if grouped:
            scene = artefacts.collinear_group(rng, scene, copies)
        scene = hide_constants(scene)
        if np.count_nonzero(~scene.hidden) >= 2:
            break
    else:
        raise ConfigError(f"component {component!r} gave no table with two varying columns; ask for more rows")
    applied = ["collinear_group"] if "collinear_group" in scene.record else []
    if scene.record.get("correlated_noise"):
        applied.append("correlated_noise")
    return scene, applied


def draw_component(rng: np.random.Generator, mixture: Mixture, component: str, *, rows: int, variables: int) -> Scene:
    """A scene of one component of the mixture."""
    if component in paths.PATHS:
        return paths.draw_scene(rng, mixture, component, rows=rows, variables=variables)
    if component in _SPECIALS:
        return _SPECIALS[component](rng, mixture, rows=rows, variables=variables)
    if component == pairs.NAME:
        return pairs.draw(rng, rows=rows)
    if component == excerpts.NAME:
        source, nodes = excerpts.choose_source(rng, mixture.weights)
        whole = draw_component(rng, mixture, source, rows=rows, variables=nodes)
        scene = excerpts.cut(rng, hide_constants(whole))
        return dataclasses.replace(scene, record={**scene.record, "source": source})
    if component == unrelated.NAME:
        source = unrelated.choose_source(rng, mixture.weights)
        whole = draw_component(rng, mixture, source, rows=rows, variables=variables)
        return dataclasses.replace(unrelated.take_apart(rng, whole), record={"source": source})
    return WORLDS[component](rng, rows=rows, variables=variables)


def hide_constants(scene: Scene) -> Scene:
    """The scene with variables of one value hidden: they influence nothing, so their edges go too."""
    values = scene.values
    low, high = values.min(axis=0), values.max(axis=0)
    gaps = np.flatnonzero(~np.isfinite(low + high))  # worlds may leave cells empty
    if gaps.size:
        finite = np.isfinite(values[:, gaps])
        low[gaps] = np.where(finite, values[:, gaps], np.inf).min(axis=0)
        high[gaps] = np.where(finite, values[:, gaps], -np.inf).max(axis=0)
    constant = ~(low.astype(np.float32) < high.astype(np.float32))  # as the table will show them
    if not constant.any():
        return scene
    graph = scene.graph.copy()
    graph[constant] = False
    return dataclasses.replace(scene, graph=graph, hidden=scene.hidden | constant)


def _finish(
    rng: np.random.Generator,
    mixture: Mixture,
    component: str,
    scene: Scene,
    applied: list[str],
    bystanders: int,
    computed: int,
) -> Task:
    """Labels, artefacts, mishaps, a random column order, missing cells and the last guard."""
    seen = ~scene.hidden
    adjacency, confounding = marginalise(scene.graph, scene.hidden, scene.confounded)
    values, discrete = scene.values[:, seen], scene.discrete[seen]
    values, units = mishaps.repeat_rows(rng, mixture.mishaps, values, discrete)
    counts: dict[str, int] = {}
    if component in (*_WORLDS, *OUR_PAIRS, unrelated.NAME):
        values, spoiled = artefacts.touch_up(rng, mixture.world_artefacts, values, discrete)
    elif scene.record.get("easy") or component == textbook.NAME:
        spoiled = []
    else:
        values, spoiled, counts = artefacts.spoil(rng, mixture.artefacts, values, discrete)
    values, retold = scales.retell(rng, mixture.mishaps, values, discrete)
    if retold is not None:
        counts["scales"] = retold
    as_it_is = component in (*OUR_PAIRS, textbook.NAME)  # pairs come written down, textbooks never are
    if not as_it_is:
        values, discrete, classed = classes.tell_in_classes(rng, mixture.mishaps, values, discrete)
        if classed is not None:
            counts["classes"] = classed
    if retold or not as_it_is:  # a new scale is not written down yet
        values, written = resolution.write_down(rng, mixture.resolution, values, discrete)
        spoiled = spoiled + written
    if bystanders:
        columns, kinds = zip(*(mishaps.bystander(rng, len(values)) for _ in range(bystanders)), strict=True)
        values, discrete = np.column_stack([values, *columns]), np.concatenate([discrete, kinds])
        counts["bystanders"] = bystanders
    values, slips = mishaps.slip(rng, mixture.mishaps, values)
    if slips:
        counts["slips"] = slips
    if units is not None:
        counts["units"] = units
    sources: dict[int, tuple[int, ...]] = {}
    if computed:
        further = derived.derive(rng, values, computed)
        sources = {values.shape[1] + k: column.sources for k, column in enumerate(further)}
        values = np.column_stack([values, *(column.values for column in further)])
        discrete = np.concatenate([discrete, [column.discrete for column in further]])
        counts["derived"] = computed
    adjacency, confounding = (np.pad(labels, (0, bystanders + computed)) for labels in (adjacency, confounding))
    for place, causes in sources.items():
        adjacency[list(causes), place] = True
    order = rng.permutation(values.shape[1])
    values = np.ascontiguousarray(values[:, order])
    observed, lost = missing.spoil(rng, mixture.missing, values)
    if sources:
        now = np.argsort(order)
        observed = derived.gaps_follow(
            rng, observed, {int(now[k]): tuple(now[list(causes)]) for k, causes in sources.items()}
        )
    values, observed = sanitise(rng, values, observed)
    record: dict[str, Any] = {
        "mixture": mixture.name,
        "component": component,
        "artefacts": applied + spoiled,
        "missing": lost,
        "discrete": np.flatnonzero(discrete[order]).tolist(),
        "easy": False,
        "columns": int(values.shape[1]),
        **counts,
        "hidden": int(scene.hidden.sum()),
        **{key: value for key, value in scene.record.items() if key != "component"},
    }
    return Task(
        values=values,
        observed=observed,
        adjacency=adjacency[np.ix_(order, order)],
        confounding=confounding[np.ix_(order, order)],
        record=record,
    )
