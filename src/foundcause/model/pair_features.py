"""How a network reads a statistics tensor: index lists from the registry, scaling, and feature dropout.

Shape letters: B tasks, D variables, F features, S symmetric features, A antisymmetric features.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from foundcause.errors import InputError
from foundcause.features import FeatureSet, feature_set
from foundcause.model.layers import valid_pairs

NO_FEATURES = "none"
"""Name of the empty feature set of a network that reads no statistics."""
_LARGEST_SCALED = 10.0
_LARGEST_RAW = 1e15  # its square still is a float32
_SMALLEST_SCALE = 1e-3
_PAIRS_OF_A_TASK = 64  # that the quartiles are taken from


@dataclass(frozen=True)
class PairFeatures:
    """Index lists of the features of one network.

    ``directed`` holds (a, b) whose difference is antisymmetric; ``antisymmetric`` those that are so already.
    ``source`` is what ``foundcause.features.compute`` is asked for.
    """

    source: str | FeatureSet
    names: tuple[str, ...]
    symmetric: tuple[int, ...]
    directed: tuple[tuple[int, int], ...]
    antisymmetric: tuple[int, ...]
    droppable: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, name: str, names: Sequence[str] | None = None) -> PairFeatures:
        """Look up a feature set, or the features ``names`` where the set has changed since they were written down."""
        source: str | FeatureSet = name
        features = feature_set((), label=name) if name == NO_FEATURES else feature_set(name)
        stored = None if names is None else tuple(names)
        if stored is not None and stored != tuple(feature.name for feature in features.features):
            source = features = feature_set(stored, label=name)
        return cls(
            source=source,
            names=tuple(feature.name for feature in features.features),
            symmetric=features.symmetric,
            directed=features.differences,
            antisymmetric=features.antisymmetric,
            droppable=features.droppable,
        )

    @property
    def count(self) -> int:
        """Number of features F."""
        return len(self.names)

    @property
    def antisymmetric_count(self) -> int:
        """Length of the antisymmetric vector: differences, then those antisymmetric as they stand."""
        return len(self.directed) + len(self.antisymmetric)

    def symmetric_part(self, features_BDDF: Tensor) -> Tensor:
        """The symmetric features (B, D, D, S)."""
        return features_BDDF[..., list(self.symmetric)]

    def antisymmetric_part(self, features_BDDF: Tensor) -> Tensor:
        """Differences of transposed partners, then the antisymmetric features (B, D, D, A)."""
        first = features_BDDF[..., [a for a, _ in self.directed]]
        second = features_BDDF[..., [b for _, b in self.directed]]
        return torch.cat([first - second, features_BDDF[..., list(self.antisymmetric)]], dim=-1)

    def drop(self, features_BDDF: Tensor, rate: float, generator: torch.Generator) -> Tensor:
        """Inverted dropout: one draw per droppable feature (with its partner) and task, kept ones scaled up.

        Features that were read several times (B, D, D, kF) are dropped in all their readings at once.
        """
        if not self.droppable or rate == 0.0:
            return features_BDDF
        tasks, columns = features_BDDF.shape[0], features_BDDF.shape[-1]
        draws = torch.rand(tasks, len(self.droppable), generator=generator, device=generator.device)
        factor = torch.ones(tasks, self.count)
        kept = (draws >= rate).to(factor) / (1.0 - rate)
        for position, group in enumerate(self.droppable):
            factor[:, list(group)] = kept[:, position, None]
        factor = factor.repeat(1, columns // self.count)
        return features_BDDF * factor.to(features_BDDF)[:, None, None, :]


class FeatureScaling(nn.Module):
    """Two readings of every feature, normalized with statistics that are fitted once before training.

    The first is squashed by asinh and standardized. Features have long tails, so on that scale most pairs look alike.
    The second is therefore tanh around the median, in units of the distance between the quartiles.
    Swapping i and j stays a symmetry: partners share their figures, and antisymmetric features are centered at 0.
    """

    feature_mean: Tensor
    feature_scale: Tensor
    feature_middle: Tensor
    feature_spread: Tensor

    def __init__(self, features: PairFeatures) -> None:
        super().__init__()
        self.features = features
        self.register_buffer("feature_mean", torch.zeros(features.count))
        self.register_buffer("feature_scale", torch.ones(features.count))
        self.register_buffer("feature_middle", torch.zeros(features.count))
        self.register_buffer("feature_spread", torch.ones(features.count))

    def forward(self, statistics_BDDF: Tensor) -> Tensor:
        """Both readings, one behind the other: (B, D, D, 2F)."""
        squashed = squash(statistics_BDDF)
        scaled = ((squashed - self.feature_mean) / self.feature_scale).clamp(-_LARGEST_SCALED, _LARGEST_SCALED)
        return torch.cat([scaled, torch.tanh((squashed - self.feature_middle) / self.feature_spread)], dim=-1)

    @torch.no_grad()
    def fit(self, tasks: Iterable[tuple[Tensor, Tensor]]) -> None:
        """Fit both readings to (statistics (B, D, D, F), variables (B, D)) batches.

        Every task weighs the same, whatever its size. The diagonal and padded variables do not count.
        """
        means: list[Tensor] = []
        squares: list[Tensor] = []
        samples: list[Tensor] = []
        for statistics_BDDF, variables_BD in tasks:
            pairs_BDD = valid_pairs(variables_BD)
            for statistics_DDF, pairs_DD in zip(statistics_BDDF, pairs_BDD, strict=True):
                squashed = squash(statistics_DDF[pairs_DD].double())
                if len(squashed):
                    means.append(squashed.mean(0))
                    squares.append(squashed.square().mean(0))
                    sample = torch.linspace(0, len(squashed) - 1, _PAIRS_OF_A_TASK).round().long()
                    samples.append(squashed[sample])
        if not means:
            raise InputError("feature scaling needs at least one task with two real variables; none was given")
        mean = self._shared(torch.stack(means).mean(0), center=True)
        scale = (self._shared(torch.stack(squares).mean(0)) - mean.square()).clamp(min=0.0).sqrt()
        scale = torch.where(scale < _SMALLEST_SCALE, torch.ones_like(scale), scale)
        low, middle, high = torch.from_numpy(np.quantile(torch.cat(samples).numpy(), (0.25, 0.5, 0.75), axis=0))
        spread = self._shared(high - low)
        self.feature_mean.copy_(mean)
        self.feature_scale.copy_(scale)
        self.feature_middle.copy_(self._shared(middle, center=True))
        # most pairs may share one value, such as 0
        self.feature_spread.copy_(torch.where(spread < _SMALLEST_SCALE, scale, spread))

    def _shared(self, figures_F: Tensor, *, center: bool = False) -> Tensor:
        """Figures (F,) with one value for transposed partners; the center of antisymmetric features is 0."""
        figures_F = figures_F.clone()
        for a, b in self.features.directed:
            figures_F[[a, b]] = figures_F[[a, b]].mean()
        if center:
            figures_F[list(self.features.antisymmetric)] = 0.0
        return figures_F


def squash(x: Tensor) -> Tensor:
    """asinh(x), exact near 0 and several times faster than torch.asinh on CPUs (which is not vectorized)."""
    size = x.abs().clamp(max=_LARGEST_RAW)
    square = size.square()
    return torch.log1p(size + square / (1.0 + (1.0 + square).sqrt())).copysign(x)
