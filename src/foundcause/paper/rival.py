"""An amortized rival of the paper's network, after AVICI (Lorch et al., 2022): attention over cells, no statistics.

Alternating attention over rows and over variables, the largest state of each variable over its rows, and the
similarity of two projections as the logit of an edge. It is trained on the same tasks, so that the difference to the
paper's network is what statistics and structure add.

Shape letters: B tasks, N rows, D variables, H width.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foundcause.model.architectures import check_rates, check_whole_numbers, checked_fields
from foundcause.model.interface import Inputs, Network, Prediction, check_inputs
from foundcause.model.layers import MASKED_LOGIT, difference, mean_with_transpose, valid_pairs
from foundcause.paper.attention import AttentionBlock
from foundcause.paper.encoder import choose_rows, standardized_cells

_PADDED_KEY = -1e9


@dataclass(frozen=True, kw_only=True)
class RivalConfig:
    """Sizes of the rival.

    name: What the preset is called; for reports only.
    width: Hidden width H.
    layers: Layers, each a block over rows and a block over variables.
    heads: Attention heads.
    encoder_rows: Most rows that are read; more are subsampled by content. None reads all.
    initial_logit: Bias that edge logits start from.
    feature_dropout: Has no effect; part of what training asks of any configuration.
    """

    architecture: ClassVar[str] = "rival"
    features: ClassVar[str] = "none"

    name: str
    width: int = 112
    layers: int = 4
    heads: int = 4
    encoder_rows: int | None = 64
    initial_logit: float = -2.0
    feature_dropout: float = 0.0

    def __post_init__(self) -> None:
        check_whole_numbers(self, width=4, layers=1, heads=1)
        check_rates(self)

    @property
    def scaled_features(self) -> bool:
        """There are no features."""
        return False

    @property
    def fills_gaps(self) -> bool:
        """Missing cells stay missing."""
        return False

    @property
    def reads_lags(self) -> bool:
        """The order of rows is not read."""
        return False

    @property
    def rows_read(self) -> int | None:
        """Most rows of a table that are read, None for all."""
        return self.encoder_rows

    def forward_bytes(self, *, rows: int, variables: int, features: int) -> float:
        """Bytes that one table takes at the peak of a forward pass: cells and the inner width of a block."""
        rows = rows if self.encoder_rows is None else min(rows, self.encoder_rows)
        return 4.0 * rows * variables * 8 * self.width

    def to_dict(self) -> dict[str, Any]:
        """All fields, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, entries: dict[str, Any]) -> RivalConfig:
        """Undo ``to_dict``; unknown or missing fields raise ConfigError."""
        return cls(**checked_fields(cls, entries))


RIVAL = RivalConfig(name="rival")
"""About as many parameters as PAPER_SMALL."""


class Rival(Network):
    """The network of one configuration; parameters start from ``seed`` and leave the global generator alone."""

    architecture = "rival"
    config: RivalConfig

    def __init__(self, config: RivalConfig, *, seed: int = 0, feature_names: list[str] | None = None) -> None:
        super().__init__(config, feature_names)
        width = config.width
        std = 0.02 / math.sqrt(2 * config.layers)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.embed = nn.Linear(2, width)
            self.blocks = nn.ModuleList(
                AttentionBlock(width, config.heads, 8 * width // 3, residual_std=std, guarded=False)
                for _ in range(2 * config.layers)
            )
            self.norm = nn.LayerNorm(width)
            self.cause = nn.Linear(width, width)
            self.effect = nn.Linear(width, width)
            self.shared = nn.Linear(width, width)
            self.scale = nn.Parameter(torch.full((2,), math.log(5.0)))
            self.bias = nn.Parameter(torch.full((2,), config.initial_logit))

    def statistics(self, inputs: Inputs, *, seed: int = 0, look: int = 0, lagged_BDDL: Tensor | None = None) -> Tensor:
        """Return an empty tensor (B, D, D, 0): nothing is computed."""
        tasks, columns = inputs.variables.shape
        return torch.zeros(tasks, columns, columns, 0, device=inputs.variables.device)

    def forward(
        self,
        values: Tensor | None,
        observed: Tensor | None = None,
        variables: Tensor | None = None,
        statistics: Tensor | None = None,
        *,
        seed: int = 0,
        generator: torch.Generator | None = None,
    ) -> Prediction:
        """Predict the graphs of B tables.

        Parameters
        ----------
        values : Tensor of shape (B, N, D)
            Cells; missing ones may hold anything finite.
        observed : Tensor of shape (B, N, D), optional
            Boolean, by default all true.
        variables : Tensor of shape (B, D), optional
            False for padding, by default all true.
        statistics, seed, generator
            Not read.

        Returns
        -------
        Prediction
        """
        inputs = check_inputs(values, observed, variables, None, self, reads_rows=True)
        assert inputs.values is not None and inputs.observed is not None
        z_BDH = self._embeddings(inputs.values, inputs.observed, inputs.variables)
        cause, effect, shared = (F.normalize(part(z_BDH), dim=-1) for part in (self.cause, self.effect, self.shared))
        scale = self.scale.exp()
        edges = scale[0] * (cause @ effect.transpose(1, 2)) + self.bias[0]
        confounding = scale[1] * (shared @ shared.transpose(1, 2)) + self.bias[1]
        impossible = ~valid_pairs(inputs.variables)
        existence = -F.logsigmoid(-edges) - F.logsigmoid(-edges).transpose(1, 2)  # -log of "neither direction"
        existence = existence.clamp(min=1e-30)
        existence = existence + torch.log(-torch.expm1(-existence))
        return Prediction(
            edge_logits=edges.masked_fill(impossible, MASKED_LOGIT),
            existence_logits=mean_with_transpose(existence).masked_fill(impossible, MASKED_LOGIT),
            direction_logits=difference(edges).masked_fill(impossible, 0.0),
            confounding_logits=mean_with_transpose(confounding).masked_fill(impossible, MASKED_LOGIT),
            pair_state=edges.unsqueeze(-1),
        )

    def _embeddings(self, values_BND: Tensor, observed_BND: Tensor, variables_BD: Tensor) -> Tensor:
        """(B, D, H), zero for padded variables."""
        rows = self.config.encoder_rows
        if rows is not None and values_BND.shape[1] > rows:
            values_BND, observed_BND = choose_rows(values_BND, observed_BND, variables_BD, rows)
        cells = standardized_cells(values_BND, observed_BND).to(self.embed.weight.dtype)
        z_BNDH = self.embed(torch.stack([cells, observed_BND.to(cells)], dim=-1))
        seen_BDN1 = observed_BND.transpose(1, 2).unsqueeze(-1)
        # padded rows have no observed cell; a variable without any may read all rows, as its state is never used
        read = seen_BDN1.squeeze(-1) | ~seen_BDN1.any(2)
        row_keys = None if bool(read.all()) else read[:, :, None, None, :]
        variable_keys = (~variables_BD * _PADDED_KEY)[:, None, None, None, :].to(cells)
        for index, block in enumerate(self.blocks):
            if index % 2 == 0:
                z_BNDH = block(z_BNDH.transpose(1, 2), row_keys).transpose(1, 2)
            else:
                z_BNDH = block(z_BNDH, variable_keys)
        states = self.norm(z_BNDH).transpose(1, 2)
        lowest = torch.finfo(states.dtype).min
        largest = states.masked_fill(~seen_BDN1, lowest).amax(2)
        return largest.masked_fill(~variables_BD.unsqueeze(-1) | (largest == lowest), 0.0)
