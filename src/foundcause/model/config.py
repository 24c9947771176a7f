"""Sizes of the network of the shipped weights, and its presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from foundcause.model.architectures import check_rates, check_whole_numbers, checked_fields

WIDE = 129
"""Columns from which passes work in blocks of pairs (``foundcause.model.wide``)."""


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """Sizes of the network of the shipped weights.

    name: What the preset is called; for reports only.
    features: Name of the feature set; the network takes its input sizes from it.
    direct_width: Hidden width of the map from features to the state of a pair.
    pair_width: Width P of the state of a pair.
    refinement_rounds: Rounds of reasoning over triples.
    motif_channels: Channels of each motif that sum over third variables.
    weighed_channels: Channels of each motif that average over third variables.
    initial_logit: Bias that existence logits start from.
    feature_dropout: Rate at which training hides direction and collider features.
    """

    architecture: ClassVar[str] = "pairs"

    name: str
    features: str
    direct_width: int = 256
    pair_width: int = 128
    refinement_rounds: int = 8
    motif_channels: int = 16
    weighed_channels: int = 8
    initial_logit: float = -2.0
    feature_dropout: float = 0.1

    def __post_init__(self) -> None:
        check_whole_numbers(
            self, direct_width=1, pair_width=1, refinement_rounds=0, motif_channels=1, weighed_channels=1
        )
        check_rates(self)

    @property
    def scaled_features(self) -> bool:
        """Features are normalized with fitted statistics."""
        return True

    @property
    def fills_gaps(self) -> bool:
        """Most passes over a table with gaps fill them from donors first."""
        return True

    @property
    def reads_lags(self) -> bool:
        """Whether the order of the rows of a series is read."""
        return "lagged" in self.features.split("+")

    @property
    def rows_read(self) -> int | None:
        """No row is read, only statistics."""
        return 0

    def forward_bytes(self, *, rows: int, variables: int, features: int) -> float:
        """Bytes that one forward pass over one table takes."""
        if variables >= WIDE:  # in blocks: the states, the channels of one motif, and the sums of all
            return 4.0 * variables**2 * (self.pair_width + 5 * self.motif_channels + 10 * self.weighed_channels) + 1e8
        channels = 12 * self.motif_channels + 36 * self.weighed_channels
        return 4.0 * variables**2 * (6 * features + self.direct_width + 12 * self.pair_width + channels)

    def to_dict(self) -> dict[str, Any]:
        """All fields, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, entries: dict[str, Any]) -> ModelConfig:
        """Undo ``to_dict``; unknown or missing fields raise ConfigError."""
        return cls(**checked_fields(cls, entries))


SMALL = ModelConfig(name="small", features="extended+peeled+sparsest+lagged")
TINY = ModelConfig(
    name="tiny",
    features="paper",
    direct_width=16,
    pair_width=16,
    refinement_rounds=2,
    motif_channels=4,
    weighed_channels=2,
)
