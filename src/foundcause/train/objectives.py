"""The named objectives: ``paper`` (ten terms) and ``shipped`` (factored likelihood)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from torch import Tensor

from foundcause.errors import ConfigError
from foundcause.train.adaptive import AdaptiveState, SumOverRanks, alone
from foundcause.train.batch import Batch
from foundcause.train.likelihood import LikelihoodObjective, LikelihoodWeights
from foundcause.train.losses import PaperObjective, PaperWeights

if TYPE_CHECKING:
    from foundcause.model.network import Prediction


class Objective(Protocol):
    """From a prediction to (loss, its terms, the adaptive averages after this step)."""

    name: str

    def __call__(
        self, prediction: Prediction, batch: Batch, state: AdaptiveState, total: SumOverRanks = alone
    ) -> tuple[Tensor, dict[str, Tensor], AdaptiveState]: ...


def objective(name: str, weights: dict[str, Any] | None = None) -> Objective:
    """The objective of that name, with some of its weights replaced."""
    try:
        if name == "paper":
            return PaperObjective(PaperWeights(**(weights or {})))
        if name == "shipped":
            return LikelihoodObjective(LikelihoodWeights(**(weights or {})))
    except TypeError as error:
        raise ConfigError(
            f"objective {name!r} does not know one of the weights {sorted(weights or {})}: {error}"
        ) from None
    raise ConfigError(f"unknown objective {name!r}; choose 'shipped' or 'paper'")
