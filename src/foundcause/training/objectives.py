"""The named objectives: ``paper`` (ten terms) and ``shipped`` (factored likelihood)."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Protocol

from torch import Tensor

from foundcause.errors import ConfigError
from foundcause.training.adaptive import AdaptiveState, SumOverRanks, alone
from foundcause.training.batch import Batch
from foundcause.training.likelihood import LikelihoodObjective, LikelihoodWeights
from foundcause.training.losses import PaperObjective, PaperWeights

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
        known = [f.name for f in fields(PaperWeights if name == "paper" else LikelihoodWeights)]
        strange = sorted(set(weights or {}) - set(known))
        raise ConfigError(
            f"objective {name!r} has no weight {strange[0]!r}; known: {', '.join(known)}"
            if strange
            else f"a weight of objective {name!r} is no number: {error}"
        ) from None
    raise ConfigError(f"unknown objective {name!r}; choose 'shipped' or 'paper'")
