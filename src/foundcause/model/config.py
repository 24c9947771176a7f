"""Sizes and switches of the network, and its named presets."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from foundcause.errors import ConfigError

Refinement = Literal["paper", "lean"]
Head = Literal["blend", "factored"]
Evidence = Literal["paper", "direct"]
Compatibility = Literal["own", "release"]


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """Everything that decides the parameters of a network and the formulas it follows.

    name: What the preset is called; kept for reports only.
    features: Name of the statistics feature set; the network takes its input sizes from it.
    fills_gaps: Whether most looks at a table with missing cells fill them from donors first (ours), or all judge pairs
        by their joint rows.
    scaled_features: Whether features are squashed by asinh and normalised (ours) or enter raw (the paper's).
    bent_features: Whether the direct map also reads each scaled feature bent around its middle, which tells small
        differences apart where most pairs lie.
    compatibility: ``release`` follows the released numerics, defects included; ``own`` the mended ones.
    evidence: What fills the pair state: ``paper`` (encoder, gate, confounder tokens and decoder, joined by the map of
        ``direct_width`` if there is one) or ``direct`` (that map alone; the fields of the others do not matter).
    width: Hidden width H of the encoder, the pooling, the confounder tokens and the decoder.
    encoder_layers: Encoder layers L, each a variable block and a sample block; 0 leaves node features alone.
    heads: Attention heads of the encoder and of the confounder tokens.
    global_tokens: Context tokens each row carries through variable attention.
    guarded: Whether encoder blocks clip large states and replace non-finite ones, at some cost in time.
    encoder_rows: Largest number of rows the encoder reads; more are subsampled by content. None reads all.
    bias_width: Hidden width of the nets that turn statistics into attention biases.
    pooling_queries: Learned queries that pool each variable over its rows.
    pooling_heads: Attention heads of the pooling.
    gate_width: Hidden width of the feature gate.
    confounder_tokens: Learned tokens, each a candidate hidden cause.
    confounder_layers: Cross-attention layers of the confounder tokens.
    confounder_bias_width: Hidden width of the net that turns statistics into a confounding bias.
    direct_width: Hidden width of the map from features straight into the pair state; 0 leaves it out.
    pair_width: Width P of the pair state.
    refinement: ``paper`` (gated updates and row attention) or ``lean`` (fused motifs and a transition).
    refinement_rounds: Rounds of refinement; 0 reads the decoder alone.
    motif_channels: Channels of each motif of the lean refinement.
    weighed_channels: Channels of each motif of the lean refinement that weigh third variables and average over them,
        beside those that sum; 0 leaves them out.
    pair_heads: Heads of the row attention of the paper's refinement.
    head: ``blend`` (the paper's logits) or ``factored`` (existence times direction).
    initial_logit: Bias that edge logits start from.
    feature_dropout: Rate at which training hides direction and collider features, given a generator.
    """

    name: str
    features: str = "paper"
    fills_gaps: bool = False
    scaled_features: bool = False
    bent_features: bool = False
    compatibility: Compatibility = "own"
    evidence: Evidence = "paper"
    width: int = 768
    encoder_layers: int = 8
    heads: int = 8
    global_tokens: int = 12
    guarded: bool = True
    encoder_rows: int | None = None
    bias_width: int = 48
    pooling_queries: int = 8
    pooling_heads: int = 4
    gate_width: int = 256
    confounder_tokens: int = 8
    confounder_layers: int = 2
    confounder_bias_width: int = 48
    direct_width: int = 0
    pair_width: int = 192
    refinement: Refinement = "paper"
    refinement_rounds: int = 3
    motif_channels: int = 24
    weighed_channels: int = 0
    pair_heads: int = 4
    head: Head = "blend"
    initial_logit: float = -2.0
    feature_dropout: float = 0.2

    def __post_init__(self) -> None:
        for field, lowest in _LOWEST.items():
            value = getattr(self, field)
            if not isinstance(value, int) or isinstance(value, bool) or value < lowest:
                raise ConfigError(f"{field} is {value!r}; it must be a whole number of at least {lowest}")
        for field in _SWITCHES:
            if not isinstance(getattr(self, field), bool):
                raise ConfigError(f"{field} is {getattr(self, field)!r}; it must be true or false")
        for field in ("initial_logit", "feature_dropout"):
            value = getattr(self, field)
            if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
                raise ConfigError(f"{field} is {value!r}; it must be a finite number")
        rows = self.encoder_rows
        if rows is not None and (not isinstance(rows, int) or isinstance(rows, bool) or rows < 3):
            raise ConfigError(f"encoder_rows is {rows!r}; give at least 3, or None to read all rows")
        for field, owner, parts in (
            ("width", "heads", self.heads),
            ("width", "pooling_heads", self.pooling_heads),
            ("pair_width", "pair_heads", self.pair_heads if self.refinement == "paper" else 1),
        ):
            if getattr(self, field) % parts:
                raise ConfigError(f"{field} ({getattr(self, field)}) is not a multiple of {owner} ({parts})")
        for field, allowed in _CHOICES.items():
            if getattr(self, field) not in allowed:
                raise ConfigError(f"{field} is {getattr(self, field)!r}; choose from {', '.join(allowed)}")
        if not 0.0 <= self.feature_dropout < 1.0:
            raise ConfigError(f"feature_dropout is {self.feature_dropout}; it must lie in [0, 1)")
        if self.head == "blend" and self.direct_width:
            raise ConfigError("direct_width feeds the factored head; set it to 0 or head='factored'")
        if self.evidence == "direct" and (self.encoder_layers or not self.direct_width):
            raise ConfigError("evidence='direct' reads no rows and needs a map: set encoder_layers=0, direct_width=128")
        if self.weighed_channels and self.refinement != "lean":
            raise ConfigError("weighed_channels belong to refinement='lean'; set it, or weighed_channels=0")
        if self.bent_features and not (self.scaled_features and self.evidence == "direct"):
            raise ConfigError(
                "bent_features belong to scaled_features and evidence='direct'; set these, or leave them off"
            )
        if self.compatibility == "release" and (self.features != "release" or self.scaled_features):
            raise ConfigError("compatibility='release' reads the raw 'release' features; set features='release'")

    @property
    def inner_width(self) -> int:
        """Inner width F of the encoder's feed-forward maps."""
        return 8 * self.width // 3

    @property
    def role_width(self) -> int:
        """Width of the projected statistics and of the role projections."""
        return self.width // 4

    @property
    def rows_read(self) -> int | None:
        """Most rows of a table that the encoder looks at: 0 without an encoder, None for all."""
        return self.encoder_rows if self.encoder_layers else 0

    @property
    def reads_lags(self) -> bool:
        """Whether the order of the rows of a series is looked at."""
        return "lagged" in self.features.split("+")

    @property
    def taps(self) -> int:
        """Intermediate encoder states that join the output: one after every fourth block but the last."""
        return max(2 * self.encoder_layers - 1, 0) // 4

    def to_dict(self) -> dict[str, Any]:
        """All fields, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, entries: dict[str, Any]) -> ModelConfig:
        """The config of ``to_dict``; unknown or missing fields raise ConfigError."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(entries) - known):
            raise ConfigError(f"unknown config field(s) {', '.join(unknown)}; was this written by a newer foundcause?")
        entries = {**_BEFORE_THEY_WERE_ADDED, **entries}
        if missing := sorted(known - set(entries)):
            raise ConfigError(
                f"config field(s) {', '.join(missing)} are missing; was this written by an older foundcause?"
            )
        return cls(**entries)


# What checkpoints written before a field existed meant.
_BEFORE_THEY_WERE_ADDED: dict[str, Any] = {
    "evidence": "paper",
    "fills_gaps": False,
    "bent_features": False,
    "weighed_channels": 0,
}
_LOWEST = {
    "width": 4,
    "encoder_layers": 0,
    "heads": 1,
    "global_tokens": 0,
    "bias_width": 1,
    "pooling_queries": 1,
    "pooling_heads": 1,
    "gate_width": 1,
    "confounder_tokens": 1,
    "confounder_layers": 0,
    "confounder_bias_width": 1,
    "direct_width": 0,
    "pair_width": 1,
    "refinement_rounds": 0,
    "motif_channels": 1,
    "weighed_channels": 0,
    "pair_heads": 1,
}
_SWITCHES = ("fills_gaps", "scaled_features", "bent_features", "guarded")
_CHOICES = {
    "refinement": ("paper", "lean"),
    "head": ("blend", "factored"),
    "compatibility": ("own", "release"),
    "evidence": ("paper", "direct"),
}

BASE = ModelConfig(name="base")

SMALL = ModelConfig(
    name="small",
    features="extended+peeled+sparsest+lagged",
    fills_gaps=True,
    scaled_features=True,
    bent_features=True,
    evidence="direct",
    encoder_layers=0,
    direct_width=256,
    pair_width=128,
    refinement="lean",
    refinement_rounds=8,
    motif_channels=16,
    weighed_channels=8,
    head="factored",
    feature_dropout=0.1,
)

TINY = ModelConfig(
    name="tiny",
    features="paper",
    scaled_features=True,
    width=8,
    encoder_layers=1,
    heads=2,
    global_tokens=2,
    guarded=False,
    encoder_rows=32,
    bias_width=8,
    pooling_queries=2,
    pooling_heads=2,
    gate_width=8,
    confounder_tokens=2,
    confounder_layers=1,
    confounder_bias_width=8,
    direct_width=16,
    pair_width=16,
    refinement="lean",
    refinement_rounds=2,
    motif_channels=4,
    head="factored",
    feature_dropout=0.1,
)

# Every part of BASE, at a size that two cores train in hours: 1.2 of 139 million parameters.
PAPER_SMALL = ModelConfig(
    name="paper_small",
    width=96,
    encoder_layers=3,  # the fewest with an intermediate state that joins the output
    heads=4,
    global_tokens=4,
    guarded=False,  # the paper has no such guards; the release does
    encoder_rows=64,
    bias_width=32,
    pooling_queries=4,
    gate_width=96,
    pair_width=64,
)

PRESETS: dict[str, ModelConfig] = {config.name: config for config in (BASE, SMALL, TINY, PAPER_SMALL)}


def preset(name: str) -> ModelConfig:
    """The preset of that name, in any case."""
    try:
        return PRESETS[name.lower()]
    except KeyError:
        raise ConfigError(f"unknown preset {name!r}; choose from {', '.join(PRESETS)}") from None
