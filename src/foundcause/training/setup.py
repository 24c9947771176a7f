"""From options to the things they name: model configuration, network, mixture, recipe."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch

from foundcause.errors import CheckpointError, ConfigError
from foundcause.model.config import ModelConfig, preset
from foundcause.model.grow import check_growth
from foundcause.model.network import FoundCause
from foundcause.training.config import RESERVED_SEEDS, TrainConfig
from foundcause.training.families import families
from foundcause.training.objectives import objective
from foundcause.training.prepare import Job, Recipe, recipe_for
from foundcause.training.workers import Failure, Workers


def model_config(config: TrainConfig) -> ModelConfig:
    """The preset with the overrides of the run."""
    base = preset(config.preset)
    overrides = dict(config.model)
    if config.feature_dropout is not None:
        overrides["feature_dropout"] = config.feature_dropout
    known = {f.name for f in dataclasses.fields(base)}
    if unknown := sorted(set(overrides) - known):
        raise ConfigError(f"unknown model option(s) {', '.join(unknown)}; known: {', '.join(sorted(known))}")
    return dataclasses.replace(base, **overrides)


def mixture(config: TrainConfig) -> Any:
    """The task distribution of the run, without what is left out."""
    from foundcause.simulate.mixture import MIXTURES

    chosen = MIXTURES.get(config.mixture.upper())
    if chosen is None:
        raise ConfigError(f"unknown mixture {config.mixture!r}; choose one of {', '.join(MIXTURES)}")
    if config.shares:
        chosen = chosen.shared(config.shares)
    if config.only:
        chosen = chosen.only(*config.only)
        if idle := [name for name, weight in chosen.weights.items() if weight == 0]:
            raise ConfigError(f"option only: the mixture {chosen.name} has no share for {idle[0]!r}; leave it out")
    return chosen.without(*config.without) if config.without else chosen


def check_start(config: TrainConfig, *, resume: bool, init: Path | None) -> None:
    """Refuse a start that cannot succeed, before anything is prepared for it."""
    mixture(config)
    model_config(config)
    objective(config.objective, dict(config.loss_weights))
    families(config.validation_families)
    if init is None:
        return
    if resume:
        raise ConfigError(
            "--resume continues a run with its own weights, --init starts a new one from others; leave one of them out"
        )
    from foundcause.model.checkpoint import weights

    other, names, _ = weights(init)
    try:
        check_growth(model_config(config), other, names)
    except ConfigError as error:
        raise CheckpointError(
            f"{init} holds a network of another configuration: {error}; match its preset {other.name!r} and options "
            "with --preset and --set, or choose another --init"
        ) from error


def recipe(config: TrainConfig, model: ModelConfig, *, seed: int | None = None, tasks: Any = None) -> Recipe:
    """How tasks are prepared for this model; another seed or mixture for validation."""
    return recipe_for(
        model,
        mixture(config) if tasks is None else tasks,
        seed=config.seed if seed is None else seed,
        folder=config.task_folder,
    )


def fit_scaling(
    network: FoundCause, config: TrainConfig, workers: Workers, *, say: Callable[[str], None] = print
) -> None:
    """Estimate feature means and deviations on tasks of a reserved seed; networks with raw features need none."""
    if not network.config.scaled_features:
        return
    say(f"estimating the scales of the features on {config.scaling_tasks} tasks")
    source = recipe(config, network.config, seed=RESERVED_SEEDS["scaling"])
    results = workers.ordered(Job(source, index) for index in range(config.scaling_tasks))
    network.fit_feature_scaling(_statistics(results))


def _statistics(results: Iterable[Any]) -> Iterable[tuple[torch.Tensor, torch.Tensor]]:
    for result in results:
        if isinstance(result, Failure):
            continue
        item = result[0]
        yield torch.from_numpy(item.statistics), torch.ones(item.variables, dtype=torch.bool)
