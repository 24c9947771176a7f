"""Checks on what a network is given, with a remedy in every message.

Shape letters: B tasks, N rows, D variables, F features.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from foundcause.errors import InputError
from foundcause.features.rows import content_subset
from foundcause.model.config import ModelConfig


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Checked inputs: ``values`` and ``observed`` (B, N, D), None together; ``variables`` (B, D), boolean masks."""

    values: Tensor | None
    observed: Tensor | None
    variables: Tensor


def check_inputs(
    values: Tensor | None,
    observed: Tensor | None,
    variables: Tensor | None,
    statistics: Tensor | None,
    config: ModelConfig,
    features: int,
) -> Inputs:
    """The inputs with masks filled in and boolean; anything that does not fit raises InputError."""
    if values is None:
        return _without_values(variables, statistics, config, features)
    if not isinstance(values, Tensor):
        raise InputError(
            f"values are of the type {type(values).__name__}; give a tensor, for example torch.tensor(values)"
        )
    if values.dim() != 3:
        raise InputError(f"values have shape {tuple(values.shape)}; give (tasks, rows, variables)")
    tasks, rows, columns = values.shape
    if tasks < 1 or rows < 3 or columns < 2:
        raise InputError(
            f"values have shape {tuple(values.shape)}; a graph needs at least 1 task, 3 rows and 2 variables"
        )
    if not values.is_floating_point():
        values = values.float()
    if observed is None:
        observed = torch.ones(values.shape, dtype=torch.bool, device=values.device)
    if observed.shape != values.shape:
        raise InputError(f"observed has shape {tuple(observed.shape)}, values {tuple(values.shape)}; they must match")
    observed = observed.bool()
    variables = _variables(variables, tasks, columns, values.device)
    if bool((observed & ~variables.unsqueeze(1)).any()):
        raise InputError("a padded variable has observed cells; set observed to False wherever variables is False")
    if not bool(torch.isfinite(values).all()):
        if bool((~torch.isfinite(values) & observed).any()):
            raise InputError("an observed cell is NaN or infinite; mark it as missing in observed")
        values = values.masked_fill(~observed, 0.0)
    if statistics is not None:
        _check_statistics(statistics, tasks, columns, features, config)
    return Inputs(values=values, observed=observed, variables=variables)


def choose_rows(values_BND: Tensor, observed_BND: Tensor, variables_BD: Tensor, rows: int) -> tuple[Tensor, Tensor]:
    """At most ``rows`` rows of each task, chosen by content: (B, rows, D) values and mask.

    Padded variables and rows without any observed cell take no part, so padding does not change the choice.
    """
    values = values_BND.new_zeros(values_BND.shape[0], rows, values_BND.shape[2])
    observed = observed_BND.new_zeros(values.shape)
    for task, real_D in enumerate(variables_BD):
        kept = observed_BND[task].any(1).nonzero().squeeze(1)
        cells, seen = values_BND[task][kept][:, real_D], observed_BND[task][kept][:, real_D]
        chosen = kept[content_subset(cells, seen, rows)]
        values[task, : len(chosen)] = values_BND[task, chosen]
        observed[task, : len(chosen)] = observed_BND[task, chosen]
    return values, observed


def _without_values(variables: Tensor | None, statistics: Tensor | None, config: ModelConfig, features: int) -> Inputs:
    if statistics is None or config.encoder_layers:
        raise InputError("values are missing; only a network without encoder, given statistics, works without them")
    tasks, columns = statistics.shape[0], statistics.shape[1]
    _check_statistics(statistics, tasks, columns, features, config)
    return Inputs(values=None, observed=None, variables=_variables(variables, tasks, columns, statistics.device))


def _variables(variables: Tensor | None, tasks: int, columns: int, device: torch.device) -> Tensor:
    if variables is None:
        return torch.ones(tasks, columns, dtype=torch.bool, device=device)
    if variables.shape != (tasks, columns):
        raise InputError(f"variables has shape {tuple(variables.shape)}; give ({tasks}, {columns}) to match values")
    return variables.bool()


def _check_statistics(statistics: Tensor, tasks: int, columns: int, features: int, config: ModelConfig) -> None:
    expected = (tasks, columns, columns, features)
    if tuple(statistics.shape) != expected:
        raise InputError(
            f"statistics have shape {tuple(statistics.shape)}, expected {expected}; "
            f"compute them with features={config.features!r}"
        )
