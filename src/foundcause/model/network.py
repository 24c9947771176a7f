"""The whole network: statistics and cells in, edge, direction and confounding logits out.

Shape letters: B tasks, N rows, D variables, H width, F features, P pair width.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from foundcause.errors import ConfigError, InputError
from foundcause.features import compute
from foundcause.features.constants import RffConstants
from foundcause.features.fill import fill_seed
from foundcause.model.acyclicity import spectral_radius
from foundcause.model.config import ModelConfig
from foundcause.model.confounders import Confounders, valid_pairs
from foundcause.model.edges import EdgeDecoder
from foundcause.model.encoder import Encoder
from foundcause.model.features import FeatureScaling, PairFeatures
from foundcause.model.gate import FeatureGate
from foundcause.model.heads import BlendHead, FactoredHead, joint_logit
from foundcause.model.inputs import Inputs, check_inputs, choose_rows
from foundcause.model.layers import MASKED_LOGIT, MLP, san
from foundcause.model.pooling import Pooling
from foundcause.model.prediction import Prediction
from foundcause.model.triangle import Refinement

RANDOM_FEATURES = 32  # frequencies and phases of the released kernel statistic


@dataclass(frozen=True, kw_only=True)
class Switches:
    """Which parts are on; ``foundcause.model.ablate`` turns them off one at a time."""

    statistics: bool = True
    refinement: bool = True
    attention_pooling: bool = True
    confounder_feedback: bool = True
    learned_gate: bool = True
    direction: bool = True


class FoundCause(nn.Module):
    """The network of one config; parameters start from ``seed`` and leave the global generator alone."""

    frequencies: Tensor
    phases: Tensor

    def __init__(self, config: ModelConfig, *, seed: int = 0) -> None:
        super().__init__()
        self.config = config
        self.features = PairFeatures.of(config.features)
        self.switches = Switches()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._build(config)

    def _build(self, config: ModelConfig) -> None:
        if config.scaled_features:
            self.scaling = FeatureScaling(self.features, bent=config.bent_features)
        if config.compatibility == "release":  # constants that belong to the weights, set by the importer
            self.register_buffer("frequencies", torch.randn(RANDOM_FEATURES))
            self.register_buffer("phases", torch.rand(RANDOM_FEATURES) * 6.28318)
        if config.evidence == "paper":
            self._build_evidence(config)
        self.head: BlendHead | FactoredHead
        if config.head == "blend":
            self.head = BlendHead(config)
        else:
            self.head = FactoredHead(config)
        self.refinement = Refinement(config)
        if config.direct_width:
            readings = 2 if config.bent_features else 1
            self.direct = MLP(readings * self.features.count, config.direct_width, config.pair_width)

    def _build_evidence(self, config: ModelConfig) -> None:
        features, width = self.features, config.width
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

    @property
    def parameter_count(self) -> int:
        """Number of trainable numbers."""
        return sum(parameter.numel() for parameter in self.parameters())

    def fit_feature_scaling(self, tasks: Iterable[tuple[Tensor, Tensor]]) -> None:
        """Fit the feature normalisation once, before training.

        ``tasks`` are (statistics (B, D, D, F) or (D, D, F), real variables (B, D) or (D,)); diagonals do not count.
        """
        if not self.config.scaled_features:
            raise ConfigError(f"the {self.config.name!r} network reads raw features; there is no scaling to fit")
        self.scaling.fit(
            (statistics[None], variables[None]) if statistics.dim() == 3 else (statistics, variables)
            for statistics, variables in tasks
        )

    def statistics(self, inputs: Inputs, *, seed: int = 0, look: int = 0, lagged_BDDL: Tensor | None = None) -> Tensor:
        """The pairwise statistics (B, D, D, F) this network reads; ``look`` says how it treats gaps.

        lagged_BDDL: what the order of the rows of a series tells (``foundcause.features.series``), if it is one.
        """
        if inputs.values is None:
            raise InputError("statistics are computed from values; none were given")
        constants = None
        if self.config.compatibility == "release":
            constants = RffConstants(self.frequencies.float(), self.phases.float())
        return compute(
            inputs.values,
            inputs.observed,
            inputs.variables,
            features=self.config.features,
            seed=seed,
            constants=constants,
            fill_seed=fill_seed(seed, look) if self.config.fills_gaps else None,
            lagged_BDDL=lagged_BDDL,
        )

    def forward(
        self,
        values: Tensor | None,
        observed: Tensor | None = None,
        variables: Tensor | None = None,
        statistics: Tensor | None = None,
        *,
        seed: int = 0,
        generator: torch.Generator | None = None,
        acyclicity_seed: int | None = None,
    ) -> Prediction:
        """Predict the graphs of B tables.

        values: (B, N, D); missing cells may hold anything finite. None is allowed when there is no encoder and
            ``statistics`` are given.
        observed: (B, N, D) boolean, True where a cell was observed; None means everywhere.
        variables: (B, D) boolean, True for real variables, False for padding; None means all are real.
        statistics: (B, D, D, F) of the config's feature set; None computes them here with ``seed``.
        generator: Draws feature dropout in training mode; None drops nothing.
        acyclicity_seed: Also compute the spectral radius, its start vectors drawn from this seed.
        """
        inputs = check_inputs(values, observed, variables, statistics, self.config, self.features.count)
        raw = self.statistics(inputs, seed=seed) if statistics is None else statistics
        features = self._features(raw.to(next(self.parameters())), generator)
        if self.config.evidence == "direct":
            pairs = self._pairs(None, features, inputs.variables)
            states: dict[str, Tensor] = {}
            logits = self._logits(None, None, pairs, None, inputs.variables)
        else:
            hidden, confounding, states = self._evidence(inputs, features)
            pairs = self._pairs(hidden, features, inputs.variables)
            logits = self._logits(states["embeddings"], hidden, pairs, confounding, inputs.variables)
        radius = None
        if acyclicity_seed is not None:
            radius = spectral_radius(logits["edge_logits"], valid_pairs(inputs.variables), seed=acyclicity_seed)
        return Prediction(pair_state=pairs, acyclicity=radius, **states, **logits)

    def _evidence(self, inputs: Inputs, features_BDDF: Tensor) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
        """What the paper's parts make of rows and features: hidden pairs, confounding logits, states by name."""
        embeddings, diversity = self._embed(inputs, features_BDDF)
        nodes = self.node_norm(embeddings)
        gate = self.gate(nodes, features_BDDF)
        if not self.switches.learned_gate:
            gate = torch.full_like(gate, 0.5)
        symmetric = self.features.symmetric_part(features_BDDF)
        gated = gate * self.features.antisymmetric_part(features_BDDF)
        loadings, confounding = self.confounders(embeddings, inputs.variables, symmetric, gated)
        feedback = torch.sigmoid(confounding.detach())
        if not self.switches.confounder_feedback:
            feedback = torch.zeros_like(feedback)
        hidden = self.decoder(nodes, symmetric, gated, feedback, directed=self.switches.direction)
        states = {"loadings": loadings, "embeddings": embeddings, "gate": gate, "pooling_diversity": diversity}
        return hidden, confounding, states

    def _features(self, statistics_BDDF: Tensor, generator: torch.Generator | None) -> Tensor:
        features = self.scaling(statistics_BDDF) if self.config.scaled_features else statistics_BDDF
        if not self.switches.statistics:
            return torch.zeros_like(features)
        if self.training and generator is not None:
            features = self.features.drop(features, self.config.feature_dropout, generator)
        return features

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
        if self.config.compatibility == "release":
            values = values.float()
        states = self.encoder(values, observed, inputs.variables, features_BDDF)
        return self.pooling(states, observed, inputs.variables, max_only=not self.switches.attention_pooling)

    def _pairs(self, hidden_BDDH: Tensor | None, features_BDDF: Tensor, variables_BD: Tensor) -> Tensor:
        sources = [] if hidden_BDDH is None else [san(self.pair_input(hidden_BDDH), 5000.0)]
        if self.config.direct_width:
            direct = self.direct(features_BDDF)
            if not self.switches.direction:  # the direct path must not carry direction around the switched-off head
                direct = 0.5 * (direct + direct.transpose(1, 2))
            sources.append(direct)
        pairs = sources[0] if len(sources) == 1 else sources[0] + sources[1]
        return self.refinement(pairs, variables_BD) if self.switches.refinement else pairs

    def _logits(
        self,
        embeddings_BDH: Tensor | None,
        hidden_BDDH: Tensor | None,
        pairs_BDDP: Tensor,
        confounding_BDD: Tensor | None,
        variables: Tensor,
    ) -> dict[str, Tensor]:
        impossible = ~valid_pairs(variables)
        if isinstance(self.head, FactoredHead):
            existence, direction, shared = self.head(pairs_BDDP)
            if confounding_BDD is not None:
                shared = confounding_BDD + shared
            edges = joint_logit(existence, direction).masked_fill(impossible, MASKED_LOGIT)
            return {
                "edge_logits": edges,
                "existence_logits": existence.masked_fill(impossible, MASKED_LOGIT),
                "direction_logits": direction.masked_fill(impossible, 0.0),
                "confounding_logits": shared.masked_fill(impossible, MASKED_LOGIT),
            }
        assert embeddings_BDH is not None and hidden_BDDH is not None and confounding_BDD is not None
        base = self.head.base_logits(hidden_BDDH)
        refine = self.switches.refinement and self.config.refinement_rounds > 0
        refined = self.head.refined_logits(pairs_BDDP) if refine else None
        edges = self.head(embeddings_BDH, base, refined)
        skeleton = self.head.skeleton(edges)
        direction = (edges - edges.transpose(1, 2)).masked_fill(impossible, 0.0)
        if self.config.compatibility != "release":
            edges = edges.masked_fill(impossible, MASKED_LOGIT)
            skeleton = skeleton.masked_fill(impossible, MASKED_LOGIT)
        found = {
            "edge_logits": edges,
            "existence_logits": skeleton,
            "direction_logits": direction,
            "confounding_logits": confounding_BDD,
            "base_logits": base,
        }
        return found if refined is None else {**found, "refined_logits": refined}
