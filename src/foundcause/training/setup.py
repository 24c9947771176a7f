"""From options to the things they name: model configuration, network, mixture, recipe."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from foundcause.errors import CheckpointError, ConfigError
from foundcause.model.architectures import preset
from foundcause.model.checkpoints import describe
from foundcause.model.grow import check_growth
from foundcause.model.interface import Network, NetworkConfig
from foundcause.simulate.extension import pair_components
from foundcause.simulate.settings import Mixture
from foundcause.training.objectives import objective
from foundcause.training.preparation import Job, Recipe, check_shards, recipe_for
from foundcause.training.run_config import RESERVED_SEEDS, TrainConfig
from foundcause.training.validation import validation_suites
from foundcause.training.workers import Failure, Workers


def model_config(config: TrainConfig) -> NetworkConfig:
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
    chosen = chosen.without(*config.without) if config.without else chosen
    return chosen.available()


def check_start(config: TrainConfig, *, resume: bool, init: Path | None) -> None:
    """Refuse a start that cannot succeed, before anything is prepared for it."""
    mixture(config)
    model_config(config)
    objective(config.objective, dict(config.loss_weights))
    validation_suites(config.validation_suites)
    if config.shards:
        check_shards(recipe(config, model_config(config)))
    if init is None:
        return
    if resume:
        raise ConfigError(
            "--resume continues a run with its own weights, --init starts a new one from others; leave one of them out"
        )
    from foundcause.model.checkpoints import weights

    other, names, _ = weights(init)
    try:
        check_growth(model_config(config), other, names)
    except ConfigError as error:
        raise CheckpointError(
            f"{init} holds a network of another configuration: {error}; match its preset {other.name!r} and options "
            "with --preset and --set, or choose another --init"
        ) from error


def recipe(config: TrainConfig, model: NetworkConfig, *, seed: int | None = None, tasks: Any = None) -> Recipe:
    """How tasks are prepared for this model; another seed or mixture for validation."""
    made = recipe_for(model, mixture(config) if tasks is None else tasks, seed=config.seed if seed is None else seed)
    if seed is not None or tasks is not None or not config.shards:
        return made
    url = config.shards if "://" in config.shards else str(Path(config.shards).absolute())
    return dataclasses.replace(made, shards=url)


def fit_scaling(network: Network, config: TrainConfig, workers: Workers, *, say: Callable[[str], None] = print) -> None:
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
        yield torch.from_numpy(result.statistics), torch.ones(result.variables, dtype=torch.bool)


def lineage(config: TrainConfig, init: Path | None = None) -> dict[str, Any]:
    """Header entries of a run, which may start from the checkpoint ``init``.

    mixture_weights: shares of the components in this run.
    init: file name of the checkpoint it started from, or None.
    trained_on: components that the run or an ancestor learned from; None when an ancestor does not say.
    trained_variables: most variables of a task among these; wider tables are extrapolation.
    """
    own = mixture(config)
    entries = {
        "mixture_weights": dict(own.weights),
        "init": init.name if init else None,
        "trained_on": sorted(components(own)),
        "trained_variables": widest(own),
    }
    return entries | united([entries, describe(init)["metadata"]]) if init else entries


def continued(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> dict[str, Any]:
    """Header entries of a run that goes on: the mixture may have grown since, what was seen stays seen."""
    if before is None:  # an older run: its own mixture is all that is known
        return dict(now)
    return {**before, "mixture_weights": now["mixture_weights"], **united([before, now])}


def united(ancestors: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a network learned from that has checkpoints with this metadata behind it."""
    seen = [trained_on(metadata) for metadata in ancestors]
    known = [names for names in seen if names is not None]
    found: dict[str, Any] = {"trained_on": sorted(set().union(*known)) if len(known) == len(seen) else None}
    sizes = [metadata["trained_variables"] for metadata in ancestors if "trained_variables" in metadata]
    return found | ({"trained_variables": max(sizes)} if sizes else {})


def trained_on(metadata: Mapping[str, Any]) -> list[str] | None:
    """Components behind a checkpoint; one without the entry is judged by its own options, None if it has none."""
    if "trained_on" in metadata:
        return metadata["trained_on"]
    options = metadata.get("training", {})
    said = {name: options[name] for name in ("mixture", "shares", "only", "without") if name in options}
    with suppress(ConfigError):  # a mixture of its own time
        return sorted(components(mixture(TrainConfig(steps=1, **said)))) if said else None
    return None


def components(tasks: Mixture) -> set[str]:
    """Components that a mixture draws from, those its excerpts and unrelated columns are taken from included."""
    return tasks.drawn_from()


def widest(tasks: Mixture) -> int:
    """The largest number of variables that a task of a mixture may have."""
    drawn = [name for name, weight in tasks.weights.items() if weight > 0 and name not in pair_components()]
    sizes = (size.high for name in drawn for weight, size in tasks.sizes.variables_of(name) if weight > 0)
    return int(max(sizes, default=2))
