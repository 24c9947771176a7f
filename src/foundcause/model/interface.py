"""What every network shares: checked inputs, the statistics it reads, and what one forward pass returns.

Shape letters: B tasks, N rows, D variables, F features, P width of a pair's state, L features of the row order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor, nn

from foundcause.errors import ConfigError, InputError
from foundcause.features import compute
from foundcause.features.gap_fill import gap_seed
from foundcause.model.pair_features import FeatureScaling, PairFeatures


class NetworkConfig(Protocol):
    """What training and inference read of any architecture's configuration."""

    architecture: ClassVar[str]

    @property
    def name(self) -> str:
        """Name of the preset, for reports."""

    @property
    def features(self) -> str:
        """Name of the feature set."""

    @property
    def feature_dropout(self) -> float:
        """Rate at which training hides features."""

    @property
    def scaled_features(self) -> bool:
        """Whether features are normalized with statistics that are fitted before training."""

    @property
    def fills_gaps(self) -> bool:
        """Whether most passes over a table with gaps fill them from donors first."""

    @property
    def reads_lags(self) -> bool:
        """Whether the order of the rows of a series is read."""

    @property
    def rows_read(self) -> int | None:
        """Most rows of a table that an encoder reads: 0 without an encoder, None for all."""

    def forward_bytes(self, *, rows: int, variables: int, features: int) -> float:
        """Bytes that one forward pass over one table takes."""

    def to_dict(self) -> dict[str, object]:
        """All fields, ready for JSON."""


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Logits of B graphs; ``[b, i, j]`` speaks of "i causes j".

    Impossible pairs (diagonal, padding) hold ``MASKED_LOGIT``, and 0 in the direction logits.

    edge_logits: (B, D, D) that i causes j.
    existence_logits: (B, D, D) that an edge joins i and j in either direction; symmetric.
    direction_logits: (B, D, D) that an edge between i and j points to j; antisymmetric.
    confounding_logits: (B, D, D) that i and j share a hidden cause; symmetric.
    pair_state: (B, D, D, P) after refinement.
    """

    edge_logits: Tensor
    existence_logits: Tensor
    direction_logits: Tensor
    confounding_logits: Tensor
    pair_state: Tensor

    @property
    def confounding(self) -> Tensor:
        """Confounding probabilities (B, D, D), symmetric for every network."""
        probabilities = torch.sigmoid(self.confounding_logits)
        return 0.5 * (probabilities + probabilities.transpose(1, 2))


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Checked inputs: ``values`` and ``observed`` (B, N, D), None together; ``variables`` (B, D), boolean masks."""

    values: Tensor | None
    observed: Tensor | None
    variables: Tensor


class Network(nn.Module):
    """Base of all networks.

    architecture: Name in checkpoint headers.
    parts: Names of the parts that an ablation may switch off.
    released: Whether it follows the released numerics: raw cells, one logit per edge.
    off: Parts that are switched off now (``foundcause.paper.ablations``).
    metadata: What its checkpoint says: provenance, metrics, calibration.
    """

    architecture: ClassVar[str]
    parts: tuple[str, ...] = ()
    released: bool = False
    scaling: FeatureScaling

    def __init__(self, config: NetworkConfig, feature_names: Sequence[str] | None = None) -> None:
        super().__init__()
        self.config = config
        self.features = PairFeatures.of(config.features, feature_names)
        self.off: frozenset[str] = frozenset()
        self.metadata: dict[str, Any] = {}

    @property
    def parameter_count(self) -> int:
        """Number of trainable numbers."""
        return sum(parameter.numel() for parameter in self.parameters())

    @property
    def constants(self) -> object | None:
        """Random constants of the statistics that belong to the weights."""
        return None

    def fit_feature_scaling(self, tasks: Iterable[tuple[Tensor, Tensor]]) -> None:
        """Fit the feature normalization once, before training.

        Parameters
        ----------
        tasks : iterable of (statistics, variables)
            Tensors of shape (B, D, D, F) and (B, D), or of one task without B. Diagonals do not count.
        """
        if not self.config.scaled_features:
            raise ConfigError(f"the {self.config.name!r} network reads raw features; there is no scaling to fit")
        self.scaling.fit(
            (statistics[None], variables[None]) if statistics.dim() == 3 else (statistics, variables)
            for statistics, variables in tasks
        )

    def statistics(self, inputs: Inputs, *, seed: int = 0, look: int = 0, lagged_BDDL: Tensor | None = None) -> Tensor:
        """Compute the pairwise statistics (B, D, D, F) that this network reads.

        Parameters
        ----------
        inputs : Inputs
            Checked values and masks.
        seed : int
            Seed of ties, row samples and donors.
        look : int
            Number of the pass, which decides how it treats gaps.
        lagged_BDDL : Tensor of shape (B, D, D, L), optional
            Features of the row order of a series (``foundcause.features.series``).
        """
        if inputs.values is None:
            raise InputError("statistics are computed from values; none were given")
        return compute(
            inputs.values,
            inputs.observed,
            inputs.variables,
            features=self.features.source,
            seed=seed,
            constants=self.constants,
            fill_seed=gap_seed(seed, look) if self.config.fills_gaps else None,
            lagged_BDDL=lagged_BDDL,
        )


def check_inputs(
    values: Tensor | None,
    observed: Tensor | None,
    variables: Tensor | None,
    statistics: Tensor | None,
    network: Network,
    *,
    reads_rows: bool,
) -> Inputs:
    """Fill in masks and make them boolean; refuse anything that does not fit with InputError."""
    if values is None:
        return _without_values(variables, statistics, network, reads_rows)
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
        _check_statistics(statistics, tasks, columns, network)
    return Inputs(values=values, observed=observed, variables=variables)


def _without_values(variables: Tensor | None, statistics: Tensor | None, network: Network, reads_rows: bool) -> Inputs:
    if statistics is None or reads_rows:
        raise InputError("values are missing; only a network without encoder, given statistics, works without them")
    tasks, columns = statistics.shape[0], statistics.shape[1]
    _check_statistics(statistics, tasks, columns, network)
    return Inputs(values=None, observed=None, variables=_variables(variables, tasks, columns, statistics.device))


def _variables(variables: Tensor | None, tasks: int, columns: int, device: torch.device) -> Tensor:
    if variables is None:
        return torch.ones(tasks, columns, dtype=torch.bool, device=device)
    if variables.shape != (tasks, columns):
        raise InputError(f"variables has shape {tuple(variables.shape)}; give ({tasks}, {columns}) to match values")
    return variables.bool()


def _check_statistics(statistics: Tensor, tasks: int, columns: int, network: Network) -> None:
    expected = (tasks, columns, columns, network.features.count)
    if tuple(statistics.shape) != expected:
        raise InputError(
            f"statistics have shape {tuple(statistics.shape)}, expected {expected}; "
            f"compute them with features={network.config.features!r}"
        )
