"""Hidden common causes: learned tokens look at the variables, a noisy-OR turns loadings into pair probabilities.

Shape letters: B tasks, D variables, K tokens, H width, S symmetric and A antisymmetric features.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foundcause.model.layers import MASKED_LOGIT, MLP, full_precision, mean_with_transpose, valid_pairs
from foundcause.model.pair_features import PairFeatures
from foundcause.paper.attention import MultiHeadAttention, san, some_key
from foundcause.paper.config import PaperConfig

_SMALLEST_PROBABILITY = 1e-3


class Confounders(nn.Module):
    """Loadings of every variable on every token, and the confounding logits of pairs by a noisy-OR.

    Section 3 (iv); Appendix "Confounder Implementation Details" and Figure "Confounder Module".
    """

    def __init__(self, config: PaperConfig, features: PairFeatures) -> None:
        super().__init__()
        width, layers = config.width, config.confounder_layers
        self.released = config.released
        self.tokens = nn.Parameter(torch.empty(config.confounder_tokens, width).normal_(std=0.02))
        self.attentions = nn.ModuleList(MultiHeadAttention(width, config.heads) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.feeds = nn.ModuleList(MLP(width, 2 * width, width) for _ in range(layers))
        self.loading = MLP(2 * width, width, 1)
        self.bias = MLP(len(features.symmetric) + features.antisymmetric_count, config.confounder_bias_width, 1)
        nn.init.normal_(self.loading.out.weight, std=0.02)
        nn.init.constant_(self.loading.out.bias, -2.0)
        nn.init.constant_(self.bias.out.bias, -1.0)

    def forward(
        self, embeddings_BDH: Tensor, variables_BD: Tensor, symmetric_BDDS: Tensor, gated_BDDA: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Loadings (B, D, K) in (0, 1) and logits (B, D, D), ``MASKED_LOGIT`` on the diagonal and in padding."""
        with full_precision(embeddings_BDH):
            z = embeddings_BDH.float()
            tokens = self._tokens(z, variables_BD)
            loadings = self._loadings(z, tokens)
            joint_BDDK = loadings.unsqueeze(2) * loadings.unsqueeze(1)
            shared = 1.0 - (1.0 - joint_BDDK).prod(-1)
            shared = mean_with_transpose(shared).clamp(_SMALLEST_PROBABILITY, 1 - _SMALLEST_PROBABILITY)
            pair = torch.cat([symmetric_BDDS.float(), gated_BDDA.float()], dim=-1)
            logits = torch.logit(shared) + self.bias(pair).squeeze(-1)
            if not self.released:
                logits = mean_with_transpose(logits)
            return loadings, logits.masked_fill(~valid_pairs(variables_BD), MASKED_LOGIT)

    def _tokens(self, z_BDH: Tensor, variables_BD: Tensor) -> Tensor:
        tokens = self.tokens.float().expand(z_BDH.shape[0], -1, -1)
        keys = None if bool(variables_BD.all()) else some_key(variables_BD)[:, None, None, :]
        for attention, norm, feed in zip(self.attentions, self.norms, self.feeds, strict=True):
            tokens = tokens + attention(norm(tokens), z_BDH, keys)
            tokens = san(tokens + feed(tokens), 5000.0)
        return tokens

    def _loadings(self, z_BDH: Tensor, tokens_BKH: Tensor) -> Tensor:
        width = z_BDH.shape[-1]
        first, last = self.loading.hidden, self.loading.out
        variable = F.linear(z_BDH, first.weight[:, :width], first.bias)
        token = F.linear(tokens_BKH, first.weight[:, width:])
        hidden = F.gelu(variable.unsqueeze(2) + token.unsqueeze(1))
        return torch.sigmoid(last(hidden).squeeze(-1))
