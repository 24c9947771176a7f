"""The paper's network: encoder, pooling, gate, confounder tokens, decoder, refinement and blend (Section 3, Figure 1).

Shape letters: B tasks, N rows, D variables, H width, F features, P pair width, K confounder tokens, A antisymmetric
features.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from foundcause.model.interface import Inputs, Network, Prediction, check_inputs
from foundcause.model.layers import MASKED_LOGIT, difference, valid_pairs
from foundcause.paper.attention import san
from foundcause.paper.config import PaperConfig
from foundcause.paper.confounders import Confounders
from foundcause.paper.decoder import BlendHead, EdgeDecoder, FeatureGate
from foundcause.paper.encoder import Encoder, Pooling, choose_rows
from foundcause.paper.kernel_regression import RffConstants
from foundcause.paper.triangle import Refinement

RANDOM_FEATURES = 32  # frequencies and phases of the released kernel statistic
# The released weights expect the differences in this order, which is not ascending.
RELEASED_DIFFERENCES = (
    *((7, 8), (13, 14), (11, 12), (16, 17), (20, 21), (22, 23)),
    *((24, 25), (26, 27), (30, 31), (32, 33), (34, 35), (39, 40)),
)


@dataclass(frozen=True, kw_only=True)
class PaperPrediction(Prediction):
    """Logits and the states behind them.

    Networks of official weights leave edge and skeleton logits unmasked and confounding unsymmetric, as released.

    loadings: (B, D, K) of each variable on each confounder token, in (0, 1).
    embeddings: (B, D, H) of the variables.
    gate: (B, D, D, A) trust in each antisymmetric statistic.
    pooling_diversity: Scalar penalty for pooling queries that look alike.
    base_logits: (B, D, D) of the decoder alone.
    refined_logits: (B, D, D) of the pair state alone, unclipped; None without refinement.
    """

    loadings: Tensor
    embeddings: Tensor
    gate: Tensor
    pooling_diversity: Tensor
    base_logits: Tensor
    refined_logits: Tensor | None

    @property
    def skeleton_logits(self) -> Tensor:
        """The existence logits, under the paper's name."""
        return self.existence_logits


class PaperNetwork(Network):
    """The network of one configuration; parameters start from ``seed`` and leave the global generator alone."""

    architecture = "paper"
    config: PaperConfig
    frequencies: Tensor
    phases: Tensor

    def __init__(self, config: PaperConfig, *, seed: int = 0, feature_names: list[str] | None = None) -> None:
        super().__init__(config, feature_names)
        self.released = config.released
        if self.released:
            self.features = replace(self.features, directed=RELEASED_DIFFERENCES)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._build(config)

    def _build(self, config: PaperConfig) -> None:
        features, width = self.features, config.width
        if self.released:  # constants that belong to the weights, set by the importer
            self.register_buffer("frequencies", torch.randn(RANDOM_FEATURES))
            self.register_buffer("phases", torch.rand(RANDOM_FEATURES) * 6.28318)
        if config.encoder_layers:
            self.encoder = Encoder(config, features.count)
            self.pooling = Pooling(config)
        else:
            self.node_features = nn.Linear(features.count, width)
        self.node_norm = nn.LayerNorm(width)
        self.gate = FeatureGate(config, features)
        self.confounders = Confounders(config, features)
        self.decoder = EdgeDecoder(config, features)
        self.pair_input = nn.Linear(2 * width, config.pair_width)
        self.head = BlendHead(config)
        self.refinement = Refinement(config)

    @property
    def parts(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of the parts that an ablation may switch off."""
        absent = set() if self.config.encoder_layers else {"max_pool"}
        absent |= set() if self.config.refinement_rounds else {"refinement"}
        every = ("statistics", "refinement", "max_pool", "confounder_feedback", "constant_gate", "direction_head")
        return tuple(part for part in every if part not in absent)

    @property
    def constants(self) -> RffConstants | None:
        """Frequencies and phases of the released kernel statistic."""
        return RffConstants(self.frequencies.float(), self.phases.float()) if self.released else None

    def forward(
        self,
        values: Tensor | None,
        observed: Tensor | None = None,
        variables: Tensor | None = None,
        statistics: Tensor | None = None,
        *,
        seed: int = 0,
        generator: torch.Generator | None = None,
    ) -> PaperPrediction:
        """Predict the graphs of B tables.

        Parameters
        ----------
        values : Tensor of shape (B, N, D) or None
            Cells; missing ones may hold anything finite. None is allowed without encoder, given ``statistics``.
        observed : Tensor of shape (B, N, D), optional
            True where a cell was observed; by default everywhere.
        variables : Tensor of shape (B, D), optional
            True for real variables, False for padding; by default all are real.
        statistics : Tensor of shape (B, D, D, F), optional
            Features of the network's set; by default they are computed here with ``seed``.
        seed : int
            Seed of the statistics.
        generator : torch.Generator, optional
            Draws feature dropout in training mode; without one nothing is dropped.
        """
        inputs = check_inputs(values, observed, variables, statistics, self, reads_rows=self.config.encoder_layers > 0)
        raw = self.statistics(inputs, seed=seed) if statistics is None else statistics
        features = raw.to(self.pair_input.weight)
        if "statistics" in self.off:
            features = torch.zeros_like(features)
        elif self.training and generator is not None:
            features = self.features.drop(features, self.config.feature_dropout, generator)

        embeddings, diversity = self._embed(inputs, features)
        nodes = self.node_norm(embeddings)
        gate = self.gate(nodes, features)
        if "constant_gate" in self.off:
            gate = torch.full_like(gate, 0.5)
        symmetric = self.features.symmetric_part(features)
        gated = gate * self.features.antisymmetric_part(features)
        loadings, confounding = self.confounders(embeddings, inputs.variables, symmetric, gated)
        # Detached, so that edge prediction cannot suppress what the confounder module learns (Figure "Confounder").
        feedback = torch.sigmoid(confounding.detach())
        if "confounder_feedback" in self.off:
            feedback = torch.zeros_like(feedback)
        hidden = self.decoder(nodes, symmetric, gated, feedback, directed="direction_head" not in self.off)
        pairs = san(self.pair_input(hidden), 5000.0)
        refines = "refinement" not in self.off
        if refines:
            pairs = self.refinement(pairs, inputs.variables)

        base = self.head.base_logits(hidden)
        refined = self.head.refined_logits(pairs) if refines and self.config.refinement_rounds else None
        edges = self.head(embeddings, base, refined)
        skeleton = self.head.skeleton(edges)
        impossible = ~valid_pairs(inputs.variables)
        direction = difference(edges).masked_fill(impossible, 0.0)
        if not self.released:
            edges = edges.masked_fill(impossible, MASKED_LOGIT)
            skeleton = skeleton.masked_fill(impossible, MASKED_LOGIT)
        return PaperPrediction(
            edge_logits=edges,
            existence_logits=skeleton,
            direction_logits=direction,
            confounding_logits=confounding,
            pair_state=pairs,
            loadings=loadings,
            embeddings=embeddings,
            gate=gate,
            pooling_diversity=diversity,
            base_logits=base,
            refined_logits=refined,
        )

    def _embed(self, inputs: Inputs, features_BDDF: Tensor) -> tuple[Tensor, Tensor]:
        """Embeddings (B, D, H), zero for padded variables, and the pooling diversity."""
        if not self.config.encoder_layers:
            own = features_BDDF.diagonal(dim1=1, dim2=2).transpose(1, 2)
            embeddings = self.node_features(own) * inputs.variables.unsqueeze(-1)
            return embeddings, embeddings.new_zeros(())
        assert inputs.values is not None and inputs.observed is not None
        values, observed = inputs.values, inputs.observed
        rows = self.config.encoder_rows
        if rows is not None and values.shape[1] > rows:
            values, observed = choose_rows(values, observed, inputs.variables, rows)
        if self.released:
            values = values.float()
        states = self.encoder(values, observed, inputs.variables, features_BDDF)
        return self.pooling(states, observed, inputs.variables, max_only="max_pool" in self.off)
