"""Sizes of the paper's network (Table "Architectural hyperparameters") and its presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from foundcause.errors import ConfigError
from foundcause.model.architectures import check_rates, check_whole_numbers, checked_fields

Compatibility = Literal["own", "release"]


@dataclass(frozen=True, kw_only=True)
class PaperConfig:
    """Everything that decides the parameters of the paper's network and the formulas it follows.

    name: What the preset is called; for reports only.
    features: Name of the feature set; the network takes its input sizes from it.
    compatibility: ``release`` follows the released numerics, defects included; ``own`` the mended ones.
    width: Hidden width H of the encoder, the pooling, the confounder tokens and the decoder.
    encoder_layers: Encoder layers L, each a variable block and a sample block; 0 embeds each variable from its own
        statistics instead.
    heads: Attention heads of the encoder and of the confounder tokens.
    global_tokens: Context tokens each row carries through variable attention.
    guarded: Whether encoder blocks clip large states and replace non-finite ones, at some cost in time.
    encoder_rows: Most rows the encoder reads; more are subsampled by content. None reads all.
    bias_width: Hidden width of the nets that turn statistics into attention biases.
    pooling_queries: Learned queries that pool each variable over its rows.
    pooling_heads: Attention heads of the pooling.
    gate_width: Hidden width of the feature gate.
    confounder_tokens: Learned tokens, each a candidate hidden cause.
    confounder_layers: Cross-attention layers of the confounder tokens.
    confounder_bias_width: Hidden width of the net that turns statistics into a confounding bias.
    pair_width: Width P of the pair state.
    refinement_rounds: Rounds of triangular refinement; 0 reads the decoder alone.
    pair_heads: Heads of the row attention of the refinement.
    initial_logit: Bias that edge logits start from.
    feature_dropout: Rate at which training hides direction and collider features, given a generator.
    """

    architecture: ClassVar[str] = "paper"

    name: str
    features: str = "paper"
    compatibility: Compatibility = "own"
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
    pair_width: int = 192
    refinement_rounds: int = 3
    pair_heads: int = 4
    initial_logit: float = -2.0
    feature_dropout: float = 0.2

    def __post_init__(self) -> None:
        check_whole_numbers(
            self, width=4, encoder_layers=0, heads=1, global_tokens=0, bias_width=1, pooling_queries=1,
            pooling_heads=1, gate_width=1, confounder_tokens=1, confounder_layers=0, confounder_bias_width=1,
            pair_width=1, refinement_rounds=0, pair_heads=1,
        )  # fmt: skip
        check_rates(self)
        if not isinstance(self.guarded, bool):
            raise ConfigError(f"guarded is {self.guarded!r}; it must be true or false")
        rows = self.encoder_rows
        if rows is not None and (not isinstance(rows, int) or isinstance(rows, bool) or rows < 3):
            raise ConfigError(f"encoder_rows is {rows!r}; give at least 3, or None to read all rows")
        for field, heads in (("width", "heads"), ("width", "pooling_heads"), ("pair_width", "pair_heads")):
            if getattr(self, field) % getattr(self, heads):
                raise ConfigError(
                    f"{field} ({getattr(self, field)}) is not a multiple of {heads} ({getattr(self, heads)})"
                )
        if self.compatibility not in ("own", "release"):
            raise ConfigError(f"compatibility is {self.compatibility!r}; choose from own, release")
        if self.compatibility == "release" and self.features != "release":
            raise ConfigError("compatibility='release' reads the 'release' features; set features='release'")

    @property
    def released(self) -> bool:
        """Whether the released numerics are followed, defects included."""
        return self.compatibility == "release"

    @property
    def scaled_features(self) -> bool:
        """Features enter raw, as in the paper."""
        return False

    @property
    def fills_gaps(self) -> bool:
        """Missing cells stay missing; every pair is judged by its joint rows."""
        return False

    @property
    def reads_lags(self) -> bool:
        """The order of rows is not read."""
        return False

    @property
    def rows_read(self) -> int | None:
        """Most rows of a table that the encoder reads: 0 without an encoder, None for all."""
        return self.encoder_rows if self.encoder_layers else 0

    @property
    def inner_width(self) -> int:
        """Inner width F of the encoder's feed-forward maps."""
        return 8 * self.width // 3

    @property
    def role_width(self) -> int:
        """Width of the projected statistics and of the role projections."""
        return self.width // 4

    @property
    def taps(self) -> int:
        """Intermediate encoder states that join the output: one after every fourth block but the last."""
        return max(2 * self.encoder_layers - 1, 0) // 4

    def forward_bytes(self, *, rows: int, variables: int, features: int) -> float:
        """Bytes that one forward pass over one table takes."""
        total = 4.0 * variables**2 * (3 * features + 8 * self.width + 20 * self.pair_width)
        if self.encoder_layers:
            read = min(rows, self.encoder_rows or rows)
            tokens = variables + self.global_tokens
            total += 4.0 * read * tokens * (8 * self.width + 2 * self.inner_width + self.heads * tokens)
            total += 8.0 * variables * self.heads * read**2 / max(1.0, read / 512)  # attention works in blocks of rows
        return total

    def to_dict(self) -> dict[str, Any]:
        """All fields, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, entries: dict[str, Any]) -> PaperConfig:
        """Undo ``to_dict``; unknown or missing fields raise ConfigError."""
        return cls(**checked_fields(cls, entries))


BASE = PaperConfig(name="base")
"""The paper's sizes: 139 million parameters."""

PAPER_SMALL = PaperConfig(
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
"""Every part of BASE at a size that two cores train in hours: 1.2 million parameters."""
