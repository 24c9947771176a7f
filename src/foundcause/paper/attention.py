"""Attention of the paper's network: guards, RMSNorm, SwiGLU, blocks (Figure "Encoder Block Pair").

Shape letters: B tasks, D variables, T sequence positions, A heads, H width.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def san(u: Tensor, limit: float) -> Tensor:
    """``u`` clipped to [-limit, limit], NaN replaced by 0."""
    return u.clamp(-limit, limit).nan_to_num(nan=0.0)


class RMSNorm(nn.Module):
    """x / sqrt(mean(x^2) + 1e-6) in float32, times a learned gain (Figure "Encoder Block Pair")."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        """Same shape and dtype as ``x``."""
        y = x.float()
        y = y * torch.rsqrt(y.square().mean(-1, keepdim=True) + 1e-6)
        return y.to(x.dtype) * self.gain


class SwiGLU(nn.Module):
    """W2 san(SiLU(Wg y) * (W1 y); 1e4), the san only if guarded (Appendix "Normalization and Feedforward Blocks")."""

    def __init__(self, width: int, inner: int, *, guarded: bool) -> None:
        super().__init__()
        self.guarded = guarded
        self.gate = nn.Linear(width, inner)
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)

    def forward(self, y: Tensor) -> Tensor:
        """Same shape as ``y``."""
        hidden = F.silu(self.gate(y)) * self.up(y)
        return self.down(san(hidden, 1e4) if self.guarded else hidden)


class AttentionBlock(nn.Module):
    """Pre-norm self-attention followed by SwiGLU (Section 3 (i), Figure "Encoder Block Pair")."""

    def __init__(self, width: int, heads: int, inner: int, *, residual_std: float, guarded: bool) -> None:
        super().__init__()
        self.heads = heads
        self.guarded = guarded
        self.attention_norm = RMSNorm(width)
        self.query = nn.Linear(width, width, bias=False)
        self.key_value = nn.Linear(width, 2 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.feed_norm = RMSNorm(width)
        self.feed = SwiGLU(width, inner, guarded=guarded)
        nn.init.normal_(self.out.weight, std=residual_std)
        nn.init.normal_(self.feed.down.weight, std=residual_std)

    def forward(self, z: Tensor, mask: Tensor | None = None) -> Tensor:
        """``z`` (..., T, H) updated; ``mask`` is added to (float) or selects (bool) scores (..., A, T, T)."""
        u = self.attention_norm(z)
        joint = F.linear(u, torch.cat([self.query.weight, self.key_value.weight]))
        query, key, value = joint.chunk(3, dim=-1)
        z = z + self.out(attend(query, key, value, self.heads, mask))
        z = z + self.feed(self.feed_norm(z))
        return z.nan_to_num(nan=0.0, posinf=0.0, neginf=0.0) if self.guarded else z


class MultiHeadAttention(nn.Module):
    """Attention with one stacked projection for queries, keys and values, biases included."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        nn.init.xavier_uniform_(self.project.weight)
        nn.init.zeros_(self.project.bias)
        nn.init.zeros_(self.out.bias)

    def forward(self, query: Tensor, source: Tensor, mask: Tensor | None = None) -> Tensor:
        """``query`` (..., Q, H) attends to ``source`` (..., T, H); ``mask`` is boolean, True where allowed."""
        width = query.shape[-1]
        weight, bias = self.project.weight, self.project.bias
        q = F.linear(query, weight[:width], bias[:width])
        k, v = F.linear(source, weight[width:], bias[width:]).chunk(2, dim=-1)
        return self.out(attend(q, k, v, self.heads, mask))


def attend(query: Tensor, key: Tensor, value: Tensor, heads: int, mask: Tensor | None) -> Tensor:
    """Scaled dot-product attention of (..., Q, H) over (..., T, H), split into ``heads``; returns (..., Q, H)."""
    q, k, v = (x.unflatten(-1, (heads, -1)).transpose(-2, -3) for x in (query, key, value))
    if mask is not None and mask.is_floating_point():
        mask = mask.to(q.dtype)
    y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return y.transpose(-2, -3).flatten(-2)


def split_linear(linear: nn.Linear, *parts: Tensor) -> list[Tensor]:
    """Apply the columns of ``linear`` that belong to each part; the results and the bias add up to the full map.

    Maps of [x_i - x_j ; s_ij] then cost one product per variable, not per pair, for their x half. No bias is added.
    """
    widths = [part.shape[-1] for part in parts]
    columns = linear.weight.split(widths, dim=1)
    return [F.linear(part, weight) for part, weight in zip(parts, columns, strict=True)]


def some_key(variables_BD: Tensor) -> Tensor:
    """Return the variables as attention keys; position 0 is allowed where there is none: no softmax is empty."""
    empty = ~variables_BD.any(1)
    keys = variables_BD.clone()
    keys[:, 0] |= empty
    return keys
