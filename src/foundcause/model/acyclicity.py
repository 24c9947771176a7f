"""The spectral acyclicity value: the largest eigenvalue of the edge probabilities, by power iteration."""

from __future__ import annotations

import torch
from torch import Tensor


def spectral_radius(edge_logits_BDD: Tensor, valid_BDD: Tensor, *, seed: int, iterations: int = 10) -> Tensor:
    """Estimated spectral radius (B,) in [0, 10]; the penalty of the paper is relu(radius - 1).

    The start vectors depend on ``seed`` alone; no gradient flows through the eigenvectors.
    """
    probabilities = torch.sigmoid(edge_logits_BDD.float()) * valid_BDD
    generator = torch.Generator().manual_seed(seed)
    tasks, variables = probabilities.shape[:2]
    start = torch.randn(2, tasks, variables, generator=generator).to(probabilities)
    with torch.no_grad():
        left, right = start[0].unsqueeze(1), start[1].unsqueeze(2)
        for _ in range(iterations):
            left = left @ probabilities
            left = left / (left.norm(dim=2, keepdim=True) + 1e-8)
            right = probabilities @ right
            right = right / (right.norm(dim=1, keepdim=True) + 1e-8)
    radius = (left @ probabilities @ right) / (left @ right + 1e-8)
    return radius.flatten().nan_to_num(nan=0.0).clamp(0.0, 10.0)
