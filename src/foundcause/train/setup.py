"""From options to the things they name: model configuration, network, mixture, recipe."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

from foundcause.errors import CheckpointError, ConfigError
from foundcause.model.config import ModelConfig, preset
from foundcause.model.grow import GROWABLE, start_as
from foundcause.model.network import FoundCause
from foundcause.train.config import RESERVED_SEEDS, TrainConfig
from foundcause.train.prepare import Job, Recipe, recipe_for
from foundcause.train.workers import Failure, Workers


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
    if config.only:
        chosen = chosen.only(*config.only)
    return chosen.without(*config.without) if config.without else chosen


def widest(config: TrainConfig) -> int:
    """The largest number of variables a task of the run may have; wider tables are extrapolation."""
    return int(max(size.high for _, size in mixture(config).sizes.variables))


def recipe(config: TrainConfig, model: ModelConfig, *, seed: int | None = None, tasks: Any = None) -> Recipe:
    """How tasks are prepared for this model; another seed or mixture for validation."""
    return recipe_for(
        model,
        mixture(config) if tasks is None else tasks,
        seed=config.seed if seed is None else seed,
        folder=config.task_folder,
    )


def fit_scaling(network: FoundCause, config: TrainConfig, workers: Workers) -> None:
    """Estimate feature means and deviations on tasks of a reserved seed; networks with raw features need none."""
    if not network.config.scaled_features:
        return
    source = recipe(config, network.config, seed=RESERVED_SEEDS["scaling"])
    results = workers.ordered(Job(source, index) for index in range(config.scaling_tasks))
    network.fit_feature_scaling(_statistics(results))


def _statistics(results: Iterable[Any]) -> Iterable[tuple[torch.Tensor, torch.Tensor]]:
    for result in results:
        if isinstance(result, Failure):
            continue
        item = result[0]
        yield torch.from_numpy(item.statistics), torch.ones(item.variables, dtype=torch.bool)


def start_from(network: FoundCause, path: Path) -> None:
    """Start as the network of a checkpoint: one of the same configuration, or one that ``network`` grew from."""
    from foundcause.model.checkpoint import weights

    config, names, tensors = weights(path)
    try:
        start_as(network, config, names, tensors)
    except ConfigError as error:
        raise CheckpointError(
            f"{path} holds a network of another configuration ({error}); choose its preset {config.name!r} or another "
            f"--init (only {', '.join(sorted(GROWABLE))} may be larger than there)"
        ) from error
