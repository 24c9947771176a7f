"""The axis-factorized encoder and its pooling: from cells to one embedding a variable (Section 3 (i) and (ii)).

Shape letters: B tasks, N rows, D variables, K global tokens, T = D + K, A heads, H width, F features, Q queries.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foundcause.features.row_samples import content_subset
from foundcause.model.layers import MLP
from foundcause.paper.attention import AttentionBlock, RMSNorm, attend, san
from foundcause.paper.config import PaperConfig

_LARGEST_BIAS = 10.0
_PADDED_KEY = -1e9
_HIDDEN_ROW = -1e4
_CHUNK_POSITIONS = 4096  # positions per block call when no gradient is needed: bounds memory, keeps caches warm


class Encoder(nn.Module):
    """Attention over variables inside each row, then over rows inside each variable (Section 3 (i)).

    Variable attention is biased by the pairwise statistics and carries global context tokens. The state after every
    fourth block joins the output with a learned weight.
    """

    def __init__(self, config: PaperConfig, features: int) -> None:
        super().__init__()
        width, blocks = config.width, 2 * config.encoder_layers
        self.released = config.released
        self.embed = nn.Linear(2, width)
        self.blocks = nn.ModuleList(
            AttentionBlock(
                width, config.heads, config.inner_width, residual_std=0.02 / math.sqrt(blocks), guarded=config.guarded
            )
            for _ in range(blocks)
        )
        self.biases = nn.ModuleList(
            MLP(features, config.bias_width, config.heads) for _ in range(config.encoder_layers)
        )
        self.global_tokens = nn.Parameter(torch.empty(config.global_tokens, width).normal_(std=0.02))
        self.tap_norms = nn.ModuleList(RMSNorm(width) for _ in range(config.taps))
        self.final_norm = RMSNorm(width)
        # The released file carries one unused weight when there are no taps.
        self.fusion = nn.Parameter(torch.zeros(config.taps + 1)) if config.taps or self.released else None

    def forward(self, values_BND: Tensor, observed_BND: Tensor, variables_BD: Tensor, features_BDDF: Tensor) -> Tensor:
        """States (B, N, D, H), zero in missing cells."""
        complete = bool(observed_BND.all())
        mask_BND1 = None if complete else observed_BND.unsqueeze(-1)
        keys_BDN = row_keys(observed_BND, variables_BD)
        present = observed_BND.to(self.embed.weight.dtype)
        scaled = standardized_cells(values_BND, observed_BND, released=self.released).to(present)
        z = self.embed(torch.stack([scaled, present], dim=-1))
        z = z if mask_BND1 is None else z * mask_BND1
        g = self.global_tokens.to(z).expand(*z.shape[:2], -1, -1)
        weights = None if self.fusion is None else torch.softmax(self.fusion, dim=0)
        fused: Tensor | None = None
        for index, block in enumerate(self.blocks):
            if index % 2 == 0:
                bias_BATT = self.attention_bias(index // 2, features_BDDF, variables_BD)
                z, g = across_variables(block, z, g, bias_BATT)
            else:
                z = across_rows(block, z, keys_BDN)
            z = z if mask_BND1 is None else z * mask_BND1
            tap = (index + 1) // 4 - 1
            if (index + 1) % 4 == 0 and index + 1 < len(self.blocks):
                assert weights is not None
                z = self.tap_norms[tap](z)
                fused = weights[tap] * z if fused is None else fused + weights[tap] * z
        z = san(self.final_norm(z), 5000.0)
        if fused is None or weights is None:
            return z
        return fused + weights[-1] * z

    def attention_bias(self, layer: int, features_BDDF: Tensor, variables_BD: Tensor) -> Tensor:
        """Additive scores (B, A, T, T) of a layer, shared by all rows: 0 where a token takes part (Section 3 (i))."""
        bias = self.biases[layer](features_BDDF).clamp(-_LARGEST_BIAS, _LARGEST_BIAS).permute(0, 3, 1, 2)
        tokens = self.global_tokens.shape[0]
        bias = F.pad(bias, (0, tokens, 0, tokens))
        return bias.masked_fill(F.pad(~variables_BD, (0, tokens))[:, None, None, :], _PADDED_KEY)


class Pooling(nn.Module):
    """Learned queries attend to a variable's rows; their answer is blended with the maximum over rows.

    Section 3 (ii). The diversity penalty follows the released code, not the table of losses (docs/paper.md).
    """

    def __init__(self, config: PaperConfig) -> None:
        super().__init__()
        width, queries = config.width, config.pooling_queries
        self.heads = config.pooling_heads
        self.released = config.released
        self.queries = nn.Parameter(torch.empty(queries, width).normal_(std=0.02))
        self.query_norm = nn.LayerNorm(width)
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)
        self.feed_norm = nn.LayerNorm(width)
        self.feed = MLP(width, 2 * width, width)
        self.merge = nn.Linear(queries * width, width)
        self.gate = nn.Parameter(torch.tensor(-2.0))

    def forward(
        self, z_BNDH: Tensor, observed_BND: Tensor, variables_BD: Tensor, *, max_only: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Embeddings (B, D, H), zero for padded variables, and the diversity penalty (a scalar)."""
        z_BDNH = z_BNDH.transpose(1, 2)
        observed_BDN = observed_BND.transpose(1, 2)
        largest = z_BDNH.masked_fill(~observed_BDN.unsqueeze(-1), _HIDDEN_ROW).amax(2)
        if not self.released:  # a variable without an observed cell has no maximum
            largest = largest.masked_fill(~observed_BDN.any(2, keepdim=True), 0.0)
        keys_BDN = row_keys(observed_BND, variables_BD)
        keys = None if keys_BDN is None else keys_BDN[:, :, None, None, :].flatten(0, 1)
        k, v = self.key_value(z_BDNH.flatten(0, 1)).chunk(2, dim=-1)
        q = self.query(self.query_norm(self.queries)).expand(k.shape[0], -1, -1)
        pooled = self.out(attend(q, k, v, self.heads, keys)).unflatten(0, z_BDNH.shape[:2])
        pooled_BDQH = pooled + self.feed(self.feed_norm(pooled))
        share = torch.zeros_like(self.gate) if max_only else torch.sigmoid(self.gate)
        merged = share * self.merge(pooled_BDQH.flatten(-2)) + (1.0 - share) * largest
        embeddings = san(merged, 5000.0) * variables_BD.unsqueeze(-1)
        return embeddings, self._diversity(pooled_BDQH, variables_BD)

    def _diversity(self, pooled_BDQH: Tensor, variables_BD: Tensor) -> Tensor:
        direction = F.normalize(pooled_BDQH.float(), dim=-1, eps=1e-8)
        cosine = direction @ direction.transpose(-1, -2)
        off = ~torch.eye(cosine.shape[-1], dtype=torch.bool, device=cosine.device)
        excess_BD = (F.relu(cosine - 0.5).square() * off).mean((-1, -2))
        if self.released:
            return excess_BD.mean()
        return (excess_BD * variables_BD).sum() / variables_BD.sum().clamp(min=1)


def choose_rows(values_BND: Tensor, observed_BND: Tensor, variables_BD: Tensor, rows: int) -> tuple[Tensor, Tensor]:
    """Choose at most ``rows`` rows of each task by content: (B, rows, D) values and mask.

    Padded variables and rows without any observed cell do not count, so padding does not change the choice.
    """
    values = values_BND.new_zeros(values_BND.shape[0], rows, values_BND.shape[2])
    observed = observed_BND.new_zeros(values.shape)
    for task, real_D in enumerate(variables_BD):
        kept = observed_BND[task].any(1).nonzero().squeeze(1)
        cells, seen = values_BND[task][kept][:, real_D], observed_BND[task][kept][:, real_D]
        chosen = kept[content_subset(cells, seen, rows)]
        values[task, : len(chosen)] = values_BND[task, chosen]
        observed[task, : len(chosen)] = observed_BND[task, chosen]
    return values, observed


def standardized_cells(values_BND: Tensor, observed_BND: Tensor, *, released: bool = False) -> Tensor:
    """Each variable centered and divided by its standard deviation over observed cells; missing cells 0.

    A constant variable becomes 0; as released, it becomes what rounding leaves of it.
    """
    values = values_BND.masked_fill(~observed_BND, 0.0)
    count = observed_BND.sum(1, keepdim=True).clamp(min=1)
    centered = (values - values.sum(1, keepdim=True) / count).masked_fill(~observed_BND, 0.0)
    spread = (centered.square().sum(1, keepdim=True) / (count - 1).clamp(min=1)).sqrt().clamp(min=1e-8)
    if not released:
        rounding = 8 * torch.finfo(values.dtype).eps * values.abs().amax(1, keepdim=True)
        centered = centered.masked_fill(spread <= rounding, 0.0)
    return centered / spread


def row_keys(observed_BND: Tensor, variables_BD: Tensor) -> Tensor | None:
    """Rows each variable may look at (B, D, N); padded variables see all. None when nothing is hidden."""
    allowed = observed_BND.transpose(1, 2) | ~variables_BD.unsqueeze(-1)
    return None if bool(allowed.all()) else allowed


def across_variables(block: nn.Module, z_BNDH: Tensor, g_BNKH: Tensor, bias_BATT: Tensor) -> tuple[Tensor, Tensor]:
    """Attention inside each row; the bias broadcasts over rows and is never copied per row."""
    variables = z_BNDH.shape[2]
    if torch.is_grad_enabled():
        joint = block(torch.cat([z_BNDH, g_BNKH], dim=2), bias_BATT.unsqueeze(1))
        return joint[:, :, :variables], joint[:, :, variables:]
    z, g = torch.empty_like(z_BNDH), torch.empty_like(g_BNKH, memory_format=torch.contiguous_format)
    rows = max(1, _CHUNK_POSITIONS // bias_BATT.shape[-1])
    for task in range(z.shape[0]):
        for start in range(0, z.shape[1], rows):
            part = (task, slice(start, start + rows))
            joint = block(torch.cat([z_BNDH[part], g_BNKH[part]], dim=1), bias_BATT[task].unsqueeze(0))
            z[part], g[part] = joint[:, :variables], joint[:, variables:]
    return z, g


def across_rows(block: nn.Module, z_BNDH: Tensor, keys_BDN: Tensor | None) -> Tensor:
    """Attention inside each variable, over the rows in which it was observed."""
    z_BDNH = z_BNDH.transpose(1, 2)
    sequences = z_BDNH.flatten(0, 1)
    keys = None if keys_BDN is None else keys_BDN.flatten(0, 1)[:, None, None, :]
    if torch.is_grad_enabled():
        out = block(sequences, keys)
    else:
        out = torch.empty_like(sequences, memory_format=torch.contiguous_format)
        step = max(1, _CHUNK_POSITIONS // sequences.shape[1])
        for start in range(0, sequences.shape[0], step):
            part = slice(start, start + step)
            out[part] = block(sequences[part], None if keys is None else keys[part])
    return out.unflatten(0, z_BDNH.shape[:2]).transpose(1, 2)
